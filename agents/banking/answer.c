/* SPDX-License-Identifier: MIT */
/* agents/banking/answer.c - writes the banking answer: five keys, rows as objects.
 *
 * Happy path: the rows of the result, arrays in the state, become objects keyed by column. Failure:
 * a value that is missing is null; the caller always gets the same shape (R48, R77). */
#include "agents/banking/graph.h"
#include "agents/banking/state.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { TREE_BYTES = 256 << 20 }; /* a tree is far larger than its text; freed at once */

static void write_row(struct json_write *writer, const struct json_value *columns,
                      const struct json_value *row)
{
    const struct json_value *column = columns->first;
    json_write_object(writer);
    JSON_EACH(cell, row) {
        if (column == NULL)
            break;
        json_write_key(writer, column->text);
        json_value_write(cell, writer);
        column = column->next;
    }
    json_write_object_end(writer);
}

static void write_result(struct json_write *writer, struct str text)
{
    struct arena arena;
    arena_init(&arena, TREE_BYTES);
    const struct json_value *result = json_value_parse(&arena, text, NULL, NULL);
    const struct json_value *columns = json_value_member(result, STR("columns"));
    const struct json_value *rows = json_value_member(result, STR("rows"));
    if (columns == NULL || rows == NULL) { /* {"error":...}, or nothing */
        json_write_null(writer);
        arena_fini(&arena);
        return;
    }
    json_write_object(writer);
    json_write_key(writer, STR("data"));
    json_write_array(writer);
    JSON_EACH(row, rows)
        write_row(writer, columns, row);
    json_write_array_end(writer);
    static const char *const kept[] = {"row_count", "truncated", "total_rows",
                                       "execution_time_seconds"};
    for (size_t i = 0; i < countof(kept); i++) {
        const struct json_value *value = json_value_member(result, str_of(kept[i]));
        if (value == NULL)
            continue;
        json_write_key(writer, str_of(kept[i]));
        json_value_write(value, writer);
    }
    json_write_object_end(writer);
    arena_fini(&arena);
}

static void write_text(struct json_write *writer, const char *key, struct str text)
{
    json_write_key(writer, str_of(key));
    if (str_is_absent(text))
        json_write_null(writer);
    else
        json_write_str(writer, text);
}

static struct str text_of(const struct state *state, unsigned slot)
{
    return state == NULL ? (struct str){NULL, 0} : state_str(state, slot);
}

void banking_write_answer(const struct state *state, const struct str *error, struct buf *out)
{
    struct json_write writer;
    struct str result = text_of(state, BANKING_EXECUTION_RESULT);
    struct str message = error != NULL ? *error : text_of(state, BANKING_ERROR_MESSAGE);
    if (str_is_absent(message) && str_is_absent(result) &&
        !str_is_absent(text_of(state, BANKING_VALIDATED_SQL)))
        message = STR("the statement has not run: a person has to approve it first");
    json_write_init(&writer, out);
    json_write_object(&writer);
    write_text(&writer, "validated_sql", text_of(state, BANKING_VALIDATED_SQL));
    json_write_key(&writer, STR("execution_result"));
    if (str_is_absent(result))
        json_write_null(&writer);
    else
        write_result(&writer, result);
    write_text(&writer, "summary", text_of(state, BANKING_SUMMARY));
    write_text(&writer, "chart_suggestion", text_of(state, BANKING_CHART_SUGGESTION));
    write_text(&writer, "error", message);
    json_write_object_end(&writer);
}

/* SPDX-License-Identifier: MIT */
/* backends/passages/passage_pg.c - text and parameters side by side, rows as hits.
 *
 * Happy path: whoever writes a statement puts its parameters in the order of their numbers.
 * Failure: no memory, found at passage_pg_check; rows that are not ours. */
#include "backends/passages/passage_pg.h"

#include <inttypes.h>
#include <stdio.h>

#include "backends/passages/passage_json.h"

enum { TEXT_BYTES = 64 << 10, LIST_BYTES = 16 << 20 };
enum { COLUMN_ID, COLUMN_BODY, COLUMN_FIELDS, COLUMN_SCORE, COLUMNS };

void passage_pg_begin(struct passage_pg *statement, struct arena *arena, const char *text)
{
    *statement = (struct passage_pg){.arena = arena};
    buf_init(&statement->text, TEXT_BYTES);
    buf_push(&statement->text, str_of(text));
    statement->params = arena_array(arena, PASSAGE_PG_MOST_PARAMS, sizeof *statement->params);
}

static void put(struct passage_pg *statement, const char *value)
{
    if (value == NULL)
        statement->arena->exhausted = true;
    if (!arena_ok(statement->arena))
        return;
    CHECK(statement->param_count < PASSAGE_PG_MOST_PARAMS);
    statement->params[statement->param_count++].value = value;
}

void passage_pg_put_str(struct passage_pg *statement, struct str value)
{
    put(statement, arena_cstr(statement->arena, value));
}

void passage_pg_put_u64(struct passage_pg *statement, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    passage_pg_put_str(statement, str_of(digits));
}

void passage_pg_put_buf(struct passage_pg *statement, struct buf *text)
{
    put(statement, buf_ok(text) ? arena_cstr(statement->arena, buf_str(text)) : NULL);
    buf_fini(text);
}

void passage_pg_put_strings(struct passage_pg *statement, const struct str *strings, size_t count)
{
    struct buf text;
    struct json_write json;
    buf_init(&text, LIST_BYTES);
    json_write_init(&json, &text);
    json_write_array(&json);
    for (size_t i = 0; i < count; i++)
        json_write_str(&json, strings[i]);
    json_write_array_end(&json);
    passage_pg_put_buf(statement, &text);
}

/* {"a","b"}, as PostgreSQL writes an array: its planner knows the values, unlike those of JSON. */
static void put_array(struct passage_pg *statement, const struct str *strings, size_t count)
{
    struct buf text;
    buf_init(&text, LIST_BYTES);
    buf_push_char(&text, '{');
    for (size_t i = 0; i < count; i++) {
        buf_push(&text, i == 0 ? STR("\"") : STR(",\""));
        for (size_t j = 0; j < strings[i].len; j++) {
            if (strings[i].at[j] == '"' || strings[i].at[j] == '\\')
                buf_push_char(&text, '\\');
            buf_push_char(&text, strings[i].at[j]);
        }
        buf_push_char(&text, '"');
    }
    buf_push_char(&text, '}');
    passage_pg_put_buf(statement, &text);
}

static bool is_column(struct str name, const char *const *columns)
{
    for (; *columns != NULL; columns++)
        if (str_equal(name, str_of(*columns)))
            return true;
    return false;
}

void passage_pg_push_filters(struct passage_pg *statement, const struct passage_filter *filters,
                             size_t count, const char *const *columns)
{
    for (size_t i = 0; i < count; i++) {
        size_t next = statement->param_count + 1;
        if (is_column(filters[i].name, columns)) {
            put_array(statement, filters[i].values, filters[i].value_count);
            buf_printf(&statement->text, " AND %.*s = ANY ($%zu::text[])", STR_ARG(filters[i].name),
                       next);
            continue;
        }
        passage_pg_put_strings(statement, filters[i].values, filters[i].value_count);
        buf_printf(&statement->text, " AND $%zu::jsonb ? coalesce(fields->>$%zu, '')", next,
                   next + 1);
        passage_pg_put_str(statement, filters[i].name);
    }
}

void passage_pg_end(struct passage_pg *statement, struct pg_task *task)
{
    struct arena *arena = statement->arena;
    const char *text =
        buf_ok(&statement->text) ? arena_cstr(arena, buf_str(&statement->text)) : NULL;
    arena->exhausted = arena->exhausted || text == NULL;
    CHECK(task->count < PG_TASK_MOST);
    task->statements[task->count++] =
        (struct pg_task_statement){text, statement->params, statement->param_count};
    buf_fini(&statement->text);
}

enum err_code passage_pg_check(const struct arena *arena, struct err *err)
{
    return arena_ok(arena) ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory to ask PostgreSQL");
}

static enum err_code read_hit(const struct pg_result *result, size_t row, struct arena *arena,
                              struct passage_hit *hit, struct err *err)
{
    struct str fields = arena_str(arena, pg_task_cell(result, row, COLUMN_FIELDS));
    hit->passage.id = arena_str(arena, pg_task_cell(result, row, COLUMN_ID));
    hit->passage.text = arena_str(arena, pg_task_cell(result, row, COLUMN_BODY));
    if (!str_to_double(pg_task_cell(result, row, COLUMN_SCORE), &hit->score))
        return err_set(err, ERR_PROTOCOL, "PostgreSQL gave a score that is no number");
    const struct json_value *object = json_value_parse(arena, fields, NULL, err);
    if (object == NULL || !passage_json_read_fields(arena, object, STR(""), &hit->passage) ||
        !arena_ok(arena))
        return err_set(err, ERR_NO_MEMORY, "no memory for PostgreSQL's hits");
    return ERR_OK;
}

enum err_code passage_pg_read_hits(const struct pg_result *result, struct arena *arena,
                                   struct passage_hit **hits, size_t *count, struct err *err)
{
    size_t row_count = pg_task_row_count(result), columns = pg_task_column_count(result);
    *count = 0;
    if (columns != COLUMNS)
        return err_set(err, ERR_PROTOCOL, "PostgreSQL gave %zu columns where %d were asked for",
                       columns, COLUMNS);
    *hits = arena_array(arena, size_max(1, row_count), sizeof **hits);
    if (*hits == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for PostgreSQL's hits");
    for (; *count < row_count; ++*count)
        if (read_hit(result, *count, arena, &(*hits)[*count], err) != ERR_OK)
            return err->code;
    return ERR_OK;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/clarify.c - lines to JSON, and JSON to a list.
 *
 * Happy path: each OPTION line is an option; the text numbers them, so that "2" chooses. Failure:
 * fewer than two options count as none; without memory the result is absent. */
#include "agents/sql_agent/clarify.h"

#include "agents/common/extract.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { CLARIFY_BYTES = 8192, STATEMENTS_BYTES = 64 * 1024, MAX_OPTIONS = 4 };

/* The value of a line "label: value", in arena where it is a JSON text there; empty: it is none. */
static struct str line_value(struct arena *arena, struct str line, const char *label, bool is_json)
{
    const struct str value = extract_label(line, label, NULL);
    if (str_is_empty(value) || !is_json)
        return value;
    const struct json_value *text = json_value_parse(arena, value, NULL, NULL);
    return text != NULL && text->type == JSON_STRING ? text->text : STR("");
}

/* Write the values of such lines as an array; returns how many there are. */
static size_t write_lines(struct arena *arena, struct str answer, const char *label, bool is_json,
                          struct json_write *writer)
{
    size_t count = 0;
    json_write_array(writer);
    while (answer.len > 0 && count < MAX_OPTIONS) {
        struct str value = line_value(arena, str_split(&answer, '\n'), label, is_json);
        if (str_is_empty(value))
            continue;
        json_write_str(writer, value);
        count++;
    }
    json_write_array_end(writer);
    return count;
}

struct str sql_agent_clarify_read(struct arena *arena, struct str reason, struct str answer)
{
    struct buf out;
    struct json_write writer;
    struct str text = {NULL, 0};
    buf_init(&out, CLARIFY_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("question"), reason);
    json_write_key(&writer, STR("options"));
    const size_t count = write_lines(arena, answer, "OPTION", false, &writer);
    json_write_object_end(&writer);
    if (buf_ok(&out) && count > 1)
        text = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

struct str sql_agent_clarify_statements(struct arena *arena, struct str answer)
{
    struct buf out;
    struct json_write writer;
    struct str text = {NULL, 0};
    buf_init(&out, STATEMENTS_BYTES);
    json_write_init(&writer, &out);
    const size_t options = write_lines(arena, answer, "OPTION", false, &writer);
    buf_clear(&out);
    json_write_init(&writer, &out);
    const size_t count = write_lines(arena, answer, "READS", true, &writer);
    if (buf_ok(&out) && count > 1 && count == options)
        text = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

struct str sql_agent_clarify_text(struct arena *arena, struct str clarify)
{
    struct buf out;
    struct str question = STR("");
    size_t place = 0;
    const struct json_value *root = json_value_parse(arena, clarify, NULL, NULL);
    const struct json_value *options = json_value_find(root, "/options");
    if (options == NULL || json_value_str(root, "/question", &question, NULL) != ERR_OK)
        return (struct str){NULL, 0};
    buf_init(&out, CLARIFY_BYTES);
    if (str_equal(question, STR(SQL_AGENT_CLARIFY_PLAIN)))
        buf_push(&out, STR("I can read that in more than one way. Which one is meant?"));
    else
        buf_printf(&out, "I can read that in more than one way: %.*s. Which one is meant?",
                   STR_ARG(question));
    JSON_EACH(option, options)
        buf_printf(&out, "\n%zu. %.*s", ++place, STR_ARG(option->text));
    struct str text = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

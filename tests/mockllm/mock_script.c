/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_script.c - the script's file, read once at start.
 *
 * Happy path: every line that is not empty becomes one mock_line.
 * Failure: an unreadable file, a line that is not an object with a reply: the program ends. */
#include "tests/mockllm/mock_script.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LINES = 4096, LINE_BYTES = 256 << 10, SCRIPT_BYTES = 64 << 20 };

static struct str member_str(const struct json_value *line, const char *pointer)
{
    struct str value = STR("");
    struct err ignored;
    (void)!json_value_str(line, pointer, &value, &ignored);
    return value;
}

static enum err_code read_line(struct mock_script *script, struct str text, struct err *err)
{
    struct str copy = arena_str(&script->arena, text);
    const struct json_value *root = json_value_parse(&script->arena, copy, NULL, err);
    struct mock_line *line = &script->lines[script->count];
    struct err ignored;
    if (root == NULL)
        return err->code;
    *line = (struct mock_line){.times = -1};
    (void)!json_value_array(root, "/calls", &line->calls, &ignored);
    if (json_value_str(root, "/reply", &line->reply, err) != ERR_OK && line->calls == NULL)
        return err->code;
    (void)!json_value_str(root, "/result", &line->result, &ignored);
    line->match = member_str(root, "/match");
    line->system = member_str(root, "/system");
    line->user = member_str(root, "/user");
    line->fault = member_str(root, "/fault");
    (void)!json_value_i64(root, "/times", &line->times, &ignored);
    script->count++;
    return ERR_OK;
}

enum err_code mock_script_load(struct mock_script *script, const char *path, struct err *err)
{
    *script = (struct mock_script){0};
    arena_init(&script->arena, SCRIPT_BYTES);
    if (path == NULL)
        return ERR_OK;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return err_set(err, ERR_NOT_FOUND, "%s: cannot be opened", path);
    script->lines = arena_array(&script->arena, MAX_LINES, sizeof *script->lines);
    char *text = arena_alloc(&script->arena, LINE_BYTES);
    enum err_code code = arena_ok(&script->arena) ? ERR_OK : ERR_NO_MEMORY;
    for (unsigned number = 1; code == ERR_OK && fgets(text, LINE_BYTES, file) != NULL; number++) {
        struct str line = str_trim(str_of(text));
        if (line.len == 0)
            continue;
        if (script->count == MAX_LINES)
            code = err_set(err, ERR_TOO_LARGE, "more than %d lines", MAX_LINES);
        else if ((code = read_line(script, line, err)) != ERR_OK) {
            char where[64];
            snprintf(where, sizeof where, "line %u", number);
            err_prefix(err, where);
        }
    }
    fclose(file);
    return code;
}

void mock_script_fini(struct mock_script *script)
{
    arena_fini(&script->arena);
}

static bool has(struct str text, struct str part)
{
    return part.len == 0 || str_find(text, part) != STR_NONE;
}

const struct mock_line *mock_script_find(struct mock_script *script,
                                         const struct mock_question *question)
{
    for (size_t i = 0; i < script->count; i++) {
        struct mock_line *line = &script->lines[i];
        if (line->calls != NULL && !question->has_tools)
            continue;
        if (!str_is_absent(line->result) &&
            (str_is_absent(question->results) || !has(question->results, line->result)))
            continue;
        if ((line->times >= 0 && line->used >= line->times) ||
            !has(question->system, line->system) || !has(question->user, line->user))
            continue;
        if (!has(question->user, line->match) && !has(question->system, line->match))
            continue;
        line->used++;
        return line;
    }
    return NULL;
}

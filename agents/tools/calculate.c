/* SPDX-License-Identifier: MIT */
/* agents/tools/calculate.c - the tool that calculates over the rows that statements returned. */
#include "agents/tools/call.h"
#include "agents/tools/exact.h"
#include "proto/json_value.h"

enum { TEXT_BYTES = 4096 };

/* A row of what run_sql told the model. */
static const struct json_value *row_at(const struct json_value *result, size_t row)
{
    const struct json_value *rows = json_value_find(result, "/result/rows");
    const struct json_value *found = rows == NULL ? NULL : rows->first;
    for (size_t i = 1; found != NULL && i < row; i++)
        found = found->next;
    return found;
}

static const struct json_value *cell_at(const struct json_value *result,
                                        const struct json_value *row, size_t column,
                                        struct str name)
{
    const struct json_value *names = json_value_member(result, STR("columns"));
    const struct json_value *cell = row->first;
    const struct json_value *at = names == NULL ? NULL : names->first;
    for (size_t i = 1; cell != NULL; cell = cell->next, i++) {
        bool is_named = at != NULL && str_equal_nocase(at->text, name);
        if (str_is_absent(name) ? i == column : is_named)
            return cell;
        at = at == NULL ? NULL : at->next;
    }
    return NULL;
}

static bool is_cut(const struct json_value *result)
{
    const struct json_value *truncated = json_value_find(result, "/result/truncated");
    return truncated != NULL && truncated->type == JSON_STRING &&
           !str_equal(truncated->text, STR("false"));
}

static enum err_code find(void *owner, struct str statement, size_t row, size_t column,
                          struct str name, struct str *value, struct err *err)
{
    struct tool_call *call = owner;
    const struct json_value *result =
        call->find_result == NULL ? NULL : call->find_result(call, statement);
    if (result == NULL)
        return err_set(err, ERR_INVALID, "there is no result %.*s of an earlier turn",
                       STR_ARG(str_utf8_prefix(statement, 40)));
    const struct json_value *at = row_at(result, row);
    if (at == NULL && is_cut(result))
        return err_set(err, ERR_INVALID,
                       "only the first rows of %.*s are here: let the statement calculate it",
                       STR_ARG(statement));
    if (at == NULL)
        return err_set(err, ERR_NOT_FOUND, "%.*s has no row %zu", STR_ARG(statement), row);
    const struct json_value *cell = cell_at(result, at, column, name);
    if (cell == NULL)
        return err_set(err, ERR_INVALID, "%.*s has no such column", STR_ARG(statement));
    *value = cell->type == JSON_NULL ? (struct str){NULL, 0} : cell->text;
    return cell->type == JSON_OBJECT || cell->type == JSON_ARRAY || cell->type == JSON_BOOL
               ? err_set(err, ERR_INVALID, "the value is no number")
               : ERR_OK;
}

static void start(struct tool_call *call)
{
    struct buf out;
    struct err err = {0};
    bool is_rounded = false;
    buf_init(&out, TEXT_BYTES);
    if (tools_exact_calculate(tools_call_str(call, STR("expression")), find, call, &out,
                              &is_rounded, &err) != ERR_OK) {
        tools_call_fail(call, "It cannot be calculated: %s.", err.text);
    } else {
        if (is_rounded)
            buf_push(&out, STR(" (rounded to 12 digits)"));
        tools_call_done(call, buf_str(&out));
    }
    buf_fini(&out);
}

const struct tool tools_calculate = {
    .name = "calculate",
    .description =
        "Calculates exactly: + - * / and parentheses, sum, avg, min, max, count, abs, round(x, "
        "digits). s3[1].total is the column total in the first row of statement s3, s3[*].total "
        "the whole column: round((s3[1].total - s2[1].total) / s2[1].total * 100, 1). Use it for "
        "every figure that no statement returned.",
    .parameters = "{\"type\":\"object\",\"properties\":{\"expression\":{\"type\":\"string\","
                  "\"minLength\":1,\"maxLength\":2000}},\"required\":[\"expression\"],"
                  "\"additionalProperties\":false}",
    .start = start,
};

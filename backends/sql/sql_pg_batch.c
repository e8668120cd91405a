/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_pg_batch.c - C strings of the statement and of every bound value, in an arena.
 *
 * Happy path: made before there is a connection, sent as soon as there is one.
 * Failure: what cannot be a C string, too many values, no memory. */
#include "backends/sql/sql_pg_batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"

enum { BATCH_BYTES = 32 << 20, SET_TEXT_BYTES = 64 << 10, MOST_VARIABLES = 256 };

/* Numbers of built-in types, fixed by PostgreSQL's catalog. A text has none: the statement's
 * context says what it is (a date, an enum). */
enum { TYPE_BOOL = 16, TYPE_BYTEA = 17, TYPE_INT8 = 20, TYPE_INT4 = 23 };
enum { TYPE_FLOAT8 = 701, TYPE_NUMERIC = 1700 };

static unsigned type_of(const struct sql_value *value)
{
    switch (value->type) {
    case SQL_BOOL:
        return TYPE_BOOL;
    case SQL_INT: /* many functions take no int8 */
        return value->integer >= INT32_MIN && value->integer <= INT32_MAX ? TYPE_INT4 : TYPE_INT8;
    case SQL_REAL:
        return TYPE_FLOAT8;
    case SQL_DECIMAL:
        return TYPE_NUMERIC;
    case SQL_BLOB:
        return TYPE_BYTEA;
    case SQL_NULL:
    case SQL_TEXT:
        break;
    }
    return 0;
}

static const char *format(struct arena *arena, const struct sql_value *value)
{
    char number[40] = "";
    switch (value->type) {
    case SQL_NULL:
        return NULL;
    case SQL_BOOL:
        return value->integer != 0 ? "t" : "f";
    case SQL_INT:
        snprintf(number, sizeof number, "%" PRId64, value->integer);
        break;
    case SQL_REAL:
        snprintf(number, sizeof number, "%.17g", value->real);
        break;
    case SQL_TEXT:
    case SQL_DECIMAL:
    case SQL_BLOB:
        return value->text.len == 0 ? "" : arena_cstr(arena, value->text);
    }
    return arena_cstr(arena, str_of(number));
}

/* A blob may hold NULs: its length is sent with it. */
static bool read_param(struct arena *arena, const struct sql_value *value,
                       struct pg_conn_param *param)
{
    bool is_blob = value->type == SQL_BLOB;
    *param = (struct pg_conn_param){.type = type_of(value), .is_binary = is_blob};
    if (is_blob && value->text.len > 0)
        param->value = arena_str(arena, value->text).at;
    else
        param->value = format(arena, value);
    param->len = is_blob ? value->text.len : 0;
    return arena_ok(arena);
}

static bool has_nul(struct str text)
{
    return text.len > 0 && memchr(text.at, '\0', text.len) != NULL;
}

static enum err_code read_params(struct sql_pg_batch *batch, const struct sql_statement *statement,
                                 struct err *err)
{
    size_t count = statement->param_count;
    if (count > PG_CONN_MOST_PARAMS)
        return err_set(err, ERR_REJECTED, "the statement has %zu parameters, at most %d may be",
                       count, PG_CONN_MOST_PARAMS);
    batch->params = arena_array(&batch->arena, count, sizeof *batch->params);
    batch->param_count = count;
    for (size_t i = 0; i < count && batch->params != NULL; i++) {
        const struct sql_value *value = &statement->params[i];
        if ((value->type == SQL_TEXT || value->type == SQL_DECIMAL) && has_nul(value->text))
            return err_set(err, ERR_REJECTED, "parameter %zu holds a NUL byte", i + 1);
        if (!read_param(&batch->arena, value, &batch->params[i]))
            break;
    }
    return ERR_OK;
}

static void check_name(struct str name)
{
    CHECK(name.len > 0);
    for (size_t i = 0; i < name.len; i++)
        CHECK(str_is_alpha(name.at[i]) || str_is_digit(name.at[i]) || name.at[i] == '_');
}

/* $1 is the timeout, then a name and a value for each variable. */
static enum err_code read_variables(struct sql_pg_batch *batch,
                                    const struct sql_statement *statement, struct err *err)
{
    struct arena *arena = &batch->arena;
    size_t count = statement->variable_count;
    struct buf text;
    if (count > MOST_VARIABLES)
        return err_set(err, ERR_REJECTED, "%zu session variables, at most %d may be", count,
                       MOST_VARIABLES);
    batch->set_count = 1 + 2 * count;
    batch->set_params = arena_array(arena, batch->set_count, sizeof *batch->set_params);
    buf_init(&text, SET_TEXT_BYTES);
    buf_push(&text, STR("SELECT pg_catalog.set_config('statement_timeout',$1,true)"));
    for (size_t i = 0; i < count && batch->set_params != NULL; i++) {
        const struct sql_variable *variable = &statement->variables[i];
        check_name(variable->name);
        if (has_nul(variable->value)) {
            buf_fini(&text);
            return err_set(err, ERR_REJECTED, "a session variable holds a NUL byte");
        }
        struct str name = arena_printf(arena, "app.%.*s", STR_ARG(variable->name));
        batch->set_params[1 + 2 * i].value = arena_cstr(arena, name);
        batch->set_params[2 + 2 * i].value =
            str_is_empty(variable->value) ? "" : arena_cstr(arena, variable->value);
        buf_printf(&text, ",pg_catalog.set_config($%zu,$%zu,true)", 2 + 2 * i, 3 + 2 * i);
    }
    batch->set_text = buf_ok(&text) ? arena_cstr(arena, buf_str(&text)) : NULL;
    buf_fini(&text);
    return batch->set_text != NULL ? ERR_OK
                                   : err_set(err, ERR_NO_MEMORY, "no memory for a statement");
}

enum err_code sql_pg_batch_init(struct sql_pg_batch *batch, const struct sql_statement *statement,
                                struct err *err)
{
    *batch = (struct sql_pg_batch){0};
    arena_init(&batch->arena, BATCH_BYTES);
    if (has_nul(statement->text))
        return err_set(err, ERR_REJECTED, "the statement holds a NUL byte");
    if (str_is_empty(str_trim(statement->text)))
        return err_set(err, ERR_REJECTED, "the statement is empty");
    enum err_code code = read_params(batch, statement, err);
    if (code == ERR_OK)
        code = read_variables(batch, statement, err);
    batch->text = arena_cstr(&batch->arena, statement->text);
    if (code == ERR_OK && !arena_ok(&batch->arena))
        code = err_set(err, ERR_NO_MEMORY, "no memory for a statement");
    return code;
}

void sql_pg_batch_fini(struct sql_pg_batch *batch)
{
    arena_fini(&batch->arena);
}

void sql_pg_batch_send(struct sql_pg_batch *batch, struct pg_connection *conn,
                       struct pg_conn_user *user, uint64_t timeout_ms, size_t message_bytes)
{
    int len = snprintf(batch->timeout, sizeof batch->timeout, "%" PRIu64, timeout_ms);
    batch->set_params[0] = (struct pg_conn_param){.value = batch->timeout, .len = (size_t)len};
    pg_conn_begin(conn, user, SQL_PG_BATCH_STATEMENT, message_bytes);
    pg_conn_send(conn, "BEGIN READ ONLY", NULL, 0);
    pg_conn_send(conn, batch->set_text, batch->set_params, batch->set_count);
    pg_conn_send(conn, batch->text, batch->params, batch->param_count);
    pg_conn_sync(conn);
    pg_conn_send(conn, "ROLLBACK", NULL, 0);
    pg_conn_sync(conn);
}

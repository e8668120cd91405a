/* SPDX-License-Identifier: MIT */
/* backends/sql/child/sql_wire.c - numbers in the machine's order, texts behind their lengths.
 *
 * Happy path: what put wrote, read gives back.
 * Failure: a length past the end, a number out of its range, a count that the rest cannot hold:
 * the reader is spent from then on and the body is ERR_PROTOCOL. */
#include "backends/sql/child/sql_wire.h"

#include <string.h>

enum { ABSENT = UINT32_MAX, HAS_READS = 1 };

/* ---- writing ---- */

static void put_bytes(struct buf *out, const void *bytes, size_t count)
{
    buf_push(out, str_make(bytes, count));
}

static void put_number(struct buf *out, uint64_t value)
{
    put_bytes(out, &value, sizeof value);
}

static void put_text(struct buf *out, struct str text)
{
    uint32_t length = str_is_absent(text) ? ABSENT : (uint32_t)text.len;
    put_bytes(out, &length, sizeof length);
    if (!str_is_absent(text))
        buf_push(out, text);
}

static void put_texts(struct buf *out, const struct str *texts, size_t count)
{
    put_number(out, count);
    for (size_t i = 0; i < count; i++)
        put_text(out, texts[i]);
}

static void put_value(struct buf *out, const struct sql_value *value)
{
    buf_push_char(out, (char)value->type);
    switch (value->type) {
    case SQL_NULL:
        return;
    case SQL_INT:
    case SQL_BOOL:
        put_bytes(out, &value->integer, sizeof value->integer);
        return;
    case SQL_REAL:
        put_bytes(out, &value->real, sizeof value->real);
        return;
    case SQL_DECIMAL:
    case SQL_TEXT:
    case SQL_BLOB:
        put_text(out, value->text);
        return;
    }
}

/* The length is written when the body is there. */
static size_t begin_frame(struct buf *out, enum sql_wire_kind kind)
{
    uint32_t length = 0;
    size_t at = buf_len(out);
    put_bytes(out, &length, sizeof length);
    buf_push_char(out, (char)kind);
    return at;
}

static void end_frame(struct buf *out, size_t at)
{
    if (!buf_ok(out))
        return;
    uint32_t length = (uint32_t)(buf_len(out) - at - sizeof length);
    memcpy(out->at + out->start + at, &length, sizeof length);
}

static void put_reads(struct buf *out, const struct sql_reads *reads)
{
    buf_push_char(out, reads == NULL ? 0 : HAS_READS);
    if (reads == NULL)
        return;
    put_number(out, reads->table_count);
    for (size_t i = 0; i < reads->table_count; i++) {
        put_text(out, reads->tables[i].name);
        buf_push_char(out, reads->tables[i].any ? 1 : 0);
        put_texts(out, reads->tables[i].columns, reads->tables[i].column_count);
    }
    put_texts(out, reads->functions, reads->function_count);
    put_texts(out, reads->own, reads->own_count);
    put_number(out, reads->width);
}

void sql_wire_put_statement(struct buf *out, const struct sql_statement *statement)
{
    size_t at = begin_frame(out, SQL_WIRE_STATEMENT);
    put_text(out, statement->text);
    put_number(out, statement->param_count);
    for (size_t i = 0; i < statement->param_count; i++)
        put_value(out, &statement->params[i]);
    put_number(out, statement->variable_count);
    for (size_t i = 0; i < statement->variable_count; i++) {
        put_text(out, statement->variables[i].name);
        put_text(out, statement->variables[i].value);
    }
    put_reads(out, statement->reads);
    put_number(out, statement->max_rows);
    put_number(out, statement->max_bytes);
    put_number(out, statement->timeout_ms);
    end_frame(out, at);
}

void sql_wire_put_cancel(struct buf *out)
{
    end_frame(out, begin_frame(out, SQL_WIRE_CANCEL));
}

void sql_wire_put_reply(struct buf *out, const struct sql_query *query)
{
    const struct sql_result *result = &query->result;
    size_t at = begin_frame(out, SQL_WIRE_REPLY);
    put_number(out, query->op.err.code);
    put_text(out, str_of(query->op.err.code == ERR_OK ? "" : query->op.err.text));
    put_text(out, str_of(query->sqlstate));
    if (query->op.err.code == ERR_OK) {
        buf_push_char(out, result->truncated ? 1 : 0);
        put_number(out, result->duration_us);
        put_texts(out, result->columns, result->column_count);
        put_number(out, result->row_count);
        for (size_t i = 0; i < result->row_count * result->column_count; i++)
            put_value(out, &result->values[i]);
    }
    end_frame(out, at);
}

/* ---- reading ---- */

struct reader {
    struct str rest;
    bool wrong;
};

static void take_bytes(struct reader *reader, void *into, size_t count)
{
    reader->wrong = reader->wrong || reader->rest.len < count;
    if (reader->wrong) {
        memset(into, 0, count);
        return;
    }
    memcpy(into, reader->rest.at, count);
    reader->rest = str_from(reader->rest, count);
}

static uint64_t take_number(struct reader *reader)
{
    uint64_t value;
    take_bytes(reader, &value, sizeof value);
    return value;
}

static unsigned char take_byte(struct reader *reader, unsigned char most)
{
    unsigned char value;
    take_bytes(reader, &value, 1);
    reader->wrong = reader->wrong || value > most;
    return reader->wrong ? 0 : value;
}

/* How many of something follow, each of one byte or more. */
static size_t take_count(struct reader *reader)
{
    uint64_t count = take_number(reader);
    reader->wrong = reader->wrong || count > reader->rest.len;
    return reader->wrong ? 0 : (size_t)count;
}

static struct str take_text(struct reader *reader)
{
    uint32_t length;
    take_bytes(reader, &length, sizeof length);
    if (reader->wrong || length == ABSENT)
        return (struct str){0};
    reader->wrong = length > reader->rest.len;
    if (reader->wrong)
        return (struct str){0};
    struct str text = str_slice(reader->rest, 0, length);
    reader->rest = str_from(reader->rest, length);
    return text;
}

static struct str *take_texts(struct reader *reader, struct arena *arena, size_t *count)
{
    *count = take_count(reader);
    struct str *texts = arena_array(arena, *count, sizeof *texts);
    for (size_t i = 0; i < *count && texts != NULL; i++)
        texts[i] = take_text(reader);
    return texts;
}

static void take_value(struct reader *reader, struct sql_value *value)
{
    *value = (struct sql_value){.type = (enum sql_type)take_byte(reader, SQL_BOOL)};
    switch (value->type) {
    case SQL_NULL:
        return;
    case SQL_INT:
    case SQL_BOOL:
        take_bytes(reader, &value->integer, sizeof value->integer);
        return;
    case SQL_REAL:
        take_bytes(reader, &value->real, sizeof value->real);
        return;
    case SQL_DECIMAL:
    case SQL_TEXT:
    case SQL_BLOB:
        value->text = take_text(reader);
        return;
    }
}

static struct sql_value *take_values(struct reader *reader, struct arena *arena, size_t count)
{
    struct sql_value *values = arena_array(arena, count, sizeof *values);
    for (size_t i = 0; i < count && values != NULL; i++)
        take_value(reader, &values[i]);
    return values;
}

static const struct sql_reads *take_reads(struct reader *reader, struct arena *arena)
{
    if (take_byte(reader, HAS_READS) == 0)
        return NULL;
    struct sql_reads *reads = arena_alloc(arena, sizeof *reads);
    size_t count = take_count(reader);
    struct sql_reads_table *tables = arena_array(arena, count, sizeof *tables);
    if (reads == NULL || tables == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        tables[i].name = take_text(reader);
        tables[i].any = take_byte(reader, 1) == 1;
        tables[i].columns = take_texts(reader, arena, &tables[i].column_count);
    }
    reads->tables = tables;
    reads->table_count = count;
    reads->functions = take_texts(reader, arena, &reads->function_count);
    reads->own = take_texts(reader, arena, &reads->own_count);
    reads->width = (size_t)take_number(reader);
    return reads;
}

static enum err_code end_of(const struct reader *reader, const struct arena *arena)
{
    if (reader->wrong || reader->rest.len > 0)
        return ERR_PROTOCOL;
    return arena_ok(arena) ? ERR_OK : ERR_NO_MEMORY;
}

enum sql_wire_found sql_wire_next(struct str bytes, size_t most, enum sql_wire_kind *kind,
                                  struct str *body)
{
    uint32_t length;
    if (bytes.len < SQL_WIRE_HEAD_BYTES)
        return SQL_WIRE_PART;
    memcpy(&length, bytes.at, sizeof length);
    unsigned char what = (unsigned char)bytes.at[sizeof length];
    if (length == 0 || length > most || what < SQL_WIRE_STATEMENT || what > SQL_WIRE_REPLY)
        return SQL_WIRE_WRONG;
    if (bytes.len - sizeof length < length)
        return SQL_WIRE_PART;
    *kind = (enum sql_wire_kind)what;
    *body = str_slice(bytes, SQL_WIRE_HEAD_BYTES, sizeof length + length);
    return SQL_WIRE_WHOLE;
}

enum err_code sql_wire_read_statement(struct str body, struct arena *arena,
                                      struct sql_statement *statement)
{
    struct reader reader = {.rest = body};
    *statement = (struct sql_statement){.text = take_text(&reader)};
    statement->param_count = take_count(&reader);
    statement->params = take_values(&reader, arena, statement->param_count);
    statement->variable_count = take_count(&reader);
    struct sql_variable *variables =
        arena_array(arena, statement->variable_count, sizeof *variables);
    for (size_t i = 0; i < statement->variable_count && variables != NULL; i++) {
        variables[i].name = take_text(&reader);
        variables[i].value = take_text(&reader);
    }
    statement->variables = variables;
    statement->reads = take_reads(&reader, arena);
    statement->max_rows = (size_t)take_number(&reader);
    statement->max_bytes = (size_t)take_number(&reader);
    statement->timeout_ms = take_number(&reader);
    return end_of(&reader, arena);
}

enum err_code sql_wire_read_reply(struct str body, struct arena *arena,
                                  struct sql_wire_reply *reply)
{
    struct reader reader = {.rest = body};
    struct sql_result *result = &reply->result;
    *reply = (struct sql_wire_reply){.err = {.code = ERR_OK}};
    uint64_t code = take_number(&reader);
    struct str text = take_text(&reader), state = take_text(&reader);
    if (code >= ERR_CODE_COUNT || state.len >= sizeof reply->sqlstate)
        return ERR_PROTOCOL;
    memcpy(reply->sqlstate, state.len == 0 ? "" : state.at, state.len);
    if (code != ERR_OK) {
        err_set(&reply->err, (enum err_code)code, "%.*s", STR_ARG(text));
        return end_of(&reader, arena);
    }
    result->truncated = take_byte(&reader, 1) == 1;
    result->duration_us = take_number(&reader);
    result->columns = take_texts(&reader, arena, &result->column_count);
    result->row_count = take_count(&reader);
    size_t values;
    if (!size_mul(result->row_count, result->column_count, &values) || values > reader.rest.len)
        return ERR_PROTOCOL;
    result->values = take_values(&reader, arena, values);
    return end_of(&reader, arena);
}

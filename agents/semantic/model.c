/* SPDX-License-Identifier: MIT */
/* agents/semantic/model.c - looking things up, writing expressions, collecting mistakes.
 *
 * Happy path only: what is not there is NULL; a full buffer is the caller's to notice. */
#include "agents/semantic/model.h"

#include <stdarg.h>
#include <stdio.h>

#include "agents/sql/catalog/quote.h"
#include "core/base/mem.h"

enum { REPORT_BYTES = 256 << 10, LINE_BYTES = 2048 };

void semantic_model_destroy(struct semantic *semantic)
{
    if (semantic == NULL)
        return;
    arena_fini(&semantic->arena);
    mem_free(semantic);
}

const struct semantic_table *semantic_model_table(const struct semantic *semantic, int table)
{
    for (size_t i = 0; semantic != NULL && i < semantic->table_count; i++)
        if (semantic->tables[i].table == table)
            return &semantic->tables[i];
    return NULL;
}

const struct semantic_column *semantic_model_column(const struct semantic *semantic, int table,
                                                    int column)
{
    const struct semantic_table *of = semantic_model_table(semantic, table);
    for (size_t i = 0; of != NULL && i < of->column_count; i++)
        if (of->columns[i].column == column)
            return &of->columns[i];
    return NULL;
}

void semantic_model_push(const struct semantic_expression *expression,
                         const struct catalog *catalog, enum sql_dialect dialect, int table,
                         unsigned alias, struct str today, struct buf *out)
{
    buf_push_char(out, '(');
    for (size_t i = 0; i < expression->piece_count; i++) {
        const struct semantic_piece *piece = &expression->pieces[i];
        buf_push(out, piece->text);
        if (piece->today)
            buf_printf(out, "'%.*s'", STR_ARG(today));
        if (piece->column == CATALOG_NONE)
            continue;
        if (alias > 0)
            buf_printf(out, "t%u.", alias);
        sql_quote_name(dialect, catalog->tables[table].columns[piece->column].name, out);
    }
    buf_push_char(out, ')');
}

void semantic_report_init(struct semantic_report *report)
{
    report->count = 0;
    buf_init(&report->text, REPORT_BYTES);
}

void semantic_report_fini(struct semantic_report *report)
{
    buf_fini(&report->text);
}

void semantic_report_add(struct semantic_report *report, struct str pointer, const char *fmt, ...)
{
    char line[LINE_BYTES];
    va_list args;
    report->count++;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (buf_len(&report->text) + pointer.len + sizeof line < REPORT_BYTES)
        buf_printf(&report->text, "%.*s: %s\n", STR_ARG(pointer), line);
}

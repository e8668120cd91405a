/* SPDX-License-Identifier: MIT */
/* agents/semantic_init/init_tables.h - the entry of one table in a first semantic file. */
#ifndef AGENTS_SEMANTIC_INIT_INIT_TABLES_H
#define AGENTS_SEMANTIC_INIT_INIT_TABLES_H

#include "agents/lexicon/index.h"
#include "backends/sql.h"
#include "proto/json_write.h"

enum { INIT_TEXT_BYTES = 4096 };

/* Write the table's object: label, label columns, date, rows, references, columns. */
void init_tables_write(const struct lexicon *lexicon, enum sql_dialect dialect, int table,
                       struct json_write *writer);
/* Append an expression of the lexicon's own, without the brackets around it. */
void init_tables_push_expression(const struct lexicon *lexicon, enum sql_dialect dialect,
                                 const struct semantic_named *named, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/lexicon/render_names.h - names and text of a statement, quoted as its dialect has them. */
#ifndef AGENTS_LEXICON_RENDER_NAMES_H
#define AGENTS_LEXICON_RENDER_NAMES_H

#include "agents/sql/catalog/catalog.h"
#include "backends/sql.h"

struct render {
    const struct catalog *catalog;
    enum sql_dialect dialect;
    struct buf *out;
    int32_t today;                     /* a day number, for named conditions */
    const struct lexicon_facts *facts; /* by table: which rows count; NULL: all do */
};

void lexicon_render_name(const struct render *r, struct str name);
void lexicon_render_table(const struct render *r, int table);
/* alias 0: the bare column name, else t<alias>.<column>. */
void lexicon_render_column(const struct render *r, unsigned alias, int table, int column);
/* As a literal; catalog is not looked at. */
void lexicon_render_text(const struct render *r, struct str value);

#endif

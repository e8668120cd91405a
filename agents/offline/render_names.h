/* SPDX-License-Identifier: MIT */
/* agents/offline/render_names.h - names and text of a statement, quoted as its dialect has them. */
#ifndef AGENTS_OFFLINE_RENDER_NAMES_H
#define AGENTS_OFFLINE_RENDER_NAMES_H

#include "agents/sql/catalog.h"
#include "backends/sql.h"

struct render {
    const struct catalog *catalog;
    enum sql_dialect dialect;
    struct buf *out;
    int32_t today; /* a day number, for named conditions */
};

void offline_render_name(const struct render *r, struct str name);
void offline_render_table(const struct render *r, int table);
/* alias 0: the bare column name, else t<alias>.<column>. */
void offline_render_column(const struct render *r, unsigned alias, int table, int column);
void offline_render_text(const struct render *r, struct str value);

#endif

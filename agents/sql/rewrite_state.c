/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_state.c - a list of edits with room for all there may be.
 *
 * Cannot fail: a text there is no memory for is absent, and that is noted. */
#include "agents/sql/rewrite_state.h"

#include "agents/sql/rewrite_text.h"

struct sql_rewrite_edit *sql_rewrite_state_add(struct sql_rewrite_state *r, struct sql_span span,
                                               struct str text)
{
    struct sql_rewrite_edit *edit = &r->edits[r->edit_count];
    *edit = (struct sql_rewrite_edit){.span = span, .text = text, .order = r->edit_count++};
    return edit;
}

struct str sql_rewrite_state_take(struct sql_rewrite_state *r)
{
    r->failed = r->failed || !buf_ok(&r->out);
    return arena_str(r->arena, buf_str(&r->out));
}

void sql_rewrite_state_name(struct sql_rewrite_state *r, struct str name)
{
    sql_rewrite_text_name(r->parse->dialect, name, &r->out);
}

const struct catalog_table *sql_rewrite_state_table(const struct sql_rewrite_state *r, int table)
{
    return &r->sees.catalog->tables[table];
}

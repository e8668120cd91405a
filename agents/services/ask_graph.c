/* SPDX-License-Identifier: MIT */
/* agents/services/ask_graph.c - the input of a graph that another one runs, and its result.
 *
 * Failure: the run failed, or reached its end and calls that a failure. */
#include "agents/services/ask_graph.h"

enum { REPORT_BYTES = 8 << 20 };

void ask_graph_begin(const struct registry_entry *entry, struct update *input,
                     const struct session *session)
{
    if (entry->begin != NULL)
        entry->begin(entry, input, session);
}

static struct str report(const struct graph_def *def, const struct state *state,
                         struct arena *arena)
{
    struct buf out;
    buf_init(&out, REPORT_BYTES);
    if (def->report != NULL)
        def->report(state, &out);
    struct str text = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : STR("");
    buf_fini(&out);
    return text;
}

bool ask_graph_result(const struct registry_entry *entry, const struct inner *inner,
                      struct arena *arena, struct str *text, struct str *members)
{
    const struct graph_def *def = entry->def;
    struct str why = str_of(inner->op.err.text);
    bool has_failed = inner->op.err.code != ERR_OK;
    *members = STR("");
    if (!has_failed && def->failure != NULL)
        has_failed = def->failure(inner->state, &why) != NULL;
    *text = arena_str(arena, has_failed ? why : inner_said(inner));
    if (!has_failed)
        *members = report(def, inner->state, arena);
    return !has_failed;
}

/* SPDX-License-Identifier: MIT */
/* agents/services/ask_graph.h - a graph of the registry as something that is asked and answers: how
 * a run of it begins, and what it gives to the node that runs it. */
#ifndef AGENTS_SERVICES_ASK_GRAPH_H
#define AGENTS_SERVICES_ASK_GRAPH_H

#include "agents/services/registry_entry.h"
#include "core/run/inner.h"

/* Put what a run of the graph begins with besides its question. */
void ask_graph_begin(const struct registry_entry *entry, struct update *input,
                     const struct session *session);

/* What inner, a run of entry that has ended, gives. False: it failed, and text says why. text: its
 * answer as it said it, which may be empty; members: what it reports besides, JSON members without
 * braces. Both in arena; absent: no memory. */
bool ask_graph_result(const struct registry_entry *entry, const struct inner *inner,
                      struct arena *arena, struct str *text, struct str *members);

#endif

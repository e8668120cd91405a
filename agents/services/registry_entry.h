/* SPDX-License-Identifier: MIT */
/* agents/services/registry_entry.h - the entry of a graph in the registry: one constant,
 * <folder>_entry, in the graph's folder, named in agents/graphs.inc. */
#ifndef AGENTS_SERVICES_REGISTRY_ENTRY_H
#define AGENTS_SERVICES_REGISTRY_ENTRY_H

#include "agents/common/prompt.h"
#include "agents/services/services.h"
#include "core/run/graph.h"
#include "core/run/update.h"

struct registry_entry {
    const struct graph_def *def;
    unsigned question; /* the slot of the question */
    /* Put the input of a run besides the question; may be NULL. */
    void (*begin)(const struct registry_entry *entry, struct update *input,
                  const struct session *session);
    /* The JSON answer of an invocation, a whole object; error is NULL or why the run ended. NULL:
     * the generic one (every slot of the state by name, plus "error"). */
    void (*answer)(const struct state *state, const struct str *error, struct buf *out);
    /* Instead of def where ASKD_SQL_AGENT is tools; NULL: def. Of the same name and schema. */
    const struct graph_def *with_tools;
    bool needs_model; /* askd's own engine cannot run it: it is not there without a model */
    /* The tables that it is about, where it is about certain ones: no graph of a database without
     * them. */
    const struct str *tables;
    size_t table_count;
    bool works_blind; /* some of its questions are answered without the database */
    uint64_t inputs;  /* bits of the fields that a model which calls the graph as a tool may fill
                         beside the question */
    bool takes_client_tools; /* its agents call tools of whoever asks */
    uint64_t hash;           /* of the file that it was read from; 0: built in */
    bool is_tool; /* for programs with a statement or a query, not for people: in no list */
    const struct prompt_spec *prompts; /* the prompts in the folder; NULL: none */
    size_t prompt_count;
    /* Supersteps of a run without any loop: SQL_AGENT_MAX_ITERATIONS adds to them and the sum is
     * the graph's recursion limit. 0: the limit is the one in def. */
    unsigned first_pass;
};

#endif

/* SPDX-License-Identifier: MIT */
/* agents/agent/config.h - an agent as data: two nodes of one configuration that take turns.
 *
 *   turn  the model is asked, with the tools and all that was called before
 *   calls what it asks for is called, in parallel; the results are added
 *
 * A graph goes from turn to calls by agent_turn_route ("tools", "done") and back by
 * agent_calls_route ("again", on the budget of turns; "spent", on a budget of one; "asked"). When
 * turns, tokens or time are spent, the model is asked once more, may call nothing, and answers with
 * what it has. */
#ifndef AGENTS_AGENT_CONFIG_H
#define AGENTS_AGENT_CONFIG_H

#include "agents/nodes/ask.h"

struct check_sql_config;
struct tool;

struct agent_config {
    struct ask_config ask;     /* prompt, fields and messages of the first turn */
    const char *const *tools;  /* by name, NULL after the last; those that the deployment lacks are
                                  not offered */
    const char *const *asking; /* of these a person is asked about each call, besides those that a
                                  deployment says so of; NULL after the last; or NULL */
    const struct tool *const *graphs;     /* tools of its own, NULL after the last; or NULL */
    bool with_client_tools;               /* offer those of whoever asks, too */
    const struct check_sql_config *guard; /* of statements that tools run */
    unsigned turns_budget;                /* index, of the edge "again" */
    uint64_t most_tokens, most_ms;        /* of all turns; of all turns and calls */
    double most_cost;                     /* of all turns, by the model's prices; 0: any */
    /* slots */
    struct slot_ref question_slot;   /* SLOT_TEXT, in */
    struct slot_ref transcript_slot; /* SLOT_LIST, appended: transcript.h */
    struct slot_ref pending_slot;    /* SLOT_INT: calls that the last turn asks for */
    struct slot_ref called_slot;     /* SLOT_INT, added: calls in all */
    struct slot_ref tokens_slot;     /* SLOT_INT, added */
    struct slot_ref ms_slot;         /* SLOT_INT, added */
    struct slot_ref cost_slot;       /* SLOT_REAL, added; none where most_cost is 0 */
    struct slot_ref reason_slot;     /* SLOT_TEXT: which budget is spent */
    struct slot_ref answer_slot;     /* SLOT_TEXT: the last turn's words */
    /* what tools give besides their text; the last of each kind counts */
    struct slot_ref statements_slot; /* SLOT_LIST: {"id","sql","rows"} of each statement that ran */
    struct slot_ref sql_slot, data_slot, tables_slot, chart_slot, clarify_slot;
    struct slot_ref passages_slot;  /* SLOT_LIST: what was found in documents */
    struct slot_ref citations_slot; /* SLOT_JSON: those of them that the answer cites */
};

#endif

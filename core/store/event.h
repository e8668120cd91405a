/* SPDX-License-Identifier: MIT */
/* core/store/event.h - what a run says: kinds, the struct, names as on the wire.
 *
 * Core knows the fields, not their JSON: server/records/event_json writes the shapes. */
#ifndef CORE_STORE_EVENT_H
#define CORE_STORE_EVENT_H

#include "core/base/str.h"

enum event_level {
    EVENT_CORE,
    EVENT_NODES,
    EVENT_DEBUG, /* options.detail */
    EVENT_ASKED  /* of no detail: for runs that ask for it by an option of its own */
};

/* X(KIND, wire name, level). Fields used: see the comment. */
#define EVENT_KINDS(X)                                                                             \
    X(ROUTE_DECISION, "route_decision", EVENT_CORE) /* name: route */                              \
    X(TOOL_START, "tool_start", EVENT_CORE)         /* name: node or tool, text: JSON members */   \
    X(TOKEN, "token", EVENT_CORE)            /* name: channel, text: content, number: attempt,     \
                                                more: EVENT_RESET, or nothing */                   \
    X(COMPLETE, "complete", EVENT_CORE)      /* text: JSON members; closes the log */              \
    X(ERROR, "error", EVENT_CORE)            /* name: code, text: message, number: retryable,      \
                                                more: JSON members; closes the log */              \
    X(NODE_START, "node_start", EVENT_NODES) /* name: node (sub-graph path with '/') */            \
    X(NODE_END, "node_end", EVENT_NODES)     /* name: node, number: ms */                          \
    X(TOOL_END, "tool_end", EVENT_NODES)     /* name: node or tool, number: ms,                    \
                                                       text: JSON members */                       \
    X(TOOL_PROGRESS, "tool_progress", EVENT_NODES) /* name: tool, text: JSON members */            \
    X(RETRY, "retry", EVENT_NODES)                 /* name: budget, text: reason, number: used */  \
    X(STATE, "state", EVENT_NODES)        /* name: node, text: JSON members of what it wrote */    \
    X(QUEUED, "queued", EVENT_NODES)      /* name: gate, number: position */                       \
    X(WARNING, "warning", EVENT_NODES)    /* name: rule, text: message */                          \
    X(DATA, "data", EVENT_ASKED)          /* text: JSON members; before the answer about it */     \
    X(INTERRUPT, "interrupt", EVENT_CORE) /* name: node, text: JSON members */

enum event_kind {
#define EVENT_ENUM(kind, name, level) EVENT_##kind,
    EVENT_KINDS(EVENT_ENUM)
#undef EVENT_ENUM
        EVENT_KIND_COUNT
};

/* Ids of a run's events rise by one. The ids of its first server begin with 1; those of each server
 * that goes on with the run begin behind the next multiple of this number: beyond all that the
 * server before may have said to clients and not stored. No run says so many events (at a million a
 * second: 16 minutes of them). */
#define EVENT_IDS_A_SERVER UINT64_C(1000000000)

struct event {
    uint64_t id;
    enum event_kind kind;
    int64_t number;
    struct str name, text, more; /* borrowed from the log */
};

/* The channel of text the user should read; what it said before a token with EVENT_RESET is void.
 */
#define EVENT_FINAL_CHANNEL "final"
#define EVENT_RESET         "reset"

/* The first id of a run's epoch-th server (core/store/store_records.h), from 1. */
uint64_t event_first_id(uint64_t epoch);
/* Whether id may follow last_id in a run: it is the next one, or the first of epoch's server. */
bool event_comes_next(uint64_t id, uint64_t last_id, uint64_t epoch);
const char *event_name(enum event_kind kind);
enum event_level event_level(enum event_kind kind);
/* Whether nothing may follow an event of this kind. */
bool event_is_terminal(enum event_kind kind);
/* Whether event ends a run that paused for a person: it is complete, and its members begin so. */
#define EVENT_PAUSED_MEMBERS "\"interrupted\":true"
bool event_is_pause(const struct event *event);

#endif

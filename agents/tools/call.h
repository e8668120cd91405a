/* SPDX-License-Identifier: MIT */
/* agents/tools/call.h - a tool that a model may call, and one call of it: an operation that always
 * has a result that the model can read, unless it was cancelled or there is no memory.
 *
 * A tool is a constant in a file of its own, named in agents/tools/tools.inc. Its functions are a
 * sequence as those of a node are: each starts operations with tools_call_waiter and ends in
 * tools_call_settle, or in one of the ends. What a model did wrong (a tool that is not there,
 * arguments that do not fit the schema, a statement that the guard refuses) is a result that says
 * so: the model may try again. Loop thread only. */
#ifndef AGENTS_TOOLS_CALL_H
#define AGENTS_TOOLS_CALL_H

#include "agents/services/services.h"
#include "core/run/save.h"
#include "core/run/slot.h"

enum { TOOLS_RESULT_BYTES = 32 * 1024 }; /* of a result's text at most: longer ones are cut */

struct json_value;
struct check_sql_config;
struct tool_call;

typedef void tool_fn(struct tool_call *call);

struct tool {
    const char *name;        /* what the model calls */
    const char *description; /* for the model: what it does, when to use it */
    const char *parameters;  /* JSON schema of its arguments, an object */
    tool_fn *start;          /* arguments fit the schema */
    size_t frame_bytes;      /* zeroed; call->frame */
    const void *data;        /* the tool's own */
    bool asks;               /* a person is asked before each call */
    bool asks_itself; /* it puts that question itself: a person sees what it is about to do */
    bool writes;      /* a call changes what is outside: it is never made twice unsaid */
    bool is_counted;  /* a call is told how many of it there were before */
    bool is_client;   /* who asked the question does it: a call waits for its result */
    bool (*is_there)(const struct services *has, const struct knowledge *knows); /* NULL: always */
};

/* What a call gives. Texts live as long as the run; absent ones are not given. */
struct tool_result {
    struct str text; /* for the model */
    bool is_error;   /* text says what went wrong */
    /* for whoever reads the answer */
    struct str sql, data, tables, chart; /* the statement that ran, its rows (rows.h), ... */
    struct str clarify;                  /* the user is asked instead of an answer */
    struct str passages; /* what was found in documents: an array of search_hit, by their numbers */
};

struct tool_call {
    struct op op; /* "tool.call" */
    /* in, kept until done */
    struct node *node;
    const struct tool *const *offered; /* NULL after the last */
    const struct check_sql_config *guard;
    struct str question;       /* of the user */
    struct slot_ref data_slot; /* rows of the last statement of a turn before; or none */
    /* What the model read of a statement ("s3") of a turn before; NULL: there is none. Or NULL. */
    const struct json_value *(*find_result)(struct tool_call *call, struct str statement);
    struct str id, name;
    struct str written; /* arguments, as the model wrote them */
    unsigned number;    /* of all calls of the run, from 1 */
    unsigned earlier;   /* of a tool that is counted: calls of it before, in the same run */
    struct str said;    /* by a person who was asked about this call, or, of a client's tool, by
                           whoever goes on with the run; absent: nobody was asked */
    void (*on_begins)(struct tool_call *call); /* the tool starts now, allowed; may be NULL */
    void (*on_ended)(struct tool_call *call);  /* its result is there; before done; may be NULL */
    /* out */
    struct str asks; /* members of an interrupt: a person is asked first, and there is no result;
                        absent: there is one */
    bool is_paused;  /* what it runs has asked a person, and there is no result yet */
    struct tool_result result;
    uint64_t took_ms;
    /* for tools */
    const struct json_value *arguments;
    void *frame;
    /* private */
    const struct tool *tool;
    tool_fn *next;
    struct list ops;
    struct loop_task task;
    uint64_t began_ms;
    bool is_cancelled;
    struct save save; /* of a call that changes what is outside: it is noted before it begins */
};

/* Start a call on zeroed storage with its in-fields set. */
void tools_call_start(struct tool_call *call, struct op_waiter waiter);

/* ---- for tools ---- */

/* For operations of the call. */
struct op_waiter tools_call_waiter(struct tool_call *call);
/* Go on in next when all operations of the call have ended, well or badly; with nothing started, on
 * the next turn. A call that is cancelled ends instead. */
void tools_call_settle(struct tool_call *call, tool_fn *next);
/* A text argument; empty: it was not given. */
struct str tools_call_str(const struct tool_call *call, struct str name);
/* The ends. tools_call_done: result's text is copied and cut. tools_call_fail: as an error that the
 * model reads. */
void tools_call_done(struct tool_call *call, struct str text);
void tools_call_end(struct tool_call *call, struct str text, bool is_error);
void tools_call_fail(struct tool_call *call, const char *fmt, ...) PRINTF(2, 3);

/* Say how far it is, to whoever looks on. */
void tools_call_tell(struct tool_call *call, struct str text);

/* What the call runs inside the node has paused for a person: there is no result yet. */
void tools_call_pause(struct tool_call *call);
/* What tells the call from others of the visit, the same when the visit is made again. */
struct str tools_call_key(struct tool_call *call);

/* A person has to say something first: details are in the arena of the node. The call is started
 * again, from its beginning, with what was said. */
void tools_call_ask(struct tool_call *call, struct str details);

/* Read and check written into arguments. False: the call has ended with what is wrong. */
MUST_USE bool tools_call_read(struct tool_call *call);
/* The tool among offered, or NULL. */
const struct tool *tools_call_find(const struct tool *const *offered, struct str name);

#endif

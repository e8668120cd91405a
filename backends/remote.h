/* SPDX-License-Identifier: MIT */
/* backends/remote.h - the interface of tools outside this process: HTTP services and MCP servers.
 *
 * A tool has a name, a description and a JSON schema of its arguments; a call of it ends in a text.
 * What the tool itself says went wrong is a text too (is_error). One loop, one thread. */
#ifndef BACKENDS_REMOTE_H
#define BACKENDS_REMOTE_H

#include "core/base/identity.h"
#include "core/loop/op.h"

struct remote;

struct remote_tool {
    struct str name;        /* as a model calls it: letters, digits, _ and -, at most 64 */
    struct str description; /* for the model; of an MCP server: not to be trusted */
    struct str parameters;  /* JSON schema of its arguments, an object */
    bool asks;              /* a person is asked before each call */
    bool reads;             /* a call changes nothing outside, so it may be made again */
    const struct str *graphs; /* whose agents offer it unasked; "*": all */
    size_t graph_count;
};

/* Learning which tools there are: ends when every server has told or could not be asked, well
 * always but for a cancel. Cheap when all is known. */
struct remote_learn {
    struct op op; /* "remote.learn" */
    /* private */
    struct list link;
    struct remote *remote;
};

struct remote_call {
    struct op op; /* "remote.call" */
    /* in, kept until done */
    struct str name;
    struct str arguments; /* a JSON object that fits the schema */
    struct str key;       /* names this call: a service may tell a second try by it */
    struct identity caller;
    bool is_allowed; /* by a person */
    /* The tool says how far it is; text is borrowed, may be empty. NULL: nobody listens. */
    void (*on_progress)(struct remote_call *call, struct str text);
    void *owner;
    /* out, until release */
    struct str text;
    bool is_error;
    /* private */
    struct remote *remote;
    void *impl;
};

struct remote_vtable {
    void (*learn_start)(struct remote *remote, struct remote_learn *learn, struct op_waiter waiter);
    const struct remote_tool *(*list)(struct remote *remote, size_t *count);
    /* ERR_NOT_FOUND: no such tool (any more); ERR_UNAVAILABLE, ERR_TIMEOUT, ERR_PROTOCOL,
     * ERR_TOO_LARGE, ERR_DENIED (its address is not allowed, or a person has to allow the call
     * now), ERR_CANCELLED. */
    void (*call_start)(struct remote *remote, struct remote_call *call, struct op_waiter waiter);
    /* Finish all with ERR_CANCELLED, then call on_closed(owner) once, later; frees itself. */
    void (*close)(struct remote *remote, void (*on_closed)(void *owner), void *owner);
};

/* First member of every implementation. */
struct remote {
    const struct remote_vtable *vtable;
    struct loop *loop;
};

/* learn and call are zeroed before their first start. */
static inline void remote_learn_start(struct remote_learn *learn, struct remote *remote,
                                      struct op_waiter waiter)
{
    learn->remote = remote;
    remote->vtable->learn_start(remote, learn, waiter);
}

/* The tools that are known now; valid until the loop's next turn. */
static inline const struct remote_tool *remote_list(struct remote *remote, size_t *count)
{
    return remote->vtable->list(remote, count);
}

static inline void remote_call_start(struct remote_call *call, struct remote *remote,
                                     struct op_waiter waiter)
{
    call->remote = remote;
    remote->vtable->call_start(remote, call, waiter);
}

static inline void remote_close(struct remote *remote, void (*on_closed)(void *owner), void *owner)
{
    remote->vtable->close(remote, on_closed, owner);
}

#endif

/* SPDX-License-Identifier: MIT */
/* core/observe/trace.h - the place of a piece of work in a distributed trace, and W3C's header that
 * names it.
 *
 * A place is a span that others are children of: a run's, a node's, a model call's. Waiters carry
 * it to operations; NULL means that nothing is traced there, and costs a comparison. What becomes
 * of a span is the tracer's affair. One loop, one thread. */
#ifndef CORE_OBSERVE_TRACE_H
#define CORE_OBSERVE_TRACE_H

#include "core/base/str.h"

enum { TRACE_ID_BYTES = 16, TRACE_PARENT_BYTES = 55, TRACE_ID_DIGITS = 32, TRACE_SPAN_DIGITS = 16 };

struct tracer;

struct trace {             /* of one run; lives as long */
    struct tracer *tracer; /* NULL: ids are known, but no spans are made */
    unsigned char id[TRACE_ID_BYTES];
};

struct trace_place {
    const struct trace *trace; /* NULL: not traced */
    uint64_t span_id;          /* never 0 in a trace */
};

/* A visit of a node that came to its end; borrowed for the call. */
struct trace_node {
    const struct trace_place *place, *parent;
    const char *path;   /* "sql_agent/planner" */
    const char *graph;  /* the one that has the node */
    const char *failed; /* code on the wire; NULL: it went well */
    unsigned retries;
    uint64_t took_ns;
};

/* The receiver of the spans that core makes; first member of its implementation. */
struct tracer {
    void (*node_ended)(struct tracer *tracer, const struct trace_node *node);
};

/* The place of a new span, a child of parent, in parent's trace. */
struct trace_place trace_child(const struct trace_place *parent);

/* A traceparent header, as a caller sent it: "00-<trace>-<parent>-<flags>", of this version or,
 * cut, of a later one. False: the text is no such header, and is to be ignored. */
struct trace_parent {
    unsigned char id[TRACE_ID_BYTES];
    uint64_t span_id;
    bool is_sampled;
};
MUST_USE bool trace_parent_read(struct str text, struct trace_parent *parent);
/* TRACE_PARENT_BYTES and a NUL into room: the header that makes place the parent of its reader's
 * spans. */
void trace_parent_write(const struct trace_place *place, bool is_sampled, char *room);
/* A new trace's id, not all zero. */
void trace_make_id(unsigned char *id);
/* Lower-case hex digits and a NUL. */
void trace_write_id(const unsigned char *id, char *room);
void trace_write_span(uint64_t span_id, char *room);

#endif

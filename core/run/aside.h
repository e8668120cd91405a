/* SPDX-License-Identifier: MIT */
/* core/run/aside.h - the answer of a graph that a node runs: kept for the node, not for the reader.
 *
 * As on the final channel, text of a later attempt voids what was said before. What was said up to
 * a superstep is a memo of the node that runs the graph, and so is there when a run goes on. */
#ifndef CORE_RUN_ASIDE_H
#define CORE_RUN_ASIDE_H

#include "core/base/buf.h"

struct run_context;

struct aside {
    struct str path, key; /* of the memo */
    /* private */
    struct buf text;
    uint64_t attempt;
    bool has_news; /* since the memo was put */
};

/* Begin with nothing said; where the graph goes on, with what the memo has. path and key live as
 * long as the run. */
void aside_init(struct aside *aside, const struct run_context *context, struct str path,
                struct str key, bool goes_on);
void aside_fini(struct aside *aside);
void aside_say(struct aside *aside, struct str text, uint64_t attempt);
/* What was said and is not void; empty also where it was too long. Borrowed. */
struct str aside_text(const struct aside *aside);
/* Put the memo where there is news; the caller makes the checkpoint due. */
void aside_keep(struct aside *aside, struct run_context *context);

#endif

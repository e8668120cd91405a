/* SPDX-License-Identifier: MIT */
/* agents/analyst/put.h - JSON values and warnings into the analyst's state. */
#ifndef AGENTS_ANALYST_PUT_H
#define AGENTS_ANALYST_PUT_H

#include "agents/services/services.h"

struct json_write;

enum { ANALYST_PUT_BYTES = 1 << 20 };

/* An open JSON value on its way into a slot; storage is the caller's. */
struct analyst_put {
    struct buf buf;
};
/* Begin, write one value with json, end: put into slot, unless it does not fit, which is false. */
void analyst_put_begin(struct analyst_put *put, struct json_write *json);
MUST_USE bool analyst_put_end(struct analyst_put *put, struct node *node, unsigned slot);
/* Fail node: what does not fit into the run's memory. */
MUST_USE enum step analyst_put_fail(struct node *node, const char *what);
/* The passages of the state and their text for prompts, numbered from 1. */
struct search_hit;
size_t analyst_put_hits(struct node *node, const struct search_hit **hits);

#endif

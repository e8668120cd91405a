/* SPDX-License-Identifier: MIT */
/* agents/analyst/put.h - writes JSON values and warnings into the analyst's state. */
#ifndef AGENTS_ANALYST_PUT_H
#define AGENTS_ANALYST_PUT_H

#include "agents/services/services.h"

struct json_write;

enum { ANALYST_PUT_BYTES = 1 << 20 };

/* A JSON value that is being written and then goes into a slot; the storage of struct analyst_put
 * is the caller's. */
struct analyst_put {
    struct buf buf;
};
/* analyst_put_begin opens json; the caller writes one value with it; analyst_put_end puts the value
 * into slot. False: the value does not fit. */
void analyst_put_begin(struct analyst_put *put, struct json_write *json);
MUST_USE bool analyst_put_end(struct analyst_put *put, struct node *node, unsigned slot);
/* Fail node because what (a phrase for the error message) does not fit into the run's memory. */
MUST_USE enum step analyst_put_fail(struct node *node, const char *what);
/* Read the passages of the state, which its text for prompts numbers from 1, into *hits. Returns
 * how many. */
struct search_hit;
size_t analyst_put_hits(struct node *node, const struct search_hit **hits);

#endif

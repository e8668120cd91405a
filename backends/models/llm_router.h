/* SPDX-License-Identifier: MIT */
/* backends/models/llm_router.h - an llm over several: the prompt's task says which are asked, in
 * order, until one answers.
 *
 * The next one is asked when one fails in a way that another may not: out of reach, busy, too slow,
 * no key or a wrong one, a request that it refuses. Not after the first text, not for a text that a
 * filter refused, not when the time of the call is over. One loop, one thread. */
#ifndef BACKENDS_MODELS_LLM_ROUTER_H
#define BACKENDS_MODELS_LLM_ROUTER_H

#include "backends/llm.h"
#include "core/base/log.h"

enum { LLM_ROUTER_MODELS = 16, LLM_ROUTER_ROUTES = 32 };

struct llm_route {
    const char *task; /* of prompts; NULL: of those that no route names. Static or the caller's */
    unsigned char models[LLM_ROUTER_MODELS]; /* indices into the router's models */
    size_t count;                            /* at least one */
};

struct llm_router_options { /* copied */
    struct llm *models[LLM_ROUTER_MODELS];
    size_t model_count;
    struct llm_route routes[LLM_ROUTER_ROUTES]; /* one of them has no task */
    size_t route_count;
    uint64_t total_ms;     /* of a call that names none */
    const struct log *log; /* borrowed; may be NULL */
};

/* Takes over the models: closing it closes them. NULL: no memory (they stay the caller's). */
struct llm *llm_router_create(struct loop *loop, const struct llm_router_options *options);

#endif

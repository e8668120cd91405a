/* SPDX-License-Identifier: MIT */
/* server/http/http2_budget.c - two leaky buckets that work fills, too.
 *
 * Failure: a bucket is empty. */
#include "server/http/http2_budget.h"

enum { SECOND_MS = 1000 };

struct terms {
    uint64_t burst, rate; /* rate: of a second */
};

/* A client acknowledges every frame of data with two window updates at most; one that lives from
 * pings sends less than one in a second. */
static const struct terms frame_terms = {.burst = 4096, .rate = 64};
enum { WORK_EARNS = 4 };

/* A server of pages that is restarted gives up all its requests at once, twice in a row. */
static const struct terms reset_terms = {.burst = 4096, .rate = 64};
enum { ANSWER_EARNS = 1 };

/* All in thousandths of a frame: what a millisecond pays is a whole number of them. */
static void earn(struct http2_allowance *allowance, const struct terms *terms, uint64_t count)
{
    const uint64_t most = terms->burst * SECOND_MS;
    allowance->left = allowance->left + count > most ? most : allowance->left + count;
}

static bool spend(struct http2_allowance *allowance, const struct terms *terms, uint64_t now_ms)
{
    const uint64_t passed_ms = now_ms - allowance->at_ms;
    const uint64_t whole_ms = terms->burst * SECOND_MS / terms->rate; /* pays a burst */
    earn(allowance, terms, (passed_ms > whole_ms ? whole_ms : passed_ms) * terms->rate);
    allowance->at_ms = now_ms;
    if (allowance->left < SECOND_MS)
        return false;
    allowance->left -= SECOND_MS;
    return true;
}

void http2_budget_init(struct http2_budget *budget, uint64_t now_ms)
{
    *budget = (struct http2_budget){.frames = {frame_terms.burst * SECOND_MS, now_ms},
                                    .resets = {reset_terms.burst * SECOND_MS, now_ms}};
}

bool http2_budget_frame(struct http2_budget *budget, uint64_t now_ms)
{
    return spend(&budget->frames, &frame_terms, now_ms);
}

bool http2_budget_reset(struct http2_budget *budget, uint64_t now_ms)
{
    return spend(&budget->resets, &reset_terms, now_ms);
}

void http2_budget_work(struct http2_budget *budget)
{
    earn(&budget->frames, &frame_terms, WORK_EARNS * SECOND_MS);
}

void http2_budget_answer(struct http2_budget *budget)
{
    earn(&budget->resets, &reset_terms, ANSWER_EARNS * SECOND_MS);
}

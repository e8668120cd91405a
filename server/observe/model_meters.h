/* SPDX-License-Identifier: MIT */
/* server/observe/model_meters.h - calls of chat models and their tokens, by the model that was
 * asked and how the call ended.
 *
 * Series for the models that are configured, known at start; any other counts as "other". */
#ifndef SERVER_OBSERVE_MODEL_METERS_H
#define SERVER_OBSERVE_MODEL_METERS_H

#include "backends/llm.h"
#include "server/observe/meter_family.h"

enum { MODEL_METERS_MAX = 18 };

/* The models that may be asked; the names are borrowed. */
struct model_meters_names {
    struct {
        const char *model, *provider; /* model: NULL and "" stand for none */
    } models[MODEL_METERS_MAX];
    const char *provider; /* of a model that is not named */
};

struct model_meters { /* private */
    const char *models[MODEL_METERS_MAX + 2], *providers[MODEL_METERS_MAX + 2];
    size_t count;
    unsigned requests[MODEL_METERS_MAX + 2][ERR_CODE_COUNT];
    unsigned tokens_in[MODEL_METERS_MAX + 2], tokens_out[MODEL_METERS_MAX + 2];
};

/* Declare the series in schema. False: no memory. */
MUST_USE bool model_meters_init(struct model_meters *meters, const struct model_meters_names *names,
                                struct metrics_schema *schema, struct arena *arena);
/* One call that ended; values' owner only. */
void model_meters_count(const struct model_meters *meters, struct metrics *values,
                        const struct llm_chat *chat);

#endif

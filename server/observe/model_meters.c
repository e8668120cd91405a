/* SPDX-License-Identifier: MIT */
/* server/observe/model_meters.c - a table of the models' names, searched by name when a call has
 * ended.
 *
 * Failure: no memory at start. */
#include "server/observe/model_meters.h"

#include <string.h>

static const char offline[] = "offline", other[] = "other";

static bool is_known(const struct model_meters *meters, const char *name)
{
    for (size_t i = 0; i < meters->count; i++)
        if (strcmp(meters->models[i], name) == 0)
            return true;
    return false;
}

static void add_name(struct model_meters *meters, const char *name, const char *provider)
{
    if (name == NULL || name[0] == '\0' || is_known(meters, name))
        return;
    meters->providers[meters->count] = provider;
    meters->models[meters->count++] = name;
}

static bool declare_model(struct model_meters *meters, size_t i,
                          const struct meter_family *requests, const struct meter_family *tokens)
{
    const char *model = meters->models[i], *provider = meters->providers[i];
    for (size_t code = 0; code < ERR_CODE_COUNT; code++)
        if (!meter_family_add(requests, &meters->requests[i][code],
                              "provider=\"%s\",model=\"%s\",code=\"%s\"", provider, model,
                              err_name((enum err_code)code)))
            return false;
    return meter_family_add(tokens, &meters->tokens_in[i], "model=\"%s\",direction=\"in\"",
                            model) &&
           meter_family_add(tokens, &meters->tokens_out[i], "model=\"%s\",direction=\"out\"",
                            model);
}

bool model_meters_init(struct model_meters *meters, const struct model_meters_names *names,
                       struct metrics_schema *schema, struct arena *arena)
{
    const struct meter_family requests = {.schema = schema,
                                          .arena = arena,
                                          .type = METRIC_COUNTER,
                                          .name = "askd_llm_requests_total",
                                          .help = "Model calls that ended, by how.",
                                          .only_changed = true};
    const struct meter_family tokens = {.schema = schema,
                                        .arena = arena,
                                        .type = METRIC_COUNTER,
                                        .name = "askd_llm_tokens_total",
                                        .help = "Tokens of model calls that ended."};
    for (size_t i = 0; i < MODEL_METERS_MAX; i++)
        add_name(meters, names->models[i].model, names->models[i].provider);
    add_name(meters, offline, offline);
    add_name(meters, other, names->provider);
    for (size_t i = 0; i < meters->count; i++)
        if (!declare_model(meters, i, &requests, &tokens))
            return false;
    return true;
}

void model_meters_count(const struct model_meters *meters, struct metrics *values,
                        const struct llm_chat *chat)
{
    size_t i = 0;
    while (i < meters->count - 1 && !str_equal(chat->asked, str_of(meters->models[i])))
        i++;
    metrics_add(values, meters->requests[i][chat->op.err.code], 1);
    metrics_add(values, meters->tokens_in[i], (int64_t)chat->usage.prompt_tokens);
    metrics_add(values, meters->tokens_out[i], (int64_t)chat->usage.completion_tokens);
}

/* SPDX-License-Identifier: MIT */
/* server/wiring/embedder.c - ASKD_EMBEDDINGS chooses the implementation.
 *
 * Happy path: hash by itself; OpenAI or Azure behind the cache. Failure: no memory; what was made
 * is closed again. */
#include "server/wiring/embedder.h"

#include <string.h>

#include "backends/models/embed_cache.h"
#include "backends/models/embed_hash.h"
#include "backends/models/embed_openai.h"

enum { CONNECT_MS = 5000 }; /* to connect to a server of embeddings; the same as for a model */

bool embedder_is_remote(const struct config *config)
{
    return strcmp(config->embeddings, "hash") != 0;
}

static struct embed *open_remote(struct loop *loop, const struct config *config,
                                 struct http_client *client, const struct log *log)
{
    bool azure = strcmp(config->embeddings, "azure") == 0;
    const struct embed_openai_options options = {
        .base_url = azure ? config->azure_endpoint : config->openai_base_url,
        .api_key = azure ? config->azure_key : config->openai_key,
        .key_variable = azure ? "AZURE_OPENAI_API_KEY" : "OPENAI_API_KEY",
        .model = config->embedding_model,
        .model_variable = "ASKD_EMBEDDINGS",
        .api_version = azure ? CONFIG_AZURE_API_VERSION : NULL,
        .max_attempts = (unsigned)config->llm_attempts,
        .connect_ms = CONNECT_MS,
        .idle_ms = config->llm_first_token_ms / 2,
        .log = log,
    };
    return embed_openai_create(loop, client, &options);
}

struct embed *embedder_open(struct loop *loop, const struct config *config,
                            struct http_client *client, const struct log *log)
{
    if (!embedder_is_remote(config))
        return embed_hash_create(loop);
    struct embed *remote = open_remote(loop, config, client, log);
    if (remote == NULL)
        return remote;
    const struct embed_cache_options options = {
        .folder = config->vectors_folder,
        .log = log,
    };
    struct embed *cache = embed_cache_create(loop, remote, &options);
    if (cache == NULL)
        embed_close(remote, NULL, NULL);
    return cache;
}

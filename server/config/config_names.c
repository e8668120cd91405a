/* SPDX-License-Identifier: MIT */
/* server/config/config_names.c - two tables: settings, and those that were removed.
 *
 * Happy path: for a removed name the table says what it is now; another name is compared with every
 * setting, and the nearest is proposed when it is near enough.
 * Failure: none; where no setting is near, the text points to the list of settings. */
#include "server/config/config_internal.h"

#include <string.h>

#include "server/config/near_name.h"

enum { MOST_MISTAKES = 3 /* of letters; a name with more is another word */ };

static const struct {
    const char *name, *now;
} removed[] = {
    {"ASKD_BACKLOG", "it is always 1024 connections"},
    {"ASKD_MAX_BODY_BYTES", "it is always 32 times ASKD_MAX_MESSAGE_BYTES, and 1m at least"},
    {"ASKD_MAX_HEADER_BYTES", "it is always 32k"},
    {"ASKD_MAX_TARGET_BYTES", "it is always 8k"},
    {"ASKD_OUTPUT_BYTES", "it is always 64k"},
    {"ASKD_HEADER_TIMEOUT_SECONDS", "it is always 10 seconds"},
    {"ASKD_BODY_TIMEOUT_SECONDS", "it is always 20 seconds for a whole body"},
    {"ASKD_IDLE_TIMEOUT_SECONDS", "it is always 75 seconds"},
    {"ASKD_WRITE_TIMEOUT_SECONDS", "it is always 30 seconds"},
    {"ASKD_RUN_MEMORY_BYTES", "it is always 64m"},
    {"ASKD_RUN_LOG_BYTES", "it is always 32m"},
    {"ASKD_HISTORY_BYTES", "it is always 64m"},
    {"ASKD_LINGER_BYTES", "it is always 64m"},
    {"ASKD_IDEMPOTENCY_SECONDS", "it is always 600 seconds"},
    {"ASKD_COMPANY_MAX_RUNS", "ASKD_COMPANY_SHARE says how many"},
    {"ASKD_COMPANY_MAX_QUEUED_RUNS", "it is always half of ASKD_MAX_QUEUED_RUNS"},
    {"ASKD_USER_MAX_RUNS", "a user may have what the company may: ASKD_COMPANY_SHARE"},
    {"ASKD_USER_MAX_QUEUED_RUNS", "a user may have what the company may: ASKD_COMPANY_SHARE"},
    {"ASKD_DATABASE_RETRY_SECONDS", "it is always 3 seconds"},
    {"ASKD_PROMPT_ROWS", "it is always 50"},
    {"ASKD_PAGE_USER_ID", "it is always 'guest'"},
    {"ASKD_LLM_CONNECT_SECONDS", "it is always 5 seconds"},
    {"ASKD_LLM_IDLE_SECONDS", "it is always half of ASKD_LLM_FIRST_TOKEN_SECONDS"},
    {"ASKD_LLM_QUEUE", "it is always 1024"},
    {"ASKD_LLM_BREAKER_FAILURES", "it is always 10"},
    {"ASKD_LLM_BREAKER_SECONDS", "it is always 10 seconds"},
    {"ASKD_LLM_SPREAD", "it is always 64"},
    {"AZURE_OPENAI_API_VERSION",
     "it is always 2024-10-21; another one is api_version of a model in ASKD_MODELS"},
    {"ASKD_FALLBACK_MODEL", "name the second model behind the first: OPENAI_MODEL=first,second"},
    {"OPENAI_EMBEDDING_MODEL", "name the model in ASKD_EMBEDDINGS: openai:MODEL"},
    {"AZURE_OPENAI_EMBEDDING_DEPLOYMENT",
     "name the deployment in ASKD_EMBEDDINGS: azure:DEPLOYMENT"},
    {"ASKD_EMBEDDING_DIMENSIONS", "it is always the model's own number"},
    {"ASKD_EMBEDDINGS_BATCH", "it is always 2048"},
    {"ASKD_EMBEDDINGS_IN_FLIGHT", "it is always 4"},
    {"ASKD_EMBEDDINGS_TIMEOUT_SECONDS", "it is always 60 seconds"},
    {"ASKD_EMBEDDINGS_CACHE_PATH", "it is always embeddings_cache in the ledger's folder"},
    {"ASKD_EMBEDDINGS_CACHE_BYTES", "it is always 256m"},
    {"ASKD_DOCUMENTS_LEDGER", "the ledger is in the SQLite file of ASKD_KEYWORD_URL or "
                              "ASKD_VECTOR_URL, else in data/documents.db"},
    {"ASKD_DATABASE_MAX_OVERFLOW",
     "it is always twice ASKD_DATABASE_POOL_SIZE, and nothing where that is 1"},
    {"ASKD_DATABASE_POOL_RECYCLE_SECONDS", "it is always 3600 seconds"},
    {"ASKD_DATABASE_POOL_WAIT_SECONDS", "it is always 10 seconds"},
    {"ASKD_DATABASE_CONNECT_SECONDS", "it is always 5 seconds"},
    {"ASKD_MAX_RESULT_BYTES", "it is always 4m"},
    {"ASKD_SQL_THREADS", "it is always 2"},
    {"ASKD_SQL_QUEUE", "it is always 256"},
    {"ASKD_TENANT_TABLES",
     "foreign keys are always followed, and ASKD_SHARED_TABLES names the rest"},
    {"ASKD_SQL_MAX_PLAN_ROWS", "it is max_plan_rows of a policy (ASKD_POLICIES), else 1000000000"},
    {"OTEL_EXPORTER_OTLP_TIMEOUT", "it is always 10 seconds"},
    {"OTEL_BSP_SCHEDULE_DELAY", "it is always one second"},
    {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "it is always 512"},
    {"OTEL_BSP_MAX_QUEUE_SIZE", "it is always 2048"},
    {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
     "set OTEL_EXPORTER_OTLP_ENDPOINT, to which askd adds /v1/traces"},
    {"OTEL_SDK_DISABLED",
     "leave OTEL_EXPORTER_OTLP_ENDPOINT empty, or set OTEL_TRACES_SAMPLER=always_off"},
};

static const char *find_removed(struct str name)
{
    for (size_t i = 0; i < countof(removed); i++)
        if (str_equal(name, str_of(removed[i].name)))
            return removed[i].now;
    return NULL;
}

static bool is_of_entry(struct str name, const struct config_entry *entry)
{
    struct str known = str_of(entry->name);
    return str_equal(name, known) ||
           (entry->alias != NULL && str_equal(name, str_of(entry->alias))) ||
           (str_starts_with(name, known) && str_equal(str_from(name, known.len), STR("_FILE")));
}

bool config_names_is_known(struct str name)
{
    for (size_t i = 0; i < config_table_count; i++)
        if (is_of_entry(name, &config_table[i]))
            return true;
    return false;
}

bool config_names_was_known(struct str name)
{
    return find_removed(name) != NULL;
}

/* Whether name is a setting without its last words: "ASKD_HEARTBEAT" for
 * "ASKD_HEARTBEAT_SECONDS". */
static bool is_beginning(struct str name, struct str whole)
{
    return whole.len > name.len && str_starts_with(whole, name) && whole.at[name.len] == '_' &&
           name.len > strlen("ASKD");
}

/* The setting that name is nearest to; NULL: none is near enough. */
static const char *find_near(struct str name)
{
    struct near_name near;
    near_name_begin(&near, name, MOST_MISTAKES);
    for (size_t i = 0; i < config_table_count; i++)
        near_name_try(&near, config_table[i].name);
    for (size_t i = 0; i < config_table_count && near.found == NULL; i++) {
        struct str known = str_of(config_table[i].name);
        if (is_beginning(name, known) || is_beginning(known, name))
            near.found = config_table[i].name;
    }
    return near.found;
}

bool config_names_is_near(struct str name)
{
    return find_near(name) != NULL;
}

void config_names_explain(struct str name, struct buf *out)
{
    const char *now = find_removed(name), *near = now == NULL ? find_near(name) : NULL;
    if (now != NULL)
        buf_printf(out, "%s", now);
    else if (near != NULL)
        buf_printf(out, "did you mean %s?", near);
    else
        buf_push(out, STR("askd config check lists the settings"));
}

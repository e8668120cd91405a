/* SPDX-License-Identifier: MIT */
/* server/config/config.h - environment, .env and flags -> one immutable struct; every error at
 * once.
 *
 * A value comes from a flag, else the environment, else .env, else its default; an empty one is
 * absent. config_table.c is the one list: .env.example, --help and `config check` are made from it.
 * Read at start and on reload; any thread after. */
#ifndef SERVER_CONFIG_CONFIG_H
#define SERVER_CONFIG_CONFIG_H

#include "agents/services/services.h"
#include "core/base/arena.h"
#include "backends/remote/remote_file.h"
#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "server/config/models_file.h"
/* Bytes that an answer's rows take as JSON, at most; more are left out, and that is said. */
enum { CONFIG_ROWS_BYTES = 5 * 1024 * 1024 + 640 * 1024 };

struct config {
    const char *program; /* this program, for children of it; static. NULL: it has no command line,
                            as in tests. Not a setting */
    /* serving */
    const char *host;
    uint64_t port, workers;
    uint64_t max_connections, max_runs, max_queued_runs;
    uint64_t company_share; /* percent */
    uint64_t memory_bytes;
    uint64_t max_message_bytes;
    uint64_t heartbeat_ms;
    uint64_t grace_ms, linger_ms;
    uint64_t drain_delay_ms, drain_ms;
    uint64_t run_ms, refresh_ms;         /* refresh_ms 0: what is known is read on SIGHUP alone */
    const char *api_keys;                /* several, separated by commas */
    const char *auth_file;               /* path; "": none */
    const char *language, *cors_origins; /* "en", "de", "es"; separated by commas, "": none */
    uint64_t admin_port;                 /* 0: none */
    const char *page_company_id;
    enum log_level log_level;
    enum log_format log_format;
    const char *log_level_name, *log_format_name, *audit, *audit_path; /* PATH?content=off */
    /* tracing, as OpenTelemetry names it */
    const char *otlp_endpoint, *otlp_headers;
    const char *otel_service_name, *otel_resource_attributes, *otel_sampler;
    double otel_sampler_arg;
    bool otel_content, audit_content; /* whether questions and statements are told */
    /* the model */
    const char *model;                       /* "openai", "azure", "offline" */
    const char *memory_strategy, *sql_agent; /* "simple", "tiered"; "steps", "tools" */
    const char *openai_key, *openai_base_url;
    const char *openai_model, *fallback_model; /* fallback_model: "" for none */
    const char *azure_key, *azure_endpoint, *azure_deployment, *models_path;
    struct remote_file *tools;        /* of tools_path, a reference; NULL: none is named */
    const struct models_file *models; /* of models_path; NULL: none is named */
    const char *model_fallback;
    uint64_t llm_first_token_ms, llm_ms, llm_attempts, llm_in_flight;
    /* the database and what is known about it */
    const char *database_url; /* "": none; made of DB_* when only those are set */
    const char *db_host, *db_user, *db_password, *db_name, *encrypt_key;
    uint64_t db_port, sql_ms, pool_size;
    const char *join_graph, *secure_views, *tenant_column, *tenancy, *shared_tables, *policies;
    const char *graphs, *tools_path, *prompt_dir, *today, *sql_pairs, *semantic;
    const char *vector_url, *keyword_url;
    const char *embeddings;                             /* "hash", "openai", "azure" */
    const char *embedding_model;                        /* of "openai"; of "azure" the deployment */
    const char *rerank_url, *rerank_model, *rerank_key; /* "": none */
    const char *uploads; /* what callers may add documents for: "off", "user", "company" */
    uint64_t document_bytes, company_documents, company_passages;
    const char *ledger; /* of what documents there are: a SQLite file, or postgresql://... */
    const char *vectors_folder; /* of the vectors that a server made */
    double sql_max_cost;
    const char *sql_approval; /* "off", "always", "writes-none", "cost>N" */
    /* limits of agents, R167-R191 (docs/requirements.md) */
    uint64_t agent_iterations, tables_in_context, correction_attempts;
    bool pre_validation;
    uint64_t relationships_display, relationships_in_prompt, columns_in_schema;
    uint64_t columns_in_validation, columns_in_correction, sql_history, fallback_tables;
    uint64_t tables_in_selection, max_hops;
    double confidence, temperature;
    uint64_t context_tokens, output_tokens, query_rows, download_rows, download_bytes;
    uint64_t suggested_paths, sample_rows, sql_candidates;
    uint64_t conversation_messages, conversation_attempts, conversation_retry_ms, lease_ms,
        webhook_retry_ms, schedules_most;   /* the last of a user */
    const char *durability, *share_links;   /* "async", "sync", "exit"; "auto", "on", "off" */
    const char *webhooks, *webhook_private; /* addresses; "on", "off" */
    const char *webhook_secret, *secrets_key, *conversation_path, *checkpoint_url, *events_url;
    double conversation_age_hours, conversation_cleanup_hours;
    /* private */
    struct arena arena;
    struct config_origin *origins; /* one per table entry */
};

#define CONFIG_AZURE_API_VERSION "2024-10-21" /* spoken where models.json says no other */

/* The user id of callers on the page, and in a protocol whose client names no user. */
#define CONFIG_PAGE_USER    "guest"
#define CONFIG_PAGE_COMPANY "playground" /* where rows belong to no company */

struct config_flag { /* NAME=value from the command line; views are copied */
    const char *name;
    struct str value;
};

struct config_source {
    const char *const *environment; /* "NAME=value" strings, NULL at the end; NULL: none */
    const char *env_file;           /* path; NULL: none. A file that is missing is no error */
    const struct config_flag *flags;
    size_t flag_count;
};

/* Read everything. Problems, one a line, are appended to *problems (warnings begin with
 * "warning: "). ERR_INVALID: there was an error; *out is still made, with defaults in
 * the wrong places, so that config_write_check can show it. ERR_NO_MEMORY: it was not. */
MUST_USE enum err_code config_load(const struct config_source *source, struct config **out,
                                   struct buf *problems);
/* NULL is fine. */
void config_destroy(struct config *config);
/* Fill limits with the settings that agents see. */
void config_limits(const struct config *config, struct limits *limits);
/* The name of the variable a flag ("--port") sets; NULL: no such flag. */
const char *config_flag_variable(struct str flag);
/* Put the flags that set variables into names, room at most; how many there are. */
size_t config_flag_names(const char **names, size_t room);
/* ASKD_TODAY as a date; false: use the clock. */
bool config_today(const struct config *config, int *year, int *month, int *day);
/* Every value and where it came from, secrets masked; write_set: those alone that are set. */
void config_write_check(const struct config *config, struct buf *out);
void config_write_set(const struct config *config, struct buf *out);
void config_write_example(struct buf *out); /* .env.example */

/* Whether the models of models.json answer. */
static inline bool config_has_models(const struct config *config)
{
    return config->models != NULL && strcmp(config->model, "offline") != 0;
}
/* The provider of the model of this name: "openai", "azure", "anthropic", "offline". Static. */
const char *config_provider(const struct config *config, struct str model);
bool config_shares_links(const struct config *config); /* ASKD_SHARE_LINKS, as it is meant */
/* ASKD_DURABILITY: events are stored behind the stream, before it shows them, or at the end. */
static inline bool config_is_async(const struct config *config)
{
    return str_equal(str_of(config->durability), STR("async"));
}
static inline bool config_is_sync(const struct config *config)
{
    return str_equal(str_of(config->durability), STR("sync"));
}

#endif

/* SPDX-License-Identifier: MIT */
/* agents/services/services.h - the backends, data and limits that a node may use, and on whose
 * behalf.
 *
 * struct knowledge is immutable, shared by workers and replaced whole on reload; struct services is
 * one worker's; struct session is one run's, and what node_services() gives. */
#ifndef AGENTS_SERVICES_SERVICES_H
#define AGENTS_SERVICES_SERVICES_H

#include "agents/sql/catalog/catalog.h"
#include "agents/sql/guard/policy.h"
#include "agents/sql/guard/reading.h"
#include "backends/embed.h"
#include "backends/llm.h"
#include "backends/rerank.h"
#include "backends/sql.h"
#include "backends/text.h"
#include "backends/vec.h"
#include "core/run/node.h"

struct join_finder;
struct join_graph;
struct lexicon;
struct semantic;
struct history;
struct history_message;
struct remote;
struct store;
struct session;

struct limits { /* from configuration; R158-R191 set names and defaults */
    unsigned sql_agent_max_iterations, sql_correction_max_attempts, sql_max_hops;
    bool sql_pre_validation_enabled;
    size_t sql_max_tables_in_context, sql_max_relationships_display,
        sql_max_relationships_in_prompt;
    size_t sql_max_columns_in_schema, sql_max_columns_in_validation, sql_max_columns_in_correction;
    size_t sql_max_sql_history_length, sql_max_fallback_tables, sql_max_tables_in_selection_prompt;
    size_t sql_max_suggested_paths, sql_sample_rows, sql_candidates; /* SQL_CANDIDATES */
    size_t sql_whole_schema_bytes; /* a schema of so much text goes into prompts whole; 0: none */
    double sql_confidence_threshold;
    size_t max_context_tokens, max_query_rows, max_conversation_messages, max_result_bytes;
    size_t max_answer_bytes; /* of a result as JSON, so that it fits into the answer; 0: any */
    unsigned max_output_tokens;
    double temperature; /* OPENAI_TEMPERATURE; banking uses 0 */
    uint64_t llm_timeout_ms, sql_timeout_ms;
    double sql_max_cost; /* of a statement, as the database expects; 0: any */
    bool sql_approval;   /* a person is asked about statements that cost more than: */
    double sql_approval_above;
    bool tiered_memory; /* CONVERSATION_MEMORY_STRATEGY */
    bool no_model;      /* askd's own engine answers: it calls no tools */
    bool sql_tools;     /* ASKD_SQL_AGENT: the data agent answers for the orchestrator */
};

struct knowledge {
    uint64_t serial; /* differs between any two, so kept data finds its own; 0: keep none */
    enum sql_dialect dialect;
    const struct catalog *catalog; /* NULL: not read yet, and catalog_err says why */
    struct err catalog_err;
    struct str schema_id; /* schema_passages_id; absent: no catalog */
    const struct join_graph *joins;
    const struct lexicon *lexicon; /* names and values, for the offline engine */
    const struct prompt_set *prompts;
    const struct gather_pairs *pairs; /* NULL: none */
    const struct semantic *semantic;  /* NULL: none */
    const struct sql_policy *policy;  /* of all graphs but banking */
    const struct sql_policy *banking_policy;
    struct sql_tenant tenant;
    struct str mask_key; /* of the pseudonyms that masks give; a bound value, never text */
};

struct services_kept { /* a worker's data about the knowledge in use; zeroed at first */
    uint64_t serial;
    struct join_finder *finder;
};

struct services {
    struct loop *loop;
    struct llm *llm;
    struct sql *sql; /* NULL: no database configured */
    struct embed *embed;
    struct vec *vec; /* documents by meaning, and by keyword; NULL: no store of documents */
    struct text *text;
    struct rerank *rerank; /* NULL: there is none */
    struct remote *remote; /* tools outside; NULL: there are none */
    struct history *history;
    struct store *store;        /* of conversations; NULL: memory is all there is */
    struct services_kept *kept; /* the worker's; NULL: nothing is kept */
    const struct limits *limits;
    const struct log *log;
    struct str encrypt_key; /* DB_ENCRYPT_KEY; empty: none. Only ever a bound value, never text */
    /* Called when the guard refuses sql of session's run; or NULL. */
    void (*on_rejected)(void *owner, const struct session *session,
                        const struct sql_verdict *verdict, struct str sql);
    void *rejected_owner, *today_owner;
    bool today_is_set; /* to another day than the database's own */
    bool (*today)(void *owner, int *year, int *month, int *day);
};

struct session { /* lives in its run's arena or longer */
    const struct services *has;
    const struct knowledge *knows; /* pinned for the run */
    struct identity caller;        /* its names, run_id and graph: absent in one-shot calls */
    struct str run_id, graph, message;
    const struct history_message *said; /* what the caller sent along; none: the conversation's */
    size_t said_count;
    bool said_adds;      /* said follows the conversation's messages; else replaces them */
    uint64_t definition; /* hash of the graph's file, which a run keeps; 0: a graph of askd's own */
    struct str client_tools, client_choice, metadata; /* JSON (agents/tools/client.h), or absent */
    struct sql_readings readings; /* of the run's statements, in its arena; zeroed at first */
};

bool services_is_shared(const struct knowledge *knows); /* tables hold others' rows, too */
/* The session variables of statements that run for a caller: company_id, user_id; customerIds,
 * workOrderIds and serviceLocationIds, which are always NULL (R194); mask_key; and aesKey where
 * there is a key. Views into session and its services. Returns how many. */
enum { SERVICES_VARIABLES = 7 };
size_t services_variables(const struct session *session,
                          struct sql_variable variables[SERVICES_VARIABLES]);
/* Tell on_rejected, once for each refusal. */
void services_tell_verdict(const struct session *session, const struct sql_verdict *verdict,
                           struct str sql);
/* The variable aesKey alone, for reading the schema: 1; 0: there is no key. */
size_t services_key_variable(struct str encrypt_key, struct sql_variable *variable);
/* The join finder kept for knows, made anew for other knowledge. NULL: no memory. */
struct join_finder *services_keep_finder(struct services_kept *kept, const struct knowledge *knows,
                                         const struct limits *limits);
/* Before its knowledge is freed. */
void services_drop_kept(struct services_kept *kept);

static inline const struct session *node_session(const struct node *node)
{
    return node_services(node);
}

static inline struct sql_readings *node_readings(const struct node *node)
{
    return &((struct session *)node_services(node))->readings;
}

static inline const struct services *services(const struct node *node)
{
    return node_session(node)->has;
}

static inline const struct knowledge *knowledge(const struct node *node)
{
    return node_session(node)->knows;
}

#endif

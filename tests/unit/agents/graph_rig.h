/* SPDX-License-Identifier: MIT */
/* tests/unit/agents/graph_rig.h - a run of a real graph over a scripted model and database, its
 * events as one line of text. */
#ifndef TESTS_UNIT_AGENTS_GRAPH_RIG_H
#define TESTS_UNIT_AGENTS_GRAPH_RIG_H

#include "tests/lib/test.h"

#include <stdio.h>

#include "agents/graphs.h"
#include "agents/memory/history.h"
#include "agents/registry.h"
#include "agents/sql/joins/join_graph.h"
#include "core/run/event_log.h"
#include "core/run/run.h"
#include "tests/lib/fake_llm.h"
#include "tests/lib/fake_sql.h"

/* The seeds' two domains in seed 004's file format. */
static const char rig_schema[] =
    "{\"version\":1,\"tables\":{"
    "\"customers\":{\"columns\":[\"id\",\"name\",\"email\",\"created_at\"],"
    "\"unique_columns\":[\"id\"]},"
    "\"accounts\":{\"columns\":[\"id\",\"customer_id\",\"account_number\",\"balance\","
    "\"created_at\"],\"unique_columns\":[\"id\"]},"
    "\"transactions\":{\"columns\":[\"id\",\"account_id\",\"type\",\"amount\",\"created_at\"],"
    "\"unique_columns\":[\"id\"]},"
    "\"employee\":{\"columns\":[\"id\",\"firstName\",\"role\",\"isActive\"],"
    "\"unique_columns\":[\"id\"]},"
    "\"workTime\":{\"columns\":[\"id\",\"employeeId\",\"hours\"],\"unique_columns\":[\"id\"]},"
    "\"crew\":{\"columns\":[\"id\",\"workOrderId\",\"createdBy\"],\"unique_columns\":[\"id\"]},"
    "\"employeeCrew\":{\"columns\":[\"id\",\"crewId\",\"employeeId\",\"isLead\",\"standInId\"],"
    "\"unique_columns\":[\"id\"]}},"
    "\"relationships\":["
    "{\"from_table\":\"workTime\",\"from_column\":\"employeeId\",\"to_table\":\"employee\","
    "\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1.0,\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"employeeCrew\",\"from_column\":\"crewId\",\"to_table\":\"crew\","
    "\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1.0,\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"employeeCrew\",\"from_column\":\"employeeId\",\"to_table\":\"employee\","
    "\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1.0,\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"employeeCrew\",\"from_column\":\"standInId\",\"to_table\":\"employee\","
    "\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1.0,\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"crew\",\"from_column\":\"createdBy\",\"to_table\":\"employee\","
    "\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1.0,\"cardinality\":\"N:1\"}]}";

static const struct limits rig_limits = {
    .sql_agent_max_iterations = 15,
    .sql_correction_max_attempts = 3,
    .sql_max_hops = 4,
    .sql_pre_validation_enabled = true,
    .sql_max_tables_in_context = 20,
    .sql_max_relationships_display = 50,
    .sql_max_relationships_in_prompt = 20,
    .sql_max_columns_in_schema = 50,
    .sql_max_columns_in_validation = 100,
    .sql_max_columns_in_correction = 100,
    .sql_max_sql_history_length = 100,
    .sql_max_fallback_tables = 5,
    .sql_max_tables_in_selection_prompt = 250,
    .sql_max_suggested_paths = 5,
    .sql_confidence_threshold = 0.7,
    .max_context_tokens = 120000,
    .max_query_rows = 100,
    .max_conversation_messages = 20,
    .max_result_bytes = 1 << 22,
    .max_output_tokens = 4000,
    .temperature = 0.1,
    .llm_timeout_ms = 60000,
    .sql_timeout_ms = 30000,
};

static const struct log rig_log = {.level = LOG_OFF};

struct graph_rig {
    struct loop *loop;
    struct fake_llm llm;
    struct fake_sql sql;
    struct registry *registry;
    struct knowledge knows;
    struct sql_policy policy, banking_policy;
    struct services has;
    struct session session;
    struct catalog *catalog;
    struct join_graph *joins;
    struct prompt_set *prompts;
    struct run *run;
    unsigned ends;
    void (*on_step)(struct graph_rig *rig); /* NULL: nobody looks */
    char events[16384];
};

static bool graph_rig_today(void *owner, int *year, int *month, int *day)
{
    (void)owner;
    *year = 2025;
    *month = 6;
    *day = 30;
    return true;
}

/* limits are kept. */
static void graph_rig_init_limits(struct graph_rig *rig, const struct limits *limits,
                                  const struct fake_reply *replies, size_t reply_count,
                                  const struct fake_answer *answers, size_t answer_count)
{
    struct err err = {0};
    memset(rig, 0, sizeof *rig);
    rig->loop = loop_create();
    loop_fake_clock(rig->loop, UINT64_C(1750000000000));
    fake_llm_init(&rig->llm, rig->loop, replies, reply_count);
    fake_sql_init(&rig->sql, rig->loop, answers, answer_count);
    if (registry_create(limits, &rig->registry, &err) != ERR_OK ||
        catalog_from_join_graph(str_of(rig_schema), &rig->catalog, &err) != ERR_OK ||
        join_graph_from_json(str_of(rig_schema), &rig->joins, &err) != ERR_OK ||
        graphs_load_prompts(ASKD_PROMPTS, &rig->prompts, &err) != ERR_OK)
        fail_msg("%s", err.text);
    /* the fake database explains nothing */
    rig->policy = sql_policy_default;
    rig->banking_policy = sql_policy_banking;
    rig->policy.max_plan_rows = rig->banking_policy.max_plan_rows = 0;
    rig->knows = (struct knowledge){
        .dialect = SQL_SQLITE,
        .catalog = rig->catalog,
        .joins = rig->joins,
        .prompts = rig->prompts,
        .policy = &rig->policy,
        .banking_policy = &rig->banking_policy,
    };
    rig->has = (struct services){
        .loop = rig->loop,
        .llm = &rig->llm.llm,
        .sql = &rig->sql.sql,
        .history = history_create(1 << 20),
        .limits = limits,
        .log = &rig_log,
        .today = graph_rig_today,
    };
}

static UNUSED void graph_rig_init(struct graph_rig *rig, const struct fake_reply *replies,
                                  size_t reply_count, const struct fake_answer *answers,
                                  size_t answer_count)
{
    graph_rig_init_limits(rig, &rig_limits, replies, reply_count, answers, answer_count);
}

static void graph_rig_on_end(struct run *run)
{
    struct graph_rig *rig = run_owner(run);
    rig->ends++;
}

static void graph_rig_on_step(struct run *run)
{
    struct graph_rig *rig = run_owner(run);
    if (rig->on_step != NULL)
        rig->on_step(rig);
}

/* Make (not start) a run of graph with message. */
static UNUSED void graph_rig_make(struct graph_rig *rig, const char *graph, const char *message,
                                  enum event_level detail)
{
    struct err err = {0};
    int which = registry_find(rig->registry, str_of(graph));
    assert_true(which >= 0);
    rig->session = (struct session){
        .has = &rig->has,
        .knows = &rig->knows,
        .caller = {STR("c1"), STR("acme"), STR("u1")},
        .message = str_of(message),
    };
    struct run_options options = {
        .loop = rig->loop,
        .graph = registry_graph(rig->registry, (size_t)which),
        .services = &rig->session,
        .limits = {.arena_bytes = 64 << 20, .log_bytes = 1 << 20, .deadline_ms = 600000},
        .id = id_run(0),
        .log = &rig_log,
        .on_end = graph_rig_on_end,
        .on_step = graph_rig_on_step,
        .owner = rig,
        .detail = detail,
        .conversation_id = STR("c1"),
        .describe = registry_describe,
    };
    rig->run = run_create(&options);
    assert_non_null(rig->run);
    rig->ends = 0;
    assert_int_equal(registry_begin(registry_entry(rig->registry, (size_t)which),
                                    run_input(rig->run), &rig->session, &err),
                     ERR_OK);
}

/* "kind:name:text|..." of all events; tokens of one channel are joined. */
static UNUSED void graph_rig_collect(struct graph_rig *rig)
{
    struct event event;
    size_t len = 0;
    enum event_kind last = EVENT_KIND_COUNT;
    rig->events[0] = '\0';
    for (uint64_t id = 0; event_log_after(run_log(rig->run), id, &event) == ERR_OK; id++) {
        if (event.kind == EVENT_TOKEN && last == EVENT_TOKEN)
            len += (size_t)snprintf(rig->events + len, sizeof rig->events - len, "%.*s",
                                    STR_ARG(event.text));
        else
            len += (size_t)snprintf(rig->events + len, sizeof rig->events - len, "%s%s:%.*s:%.*s",
                                    id > 0 ? "|" : "", event_name(event.kind), STR_ARG(event.name),
                                    STR_ARG(event.text));
        last = event.kind;
        assert_true(len < sizeof rig->events);
    }
}

/* Run to the end; rig->events is what it said. */
static UNUSED void graph_rig_go(struct graph_rig *rig, const char *graph, const char *message)
{
    graph_rig_make(rig, graph, message, EVENT_CORE);
    run_start(rig->run);
    assert_true(loop_run_dry(rig->loop, 100000));
    assert_int_equal(rig->ends, 1);
    graph_rig_collect(rig);
}

static void graph_rig_drop_run(struct graph_rig *rig)
{
    run_destroy(rig->run);
    rig->run = NULL;
}

static void graph_rig_fini(struct graph_rig *rig)
{
    graph_rig_drop_run(rig);
    history_destroy(rig->has.history);
    registry_destroy(rig->registry);
    join_graph_destroy(rig->joins);
    catalog_destroy(rig->catalog);
    prompt_set_destroy(rig->prompts);
    loop_destroy(rig->loop);
}

#endif

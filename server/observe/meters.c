/* SPDX-License-Identifier: MIT */
/* server/observe/meters.c - declared once, in the order of the enums.
 *
 * Failure: no memory at start. */
#include "server/observe/meters.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/mem.h"
#include "server/observe/meter_family.h"

enum { LABELS_BYTES = 1024 * 1024 };

/* The statuses that we answer; the last stands for any other. */
static const int statuses[] = {200, 201, 202, 204, 400, 401, 403, 404, 405, 408, 409, 410, 413,
                               414, 415, 417, 422, 429, 431, 499, 500, 501, 502, 503, 504, 0};
enum { STATUS_COUNT = countof(statuses) };
static const char *const outcomes[METERS_OUTCOME_COUNT] = {"complete", "error", "cancelled"};

/* The guard's rules, see agents/sql; the last stands for any other. */
static const char *const rules[] = {"ambiguous_column",
                                    "base_table",
                                    "catalog",
                                    "column_list",
                                    "columns",
                                    "cte_case",
                                    "cte_self_reference",
                                    "encoding",
                                    "executable_comment",
                                    "expansion",
                                    "function",
                                    "hidden_column",
                                    "hint",
                                    "into",
                                    "length",
                                    "limit",
                                    "locking",
                                    "multiple_statements",
                                    "nesting",
                                    "recursive",
                                    "relations",
                                    "second_opinion",
                                    "secure_view",
                                    "select_items",
                                    "select_only",
                                    "session_variable",
                                    "syntax",
                                    "tenant",
                                    "type",
                                    "unconnected",
                                    "unknown_column",
                                    "unknown_table",
                                    "whole_row",
                                    "other"};
enum { RULE_COUNT = countof(rules) };

enum { STATE_OPENING, STATE_IDLE, STATE_BUSY, STATE_WAITING, STATE_COUNT };
static const char *const states[STATE_COUNT] = {"opening", "idle", "busy", "waiting"};

/* Routes of runs of graphs that route, see agents/orchestrator; the last: none was decided. */
static const char *const routes[] = {"sql", "rag", "general", "none"};
enum { ROUTE_COUNT = countof(routes) };

static const char *const ends[METERS_END_COUNT] = {
    [METERS_END_COMPLETE] = "complete", [METERS_END_ERROR] = "error",
    [METERS_END_GONE] = "client_gone",  [METERS_END_LAGGED] = "lagged",
    [METERS_END_DRAINED] = "drained",
};

/* All backends that there are, by the names of their vtables. */
static const struct {
    const char *backend, *op;
    enum meters_op kind;
} backends[] = {
    {"sqlite", "query", METERS_QUERY},
    {"postgresql", "query", METERS_QUERY},
    {"mysql", "query", METERS_QUERY},
    {"local", "vector_search", METERS_VECTORS},
    {"pgvector", "vector_search", METERS_VECTORS},
    {"chroma", "vector_search", METERS_VECTORS},
    {"qdrant", "vector_search", METERS_VECTORS},
    {"fts5", "keyword_search", METERS_KEYWORDS},
    {"postgresql", "keyword_search", METERS_KEYWORDS},
    {"http", "rerank", METERS_RERANK},
};

struct route_meters { /* requests to one route, by status, how long they took, its streams */
    unsigned index[STATUS_COUNT], seconds, ends[METERS_END_COUNT];
};

struct graph_meters { /* runs of one graph, by what it decided and how they ended */
    const char *name;
    unsigned index[ROUTE_COUNT][METERS_OUTCOME_COUNT], seconds;
};

struct backend_meters {
    unsigned seconds, errors[ERR_CODE_COUNT];
};

struct meters {
    struct metrics_schema *schema;
    struct arena labels;
    unsigned index[METER_COUNT];
    const struct registry *registry;
    time_t began;
    struct route_meters *routes; /* as in the options, and one for none */
    struct graph_meters *graphs; /* those of the start */
    size_t graph_count;
    struct node_meters *nodes;
    struct model_meters models;
    struct backend_meters backends[countof(backends)];
    unsigned rejected[RULE_COUNT];
    const char *engine; /* NULL: none, and what follows is not declared */
    unsigned wait_seconds, connections[STATE_COUNT];
};

static const struct {
    enum metric_type type;
    const char *name, *labels, *help;
} table[METER_COUNT] = {
#define METER_ROW(key, type, name, labels, help) {type, name, labels, help},
    METERS(METER_ROW)
#undef METER_ROW
};

static struct meter_family family_of(struct meters *meters, enum metric_type type, const char *name,
                                     const char *help, bool only_changed)
{
    return (struct meter_family){meters->schema, &meters->labels, type, name, help, only_changed};
}

static bool declare_route(struct meters *meters, const struct meters_route *route,
                          struct route_meters *one)
{
    const struct meter_family requests =
        family_of(meters, METRIC_COUNTER, "askd_http_requests_total", "Requests answered.", true);
    const struct meter_family seconds =
        family_of(meters, METRIC_HISTOGRAM, "askd_http_request_duration_seconds",
                  "From a complete request to the end of its answer.", true);
    const struct meter_family streams = family_of(meters, METRIC_COUNTER, "askd_sse_streams_total",
                                                  "Event streams that ended, by how.", true);
    const char *pattern = route->pattern, *method = route->method;
    bool ok =
        meter_family_add(&seconds, &one->seconds, "route=\"%s\",method=\"%s\"", pattern, method);
    for (size_t i = 0; i < STATUS_COUNT && ok; i++) {
        char code[16] = "other";
        if (statuses[i] > 0)
            snprintf(code, sizeof code, "%d", statuses[i]);
        ok = meter_family_add(&requests, &one->index[i], "route=\"%s\",method=\"%s\",code=\"%s\"",
                              pattern, method, code);
    }
    for (size_t i = 0; i < METERS_END_COUNT && ok; i++)
        ok = meter_family_add(&streams, &one->ends[i], "route=\"%s\",method=\"%s\",outcome=\"%s\"",
                              pattern, method, ends[i]);
    return ok;
}

static bool declare_requests(struct meters *meters, const struct meters_options *options)
{
    static const struct meters_route none = {"any", "none"};
    size_t count = options->route_count;
    meters->routes = mem_zalloc(count + 1, sizeof *meters->routes);
    bool ok = meters->routes != NULL;
    for (size_t i = 0; i < count && ok; i++)
        ok = declare_route(meters, &options->routes[i], &meters->routes[i]);
    return ok && declare_route(meters, &none, &meters->routes[count]);
}

static bool declare_graph(struct meters *meters, size_t graph)
{
    const struct meter_family runs =
        family_of(meters, METRIC_COUNTER, "askd_runs_total", "Runs that ended, by how.", false);
    const struct meter_family seconds =
        family_of(meters, METRIC_HISTOGRAM, "askd_run_duration_seconds", "Whole runs.", true);
    const struct graph_def *def = registry_entry(meters->registry, graph)->def;
    struct graph_meters *one = &meters->graphs[graph];
    one->name = def->name;
    bool ok = meter_family_add(&seconds, &one->seconds, "graph=\"%s\"", def->name);
    for (size_t route = 0; route < ROUTE_COUNT && ok; route++)
        for (size_t i = 0; i < METERS_OUTCOME_COUNT && ok; i++)
            ok = meter_family_add(&runs, &one->index[route][i],
                                  "graph=\"%s\",route=\"%s\",outcome=\"%s\"", def->name,
                                  def->routes ? routes[route] : def->name, outcomes[i]);
    return ok;
}

static bool declare_runs(struct meters *meters)
{
    meters->graph_count = registry_count(meters->registry);
    meters->graphs = mem_zalloc(meters->graph_count, sizeof *meters->graphs);
    bool ok = meters->graphs != NULL;
    for (size_t graph = 0; graph < meters->graph_count && ok; graph++)
        ok = declare_graph(meters, graph);
    return ok;
}

static bool declare_rules(struct meters *meters)
{
    const struct meter_family refused =
        family_of(meters, METRIC_COUNTER, "askd_sql_rejected_total",
                  "Statements that the guard refused, by why.", false);
    bool ok = true;
    for (size_t i = 0; i < RULE_COUNT && ok; i++)
        ok = meter_family_add(&refused, &meters->rejected[i], "rule=\"%s\"", rules[i]);
    return ok;
}

static bool declare_nodes(struct meters *meters)
{
    meters->nodes = node_meters_create(meters->schema, meters->registry);
    if (meters->nodes == NULL)
        return false;
    metrics_show_changed(meters->schema, "askd_node_duration_seconds");
    return true;
}

static bool declare_backends(struct meters *meters)
{
    const struct meter_family seconds =
        family_of(meters, METRIC_HISTOGRAM, "askd_backend_query_duration_seconds",
                  "Statements and searches that went well, in the backend.", true);
    const struct meter_family errors =
        family_of(meters, METRIC_COUNTER, "askd_backend_errors_total",
                  "Statements and searches that did not, by why.", true);
    bool ok = true;
    for (size_t i = 0; i < countof(backends) && ok; i++) {
        struct backend_meters *one = &meters->backends[i];
        ok = meter_family_add(&seconds, &one->seconds, "backend=\"%s\",op=\"%s\"",
                              backends[i].backend, backends[i].op);
        for (size_t code = ERR_OK + 1; code < ERR_CODE_COUNT && ok; code++)
            ok = meter_family_add(&errors, &one->errors[code],
                                  "backend=\"%s\",op=\"%s\",class=\"%s\"", backends[i].backend,
                                  backends[i].op, err_name((enum err_code)code));
    }
    return ok;
}

static bool declare_pool(struct meters *meters)
{
    const struct meter_family connections =
        family_of(meters, METRIC_GAUGE, "askd_pool_connections",
                  "Connections by state; waiting: statements that wait for one.", false);
    const struct meter_family wait =
        family_of(meters, METRIC_HISTOGRAM, "askd_pool_wait_seconds",
                  "What statements took besides: waiting for a connection, and the way.", false);
    bool ok = true;
    if (meters->engine == NULL)
        return true;
    for (size_t i = 0; i < STATE_COUNT && ok; i++)
        ok = meter_family_add(&connections, &meters->connections[i], "backend=\"%s\",state=\"%s\"",
                              meters->engine, states[i]);
    return ok && meter_family_add(&wait, &meters->wait_seconds, "backend=\"%s\"", meters->engine);
}

static bool declare_plain(struct meters *meters)
{
    for (size_t i = 0; i < METER_COUNT; i++)
        if (metrics_declare(meters->schema, table[i].type, table[i].name, table[i].labels,
                            table[i].help, &meters->index[i]) != ERR_OK)
            return false;
    return true;
}

struct meters *meters_create(const struct meters_options *options)
{
    struct meters *meters = mem_zalloc(1, sizeof *meters);
    if (meters == NULL)
        return NULL;
    meters->registry = options->registry;
    meters->engine = options->engine;
    meters->began = time(NULL);
    meters->schema = metrics_schema_create();
    arena_init(&meters->labels, LABELS_BYTES);
    if (meters->schema != NULL && declare_plain(meters) && declare_requests(meters, options) &&
        declare_runs(meters) && declare_nodes(meters) && declare_rules(meters) &&
        declare_backends(meters) && declare_pool(meters) &&
        model_meters_init(&meters->models, &options->models, meters->schema, &meters->labels))
        return meters;
    meters_destroy(meters);
    return NULL;
}

void meters_destroy(struct meters *meters)
{
    if (meters == NULL)
        return;
    metrics_schema_destroy(meters->schema);
    node_meters_destroy(meters->nodes);
    mem_free(meters->routes);
    mem_free(meters->graphs);
    arena_fini(&meters->labels);
    mem_free(meters);
}

const struct metrics_schema *meters_schema(const struct meters *meters)
{
    return meters->schema;
}

uint64_t meters_began(const struct meters *meters)
{
    return (uint64_t)meters->began;
}

void meters_add(const struct meters *meters, struct metrics *values, enum meter meter,
                int64_t amount)
{
    metrics_add(values, meters->index[meter], amount);
}

void meters_set(const struct meters *meters, struct metrics *values, enum meter meter,
                int64_t value)
{
    metrics_set(values, meters->index[meter], value);
}

int64_t meters_get(const struct meters *meters, const struct metrics *values, enum meter meter)
{
    return metrics_get(values, meters->index[meter]);
}

void meters_observe_ns(const struct meters *meters, struct metrics *values, enum meter meter,
                       uint64_t ns)
{
    metrics_observe_ns(values, meters->index[meter], ns);
}

void meters_observe_ms(const struct meters *meters, struct metrics *values, enum meter meter,
                       uint64_t ms)
{
    metrics_observe_ns(values, meters->index[meter], ms * 1000000);
}

void meters_request(const struct meters *meters, struct metrics *values, size_t route, int status,
                    uint64_t ns)
{
    size_t i = 0;
    while (statuses[i] != status && statuses[i] != 0)
        i++;
    metrics_add(values, meters->routes[route].index[i], 1);
    metrics_observe_ns(values, meters->routes[route].seconds, ns);
}

static size_t find_route(struct str route)
{
    size_t i = 0;
    while (i < ROUTE_COUNT - 1 && !str_equal(route, str_of(routes[i])))
        i++;
    return i;
}

void meters_run(const struct meters *meters, struct metrics *values, const char *name,
                struct str route, enum meters_outcome outcome, uint64_t took_ms)
{
    size_t graph = 0; /* one that was added later has no series */
    while (graph < meters->graph_count && strcmp(meters->graphs[graph].name, name) != 0)
        graph++;
    if (graph == meters->graph_count)
        return;
    const struct graph_meters *one = &meters->graphs[graph];
    metrics_add(values, one->index[find_route(route)][outcome], 1);
    metrics_observe_ns(values, one->seconds, took_ms * 1000000);
}

void meters_stream(const struct meters *meters, struct metrics *values, size_t route,
                   enum meters_end end)
{
    metrics_add(values, meters->routes[route].ends[end], 1);
}

const char *meters_end_name(enum meters_end end)
{
    return ends[end];
}

void meters_rejected(const struct meters *meters, struct metrics *values, const char *rule)
{
    size_t i = 0;
    while (i < RULE_COUNT - 1 && strcmp(rules[i], rule) != 0)
        i++;
    metrics_add(values, meters->rejected[i], 1);
}

const struct node_meters *meters_nodes(const struct meters *meters)
{
    return meters->nodes;
}

const struct model_meters *meters_models(const struct meters *meters)
{
    return &meters->models;
}

void meters_backend(const struct meters *meters, struct metrics *values, const char *name,
                    enum meters_op op, enum err_code code, uint64_t took_ns)
{
    size_t i = 0;
    while (i < countof(backends) &&
           (backends[i].kind != op || strcmp(backends[i].backend, name) != 0))
        i++;
    if (i == countof(backends))
        return; /* a backend of tests */
    if (code == ERR_OK)
        metrics_observe_ns(values, meters->backends[i].seconds, took_ns);
    else
        metrics_add(values, meters->backends[i].errors[code], 1);
}

void meters_pool_wait(const struct meters *meters, struct metrics *values, uint64_t ns)
{
    if (meters->engine != NULL)
        metrics_observe_ns(values, meters->wait_seconds, ns);
}

void meters_connections(const struct meters *meters, struct metrics *values,
                        const struct sql_counts *counts)
{
    const size_t numbers[STATE_COUNT] = {counts->opening, counts->idle, counts->busy,
                                         counts->waiting};
    for (size_t i = 0; i < STATE_COUNT && meters->engine != NULL; i++)
        metrics_set(values, meters->connections[i], (int64_t)numbers[i]);
}

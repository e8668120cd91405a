/* SPDX-License-Identifier: MIT */
/* server/meters.c - declared once, in the order of the enums.
 *
 * Failure: no memory at start. */
#include "server/meters.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "server/route.h"

enum { LABEL_BYTES = 112 };

/* What we answer; the last stands for any other. */
static const int statuses[] = {200, 201, 202, 204, 400, 401, 403, 404, 405, 408, 409, 410, 413,
                               414, 415, 417, 422, 429, 431, 499, 500, 501, 502, 503, 504, 0};
enum { STATUS_COUNT = countof(statuses) };
static const char *const outcomes[METERS_OUTCOME_COUNT] = {"complete", "error", "cancelled"};

/* The guard's, see agents/sql; the last stands for any other. */
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

struct route_meters { /* requests to one route, by status, and how long they took */
    unsigned index[STATUS_COUNT], seconds;
    char labels[STATUS_COUNT][LABEL_BYTES], label[LABEL_BYTES];
};

struct graph_meters { /* runs of one graph, by how they ended */
    unsigned index[METERS_OUTCOME_COUNT];
    char labels[METERS_OUTCOME_COUNT][LABEL_BYTES];
};

struct meters {
    struct metrics_schema *schema;
    unsigned index[METER_COUNT];
    const struct registry *registry;
    time_t began;
    struct route_meters *routes; /* as in route_table, and one for none */
    struct graph_meters *graphs; /* as in the registry */
    struct node_meters *nodes;
    unsigned rejected[RULE_COUNT];
    char rule_labels[RULE_COUNT][LABEL_BYTES];
    const char *engine; /* NULL: none, and what follows is not declared */
    unsigned statements[ERR_CODE_COUNT], statement_seconds, wait_seconds, connections[STATE_COUNT];
    char statement_labels[ERR_CODE_COUNT][LABEL_BYTES], state_labels[STATE_COUNT][LABEL_BYTES];
    char engine_label[LABEL_BYTES];
};

static const struct {
    enum metric_type type;
    const char *name, *labels, *help;
} table[METER_COUNT] = {
#define METER_ROW(key, type, name, labels, help) {type, name, labels, help},
    METERS(METER_ROW)
#undef METER_ROW
};

static const char *find_method(size_t route)
{
    if (route >= route_table_count)
        return "any";
    enum http_method method = route_table[route].method;
    return method == HTTP_METHOD_GET ? "GET" : method == HTTP_METHOD_POST ? "POST" : "DELETE";
}

static void write_labels(size_t route, int status, char *labels)
{
    bool known = route < route_table_count;
    char code[16] = "other";
    if (status > 0)
        snprintf(code, sizeof code, "%d", status);
    snprintf(labels, LABEL_BYTES, "route=\"%s\",method=\"%s\",code=\"%s\"",
             known ? route_table[route].pattern : "none", find_method(route), code);
}

static enum err_code declare_request_seconds(struct meters *meters, size_t route)
{
    struct route_meters *one = &meters->routes[route];
    snprintf(one->label, LABEL_BYTES, "route=\"%s\",method=\"%s\"",
             route < route_table_count ? route_table[route].pattern : "none", find_method(route));
    return metrics_declare(meters->schema, METRIC_HISTOGRAM, "askd_http_request_duration_seconds",
                           one->label, "From a complete request to the end of its answer.",
                           &one->seconds);
}

static enum err_code declare_requests(struct meters *meters)
{
    meters->routes = mem_zalloc(route_table_count + 1, sizeof *meters->routes);
    if (meters->routes == NULL)
        return ERR_NO_MEMORY;
    for (size_t route = 0; route <= route_table_count; route++)
        for (size_t i = 0; i < STATUS_COUNT; i++) {
            struct route_meters *one = &meters->routes[route];
            write_labels(route, statuses[i], one->labels[i]);
            if (metrics_declare(meters->schema, METRIC_COUNTER, "askd_http_requests_total",
                                one->labels[i], "Requests answered.", &one->index[i]) != ERR_OK)
                return ERR_NO_MEMORY;
        }
    for (size_t route = 0; route <= route_table_count; route++)
        if (declare_request_seconds(meters, route) != ERR_OK)
            return ERR_NO_MEMORY;
    return ERR_OK;
}

static enum err_code declare_runs(struct meters *meters)
{
    meters->graphs = mem_zalloc(registry_count(meters->registry), sizeof *meters->graphs);
    if (meters->graphs == NULL)
        return ERR_NO_MEMORY;
    for (size_t graph = 0; graph < registry_count(meters->registry); graph++)
        for (size_t i = 0; i < METERS_OUTCOME_COUNT; i++) {
            struct graph_meters *one = &meters->graphs[graph];
            snprintf(one->labels[i], LABEL_BYTES, "graph=\"%s\",outcome=\"%s\"",
                     registry_entry(meters->registry, graph)->def->name, outcomes[i]);
            if (metrics_declare(meters->schema, METRIC_COUNTER, "askd_runs_total", one->labels[i],
                                "Runs that ended, by how.", &one->index[i]) != ERR_OK)
                return ERR_NO_MEMORY;
        }
    return ERR_OK;
}

static enum err_code declare_rules(struct meters *meters)
{
    for (size_t i = 0; i < RULE_COUNT; i++) {
        snprintf(meters->rule_labels[i], LABEL_BYTES, "rule=\"%s\"", rules[i]);
        if (metrics_declare(meters->schema, METRIC_COUNTER, "askd_sql_rejected_total",
                            meters->rule_labels[i], "Statements that the guard refused, by why.",
                            &meters->rejected[i]) != ERR_OK)
            return ERR_NO_MEMORY;
    }
    return ERR_OK;
}

static enum err_code declare_nodes(struct meters *meters)
{
    meters->nodes = node_meters_create(meters->schema, meters->registry);
    return meters->nodes == NULL ? ERR_NO_MEMORY : ERR_OK;
}

static enum err_code declare_engine(struct meters *meters)
{
    enum err_code code = ERR_OK;
    if (meters->engine == NULL)
        return ERR_OK;
    for (size_t i = 0; i < ERR_CODE_COUNT && code == ERR_OK; i++) {
        snprintf(meters->statement_labels[i], LABEL_BYTES, "backend=\"%s\",class=\"%s\"",
                 meters->engine, err_name((enum err_code)i));
        code = metrics_declare(meters->schema, METRIC_COUNTER, "askd_backend_queries_total",
                               meters->statement_labels[i], "Statements that ended, by how.",
                               &meters->statements[i]);
    }
    for (size_t i = 0; i < STATE_COUNT && code == ERR_OK; i++) {
        snprintf(meters->state_labels[i], LABEL_BYTES, "backend=\"%s\",state=\"%s\"",
                 meters->engine, states[i]);
        code = metrics_declare(meters->schema, METRIC_GAUGE, "askd_pool_connections",
                               meters->state_labels[i],
                               "Connections by state; waiting: statements that wait for one.",
                               &meters->connections[i]);
    }
    snprintf(meters->engine_label, LABEL_BYTES, "backend=\"%s\"", meters->engine);
    if (code == ERR_OK)
        code =
            metrics_declare(meters->schema, METRIC_HISTOGRAM, "askd_backend_query_duration_seconds",
                            meters->engine_label, "Statements that went well, in the engine.",
                            &meters->statement_seconds);
    if (code == ERR_OK)
        code = metrics_declare(meters->schema, METRIC_HISTOGRAM, "askd_pool_wait_seconds",
                               meters->engine_label,
                               "What the same took besides: waiting for a connection, and the way.",
                               &meters->wait_seconds);
    return code;
}

struct meters *meters_create(const struct registry *registry, const char *engine)
{
    struct meters *meters = mem_zalloc(1, sizeof *meters);
    if (meters == NULL)
        return NULL;
    meters->registry = registry;
    meters->engine = engine;
    meters->began = time(NULL);
    meters->schema = metrics_schema_create();
    enum err_code code = meters->schema == NULL ? ERR_NO_MEMORY : ERR_OK;
    for (size_t i = 0; i < METER_COUNT && code == ERR_OK; i++)
        code = metrics_declare(meters->schema, table[i].type, table[i].name, table[i].labels,
                               table[i].help, &meters->index[i]);
    if (code == ERR_OK)
        code = declare_requests(meters);
    if (code == ERR_OK)
        code = declare_runs(meters);
    if (code == ERR_OK)
        code = declare_nodes(meters);
    if (code == ERR_OK)
        code = declare_rules(meters);
    if (code == ERR_OK)
        code = declare_engine(meters);
    if (code == ERR_OK)
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

void meters_run(const struct meters *meters, struct metrics *values, const char *name,
                enum meters_outcome outcome)
{
    int graph = registry_find(meters->registry, str_of(name));
    if (graph >= 0)
        metrics_add(values, meters->graphs[graph].index[outcome], 1);
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

void meters_statement(const struct meters *meters, struct metrics *values,
                      const struct sql_query *query, uint64_t took_ns)
{
    enum err_code code = query->op.err.code;
    uint64_t engine_ns = query->result.duration_us * 1000;
    if (meters->engine == NULL)
        return;
    metrics_add(values, meters->statements[code], 1);
    if (code != ERR_OK)
        return;
    metrics_observe_ns(values, meters->statement_seconds, engine_ns);
    metrics_observe_ns(values, meters->wait_seconds, took_ns > engine_ns ? took_ns - engine_ns : 0);
}

void meters_connections(const struct meters *meters, struct metrics *values,
                        const struct sql_counts *counts)
{
    const size_t numbers[STATE_COUNT] = {counts->opening, counts->idle, counts->busy,
                                         counts->waiting};
    for (size_t i = 0; i < STATE_COUNT && meters->engine != NULL; i++)
        metrics_set(values, meters->connections[i], (int64_t)numbers[i]);
}

/* ---- the process ---- */

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static size_t count_descriptors(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count - 1; /* the folder's own */
}

static uint64_t read_resident_bytes(void)
{
    unsigned long long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu %llu", &size, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void write_one(struct buf *out, const char *name, const char *type, const char *help,
                      double value)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %.15g\n", name, help, name, type, name, value);
}

void meters_write_process(const struct meters *meters, struct buf *out)
{
    struct rusage used;
    struct rlimit files;
    if (getrusage(RUSAGE_SELF, &used) == 0)
        write_one(out, "process_cpu_seconds_total", "counter", "CPU time, user and system.",
                  seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        write_one(out, "process_max_fds", "gauge", "File descriptors it may have.",
                  (double)files.rlim_cur);
    write_one(out, "process_open_fds", "gauge", "File descriptors it has.",
              (double)count_descriptors());
    write_one(out, "process_resident_memory_bytes", "gauge", "Resident memory.",
              (double)read_resident_bytes());
    write_one(out, "process_start_time_seconds", "gauge", "When it started, Unix time.",
              (double)meters->began);
}

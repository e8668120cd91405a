/* SPDX-License-Identifier: MIT */
/* server/observe/meters.h - the series of askd by name, over core/observe/metrics.
 *
 * One schema for the process, one set of values per worker. Labels are route patterns, statuses,
 * graphs and outcomes: never ids. */
#ifndef SERVER_OBSERVE_METERS_H
#define SERVER_OBSERVE_METERS_H

#include "agents/registry.h"
#include "backends/sql.h"
#include "core/observe/metrics.h"
#include "server/observe/meters_table.h"
#include "server/observe/model_meters.h"
#include "server/observe/node_meters.h"

/* How a run ended. */
enum meters_outcome { METERS_COMPLETE, METERS_ERROR, METERS_CANCELLED, METERS_OUTCOME_COUNT };
/* How an event stream ended; its names are meters_end_name's. */
enum meters_end {
    METERS_END_COMPLETE,
    METERS_END_ERROR,
    METERS_END_GONE,    /* the client left */
    METERS_END_LAGGED,  /* it read too slowly */
    METERS_END_DRAINED, /* the server stopped */
    METERS_END_COUNT
};
/* What a backend was asked for. */
enum meters_op { METERS_QUERY, METERS_VECTORS, METERS_KEYWORDS, METERS_RERANK, METERS_OP_COUNT };

enum meter {
#define METER_ENUM(key, type, name, labels, help) METER_##key,
    METERS(METER_ENUM)
#undef METER_ENUM
        METER_COUNT
};

struct meters; /* the schema, with an index per meter, per route and status, per graph and end */

struct meters_route {
    const char *method, *pattern; /* labels */
};

struct meters_options {
    const struct meters_route *routes; /* each has series; borrowed until made */
    size_t route_count;
    const struct registry *registry; /* borrowed: its graphs have series */
    const char *engine;              /* of the database, as sql_vtable.name; NULL: there is none */
    struct model_meters_names models;
};

/* NULL: no memory. */
struct meters *meters_create(const struct meters_options *options);
void meters_destroy(struct meters *meters);
const struct metrics_schema *meters_schema(const struct meters *meters);
/* When this process created meters, Unix seconds. */
uint64_t meters_began(const struct meters *meters);

/* values was made from meters' schema; its owner's thread only. */
void meters_add(const struct meters *meters, struct metrics *values, enum meter meter,
                int64_t amount);
void meters_set(const struct meters *meters, struct metrics *values, enum meter meter,
                int64_t value);
void meters_observe_ns(const struct meters *meters, struct metrics *values, enum meter meter,
                       uint64_t ns);
void meters_observe_ms(const struct meters *meters, struct metrics *values, enum meter meter,
                       uint64_t ms);
/* A counter's or gauge's value, how often a histogram was observed. Any thread. */
int64_t meters_get(const struct meters *meters, const struct metrics *values, enum meter meter);
/* One run of the graph called name that ended; route: what it decided, absent: nothing. */
void meters_run(const struct meters *meters, struct metrics *values, const char *name,
                struct str route, enum meters_outcome outcome, uint64_t took_ms);
/* One event stream of a route (as in meters_request) that ended. */
void meters_stream(const struct meters *meters, struct metrics *values, size_t route,
                   enum meters_end end);
const char *meters_end_name(enum meters_end end);
/* One statement that the guard refused under rule. */
void meters_rejected(const struct meters *meters, struct metrics *values, const char *rule);
/* The meters of the graphs' nodes, and those of the models. */
const struct node_meters *meters_nodes(const struct meters *meters);
const struct model_meters *meters_models(const struct meters *meters);
/* One call of the backend called name that ended with code, and how long the backend took;
 * pool_wait: what a statement took besides, waiting for a connection and on the way. */
void meters_backend(const struct meters *meters, struct metrics *values, const char *name,
                    enum meters_op op, enum err_code code, uint64_t took_ns);
void meters_pool_wait(const struct meters *meters, struct metrics *values, uint64_t ns);
/* How many connections to the database there are; only with an engine. */
void meters_connections(const struct meters *meters, struct metrics *values,
                        const struct sql_counts *counts);
/* One answered request; route: its place in the options, or route_count for none. */
void meters_request(const struct meters *meters, struct metrics *values, size_t route, int status,
                    uint64_t ns);

#endif

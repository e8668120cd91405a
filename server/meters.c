/* SPDX-License-Identifier: MIT */
/* server/meters.c - declared once, in the order of the enums.
 *
 * Failure: no memory at start. */
#include "server/meters.h"

#include <stdio.h>

#include "core/base/mem.h"
#include "server/route.h"

enum { CLASSES = 4, LABEL_BYTES = 112, MAX_ROUTES = 24 };

struct meters {
    struct metrics_schema *schema;
    unsigned index[METER_COUNT];
    unsigned requests[(MAX_ROUTES + 1) * CLASSES];
    char labels[(MAX_ROUTES + 1) * CLASSES][LABEL_BYTES];
};

static const struct {
    enum metric_type type;
    const char *name, *labels, *help;
} table[METER_COUNT] = {
#define METER_ROW(key, type, name, labels, help) {type, name, labels, help},
    METERS(METER_ROW)
#undef METER_ROW
};

static enum err_code declare_requests(struct meters *meters)
{
    CHECK(route_table_count <= MAX_ROUTES);
    for (size_t i = 0; i < (route_table_count + 1) * CLASSES; i++) {
        size_t route = i / CLASSES;
        bool known = route < route_table_count;
        snprintf(meters->labels[i], LABEL_BYTES, "route=\"%s\",method=\"%s\",code=\"%zuxx\"",
                 known ? route_table[route].pattern : "none",
                 !known                                         ? "any"
                 : route_table[route].method == HTTP_METHOD_GET ? "GET"
                                                                : "POST",
                 i % CLASSES + 2);
        if (metrics_declare(meters->schema, METRIC_COUNTER, "askd_http_requests_total",
                            meters->labels[i], "Requests answered, by route and class of status.",
                            &meters->requests[i]) != ERR_OK)
            return ERR_NO_MEMORY;
    }
    return ERR_OK;
}

struct meters *meters_create(void)
{
    struct meters *meters = mem_zalloc(1, sizeof *meters);
    if (meters == NULL)
        return NULL;
    meters->schema = metrics_schema_create();
    enum err_code code = meters->schema == NULL ? ERR_NO_MEMORY : ERR_OK;
    for (size_t i = 0; i < METER_COUNT && code == ERR_OK; i++)
        code = metrics_declare(meters->schema, table[i].type, table[i].name, table[i].labels,
                               table[i].help, &meters->index[i]);
    if (code == ERR_OK)
        code = declare_requests(meters);
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
    mem_free(meters);
}

const struct metrics_schema *meters_schema(const struct meters *meters)
{
    return meters->schema;
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

void meters_observe_ms(const struct meters *meters, struct metrics *values, enum meter meter,
                       uint64_t ms)
{
    metrics_observe_ns(values, meters->index[meter], ms * 1000000);
}

void meters_request(const struct meters *meters, struct metrics *values, size_t route, int status,
                    uint64_t ns)
{
    size_t class = status < 300 ? 0 : status < 400 ? 1 : status < 500 ? 2 : 3;
    metrics_add(values, meters->requests[route * CLASSES + class], 1);
    metrics_observe_ns(values, meters->index[METER_REQUEST_SECONDS], ns);
}

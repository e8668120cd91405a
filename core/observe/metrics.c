/* SPDX-License-Identifier: MIT */
/* core/observe/metrics.c - one array of atomics per worker, indexed by the schema.
 *
 * Happy path: series are declared at start; an update is a relaxed load and store at an index (one
 * writer, so no read-modify-write is needed); a reader sums with relaxed loads.
 * Failure: no memory, or one name declared with two types, both at declaration. */
#include "core/observe/metrics.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "core/base/mem.h"

/* Upper bounds in nanoseconds; the last bucket is +Inf. */
static const struct {
    uint64_t ns;
    const char *seconds;
} buckets[] = {
    {1000000, "0.001"},  {2500000, "0.0025"}, {5000000, "0.005"},  {10000000, "0.01"},
    {25000000, "0.025"}, {50000000, "0.05"},  {100000000, "0.1"},  {250000000, "0.25"},
    {500000000, "0.5"},  {1000000000, "1"},   {2500000000, "2.5"}, {5000000000, "5"},
    {10000000000, "10"}, {30000000000, "30"}, {60000000000, "60"},
};

/* A histogram's cells: one per bucket, +Inf, and the sum in nanoseconds. */
enum { HISTOGRAM_CELLS = countof(buckets) + 2, SUM_CELL = countof(buckets) + 1, GROW = 32 };
enum { NO_SERIES = UINT_MAX };

struct family { /* series of one name, in the order they were declared */
    enum metric_type type;
    bool only_changed;
    const char *name, *help;
    unsigned first, last;
};

struct series {
    const char *labels;
    enum metric_type type;
    unsigned cell; /* its first */
    unsigned next; /* of its family; NO_SERIES: the last */
};

struct metrics_schema {
    struct family *families;
    struct series *series;
    unsigned family_count, family_cap, count, cap, cell_count;
};

struct metrics {
    const struct metrics_schema *schema;
    _Atomic int64_t cells[];
};

struct metrics_schema *metrics_schema_create(void)
{
    return mem_zalloc(1, sizeof(struct metrics_schema));
}

void metrics_schema_destroy(struct metrics_schema *schema)
{
    if (schema == NULL)
        return;
    mem_free(schema->families);
    mem_free(schema->series);
    mem_free(schema);
}

static bool is_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Make room for one more of the objects at *room, of which there are count; false: no memory. */
static bool grow(void **room, unsigned count, unsigned *cap, size_t size)
{
    if (count < *cap)
        return true;
    void *more = mem_resize(*room, (*cap + GROW) * size);
    if (more == NULL)
        return false;
    *room = more;
    *cap += GROW;
    return true;
}

static struct family *find_family(const struct metrics_schema *schema, const char *name)
{
    for (unsigned i = 0; i < schema->family_count; i++)
        if (strcmp(schema->families[i].name, name) == 0)
            return &schema->families[i];
    return NULL;
}

static unsigned find_series(const struct metrics_schema *schema, const struct family *family,
                            const char *labels)
{
    unsigned i = family->first;
    while (i != NO_SERIES && !is_same_text(schema->series[i].labels, labels))
        i = schema->series[i].next;
    return i;
}

/* A new family without series; NULL: no memory. */
static struct family *add_family(struct metrics_schema *schema, enum metric_type type,
                                 const char *name, const char *help)
{
    void *families = schema->families;
    bool ok = grow(&families, schema->family_count, &schema->family_cap, sizeof *schema->families);
    schema->families = families;
    if (!ok)
        return NULL;
    struct family *family = &schema->families[schema->family_count++];
    *family = (struct family){type, false, name, help, NO_SERIES, NO_SERIES};
    return family;
}

static enum err_code add_series(struct metrics_schema *schema, struct family *family,
                                const char *labels, unsigned *index)
{
    void *series = schema->series;
    bool ok = grow(&series, schema->count, &schema->cap, sizeof *schema->series);
    schema->series = series;
    if (!ok)
        return ERR_NO_MEMORY;
    schema->series[schema->count] =
        (struct series){labels, family->type, schema->cell_count, NO_SERIES};
    schema->cell_count += family->type == METRIC_HISTOGRAM ? HISTOGRAM_CELLS : 1;
    if (family->last == NO_SERIES)
        family->first = schema->count;
    else
        schema->series[family->last].next = schema->count;
    family->last = schema->count;
    *index = schema->count++;
    return ERR_OK;
}

enum err_code metrics_declare(struct metrics_schema *schema, enum metric_type type,
                              const char *name, const char *labels, const char *help,
                              unsigned *index)
{
    struct family *family = find_family(schema, name);
    if (family == NULL)
        family = add_family(schema, type, name, help);
    if (family == NULL)
        return ERR_NO_MEMORY;
    if (family->type != type)
        return ERR_INVALID;
    *index = find_series(schema, family, labels);
    return *index == NO_SERIES ? add_series(schema, family, labels, index) : ERR_OK;
}

void metrics_show_changed(struct metrics_schema *schema, const char *name)
{
    struct family *family = find_family(schema, name);
    CHECK(family != NULL);
    family->only_changed = true;
}

struct metrics *metrics_create(const struct metrics_schema *schema)
{
    struct metrics *metrics =
        mem_zalloc(1, sizeof *metrics + schema->cell_count * sizeof metrics->cells[0]);
    if (metrics != NULL)
        metrics->schema = schema;
    return metrics;
}

void metrics_destroy(struct metrics *metrics)
{
    mem_free(metrics);
}

static int64_t load(const struct metrics *metrics, unsigned cell)
{
    return atomic_load_explicit(&metrics->cells[cell], memory_order_relaxed);
}

/* One writer: a plain load and store cannot lose an update. */
static void add(struct metrics *metrics, unsigned cell, int64_t amount)
{
    atomic_store_explicit(&metrics->cells[cell], load(metrics, cell) + amount,
                          memory_order_relaxed);
}

static const struct series *series_at(const struct metrics *metrics, unsigned index)
{
    CHECK(index < metrics->schema->count);
    return &metrics->schema->series[index];
}

void metrics_add(struct metrics *metrics, unsigned index, int64_t amount)
{
    const struct series *series = series_at(metrics, index);
    CHECK(series->type != METRIC_HISTOGRAM);
    add(metrics, series->cell, amount);
}

void metrics_set(struct metrics *metrics, unsigned index, int64_t value)
{
    const struct series *series = series_at(metrics, index);
    CHECK(series->type == METRIC_GAUGE || series->type == METRIC_RATIO);
    atomic_store_explicit(&metrics->cells[series->cell], value, memory_order_relaxed);
}

void metrics_observe_ns(struct metrics *metrics, unsigned index, uint64_t ns)
{
    const struct series *series = series_at(metrics, index);
    CHECK(series->type == METRIC_HISTOGRAM);
    unsigned i = 0;
    while (i < countof(buckets) && ns > buckets[i].ns)
        i++;
    add(metrics, series->cell + i, 1);
    add(metrics, series->cell + SUM_CELL, ns > INT64_MAX ? INT64_MAX : (int64_t)ns);
}

int64_t metrics_get(const struct metrics *metrics, unsigned index)
{
    const struct series *series = series_at(metrics, index);
    if (series->type != METRIC_HISTOGRAM)
        return load(metrics, series->cell);
    int64_t count = 0;
    for (unsigned i = 0; i < SUM_CELL; i++)
        count += load(metrics, series->cell + i);
    return count;
}

static int64_t sum_cells(const struct metrics *const *all, size_t count, unsigned cell)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += load(all[i], cell);
    return sum;
}

static const char *text_or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

static bool has_changed(const struct series *series, const struct metrics *const *all, size_t count)
{
    unsigned cells = series->type == METRIC_HISTOGRAM ? SUM_CELL : 1;
    for (unsigned i = 0; i < cells; i++)
        if (sum_cells(all, count, series->cell + i) != 0)
            return true;
    return false;
}

static void write_histogram(const char *name, const struct series *series,
                            const struct metrics *const *all, size_t count, struct buf *out)
{
    const char *labels = text_or_empty(series->labels);
    const char *comma = labels[0] == '\0' ? "" : ",";
    const char *open = labels[0] == '\0' ? "" : "{", *close = labels[0] == '\0' ? "" : "}";
    int64_t below = 0;
    for (unsigned i = 0; i <= countof(buckets); i++) {
        below += sum_cells(all, count, series->cell + i);
        buf_printf(out, "%s_bucket{%s%sle=\"%s\"} %lld\n", name, labels, comma,
                   i < countof(buckets) ? buckets[i].seconds : "+Inf", (long long)below);
    }
    double seconds = (double)sum_cells(all, count, series->cell + SUM_CELL) / 1e9;
    buf_printf(out, "%s_sum%s%s%s %.9g\n", name, open, labels, close, seconds);
    buf_printf(out, "%s_count%s%s%s %lld\n", name, open, labels, close, (long long)below);
}

static void write_series(const char *name, const struct series *series,
                         const struct metrics *const *all, size_t count, struct buf *out)
{
    if (series->type == METRIC_HISTOGRAM) {
        write_histogram(name, series, all, count, out);
        return;
    }
    int64_t value = sum_cells(all, count, series->cell);
    buf_push(out, str_of(name));
    if (series->labels != NULL && series->labels[0] != '\0')
        buf_printf(out, "{%s}", series->labels);
    if (series->type == METRIC_RATIO)
        buf_printf(out, " %.6g\n", (double)value / 1e6 / (double)size_max(count, 1));
    else
        buf_printf(out, " %lld\n", (long long)value);
}

void metrics_write(const struct metrics_schema *schema, const struct metrics *const *all,
                   size_t count, struct buf *out)
{
    static const char *const types[] = {"counter", "gauge", "gauge", "histogram"};
    for (unsigned i = 0; i < schema->family_count; i++) {
        const struct family *family = &schema->families[i];
        buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", family->name, family->help, family->name,
                   types[family->type]);
        for (unsigned j = family->first; j != NO_SERIES; j = schema->series[j].next)
            if (!family->only_changed || has_changed(&schema->series[j], all, count))
                write_series(family->name, &schema->series[j], all, count, out);
    }
}

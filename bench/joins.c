/* SPDX-License-Identifier: MIT */
/* bench/joins.c - what join paths cost at the seed's size: 122 tables, 1,801 relationships.
 *
 * bench_joins [GRAPH.json]: loading and normalising, every pair, plans over 3 to 8 tables, and the
 * same question again; then the same of the graph 16 times side by side. Without a file it makes a
 * graph up. Times are the thread's CPU time, so that neighbours on the machine do not count. The
 * seed allows 100 ms a query. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>

#include "agents/sql/joins/join_path.h"
#include "bench/samples.h"
#include "core/base/mem.h"
#include "proto/json_value.h"
#include "proto/json_write.h"
#include "tests/unit/joins/crew.h"

enum {
    LOADS = 20,
    PLANS = 1000,
    REPEATS = 1000,
    FILE_BYTES = 64 << 20,
    READ_BYTES = 64 << 10,
    FOLD = 16,
    FOLD_STEP = 97,
    NAME_BYTES = 512
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void show(const char *name, const struct samples *samples)
{
    printf("%-22s n %7" PRIu64 "  p50 %9.2f us  p99 %9.2f us\n", name, samples->count,
           samples_us(samples, 0.5), samples_us(samples, 0.99));
}

static bool read_file(const char *path, struct buf *out)
{
    FILE *file = fopen(path, "rb");
    size_t got = 0;
    if (file == NULL)
        return false;
    do {
        char *room = buf_reserve(out, READ_BYTES);
        if (room == NULL)
            break;
        got = fread(room, 1, READ_BYTES, file);
        buf_commit(out, got);
    } while (got > 0);
    fclose(file);
    return buf_ok(out);
}

static struct join_graph *load(struct str json)
{
    struct samples samples = {.count = 0};
    struct join_graph *graph = NULL;
    struct err err = {0};
    for (int i = 0; i < LOADS; i++) {
        join_graph_destroy(graph);
        graph = NULL;
        uint64_t begin = now_ns();
        if (join_graph_from_json(json, &graph, &err) != ERR_OK) {
            fprintf(stderr, "bench_joins: %s\n", err.text);
            return NULL;
        }
        samples_add(&samples, now_ns() - begin);
    }
    printf("tables %zu, relationships given %zu, normalised %zu\n", join_graph_table_count(graph),
           join_graph_given_count(graph), join_graph_edge_count(graph));
    show("load and normalise", &samples);
    return graph;
}

/* Every step-th table to all after it. */
static void run_pairs(struct join_finder *finder, int tables, int step)
{
    struct samples samples = {.count = 0};
    size_t hops[16] = {0}, none = 0;
    struct join_plan plan;
    struct err err;
    for (int a = 0; a < tables; a += step) {
        for (int b = a + 1; b < tables; b++) {
            uint64_t begin = now_ns();
            enum err_code code = join_path_find(finder, a, b, NULL, 0, &plan, &err);
            samples_add(&samples, now_ns() - begin);
            if (code == ERR_OK)
                hops[plan.step_count]++;
            else
                none++;
        }
    }
    show("every pair", &samples);
    printf("  by hops:");
    for (size_t h = 1; h < countof(hops) && h <= 4; h++)
        printf(" %zu: %zu", h, hops[h]);
    printf("; none: %zu\n", none);
}

static void run_plans(struct join_finder *finder, int tables, size_t terminals)
{
    struct samples samples = {.count = 0};
    struct crew random = {NULL, terminals, 0};
    struct join_plan plan;
    struct err err;
    char name[32];
    for (int i = 0; i < PLANS; i++) {
        int chosen[JOIN_PATH_MAX_TABLES];
        for (size_t k = 0; k < terminals; k++)
            chosen[k] = (int)crew_random(&random, (unsigned)tables);
        uint64_t begin = now_ns();
        enum err_code code = join_path_plan(finder, chosen, terminals, NULL, 0, &plan, &err);
        if (code == ERR_OK)
            samples_add(&samples, now_ns() - begin);
    }
    snprintf(name, sizeof name, "plan over %zu", terminals);
    show(name, &samples);
}

static void run_repeats(struct join_finder *finder, int tables)
{
    struct samples samples = {.count = 0};
    struct join_plan plan;
    struct err err;
    for (int b = 1; b < tables && b < 64; b++) {
        if (join_path_find(finder, 0, b, NULL, 0, &plan, &err) != ERR_OK)
            continue;
        uint64_t begin = now_ns();
        for (int i = 0; i < REPEATS; i++) {
            if (join_path_find(finder, 0, b, NULL, 0, &plan, &err) != ERR_OK)
                break;
        }
        samples_add(&samples, (now_ns() - begin) / REPEATS);
    }
    show("the same again", &samples);
}

/* Append a name with the copy's number before it. */
static void put_name(struct json_write *writer, int copy, struct str name)
{
    char text[NAME_BYTES];
    int len = snprintf(text, sizeof text, "c%d_%.*s", copy, STR_ARG(name));
    json_write_str(writer, str_make(text, size_min((size_t)len, sizeof text - 1)));
}

static void put_copy(struct json_write *writer, int copy, const struct json_value *edge)
{
    json_write_object(writer);
    JSON_EACH(member, edge) {
        bool names = str_equal(member->key, STR("from_table")) ||
                     str_equal(member->key, STR("to_table")) ||
                     str_equal(member->key, STR("through"));
        json_write_key(writer, member->key);
        if (names && member->type == JSON_STRING)
            put_name(writer, copy, member->text);
        else
            json_value_write(member, writer);
    }
    json_write_object_end(writer);
}

/* The graph FOLD times over, side by side. False: not a graph, or no memory. */
static bool fold_out(struct str json, struct buf *out)
{
    struct arena arena;
    struct json_write writer;
    struct err err = {0};
    arena_init(&arena, FILE_BYTES * (size_t)4);
    const struct json_value *root = json_value_parse(&arena, json, NULL, &err);
    const struct json_value *tables = json_value_member(root, STR("tables"));
    const struct json_value *edges = json_value_member(root, STR("relationships"));
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_key(&writer, STR("tables"));
    json_write_object(&writer);
    for (int copy = 0; copy < FOLD && tables != NULL; copy++) {
        JSON_EACH(table, tables) {
            char text[NAME_BYTES];
            int len = snprintf(text, sizeof text, "c%d_%.*s", copy, STR_ARG(table->key));
            json_write_key(&writer, str_make(text, size_min((size_t)len, sizeof text - 1)));
            json_value_write(table, &writer);
        }
    }
    json_write_object_end(&writer);
    json_write_key(&writer, STR("relationships"));
    json_write_array(&writer);
    for (int copy = 0; copy < FOLD && edges != NULL; copy++) {
        JSON_EACH(edge, edges)
            put_copy(&writer, copy, edge);
    }
    json_write_array_end(&writer);
    json_write_object_end(&writer);
    arena_fini(&arena);
    return edges != NULL && buf_ok(out);
}

/* All figures of one graph; plans are over tables of the first reach. False: it does not load. */
static bool run(const char *title, struct str json, int step, int reach)
{
    printf("%s\n", title);
    struct join_graph *graph = load(json);
    struct join_finder *finder = graph == NULL ? NULL : join_finder_create(graph, NULL);
    if (finder != NULL) {
        int tables = (int)join_graph_table_count(graph);
        run_pairs(finder, tables, step);
        for (size_t terminals = 3; terminals <= JOIN_PATH_MAX_TABLES; terminals++)
            run_plans(finder, reach < tables ? reach : tables, terminals);
        run_repeats(finder, tables);
    }
    join_finder_destroy(finder);
    join_graph_destroy(graph);
    return finder != NULL;
}

int main(int argc, char **argv)
{
    struct buf json, folded;
    buf_init(&json, FILE_BYTES);
    buf_init(&folded, FILE_BYTES);
    if (argc > 1 && !read_file(argv[1], &json)) {
        fprintf(stderr, "bench_joins: %s cannot be read\n", argv[1]);
        return 1;
    }
    if (argc == 1)
        crew_write(&json, 1);
    bool ran = run("one graph", buf_str(&json), 1, INT_MAX);
    ran = ran && fold_out(buf_str(&json), &folded) &&
          run("the graph 16 times side by side", buf_str(&folded), FOLD_STEP, CREW_TABLES);
    buf_fini(&json);
    buf_fini(&folded);
    return !ran;
}

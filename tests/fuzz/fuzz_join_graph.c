/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_join_graph.c - any bytes as a join-graph file: refused or read, written, read
 * again, from then on to the same text (the counts of the first say what was folded), and searched.
 */
#include "agents/sql/joins/join_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_BYTES = 1 << 22, MOST_TABLES = 64 };

static struct join_graph *read_again(const struct join_graph *graph, struct buf *text)
{
    struct join_graph *again = NULL;
    struct err err = {0};
    buf_init(text, TEXT_BYTES);
    join_graph_write(graph, text);
    if (buf_ok(text))
        CHECK(join_graph_from_json(buf_str(text), &again, &err) == ERR_OK);
    return again;
}

static void search(const struct join_graph *graph)
{
    size_t count = join_graph_table_count(graph);
    if (count == 0 || count > MOST_TABLES)
        return;
    struct join_finder *finder = join_finder_create(graph, NULL);
    struct join_plan plan;
    struct err err = {0};
    int tables[JOIN_PATH_MAX_TABLES];
    CHECK(finder != NULL);
    for (size_t i = 0; i < JOIN_PATH_MAX_TABLES; i++)
        tables[i] = (int)(i * 7 % count);
    for (size_t i = 1; i <= 4; i++) {
        if (join_path_plan(finder, tables, i, NULL, 0, &plan, &err) == ERR_OK)
            CHECK(plan.step_count <= JOIN_PATH_MAX_EDGES);
    }
    join_finder_destroy(finder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct join_graph *graph = NULL;
    struct err err = {0};
    if (join_graph_from_json(str_make((const char *)data, size), &graph, &err) != ERR_OK) {
        CHECK(err.text[0] != '\0');
        return 0;
    }
    struct buf text, again_text, last_text;
    struct join_graph *again = read_again(graph, &text);
    if (again != NULL) {
        struct join_graph *last = read_again(again, &again_text);
        if (last != NULL) {
            join_graph_destroy(read_again(last, &last_text));
            CHECK(str_equal(buf_str(&again_text), buf_str(&last_text)));
            buf_fini(&last_text);
        }
        join_graph_destroy(last);
        buf_fini(&again_text);
    }
    search(graph);
    join_graph_destroy(again);
    buf_fini(&text);
    join_graph_destroy(graph);
    return 0;
}

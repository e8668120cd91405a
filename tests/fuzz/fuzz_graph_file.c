/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_graph_file.c - any bytes as a graph's file: refused with its place, or a
 * definition that graph_compile takes or refuses with a reason. */
#include "agents/graph_files/graph_file.h"
#include "agents/graphs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct registry_entry *find(void *owner UNUSED, struct str name, uint64_t *hash UNUSED,
                                         struct err *err)
{
    for (size_t i = 0; i < GRAPHS_COUNT; i++)
        if (str_equal(name, str_of(graphs_entries[i]->def->name)))
            return graphs_entries[i];
    err_set(err, ERR_NOT_FOUND, "there is no graph '%.*s'", STR_ARG(name));
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct graph_file *file = NULL;
    struct graph *graph = NULL;
    struct err err = {0};
    const struct graph_file_world world = {.find = find};
    if (graph_file_read("f", str_make((const char *)data, size), &world, &file, &err) != ERR_OK) {
        CHECK(err.text[0] != '\0' && file == NULL);
        return 0;
    }
    const struct graph_def *def = graph_file_entry(file)->def;
    CHECK(graph_compile(def, NULL, 0, &graph, &err) == ERR_OK || err.text[0] != '\0');
    graph_destroy(graph);
    graph_file_destroy(file);
    return 0;
}

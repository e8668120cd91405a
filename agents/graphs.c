/* SPDX-License-Identifier: MIT */
/* agents/graphs.c - the table of graphs, made from agents/graphs.inc. */
#include "agents/graphs.h"

#include "agents/sql/joins/join_graph_review.h"

#define GRAPH(name) extern const struct registry_entry name##_entry;
#include "agents/graphs.inc"
#undef GRAPH

const struct registry_entry *const graphs_entries[GRAPHS_COUNT] = {
#define GRAPH(name) &name##_entry,
#include "agents/graphs.inc"
#undef GRAPH
};

enum err_code graphs_load_prompts(const char *dir, struct prompt_set **out, struct err *err)
{
    struct prompt_list lists[GRAPHS_COUNT + 1];
    for (size_t i = 0; i < GRAPHS_COUNT; i++)
        lists[i] =
            (struct prompt_list){graphs_entries[i]->prompts, graphs_entries[i]->prompt_count};
    lists[GRAPHS_COUNT] = (struct prompt_list){&join_graph_review_prompt, 1};
    return prompt_set_load(dir, lists, countof(lists), out, err);
}

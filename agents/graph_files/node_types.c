/* SPDX-License-Identifier: MIT */
/* agents/graph_files/node_types.c - the list of node types. */
#include "agents/graph_files/node_types.h"

static const struct node_type *const types[] = {
    &type_ask_node,
    &type_agent_node,
    &type_graph_sql_node,
    &type_check_sql_node,
    &type_check_sql_run_node,
    &type_search_node,
    &type_gather_node,
    &type_call_http_node,
    &type_call_mcp_node,
    &type_set_node,
    &type_set_branch_node,
    &type_interrupt_node,
    &type_graph_node,
    &type_map_node,
    &type_answer_node,
    &type_memory_recall_node,
    &type_memory_remember_node,
};

const struct node_type *node_types_find(struct str name)
{
    for (size_t i = 0; i < countof(types); i++)
        if (str_equal(name, str_of(types[i]->name)))
            return types[i];
    return NULL;
}

void node_types_write(struct buf *out)
{
    for (size_t i = 0; i < countof(types); i++)
        buf_printf(out, "%s%s", i > 0 ? ", " : "", types[i]->name);
}

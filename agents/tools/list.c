/* SPDX-License-Identifier: MIT */
/* agents/tools/list.c - the table of tools, made from agents/tools/tools.inc, and those beside it.
 *
 * Happy path: the built-in tools in the order of their names, then verified statements, then
 * those outside, then the client's; of two with one name the first counts. Failure: no memory;
 * more than a model is shown are left out. */
#include "agents/tools/list.h"

#include "agents/tools/client.h"
#include "agents/tools/remote.h"
#include "agents/tools/verified.h"

enum { MOST_PICKED = 128 };

#define TOOL(name) extern const struct tool tools_##name;
#include "agents/tools/tools.inc"
#undef TOOL

static const struct tool *const all[] = {
#define TOOL(name) &tools_##name,
#include "agents/tools/tools.inc"
#undef TOOL
    NULL};

const struct tool *tools_list_find(struct str name)
{
    return tools_call_find(all, name);
}

void tools_list_write(struct buf *out)
{
    for (size_t i = 0; all[i] != NULL; i++)
        buf_printf(out, "%s%s", i > 0 ? ", " : "", all[i]->name);
}

void tools_list_learn(struct node *node, struct remote_learn *learn)
{
    if (services(node)->remote != NULL)
        remote_learn_start(learn, services(node)->remote, node_waiter(node));
}

struct picked {
    const struct tool **at;
    size_t count;
};

static void pick(struct picked *picked, const struct tool *tool)
{
    if (picked->count < MOST_PICKED && tools_call_find(picked->at, str_of(tool->name)) == NULL)
        picked->at[picked->count++] = tool;
}

static void pick_built_in(struct node *node, const char *const *names, struct picked *picked)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        const struct tool *tool = tools_call_find(all, str_of(names[i]));
        if (tool != NULL &&
            (tool->is_there == NULL || tool->is_there(services(node), knowledge(node))))
            pick(picked, tool);
    }
}

static bool is_named(struct str name, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        struct str pattern = str_of(names[i]);
        bool is_open = str_ends_with(pattern, STR("*"));
        if (is_open ? str_starts_with(name, str_slice(pattern, 0, pattern.len - 1))
                    : str_equal(name, pattern))
            return true;
    }
    return false;
}

/* False: no memory. */
static bool pick_remote(struct node *node, const char *const *names, struct picked *picked)
{
    struct arena *arena = node_arena(node);
    struct str rest = str_of(graph_def(node_graph(node))->name);
    struct str graph = str_split(&rest, '.'); /* an agent of a file is "GRAPH.NODE" */
    size_t count = 0;
    const struct remote_tool *at =
        services(node)->remote == NULL ? NULL : remote_list(services(node)->remote, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_named(at[i].name, names) && !tools_remote_is_for(&at[i], graph))
            continue;
        struct tool *tool = arena_alloc(arena, sizeof *tool);
        if (tool == NULL || !tools_remote_make(&at[i], arena, tool))
            return false;
        pick(picked, tool);
    }
    return true;
}

/* Verified statements, for agents that may send statements at all. False: no memory. */
static bool pick_verified(struct node *node, struct picked *picked)
{
    const struct semantic *semantic = knowledge(node)->semantic;
    struct arena *arena = node_arena(node);
    if (semantic == NULL || tools_call_find(picked->at, STR("run_sql")) == NULL)
        return true;
    for (size_t i = 0; i < semantic->verified_count; i++) {
        if (!semantic->verified[i].callable)
            continue;
        struct tool *tool = arena_alloc(arena, sizeof *tool);
        if (tool == NULL || !tools_verified_make(&semantic->verified[i], arena, tool))
            return false;
        pick(picked, tool);
    }
    return true;
}

static bool pick_client(struct node *node, struct picked *picked)
{
    const struct tool *tools;
    size_t count;
    if (!tools_client_make(node_session(node)->client_tools, node_arena(node), &tools, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        pick(picked, &tools[i]);
    return true;
}

/* A person is asked about each of those that asking names. False: no memory. */
static bool mark_asking(struct node *node, const char *const *asking, struct picked *picked)
{
    for (size_t i = 0; asking != NULL && i < picked->count; i++) {
        if (picked->at[i]->asks || !is_named(str_of(picked->at[i]->name), asking))
            continue;
        struct tool *tool = arena_alloc(node_arena(node), sizeof *tool);
        if (tool == NULL)
            return false;
        *tool = *picked->at[i];
        tool->asks = true;
        picked->at[i] = tool;
    }
    return true;
}

const struct tool *const *tools_list_pick(struct node *node, const struct tools_wanted *wanted)
{
    struct picked picked = {
        .at = arena_array(node_arena(node), MOST_PICKED + 1, sizeof(struct tool *))};
    if (picked.at == NULL)
        return NULL;
    for (size_t i = 0; wanted->own != NULL && wanted->own[i] != NULL; i++)
        pick(&picked, wanted->own[i]);
    pick_built_in(node, wanted->names, &picked);
    bool is_fine = pick_verified(node, &picked) && pick_remote(node, wanted->names, &picked) &&
                   mark_asking(node, wanted->asking, &picked) &&
                   (!wanted->with_client || pick_client(node, &picked));
    return is_fine ? picked.at : NULL;
}

const struct llm_tool *tools_list_offer(const struct tool *const *tools, struct arena *arena,
                                        size_t *count)
{
    struct llm_tool *offered = arena_array(arena, MOST_PICKED + 1, sizeof *offered);
    *count = 0;
    for (size_t i = 0; offered != NULL && tools[i] != NULL; i++)
        offered[(*count)++] = (struct llm_tool){
            str_of(tools[i]->name), str_of(tools[i]->description), str_of(tools[i]->parameters)};
    return offered;
}

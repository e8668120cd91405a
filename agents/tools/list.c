/* SPDX-License-Identifier: MIT */
/* agents/tools/list.c - the table of tools, made from agents/tools/tools.inc. */
#include "agents/tools/list.h"

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

const struct tool *const *tools_list_pick(const char *const *names, const struct services *has,
                                          const struct knowledge *knows, struct arena *arena)
{
    const struct tool **picked = arena_array(arena, countof(all), sizeof *picked);
    size_t count = 0;
    for (size_t i = 0; picked != NULL && names[i] != NULL; i++) {
        const struct tool *tool = tools_call_find(all, str_of(names[i]));
        CHECK(tool != NULL && count + 1 < countof(all));
        if (tool->is_there == NULL || tool->is_there(has, knows))
            picked[count++] = tool;
    }
    return picked;
}

const struct llm_tool *tools_list_offer(const struct tool *const *tools, struct arena *arena,
                                        size_t *count)
{
    struct llm_tool *offered = arena_array(arena, countof(all), sizeof *offered);
    *count = 0;
    for (size_t i = 0; offered != NULL && tools[i] != NULL; i++)
        offered[(*count)++] = (struct llm_tool){
            str_of(tools[i]->name), str_of(tools[i]->description), str_of(tools[i]->parameters)};
    return offered;
}

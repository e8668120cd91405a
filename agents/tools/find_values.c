/* SPDX-License-Identifier: MIT */
/* agents/tools/find_values.c - the tool that finds where words of a question stand as values: which
 * column, and how the database spells them. Values of other companies are none. */
#include "agents/lexicon/mentioned.h"
#include "agents/search/rank.h"
#include "agents/tools/call.h"

enum { MOST_FOUND = 40, TEXT_BYTES = 32 * 1024, WORK_BYTES = 4 << 20 };

static void write_found(const struct knowledge *knows, const struct lexicon_mentioned *found,
                        struct buf *out)
{
    const struct catalog_table *table = &knows->catalog->tables[found->table];
    if (table->columns[found->column].hidden)
        return;
    catalog_push_name(knows->catalog, found->table, out);
    buf_printf(out, ".%.*s has '%.*s'\n", STR_ARG(table->columns[found->column].name),
               STR_ARG(found->value));
}

static void start(struct tool_call *call)
{
    const struct knowledge *knows = knowledge(call->node);
    struct lexicon_mentioned found[MOST_FOUND];
    struct arena arena;
    struct buf out;
    if (knows->catalog == NULL || knows->lexicon == NULL) {
        tools_call_fail(call, "The values of the database are not known here: look with run_sql.");
        return;
    }
    const struct lexicon seen =
        lexicon_index_seen_by(knows->lexicon, node_session(call->node)->caller.company_id);
    arena_init(&arena, WORK_BYTES);
    buf_init(&out, TEXT_BYTES);
    int *tables = arena_array(&arena, knows->catalog->table_count + 1, sizeof *tables);
    size_t count = 0;
    for (size_t i = 0; tables != NULL && i < knows->catalog->table_count; i++)
        if (search_rank_is_visible(&knows->catalog->tables[i]))
            tables[count++] = (int)i;
    size_t found_count = lexicon_mentioned_in(&seen, tools_call_str(call, STR("text")), tables,
                                              count, &arena, found, MOST_FOUND);
    for (size_t i = 0; i < found_count; i++)
        write_found(knows, &found[i], &out);
    if (buf_len(&out) > 0 && buf_ok(&out))
        tools_call_done(call, buf_str(&out));
    else
        tools_call_done(call, STR("No column that is indexed has these words as a value; a "
                                  "statement with LIKE may still find them."));
    buf_fini(&out);
    arena_fini(&arena);
}

static bool is_there(const struct services *has, const struct knowledge *knows)
{
    return has->sql != NULL && knows->lexicon != NULL;
}

const struct tool tools_find_values = {
    .name = "find_values",
    .description = "Finds which columns hold the words of a text as values, and how the database "
                   "spells them: names of people, products, states, places.",
    .parameters = "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\","
                  "\"minLength\":1,\"maxLength\":1000}},\"required\":[\"text\"],"
                  "\"additionalProperties\":false}",
    .start = start,
    .is_there = is_there,
};

/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/whole.c - all visible tables as one text, when it is short.
 *
 * Happy path: the tables are counted, written into a text of limited size, and the relationships
 * among them listed. Failure: too many tables or too long a text: the schema is not small, and
 * every result is empty. */
#include "agents/sql_agent/whole.h"

#include "agents/nodes/facts.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/values.h"
#include "agents/search/rank.h"
#include "agents/sql/joins/join_graph.h"

enum { RELATIONSHIPS_BYTES = 16 * 1024 };

size_t sql_agent_whole_tables(struct node *node, int *tables)
{
    const struct catalog *catalog = knowledge(node)->catalog;
    size_t count = 0;
    for (size_t i = 0; catalog != NULL && i < catalog->table_count; i++) {
        if (!search_rank_is_visible(&catalog->tables[i]))
            continue;
        if (count == SQL_AGENT_WHOLE_TABLES)
            return 0;
        tables[count++] = (int)i;
    }
    return count;
}

struct str sql_agent_whole_schema(struct node *node, struct str question)
{
    int tables[SQL_AGENT_WHOLE_TABLES];
    struct buf out;
    size_t count, limit = services(node)->limits->sql_whole_schema_bytes;
    if (limit == 0 || (count = sql_agent_whole_tables(node, tables)) == 0)
        return STR("");
    buf_init(&out, limit);
    schema_text_write(knowledge(node), question, tables, count,
                      services(node)->limits->sql_max_columns_in_schema, facts_today(node), &out);
    struct str text = buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : STR("");
    buf_fini(&out);
    return str_is_absent(text) ? STR("") : text;
}

bool sql_agent_whole_fits(struct node *node, struct str question)
{
    return sql_agent_whole_schema(node, question).len > 0;
}

struct str sql_agent_whole_relationships(struct node *node, struct str question)
{
    const struct knowledge *knows = knowledge(node);
    const struct limits *limits = services(node)->limits;
    const struct schema_text_words words = schema_text_words(question);
    size_t left = limits->sql_max_relationships_in_prompt;
    struct buf out;
    buf_init(&out, RELATIONSHIPS_BYTES);
    for (size_t i = 0; knows->joins != NULL && i < join_graph_edge_count(knows->joins); i++) {
        const struct join_edge *edge = join_graph_edge(knows->joins, i);
        const int ends[] = {edge->from_table, edge->to_table};
        bool is_shown = left > 0 && edge->confidence >= limits->sql_confidence_threshold &&
                        !schema_text_omits_edge(&words, edge);
        for (size_t k = 0; k < countof(ends) && is_shown; k++) {
            int table =
                catalog_find_dotted(knows->catalog, join_graph_table_name(knows->joins, ends[k]));
            is_shown =
                table != CATALOG_NONE && search_rank_is_visible(&knows->catalog->tables[table]);
        }
        if (!is_shown)
            continue;
        left--;
        buf_push(&out, STR("- "));
        join_graph_write_edge(knows->joins, edge, &out);
        buf_push_char(&out, '\n');
    }
    struct str text = buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : STR("");
    buf_fini(&out);
    return str_is_absent(text) ? STR("") : text;
}

struct str sql_agent_whole_values(struct node *node, struct str question)
{
    int tables[SQL_AGENT_WHOLE_TABLES];
    return values_write(node, tables, sql_agent_whole_tables(node, tables), question);
}

struct str sql_agent_whole_examples(struct node *node, struct str question)
{
    int tables[SQL_AGENT_WHOLE_TABLES];
    return schema_text_examples(node, question, tables, sql_agent_whole_tables(node, tables));
}

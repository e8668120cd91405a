/* SPDX-License-Identifier: MIT */
/* agents/nodes/chart.c - rows to a table, a table to a chart, a chart to JSON.
 *
 * Happy path: all of it in an arena of its own, whose only survivor is the text.
 * Failure: no rows or no memory: no chart. */
#include "agents/nodes/chart.h"

#include "agents/charts/accept.h"
#include "agents/charts/chartjs.h"
#include "agents/lexicon/describe_names.h"
#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/parse/parse.h"
#include "proto/json_value.h"

enum { CHART_ARENA = 64 << 20, CHART_WORDS = 1024 };

/* Copy the chart out of its arena, which ends here. */
static struct str finish(struct node *node, const struct charts_spec *spec, struct arena *arena)
{
    struct str chart = {NULL, 0};
    if (spec != NULL)
        chart = arena_str(node_arena(node), charts_chartjs_chart(spec, arena));
    arena_fini(arena);
    return chart;
}

/* The table whose rows the expression names; CATALOG_NONE: it is no name of rows. */
static int named_table(const struct lexicon *lexicon, const struct sql_parse *written,
                       const struct sql_expr *expr)
{
    const struct sql_column_ref *ref = expr == NULL ? NULL : sql_parse_column_at(written, expr);
    const int table = ref == NULL ? CATALOG_NONE : written->tables[ref->table_ref].table;
    bool is_name = table != CATALOG_NONE && ref->column != CATALOG_NONE &&
                   lexicon_index_is_label(lexicon, table, ref->column);
    return is_name ? table : CATALOG_NONE;
}

/* Say of columns that name rows what these are. False: no memory. */
static bool say_what_is_named(struct node *node, const struct sql_parse *written,
                              struct arena *arena, struct charts_table *table)
{
    const struct lexicon *lexicon = knowledge(node)->lexicon;
    if (written == NULL || lexicon == NULL ||
        written->tree->branches->item_count != table->column_count)
        return true;
    struct charts_column *columns = arena_array(arena, table->column_count, sizeof *columns);
    const struct sql_item *item = written->tree->branches->items;
    for (size_t i = 0; columns != NULL && i < table->column_count; i++) {
        const int named = item == NULL ? CATALOG_NONE : named_table(lexicon, written, item->expr);
        struct buf words;
        columns[i] = table->columns[i];
        item = item == NULL ? NULL : item->next;
        if (named == CATALOG_NONE)
            continue;
        buf_init(&words, CHART_WORDS);
        lexicon_describe_table(lexicon, named, false, &words);
        if (buf_ok(&words))
            columns[i].of = arena_str(arena, buf_str(&words));
        buf_fini(&words);
    }
    table->columns = columns;
    return columns != NULL && arena_ok(arena);
}

struct str chart_of_result(struct node *node, const struct sql_result *result,
                           const struct sql_parse *written, struct str question)
{
    struct arena arena;
    struct charts_table table;
    const struct charts_spec *spec = NULL;
    if (result->row_count == 0)
        return (struct str){NULL, 0};
    arena_init(&arena, CHART_ARENA);
    if (charts_table_of_result(result, &arena, &table) &&
        say_what_is_named(node, written, &arena, &table))
        spec = charts_choose_spec(&(struct charts_request){.table = &table, .question = question},
                                  &arena);
    return finish(node, spec, &arena);
}

/* The table in run_sql's JSON; false: no rows. */
static bool read_result(struct str json, struct arena *arena, struct charts_table *table)
{
    const struct json_value *result = json_value_parse(arena, json, NULL, NULL);
    const struct json_value *truncated = json_value_member(result, STR("truncated"));
    if (!charts_table_read(json_value_member(result, STR("columns")),
                           json_value_member(result, STR("rows")), arena, table))
        return false;
    table->is_truncated = truncated != NULL && truncated->boolean;
    return table->row_count > 0;
}

struct str chart_of_suggestion(struct node *node, unsigned result_slot, struct str question,
                               struct str suggested, const char **name)
{
    struct arena arena;
    struct charts_table table;
    const struct charts_spec *spec = NULL;
    *name = charts_spec_type_name(CHARTS_TYPE_TABLE);
    arena_init(&arena, CHART_ARENA);
    if (read_result(node_str(node, result_slot), &arena, &table))
        spec = charts_accept_spec(&(struct charts_request){.table = &table, .question = question},
                                  suggested, &arena);
    if (spec != NULL)
        *name = charts_spec_banking_name(spec);
    return finish(node, spec, &arena);
}

static struct str known_type(struct str word)
{
    static const char *const types[] = {"bar", "line", "pie", "table", "metric", "doughnut"};
    for (size_t i = 0; i < countof(types); i++)
        if (str_equal_nocase(word, str_of(types[i])))
            return str_of(types[i]);
    return STR("table");
}

struct str chart_of_word(struct node *node, unsigned result_slot, struct str question,
                         struct str word, const char **name)
{
    return chart_of_suggestion(node, result_slot, question, known_type(word), name);
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/pieces.c - rows that are of several pieces each: a count of rows where pieces
 * are asked for, and a mean of prices in which one piece counts as much as a hundred.
 *
 * Happy path: the statement looks at the number of pieces. Failure: none. */
#include "agents/sql/doubts/look.h"

enum { NOUN = 3, MOST_BETWEEN = 8 }; /* words behind "how many"; and up to the verb */

struct calls {
    struct sql_tree_walk walk;
    const struct sql_doubts_look *look;
    const struct sql_expr *counts, *means; /* COUNT(*); AVG of a price */
    size_t aggregates;
};

static bool is_price(const struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    return sql_doubts_column(look, ref) != NULL &&
           sql_doubts_ends_as(look, ref->name, SQL_DOUBTS_RATE);
}

static void on_call(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct calls *calls = container_of(walk, struct calls, walk);
    if (!sql_doubts_is_aggregate(calls->look, expr))
        return;
    calls->aggregates++;
    if (str_equal(expr->call->name, STR("count")) && expr->call->star)
        calls->counts = expr;
    if (str_equal(expr->call->name, STR("avg")) && expr->children != NULL &&
        is_price(calls->look, sql_parse_column_at(calls->look->parse, expr->children)))
        calls->means = expr;
}

/* The first table of the statement whose rows say how many they are of, which the statement does
 * not look at; -1: none, or it does. */
static int find_pieces(const struct sql_doubts_look *look, int *column)
{
    for (size_t i = 0; i < look->parse->table_count; i++) {
        const int table = look->parse->tables[i].table;
        *column = table == CATALOG_NONE ? CATALOG_NONE
                                        : sql_doubts_number_of(look, table, SQL_DOUBTS_PIECES);
        if (*column != CATALOG_NONE)
            return sql_doubts_uses(look, table, *column) ? -1 : table;
    }
    return -1;
}

/* "how many bike hires have we sold": not "how many charges", which are the rows. */
static bool asks_pieces(const struct sql_doubts_look *look, int table)
{
    const struct sql_said *said = &look->said;
    const struct sql_doubts_name rows = sql_doubts_name_of(look, table, CATALOG_NONE);
    for (size_t at = 0; at < said->word_count; at++) {
        const size_t behind = at + sql_said_phrase(said, at, SQL_DOUBTS_HOW_MANY, NULL);
        bool is_of_rows = behind == at, is_sold = false;
        for (size_t k = behind; k < said->word_count && k < behind + MOST_BETWEEN; k++) {
            is_of_rows = is_of_rows ||
                         (k < behind + NOUN && sql_doubts_name_has(&rows, said->words[k].text));
            is_sold = is_sold || sql_said_phrase(said, k, SQL_DOUBTS_SOLD, NULL) > 0;
        }
        if (is_sold && !is_of_rows)
            return true;
    }
    return false;
}

static void say_count(struct sql_doubts_look *look, const struct catalog_table *table, int column)
{
    sql_doubts_say(look, "pieces",
                   arena_printf(look->source->arena,
                                "COUNT(*) counts rows of %.*s, of which each is of %.*s; write "
                                "SUM(%.*s) for how many there are",
                                STR_ARG(table->name), STR_ARG(table->columns[column].name),
                                STR_ARG(table->columns[column].name)),
                   arena_printf(look->source->arena,
                                "rows of %.*s were counted, whatever their %.*s is",
                                STR_ARG(table->name), STR_ARG(table->columns[column].name)));
}

static void say_mean(struct sql_doubts_look *look, const struct sql_expr *expr,
                     const struct catalog_table *table, int column)
{
    struct str text = sql_doubts_text(look, expr->span),
               price = sql_doubts_text(look, expr->children->span),
               pieces = table->columns[column].name;
    sql_doubts_say(look, "unweighted",
                   arena_printf(look->source->arena,
                                "%.*s takes each row of %.*s alike, and a row is of %.*s; for one "
                                "piece write 1.0 * SUM(%.*s * %.*s) / SUM(%.*s)",
                                STR_ARG(text), STR_ARG(table->name), STR_ARG(pieces),
                                STR_ARG(price), STR_ARG(pieces), STR_ARG(pieces)),
                   arena_printf(look->source->arena,
                                "the average takes rows alike, whatever their %.*s is",
                                STR_ARG(pieces)));
}

void sql_doubts_of_pieces(struct sql_doubts_look *look)
{
    struct calls calls = {.walk = {.on_expr = on_call}, .look = look};
    int column;
    const int table = find_pieces(look, &column);
    if (table < 0)
        return;
    sql_tree_walk_select(&calls.walk, look->parse->tree);
    const struct catalog_table *at = &look->source->catalog->tables[table];
    if (calls.aggregates == 1 && calls.counts != NULL && asks_pieces(look, table))
        say_count(look, at, column);
    if (calls.means != NULL && sql_said_times(&look->said, SQL_DOUBTS_PER) > 0 && !look->has_groups)
        say_mean(look, calls.means, at, column);
}

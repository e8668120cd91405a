/* SPDX-License-Identifier: MIT */
/* agents/nodes/notes.c - remarks on rows.
 *
 * Cut off; an aggregate of nothing; a column that is NULL in every row though it comes from a
 * secure view (R268); rows that are there twice, after a join that may repeat them. Nothing here is
 * an error: a remark may be wrong, rows are not. */
#include "agents/nodes/notes.h"

#include <inttypes.h>

#include "agents/rows/rows.h"
#include "agents/sql/grammar/tree_walk.h"
#include "agents/sql/catalog/visible.h"
#include "agents/sql/joins/multiplied.h"
#include "proto/json_write.h"

struct notes {
    const struct knowledge *knows;
    const struct sql_parse *parse; /* NULL: not known */
    const struct sql_result *result;
    struct arena *arena;
    struct json_write *writer;
};

static void say(struct notes *notes, struct str text)
{
    if (!str_is_absent(text))
        json_write_str(notes->writer, text);
}

/* ---- rows ---- */

static bool is_all_null(const struct sql_result *result, size_t column)
{
    for (size_t row = 0; row < result->row_count; row++)
        if (sql_result_at(result, row, column)->type != SQL_NULL)
            return false;
    return result->row_count > 0;
}

static void note_nothing(struct notes *notes)
{
    const struct sql_result *result = notes->result;
    if (notes->parse == NULL || !notes->parse->has_aggregate || notes->parse->has_group_by ||
        result->row_count != 1)
        return;
    for (size_t i = 0; i < result->column_count; i++)
        if (is_all_null(result, i)) {
            say(notes, arena_printf(notes->arena,
                                    "'%.*s' is NULL: no row with a value matched, which is not "
                                    "the same as zero",
                                    STR_ARG(result->columns[i])));
            return;
        }
}

/* The secure view of the statement that has the column; CATALOG_NONE: none. */
static int secure_home(const struct notes *notes, struct str column)
{
    struct sql_visible sees = {.policy = notes->knows->policy, .catalog = notes->knows->catalog};
    for (size_t i = 0; i < notes->parse->table_count; i++) {
        int table = notes->parse->tables[i].table;
        if (table != CATALOG_NONE && sql_visible_view(sees, table) != CATALOG_NONE &&
            sql_visible_column(sees, table, column))
            return table;
    }
    return CATALOG_NONE;
}

/* The column a result column shows: under another name, too. */
static struct str column_shown(const struct notes *notes, size_t column)
{
    const struct sql_item *item = notes->parse->tree->branches->items;
    for (size_t i = 0; item != NULL && item->expr != NULL && i < column; i++)
        item = item->next;
    if (item != NULL && item->expr != NULL && item->expr->kind == SQL_EXPR_NAME)
        return item->expr->name->name;
    return notes->result->columns[column];
}

static void note_secure_nulls(struct notes *notes)
{
    const struct sql_result *result = notes->result;
    for (size_t i = 0; notes->parse != NULL && i < result->column_count; i++) {
        int table =
            is_all_null(result, i) ? secure_home(notes, column_shown(notes, i)) : CATALOG_NONE;
        if (table == CATALOG_NONE)
            continue;
        say(notes, arena_printf(notes->arena,
                                "'%.*s' is NULL in every row; it is read through a secure view of "
                                "%.*s, so the key that decrypts it may be missing",
                                STR_ARG(result->columns[i]),
                                STR_ARG(notes->knows->catalog->tables[table].name)));
    }
}

static uint64_t hash_value(const struct sql_value *value)
{
    if (value->type == SQL_REAL)
        return str_hash(str_make((const char *)&value->real, sizeof value->real)) + SQL_REAL;
    if (value->type == SQL_INT || value->type == SQL_BOOL)
        return str_hash(str_make((const char *)&value->integer, sizeof value->integer));
    return str_hash(value->text) + (uint64_t)value->type;
}

static uint64_t hash_row(const struct sql_result *result, size_t row)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < result->column_count; i++)
        hash = hash * UINT64_C(1099511628211) + hash_value(sql_result_at(result, row, i));
    return hash;
}

/* How many rows were there before: by 64-bit hashes, which is good enough for a remark. */
static size_t count_repeats(const struct notes *notes)
{
    const struct sql_result *result = notes->result;
    size_t repeats = 0, cap = 16;
    while (cap < result->row_count * 2)
        cap *= 2;
    uint64_t *seen = arena_array(notes->arena, cap, sizeof *seen);
    for (size_t row = 0; seen != NULL && row < result->row_count; row++) {
        uint64_t hash = hash_row(result, row) | 1;
        size_t at = (size_t)(hash >> 1) & (cap - 1);
        while (seen[at] != 0 && seen[at] != hash)
            at = (at + 1) & (cap - 1);
        repeats += seen[at] == hash;
        seen[at] = hash;
    }
    return repeats;
}

/* Whether the outermost SELECT joins: rows of one table alone may look the same, and are not. */
static bool joins(const struct sql_parse *parse)
{
    const struct sql_from *from = parse->tree->branches->from;
    return from != NULL && (from->next != NULL || from->kind != SQL_FROM_TABLE);
}

/* Whether a column is shown of a table whose rows the joins do not repeat: then rows that look the
 * same are namesakes. */
static bool shows_each(const struct notes *notes)
{
    struct sql_multiplied multiplied;
    const struct sql_parse *parse = notes->parse;
    sql_multiplied_init(&multiplied, parse, notes->knows->catalog);
    for (const struct sql_item *item = parse->tree->branches->items; item != NULL;
         item = item->next) {
        const struct sql_column_ref *ref =
            item->expr == NULL ? NULL : sql_parse_column_at(parse, item->expr);
        if (ref != NULL && parse->tables[ref->table_ref].table != CATALOG_NONE &&
            multiplied.join_count + 1 >= parse->table_count &&
            sql_multiplied_by(&multiplied, ref->table_ref) < 0)
            return true;
    }
    return false;
}

static void note_repeats(struct notes *notes)
{
    if (notes->parse == NULL || !joins(notes->parse) || notes->parse->has_aggregate ||
        notes->parse->has_group_by || shows_each(notes))
        return;
    size_t repeats = count_repeats(notes);
    if (repeats > 0)
        say(notes, arena_printf(notes->arena,
                                "%zu of %zu rows repeat another one: a join may multiply them",
                                repeats, notes->result->row_count));
}

/* ---- all of them ---- */

static void note_cut(struct notes *notes, const struct rows_counted *counted)
{
    if (!counted->is_cut)
        return;
    if (counted->is_known)
        say(notes, arena_printf(notes->arena, "only the first %zu of %" PRIu64 " rows are here",
                                counted->here, counted->total));
    else
        say(notes, arena_printf(notes->arena, "only the first %zu rows are here; there are more",
                                counted->here));
}

void notes_write(const struct knowledge *knows, const struct sql_parse *parse,
                 const struct sql_result *result, const struct rows_counted *counted,
                 struct arena *arena, struct json_write *writer)
{
    struct notes notes = {
        .knows = knows, .parse = parse, .result = result, .arena = arena, .writer = writer};
    note_cut(&notes, counted);
    note_nothing(&notes);
    note_secure_nulls(&notes);
    note_repeats(&notes);
}

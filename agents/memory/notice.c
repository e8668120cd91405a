/* SPDX-License-Identifier: MIT */
/* agents/memory/notice.c - walks over the statement's comparisons, then over the first rows.
 *
 * Happy path: parts of a name (first, last) that stand together become one value; a few rows are
 * taken from the last to the first, then the statement, so that the values that were asked for are
 * the last mentioned. Failure: a value that is not understood is not noticed. */
#include "agents/memory/notice.h"

#include "agents/lexicon/describe_names.h"
#include "agents/sql/grammar/tree_walk.h"
#include "proto/json_value.h"

enum { ROWS = 3, TABLES = 4, KIND_BYTES = 64 };
enum { RESULT_BYTES = 256 * 1024 }; /* a larger one is not worth reading for three rows */

struct found { /* parts of what a row of the table is called, and its number */
    int table;
    struct str parts[OFFLINE_LABELS], number;
};

struct notice {
    struct sql_tree_walk walk;
    const struct knowledge *knows;
    const struct sql_parse *parse;
    struct arena *arena;
    struct mentions *mentions;
    struct found found[TABLES];
    size_t found_count;
    bool is_one_of_several; /* rows: "she" is none of them */
    struct str date;        /* of a row */
    size_t date_count;
};

static struct str kind_of(const struct notice *notice, int table)
{
    struct buf kind;
    buf_init(&kind, KIND_BYTES);
    lexicon_describe_table(notice->knows->lexicon, table, false, &kind);
    struct str copy = buf_ok(&kind) ? arena_str(notice->arena, buf_str(&kind)) : STR("");
    buf_fini(&kind);
    return copy;
}

static bool is_person(const struct lexicon_facts *facts, struct str kind)
{
    static const char *const people[] = {
        "agent",  "client",  "contact", "doctor",  "driver",  "employee",   "inspector", "manager",
        "member", "patient", "person",  "student", "teacher", "technician", "user",      "worker"};
    return facts->person || str_is_listed_nocase(kind, people, countof(people));
}

static void add(const struct notice *notice, enum mention_sort sort, struct str kind,
                struct str value)
{
    mentions_add(notice->mentions, &(struct mention){sort, kind, value}, notice->arena);
}

/* The values found for a row of table; NULL: too many tables. */
static struct found *find(struct notice *notice, int table)
{
    size_t i = 0;
    while (i < notice->found_count && notice->found[i].table != table)
        i++;
    if (i == TABLES)
        return NULL;
    if (i == notice->found_count)
        notice->found[notice->found_count++] = (struct found){.table = table};
    return &notice->found[i];
}

/* The table a number of this column is of: its own by key, another's by reference, or none. */
static int numbered_table(const struct notice *notice, int table, int column)
{
    const struct catalog *catalog = notice->knows->catalog;
    if (notice->knows->lexicon->facts[table].key == column)
        return table;
    const struct catalog_reference *reference = lexicon_index_reference(catalog, table, column);
    return reference == NULL ? CATALOG_NONE : reference->to_table;
}

/* Whether nobody is to remember values of the column. */
static bool is_private(const struct catalog *catalog, int table, int column)
{
    const struct catalog_table *of = &catalog->tables[table];
    return of->columns[column].pii || of->columns[column].hidden || of->tenant_column == column;
}

static void take(struct notice *notice, int table, int column, struct str value)
{
    const struct catalog *catalog = notice->knows->catalog;
    const struct lexicon *lexicon = notice->knows->lexicon;
    if (is_private(catalog, table, column) || str_is_empty(str_trim(value)))
        return;
    int secured = catalog->tables[table].secures;
    if (secured != CATALOG_NONE) { /* roles are known of the table behind the view */
        column = catalog_find_column(catalog, secured, catalog->tables[table].columns[column].name);
        table = secured;
        if (column == CATALOG_NONE || is_private(catalog, table, column))
            return;
    }
    const struct lexicon_facts *facts = &lexicon->facts[table];
    int numbered = numbered_table(notice, table, column);
    bool is_number = numbered != CATALOG_NONE && str_is_digit(value.at[0]);
    struct found *found = find(notice, is_number ? numbered : table);
    for (size_t i = 0; i < facts->label_count && found != NULL && !is_number; i++)
        if (facts->labels[i] == column)
            found->parts[i] = value;
    if (is_number && found != NULL)
        found->number = value;
    if (!is_number && lexicon_index_is_date(catalog, table, column)) {
        notice->date = value;
        notice->date_count++;
    }
}

static void add_date(struct notice *notice)
{
    add(notice, MENTION_TIME, STR("date"), notice->date);
    notice->date_count = 0;
}

/* Add the values found as mentions: of each row its name rather than its number. */
static void flush(struct notice *notice)
{
    if (notice->date_count == 1) /* of several, none is the one that matters */
        add_date(notice);
    for (size_t i = 0; i < notice->found_count; i++) {
        const struct found *found = &notice->found[i];
        struct str kind = kind_of(notice, found->table), name = STR("");
        for (size_t k = 0; k < countof(found->parts); k++)
            if (found->parts[k].len > 0)
                name = arena_printf(notice->arena, "%.*s%s%.*s", STR_ARG(name),
                                    name.len > 0 ? " " : "", STR_ARG(found->parts[k]));
        bool person = !notice->is_one_of_several && name.len > 0 &&
                      is_person(&notice->knows->lexicon->facts[found->table], kind);
        add(notice, person ? MENTION_PERSON : MENTION_THING, kind,
            name.len > 0 ? name : found->number);
    }
    notice->found_count = notice->date_count = 0;
}

/* ---- the statement ---- */

/* A 'text' without escapes, or a number; absent: something else. */
static struct str literal_of(const struct notice *notice, const struct sql_expr *expr)
{
    struct str text = str_slice(notice->parse->text, expr->span.start, expr->span.end);
    if (expr->kind != SQL_EXPR_LITERAL || text.len == 0)
        return (struct str){NULL, 0};
    if (str_is_digit(text.at[0]))
        return text;
    if (text.len < 3 || text.at[0] != '\'' || text.at[text.len - 1] != '\'')
        return (struct str){NULL, 0};
    text = str_slice(text, 1, text.len - 1);
    bool is_plain = str_find_char(text, '\'') == STR_NONE &&
                    str_find_char(text, '\\') == STR_NONE && str_find_char(text, '%') == STR_NONE;
    return is_plain ? text : (struct str){NULL, 0};
}

/* column < 'x': of a range its beginning says more, and this is often the day after it. */
static bool is_upper_end(const struct notice *notice, const struct sql_expr *expr)
{
    const struct sql_expr *left = expr->children;
    struct str between = str_slice(notice->parse->text, left->span.end,
                                   left->next == NULL ? left->span.end : left->next->span.start);
    return str_find_char(between, '<') != STR_NONE;
}

/* column = 'x', column >= 'x', column IN ('x', 'y'). */
static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct notice *notice = container_of(walk, struct notice, walk);
    const struct sql_column_ref *column = NULL;
    if (expr->alternatives || (expr->kind != SQL_EXPR_EQUAL && expr->kind != SQL_EXPR_OPERATOR))
        return;
    for (const struct sql_expr *child = expr->children; child != NULL; child = child->next)
        if (child->kind == SQL_EXPR_NAME && column == NULL)
            column = sql_parse_column_at(notice->parse, child);
    if (column == NULL || column->table_ref < 0 || column->column == CATALOG_NONE)
        return;
    int table = notice->parse->tables[column->table_ref].table;
    for (const struct sql_expr *child = expr->children; child != NULL && table >= 0;
         child = child->next) {
        struct str value = literal_of(notice, child);
        if (!str_is_absent(value))
            take(notice, table, column->column, value);
        if (notice->date_count > 0 && !is_upper_end(notice, expr))
            add_date(notice);
        notice->date_count = 0;
    }
}

/* ---- the rows ---- */

/* The column that output shows as it is; false: it is made of more, or not known. */
static bool output_column(const struct notice *notice, size_t output, int *table, int *column)
{
    const struct sql_parse *parse = notice->parse;
    const struct sql_branch *branch = parse->tree->branches;
    *table = parse->outputs_starred[output];
    if (*table != CATALOG_NONE) {
        *column = catalog_find_column(notice->knows->catalog, *table, parse->outputs[output]);
        return *column != CATALOG_NONE;
    }
    const struct sql_item *item = branch->items;
    for (size_t i = 0; i < output && item != NULL && item->expr != NULL; i++)
        item = item->next;
    if (item == NULL || item->expr == NULL) /* behind a star */
        return false;
    const struct sql_column_ref *ref = sql_parse_column_at(parse, item->expr);
    if (ref == NULL || ref->table_ref < 0 || ref->column == CATALOG_NONE)
        return false;
    *table = parse->tables[ref->table_ref].table;
    *column = ref->column;
    return *table != CATALOG_NONE;
}

/* Whether the result's columns are those the parse knows: else a value might be taken for another
 * column's (stars leave out what is hidden). */
static bool has_outputs(const struct notice *notice, const struct json_value *root)
{
    const struct json_value *columns;
    size_t output = 0;
    if (json_value_array(root, "/columns", &columns, NULL) != ERR_OK ||
        columns->count != notice->parse->output_count)
        return false;
    JSON_EACH(column, columns) {
        if (!str_equal_nocase(column->text, notice->parse->outputs[output++]))
            return false;
    }
    return true;
}

static void take_row(struct notice *notice, const struct json_value *row)
{
    size_t output = 0;
    if (row->count != notice->parse->output_count)
        return;
    JSON_EACH(cell, row) {
        int table, column;
        if ((cell->type == JSON_STRING || cell->type == JSON_INT) &&
            output_column(notice, output, &table, &column))
            take(notice, table, column, cell->text);
        output++;
    }
    flush(notice);
}

static void take_rows(struct notice *notice, struct str result)
{
    const struct json_value *first[ROWS], *rows;
    const struct json_value *root = json_value_parse(notice->arena, result, NULL, NULL);
    size_t count = 0;
    if (notice->parse->has_set_operation || notice->parse->tree->branches == NULL ||
        !has_outputs(notice, root) || json_value_array(root, "/rows", &rows, NULL) != ERR_OK)
        return;
    if (rows->count > ROWS) /* a list: nobody of it is meant */
        return;
    JSON_EACH(row, rows)
        first[count++] = row;
    notice->is_one_of_several = rows->count > 1;
    while (count > 0)
        take_row(notice, first[--count]);
    notice->is_one_of_several = false;
}

void notice_turn(const struct knowledge *knows, const struct sql_parse *parse, struct str result,
                 struct mentions *mentions, struct arena *arena)
{
    struct notice notice = {.walk = {.on_expr = on_expr},
                            .knows = knows,
                            .parse = parse,
                            .arena = arena,
                            .mentions = mentions};
    if (knows->catalog == NULL || knows->lexicon == NULL || parse == NULL)
        return;
    if (!str_is_empty(result) && result.len <= RESULT_BYTES)
        take_rows(&notice, result);
    sql_tree_walk_select(&notice.walk, notice.parse->tree);
    flush(&notice);
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_plan.c - from the parse to forms, from forms to places.
 *
 * Happy path: nothing in the parse is of the rare kinds; stars say what must be narrowed; each
 * table gets its form, and each place where the text must change is noted.
 * Failure: a rare kind, a name that something else would answer to, no memory: there is no plan. */
#include "agents/sql/rewrite_plan.h"

#include <stdlib.h>

#include "agents/sql/tenancy.h"
#include "agents/sql/tree_walk.h"

enum { WHERE_BYTES = 5 };

/* ---- what is proved at all ---- */

static bool has_sample(const struct sql_table_ref *ref)
{
    return ref->sample.end > ref->sample.start;
}

/* "5%", which is no name but a string to SQLite, and is written as one. */
static bool is_text(const struct sql_rewrite_plan *p, const struct sql_column_ref *ref)
{
    return p->parse->dialect == SQL_SQLITE && ref->text && ref->table_ref < 0;
}

static bool is_common(const struct sql_rewrite_plan *p)
{
    const struct sql_parse *parse = p->parse;
    struct sql_span locking = parse->tree->locking_span;
    if (parse->tokens == NULL || parse->cte_shadows_table || locking.end > locking.start)
        return false;
    for (size_t i = 0; i < parse->table_count; i++) {
        const struct sql_table_ref *ref = &parse->tables[i];
        if (ref->table == CATALOG_NONE || ref->use != SQL_USE_FROM || ref->column_list ||
            (has_sample(ref) && parse->has_comment))
            return false;
    }
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        if ((ref->unknown && !is_text(p, ref)) || ref->ambiguous ||
            ref->use == SQL_COLUMN_WHOLE_ROW ||
            (ref->table_ref >= 0 && ref->column == CATALOG_NONE))
            return false;
    }
    return true;
}

/* ---- NATURAL joins, which compare all columns: none may be another then ---- */

static bool is_natural(const struct sql_from *first)
{
    bool natural = false;
    for (const struct sql_from *item = first; item != NULL && !natural; item = item->next)
        natural = item->natural || is_natural(item->inside);
    return natural;
}

static void star_items(struct sql_rewrite_plan *p, const struct sql_from *first)
{
    for (const struct sql_from *item = first; item != NULL; item = item->next) {
        if (item->table_ref >= 0)
            p->tables[item->table_ref].starred = true;
        star_items(p, item->inside);
    }
}

static void note_natural(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    if (is_natural(branch->from))
        star_items(walk->owner, branch->from);
}

/* ---- stars, and the names they no longer give ---- */

static const struct catalog_table *table_of(const struct sql_rewrite_plan *p, int table)
{
    return &p->sees.catalog->tables[table];
}

/* Whether one of the table and of what may be seen instead of it has a column of that name and the
 * other has none. */
static bool differs(const struct sql_rewrite_plan *p, int table, struct str name)
{
    return (catalog_find_column(p->sees.catalog, table, name) != CATALOG_NONE) !=
           sql_visible_column(p->sees, table, name);
}

/* A table whose columns are others than the parse knew: a view is read, or a star no longer gives
 * the hidden ones. False: too many. */
static bool note_changed(struct sql_rewrite_plan *p, int table, bool starred)
{
    bool changes = sql_visible_read(p->sees, table) != table;
    for (size_t i = 0; starred && i < table_of(p, table)->column_count; i++)
        changes = changes || table_of(p, table)->columns[i].hidden;
    for (size_t i = 0; i < p->changed_count; i++)
        changes = changes && p->changed[i] != table;
    if (changes && p->changed_count == SQL_REWRITE_PLAN_CHANGED)
        return false;
    if (changes)
        p->changed[p->changed_count++] = table;
    return true;
}

/* A name that a relation has no longer, or has now, could mean something else, so none may be used
 * but of a table that it names. */
static bool keeps_names(const struct sql_rewrite_plan *p)
{
    for (size_t i = 0; i < p->parse->column_count && p->changed_count > 0; i++) {
        const struct sql_column_ref *ref = &p->parse->columns[i];
        bool told = ref->qualifier.len > 0 && ref->table_ref >= 0;
        for (size_t k = 0; k < p->changed_count; k++) {
            if (ref->use != SQL_COLUMN_STAR && !told && differs(p, p->changed[k], ref->name))
                return false;
        }
    }
    return true;
}

/* A star of tables in a SELECT with GROUP BY is written out, for its columns may depend on a key
 * that is grouped by; each must be the only one called so. *end: the reference behind the star's.
 */
static bool is_written_out(const struct sql_rewrite_plan *p, size_t first, size_t *end)
{
    const struct sql_column_ref *refs = p->parse->columns;
    bool all = p->parse->dialect == SQL_POSTGRES;
    size_t i = first;
    for (; i < p->parse->column_count && refs[i].use == SQL_COLUMN_STAR &&
           refs[i].span.start == refs[first].span.start;
         i++) {
        int of = refs[i].table_ref;
        all = all && of >= 0 && p->tables[of].where != NULL && refs[i].relation.len > 0 &&
              sql_visible_read(p->sees, p->parse->tables[of].table) == p->parse->tables[of].table;
    }
    *end = i;
    return all;
}

static bool note_stars(struct sql_rewrite_plan *p)
{
    const struct sql_parse *parse = p->parse;
    size_t end, items = parse->select_items;
    for (size_t i = 0; i < parse->column_count; i = end) {
        const struct sql_column_ref *ref = &parse->columns[i];
        end = i + 1;
        p->narrow_all = p->narrow_all || ref->past_table;
        if (ref->use != SQL_COLUMN_STAR)
            continue;
        bool out = is_written_out(p, i, &end);
        items += out ? end - i : 0;
        for (; i < end; i++) {
            ref = &parse->columns[i];
            p->narrow_all = p->narrow_all || ref->past_table;
            if (!out && ref->table_ref >= 0)
                p->tables[ref->table_ref].starred = true;
        }
    }
    if (items > parse->select_items && items > p->sees.policy->max_select_items)
        return false;
    for (size_t i = 0; i < parse->table_count; i++) {
        if (!note_changed(p, parse->tables[i].table, p->tables[i].starred))
            return false;
    }
    return keeps_names(p);
}

/* ---- what each table must become ---- */

/* A condition beside the table finds it by name, so only it may be called so. */
static bool is_called_alone(const struct sql_branch *branch, const struct sql_table_ref *ref)
{
    size_t count = 0;
    for (const struct sql_from *item = branch->from; item != NULL; item = item->next) {
        if (item->kind == SQL_FROM_PARENS || item->using_alias.len > 0)
            return false;
        count += str_equal_nocase(sql_rewrite_plan_called(item->name, item->alias),
                                  sql_rewrite_plan_called(ref->name, ref->alias));
    }
    return count == 1;
}

static void note_branch(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    struct sql_rewrite_plan *p = walk->owner;
    struct sql_rewrite_where *where = &p->wheres[p->where_count];
    bool used = false;
    for (const struct sql_from *item = branch->groups == NULL ? NULL : branch->from; item != NULL;
         item = item->next) {
        if (item->table_ref < 0 || !is_called_alone(branch, &p->parse->tables[item->table_ref]))
            continue;
        p->tables[item->table_ref].where = where;
        used = true;
    }
    if (!used)
        return;
    *where = (struct sql_rewrite_where){
        .branch = branch, .first = SQL_REWRITE_PLAN_NONE, .last = SQL_REWRITE_PLAN_NONE};
    p->where_count++;
}

static bool is_spelled(const struct sql_rewrite_plan *p, const struct sql_table_ref *ref)
{
    return p->parse->dialect == SQL_SQLITE || str_equal(ref->name, table_of(p, ref->table)->name);
}

static bool plan_table(struct sql_rewrite_plan *p, size_t i)
{
    const struct sql_table_ref *ref = &p->parse->tables[i];
    struct sql_rewrite_table *plan = &p->tables[i];
    bool hides = sql_visible_has_hidden(p->sees, ref->table);
    plan->read = sql_visible_read(p->sees, ref->table);
    if (sql_visible_view(p->sees, plan->read) != CATALOG_NONE)
        return false;
    plan->next = SQL_REWRITE_PLAN_NONE;
    struct sql_tenancy tenancy = {.filters = false};
    if (p->tenant.on && !sql_tenancy_find(p->sees, ref->table, &tenancy))
        return false;
    plan->filters = tenancy.filters;
    plan->narrow = hides && (plan->starred || p->narrow_all);
    plan->beside = plan->filters && !plan->narrow && plan->where != NULL && ref->inner &&
                   plan->read == ref->table;
    bool derived = plan->narrow || (plan->filters && !plan->beside);
    plan->narrow = derived && hides;
    plan->form = derived                                          ? SQL_REWRITE_DERIVED
                 : plan->read == ref->table && is_spelled(p, ref) ? SQL_REWRITE_AS_IS
                                                                  : SQL_REWRITE_NAME;
    if (plan->form == SQL_REWRITE_NAME && has_sample(ref))
        return false;
    if (plan->beside) {
        int *last = &plan->where->last;
        *(*last == SQL_REWRITE_PLAN_NONE ? &plan->where->first : &p->tables[*last].next) = (int)i;
        *last = (int)i;
    }
    return true;
}

/* ---- where the text changes ---- */

static void add_place(struct sql_rewrite_plan *p, size_t at, enum sql_rewrite_place_kind kind,
                      size_t index)
{
    p->places[p->place_count++] = (struct sql_rewrite_place){at, kind, index};
}

/* The name PostgreSQL must find, which is case for case the catalog's. */
struct str sql_rewrite_plan_spelling(const struct sql_rewrite_plan *p,
                                     const struct sql_column_ref *ref)
{
    const struct catalog_table *table = table_of(p, p->parse->tables[ref->table_ref].table);
    return p->parse->dialect == SQL_POSTGRES ? table->columns[ref->column].name : ref->name;
}

static bool is_there(const struct sql_rewrite_plan *p, int table, struct str name)
{
    int found = catalog_find_column(p->sees.catalog, table, name);
    return found != CATALOG_NONE && !table_of(p, table)->columns[found].hidden &&
           (p->parse->dialect != SQL_POSTGRES ||
            str_equal(table_of(p, table)->columns[found].name, name));
}

/* A qualifier with a schema means nothing once the table is another. */
bool sql_rewrite_plan_requalifies(const struct sql_rewrite_plan *p,
                                  const struct sql_column_ref *ref)
{
    return ref->qualifier.len > 0 && p->parse->tables[ref->table_ref].alias.len == 0 &&
           p->tables[ref->table_ref].form != SQL_REWRITE_AS_IS &&
           ref->span.end - ref->span.start > ref->qualifier.len + ref->name.len + 5;
}

/* TABLE t is SELECT * FROM t, and t.* of another table that is called t names it alone. */
static void place_star(struct sql_rewrite_plan *p, size_t i)
{
    const struct sql_column_ref *refs = p->parse->columns, *ref = &refs[i];
    struct str text = str_slice(p->parse->text, ref->span.start, ref->span.end);
    size_t end;
    if (i > 0 && refs[i - 1].use == SQL_COLUMN_STAR && refs[i - 1].span.start == ref->span.start)
        return;
    if (is_written_out(p, i, &end))
        add_place(p, ref->span.start, SQL_REWRITE_STAR_OUT, i);
    else if (str_equal_nocase(text, STR("table")))
        add_place(p, ref->span.start, SQL_REWRITE_WORD, i);
    else if (ref->table_ref >= 0 && p->parse->tables[ref->table_ref].alias.len == 0 &&
             p->tables[ref->table_ref].form != SQL_REWRITE_AS_IS && text.len > 1 &&
             str_ends_with(text, STR("*")))
        add_place(p, ref->span.start, SQL_REWRITE_STAR, i);
}

static bool place_column(struct sql_rewrite_plan *p, size_t i)
{
    const struct sql_column_ref *ref = &p->parse->columns[i];
    if (is_text(p, ref))
        add_place(p, ref->span.start, SQL_REWRITE_TEXT, i);
    else if (ref->use == SQL_COLUMN_STAR)
        place_star(p, i);
    if (ref->table_ref < 0 || ref->use == SQL_COLUMN_STAR)
        return true;
    struct str name = sql_rewrite_plan_spelling(p, ref);
    bool renamed = !str_equal(name, ref->name);
    const struct sql_rewrite_table *plan = &p->tables[ref->table_ref];
    bool same = plan->read == p->parse->tables[ref->table_ref].table;
    if ((!same && !is_there(p, plan->read, name)) || (renamed && ref->use != SQL_COLUMN_NAMED))
        return false;
    if (ref->use == SQL_COLUMN_NAMED && (renamed || sql_rewrite_plan_requalifies(p, ref)))
        add_place(p, ref->span.start, SQL_REWRITE_COLUMN, i);
    return true;
}

static bool ends_in_values(const struct sql_parse *parse)
{
    const struct sql_branch *last = parse->tree->branches;
    while (last != NULL && last->next != NULL)
        last = last->next;
    return last != NULL && last->values;
}

/* The count of rows stays, becomes another, or stands around the statement. False: the last, and
 * the policy has no room for it. MySQL's derived tables take no name of a column twice. */
static bool place_limit(struct sql_rewrite_plan *p)
{
    const struct sql_limit *limit = &p->parse->limit;
    const struct sql_policy *policy = p->sees.policy;
    struct str text = str_slice(p->parse->text, limit->count_span.start, limit->count_span.end);
    bool sqlite = p->parse->dialect == SQL_SQLITE, counted = limit->is_number && !limit->with_ties;
    bool kept = limit->present &&
                (policy->max_limit == 0 ||
                 (counted && limit->number >= 0 && (uint64_t)limit->number <= policy->max_limit));
    if (kept || (!limit->present && !(sqlite && ends_in_values(p->parse))))
        return true;
    if (limit->present && text.len > 0 &&
        (counted || limit->all || (sqlite && str_starts_with(text, STR("-"))))) {
        add_place(p, limit->count_span.start, SQL_REWRITE_COUNT, 0);
        return true;
    }
    p->wraps = limit->present || policy->default_limit > 0 || policy->max_limit > 0;
    return !p->wraps || (p->parse->dialect != SQL_MYSQL && policy->allow_subqueries &&
                         p->parse->nesting < policy->max_nesting);
}

static int compare_places(const void *a, const void *b)
{
    const struct sql_rewrite_place *left = a, *right = b;
    if (left->at != right->at)
        return left->at < right->at ? -1 : 1;
    return (int)left->kind - (int)right->kind;
}

static bool place_all(struct sql_rewrite_plan *p)
{
    const struct sql_parse *parse = p->parse;
    for (size_t i = 0; i < parse->table_count; i++) {
        add_place(p, parse->tables[i].span.start, SQL_REWRITE_TABLE, i);
        if (has_sample(&parse->tables[i]) && p->tables[i].form == SQL_REWRITE_DERIVED)
            add_place(p, parse->tables[i].sample.start, SQL_REWRITE_SAMPLE, i);
    }
    for (size_t i = 0; i < parse->column_count; i++) {
        if (!place_column(p, i))
            return false;
    }
    if (!place_limit(p))
        return false;
    for (size_t i = 0; i < p->where_count; i++) {
        const struct sql_branch *branch = p->wheres[i].branch;
        bool has_where = branch->where_span.end > branch->where_span.start;
        if (p->wheres[i].first == SQL_REWRITE_PLAN_NONE)
            continue;
        if (has_where)
            add_place(p, branch->where_span.start + WHERE_BYTES, SQL_REWRITE_OPEN, i);
        add_place(p, has_where ? branch->where_span.end : branch->where_at, SQL_REWRITE_CLOSE, i);
    }
    qsort(p->places, p->place_count, sizeof *p->places, compare_places);
    return true;
}

bool sql_rewrite_plan_make(struct sql_rewrite_plan *p)
{
    const struct sql_parse *parse = p->parse;
    p->tables = arena_array(p->arena, parse->table_count, sizeof *p->tables);
    p->wheres = arena_array(p->arena, parse->table_count + 1, sizeof *p->wheres);
    p->places =
        arena_array(p->arena, 4 * parse->table_count + parse->column_count + 1, sizeof *p->places);
    if (!arena_ok(p->arena) || !is_common(p))
        return false;
    struct sql_tree_walk joins = {.on_branch = note_natural, .owner = p};
    if (parse->has_natural)
        sql_tree_walk_select(&joins, parse->tree);
    struct sql_tree_walk groups = {.on_branch = note_branch, .owner = p};
    if (parse->dialect == SQL_POSTGRES && parse->has_group_by)
        sql_tree_walk_select(&groups, parse->tree);
    if (!note_stars(p) || (parse->has_natural && p->changed_count > 0))
        return false;
    for (size_t i = 0; i < parse->table_count; i++) {
        if (!plan_table(p, i))
            return false;
    }
    return place_all(p);
}

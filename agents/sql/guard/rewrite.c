/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/rewrite.c - edits are gathered, sorted by place, and applied in one pass.
 *
 * Happy path: an edit for each table that must not be read as written, for names that had to be
 * qualified or spelled otherwise because of that, for comments and for the LIMIT. Running out of
 * memory is sticky and asked once at the end.
 * Failure paths: a table of tenants without a column to filter by: rule "tenant"; no memory.
 * Tried and rejected: expanding stars in place. A derived table with the visible columns does the
 * same for stars, NATURAL and USING joins, and for names that slip past a table to an outer one
 * (the database would take the hidden column), with nothing left to get wrong. Only PostgreSQL's
 * GROUP BY needs the table itself: it lets a table's key stand for all its columns. */
#include "agents/sql/guard/rewrite.h"

#include <stdlib.h>

#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/grammar/lexer.h"
#include "agents/sql/catalog/quote.h"
#include "agents/sql/guard/plain.h"
#include "agents/sql/guard/rewrite_text.h"
#include "agents/sql/grammar/tree_walk.h"

enum { OUT_BYTES = 4 << 20, WHERE_BYTES = 5, GROUP_TERMS = 64 }; /* 16 KiB of the widest tables */

/* What the LIMIT of the outermost statement must become. */
struct limit {
    struct sql_span count; /* to become `number`; empty: nothing is */
    size_t number;
    struct str before, after; /* around the whole statement, with number between after and end */
    struct str end;
    size_t added_at; /* where after goes: the end, or before a locking clause */
};

struct edit {
    struct sql_span span;
    struct str text;
    size_t order;                   /* of edits at one place */
    bool filters;                   /* holds a company filter */
    struct sql_span predicate;      /* of the filter, in text */
    size_t derived_bytes;           /* of text: the derived table the filter stands in; 0: WHERE */
    struct sql_rewrite_spans masks; /* of columns, in text */
};

struct rewriting {
    struct sql_visible sees;
    const struct sql_parse *parse;
    struct sql_tenant tenant;
    struct arena *arena;
    struct sql_rewrite *rewrite;
    struct limit limit;
    struct sql_rewrite_filter *filters;
    struct sql_span *masks;
    struct edit *edits;
    size_t edit_count;
    bool *starred; /* by table reference: a star or a NATURAL join shows all of it */
    bool *edited;  /* by table reference */
    const struct sql_branch **grouped; /* by scope: PostgreSQL's SELECT with GROUP BY, else NULL */
    size_t scope_count;
    size_t *where_filters; /* by scope: company filters that went into its WHERE */
    bool narrow_all;       /* a name slips past a table outwards */
    bool fences;           /* filtered rows are fenced off: the statement is not plain */
    bool failed;           /* no memory for a text */
    struct buf out;        /* scratch for one edit, then the result */
};

/* ---- edits ---- */

static struct edit *add_edit(struct rewriting *r, struct sql_span span, struct str text)
{
    struct edit *edit = &r->edits[r->edit_count];
    *edit = (struct edit){.span = span, .text = text, .order = r->edit_count++};
    return edit;
}

static struct str take_out(struct rewriting *r)
{
    r->failed = r->failed || !buf_ok(&r->out);
    return arena_str(r->arena, buf_str(&r->out));
}

static void push_name(struct rewriting *r, struct str name)
{
    sql_rewrite_text_name(r->parse->dialect, name, &r->out);
}

static const struct catalog_table *table_of(const struct rewriting *r, int table)
{
    return &r->sees.catalog->tables[table];
}

/* ---- the LIMIT ----
 *
 * A count that is a number is lowered in place, one that says "all" becomes the most, a missing one
 * is added at the end, on a line of its own: nothing that stands before it can swallow it. A count
 * that is no number, or that ties may exceed, is bounded from outside. Nothing else moves, so ORDER
 * BY, OFFSET and totals stay what they were. */

/* LIMIT -1 and the like: no limit at all to SQLite. */
static bool is_negative(const struct sql_parse *parse)
{
    struct sql_span span = parse->limit.count_span;
    struct str text = str_slice(parse->text, span.start, span.end);
    uint64_t number;
    return parse->dialect == SQL_SQLITE && text.len > 1 && text.at[0] == '-' &&
           str_to_u64(str_trim(str_from(text, 1)), &number);
}

/* SQLite takes no LIMIT after VALUES. */
static bool ends_in_values(const struct sql_parse *parse)
{
    const struct sql_branch *last = parse->tree->branches;
    while (last != NULL && last->next != NULL)
        last = last->next;
    return parse->dialect == SQL_SQLITE && last != NULL && last->values;
}

static void wrap_in_limit(struct limit *plan)
{
    plan->before = STR("SELECT * FROM (\n");
    plan->after = STR("\n) AS limited LIMIT ");
}

static void add_limit(const struct sql_policy *policy, const struct sql_parse *parse,
                      struct limit *plan)
{
    plan->number = policy->default_limit > 0 ? policy->default_limit : policy->max_limit;
    if (policy->max_limit > 0)
        plan->number = size_min(plan->number, policy->max_limit);
    if (plan->number == 0)
        return;
    if (ends_in_values(parse)) {
        wrap_in_limit(plan);
        return;
    }
    /* MariaDB's OFFSET n ROWS takes no LIMIT after it. */
    bool fetch = parse->dialect == SQL_MYSQL && parse->limit.has_skip;
    plan->after = fetch ? STR("\nFETCH FIRST ") : STR("\nLIMIT ");
    plan->end = fetch ? STR(" ROWS ONLY") : STR("");
    struct sql_span locking = parse->tree->locking_span;
    if (locking.end > locking.start) {
        plan->added_at = locking.start;
        plan->end = STR("\n");
    }
}

static void plan_limit(const struct sql_policy *policy, const struct sql_parse *parse,
                       struct limit *plan)
{
    const struct sql_limit *limit = &parse->limit;
    *plan = (struct limit){.number = policy->max_limit, .added_at = parse->statement.end};
    if (!limit->present) {
        add_limit(policy, parse, plan);
        return;
    }
    if (policy->max_limit == 0)
        return;
    bool counted = limit->is_number && !limit->with_ties;
    if (counted && (uint64_t)limit->number <= policy->max_limit)
        return;
    if (counted || limit->all || is_negative(parse)) {
        plan->count = limit->count_span;
        return;
    }
    wrap_in_limit(plan);
}

/* ---- names and stars ----
 *
 * main.t.c of a table that became a derived one is t.c; PostgreSQL's folded name is the catalog's
 * spelling; a star in a SELECT with GROUP BY is its columns; what SQLite takes for a text is
 * written as one. Any other star marks its tables, which are then narrowed: so stars are edited
 * before tables, and names once those are. */

/* The column as the database spells it, when that is not how the statement does. */
static struct str spelling(const struct rewriting *r, const struct sql_column_ref *ref)
{
    const struct sql_table_ref *table = &r->parse->tables[ref->table_ref];
    if (r->parse->dialect != SQL_POSTGRES || ref->column == CATALOG_NONE ||
        table->table == CATALOG_NONE)
        return ref->name;
    return table_of(r, table->table)->columns[ref->column].name;
}

/* The star's refs from first on, as names; how many they are. */
static size_t edit_star(struct rewriting *r, size_t first)
{
    const struct sql_column_ref *refs = r->parse->columns;
    size_t i = first;
    buf_clear(&r->out);
    for (; i < r->parse->column_count && refs[i].use == SQL_COLUMN_STAR &&
           refs[i].span.start == refs[first].span.start;
         i++) {
        bool derived = refs[i].table_ref < 0;
        if (!derived &&
            !sql_visible_column(r->sees, r->parse->tables[refs[i].table_ref].table, refs[i].name))
            continue;
        if (buf_len(&r->out) > 0)
            buf_push(&r->out, STR(", "));
        push_name(r, refs[i].relation);
        buf_push_char(&r->out, '.');
        push_name(r, derived ? refs[i].name : spelling(r, &refs[i]));
    }
    if (buf_len(&r->out) > 0)
        add_edit(r, refs[first].span, take_out(r));
    return i - first;
}

/* Whether the star can be written out: it is one, not (a JOIN b) AS t, and all its relations have
 * names and are tables themselves. */
static bool is_expandable(const struct rewriting *r, size_t first)
{
    const struct sql_column_ref *refs = r->parse->columns;
    struct str text = str_slice(r->parse->text, refs[first].span.start, refs[first].span.end);
    if (!str_ends_with(text, STR("*")) || refs[first].scope < 0 ||
        (size_t)refs[first].scope >= r->scope_count || r->grouped[refs[first].scope] == NULL)
        return false;
    for (size_t i = first; i < r->parse->column_count && refs[i].use == SQL_COLUMN_STAR &&
                           refs[i].span.start == refs[first].span.start;
         i++) {
        int table =
            refs[i].table_ref < 0 ? CATALOG_NONE : r->parse->tables[refs[i].table_ref].table;
        if (refs[i].relation.len == 0 || refs[i].name.len == 0 ||
            (table != CATALOG_NONE && sql_visible_read(r->sees, table) != table))
            return false;
    }
    return true;
}

static void edit_stars(struct rewriting *r)
{
    const struct sql_column_ref *refs = r->parse->columns;
    for (size_t i = 0; i < r->parse->column_count; i++) {
        r->narrow_all = r->narrow_all || refs[i].past_table;
        if (refs[i].use != SQL_COLUMN_STAR)
            continue;
        bool first = i == 0 || refs[i - 1].use != SQL_COLUMN_STAR ||
                     refs[i - 1].span.start != refs[i].span.start;
        if (first && is_expandable(r, i)) {
            i += edit_star(r, i) - 1;
        } else if (refs[i].table_ref >= 0) {
            r->starred[refs[i].table_ref] = true;
        }
    }
}

/* main.customers.* of an edited table: customers.*. */
static bool edit_star_name(struct rewriting *r, size_t i)
{
    const struct sql_column_ref *ref = &r->parse->columns[i];
    const struct sql_table_ref *table = &r->parse->tables[ref->table_ref];
    struct str text = str_slice(r->parse->text, ref->span.start, ref->span.end);
    bool first = i == 0 || r->parse->columns[i - 1].span.start != ref->span.start;
    if (ref->use != SQL_COLUMN_STAR || table->alias.len > 0 || !r->edited[ref->table_ref] ||
        str_equal(text, STR("*")) || !str_ends_with(text, STR("*")))
        return false; /* TABLE t, and (a JOIN b) AS t, show all without a star */
    if (first) {
        buf_clear(&r->out);
        push_name(r, table->name);
        buf_push(&r->out, STR(".*"));
        add_edit(r, ref->span, take_out(r));
    }
    return true;
}

/* Whether more than quotes, qualifier and name was written: MySQL lets a column name the database
 * that its table did not. */
static bool is_longer(const struct sql_column_ref *ref)
{
    return ref->span.end - ref->span.start > ref->qualifier.len + ref->name.len + 5;
}

/* "5%" is '5%'. */
static void edit_text(struct rewriting *r, const struct sql_column_ref *ref)
{
    buf_clear(&r->out);
    sql_quote_text(r->parse->dialect, ref->name, &r->out);
    add_edit(r, ref->span, take_out(r));
}

/* main.customers.id means nothing once customers is a derived table; customers.id does. And where
 * PostgreSQL would fold a name to one that is not there, it is written as it is. */
static void edit_columns(struct rewriting *r)
{
    for (size_t i = 0; i < r->parse->column_count; i++) {
        const struct sql_column_ref *ref = &r->parse->columns[i];
        if (ref->text)
            edit_text(r, ref);
        if (ref->table_ref < 0 || edit_star_name(r, i) || ref->use != SQL_COLUMN_NAMED)
            continue;
        const struct sql_table_ref *table = &r->parse->tables[ref->table_ref];
        bool may_have_schema = table->schema.len > 0 || is_longer(ref);
        bool requalify = ref->qualifier.len > 0 && table->alias.len == 0 && may_have_schema &&
                         r->edited[ref->table_ref];
        struct str name = spelling(r, ref);
        if (!requalify && str_equal(name, ref->name))
            continue;
        buf_clear(&r->out);
        if (ref->qualifier.len > 0) {
            push_name(r, requalify ? table->name : ref->qualifier);
            buf_push_char(&r->out, '.');
        }
        push_name(r, name);
        add_edit(r, ref->span, take_out(r));
    }
}

static bool may_edit(const struct sql_parse *parse, const struct sql_column_ref *ref)
{
    if (parse->dialect == SQL_SQLITE && ref->text)
        return true;
    if (parse->dialect == SQL_SQLITE)
        return ref->table_ref >= 0 && parse->tables[ref->table_ref].schema.len > 0;
    return ref->use == SQL_COLUMN_STAR || (ref->use == SQL_COLUMN_NAMED && ref->table_ref >= 0);
}

/* ---- tables ---- */

static void push_table(struct rewriting *r, const struct sql_table_ref *ref, int read)
{
    if (ref->only)
        buf_push(&r->out, STR("ONLY "));
    sql_rewrite_text_table(r->parse, table_of(r, read), &r->out);
}

/* What keeps a derived table's condition before those of the statement: no planner moves a
 * condition past a limit, be it one that lets every row through. */
static void push_fence(struct rewriting *r)
{
    static const struct str fences[] = {[SQL_SQLITE] = {" LIMIT -1", 9},
                                        [SQL_POSTGRES] = {" OFFSET 0", 9},
                                        [SQL_MYSQL] = {" LIMIT 18446744073709551615", 27}};
    buf_push(&r->out, fences[r->parse->dialect]);
}

/* "(SELECT id, name FROM t WHERE ...)"; the filter's bytes in out. */
static struct sql_span push_derived(struct rewriting *r, const struct sql_table_ref *ref, int read,
                                    bool narrow, bool fenced, const struct sql_tenancy *tenancy,
                                    struct sql_rewrite_spans *masks)
{
    const struct catalog_table *table = table_of(r, read);
    struct sql_span predicate = {0};
    buf_push(&r->out, STR("(SELECT "));
    if (narrow)
        sql_rewrite_text_columns(r->parse->dialect, table, masks, &r->out);
    else
        buf_push_char(&r->out, '*');
    buf_push(&r->out, STR(" FROM "));
    push_table(r, ref, read);
    if (ref->sample.end > ref->sample.start) {
        buf_push_char(&r->out, ' ');
        buf_push(&r->out, str_slice(r->parse->text, ref->sample.start, ref->sample.end));
    }
    if (tenancy->filters) {
        buf_push(&r->out, STR(" WHERE "));
        predicate.start = buf_len(&r->out);
        sql_rewrite_text_filter(r->sees, r->parse, table->name, read, tenancy, &r->out);
        predicate.end = buf_len(&r->out);
    }
    if (fenced)
        push_fence(r);
    buf_push_char(&r->out, ')');
    return predicate;
}

static enum err_code cannot_filter(const struct sql_table_ref *ref, struct sql_finding *finding)
{
    finding->rule = "tenant";
    finding->span = ref->span;
    return err_set(&finding->err, ERR_REJECTED,
                   "Table '%.*s' is not tied to a company, so its rows may not be shown; leave it "
                   "out. (It needs the tenant column, a foreign key to a table that has it, or a "
                   "place in ASKD_SHARED_TABLES.)",
                   STR_ARG(str_utf8_prefix(ref->name, 60)));
}

static bool must_narrow(const struct rewriting *r, size_t i)
{
    const struct sql_table_ref *ref = &r->parse->tables[i];
    bool shows_all = r->narrow_all || r->starred[i] || ref->use == SQL_USE_IN;
    return sql_visible_masks(r->sees, ref->table) ||
           (shows_all && sql_visible_has_hidden(r->sees, ref->table));
}

/* The branch whose WHERE takes the filter of table reference i, or NULL: a derived table does. */
static const struct sql_branch *filtered_branch(const struct rewriting *r, size_t i, int read)
{
    const struct sql_table_ref *ref = &r->parse->tables[i];
    bool fits = ref->use == SQL_USE_FROM && !ref->column_list && ref->inner && ref->scope >= 0 &&
                (size_t)ref->scope < r->scope_count && read == ref->table;
    return fits ? r->grouped[ref->scope] : NULL;
}

/* WHERE (as it was) AND filter AND filter */
static void edit_where(struct rewriting *r, const struct sql_branch *branch, size_t i,
                       const struct sql_tenancy *tenancy)
{
    const struct sql_table_ref *ref = &r->parse->tables[i];
    struct sql_span where = branch->where_span;
    bool has_where = where.end > where.start, first = r->where_filters[branch->scope]++ == 0;
    if (has_where && first)
        add_edit(r, (struct sql_span){where.start + WHERE_BYTES, where.start + WHERE_BYTES},
                 STR(" ("));
    size_t at = has_where ? where.end : branch->where_at;
    buf_clear(&r->out);
    buf_push(&r->out, !first ? STR(" AND ") : has_where ? STR(") AND ") : STR(" WHERE "));
    struct sql_span predicate = {buf_len(&r->out), 0};
    sql_rewrite_text_filter(r->sees, r->parse, ref->alias.len > 0 ? ref->alias : ref->name,
                            ref->table, tenancy, &r->out);
    predicate.end = buf_len(&r->out);
    struct edit *edit = add_edit(r, (struct sql_span){at, at}, take_out(r));
    edit->filters = true;
    edit->predicate = predicate;
}

/* Where the names are written that the terms of GROUP BY stand for: a term itself, or the item that
 * it gives the number or the name of. How many they are; 0 also when they are too many. */
static size_t group_places(const struct rewriting *r, const struct sql_branch *branch,
                           size_t places[GROUP_TERMS])
{
    size_t count = 0;
    for (const struct sql_expr *term = branch->groups; term != NULL; term = term->next) {
        struct str text = str_slice(r->parse->text, term->span.start, term->span.end);
        uint64_t number = 0;
        if (count == GROUP_TERMS)
            return 0;
        places[count] = term->span.start;
        if (term->kind == SQL_EXPR_LITERAL && !str_to_u64(text, &number))
            number = 0;
        for (const struct sql_item *item = branch->items; number > 0 && item != NULL;
             item = item->next)
            if (--number == 0 && item->expr != NULL)
                places[count] = item->expr->span.start;
        count++;
    }
    for (size_t i = 0; i < r->parse->column_count; i++) {
        const struct sql_column_ref *ref = &r->parse->columns[i];
        for (size_t at = 0; ref->output_alias && at < count; at++)
            if (places[at] == ref->span.start)
                places[at] = ref->alias_of.start;
    }
    return count;
}

/* Whether GROUP BY holds the primary key of table reference i, so that PostgreSQL lets the rest of
 * its columns stand beside it. */
static bool groups_by_key(const struct rewriting *r, const struct sql_branch *branch, size_t i)
{
    const struct catalog_table *table = table_of(r, r->parse->tables[i].table);
    size_t places[GROUP_TERMS], count = group_places(r, branch, places), keys = 0, grouped = 0;
    bool *seen = arena_array(r->arena, table->column_count, sizeof *seen);
    for (size_t column = 0; column < table->column_count; column++)
        keys += table->columns[column].primary_key;
    for (size_t at = 0; seen != NULL && at < r->parse->column_count; at++) {
        const struct sql_column_ref *ref = &r->parse->columns[at];
        if (ref->use != SQL_COLUMN_NAMED || ref->table_ref != (int)i ||
            ref->column == CATALOG_NONE || seen[ref->column] ||
            !table->columns[ref->column].primary_key)
            continue;
        for (size_t place = 0; place < count; place++)
            seen[ref->column] = seen[ref->column] || places[place] == ref->span.start;
        grouped += seen[ref->column];
    }
    return keys > 0 && grouped == keys;
}

/* Whether the place is in what the branch gives, or behind the beginning of its GROUP BY. */
static bool is_of_groups(const struct sql_branch *branch, size_t place)
{
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next)
        if (place >= item->span.start && place < item->span.end)
            return true;
    return place >= branch->groups->span.start;
}

/* A derived table has no key, so what stands beside the key is grouped by, too: the groups stay
 * what they were. */
static void edit_group(struct rewriting *r, const struct sql_branch *branch, size_t i)
{
    const struct sql_table_ref *ref = &r->parse->tables[i];
    const struct catalog_table *table = table_of(r, ref->table);
    if (!groups_by_key(r, branch, i))
        return;
    bool *named = arena_array(r->arena, table->column_count, sizeof *named);
    buf_clear(&r->out);
    for (size_t at = 0; named != NULL && at < r->parse->column_count; at++) {
        const struct sql_column_ref *column = &r->parse->columns[at];
        if (column->table_ref != (int)i || column->column == CATALOG_NONE ||
            named[column->column] || table->columns[column->column].primary_key ||
            !sql_visible_column(r->sees, ref->table, table->columns[column->column].name) ||
            !is_of_groups(branch, column->span.start))
            continue;
        named[column->column] = true;
        push_name(r, ref->alias.len > 0 ? ref->alias : ref->name);
        buf_push_char(&r->out, '.');
        push_name(r, table->columns[column->column].name);
        buf_push(&r->out, STR(", "));
    }
    size_t start = branch->groups->span.start;
    if (buf_len(&r->out) > 0)
        add_edit(r, (struct sql_span){start, start}, take_out(r));
}

/* A name of other case means the same to the catalog, and nothing to PostgreSQL and to MySQL on
 * Linux. */
static bool is_as_written(const struct rewriting *r, const struct sql_table_ref *ref, int read)
{
    return read == ref->table &&
           (r->parse->dialect == SQL_SQLITE || str_equal(ref->name, table_of(r, read)->name));
}

static enum err_code find_tenancy(const struct rewriting *r, const struct sql_table_ref *ref,
                                  struct sql_tenancy *tenancy, struct sql_finding *finding)
{
    tenancy->filters = false;
    if (!r->tenant.on ||
        (r->sees.catalog->by_company && sql_tenancy_find(r->sees, ref->table, tenancy)))
        return ERR_OK;
    tenancy->filters = false;
    return r->sees.policy->require_tenant ? cannot_filter(ref, finding) : ERR_OK;
}

/* A table whose key PostgreSQL's GROUP BY may count on: it stays and WHERE filters, unless it must
 * become a derived one. */
static void edit_grouped(struct rewriting *r, size_t i, bool derived, struct sql_tenancy *tenancy)
{
    int read = sql_visible_read(r->sees, r->parse->tables[i].table);
    const struct sql_branch *branch =
        tenancy->filters || derived ? filtered_branch(r, i, read) : NULL;
    if (branch == NULL)
        return;
    if (derived) {
        edit_group(r, branch, i);
    } else {
        edit_where(r, branch, i, tenancy);
        tenancy->filters = false;
    }
}

static enum err_code edit_table(struct rewriting *r, size_t i, struct sql_finding *finding)
{
    const struct sql_table_ref *ref = &r->parse->tables[i];
    struct sql_tenancy tenancy;
    if (ref->table == CATALOG_NONE)
        return ERR_OK; /* a policy that only warns: the database will say so */
    int read = sql_visible_read(r->sees, ref->table);
    enum err_code code = find_tenancy(r, ref, &tenancy, finding);
    if (code != ERR_OK)
        return code;
    bool narrow = must_narrow(r, i);
    /* A secure view chooses rows, too, whatever it is made of. */
    bool fenced = r->fences && (tenancy.filters || sql_visible_is_secure_view(r->sees, read));
    edit_grouped(r, i, fenced || narrow, &tenancy);
    /* A derived table shows its columns one by one where the database may have more. */
    bool derived = narrow || tenancy.filters || fenced;
    narrow = narrow || (derived && (!tenancy.filters || /* a view shows what is listed */
                                    sql_visible_has_hidden(r->sees, ref->table)));
    if (!derived && is_as_written(r, ref, read))
        return ERR_OK;
    struct sql_span predicate = {0};
    struct sql_rewrite_spans masks = {NULL, 0};
    if (sql_visible_masks(r->sees, ref->table))
        masks.at = arena_array(r->arena, table_of(r, read)->column_count, sizeof *masks.at);
    if (!arena_ok(r->arena))
        return err_set(&finding->err, ERR_NO_MEMORY, "no memory to rewrite the statement");
    buf_clear(&r->out);
    if (derived)
        predicate = push_derived(r, ref, read, narrow, fenced, &tenancy, &masks);
    else
        push_table(r, ref, read);
    size_t derived_bytes = buf_len(&r->out);
    if (ref->alias.len == 0 && ref->use == SQL_USE_FROM) {
        buf_push(&r->out, STR(" AS "));
        push_name(r, ref->name);
    }
    struct edit *edit = add_edit(r, ref->span, take_out(r));
    edit->filters = tenancy.filters;
    edit->predicate = predicate;
    edit->derived_bytes = derived_bytes;
    edit->masks = masks;
    r->edited[i] = true;
    if (derived && ref->sample.end > ref->sample.start) /* it went inside */
        add_edit(r, ref->sample, STR(""));
    return ERR_OK;
}

/* Comments lie between tokens; what the database does not see it cannot read otherwise. */
static void edit_comments(struct rewriting *r)
{
    const struct sql_parse *parse = r->parse;
    for (size_t i = 0; parse->has_comment && i + 1 < parse->token_count; i++) {
        struct sql_span gap = {parse->tokens[i].end, parse->tokens[i + 1].start};
        if (gap.end > parse->statement.end)
            break;
        if (!str_is_empty(str_trim(str_slice(parse->text, gap.start, gap.end))))
            add_edit(r, gap, STR(" "));
    }
}

/* TABLE t is SELECT * FROM t, and only that may read a derived table. */
static void edit_table_words(struct rewriting *r)
{
    size_t done = SIZE_MAX;
    for (size_t i = 0; i < r->parse->column_count; i++) {
        const struct sql_column_ref *ref = &r->parse->columns[i];
        struct str text = str_slice(r->parse->text, ref->span.start, ref->span.end);
        if (ref->use != SQL_COLUMN_STAR || ref->span.start == done ||
            !str_equal_nocase(text, STR("table")))
            continue;
        done = ref->span.start;
        add_edit(r, ref->span, STR("SELECT * FROM"));
    }
}

/* ---- putting it together ---- */

static int compare_edits(const void *a, const void *b)
{
    const struct edit *left = a, *right = b;
    if (left->span.start != right->span.start)
        return left->span.start < right->span.start ? -1 : 1;
    bool left_inserts = left->span.end == left->span.start;
    bool right_inserts = right->span.end == right->span.start;
    if (left_inserts != right_inserts)
        return left_inserts ? -1 : 1;
    if (left->span.end != right->span.end)
        return left->span.end > right->span.end ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order ? 1 : 0;
}

static void note_filter(struct rewriting *r, const struct edit *edit)
{
    size_t base = buf_len(&r->out);
    struct sql_rewrite_filter *filter = &r->filters[r->rewrite->filter_count++];
    filter->predicate = (struct sql_span){base + edit->predicate.start, base + edit->predicate.end};
    if (edit->derived_bytes > 0)
        filter->around = (struct sql_span){base, base + edit->derived_bytes};
}

static void note_masks(struct rewriting *r, const struct edit *edit)
{
    size_t base = buf_len(&r->out);
    for (size_t i = 0; i < edit->masks.count; i++)
        r->masks[r->rewrite->mask_count++] =
            (struct sql_span){base + edit->masks.at[i].start, base + edit->masks.at[i].end};
}

static void push_number(struct rewriting *r)
{
    buf_push(&r->out, r->limit.after);
    buf_push_u64(&r->out, r->limit.number);
    buf_push(&r->out, r->limit.end);
}

static void apply(struct rewriting *r)
{
    struct str text = r->parse->text;
    size_t at = r->parse->statement.start;
    qsort(r->edits, r->edit_count, sizeof *r->edits, compare_edits);
    buf_clear(&r->out);
    buf_push(&r->out, r->limit.before);
    for (size_t i = 0; i < r->edit_count; i++) {
        const struct edit *edit = &r->edits[i];
        if (edit->span.start < at) /* inside one that is done: a comment in a replaced name */
            continue;
        buf_push(&r->out, str_slice(text, at, edit->span.start));
        if (edit->filters)
            note_filter(r, edit);
        note_masks(r, edit);
        buf_push(&r->out, edit->text);
        at = edit->span.end;
    }
    buf_push(&r->out, str_slice(text, at, r->parse->statement.end));
}

/* What is added for the LIMIT, the last edit of all. */
static void edit_limit(struct rewriting *r)
{
    struct limit *limit = &r->limit;
    plan_limit(r->sees.policy, r->parse, limit);
    if (limit->count.end > limit->count.start)
        add_edit(r, limit->count, arena_printf(r->arena, "%zu", limit->number));
    if (limit->after.len > 0 && limit->added_at < r->parse->statement.end) {
        buf_clear(&r->out);
        push_number(r);
        add_edit(r, (struct sql_span){limit->added_at, limit->added_at}, take_out(r));
        limit->after = STR("");
    }
}

/* ---- what the statement holds ---- */

static bool has_natural(const struct sql_from *first)
{
    for (const struct sql_from *from = first; from != NULL; from = from->next) {
        if (from->natural || has_natural(from->inside))
            return true;
    }
    return false;
}

static void star_tables(struct rewriting *r, const struct sql_from *first)
{
    for (const struct sql_from *from = first; from != NULL; from = from->next) {
        if (from->kind == SQL_FROM_TABLE && from->table_ref >= 0)
            r->starred[from->table_ref] = true;
        star_tables(r, from->inside);
    }
}

/* A NATURAL join compares all columns that its tables share, hidden ones too. */
static void note_branch(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    struct rewriting *r = walk->owner;
    if (r->parse->has_natural && has_natural(branch->from))
        star_tables(r, branch->from);
    if (branch->groups != NULL && branch->scope >= 0 && (size_t)branch->scope < r->scope_count)
        r->grouped[branch->scope] = branch;
}

static size_t count_scopes(const struct sql_parse *parse)
{
    int most = -1;
    for (size_t i = 0; i < parse->table_count; i++)
        most = parse->tables[i].scope > most ? parse->tables[i].scope : most;
    return (size_t)(most + 1);
}

/* Three for each table, one for its scope's WHERE or its word TABLE, one for each name or comment,
 * two for the LIMIT. */
static size_t count_edits(const struct sql_parse *parse)
{
    size_t names = 0;
    for (size_t i = 0; i < parse->column_count; i++)
        names += may_edit(parse, &parse->columns[i]);
    return 4 * parse->table_count + names + (parse->has_comment ? parse->token_count : 0) + 2;
}

static size_t count_masks(const struct rewriting *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->parse->table_count; i++) {
        int table = r->parse->tables[i].table;
        if (table != CATALOG_NONE && sql_visible_masks(r->sees, table))
            count += table_of(r, sql_visible_read(r->sees, table))->column_count;
    }
    return count;
}

static enum err_code prepare(struct rewriting *r)
{
    const struct sql_parse *parse = r->parse;
    bool groups = parse->dialect == SQL_POSTGRES && parse->has_group_by;
    r->scope_count = groups ? count_scopes(parse) : 0;
    r->edits = arena_array(r->arena, count_edits(parse), sizeof *r->edits);
    r->starred = arena_array(r->arena, parse->table_count, sizeof *r->starred);
    r->edited = arena_array(r->arena, parse->table_count, sizeof *r->edited);
    r->filters = arena_array(r->arena, parse->table_count, sizeof *r->filters);
    r->masks = arena_array(r->arena, count_masks(r), sizeof *r->masks);
    r->grouped = arena_array(r->arena, r->scope_count, sizeof *r->grouped);
    r->where_filters = arena_array(r->arena, r->scope_count, sizeof *r->where_filters);
    if (!arena_ok(r->arena))
        return ERR_NO_MEMORY;
    struct sql_tree_walk walk = {.on_branch = note_branch, .owner = r};
    if (parse->has_natural || groups)
        sql_tree_walk_select(&walk, parse->tree);
    return ERR_OK;
}

/* Whether any table is read by the company or through a secure view. */
static bool chooses_rows(const struct rewriting *r)
{
    for (size_t i = 0; i < r->parse->table_count; i++) {
        int table = r->parse->tables[i].table;
        if (table != CATALOG_NONE &&
            (r->tenant.on || sql_visible_is_secure_view(r->sees, sql_visible_read(r->sees, table))))
            return true;
    }
    return false;
}

/* A mask is no column of the catalog's type, so nothing that names it is plain. */
static bool reads_masked(const struct rewriting *r)
{
    for (size_t i = 0; i < r->parse->table_count; i++)
        if (r->parse->tables[i].table != CATALOG_NONE &&
            sql_visible_masks(r->sees, r->parse->tables[i].table))
            return true;
    return false;
}

static enum err_code rewrite_all(struct rewriting *r, struct sql_finding *finding)
{
    enum err_code code = prepare(r);
    if (code != ERR_OK)
        return err_set(&finding->err, code, "no memory to rewrite the statement");
    edit_stars(r);
    r->fences =
        chooses_rows(r) && (reads_masked(r) || !sql_plain_is(r->parse, r->sees.catalog, r->arena));
    for (size_t i = 0; i < r->parse->table_count; i++) {
        if ((code = edit_table(r, i, finding)) != ERR_OK)
            return code;
    }
    edit_columns(r);
    edit_comments(r);
    edit_limit(r);
    edit_table_words(r);
    apply(r);
    if (r->limit.after.len > 0)
        push_number(r);
    r->rewrite->sql = take_out(r);
    r->rewrite->filters = r->filters;
    r->rewrite->masks = r->masks;
    if (r->failed || !arena_ok(r->arena))
        return err_set(&finding->err, ERR_NO_MEMORY, "no memory to rewrite the statement");
    return ERR_OK;
}

enum err_code sql_rewrite_statement(struct sql_visible sees, const struct sql_parse *parse,
                                    struct sql_tenant tenant, struct arena *arena,
                                    struct sql_rewrite *rewrite, struct sql_finding *finding)
{
    struct rewriting r = {
        .sees = sees, .parse = parse, .tenant = tenant, .arena = arena, .rewrite = rewrite};
    *rewrite = (struct sql_rewrite){.sql = {NULL, 0}};
    buf_init(&r.out, OUT_BYTES);
    enum err_code code = rewrite_all(&r, finding);
    buf_fini(&r.out);
    return code;
}

/* ---- filters by place ----
 *
 * Filters stand in the order of the text and do not overlap. */

static bool lies_in(struct sql_span inner, struct sql_span outer)
{
    return inner.end > inner.start && inner.start >= outer.start && inner.end <= outer.end;
}

/* The first filter whose predicate ends behind start. */
static size_t first_behind(const struct sql_rewrite *rewrite, size_t start)
{
    size_t low = 0, high = rewrite->filter_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rewrite->filters[middle].predicate.end <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t sql_rewrite_filter_at(const struct sql_rewrite *rewrite, struct sql_span span)
{
    size_t i = first_behind(rewrite, span.start);
    return i < rewrite->filter_count && lies_in(span, rewrite->filters[i].predicate)
               ? i
               : rewrite->filter_count;
}

/* A derived table ends with its predicate and a parenthesis, so what begins in it ends before. */
size_t sql_rewrite_filter_around(const struct sql_rewrite *rewrite, struct sql_span span)
{
    size_t i = first_behind(rewrite, span.start);
    return i < rewrite->filter_count && lies_in(span, rewrite->filters[i].around)
               ? i
               : rewrite->filter_count;
}

bool sql_rewrite_masks(const struct sql_rewrite *rewrite, struct sql_span span)
{
    size_t low = 0, high = rewrite->mask_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rewrite->masks[middle].end <= span.start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rewrite->mask_count && lies_in(span, rewrite->masks[low]);
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite.c - edits are gathered, sorted by place, and applied in one pass.
 *
 * Happy path: an edit for each table that must not be read as written, for names that had to be
 * qualified or spelled otherwise because of that, for comments and for the LIMIT.
 * Failure paths: a table of tenants without a column to filter by: rule "tenant"; no memory.
 * Tried and rejected: expanding stars in place. A derived table with the visible columns does the
 * same for stars, NATURAL and USING joins, and for names that slip past a table to an outer one
 * (the database would take the hidden column), with nothing left to get wrong. Only PostgreSQL's
 * GROUP BY needs the table itself: it lets a table's key stand for all its columns. */
#include "agents/sql/rewrite.h"

#include <stdlib.h>

#include "agents/sql/rewrite_state.h"
#include "agents/sql/rewrite_text.h"
#include "agents/sql/tree_walk.h"

enum { OUT_BYTES = 4 << 20, WHERE_BYTES = 5 }; /* 16 KiB of references to the widest tables */

/* ---- tables ---- */

static void push_table(struct sql_rewrite_state *r, const struct sql_table_ref *ref, int read)
{
    if (ref->only)
        buf_push(&r->out, STR("ONLY "));
    sql_rewrite_text_table(r->parse->dialect, sql_rewrite_state_table(r, read), &r->out);
}

/* "(SELECT id, name FROM t WHERE ...)"; the filter's bytes in out. */
static struct sql_span push_derived(struct sql_rewrite_state *r, const struct sql_table_ref *ref,
                                    int read, bool narrow, const struct sql_tenancy *tenancy)
{
    const struct catalog_table *table = sql_rewrite_state_table(r, read);
    struct sql_span predicate = {0};
    buf_push(&r->out, STR("(SELECT "));
    if (narrow)
        sql_rewrite_text_columns(r->parse->dialect, table, &r->out);
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
        sql_rewrite_text_filter(r->sees, r->parse->dialect, table->name, read, tenancy, &r->out);
        predicate.end = buf_len(&r->out);
    }
    buf_push_char(&r->out, ')');
    return predicate;
}

static enum err_code cannot_filter(const struct sql_table_ref *ref, struct sql_finding *finding)
{
    finding->rule = "tenant";
    finding->span = ref->span;
    return err_set(&finding->err, ERR_REJECTED,
                   "Table '%.*s' holds rows of several companies and has no column to filter them "
                   "by; leave it out.",
                   STR_ARG(str_utf8_prefix(ref->name, 60)));
}

static bool must_narrow(const struct sql_rewrite_state *r, size_t i)
{
    const struct sql_table_ref *ref = &r->parse->tables[i];
    bool shows_all = r->narrow_all || r->starred[i] || ref->use == SQL_USE_IN;
    return shows_all && sql_visible_has_hidden(r->sees, ref->table);
}

/* The branch whose WHERE takes the filter of table reference i, or NULL: a derived table does. */
static const struct sql_branch *filtered_branch(const struct sql_rewrite_state *r, size_t i,
                                                int read)
{
    const struct sql_table_ref *ref = &r->parse->tables[i];
    bool fits = ref->use == SQL_USE_FROM && !ref->column_list && ref->inner && ref->scope >= 0 &&
                (size_t)ref->scope < r->scope_count && read == ref->table;
    return fits ? r->grouped[ref->scope] : NULL;
}

/* WHERE (as it was) AND filter AND filter */
static void edit_where(struct sql_rewrite_state *r, const struct sql_branch *branch, size_t i,
                       const struct sql_tenancy *tenancy)
{
    const struct sql_table_ref *ref = &r->parse->tables[i];
    struct sql_span where = branch->where_span;
    bool has_where = where.end > where.start, first = r->where_filters[branch->scope]++ == 0;
    if (has_where && first)
        sql_rewrite_state_add(
            r, (struct sql_span){where.start + WHERE_BYTES, where.start + WHERE_BYTES}, STR(" ("));
    size_t at = has_where ? where.end : branch->where_at;
    buf_clear(&r->out);
    buf_push(&r->out, !first ? STR(" AND ") : has_where ? STR(") AND ") : STR(" WHERE "));
    struct sql_span predicate = {buf_len(&r->out), 0};
    sql_rewrite_text_filter(r->sees, r->parse->dialect, ref->alias.len > 0 ? ref->alias : ref->name,
                            ref->table, tenancy, &r->out);
    predicate.end = buf_len(&r->out);
    struct sql_rewrite_edit *edit =
        sql_rewrite_state_add(r, (struct sql_span){at, at}, sql_rewrite_state_take(r));
    edit->filters = true;
    edit->predicate = predicate;
}

/* A name of other case means the same to the catalog, and nothing to PostgreSQL and to MySQL on
 * Linux. */
static bool is_as_written(const struct sql_rewrite_state *r, const struct sql_table_ref *ref,
                          int read)
{
    return read == ref->table && (r->parse->dialect == SQL_SQLITE ||
                                  str_equal(ref->name, sql_rewrite_state_table(r, read)->name));
}

static enum err_code find_tenancy(const struct sql_rewrite_state *r,
                                  const struct sql_table_ref *ref, struct sql_tenancy *tenancy,
                                  struct sql_finding *finding)
{
    tenancy->filters = false;
    if (!r->tenant.on || sql_tenancy_find(r->sees, ref->table, tenancy))
        return ERR_OK;
    tenancy->filters = false;
    return r->sees.policy->require_tenant ? cannot_filter(ref, finding) : ERR_OK;
}

static enum err_code edit_table(struct sql_rewrite_state *r, size_t i, struct sql_finding *finding)
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
    const struct sql_branch *branch =
        tenancy.filters && !narrow ? filtered_branch(r, i, read) : NULL;
    if (branch != NULL) {
        edit_where(r, branch, i, &tenancy);
        tenancy.filters = false;
    }
    /* A derived table shows its columns one by one where the database may have more. */
    narrow = narrow || (tenancy.filters && sql_visible_has_hidden(r->sees, ref->table));
    if (!narrow && !tenancy.filters && is_as_written(r, ref, read))
        return ERR_OK;
    struct sql_span predicate = {0};
    buf_clear(&r->out);
    bool derived = narrow || tenancy.filters;
    if (derived)
        predicate = push_derived(r, ref, read, narrow, &tenancy);
    else
        push_table(r, ref, read);
    size_t derived_bytes = buf_len(&r->out);
    if (ref->alias.len == 0 && ref->use == SQL_USE_FROM) {
        buf_push(&r->out, STR(" AS "));
        sql_rewrite_state_name(r, ref->name);
    }
    struct sql_rewrite_edit *edit = sql_rewrite_state_add(r, ref->span, sql_rewrite_state_take(r));
    edit->filters = tenancy.filters;
    edit->predicate = predicate;
    edit->derived_bytes = derived_bytes;
    r->edited[i] = true;
    if (derived && ref->sample.end > ref->sample.start) /* it went inside */
        sql_rewrite_state_add(r, ref->sample, STR(""));
    return ERR_OK;
}

/* Comments lie between tokens; what the database does not see it cannot read otherwise. */
static void edit_comments(struct sql_rewrite_state *r)
{
    const struct sql_parse *parse = r->parse;
    for (size_t i = 0; parse->has_comment && i + 1 < parse->token_count; i++) {
        struct sql_span gap = {parse->tokens[i].end, parse->tokens[i + 1].start};
        if (gap.end > parse->statement.end)
            break;
        if (!str_is_empty(str_trim(str_slice(parse->text, gap.start, gap.end))))
            sql_rewrite_state_add(r, gap, STR(" "));
    }
}

/* TABLE t is SELECT * FROM t, and only that may read a derived table. */
static void edit_table_words(struct sql_rewrite_state *r)
{
    size_t done = SIZE_MAX;
    for (size_t i = 0; i < r->parse->column_count; i++) {
        const struct sql_column_ref *ref = &r->parse->columns[i];
        struct str text = str_slice(r->parse->text, ref->span.start, ref->span.end);
        if (ref->use != SQL_COLUMN_STAR || ref->span.start == done ||
            !str_equal_nocase(text, STR("table")))
            continue;
        done = ref->span.start;
        sql_rewrite_state_add(r, ref->span, STR("SELECT * FROM"));
    }
}

/* ---- putting it together ---- */

static int compare_edits(const void *a, const void *b)
{
    const struct sql_rewrite_edit *left = a, *right = b;
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

static void note_filter(struct sql_rewrite_state *r, const struct sql_rewrite_edit *edit)
{
    size_t base = buf_len(&r->out);
    struct sql_rewrite_filter *filter = &r->filters[r->rewrite->filter_count++];
    filter->predicate = (struct sql_span){base + edit->predicate.start, base + edit->predicate.end};
    if (edit->derived_bytes > 0)
        filter->around = (struct sql_span){base, base + edit->derived_bytes};
}

static void push_number(struct sql_rewrite_state *r)
{
    buf_push(&r->out, r->limit.after);
    buf_push_u64(&r->out, r->limit.number);
    buf_push(&r->out, r->limit.end);
}

static void apply(struct sql_rewrite_state *r)
{
    struct str text = r->parse->text;
    size_t at = r->parse->statement.start;
    qsort(r->edits, r->edit_count, sizeof *r->edits, compare_edits);
    buf_clear(&r->out);
    buf_push(&r->out, r->limit.before);
    for (size_t i = 0; i < r->edit_count; i++) {
        const struct sql_rewrite_edit *edit = &r->edits[i];
        if (edit->span.start < at) /* inside one that is done: a comment in a replaced name */
            continue;
        buf_push(&r->out, str_slice(text, at, edit->span.start));
        if (edit->filters)
            note_filter(r, edit);
        buf_push(&r->out, edit->text);
        at = edit->span.end;
    }
    buf_push(&r->out, str_slice(text, at, r->parse->statement.end));
}

/* What is added for the LIMIT, the last edit of all. */
static void edit_limit(struct sql_rewrite_state *r)
{
    struct sql_rewrite_limit *limit = &r->limit;
    sql_rewrite_limit_plan(r->sees.policy, r->parse, limit);
    if (limit->count.end > limit->count.start)
        sql_rewrite_state_add(r, limit->count, arena_printf(r->arena, "%zu", limit->number));
    if (limit->after.len > 0 && limit->added_at < r->parse->statement.end) {
        buf_clear(&r->out);
        push_number(r);
        sql_rewrite_state_add(r, (struct sql_span){limit->added_at, limit->added_at},
                              sql_rewrite_state_take(r));
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

static void star_tables(struct sql_rewrite_state *r, const struct sql_from *first)
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
    struct sql_rewrite_state *r = walk->owner;
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
        names += sql_rewrite_names_may_edit(parse, &parse->columns[i]);
    return 4 * parse->table_count + names + (parse->has_comment ? parse->token_count : 0) + 2;
}

static enum err_code prepare(struct sql_rewrite_state *r)
{
    const struct sql_parse *parse = r->parse;
    bool groups = parse->dialect == SQL_POSTGRES && parse->has_group_by;
    r->scope_count = groups ? count_scopes(parse) : 0;
    r->edits = arena_array(r->arena, count_edits(parse), sizeof *r->edits);
    r->starred = arena_array(r->arena, parse->table_count, sizeof *r->starred);
    r->edited = arena_array(r->arena, parse->table_count, sizeof *r->edited);
    r->filters = arena_array(r->arena, parse->table_count, sizeof *r->filters);
    r->grouped = arena_array(r->arena, r->scope_count, sizeof *r->grouped);
    r->where_filters = arena_array(r->arena, r->scope_count, sizeof *r->where_filters);
    if (!arena_ok(r->arena))
        return ERR_NO_MEMORY;
    struct sql_tree_walk walk = {.on_branch = note_branch, .owner = r};
    if (parse->has_natural || groups)
        sql_tree_walk_select(&walk, parse->tree);
    return ERR_OK;
}

static enum err_code rewrite_all(struct sql_rewrite_state *r, struct sql_finding *finding)
{
    enum err_code code = prepare(r);
    if (code != ERR_OK)
        return err_set(&finding->err, code, "no memory to rewrite the statement");
    sql_rewrite_names_stars(r);
    for (size_t i = 0; i < r->parse->table_count; i++) {
        if ((code = edit_table(r, i, finding)) != ERR_OK)
            return code;
    }
    sql_rewrite_names_columns(r);
    edit_comments(r);
    edit_limit(r);
    edit_table_words(r);
    apply(r);
    if (r->limit.after.len > 0)
        push_number(r);
    r->rewrite->sql = sql_rewrite_state_take(r);
    r->rewrite->filters = r->filters;
    if (r->failed || !arena_ok(r->arena))
        return err_set(&finding->err, ERR_NO_MEMORY, "no memory to rewrite the statement");
    return ERR_OK;
}

enum err_code sql_rewrite_statement(struct sql_visible sees, const struct sql_parse *parse,
                                    struct sql_tenant tenant, struct arena *arena,
                                    struct sql_rewrite *rewrite, struct sql_finding *finding)
{
    struct sql_rewrite_state r = {
        .sees = sees, .parse = parse, .tenant = tenant, .arena = arena, .rewrite = rewrite};
    *rewrite = (struct sql_rewrite){.sql = {NULL, 0}};
    buf_init(&r.out, OUT_BYTES);
    enum err_code code = rewrite_all(&r, finding);
    buf_fini(&r.out);
    return code;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite.c - edits are gathered, sorted by place, and applied in one pass.
 *
 * Happy path: an edit for each table that must not be read as written, for names that had to be
 * qualified because of that, for comments; then the LIMIT.
 * Failure paths: a table of tenants without a column to filter by: rule "tenant"; no memory.
 * Tried and rejected: expanding stars in place. A derived table with the visible columns does the
 * same for stars, NATURAL and USING joins, and for names that slip past a table to an outer one
 * (the database would take the hidden column), with nothing left to get wrong. */
#include "agents/sql/rewrite.h"

#include <stdlib.h>

#include "agents/sql/grammar.h"
#include "agents/sql/tree_walk.h"

enum { OUT_BYTES = 4 << 20 }; /* 16 KiB of references to the widest tables */

const struct str sql_rewrite_tenant_function = {"session_var", 11};
const struct str sql_rewrite_tenant_call = {"session_var('company_id')", 25};

struct edit {
    struct sql_span span;
    struct str text;
};

struct rewriting {
    struct sql_visible sees;
    const struct sql_parse *parse;
    struct sql_tenant tenant;
    struct arena *arena;
    struct sql_rewrite *rewrite;
    struct sql_tokens tokens;
    struct edit *edits;
    size_t edit_count;
    bool *starred;   /* by table reference: a star or a NATURAL join shows all of it */
    bool narrow_all; /* a name slips past a table outwards */
    struct buf out;  /* scratch for one edit, then the result */
};

static void add_edit(struct rewriting *r, struct sql_span span, struct str text)
{
    r->edits[r->edit_count++] = (struct edit){span, text};
}

static bool is_plain(struct str name)
{
    if (name.len == 0 || !(str_is_alpha(name.at[0]) || name.at[0] == '_'))
        return false;
    for (size_t i = 1; i < name.len; i++) {
        char c = name.at[i];
        if (!str_is_alpha(c) && !str_is_digit(c) && c != '_')
            return false;
    }
    return sql_words_find(name) == SQL_WORD_NONE;
}

static void push_name(struct rewriting *r, struct str name)
{
    char quote = r->parse->dialect == SQL_MYSQL ? '`' : '"';
    if (is_plain(name)) {
        buf_push(&r->out, name);
        return;
    }
    buf_push_char(&r->out, quote);
    for (size_t i = 0; i < name.len; i++) {
        if (name.at[i] == quote)
            buf_push_char(&r->out, quote);
        buf_push_char(&r->out, name.at[i]);
    }
    buf_push_char(&r->out, quote);
}

static void push_table(struct rewriting *r, int table)
{
    const struct catalog_table *at = &r->sees.catalog->tables[table];
    if (at->schema.len > 0) {
        push_name(r, at->schema);
        buf_push_char(&r->out, '.');
    }
    push_name(r, at->name);
}

/* Names that need quotes are qualified: a quoted name that is not there is a string to SQLite. */
static void push_columns(struct rewriting *r, int table)
{
    const struct catalog_table *at = &r->sees.catalog->tables[table];
    bool first = true;
    for (size_t i = 0; i < at->column_count; i++) {
        if (at->columns[i].hidden)
            continue;
        if (!first)
            buf_push(&r->out, STR(", "));
        if (!is_plain(at->columns[i].name)) {
            push_name(r, at->name);
            buf_push_char(&r->out, '.');
        }
        push_name(r, at->columns[i].name);
        first = false;
    }
    if (first) /* a table of which nothing may be seen still has rows */
        buf_push(&r->out, STR("NULL"));
}

bool sql_rewrite_tenant_column(struct sql_visible sees, int table, int *column)
{
    int read = sql_visible_read(sees, table);
    const struct catalog_table *at = &sees.catalog->tables[read];
    *column = at->tenant_column;
    if (*column != CATALOG_NONE)
        return true;
    if (read != table && sees.catalog->tables[table].tenant_column != CATALOG_NONE)
        return false;
    if (at->secures != CATALOG_NONE &&
        sees.catalog->tables[at->secures].tenant_column != CATALOG_NONE)
        return false;
    if (!at->is_view)
        return true;
    /* A view that does not show the tenant may still hold every tenant's rows. */
    for (size_t i = 0; i < sees.catalog->table_count; i++) {
        if (sees.catalog->tables[i].tenant_column != CATALOG_NONE)
            return false;
    }
    return true;
}

/* "(SELECT id, name FROM t WHERE tenant = session_var('company_id'))" */
static void push_derived(struct rewriting *r, int read, bool narrow, int tenant_column)
{
    buf_push(&r->out, STR("(SELECT "));
    if (narrow)
        push_columns(r, read);
    else
        buf_push_char(&r->out, '*');
    buf_push(&r->out, STR(" FROM "));
    push_table(r, read);
    if (tenant_column != CATALOG_NONE) {
        buf_push(&r->out, STR(" WHERE "));
        push_name(r, r->sees.catalog->tables[read].name);
        buf_push_char(&r->out, '.');
        push_name(r, r->sees.catalog->tables[read].columns[tenant_column].name);
        buf_push(&r->out, STR(" = "));
        buf_push(&r->out, sql_rewrite_tenant_call);
        r->rewrite->tenant_filters++;
    }
    buf_push_char(&r->out, ')');
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

static bool must_narrow(const struct rewriting *r, size_t i)
{
    const struct sql_table_ref *ref = &r->parse->tables[i];
    bool shows_all = r->narrow_all || r->starred[i] || ref->use == SQL_USE_IN;
    return shows_all && sql_visible_has_hidden(r->sees, ref->table);
}

static enum err_code edit_table(struct rewriting *r, size_t i, struct sql_finding *finding)
{
    const struct sql_table_ref *ref = &r->parse->tables[i];
    if (ref->table == CATALOG_NONE)
        return ERR_OK; /* a policy that only warns: the database will say so */
    int read = sql_visible_read(r->sees, ref->table), tenant_column = CATALOG_NONE;
    if (r->tenant.on && !sql_rewrite_tenant_column(r->sees, ref->table, &tenant_column)) {
        if (r->sees.policy->require_tenant)
            return cannot_filter(ref, finding);
        tenant_column = CATALOG_NONE;
    }
    if (!r->tenant.on)
        tenant_column = CATALOG_NONE;
    /* A derived table shows its columns one by one where the database may have more. */
    bool narrow = must_narrow(r, i) ||
                  (tenant_column != CATALOG_NONE && sql_visible_has_hidden(r->sees, ref->table));
    /* MySQL on Linux knows the table by its own spelling only */
    bool as_written =
        r->parse->dialect != SQL_MYSQL || str_equal(ref->name, r->sees.catalog->tables[read].name);
    if (!narrow && tenant_column == CATALOG_NONE && read == ref->table && as_written)
        return ERR_OK;
    buf_clear(&r->out);
    if (narrow || tenant_column != CATALOG_NONE)
        push_derived(r, read, narrow, tenant_column);
    else
        push_table(r, read);
    r->rewrite->narrowed = r->rewrite->narrowed || narrow;
    if (ref->alias.len == 0 && ref->use == SQL_USE_FROM) {
        buf_push(&r->out, STR(" AS "));
        push_name(r, ref->name);
    }
    struct str text = arena_str(r->arena, buf_str(&r->out));
    if (!buf_ok(&r->out) || !arena_ok(r->arena))
        return err_set(&finding->err, ERR_NO_MEMORY, "no memory to rewrite the statement");
    add_edit(r, ref->span, text);
    return ERR_OK;
}

/* main.customers.id means nothing once customers is a derived table; customers.id does. */
static void edit_qualified(struct rewriting *r, size_t edited)
{
    for (size_t i = 0; i < r->parse->column_count; i++) {
        const struct sql_column_ref *ref = &r->parse->columns[i];
        if (ref->table_ref < 0 || ref->use != SQL_COLUMN_NAMED || ref->qualifier.len == 0)
            continue;
        const struct sql_table_ref *table = &r->parse->tables[ref->table_ref];
        bool may_have_schema = table->schema.len > 0 || r->parse->dialect == SQL_MYSQL;
        if (!may_have_schema || table->alias.len > 0)
            continue;
        bool is_edited = false;
        for (size_t j = 0; j < edited && !is_edited; j++)
            is_edited = r->edits[j].span.start == table->span.start;
        if (!is_edited)
            continue;
        buf_clear(&r->out);
        push_name(r, table->name);
        buf_push_char(&r->out, '.');
        push_name(r, ref->name);
        add_edit(r, ref->span, arena_str(r->arena, buf_str(&r->out)));
    }
}

/* Comments lie between tokens; what the database does not see it cannot read otherwise. */
static void edit_comments(struct rewriting *r)
{
    for (size_t i = 0; i + 1 < r->tokens.count; i++) {
        struct sql_span gap = {r->tokens.at[i].end, r->tokens.at[i + 1].start};
        if (gap.end > r->parse->statement.end)
            break;
        struct str text = str_slice(r->parse->text, gap.start, gap.end);
        if (!str_is_empty(str_trim(text)))
            add_edit(r, gap, STR(" "));
    }
}

/* LIMIT -1 and the like: no limit at all. */
static bool is_negative(const struct rewriting *r)
{
    struct sql_span span = r->parse->limit.count_span;
    struct str text = str_slice(r->parse->text, span.start, span.end);
    uint64_t number;
    return text.len > 1 && text.at[0] == '-' && str_to_u64(str_trim(str_from(text, 1)), &number);
}

static void edit_limit(struct rewriting *r)
{
    const struct sql_limit *limit = &r->parse->limit;
    size_t max = r->sees.policy->max_limit;
    if (!limit->present || !(limit->is_number || is_negative(r)) || max == 0)
        return;
    if (limit->is_number && limit->number >= 0 && (uint64_t)limit->number <= max)
        return;
    add_edit(r, limit->count_span, arena_printf(r->arena, "%zu", max));
}

static int compare_edits(const void *a, const void *b)
{
    const struct edit *left = a, *right = b;
    if (left->span.start != right->span.start)
        return left->span.start < right->span.start ? -1 : 1;
    return left->span.end < right->span.end ? 1 : left->span.end > right->span.end ? -1 : 0;
}

static void apply(struct rewriting *r)
{
    struct str text = r->parse->text;
    size_t at = r->parse->statement.start;
    qsort(r->edits, r->edit_count, sizeof *r->edits, compare_edits);
    for (size_t i = 0; i < r->edit_count; i++) {
        const struct edit *edit = &r->edits[i];
        if (edit->span.start < at) /* inside one that is done: a comment in a replaced name */
            continue;
        buf_push(&r->out, str_slice(text, at, edit->span.start));
        buf_push(&r->out, edit->text);
        at = edit->span.end;
    }
    buf_push(&r->out, str_slice(text, at, r->parse->statement.end));
}

/* A LIMIT that is not a number is kept and bounded from outside. */
static void push_statement(struct rewriting *r)
{
    const struct sql_policy *policy = r->sees.policy;
    const struct sql_limit *limit = &r->parse->limit;
    bool wrap = limit->present && !limit->is_number && !is_negative(r) && policy->max_limit > 0;
    buf_clear(&r->out);
    if (wrap)
        buf_push(&r->out, STR("SELECT * FROM (\n"));
    apply(r);
    if (wrap)
        buf_printf(&r->out, "\n) AS limited LIMIT %zu", policy->max_limit);
    size_t rows = policy->default_limit > 0 ? policy->default_limit : policy->max_limit;
    if (policy->max_limit > 0)
        rows = size_min(rows, policy->max_limit);
    if (!limit->present && rows > 0)
        buf_printf(&r->out, "\nLIMIT %zu", rows);
}

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
static void star_natural(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    if (has_natural(branch->from))
        star_tables(walk->owner, branch->from);
}

static enum err_code prepare(struct rewriting *r)
{
    const struct sql_parse *parse = r->parse;
    const char *rule;
    enum err_code code =
        sql_lexer_scan(parse->dialect, parse->text, r->arena, &r->tokens, &rule, NULL);
    if (code != ERR_OK)
        return code;
    size_t most = parse->table_count + parse->column_count + r->tokens.count + 1;
    r->edits = arena_array(r->arena, most, sizeof *r->edits);
    r->starred = arena_array(r->arena, parse->table_count, sizeof *r->starred);
    if (r->edits == NULL || r->starred == NULL)
        return ERR_NO_MEMORY;
    struct sql_tree_walk walk = {.on_branch = star_natural, .owner = r};
    if (parse->has_natural)
        sql_tree_walk_select(&walk, parse->tree);
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        r->narrow_all = r->narrow_all || ref->past_table;
        if (ref->use == SQL_COLUMN_STAR && ref->table_ref >= 0)
            r->starred[ref->table_ref] = true;
    }
    return ERR_OK;
}

static enum err_code rewrite_all(struct rewriting *r, struct sql_finding *finding)
{
    enum err_code code = prepare(r);
    if (code != ERR_OK)
        return err_set(&finding->err, code, "no memory to rewrite the statement");
    for (size_t i = 0; i < r->parse->table_count; i++) {
        if ((code = edit_table(r, i, finding)) != ERR_OK)
            return code;
    }
    edit_qualified(r, r->edit_count);
    edit_comments(r);
    edit_limit(r);
    push_statement(r);
    r->rewrite->sql = arena_str(r->arena, buf_str(&r->out));
    if (!buf_ok(&r->out) || !arena_ok(r->arena))
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

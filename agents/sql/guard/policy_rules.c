/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/policy_rules.c - a table of rules, run in order until one finds something.
 *
 * Happy path: statement, constructs, tables, columns, functions, joins, sizes, in that order
 * (R62), and nothing found.
 * Failure paths: each rule sets a stable word and a sentence with what to do instead. Unknown
 * names are only warned of when the policy says so and the catalog knows all there is: a table
 * the catalog does not know may be one it hides. */
#include "agents/sql/guard/policy_rules.h"

#include <string.h>

#include "agents/sql/bounds/bounds.h"
#include "agents/sql/bounds/bounds_growth.h"
#include "agents/sql/bounds/bounds_joins.h"
#include "agents/sql/bounds/bounds_sizes.h"
#include "agents/sql/bounds/bounds_weight.h"
#include "agents/sql/guard/columns.h"
#include "agents/sql/catalog/catalog_change.h"
#include "agents/sql/catalog/policy_functions.h"
#include "agents/sql/guard/tenancy.h"
#include "agents/sql/grammar/tree_walk.h"

enum { NEAR_TABLES = 3, NAME_BYTES = 60, LIST_BYTES = 200 };

typedef enum err_code rule_fn(struct sql_policy_case *at, struct sql_finding *finding);

static enum err_code refuse(struct sql_finding *finding, const char *rule, struct sql_span span,
                            const char *text)
{
    finding->rule = rule;
    finding->span = span;
    return err_set(&finding->err, ERR_REJECTED, "%s", text);
}

struct variable_search {
    const struct sql_policy_case *at;
    struct sql_finding *finding;
    enum err_code code;
};

static struct str shown(struct str name)
{
    return str_utf8_prefix(name, NAME_BYTES);
}

static void warn(struct sql_policy_case *at, const char *rule, const struct err *err)
{
    if (at->warning_count == SQL_POLICY_MAX_WARNINGS || at->rewrite != NULL)
        return; /* the second reading finds the same again */
    struct str text = arena_printf(at->arena, "%s", err->text);
    at->warnings[at->warning_count++] = (struct sql_warning){rule, text};
}

/* Whether an unknown name is only worth a warning (C10): the database will say it is not there. A
 * table that came after the catalog was read could not be filtered by company. */
static bool tolerates(const struct sql_policy_case *at, enum sql_severity severity)
{
    return severity != SQL_REFUSE && at->sees.catalog->complete && !at->tenant.on;
}

/* ---- what kind of statement ---- */

static enum err_code check_statement(struct sql_policy_case *at, struct sql_finding *finding)
{
    const struct sql_parse *parse = at->parse;
    if (parse->has_executable_comment)
        return refuse(finding, "executable_comment", (struct sql_span){0},
                      "Executable comments are refused; remove the comment.");
    if (parse->has_hint)
        return refuse(finding, "hint", (struct sql_span){0},
                      "Optimizer hints are refused; remove the hint.");
    return ERR_OK;
}

static enum err_code check_constructs(struct sql_policy_case *at, struct sql_finding *finding)
{
    const struct sql_policy *policy = at->sees.policy;
    const struct sql_parse *parse = at->parse;
    const struct {
        bool bad;
        const char *rule, *text;
    } checks[] = {
        {parse->has_set_operation && !policy->allow_set_operations, "set_operation",
         "UNION, INTERSECT and EXCEPT are not accepted; write one SELECT."},
        {parse->has_with && !policy->allow_with, "with",
         "WITH is not accepted; write the query as a subquery in FROM."},
        {at->rewrite == NULL && parse->has_subquery && !policy->allow_subqueries, "subquery",
         "Subqueries are not accepted; use a JOIN."},
        {parse->has_placeholder && !policy->allow_placeholders, "placeholder",
         "Parameters are not accepted; write the value as a literal."},
        {parse->cte_shadows_table, "cte_shadows_table",
         "A WITH query has the name of a table or view; give it another name."},
    };
    for (size_t i = 0; i < countof(checks); i++) {
        if (checks[i].bad)
            return refuse(finding, checks[i].rule, (struct sql_span){0}, checks[i].text);
    }
    return ERR_OK;
}

/* @name holds what the session was given, keys among it; @@name tells about the server. */
static void check_variable(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct variable_search *search = walk->owner;
    const struct sql_policy_case *at = search->at;
    struct str text = str_slice(at->parse->text, expr->span.start, expr->span.end);
    bool told = at->sees.policy->allow_session_info && str_starts_with(text, STR("@@"));
    if (expr->kind != SQL_EXPR_VARIABLE || search->finding->rule != NULL || told ||
        (at->rewrite != NULL && sql_rewrite_wrote(at->rewrite, expr->span)))
        return;
    search->code = refuse(search->finding, "session_variable", expr->span,
                          "Session variables are not accepted; write the value as a literal.");
}

static enum err_code check_variables(struct sql_policy_case *at, struct sql_finding *finding)
{
    struct variable_search search = {at, finding, ERR_OK};
    struct sql_tree_walk walk = {.on_expr = check_variable, .owner = &search};
    if (at->parse->has_session_variable)
        sql_tree_walk_select(&walk, at->parse->tree);
    return search.code;
}

static enum err_code check_recursion(struct sql_policy_case *at, struct sql_finding *finding)
{
    const struct sql_policy *policy = at->sees.policy;
    if (!at->parse->has_with || !sql_bounds_recurses(at->parse))
        return ERR_OK;
    if (!policy->allow_recursive)
        return refuse(finding, "recursive", (struct sql_span){0},
                      "Recursive WITH is not accepted; join the table to itself instead.");
    return policy->recursive_bounded
               ? sql_bounds_check_recursion(at->parse, at->sees.catalog, at->arena, finding)
               : ERR_OK;
}

/* ---- tables ---- */

static bool is_system(const struct sql_table_ref *ref)
{
    static const char *const schemas[] = {"information_schema", "pg_catalog", "mysql", "sys",
                                          "performance_schema", "pg_toast",   "temp"};
    static const char *const prefixes[] = {"sqlite_", "pragma_", "pg_", "dbstat", "innodb_"};
    for (size_t i = 0; i < countof(schemas); i++) {
        if (str_equal_nocase(ref->schema, str_of(schemas[i])))
            return true;
    }
    for (size_t i = 0; i < countof(prefixes); i++) {
        struct str prefix = str_of(prefixes[i]);
        if (str_equal_nocase(str_slice(ref->name, 0, prefix.len), prefix))
            return true;
    }
    return false;
}

static void push_nearest(const struct sql_policy_case *at, struct str name, struct buf *out)
{
    struct str near[NEAR_TABLES];
    size_t count = sql_visible_near_tables(at->sees, name, near, NEAR_TABLES);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s%.*s", i == 0 ? " Did you mean: " : ", ", STR_ARG(shown(near[i])));
    if (count > 0) {
        buf_push_char(out, '?');
        return;
    }
    buf_push(out, STR(" There are: "));
    size_t began = buf_len(out);
    for (size_t i = 0; i < at->sees.catalog->table_count; i++) {
        if (!sql_visible_table(at->sees, (int)i) || sql_visible_is_secure_view(at->sees, (int)i))
            continue;
        if (buf_len(out) - began > LIST_BYTES) {
            buf_push(out, STR(", ..."));
            break;
        }
        buf_printf(out, "%s%.*s", buf_len(out) == began ? "" : ", ",
                   STR_ARG(shown(at->sees.catalog->tables[i].name)));
    }
    if (buf_len(out) == began)
        buf_push(out, STR("no other tables"));
    buf_push_char(out, '.');
}

static enum err_code refuse_table(const struct sql_policy_case *at, const struct sql_table_ref *ref,
                                  const char *rule, const char *why, struct sql_finding *finding)
{
    struct buf out;
    buf_init(&out, 4096);
    buf_printf(&out, "Table '%.*s%s%.*s' %s.", STR_ARG(shown(ref->schema)),
               ref->schema.len > 0 ? "." : "", STR_ARG(shown(ref->name)), why);
    push_nearest(at, ref->name, &out);
    finding->rule = rule;
    finding->span = ref->span;
    enum err_code code = buf_len(&out) == 0 ? ERR_NO_MEMORY : ERR_REJECTED;
    err_set(&finding->err, code, "%.*s", STR_ARG(buf_str(&out)));
    buf_fini(&out);
    return code;
}

/* What is hidden and what is absent are refused in the same words, or they could be told apart. */
static enum err_code refuse_absent(const struct sql_policy_case *at,
                                   const struct sql_table_ref *ref, struct sql_finding *finding)
{
    /* Of other schemas and databases the catalog knows nothing, not even that they are not there.
     */
    bool elsewhere = ref->schema.len > 0 && !str_equal(ref->schema, at->parse->default_schema);
    if (str_equal_nocase(str_slice(ref->name, 0, 7), STR("secure_")))
        return refuse_table(at, ref, "secure_view", "is not one of the secure views", finding);
    return refuse_table(at, ref, "unknown_table",
                        elsewhere ? "is not among those that may be read" : "does not exist",
                        finding);
}

static enum err_code check_unknown_table(struct sql_policy_case *at,
                                         const struct sql_table_ref *ref,
                                         struct sql_finding *finding)
{
    if (is_system(ref))
        return refuse_table(at, ref, "catalog", "is the database's own and may not be read",
                            finding);
    bool elsewhere = ref->schema.len > 0 && !str_equal(ref->schema, at->parse->default_schema);
    enum err_code code = refuse_absent(at, ref, finding);
    if (code != ERR_REJECTED || elsewhere || strcmp(finding->rule, "unknown_table") != 0 ||
        !tolerates(at, at->sees.policy->unknown_table))
        return code;
    if (at->sees.policy->unknown_table == SQL_WARN)
        warn(at, finding->rule, &finding->err);
    *finding = (struct sql_finding){.rule = NULL};
    return ERR_OK;
}

/* The rewriter may name a view where the policy lists only its table. */
static bool was_introduced(const struct sql_policy_case *at, int table)
{
    if (at->rewrite == NULL || at->sees.policy->secure_deny_base)
        return false;
    for (size_t i = 0; i < at->sees.catalog->table_count; i++) {
        if (sql_visible_view(at->sees, (int)i) == table && sql_visible_table(at->sees, (int)i))
            return true;
    }
    return false;
}

/* pragma_table_info('t') and the like: relations, though they look like functions. */
static enum err_code check_relations(struct sql_policy_case *at, struct sql_finding *finding)
{
    for (size_t i = 0; i < at->parse->function_count; i++) {
        const struct sql_function_ref *ref = &at->parse->functions[i];
        const struct sql_table_ref as_table = {.name = ref->name, .span = ref->span};
        if (ref->in_from && is_system(&as_table) && !at->sees.policy->allow_catalog)
            return refuse_table(at, &as_table, "catalog",
                                "is the database's own and may not be read", finding);
    }
    return ERR_OK;
}

/* Where a table's columns are all known, and read from itself, their places are known, too. */
static bool may_rename(const struct sql_policy_case *at, int table)
{
    return at->parse->dialect == SQL_POSTGRES && table != CATALOG_NONE &&
           sql_visible_read(at->sees, table) == table && !sql_visible_has_hidden(at->sees, table);
}

static enum err_code check_tables(struct sql_policy_case *at, struct sql_finding *finding)
{
    for (size_t i = 0; i < at->parse->table_count; i++) {
        const struct sql_table_ref *ref = &at->parse->tables[i];
        enum err_code code = ERR_OK;
        if (at->rewrite != NULL && sql_rewrite_wrote(at->rewrite, ref->span))
            continue; /* a company filter's own tables: nothing of them is shown */
        if (ref->use == SQL_USE_TARGET)
            return refuse(finding, "select_only", ref->span, "Only reading is accepted.");
        if (ref->column_list && !may_rename(at, ref->table))
            return refuse(finding, "column_list", ref->span,
                          "An alias may not rename columns; name them in the SELECT list.");
        if (ref->sample.end > ref->sample.start && ref->table != CATALOG_NONE &&
            sql_visible_view(at->sees, ref->table) != CATALOG_NONE)
            return refuse(
                finding, "syntax", ref->sample,
                "A view stands for this table, which is neither sampled nor cut; leave it out.");
        if (ref->table == CATALOG_NONE) {
            code = check_unknown_table(at, ref, finding);
        } else if (sql_visible_view(at->sees, ref->table) != CATALOG_NONE &&
                   (at->sees.policy->secure_deny_base || at->rewrite != NULL)) {
            code = refuse_table(at, ref, "base_table", "is read through its secure view only",
                                finding);
            if (code == ERR_REJECTED) /* which one is known: no guess is needed */
                err_set(
                    &finding->err, code,
                    "Table '%.*s' is read through its secure view only; write %.*s.",
                    STR_ARG(shown(ref->name)),
                    STR_ARG(at->sees.catalog->tables[sql_visible_view(at->sees, ref->table)].name));
        } else if (!sql_visible_table(at->sees, ref->table) && !was_introduced(at, ref->table)) {
            code = refuse_absent(at, ref, finding);
        }
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

/* ---- columns ---- */

/* The filter's own column may be one that nobody else may read. */
static bool is_filter_column(const struct sql_policy_case *at, const struct sql_column_ref *ref)
{
    if (at->rewrite == NULL || ref->table_ref < 0 || ref->use != SQL_COLUMN_NAMED ||
        !sql_rewrite_wrote(at->rewrite, ref->span))
        return false;
    return ref->column != CATALOG_NONE; /* which ones is check_tenant's affair */
}

/* Whether a table may have a column that took a name before the one it was resolved to. What the
 * catalog shows to hide columns is narrowed by then; of a complete one no other table can. */
static bool may_take_names(const struct sql_policy_case *at)
{
    bool unknown = !at->sees.catalog->complete;
    for (size_t i = 0; i < at->parse->table_count && !unknown; i++)
        unknown = at->parse->tables[i].table == CATALOG_NONE;
    return unknown;
}

/* PostgreSQL must find the columns that were found here: spelled as they are. */
static enum err_code check_spelling(const struct sql_policy_case *at,
                                    const struct sql_column_ref *ref, struct sql_finding *finding)
{
    int table = ref->table_ref < 0 ? CATALOG_NONE : at->parse->tables[ref->table_ref].table;
    if (at->parse->dialect != SQL_POSTGRES || table == CATALOG_NONE || ref->column == CATALOG_NONE)
        return ERR_OK;
    struct str is = at->sees.catalog->tables[table].columns[ref->column].name;
    if (str_equal(is, ref->name))
        return ERR_OK;
    finding->rule = "unknown_column";
    return err_set(&finding->err, ERR_REJECTED, "Column '%.*s' does NOT exist; write \"%.*s\".",
                   STR_ARG(shown(ref->name)), STR_ARG(shown(is)));
}

/* Whether a column is read as it is although only what a mask leaves may be. */
static bool is_unmasked(const struct sql_policy_case *at, const struct sql_column_ref *ref)
{
    int table = ref->table_ref < 0 ? CATALOG_NONE : at->parse->tables[ref->table_ref].table;
    return table != CATALOG_NONE && ref->column != CATALOG_NONE &&
           column_access_is_mask(at->sees.catalog->tables[table].columns[ref->column].access) &&
           !sql_rewrite_wrote(at->rewrite, ref->span);
}

/* After rewriting no star and no name may reach past what was narrowed. */
static enum err_code check_narrowed(const struct sql_policy_case *at,
                                    const struct sql_column_ref *ref, struct sql_finding *finding)
{
    if (at->rewrite == NULL)
        return ERR_OK;
    bool shows_hidden = false;
    if (ref->use == SQL_COLUMN_STAR && ref->table_ref >= 0) {
        int table = at->parse->tables[ref->table_ref].table;
        shows_hidden = table != CATALOG_NONE && sql_visible_has_hidden(at->sees, table);
    }
    if (shows_hidden || (ref->past_table && may_take_names(at)) || is_unmasked(at, ref))
        return refuse(finding, "hidden_column", ref->span,
                      "The statement may reach columns that must not be read; name the columns "
                      "with their tables.");
    return check_spelling(at, ref, finding);
}

/* What a table that nobody knows hides, nobody knows: of its columns none is tolerated. */
static bool names_unknown_table(const struct sql_parse *parse)
{
    for (size_t i = 0; i < parse->table_count; i++)
        if (parse->tables[i].table == CATALOG_NONE)
            return true;
    return false;
}

/* MariaDB compares names by Unicode's case: one that is not ASCII may be that of a hidden column.
 */
static bool may_be_spelled_otherwise(const struct sql_policy_case *at, struct str name)
{
    for (size_t i = 0; at->parse->dialect == SQL_MYSQL && i < name.len; i++)
        if ((unsigned char)name.at[i] >= 0x80)
            return true;
    return false;
}

static enum err_code check_columns(struct sql_policy_case *at, struct sql_finding *finding)
{
    bool may_tolerate = !names_unknown_table(at->parse);
    size_t next = 0;
    for (size_t i = 0; i < at->parse->column_count; i++) {
        enum err_code code = check_narrowed(at, &at->parse->columns[i], finding);
        if (code != ERR_OK)
            return code;
    }
    for (;;) {
        enum err_code code = sql_columns_check(at->sees, at->parse, &next, finding);
        if (code != ERR_REJECTED)
            return code;
        const struct sql_column_ref *ref = &at->parse->columns[next - 1];
        bool unknown = str_equal(str_of(finding->rule), STR("unknown_column"));
        /* PostgreSQL reads t.f as f(t) when t has no column f. */
        bool may_call = at->parse->dialect == SQL_POSTGRES && ref->qualifier.len > 0;
        if (unknown && !may_call && may_tolerate && !may_be_spelled_otherwise(at, ref->name) &&
            tolerates(at, at->sees.policy->unknown_column)) {
            if (at->sees.policy->unknown_column == SQL_WARN)
                warn(at, "unknown_column", &finding->err);
        } else if (unknown || !is_filter_column(at, ref)) {
            return code;
        }
        *finding = (struct sql_finding){.rule = NULL};
    }
}

/* ---- functions, joins, sizes ---- */

/* What the session was given, keys among it: only what the rewriter wrote may read that. */
static bool reads_variable(struct str function)
{
    return str_equal_nocase(function, STR("current_setting")) ||
           str_equal_nocase(function, STR("session_var"));
}

static bool is_stored(const struct sql_policy_case *at, struct str function)
{
    return sql_policy_functions_may_be_stored(at->sees.policy, at->parse->dialect, function) &&
           catalog_has_function(at->sees.catalog, function);
}

static enum err_code check_functions(struct sql_policy_case *at, struct sql_finding *finding)
{
    for (size_t i = 0; i < at->parse->function_count; i++) {
        const struct sql_function_ref *ref = &at->parse->functions[i];
        if (at->rewrite != NULL && sql_rewrite_wrote(at->rewrite, ref->span))
            continue;
        bool told = at->sees.policy->allow_session_info && sql_policy_functions_is_info(ref->name);
        bool stored = is_stored(at, ref->name);
        if (!reads_variable(ref->name) && !stored &&
            (told || sql_policy_functions_allow(at->sees.policy, at->parse->dialect, ref->name,
                                                ref->in_from)))
            continue;
        finding->rule = "function";
        finding->span = ref->span;
        if (ref->in_from &&
            catalog_find_table(at->sees.catalog, STR(""), ref->name) != CATALOG_NONE)
            return err_set(&finding->err, ERR_REJECTED,
                           "'%.*s' without quotes is a function here; write the table as "
                           "\"%.*s\".",
                           STR_ARG(shown(ref->name)), STR_ARG(shown(ref->name)));
        return err_set(&finding->err, ERR_REJECTED, "Function '%.*s' is not accepted%s.",
                       STR_ARG(shown(ref->name)),
                       stored ? ": the database may have a stored function of that name"
                       : sql_policy_functions_is_info(ref->name)
                           ? ": it tells about the server, not the data"
                           : "; write it with the common aggregate, text and date functions");
    }
    enum err_code code = sql_bounds_sizes_check(at->parse, finding);
    return code == ERR_OK ? sql_bounds_growth_check(at->parse, finding) : code;
}

static enum err_code check_joins(struct sql_policy_case *at, struct sql_finding *finding)
{
    if (at->sees.policy->allow_unconnected_tables)
        return ERR_OK;
    for (size_t i = 0; i < at->parse->table_count; i++) {
        const struct sql_table_ref *ref = &at->parse->tables[i];
        if (ref->use != SQL_USE_FROM || ref->connected)
            continue;
        finding->rule = "unconnected";
        finding->span = ref->span;
        return err_set(&finding->err, ERR_REJECTED,
                       "Table '%.*s' is joined without a condition, so every row meets every row; "
                       "add ON with the columns that relate it.",
                       STR_ARG(shown(ref->name)));
    }
    return sql_bounds_joins_check(at->parse, at->arena, finding);
}

static enum err_code check_weight(struct sql_policy_case *at, struct sql_finding *finding)
{
    return sql_bounds_weight_check(at->parse, at->sees.catalog, finding);
}

static enum err_code check_sizes(struct sql_policy_case *at, struct sql_finding *finding)
{
    const struct sql_policy *policy = at->sees.policy;
    if (at->rewrite != NULL)
        return ERR_OK; /* derived tables nest deeper, and their lists are the catalog's */
    if (policy->max_nesting > 0 && at->parse->nesting > policy->max_nesting) {
        finding->rule = "nesting";
        return err_set(&finding->err, ERR_REJECTED,
                       "The statement is nested %zu deep; at most %zu is accepted.",
                       at->parse->nesting, policy->max_nesting);
    }
    if (policy->max_select_items > 0 && at->parse->select_items > policy->max_select_items) {
        finding->rule = "select_items";
        return err_set(&finding->err, ERR_REJECTED,
                       "A SELECT list has %zu items; at most %zu are accepted.",
                       at->parse->select_items, policy->max_select_items);
    }
    return ERR_OK;
}

/* ---- what must hold beyond that once the rewriter wrote it ----
 *
 * Each filter stands in a derived table around one table, or is a conjunct of WHERE whose column
 * resolves to one table; no table is left. A filter that is about none or another: something made
 * the text mean other than the rewriter meant. */

enum { NONE = -1, SEVERAL = -2 }; /* of tables that a filter names */

struct seen {          /* of one filter */
    bool conjunct;     /* it is a conjunct of some WHERE, or all of one */
    int named, within; /* the table its column is of; the tenants' table around it */
};

struct filter_search {
    const struct sql_policy_case *at;
    struct seen *seen; /* by filter */
    bool *covered;     /* by table reference */
};

/* Whether the reference must be filtered. What a filter itself reads stands in its predicate. */
static bool is_tenants(const struct sql_policy_case *at, const struct sql_table_ref *ref)
{
    struct sql_tenancy tenancy;
    return ref->table != CATALOG_NONE && !sql_rewrite_wrote(at->rewrite, ref->span) &&
           sql_tenancy_find(at->sees, ref->table, &tenancy) && tenancy.filters;
}

static void note_table(int *noted, int table)
{
    *noted = *noted == NONE || *noted == table ? table : SEVERAL;
}

static void note_conjunct(struct filter_search *search, const struct sql_expr *expr)
{
    const struct sql_rewrite *rewrite = search->at->rewrite;
    size_t i = sql_rewrite_filter_at(rewrite, expr->span);
    if (i < rewrite->filter_count && expr->span.start == rewrite->filters[i].predicate.start &&
        expr->span.end == rewrite->filters[i].predicate.end)
        search->seen[i].conjunct = true;
}

static void note_branch(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    const struct sql_expr *where = branch->where;
    if (where == NULL)
        return;
    note_conjunct(walk->owner, where);
    for (const struct sql_expr *part = where->kind == SQL_EXPR_AND ? where->children : NULL;
         part != NULL; part = part->next)
        note_conjunct(walk->owner, part);
}

/* Whether the reference is to the table by a column its filter compares. */
static bool is_by_tenancy(const struct sql_policy_case *at, const struct sql_column_ref *ref)
{
    struct sql_tenancy tenancy;
    int table = at->parse->tables[ref->table_ref].table;
    return table != CATALOG_NONE && ref->column != CATALOG_NONE &&
           sql_tenancy_find(at->sees, table, &tenancy) && tenancy.filters &&
           sql_tenancy_names(at->sees, &tenancy, ref->column);
}

/* Which table each predicate names, beside those it reads itself: one, by the columns that tie it
 * to a company, and nothing else. */
static void note_columns(struct filter_search *search)
{
    const struct sql_policy_case *at = search->at;
    for (size_t i = 0; i < at->parse->column_count; i++) {
        const struct sql_column_ref *ref = &at->parse->columns[i];
        size_t filter = sql_rewrite_filter_at(at->rewrite, ref->span);
        if (filter == at->rewrite->filter_count)
            continue;
        bool known = ref->table_ref >= 0 && ref->column != CATALOG_NONE;
        size_t within =
            known ? sql_rewrite_filter_at(at->rewrite, at->parse->tables[ref->table_ref].span)
                  : at->rewrite->filter_count;
        if (within == filter)
            continue;
        note_table(&search->seen[filter].named,
                   known && is_by_tenancy(at, ref) ? ref->table_ref : SEVERAL);
    }
}

/* Which table stands in the derived table of each filter: both come in the order of the text. */
static void note_tables(struct filter_search *search)
{
    const struct sql_policy_case *at = search->at;
    for (size_t i = 0; i < at->parse->table_count; i++) {
        const struct sql_table_ref *ref = &at->parse->tables[i];
        size_t filter = sql_rewrite_filter_around(at->rewrite, ref->span);
        if (filter < at->rewrite->filter_count && is_tenants(at, ref))
            note_table(&search->seen[filter].within, (int)i);
    }
}

static bool covers(struct filter_search *search, size_t i)
{
    const struct sql_policy_case *at = search->at;
    const struct sql_rewrite_filter *filter = &at->rewrite->filters[i];
    const struct seen *seen = &search->seen[i];
    bool derived = filter->around.end > filter->around.start;
    if (!seen->conjunct || seen->named < 0 || search->covered[seen->named])
        return false;
    if (derived ? seen->within != seen->named : !at->parse->tables[seen->named].inner)
        return false;
    search->covered[seen->named] = true;
    return true;
}

static bool all_are_filtered(struct filter_search *search)
{
    const struct sql_policy_case *at = search->at;
    note_columns(search);
    note_tables(search);
    for (size_t i = 0; i < at->rewrite->filter_count; i++) {
        if (!covers(search, i))
            return false;
    }
    for (size_t i = 0; i < at->parse->table_count; i++) {
        if (is_tenants(at, &at->parse->tables[i]) && !search->covered[i])
            return false;
    }
    return true;
}

/* Every table that holds rows of companies stands under a filter the rewriter wrote, and every
 * filter is about one such table. The first reading passes. */
static enum err_code check_tenant(struct sql_policy_case *at, struct sql_finding *finding)
{
    if (at->rewrite == NULL || !at->tenant.on)
        return ERR_OK;
    struct filter_search search = {
        .at = at,
        .seen = arena_array(at->arena, at->rewrite->filter_count, sizeof *search.seen),
        .covered = arena_array(at->arena, at->parse->table_count, sizeof *search.covered),
    };
    if (!arena_ok(at->arena))
        return err_set(&finding->err, ERR_NO_MEMORY, "no memory to check the company filters");
    for (size_t i = 0; i < at->rewrite->filter_count; i++)
        search.seen[i].named = search.seen[i].within = NONE;
    struct sql_tree_walk walk = {.on_branch = note_branch, .owner = &search};
    sql_tree_walk_select(&walk, at->parse->tree);
    if (all_are_filtered(&search))
        return ERR_OK;
    finding->rule = "tenant";
    return err_set(&finding->err, ERR_REJECTED,
                   "The statement cannot be filtered by company; write it more simply.");
}

/* The outermost LIMIT is a number within the policy. The first reading passes. */
static enum err_code check_limit(struct sql_policy_case *at, struct sql_finding *finding)
{
    const struct sql_limit *limit = &at->parse->limit;
    size_t max = at->sees.policy->max_limit;
    if (at->rewrite == NULL || max == 0 ||
        (limit->present && limit->is_number && !limit->with_ties && limit->number >= 0 &&
         (uint64_t)limit->number <= max))
        return ERR_OK;
    finding->rule = "limit";
    finding->span = limit->clause_span;
    return err_set(&finding->err, ERR_REJECTED,
                   "The number of rows cannot be bounded; write LIMIT and a number.");
}

/* ---- */

enum err_code sql_policy_rules_check(struct sql_policy_case *at, struct sql_finding *finding)
{
    static rule_fn *const rules[] = {
        check_statement, check_constructs, check_variables, check_recursion, check_relations,
        check_tables,    check_columns,    check_functions, check_joins,     check_weight,
        check_sizes,     check_tenant,     check_limit};
    for (size_t i = 0; i < countof(rules); i++) {
        enum err_code code = rules[i](at, finding);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

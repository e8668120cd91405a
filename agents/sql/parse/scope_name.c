/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/scope_name.c - a column's name, from the nearest FROM outwards.
 *
 * Happy path: the innermost frame with a relation that has the column; then, where the clause sees
 * them, that frame's aliases; then the frames around it. Failure: none here, only marks: unknown,
 * ambiguous, past_table. A qualifier stops at the nearest relation of that name even when the
 * column is not in it: the database may know a column there that the catalog does not. */
#include "agents/sql/grammar/grammar.h"
#include "agents/sql/catalog/quote.h"
#include "agents/sql/parse/scope_internal.h"

bool sql_scope_name_in(struct sql_scope *s, const struct sql_scope_relation *relation,
                       struct str name, int *column)
{
    *column = CATALOG_NONE;
    sql_scope_state_compare(s, relation->columns == NULL ? 1 : relation->columns->count);
    if (s->failed)
        return false;
    if (relation->table != CATALOG_NONE) {
        *column = catalog_find_column(s->catalog, relation->table, name);
        return *column != CATALOG_NONE;
    }
    if (relation->columns == NULL)
        return false;
    for (size_t i = 0; i < relation->columns->count; i++)
        if (sql_scope_state_same(s, relation->columns->names[i], name))
            return true;
    return false;
}

bool sql_scope_name_is_merged(const struct sql_scope *s, const struct sql_scope_relation *relation,
                              struct str name)
{
    for (const struct sql_scope_merged *at = relation->merged; at != NULL; at = at->next)
        if (sql_scope_state_same(s, at->name, name))
            return true;
    return false;
}

bool sql_scope_name_is_default(const struct sql_scope *s, struct str schema)
{
    struct str own = s->parse->default_schema;
    return schema.len > 0 && (s->parse->dialect == SQL_SQLITE ? str_equal_nocase(schema, own)
                                                              : str_equal(schema, own));
}

static bool is_schema(const struct sql_scope *s, const struct sql_scope_relation *relation,
                      struct str schema)
{
    struct str own = relation->schema;
    if (str_is_empty(own) && sql_scope_name_is_default(s, schema))
        return true;
    if (str_is_empty(own) && relation->table != CATALOG_NONE)
        own = s->catalog->tables[relation->table].home;
    return own.len > 0 && (s->parse->dialect == SQL_SQLITE ? str_equal_nocase(own, schema)
                                                           : str_equal(own, schema));
}

static bool is_qualified_by(const struct sql_scope *s, const struct sql_scope_relation *relation,
                            const struct sql_name *name)
{
    if (!sql_scope_state_same(s, relation->name, name->qualifier) || str_is_absent(relation->name))
        return false;
    if (str_is_absent(name->schema))
        return true;
    return !relation->aliased && relation->table_ref != CATALOG_NONE &&
           is_schema(s, relation, name->schema);
}

/* MySQL on Linux tells c and C apart, elsewhere it does not: only one of both spellings is safe. */
static bool is_in_other_case(const struct sql_scope *s, const struct sql_scope_relation *relation,
                             const struct sql_name *name)
{
    return s->parse->dialect == SQL_MYSQL && !str_equal(relation->name, name->qualifier);
}

/* Fill ref from relation i of frame. */
static void point_at(struct sql_column_ref *ref, struct sql_scope_frame *frame, size_t i,
                     int column)
{
    ref->table_ref = frame->relations[i].table_ref;
    ref->column = column;
    ref->relation = frame->relations[i].name;
    frame->touched |= (uint64_t)1 << i;
}

/* Whether frame settles the name: a column of it, or, qualified, at least the relation. */
/* Whether the name may be one of the frame's i-th relation, as far as its qualifier says. */
static bool may_be_of(struct sql_scope *s, const struct sql_scope_frame *frame, size_t i,
                      const struct sql_name *name)
{
    const struct sql_scope_relation *relation = &frame->relations[i];
    if ((frame->unseen >> i & 1) != 0)
        return false;
    return str_is_absent(name->qualifier) ? !relation->qualified_only
                                          : is_qualified_by(s, relation, name);
}

static bool find_in_frame(struct sql_scope *s, struct sql_scope_frame *frame,
                          const struct sql_name *name, struct sql_column_ref *ref)
{
    bool qualified = !str_is_absent(name->qualifier), named = false;
    size_t hits = 0, where = 0, column_of = 0;
    int column = CATALOG_NONE;
    for (size_t i = 0; i < frame->relation_count; i++) {
        const struct sql_scope_relation *relation = &frame->relations[i];
        int found;
        if (!may_be_of(s, frame, i, name))
            continue;
        if (qualified && !named)
            where = i;
        named = named || qualified;
        if (qualified && is_in_other_case(s, relation, name))
            continue;
        if (!sql_scope_name_in(s, relation, name->name, &found) && !(qualified && relation->open))
            continue;
        if (!qualified && sql_scope_name_is_merged(s, relation, name->name))
            continue;
        if (hits++ == 0) {
            column_of = i;
            column = found;
        }
    }
    if (hits == 0 && !named)
        return false;
    point_at(ref, frame, hits > 0 ? column_of : where, column);
    ref->unknown = hits == 0;
    ref->ambiguous = hits > 1;
    return true;
}

bool sql_scope_name_is_local(struct sql_scope *s, const struct sql_scope_frame *frame,
                             const struct sql_name *name)
{
    struct sql_scope_frame copy = *frame;
    struct sql_column_ref ref = {0};
    return find_in_frame(s, &copy, name, &ref) && !ref.unknown;
}

static const struct sql_item *find_alias(struct sql_scope *s, const struct sql_scope_frame *frame,
                                         struct str name)
{
    sql_scope_state_compare(s, frame->item_count);
    if (s->failed)
        return NULL;
    for (const struct sql_item *item = frame->items; item != NULL; item = item->next)
        if (item->expr != NULL && !str_is_absent(item->alias) &&
            sql_scope_state_same(s, item->alias, name))
            return item;
    return NULL;
}

bool sql_scope_name_alias(struct sql_scope *s, const struct sql_scope_frame *frame,
                          const struct sql_expr *expr, bool past_table)
{
    const struct sql_item *item = find_alias(s, frame, expr->name->name);
    if (item == NULL)
        return false;
    struct sql_column_ref ref = {.span = expr->span,
                                 .name = expr->name->name,
                                 .table_ref = -1,
                                 .column = CATALOG_NONE,
                                 .scope = frame->scope,
                                 .output_alias = true,
                                 .alias_of = item->expr->span,
                                 .past_table = past_table};
    sql_scope_state_add_column(s, &ref);
    return true;
}

bool sql_scope_name_output(struct sql_scope *s, const struct sql_scope_frame *frame,
                           const struct sql_expr *expr)
{
    const struct sql_scope_columns *outputs = frame->outputs;
    sql_scope_state_compare(s, outputs == NULL ? 0 : outputs->count);
    for (size_t i = 0; outputs != NULL && i < outputs->count && !s->failed; i++) {
        if (!sql_scope_state_same(s, outputs->names[i], expr->name->name))
            continue;
        struct sql_column_ref ref = {.span = expr->span,
                                     .name = expr->name->name,
                                     .table_ref = -1,
                                     .column = CATALOG_NONE,
                                     .scope = frame->scope,
                                     .output_alias = true};
        sql_scope_state_add_column(s, &ref);
        return true;
    }
    return false;
}

/* MySQL's GROUP BY, HAVING and ORDER BY take the column of the result where several tables have the
 * name; to none or several of those the name stays ambiguous. */
static bool resolve_result(struct sql_scope *s, const struct sql_scope_frame *frame,
                           const struct sql_expr *expr)
{
    size_t hits = 0;
    sql_scope_state_compare(s, frame->outputs == NULL ? 0 : frame->outputs->count);
    for (size_t i = 0; frame->outputs != NULL && i < frame->outputs->count; i++)
        hits += sql_scope_state_same(s, frame->outputs->names[i], expr->name->name);
    return hits == 1 && frame->aliases_seen && s->parse->dialect == SQL_MYSQL &&
           sql_scope_name_output(s, frame, expr);
}

/* TRUE and FALSE are constants unless a column is called so. */
static bool is_constant(const struct sql_name *name)
{
    return !name->quoted && (str_equal_nocase(name->name, STR("true")) ||
                             str_equal_nocase(name->name, STR("false")));
}

static bool may_hide_from(const struct sql_scope_frame *frame)
{
    for (const struct sql_scope_frame *at = frame; at != NULL; at = at->parent)
        if (at->may_hide)
            return true;
    return false;
}

/* Columns that every table of PostgreSQL has, though no catalog lists them. */
static bool is_system_column(const struct sql_scope *s, struct str name)
{
    static const char *const names[] = {"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"};
    for (size_t i = 0; s->parse->dialect == SQL_POSTGRES && i < countof(names); i++)
        if (str_equal(str_of(names[i]), name))
            return true;
    return false;
}

/* SQLite numbers a table's rows under names that a column may take. Views and derived tables have
 * no numbers, and of several tables none is meant. */
static bool resolve_rowid(struct sql_scope *s, struct sql_scope_frame *frame,
                          const struct sql_name *name, struct sql_column_ref *ref)
{
    static const char *const names[] = {"rowid", "oid", "_rowid_"};
    size_t hits = 0, where = 0;
    bool known = false;
    for (size_t i = 0; s->parse->dialect == SQL_SQLITE && i < countof(names); i++)
        known = known || str_equal_nocase(str_of(names[i]), name->name);
    for (size_t i = 0; known && i < frame->relation_count; i++) {
        const struct sql_scope_relation *relation = &frame->relations[i];
        if (relation->table == CATALOG_NONE || s->catalog->tables[relation->table].is_view ||
            (!str_is_absent(name->qualifier) && !is_qualified_by(s, relation, name)))
            continue;
        hits++;
        where = i;
    }
    if (hits != 1)
        return false;
    point_at(ref, frame, where, CATALOG_NONE);
    ref->unknown = ref->ambiguous = false;
    ref->rowid = true;
    return true;
}

/* PostgreSQL reads a name that is no column as the row of the relation called so. Of a derived
 * relation it is no more than its columns. False: there is no such relation. */
static bool resolve_row(struct sql_scope *s, struct sql_scope_frame *frame,
                        const struct sql_name *name, struct sql_column_ref *ref)
{
    struct sql_name row = *name;
    if (!name->whole_row) {
        row.schema = name->qualifier;
        row.qualifier = name->name;
    }
    bool past = false;
    for (struct sql_scope_frame *at = frame; at != NULL; at = at->parent) {
        past = past || at->may_hide;
        for (size_t i = 0; i < at->relation_count; i++) {
            if ((at->unseen >> i & 1) != 0 || !is_qualified_by(s, &at->relations[i], &row))
                continue;
            point_at(ref, at, i, CATALOG_NONE);
            ref->qualifier = row.qualifier;
            ref->unknown = ref->ambiguous = false;
            ref->use = ref->table_ref >= 0 ? SQL_COLUMN_WHOLE_ROW : SQL_COLUMN_NAMED;
            ref->past_table = past && !name->whole_row;
            return true;
        }
    }
    return false;
}

/* To SQLite a quoted name that is no column is a text. What could not be written without quotes is
 * hardly a column that we do not know, and neither is what something is compared with where all
 * columns are known; it is sent in single quotes, as which it reads nothing. */
static bool is_text(const struct sql_scope *s, const struct sql_name *name)
{
    return s->parse->dialect == SQL_SQLITE && name->double_quoted &&
           ((name->compared && s->catalog->complete) || !sql_quote_is_word(SQL_SQLITE, name->name));
}

/* (x).c, where PostgreSQL takes x for a column if there is one: then c may be a function, and only
 * what no function is called by is let through. False: x is no column. */
static bool is_of_column(struct sql_scope *s, struct sql_scope_frame *frame, struct str row,
                         struct str field, struct sql_span span)
{
    const struct sql_name name = {.name = row};
    struct sql_column_ref ref = {
        .span = span, .name = row, .scope = frame->scope, .use = SQL_COLUMN_USING}; /* as it is */
    for (struct sql_scope_frame *at = frame; at != NULL; at = at->parent) {
        if (!find_in_frame(s, at, &name, &ref))
            continue;
        if (!sql_grammar_is_record_field(field))
            sql_scope_state_refuse(s, "whole_row",
                                   "'(%.*s).%.*s' takes a row apart, or calls a function; name "
                                   "the column as in table.column",
                                   STR_ARG(str_utf8_prefix(row, 60)),
                                   STR_ARG(str_utf8_prefix(field, 60)));
        sql_scope_state_add_column(s, &ref);
        return true;
    }
    return false;
}

/* What a search for a name has gone past, from the inside out. */
struct passed {
    bool hiding; /* a frame whose relations may hide columns of outer ones */
    bool base;   /* a frame with a table */
};

/* The name is ref, found in the frame at. */
static void keep_found(struct sql_scope *s, const struct sql_scope_frame *at, struct passed passed,
                       const struct sql_name *name, struct sql_column_ref *ref)
{
    bool qualified = !str_is_absent(name->qualifier);
    ref->past_table = ref->past_table || (passed.hiding && !qualified) ||
                      (at->in_having && may_hide_from(at->parent));
    ref->unknown = ref->unknown || (passed.base && !qualified && is_system_column(s, name->name));
    sql_scope_state_add_column(s, ref);
}

/* No frame has the name. */
static void keep_unknown(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_name *name, struct sql_column_ref *ref)
{
    ref->unknown = true;
    ref->text = is_text(s, name);
    if (s->parse->dialect == SQL_POSTGRES)
        (void)resolve_row(s, frame, name, ref);
    if (s->parse->dialect == SQL_POSTGRES || !is_constant(name))
        sql_scope_state_add_column(s, ref);
}

void sql_scope_name_resolve(struct sql_scope *s, struct sql_scope_frame *frame,
                            const struct sql_expr *expr)
{
    const struct sql_name *name = expr->name;
    if (name->of_row && is_of_column(s, frame, name->qualifier, name->name, expr->span))
        return;
    bool qualified = !str_is_absent(name->qualifier);
    struct passed passed = {false, false};
    struct sql_column_ref ref = {.span = expr->span,
                                 .qualifier = name->qualifier,
                                 .name = name->name,
                                 .table_ref = -1,
                                 .column = CATALOG_NONE,
                                 .scope = frame->scope};
    ref.double_quoted = name->double_quoted;
    for (struct sql_scope_frame *at = frame; at != NULL && !name->whole_row; at = at->parent) {
        bool found = find_in_frame(s, at, name, &ref);
        if ((!found || ref.unknown) && resolve_rowid(s, at, name, &ref))
            found = true;
        if (found && ref.ambiguous && !qualified && resolve_result(s, at, expr))
            return;
        if (found) {
            ref.past_table = name->of_row && may_hide_from(frame);
            keep_found(s, at, passed, name, &ref);
            return;
        }
        passed.hiding = passed.hiding || at->may_hide;
        passed.base = passed.base || at->has_base;
        if (!qualified && at->aliases_seen && sql_scope_name_alias(s, at, expr, passed.hiding))
            return;
    }
    keep_unknown(s, frame, name, &ref);
}

/* Of columns with one name, which only a derived table has, USING took the first. */
static bool is_merged_away(const struct sql_scope *s, const struct sql_scope_relation *relation,
                           size_t column, struct str name)
{
    if (!sql_scope_name_is_merged(s, relation, name))
        return false;
    for (size_t i = 0; relation->columns != NULL && i < column; i++)
        if (sql_scope_state_same(s, relation->columns->names[i], name))
            return false;
    return true;
}

static void expand(struct sql_scope *s, struct sql_scope_frame *frame, size_t i, int scope,
                   const struct sql_item *item, struct sql_scope_columns *outputs)
{
    const struct sql_scope_relation *relation = &frame->relations[i];
    bool base = relation->table != CATALOG_NONE;
    const struct catalog_table *table = base ? &s->catalog->tables[relation->table] : NULL;
    size_t count = base                        ? table->column_count
                   : relation->columns != NULL ? relation->columns->count
                                               : 0;
    if (item->of_row && relation->table_ref >= 0) {
        struct sql_column_ref row = {.span = item->span,
                                     .qualifier = item->qualifier,
                                     .name = STR("*"),
                                     .scope = scope,
                                     .use = SQL_COLUMN_WHOLE_ROW};
        point_at(&row, frame, i, CATALOG_NONE);
        sql_scope_state_add_column(s, &row);
    }
    if (!base && relation->columns == NULL && relation->table_ref >= 0) { /* nobody knows it */
        struct sql_column_ref ref = {.span = item->span,
                                     .qualifier = item->qualifier,
                                     .name = STR("*"),
                                     .scope = scope,
                                     .use = SQL_COLUMN_STAR,
                                     .unknown = true};
        point_at(&ref, frame, i, CATALOG_NONE);
        sql_scope_state_add_column(s, &ref);
    }
    for (size_t j = 0; j < count && !s->failed; j++) {
        struct str name = base ? table->columns[j].name : relation->columns->names[j];
        if (str_is_absent(item->qualifier) && is_merged_away(s, relation, j, name))
            continue;
        struct sql_column_ref ref = {.span = item->span,
                                     .qualifier = item->qualifier,
                                     .name = name,
                                     .scope = scope,
                                     .use = SQL_COLUMN_STAR,
                                     .past_table = item->of_row && may_hide_from(frame)};
        point_at(&ref, frame, i, base ? (int)j : CATALOG_NONE);
        sql_scope_state_add_column(s, &ref);
        sql_scope_state_add_starred(s, outputs, name,
                                    base ? relation->table : relation->columns->starred[j]);
    }
}

/* Whether frame has what the star stands for, which is then expanded. */
static bool expand_all(struct sql_scope *s, struct sql_scope_frame *frame, int scope,
                       const struct sql_item *item, struct sql_scope_columns *outputs)
{
    const struct sql_name name = {.schema = item->schema, .qualifier = item->qualifier};
    bool any = false;
    for (size_t i = 0; i < frame->relation_count; i++) {
        const struct sql_scope_relation *relation = &frame->relations[i];
        bool all = str_is_absent(item->qualifier);
        if ((frame->unseen >> i & 1) != 0 || (all && relation->qualified_only) ||
            (!all &&
             (!is_qualified_by(s, relation, &name) || is_in_other_case(s, relation, &name))))
            continue;
        any = true;
        expand(s, frame, i, scope, item, outputs);
    }
    return any;
}

void sql_scope_name_star(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_item *item, struct sql_scope_columns *outputs)
{
    bool outwards = s->parse->dialect == SQL_POSTGRES && !str_is_absent(item->qualifier);
    if (item->of_row && is_of_column(s, frame, item->qualifier, STR("*"), item->span))
        return;
    for (struct sql_scope_frame *at = frame; at != NULL; at = outwards ? at->parent : NULL)
        if (expand_all(s, at, frame->scope, item, outputs))
            return;
    struct sql_column_ref ref = {.span = item->span,
                                 .qualifier = item->qualifier,
                                 .name = STR("*"),
                                 .table_ref = -1,
                                 .column = CATALOG_NONE,
                                 .scope = frame->scope,
                                 .use = SQL_COLUMN_STAR,
                                 .unknown = true};
    sql_scope_state_add_column(s, &ref);
}

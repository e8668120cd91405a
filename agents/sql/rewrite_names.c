/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_names.c - names and stars that must be written otherwise.
 *
 * Happy path: main.t.c of a table that became a derived one is t.c; PostgreSQL's folded name is the
 * catalog's spelling; a star in a SELECT with GROUP BY is its columns; what SQLite takes for a text
 * is written as one. Any other star marks its tables, which are then narrowed. Cannot fail but for
 * memory. */
#include "agents/sql/quote.h"
#include "agents/sql/rewrite_state.h"

/* The column as the database spells it, when that is not how the statement does. */
static struct str spelling(const struct sql_rewrite_state *r, const struct sql_column_ref *ref)
{
    const struct sql_table_ref *table = &r->parse->tables[ref->table_ref];
    if (r->parse->dialect != SQL_POSTGRES || ref->column == CATALOG_NONE ||
        table->table == CATALOG_NONE)
        return ref->name;
    return sql_rewrite_state_table(r, table->table)->columns[ref->column].name;
}

/* The star's refs from first on, as names; how many they are. */
static size_t edit_star(struct sql_rewrite_state *r, size_t first)
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
        sql_rewrite_state_name(r, refs[i].relation);
        buf_push_char(&r->out, '.');
        sql_rewrite_state_name(r, derived ? refs[i].name : spelling(r, &refs[i]));
    }
    if (buf_len(&r->out) > 0)
        sql_rewrite_state_add(r, refs[first].span, sql_rewrite_state_take(r));
    return i - first;
}

/* Whether the star can be written out: it is one, not (a JOIN b) AS t, and all its relations have
 * names and are tables themselves. */
static bool is_expandable(const struct sql_rewrite_state *r, size_t first)
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

void sql_rewrite_names_stars(struct sql_rewrite_state *r)
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
static bool edit_star_name(struct sql_rewrite_state *r, size_t i)
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
        sql_rewrite_state_name(r, table->name);
        buf_push(&r->out, STR(".*"));
        sql_rewrite_state_add(r, ref->span, sql_rewrite_state_take(r));
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
static void edit_text(struct sql_rewrite_state *r, const struct sql_column_ref *ref)
{
    buf_clear(&r->out);
    sql_quote_text(ref->name, &r->out);
    sql_rewrite_state_add(r, ref->span, sql_rewrite_state_take(r));
}

/* main.customers.id means nothing once customers is a derived table; customers.id does. And where
 * PostgreSQL would fold a name to one that is not there, it is written as it is. */
void sql_rewrite_names_columns(struct sql_rewrite_state *r)
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
            sql_rewrite_state_name(r, requalify ? table->name : ref->qualifier);
            buf_push_char(&r->out, '.');
        }
        sql_rewrite_state_name(r, name);
        sql_rewrite_state_add(r, ref->span, sql_rewrite_state_take(r));
    }
}

bool sql_rewrite_names_may_edit(const struct sql_parse *parse, const struct sql_column_ref *ref)
{
    if (parse->dialect == SQL_SQLITE && ref->text)
        return true;
    if (parse->dialect == SQL_SQLITE)
        return ref->table_ref >= 0 && parse->tables[ref->table_ref].schema.len > 0;
    return ref->use == SQL_COLUMN_STAR || (ref->use == SQL_COLUMN_NAMED && ref->table_ref >= 0);
}

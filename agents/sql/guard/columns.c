/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/columns.c - one pass over the column references, and the sentence for the first
 * bad one: Column 'crew.isLead' does NOT exist in table 'crew'. Found in: employeeCrew. Available
 * columns in crew: id, workOrderId, ...
 *
 * Happy path: every reference resolved, visible, in one table only.
 * Failure paths: whole_row, ambiguous_column, hidden_column, unknown_column, in the order of the
 * text. A message that does not fit is cut at a name, never in one. */
#include "agents/sql/guard/columns.h"

/* A message is cut to ERR_TEXT_BYTES; the buffer holds it with names as long as a statement. */
enum { MAX_TABLES_NAMED = 6, NAMES_BYTES = 240, MESSAGE_BYTES = 128 << 10 };

static enum err_code reject(struct sql_finding *finding, const char *rule, struct sql_span span,
                            const struct buf *text)
{
    finding->rule = rule;
    finding->span = span;
    if (buf_len(text) == 0)
        return err_set(&finding->err, ERR_NO_MEMORY, "no memory to check columns");
    return err_set(&finding->err, ERR_REJECTED, "%.*s", STR_ARG(buf_str(text)));
}

/* ", name", or "..." once it would not fit; false: stop. */
static bool push_listed(struct buf *out, struct str name, size_t began)
{
    bool first = buf_len(out) == began;
    if (buf_len(out) - began + name.len + 6 > NAMES_BYTES) {
        buf_push(out, first ? STR("...") : STR(", ..."));
        return false;
    }
    buf_printf(out, "%s%.*s", first ? "" : ", ", STR_ARG(name));
    return true;
}

static void push_available(struct sql_visible sees, int table, struct buf *out)
{
    const int at = sql_visible_read(sees, table);
    const struct catalog_table *read = &sees.catalog->tables[at];
    struct str name = sql_visible_name(sees, table);
    buf_printf(out, " Available columns in %.*s: ", STR_ARG(name));
    size_t began = buf_len(out), listed = 0, most = sees.policy->max_columns_listed;
    for (size_t i = 0; i < read->column_count; i++) {
        if (!sql_visible_offers(sees, at, (int)i))
            continue;
        if (most > 0 && listed++ == most) {
            buf_push(out, STR(", ..."));
            break;
        }
        if (!push_listed(out, read->columns[i].name, began))
            break;
    }
}

static void push_found_in(struct sql_visible sees, struct str column, struct buf *out)
{
    struct str named[MAX_TABLES_NAMED];
    size_t count = 0, began = 0;
    for (size_t i = 0; i < sees.catalog->table_count && count < MAX_TABLES_NAMED; i++) {
        if (!sql_visible_table(sees, (int)i) || !sql_visible_column(sees, (int)i, column))
            continue;
        struct str name = sql_visible_name(sees, (int)i);
        bool again = false;
        for (size_t j = 0; j < count; j++)
            again = again || str_equal(named[j], name);
        if (!again)
            named[count++] = name;
    }
    if (count == 0)
        return;
    buf_push(out, STR(" Found in: "));
    began = buf_len(out);
    for (size_t i = 0; i < count; i++) {
        if (!push_listed(out, named[i], began))
            break;
    }
    buf_push_char(out, '.');
}

static bool answers_to(const struct sql_table_ref *ref, struct str qualifier)
{
    return str_equal_nocase(ref->alias.len > 0 ? ref->alias : ref->name, qualifier);
}

/* The table a bad reference means: by its qualifier, or the only one (or first) of its SELECT.
 * *others: how many more tables it could have been. */
static int table_meant(const struct sql_parse *parse, const struct sql_column_ref *ref,
                       size_t *others)
{
    int found = CATALOG_NONE;
    *others = 0;
    if (ref->table_ref >= 0)
        return parse->tables[ref->table_ref].table;
    for (size_t i = 0; i < parse->table_count; i++) {
        const struct sql_table_ref *table = &parse->tables[i];
        bool here =
            ref->qualifier.len > 0 ? answers_to(table, ref->qualifier) : table->scope == ref->scope;
        if (!here || table->table == CATALOG_NONE)
            continue;
        if (found != CATALOG_NONE && table->table != found)
            ++*others;
        /* Prefer the table of the reference's own SELECT when an alias is used twice. */
        if (found == CATALOG_NONE || (ref->qualifier.len > 0 && table->scope == ref->scope))
            found = table->table;
    }
    if (ref->qualifier.len > 0)
        *others = 0;
    return found;
}

static void push_hint(struct sql_visible sees, int table, struct str column, struct buf *out)
{
    struct str near = sql_visible_near_column(sees, table, column);
    if (near.len > 0)
        buf_printf(out, ". Did you mean '%.*s.%.*s'?", STR_ARG(sql_visible_name(sees, table)),
                   STR_ARG(near));
}

/* status = "open": to us and the standard a column, to many who write SQL a text. */
static bool is_in_double_quotes(const struct sql_parse *parse, const struct sql_column_ref *ref)
{
    return ref->qualifier.len == 0 && ref->span.end > ref->span.start &&
           parse->text.at[ref->span.start] == '"';
}

static void write_unknown(struct sql_visible sees, const struct sql_parse *parse,
                          const struct sql_column_ref *ref, struct buf *out)
{
    size_t others;
    int table = table_meant(parse, ref, &others);
    if (ref->use == SQL_COLUMN_STAR && ref->table_ref >= 0) {
        buf_printf(out, "'*' may not be read from '%.*s', whose columns are not known.",
                   STR_ARG(parse->tables[ref->table_ref].name));
        return;
    }
    if (is_in_double_quotes(parse, ref)) {
        buf_printf(out,
                   "Column '%.*s' does NOT exist here. If \"%.*s\" is text, write it in single "
                   "quotes.",
                   STR_ARG(ref->name), STR_ARG(ref->name));
        push_found_in(sees, ref->name, out);
        return;
    }
    if (table == CATALOG_NONE && ref->qualifier.len > 0) {
        buf_printf(out,
                   "Column '%.*s.%.*s' does NOT exist: nothing named '%.*s' with that column "
                   "is in scope.",
                   STR_ARG(ref->qualifier), STR_ARG(ref->name), STR_ARG(ref->qualifier));
        push_found_in(sees, ref->name, out);
        return;
    }
    if (table == CATALOG_NONE) {
        buf_printf(out, "Column '%.*s' does NOT exist in what this SELECT reads.",
                   STR_ARG(ref->name));
        push_found_in(sees, ref->name, out);
        return;
    }
    struct str name = sql_visible_name(sees, table);
    if (others > 0)
        buf_printf(out,
                   "Column '%.*s' does NOT exist in table '%.*s' or the other %s of this SELECT.",
                   STR_ARG(ref->name), STR_ARG(name), others == 1 ? "table" : "tables");
    else
        buf_printf(out, "Column '%.*s.%.*s' does NOT exist in table '%.*s'.", STR_ARG(name),
                   STR_ARG(ref->name), STR_ARG(name));
    push_found_in(sees, ref->name, out);
    push_available(sees, table, out);
    push_hint(sees, table, ref->name, out);
}

static void write_ambiguous(const struct sql_parse *parse, const struct sql_column_ref *ref,
                            const struct catalog *catalog, struct buf *out)
{
    buf_printf(out, "Column '%.*s' is ambiguous: ", STR_ARG(ref->name));
    size_t began = buf_len(out);
    for (size_t i = 0; i < parse->table_count; i++) {
        const struct sql_table_ref *table = &parse->tables[i];
        if (table->scope != ref->scope || table->table == CATALOG_NONE ||
            catalog_find_column(catalog, table->table, ref->name) == CATALOG_NONE)
            continue;
        struct str name = table->alias.len > 0 ? table->alias : table->name;
        if (!push_listed(out, name, began))
            break;
    }
    if (buf_len(out) == began)
        buf_push(out, STR("several of the relations in scope"));
    buf_push(out, STR(" have it. Write the table before it, as in table.column."));
}

/* Whether the reference reaches a column nobody may read. A star is the rewriter's to narrow. */
static bool is_hidden(struct sql_visible sees, const struct sql_parse *parse,
                      const struct sql_column_ref *ref)
{
    if (ref->table_ref < 0)
        return false;
    const struct sql_table_ref *table = &parse->tables[ref->table_ref];
    if (table->table == CATALOG_NONE)
        return false;
    if (table->column_list) /* its columns have other names */
        return sql_visible_has_hidden(sees, table->table);
    if (ref->use == SQL_COLUMN_STAR)
        return !sees.policy->expand_star && sql_visible_has_hidden(sees, table->table);
    return ref->name.len > 0 && !sql_visible_column(sees, table->table, ref->name);
}

/* The table is known to hold it, so the catalog's owner hid it; a view lacks what it hides. */
static const char *write_hidden(struct sql_visible sees, const struct sql_parse *parse,
                                const struct sql_column_ref *ref, struct buf *out)
{
    int table = parse->tables[ref->table_ref].table;
    if (ref->use == SQL_COLUMN_STAR) {
        buf_printf(out, "'*' would show columns of '%.*s' that may not be read. Name the columns.",
                   STR_ARG(sql_visible_name(sees, table)));
        return "hidden_column";
    }
    write_unknown(sees, parse, ref, out); /* in the words for a column that is not there */
    return sql_visible_view(sees, table) != CATALOG_NONE ? "unknown_column" : "hidden_column";
}

/* A name unknown in a table may yet be in the view that is read instead of it. */
static bool is_in_view(struct sql_visible sees, const struct sql_parse *parse,
                       const struct sql_column_ref *ref)
{
    size_t others;
    int table = table_meant(parse, ref, &others);
    return table != CATALOG_NONE && sql_visible_view(sees, table) != CATALOG_NONE &&
           sql_visible_column(sees, table, ref->name);
}

/* A row's number is as good as a column that is shown, but where it is the key that is not, or
 * where the database may have a column of that name. It is found in the nearest table that has
 * numbers, which the catalog cannot tell of each, so all must be harmless. */
static bool may_read_rowid(struct sql_visible sees, const struct sql_parse *parse)
{
    if (!sees.catalog->complete)
        return false;
    for (size_t i = 0; i < parse->table_count; i++) {
        int table = parse->tables[i].table;
        if (table == CATALOG_NONE || sql_visible_read(sees, table) != table)
            return false;
        const struct catalog_table *at = &sees.catalog->tables[table];
        for (size_t j = 0; j < at->column_count; j++)
            if (at->columns[j].primary_key && at->columns[j].hidden)
                return false;
    }
    return true;
}

/* Whether all of the row may be read. */
static bool shows_all(struct sql_visible sees, const struct sql_parse *parse,
                      const struct sql_column_ref *ref)
{
    int table = parse->tables[ref->table_ref].table;
    return sees.policy->whole_rows && table != CATALOG_NONE && !sql_visible_has_hidden(sees, table);
}

static enum err_code check_one(struct sql_visible sees, const struct sql_parse *parse,
                               const struct sql_column_ref *ref, struct sql_finding *finding)
{
    struct buf out;
    const char *rule = NULL;
    if (ref->use == SQL_COLUMN_WHOLE_ROW && shows_all(sees, parse, ref))
        return ERR_OK;
    buf_init(&out, MESSAGE_BYTES);
    if (ref->use == SQL_COLUMN_WHOLE_ROW) {
        rule = "whole_row";
        buf_printf(&out, "'%.*s' is a whole row, not a value. Name the columns.",
                   STR_ARG(ref->qualifier.len > 0 ? ref->qualifier : ref->name));
    } else if (ref->ambiguous) {
        rule = "ambiguous_column";
        write_ambiguous(parse, ref, sees.catalog, &out);
    } else if (ref->unknown) {
        if (!ref->text && !is_in_view(sees, parse, ref)) {
            rule = "unknown_column";
            write_unknown(sees, parse, ref, &out);
        }
    } else if (ref->rowid) {
        if (!may_read_rowid(sees, parse)) {
            rule = "unknown_column";
            write_unknown(sees, parse, ref, &out);
        }
    } else if (is_hidden(sees, parse, ref)) {
        rule = write_hidden(sees, parse, ref, &out);
    }
    enum err_code code = rule == NULL ? ERR_OK : reject(finding, rule, ref->span, &out);
    buf_fini(&out);
    return code;
}

enum err_code sql_columns_check(struct sql_visible sees, const struct sql_parse *parse,
                                size_t *from, struct sql_finding *finding)
{
    while (*from < parse->column_count) {
        enum err_code code = check_one(sees, parse, &parse->columns[(*from)++], finding);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

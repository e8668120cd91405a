/* SPDX-License-Identifier: MIT */
/* agents/semantic/bind.c - tables and columns by name, words of the glossary, what changes.
 *
 * Happy path: every name finds its table or column; expressions go to bind_sql.c.
 * Failure: a name that is not there is said with the nearest one; no memory leaves things unused.
 */
#include "agents/semantic/bind.h"

#include "agents/semantic/bind_sql.h"
#include "agents/sql/visible.h"
#include "proto/json_write.h"

enum { COMMENT_BYTES = 8192 };

/* ---- changes ---- */

static void push_part(struct buf *out, const char *before, struct str text)
{
    if (text.len == 0)
        return;
    if (buf_len(out) > 0)
        buf_push(out, STR("; "));
    buf_printf(out, "%s%.*s", before, STR_ARG(text));
}

static void push_synonyms(struct buf *out, const struct semantic_texts *synonyms)
{
    for (size_t i = 0; i < synonyms->count; i++) {
        if (i > 0)
            buf_printf(out, ", %.*s", STR_ARG(synonyms->at[i]));
        else
            push_part(out, "also called ", synonyms->at[i]);
    }
}

static struct str comment_of_table(struct semantic *semantic, const struct semantic_table *table)
{
    struct buf out;
    buf_init(&out, COMMENT_BYTES);
    push_part(&out, "", table->label);
    push_synonyms(&out, &table->synonyms);
    push_part(&out, "", table->description);
    push_part(&out, "one row is ", table->grain);
    push_part(&out, "its date is ", table->time);
    struct str text = arena_str(&semantic->arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

static struct str comment_of_column(struct semantic *semantic, const struct semantic_column *column)
{
    struct buf out;
    buf_init(&out, COMMENT_BYTES);
    push_part(&out, "", column->label);
    push_synonyms(&out, &column->synonyms);
    push_part(&out, "in ", column->unit);
    push_part(&out, "", column->description);
    struct str text = arena_str(&semantic->arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

const struct catalog_change *semantic_bind_changes(struct semantic *semantic, size_t *count)
{
    size_t most = 0;
    *count = 0;
    for (size_t i = 0; i < semantic->table_count; i++)
        most += 1 + semantic->tables[i].column_count;
    struct catalog_change *changes = arena_array(&semantic->arena, most + 1, sizeof *changes);
    for (size_t i = 0; changes != NULL && i < semantic->table_count; i++) {
        const struct semantic_table *table = &semantic->tables[i];
        changes[(*count)++] = (struct catalog_change){.table = table->name,
                                                      .comment = comment_of_table(semantic, table),
                                                      .pii = SEMANTIC_UNSAID,
                                                      .tenant = table->tenant};
        for (size_t c = 0; c < table->column_count; c++)
            changes[(*count)++] = (struct catalog_change){
                .table = table->name,
                .column = table->columns[c].name,
                .comment = comment_of_column(semantic, &table->columns[c]),
                .pii = table->columns[c].pii,
            };
    }
    return changes;
}

void semantic_bind_lookups(const struct semantic *semantic, struct buf *out)
{
    struct json_write writer;
    bool any = false;
    for (size_t i = 0; i < semantic->table_count; i++)
        any = any || semantic->tables[i].lookup == 1;
    if (!any)
        return;
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_i64(&writer, STR("version"), 1);
    json_write_key(&writer, STR("tables"));
    json_write_object(&writer);
    for (size_t i = 0; i < semantic->table_count; i++) {
        if (semantic->tables[i].lookup != 1)
            continue;
        json_write_key(&writer, semantic->tables[i].name);
        json_write_object(&writer);
        json_write_member_bool(&writer, STR("lookup"), true);
        json_write_object_end(&writer);
    }
    json_write_object_end(&writer);
    json_write_key(&writer, STR("relationships"));
    json_write_array(&writer);
    json_write_array_end(&writer);
    json_write_object_end(&writer);
}

/* ---- names ---- */

static void say_unknown_table(struct binding *b, struct str pointer, struct str name)
{
    struct str near[1];
    const struct sql_visible sees = {b->policy, b->catalog};
    bool found = sql_visible_near_tables(sees, name, near, 1) > 0;
    semantic_report_add(b->report, pointer, "there is no table '%.*s'%s%.*s%s", STR_ARG(name),
                        found ? "; is '" : "; name one of the database's",
                        (int)(found ? near[0].len : 0), found ? near[0].at : "",
                        found ? "' meant?" : "");
}

int semantic_bind_table(struct binding *b, struct str pointer, struct str name)
{
    int table = catalog_find_dotted(b->catalog, name);
    if (table != CATALOG_NONE &&
        sql_visible_table((struct sql_visible){b->policy, b->catalog}, table))
        return table;
    say_unknown_table(b, pointer, name);
    return CATALOG_NONE;
}

static int bind_column(struct binding *b, struct str pointer, int table, struct str name)
{
    const struct sql_visible sees = {b->policy, b->catalog};
    int column = catalog_find_column(b->catalog, table, name);
    if (column != CATALOG_NONE && sql_visible_column(sees, table, name))
        return column;
    struct str near = sql_visible_near_column(sees, table, name);
    struct str of = b->catalog->tables[table].name;
    if (str_is_empty(near))
        semantic_report_add(b->report, pointer, "%.*s has no column '%.*s'; name one it has",
                            STR_ARG(of), STR_ARG(name));
    else
        semantic_report_add(b->report, pointer, "%.*s has no column '%.*s'; is '%.*s' meant?",
                            STR_ARG(of), STR_ARG(name), STR_ARG(near));
    return CATALOG_NONE;
}

/* "/tables/NAME" and a step below it, such as "/time" or "/columns/" and more. */
static struct str pointer_of(struct binding *b, struct str table, const char *step, struct str more)
{
    return arena_printf(&b->semantic->arena, "/tables/%.*s%s%.*s", STR_ARG(table), step,
                        STR_ARG(more));
}

static bool is_date(const struct binding *b, int table, int column)
{
    enum catalog_type type = b->catalog->tables[table].columns[column].type;
    return type == CATALOG_DATE || type == CATALOG_TIMESTAMP || type == CATALOG_TEXT ||
           type == CATALOG_UNKNOWN;
}

static void bind_table(struct binding *b, struct semantic_table *table)
{
    const struct str name = table->name;
    table->table = semantic_bind_table(b, pointer_of(b, name, "", STR("")), name);
    if (table->table == CATALOG_NONE)
        return;
    struct str pointer = pointer_of(b, name, "/time", STR(""));
    if (table->time.len > 0)
        table->time_column = bind_column(b, pointer, table->table, table->time);
    if (table->time_column != CATALOG_NONE && !is_date(b, table->table, table->time_column)) {
        semantic_report_add(b->report, pointer, "'%.*s' holds no dates; name a column that does",
                            STR_ARG(table->time));
        table->time_column = CATALOG_NONE;
    }
    if (table->tenant.len > 0)
        (void)bind_column(b, pointer_of(b, name, "/tenant", STR("")), table->table, table->tenant);
    for (size_t i = 0; i < table->label_columns.count; i++) {
        struct str at = pointer_of(b, name, "/label_columns", STR(""));
        int column = bind_column(b, at, table->table, table->label_columns.at[i]);
        if (column != CATALOG_NONE)
            table->labels[table->label_count++] = column;
    }
    for (size_t i = 0; i < table->column_count; i++)
        table->columns[i].column =
            bind_column(b, pointer_of(b, name, "/columns/", table->columns[i].name), table->table,
                        table->columns[i].name);
}

static void bind_term(struct binding *b, size_t i)
{
    struct semantic_term *term = &b->semantic->terms[i];
    if (term->table_name.len == 0)
        return;
    term->table = semantic_bind_table(
        b, arena_printf(&b->semantic->arena, "/glossary/%zu/table", i), term->table_name);
    if (term->table != CATALOG_NONE)
        term->column = bind_column(b, arena_printf(&b->semantic->arena, "/glossary/%zu/column", i),
                                   term->table, term->column_name);
    if (term->column == CATALOG_NONE)
        term->table = CATALOG_NONE;
}

void semantic_bind_catalog(struct semantic *semantic, const struct catalog *catalog,
                           const struct sql_policy *policy, enum sql_dialect dialect,
                           struct semantic_report *report)
{
    struct binding b = {semantic, catalog, policy, dialect, report};
    for (size_t i = 0; i < semantic->table_count; i++)
        bind_table(&b, &semantic->tables[i]);
    for (size_t i = 0; i < semantic->named_count; i++)
        semantic_bind_sql_named(&b, i);
    for (size_t i = 0; i < semantic->term_count; i++)
        bind_term(&b, i);
    for (size_t i = 0; i < semantic->verified_count; i++)
        semantic_bind_sql_verified(&b, i);
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/introspect.c - SQLite's own tables about tables, then a catalog.
 *
 * Happy path: columns, references and unique keys are asked for at once; then, when wanted, rows
 * are counted COUNT_BATCH tables a statement; then the catalog is built and frozen.
 * Failure paths:
 *  - another dialect: ERR_NOT_CONFIGURED;
 *  - a view that refers to what is gone makes the columns statement fail: it is asked again
 *    without views, and a mapped view is then among the missing ones;
 *  - counting fails (a broken view, a timeout): counts stay unknown;
 *  - more than MAX_ROWS answers: ERR_TOO_LARGE; anything else: the statement's own error.
 * Every way out passes finish(), which frees what was gathered. */
#include "agents/sql/introspect.h"

#include "agents/sql/sensitive.h"
#include "core/base/mem.h"
#include "proto/json_value.h"

enum {
    MAX_ROWS = 200 * 1000, /* columns of the largest schema served */
    MAX_BYTES = 64 << 20,
    COUNT_BATCH = 64,
    COUNT_LIMIT = 100 * 1000, /* "at least so many": enough to tell large from small */
    COUNT_SQL_BYTES = 64 << 10,
    MAP_BYTES = 1 << 20,
    MAX_KEY_COLUMNS = 16,
};

enum { ASK_COLUMNS, ASK_REFERENCES, ASK_UNIQUES, ASK_FIRST_ROUND };

/* clang-format off */
#define VISIBLE " l.schema = 'main' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND l.type IN "
#define COLUMNS(types)                                                                             \
    "SELECT l.name, l.type = 'view', x.name, x.type, x.\"notnull\", x.pk"                          \
    " FROM sqlite_schema s JOIN pragma_table_list l ON l.name = s.name"                            \
    " JOIN pragma_table_xinfo(l.name) x"                                                           \
    " WHERE" VISIBLE types " AND s.type IN ('table', 'view') AND x.hidden <> 1"                    \
    " ORDER BY s.rowid, x.cid"
static const char columns_sql[] = COLUMNS("('table', 'view', 'virtual')");
static const char columns_sql_no_views[] = COLUMNS("('table', 'virtual')");
static const char references_sql[] =
    "SELECT l.name, f.id, f.\"table\", f.\"from\", f.\"to\""
    " FROM pragma_table_list l JOIN pragma_foreign_key_list(l.name) f"
    " WHERE" VISIBLE "('table') ORDER BY l.name, f.id DESC, f.seq";
static const char uniques_sql[] =
    "SELECT l.name, min(c.name)"
    " FROM pragma_table_list l JOIN pragma_index_list(l.name) i JOIN pragma_index_info(i.name) c"
    " WHERE" VISIBLE "('table') AND i.\"unique\" = 1 AND i.partial = 0"
    " GROUP BY l.name, i.name HAVING count(*) = 1 AND min(c.name) IS NOT NULL";
/* clang-format on */

enum { COL_TABLE, COL_IS_VIEW, COL_NAME, COL_TYPE, COL_NOT_NULL, COL_PK };
enum { REF_TABLE, REF_ID, REF_TO, REF_FROM_COLUMN, REF_TO_COLUMN };

struct gathering { /* what introspect.impl points at */
    struct introspect *introspect;
    struct sql *sql;
    const struct introspect_options *options;
    struct sql_query asks[ASK_FIRST_ROUND];
    struct sql_statement statements[ASK_FIRST_ROUND];
    struct sql_query count;
    struct sql_statement count_statement;
    struct buf count_sql;
    struct list queries; /* all of the above, until released */
    size_t pending;
    bool without_views;
    struct err err;          /* the first that went wrong */
    struct str *table_names; /* in order; views of the columns answer */
    int64_t *row_counts;
    size_t table_count, counted;
};

static struct str text_at(const struct sql_query *query, size_t row, size_t column)
{
    const struct sql_value *value = sql_result_at(&query->result, row, column);
    return value->type == SQL_TEXT || value->type == SQL_BLOB ? value->text : (struct str){NULL, 0};
}

static int64_t int_at(const struct sql_query *query, size_t row, size_t column)
{
    const struct sql_value *value = sql_result_at(&query->result, row, column);
    return value->type == SQL_INT ? value->integer : 0;
}

/* ---- from answers to a catalog ---- */

static bool is_unique(const struct gathering *g, struct str table, struct str column)
{
    const struct sql_query *uniques = &g->asks[ASK_UNIQUES];
    for (size_t i = 0; i < uniques->result.row_count; i++) {
        if (str_equal(text_at(uniques, i, 0), table) && str_equal(text_at(uniques, i, 1), column))
            return true;
    }
    return false;
}

/* The primary key's columns of a table: what REFERENCES without columns means. */
static size_t primary_key(const struct gathering *g, struct str table, struct str *names)
{
    const struct sql_query *columns = &g->asks[ASK_COLUMNS];
    size_t count = 0;
    for (size_t i = 0; i < columns->result.row_count; i++) {
        int64_t place = int_at(columns, i, COL_PK);
        if (place < 1 || place > MAX_KEY_COLUMNS ||
            !str_equal_nocase(text_at(columns, i, COL_TABLE), table))
            continue;
        names[place - 1] = text_at(columns, i, COL_NAME);
        count++;
    }
    return count;
}

static bool has_column(const struct gathering *g, struct str table, struct str column)
{
    const struct sql_query *columns = &g->asks[ASK_COLUMNS];
    for (size_t i = 0; i < columns->result.row_count; i++) {
        if (str_equal_nocase(text_at(columns, i, COL_TABLE), table) &&
            str_equal_nocase(text_at(columns, i, COL_NAME), column))
            return true;
    }
    return false;
}

/* One reference: rows first to end of the answer. What it names may be gone; then it is skipped,
 * as SQLite itself only notices when a row is written. */
static enum err_code add_reference(const struct gathering *g, struct catalog_builder *builder,
                                   size_t first, size_t end, struct err *err)
{
    const struct sql_query *references = &g->asks[ASK_REFERENCES];
    struct str from[MAX_KEY_COLUMNS], to[MAX_KEY_COLUMNS] = {{NULL, 0}};
    struct str to_table = text_at(references, first, REF_TO);
    size_t count = end - first;
    if (count > MAX_KEY_COLUMNS)
        return ERR_OK;
    bool bare = str_is_absent(text_at(references, first, REF_TO_COLUMN));
    if (bare && primary_key(g, to_table, to) != count)
        return ERR_OK;
    for (size_t i = 0; i < count; i++) {
        from[i] = text_at(references, first + i, REF_FROM_COLUMN);
        if (!bare)
            to[i] = text_at(references, first + i, REF_TO_COLUMN);
        if (!has_column(g, to_table, to[i]))
            return ERR_OK;
    }
    return catalog_add_reference(builder, from, to_table, to, count, err);
}

static enum err_code add_references(const struct gathering *g, struct catalog_builder *builder,
                                    struct str table, struct err *err)
{
    const struct sql_query *references = &g->asks[ASK_REFERENCES];
    size_t count = references->result.row_count;
    for (size_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && int_at(references, end, REF_ID) == int_at(references, i, REF_ID) &&
               str_equal(text_at(references, end, REF_TABLE), text_at(references, i, REF_TABLE)))
            end++;
        if (!str_equal(text_at(references, i, REF_TABLE), table))
            continue;
        enum err_code code = add_reference(g, builder, i, end, err);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

static enum err_code add_column(const struct gathering *g, struct catalog_builder *builder,
                                size_t row, struct err *err)
{
    const struct sql_query *columns = &g->asks[ASK_COLUMNS];
    struct str table = text_at(columns, row, COL_TABLE), name = text_at(columns, row, COL_NAME);
    struct str names[MAX_KEY_COLUMNS] = {{NULL, 0}};
    enum sensitive sensitive = sensitive_column(name);
    bool in_key = int_at(columns, row, COL_PK) > 0;
    struct catalog_column column = {
        .name = name,
        .declared_type = text_at(columns, row, COL_TYPE),
        .primary_key = in_key,
        .unique = is_unique(g, table, name) || (in_key && primary_key(g, table, names) == 1),
        .not_null = int_at(columns, row, COL_NOT_NULL) != 0 || in_key,
        .hidden = sensitive == SENSITIVE_SECRET,
        .pii = sensitive != SENSITIVE_NOT,
    };
    column.type = catalog_type_of(column.declared_type);
    return catalog_add_column(builder, &column, err);
}

static enum err_code add_all(const struct gathering *g, struct catalog_builder *builder,
                             struct err *err)
{
    const struct sql_query *columns = &g->asks[ASK_COLUMNS];
    size_t row = 0, rows = columns->result.row_count;
    for (size_t i = 0; i < g->table_count; i++) {
        struct catalog_table table = {
            .name = g->table_names[i],
            .is_view = int_at(columns, row, COL_IS_VIEW) != 0,
            .hidden = sensitive_table(g->table_names[i]),
            .row_count = g->row_counts[i],
        };
        enum err_code code = catalog_add_table(builder, &table, err);
        for (; code == ERR_OK && row < rows &&
               str_equal(text_at(columns, row, COL_TABLE), table.name);
             row++)
            code = add_column(g, builder, row, err);
        if (code == ERR_OK)
            code = add_references(g, builder, table.name, err);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

static enum err_code add_secure_views(struct catalog_builder *builder, struct str json,
                                      struct err *err)
{
    struct arena arena;
    enum err_code code = ERR_OK;
    arena_init(&arena, MAP_BYTES);
    const struct json_value *map = json_value_parse(&arena, json, NULL, err);
    if (map == NULL)
        code = err->code;
    else if (map->type != JSON_OBJECT)
        code = err_set(err, ERR_INVALID, "secure views: expected an object, got %s",
                       json_value_type_name(map));
    for (const struct json_value *pair = code == ERR_OK ? map->first : NULL;
         pair != NULL && code == ERR_OK; pair = pair->next) {
        if (pair->type == JSON_STRING)
            code = catalog_secure(builder, pair->key, pair->text, err);
        else
            code = err_set(err, ERR_INVALID, "secure views: /%.*s: expected a string, got %s",
                           STR_ARG(pair->key), json_value_type_name(pair));
    }
    arena_fini(&arena);
    return code;
}

static enum err_code build(struct gathering *g, struct catalog **out, struct err *err)
{
    struct catalog_builder *builder = catalog_builder_create();
    if (builder == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the catalog");
    enum err_code code = add_all(g, builder, err);
    if (code == ERR_OK && g->options->secure_views.len > 0)
        code = add_secure_views(builder, g->options->secure_views, err);
    if (code == ERR_OK) {
        if (g->options->tenant_column.len > 0)
            catalog_set_tenant_column(builder, g->options->tenant_column);
        catalog_set_complete(builder, true);
        code = catalog_freeze(builder, out, err);
    }
    catalog_builder_destroy(builder);
    return code;
}

/* ---- the operation ---- */

static void cancel_introspect(struct op *op)
{
    struct gathering *g = container_of(op, struct introspect, op)->impl;
    if (g != NULL)
        op_group_cancel(&g->queries);
}

static const struct op_kind introspect_kind = {.name = "sql.introspect",
                                               .cancel = cancel_introspect};

static void finish(struct gathering *g, const struct err *err)
{
    struct introspect *introspect = g->introspect;
    struct err result = *err;
    op_group_release(&g->queries);
    buf_fini(&g->count_sql);
    mem_free(g->table_names);
    mem_free(g->row_counts);
    mem_free(g);
    introspect->impl = NULL;
    op_finish_err(&introspect->op, &result);
}

static void finish_built(struct gathering *g)
{
    struct err err = {0};
    build(g, &g->introspect->catalog, &err);
    finish(g, &err);
}

static void push_quoted(struct buf *out, struct str name)
{
    buf_push_char(out, '"');
    for (size_t i = 0; i < name.len; i++) {
        if (name.at[i] == '"')
            buf_push_char(out, '"');
        buf_push_char(out, name.at[i]);
    }
    buf_push_char(out, '"');
}

static op_fn on_counted;

static void ask_counts(struct gathering *g)
{
    size_t end = size_min(g->table_count, g->counted + COUNT_BATCH);
    if (g->counted == end || !g->options->count_rows) {
        finish_built(g);
        return;
    }
    buf_clear(&g->count_sql);
    buf_push(&g->count_sql, STR("SELECT "));
    for (size_t i = g->counted; i < end; i++) {
        buf_push(&g->count_sql, i == g->counted ? STR("(SELECT count(*) FROM (SELECT 1 FROM ")
                                                : STR(", (SELECT count(*) FROM (SELECT 1 FROM "));
        push_quoted(&g->count_sql, g->table_names[i]);
        buf_printf(&g->count_sql, " LIMIT %d))", COUNT_LIMIT);
    }
    if (!buf_ok(&g->count_sql)) {
        finish_built(g); /* counts stay unknown */
        return;
    }
    g->count_statement = (struct sql_statement){.text = buf_str(&g->count_sql)};
    sql_query_start(&g->count, g->sql, &g->count_statement,
                    (struct op_waiter){on_counted, g, &g->queries});
}

static void on_counted(struct op *op)
{
    struct gathering *g = op_owner(op);
    if (op->err.code == ERR_CANCELLED) {
        struct err err = op->err;
        finish(g, &err);
        return;
    }
    const struct sql_result *result = &g->count.result;
    for (size_t i = 0; op->err.code == ERR_OK && i < result->column_count; i++)
        g->row_counts[g->counted + i] = int_at(&g->count, 0, i);
    g->counted = size_min(g->table_count, g->counted + COUNT_BATCH);
    op_release(op);
    ask_counts(g);
}

static enum err_code list_tables(struct gathering *g, struct err *err)
{
    const struct sql_query *columns = &g->asks[ASK_COLUMNS];
    size_t rows = columns->result.row_count;
    for (size_t i = 0; i < ASK_FIRST_ROUND; i++) {
        if (g->asks[i].result.truncated)
            return err_set(err, ERR_TOO_LARGE, "the schema has more than %d columns or keys",
                           MAX_ROWS);
    }
    g->table_names = mem_zalloc(size_max(rows, 1), sizeof *g->table_names);
    g->row_counts = mem_zalloc(size_max(rows, 1), sizeof *g->row_counts);
    if (g->table_names == NULL || g->row_counts == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the catalog");
    for (size_t i = 0; i < rows; i++) {
        struct str name = text_at(columns, i, COL_TABLE);
        if (g->table_count > 0 && str_equal(g->table_names[g->table_count - 1], name))
            continue;
        g->row_counts[g->table_count] = -1;
        g->table_names[g->table_count++] = name;
    }
    return ERR_OK;
}

static void ask(struct gathering *g, size_t i, const char *sql);

static void on_answer(struct op *op)
{
    struct gathering *g = op_owner(op);
    struct err err = {0};
    g->pending--;
    if (op->err.code == ERR_REJECTED && op == &g->asks[ASK_COLUMNS].op && !g->without_views) {
        g->without_views = true;
        op_release(op);
        ask(g, ASK_COLUMNS, columns_sql_no_views);
        return;
    }
    if (op->err.code != ERR_OK && g->err.code == ERR_OK)
        g->err = op->err;
    if (g->pending > 0)
        return;
    if (g->err.code != ERR_OK) {
        finish(g, &g->err);
    } else if (list_tables(g, &err) != ERR_OK) {
        finish(g, &err);
    } else {
        ask_counts(g);
    }
}

static void ask(struct gathering *g, size_t i, const char *sql)
{
    g->statements[i] =
        (struct sql_statement){.text = str_of(sql), .max_rows = MAX_ROWS, .max_bytes = MAX_BYTES};
    g->pending++;
    sql_query_start(&g->asks[i], g->sql, &g->statements[i],
                    (struct op_waiter){on_answer, g, &g->queries});
}

void introspect_start(struct introspect *introspect, struct sql *sql,
                      const struct introspect_options *options, struct op_waiter waiter)
{
    introspect->catalog = NULL;
    introspect->impl = NULL;
    op_begin(&introspect->op, &introspect_kind, sql->loop, waiter);
    if (sql->dialect != SQL_SQLITE) {
        op_finish(&introspect->op, ERR_NOT_CONFIGURED, "only SQLite databases can be introspected");
        return;
    }
    struct gathering *g = mem_zalloc(1, sizeof *g);
    if (g == NULL) {
        op_finish(&introspect->op, ERR_NO_MEMORY, "no memory for the catalog");
        return;
    }
    introspect->impl = g;
    g->introspect = introspect;
    g->sql = sql;
    g->options = options;
    list_init(&g->queries);
    buf_init(&g->count_sql, COUNT_SQL_BYTES);
    ask(g, ASK_COLUMNS, columns_sql);
    ask(g, ASK_REFERENCES, references_sql);
    ask(g, ASK_UNIQUES, uniques_sql);
}

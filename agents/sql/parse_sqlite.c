/* SPDX-License-Identifier: MIT */
/* agents/sql/parse_sqlite.c - an empty database to compile against, and its authorizer.
 *
 * Happy path: mark what the parse lists, prepare the statement, let the authorizer compare each
 * read with the marks. Failure: SQLite refuses; the authorizer denies and keeps what it denied;
 * the statement writes; the result has another width. No memory. */
#include "agents/sql/parse_sqlite.h"

#include <sqlite3.h>

#include "core/base/buf.h"
#include "core/base/mem.h"

enum { DDL_BYTES = 1024 * 1024 };

struct sql_oracle {
    sqlite3 *db;
    const struct catalog *catalog;
    size_t *offsets; /* of a table's columns in read */
    bool *read;      /* by column of any table: the parse lists it */
    bool *table_read;
    size_t column_total;
    /* during a check */
    const struct sql_parse *parse;
    int last; /* the table read last, or CATALOG_NONE: the next read is mostly of it */
    char denied[ERR_TEXT_BYTES / 2];
};

static void push_name(struct buf *ddl, struct str name)
{
    buf_push_char(ddl, '"');
    for (size_t i = 0; i < name.len; i++) {
        if (name.at[i] == '"')
            buf_push_char(ddl, '"');
        buf_push_char(ddl, name.at[i]);
    }
    buf_push_char(ddl, '"');
}

static bool is_here(const struct catalog_table *table)
{
    return (str_is_empty(table->schema) || str_equal_nocase(table->schema, STR("main"))) &&
           table->column_count > 0;
}

/* Views become tables too: only their columns matter. */
static enum err_code create_table(struct sql_oracle *oracle, const struct catalog_table *table,
                                  struct err *err)
{
    struct buf ddl;
    enum err_code code = ERR_OK;
    char *message = NULL;
    buf_init(&ddl, DDL_BYTES);
    buf_push(&ddl, STR("CREATE TABLE "));
    push_name(&ddl, table->name);
    for (size_t i = 0; i < table->column_count; i++) {
        buf_push_char(&ddl, i == 0 ? '(' : ',');
        push_name(&ddl, table->columns[i].name);
    }
    buf_push(&ddl, STR(")"));
    buf_push_char(&ddl, '\0');
    if (!buf_ok(&ddl))
        code = err_set(err, ERR_NO_MEMORY, "no memory for the tables of the SQL check");
    else if (sqlite3_exec(oracle->db, buf_str(&ddl).at, NULL, NULL, &message) != SQLITE_OK)
        code = err_set(err, ERR_INVALID, "SQLite does not take table '%.*s' of the catalog: %s",
                       STR_ARG(table->name), message == NULL ? "no reason given" : message);
    sqlite3_free(message);
    buf_fini(&ddl);
    return code;
}

/* Compiled, never called: the query's backend has the real one. */
static void session_var(sqlite3_context *context, int count UNUSED, sqlite3_value **values UNUSED)
{
    sqlite3_result_null(context);
}

static enum err_code open_database(struct sql_oracle *oracle, struct err *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(":memory:", &oracle->db, flags, NULL) != SQLITE_OK ||
        sqlite3_create_function(oracle->db, "session_var", 1, SQLITE_UTF8, NULL, session_var, NULL,
                                NULL) != SQLITE_OK)
        return err_set(err, ERR_INTERNAL, "SQLite cannot open a database in memory: %s",
                       sqlite3_errmsg(oracle->db));
    for (size_t i = 0; i < oracle->catalog->table_count; i++) {
        const struct catalog_table *table = &oracle->catalog->tables[i];
        enum err_code code = is_here(table) ? create_table(oracle, table, err) : ERR_OK;
        if (code != ERR_OK)
            return code;
    }
    /* First use of a table function declares it, which the authorizer would see as a write. Indexes
     * made for one join are of no use where nothing is run, and take long to compile. */
    if (sqlite3_exec(oracle->db,
                     "SELECT 1 FROM json_each('[]'), json_tree('[]'); PRAGMA automatic_index = OFF",
                     NULL, NULL, NULL) != SQLITE_OK)
        return err_set(err, ERR_INTERNAL, "SQLite here has no json_each: %s",
                       sqlite3_errmsg(oracle->db));
    return ERR_OK;
}

static void deny(struct sql_oracle *oracle, const char *what, const char *name, const char *part)
{
    if (oracle->denied[0] == '\0')
        sqlite3_snprintf((int)sizeof oracle->denied, oracle->denied, "%s %s%s%s", what,
                         name == NULL ? "" : name, part == NULL || part[0] == '\0' ? "" : ".",
                         part == NULL ? "" : part);
}

static bool is_table_function(const struct sql_parse *parse, struct str name)
{
    for (size_t i = 0; i < parse->function_count; i++)
        if (parse->functions[i].in_from && str_equal_nocase(parse->functions[i].name, name))
            return true;
    return false;
}

/* Whether a derived table or a CTE of the statement is called so. */
static bool is_derived(const struct sql_parse *parse, struct str name)
{
    if (name.len > 0 && name.at[0] == '(') /* "(subquery-2)", "(join-1)" */
        return true;
    for (size_t i = 0; i < parse->cte_count; i++)
        if (str_equal_nocase(parse->ctes[i], name))
            return true;
    for (size_t i = 0; i < parse->column_count; i++)
        if (parse->columns[i].table_ref < 0 && str_equal_nocase(parse->columns[i].relation, name))
            return true;
    return false;
}

static bool reads_rowid(const struct sql_parse *parse, int table)
{
    for (size_t i = 0; i < parse->column_count; i++)
        if (parse->columns[i].rowid && parse->tables[parse->columns[i].table_ref].table == table)
            return true;
    return false;
}

static int find_table(struct sql_oracle *oracle, struct str name)
{
    const struct catalog *catalog = oracle->catalog;
    if (oracle->last != CATALOG_NONE && str_equal(catalog->tables[oracle->last].name, name))
        return oracle->last;
    int table = catalog_find_table(catalog, STR(""), name);
    if (table == CATALOG_NONE)
        table = catalog_find_table(catalog, STR("main"), name);
    oracle->last = table;
    return table;
}

/* Whether our parse lists the read. A name the catalog does not have is a CTE's, which SQLite
 * reports when none of its columns is used, or now and then a derived table's, when USING is near.
 */
static bool is_listed(struct sql_oracle *oracle, struct str table, struct str column)
{
    int index = find_table(oracle, table);
    if (index == CATALOG_NONE)
        return str_is_empty(column) || is_table_function(oracle->parse, table) ||
               is_derived(oracle->parse, table);
    if (str_is_empty(column))
        return oracle->table_read[index];
    int found = catalog_find_column(oracle->catalog, index, column);
    if (found == CATALOG_NONE && str_equal_nocase(column, STR("ROWID")))
        return reads_rowid(oracle->parse, index);
    if (found == CATALOG_NONE) /* no column of the table, so at most of its namesake */
        return is_derived(oracle->parse, table);
    return oracle->read[oracle->offsets[index] + (size_t)found];
}

static int on_action(void *user, int action, const char *first, const char *second,
                     const char *database, const char *inside UNUSED)
{
    struct sql_oracle *oracle = user;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
    case SQLITE_FUNCTION:
        return SQLITE_OK;
    case SQLITE_READ:
        if ((database == NULL || str_equal(str_of(database), STR("main"))) &&
            is_listed(oracle, str_of(first), str_of(second)))
            return SQLITE_OK;
        deny(oracle, "reading", first, second);
        return SQLITE_DENY;
    default:
        deny(oracle, "something other than reading:", first, second);
        return SQLITE_DENY;
    }
}

static void clear(struct sql_oracle *oracle)
{
    for (size_t i = 0; i < oracle->column_total; i++)
        oracle->read[i] = false;
    for (size_t i = 0; i < oracle->catalog->table_count; i++)
        oracle->table_read[i] = false;
}

static void mark(struct sql_oracle *oracle, const struct sql_parse *parse)
{
    for (size_t i = 0; i < parse->table_count; i++)
        if (parse->tables[i].table != CATALOG_NONE)
            oracle->table_read[parse->tables[i].table] = true;
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        if (ref->table_ref >= 0 && ref->column != CATALOG_NONE)
            oracle
                ->read[oracle->offsets[parse->tables[ref->table_ref].table] + (size_t)ref->column] =
                true;
    }
    /* x IN t reads t's only column, a join in parentheses is SELECT * to SQLite. */
    for (size_t i = 0; i < parse->table_count; i++) {
        const struct sql_table_ref *ref = &parse->tables[i];
        if (ref->table == CATALOG_NONE || (ref->use != SQL_USE_IN && !ref->in_parens))
            continue;
        size_t count = ref->in_parens ? oracle->catalog->tables[ref->table].column_count : 1;
        for (size_t j = 0; j < count; j++)
            oracle->read[oracle->offsets[ref->table] + j] = true;
    }
}

static void mark_column(struct sql_oracle *oracle, int table, int column)
{
    oracle->table_read[table] = true;
    if (column != CATALOG_NONE)
        oracle->read[oracle->offsets[table] + (size_t)column] = true;
}

static void mark_filter(struct sql_oracle *oracle, struct sql_visible sees, int table)
{
    struct sql_tenancy tenancy;
    int last = sql_visible_read(sees, table);
    if (!sql_tenancy_find(sees, table, &tenancy) || !tenancy.filters)
        return;
    for (size_t i = 0; i < tenancy.step_count; i++) {
        const struct sql_tenancy_step *step = &tenancy.steps[i];
        for (size_t pair = 0; pair < step->reference->column_count; pair++) {
            mark_column(oracle, step->from, sql_tenancy_from_column(sees, step, pair));
            mark_column(oracle, step->to, sql_tenancy_to_column(sees, step, pair));
        }
        last = step->to;
    }
    mark_column(oracle, last, tenancy.column);
}

/* Of a table that another stands for, all that may be seen of that one. */
static void mark_sent(struct sql_oracle *oracle, struct sql_visible sees, struct sql_tenant tenant,
                      const struct sql_parse *parse)
{
    for (size_t i = 0; i < parse->table_count; i++) {
        int table = parse->tables[i].table, read = sql_visible_read(sees, table);
        const struct catalog_table *at = &oracle->catalog->tables[read];
        for (size_t j = 0; j < at->column_count; j++)
            mark_column(oracle, read, at->columns[j].hidden ? CATALOG_NONE : (int)j);
        if (tenant.on)
            mark_filter(oracle, sees, table);
    }
}

struct sql_oracle *sql_oracle_create(const struct catalog *catalog, struct err *err)
{
    struct sql_oracle *oracle = mem_zalloc(1, sizeof *oracle);
    if (oracle == NULL)
        goto fail;
    oracle->catalog = catalog;
    oracle->offsets = mem_zalloc(catalog->table_count + 1, sizeof *oracle->offsets);
    oracle->table_read = mem_zalloc(catalog->table_count + 1, sizeof *oracle->table_read);
    if (oracle->offsets == NULL || oracle->table_read == NULL)
        goto fail;
    for (size_t i = 0; i < catalog->table_count; i++) {
        oracle->offsets[i] = oracle->column_total;
        oracle->column_total += catalog->tables[i].column_count;
    }
    oracle->read = mem_zalloc(oracle->column_total + 1, sizeof *oracle->read);
    if (oracle->read == NULL)
        goto fail;
    if (open_database(oracle, err) != ERR_OK) {
        sql_oracle_destroy(oracle);
        return NULL;
    }
    sqlite3_set_authorizer(oracle->db, on_action, oracle);
    return oracle;
fail:
    sql_oracle_destroy(oracle);
    err_set(err, ERR_NO_MEMORY, "no memory for the SQL check");
    return NULL;
}

void sql_oracle_destroy(struct sql_oracle *oracle)
{
    if (oracle == NULL)
        return;
    sqlite3_close(oracle->db);
    mem_free(oracle->offsets);
    mem_free(oracle->table_read);
    mem_free(oracle->read);
    mem_free(oracle);
}

/* Compile text, whose names are those of parse and which gives width columns; what may be read is
 * marked. */
static enum err_code compile(struct sql_oracle *oracle, const struct sql_parse *parse,
                             struct str text, size_t width, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    const char *tail = NULL;
    enum err_code code = ERR_OK;
    oracle->parse = parse;
    oracle->last = CATALOG_NONE;
    oracle->denied[0] = '\0';
    int status = sqlite3_prepare_v2(oracle->db, text.at, (int)text.len, &statement, &tail);
    if (oracle->denied[0] != '\0')
        code = err_set(err, ERR_REJECTED, "SQLite sees %s, which the check did not; rephrase it",
                       oracle->denied);
    else if (status == SQLITE_NOMEM)
        code = err_set(err, ERR_NO_MEMORY, "no memory for SQLite to compile the statement");
    else if (status != SQLITE_OK || statement == NULL)
        code = err_set(err, ERR_REJECTED, "SQLite does not compile the statement: %s",
                       sqlite3_errmsg(oracle->db));
    else if (!sqlite3_stmt_readonly(statement) || tail != text.at + text.len)
        code = err_set(err, ERR_REJECTED, "SQLite does not see one reading statement here");
    else if ((size_t)sqlite3_column_count(statement) != width)
        code = err_set(err, ERR_REJECTED,
                       "SQLite gives %d columns where the check saw %zu; name the columns",
                       sqlite3_column_count(statement), width);
    sqlite3_finalize(statement);
    oracle->parse = NULL;
    return code;
}

enum err_code sql_oracle_check(struct sql_oracle *oracle, const struct sql_parse *parse,
                               struct err *err)
{
    clear(oracle);
    mark(oracle, parse);
    return compile(oracle, parse,
                   str_slice(parse->text, parse->statement.start, parse->statement.end),
                   parse->output_count, err);
}

/* How many columns parse's statement gives once its stars stand for what may be seen. */
static size_t width_sent(struct sql_visible sees, const struct sql_parse *parse)
{
    size_t width = 0;
    for (size_t i = 0; i < parse->output_count; i++)
        width += parse->outputs_starred[i] == CATALOG_NONE ||
                 sql_visible_column(sees, parse->outputs_starred[i], parse->outputs[i]);
    return width;
}

enum err_code sql_oracle_check_sent(struct sql_oracle *oracle, struct sql_visible sees,
                                    struct sql_tenant tenant, const struct sql_parse *parse,
                                    struct str sql, struct err *err)
{
    struct str given = str_slice(parse->text, parse->statement.start, parse->statement.end);
    clear(oracle);
    mark(oracle, parse);
    if (!str_starts_with(sql, given))
        mark_sent(oracle, sees, tenant, parse);
    return compile(oracle, parse, sql, width_sent(sees, parse), err);
}

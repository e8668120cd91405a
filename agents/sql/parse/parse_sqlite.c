/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/parse_sqlite.c - an empty database to compile against, and its authorizer.
 *
 * Happy path: list what the parse reads, prepare the statement, let the authorizer compare each
 * read with the list. Failure: SQLite refuses; the authorizer denies and keeps what it denied;
 * the statement writes; the result has another width. No memory. */
#include "agents/sql/parse/parse_sqlite.h"

#include <sqlite3.h>

#include "agents/sql/parse/reads.h"
#include "core/base/buf.h"
#include "core/base/mem.h"

enum { DDL_BYTES = 1024 * 1024, LIST_BYTES = 16 << 20, COMPILE_BYTES = 256 << 20 };

struct sql_oracle {
    sqlite3 *db;
    const struct catalog *catalog;
    struct arena arena; /* of one check */
    /* during a check */
    const struct sql_reads *reads;
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

/* Compiled, never called: the query's backend has the real ones. */
static void give_null(sqlite3_context *context, int count UNUSED, sqlite3_value **values UNUSED)
{
    sqlite3_result_null(context);
}

static enum err_code open_database(struct sql_oracle *oracle, struct err *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(":memory:", &oracle->db, flags, NULL) != SQLITE_OK ||
        sqlite3_create_function(oracle->db, "session_var", 1, SQLITE_UTF8, NULL, give_null, NULL,
                                NULL) != SQLITE_OK ||
        sqlite3_create_function(oracle->db, "mask_hash", 2, SQLITE_UTF8, NULL, give_null, NULL,
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
            sql_reads_lists(oracle->reads, str_of(first), str_of(second)))
            return SQLITE_OK;
        deny(oracle, "reading", first, second);
        return SQLITE_DENY;
    default:
        deny(oracle, "something other than reading:", first, second);
        return SQLITE_DENY;
    }
}

struct sql_oracle *sql_oracle_create(const struct catalog *catalog, struct err *err)
{
    struct sql_oracle *oracle = mem_zalloc(1, sizeof *oracle);
    if (oracle == NULL)
        goto fail;
    oracle->catalog = catalog;
    arena_init(&oracle->arena, LIST_BYTES);
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
    arena_fini(&oracle->arena);
    mem_free(oracle);
}

enum err_code sql_oracle_check(struct sql_oracle *oracle, const struct sql_parse *parse,
                               struct err *err)
{
    struct str text = str_slice(parse->text, parse->statement.start, parse->statement.end);
    sqlite3_stmt *statement = NULL;
    const char *tail = NULL;
    enum err_code code = ERR_OK;
    oracle->denied[0] = '\0';
    oracle->reads = sql_reads_of(parse, oracle->catalog, &oracle->arena);
    /* No progress handler is asked while SQLite compiles, so its memory is what ends it. */
    int64_t before = sqlite3_hard_heap_limit64(sqlite3_memory_used() + COMPILE_BYTES);
    int status = oracle->reads == NULL
                     ? SQLITE_NOMEM
                     : sqlite3_prepare_v2(oracle->db, text.at, (int)text.len, &statement, &tail);
    (void)sqlite3_hard_heap_limit64(before);
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
    else if ((size_t)sqlite3_column_count(statement) != parse->output_count)
        code = err_set(err, ERR_REJECTED,
                       "SQLite gives %d columns where the check saw %zu; name the columns",
                       sqlite3_column_count(statement), parse->output_count);
    sqlite3_finalize(statement);
    oracle->reads = NULL;
    arena_fini(&oracle->arena);
    return code;
}

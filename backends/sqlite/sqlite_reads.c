/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_reads.c - three phases of one question: may this be read?
 *
 * Happy path: compiling, what is listed passes, and what is read inside something that the
 * statement did not name itself is noted; each listed table is then compiled alone, and what that
 * reads inside itself is struck off; nothing is left. Running, listed and noted reads pass.
 * Failure: a read of the statement's own that is not listed is refused at once, one that stays
 * noted at settling; without memory nothing passes. */
#include "backends/sqlite/sqlite_reads.h"

#include <sqlite3.h>
#include <stdio.h>

enum { BEHIND_BYTES = 1 << 20, KEY_BYTES = 512 };

/* A read inside a relation; its key is its three names, which hold no NUL. */
struct behind {
    struct str key;
    bool by_view;
};

static bool is_main(const char *database)
{
    return database == NULL || str_equal(str_of(database), STR("main"));
}

static struct str text_of(const char *text)
{
    return text == NULL ? STR("") : str_of(text);
}

void sqlite_reads_begin(struct sqlite_reads *reads, const struct sql_reads *list)
{
    *reads = (struct sqlite_reads){.list = list, .phase = SQLITE_READS_COMPILE};
    map_init(&reads->behind);
    arena_init(&reads->arena, BEHIND_BYTES);
}

void sqlite_reads_end(struct sqlite_reads *reads)
{
    map_fini(&reads->behind);
    arena_fini(&reads->arena);
    reads->list = NULL;
}

/* Where FTS and R-tree modules keep a listed table's rows. They ask while a statement runs. */
static bool is_shadow(const struct sql_reads *list, struct str table)
{
    static const char *const parts[] = {"config", "content", "data",   "docsize",  "idx", "node",
                                        "parent", "rowid",   "segdir", "segments", "stat"};
    for (size_t i = 0; i < list->table_count; i++) {
        struct str name = list->tables[i].name;
        if (table.len > name.len && table.at[name.len] == '_' &&
            str_equal_nocase(str_slice(table, 0, name.len), name) &&
            str_is_listed_nocase(str_from(table, name.len + 1), parts, countof(parts)))
            return true;
    }
    return false;
}

/* Inside "": the statement itself. Absent: names that long are nobody's. */
static struct str make_key(char out[KEY_BYTES], const char *table, const char *column,
                           const char *inside)
{
    int len = snprintf(out, KEY_BYTES, "%s%c%s%c%s", text_of(table).at, '\0', text_of(column).at,
                       '\0', text_of(inside).at);
    return len > 0 && len < KEY_BYTES ? str_make(out, (size_t)len) : (struct str){NULL, 0};
}

static struct behind *find_noted(const struct sqlite_reads *reads, const char *table,
                                 const char *column, const char *inside)
{
    char text[KEY_BYTES];
    struct str key = make_key(text, table, column, inside);
    return str_is_absent(key) ? NULL : map_find(&reads->behind, key);
}

/* Let it through for now; not what happens inside a query that the statement itself wrote. A view
 * that was merged into the statement has its tables read there, without any column. */
static bool note(struct sqlite_reads *reads, const char *table, const char *column,
                 const char *inside)
{
    if (inside == NULL ? !str_is_empty(text_of(column))
                       : sql_reads_owns(reads->list, str_of(inside)))
        return false;
    char text[KEY_BYTES];
    struct str key = make_key(text, table, column, inside);
    if (str_is_absent(key))
        return false;
    if (map_find(&reads->behind, key) != NULL)
        return true;
    struct behind *behind = arena_alloc(&reads->arena, sizeof *behind);
    if (behind != NULL)
        behind->key = arena_str(&reads->arena, key);
    bool noted = arena_ok(&reads->arena) && map_put(&reads->behind, behind->key, behind);
    reads->no_memory = reads->no_memory || !noted;
    return noted;
}

/* A listed table's own compiling reads this: behind a view, or of the table itself. */
static void learn_read(struct sqlite_reads *reads, const char *table, const char *column,
                       const char *inside)
{
    struct behind *behind = find_noted(reads, table, column, inside);
    if (behind != NULL)
        behind->by_view = true;
    behind = find_noted(reads, table, NULL, NULL);
    if (behind != NULL)
        behind->by_view = true;
}

bool sqlite_reads_allow(struct sqlite_reads *reads, const char *table, const char *column,
                        const char *database, const char *inside)
{
    if (reads->list == NULL)
        return true;
    if (!is_main(database))
        return false;
    switch (reads->phase) {
    case SQLITE_READS_LEARN:
        learn_read(reads, table, column, inside);
        return true;
    case SQLITE_READS_COMPILE:
        return sql_reads_lists(reads->list, text_of(table), text_of(column)) ||
               note(reads, table, column, inside);
    case SQLITE_READS_RUN:
        break;
    }
    return sql_reads_lists(reads->list, text_of(table), text_of(column)) ||
           find_noted(reads, table, column, inside) != NULL ||
           is_shadow(reads->list, text_of(table));
}

bool sqlite_reads_call(const struct sqlite_reads *reads, const char *function, const char *inside)
{
    static const char *const written[] = {
        "->", "->>", "current_date", "current_time", "current_timestamp", "glob", "like", "match"};
    return reads->list == NULL || reads->phase != SQLITE_READS_COMPILE || inside != NULL ||
           sql_reads_calls(reads->list, text_of(function)) ||
           str_is_listed_nocase(text_of(function), written, countof(written));
}

/* What a listed table reads inside itself: a view's tables. Others read nothing there. */
static void learn(sqlite3 *db, struct str table)
{
    sqlite3_stmt *stmt = NULL;
    char *sql = sqlite3_mprintf("SELECT * FROM main.\"%.*w\"", (int)table.len, table.at);
    if (sql != NULL)
        (void)sqlite3_prepare_v2(db, sql, -1, &stmt, NULL); /* what cannot be had gives nothing */
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
}

static enum err_code check_width(const struct sqlite_reads *reads, sqlite3_stmt *stmt,
                                 struct err *err)
{
    int width = sqlite3_column_count(stmt);
    if (reads->list->width == 0 || reads->list->width == (size_t)width ||
        sqlite3_stmt_isexplain(stmt) != 0)
        return ERR_OK;
    return err_set(err, ERR_REJECTED,
                   "SQLite gives %d columns where the check saw %zu; name the columns", width,
                   reads->list->width);
}

static enum err_code check_behind(const struct sqlite_reads *reads, struct err *err)
{
    struct map_entry entry;
    size_t cursor = 0;
    while (map_next(&reads->behind, &cursor, &entry)) {
        const struct behind *behind = entry.value;
        if (behind->by_view)
            continue;
        struct str rest = entry.key, table = str_split(&rest, '\0');
        return err_set(err, ERR_REJECTED,
                       "SQLite sees reading %.*s.%.*s, which the check did not; rephrase it",
                       STR_ARG(table), STR_ARG(str_split(&rest, '\0')));
    }
    return ERR_OK;
}

enum err_code sqlite_reads_settle(struct sqlite_reads *reads, sqlite3 *db, sqlite3_stmt *stmt,
                                  struct err *err)
{
    if (reads->list == NULL)
        return ERR_OK;
    if (map_count(&reads->behind) > 0) {
        reads->phase = SQLITE_READS_LEARN;
        for (size_t i = 0; i < reads->list->table_count; i++)
            learn(db, reads->list->tables[i].name);
    }
    reads->phase = SQLITE_READS_RUN;
    if (reads->no_memory)
        return err_set(err, ERR_NO_MEMORY, "no memory to check what the statement reads");
    enum err_code code = check_behind(reads, err);
    return code == ERR_OK ? check_width(reads, stmt, err) : code;
}

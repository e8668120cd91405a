/* SPDX-License-Identifier: MIT */
/* backends/passages/sqlite_passages.h - collections of passages in tables of an SQLite file: what
 * the stores of vectors and of keywords there have in common.
 *
 * Each store has tables of its own, called by a prefix: <p>_collections(id, name) and
 * <p>_passages(id, collection, key, fields, ..., text), whose ids rise and never come back. A
 * collection without passages is dropped with its last one. For jobs of sqlite_thread. */
#ifndef BACKENDS_PASSAGES_SQLITE_PASSAGES_H
#define BACKENDS_PASSAGES_SQLITE_PASSAGES_H

#include "backends/passage.h"
#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"

struct sqlite3;
struct sqlite3_stmt;

struct sqlite_passages_sql {
    const char *remove_key;     /* collection ?1, key ?2 */
    const char *remove_passing; /* collection ?1, filters ?2 */
    const char *drop_empty;     /* collection ?1 */
    const char *fetch;          /* id ?1 -> key, fields, text */
};

/* The statements for tables called prefix. */
#define SQLITE_PASSAGES_SQL(prefix)                                                                \
    {                                                                                              \
        .remove_key = "DELETE FROM " prefix "_passages WHERE collection = ?1 AND key = ?2",        \
        .remove_passing = "DELETE FROM " prefix "_passages WHERE id IN (SELECT id FROM " prefix    \
                          "_passages WHERE collection = ?1 AND askd_passes(fields, ?2))",          \
        .drop_empty = "DELETE FROM " prefix "_collections WHERE id = ?1 AND NOT EXISTS "           \
                      "(SELECT 1 FROM " prefix "_passages WHERE collection = ?1)",                 \
        .fetch = "SELECT key, fields, text FROM " prefix "_passages WHERE id = ?1"                 \
    }

struct sqlite_passages_filters { /* askd_passes(fields, ?) of a statement */
    const struct passage_filter *filters;
    size_t count;
};

/* Teach a connection askd_passes(fields, filters). For on_open. */
MUST_USE enum err_code sqlite_passages_prepare(struct sqlite3 *db, struct err *err);

void sqlite_passages_bind_filters(struct sqlite3_stmt *statement, int index,
                                  const struct sqlite_passages_filters *filters);

struct sqlite_passages_removal {
    int64_t collection;
    const struct str *ids;
    size_t id_count;
    struct sqlite_passages_filters filters; /* none: by filter nothing goes */
};
/* Remove by id and by filter; the collection, too, when it is empty then. Inside a transaction. */
MUST_USE enum err_code sqlite_passages_remove(struct sqlite3 *db,
                                              const struct sqlite_passages_sql *sql,
                                              const struct sqlite_passages_removal *removal,
                                              struct err *err);
/* Passages into their table, each instead of what had its key. */
struct sqlite_passages_put {
    int64_t collection;
    const char *insert; /* collection ?1, key ?2, fields ?3, the store's own ?4, text ?5 */
    size_t count;
    const void *change; /* the store's */
    /* The passage at i, and what it has of the store's own. */
    const struct passage *(*passage_at)(const void *change, size_t i);
    void (*bind_own)(struct sqlite3_stmt *statement, int index, const void *change, size_t i);
};
/* Inside a transaction. */
MUST_USE enum err_code sqlite_passages_put(struct sqlite3 *db,
                                           const struct sqlite_passages_sql *sql,
                                           const struct sqlite_passages_put *put, struct err *err);
/* Read key, fields and text from columns first.. of a row into arena. ERR_NO_MEMORY. */
MUST_USE enum err_code sqlite_passages_read(struct sqlite3_stmt *statement, int first,
                                            struct arena *arena, struct passage *passage,
                                            struct err *err);

#endif

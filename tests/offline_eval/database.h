/* SPDX-License-Identifier: MIT */
/* tests/offline_eval/database.h - a SQLite file with all that the offline engine knows of it. */
#ifndef TESTS_OFFLINE_EVAL_DATABASE_H
#define TESTS_OFFLINE_EVAL_DATABASE_H

#include <stdio.h>

#include "agents/lexicon/lexicon.h"
#include "agents/offline/answers/question.h"
#include "agents/semantic/bind.h"
#include "agents/semantic/file.h"
#include "agents/sql/catalog/introspect.h"
#include "agents/sql/guard/policy.h"
#include "backends/sql/sql_sqlite.h"

enum { DATABASE_TURNS = 1 << 20 };

struct database {
    const char *file; /* the text of a semantic.json, set before it is opened; NULL: none */
    struct semantic *semantic;
    struct loop *loop;
    struct sql *sql;
    struct introspect introspect;
    struct lexicon_load load;
    struct join_graph *joins;
    struct join_finder *finder;
    struct offline_source source;
    bool failed;
};

static inline void database_on_done(struct op *op)
{
    struct database *database = op_owner(op);
    if (op->err.code != ERR_OK) {
        fprintf(stderr, "%s\n", op->err.text);
        database->failed = true;
    }
}

static inline void database_on_closed(void *owner)
{
    (void)owner;
}

static inline bool database_turn(struct database *database)
{
    return loop_run_dry(database->loop, DATABASE_TURNS) && !database->failed;
}

/* False: the file is not read, or does not fit the catalog. */
static inline bool database_bind(struct database *database)
{
    struct semantic_report report;
    struct err err = {0};
    semantic_report_init(&report);
    bool ok = semantic_file_read(str_of(database->file), &database->semantic, &report, &err) ==
              ERR_OK;
    if (ok)
        semantic_bind_catalog(database->semantic, database->introspect.catalog,
                              &sql_policy_default, SQL_SQLITE, &report);
    ok = ok && buf_str(&report.text).len == 0;
    if (!ok)
        fprintf(stderr, "%s %.*s\n", err.text, STR_ARG(buf_str(&report.text)));
    semantic_report_fini(&report);
    return ok;
}

/* today: YYYY-MM-DD. False: said on stderr. */
static inline bool database_open(struct database *database, const char *path, const char *today)
{
    static const struct introspect_options options = {.count_rows = false};
    struct err err;
    int year, month, day;
    const struct op_waiter waiter = {database_on_done, database, NULL};
    if (sscanf(today, "%d-%d-%d", &year, &month, &day) != 3)
        return false;
    database->loop = loop_create();
    database->sql = sql_sqlite_create(database->loop, path, 1, 16);
    if (database->sql == NULL)
        return false;
    introspect_start(&database->introspect, database->sql, &options, waiter);
    while (op_is_pending(&database->introspect.op))
        loop_turn(database->loop, 1);
    if (database->failed || (database->file != NULL && !database_bind(database)))
        return false;
    database->load.semantic = database->semantic;
    lexicon_load_start(&database->load, database->loop, database->sql, database->introspect.catalog,
                       waiter);
    while (op_is_pending(&database->load.op))
        loop_turn(database->loop, 1);
    if (database->failed ||
        join_graph_from_catalog(database->introspect.catalog, &database->joins, &err) != ERR_OK)
        return false;
    database->finder = join_finder_create(database->joins, NULL);
    database->source =
        (struct offline_source){database->load.lexicon, database->joins, database->finder,
                                SQL_SQLITE, english_dates_day(year, month, day)};
    return database->finder != NULL;
}

static inline void database_close(struct database *database)
{
    join_finder_destroy(database->finder);
    join_graph_destroy(database->joins);
    lexicon_destroy(database->load.lexicon);
    semantic_model_destroy(database->semantic);
    catalog_destroy(database->introspect.catalog);
    sql_close(database->sql, database_on_closed, NULL);
    (void)database_turn(database);
    loop_destroy(database->loop);
}

#endif

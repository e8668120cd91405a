/* SPDX-License-Identifier: MIT */
/* backends/words/sqlite_bm25.c - Robertson and Walker's BM25 with FTS5's constants.
 *
 * Happy path: what holds for all rows is made at a query's first row and kept by FTS5 until its
 * end; each row adds up its phrases' occurrences. Failure: what SQLite says is the query's error.
 */
#include "backends/words/sqlite_bm25.h"

#include <math.h>

#include <sqlite3.h>

#include "backends/sqlite/sqlite_thread.h"
#include "core/base/mem.h"

static const double k1 = 1.2, b = 0.75;
static const double least_idf = 1e-6; /* of a phrase in more than half of the rows */
static const double heading_weight = 4.0, text_weight = 1.0;

struct scoring { /* of one query */
    double average_size;
    size_t phrase_count;
    double *weights;     /* by phrase; 0: it does not count */
    double *frequencies; /* of the row in hand */
};

static double idf_of(double row_count, double rows)
{
    double idf = log((row_count - rows + 0.5) / (rows + 0.5));
    return idf > least_idf ? idf : least_idf;
}

static int make_scoring(const Fts5ExtensionApi *fts, Fts5Context *context, sqlite3_value *rows,
                        struct scoring **out)
{
    sqlite3_int64 row_count, token_count;
    size_t count = (size_t)fts->xPhraseCount(context);
    const double *given = sqlite3_value_blob(rows);
    if ((size_t)sqlite3_value_bytes(rows) != count * sizeof *given)
        return SQLITE_MISUSE;
    int code = fts->xRowCount(context, &row_count);
    if (code == SQLITE_OK)
        code = fts->xColumnTotalSize(context, -1, &token_count);
    if (code != SQLITE_OK)
        return code;
    struct scoring *scoring = mem_zalloc(1, sizeof *scoring + 2 * count * sizeof(double));
    if (scoring == NULL)
        return SQLITE_NOMEM;
    scoring->weights = (double *)(scoring + 1);
    scoring->frequencies = scoring->weights + count;
    scoring->phrase_count = count;
    scoring->average_size = row_count > 0 ? (double)token_count / (double)row_count : 1;
    for (size_t i = 0; i < count; i++)
        scoring->weights[i] = given[i] > 0 ? idf_of((double)row_count, given[i]) : 0;
    *out = scoring;
    return fts->xSetAuxdata(context, scoring, mem_free); /* which frees it where it fails */
}

static int count_phrases(const Fts5ExtensionApi *fts, Fts5Context *context, struct scoring *scoring)
{
    int instance_count;
    for (size_t i = 0; i < scoring->phrase_count; i++)
        scoring->frequencies[i] = 0;
    int code = fts->xInstCount(context, &instance_count);
    for (int i = 0; code == SQLITE_OK && i < instance_count; i++) {
        int phrase, column, offset;
        code = fts->xInst(context, i, &phrase, &column, &offset);
        if (code == SQLITE_OK)
            scoring->frequencies[phrase] += column == 0 ? heading_weight : text_weight;
    }
    return code;
}

static void score(const Fts5ExtensionApi *fts, Fts5Context *context, sqlite3_context *result,
                  int count, sqlite3_value **arguments)
{
    struct scoring *scoring = fts->xGetAuxdata(context, 0);
    int code = SQLITE_OK, size = 0;
    double sum = 0;
    if (scoring == NULL)
        code = count == 1 ? make_scoring(fts, context, arguments[0], &scoring) : SQLITE_MISUSE;
    if (code == SQLITE_OK)
        code = count_phrases(fts, context, scoring);
    if (code == SQLITE_OK)
        code = fts->xColumnSize(context, -1, &size);
    if (code != SQLITE_OK) {
        sqlite3_result_error_code(result, code);
        return;
    }
    double length = k1 * (1 - b + b * size / scoring->average_size);
    for (size_t i = 0; i < scoring->phrase_count; i++)
        sum += scoring->weights[i] * scoring->frequencies[i] * (k1 + 1) /
               (scoring->frequencies[i] + length);
    sqlite3_result_double(result, sum);
}

enum err_code sqlite_bm25_prepare(struct sqlite3 *db, struct err *err)
{
    fts5_api *api = NULL;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", NULL);
    if (code == SQLITE_OK)
        (void)sqlite3_step(statement); /* api says whether it worked */
    sqlite3_finalize(statement);
    if (code == SQLITE_OK)
        code =
            api == NULL ? SQLITE_ERROR : api->xCreateFunction(api, "askd_bm25", NULL, score, NULL);
    return code == SQLITE_OK ? ERR_OK : sqlite_thread_fail(db, code, err);
}

/* SPDX-License-Identifier: MIT */
/* backends/sqlite_keywords_find.c - the steps of a plan, until enough was found.
 *
 * Happy path: each step joins the index with the passages, asks the filters there, scores by BM25
 * and keeps the best; in the end these are read. Failure: what SQLite says. */
#include <sqlite3.h>

#include "backends/sqlite_keywords.h"
#include "backends/sqlite_keywords_plan.h"
#include "backends/sqlite_passages.h"
#include "backends/sqlite_thread.h"

enum { SQL_BYTES = 1024 };
enum { EXPRESSION_BYTES = KEYWORDS_PHRASES * (TEXT_WORDS_BYTES + 8) };

/* Of what passes at most ?3. */
static const char find[] = "SELECT p.id, p.key, askd_bm25(text_words_%lld, ?4) FROM text_words_%lld"
                           " JOIN text_passages AS p ON p.id = text_words_%lld.rowid"
                           " WHERE text_words_%lld MATCH ?1 AND askd_passes(p.fields, ?2) LIMIT ?3";

static const struct sqlite_passages_sql passages = SQLITE_PASSAGES_SQL("text");

struct best { /* a passage worth reading */
    double score;
    sqlite3_int64 id;
    struct str key; /* in memory of its own */
};

struct finding {
    struct sqlite3 *db;
    struct sqlite_keywords_search *search;
    struct keywords_plan plan;
    struct keywords_request request;
    struct best *best; /* best first; room for one more than asked for */
    size_t count;
};

static bool is_there(const struct finding *finding, sqlite3_int64 id)
{
    for (size_t i = 0; i < finding->count; i++)
        if (finding->best[i].id == id)
            return true;
    return false;
}

static bool is_better(const struct best *one, const struct best *other)
{
    if (one->score > other->score || one->score < other->score)
        return one->score > other->score;
    return str_compare(one->key, other->key) < 0;
}

/* Keep row where it is among the best. first_step: it cannot be there yet. */
static enum err_code consider(struct finding *finding, const struct best *row, bool first_step,
                              struct err *err)
{
    size_t top = finding->search->query->top_k, at = finding->count;
    if (at == top && !is_better(row, &finding->best[top - 1]))
        return ERR_OK;
    if (!first_step && is_there(finding, row->id))
        return ERR_OK;
    for (; at > 0 && is_better(row, &finding->best[at - 1]); at--)
        finding->best[at] = finding->best[at - 1];
    finding->best[at] = *row;
    finding->best[at].key = arena_str(finding->search->arena, row->key);
    finding->count = size_min(finding->count + 1, top);
    return arena_ok(finding->search->arena)
               ? ERR_OK
               : err_set(err, ERR_NO_MEMORY, "no memory for what was found");
}

static enum err_code run_step(struct finding *finding, sqlite3_stmt *statement, struct err *err)
{
    const struct text_query *query = finding->search->query;
    const struct sqlite_passages_filters filters = {query->filters, query->filter_count};
    const struct keywords_request *request = &finding->request;
    bool first_step = finding->count == 0;
    enum err_code code = ERR_OK;
    int step;
    if (!buf_ok(&request->expression))
        return err_set(err, ERR_NO_MEMORY, "no memory for a search");
    sqlite_passages_bind_str(statement, 1, buf_str(&request->expression));
    sqlite_passages_bind_filters(statement, 2, &filters);
    sqlite3_bind_int64(statement, 3,
                       finding->plan.is_whole ? -1 : (sqlite3_int64)finding->plan.most);
    sqlite_passages_bind_blob(
        statement, 4,
        str_make((const char *)request->rows, request->phrase_count * sizeof request->rows[0]));
    while (code == ERR_OK && (step = sqlite3_step(statement)) != SQLITE_DONE) {
        const struct best row = {.score = sqlite3_column_double(statement, 2),
                                 .id = sqlite3_column_int64(statement, 0),
                                 .key = sqlite_passages_column(statement, 1)};
        code = step == SQLITE_ROW ? consider(finding, &row, first_step, err)
                                  : sqlite_thread_fail(finding->db, step, err);
    }
    sqlite3_reset(statement);
    return code;
}

static enum err_code run_steps(struct finding *finding, int64_t collection, struct err *err)
{
    char sql[SQL_BYTES];
    long long id = (long long)collection;
    size_t top = finding->search->query->top_k;
    enum err_code code = ERR_OK;
    finding->best = arena_array(finding->search->arena, top + 1, sizeof *finding->best);
    if (finding->best == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for what was found");
    sqlite3_snprintf(sizeof sql, sql, find, id, id, id, id);
    sqlite3_stmt *statement = sqlite_passages_statement(finding->db, sql, err);
    if (statement == NULL)
        return err->code;
    for (unsigned step = 0; step < KEYWORDS_END && code == ERR_OK; step++)
        if (finding->count < top &&
            sqlite_keywords_plan_write(&finding->plan, step, &finding->request))
            code = run_step(finding, statement, err);
    sqlite3_finalize(statement);
    return code;
}

static enum err_code read_hits(struct finding *finding, struct err *err)
{
    struct sqlite_keywords_search *search = finding->search;
    enum err_code code = ERR_OK;
    search->hits = arena_array(search->arena, finding->count + 1, sizeof *search->hits);
    sqlite3_stmt *statement = sqlite_passages_statement(finding->db, passages.fetch, err);
    if (statement == NULL || search->hits == NULL)
        code = statement == NULL ? err->code
                                 : err_set(err, ERR_NO_MEMORY, "no memory for what was found");
    for (size_t i = 0; i < finding->count && code == ERR_OK; i++) {
        struct passage_hit *hit = &search->hits[search->hit_count++];
        hit->score = finding->best[i].score;
        sqlite3_bind_int64(statement, 1, finding->best[i].id);
        int step = sqlite3_step(statement);
        code = step == SQLITE_ROW
                   ? sqlite_passages_read(statement, 0, search->arena, &hit->passage, err)
                   : sqlite_thread_fail(finding->db, step, err);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return code;
}

/* In a transaction: the collection does not go between its name and its index. */
static enum err_code find_hits(struct finding *finding, struct err *err)
{
    const struct text_query *query = finding->search->query;
    int64_t id;
    enum err_code code = sqlite_keywords_collection(finding->db, query->collection, &id, err);
    if (code != ERR_OK || id == 0)
        return code;
    code = sqlite_keywords_plan_make(finding->db, id, query->words, &finding->plan, err);
    if (code == ERR_OK && finding->plan.count > 0)
        code = run_steps(finding, id, err);
    return code == ERR_OK && finding->count > 0 ? read_hits(finding, err) : code;
}

enum err_code sqlite_keywords_find(struct sqlite3 *db, struct sqlite_keywords_search *search,
                                   struct err *err)
{
    struct finding finding = {.db = db, .search = search};
    search->hit_count = 0;
    buf_init(&finding.request.expression, EXPRESSION_BYTES);
    enum err_code code = sqlite_passages_exec(db, "BEGIN", err);
    if (code == ERR_OK)
        code = sqlite_passages_end(db, find_hits(&finding, err), err);
    buf_fini(&finding.request.expression);
    return code;
}

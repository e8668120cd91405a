/* SPDX-License-Identifier: MIT */
/* backends/words/sqlite_keywords.c - the tables of the store of words, changes to them, and
 * searches.
 *
 * Happy path: a change is one immediate transaction: removals, then the collection (made with its
 * index, when it is new), then passages, each replacing what had its key; triggers keep the index.
 * A search takes the steps of a plan until enough was found: each step joins the index with the
 * passages, asks the filters there, scores by BM25 and keeps the best; in the end these are read.
 * Failure: what SQLite says; a change that fails is rolled back.
 *
 * The index is external content: it holds no text of its own, and must be told the old text when a
 * passage goes, which is what the triggers do. */
#include "backends/words/sqlite_keywords.h"

#include <sqlite3.h>

#include "backends/passages/passage_check.h"
#include "backends/words/sqlite_bm25.h"
#include "backends/words/sqlite_keywords_plan.h"
#include "backends/passages/sqlite_passages.h"
#include "backends/sqlite/sqlite_row.h"
#include "backends/sqlite/sqlite_statement.h"
#include "backends/sqlite/sqlite_thread.h"

enum { SQL_BYTES = 2048 };

static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS text_collections(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE IF NOT EXISTS text_passages(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " collection INTEGER NOT NULL, key TEXT NOT NULL, fields BLOB NOT NULL,"
    " heading TEXT NOT NULL, text TEXT NOT NULL, UNIQUE(collection, key));"
    "CREATE INDEX IF NOT EXISTS text_by_fields ON text_passages(collection, fields)";

/* ?: the collection's id */
static const char index_schema[] =
    "CREATE VIRTUAL TABLE text_words_%lld USING fts5(heading, text, content='text_passages',"
    " content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');"
    "CREATE TRIGGER text_in_%lld AFTER INSERT ON text_passages WHEN new.collection = %lld BEGIN"
    " INSERT INTO text_words_%lld(rowid, heading, text)"
    " VALUES (new.id, new.heading, new.text); END;"
    "CREATE TRIGGER text_out_%lld AFTER DELETE ON text_passages WHEN old.collection = %lld BEGIN"
    " INSERT INTO text_words_%lld(text_words_%lld, rowid, heading, text)"
    " VALUES ('delete', old.id, old.heading, old.text); END";

static const char index_drop[] =
    "DROP TRIGGER text_in_%lld; DROP TRIGGER text_out_%lld; DROP TABLE text_words_%lld";

static const struct sqlite_passages_sql passages = SQLITE_PASSAGES_SQL("text");

enum err_code sqlite_keywords_prepare(void *owner, struct sqlite3 *db, struct err *err)
{
    (void)owner;
    enum err_code code = sqlite_passages_prepare(db, err);
    if (code == ERR_OK)
        code = sqlite_bm25_prepare(db, err);
    return code == ERR_OK ? sqlite_statement_make_tables(db, "text_by_fields", schema, err) : code;
}

/* form with id in each of its places. */
static const char *with_id(const char *form, int64_t id, char sql[SQL_BYTES])
{
    long long n = (long long)id;
    return sqlite3_snprintf(SQL_BYTES, sql, form, n, n, n, n, n, n, n, n);
}

enum err_code sqlite_keywords_collection(struct sqlite3 *db, struct str name, int64_t *id,
                                         struct err *err)
{
    static const char sql[] = "SELECT id FROM text_collections WHERE name = ?1";
    enum err_code code = ERR_OK;
    *id = 0;
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite_statement_bind_str(statement, 1, name);
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        *id = sqlite3_column_int64(statement, 0);
    else if (step != SQLITE_DONE)
        code = sqlite_thread_fail(db, step, err);
    sqlite3_finalize(statement);
    return code;
}

static enum err_code count_collections(struct sqlite3 *db, struct err *err)
{
    enum err_code code = ERR_OK;
    sqlite3_stmt *statement =
        sqlite_statement_make(db, "SELECT count(*) FROM text_collections", err);
    if (statement == NULL)
        return err->code;
    int step = sqlite3_step(statement);
    if (step != SQLITE_ROW)
        code = sqlite_thread_fail(db, step, err);
    else if (sqlite3_column_int64(statement, 0) >= SQLITE_KEYWORDS_COLLECTIONS)
        code = err_set(err, ERR_TOO_LARGE, "a file holds at most %d collections",
                       SQLITE_KEYWORDS_COLLECTIONS);
    sqlite3_finalize(statement);
    return code;
}

static enum err_code add_collection(struct sqlite3 *db, struct str name, int64_t *id,
                                    struct err *err)
{
    char sql[SQL_BYTES];
    enum err_code code = count_collections(db, err);
    if (code != ERR_OK)
        return code;
    sqlite3_stmt *statement =
        sqlite_statement_make(db, "INSERT INTO text_collections(name) VALUES (?1)", err);
    if (statement == NULL)
        return err->code;
    sqlite_statement_bind_str(statement, 1, name);
    code = sqlite_statement_run(db, statement, err);
    sqlite3_finalize(statement);
    *id = sqlite3_last_insert_rowid(db);
    return code == ERR_OK ? sqlite_row_exec(db, with_id(index_schema, *id, sql), err) : code;
}

static const struct passage *passage_at(const void *change, size_t i)
{
    return &((const struct text_change *)change)->upsert[i];
}

static void bind_heading(struct sqlite3_stmt *statement, int index, const void *change, size_t i)
{
    sqlite_statement_bind_str(statement, index, passage_get(passage_at(change, i), STR("heading")));
}

static enum err_code put_passages(struct sqlite3 *db, const struct text_change *change,
                                  int64_t collection, struct err *err)
{
    const struct sqlite_passages_put put = {
        .collection = collection,
        .insert = "INSERT INTO text_passages(collection, key, fields, heading, text)"
                  " VALUES (?1, ?2, ?3, ?4, ?5)",
        .count = change->upsert_count,
        .change = change,
        .passage_at = passage_at,
        .bind_own = bind_heading,
    };
    return sqlite_passages_put(db, &passages, &put, err);
}

static enum err_code remove_passages(struct sqlite3 *db, const struct text_change *change,
                                     int64_t *id, struct err *err)
{
    char sql[SQL_BYTES];
    int64_t before = *id;
    const struct sqlite_passages_removal removal = {
        .collection = *id,
        .ids = change->remove_ids,
        .id_count = change->remove_count,
        .filters = {change->remove_filters, change->remove_filter_count}};
    enum err_code code = sqlite_passages_remove(db, &passages, &removal, err);
    if (code == ERR_OK)
        code = sqlite_keywords_collection(db, change->collection, id, err);
    if (code == ERR_OK && *id == 0) /* it went with its last passage */
        code = sqlite_row_exec(db, with_id(index_drop, before, sql), err);
    return code;
}

static enum err_code put_all(struct sqlite3 *db, const struct text_change *change, struct err *err)
{
    int64_t id;
    enum err_code code = sqlite_keywords_collection(db, change->collection, &id, err);
    if (code == ERR_OK && id != 0)
        code = remove_passages(db, change, &id, err);
    if (code != ERR_OK || change->upsert_count == 0)
        return code;
    if (id == 0)
        code = add_collection(db, change->collection, &id, err);
    return code == ERR_OK ? put_passages(db, change, id, err) : code;
}

enum err_code sqlite_keywords_change(struct sqlite3 *db, const struct text_change *change,
                                     struct err *err)
{
    enum err_code code = passage_check_text_change(change, err);
    if (code == ERR_OK)
        code = sqlite_row_exec(db, "BEGIN IMMEDIATE", err);
    return code == ERR_OK ? sqlite_statement_end_transaction(db, put_all(db, change, err), err)
                          : code;
}

/* ---- searching ---- */

enum { EXPRESSION_BYTES = KEYWORDS_PHRASES * (TEXT_WORDS_BYTES + 8) };

/* The passages that match and pass the filters, at most ?3 of them. */
static const char find[] = "SELECT p.id, p.key, askd_bm25(text_words_%lld, ?4) FROM text_words_%lld"
                           " JOIN text_passages AS p ON p.id = text_words_%lld.rowid"
                           " WHERE text_words_%lld MATCH ?1 AND askd_passes(p.fields, ?2) LIMIT ?3";

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
    sqlite_statement_bind_str(statement, 1, buf_str(&request->expression));
    sqlite_passages_bind_filters(statement, 2, &filters);
    sqlite3_bind_int64(statement, 3,
                       finding->plan.is_whole ? -1 : (sqlite3_int64)finding->plan.most);
    sqlite_statement_bind_blob(
        statement, 4,
        str_make((const char *)request->rows, request->phrase_count * sizeof request->rows[0]));
    while (code == ERR_OK && (step = sqlite3_step(statement)) != SQLITE_DONE) {
        const struct best row = {.score = sqlite3_column_double(statement, 2),
                                 .id = sqlite3_column_int64(statement, 0),
                                 .key = sqlite_statement_column(statement, 1)};
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
    sqlite3_stmt *statement = sqlite_statement_make(finding->db, sql, err);
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
    sqlite3_stmt *statement = sqlite_statement_make(finding->db, passages.fetch, err);
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
    enum err_code code = sqlite_row_exec(db, "BEGIN", err);
    if (code == ERR_OK)
        code = sqlite_statement_end_transaction(db, find_hits(&finding, err), err);
    buf_fini(&finding.request.expression);
    return code;
}

/* SPDX-License-Identifier: MIT */
/* backends/words/sqlite_keywords_plan.c - counting as far as it matters, and expressions of FTS5.
 *
 * Happy path: each word's passages are counted as far as may be ranked; how far into the collection
 * that many reach says about how many there are. Words are sorted by that. An expression names the
 * words a passage must have, and again with the others, which only count.
 * Failure: what SQLite says. */
#include "backends/words/sqlite_keywords_plan.h"

#include <sqlite3.h>

#include "backends/sqlite/sqlite_statement.h"
#include "backends/sqlite/sqlite_thread.h"

enum { SQL_BYTES = 512, PARTS = 40 };

struct span { /* of a collection's passages */
    sqlite3_int64 first, last;
};

/* ---- counting ---- */

static enum err_code look_at_span(struct sqlite3 *db, long long id, struct span *span,
                                  struct err *err)
{
    static const char form[] = "SELECT (SELECT min(id) FROM text_words_%lld_docsize),"
                               " (SELECT max(id) FROM text_words_%lld_docsize)";
    char sql[SQL_BYTES];
    enum err_code code = ERR_OK;
    sqlite3_snprintf(sizeof sql, sql, form, id, id);
    *span = (struct span){0};
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    int step = sqlite3_step(statement);
    if (step != SQLITE_ROW)
        code = sqlite_thread_fail(db, step, err);
    span->first = sqlite3_column_int64(statement, 0);
    span->last = sqlite3_column_int64(statement, 1);
    sqlite3_finalize(statement);
    return code;
}

/* Ids rise with gaps: a wide span may hold few passages. */
static enum err_code look_whether_whole(struct sqlite3 *db, long long id,
                                        struct keywords_plan *plan, struct err *err)
{
    static const char form[] = "SELECT 1 FROM text_words_%lld_docsize LIMIT 1 OFFSET %d";
    char sql[SQL_BYTES];
    enum err_code code = ERR_OK;
    sqlite3_snprintf(sizeof sql, sql, form, id, KEYWORDS_LEAST_ROWS);
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    int step = sqlite3_step(statement);
    plan->is_whole = step == SQLITE_DONE;
    if (step != SQLITE_DONE && step != SQLITE_ROW)
        code = sqlite_thread_fail(db, step, err);
    sqlite3_finalize(statement);
    return code;
}

static enum err_code measure(struct sqlite3 *db, long long id, struct span *span,
                             struct keywords_plan *plan, struct err *err)
{
    enum err_code code = look_at_span(db, id, span, err);
    size_t width = (size_t)(span->last - span->first) + 1;
    plan->most = size_min(KEYWORDS_MOST_ROWS, size_max(KEYWORDS_LEAST_ROWS, width / PARTS));
    return code == ERR_OK ? look_whether_whole(db, id, plan, err) : code;
}

/* word as FTS5 takes it whatever it holds. */
static void push_phrase(struct buf *out, struct str word)
{
    buf_push_char(out, '"');
    buf_push(out, word);
    buf_push_char(out, '"');
}

static enum err_code count_word(struct sqlite3 *db, sqlite3_stmt *statement, struct str word,
                                const struct span *span, size_t most, double *rows, struct err *err)
{
    enum err_code code = ERR_OK;
    struct buf phrase;
    buf_init(&phrase, TEXT_WORDS_BYTES + 2);
    push_phrase(&phrase, word);
    if (!buf_ok(&phrase)) {
        buf_fini(&phrase);
        return err_set(err, ERR_NO_MEMORY, "no memory for a search");
    }
    sqlite_statement_bind_str(statement, 1, buf_str(&phrase));
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW) {
        double reach = (double)(sqlite3_column_int64(statement, 1) - span->first + 1);
        *rows = sqlite3_column_double(statement, 0);
        if (*rows > (double)most)
            *rows *= (double)(span->last - span->first + 1) / reach;
    } else {
        code = sqlite_thread_fail(db, step, err);
    }
    sqlite3_reset(statement);
    buf_fini(&phrase);
    return code;
}

static void insert_word(struct keywords_plan *plan, struct str word, double rows)
{
    size_t at = plan->count++;
    for (; at > 0 && plan->rows[at - 1] > rows; at--) {
        plan->words[at] = plan->words[at - 1];
        plan->rows[at] = plan->rows[at - 1];
    }
    plan->words[at] = word;
    plan->rows[at] = rows;
}

enum err_code sqlite_keywords_plan_make(struct sqlite3 *db, int64_t collection, struct str typed,
                                        struct keywords_plan *plan, struct err *err)
{
    static const char form[] = "SELECT count(*), max(rowid) FROM (SELECT rowid FROM text_words_%lld"
                               " WHERE text_words_%lld MATCH ?1 LIMIT %lld)";
    struct str words[TEXT_WORDS_MAX];
    struct span span;
    char sql[SQL_BYTES];
    double sum = 0;
    long long id = (long long)collection;
    size_t count = text_words_split(typed, words);
    *plan = (struct keywords_plan){.count = 0};
    enum err_code code = measure(db, id, &span, plan, err);
    if (code != ERR_OK)
        return code;
    sqlite3_snprintf(sizeof sql, sql, form, id, id, (long long)plan->most + 1);
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    for (size_t i = 0; i < count && code == ERR_OK; i++) {
        double rows = 0;
        code = count_word(db, statement, words[i], &span, plan->most, &rows, err);
        if (rows > 0)
            insert_word(plan, words[i], rows);
    }
    sqlite3_finalize(statement);
    while (plan->rare_count < plan->count &&
           (plan->is_whole || sum + plan->rows[plan->rare_count] <= (double)plan->most))
        sum += plan->rows[plan->rare_count++];
    return code;
}

/* ---- requests ---- */

static void push_phrases(const struct keywords_plan *plan, size_t from, size_t to,
                         const char *between, bool counts, struct keywords_request *request)
{
    buf_push_char(&request->expression, '(');
    for (size_t i = from; i < to; i++) {
        buf_push(&request->expression, i == from ? STR("") : str_of(between));
        push_phrase(&request->expression, plan->words[i]);
        request->rows[request->phrase_count++] = counts ? plan->rows[i] : 0;
    }
    buf_push_char(&request->expression, ')');
}

bool sqlite_keywords_plan_write(const struct keywords_plan *plan, enum keywords_step step,
                                struct keywords_request *request)
{
    size_t common = plan->count - plan->rare_count;
    size_t needs[KEYWORDS_END] = {[KEYWORDS_RARE] = plan->rare_count,
                                  [KEYWORDS_ALL] = common > 2 ? common : 0,
                                  [KEYWORDS_TWO] = common > 1 ? 2 : 0,
                                  [KEYWORDS_ONE] = common > 0 ? 1 : 0,
                                  [KEYWORDS_ANY] = common > 1 ? common : 0};
    size_t from = step == KEYWORDS_RARE ? 0 : plan->rare_count, to = from + needs[step];
    const char *between = step == KEYWORDS_RARE || step == KEYWORDS_ANY ? " OR " : " AND ";
    request->phrase_count = 0;
    buf_clear(&request->expression);
    if (to == from)
        return false;
    push_phrases(plan, from, to, between, true, request);
    if (to < plan->count) {
        buf_push(&request->expression, STR(" OR ("));
        push_phrases(plan, from, to, between, false, request);
        buf_push(&request->expression, STR(" AND "));
        push_phrases(plan, to, plan->count, " OR ", true, request);
        buf_push(&request->expression, STR(")"));
    }
    return true;
}

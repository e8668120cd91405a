/* SPDX-License-Identifier: MIT */
/* agents/search/alike.c - the cosine of the words of two questions, weighted by how few of the
 * verified questions have each.
 *
 * Happy path: the words of all verified questions are counted, each question is scored, the best
 * are kept in order. Failure: without memory nothing is alike; a full buf ends the list. */
#include "agents/search/alike.h"

#include <math.h>

#include "agents/common/content.h"
#include "agents/semantic/model.h"
#include "core/base/map.h"

enum { QUESTION_BYTES = 300, SQL_BYTES = 1200, TEXT_BYTES = 16 * 1024 };

struct words {
    struct str at[CONTENT_MAX_WORDS];
    size_t count;
};

struct ranking {
    const struct alike_query *query;
    struct arena *arena;
    struct map having; /* word -> size_t: questions that have it */
    struct words asked;
    size_t total;
    double best[ALIKE_MOST];
    size_t count;
};

static const struct semantic *semantic_of(const struct alike_query *query)
{
    return query->knows->semantic;
}

static bool is_among(const struct alike_query *query, int table)
{
    const struct catalog *catalog = query->knows->catalog;
    for (size_t i = 0; i < query->table_count; i++)
        if (query->tables[i] == table || catalog->tables[query->tables[i]].secures == table ||
            catalog->tables[table].secures == query->tables[i])
            return true;
    return query->tables == NULL;
}

static bool may_show(const struct alike_query *query, const struct semantic_verified *verified)
{
    bool may = verified->usable && verified->sql.len <= SQL_BYTES &&
               verified->question.len <= QUESTION_BYTES;
    for (size_t i = 0; i < verified->table_count && may; i++)
        may = is_among(query, verified->tables[i]);
    return may;
}

static void count_words(struct ranking *ranking, struct str question)
{
    struct words words;
    words.count = content_words(ranking->arena, question, words.at, CONTENT_MAX_WORDS);
    for (size_t i = 0; i < words.count; i++) {
        size_t *having = map_find(&ranking->having, words.at[i]);
        if (having == NULL && (having = arena_alloc(ranking->arena, sizeof *having)) != NULL &&
            !map_put(&ranking->having, words.at[i], having))
            return;
        if (having != NULL)
            ++*having;
    }
    ranking->total++;
}

static double weight_of(const struct ranking *ranking, struct str word)
{
    const size_t *having = map_find(&ranking->having, word);
    return log(1 + (double)(ranking->total + 1) / (double)(having == NULL ? 1 : *having));
}

static double norm(const struct ranking *ranking, const struct words *words)
{
    double sum = 0;
    for (size_t i = 0; i < words->count; i++)
        sum += weight_of(ranking, words->at[i]) * weight_of(ranking, words->at[i]);
    return sqrt(sum);
}

static double likeness(const struct ranking *ranking, struct str question)
{
    struct words words;
    double shared = 0;
    words.count = content_words(ranking->arena, question, words.at, CONTENT_MAX_WORDS);
    for (size_t i = 0; i < words.count; i++)
        if (content_find(ranking->asked.at, ranking->asked.count, words.at[i]) >= 0)
            shared += weight_of(ranking, words.at[i]) * weight_of(ranking, words.at[i]);
    return shared > 0 ? shared / (norm(ranking, &words) * norm(ranking, &ranking->asked)) : 0;
}

/* Equally good ones stay in the file's order. */
static void insert(struct ranking *ranking, const struct semantic_verified *verified, double score,
                   const struct semantic_verified *found[ALIKE_MOST])
{
    size_t at = ranking->count;
    while (at > 0 && ranking->best[at - 1] < score)
        at--;
    if (at == ALIKE_MOST)
        return;
    for (size_t i = size_min(ranking->count, ALIKE_MOST - 1); i > at; i--) {
        ranking->best[i] = ranking->best[i - 1];
        found[i] = found[i - 1];
    }
    ranking->best[at] = score;
    found[at] = verified;
    ranking->count = size_min(ranking->count + 1, ALIKE_MOST);
}

size_t alike_find(const struct alike_query *query, struct arena *arena,
                  const struct semantic_verified *found[ALIKE_MOST])
{
    const struct semantic *semantic = semantic_of(query);
    struct ranking ranking = {.query = query, .arena = arena};
    if (semantic == NULL || query->knows->catalog == NULL || semantic->verified_count == 0)
        return 0;
    map_init(&ranking.having);
    ranking.asked.count =
        content_words(arena, query->question, ranking.asked.at, CONTENT_MAX_WORDS);
    for (size_t i = 0; i < semantic->verified_count; i++)
        count_words(&ranking, semantic->verified[i].question);
    for (size_t i = 0; i < semantic->verified_count; i++) {
        const struct semantic_verified *verified = &semantic->verified[i];
        double score = may_show(query, verified) ? likeness(&ranking, verified->question) : 0;
        if (score > 0)
            insert(&ranking, verified, score, found);
    }
    map_fini(&ranking.having);
    return ranking.count;
}

static void push_sql(struct buf *out, struct str sql, struct str today)
{
    const struct str place = STR("{today}");
    ptrdiff_t at;
    while (today.len > 0 && (at = str_find(sql, place)) != STR_NONE) {
        buf_printf(out, "%.*s'%.*s'", STR_ARG(str_slice(sql, 0, (size_t)at)), STR_ARG(today));
        sql = str_from(sql, (size_t)at + place.len);
    }
    buf_push(out, sql);
}

struct str alike_write(const struct alike_query *query, struct arena *arena)
{
    const struct semantic_verified *found[ALIKE_MOST];
    struct buf out;
    size_t count = alike_find(query, arena, found);
    buf_init(&out, TEXT_BYTES);
    for (size_t i = 0; i < count; i++) {
        buf_printf(&out, "- %.*s\n  ", STR_ARG(found[i]->question));
        push_sql(&out, found[i]->sql, query->today);
        buf_push_char(&out, '\n');
    }
    struct str text = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : STR("");
    buf_fini(&out);
    return str_is_absent(text) ? STR("") : text;
}

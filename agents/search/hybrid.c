/* SPDX-License-Identifier: MIT */
/* agents/search/hybrid.c - embed, then search by meaning; beside it, search by keyword; then fuse,
 * and rerank the best.
 *
 *   question -+- embed.texts -> vec.search -+- fuse -> rerank -> done
 *             +-------- text.search --------+
 *
 * Happy path: both answer. Failure paths: one fails: its error is kept as degraded and the other
 * answers alone; both fail, or the only one there is: the first error ends the operation; the
 * reranker fails: its error is kept as unranked and the fused ranking is the result; spent
 * memory or a cancel ends it with that error. */
#include "agents/search/hybrid.h"

#include <math.h>
#include <stdlib.h>

#include "proto/json_write.h"

enum { OWN_FILTERS = 2, MAX_INITIAL = 200, JUDGED_BYTES = 4096 };

struct looking {
    struct hybrid_search *search;
    const struct services *has;
    struct embed_texts embedding;
    struct vec_search near;
    struct text_search words;
    struct rerank_texts reranking;
    struct rerank_request to_rerank;
    struct str texts[RERANK_MAX_TEXTS];
    struct hybrid_hit *fused;
    struct embed_request to_embed;
    struct vec_query near_query;
    struct text_query words_query;
    struct passage_filter filters[PASSAGE_MAX_FILTERS];
    struct str own_values[OWN_FILTERS][2];
    size_t filter_count, top_initial;
    uint64_t began_ms;
    bool by_meaning, by_words; /* the ways there are */
    bool may_rerank;
    unsigned pending; /* searches that have not ended */
    struct err near_err, words_err;
};

static op_fn on_embedded, on_near, on_words; /* the first two in running order */

static void cancel(struct op *op)
{
    struct hybrid_search *search = container_of(op, struct hybrid_search, op);
    struct looking *l = search->impl;
    if (l == NULL)
        return;
    op_cancel(&l->embedding.op);
    op_cancel(&l->near.op);
    op_cancel(&l->words.op);
    op_cancel(&l->reranking.op);
}

static const struct op_kind kind = {.name = "search.hybrid", .cancel = cancel};

/* ---- fusion: reciprocal ranks, and how good each hit is beside the best of its ranking ---- */

/* Ranks alone cannot tell a clear winner from a tie. What scores count beside them was measured
 * with the manual's questions (tests/search), tuned and unseen: first are 81 and 62 of 100 with
 * these weights, 74 and 54 by ranks alone; the weights may be halved or doubled without a loss. */
enum { RANK_OFFSET = 60 };

static const double near_weight = 0.5, words_weight = 1; /* of scores; of ranks: 1 in all */

/* The shares that a ranking adds to the score of a hit: for its place and for its score. */
struct shares {
    double of_rank, of_score;
};

static double share_of(const struct hybrid_ranking *ranking, const struct shares *shares, size_t at)
{
    double rank = (double)(RANK_OFFSET + 1) / (double)(RANK_OFFSET + 1 + at);
    double best = ranking->hits[0].score, score = fmax(0, ranking->hits[at].score);
    return shares->of_rank * rank + (best > 0 ? shares->of_score * fmin(1, score / best) : 0);
}

static int by_score(const void *a, const void *b)
{
    const struct hybrid_hit *x = a, *y = b;
    double x_near = isnan(x->similarity) ? -2 : x->similarity;
    double y_near = isnan(y->similarity) ? -2 : y->similarity;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x_near != y_near)
        return x_near > y_near ? -1 : 1;
    return str_compare(x->passage.id, y->passage.id);
}

static struct hybrid_hit *find(struct hybrid_hit *hits, size_t count, struct str id)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(hits[i].passage.id, id))
            return &hits[i];
    return NULL;
}

static struct passage copied(struct arena *arena, const struct passage *passage)
{
    struct passage_field *fields = arena_array(arena, passage->field_count + 1, sizeof *fields);
    for (size_t i = 0; fields != NULL && i < passage->field_count; i++)
        fields[i] = (struct passage_field){arena_str(arena, passage->fields[i].name),
                                           arena_str(arena, passage->fields[i].value)};
    return (struct passage){arena_str(arena, passage->id), arena_str(arena, passage->text), fields,
                            fields == NULL ? 0 : passage->field_count};
}

size_t hybrid_fuse(struct arena *arena, const struct hybrid_ranking *near,
                   const struct hybrid_ranking *words, size_t top, struct hybrid_hit **hits)
{
    double near_score = near->answered ? near_weight : 0;
    double words_score = words->answered ? words_weight : 0;
    double whole = 1 + near_score + words_score;
    double rank = near->answered && words->answered ? 0.5 : 1;
    const struct shares by_meaning = {rank / whole, near_score / whole};
    const struct shares by_words = {rank / whole, words_score / whole};
    struct hybrid_hit *all = arena_array(arena, near->count + words->count + 1, sizeof *all);
    size_t count = 0;
    *hits = NULL;
    if (all == NULL)
        return 0;
    for (size_t i = 0; i < near->count; i++)
        all[count++] = (struct hybrid_hit){near->hits[i].passage, share_of(near, &by_meaning, i),
                                           near->hits[i].score};
    for (size_t i = 0; i < words->count; i++) {
        struct hybrid_hit *known = find(all, near->count, words->hits[i].passage.id);
        if (known != NULL)
            known->score += share_of(words, &by_words, i);
        else
            all[count++] =
                (struct hybrid_hit){words->hits[i].passage, share_of(words, &by_words, i), NAN};
    }
    qsort(all, count, sizeof *all, by_score);
    count = size_min(count, top);
    for (size_t i = 0; i < count; i++)
        all[i].passage = copied(arena, &all[i].passage);
    if (!arena_ok(arena))
        return 0;
    *hits = all;
    return count;
}

/* ---- the end ---- */

/* The one way an operation ends that has looked. */
static void finish(struct looking *l, enum err_code code, const char *text)
{
    struct hybrid_search *search = l->search;
    op_release(&l->reranking.op);
    search->impl = NULL;
    op_finish(&search->op, code, "%s", text);
}

/* The fused hits, best first, are the result. */
static void give_hits(struct looking *l)
{
    struct hybrid_search *search = l->search;
    const size_t top = search->query->top_final;
    search->hits = l->fused;
    search->hit_count = size_min(search->hit_count, top == 0 ? HYBRID_TOP_K_FINAL : top);
    finish(l, ERR_OK, "");
}

/* Put the hits that were judged in the order of their new scores; equal ones stay as they are, and
 * those behind them where they were. */
static void reorder(struct looking *l)
{
    struct hybrid_hit *hits = l->fused;
    double *scores = l->reranking.scores;
    for (size_t i = 0; i < l->to_rerank.count; i++) {
        struct hybrid_hit hit = hits[i];
        const double score = scores[i];
        size_t at = i;
        hit.score = fmin(1, fmax(0, score));
        for (; at > 0 && scores[at - 1] < score; at--) {
            hits[at] = hits[at - 1];
            scores[at] = scores[at - 1];
        }
        hits[at] = hit;
        scores[at] = score;
    }
}

static void on_reranked(struct op *op)
{
    struct looking *l = op_owner(op);
    struct hybrid_search *search = l->search;
    if (op->err.code == ERR_CANCELLED || search->op.cancel_asked) {
        finish(l, ERR_CANCELLED, "the search was cancelled");
        return;
    }
    if (op->err.code == ERR_OK)
        reorder(l);
    else
        search->unranked = op->err;
    give_hits(l);
}

static uint64_t left_ms(const struct looking *l)
{
    const uint64_t most_ms = l->search->query->timeout_ms;
    const uint64_t took_ms = loop_now_ms(l->has->loop) - l->began_ms;
    return most_ms == 0 ? 0 : most_ms > took_ms ? most_ms - took_ms : 1;
}

/* The beginning of a passage, under its heading, which often has what the question asks for. */
static struct str judged_text(struct arena *arena, const struct passage *passage)
{
    struct str heading = passage_get(passage, STR("heading"));
    struct str text = str_utf8_prefix(passage->text, JUDGED_BYTES);
    struct str whole = heading.len == 0
                           ? text
                           : arena_printf(arena, "%.*s\n\n%.*s", STR_ARG(heading), STR_ARG(text));
    return str_is_absent(whole) ? text : whole;
}

static void start_reranking(struct looking *l)
{
    const struct hybrid_query *query = l->search->query;
    const size_t count = size_min(l->search->hit_count, RERANK_MAX_TEXTS);
    for (size_t i = 0; i < count; i++)
        l->texts[i] = judged_text(query->arena, &l->fused[i].passage);
    l->to_rerank = (struct rerank_request){query->text, l->texts, count, left_ms(l)};
    rerank_texts_start(&l->reranking, l->has->rerank, &l->to_rerank,
                       (struct op_waiter){on_reranked, l, NULL, l->search->op.waiter.trace});
}

/* False: no memory. */
static bool fuse(struct looking *l)
{
    struct hybrid_search *search = l->search;
    const struct hybrid_query *query = search->query;
    const struct hybrid_ranking near = {l->near.hits, l->near.hit_count,
                                        l->by_meaning && l->near_err.code == ERR_OK};
    const struct hybrid_ranking words = {l->words.hits, l->words.hit_count,
                                         l->by_words && l->words_err.code == ERR_OK};
    size_t top = query->top_final == 0 ? HYBRID_TOP_K_FINAL : query->top_final;
    if (l->may_rerank)
        top = size_max(top, RERANK_MAX_TEXTS);
    search->hit_count = hybrid_fuse(query->arena, &near, &words, top, &l->fused);
    return l->fused != NULL;
}

/* One of the two ways is at its end; at the end of both the hits are fused. */
static void settle(struct looking *l)
{
    struct hybrid_search *search = l->search;
    if (--l->pending > 0)
        return;
    bool near_failed = !l->by_meaning || l->near_err.code != ERR_OK;
    bool words_failed = !l->by_words || l->words_err.code != ERR_OK;
    const struct err first = l->near_err.code != ERR_OK ? l->near_err : l->words_err;
    bool cancelled = search->op.cancel_asked || first.code == ERR_CANCELLED;
    bool failed = near_failed && words_failed;
    bool is_fused = !cancelled && !failed && fuse(l);
    op_release(&l->embedding.op);
    op_release(&l->near.op);
    op_release(&l->words.op);
    if (cancelled) {
        finish(l, ERR_CANCELLED, "the search was cancelled");
    } else if (failed) {
        finish(l, first.code, first.text);
    } else if (!is_fused) {
        finish(l, ERR_NO_MEMORY, "no memory for the passages found");
    } else {
        search->degraded = first;
        if (l->may_rerank && search->hit_count > 1)
            start_reranking(l);
        else
            give_hits(l);
    }
}

/* The cause is for the log: a peer's text may hold addresses. */
static size_t warn(const struct log *log, const char *event, const struct err *cause,
                   struct str warning, struct json_write *json)
{
    if (cause->code == ERR_OK)
        return 0;
    LOG(log, WARN, event, "code=%s reason=\"%s\"", err_name(cause->code), cause->text);
    json_write_str(json, warning);
    return 1;
}

size_t hybrid_write_warnings(const struct hybrid_search *search, const struct log *log,
                             struct json_write *json)
{
    return warn(log, "retrieval.degraded", &search->degraded,
                STR("Only one of two searches of the documents answered."), json) +
           warn(log, "retrieval.unranked", &search->unranked,
                STR("The passages found were not reranked: the reranker did not answer."), json);
}

/* ---- by meaning ---- */

static void on_near(struct op *op)
{
    struct looking *l = op_owner(op);
    l->near_err = op->err;
    settle(l);
}

static void on_embedded(struct op *op)
{
    struct looking *l = op_owner(op);
    const struct hybrid_query *query = l->search->query;
    l->near_err = op->err;
    if (op->err.code != ERR_OK || l->search->op.cancel_asked) {
        settle(l);
        return;
    }
    l->near_query = (struct vec_query){
        .collection = query->collection,
        .model = embed_model(l->has->embed),
        .vector = l->embedding.vectors,
        .dimensions = l->embedding.dimensions,
        .top_k = l->top_initial,
        .filters = l->filters,
        .filter_count = l->filter_count,
        .timeout_ms = left_ms(l),
    };
    vec_search_start(&l->near, l->has->vec, &l->near_query,
                     (struct op_waiter){on_near, l, NULL, l->search->op.waiter.trace});
}

/* ---- by keyword ---- */

static void on_words(struct op *op)
{
    struct looking *l = op_owner(op);
    l->words_err = op->err;
    settle(l);
}

/* ---- the start ---- */

/* Add a filter on the owner: passages of value pass, and when everybody is set also those without
 * an owner. */
static void add_owner(struct looking *l, size_t i, struct str name, struct str value,
                      bool everybody)
{
    size_t count = 0;
    if (everybody)
        l->own_values[i][count++] = STR("");
    if (!str_is_empty(value))
        l->own_values[i][count++] = value;
    l->filters[l->filter_count++] = (struct passage_filter){name, l->own_values[i], count};
}

static void add_filters(struct looking *l, const struct session *session,
                        const struct hybrid_query *query)
{
    bool no_company =
        str_is_empty(session->caller.company_id); /* what is a user's own has none then */
    add_owner(l, 0, STR("company_id"), session->caller.company_id, !query->own_only || no_company);
    add_owner(l, 1, STR("user_id"), session->caller.user_id, !query->own_only);
    CHECK(query->filter_count <= PASSAGE_MAX_FILTERS - OWN_FILTERS);
    for (size_t i = 0; i < query->filter_count; i++)
        l->filters[l->filter_count++] = query->filters[i];
}

static void start_near(struct looking *l)
{
    const struct hybrid_query *query = l->search->query;
    l->to_embed = (struct embed_request){&query->text, 1, query->timeout_ms};
    embed_texts_start(&l->embedding, l->has->embed, &l->to_embed,
                      (struct op_waiter){on_embedded, l, NULL, l->search->op.waiter.trace});
}

static void start_words(struct looking *l)
{
    const struct hybrid_query *query = l->search->query;
    l->words_query = (struct text_query){
        .collection = query->collection,
        .words = str_is_absent(query->keywords) ? query->text : query->keywords,
        .top_k = l->top_initial,
        .filters = l->filters,
        .filter_count = l->filter_count,
        .timeout_ms = query->timeout_ms,
    };
    text_search_start(&l->words, l->has->text, &l->words_query,
                      (struct op_waiter){on_words, l, NULL, l->search->op.waiter.trace});
}

void hybrid_search_start(struct hybrid_search *search, const struct session *session,
                         const struct hybrid_query *query, struct op_waiter waiter)
{
    const struct services *has = session->has;
    search->hits = NULL;
    search->hit_count = 0;
    search->degraded = search->unranked = (struct err){0};
    search->query = query;
    search->impl = NULL;
    op_begin(&search->op, &kind, has->loop, waiter);
    if ((has->vec == NULL || has->embed == NULL) && has->text == NULL) {
        op_finish(&search->op, ERR_UNAVAILABLE,
                  "there is no store of documents: set ASKD_VECTOR_URL or ASKD_KEYWORD_URL");
        return;
    }
    struct looking *l = arena_alloc(query->arena, sizeof *l);
    if (l == NULL) {
        op_finish(&search->op, ERR_NO_MEMORY, "no memory to search");
        return;
    }
    *l = (struct looking){
        .search = search,
        .has = has,
        .began_ms = loop_now_ms(has->loop),
        .by_meaning = has->vec != NULL && has->embed != NULL,
        .by_words = has->text != NULL,
        .may_rerank = query->may_rerank && has->rerank != NULL,
    };
    l->top_initial = query->top_initial == 0 ? HYBRID_TOP_K_INITIAL : query->top_initial;
    CHECK(l->top_initial <= MAX_INITIAL);
    search->impl = l;
    add_filters(l, session, query);
    l->pending = (l->by_meaning ? 1U : 0) + (l->by_words ? 1 : 0);
    if (l->by_meaning)
        start_near(l);
    if (l->by_words)
        start_words(l);
}

/* SPDX-License-Identifier: MIT */
/* agents/search/hybrid.c - embed, then search by meaning; beside it, search by keyword; then fuse.
 *
 *   question -+- embed.texts -> vec.search -+- fuse -> done
 *             +-------- text.search --------+
 *
 * Happy path: both answer. Failure paths: one fails: its error is kept as degraded and the other
 * answers alone; both fail, or the only one there is: the first error ends the operation; memory
 * that ends, a cancel: so too. */
#include "agents/search/hybrid.h"

#include "agents/search/fuse.h"

enum { OWN_FILTERS = 2, MAX_INITIAL = 200 };

struct looking {
    struct hybrid_search *search;
    const struct services *has;
    struct embed_texts embedding;
    struct vec_search near;
    struct text_search words;
    struct embed_request to_embed;
    struct vec_query near_query;
    struct text_query words_query;
    struct passage_filter filters[PASSAGE_MAX_FILTERS];
    struct str own_values[OWN_FILTERS][2];
    size_t filter_count, top_initial;
    uint64_t began_ms;
    bool by_meaning, by_words; /* the ways there are */
    unsigned pending;          /* of them, while they last */
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
}

static const struct op_kind kind = {.name = "search.hybrid", .cancel = cancel};

/* ---- the end ---- */

static void keep_hits(struct looking *l)
{
    struct hybrid_search *search = l->search;
    const struct hybrid_query *query = search->query;
    const struct fuse_ranking near = {l->near.hits, l->near.hit_count,
                                      l->by_meaning && l->near_err.code == ERR_OK};
    const struct fuse_ranking words = {l->words.hits, l->words.hit_count,
                                       l->by_words && l->words_err.code == ERR_OK};
    size_t top = query->top_final == 0 ? HYBRID_TOP_K_FINAL : query->top_final;
    search->hit_count = fuse_rankings(query->arena, &near, &words, top, &search->hits);
}

/* One of the two ways is at its end; at the end of both the operation ends: here and nowhere else.
 */
static void settle(struct looking *l)
{
    struct hybrid_search *search = l->search;
    if (--l->pending > 0)
        return;
    bool near_failed = !l->by_meaning || l->near_err.code != ERR_OK;
    bool words_failed = !l->by_words || l->words_err.code != ERR_OK;
    const struct err *first = l->near_err.code != ERR_OK ? &l->near_err : &l->words_err;
    bool cancelled = search->op.cancel_asked || first->code == ERR_CANCELLED;
    if (!cancelled && !(near_failed && words_failed)) {
        search->degraded = *first;
        keep_hits(l);
    }
    op_release(&l->embedding.op);
    op_release(&l->near.op);
    op_release(&l->words.op);
    search->impl = NULL;
    if (cancelled)
        op_finish(&search->op, ERR_CANCELLED, "the search was cancelled");
    else if (near_failed && words_failed)
        op_finish_err(&search->op, first);
    else if (search->hits == NULL)
        op_finish(&search->op, ERR_NO_MEMORY, "no memory for the passages found");
    else
        op_finish(&search->op, ERR_OK, "%s", "");
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
    uint64_t took_ms = loop_now_ms(l->has->loop) - l->began_ms;
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
        .timeout_ms = query->timeout_ms == 0        ? 0
                      : query->timeout_ms > took_ms ? query->timeout_ms - took_ms
                                                    : 1,
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

/* Whose passages pass: value's, and where everybody's do those without an owner. */
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
    search->degraded = (struct err){0};
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

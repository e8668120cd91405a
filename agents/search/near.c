/* SPDX-License-Identifier: MIT */
/* agents/search/near.c - embeds the text, then searches all collections at once.
 *
 * Happy path: the vector comes, the searches start together, the last one to end ends the
 * operation. Failure paths: no embeddings or no store, a text that cannot be embedded, and a cancel
 * end it with that error; when every collection fails the error is that of the first; when only
 * some fail their errors are in their searches. */
#include "agents/search/near.h"

static op_fn on_embedded, on_found;

bool near_search_can(const struct services *has)
{
    return has->embed != NULL && has->vec != NULL;
}

static void cancel(struct op *op)
{
    struct near_search *search = container_of(op, struct near_search, op);
    op_cancel(&search->embedding.op);
    for (size_t i = 0; i < search->query->look_count; i++)
        op_cancel(&search->found[i].op);
}

static void release(struct op *op)
{
    struct near_search *search = container_of(op, struct near_search, op);
    for (size_t i = 0; i < NEAR_MAX_LOOKS; i++)
        op_release(&search->found[i].op);
}

static const struct op_kind kind = {.name = "search.near", .cancel = cancel, .release = release};

static void on_found(struct op *op)
{
    struct near_search *search = op_owner(op);
    size_t fine = 0;
    if (--search->pending > 0)
        return;
    op_release(&search->embedding.op);
    for (size_t i = 0; i < search->query->look_count; i++)
        fine += search->found[i].op.err.code == ERR_OK;
    if (search->op.cancel_asked)
        op_finish(&search->op, ERR_CANCELLED, "the search was cancelled");
    else if (fine == 0)
        op_finish_err(&search->op, &search->found[0].op.err);
    else
        op_finish(&search->op, ERR_OK, "%s", "");
}

static void start_look(struct near_search *search, size_t i)
{
    const struct near_query *query = search->query;
    const struct near_look *look = &query->looks[i];
    struct passage_filter *filters = search->filters[i];
    size_t count = 2;
    filters[0] = (struct passage_filter){STR("company_id"), search->owners[0], 2};
    filters[1] = (struct passage_filter){STR("user_id"), search->owners[1], 2};
    if (!str_is_empty(look->field))
        filters[count++] = (struct passage_filter){look->field, &look->value, 1};
    search->queries[i] = (struct vec_query){
        .collection = look->collection,
        .model = embed_model(search->has->embed),
        .vector = search->embedding.vectors,
        .dimensions = search->embedding.dimensions,
        .top_k = look->top,
        .filters = filters,
        .filter_count = count,
        .timeout_ms = query->timeout_ms,
    };
    vec_search_start(&search->found[i], search->has->vec, &search->queries[i],
                     (struct op_waiter){on_found, search, NULL, search->op.waiter.trace});
}

static void on_embedded(struct op *op)
{
    struct near_search *search = op_owner(op);
    if (op->err.code != ERR_OK || search->op.cancel_asked) {
        struct err err = op->err;
        op_release(op);
        if (err.code == ERR_OK)
            err_set(&err, ERR_CANCELLED, "the search was cancelled");
        op_finish_err(&search->op, &err);
        return;
    }
    search->pending = search->query->look_count;
    for (size_t i = 0; i < search->query->look_count; i++)
        start_look(search, i);
}

void near_search_start(struct near_search *search, const struct session *session,
                       const struct near_query *query, struct op_waiter waiter)
{
    const struct services *has = session->has;
    CHECK(query->look_count >= 1 && query->look_count <= NEAR_MAX_LOOKS);
    op_begin(&search->op, &kind, has->loop, waiter);
    search->has = has;
    search->query = query;
    if (!near_search_can(has)) {
        op_finish(&search->op, ERR_UNAVAILABLE,
                  "there is no store of documents by meaning: set ASKD_VECTOR_URL");
        return;
    }
    search->owners[0][0] = search->owners[1][0] = STR("");
    search->owners[0][1] =
        str_is_absent(session->caller.company_id) ? STR("") : session->caller.company_id;
    search->owners[1][1] =
        str_is_absent(session->caller.user_id) ? STR("") : session->caller.user_id;
    search->to_embed = (struct embed_request){&query->text, 1, query->timeout_ms};
    embed_texts_start(&search->embedding, has->embed, &search->to_embed,
                      (struct op_waiter){on_embedded, search, NULL, waiter.trace});
}

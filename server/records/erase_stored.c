/* SPDX-License-Identifier: MIT */
/* server/records/erase_stored.c - one store after the other; all of a user in many short calls.
 *
 * Happy path: passages by meaning, passages by keyword, conversations, runs.
 * Failure paths: a store that fails ends the erasing with its error. A store that has nothing is
 * passed over; only when no store had anything the code is ERR_NOT_FOUND. */
#include "server/records/erase_stored.h"

#include "agents/search/hybrid.h"

static op_fn on_near, on_words, on_conversations, on_runs; /* in running order */

static void finish(struct erase_stored *erasing, const struct err *err)
{
    op_finish_err(&erasing->op, err);
}

static void erase(struct erase_stored *erasing, struct store *store, op_fn *done)
{
    store_erase_start(&erasing->call, store, &erasing->ask,
                      (struct op_waiter){.done = done, .owner = erasing});
}

static void next_words(struct erase_stored *erasing)
{
    if (erasing->has->text == NULL)
        erase(erasing, erasing->store, on_conversations);
    else
        text_write_start(&erasing->words, erasing->has->text, &erasing->words_change,
                         (struct op_waiter){.done = on_words, .owner = erasing});
}

/* End a step. True: it went well; else erasing is finished with its error. */
static bool is_over(struct erase_stored *erasing, struct op *op)
{
    struct err err = op->err;
    op_release(op);
    if (err.code == ERR_OK)
        return true;
    finish(erasing, &err);
    return false;
}

static void on_near(struct op *op)
{
    struct erase_stored *erasing = op_owner(op);
    if (is_over(erasing, op))
        next_words(erasing);
}

static void on_words(struct op *op)
{
    struct erase_stored *erasing = op_owner(op);
    if (is_over(erasing, op))
        erase(erasing, erasing->store, on_conversations);
}

/* Whether the call is to be made once more: it erased something, and there may be more. *err stays
 * as it is unless it says that nothing was found. */
static bool has_more(struct erase_stored *erasing, struct op *op, struct err *err)
{
    uint64_t total = erasing->call.total;
    bool is_user = str_is_empty(erasing->ask.key.conversation_id);
    *err = op->err;
    op_release(op);
    erasing->any = erasing->any || err->code == ERR_OK;
    if (err->code == ERR_NOT_FOUND)
        *err = (struct err){0};
    return err->code == ERR_OK && is_user && total > 0;
}

static void end(struct erase_stored *erasing, struct err *err)
{
    if (err->code == ERR_OK && !erasing->any)
        err_set(err, ERR_NOT_FOUND, "there is no such conversation");
    finish(erasing, err);
}

static void on_conversations(struct op *op)
{
    struct erase_stored *erasing = op_owner(op);
    struct err err;
    bool again = has_more(erasing, op, &err);
    bool has_events = erasing->events != NULL && erasing->events != erasing->store;
    if (again)
        erase(erasing, erasing->store, on_conversations);
    else if (err.code == ERR_OK && has_events)
        erase(erasing, erasing->events, on_runs);
    else
        end(erasing, &err);
}

static void on_runs(struct op *op)
{
    struct erase_stored *erasing = op_owner(op);
    struct err err;
    if (has_more(erasing, op, &err))
        erase(erasing, erasing->events, on_runs);
    else
        end(erasing, &err);
}

static void cancel(struct op *op UNUSED)
{
    /* not cancelled: a half-erased conversation helps nobody */
}

void erase_stored_start(struct erase_stored *erasing, const struct services *has,
                        struct store *store, struct store *events, const struct identity *key,
                        struct op_waiter waiter)
{
    static const struct op_kind kind = {.name = "conversation.erase", .cancel = cancel};
    op_begin(&erasing->op, &kind, store->loop, waiter);
    erasing->has = has;
    erasing->store = store;
    erasing->events = events;
    erasing->ask.key = *key;
    const struct identity *of = &erasing->ask.key;
    erasing->filters[0] = (struct passage_filter){STR("company_id"), &of->company_id, 1};
    erasing->filters[1] = (struct passage_filter){STR("user_id"), &of->user_id, 1};
    erasing->filters[2] = (struct passage_filter){STR("conversation_id"), &of->conversation_id, 1};
    size_t count = str_is_empty(of->conversation_id) ? 2 : 3;
    erasing->near_change = (struct vec_change){.collection = HYBRID_MEMORY,
                                               .remove_filters = erasing->filters,
                                               .remove_filter_count = count};
    erasing->words_change = (struct text_change){.collection = HYBRID_MEMORY,
                                                 .remove_filters = erasing->filters,
                                                 .remove_filter_count = count};
    if (has->vec == NULL)
        next_words(erasing);
    else
        vec_write_start(&erasing->near, has->vec, &erasing->near_change,
                        (struct op_waiter){.done = on_near, .owner = erasing});
}

/* SPDX-License-Identifier: MIT */
/* server/api/run_listing.c - one message, to every shard.
 *
 * Happy path: a page with a ticket is filled here and by every other shard; back home its ticket
 * finds the exchange; the store is asked what runs on other servers, and the exchange is answered.
 * Failure paths:
 * - no memory, or more runs than a page holds: a problem;
 * - the store cannot be asked: what runs here;
 * - the client left, or the time is over: the ticket finds nobody, the page is freed;
 * - a shard that stops drops the page; the time at home ends the wait. */
#include "server/api/run_listing.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "proto/json_write.h"
#include "server/http/exchange_wait.h"
#include "server/runs/shard.h"

enum { PAGE_BYTES = 16 * 1024 * 1024, PATIENCE_MS = 2000, MAX_NAME = 128, NAMES_BYTES = 1024 };

struct page {
    struct shard_message message;
    uint64_t ticket;
    struct identity filter; /* views into names */
    char names[2 * MAX_NAME];
    struct buf items;
};

/* The store is asked, too. */
struct far {
    struct exchange_wait wait;
    struct buf items;
    struct arena arena; /* of the filter */
    struct store_runs ask;
    struct store_call call;
};

struct asked {
    struct list link;
    uint64_t ticket;
    struct exchange_wait wait;
    struct timer timer;
};

static void free_page(struct page *page)
{
    buf_fini(&page->items);
    mem_free(page);
}

/* The exchange that waits with this, which ends to wait. NULL: the client left. */
static struct exchange *take_exchange(struct asked *asked)
{
    struct exchange *exchange = exchange_wait_take(&asked->wait);
    timer_stop(&asked->timer);
    list_remove(&asked->link);
    mem_free(asked);
    return exchange;
}

static void on_gone(struct exchange_wait *wait)
{
    (void)take_exchange(container_of(wait, struct asked, wait));
}

static void on_late(struct timer *timer)
{
    struct exchange *exchange = take_exchange(container_of(timer, struct asked, timer));
    struct err err;
    err_set(&err, ERR_UNAVAILABLE, "not every worker said what runs there; try again");
    exchange_fail(exchange, &err);
}

static void answer(struct exchange *exchange, const struct buf *items)
{
    struct buf body;
    struct err err;
    buf_init(&body, PAGE_BYTES + 64);
    buf_push(&body, STR("{\"runs\":["));
    buf_push(&body, buf_str(items));
    buf_push(&body, STR("]}"));
    if (buf_ok(items) && buf_ok(&body)) {
        exchange_reply(exchange, 200, "application/json", buf_str(&body));
    } else {
        err_set(&err, ERR_INTERNAL, "the list does not fit in %d bytes", PAGE_BYTES);
        exchange_fail(exchange, &err);
    }
    buf_fini(&body);
}

/* ---- runs of other servers ---- */

static bool is_of_group(const struct shard_group *group, struct str instance)
{
    for (size_t i = 0; i < group->count; i++)
        if (str_equal(instance, str_of(group->shards[i]->instance.text)))
            return true;
    return false;
}

static void write_far(const struct store_run *run, struct buf *out)
{
    struct json_write json;
    if (buf_len(out) > 0)
        buf_push_char(out, ',');
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("run_id"), run->run_id);
    json_write_member_str(&json, STR("graph"), run->graph);
    json_write_member_str(&json, STR("state"),
                          run->status == STORE_PAUSED ? STR("paused") : STR("active"));
    if (run->key.conversation_id.len > 0)
        json_write_member_str(&json, STR("conversation_id"), run->key.conversation_id);
    json_write_member_u64(&json, STR("events"), run->last_event_id);
    json_write_object_end(&json);
}

static void free_far(struct far *far)
{
    op_release(&far->call.op);
    buf_fini(&far->items);
    arena_fini(&far->arena);
    mem_free(far);
}

static void on_far(struct op *op)
{
    struct far *far = op_owner(op);
    struct exchange *exchange = exchange_wait_take(&far->wait);
    if (exchange != NULL) {
        const struct shard_group *group = exchange->shard->group;
        for (size_t i = 0; op->err.code == ERR_OK && i < far->call.run_count; i++)
            if (!is_of_group(group, far->call.runs[i].instance) &&
                identity_passes(&far->call.runs[i].key, &far->ask.key)) /* "" is nobody here */
                write_far(&far->call.runs[i], &far->items);
        answer(exchange, &far->items);
    }
    free_far(far);
}

static void on_far_gone(struct exchange_wait *wait)
{
    struct far *far = container_of(wait, struct far, wait);
    op_cancel(&far->call.op);
}

/* Add the runs that the store knows of, if it can be asked, and answer; takes over items. */
static void ask_store(struct exchange *exchange, const struct identity *filter, struct buf *items)
{
    struct store *store = exchange->shard->wiring->events;
    struct far *far = store == NULL ? NULL : mem_zalloc(1, sizeof *far);
    if (far == NULL) {
        answer(exchange, items);
        return;
    }
    arena_init(&far->arena, NAMES_BYTES);
    far->items = *items;
    buf_init(items, 0);
    far->ask = (struct store_runs){.key = identity_copy(&far->arena, filter), .only_open = true};
    exchange_wait_begin(&far->wait, exchange, on_far_gone);
    store_runs_start(&far->call, store, &far->ask,
                     (struct op_waiter){.done = on_far, .owner = far});
}

/* ---- the page's way ---- */

static void visit(struct shard_message *message, struct shard *shard)
{
    struct page *page = container_of(message, struct page, message);
    runs_list_write(shard->runs, &page->filter, &page->items);
}

static struct asked *find_asked(const struct shard *home, uint64_t ticket)
{
    LIST_EACH(link, &home->listings) {
        struct asked *asked = list_item(link, struct asked, link);
        if (asked->ticket == ticket)
            return asked;
    }
    return NULL;
}

static void end(struct shard_message *message, struct shard *home)
{
    struct page *page = container_of(message, struct page, message);
    struct asked *asked = home == NULL ? NULL : find_asked(home, page->ticket);
    if (asked != NULL)
        ask_store(take_exchange(asked), &page->filter, &page->items);
    free_page(page);
}

static struct page *make_page(const struct identity *filter)
{
    struct page *page = mem_zalloc(1, sizeof *page);
    if (page == NULL)
        return NULL;
    page->message = (struct shard_message){.visit = visit, .end = end};
    buf_init(&page->items, PAGE_BYTES);
    const struct identity cut = {.company_id = str_slice(filter->company_id, 0, MAX_NAME),
                                 .user_id = str_slice(filter->user_id, 0, MAX_NAME)};
    page->filter = identity_copy_to(page->names, &cut);
    return page;
}

void run_listing_start(struct exchange *exchange, const struct identity *filter)
{
    struct shard *shard = exchange->shard;
    struct page *page = make_page(filter);
    struct asked *asked = page == NULL ? NULL : mem_zalloc(1, sizeof *asked);
    if (asked == NULL) {
        struct err err;
        if (page != NULL)
            free_page(page);
        err_set(&err, ERR_NO_MEMORY, "no memory for the list");
        exchange_fail(exchange, &err);
        return;
    }
    asked->ticket = page->ticket = ++shard->listing_count;
    list_push(&shard->listings, &asked->link);
    exchange_wait_begin(&asked->wait, exchange, on_gone);
    timer_start(&asked->timer, shard->loop, PATIENCE_MS, on_late);
    shard_send_around(shard, &page->message);
}

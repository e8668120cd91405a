/* SPDX-License-Identifier: MIT */
/* server/api/api_metrics.c - hundreds of lines, written on the thread pool: a loop has streams to
 * serve.
 *
 * Happy path: the text is made on another thread, which may read what workers write; its length
 * known, the exchange is answered.
 * Failure: no memory is a 503, a text that does not fit a 500; the client left: the text is
 * dropped. */
#include "server/api/api_metrics.h"

#include "core/base/mem.h"
#include "core/loop/work.h"
#include "server/observe/build_info.h"
#include "server/http/exchange_wait.h"
#include "server/observe/process_meters.h"
#include "server/runs/shard.h"

enum { BODY_BYTES = 1024 * 1024 };

struct scrape {
    struct work work;
    struct exchange_wait wait;
    const struct shard_group *group;
    struct buf body;
};

/* On a thread of the pool. */
static enum err_code write_text(struct work *work, struct err *err)
{
    struct scrape *scrape = work->arg;
    const struct shard_group *group = scrape->group;
    metrics_write(meters_schema(group->meters), group->metrics, group->count, &scrape->body);
    buf_printf(&scrape->body,
               "# HELP askd_build_info What this is.\n# TYPE askd_build_info gauge\n"
               "askd_build_info{version=\"%s\",commit=\"%s\"} 1\n",
               ASKD_VERSION, build_info_commit());
    process_meters_write(meters_began(group->meters), &scrape->body);
    return buf_ok(&scrape->body)
               ? ERR_OK
               : err_set(err, ERR_INTERNAL, "the text does not fit in %d bytes", BODY_BYTES);
}

static void on_written(struct op *op)
{
    struct scrape *scrape = op_owner(op);
    struct exchange *exchange = exchange_wait_take(&scrape->wait);
    struct err err = op->err;
    if (exchange != NULL && err.code == ERR_OK)
        exchange_reply(exchange, 200, "text/plain; version=0.0.4; charset=utf-8",
                       buf_str(&scrape->body));
    else if (exchange != NULL)
        exchange_fail(exchange, &err);
    op_release(&scrape->work.op);
    buf_fini(&scrape->body);
    mem_free(scrape);
}

static void on_gone(struct exchange_wait *wait)
{
    struct scrape *scrape = container_of(wait, struct scrape, wait);
    op_cancel(&scrape->work.op);
}

void api_metrics(struct exchange *exchange)
{
    struct scrape *scrape = mem_zalloc(1, sizeof *scrape);
    struct err err;
    if (scrape == NULL) {
        err_set(&err, ERR_NO_MEMORY, "no memory for the metrics");
        exchange_fail(exchange, &err);
        return;
    }
    scrape->group = exchange->shard->group;
    buf_init(&scrape->body, BODY_BYTES);
    exchange_wait_begin(&scrape->wait, exchange, on_gone);
    work_start(&scrape->work, exchange->shard->loop, write_text, scrape,
               (struct op_waiter){.done = on_written, .owner = scrape});
}

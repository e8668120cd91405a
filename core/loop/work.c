/* SPDX-License-Identifier: MIT */
/* core/loop/work.c - uv_queue_work as an operation.
 *
 * Happy path: the request goes to the pool, run is called there, libuv calls back on the loop, the
 * operation finishes with what run returned.
 * Failure: no memory for the request; cancelled before it ran (libuv drops it) or while it runs
 * (waited for, its result is not used). */
#include "core/loop/work.h"

#include <uv.h>

#include "core/base/mem.h"

struct request {
    uv_work_t uv;
    struct work *work;
};

/* On a thread of the pool. */
static void run_request(uv_work_t *uv)
{
    struct work *work = container_of(uv, struct request, uv)->work;
    work->result.code = work->run(work, &work->result);
}

static void on_ran(uv_work_t *uv, int status)
{
    struct request *request = container_of(uv, struct request, uv);
    struct work *work = request->work;
    loop_count_work(work->op.loop, -1);
    work->request = NULL;
    mem_free(request);
    if (status == UV_ECANCELED || work->op.cancel_asked)
        op_finish(&work->op, ERR_CANCELLED, "the work was cancelled");
    else if (work->result.code == ERR_OK)
        op_finish(&work->op, ERR_OK, "%s", "");
    else
        op_finish_err(&work->op, &work->result);
}

static void cancel_work(struct op *op)
{
    struct request *request = container_of(op, struct work, op)->request;
    uv_cancel((uv_req_t *)&request->uv); /* UV_EBUSY: it runs, on_ran comes when it returns */
}

static const struct op_kind work_kind = {.name = "work", .cancel = cancel_work};

void work_start(struct work *work, struct loop *loop, work_fn *run, void *arg,
                struct op_waiter waiter)
{
    op_begin(&work->op, &work_kind, loop, waiter);
    work->arg = arg;
    work->run = run;
    work->result = (struct err){0};
    struct request *request = mem_zalloc(1, sizeof *request);
    if (request == NULL) {
        op_finish(&work->op, ERR_NO_MEMORY, "no memory to queue the work");
        return;
    }
    request->work = work;
    work->request = request;
    loop_count_work(loop, 1);
    CHECK(uv_queue_work(loop_uv(loop), &request->uv, run_request, on_ran) == 0);
}

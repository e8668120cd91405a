/* SPDX-License-Identifier: MIT */
/* server/cli/docs/docs_session.c - loop_run, stopped by the end of what is waited for.
 *
 * Failure: no memory; a folder that cannot be made, a ledger that cannot be read: err says so. */
#include "server/cli/docs/docs_session.h"

#include <stdlib.h>

#include "core/base/file.h"
#include "core/loop/timer.h"
#include "server/config/store_urls.h"
#include "server/wiring/document_stores.h"

enum { ENTRIES_BYTES = 1 << 30, TICK_MS = 100 };

static void on_done(struct op *op)
{
    struct docs_session *session = op_owner(op);
    loop_stop(session->loop);
}

struct op_waiter docs_session_waiter(struct docs_session *session)
{
    return (struct op_waiter){on_done, session, NULL};
}

struct ticking {
    struct timer timer;
    struct loop *loop;
    void (*on_wait)(void *owner);
    void *owner;
};

static void on_tick(struct timer *timer)
{
    struct ticking *ticking = container_of(timer, struct ticking, timer);
    ticking->on_wait(ticking->owner);
    timer_start(timer, ticking->loop, TICK_MS, on_tick);
}

enum err_code docs_session_wait(struct docs_session *session, struct op *op,
                                void (*on_wait)(void *owner), void *owner, struct err *err)
{
    struct ticking ticking = {.loop = session->loop, .on_wait = on_wait, .owner = owner};
    if (on_wait != NULL)
        timer_start(&ticking.timer, session->loop, TICK_MS, on_tick);
    while (op_is_pending(op))
        loop_run(session->loop);
    timer_stop(&ticking.timer);
    *err = op->err;
    return err->code;
}

struct ledger_entry docs_session_key(const struct docs_source *source)
{
    return (struct ledger_entry){
        .collection = docs_items_collection(source->kind),
        .company_id = source->company_id,
        .user_id = source->user_id,
        .name = source->name,
    };
}

enum err_code docs_session_hold(struct docs_session *session, struct document_hold *hold,
                                const struct ledger_entry *key, void (*on_lost)(void *owner),
                                void *owner, struct err *err)
{
    document_hold_start(hold, session->loop, session->ledger, key, on_lost, owner,
                        docs_session_waiter(session));
    return docs_session_wait(session, &hold->op, NULL, NULL, err);
}

struct letting_go {
    struct loop *loop;
    bool is_done;
};

static void on_let_go(void *owner)
{
    struct letting_go *letting = owner;
    letting->is_done = true;
    loop_stop(letting->loop);
}

void docs_session_let_go(struct docs_session *session, struct document_hold *hold)
{
    struct letting_go letting = {.loop = session->loop};
    document_hold_end(hold, on_let_go, &letting);
    while (!letting.is_done)
        loop_run(session->loop);
}

/* ---- opening ---- */

static enum err_code read_ledger(struct docs_session *session, struct err *err)
{
    struct ledger_call call = {.count = 0};
    ledger_list_start(&call, session->ledger, NULL, &session->arena, docs_session_waiter(session));
    enum err_code code = docs_session_wait(session, &call.op, NULL, NULL, err);
    session->entries = call.entries;
    session->entry_count = call.count;
    op_release(&call.op);
    if (code != ERR_OK)
        err_prefix(err, "the ledger of documents");
    return code;
}

enum err_code docs_session_open(struct docs_session *session, const struct config *config,
                                struct err *err)
{
    *session = (struct docs_session){.entry_count = 0};
    session->log.format = config->log_format;
    session->log.level = config->log_level == LOG_INFO ? LOG_WARN : config->log_level;
    arena_init(&session->arena, ENTRIES_BYTES);
    config_limits(config, &session->limits);
    session->loop = loop_create();
    if (session->loop == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory or no descriptors for a loop");
    enum err_code code = ERR_OK;
    if (!store_urls_is_postgres(str_of(config->ledger)) &&
        (code = file_make_folders(config->ledger, 0777, err)) != ERR_OK)
        err_prefix(err, "the ledger of documents");
    if (code == ERR_OK)
        code = wiring_open(&session->wiring, session->loop, config, &session->log,
                           &(struct wiring_share){.workers = 1}, err);
    if (code != ERR_OK)
        return code;
    session->has = wiring_services(&session->wiring, &session->limits, &session->log);
    session->ledger = document_stores_open_ledger(session->loop, config, err);
    return session->ledger == NULL ? err->code : read_ledger(session, err);
}

static void stop_loop(void *owner)
{
    loop_stop(owner);
}

void docs_session_close(struct docs_session *session)
{
    if (session->ledger != NULL) {
        ledger_close(session->ledger, stop_loop, session->loop);
        loop_run(session->loop);
    }
    if (session->wiring.loop != NULL) {
        wiring_close(&session->wiring, stop_loop, session->loop);
        loop_run(session->loop);
        loop_run(session->loop); /* until all that closes later is closed */
    }
    loop_destroy(session->loop);
    arena_fini(&session->arena);
}

/* ---- the ledger ---- */

/* The order of the list: by collection, company, user, name, byte by byte. */
static int by_key(const void *a, const void *b)
{
    const struct ledger_entry *x = a, *y = b;
    int order = str_compare(x->collection, y->collection);
    if (order == 0)
        order = str_compare(x->company_id, y->company_id);
    if (order == 0)
        order = str_compare(x->user_id, y->user_id);
    return order != 0 ? order : str_compare(x->name, y->name);
}

const struct ledger_entry *docs_session_find(const struct docs_session *session,
                                             const struct docs_source *source)
{
    const struct ledger_entry key = docs_session_key(source);
    if (session->entry_count == 0)
        return NULL;
    return bsearch(&key, session->entries, session->entry_count, sizeof key, by_key);
}

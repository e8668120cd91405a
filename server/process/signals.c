/* SPDX-License-Identifier: MIT */
/* server/process/signals.c - one libuv handle per signal; they do not keep the loop alive.
 *
 * Failure: none after creation. */
#include "server/process/signals.h"

#include <signal.h>
#include <unistd.h>
#include <uv.h>

#include "core/base/mem.h"

enum { SIGNAL_COUNT = 3, EXIT_AT_ONCE = 1 };

static const int numbers[SIGNAL_COUNT] = {SIGTERM, SIGINT, SIGHUP};

struct signals {
    uv_signal_t handles[SIGNAL_COUNT];
    struct signals_hooks hooks;
    unsigned open;
    bool stopping;
};

static void on_signal(uv_signal_t *handle, int number)
{
    struct signals *signals = handle->data;
    if (number == SIGHUP) {
        signals->hooks.on_reload(signals->hooks.owner);
        return;
    }
    if (signals->stopping)
        _exit(EXIT_AT_ONCE);
    signals->stopping = true;
    signals->hooks.on_stop(signals->hooks.owner);
}

void signals_ignore_failed_writes(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

struct signals *signals_open(struct loop *loop, const struct signals_hooks *hooks)
{
    struct signals *signals = mem_zalloc(1, sizeof *signals);
    if (signals == NULL)
        return NULL;
    signals->hooks = *hooks;
    for (unsigned i = 0; i < SIGNAL_COUNT; i++) {
        uv_signal_init(loop_uv(loop), &signals->handles[i]);
        signals->handles[i].data = signals;
        uv_signal_start(&signals->handles[i], on_signal, numbers[i]);
        uv_unref((uv_handle_t *)&signals->handles[i]);
        signals->open++;
    }
    return signals;
}

static void on_closed(uv_handle_t *handle)
{
    struct signals *signals = handle->data;
    if (--signals->open == 0)
        mem_free(signals);
}

void signals_close(struct signals *signals)
{
    for (unsigned i = 0; signals != NULL && i < SIGNAL_COUNT; i++)
        uv_close((uv_handle_t *)&signals->handles[i], on_closed);
}

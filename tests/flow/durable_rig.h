/* SPDX-License-Identifier: MIT */
/* tests/flow/durable_rig.h - servers on a store that outlives them, some in a process of their own,
 * and what is asked of them. */
#ifndef TESTS_FLOW_DURABLE_RIG_H
#define TESTS_FLOW_DURABLE_RIG_H

#include <signal.h>
#include <sys/wait.h>

#include "core/base/id.h"
#include "tests/flow/store_place.h"
#include "tests/lib/fake_registry.h"
#include "tests/lib/http_peer.h"
#include "tests/lib/test.h"

#define CHAT "/internal/chat/stream"

/* Longer than a server is not run on a busy machine: who lives keeps what it has. */
#define RIG_LEASE "ASKD_LEASE_SECONDS=4"

static char body[4096], setting[512];

static UNUSED const char *ask(const char *message, const char *conversation)
{
    snprintf(body, sizeof body,
             "{\"input\":{\"message\":\"%s\"},\"conversation\":{\"id\":\"%s\",\"user_id\":\"u\","
             "\"company_id\":\"c\"}}",
             message, conversation);
    return body;
}

static UNUSED struct server_rig *start_as(const struct store_place *place, const char *durability)
{
    const char *settings[] = {setting, RIG_LEASE, durability, NULL};
    snprintf(setting, sizeof setting, "ASKD_CHECKPOINT_URL=%s", place->url);
    return server_rig_start(settings);
}

static UNUSED struct server_rig *start_with(const struct store_place *place, const char *lease)
{
    const char *settings[] = {setting, lease, NULL};
    snprintf(setting, sizeof setting, "ASKD_CHECKPOINT_URL=%s", place->url);
    return server_rig_start(settings);
}

static UNUSED struct server_rig *start(const struct store_place *place)
{
    return start_with(place, RIG_LEASE);
}

static UNUSED void read_run_id(struct http_peer *peer, char *room)
{
    assert_true(http_peer_wait(peer, "\r\n\r\n"));
    struct str text = buf_str(&peer->in);
    ptrdiff_t at = str_find(text, STR("X-Run-Id: "));
    assert_true(at != STR_NONE);
    memcpy(room, text.at + at + 10, ID_RUN_BYTES);
    room[ID_RUN_BYTES] = '\0';
}

static UNUSED int rejoin(unsigned port, const char *run, unsigned long long after,
                         const char *query, struct http_answer *answer)
{
    struct http_peer peer;
    char path[192], header[128];
    snprintf(path, sizeof path, "/internal/runs/%s/stream%s", run, query);
    snprintf(header, sizeof header, "Last-Event-ID: %s:%llu\r\n", run, after);
    http_peer_open(&peer, port);
    http_peer_get(&peer, path, header);
    http_peer_take(&peer, answer);
    http_peer_close(&peer);
    return answer->status;
}

static UNUSED int rejoin_status(unsigned port, const char *run, unsigned long long after,
                                const char *query)
{
    struct http_answer answer;
    int status = rejoin(port, run, after, query, &answer);
    buf_fini(&answer.body);
    return status;
}

static UNUSED bool has(const struct http_answer *answer, const char *text)
{
    return str_find(buf_str(&answer->body), str_of(text)) != STR_NONE;
}

/* A server in a process of its own; *port is where. Its runs stop after so many tokens and wait to
 * be cancelled; 0: they do not. */
static UNUSED pid_t fork_server(const struct store_place *place, const char *durability,
                                uint64_t stall_at, unsigned *port)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        fake_registry_stall_at(stall_at);
        struct server_rig *rig = start_as(place, durability);
        unsigned own = server_rig_port(rig);
        if (write(ends[1], &own, sizeof own) != sizeof own)
            _exit(1);
        for (;;)
            pause();
    }
    assert_true(child > 0);
    close(ends[1]);
    assert_int_equal(read(ends[0], port, sizeof *port), (ssize_t)sizeof *port);
    close(ends[0]);
    return child;
}

/* Its owner's conversation c1, once it has needle: a turn is kept behind its answer. */
static UNUSED void await_history(unsigned port, const char *needle, struct http_answer *answer)
{
    enum { TRIES = 100000 };
    struct http_peer peer;
    http_peer_open(&peer, port);
    for (unsigned i = 0; i < TRIES; i++) {
        http_peer_get(&peer, "/internal/conversations/c1?user_id=u&company_id=c", "");
        http_peer_take(&peer, answer);
        if (has(answer, needle))
            break;
        if (i == TRIES - 1)
            fail_msg("no '%s' in %.*s", needle, STR_ARG(buf_str(&answer->body)));
        buf_fini(&answer->body);
    }
    http_peer_close(&peer);
}

/* How many ids of the only run's events the store has given out; from least on. */
static UNUSED uint64_t await_stored(const struct store_place *place, uint64_t least)
{
    static const struct store_runs any = {.limit = 1};
    struct rig rig;
    struct store_call call = {.verb = STORE_RUNS};
    uint64_t stored = 0;
    rig_begin(&rig);
    struct store *store = store_place_open(rig.loop, place);
    assert_non_null(store);
    for (unsigned calls = 1; calls == 1 || stored < least; calls++) {
        op_release(&call.op);
        store_runs_start(&call, store, &any, rig_waiter(&rig));
        rig_wait("an answer", &rig, calls);
        if (call.op.err.code != ERR_OK)
            fail_msg("%s", call.op.err.text);
        stored = call.run_count == 0 ? 0 : call.runs[0].last_event_id;
    }
    op_release(&call.op);
    store_close(store, rig_on_closed, &rig);
    rig_end(&rig);
    return stored;
}

static UNUSED int resume(unsigned port, const char *run, const char *query, const char *text,
                         struct http_answer *answer)
{
    struct http_peer peer;
    char path[192];
    snprintf(path, sizeof path, "/internal/runs/%s/resume%s", run, query);
    http_peer_open(&peer, port);
    http_peer_post(&peer, path, "", text);
    http_peer_take(&peer, answer);
    http_peer_close(&peer);
    return answer->status;
}

/* Until the record of the run that began last has this status. */
static UNUSED void await_status(const struct store_place *place, enum store_status status)
{
    static const struct store_runs any = {.limit = 1};
    struct rig rig;
    struct store_call call = {.verb = STORE_RUNS};
    enum store_status now = STORE_RUNNING;
    rig_begin(&rig);
    struct store *store = store_place_open(rig.loop, place);
    assert_non_null(store);
    for (unsigned calls = 1; now != status; calls++) {
        op_release(&call.op);
        store_runs_start(&call, store, &any, rig_waiter(&rig));
        rig_wait("an answer", &rig, calls);
        now = call.run_count == 0 ? STORE_RUNNING : call.runs[0].status;
    }
    op_release(&call.op);
    store_close(store, rig_on_closed, &rig);
    rig_end(&rig);
}

/* The ids of the frames in text must come next after id, one after the other, in the first server's
 * or a later one's. Returns how many there are, the last one in *id. */
static UNUSED unsigned count_ids(struct str text, const char *run, uint64_t *id)
{
    char prefix[80];
    unsigned count = 0;
    snprintf(prefix, sizeof prefix, "id: %s:", run);
    for (ptrdiff_t at; (at = str_find(text, STR("id: "))) != STR_NONE; count++) {
        uint64_t next;
        text = str_from(text, (size_t)at);
        EXPECT_TRUE("its run", str_starts_with(text, str_of(prefix)));
        text = str_from(text, strlen(prefix));
        assert_true(str_to_u64(str_split(&text, '\n'), &next));
        EXPECT_TRUE("the next", event_comes_next(next, *id, 1 + next / EVENT_IDS_A_SERVER));
        *id = next;
    }
    return count;
}

#endif

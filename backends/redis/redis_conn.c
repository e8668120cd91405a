/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_conn.c - a reactor: a queue of slots, and a link that comes and goes under
 * it.
 *
 *   down -wanted-> resolving -> connecting -> greeting -> up
 *     ^----------------- failed, cut, closed --------------'
 *
 * Happy path: slots wait until up, go out as far as SEND_AHEAD_BYTES allow, and are answered in
 * order.
 * Failure paths:
 *   an attempt fails (name, socket, login, time)  all that wait end with its error; a pause follows
 *   cut while up, nonsense, an answer too large   all that was sent ends; the rest waits on
 *   a deadline, and silence since it was sent     as a cut
 *   a deadline or a cancel else                   the slot stays for its answer, which is dropped
 */
#include "backends/redis/redis_conn.h"

#include <inttypes.h>
#include <openssl/sha.h>
#include <stdio.h>

#include "core/loop/backoff.h"
#include "backends/redis/redis_conn_link.h"
#include "backends/redis/redis_conn_reader.h"
#include "backends/redis/redis_error.h"
#include "backends/http/resolve.h"
#include "core/base/buf.h"
#include "core/base/list.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

enum {
    SEND_AHEAD_BYTES = 1 << 20, /* handed to the link before the system took it */
    MOST_RETRY_MS = 2000,
    NUMBER_BYTES = 24
};

enum state { STATE_DOWN, STATE_RESOLVING, STATE_CONNECTING, STATE_GREETING, STATE_UP, STATE_COUNT };

#define TO(state) (1U << STATE_##state)

static const unsigned may_become[STATE_COUNT] = {
    [STATE_DOWN] = TO(RESOLVING),
    [STATE_RESOLVING] = TO(CONNECTING) | TO(DOWN),
    [STATE_CONNECTING] = TO(GREETING) | TO(DOWN),
    [STATE_GREETING] = TO(UP) | TO(DOWN),
    [STATE_UP] = TO(DOWN),
};

/* A place in the order of answers, with the bytes to send. It outlives its command: an answer
 * nobody wants any more must still be counted. */
struct redis_conn_slot {
    struct list link;
    struct redis_command *command;     /* NULL: part of a login, or given up */
    const struct redis_script *script; /* sent by its hash so far; NULL: nothing to fall back on */
    struct buf bytes;                  /* kept until answered for a script, else until sent */
    size_t tail_at, arg_count;         /* where a script's own words begin, and how many */
    size_t cost_bytes;                 /* what it counts for in the queue */
    uint64_t heard;                    /* how much had been heard when it was sent */
    bool is_sent;
};

struct queue {
    struct list waiting, sent;               /* slots, in order; link moves from one to the other */
    size_t waiting_count, sent_count, bytes; /* bytes: of both */
};

/* ---- a command in the protocol: a count, then each word with its length ---- */

void redis_script_init(struct redis_script *script, struct str text)
{
    unsigned char digest[SHA_DIGEST_LENGTH];
    SHA1((const unsigned char *)text.at, text.len, digest);
    script->text = text;
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(script->sha + 2 * i, 3, "%02x", digest[i]);
}

static void push_count(struct buf *bytes, size_t count)
{
    buf_push_char(bytes, '*');
    buf_push_u64(bytes, count);
    buf_push(bytes, STR("\r\n"));
}

static void push_word(struct buf *bytes, struct str word)
{
    buf_push_char(bytes, '$');
    buf_push_u64(bytes, word.len);
    buf_push(bytes, STR("\r\n"));
    buf_push(bytes, word);
    buf_push(bytes, STR("\r\n"));
}

static void push_number(struct buf *bytes, size_t number)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%zu", number);
    push_word(bytes, str_make(digits, (size_t)len));
}

/* NULL is fine. */
static void destroy_slot(struct redis_conn_slot *slot)
{
    if (slot == NULL)
        return;
    list_remove(&slot->link);
    buf_fini(&slot->bytes);
    mem_free(slot);
}

/* The request as the wire has it. NULL: no memory. */
static struct redis_conn_slot *create_slot(const struct redis_request *request)
{
    struct redis_conn_slot *slot = mem_zalloc(1, sizeof *slot);
    if (slot == NULL)
        return NULL;
    struct buf *bytes = &slot->bytes;
    buf_init(bytes, UINT32_MAX / 2);
    if (request->script == NULL) {
        push_count(bytes, request->arg_count);
    } else {
        slot->script = request->script;
        slot->arg_count = request->arg_count + 1; /* the number of keys */
        push_count(bytes, slot->arg_count + 2);
        push_word(bytes, STR("EVALSHA"));
        push_word(bytes, str_of(request->script->sha));
        slot->tail_at = buf_len(bytes);
        push_number(bytes, request->key_count);
    }
    for (size_t i = 0; i < request->arg_count; i++)
        push_word(bytes, request->args[i]);
    if (!buf_ok(bytes)) {
        destroy_slot(slot);
        return NULL;
    }
    slot->cost_bytes = sizeof *slot + buf_len(bytes);
    return slot;
}

/* Make slot send the script's text instead of its hash. False: no memory. */
static bool spell_out(struct redis_conn_slot *slot)
{
    struct buf bytes;
    buf_init(&bytes, UINT32_MAX / 2);
    push_count(&bytes, slot->arg_count + 2);
    push_word(&bytes, STR("EVAL"));
    push_word(&bytes, slot->script->text);
    buf_push(&bytes, str_from(buf_str(&slot->bytes), slot->tail_at));
    if (!buf_ok(&bytes)) {
        buf_fini(&bytes);
        return false;
    }
    buf_fini(&slot->bytes);
    slot->bytes = bytes;
    slot->script = NULL;
    return true;
}

/* ---- the queue ---- */

static void init_queue(struct queue *queue)
{
    *queue = (struct queue){0};
    list_init(&queue->waiting);
    list_init(&queue->sent);
}

/* Adopt a slot, which waits then. */
static void put_slot(struct queue *queue, struct redis_conn_slot *slot)
{
    slot->is_sent = false;
    list_push(&queue->waiting, &slot->link);
    queue->waiting_count++;
    queue->bytes += slot->cost_bytes;
}

/* Out of the queue; the slot is the caller's. */
static void take_slot(struct queue *queue, struct redis_conn_slot *slot)
{
    size_t *count = slot->is_sent ? &queue->sent_count : &queue->waiting_count;
    (*count)--;
    queue->bytes -= slot->cost_bytes;
    list_remove(&slot->link);
}

/* The slot waited and is sent: its bytes are freed, but for a script's. */
static void mark_sent(struct queue *queue, struct redis_conn_slot *slot)
{
    take_slot(queue, slot);
    slot->is_sent = true;
    if (slot->script == NULL)
        buf_fini(&slot->bytes);
    list_push(&queue->sent, &slot->link);
    queue->sent_count++;
    queue->bytes += slot->cost_bytes;
}

static void drop_slot(struct queue *queue, struct redis_conn_slot *slot)
{
    take_slot(queue, slot);
    destroy_slot(slot);
}

/* The one way a command ends: with err (ERR_OK in it, too). Its slot goes, or stays without it when
 * an answer is still to come. */
static void finish_command(struct queue *queue, struct redis_command *command,
                           const struct err *err)
{
    struct redis_conn_slot *slot = command->slot;
    timer_stop(&command->timer);
    command->slot = NULL;
    if (slot != NULL) {
        slot->command = NULL;
        if (!slot->is_sent)
            drop_slot(queue, slot);
    }
    op_finish_err(&command->op, err);
}

static void fail_slots(struct queue *queue, struct list *slots, const struct err *err)
{
    while (!list_is_empty(slots)) {
        struct redis_conn_slot *slot = list_item(slots->next, struct redis_conn_slot, link);
        struct redis_command *command = slot->command;
        drop_slot(queue, slot);
        if (command != NULL) {
            command->slot = NULL;
            finish_command(queue, command, err);
        }
    }
}

/* End all commands that were sent, or that wait, and destroy their slots. */
static void fail_sent(struct queue *queue, const struct err *err)
{
    fail_slots(queue, &queue->sent, err);
}

static void fail_waiting(struct queue *queue, const struct err *err)
{
    fail_slots(queue, &queue->waiting, err);
}

struct redis_conn {
    struct loop *loop;
    struct redis_conn_options options;
    enum state state;
    struct queue queue;
    struct resolve resolve;
    size_t address; /* of those resolved, the one being tried */
    struct redis_conn_link *link;
    struct redis_conn_reader *reader;
    struct timer connect_timer, retry_timer;
    struct backoff backoff;
    unsigned failures;
    uint64_t retry_at_ms, heard;
    uint64_t connects, cuts;
    struct loop_task flush_task;
    struct err last;        /* how the last attempt or connection ended; ERR_OK while up */
    struct closing closing; /* out: a lookup */
};

static void set_state(struct redis_conn *conn, enum state next)
{
    CHECK(may_become[conn->state] & (1U << next));
    conn->state = next;
}

/* ---- losing the connection ---- */

static void drop_link(struct redis_conn *conn)
{
    timer_stop(&conn->connect_timer);
    redis_conn_link_close(conn->link);
    conn->link = NULL;
    redis_conn_reader_destroy(conn->reader);
    conn->reader = NULL;
}

static void want_flush(struct redis_conn *conn);

static void pause_attempts(struct redis_conn *conn)
{
    conn->failures++;
    conn->retry_at_ms =
        loop_now_ms(conn->loop) + backoff_wait_ms(&conn->backoff, conn->failures, UINT64_MAX);
}

/* The connection is no more, or an attempt to connect ended without one. */
static void end_link(struct redis_conn *conn, const struct err *err)
{
    bool was_up = conn->state == STATE_UP;
    drop_link(conn);
    set_state(conn, STATE_DOWN);
    conn->last = *err;
    pause_attempts(conn);
    fail_sent(&conn->queue, err); /* those of a login have no command */
    if (was_up) {
        conn->cuts++;
        want_flush(conn);
        if (conn->options.on_cut != NULL)
            conn->options.on_cut(conn->options.user);
    } else {
        fail_waiting(&conn->queue, err);
    }
}

/* ---- sending ---- */

/* False: the link took nothing, and is gone. */
static bool send_slot(struct redis_conn *conn, struct redis_conn_slot *slot)
{
    struct err err;
    if (!redis_conn_link_write(conn->link, buf_str(&slot->bytes))) {
        err_set(&err, ERR_NO_MEMORY, "redis: no memory to send");
        end_link(conn, &err);
        return false;
    }
    slot->heard = conn->heard;
    mark_sent(&conn->queue, slot);
    return true;
}

static void send_waiting(struct redis_conn *conn)
{
    while (conn->queue.waiting_count > 0 && redis_conn_link_unsent(conn->link) < SEND_AHEAD_BYTES)
        if (!send_slot(conn, list_item(conn->queue.waiting.next, struct redis_conn_slot, link)))
            return;
}

static void on_written(void *owner)
{
    struct redis_conn *conn = owner;
    if (conn->state == STATE_UP)
        send_waiting(conn);
}

/* ---- connecting ---- */

/* Queue one command of the login before all else. False: no memory. */
static bool greet_with(struct redis_conn *conn, const struct str *args, size_t arg_count)
{
    struct redis_request request = {.args = args, .arg_count = arg_count};
    struct redis_conn_slot *slot = create_slot(&request);
    if (slot == NULL)
        return false;
    put_slot(&conn->queue, slot);
    return send_slot(conn, slot);
}

/* SELECT is sent even for database 0: its answer says that the server is ready and lets us in. */
static bool greet(struct redis_conn *conn)
{
    const struct redis_url *url = conn->options.url;
    char number[NUMBER_BYTES];
    int len = snprintf(number, sizeof number, "%u", url->database);
    struct str login[3] = {STR("AUTH")},
               database[] = {STR("SELECT"), str_make(number, (size_t)len)};
    size_t words = 1;
    if (!str_is_absent(url->user))
        login[words++] = url->user;
    if (!str_is_absent(url->password)) {
        login[words++] = url->password;
        if (!greet_with(conn, login, words))
            return false;
    }
    return greet_with(conn, database, countof(database));
}

static void fail_no_memory(struct redis_conn *conn)
{
    struct err err;
    err_set(&err, ERR_NO_MEMORY, "redis: no memory for a connection");
    end_link(conn, &err);
}

static void on_open(void *owner)
{
    struct redis_conn *conn = owner;
    set_state(conn, STATE_GREETING);
    conn->reader = redis_conn_reader_create(conn->options.reply_bytes);
    if ((conn->reader == NULL || !greet(conn)) && conn->state == STATE_GREETING)
        fail_no_memory(conn);
}

static void on_greeted(struct redis_conn *conn, const struct redis_reply *reply)
{
    if (reply->kind == REDIS_REPLY_IS_REFUSAL) {
        struct err err;
        redis_error_of(reply->text, &err);
        end_link(conn, &err);
    } else if (conn->queue.sent_count == 0) {
        timer_stop(&conn->connect_timer);
        set_state(conn, STATE_UP);
        conn->failures = 0;
        conn->last = (struct err){.code = ERR_OK};
        send_waiting(conn);
    }
}

static void on_cut(void *owner, const char *why);
static void on_bytes(void *owner, struct str bytes);

static void open_link(struct redis_conn *conn)
{
    struct redis_conn_link_user user = {on_open, on_bytes, on_written, on_cut, conn};
    conn->connects++;
    conn->link = redis_conn_link_open(conn->loop, conn->resolve.addresses[conn->address],
                                      conn->options.url->port, &user);
    if (conn->link == NULL)
        fail_no_memory(conn);
}

static void on_resolved(struct op *op)
{
    struct redis_conn *conn = op_owner(op);
    closing_leave(&conn->closing);
    if (closing_is_begun(&conn->closing))
        return;
    if (conn->state == STATE_RESOLVING && op->err.code != ERR_OK) {
        struct err err = op->err;
        err_prefix(&err, "redis");
        end_link(conn, &err);
    } else if (conn->state == STATE_RESOLVING) {
        set_state(conn, STATE_CONNECTING);
        conn->address = 0;
        open_link(conn);
    }
}

static void describe_cut(const struct redis_conn *conn, const char *why, struct err *err)
{
    const struct redis_url *url = conn->options.url;
    bool was_up = conn->state == STATE_UP;
    err_set(err, ERR_UNAVAILABLE, "redis at %.*s:%u: %s%s", STR_ARG(url->host), url->port, why,
            was_up ? "; what was asked of it may be done or not" : "");
}

static void on_connect_late(struct timer *timer)
{
    struct redis_conn *conn = container_of(timer, struct redis_conn, connect_timer);
    struct err err;
    char why[64];
    snprintf(why, sizeof why, "no connection within %llu ms",
             (unsigned long long)conn->options.connect_ms);
    describe_cut(conn, why, &err);
    end_link(conn, &err);
    if (op_is_pending(&conn->resolve.op))
        op_cancel(&conn->resolve.op);
}

static void on_cut(void *owner, const char *why)
{
    struct redis_conn *conn = owner;
    struct err err;
    if (conn->state == STATE_CONNECTING && conn->address + 1 < conn->resolve.address_count) {
        redis_conn_link_close(conn->link);
        conn->address++;
        open_link(conn);
        return;
    }
    describe_cut(conn, why, &err);
    end_link(conn, &err);
}

static void connect_now(struct redis_conn *conn)
{
    set_state(conn, STATE_RESOLVING);
    timer_start(&conn->connect_timer, conn->loop, conn->options.connect_ms, on_connect_late);
    closing_enter(&conn->closing);
    resolve_start(&conn->resolve, conn->loop, conn->options.url->host,
                  (struct op_waiter){.done = on_resolved, .owner = conn});
}

static void on_retry(struct timer *timer)
{
    want_flush(container_of(timer, struct redis_conn, retry_timer));
}

/* Send what waits, or see to a connection for it. */
static void flush(struct loop_task *task)
{
    struct redis_conn *conn = container_of(task, struct redis_conn, flush_task);
    uint64_t now = loop_now_ms(conn->loop);
    if (conn->queue.waiting_count == 0 || closing_is_begun(&conn->closing))
        return;
    if (conn->state == STATE_UP)
        send_waiting(conn);
    else if (conn->state == STATE_DOWN && op_is_pending(&conn->resolve.op))
        timer_start(&conn->retry_timer, conn->loop, 1, on_retry); /* a lookup that was given up */
    else if (conn->state == STATE_DOWN && now >= conn->retry_at_ms)
        connect_now(conn);
    else if (conn->state == STATE_DOWN)
        timer_start(&conn->retry_timer, conn->loop, conn->retry_at_ms - now, on_retry);
}

static void want_flush(struct redis_conn *conn)
{
    loop_post(conn->loop, &conn->flush_task, flush);
}

/* ---- answers ---- */

/* A server that does not know the script by its hash gets it whole. */
static bool ask_again(struct redis_conn *conn, struct redis_conn_slot *slot,
                      const struct redis_reply *reply)
{
    if (reply->kind != REDIS_REPLY_IS_REFUSAL || slot->script == NULL || slot->command == NULL ||
        !str_starts_with(reply->text, STR("NOSCRIPT")) || !spell_out(slot))
        return false;
    put_slot(&conn->queue, slot);
    return true;
}

static void answer_command(struct redis_conn *conn, struct redis_command *command,
                           const struct redis_reply *reply, struct arena *arena)
{
    struct err err = {.code = ERR_OK};
    if (reply->kind == REDIS_REPLY_IS_REFUSAL) {
        redis_error_of(reply->text, &err);
    } else {
        command->reply = *reply;
        command->arena = *arena;
        arena_init(arena, 0);
    }
    finish_command(&conn->queue, command, &err);
}

/* False: the connection is gone. */
static bool take_reply(struct redis_conn *conn, const struct redis_reply *reply,
                       struct arena *arena)
{
    if (conn->queue.sent_count == 0) {
        struct err err;
        err_set(&err, ERR_PROTOCOL, "redis: the server answers what was not asked");
        end_link(conn, &err);
        return false;
    }
    struct redis_conn_slot *slot = list_item(conn->queue.sent.next, struct redis_conn_slot, link);
    struct redis_command *command = slot->command;
    take_slot(&conn->queue, slot);
    if (conn->state == STATE_GREETING) {
        destroy_slot(slot);
        on_greeted(conn, reply);
        return conn->link != NULL;
    }
    if (ask_again(conn, slot, reply))
        return true;
    destroy_slot(slot);
    if (command != NULL) {
        command->slot = NULL;
        answer_command(conn, command, reply, arena);
    }
    return true;
}

static void on_bytes(void *owner, struct str bytes)
{
    struct redis_conn *conn = owner;
    struct redis_reply reply;
    struct arena arena;
    struct err err = {.code = ERR_OK};
    conn->heard += bytes.len;
    bool is_alive = true;
    if (redis_conn_reader_feed(conn->reader, bytes, &err) == ERR_OK) {
        while (is_alive && redis_conn_reader_next(conn->reader, &reply, &arena, &err)) {
            is_alive = take_reply(conn, &reply, &arena);
            arena_fini(&arena);
        }
    }
    if (is_alive && err.code != ERR_OK)
        end_link(conn, &err);
    else if (is_alive && conn->queue.waiting_count > 0)
        want_flush(conn);
}

/* ---- commands ---- */

static void cancel_command(struct op *op)
{
    struct redis_command *command = container_of(op, struct redis_command, op);
    struct err err;
    err_set(&err, ERR_CANCELLED, "redis: the command was cancelled");
    finish_command(&command->conn->queue, command, &err);
}

static void release_command(struct op *op)
{
    struct redis_command *command = container_of(op, struct redis_command, op);
    arena_fini(&command->arena);
    command->reply = (struct redis_reply){0};
}

static const struct op_kind command_kind = {
    .name = "redis.command", .cancel = cancel_command, .release = release_command};

static void on_command_late(struct timer *timer)
{
    struct redis_command *command = container_of(timer, struct redis_command, timer);
    struct redis_conn *conn = command->conn;
    struct redis_conn_slot *slot = command->slot;
    bool is_stuck = slot->is_sent && slot->heard == conn->heard;
    struct err err;
    err_set(&err, ERR_TIMEOUT, "redis: no answer within %llu ms%s%s",
            (unsigned long long)command->deadline_ms, conn->last.code == ERR_OK ? "" : "; ",
            conn->last.code == ERR_OK ? "" : conn->last.text);
    finish_command(&conn->queue, command, &err);
    if (is_stuck) {
        describe_cut(conn, "silent, and given up", &err);
        end_link(conn, &err);
    }
}

void redis_command_start(struct redis_command *command, struct redis_conn *conn,
                         const struct redis_request *request, struct op_waiter waiter)
{
    struct err err;
    CHECK(!closing_is_begun(&conn->closing) && request->arg_count > 0);
    op_begin(&command->op, &command_kind, conn->loop, waiter);
    command->conn = conn;
    command->slot = NULL;
    command->reply = (struct redis_reply){0};
    arena_init(&command->arena, 0);
    command->deadline_ms = request->deadline_ms == 0 ? 2000 : request->deadline_ms;
    if (conn->queue.waiting_count + conn->queue.sent_count >= conn->options.queue_limit ||
        conn->queue.bytes >= conn->options.queue_bytes) {
        err_set(&err, ERR_BUSY, "redis: %zu commands of %zu bytes are under way already",
                conn->queue.waiting_count + conn->queue.sent_count, conn->queue.bytes);
        finish_command(&conn->queue, command, &err);
        return;
    }
    command->slot = create_slot(request);
    if (command->slot == NULL) {
        err_set(&err, ERR_NO_MEMORY, "redis: no memory for a command");
        finish_command(&conn->queue, command, &err);
        return;
    }
    command->slot->command = command;
    put_slot(&conn->queue, command->slot);
    timer_start(&command->timer, conn->loop, command->deadline_ms, on_command_late);
    want_flush(conn);
}

/* ---- life ---- */

static void free_conn(struct closing *closing)
{
    mem_free(container_of(closing, struct redis_conn, closing));
}

struct redis_conn *redis_conn_create(struct loop *loop, const struct redis_conn_options *options)
{
    static closing_fn *const steps[] = {free_conn, NULL};
    struct redis_conn *conn = mem_zalloc(1, sizeof *conn);
    if (conn == NULL)
        return NULL;
    struct redis_conn_options *o = &conn->options;
    *o = *options;
    o->connect_ms = o->connect_ms == 0 ? 2000 : o->connect_ms;
    o->queue_limit = o->queue_limit == 0 ? 4096 : o->queue_limit;
    o->queue_bytes = o->queue_bytes == 0 ? (size_t)32 << 20 : o->queue_bytes;
    o->reply_bytes = o->reply_bytes == 0 ? (size_t)16 << 20 : o->reply_bytes;
    conn->backoff = backoff_of(1, o->retry_ms == 0 ? 50 : o->retry_ms, MOST_RETRY_MS);
    conn->loop = loop;
    closing_init(&conn->closing, loop, steps);
    init_queue(&conn->queue);
    return conn;
}

void redis_conn_close(struct redis_conn *conn, void (*on_closed)(void *owner), void *owner)
{
    struct err err;
    err_set(&err, ERR_CANCELLED, "redis: the connection is being closed");
    closing_begin(&conn->closing, on_closed, owner);
    drop_link(conn);
    timer_stop(&conn->retry_timer);
    loop_unpost(&conn->flush_task);
    fail_sent(&conn->queue, &err);
    fail_waiting(&conn->queue, &err);
    if (op_is_pending(&conn->resolve.op))
        op_cancel(&conn->resolve.op);
}

enum err_code redis_conn_ready(const struct redis_conn *conn, struct err *err)
{
    return conn->last.code == ERR_OK ? ERR_OK
                                     : err_set(err, conn->last.code, "%s", conn->last.text);
}

struct redis_conn_counts redis_conn_count(const struct redis_conn *conn)
{
    return (struct redis_conn_counts){conn->queue.waiting_count, conn->queue.sent_count,
                                      conn->connects, conn->cuts};
}

/* SPDX-License-Identifier: MIT */
/* backends/redis_conn_slot.c - commands in Redis' protocol: a count, then each word with its
 * length.
 *
 * Failure: no memory. */
#include "backends/redis_conn_slot.h"

#include <inttypes.h>
#include <openssl/sha.h>
#include <stdio.h>

#include "core/base/mem.h"

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

struct redis_conn_slot *redis_conn_slot_create(const struct redis_request *request)
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
        redis_conn_slot_destroy(slot);
        return NULL;
    }
    slot->cost_bytes = sizeof *slot + buf_len(bytes);
    return slot;
}

void redis_conn_slot_destroy(struct redis_conn_slot *slot)
{
    if (slot == NULL)
        return;
    list_remove(&slot->link);
    buf_fini(&slot->bytes);
    mem_free(slot);
}

bool redis_conn_slot_spell_out(struct redis_conn_slot *slot)
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

void redis_conn_queue_init(struct redis_conn_queue *queue)
{
    *queue = (struct redis_conn_queue){0};
    list_init(&queue->waiting);
    list_init(&queue->sent);
}

void redis_conn_queue_put(struct redis_conn_queue *queue, struct redis_conn_slot *slot)
{
    slot->is_sent = false;
    list_push(&queue->waiting, &slot->link);
    queue->waiting_count++;
    queue->bytes += slot->cost_bytes;
}

void redis_conn_queue_take(struct redis_conn_queue *queue, struct redis_conn_slot *slot)
{
    size_t *count = slot->is_sent ? &queue->sent_count : &queue->waiting_count;
    (*count)--;
    queue->bytes -= slot->cost_bytes;
    list_remove(&slot->link);
}

void redis_conn_queue_mark_sent(struct redis_conn_queue *queue, struct redis_conn_slot *slot)
{
    redis_conn_queue_take(queue, slot);
    slot->is_sent = true;
    if (slot->script == NULL)
        buf_fini(&slot->bytes);
    list_push(&queue->sent, &slot->link);
    queue->sent_count++;
    queue->bytes += slot->cost_bytes;
}

static void drop_slot(struct redis_conn_queue *queue, struct redis_conn_slot *slot)
{
    redis_conn_queue_take(queue, slot);
    redis_conn_slot_destroy(slot);
}

void redis_conn_queue_finish(struct redis_conn_queue *queue, struct redis_command *command,
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

static void fail_slots(struct redis_conn_queue *queue, struct list *slots, const struct err *err)
{
    while (!list_is_empty(slots)) {
        struct redis_conn_slot *slot = list_item(slots->next, struct redis_conn_slot, link);
        struct redis_command *command = slot->command;
        drop_slot(queue, slot);
        if (command != NULL) {
            command->slot = NULL;
            redis_conn_queue_finish(queue, command, err);
        }
    }
}

void redis_conn_queue_fail_sent(struct redis_conn_queue *queue, const struct err *err)
{
    fail_slots(queue, &queue->sent, err);
}

void redis_conn_queue_fail_waiting(struct redis_conn_queue *queue, const struct err *err)
{
    fail_slots(queue, &queue->waiting, err);
}

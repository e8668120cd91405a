/* SPDX-License-Identifier: MIT */
/* core/event_bytes.c - a version byte, fixed little-endian heads with their texts, a CRC-32C.
 *
 * Failure: a checksum that is wrong, another version; a length beyond the end, an unknown kind. */
#include "core/event_bytes.h"

#include "core/base/crc.h"

enum { CHECKSUM_BYTES = 4, HEAD_BYTES = 1 + 8 + 3 * 4 };

static void push_fixed(struct buf *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        buf_push_char(out, (char)(value >> (8 * i)));
}

static uint64_t take_fixed(struct str *from, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)(unsigned char)from->at[i] << (8 * i);
    *from = str_from(*from, bytes);
    return value;
}

void event_bytes_begin(struct buf *batch)
{
    buf_push_char(batch, EVENT_BYTES_FORMAT);
}

void event_bytes_push(struct buf *batch, const struct event *event)
{
    push_fixed(batch, event->kind, 1);
    push_fixed(batch, (uint64_t)event->number, 8);
    push_fixed(batch, event->name.len, 4);
    push_fixed(batch, event->text.len, 4);
    push_fixed(batch, event->more.len, 4);
    buf_push(batch, event->name);
    buf_push(batch, event->text);
    buf_push(batch, event->more);
}

void event_bytes_end(struct buf *batch)
{
    push_fixed(batch, crc_32c(buf_str(batch)), CHECKSUM_BYTES);
}

enum err_code event_bytes_open(struct str batch, struct str *events, struct err *err)
{
    *events = STR("");
    if (batch.len < 1 + CHECKSUM_BYTES)
        return err_set(err, ERR_INVALID, "the stored events are cut short");
    struct str tail = str_from(batch, batch.len - CHECKSUM_BYTES);
    struct str body = str_slice(batch, 0, batch.len - CHECKSUM_BYTES);
    if (take_fixed(&tail, CHECKSUM_BYTES) != crc_32c(body))
        return err_set(err, ERR_INVALID, "the stored events are damaged: their checksum is wrong");
    if (body.at[0] != EVENT_BYTES_FORMAT)
        return err_set(err, ERR_INVALID, "the stored events' format is %d, this version reads %d",
                       (unsigned char)body.at[0], EVENT_BYTES_FORMAT);
    *events = str_from(body, 1);
    return ERR_OK;
}

static struct str take_text(struct str *from, uint64_t len)
{
    struct str text = str_slice(*from, 0, (size_t)len);
    *from = str_from(*from, (size_t)len);
    return text;
}

bool event_bytes_take(struct str *events, uint64_t id, struct event *event)
{
    if (events->len < HEAD_BYTES)
        return false;
    uint64_t kind = take_fixed(events, 1);
    int64_t number = (int64_t)take_fixed(events, 8);
    uint64_t name = take_fixed(events, 4), text = take_fixed(events, 4);
    uint64_t more = take_fixed(events, 4);
    if (kind >= EVENT_KIND_COUNT || name + text + more > events->len) {
        *events = STR("");
        return false;
    }
    *event = (struct event){.id = id, .kind = (enum event_kind)kind, .number = number};
    event->name = take_text(events, name);
    event->text = take_text(events, text);
    event->more = take_text(events, more);
    return true;
}

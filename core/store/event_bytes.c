/* SPDX-License-Identifier: MIT */
/* core/store/event_bytes.c - a version byte, fixed little-endian heads with their texts, a CRC-32C.
 *
 * Failure: a checksum that is wrong, another version; a length beyond the end, an unknown kind. */
#include "core/store/event_bytes.h"

#include "core/base/crc.h"
#include "core/base/fixed.h"

enum { CHECKSUM_BYTES = 4, HEAD_BYTES = 1 + 8 + 3 * 4 };

void event_bytes_begin(struct buf *batch)
{
    buf_push_char(batch, EVENT_BYTES_FORMAT);
}

void event_bytes_push(struct buf *batch, const struct event *event)
{
    fixed_push(batch, event->kind, 1);
    fixed_push(batch, (uint64_t)event->number, 8);
    fixed_push(batch, event->name.len, 4);
    fixed_push(batch, event->text.len, 4);
    fixed_push(batch, event->more.len, 4);
    buf_push(batch, event->name);
    buf_push(batch, event->text);
    buf_push(batch, event->more);
}

void event_bytes_end(struct buf *batch)
{
    fixed_push(batch, crc_32c(buf_str(batch)), CHECKSUM_BYTES);
}

enum err_code event_bytes_open(struct str batch, struct str *events, struct err *err)
{
    *events = STR("");
    if (batch.len < 1 + CHECKSUM_BYTES)
        return err_set(err, ERR_INVALID, "the stored events are cut short");
    struct str tail = str_from(batch, batch.len - CHECKSUM_BYTES);
    struct str body = str_slice(batch, 0, batch.len - CHECKSUM_BYTES);
    if (fixed_take(&tail, CHECKSUM_BYTES) != crc_32c(body))
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
    uint64_t kind = fixed_take(events, 1);
    int64_t number = (int64_t)fixed_take(events, 8);
    uint64_t name = fixed_take(events, 4), text = fixed_take(events, 4);
    uint64_t more = fixed_take(events, 4);
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

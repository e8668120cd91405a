/* SPDX-License-Identifier: MIT */
/* core/store/event_bytes.c - a version byte, fixed little-endian heads with their texts, a CRC-32C.
 *
 * Nearly all events are tokens of the answer: such a one is a byte that is no kind, with its
 * attempt in it, the length of its text in groups of seven bits, the lowest first, and its text.
 * Format 1 had them with fixed heads, too, and is read as well. Failure: a checksum that is wrong,
 * another version; a length beyond the end, an unknown kind. */
#include "core/store/event_bytes.h"

#include "core/base/crc.h"
#include "core/base/fixed.h"

enum {
    CHECKSUM_BYTES = 4,
    HEAD_BYTES = 1 + 8 + 3 * 4,
    SHORT = 0x80, /* or attempt: the first byte of a short token */
    GROUP_BITS = 7,
    MOST_GROUPS = 5, /* of a length below 2^35 */
};
_Static_assert((int)EVENT_KIND_COUNT <= (int)SHORT, "kinds and short tokens begin differently");

void event_bytes_begin(struct buf *batch)
{
    buf_push_char(batch, EVENT_BYTES_FORMAT);
}

static bool is_short(const struct event *event)
{
    return event->kind == EVENT_TOKEN && event->number >= 0 && event->number < SHORT &&
           event->more.len == 0 && event->text.len <= UINT32_MAX &&
           str_equal(event->name, STR(EVENT_FINAL_CHANNEL));
}

static void push_short(struct buf *batch, const struct event *event)
{
    char head[1 + MOST_GROUPS] = {(char)(SHORT | event->number)};
    size_t end = 1, left = event->text.len;
    for (; left >= 1 << GROUP_BITS; left >>= GROUP_BITS)
        head[end++] = (char)(left | 1 << GROUP_BITS);
    head[end++] = (char)left;
    buf_push(batch, str_make(head, end));
    buf_push(batch, event->text);
}

void event_bytes_push(struct buf *batch, const struct event *event)
{
    if (is_short(event)) {
        push_short(batch, event);
        return;
    }
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
    unsigned format = (unsigned char)body.at[0];
    if (format == 0 || format > EVENT_BYTES_FORMAT)
        return err_set(err, ERR_INVALID,
                       "the stored events' format is %u, this version reads 1 to %d", format,
                       EVENT_BYTES_FORMAT);
    *events = str_from(body, 1);
    return ERR_OK;
}

static struct str take_text(struct str *from, uint64_t len)
{
    struct str text = str_slice(*from, 0, (size_t)len);
    *from = str_from(*from, (size_t)len);
    return text;
}

static bool fail(struct str *events)
{
    *events = STR("");
    return false;
}

/* The length of a short token, behind its first byte. False: it is cut short, or too large. */
static bool take_length(struct str *events, uint64_t *len)
{
    *len = 0;
    for (unsigned i = 0; i < MOST_GROUPS && events->len > 0; i++) {
        uint64_t group = fixed_take(events, 1);
        *len |= (group & ((1 << GROUP_BITS) - 1)) << GROUP_BITS * i;
        if (group >> GROUP_BITS == 0)
            return *len <= events->len;
    }
    return false;
}

static bool take_short(struct str *events, uint64_t id, struct event *event)
{
    uint64_t attempt = fixed_take(events, 1) & (SHORT - 1), len;
    if (!take_length(events, &len))
        return fail(events);
    *event = (struct event){.id = id,
                            .kind = EVENT_TOKEN,
                            .number = (int64_t)attempt,
                            .name = STR(EVENT_FINAL_CHANNEL),
                            .text = take_text(events, len),
                            .more = STR("")};
    return true;
}

bool event_bytes_take(struct str *events, uint64_t id, struct event *event)
{
    if (events->len > 0 && ((unsigned char)events->at[0] & SHORT) != 0)
        return take_short(events, id, event);
    if (events->len < HEAD_BYTES)
        return false;
    uint64_t kind = fixed_take(events, 1);
    int64_t number = (int64_t)fixed_take(events, 8);
    uint64_t name = fixed_take(events, 4), text = fixed_take(events, 4);
    uint64_t more = fixed_take(events, 4);
    if (kind >= EVENT_KIND_COUNT || name + text + more > events->len)
        return fail(events);
    *event = (struct event){.id = id, .kind = (enum event_kind)kind, .number = number};
    event->name = take_text(events, name);
    event->text = take_text(events, text);
    event->more = take_text(events, more);
    return true;
}

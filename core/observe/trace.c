/* SPDX-License-Identifier: MIT */
/* core/observe/trace.c - ids made, read and written.
 *
 * Happy path: a header of 55 bytes is read by position.
 * Failure: other lengths, upper case, ids of zeros and the version ff are no parent. */
#include "core/observe/trace.h"

#include <string.h>

#include "core/base/id.h"

enum { ID_AT = 3, SPAN_AT = 36, FLAGS_AT = 53, FLAG_SAMPLED = 1 };

static uint64_t make_span_id(void)
{
    uint64_t id = id_random_u64();
    return id == 0 ? 1 : id;
}

struct trace_place trace_child(const struct trace_place *parent)
{
    return (struct trace_place){parent->trace, make_span_id()};
}

void trace_make_id(unsigned char *id)
{
    uint64_t halves[2] = {make_span_id(), id_random_u64()};
    memcpy(id, halves, TRACE_ID_BYTES);
}

/* ---- reading ---- */

static int digit_of(char c)
{
    if (str_is_digit(c))
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const char *at, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int high = digit_of(at[2 * i]), low = digit_of(at[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

static bool is_zero(const unsigned char *bytes, size_t count)
{
    while (count > 0 && bytes[count - 1] == 0)
        count--;
    return count == 0;
}

bool trace_parent_read(struct str text, struct trace_parent *parent)
{
    unsigned char version, flags, span[8];
    if (text.len < TRACE_PARENT_BYTES || text.at[2] != '-' || text.at[SPAN_AT - 1] != '-' ||
        text.at[FLAGS_AT - 1] != '-' || !read_hex(text.at, &version, 1) || version == 0xff)
        return false;
    if (text.len > TRACE_PARENT_BYTES && (version == 0 || text.at[TRACE_PARENT_BYTES] != '-'))
        return false;
    if (!read_hex(text.at + ID_AT, parent->id, TRACE_ID_BYTES) ||
        !read_hex(text.at + SPAN_AT, span, sizeof span) ||
        !read_hex(text.at + FLAGS_AT, &flags, 1) || is_zero(parent->id, TRACE_ID_BYTES) ||
        is_zero(span, sizeof span))
        return false;
    parent->span_id = 0;
    for (size_t i = 0; i < sizeof span; i++)
        parent->span_id = parent->span_id << 8 | span[i];
    parent->is_sampled = (flags & FLAG_SAMPLED) != 0;
    return true;
}

/* ---- writing ---- */

static const char digits[] = "0123456789abcdef";

void trace_write_id(const unsigned char *id, char *room)
{
    for (size_t i = 0; i < TRACE_ID_BYTES; i++) {
        room[2 * i] = digits[id[i] >> 4];
        room[2 * i + 1] = digits[id[i] & 15];
    }
    room[TRACE_ID_DIGITS] = '\0';
}

void trace_write_span(uint64_t span_id, char *room)
{
    for (unsigned i = 0; i < TRACE_SPAN_DIGITS; i++)
        room[i] = digits[span_id >> (60 - 4 * i) & 15];
    room[TRACE_SPAN_DIGITS] = '\0';
}

void trace_parent_write(const struct trace_place *place, bool is_sampled, char *room)
{
    memcpy(room, "00-", ID_AT);
    trace_write_id(place->trace->id, room + ID_AT);
    room[SPAN_AT - 1] = '-';
    trace_write_span(place->span_id, room + SPAN_AT);
    memcpy(room + FLAGS_AT - 1, is_sampled ? "-01" : "-00", 4);
}

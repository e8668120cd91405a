/* SPDX-License-Identifier: MIT */
/* server/results/zip_write.c - headers by hand, deflate by zlib (APPNOTE.TXT 6.3.10, RFC 1951).
 *
 * Happy path: local header, deflated bytes, data descriptor, for each entry; then the directory.
 * Failure: no memory, too many entries or bytes: failed, and nothing more is written. */
#include "server/results/zip_write.h"

#include <string.h>
#include <zlib.h>

#include "core/base/mem.h"

enum {
    LOCAL = 0x04034b50,
    DESCRIPTOR = 0x08074b50,
    DIRECTORY = 0x02014b50,
    END = 0x06054b50,
    VERSION = 20,
    FLAGS = 0x0808, /* sizes follow; names are UTF-8 */
    DEFLATED = 8,
    DATE = 0x21, /* the first of January 1980: archives of the same rows are the same */
    PIECE_BYTES = 16 * 1024,
    WINDOW_BITS = -15, /* without zlib's own head */
    MEMORY = 8,
};

struct zip_deflate {
    z_stream stream;
    unsigned char piece[PIECE_BYTES];
};

static void *take(void *owner, unsigned count, unsigned size)
{
    (void)owner;
    return mem_zalloc(count, size);
}

static void give(void *owner, void *at)
{
    (void)owner;
    mem_free(at);
}

static void push(struct zip_write *zip, struct str bytes)
{
    if (zip->failed)
        return;
    buf_push(zip->out, bytes);
    zip->written += bytes.len;
    zip->failed = !buf_ok(zip->out) || zip->written > UINT32_MAX;
}

static void push_u16(struct zip_write *zip, unsigned value)
{
    const char bytes[] = {(char)(value & 255), (char)(value >> 8 & 255)};
    push(zip, str_make(bytes, sizeof bytes));
}

static void push_u32(struct zip_write *zip, uint64_t value)
{
    push_u16(zip, (unsigned)(value & 0xffff));
    push_u16(zip, (unsigned)(value >> 16 & 0xffff));
}

/* Compress input, all of it and what was held back when the entry is_over. */
static void compress_bytes(struct zip_write *zip, struct str input, bool is_over)
{
    struct zip_entry *entry = &zip->entries[zip->count - 1];
    z_stream *stream = &zip->deflate->stream;
    stream->next_in = (unsigned char *)(uintptr_t)input.at; /* zlib reads only */
    stream->avail_in = (unsigned)input.len;
    for (bool goes_on = true; goes_on && !zip->failed;) {
        stream->next_out = zip->deflate->piece;
        stream->avail_out = PIECE_BYTES;
        int code = deflate(stream, is_over ? Z_FINISH : Z_NO_FLUSH);
        size_t made = PIECE_BYTES - stream->avail_out;
        zip->failed = zip->failed || code == Z_STREAM_ERROR;
        entry->packed += made;
        push(zip, str_make((const char *)zip->deflate->piece, made));
        goes_on = is_over ? code != Z_STREAM_END : stream->avail_out == 0;
    }
}

static void end_entry(struct zip_write *zip)
{
    const struct zip_entry *entry = &zip->entries[zip->count - 1];
    zip->is_open = false;
    compress_bytes(zip, STR(""), true);
    push_u32(zip, DESCRIPTOR);
    push_u32(zip, entry->checksum);
    push_u32(zip, entry->packed);
    push_u32(zip, entry->plain);
}

static bool open_deflate(struct zip_write *zip)
{
    if (zip->deflate != NULL)
        return deflateReset(&zip->deflate->stream) == Z_OK;
    zip->deflate = mem_zalloc(1, sizeof *zip->deflate);
    if (zip->deflate == NULL)
        return false;
    zip->deflate->stream.zalloc = take;
    zip->deflate->stream.zfree = give;
    if (deflateInit2(&zip->deflate->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS, MEMORY,
                     Z_DEFAULT_STRATEGY) == Z_OK)
        return true;
    mem_free(zip->deflate);
    zip->deflate = NULL;
    return false;
}

/* What local header and directory have in common. */
static void push_about(struct zip_write *zip, const struct zip_entry *entry)
{
    push_u16(zip, VERSION);
    push_u16(zip, FLAGS);
    push_u16(zip, DEFLATED);
    push_u16(zip, 0);
    push_u16(zip, DATE);
    push_u32(zip, entry->checksum);
    push_u32(zip, entry->packed);
    push_u32(zip, entry->plain);
    push_u16(zip, (unsigned)strlen(entry->name));
    push_u16(zip, 0);
}

void zip_write_entry(struct zip_write *zip, const char *name)
{
    if (zip->is_open)
        end_entry(zip);
    if (zip->failed || zip->count == ZIP_WRITE_ENTRIES || !open_deflate(zip)) {
        zip->failed = true;
        return;
    }
    struct zip_entry *entry = &zip->entries[zip->count++];
    *entry = (struct zip_entry){.name = name, .place = zip->written};
    zip->is_open = true;
    push_u32(zip, LOCAL);
    push_about(zip, entry);
    push(zip, str_of(name));
    entry->checksum = (uint32_t)crc32(0, NULL, 0);
}

void zip_write_bytes(struct zip_write *zip, struct str bytes)
{
    if (zip->failed || !zip->is_open)
        return;
    struct zip_entry *entry = &zip->entries[zip->count - 1];
    entry->plain += bytes.len;
    zip->failed = bytes.len > UINT32_MAX || entry->plain > UINT32_MAX;
    if (zip->failed || bytes.len == 0)
        return;
    entry->checksum =
        (uint32_t)crc32(entry->checksum, (const unsigned char *)bytes.at, (unsigned)bytes.len);
    compress_bytes(zip, bytes, false);
}

void zip_write_end(struct zip_write *zip)
{
    if (zip->is_open)
        end_entry(zip);
    const uint64_t place = zip->written;
    for (size_t i = 0; i < zip->count; i++) {
        const struct zip_entry *entry = &zip->entries[i];
        push_u32(zip, DIRECTORY);
        push_u16(zip, VERSION);
        push_about(zip, entry);
        push_u16(zip, 0); /* comment */
        push_u16(zip, 0); /* disk */
        push_u16(zip, 0); /* attributes, of two kinds */
        push_u32(zip, 0);
        push_u32(zip, entry->place);
        push(zip, str_of(entry->name));
    }
    const uint64_t size = zip->written - place;
    push_u32(zip, END);
    push_u32(zip, 0); /* disks */
    push_u16(zip, (unsigned)zip->count);
    push_u16(zip, (unsigned)zip->count);
    push_u32(zip, size);
    push_u32(zip, place);
    push_u16(zip, 0);
}

void zip_write_fini(struct zip_write *zip)
{
    if (zip->deflate != NULL)
        (void)deflateEnd(&zip->deflate->stream); /* cut in the middle: nothing to be said */
    mem_free(zip->deflate);
    zip->deflate = NULL;
}

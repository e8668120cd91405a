/* SPDX-License-Identifier: MIT */
/* core/run/event_log.c - records in a list of chunks, oldest first; one hook per turn.
 *
 * Happy path: an append copies one contiguous record into the newest chunk (chunks double from 512
 * bytes to 16 KiB) and asks for the hook; at the turn's end every reader with something to read is
 * told, then the pressure is judged. A dropped chunk of full size is kept for reuse, so a log that
 * has reached its size allocates nothing more.
 * Failure: no memory for a chunk -> 0, but for a short terminal event, whose chunk is there from
 * the start; a reader the log had to pass by is marked lagged. */
#include "core/run/event_log.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/loop/ahead.h"

enum { FIRST_CHUNK = 512, LAST_CHUNK = 16 * 1024, SMALLEST_CHUNK = 256, RECORD_ALIGN = 8 };

struct record { /* followed by name, text and more, then padding */
    int64_t number;
    uint32_t size; /* all of it */
    uint32_t text_len, more_len;
    uint16_t name_len, kind;
};

_Static_assert(sizeof(struct record) + EVENT_LOG_END_BYTES <= SMALLEST_CHUNK,
               "the end has its place");

struct chunk {
    struct chunk *newer;
    uint64_t first_id; /* of its first record */
    size_t count, used, cap;
    _Alignas(RECORD_ALIGN) char bytes[];
};

struct event_log {
    struct loop *loop;
    struct loop_task turn_end;
    struct event_log_hooks hooks;
    struct list readers;
    size_t reader_count;
    struct chunk *oldest, *newest, *spare;
    struct chunk *reserve; /* for a terminal event for which there is no memory; NULL: used */
    struct event_cursor last_read, *cache; /* cache: event_log_after's, writable through const */
    uint64_t last_id, next_id, gone_id, round;
    uint64_t stored_id; /* where it is kept */
    enum event_log_keeping keeping;
    bool hides;
    size_t limit, used, held; /* limit and used count records, held counts chunks */
    size_t last_chunk, next_chunk;
    bool closed, full;
    bool *destroyed; /* set while readers are told */
};

/* The bytes above which the log makes room; the log is full when there is no room to make. */
static size_t high_mark(const struct event_log *log)
{
    return log->limit - log->limit / 8;
}

struct event_log *event_log_create(struct loop *loop, size_t limit_bytes,
                                   struct event_log_hooks hooks)
{
    struct event_log *log = mem_zalloc(1, sizeof *log);
    if (log == NULL)
        return NULL;
    log->reserve = mem_alloc(sizeof *log->reserve + SMALLEST_CHUNK);
    if (log->reserve == NULL) {
        mem_free(log);
        return NULL;
    }
    log->reserve->cap = SMALLEST_CHUNK;
    log->loop = loop;
    log->hooks = hooks;
    log->limit = limit_bytes;
    log->last_chunk = size_max(size_min(LAST_CHUNK, limit_bytes / 4), SMALLEST_CHUNK);
    log->next_chunk = size_min(FIRST_CHUNK, log->last_chunk);
    log->cache = &log->last_read;
    log->next_id = 1;
    list_init(&log->readers);
    return log;
}

void event_log_destroy(struct event_log *log)
{
    if (log == NULL)
        return;
    CHECK(log->reader_count == 0);
    loop_unpost(&log->turn_end);
    while (log->oldest != NULL) {
        struct chunk *newer = log->oldest->newer;
        mem_free(log->oldest);
        log->oldest = newer;
    }
    mem_free(log->spare);
    mem_free(log->reserve);
    if (log->destroyed != NULL)
        *log->destroyed = true;
    mem_free(log);
}

static struct event_reader *reader_of(struct list *link)
{
    return list_item(link, struct event_reader, link);
}

static loop_fn on_turn_end;

static void ask_for_hook(struct event_log *log)
{
    loop_at_turn_end(log->loop, &log->turn_end, on_turn_end);
}

/* ---- making room ---- */

/* How many readers, of those the log has not passed by, are beyond id; *behind: the others. */
static size_t count_beyond(const struct event_log *log, uint64_t id, size_t *behind)
{
    size_t beyond = 0;
    *behind = 0;
    LIST_EACH(link, &log->readers) {
        const struct event_reader *reader = reader_of(link);
        if (reader->lagged)
            continue;
        if (reader->next_id > id)
            beyond++;
        else
            (*behind)++;
    }
    return beyond;
}

static void retire_chunk(struct event_log *log, struct chunk *chunk)
{
    if (log->spare == NULL && chunk->cap == log->last_chunk - sizeof *chunk) {
        log->spare = chunk;
        return;
    }
    log->held -= sizeof *chunk + chunk->cap;
    mem_free(chunk);
}

static void drop_oldest(struct event_log *log)
{
    struct chunk *chunk = log->oldest;
    uint64_t last = chunk->first_id + chunk->count - 1;
    LIST_EACH(link, &log->readers) {
        struct event_reader *reader = reader_of(link);
        if (reader->next_id <= last) {
            reader->lagged = true;
            ask_for_hook(log); /* to be told so */
        }
        if (reader->cursor.chunk == chunk)
            reader->cursor.chunk = NULL;
    }
    if (log->cache->chunk == chunk)
        log->cache->chunk = NULL;
    log->oldest = chunk->newer;
    log->gone_id = last;
    log->used -= chunk->used;
    retire_chunk(log, chunk);
}

/* Drop what every reader has passed, then what at least one has, until target bytes are left. */
static void make_room(struct event_log *log, size_t target)
{
    size_t behind;
    while (log->used > target && log->oldest != log->newest) {
        uint64_t last = log->oldest->first_id + log->oldest->count - 1;
        size_t beyond = count_beyond(log, last, &behind);
        if (beyond == 0)
            return;
        drop_oldest(log);
    }
}

/* ---- telling ---- */

static void judge_pressure(struct event_log *log)
{
    make_room(log, log->full ? log->limit / 2 : high_mark(log));
    bool full = log->full ? log->used > log->limit / 4 * 3 : log->used > high_mark(log);
    if (full == log->full)
        return;
    log->full = full;
    if (log->hooks.on_pressure != NULL && !log->closed)
        log->hooks.on_pressure(log->hooks.owner, full);
}

static struct event_reader *find_untold(struct event_log *log)
{
    LIST_EACH(link, &log->readers) {
        struct event_reader *reader = reader_of(link);
        if (reader->round != log->round && reader->next_id <= log->last_id)
            return reader;
    }
    return NULL;
}

/* Readers may attach, detach and even destroy the log from on_grown. */
static void on_turn_end(struct loop_task *task)
{
    struct event_log *log = container_of(task, struct event_log, turn_end);
    struct event_reader *reader;
    bool destroyed = false;
    log->destroyed = &destroyed;
    log->round++;
    while (!destroyed && (reader = find_untold(log)) != NULL) {
        reader->round = log->round;
        reader->on_grown(reader);
    }
    if (destroyed)
        return;
    log->destroyed = NULL;
    judge_pressure(log);
}

/* ---- writing ---- */

/* A chunk with room for size bytes, new or kept. NULL: no memory. */
static struct chunk *make_chunk(struct event_log *log, size_t size)
{
    struct chunk *chunk = log->spare;
    size_t cap = size_max(log->next_chunk - sizeof *chunk, size);
    if (chunk != NULL && chunk->cap >= size) {
        log->spare = NULL;
        return chunk;
    }
    chunk = mem_alloc(sizeof *chunk + cap);
    if (chunk == NULL)
        return NULL;
    chunk->cap = cap;
    log->held += sizeof *chunk + cap;
    log->next_chunk = size_min(log->next_chunk * 2, log->last_chunk);
    return chunk;
}

static struct chunk *take_reserve(struct event_log *log, size_t size)
{
    struct chunk *chunk = log->reserve;
    if (chunk == NULL || chunk->cap < size)
        return NULL;
    log->reserve = NULL;
    log->held += sizeof *chunk + chunk->cap;
    return chunk;
}

/* A chunk with room for size bytes at the end of the list. False: no memory. */
static bool add_chunk(struct event_log *log, size_t size, bool is_last)
{
    struct chunk *chunk = make_chunk(log, size);
    if (chunk == NULL && is_last)
        chunk = take_reserve(log, size);
    if (chunk == NULL)
        return false;
    chunk->newer = NULL;
    chunk->first_id = log->next_id;
    chunk->count = chunk->used = 0;
    if (log->newest != NULL)
        log->newest->newer = chunk;
    else
        log->oldest = chunk;
    log->newest = chunk;
    return true;
}

/* The newest chunk, which has no ids left out. */
static bool has_room(const struct event_log *log, size_t size)
{
    const struct chunk *newest = log->newest;
    return newest != NULL && newest->cap - newest->used >= size &&
           newest->first_id + newest->count == log->next_id;
}

static char *copy_text(char *to, struct str text)
{
    if (text.len > 0)
        memcpy(to, text.at, text.len);
    return to + text.len;
}

uint64_t event_log_append(struct event_log *log, const struct event *event)
{
    bool last = event_is_terminal(event->kind);
    size_t texts = event->name.len + event->text.len + event->more.len;
    CHECK(!log->closed);
    CHECK(event->name.len <= UINT16_MAX && texts < UINT32_MAX / 2);
    CHECK(last || texts <= log->limit / 4);
    size_t size = sizeof(struct record) + texts;
    size = (size + RECORD_ALIGN - 1) & ~(size_t)(RECORD_ALIGN - 1);
    if (log->used + size > high_mark(log))
        make_room(log, high_mark(log) > size ? high_mark(log) - size : 0);
    if (!has_room(log, size) && !add_chunk(log, size, last))
        return 0;
    struct chunk *chunk = log->newest;
    struct record *record = (void *)(chunk->bytes + chunk->used);
    *record = (struct record){event->number,
                              (uint32_t)size,
                              (uint32_t)event->text.len,
                              (uint32_t)event->more.len,
                              (uint16_t)event->name.len,
                              (uint16_t)event->kind};
    char *to = copy_text((char *)(record + 1), event->name);
    to = copy_text(to, event->text);
    copy_text(to, event->more);
    chunk->used += size;
    chunk->count++;
    log->used += size;
    log->closed = last;
    AHEAD_NOTE(log->loop, log, &log->newest, &log->next_id, &log->closed, chunk,
               chunk->bytes + chunk->used, log->readers.next);
    ask_for_hook(log);
    log->last_id = log->next_id++;
    return log->last_id;
}

void event_log_skip(struct event_log *log, uint64_t first_id)
{
    if (first_id > log->next_id)
        log->next_id = first_id;
}

uint64_t event_log_last_id(const struct event_log *log)
{
    return log->last_id;
}

bool event_log_is_closed(const struct event_log *log)
{
    return log->closed;
}

uint64_t event_log_gone_id(const struct event_log *log)
{
    return log->gone_id;
}

/* ---- reading ---- */

static bool has_id(const struct chunk *chunk, uint64_t id)
{
    return chunk != NULL && id >= chunk->first_id && id - chunk->first_id < chunk->count;
}

/* Where id is, or else the next one that there is, both in memory; *cursor is where to begin. */
static struct event_cursor place_of(const struct event_log *log, uint64_t id,
                                    const struct event_cursor *cursor)
{
    struct chunk *chunk = cursor->chunk;
    if (has_id(chunk, id) && id >= cursor->id)
        return *cursor;
    chunk = chunk != NULL && has_id(chunk->newer, id) ? chunk->newer : log->oldest;
    while (chunk->first_id + chunk->count <= id)
        chunk = chunk->newer;
    return (struct event_cursor){chunk, 0, chunk->first_id};
}

/* The record of id, or of the next one that there is; *cursor is where to begin and is moved there.
 */
static const struct record *find_record(const struct event_log *log, uint64_t id,
                                        struct event_cursor *cursor)
{
    *cursor = place_of(log, id, cursor);
    const struct chunk *chunk = cursor->chunk;
    const struct record *record = (const void *)(chunk->bytes + cursor->offset);
    for (; cursor->id < id; cursor->id++) {
        cursor->offset += record->size;
        record = (const void *)(chunk->bytes + cursor->offset);
    }
    return record;
}

static enum err_code read_event(const struct event_log *log, uint64_t id,
                                struct event_cursor *cursor, struct event *event)
{
    if (id > log->last_id)
        return ERR_NOT_FOUND;
    if (id <= log->gone_id)
        return ERR_GONE;
    const struct record *record = find_record(log, id, cursor);
    const char *at = (const char *)(record + 1);
    *event = (struct event){
        .id = cursor->id,
        .kind = (enum event_kind)record->kind,
        .number = record->number,
        .name = str_make(at, record->name_len),
        .text = str_make(at + record->name_len, record->text_len),
        .more = str_make(at + record->name_len + record->text_len, record->more_len),
    };
    return ERR_OK;
}

enum err_code event_log_after(const struct event_log *log, uint64_t id, struct event *event)
{
    return read_event(log, id + 1, log->cache, event);
}

enum err_code event_log_next(const struct event_log *log, struct event_reader *reader,
                             struct event *event)
{
    return reader->lagged ? ERR_GONE : read_event(log, reader->next_id, &reader->cursor, event);
}

enum err_code event_log_attach(struct event_log *log, struct event_reader *reader,
                               uint64_t after_id)
{
    CHECK(!list_is_linked(&reader->link));
    if (after_id >= log->next_id)
        return ERR_INVALID;
    if (after_id < log->gone_id)
        return ERR_GONE;
    reader->next_id = after_id + 1;
    reader->lagged = false;
    reader->round = 0;
    reader->cursor = (struct event_cursor){0};
    list_push(&log->readers, &reader->link);
    log->reader_count++;
    ask_for_hook(log); /* there may be something to read, and room to make */
    return ERR_OK;
}

void event_log_advance(struct event_log *log, struct event_reader *reader, uint64_t id)
{
    CHECK(id <= log->last_id);
    if (id < reader->next_id)
        return;
    reader->next_id = id + 1;
    if (log->full)
        ask_for_hook(log);
}

void event_log_detach(struct event_log *log, struct event_reader *reader)
{
    if (!list_is_linked(&reader->link))
        return;
    list_remove(&reader->link);
    reader->cursor.chunk = NULL;
    log->reader_count--;
    if (log->full)
        ask_for_hook(log); /* the one that left may have been the slow one */
}

static void tell_stored(struct event_log *log)
{
    if (log->hides)
        ask_for_hook(log); /* readers have something to read now */
    if (log->hooks.on_stored != NULL)
        log->hooks.on_stored(log->hooks.owner);
}

void event_log_keep(struct event_log *log)
{
    log->keeping = EVENT_LOG_KEPT;
}

void event_log_lose(struct event_log *log)
{
    if (log->keeping == EVENT_LOG_LOST)
        return;
    log->keeping = EVENT_LOG_LOST;
    tell_stored(log);
}

void event_log_note_stored(struct event_log *log, uint64_t id)
{
    if (id <= log->stored_id)
        return;
    log->stored_id = id;
    tell_stored(log);
}

enum event_log_keeping event_log_keeping(const struct event_log *log)
{
    return log->keeping;
}

uint64_t event_log_stored_id(const struct event_log *log)
{
    return log->stored_id;
}

void event_log_hide(struct event_log *log)
{
    log->hides = true;
}

uint64_t event_log_shown_id(const struct event_log *log)
{
    bool hides = log->hides && log->keeping == EVENT_LOG_KEPT;
    return hides && log->stored_id < log->last_id ? log->stored_id : log->last_id;
}

size_t event_log_reader_count(const struct event_log *log)
{
    return log->reader_count;
}

size_t event_log_bytes(const struct event_log *log)
{
    return sizeof *log + log->held;
}

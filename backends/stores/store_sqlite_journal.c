/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite_journal.c - what runs say, as one row for each write of many runs.
 *
 * A batch of events of each run is small, and a row of its own would change two pages. So a write
 * puts one row with the batches of all its runs into the table journal, and they are remembered:
 * when a run ends, when its first one is SETTLE_MS old, or when they take too much memory, a run's
 * batches are settled, which means put into events as one row. The table is small and its rows are
 * used again, so it stays in the same few pages. Whoever takes runs over, removes something, or has
 * forgotten what the journal holds, settles all of it, also what other connections wrote: a batch
 * that is settled already is known by the run's last_event_id. On the database's thread only, in a
 * transaction; forget after one that was rolled back.
 *
 * A row's bytes are, for each batch, the run's id and the frame: first id, count, bytes; at the end
 * a CRC-32C. A row of events holds one batch, or as many frames as its column parts says, likewise.
 * The rows from the first one of the first such run to the last one put are in use; when the row
 * behind them is the first again and in use, the runs that need it are settled. Failure paths: a
 * row that is damaged is passed over, and what is said behind a gap is not settled; SQLite's; no
 * memory, after which the transaction is rolled back. */
#include "backends/stores/store_sqlite_internal.h"

#include <sqlite3.h>
#include <string.h>

#include "core/base/crc.h"
#include "core/base/fixed.h"
#include "core/base/id.h"
#include "core/base/list.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/store/event.h"

enum {
    SETTLE_MS = 10 * 1000,
    MOST_BYTES = 8 * 1024 * 1024,      /* of all runs, in memory; not counting the last write */
    ALONE_BYTES = 4 * 1024,            /* a larger batch goes into events at once */
    FRAMES_BYTES = 1024 * 1024 * 1024, /* never reached: see the two above */
    CHECKSUM_BYTES = 4,
    ID_BYTES = 2,
    HEAD_BYTES = 8 + 4 + 4, /* of a frame: first id, count, length */
};

/* The batches of a run that are in the journal. */
struct part {
    struct list link;
    struct str run_id;
    uint64_t began_ms, first_id, last_id;
    unsigned batches;
    size_t slot; /* of its first row */
    struct buf frames;
    /* what the run's row said of the owner's fence when so many moves of fences were counted */
    struct str instance;
    uint64_t epoch, moves;
    bool is_noted, cancel_asked, forget_asked;
    char bytes[]; /* of run_id and instance */
};

struct store_sqlite_journal {
    uint64_t writer;         /* of the rows that this connection puts */
    struct map parts;        /* run id -> struct part */
    struct part *found;      /* of parts: the one that was asked for last, or NULL */
    struct list order;       /* parts, by their first rows */
    size_t bytes;            /* of their frames */
    struct buf row;          /* being made */
    size_t slot, slot_count; /* of row; used so far */
    uint64_t sequence;
    bool is_forgotten; /* the table may hold more than parts */
};

struct store_sqlite_journal *store_sqlite_journal_create(void)
{
    struct store_sqlite_journal *journal = mem_zalloc(1, sizeof *journal);
    if (journal == NULL)
        return NULL;
    journal->writer = id_random_u64() >> 1;
    journal->is_forgotten = true;
    map_init(&journal->parts);
    list_init(&journal->order);
    buf_init(&journal->row, FRAMES_BYTES);
    return journal;
}

/* NULL: the journal has nothing of the run. A batch asks for its run several times. */
static struct part *find_part(struct store_sqlite_journal *journal, struct str run_id)
{
    if (journal->found == NULL || !str_equal(journal->found->run_id, run_id))
        journal->found = map_find(&journal->parts, run_id);
    return journal->found;
}

static void drop(struct store_sqlite_journal *journal, struct part *part, size_t counted)
{
    (void)map_take(&journal->parts, part->run_id);
    journal->found = NULL;
    list_remove(&part->link);
    journal->bytes -= counted;
    buf_fini(&part->frames);
    mem_free(part);
}

static void drop_all(struct store_sqlite_journal *journal)
{
    LIST_EACH_SAFE(link, &journal->order)
        drop(journal, list_item(link, struct part, link), 0);
    journal->bytes = 0;
    buf_clear(&journal->row);
    journal->slot_count = 0;
}

void store_sqlite_journal_destroy(struct store_sqlite_journal *journal)
{
    if (journal == NULL)
        return;
    drop_all(journal);
    map_fini(&journal->parts);
    buf_fini(&journal->row);
    mem_free(journal);
}

void store_sqlite_journal_forget(struct store_sqlite_journal *journal)
{
    drop_all(journal);
    journal->is_forgotten = true;
}

bool store_sqlite_journal_is_open(const struct store_sqlite_journal *journal)
{
    return buf_len(&journal->row) > 0;
}

/* ---- frames ---- */

static void push_frame(struct buf *frames, const struct store_batch *batch)
{
    fixed_push(frames, batch->first_id, 8);
    fixed_push(frames, batch->count, 4);
    fixed_push(frames, batch->bytes.len, 4);
    buf_push(frames, batch->bytes);
}

/* Take the next frame. False: there is none, or it is cut short. */
static bool take_frame(struct str *frames, struct store_batch *batch)
{
    if (frames->len < HEAD_BYTES)
        return false;
    batch->first_id = fixed_take(frames, 8);
    batch->count = fixed_take(frames, 4);
    uint64_t len = fixed_take(frames, 4);
    if (len > frames->len || batch->count == 0)
        return false;
    batch->bytes = str_slice(*frames, 0, len);
    *frames = str_from(*frames, len);
    return true;
}

/* The same of a row, with the run's id in front. */
static bool take_row_frame(struct str *row, struct str *run_id, struct store_batch *batch)
{
    if (row->len < ID_BYTES)
        return false;
    uint64_t len = fixed_take(row, ID_BYTES);
    if (len > row->len)
        return false;
    *run_id = str_slice(*row, 0, len);
    *row = str_from(*row, len);
    return take_frame(row, batch);
}

static void push_checksum(struct buf *frames)
{
    fixed_push(frames, crc_32c(buf_str(frames)), CHECKSUM_BYTES);
}

/* Cut the checksum off. False: it is wrong. */
static bool take_checksum(struct str *frames)
{
    if (frames->len < CHECKSUM_BYTES)
        return false;
    struct str tail = str_from(*frames, frames->len - CHECKSUM_BYTES);
    *frames = str_slice(*frames, 0, frames->len - CHECKSUM_BYTES);
    return fixed_take(&tail, CHECKSUM_BYTES) == crc_32c(*frames);
}

static uint64_t last_of(const struct store_batch *batch)
{
    return batch->first_id + batch->count - 1;
}

/* ---- settling ---- */

/* Note the last event of a batch. *is_new: it comes behind those that are in events. */
static enum err_code note_last(const struct store_sqlite_job *job, struct str run_id,
                               const struct store_batch *batch, bool *is_new, struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "UPDATE runs SET last_event_id = ?2 WHERE run_id = ?1"
                              " AND last_event_id < ?3"
                              " AND (last_event_id + 1 = ?3 OR ?3 % ?4 = 1)");
    sqlite_row_text(&row, run_id);
    sqlite_row_number(&row, last_of(batch));
    sqlite_row_number(&row, batch->first_id);
    sqlite_row_number(&row, EVENT_IDS_A_SERVER);
    enum err_code code = sqlite_row_run(&row, err);
    *is_new = code == ERR_OK && sqlite3_changes(job->db) > 0;
    return code;
}

static enum err_code insert_events(const struct store_sqlite_job *job, struct str run_id,
                                   const struct store_batch *batch, uint64_t parts, struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "INSERT INTO events (run_id, first_id, count, bytes, parts)"
                              " VALUES (?1, ?2, ?3, ?4, ?5)");
    sqlite_row_text(&row, run_id);
    sqlite_row_number(&row, batch->first_id);
    sqlite_row_number(&row, batch->count);
    sqlite_row_bytes(&row, batch->bytes);
    sqlite_row_number(&row, parts);
    return sqlite_row_run(&row, err);
}

enum err_code store_sqlite_journal_insert(const struct store_sqlite_job *job, struct str run_id,
                                          const struct store_batch *batch, struct err *err)
{
    bool is_new;
    enum err_code code = note_last(job, run_id, batch, &is_new, err);
    return code == ERR_OK && is_new ? insert_events(job, run_id, batch, 0, err) : code;
}

/* Put the batches of part into events as one row. is_noted: that they are there is in the run's row
 * already. */
static enum err_code settle_as(const struct store_sqlite_job *job, struct part *part, bool is_noted,
                               struct err *err)
{
    struct store_batch batch = {.first_id = part->first_id,
                                .count = part->last_id - part->first_id + 1};
    struct str frames = buf_str(&part->frames);
    uint64_t parts = part->batches == 1 ? 0 : part->batches;
    size_t counted = frames.len;
    bool is_new = true;
    enum err_code code = is_noted ? ERR_OK : note_last(job, part->run_id, &batch, &is_new, err);
    if (parts == 0)
        (void)take_frame(&frames, &batch);
    else
        push_checksum(&part->frames);
    if (parts > 0)
        batch.bytes = buf_str(&part->frames);
    if (code == ERR_OK && !buf_ok(&part->frames))
        code = err_set(err, ERR_NO_MEMORY, "no memory for events");
    if (code == ERR_OK && is_new)
        code = insert_events(job, part->run_id, &batch, parts, err);
    drop(job->journal, part, counted);
    return code;
}

static enum err_code settle(const struct store_sqlite_job *job, struct part *part, struct err *err)
{
    return settle_as(job, part, false, err);
}

enum err_code store_sqlite_journal_settle(const struct store_sqlite_job *job, struct str run_id,
                                          struct err *err)
{
    struct part *part = find_part(job->journal, run_id);
    return part == NULL ? ERR_OK : settle(job, part, err);
}

enum err_code store_sqlite_journal_settle_noted(const struct store_sqlite_job *job,
                                                struct str run_id, struct err *err)
{
    struct part *part = find_part(job->journal, run_id);
    return part == NULL ? ERR_OK : settle_as(job, part, true, err);
}

static struct part *first_part(const struct store_sqlite_journal *journal)
{
    return list_is_empty(&journal->order) ? NULL
                                          : list_item(journal->order.next, struct part, link);
}

static enum err_code settle_due(const struct store_sqlite_job *job, struct err *err)
{
    struct store_sqlite_journal *journal = job->journal;
    struct part *part;
    enum err_code code = ERR_OK;
    while (code == ERR_OK && (part = first_part(journal)) != NULL &&
           (part->began_ms + SETTLE_MS <= job->steady_ms || journal->bytes > MOST_BYTES))
        code = settle(job, part, err);
    return code;
}

/* Settle the batches of a row, in the order in which they were written. */
static enum err_code settle_row(const struct store_sqlite_job *job, struct str bytes,
                                struct err *err)
{
    struct str run_id;
    struct store_batch batch;
    enum err_code code = ERR_OK;
    if (!take_checksum(&bytes))
        return ERR_OK;
    while (code == ERR_OK && take_row_frame(&bytes, &run_id, &batch))
        code = store_sqlite_journal_insert(job, run_id, &batch, err);
    return code;
}

enum err_code store_sqlite_journal_settle_all(const struct store_sqlite_job *job, struct err *err)
{
    enum err_code code = ERR_OK;
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT bytes FROM journal ORDER BY writer, sequence");
    while (code == ERR_OK && sqlite_row_next(&row))
        code = settle_row(job, sqlite_row_bytes_at(&row, 0), err);
    enum err_code ended = sqlite_row_end(&row, err);
    code = code == ERR_OK ? ended : code;
    if (code == ERR_OK) {
        row = store_sqlite_row(job, "DELETE FROM journal");
        code = sqlite_row_run(&row, err);
    }
    drop_all(job->journal);
    job->journal->is_forgotten = code != ERR_OK;
    return code;
}

enum err_code store_sqlite_journal_begin(const struct store_sqlite_job *job, struct err *err)
{
    return job->journal->is_forgotten ? store_sqlite_journal_settle_all(job, err) : ERR_OK;
}

/* ---- writing ---- */

uint64_t store_sqlite_journal_last(const struct store_sqlite_job *job, struct str run_id,
                                   uint64_t last_id)
{
    struct part *part = find_part(job->journal, run_id);
    if (part == NULL)
        return last_id;
    if (part->last_id > last_id)
        return part->last_id;
    drop(job->journal, part, buf_len(&part->frames)); /* somebody settled it */
    return last_id;
}

bool store_sqlite_journal_knows(const struct store_sqlite_job *job, const struct store_fence *fence,
                                uint64_t moves, struct store_verdict *verdict)
{
    const struct part *part = find_part(job->journal, fence->run_id);
    if (part == NULL || !part->is_noted || part->moves != moves || part->epoch != fence->epoch ||
        !str_equal(part->instance, fence->instance))
        return false;
    *verdict = (struct store_verdict){.last_id = part->last_id,
                                      .cancel_asked = part->cancel_asked,
                                      .forget_asked = part->forget_asked};
    return true;
}

void store_sqlite_journal_note(const struct store_sqlite_job *job, const struct store_fence *fence,
                               uint64_t moves, const struct store_verdict *verdict)
{
    struct part *part = find_part(job->journal, fence->run_id);
    if (part == NULL || part->epoch != fence->epoch || !str_equal(part->instance, fence->instance))
        return;
    part->is_noted = true;
    part->moves = moves;
    part->cancel_asked = verdict->cancel_asked;
    part->forget_asked = verdict->forget_asked;
}

static struct part *make_part(const struct store_sqlite_job *job, const struct store_append *append)
{
    struct store_sqlite_journal *journal = job->journal;
    struct str run_id = append->fence.run_id, instance = append->fence.instance;
    struct part *part = mem_zalloc(1, sizeof *part + run_id.len + instance.len);
    if (part == NULL)
        return NULL;
    memcpy(part->bytes, run_id.at, run_id.len);
    memcpy(part->bytes + run_id.len, instance.at, instance.len);
    part->run_id = str_make(part->bytes, run_id.len);
    part->instance = str_make(part->bytes + run_id.len, instance.len);
    part->epoch = append->fence.epoch;
    part->began_ms = job->steady_ms;
    part->first_id = append->batch.first_id;
    part->slot = journal->slot;
    buf_init(&part->frames, FRAMES_BYTES);
    list_push(&journal->order, &part->link);
    if (map_put(&journal->parts, part->run_id, part))
        return part;
    list_remove(&part->link);
    mem_free(part);
    return NULL;
}

/* The slot of the next row; what else needs that one is settled. */
static enum err_code find_slot(const struct store_sqlite_job *job, struct err *err)
{
    struct store_sqlite_journal *journal = job->journal;
    const struct part *first = first_part(journal);
    enum err_code code = ERR_OK;
    size_t next = first == NULL ? 0 : journal->slot + 1;
    if (first != NULL && next >= journal->slot_count && first->slot > 0)
        next = 0;
    while (code == ERR_OK && (first = first_part(journal)) != NULL && first->slot == next)
        code = settle(job, first_part(journal), err);
    journal->slot = next;
    journal->slot_count = size_max(journal->slot_count, next + 1);
    return code;
}

enum err_code store_sqlite_journal_add(const struct store_sqlite_job *job,
                                       const struct store_append *append, uint64_t last_id,
                                       struct err *err)
{
    struct store_sqlite_journal *journal = job->journal;
    const struct store_fence *fence = &append->fence;
    struct part *part = find_part(journal, fence->run_id);
    enum err_code code = ERR_OK;
    bool goes_on =
        part != NULL && part->last_id == last_id && append->batch.first_id == last_id + 1;
    bool is_alone = append->batch.bytes.len > ALONE_BYTES || fence->run_id.len > UINT16_MAX;
    if (part != NULL && (!goes_on || is_alone)) {
        code = settle(job, part, err);
        part = NULL;
    }
    if (code != ERR_OK)
        return code;
    if (is_alone)
        return store_sqlite_journal_insert(job, fence->run_id, &append->batch, err);
    if (buf_len(&journal->row) == 0)
        code = find_slot(job, err);
    if (code == ERR_OK && find_part(journal, fence->run_id) == NULL)
        part = make_part(job, append);
    if (code != ERR_OK || part == NULL)
        return code != ERR_OK ? code : err_set(err, ERR_NO_MEMORY, "no memory for events");
    size_t before = buf_len(&part->frames);
    push_frame(&part->frames, &append->batch);
    journal->bytes += buf_len(&part->frames) - before;
    part->last_id = last_of(&append->batch);
    part->batches++;
    fixed_push(&journal->row, fence->run_id.len, ID_BYTES);
    buf_push(&journal->row, fence->run_id);
    push_frame(&journal->row, &append->batch);
    return buf_ok(&part->frames) && buf_ok(&journal->row)
               ? ERR_OK
               : err_set(err, ERR_NO_MEMORY, "no memory for events");
}

enum err_code store_sqlite_journal_put(const struct store_sqlite_job *job, struct err *err)
{
    struct store_sqlite_journal *journal = job->journal;
    if (buf_len(&journal->row) == 0)
        return ERR_OK;
    push_checksum(&journal->row);
    if (!buf_ok(&journal->row))
        return err_set(err, ERR_NO_MEMORY, "no memory for events");
    struct sqlite_row row =
        store_sqlite_row(job, "INSERT OR REPLACE INTO journal VALUES (?1, ?2, ?3, ?4)");
    sqlite_row_number(&row, journal->writer);
    sqlite_row_number(&row, journal->slot);
    sqlite_row_number(&row, ++journal->sequence);
    sqlite_row_bytes(&row, buf_str(&journal->row));
    enum err_code code = sqlite_row_run(&row, err);
    buf_clear(&journal->row);
    return code == ERR_OK ? settle_due(job, err) : code;
}

/* ---- reading ---- */

struct reading {
    struct store_call *call;
    uint64_t after_id, limit_bytes, bytes;
    bool is_full;
};

/* Add a batch, unless it or a later one was read before: rows that were settled stay a while. */
static enum err_code add_batch(struct reading *reading, const struct store_batch *batch)
{
    struct store_call *call = reading->call;
    if (last_of(batch) <= call->last_id)
        return ERR_OK;
    call->last_id = last_of(batch);
    if (reading->is_full || call->last_id <= reading->after_id)
        return ERR_OK;
    reading->bytes += batch->bytes.len;
    reading->is_full = call->batch_count > 0 && reading->bytes > reading->limit_bytes;
    return reading->is_full ? ERR_OK : store_add_batch(call, batch);
}

static enum err_code add_frames(struct reading *reading, struct str frames)
{
    struct store_batch batch;
    enum err_code code = ERR_OK;
    while (code == ERR_OK && take_frame(&frames, &batch))
        code = add_batch(reading, &batch);
    return code;
}

/* A row of events; one that is damaged is added as it is, and whoever decodes it sees that. */
static enum err_code add_settled(struct reading *reading, const struct store_batch *batch,
                                 uint64_t parts)
{
    struct str frames = batch->bytes;
    if (parts == 0 || !take_checksum(&frames))
        return add_batch(reading, batch);
    return add_frames(reading, frames);
}

static enum err_code read_events(const struct store_sqlite_job *job, struct reading *reading,
                                 struct str run_id, struct err *err)
{
    enum err_code added = ERR_OK;
    struct sqlite_row row = store_sqlite_row(
        job, "SELECT first_id, count, bytes, parts FROM events WHERE run_id = ?1 AND first_id"
             " >= ifnull((SELECT max(first_id) FROM events WHERE run_id = ?1 AND first_id <="
             " ?2), 0) AND first_id + count > ?2 ORDER BY first_id");
    sqlite_row_text(&row, run_id);
    sqlite_row_number(&row, reading->after_id + 1);
    while (added == ERR_OK && !reading->is_full && sqlite_row_next(&row)) {
        const struct store_batch batch = {sqlite_row_number_at(&row, 0),
                                          sqlite_row_number_at(&row, 1),
                                          sqlite_row_bytes_at(&row, 2)};
        added = add_settled(reading, &batch, sqlite_row_number_at(&row, 3));
    }
    enum err_code code = sqlite_row_end(&row, err);
    return added == ERR_OK ? code : added;
}

/* The run's batches in a row. */
static enum err_code add_row(struct reading *reading, struct str row, struct str run_id)
{
    struct str whose;
    struct store_batch batch;
    enum err_code code = ERR_OK;
    if (!take_checksum(&row))
        return ERR_OK;
    while (code == ERR_OK && take_row_frame(&row, &whose, &batch))
        if (str_equal(whose, run_id))
            code = add_batch(reading, &batch);
    return code;
}

/* What other connections wrote, and this one, when it has forgotten that. */
static enum err_code read_rows(const struct store_sqlite_job *job, struct reading *reading,
                               struct str run_id, struct err *err)
{
    enum err_code added = ERR_OK;
    struct sqlite_row row = store_sqlite_row(job, "SELECT bytes FROM journal WHERE writer <> ?1"
                                                  " ORDER BY writer, sequence");
    sqlite_row_number(&row, job->journal->is_forgotten ? 0 : job->journal->writer);
    while (added == ERR_OK && sqlite_row_next(&row))
        added = add_row(reading, sqlite_row_bytes_at(&row, 0), run_id);
    enum err_code code = sqlite_row_end(&row, err);
    return added == ERR_OK ? code : added;
}

enum err_code store_sqlite_journal_read(const struct store_sqlite_job *job, uint64_t after_id,
                                        uint64_t limit_bytes, struct err *err)
{
    struct store_call *call = job->call;
    struct store_run *run = (struct store_run *)(uintptr_t)&call->runs[0];
    struct reading reading = {call, after_id, limit_bytes, 0, false};
    const struct part *part = find_part(job->journal, run->run_id);
    enum err_code code = read_events(job, &reading, run->run_id, err);
    if (code == ERR_OK && part != NULL)
        code = add_frames(&reading, buf_str(&part->frames));
    else if (code == ERR_OK && run->status == STORE_RUNNING)
        code = read_rows(job, &reading, run->run_id, err);
    call->last_id = size_max(call->last_id, run->last_event_id);
    run->last_event_id = call->last_id;
    return code;
}

/* Raise the last events of the runs, by their ids, to those in a row. */
static void raise_last(const struct map *runs, struct str row)
{
    struct str whose;
    struct store_batch batch;
    struct store_run *run;
    if (!take_checksum(&row))
        return;
    while (take_row_frame(&row, &whose, &batch))
        if ((run = map_find(runs, whose)) != NULL)
            run->last_event_id = size_max(run->last_event_id, last_of(&batch));
}

enum err_code store_sqlite_journal_tell(const struct store_sqlite_job *job, struct err *err)
{
    struct map runs;
    bool is_fine = true;
    enum err_code code = ERR_OK;
    map_init(&runs);
    for (size_t i = 0; i < job->call->run_count; i++) {
        const struct store_run *run = &job->call->runs[i];
        if (run->status == STORE_RUNNING && find_part(job->journal, run->run_id) == NULL)
            is_fine &= map_put(&runs, run->run_id, (void *)(uintptr_t)run);
    }
    if (map_count(&runs) > 0) {
        struct sqlite_row row = store_sqlite_row(job, "SELECT bytes FROM journal");
        while (sqlite_row_next(&row))
            raise_last(&runs, sqlite_row_bytes_at(&row, 0));
        code = sqlite_row_end(&row, err);
    }
    map_fini(&runs);
    return is_fine ? code : err_set(err, ERR_NO_MEMORY, "no memory for runs");
}

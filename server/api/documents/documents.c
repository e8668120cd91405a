/* SPDX-License-Identifier: MIT */
/* server/api/documents/documents.c - a list of jobs, the first of which is under way.
 *
 * Happy path: submit -> the document is claimed -> the ledger of the company is read -> limits are
 * looked at -> the document is added or removed -> the claim is given back -> the end is told ->
 * the next job. Failure: told to whoever waits; a job's failure is its own; closing cancels the one
 * under way and ends the others. */
#include "server/api/documents/documents.h"

#include <inttypes.h>

#include "backends/ledger_errors.h"
#include "core/base/mem.h"
#include "core/base/resident.h"
#include "core/loop/closing.h"
#include "server/wiring/document_stores.h"

enum {
    MOST_WAITING = 32,
    MOST_BYTES = 64 << 20, /* of the files that wait */
    MEMORY_SHARE = 4,      /* of ASKD_MEMORY_LIMIT: what waits may have the fourth part, over all
                              workers */
    READING_SHARE = 2,     /* of what is left of it: reading a file may take half */
    NAMES_BYTES = 4096,
    ENTRIES_BYTES = 64 << 20
};
#define UPLOADED "upload:" /* what the ledger says of where a document came from */

static const struct err stopping = {ERR_CANCELLED, "the server is stopping"};

struct documents {
    struct loop *loop;
    const struct services *has;
    const struct config *config;
    struct ledger *ledger;
    struct ledger_limits limits;
    struct list jobs; /* the first one is under way */
    size_t count, bytes;
    struct loop_task next;
    struct closing closing; /* out: the job under way, the ledger */
};

static struct documents_job *job_of(struct list *link)
{
    return list_item(link, struct documents_job, link);
}

bool documents_is_uploaded(const struct ledger_entry *entry)
{
    return str_starts_with(entry->source, STR(UPLOADED));
}

struct ledger *documents_ledger(const struct documents *documents)
{
    return documents->ledger;
}

/* ---- jobs ---- */

struct documents_job *documents_make(void)
{
    struct documents_job *job = mem_zalloc(1, sizeof *job);
    if (job == NULL)
        return NULL;
    arena_init(&job->arena, NAMES_BYTES);
    arena_init(&job->entries, ENTRIES_BYTES);
    list_init(&job->link);
    buf_init(&job->bytes, 0);
    return job;
}

void documents_drop(struct documents_job *job)
{
    op_release(&job->add.op);
    op_release(&job->removal.op);
    op_release(&job->listing.op);
    buf_fini(&job->bytes);
    arena_fini(&job->entries);
    arena_fini(&job->arena);
    mem_free(job);
}

static void run_next(struct loop_task *task);

/* The only end of a job that was submitted. */
static void end_job(struct documents_job *job, const struct err *err)
{
    struct documents *documents = job->documents;
    const struct err told = *err;
    list_remove(&job->link);
    documents->count--;
    documents->bytes -= job->held;
    if (job->on_end != NULL)
        job->on_end(job, &told);
    documents_drop(job);
}

static struct op_waiter waiter(struct documents_job *job, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = job};
}

static void on_given_back(void *owner)
{
    struct documents_job *job = owner;
    struct documents *documents = job->documents;
    end_job(job, &job->end);
    if (!closing_is_begun(&documents->closing))
        loop_post(documents->loop, &documents->next, run_next);
    closing_leave(&documents->closing);
}

/* The job under way is over. */
static void conclude(struct documents_job *job, const struct err *err)
{
    job->end = *err;
    if (err->code == ERR_CANCELLED && job->hold.is_lost)
        (void)ledger_fail_claim(&job->end);
    document_hold_end(&job->hold, on_given_back, job);
}

static void on_done(struct op *op)
{
    conclude(op_owner(op), &op->err);
}

/* ---- what a company has ---- */

bool documents_is_of(const struct ledger_entry *entry, const struct docs_source *source)
{
    return str_equal(entry->collection, docs_items_collection(source->kind)) &&
           str_equal(entry->company_id, source->company_id) &&
           str_equal(entry->user_id, source->user_id) && str_equal(entry->name, source->name);
}

static const struct ledger_entry *find_entry(const struct documents_job *job)
{
    for (size_t i = 0; i < job->listing.count; i++)
        if (documents_is_of(&job->listing.entries[i], &job->source))
            return &job->listing.entries[i];
    return NULL;
}

/* How many passages the document may have; err when it may not be added at all. */
static enum err_code find_room(const struct documents_job *job, const struct ledger_entry *before,
                               uint64_t *passages, struct err *err)
{
    const struct config *config = job->documents->config;
    uint64_t documents = 0, used = 0;
    for (size_t i = 0; i < job->listing.count; i++) {
        const struct ledger_entry *entry = &job->listing.entries[i];
        if (entry == before || !str_equal(entry->company_id, job->source.company_id))
            continue;
        documents++;
        used += entry->passages;
    }
    *passages = 0;
    if (job->is_by_operator)
        return ERR_OK;
    if (documents >= config->company_documents)
        return err_set(err, ERR_TOO_LARGE,
                       "this company has %" PRIu64 " documents, and may have no more", documents);
    if (used >= config->company_passages)
        return err_set(err, ERR_TOO_LARGE,
                       "the documents of this company fill all the room that it has");
    *passages = config->company_passages - used;
    return ERR_OK;
}

/* What an administrator added is not for users to change. */
static enum err_code check_right(const struct documents_job *job, const struct ledger_entry *before,
                                 struct err *err)
{
    if (before == NULL && job->removes)
        return err_set(err, ERR_NOT_FOUND, "there is no such document");
    if (before != NULL && !job->is_by_operator && !documents_is_uploaded(before))
        return err_set(err, ERR_DENIED,
                       "the document was added by an administrator, who alone may change it");
    return ERR_OK;
}

/* The most memory that reading a file may take now; 0: any. */
static uint64_t room_to_read(const struct config *config)
{
    const uint64_t limit = config->memory_bytes, held = limit == 0 ? 0 : resident_bytes();
    return limit == 0 ? 0 : limit > held ? (limit - held) / READING_SHARE + 1 : 1;
}

static void stop(struct documents_job *job)
{
    op_cancel(&job->hold.op);
    op_cancel(&job->listing.op);
    op_cancel(&job->add.op);
    op_cancel(&job->removal.op);
}

static void on_lost(void *owner)
{
    stop(owner);
}

static void add(struct documents_job *job, const struct ledger_entry *before, uint64_t most)
{
    struct documents *documents = job->documents;
    job->options = (struct document_add_options){
        .has = documents->has,
        .ledger = documents->ledger,
        .holder = document_hold_holder(&job->hold),
        .program = documents->config->program,
        .source = job->source,
        .file_name = job->file_name,
        .from = arena_printf(&job->arena, UPLOADED "%.*s", STR_ARG(job->by)),
        .before = before,
        .most_passages = most,
        .limits = job->is_by_operator ? NULL : &documents->limits,
        .most_memory = room_to_read(documents->config),
    };
    document_add_start(&job->add, documents->loop, &job->options, &job->bytes,
                       waiter(job, on_done));
}

static void on_listed(struct op *op)
{
    struct documents_job *job = op_owner(op);
    struct err err = op->err;
    uint64_t most = 0;
    if (err.code == ERR_OK && closing_is_begun(&job->documents->closing))
        err = stopping; /* and nothing begins */
    const struct ledger_entry *before = err.code == ERR_OK ? find_entry(job) : NULL;
    job->was_there = before != NULL && !str_is_empty(before->hash);
    if (err.code == ERR_OK)
        (void)check_right(job, before, &err);
    if (err.code == ERR_OK && !job->removes)
        (void)find_room(job, before, &most, &err);
    if (err.code != ERR_OK)
        conclude(job, &err);
    else if (job->removes)
        document_remove_start(&job->removal, job->documents->loop, job->documents->has,
                              job->documents->ledger, before, document_hold_holder(&job->hold),
                              waiter(job, on_done));
    else
        add(job, before, most);
}

static void on_held(struct op *op)
{
    struct documents_job *job = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_OK && closing_is_begun(&job->documents->closing))
        err = stopping;
    if (err.code == ERR_OK)
        ledger_list_start(&job->listing, job->documents->ledger, &job->source.company_id,
                          &job->entries, waiter(job, on_listed));
    else
        conclude(job, &err);
}

static void run_next(struct loop_task *task)
{
    struct documents *documents = container_of(task, struct documents, next);
    if (list_is_empty(&documents->jobs) || closing_is_begun(&documents->closing))
        return;
    struct documents_job *job = job_of(documents->jobs.next);
    const struct ledger_entry key = {.collection = docs_items_collection(job->source.kind),
                                     .company_id = job->source.company_id,
                                     .user_id = job->source.user_id,
                                     .name = job->source.name};
    job->has_begun = true;
    closing_enter(&documents->closing);
    document_hold_start(&job->hold, documents->loop, documents->ledger, &key, on_lost, job,
                        waiter(job, on_held));
}

/* The most bytes of files that may wait here. */
static uint64_t most_waiting(const struct config *config)
{
    const uint64_t share = config->memory_bytes / MEMORY_SHARE / size_max(1, config->workers);
    return config->memory_bytes == 0 ? MOST_BYTES : size_min(share, MOST_BYTES);
}

enum err_code documents_submit(struct documents *documents, struct documents_job *job,
                               struct err *err)
{
    if (closing_is_begun(&documents->closing))
        return err_set(err, ERR_UNAVAILABLE, "this server is stopping; try another");
    if (documents->count >= MOST_WAITING ||
        (documents->count > 0 && /* one alone has a place, whatever it takes */
         documents->bytes + job->bytes.cap > most_waiting(documents->config)))
        return err_set(err, ERR_BUSY, "too many documents wait to be added; try again later");
    bool is_first = list_is_empty(&documents->jobs);
    job->documents = documents;
    job->held = job->bytes.cap;
    documents->count++;
    documents->bytes += job->held;
    list_push(&documents->jobs, &job->link);
    if (is_first)
        loop_post(documents->loop, &documents->next, run_next);
    return ERR_OK;
}

/* ---- looking ---- */

const struct documents_job *documents_find(const struct documents *documents,
                                           const struct docs_source *source)
{
    LIST_EACH(link, &documents->jobs) {
        const struct documents_job *job = job_of(link);
        if (!job->removes && job->source.kind == source->kind &&
            str_equal(job->source.name, source->name) &&
            str_equal(job->source.company_id, source->company_id) &&
            str_equal(job->source.user_id, source->user_id))
            return job;
    }
    return NULL;
}

bool documents_is_adding(const struct documents *documents, const struct ledger_entry *entry)
{
    LIST_EACH(link, &documents->jobs)
        if (!job_of(link)->removes && documents_is_of(entry, &job_of(link)->source))
            return true;
    return false;
}

void documents_visit(const struct documents *documents,
                     void (*visit)(const struct documents_job *job, void *owner), void *owner)
{
    LIST_EACH(link, &documents->jobs)
        if (!job_of(link)->removes)
            visit(job_of(link), owner);
}

/* ---- all of it ---- */

static void close_ledger(struct closing *closing)
{
    struct documents *documents = container_of(closing, struct documents, closing);
    closing_enter(closing);
    ledger_close(documents->ledger, closing_leave_part, closing);
}

static void free_documents(struct closing *closing)
{
    mem_free(container_of(closing, struct documents, closing));
}

struct documents *documents_create(struct loop *loop, const struct services *has,
                                   const struct config *config)
{
    static closing_fn *const steps[] = {close_ledger, free_documents, NULL};
    struct documents *documents = mem_zalloc(1, sizeof *documents);
    struct err err;
    if (documents == NULL)
        return NULL;
    documents->loop = loop;
    documents->has = has;
    documents->config = config;
    documents->limits = (struct ledger_limits){(uint64_t)config->company_documents,
                                               (uint64_t)config->company_passages};
    list_init(&documents->jobs);
    closing_init(&documents->closing, loop, steps);
    documents->ledger = document_stores_open_ledger(loop, config, &err);
    if (documents->ledger != NULL)
        return documents;
    mem_free(documents);
    return NULL;
}

void documents_close(struct documents *documents, void (*on_closed)(void *owner), void *owner)
{
    loop_unpost(&documents->next);
    closing_begin(&documents->closing, on_closed, owner);
    LIST_EACH_SAFE(link, &documents->jobs) {
        struct documents_job *job = job_of(link);
        if (job->has_begun) { /* its end comes */
            stop(job);
        } else {
            end_job(job, &stopping);
        }
    }
}

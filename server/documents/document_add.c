/* SPDX-License-Identifier: MIT */
/* server/documents/document_add.c - hash, extract, read, write, record: each step starts the next.
 *
 * Happy path: start -> on_hashed -> on_extracted (a PDF and its kind) -> on_read -> on_announced ->
 * on_written -> on_recorded.
 * Failure: the step that fails ends it with its error; a cancel cancels the step under way, and
 * after it only what was written whole is recorded, for the ledger has to know it. */
#include "server/documents/document_add.h"

#include <inttypes.h>
#include <stdio.h>

#include "agents/docs/formats/formats.h"
#include "core/base/mem.h"

/* What a text becomes as blocks, passages and their fields is bounded by its size. */
enum { ROOM_TIMES = 32, ROOM_LEAST = 4 << 20, REMOVAL_BYTES = 256 << 20 };

/* A version that goes into every hash, besides the bytes: raised when passages are made in another
 * way. */
#define PASSAGES_VERSION "2"

bool document_add_is_records(enum docs_kind kind)
{
    return kind == DOCS_SQL_PAIRS || kind == DOCS_METADATA;
}

bool document_add_has_format(enum docs_kind kind, struct str file_name)
{
    enum docs_format format;
    enum formats_kind made;
    enum docs_records_format records;
    return document_add_is_records(kind)
               ? docs_records_format(file_name, &records)
               : docs_document_format(file_name, &format) || formats_of_name(file_name, &made);
}

size_t document_add_stored(const struct document_add *add)
{
    return add->ingest.stored;
}

/* ---- the operation ---- */

static void cancel(struct op *op)
{
    struct document_add *add = container_of(op, struct document_add, op);
    op_cancel(&add->work.op);
    op_cancel(&add->extract.op);
    op_cancel(&add->ingest.op);
    op_cancel(&add->recording.op);
}

static void release(struct op *op)
{
    struct document_add *add = container_of(op, struct document_add, op);
    op_release(&add->work.op);
    op_release(&add->extract.op);
    op_release(&add->ingest.op);
    op_release(&add->recording.op);
    buf_fini(&add->bytes);
    arena_fini(&add->arena);
}

static const struct op_kind kind = {.name = "docs.add", .cancel = cancel, .release = release};

static void finish(struct document_add *add, const struct err *err)
{
    op_finish_err(&add->op, err);
}

static struct op_waiter waiter(struct document_add *add, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = add};
}

/* Whether the step went well and there is to be another; if not, the operation ends here. */
static bool goes_on(struct document_add *add, const struct op *step)
{
    struct err err = step->err;
    if (err.code == ERR_OK && add->op.cancel_asked)
        err_set(&err, ERR_CANCELLED, "cancelled");
    if (err.code != ERR_OK)
        finish(add, &err);
    return err.code == ERR_OK;
}

/* ---- the ledger ---- */

static void on_recorded(struct op *op)
{
    finish(op_owner(op), &op->err);
}

/* Put the document into the ledger: hash "" before its passages are written. */
static void record(struct document_add *add, struct str hash, size_t passages, op_fn *done)
{
    const struct document_add_options *options = add->options;
    add->entry = (struct ledger_entry){
        .collection = add->request.collection,
        .company_id = options->source.company_id,
        .user_id = options->source.user_id,
        .name = options->source.name,
        .source = options->from,
        .title = add->title,
        .hash = hash,
        .passages = passages,
        .added_ms = loop_wall_ms(add->op.loop),
    };
    /* What was announced has its room; only the announcement is held against the limits. */
    ledger_put_start(&add->recording, options->ledger, &add->entry, options->holder,
                     hash.len == 0 ? options->limits : NULL, waiter(add, done));
}

/* ---- the stores ---- */

static void on_written(struct op *op)
{
    struct document_add *add = op_owner(op);
    add->tokens = add->ingest.tokens;
    if (op->err.code == ERR_OK)
        record(add, str_of(add->hash), add->count, on_recorded);
    else
        finish(add, &op->err);
}

static void on_announced(struct op *op)
{
    struct document_add *add = op_owner(op);
    if (goes_on(add, op))
        docs_ingest_start(&add->ingest, add->options->has, &add->request, waiter(add, on_written));
}

static void write(struct document_add *add)
{
    const struct document_add_options *options = add->options;
    size_t had = options->before == NULL ? 0 : (size_t)options->before->passages;
    struct err err;
    add->request.collection = docs_items_collection(options->source.kind);
    add->request.stale_ids =
        docs_items_gone(&add->arena, &options->source, add->count, had, &add->request.stale_count);
    if (add->request.stale_ids == NULL) {
        err_set(&err, ERR_NO_MEMORY, "no memory for the passages");
        finish(add, &err);
        return;
    }
    record(add, STR(""), size_max(add->count, had), on_announced);
}

/* ---- reading, on another thread ---- */

static enum err_code read_records(struct document_add *add, struct err *err)
{
    const struct docs_source *source = &add->options->source;
    enum docs_records_format format;
    const struct docs_record *records = NULL;
    size_t count = 0;
    if (!docs_records_format(add->options->file_name, &format))
        return err_set(err, ERR_INVALID, "its name says no format");
    enum err_code code =
        docs_records_read(&add->arena, format, buf_str(&add->bytes), &records, &count, err);
    return code != ERR_OK ? code
                          : docs_items_of_records(&add->arena, source, records, count,
                                                  &add->request.items, &add->request.count, err);
}

static enum err_code read_items(struct work *work, struct err *err)
{
    struct document_add *add = work->arg;
    const struct docs_source *source = &add->options->source;
    enum docs_format format = DOCS_HTML;
    enum formats_kind made;
    struct docs_document document;
    if (document_add_is_records(source->kind))
        return read_records(add, err);
    if (!formats_of_name(add->options->file_name, &made) &&
        !docs_document_format(add->options->file_name, &format))
        return err_set(err, ERR_INVALID, "its name says no format");
    enum err_code code =
        docs_document_read(&add->arena, format, buf_str(&add->bytes), &document, err);
    if (code != ERR_OK)
        return code;
    add->title = document.title;
    return docs_items_of_document(&add->arena, source, &document, &add->request.items,
                                  &add->request.count, err);
}

/* How much memory reading the text may take. */
static size_t room_of(const struct document_add *add)
{
    const size_t room = ROOM_LEAST + ROOM_TIMES * buf_len(&add->bytes);
    const uint64_t most = add->options->most_memory;
    return most == 0 ? room : size_min(room, (size_t)most);
}

/* The arena was too small for what was read: why. */
static void tell_room(const struct document_add *add, struct err *err)
{
    const size_t room = room_of(add);
    if (room < ROOM_LEAST + ROOM_TIMES * buf_len(&add->bytes))
        err_set(err, ERR_BUSY,
                "there is too little memory left to read the document (ASKD_MEMORY_LIMIT); try "
                "again later");
    else
        err_set(err, ERR_TOO_LARGE,
                "reading the document takes more than %zu MiB of memory: it has too many parts for "
                "its size",
                room >> 20);
}

static void on_read(struct op *op)
{
    struct document_add *add = op_owner(op);
    struct err err;
    uint64_t most = add->options->most_passages;
    if (op->err.code != ERR_OK && !arena_ok(&add->arena)) {
        tell_room(add, &err);
        finish(add, &err);
        return;
    }
    if (!goes_on(add, op))
        return;
    add->count = add->request.count;
    if (most == 0 || add->count <= most) {
        write(add);
        return;
    }
    err_set(&err, ERR_TOO_LARGE, "the document has %zu passages, and there is room for %" PRIu64,
            add->count, most);
    finish(add, &err);
}

static void read(struct document_add *add)
{
    arena_init(&add->arena, room_of(add));
    work_start(&add->work, add->op.loop, read_items, add, waiter(add, on_read));
}

/* ---- what is no text ---- */

static void on_extracted(struct op *op)
{
    struct document_add *add = op_owner(op);
    if (!goes_on(add, op))
        return;
    buf_fini(&add->bytes);
    add->bytes = add->extract.text; /* moved */
    buf_init(&add->extract.text, 0);
    read(add);
}

static void extract(struct document_add *add, enum formats_kind format)
{
    const struct extract_options options = {.program = add->options->program,
                                            .format = formats_name(format),
                                            .bytes = buf_str(&add->bytes)};
    extract_start(&add->extract, add->op.loop, &options, waiter(add, on_extracted));
}

/* ---- what did not change, on another thread, too ---- */

static enum err_code hash_bytes(struct work *work, struct err *err)
{
    static const uint64_t prime = UINT64_C(0x9E3779B97F4A7C15);
    struct document_add *add = work->arg;
    (void)err;
    uint64_t hash = str_hash(buf_str(&add->bytes)) * prime;
    if (add->options->has->embed != NULL)
        hash = (hash ^ str_hash(embed_model(add->options->has->embed))) * prime;
    hash = (hash ^ str_hash(STR(PASSAGES_VERSION))) * prime;
    snprintf(add->hash, sizeof add->hash, "%016" PRIx64, hash);
    return ERR_OK;
}

static void on_hashed(struct op *op)
{
    struct document_add *add = op_owner(op);
    const struct document_add_options *options = add->options;
    const struct ledger_entry *before = options->before;
    enum formats_kind format;
    if (!goes_on(add, op))
        return;
    add->is_unchanged = before != NULL && str_equal(before->hash, str_of(add->hash));
    if (add->is_unchanged) {
        add->title = before->title;
        add->count = (size_t)before->passages;
        finish(add, &op->err);
    } else if (!document_add_is_records(options->source.kind) &&
               formats_of_name(options->file_name, &format)) {
        extract(add, format);
    } else {
        read(add);
    }
}

void document_add_start(struct document_add *add, struct loop *loop,
                        const struct document_add_options *options, struct buf *bytes,
                        struct op_waiter of)
{
    op_begin(&add->op, &kind, loop, of);
    arena_init(&add->arena, 0); /* until the text is there */
    add->options = options;
    add->bytes = *bytes;
    buf_init(bytes, 0);
    add->is_unchanged = false;
    add->title = STR("");
    add->count = add->ingest.stored = 0;
    add->tokens = 0;
    add->request = (struct docs_ingest_request){.count = 0};
    work_start(&add->work, loop, hash_bytes, add, waiter(add, on_hashed));
}

/* ---- removing ---- */

static void cancel_removal(struct op *op)
{
    struct document_remove *removal = container_of(op, struct document_remove, op);
    op_cancel(&removal->ingest.op);
    op_cancel(&removal->recording.op);
}

static void release_removal(struct op *op)
{
    struct document_remove *removal = container_of(op, struct document_remove, op);
    op_release(&removal->ingest.op);
    op_release(&removal->recording.op);
    arena_fini(&removal->arena);
}

static const struct op_kind removal_kind = {
    .name = "docs.remove", .cancel = cancel_removal, .release = release_removal};

static void on_unrecorded(struct op *op)
{
    struct document_remove *removal = op_owner(op);
    op_finish_err(&removal->op, &op->err);
}

static void on_taken_out(struct op *op)
{
    struct document_remove *removal = op_owner(op);
    if (op->err.code == ERR_OK)
        ledger_remove_start(&removal->recording, removal->ledger, removal->entry, removal->holder,
                            (struct op_waiter){.done = on_unrecorded, .owner = removal});
    else
        op_finish_err(&removal->op, &op->err);
}

void document_remove_start(struct document_remove *removal, struct loop *loop,
                           const struct services *has, struct ledger *ledger,
                           const struct ledger_entry *entry, struct str holder, struct op_waiter of)
{
    const struct docs_source source = {
        .name = entry->name, .company_id = entry->company_id, .user_id = entry->user_id};
    op_begin(&removal->op, &removal_kind, loop, of);
    arena_init(&removal->arena, REMOVAL_BYTES);
    removal->has = has;
    removal->ledger = ledger;
    removal->entry = entry;
    removal->holder = holder;
    removal->request = (struct docs_ingest_request){.collection = entry->collection};
    removal->request.stale_ids = docs_items_gone(
        &removal->arena, &source, 0, (size_t)entry->passages, &removal->request.stale_count);
    if (removal->request.stale_ids == NULL)
        op_finish(&removal->op, ERR_NO_MEMORY, "no memory to remove the document");
    else
        docs_ingest_start(&removal->ingest, has, &removal->request,
                          (struct op_waiter){.done = on_taken_out, .owner = removal});
}

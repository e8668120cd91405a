/* SPDX-License-Identifier: MIT */
/* server/cli/docs/cmd_docs_add.c - file by file: read, compare with the ledger, store, record.
 *
 * Happy path: a file whose hash the ledger knows is passed over; else its passages are written,
 * those it no longer has are removed, and the ledger is told last: a file whose adding is
 * interrupted before that is added again by the next call.
 * Failure: told for its file; an unreachable store would fail every file, so it ends after the
 * first. */
#include "server/cli/docs/cmd_docs_add.h"

#include <inttypes.h>
#include <stdio.h>

#include "agents/docs/formats/formats.h"
#include "agents/docs/ingest.h"
#include "backends/extract/extract.h"
#include "core/base/file.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "server/cli/docs/docs_files.h"
#include "server/cli/docs/docs_progress.h"

enum { FILES_BYTES = 256 << 20, ARENA_BYTES = 1 << 30, HASH_BYTES = 17 };
enum { EXIT_SKIPPED = 3 };

/* A version that goes into every hash, besides the bytes: raised when passages are made in another
 * way. */
#define PASSAGES_VERSION "2"

struct adding {
    struct docs_session *session;
    const struct cmd_docs_add *asked;
    struct docs_progress progress;
    struct docs_ingest ingest;
    /* of the file in hand */
    const struct docs_file *file;
    struct docs_source source;
    struct arena arena;
    struct buf bytes;
    const struct docs_item *items;
    size_t count;
    struct str title;
    char hash[HASH_BYTES];
};

/* ---- one file ---- */

static void hash_file(struct adding *adding)
{
    static const uint64_t prime = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t hash = str_hash(buf_str(&adding->bytes)) * prime;
    if (adding->session->has.embed != NULL)
        hash = (hash ^ str_hash(embed_model(adding->session->has.embed))) * prime;
    hash = (hash ^ str_hash(STR(PASSAGES_VERSION))) * prime;
    snprintf(adding->hash, sizeof adding->hash, "%016" PRIx64, hash);
}

static enum err_code read_records(struct adding *adding, struct err *err)
{
    enum docs_records_format format;
    const struct docs_record *records = NULL;
    size_t count = 0;
    if (!docs_records_format(adding->file->name, &format))
        return err_set(err, ERR_INVALID, "its name says no format");
    enum err_code code =
        docs_records_read(&adding->arena, format, buf_str(&adding->bytes), &records, &count, err);
    return code != ERR_OK ? code
                          : docs_items_of_records(&adding->arena, &adding->source, records, count,
                                                  &adding->items, &adding->count, err);
}

/* What a child process makes of a file that is no text takes the place of its bytes. */
static enum err_code extract_text(struct adding *adding, enum formats_kind kind, struct err *err)
{
    const struct extract_options options = {.program = adding->asked->program,
                                            .format = formats_name(kind),
                                            .bytes = buf_str(&adding->bytes)};
    struct extract *extract = mem_zalloc(1, sizeof *extract);
    if (extract == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to read the file");
    extract_start(extract, adding->session->loop, &options, docs_session_waiter(adding->session));
    enum err_code code = docs_session_wait(adding->session, &extract->op, NULL, NULL, err);
    if (code == ERR_OK) {
        buf_fini(&adding->bytes);
        adding->bytes = extract->text; /* moved */
        buf_init(&extract->text, 0);
    }
    op_release(&extract->op);
    mem_free(extract);
    return code;
}

static enum err_code read_items(struct adding *adding, struct err *err)
{
    enum docs_format format = DOCS_HTML;
    enum formats_kind kind;
    enum err_code code = ERR_OK;
    struct docs_document document;
    adding->title = STR("");
    if (docs_files_is_records(adding->source.kind))
        return read_records(adding, err);
    if (formats_of_name(adding->file->name, &kind))
        code = extract_text(adding, kind, err);
    else if (!docs_document_format(adding->file->name, &format))
        code = err_set(err, ERR_INVALID, "its name says no format");
    if (code == ERR_OK)
        code = docs_document_read(&adding->arena, format, buf_str(&adding->bytes), &document, err);
    if (code != ERR_OK)
        return code;
    adding->title = document.title;
    return docs_items_of_document(&adding->arena, &adding->source, &document, &adding->items,
                                  &adding->count, err);
}

static void draw(void *owner)
{
    const struct adding *adding = owner;
    docs_progress_draw(&adding->progress, adding->file->name, adding->ingest.stored, adding->count);
}

static enum err_code store(struct adding *adding, const struct ledger_entry *before,
                           struct err *err)
{
    struct docs_session *session = adding->session;
    size_t had = before == NULL ? 0 : before->passages;
    size_t stale_count;
    const struct str *stale =
        docs_items_gone(&adding->arena, &adding->source, adding->count, had, &stale_count);
    if (stale == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the passages");
    const struct docs_ingest_request request = {
        .collection = docs_items_collection(adding->source.kind),
        .items = adding->items,
        .count = adding->count,
        .stale_ids = stale,
        .stale_count = stale_count,
    };
    docs_ingest_start(&adding->ingest, &session->has, &request, docs_session_waiter(session));
    enum err_code code = docs_session_wait(session, &adding->ingest.op, draw, adding, err);
    adding->progress.tokens += adding->ingest.tokens;
    op_release(&adding->ingest.op);
    return code;
}

static enum err_code record(struct adding *adding, struct err *err)
{
    const struct ledger_entry entry = {
        .collection = docs_items_collection(adding->source.kind),
        .company_id = adding->source.company_id,
        .user_id = adding->source.user_id,
        .name = adding->source.name,
        .source = str_of(adding->file->path),
        .title = adding->title,
        .hash = str_of(adding->hash),
        .passages = adding->count,
        .added_ms = loop_wall_ms(adding->session->loop),
    };
    return docs_session_put(adding->session, &entry, err);
}

/* Refuse a name that another file has already, whose document would be replaced. */
static enum err_code check_source(const struct adding *adding, const struct ledger_entry *before,
                                  struct err *err)
{
    if (before == NULL || str_equal(before->source, str_of(adding->file->path)))
        return ERR_OK;
    return err_set(err, ERR_INVALID,
                   "'%.*s' is there already, from %.*s: remove it first, or add the folder that "
                   "holds both",
                   STR_ARG(before->name), STR_ARG(before->source));
}

static enum err_code add_file(struct adding *adding, struct err *err)
{
    const struct ledger_entry *before = docs_session_find(adding->session, &adding->source);
    enum docs_outcome outcome = before == NULL ? DOCS_ADDED : DOCS_UPDATED;
    enum err_code code = check_source(adding, before, err);
    if (code == ERR_OK)
        code = file_read(adding->file->path, &adding->bytes, err);
    if (code != ERR_OK)
        return code;
    hash_file(adding);
    if (before != NULL && str_equal(before->hash, str_of(adding->hash))) {
        docs_progress_document(&adding->progress, adding->file->name, DOCS_UNCHANGED, 0, NULL);
        return ERR_OK;
    }
    code = read_items(adding, err);
    if (code == ERR_OK)
        code = store(adding, before, err);
    if (code == ERR_OK)
        code = record(adding, err);
    if (code == ERR_OK)
        docs_progress_document(&adding->progress, adding->file->name, outcome, adding->count, NULL);
    return code;
}

/* ---- all files ---- */

static bool is_hopeless(enum err_code code)
{
    return code == ERR_UNAVAILABLE || code == ERR_NOT_CONFIGURED || code == ERR_NO_MEMORY ||
           code == ERR_CANCELLED;
}

static int add_files(struct adding *adding, const struct docs_file *files, size_t count)
{
    int exit_code = 0;
    for (size_t i = 0; i < count; i++) {
        struct err err = {0};
        if (files[i].skipped) {
            err_set(&err, ERR_INVALID, "skipped: expected %s",
                    docs_files_endings(adding->asked->kind));
            docs_progress_document(&adding->progress, files[i].name, DOCS_SKIPPED, 0, &err);
            exit_code = exit_code == 0 ? EXIT_SKIPPED : exit_code;
            continue;
        }
        adding->file = &files[i];
        adding->source = (struct docs_source){adding->asked->kind, files[i].name,
                                              adding->asked->company_id, adding->asked->user_id};
        arena_init(&adding->arena, ARENA_BYTES);
        buf_init(&adding->bytes, FORMATS_MAX_FILE);
        enum err_code code = add_file(adding, &err);
        buf_fini(&adding->bytes);
        arena_fini(&adding->arena);
        if (code == ERR_OK)
            continue;
        exit_code = 1;
        docs_progress_document(&adding->progress, files[i].name, DOCS_FAILED, 0, &err);
        if (is_hopeless(code))
            break;
    }
    return exit_code;
}

enum err_code cmd_docs_add_remove(struct docs_session *session, const struct ledger_entry *entry,
                                  struct err *err)
{
    struct docs_ingest *ingest = mem_zalloc(1, sizeof *ingest);
    struct arena arena;
    struct docs_source source = {
        .name = entry->name, .company_id = entry->company_id, .user_id = entry->user_id};
    enum err_code code = ERR_NO_MEMORY;
    arena_init(&arena, ARENA_BYTES);
    size_t count;
    const struct str *ids = docs_items_gone(&arena, &source, 0, entry->passages, &count);
    if (ingest == NULL || ids == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory to remove the document");
    } else {
        const struct docs_ingest_request request = {
            .collection = entry->collection, .stale_ids = ids, .stale_count = count};
        docs_ingest_start(ingest, &session->has, &request, docs_session_waiter(session));
        code = docs_session_wait(session, &ingest->op, NULL, NULL, err);
        op_release(&ingest->op);
    }
    if (code == ERR_OK)
        code = docs_session_remove(session, entry, err);
    arena_fini(&arena);
    mem_free(ingest);
    return code;
}

static bool is_below(struct str path, struct str folder)
{
    return path.len > folder.len && str_starts_with(path, folder) && path.at[folder.len] == '/';
}

static bool map_files(struct map *there, struct docs_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!map_put(there, str_of(files[i].path), &files[i]))
            return false;
    return true;
}

/* Whether the entry, of this owner, came from a given folder, and its file is not there any
 * more. */
static bool is_gone(const struct adding *adding, const struct ledger_entry *entry,
                    const struct map *there, const struct str *folders, size_t folder_count)
{
    const struct cmd_docs_add *asked = adding->asked;
    if (!str_equal(entry->collection, docs_items_collection(asked->kind)) ||
        !str_equal(entry->company_id, asked->company_id) ||
        !str_equal(entry->user_id, asked->user_id) || map_find(there, entry->source) != NULL)
        return false;
    for (size_t i = 0; i < folder_count; i++)
        if (is_below(entry->source, folders[i]))
            return true;
    return false;
}

static int prune(struct adding *adding, const struct map *there, const struct str *folders,
                 size_t folder_count)
{
    struct docs_session *session = adding->session;
    int exit_code = 0;
    for (size_t i = 0; i < session->entry_count; i++) {
        const struct ledger_entry *entry = &session->entries[i];
        struct err err = {0};
        if (!is_gone(adding, entry, there, folders, folder_count))
            continue;
        adding->progress.of++;
        bool fine = cmd_docs_add_remove(session, entry, &err) == ERR_OK;
        docs_progress_document(&adding->progress, entry->name, fine ? DOCS_REMOVED : DOCS_FAILED, 0,
                               fine ? NULL : &err);
        exit_code = fine ? exit_code : 1;
    }
    return exit_code;
}

enum err_code cmd_docs_add(struct docs_session *session, const struct cmd_docs_add *asked,
                           int *exit_code, struct err *err)
{
    struct docs_file *files = NULL;
    struct arena arena;
    struct map there;
    size_t count = 0, folder_count = 0;
    arena_init(&arena, FILES_BYTES);
    map_init(&there);
    struct str *folders = arena_array(&arena, asked->path_count, sizeof *folders);
    struct adding *adding = mem_zalloc(1, sizeof *adding);
    enum err_code code =
        docs_files_find(&arena, asked->kind, asked->paths, asked->path_count, &files, &count, err);
    if (code == ERR_OK && (adding == NULL || folders == NULL || !map_files(&there, files, count)))
        code = err_set(err, ERR_NO_MEMORY, "no memory to add documents");
    if (code == ERR_OK) {
        adding->session = session;
        adding->asked = asked;
        for (size_t i = 0; asked->prune && i < asked->path_count; i++)
            folder_count +=
                docs_files_folder(&arena, asked->paths[i], &folders[folder_count]) ? 1 : 0;
        docs_progress_begin(&adding->progress, count, asked->json);
        *exit_code = add_files(adding, files, count);
        if (prune(adding, &there, folders, folder_count) != 0)
            *exit_code = 1;
        docs_progress_end(&adding->progress);
    }
    mem_free(adding);
    map_fini(&there);
    arena_fini(&arena);
    return code;
}

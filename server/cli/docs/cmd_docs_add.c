/* SPDX-License-Identifier: MIT */
/* server/cli/docs/cmd_docs_add.c - file by file: read, compare with the ledger, store, record.
 *
 * Happy path: a file whose hash the ledger knows is passed over; else its passages are written,
 * those it no longer has are removed, and the ledger is told last: a file whose adding is
 * interrupted before that is added again by the next call.
 * Failure: told for its file; an unreachable store would fail every file, so it ends after the
 * first. */
#include "server/cli/docs/cmd_docs_add.h"

#include "agents/docs/formats/formats.h"
#include "backends/ledger_errors.h"
#include "core/base/file.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "server/cli/docs/docs_files.h"
#include "server/cli/docs/docs_progress.h"
#include "server/documents/document_add.h"

enum { FILES_BYTES = 256 << 20 };
enum { EXIT_SKIPPED = 3 };

struct adding {
    struct docs_session *session;
    const struct cmd_docs_add *asked;
    struct docs_progress progress;
    struct document_add add;
    struct document_hold hold;
    /* of the file in hand */
    const struct docs_file *file;
    struct docs_source source;
    struct buf bytes;
};

/* ---- one file ---- */

static void draw(void *owner)
{
    const struct adding *adding = owner;
    docs_progress_draw(&adding->progress, adding->file->name, document_add_stored(&adding->add),
                       adding->add.count);
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

static void on_lost(void *owner)
{
    struct adding *adding = owner;
    op_cancel(&adding->add.op);
}

static enum err_code add_held(struct adding *adding, struct err *err)
{
    const struct ledger_entry *before = adding->hold.entry;
    bool was_there = before != NULL && !str_is_empty(before->hash);
    enum docs_outcome outcome = was_there ? DOCS_UPDATED : DOCS_ADDED;
    enum err_code code = check_source(adding, before, err);
    if (code == ERR_OK)
        code = file_read(adding->file->path, &adding->bytes, err);
    if (code != ERR_OK)
        return code;
    const struct document_add_options options = {
        .has = &adding->session->has,
        .ledger = adding->session->ledger,
        .holder = document_hold_holder(&adding->hold),
        .program = adding->asked->program,
        .source = adding->source,
        .file_name = adding->file->name,
        .from = str_of(adding->file->path),
        .before = before,
    };
    document_add_start(&adding->add, adding->session->loop, &options, &adding->bytes,
                       docs_session_waiter(adding->session));
    code = docs_session_wait(adding->session, &adding->add.op, draw, adding, err);
    adding->progress.tokens += adding->add.tokens;
    if (code == ERR_OK && adding->add.is_unchanged)
        outcome = DOCS_UNCHANGED;
    if (code == ERR_OK)
        docs_progress_document(&adding->progress, adding->file->name, outcome,
                               outcome == DOCS_UNCHANGED ? 0 : adding->add.count, NULL);
    op_release(&adding->add.op);
    return code == ERR_CANCELLED && adding->hold.is_lost ? ledger_fail_claim(err) : code;
}

static enum err_code add_file(struct adding *adding, struct err *err)
{
    const struct ledger_entry key = docs_session_key(&adding->source);
    enum err_code code =
        docs_session_hold(adding->session, &adding->hold, &key, on_lost, adding, err);
    if (code == ERR_OK)
        code = add_held(adding, err);
    docs_session_let_go(adding->session, &adding->hold);
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
        buf_init(&adding->bytes, FORMATS_MAX_FILE);
        enum err_code code = add_file(adding, &err);
        buf_fini(&adding->bytes);
        if (code == ERR_OK)
            continue;
        exit_code = 1;
        docs_progress_document(&adding->progress, files[i].name, DOCS_FAILED, 0, &err);
        if (is_hopeless(code))
            break;
    }
    return exit_code;
}

struct removing {
    struct document_hold hold;
    struct document_remove removal;
};

static enum err_code remove_held(struct docs_session *session, struct removing *removing,
                                 struct err *err)
{
    if (removing->hold.entry == NULL)
        return ERR_OK; /* somebody else removed it */
    document_remove_start(&removing->removal, session->loop, &session->has, session->ledger,
                          removing->hold.entry, document_hold_holder(&removing->hold),
                          docs_session_waiter(session));
    enum err_code code = docs_session_wait(session, &removing->removal.op, NULL, NULL, err);
    op_release(&removing->removal.op);
    return code;
}

enum err_code cmd_docs_add_remove(struct docs_session *session, const struct ledger_entry *entry,
                                  struct err *err)
{
    struct removing *removing = mem_zalloc(1, sizeof *removing);
    if (removing == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to remove the document");
    enum err_code code = docs_session_hold(session, &removing->hold, entry, NULL, NULL, err);
    if (code == ERR_OK)
        code = remove_held(session, removing, err);
    docs_session_let_go(session, &removing->hold);
    mem_free(removing);
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

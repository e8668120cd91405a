/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/review.c - one question to the store, then a list, or one change of file and
 * note.
 *
 * Happy path: what waits is listed; what is taken is added to the file's verified questions once
 * the guard passes its statement, the file is replaced whole, then the note says so; what is
 * refused only gets its note changed. Failure paths: no store, no such feedback, a statement that
 * the guard refuses, a file that has mistakes or cannot be written: a sentence on stderr, and 2;
 * nothing was changed. */
#include "server/cli/semantic/review.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agents/semantic/bind.h"
#include "agents/semantic/file.h"
#include "core/base/file.h"
#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/cli/cmd_input.h"
#include "server/cli/cmd_options.h"
#include "server/cli/semantic/indent.h"
#include "server/config/database_url.h"
#include "server/records/feedback_note.h"
#include "server/wiring/checkpoint_stores.h"

enum { EXIT_FINE = 0, EXIT_MISUSE = 2, FILE_BYTES = 64 << 20, DAY_BYTES = 16, PATH_BYTES = 4096 };

struct review {
    const char *words[2], *file, *sql, *by;
    size_t word_count;
    bool all, json;
    struct config *config;
    struct loop *loop;
    struct store *store;
    struct arena arena;
};

static int misuse(const char *what, const char *why)
{
    fprintf(stderr, "askd semantic review: %s%s%s\n", what, why[0] == '\0' ? "" : ": ", why);
    return EXIT_MISUSE;
}

/* ---- the store ---- */

static void on_done(struct op *op)
{
    loop_stop(op_owner(op));
}

static int open_store(struct review *review)
{
    struct store *events = NULL;
    struct err err = {0};
    review->loop = loop_create();
    if (review->loop == NULL)
        return misuse("no memory", "");
    enum err_code code =
        checkpoint_stores_open(review->loop, review->config, &review->store, &events, &err);
    if (events != NULL && events != review->store)
        store_close(events, NULL, NULL);
    if (code != ERR_OK)
        return misuse("the store", err.text);
    return review->store == NULL
               ? misuse("conversations are kept in memory only", "set ASKD_CHECKPOINT_URL")
               : EXIT_FINE;
}

static void close_store(struct review *review)
{
    if (review->store != NULL)
        store_close(review->store, NULL, NULL);
    if (review->loop != NULL)
        loop_run(review->loop);
    loop_destroy(review->loop);
}

/* Load the notes whose names begin with prefix into call, which is then the caller's to release. */
static int load(struct review *review, struct str prefix, struct store_call *call)
{
    const struct store_notes ask = {.prefix = prefix};
    store_notes_start(call, review->store, &ask,
                      (struct op_waiter){.done = on_done, .owner = review->loop});
    loop_run(review->loop);
    return call->op.err.code == ERR_OK ? EXIT_FINE : misuse("the store", call->op.err.text);
}

static int keep(struct review *review, const struct feedback_note *note)
{
    struct store_call call = {.verb = STORE_KEEP};
    struct buf out;
    buf_init(&out, FILE_BYTES);
    feedback_note_write(note, &out);
    const struct store_keep ask = {
        note->key, {feedback_note_name(note->run_id, &review->arena), buf_str(&out)}};
    store_keep_start(&call, review->store, &ask,
                     (struct op_waiter){.done = on_done, .owner = review->loop});
    loop_run(review->loop);
    int code = call.op.err.code == ERR_OK ? EXIT_FINE : misuse("the store", call.op.err.text);
    op_release(&call.op);
    buf_fini(&out);
    return code;
}

/* ---- the list ---- */

static void print_part(const char *name, struct str text)
{
    if (text.len > 0)
        printf("  %-10s %.*s\n", name, STR_ARG(text));
}

static void print_note(const struct feedback_note *note)
{
    printf("%.*s  %s  score %d\n", STR_ARG(note->run_id), feedback_note_state(note->state),
           (int)note->score);
    print_part("asked", note->question);
    print_part("answered", note->sql);
    print_part("corrected", note->corrected);
    print_part("reason", note->reason);
}

static int list(struct review *review)
{
    struct store_call call = {.verb = STORE_NOTES};
    size_t shown = 0;
    int code = load(review, STR(FEEDBACK_NOTE_PREFIX), &call);
    for (size_t i = 0; code == EXIT_FINE && i < call.note_count; i++) {
        struct feedback_note note;
        struct err err = {0};
        if (feedback_note_read(call.notes[i].bytes, &review->arena, &note, &err) != ERR_OK)
            continue; /* of another version */
        if (note.state != FEEDBACK_NEW && !review->all)
            continue;
        shown++;
        if (review->json)
            printf("%.*s\n", STR_ARG(call.notes[i].bytes));
        else
            print_note(&note);
    }
    if (code == EXIT_FINE && shown == 0 && !review->json)
        puts("Nothing waits.");
    op_release(&call.op);
    return code;
}

/* ---- the file ---- */

/* The file's JSON with one more verified question. Absent: err says why not. */
static struct str add_verified(struct review *review, struct str text,
                               const struct feedback_note *note, struct str sql, struct err *err)
{
    const struct json_value *root = json_value_parse(&review->arena, text, NULL, err);
    struct json_write json;
    struct buf out;
    char day[DAY_BYTES];
    time_t now = time(NULL);
    struct tm parts;
    if (root == NULL)
        return (struct str){NULL, 0};
    strftime(day, sizeof day, "%Y-%m-%d", gmtime_r(&now, &parts));
    buf_init(&out, FILE_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    const struct json_value *verified = json_value_member(root, STR("verified_queries"));
    JSON_EACH(member, root) {
        if (member == verified)
            continue;
        json_write_key(&json, member->key);
        json_value_write(member, &json);
    }
    json_write_key(&json, STR("verified_queries"));
    json_write_array(&json);
    for (const struct json_value *one = verified == NULL ? NULL : verified->first; one != NULL;
         one = one->next)
        json_value_write(one, &json);
    json_write_object(&json);
    json_write_member_str(&json, STR("question"), note->question);
    json_write_member_str(&json, STR("sql"), sql);
    if (review->by != NULL)
        json_write_member_str(&json, STR("verified_by"), str_of(review->by));
    json_write_member_str(&json, STR("verified_at"), str_of(day));
    json_write_object_end(&json);
    json_write_array_end(&json);
    json_write_object_end(&json);
    struct str made =
        buf_ok(&out) ? arena_str(&review->arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    if (str_is_absent(made))
        err_set(err, ERR_NO_MEMORY, "no memory for the file");
    return made;
}

/* Whether the last verified question of the file holds in the database. */
static int check_last(struct review *review, struct semantic *semantic,
                      struct semantic_report *report)
{
    struct introspect_options options = {.tenant_column = str_of(review->config->tenant_column)};
    struct catalog *catalog = NULL;
    enum sql_dialect dialect;
    struct str rest;
    struct buf views;
    struct err err = {0};
    options.changes = semantic_bind_changes(semantic, &options.change_count);
    buf_init(&views, FILE_BYTES);
    if (review->config->secure_views[0] != '\0' &&
        file_read(review->config->secure_views, &views, &err) == ERR_OK)
        options.secure_views = buf_str(&views);
    if (err.code == ERR_OK)
        (void)!cmd_input_catalog(review->config->database_url, &options, &catalog, &err);
    buf_fini(&views);
    if (catalog == NULL)
        return misuse("the database", err.text);
    if (!database_url_engine(str_of(review->config->database_url), &dialect, &rest))
        dialect = SQL_SQLITE;
    semantic_bind_catalog(semantic, catalog, &sql_policy_default, dialect, report);
    bool is_fine =
        semantic->verified_count > 0 && semantic->verified[semantic->verified_count - 1].usable;
    catalog_destroy(catalog);
    return is_fine ? EXIT_FINE
                   : misuse("the statement does not hold; send the right one with --sql",
                            buf_ok(&report->text) ? "" : "no memory");
}

static int check_file(struct review *review, struct str json)
{
    struct semantic_report report;
    struct semantic *semantic = NULL;
    struct err err = {0};
    semantic_report_init(&report);
    int code = semantic_file_read(json, &semantic, &report, &err) == ERR_OK
                   ? check_last(review, semantic, &report)
                   : misuse(review->file, err.text);
    if (code != EXIT_FINE)
        fprintf(stderr, "%.*s", STR_ARG(buf_str(&report.text)));
    semantic_report_fini(&report);
    semantic_model_destroy(semantic);
    return code;
}

/* Replace the file whole: nobody reads half of it. */
static int write_file(const char *path, struct str json)
{
    char part[PATH_BYTES];
    struct buf text;
    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part)
        return misuse(path, "the name is too long");
    buf_init(&text, 2 * FILE_BYTES);
    semantic_indent(json, &text);
    FILE *file = buf_ok(&text) ? fopen(part, "wb") : NULL;
    struct str all = buf_str(&text);
    bool is_written = file != NULL && fwrite(all.at, 1, all.len, file) == all.len;
    if (file != NULL)
        is_written = fclose(file) == 0 && is_written;
    buf_fini(&text);
    if (is_written && rename(part, path) == 0)
        return EXIT_FINE;
    remove(part);
    return misuse(path, "it cannot be written");
}

static int add_to_file(struct review *review, const struct feedback_note *note, struct str sql)
{
    struct buf text;
    struct err err = {0};
    buf_init(&text, FILE_BYTES);
    if (file_read(review->file, &text, &err) != ERR_OK && err.code == ERR_NOT_FOUND) {
        buf_clear(&text);
        buf_push(&text, STR("{\"version\":1}"));
        err = (struct err){0};
    }
    struct str json = {NULL, 0};
    if (err.code == ERR_OK)
        json = add_verified(review, buf_str(&text), note, sql, &err);
    buf_fini(&text);
    if (str_is_absent(json))
        return misuse(review->file, err.text);
    int code = check_file(review, json);
    return code == EXIT_FINE ? write_file(review->file, json) : code;
}

/* ---- take, refuse ---- */

static int take(struct review *review, struct feedback_note *note)
{
    struct str sql = review->sql != NULL       ? str_of(review->sql)
                     : note->corrected.len > 0 ? note->corrected
                                               : note->sql;
    if (review->file == NULL && review->config->semantic[0] != '\0')
        review->file = review->config->semantic;
    if (review->file == NULL)
        return misuse("no file to take it into", "--file FILE or ASKD_SEMANTIC");
    if (sql.len == 0)
        return misuse("there is no statement to take", "send the right one with --sql");
    int code = add_to_file(review, note, sql);
    if (code != EXIT_FINE)
        return code;
    note->state = FEEDBACK_TAKEN;
    code = keep(review, note);
    if (code == EXIT_FINE)
        printf("taken into %s: %.*s\n", review->file, STR_ARG(note->question));
    return code;
}

static int refuse(struct review *review, struct feedback_note *note)
{
    note->state = FEEDBACK_REFUSED;
    int code = keep(review, note);
    if (code == EXIT_FINE)
        printf("refused: %.*s\n", STR_ARG(note->question));
    return code;
}

static int decide(struct review *review)
{
    struct store_call call = {.verb = STORE_NOTES};
    struct feedback_note note;
    struct err err = {0};
    struct str name = feedback_note_name(str_of(review->words[1]), &review->arena);
    int code = load(review, name, &call);
    if (code == EXIT_FINE && (call.note_count != 1 || !str_equal(call.notes[0].name, name) ||
                              feedback_note_read(arena_str(&review->arena, call.notes[0].bytes),
                                                 &review->arena, &note, &err) != ERR_OK))
        code = misuse("there is no such feedback", review->words[1]);
    op_release(&call.op);
    if (code != EXIT_FINE)
        return code;
    return strcmp(review->words[0], "take") == 0 ? take(review, &note) : refuse(review, &note);
}

static bool is_command(const struct review *review)
{
    return review->word_count == 0 ||
           (review->word_count == 2 &&
            (strcmp(review->words[0], "take") == 0 || strcmp(review->words[0], "refuse") == 0));
}

int semantic_review(int argc, char **argv)
{
    struct review review = {.file = NULL};
    const struct cmd_option options[] = {
        {.name = "--file", .values = &review.file},
        {.name = "--sql", .values = &review.sql},
        {.name = "--by", .values = &review.by},
        {.name = "--all", .given = &review.all},
        {.name = "--json", .given = &review.json},
        {.values = review.words, .count = &review.word_count, .most = 2},
    };
    if (!cmd_options_read(argc, argv, options, countof(options), "askd semantic review"))
        return EXIT_MISUSE;
    if (!is_command(&review))
        return misuse(review.words[0], "expected nothing, take RUN or refuse RUN");
    review.config = cmd_input_config("askd semantic review", "ASKD_DATABASE_URL");
    if (review.config == NULL)
        return EXIT_MISUSE;
    arena_init(&review.arena, 4 * FILE_BYTES);
    int code = open_store(&review);
    if (code == EXIT_FINE)
        code = review.word_count == 0 ? list(&review) : decide(&review);
    close_store(&review);
    arena_fini(&review.arena);
    config_destroy(review.config);
    return code;
}

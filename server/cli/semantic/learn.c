/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/learn.c - a call of the model for each table, then one file of all of them.
 *
 * Happy path: what it will cost is said and agreed to; each table that was not learned yet is told
 * to the model, whose answer is one line of FILE.part; all lines and what the file said before
 * become FILE. Failure paths: no model, no database, nobody who agrees, an answer that is no
 * object, twice: a sentence on stderr, and 2; the lines stay, and the next call goes on behind
 * them. */
#include "server/cli/semantic/learn.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agents/common/extract.h"
#include "core/base/file.h"
#include "proto/json_value.h"
#include "server/cli/cmd_input.h"
#include "server/cli/cmd_options.h"
#include "server/cli/local_engine.h"
#include "server/cli/semantic/indent.h"
#include "server/cli/semantic/learn_file.h"
#include "server/cli/semantic/learn_prompt.h"

enum {
    EXIT_FINE = 0,
    EXIT_MISUSE = 2,
    FILE_BYTES = 64 << 20,
    ARENA_BYTES = 256 << 20,
    CALL_BYTES = 8 << 20,
    PATH_BYTES = 4096,
    TRIES = 2,
    ANSWER_TOKENS = 700, /* about, of a table */
    BYTES_PER_TOKEN = 4,
};

#define LEARN_TASK "semantic_learning"

struct learning {
    const char *file, *languages;
    bool model, yes;
    struct config *config;
    struct local_engine *engine;
    const struct lexicon *lexicon;
    char part[PATH_BYTES];
    struct arena arena;
    struct learn_file done;
};

static int misuse(const char *what, const char *why)
{
    fprintf(stderr, "askd semantic learn: %s%s%s\n", what, why[0] == '\0' ? "" : ": ", why);
    return EXIT_MISUSE;
}

/* ---- what it costs ---- */

static bool is_open(const struct learning *l, int table)
{
    const struct catalog_table *of = &l->lexicon->catalog->tables[table];
    return l->lexicon->facts[table].visible && !learn_file_has(&l->done, of->name);
}

/* Say what so many tokens cost at the prices of the model that is asked, where they are known. */
static void tell_price(const struct learning *l, uint64_t in, uint64_t out)
{
    const struct models_file *file = l->config->models;
    if (file == NULL) {
        fputs("What that costs is these numbers times its prices.\n", stderr);
        return;
    }
    const struct models_file_model *model =
        &file->models[models_file_task_for(file, LEARN_TASK)->models[0]];
    const double cost =
        ((double)in * model->prices.input + (double)out * model->prices.output) / 1e6;
    if (cost > 0)
        fprintf(stderr, "At the prices of '%s' that is about %.4f.\n", model->name, cost);
    else
        fprintf(stderr, "'%s' has no prices in the file of ASKD_MODELS.\n", model->name);
}

static int agree(const struct learning *l, size_t calls, size_t bytes)
{
    const unsigned long long in = bytes / BYTES_PER_TOKEN, out = calls * ANSWER_TOKENS;
    fprintf(
        stderr,
        "%zu tables to learn: %zu calls of the model, about %llu tokens to it and %llu from it.\n",
        calls, calls, in, out);
    tell_price(l, in, out);
    if (l->yes || calls == 0)
        return EXIT_FINE;
    if (!isatty(STDIN_FILENO))
        return misuse("nobody can be asked whether it may cost that much", "say --yes");
    fputs("Go on? [y/N] ", stderr);
    int c = getchar();
    return c == 'y' || c == 'Y' ? EXIT_FINE : misuse("nothing was asked", "");
}

static int tell_cost(struct learning *l)
{
    size_t calls = 0, bytes = 0;
    for (size_t t = 0; t < l->lexicon->catalog->table_count; t++) {
        struct arena arena;
        if (!is_open(l, (int)t))
            continue;
        arena_init(&arena, CALL_BYTES);
        calls++;
        bytes += learn_prompt_rules(l->languages).len +
                 learn_prompt_table(l->lexicon, (int)t, l->languages, &arena).len;
        arena_fini(&arena);
    }
    return agree(l, calls, bytes);
}

/* ---- asking ---- */

/* Append what the model said of a table to the file of parts, as one line. */
static int keep_line(struct learning *l, struct str line)
{
    FILE *file = fopen(l->part, "ab");
    bool is_kept =
        file != NULL && fwrite(line.at, 1, line.len, file) == line.len && fputc('\n', file) != EOF;
    if (file != NULL)
        is_kept = fclose(file) == 0 && is_kept;
    return is_kept ? EXIT_FINE : misuse(l->part, "it cannot be written");
}

static int ask_table(struct learning *l, int table)
{
    const struct catalog_table *of = &l->lexicon->catalog->tables[table];
    struct err err = {0};
    struct arena arena;
    int code = EXIT_MISUSE;
    arena_init(&arena, CALL_BYTES);
    for (unsigned i = 0; i < TRIES && code != EXIT_FINE; i++) {
        const struct llm_message messages[] = {
            {.role = LLM_SYSTEM, .text = learn_prompt_rules(l->languages)},
            {.role = LLM_USER,
             .text = learn_prompt_table(l->lexicon, table, l->languages, &arena)}};
        struct str answer =
            local_engine_chat(l->engine, LEARN_TASK, messages, countof(messages), &arena, &err);
        if (str_is_absent(answer))
            break;
        struct str line = learn_file_line(l->lexicon, table, extract_json(answer, '{'), &arena);
        if (!str_is_absent(line))
            code = keep_line(l, line);
        else
            err_set(&err, ERR_PROTOCOL, "the model's answer about it is no JSON object");
    }
    arena_fini(&arena);
    if (code != EXIT_FINE)
        fprintf(stderr, "askd semantic learn: %.*s: %s\n", STR_ARG(of->name), err.text);
    return code;
}

static int ask_all(struct learning *l)
{
    const struct catalog *catalog = l->lexicon->catalog;
    size_t total = 0, asked = 0;
    int code = EXIT_FINE;
    for (size_t t = 0; t < catalog->table_count; t++)
        total += is_open(l, (int)t);
    for (size_t t = 0; t < catalog->table_count && code == EXIT_FINE; t++) {
        if (!is_open(l, (int)t))
            continue;
        fprintf(stderr, "%s[%zu/%zu] %.*s%s", isatty(STDERR_FILENO) ? "\r\033[K" : "", ++asked,
                total, STR_ARG(catalog->tables[t].name), isatty(STDERR_FILENO) ? "" : "\n");
        code = ask_table(l, (int)t);
    }
    if (isatty(STDERR_FILENO) && total > 0)
        fputc('\n', stderr);
    return code;
}

/* ---- the file ---- */

static int read_text(const char *path, struct buf *text)
{
    struct err err = {0};
    if (file_read(path, text, &err) == ERR_OK || err.code == ERR_NOT_FOUND)
        return EXIT_FINE;
    return misuse(path, err.text);
}

/* Read what was learned before into l->done. */
static int read_parts(struct learning *l)
{
    struct buf text;
    buf_init(&text, FILE_BYTES);
    int code = read_text(l->part, &text);
    if (code == EXIT_FINE)
        learn_file_read(&l->done, arena_str(&l->arena, buf_str(&text)), &l->arena);
    buf_fini(&text);
    return code;
}

static int write_file(const char *path, struct str json)
{
    char fresh[PATH_BYTES];
    struct buf text;
    if ((size_t)snprintf(fresh, sizeof fresh, "%s.new", path) >= sizeof fresh)
        return misuse(path, "the name is too long");
    buf_init(&text, 2 * FILE_BYTES);
    semantic_indent(json, &text);
    struct str all = buf_str(&text);
    FILE *file = buf_ok(&text) ? fopen(fresh, "wb") : NULL;
    bool is_written = file != NULL && fwrite(all.at, 1, all.len, file) == all.len;
    if (file != NULL)
        is_written = fclose(file) == 0 && is_written;
    buf_fini(&text);
    if (is_written && rename(fresh, path) == 0)
        return EXIT_FINE;
    remove(fresh);
    return misuse(path, "it cannot be written");
}

static int make_file(struct learning *l)
{
    struct buf before, out;
    struct learn_counts counts = {0};
    struct err err = {0};
    int code = read_parts(l);
    buf_init(&before, FILE_BYTES);
    buf_init(&out, FILE_BYTES);
    if (code == EXIT_FINE)
        code = read_text(l->file, &before);
    if (code == EXIT_FINE &&
        (learn_file_write(&l->done, buf_str(&before), &l->arena, &out, &counts, &err) != ERR_OK ||
         !buf_ok(&out)))
        code = misuse(l->file, err.code == ERR_OK ? "no memory for it" : err.text);
    if (code == EXIT_FINE)
        code = write_file(l->file, buf_str(&out));
    if (code == EXIT_FINE)
        printf(
            "%s: %zu tables, %zu columns, %zu words; unsure of %zu: look for \"[unsure\". Review "
            "it, then: askd semantic check %s\n",
            l->file, counts.tables, counts.columns, counts.words, counts.unsure, l->file);
    buf_fini(&before);
    buf_fini(&out);
    return code;
}

static int run(struct learning *l)
{
    struct err err = {0};
    int code = read_parts(l);
    if (code != EXIT_FINE)
        return code;
    l->engine = local_engine_open(l->config, "general_agent", &err);
    if (l->engine == NULL)
        return misuse("the model or the database", err.text);
    l->lexicon = local_engine_lexicon(l->engine);
    if (l->lexicon == NULL)
        return misuse("the database cannot be read", "askd check says why");
    if (local_engine_is_offline(l->engine))
        return misuse("there is no model to ask", "ASKD_MODEL is offline");
    code = tell_cost(l);
    if (code == EXIT_FINE)
        code = ask_all(l);
    return code == EXIT_FINE ? make_file(l) : code;
}

int semantic_learn(int argc, char **argv)
{
    struct learning l = {.file = "semantic.learned.json", .languages = ""};
    const struct cmd_option options[] = {
        {.name = "--model", .given = &l.model},
        {.name = "--file", .values = &l.file},
        {.name = "--languages", .values = &l.languages},
        {.name = "--yes", .given = &l.yes},
    };
    if (!cmd_options_read(argc, argv, options, countof(options), "askd semantic learn"))
        return EXIT_MISUSE;
    if (!l.model)
        return misuse("give --model: it is the model that is asked", "");
    if ((size_t)snprintf(l.part, sizeof l.part, "%s.part", l.file) >= sizeof l.part)
        return misuse(l.file, "the name is too long");
    l.config = cmd_input_config("askd semantic learn", "ASKD_DATABASE_URL");
    if (l.config == NULL)
        return EXIT_MISUSE;
    arena_init(&l.arena, ARENA_BYTES);
    int code = run(&l);
    local_engine_close(l.engine);
    arena_fini(&l.arena);
    config_destroy(l.config);
    return code;
}

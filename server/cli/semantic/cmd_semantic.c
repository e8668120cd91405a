/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/cmd_semantic.c - options, the database's catalog, then the guess or the
 * check.
 *
 * Happy path: init writes JSON to standard output; check says that the file is fine, and what it
 * holds.
 * Failure paths: an unknown option, an unreadable file or database: a sentence on stderr and 2.
 * Mistakes in the file: a line each on standard output, and 1. */
#include "server/cli/semantic/cmd_semantic.h"

#include <stdio.h>
#include <string.h>

#include "agents/lexicon/lexicon.h"
#include "agents/semantic/bind.h"
#include "agents/semantic/file.h"
#include "agents/semantic_init/init_file.h"
#include "agents/semantic/twice.h"
#include "core/base/file.h"
#include "server/cli/cmd_input.h"
#include "server/cli/cmd_options.h"
#include "server/cli/semantic/indent.h"
#include "server/cli/semantic/learn.h"
#include "server/cli/semantic/review.h"
#include "server/cli/semantic/semantic_values.h"
#include "server/config/database_url.h"

enum { EXIT_FINE = 0, EXIT_MISTAKES = 1, EXIT_MISUSE = 2, FILE_BYTES = 64 << 20 };

struct asked { /* the command line */
    const char *db, *secure, *tenant, *file;
};

static int misuse(const char *what, const char *why)
{
    fprintf(stderr, "askd semantic: %s%s%s\n", what, why[0] == '\0' ? "" : ": ", why);
    return EXIT_MISUSE;
}

static bool read_options(struct asked *asked, int argc, char **argv)
{
    size_t count = 0;
    const struct cmd_option options[] = {
        {.name = "--db", .values = &asked->db},
        {.name = "--secure-views", .values = &asked->secure},
        {.name = "--tenant", .values = &asked->tenant},
        {.values = &asked->file, .count = &count, .most = 1},
    };
    return cmd_options_read(argc, argv, options, countof(options), "askd semantic");
}

static int read_catalog(const struct asked *asked, struct introspect_options *options,
                        struct catalog **out)
{
    struct buf views;
    struct err err = {0};
    int code = EXIT_FINE;
    options->count_rows = true;
    options->tenant_column = str_of(asked->tenant);
    buf_init(&views, FILE_BYTES);
    if (asked->secure != NULL && file_read(asked->secure, &views, &err) != ERR_OK)
        code = misuse(asked->secure, err.text);
    if (asked->secure != NULL)
        options->secure_views = buf_str(&views);
    if (code == EXIT_FINE && cmd_input_catalog(asked->db, options, out, &err) != ERR_OK)
        code = misuse("the database", err.text);
    buf_fini(&views);
    return code;
}

/* ---- init ---- */

static int init(const struct asked *asked)
{
    struct introspect_options options = {.count_rows = true};
    struct catalog *catalog = NULL;
    enum sql_dialect dialect;
    struct err err = {0};
    struct buf json, text;
    int code = asked->file != NULL ? misuse("init takes options only", asked->file)
                                   : read_catalog(asked, &options, &catalog);
    if (code != EXIT_FINE)
        return code;
    struct lexicon *lexicon = semantic_values_read(asked->db, NULL, catalog, &dialect, &err);
    buf_init(&json, FILE_BYTES);
    buf_init(&text, FILE_BYTES);
    if (lexicon != NULL) {
        semantic_init_write(lexicon, dialect, &json);
        semantic_indent(buf_str(&json), &text);
    }
    struct str all = buf_str(&text);
    if (lexicon == NULL)
        code = misuse("the database's values", err.text);
    else if (!buf_ok(&json) || !buf_ok(&text))
        code = misuse("no memory for so large a schema", "");
    else if (fwrite(all.at, 1, all.len, stdout) != all.len)
        code = misuse("standard output", "cannot be written");
    buf_fini(&json);
    buf_fini(&text);
    lexicon_destroy(lexicon);
    catalog_destroy(catalog);
    return code;
}

/* ---- check ---- */

static int say_report(const struct semantic_report *report)
{
    struct str lines = buf_str(&report->text);
    printf("%.*s%zu %s\n", STR_ARG(lines), report->count,
           report->count == 1 ? "mistake" : "mistakes");
    return EXIT_MISTAKES;
}

static int check_names(const struct asked *asked, struct semantic *semantic,
                       struct semantic_report *report)
{
    struct introspect_options options = {.count_rows = false};
    struct catalog *catalog = NULL;
    enum sql_dialect dialect;
    struct str rest;
    struct err err = {0};
    options.changes = semantic_bind_changes(semantic, &options.change_count);
    int code = read_catalog(asked, &options, &catalog);
    if (code != EXIT_FINE)
        return code;
    if (!database_url_engine(str_of(asked->db), &dialect, &rest))
        dialect = SQL_SQLITE;
    semantic_bind_catalog(semantic, catalog, &sql_policy_default, dialect, report);
    semantic_twice_report(semantic, report);
    if (report->count == 0 &&
        semantic_values_report(asked->db, semantic, catalog, report, &err) != ERR_OK)
        code = misuse("the database's values", err.text);
    else if (report->count > 0)
        code = say_report(report);
    else
        printf("fine: %zu tables, %zu metrics, %zu filters, %zu words, %zu verified questions\n",
               semantic->table_count, semantic->metric_count,
               semantic->named_count - semantic->metric_count, semantic->term_count,
               semantic->verified_count);
    catalog_destroy(catalog);
    return code;
}

static int check(const struct asked *asked)
{
    struct semantic_report report;
    struct semantic *semantic;
    struct err err = {0};
    int code;
    if (asked->file == NULL)
        return misuse("name the file to check", "");
    semantic_report_init(&report);
    if (semantic_file_load(asked->file, &semantic, &report, &err) == ERR_OK)
        code = check_names(asked, semantic, &report);
    else
        code = report.count > 0 ? say_report(&report) : misuse(asked->file, err.text);
    semantic_report_fini(&report);
    semantic_model_destroy(semantic);
    return code;
}

/* Where the command line names no database: what the configuration has. False: it has none. */
static bool read_config(struct asked *asked, struct config **config)
{
    if (asked->db != NULL)
        return true;
    *config = cmd_input_config("askd semantic", "--db URL");
    if (*config == NULL)
        return false;
    asked->db = (*config)->database_url;
    if (asked->secure == NULL && (*config)->secure_views[0] != '\0')
        asked->secure = (*config)->secure_views;
    if (asked->tenant == NULL && (*config)->tenant_column[0] != '\0')
        asked->tenant = (*config)->tenant_column;
    return true;
}

int cmd_semantic(int argc, char **argv)
{
    struct asked asked = {.db = NULL};
    struct config *config = NULL;
    const char *command = argv[1];
    if (strcmp(command, "learn") == 0)
        return semantic_learn(argc - 2, argv + 2);
    if (strcmp(command, "review") == 0)
        return semantic_review(argc - 2, argv + 2);
    if (!read_options(&asked, argc - 2, argv + 2))
        return EXIT_MISUSE;
    if (!read_config(&asked, &config))
        return EXIT_MISUSE;
    int code = strcmp(command, "init") == 0 ? init(&asked) : check(&asked);
    config_destroy(config);
    return code;
}

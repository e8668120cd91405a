/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_sql.c - options, the catalog (from a file or a database), then statements.
 *
 * Happy path: read the catalog and the policies, then answer the one statement of the command
 * line, or each line of standard input until it ends. A refusal is told by 1.
 * Failure paths: an unknown option, an unreadable or broken file, no database: a sentence on
 * stderr and 2. A broken line is answered, not fatal; one over LINE_BYTES is answered and
 * skipped. A reader that went away (EPIPE) ends it. */
#include "server/cli/cmd_sql.h"

#include <stdio.h>
#include <string.h>

#include "agents/sql/parse/parse_sqlite.h"
#include "core/base/file.h"
#include "core/base/mem.h"
#include "server/cli/cmd_input.h"
#include "server/cli/cmd_options.h"
#include "server/cli/cmd_sql_lines.h"
#include "server/config/database_url.h"

enum {
    EXIT_RAN = 0,
    EXIT_REFUSED = 1,
    EXIT_MISUSE = 2,
    FILE_BYTES = 64 << 20,
    POLICY_ARENA_BYTES = 64 << 20,
    JUDGE_ARENA_BYTES = 64 << 20,
    ANSWER_BYTES = 8 << 20,
};

struct asked { /* the command line */
    const char *catalog, *db, *policies, *policy, *tenant, *secure, *sql;
    bool jsonl, strict;
};

static int misuse(const char *what, const char *why)
{
    fprintf(stderr, "askd sql: %s%s%s\n", what, why[0] == '\0' ? "" : ": ", why);
    return EXIT_MISUSE;
}

static bool read_options(struct asked *asked, int argc, char **argv)
{
    size_t count = 0;
    const struct cmd_option options[] = {
        {.name = "--catalog", .values = &asked->catalog},
        {.name = "--db", .values = &asked->db},
        {.name = "--policies", .values = &asked->policies},
        {.name = "--policy", .values = &asked->policy},
        {.name = "--tenant", .values = &asked->tenant},
        {.name = "--secure-views", .values = &asked->secure},
        {.name = "--jsonl", .given = &asked->jsonl},
        {.name = "--strict", .given = &asked->strict},
        {.values = &asked->sql, .count = &count, .most = 1},
    };
    return cmd_options_read(argc, argv, options, countof(options), "askd sql");
}

/* ---- the catalog ---- */

static int catalog_from_file(const struct asked *asked, struct catalog **out)
{
    struct buf text;
    struct err err = {0};
    int code = EXIT_RAN;
    buf_init(&text, FILE_BYTES);
    if (file_read(asked->catalog, &text, &err) != ERR_OK)
        code = misuse(asked->catalog, err.text);
    else if (catalog_from_join_graph(buf_str(&text), out, &err) != ERR_OK)
        code = misuse(asked->catalog, err.text);
    buf_fini(&text);
    return code;
}

static int catalog_from_database(const struct asked *asked, struct catalog **out)
{
    struct introspect_options options = {.tenant_column = str_of(asked->tenant)};
    struct buf views;
    struct err err = {0};
    int code = EXIT_RAN;
    buf_init(&views, FILE_BYTES);
    if (asked->secure != NULL && file_read(asked->secure, &views, &err) != ERR_OK)
        code = misuse(asked->secure, err.text);
    options.secure_views = buf_str(&views);
    if (code == EXIT_RAN && cmd_input_catalog(asked->db, &options, out, &err) != ERR_OK)
        code = misuse("--db", err.text); /* without the url, which may hold a password */
    buf_fini(&views);
    return code;
}

static int read_catalog(const struct asked *asked, struct catalog **out)
{
    if (asked->catalog != NULL)
        return catalog_from_file(asked, out);
    return catalog_from_database(asked, out);
}

/* Where the command line names neither database nor catalog: what the configuration has. False: it
 * has none. */
static bool read_config(struct asked *asked, struct config **config)
{
    if (asked->catalog != NULL || asked->db != NULL)
        return true;
    *config = cmd_input_config("askd sql", "--catalog FILE or --db URL");
    if (*config == NULL)
        return false;
    asked->db = (*config)->database_url;
    if (asked->secure == NULL && (*config)->secure_views[0] != '\0')
        asked->secure = (*config)->secure_views;
    return true;
}

static int read_policies(const struct asked *asked, struct arena *arena, struct buf *text,
                         struct cmd_sql_rules *rules)
{
    struct err err = {0};
    if (asked->policies == NULL)
        return EXIT_RAN;
    if (file_read(asked->policies, text, &err) != ERR_OK)
        return misuse(asked->policies, err.text);
    if (sql_policy_read(buf_str(text), arena, &rules->policies, &err) != ERR_OK)
        return misuse(asked->policies, err.text);
    return EXIT_RAN;
}

/* ---- statements ---- */

static int check_one(const struct cmd_sql_rules *rules, const char *text)
{
    const struct sql_policy *policy = cmd_sql_lines_policy(rules, (struct str){NULL, 0});
    struct sql_verdict verdict;
    struct arena arena;
    if (policy == NULL)
        return misuse("there is no such policy", rules->default_policy.at);
    arena_init(&arena, JUDGE_ARENA_BYTES);
    cmd_sql_lines_judge(rules, policy, rules->dialect, str_of(text), &arena, &verdict);
    if (verdict.code == ERR_OK) {
        printf("accept\n%.*s\n", STR_ARG(verdict.sql));
    } else {
        printf("reject: %s", verdict.rule);
        if (verdict.line > 0)
            printf(" at line %zu, column %zu", verdict.line, verdict.column);
        printf("\n%s\n", verdict.err.text);
    }
    for (size_t i = 0; i < verdict.warning_count; i++)
        printf("warning: %.*s\n", STR_ARG(verdict.warnings[i].text));
    arena_fini(&arena);
    return verdict.code == ERR_OK ? EXIT_RAN : EXIT_REFUSED;
}

struct lines {
    const struct cmd_sql_rules *rules;
    bool has_refusal;
};

static void answer_line(void *owner, struct str line, struct buf *out)
{
    struct lines *lines = owner;
    lines->has_refusal |= !cmd_sql_lines_answer(lines->rules, line, out);
}

static int check_lines(const struct cmd_sql_rules *rules, bool strict)
{
    struct lines lines = {.rules = rules};
    size_t unanswered;
    if (!cmd_input_lines(ANSWER_BYTES, answer_line, &lines, &unanswered))
        return misuse("standard input", "it broke, or nobody reads the answers");
    return strict && (lines.has_refusal || unanswered > 0) ? EXIT_REFUSED : EXIT_RAN;
}

int cmd_sql(int argc, char **argv)
{
    struct asked asked = {.jsonl = false};
    struct catalog *catalog = NULL;
    struct config *config = NULL;
    struct arena arena;
    struct str rest;
    struct buf text;
    if (!read_options(&asked, argc - 2, argv + 2))
        return EXIT_MISUSE;
    if (asked.jsonl == (asked.sql != NULL))
        return misuse("give either one statement or --jsonl", "");
    if (!read_config(&asked, &config))
        return EXIT_MISUSE;
    struct cmd_sql_rules rules = {.default_policy = str_of(asked.policy),
                                  .tenant = {.on = asked.tenant != NULL}};
    arena_init(&arena, POLICY_ARENA_BYTES);
    buf_init(&text, FILE_BYTES);
    int code = read_catalog(&asked, &catalog);
    if (code == EXIT_RAN)
        code = read_policies(&asked, &arena, &text, &rules);
    rules.catalog = catalog;
    if (asked.db != NULL && !database_url_engine(str_of(asked.db), &rules.dialect, &rest))
        code = misuse("--db", "not a url");
    if (code == EXIT_RAN) {
        struct err err = {0};
        rules.oracle = sql_oracle_create(catalog, &err);
        if (rules.oracle == NULL && rules.dialect == SQL_SQLITE)
            code = misuse("no second opinion", err.text);
    }
    if (code == EXIT_RAN)
        code = asked.jsonl ? check_lines(&rules, asked.strict) : check_one(&rules, asked.sql);
    sql_oracle_destroy(rules.oracle);
    catalog_destroy(catalog);
    arena_fini(&arena);
    buf_fini(&text);
    config_destroy(config);
    return code;
}

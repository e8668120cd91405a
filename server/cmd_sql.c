/* SPDX-License-Identifier: MIT */
/* server/cmd_sql.c - options, the catalog (from a file or a database), then statements.
 *
 * Happy path: read the catalog and the policies, then answer the one statement of the command
 * line, or each line of standard input until it ends.
 * Failure paths: an unknown option, an unreadable or broken file, no database: a sentence on
 * stderr and 2. A broken line is answered, not fatal; one over LINE_BYTES is answered and
 * skipped. A reader that went away (EPIPE) ends it. */
#include "server/cmd_sql.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agents/sql/introspect.h"
#include "agents/sql/parse_sqlite.h"
#include "backends/sql_sqlite.h"
#include "core/base/mem.h"
#include "server/cmd_sql_lines.h"

enum {
    EXIT_RAN = 0,
    EXIT_MISUSE = 2,
    LINE_BYTES = 1 << 20,
    READ_BYTES = 64 << 10,
    FILE_BYTES = 64 << 20,
    POLICY_ARENA_BYTES = 64 << 20,
    JUDGE_ARENA_BYTES = 64 << 20,
    ANSWER_BYTES = 8 << 20,
};

static const char help[] =
    "askd sql check: what may a statement read, and what would be sent?\n"
    "\n"
    "  askd sql check [OPTIONS] \"SELECT ...\"    one statement, answered in words\n"
    "  askd sql check [OPTIONS] --jsonl         one JSON object a line on standard input,\n"
    "                                           one answer a line on standard output\n"
    "\n"
    "  --catalog FILE    tables and columns, in the join-graph format\n"
    "  --db URL          or from a database: sqlite:PATH\n"
    "  --secure-views FILE   {\"employee\":\"secure_employee\"}, with --db\n"
    "  --policies FILE   policies by name (docs/policies.md); built in: banking, default\n"
    "  --policy NAME     the policy where a line names none\n"
    "  --tenant COLUMN   filter tables that have the column by the caller's company\n"
    "\n"
    "A line:    {\"id\":\"1\",\"dialect\":\"sqlite\",\"policy\":\"bank\",\"sql\":\"SELECT ...\"}\n"
    "           (\"sql_b64\" in base64 for bytes that are not UTF-8)\n"
    "Answered:  {\"id\":\"1\",\"verdict\":\"accept\",\"rule\":\"\",\"reason\":\"\","
    "\"sql\":\"...\"}\n"
    "Exit code: 0 it ran, whatever the verdicts; 2 it could not.\n";

struct asked { /* the command line */
    const char *catalog, *db, *policies, *policy, *tenant, *secure, *sql;
    bool jsonl, help;
};

static int misuse(const char *what, const char *why)
{
    fprintf(stderr, "askd sql: %s%s%s\n", what, why[0] == '\0' ? "" : ": ", why);
    return EXIT_MISUSE;
}

static bool take_option(struct asked *asked, char **argv, int *i, int argc)
{
    const struct {
        const char *name, **value;
    } options[] = {{"--catalog", &asked->catalog},   {"--db", &asked->db},
                   {"--policies", &asked->policies}, {"--policy", &asked->policy},
                   {"--tenant", &asked->tenant},     {"--secure-views", &asked->secure}};
    for (size_t j = 0; j < countof(options); j++) {
        if (strcmp(argv[*i], options[j].name) != 0 || *i + 1 >= argc)
            continue;
        *options[j].value = argv[++*i];
        return true;
    }
    return false;
}

static bool read_options(struct asked *asked, int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--jsonl") == 0)
            asked->jsonl = true;
        else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            asked->help = true;
        else if (take_option(asked, argv, &i, argc))
            continue;
        else if (argv[i][0] == '-' || asked->sql != NULL) {
            misuse("not an option, or without its value", argv[i]);
            return false;
        } else {
            asked->sql = argv[i];
        }
    }
    return true;
}

static bool read_file(const char *path, struct buf *out)
{
    FILE *file = fopen(path, "rb");
    size_t got = 0;
    if (file == NULL)
        return false;
    do {
        char *room = buf_reserve(out, READ_BYTES);
        if (room == NULL)
            break;
        got = fread(room, 1, READ_BYTES, file);
        buf_commit(out, got);
    } while (got > 0);
    bool ok = !ferror(file) && buf_ok(out);
    fclose(file);
    return ok;
}

/* ---- the catalog ---- */

static int catalog_from_file(const struct asked *asked, struct catalog **out)
{
    struct buf text;
    struct err err = {0};
    int code = EXIT_RAN;
    buf_init(&text, FILE_BYTES);
    if (!read_file(asked->catalog, &text))
        code = misuse(asked->catalog, "cannot be read");
    else if (catalog_from_join_graph(buf_str(&text), out, &err) != ERR_OK)
        code = misuse(asked->catalog, err.text);
    buf_fini(&text);
    return code;
}

static void on_introspected(struct op *op)
{
    loop_stop(op_owner(op));
}

static int introspect_database(const char *path, const struct introspect_options *options,
                               struct catalog **out)
{
    struct introspect introspect = {.catalog = NULL};
    struct loop *loop = loop_create();
    struct sql *sql = loop == NULL ? NULL : sql_sqlite_create(loop, path, 1, 0);
    int code = EXIT_RAN;
    if (sql == NULL) {
        loop_destroy(loop);
        return misuse(path, "no memory");
    }
    introspect_start(&introspect, sql, options,
                     (struct op_waiter){.done = on_introspected, .owner = loop});
    loop_run(loop);
    *out = introspect.catalog;
    if (introspect.op.err.code != ERR_OK)
        code = misuse(path, introspect.op.err.text);
    op_release(&introspect.op);
    sql_close(sql, NULL, NULL);
    loop_run(loop);
    loop_destroy(loop);
    return code;
}

static int catalog_from_database(const struct asked *asked, struct catalog **out)
{
    struct introspect_options options = {.tenant_column = str_of(asked->tenant)};
    struct buf views;
    int code = EXIT_RAN;
    if (strncmp(asked->db, "sqlite:", strlen("sqlite:")) != 0)
        return misuse(asked->db, "expected sqlite:PATH");
    buf_init(&views, FILE_BYTES);
    if (asked->secure != NULL && !read_file(asked->secure, &views))
        code = misuse(asked->secure, "cannot be read");
    options.secure_views = buf_str(&views);
    if (code == EXIT_RAN)
        code = introspect_database(asked->db + strlen("sqlite:"), &options, out);
    buf_fini(&views);
    return code;
}

static int read_catalog(const struct asked *asked, struct catalog **out)
{
    if (asked->catalog != NULL)
        return catalog_from_file(asked, out);
    if (asked->db != NULL)
        return catalog_from_database(asked, out);
    return misuse("give --catalog FILE or --db URL", "");
}

static int read_policies(const struct asked *asked, struct arena *arena, struct buf *text,
                         struct cmd_sql_rules *rules)
{
    struct err err = {0};
    if (asked->policies == NULL)
        return EXIT_RAN;
    if (!read_file(asked->policies, text))
        return misuse(asked->policies, "cannot be read");
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
    cmd_sql_lines_judge(rules, policy, SQL_SQLITE, str_of(text), &arena, &verdict);
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
    return EXIT_RAN;
}

/* Answer line; false: nobody reads any more. */
static bool answer(const struct cmd_sql_rules *rules, struct str line, struct buf *out)
{
    buf_clear(out);
    if (str_is_empty(str_trim(line)))
        return true;
    if (line.len > LINE_BYTES)
        buf_push(out, STR("{\"error\":\"the line is longer than 1 MiB\"}"));
    else
        cmd_sql_lines_answer(rules, line, out);
    if (!buf_ok(out)) {
        buf_clear(out);
        buf_push(out, STR("{\"error\":\"no memory for the answer\"}"));
    }
    buf_push_char(out, '\n');
    struct str text = buf_str(out);
    return fwrite(text.at, 1, text.len, stdout) == text.len && fflush(stdout) == 0;
}

/* Answer the complete lines of input; of one that is too long only the fact is kept. */
static bool answer_lines(const struct cmd_sql_rules *rules, struct buf *input, bool *skipping,
                         struct buf *out)
{
    for (;;) {
        struct str text = buf_str(input);
        ptrdiff_t end = str_find_char(text, '\n');
        if (end == STR_NONE && text.len <= LINE_BYTES)
            return true;
        size_t len = end == STR_NONE ? text.len : (size_t)end;
        if (!*skipping && !answer(rules, str_slice(text, 0, len), out))
            return false;
        *skipping = end == STR_NONE;
        buf_consume(input, end == STR_NONE ? len : len + 1);
    }
}

static int check_lines(const struct cmd_sql_rules *rules)
{
    struct buf input, out;
    bool skipping = false, wanted = true;
    buf_init(&input, LINE_BYTES + 2 * READ_BYTES);
    buf_init(&out, ANSWER_BYTES);
    while (wanted) {
        char *room = buf_reserve(&input, READ_BYTES);
        ssize_t got = room == NULL ? 0 : read(STDIN_FILENO, room, READ_BYTES);
        if (got <= 0)
            break;
        buf_commit(&input, (size_t)got);
        wanted = answer_lines(rules, &input, &skipping, &out);
    }
    if (wanted && !skipping)
        answer(rules, buf_str(&input), &out);
    bool ok = buf_ok(&input);
    buf_fini(&input);
    buf_fini(&out);
    return ok ? EXIT_RAN : misuse("no memory", "");
}

int cmd_sql(int argc, char **argv)
{
    struct asked asked = {.jsonl = false};
    struct catalog *catalog = NULL;
    struct arena arena;
    struct buf text;
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return EXIT_RAN;
    }
    if (argc < 2 || strcmp(argv[1], "check") != 0)
        return misuse("expected: askd sql check; --help says more", "");
    if (!read_options(&asked, argc, argv))
        return EXIT_MISUSE;
    if (asked.help) {
        fputs(help, stdout);
        return EXIT_RAN;
    }
    if (asked.jsonl == (asked.sql != NULL))
        return misuse("give either one statement or --jsonl", "");
    struct cmd_sql_rules rules = {.default_policy = str_of(asked.policy),
                                  .tenant = {.on = asked.tenant != NULL}};
    arena_init(&arena, POLICY_ARENA_BYTES);
    buf_init(&text, FILE_BYTES);
    int code = read_catalog(&asked, &catalog);
    if (code == EXIT_RAN)
        code = read_policies(&asked, &arena, &text, &rules);
    rules.catalog = catalog;
    if (code == EXIT_RAN) {
        struct err err = {0};
        rules.oracle = sql_oracle_create(catalog, &err);
        if (rules.oracle == NULL)
            code = misuse("no second opinion", err.text);
    }
    if (code == EXIT_RAN)
        code = asked.jsonl ? check_lines(&rules) : check_one(&rules, asked.sql);
    sql_oracle_destroy(rules.oracle);
    catalog_destroy(catalog);
    arena_fini(&arena);
    buf_fini(&text);
    return code;
}

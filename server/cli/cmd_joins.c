/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_joins.c - options, the graph (from files or a database), then questions.
 *
 * Happy path: read and merge the graphs, then answer the tables of the command line, or each line
 * of standard input until it ends.
 * Failure paths: an unknown option, an unreadable or broken file, no graph: a sentence on stderr
 * and 2. A broken line is answered, not fatal; one over LINE_BYTES is answered and skipped. A
 * reader that went away (EPIPE) ends it. */
#include "server/cli/cmd_joins.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/mem.h"
#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/cli/cmd_input.h"
#include "server/cli/cmd_joins_introspect.h"
#include "server/cli/cmd_joins_validate.h"
#include "server/cli/cmd_joins_words.h"
#include "server/cli/cmd_options.h"

enum {
    EXIT_RAN = 0,
    EXIT_NO_PATH = 1,
    EXIT_MISUSE = 2,
    MAX_GRAPHS = 8,
    FILE_BYTES = 64 << 20,
    LINE_ARENA_BYTES = 64 << 20,
    ANSWER_BYTES = 8 << 20,
    PATH_BYTES = 4096,
    DEFAULT_HOPS = 4,
};

struct asked { /* the command line */
    const char *graphs[MAX_GRAPHS], *db, *out, *words, *threshold, *max_hops;
    const char *tables[CMD_JOINS_TABLES];
    size_t graph_count, table_count;
    bool jsonl;
    struct config *config; /* holds what the command line does not say; or NULL */
};

struct joins {
    struct join_graph *graph;
    double threshold;
    unsigned max_hops;
    struct join_finder *finders[CMD_JOINS_HOPS + 1]; /* by hops, made when first asked for */
};

static int misuse(const char *what, const char *why)
{
    fprintf(stderr, "askd joins: %s%s%s\n", what, why[0] == '\0' ? "" : ": ", why);
    return EXIT_MISUSE;
}

static bool read_options(struct asked *asked, int argc, char **argv)
{
    const struct cmd_option options[] = {
        {.name = "--graph",
         .values = asked->graphs,
         .count = &asked->graph_count,
         .most = countof(asked->graphs)},
        {.name = "--db", .values = &asked->db},
        {.name = "--out", .values = &asked->out},
        {.name = "--words", .values = &asked->words},
        {.name = "--threshold", .values = &asked->threshold},
        {.name = "--max-hops", .values = &asked->max_hops},
        {.name = "--jsonl", .given = &asked->jsonl},
        {.values = asked->tables, .count = &asked->table_count, .most = countof(asked->tables)},
    };
    return cmd_options_read(argc, argv, options, countof(options), "askd joins");
}

static int read_numbers(const struct asked *asked, struct joins *joins)
{
    uint64_t hops = DEFAULT_HOPS;
    joins->threshold = 0.7;
    if (asked->threshold != NULL && (!str_to_double(str_of(asked->threshold), &joins->threshold) ||
                                     !(joins->threshold > 0.0 && joins->threshold <= 1.0)))
        return misuse(asked->threshold, "a threshold is over 0 and at most 1");
    if (asked->max_hops != NULL &&
        (!str_to_u64(str_of(asked->max_hops), &hops) || hops == 0 || hops > CMD_JOINS_HOPS))
        return misuse(asked->max_hops, "hops are 1 to 12");
    joins->max_hops = (unsigned)hops;
    return EXIT_RAN;
}

/* ---- the graph ---- */

static int graph_from_file(const char *path, struct join_graph **out)
{
    struct buf text;
    struct err err = {0};
    int code = EXIT_RAN;
    buf_init(&text, FILE_BYTES);
    if (file_read(path, &text, &err) != ERR_OK)
        code = misuse(path, err.text);
    else if (join_graph_from_json(buf_str(&text), out, &err) != ERR_OK)
        code = misuse(path, err.text);
    buf_fini(&text);
    return code;
}

static int graph_from_database(const char *url, struct join_graph **out)
{
    struct introspect_options options = {.show_private = true, .count_rows = true};
    struct catalog *catalog = NULL;
    struct err err = {0};
    int code = EXIT_RAN;
    if (cmd_input_catalog(url, &options, &catalog, &err) != ERR_OK ||
        join_graph_from_catalog(catalog, out, &err) != ERR_OK)
        code = misuse("the database", err.text); /* without its url, which may hold a password */
    catalog_destroy(catalog);
    return code;
}

/* Merge more into *graph; more is freed. */
static int merge_into(struct join_graph **graph, struct join_graph *more)
{
    struct join_graph *both = NULL;
    struct err err = {0};
    if (*graph == NULL) {
        *graph = more;
        return EXIT_RAN;
    }
    enum err_code code = join_graph_merge(*graph, more, &both, &err);
    join_graph_destroy(more);
    if (code != ERR_OK)
        return misuse("the graphs do not merge", err.text);
    join_graph_destroy(*graph);
    *graph = both;
    return EXIT_RAN;
}

/* Where the command line names neither database nor graph: those of the configuration. */
static int read_config(struct asked *asked, const char *flags)
{
    if (asked->db != NULL || asked->graph_count > 0)
        return EXIT_RAN;
    asked->config = cmd_input_config("askd joins", flags);
    if (asked->config == NULL)
        return EXIT_MISUSE;
    asked->db = asked->config->database_url;
    if (asked->config->join_graph[0] != '\0')
        asked->graphs[asked->graph_count++] = asked->config->join_graph;
    return EXIT_RAN;
}

static int read_graph(const struct asked *asked, struct join_graph **out)
{
    struct join_graph *more = NULL;
    int code = EXIT_RAN;
    if (asked->db != NULL)
        code = graph_from_database(asked->db, out);
    for (size_t i = 0; code == EXIT_RAN && i < asked->graph_count; i++) {
        code = graph_from_file(asked->graphs[i], &more);
        if (code == EXIT_RAN)
            code = merge_into(out, more);
    }
    return code;
}

/* ---- one question ---- */

static enum err_code find_finder(struct joins *joins, unsigned max_hops,
                                 struct join_finder **finder, struct err *err)
{
    struct join_finder **place = &joins->finders[max_hops];
    if (*place == NULL)
        *place = join_finder_create(
            joins->graph, &(struct join_finder_options){
                              joins->threshold, max_hops,
                              max_hops == DEFAULT_HOPS ? DEFAULT_HOPS + JOIN_PATH_FURTHER : 0});
    *finder = *place;
    return *place == NULL ? err_set(err, ERR_NO_MEMORY, "no memory to find paths") : ERR_OK;
}

static enum err_code answer_request(struct joins *joins, const struct cmd_joins_request *request,
                                    struct join_plan *plan, struct err *err)
{
    struct join_finder *finder;
    int tables[CMD_JOINS_TABLES];
    for (size_t i = 0; i < request->table_count; i++) {
        tables[i] = join_graph_table(joins->graph, request->tables[i]);
        if (tables[i] == CATALOG_NONE)
            return err_set(err, ERR_NOT_FOUND, "table '%.*s' is not in the join graph",
                           STR_ARG(str_utf8_prefix(request->tables[i], 100)));
    }
    enum err_code code = find_finder(joins, request->max_hops, &finder, err);
    if (code != ERR_OK)
        return code;
    return join_path_plan(finder, tables, request->table_count, request->words, request->word_count,
                          plan, err);
}

static int answer_once(struct joins *joins, const struct asked *asked)
{
    struct cmd_joins_request request = {.max_hops = joins->max_hops,
                                        .table_count = asked->table_count};
    struct join_plan plan;
    struct err err = {0};
    struct buf out;
    for (size_t i = 0; i < asked->table_count; i++)
        request.tables[i] = str_of(asked->tables[i]);
    cmd_joins_words_split(str_of(asked->words), &request);
    if (answer_request(joins, &request, &plan, &err) != ERR_OK) {
        fprintf(stderr, "askd joins: %s\n", err.text);
        return EXIT_NO_PATH;
    }
    buf_init(&out, ANSWER_BYTES);
    cmd_joins_words_plan(joins->graph, &plan, &out);
    fwrite(buf_str(&out).at, 1, buf_len(&out), stdout);
    buf_fini(&out);
    return EXIT_RAN;
}

/* ---- lines ---- */

static void answer_line(void *owner, struct str text, struct buf *out)
{
    struct joins *joins = owner;
    struct arena arena;
    struct json_write writer;
    struct cmd_joins_request request = {.table_count = 0};
    struct join_plan plan;
    struct err err = {0};
    arena_init(&arena, LINE_ARENA_BYTES);
    json_write_init(&writer, out);
    const struct json_value *line = json_value_parse(&arena, text, NULL, &err);
    enum err_code code = line == NULL ? err.code : ERR_OK;
    if (code == ERR_OK && line->type != JSON_OBJECT)
        code = err_set(&err, ERR_INVALID, "expected a JSON object, got %s",
                       json_value_type_name(line));
    const struct json_value *id = code == ERR_OK ? json_value_member(line, STR("id")) : NULL;
    if (code == ERR_OK)
        code = cmd_joins_words_request(line, joins->max_hops, &request, &err);
    if (code == ERR_OK)
        code = answer_request(joins, &request, &plan, &err);
    json_write_object(&writer);
    if (id != NULL) {
        json_write_key(&writer, STR("id"));
        json_value_write(id, &writer);
    }
    if (code == ERR_OK) {
        cmd_joins_words_members(joins->graph, &plan, &writer);
    } else {
        json_write_member_str(&writer, STR("error"), str_of(err.text));
        json_write_member_str(&writer, STR("code"), str_of(err_name(code)));
    }
    json_write_object_end(&writer);
    arena_fini(&arena);
}

static int answer_lines(struct joins *joins)
{
    return cmd_input_lines(ANSWER_BYTES, answer_line, joins, NULL)
               ? EXIT_RAN
               : misuse("standard input", "it broke, or nobody reads the answers");
}

/* ---- commands ---- */

/* Write to asked->out by way of a file beside it, so that it is whole or not there; or to
 * stdout. */
static int write_out(const struct asked *asked, const struct buf *out)
{
    struct str text = buf_str(out);
    char beside[PATH_BYTES];
    if (!buf_ok(out))
        return misuse("the answer", "larger than 64 MiB");
    if (asked->out == NULL)
        return fwrite(text.at, 1, text.len, stdout) == text.len ? EXIT_RAN : EXIT_MISUSE;
    int len = snprintf(beside, sizeof beside, "%s.new", asked->out);
    FILE *file = len > 0 && (size_t)len < sizeof beside ? fopen(beside, "wb") : NULL;
    if (file == NULL)
        return misuse(asked->out, "cannot be written");
    bool written = fwrite(text.at, 1, text.len, file) == text.len;
    written = fclose(file) == 0 && written;
    if (written && rename(beside, asked->out) == 0)
        return EXIT_RAN;
    (void)remove(beside);
    return misuse(asked->out, "cannot be written");
}

static void say_counts(const struct join_graph *graph)
{
    struct join_graph_counts counts = join_graph_counts(graph);
    fprintf(stderr,
            "relationships given %zu, normalised %zu: %zu inverses, %zu repeated and %zu between "
            "siblings folded; %zu many-to-many are the junctions' own\n",
            counts.given, counts.left, counts.inverses, counts.repeated, counts.siblings,
            counts.through);
}

static int write_text(struct joins *joins, const struct asked *asked, bool whole)
{
    struct buf out;
    buf_init(&out, FILE_BYTES);
    if (whole) {
        join_graph_write(joins->graph, &out);
        buf_push_char(&out, '\n');
        say_counts(joins->graph);
    } else {
        cmd_joins_words_stats(joins->graph, joins->threshold, &out);
    }
    int code = write_out(asked, &out);
    buf_fini(&out);
    return code;
}

/* ---- validate ---- */

struct keeping {
    const struct asked *asked;
    const struct join_graph *graph;
};

static bool keep(void *owner)
{
    const struct keeping *keeping = owner;
    struct buf out;
    buf_init(&out, FILE_BYTES);
    join_graph_write(keeping->graph, &out);
    buf_push_char(&out, '\n');
    bool kept = write_out(keeping->asked, &out) == EXIT_RAN;
    buf_fini(&out);
    return kept;
}

static int validate(const struct asked *asked, struct joins *joins)
{
    struct keeping keeping = {asked, joins->graph};
    const struct cmd_joins_validate_options options = {joins->threshold, keep, &keeping};
    struct err err = {0};
    if (cmd_joins_validate(joins->graph, &options, &err) != ERR_OK)
        return misuse("validate", err.text);
    say_counts(joins->graph);
    return keep(&keeping) ? EXIT_RAN : EXIT_MISUSE;
}

/* Merge an earlier result in: relationships that are judged there stay so. */
static int add_earlier(struct asked *asked)
{
    if (asked->out == NULL)
        return misuse("give --out FILE", "");
    if (access(asked->out, R_OK) != 0)
        return EXIT_RAN;
    if (asked->graph_count == MAX_GRAPHS)
        return misuse(asked->out, "one graph too many");
    asked->graphs[asked->graph_count++] = asked->out;
    return EXIT_RAN;
}

static int introspect(const struct asked *asked)
{
    struct buf out;
    struct err err = {0};
    buf_init(&out, FILE_BYTES);
    int code = cmd_joins_introspect(asked->db, &out, &err) == ERR_OK
                   ? write_out(asked, &out)
                   : misuse("the database", err.text);
    buf_fini(&out);
    return code;
}

static int run_command(const char *command, const struct asked *asked, struct joins *joins)
{
    if (strcmp(command, "stats") == 0 || strcmp(command, "merge") == 0)
        return write_text(joins, asked, command[0] == 'm');
    if (strcmp(command, "validate") == 0)
        return validate(asked, joins);
    if (asked->jsonl)
        return answer_lines(joins);
    if (strcmp(command, "path") == 0 && asked->table_count != 2)
        return misuse("a path is between two tables", "askd joins path A B");
    if (asked->table_count < 2)
        return misuse("a plan is over two tables or more", "askd joins plan A B C");
    return answer_once(joins, asked);
}

static int run_asked(const char *command, struct asked *asked)
{
    struct joins joins = {.graph = NULL};
    bool is_introspect = strcmp(command, "introspect") == 0;
    int code = read_config(asked, is_introspect ? "--db URL" : "--graph FILE or --db URL");
    if (code == EXIT_RAN && is_introspect)
        return asked->db == NULL ? misuse("give --db URL", "") : introspect(asked);
    if (code == EXIT_RAN)
        code = read_numbers(asked, &joins);
    if (code == EXIT_RAN && strcmp(command, "validate") == 0)
        code = add_earlier(asked);
    if (code == EXIT_RAN)
        code = read_graph(asked, &joins.graph);
    if (code == EXIT_RAN)
        code = run_command(command, asked, &joins);
    for (size_t i = 0; i < countof(joins.finders); i++)
        join_finder_destroy(joins.finders[i]);
    join_graph_destroy(joins.graph);
    return code;
}

int cmd_joins(int argc, char **argv)
{
    struct asked asked = {.graph_count = 0};
    if (!read_options(&asked, argc - 2, argv + 2))
        return EXIT_MISUSE;
    int code = run_asked(argv[1], &asked);
    config_destroy(asked.config);
    return code;
}

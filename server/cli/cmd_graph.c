/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_graph.c - askd graph check [FILE] | show NAME|FILE | run FILE QUESTION [flags] |
 * import FILE FOLDER | export FILE, the last two with --format agentspec.
 *
 * Happy path: the graphs of askd, and those of FILE or else of ASKD_GRAPHS, are compiled; one is
 * drawn, or asked as "askd ask" asks. A file that needs others of its folder is read with them.
 * Failure: the first mistake, with file and JSON pointer. */
#include "server/cli/cmd_graph.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/agent_spec/spec_export.h"
#include "agents/agent_spec/spec_import.h"
#include "agents/registry.h"
#include "core/base/file.h"
#include "core/base/mem.h"
#include "proto/json_value.h"
#include "server/cli/cli.h"
#include "server/cli/cmd_ask.h"
#include "server/config/config_tools.h"

enum {
    TEXT_BYTES = 4 * 1024 * 1024,
    NAME_BYTES = 64,
    PATH_BYTES = 1024,
    SPEC_WORDS = 4, /* --format agentspec FILE FOLDER */
    EXIT_FINE = 0,
    EXIT_WRONG = 1
};

static bool is_file(const char *word)
{
    return str_ends_with(str_of(word), STR(".json"));
}

/* The graphs, with those of path, a file or a folder ("": those of ASKD_GRAPHS). NULL: err says
 * why. */
static struct registry *compile(const char *path, struct err *err)
{
    struct limits limits;
    struct cli cli = {.env_file = ".env"};
    struct registry *registry = NULL;
    struct config *config = cli_load_config(&cli);
    if (config == NULL) {
        err->text[0] = '\0'; /* told already */
        return NULL;
    }
    config_limits(config, &limits);
    const char *from = path[0] != '\0' ? path : config->graphs;
    enum err_code code = registry_create(&limits, &registry, err);
    if (code == ERR_OK)
        registry_know_tools(registry, config_has_tool, config);
    if (code == ERR_OK && from[0] != '\0')
        code = registry_load_files(registry, from, NULL, err);
    config_destroy(config);
    if (code == ERR_OK)
        return registry;
    registry_destroy(registry);
    return NULL;
}

/* The graphs with those of a command's word, and which of them it means. */
struct asked {
    struct registry *registry;
    int place;             /* of the graph of a file */
    char from[PATH_BYTES]; /* what was read: the file, or its folder */
};

/* Where in registry the graph of a file is, by its name; negative: nowhere. */
static int place_of(const struct registry *registry, const char *path)
{
    struct arena arena;
    struct buf text;
    struct str name;
    int place = -1;
    arena_init(&arena, TEXT_BYTES);
    buf_init(&text, TEXT_BYTES);
    if (file_read(path, &text, NULL) == ERR_OK) {
        const struct json_value *root = json_value_parse(&arena, buf_str(&text), NULL, NULL);
        if (root != NULL && json_value_str(root, "/name", &name, NULL) == ERR_OK)
            place = registry_find(registry, name);
    }
    buf_fini(&text);
    arena_fini(&arena);
    return place;
}

/* A file's name without its folder. */
static struct str name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return str_of(slash == NULL ? path : slash + 1);
}

/* The folder of a file, in the words of path. False: it does not fit. */
static bool folder_of(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');
    int len = slash == NULL ? snprintf(folder, PATH_BYTES, ".")
                            : snprintf(folder, PATH_BYTES, "%.*s", (int)(slash - path + 1), path);
    return len >= 0 && len < PATH_BYTES;
}

/* A file is read alone, and with its folder where its graph needs others of it. False: told why. */
static bool ask_for(const char *path, struct asked *asked)
{
    struct err err = {0}, beside;
    *asked = (struct asked){.registry = compile(path, &err)};
    int len = snprintf(asked->from, sizeof asked->from, "%s", path);
    if (asked->registry != NULL) {
        asked->place = (int)registry_count(asked->registry) - 1;
        if (len >= 0 && (size_t)len < sizeof asked->from)
            return true;
        err_set(&err, ERR_INVALID, "%s: its name is too long", path);
    } else if (is_file(path) &&
               str_find(str_of(err.text), STR("there is no graph '")) != STR_NONE &&
               folder_of(path, asked->from)) {
        asked->registry = compile(asked->from, &beside);
        asked->place = asked->registry == NULL ? -1 : place_of(asked->registry, path);
        if (asked->place >= 0)
            return true;
        if (asked->registry == NULL && str_find(str_of(beside.text), name_of(path)) != STR_NONE)
            err = beside; /* what is wrong with it among the others says more */
    }
    registry_destroy(asked->registry);
    if (err.text[0] != '\0')
        fprintf(stderr, "askd: %s\n", err.text);
    return false;
}

static int check(const char *path)
{
    struct asked asked;
    if (!ask_for(path, &asked))
        return EXIT_WRONG;
    for (size_t i = 0; i < registry_count(asked.registry); i++) {
        const struct graph *graph = registry_graph(asked.registry, i);
        const char *warning = graph_warning(graph);
        printf("%s: %s\n", graph_def(graph)->name, warning == NULL ? "fine" : warning);
    }
    registry_destroy(asked.registry);
    return EXIT_FINE;
}

static void write_names(const struct registry *registry, const char *name)
{
    fprintf(stderr, "askd: there is no graph '%s'; there are:", name);
    for (size_t i = 0; i < registry_count(registry); i++)
        fprintf(stderr, " %s", graph_def(registry_graph(registry, i))->name);
    fputs("\n", stderr);
}

static int show(const char *word)
{
    struct asked asked;
    struct buf text;
    if (!ask_for(is_file(word) ? word : "", &asked))
        return EXIT_WRONG;
    int place = is_file(word) ? asked.place : registry_find(asked.registry, str_of(word));
    if (place < 0) {
        write_names(asked.registry, word);
        registry_destroy(asked.registry);
        return EXIT_WRONG;
    }
    buf_init(&text, TEXT_BYTES);
    graph_write_mermaid(registry_graph(asked.registry, (size_t)place), &text);
    cli_write(STDOUT_FILENO, buf_str(&text));
    buf_fini(&text);
    registry_destroy(asked.registry);
    return EXIT_FINE;
}

/* Ask as "askd ask --graphs FILE --graph NAME ..." does. */
static int run(int argc, char **argv)
{
    struct asked asked;
    char graphs[] = "--graphs", graph[] = "--graph", name[NAME_BYTES];
    if (!ask_for(argv[0], &asked))
        return EXIT_WRONG;
    snprintf(name, sizeof name, "%s",
             graph_def(registry_graph(asked.registry, (size_t)asked.place))->name);
    registry_destroy(asked.registry);
    char **words = mem_zalloc((size_t)argc + 4, sizeof *words);
    int status = EXIT_WRONG;
    if (words != NULL) {
        char *const before[] = {graphs, asked.from, graph, name};
        memcpy(words, before, sizeof before);
        memcpy(words + countof(before), argv + 1, (size_t)(argc - 1) * sizeof *words);
        status = cmd_ask(argc - 1 + (int)countof(before), words);
    }
    mem_free(words);
    return status;
}

/* ---- Agent Spec ---- */

/* The bytes of the file at path. False: told why. */
static bool read_whole(const char *path, struct buf *text)
{
    struct err err = {0};
    buf_init(text, TEXT_BYTES);
    if (file_read(path, text, &err) == ERR_OK)
        return true;
    fprintf(stderr, "askd: %s\n", err.text);
    buf_fini(text);
    return false;
}

static bool write_whole(const char *folder, const char *name, struct str text)
{
    char path[PATH_BYTES];
    int len = snprintf(path, sizeof path, "%s/%s.json", folder, name);
    errno = ENAMETOOLONG;
    FILE *file = len < 0 || (size_t)len >= sizeof path ? NULL : fopen(path, "wx");
    bool ok =
        file != NULL && fwrite(text.at, 1, text.len, file) == text.len && fputc('\n', file) != EOF;
    if (file != NULL && fclose(file) != 0)
        ok = false;
    if (ok)
        printf("%s\n", path);
    else
        fprintf(stderr, "askd: %s: %s\n", path, strerror(errno));
    return ok;
}

/* The graphs go into FOLDER/graphs, the tools that they call into FOLDER/tools.json. */
static int import(const char *path, const char *folder)
{
    char graphs[PATH_BYTES];
    struct spec_import *read = NULL;
    struct err err = {0};
    struct buf text;
    int len = snprintf(graphs, sizeof graphs, "%s/graphs", folder);
    if (len < 0 || (size_t)len >= sizeof graphs) {
        fprintf(stderr, "askd: %s: %s\n", folder, strerror(ENAMETOOLONG));
        return EXIT_WRONG;
    }
    if (!read_whole(path, &text))
        return EXIT_WRONG;
    enum err_code code = spec_import_read(path, buf_str(&text), &read, &err);
    buf_fini(&text);
    if (code != ERR_OK) {
        fprintf(stderr, "askd: %s\n", err.text);
        return EXIT_WRONG;
    }
    bool ok = (mkdir(folder, 0777) == 0 || errno == EEXIST) &&
              (mkdir(graphs, 0777) == 0 || errno == EEXIST);
    if (!ok)
        fprintf(stderr, "askd: %s: %s\n", graphs, strerror(errno));
    for (size_t i = 0; ok && i < spec_import_count(read); i++)
        ok = write_whole(graphs, spec_import_name(read, i), spec_import_text(read, i));
    if (ok && !str_is_empty(spec_import_tools(read)))
        ok = write_whole(folder, "tools", spec_import_tools(read));
    spec_import_destroy(read);
    return ok ? EXIT_FINE : EXIT_WRONG;
}

/* The file of another graph, beside the one at *owner. */
static struct str find_beside(void *owner, struct str name, struct arena *arena)
{
    const char *beside = *(const char **)owner, *slash = strrchr(beside, '/');
    int folder = slash == NULL ? 0 : (int)(slash - beside + 1);
    char path[PATH_BYTES];
    struct str text = {NULL, 0};
    struct buf bytes;
    int len = snprintf(path, sizeof path, "%.*s%.*s.json", folder, beside, STR_ARG(name));
    if (len < 0 || (size_t)len >= sizeof path || str_find_char(name, '/') != STR_NONE)
        return text;
    buf_init(&bytes, TEXT_BYTES);
    if (file_read(path, &bytes, NULL) == ERR_OK)
        text = arena_str(arena, buf_str(&bytes));
    buf_fini(&bytes);
    return text;
}

static int export(const char *path)
{
    struct err err = {0};
    struct buf text, out;
    if (!read_whole(path, &text))
        return EXIT_WRONG;
    buf_init(&out, TEXT_BYTES);
    enum err_code code = spec_export_write(path, buf_str(&text), find_beside, &path, &out, &err);
    if (code == ERR_OK) {
        buf_push_char(&out, '\n');
        cli_write(STDOUT_FILENO, buf_str(&out));
    } else {
        fprintf(stderr, "askd: %s\n", err.text);
    }
    buf_fini(&text);
    buf_fini(&out);
    return code == ERR_OK ? EXIT_FINE : EXIT_WRONG;
}

static int usage(void)
{
    fputs("usage: askd graph check [FILE] | show NAME|FILE | run FILE.json QUESTION [flags] |\n"
          "       import --format agentspec FILE FOLDER | export --format agentspec FILE.json\n",
          stderr);
    return CLI_EXIT_USAGE;
}

/* argv: what is behind import or export. */
static int convert(bool imports, int argc, char **argv)
{
    struct cli_switch format = {"--format", true, false, NULL};
    const char *words[SPEC_WORDS];
    struct cli cli;
    if (argc > SPEC_WORDS)
        return usage();
    if (!cli_read(argc, argv, &format, 1, words, &cli))
        return CLI_EXIT_USAGE;
    if (!format.given || strcmp(format.value, "agentspec") != 0 || cli.flag_count > 0 ||
        cli.word_count != (imports ? 2 : 1))
        return usage();
    return imports ? import(words[0], words[1]) : export(words[0]);
}

int cmd_graph(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const bool has_flag = argc == 3 && argv[2][0] == '-'; /* check and show take none */
    if (strcmp(what, "check") == 0 && argc <= 3 && !has_flag)
        return check(argc == 3 ? argv[2] : "");
    if (strcmp(what, "show") == 0 && argc == 3 && !has_flag)
        return show(argv[2]);
    if (strcmp(what, "run") == 0 && argc >= 4 && is_file(argv[2]))
        return run(argc - 2, argv + 2);
    if (strcmp(what, "import") == 0 || strcmp(what, "export") == 0)
        return convert(what[0] == 'i', argc - 2, argv + 2);
    return usage();
}

/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_graph.c - askd graph check [FILE] | show NAME|FILE | run FILE QUESTION [flags].
 *
 * Happy path: the graphs of askd, and those of FILE or else of ASKD_GRAPHS, are compiled; one is
 * drawn, or asked as "askd ask" asks. Failure: the first mistake, with file and JSON pointer. */
#include "server/cli/cmd_graph.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agents/registry.h"
#include "core/base/mem.h"
#include "server/cli/cli.h"
#include "server/cli/cmd_ask.h"

enum { TEXT_BYTES = 4 * 1024 * 1024, NAME_BYTES = 64, EXIT_FINE = 0, EXIT_WRONG = 1 };

static bool is_file(const char *word)
{
    return str_ends_with(str_of(word), STR(".json"));
}

/* The graphs, with those of path ("": of none). NULL: told why. */
static struct registry *compile(const char *path)
{
    struct limits limits;
    struct cli cli = {.env_file = ".env"};
    struct err err = {0};
    struct registry *registry = NULL;
    struct config *config = cli_load_config(&cli);
    if (config == NULL)
        return NULL;
    config_limits(config, &limits);
    const char *from = path[0] != '\0' ? path : config->graphs;
    enum err_code code = registry_create(&limits, &registry, &err);
    if (code == ERR_OK)
        registry_know_tools(registry, config_has_tool, config);
    if (code == ERR_OK && from[0] != '\0')
        code = registry_load_files(registry, from, NULL, &err);
    config_destroy(config);
    if (code == ERR_OK)
        return registry;
    fprintf(stderr, "askd: %s\n", err.text);
    registry_destroy(registry);
    return NULL;
}

static int check(const char *path)
{
    struct registry *registry = compile(path);
    if (registry == NULL)
        return EXIT_WRONG;
    for (size_t i = 0; i < registry_count(registry); i++) {
        const struct graph *graph = registry_graph(registry, i);
        const char *warning = graph_warning(graph);
        printf("%s: %s\n", graph_def(graph)->name, warning == NULL ? "fine" : warning);
    }
    registry_destroy(registry);
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
    struct registry *registry = compile(is_file(word) ? word : "");
    struct buf text;
    if (registry == NULL)
        return EXIT_WRONG;
    int place =
        is_file(word) ? (int)registry_count(registry) - 1 : registry_find(registry, str_of(word));
    if (place < 0) {
        write_names(registry, word);
        registry_destroy(registry);
        return EXIT_WRONG;
    }
    buf_init(&text, TEXT_BYTES);
    graph_write_mermaid(registry_graph(registry, (size_t)place), &text);
    cli_write(STDOUT_FILENO, buf_str(&text));
    buf_fini(&text);
    registry_destroy(registry);
    return EXIT_FINE;
}

/* Ask as "askd ask --graphs FILE --graph NAME ..." does. */
static int run(int argc, char **argv)
{
    struct registry *registry = compile(argv[0]);
    char graphs[] = "--graphs", graph[] = "--graph";
    if (registry == NULL)
        return EXIT_WRONG;
    size_t last = registry_count(registry) - 1;
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s", graph_def(registry_graph(registry, last))->name);
    char **words = mem_zalloc((size_t)argc + 4, sizeof *words);
    int status = EXIT_WRONG;
    registry_destroy(registry);
    if (words != NULL) {
        char *const before[] = {graphs, argv[0], graph, name};
        memcpy(words, before, sizeof before);
        memcpy(words + countof(before), argv + 1, (size_t)(argc - 1) * sizeof *words);
        status = cmd_ask(argc - 1 + (int)countof(before), words);
    }
    mem_free(words);
    return status;
}

int cmd_graph(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "check") == 0 && argc <= 3)
        return check(argc == 3 ? argv[2] : "");
    if (strcmp(what, "show") == 0 && argc == 3)
        return show(argv[2]);
    if (strcmp(what, "run") == 0 && argc >= 4 && is_file(argv[2]))
        return run(argc - 2, argv + 2);
    fputs("usage: askd graph check [FILE] | show NAME|FILE | run FILE.json QUESTION [flags]\n",
          stderr);
    return CLI_EXIT_USAGE;
}

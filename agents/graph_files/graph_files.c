/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_files.c - a folder of graphs, each read when it is first asked for.
 *
 * Happy path: all texts are read, then each graph; a node that runs another graph of the folder has
 * that one read first. Failure: a file, a folder, a name that is there twice, a graph that would
 * run itself. */
#include "agents/graph_files/graph_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/mem.h"
#include "proto/json_value.h"

enum { PATH_BYTES = 1024, FILE_BYTES = 1 << 20, PARSE_BYTES = 8 << 20, NAME_BYTES = 64 };

enum progress { NEW, READING, READ };

struct one {
    char path[PATH_BYTES];
    char name[NAME_BYTES];
    struct buf text;
    enum progress progress;
    struct graph_file *graph;
};

struct graph_files {
    struct graph_file_world world; /* of what is not in the folder */
    struct one files[GRAPH_FILES_MAX];
    size_t count;
};

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct one *)a)->path, ((const struct one *)b)->path);
}

static enum err_code add_path(struct graph_files *files, const char *folder, const char *name,
                              struct err *err)
{
    if (files->count == GRAPH_FILES_MAX)
        return err_set(err, ERR_INVALID, "%s: more than %d graphs", folder, GRAPH_FILES_MAX);
    struct one *one = &files->files[files->count++];
    buf_init(&one->text, FILE_BYTES);
    int len = snprintf(one->path, sizeof one->path, "%s%s%s", folder, name == NULL ? "" : "/",
                       name == NULL ? "" : name);
    return len > 0 && (size_t)len < sizeof one->path
               ? ERR_OK
               : err_set(err, ERR_INVALID, "%s: its path is too long", folder);
}

/* What lies beside graphs for editors is none. */
static bool is_graph(struct str name)
{
    return !str_starts_with(name, STR(".")) && str_ends_with(name, STR(".json")) &&
           !str_ends_with(name, STR(".schema.json"));
}

static enum err_code list_files(struct graph_files *files, const char *path, struct err *err)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return err_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(facts.st_mode))
        return add_path(files, path, NULL, err);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return err_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
    enum err_code code = ERR_OK;
    for (struct dirent *item = readdir(folder); item != NULL && code == ERR_OK;
         item = readdir(folder))
        if (is_graph(str_of(item->d_name)))
            code = add_path(files, path, item->d_name, err);
    closedir(folder);
    qsort(files->files, files->count, sizeof files->files[0], by_path);
    return code;
}

/* The name that the text gives its graph; mistakes in it are told when it is read whole. */
static enum err_code name_one(struct graph_files *files, struct one *one, struct err *err)
{
    struct arena arena;
    struct str name = {NULL, 0};
    enum err_code code = file_read(one->path, &one->text, err);
    if (code != ERR_OK)
        return code;
    arena_init(&arena, PARSE_BYTES);
    const struct json_value *root = json_value_parse(&arena, buf_str(&one->text), NULL, err);
    if (root == NULL) {
        err_prefix(err, one->path);
        code = ERR_INVALID;
    } else if (json_value_str(root, "/name", &name, NULL) == ERR_OK) {
        snprintf(one->name, sizeof one->name, "%.*s", STR_ARG(name));
    }
    for (size_t i = 0; i < files->count && code == ERR_OK; i++)
        if (&files->files[i] != one && name.len > 0 &&
            str_equal(str_of(files->files[i].name), name))
            code = err_set(err, ERR_INVALID, "%s: /name: '%.*s' is the name of the graph in %s",
                           one->path, STR_ARG(name), files->files[i].path);
    arena_fini(&arena);
    return code;
}

static graph_file_find_fn find;

static enum err_code read_one(struct graph_files *files, struct one *one, struct err *err)
{
    if (one->progress == READ)
        return ERR_OK;
    if (one->progress == READING)
        return err_set(err, ERR_INVALID, "graph '%s' would run itself", one->name);
    one->progress = READING;
    const struct graph_file_world world = {find, files, files->world.has_tool, files->world.tools};
    enum err_code code = graph_file_read(one->path, buf_str(&one->text), &world, &one->graph, err);
    one->progress = code == ERR_OK ? READ : NEW;
    return code;
}

static const struct registry_entry *find(void *owner, struct str name, uint64_t *hash,
                                         struct err *err)
{
    struct graph_files *files = owner;
    for (size_t i = 0; i < files->count; i++) {
        struct one *one = &files->files[i];
        if (!str_equal(str_of(one->name), name))
            continue;
        if (read_one(files, one, err) != ERR_OK)
            return NULL;
        *hash = graph_file_hash(one->graph);
        return graph_file_entry(one->graph);
    }
    return files->world.find(files->world.owner, name, hash, err);
}

enum err_code graph_files_load(const char *path, const struct graph_file_world *world,
                               struct graph_files **out, struct err *err)
{
    struct graph_files *files = mem_zalloc(1, sizeof *files);
    if (files == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the graphs of %s", path);
    files->world = *world;
    enum err_code code = list_files(files, path, err);
    for (size_t i = 0; i < files->count && code == ERR_OK; i++)
        code = name_one(files, &files->files[i], err);
    for (size_t i = 0; i < files->count && code == ERR_OK; i++)
        code = read_one(files, &files->files[i], err);
    if (code == ERR_OK) {
        *out = files;
        return ERR_OK;
    }
    graph_files_destroy(files);
    return code;
}

void graph_files_destroy(struct graph_files *files)
{
    for (size_t i = 0; files != NULL && i < files->count; i++) {
        graph_file_destroy(files->files[i].graph);
        buf_fini(&files->files[i].text);
    }
    mem_free(files);
}

size_t graph_files_count(const struct graph_files *files)
{
    return files == NULL ? 0 : files->count;
}

const struct registry_entry *graph_files_entry(const struct graph_files *files, size_t i)
{
    return graph_file_entry(files->files[i].graph);
}

const char *graph_files_path(const struct graph_files *files, size_t i)
{
    return files->files[i].path;
}

uint64_t graph_files_hash(const struct graph_files *files, size_t i)
{
    return graph_file_hash(files->files[i].graph);
}

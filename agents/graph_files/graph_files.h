/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_files.h - all graphs of a folder (ASKD_GRAPHS), each a file NAME.json.
 *
 * A graph may run another one of the folder, or a built-in one, but none that runs it. Blocking:
 * at start, on reload and in commands only. */
#ifndef AGENTS_GRAPH_FILES_GRAPH_FILES_H
#define AGENTS_GRAPH_FILES_GRAPH_FILES_H

#include "agents/graph_files/graph_file.h"

enum { GRAPH_FILES_MAX = 32 };

struct graph_files;

/* Read every *.json of the folder at path but *.schema.json, in the order of their names, or the
 * one file that path is. world: the graphs of askd itself, and tools. ERR_INVALID: the first
 * mistake, with file and JSON pointer; two graphs of one name; more than GRAPH_FILES_MAX.
 * ERR_NOT_FOUND: nothing is at path. */
MUST_USE enum err_code graph_files_load(const char *path, const struct graph_file_world *world,
                                        struct graph_files **out, struct err *err);
/* NULL is fine. */
void graph_files_destroy(struct graph_files *files);
size_t graph_files_count(const struct graph_files *files); /* 0 of NULL */
const struct registry_entry *graph_files_entry(const struct graph_files *files, size_t i);
/* Its file, and a hash of the bytes of that file and of those beside it that it was made of; never
 * 0. */
const char *graph_files_path(const struct graph_files *files, size_t i);
uint64_t graph_files_hash(const struct graph_files *files, size_t i);

#endif

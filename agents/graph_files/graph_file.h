/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_file.h - one graph's file -> its definition.
 *
 * The members are those of struct graph_def: "name", "purpose", "state", "question", "budgets",
 * "nodes", "edges", "report", "failure", "recursion_limit", "routes". A definition is constant once
 * read; what it says of its shape is checked by graph_compile. */
#ifndef AGENTS_GRAPH_FILES_GRAPH_FILE_H
#define AGENTS_GRAPH_FILES_GRAPH_FILE_H

#include "agents/services/registry_entry.h"

struct graph_file;

/* Another graph by its name, for nodes that run one, and the hash of its file where it has one;
 * NULL: there is none, and *err says so, or what is wrong with it. */
typedef const struct registry_entry *graph_file_find_fn(void *owner, struct str name,
                                                        uint64_t *hash, struct err *err);

/* What a graph may name besides what its file holds. */
struct graph_file_world {
    graph_file_find_fn *find;
    void *owner;
    bool (*has_tool)(const void *tools, struct str name); /* outside; NULL: there are none */
    const void *tools;
};

/* Read text, which is what the file at path holds. ERR_INVALID: "PATH: POINTER: what is wrong";
 * ERR_NO_MEMORY. The result is the caller's. */
MUST_USE enum err_code graph_file_read(const char *path, struct str text,
                                       const struct graph_file_world *world,
                                       struct graph_file **out, struct err *err);
/* NULL is fine. */
void graph_file_destroy(struct graph_file *file);
/* The entry for the registry; lives as long as file. */
const struct registry_entry *graph_file_entry(const struct graph_file *file);
/* Of the text, the prompts that stand in files beside it, and the graphs of files that it runs;
 * never 0. */
uint64_t graph_file_hash(const struct graph_file *file);

#endif

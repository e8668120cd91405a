/* SPDX-License-Identifier: MIT */
/* agents/registry.h - the compiled graphs by name; their states and definitions as JSON.
 *
 * A place is a number that names one definition for good. A definition that was read again and
 * differs gets a new place, and the old one is out of every list, but the runs that have it keep
 * it. Any thread may read; registry_load_files is the main thread's. */
#ifndef AGENTS_REGISTRY_H
#define AGENTS_REGISTRY_H

#include "agents/services/registry_entry.h"

struct registry;

/* Compile every graph with the budgets of limits. ERR_INVALID names graph, node and label. */
MUST_USE enum err_code registry_create(const struct limits *limits, struct registry **out,
                                       struct err *err);
void registry_destroy(struct registry *registry);
/* Tools outside that graphs in files may name, before they are loaded; tools is kept as long
 * as graphs are loaded. */
void registry_know_tools(struct registry *registry,
                         bool (*has_tool)(const void *tools, struct str name), const void *tools);
/* Read the graphs of the folder (or file) at path, or read them again: those that are new or differ
 * from what is there are added, those that are gone are listed no more. Each file
 * or folder in the folder "kept" there holds definitions that are listed nowhere, for runs that
 * began with them. *changed, unless NULL: how
 * many were added or are gone. All or nothing: on an error everything is as before. ERR_INVALID
 * names file and JSON pointer, or graph, node and label; also: the name of a graph of askd's own,
 * or too many were changed since the start. */
MUST_USE enum err_code registry_load_files(struct registry *registry, const char *path,
                                           size_t *changed, struct err *err);
size_t registry_count(const struct registry *registry);
/* Whether people may be offered the graph: no tool, and not replaced. */
bool registry_is_listed(const struct registry *registry, size_t i);
const struct graph *registry_graph(const struct registry *registry, size_t i);
const struct registry_entry *registry_entry(const struct registry *registry, size_t i);
/* The newest place by name, or -1. "orchestrator" is the default of the chat endpoint. */
int registry_find(const struct registry *registry, struct str name);

/* The place of the definition that a run of the graph began with, by the hash of its file (0: a
 * graph of askd's own), whether it is listed or not. -1: it is gone, as *err (ERR_GONE) says. */
int registry_find_definition(const struct registry *registry, struct str name, uint64_t hash,
                             struct err *err);

/* Fill a run's input from the session. ERR_INVALID: a question of blanks only (R53). */
MUST_USE enum err_code registry_begin(const struct registry_entry *entry, struct update *input,
                                      const struct session *session, struct err *err);

/* Append the slots in mask as JSON members, absent ones as null (for the describe hook and the
 * generic answer). */
void registry_describe(const struct state *state, uint64_t slots, struct buf *members);
/* Append a graph's definition as JSON: nodes, edges, state, budgets, limits. */
void registry_write_definition(const struct graph *graph, struct buf *out);

#endif

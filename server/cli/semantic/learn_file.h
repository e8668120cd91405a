/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/learn_file.h - what a model said of tables: a line for each, then
 * semantic.json.
 *
 * A line is {"table":name,"said":{...}} with what holds of an answer: members of the right type,
 * names and values that the database has, texts of bounded length. Pure. */
#ifndef SERVER_CLI_SEMANTIC_LEARN_FILE_H
#define SERVER_CLI_SEMANTIC_LEARN_FILE_H

#include "agents/lexicon/index.h"
#include "core/base/err.h"

enum { LEARN_MOST_TABLES = 2000 };

struct json_value;

struct learn_file { /* zeroed at first */
    const struct json_value *said[LEARN_MOST_TABLES];
    struct str tables[LEARN_MOST_TABLES];
    size_t count;
};

struct learn_counts { /* of what was added */
    size_t tables, columns, words, unsure;
};

/* The line for an answer about a table, in arena; absent: answer is no object, or no memory. */
struct str learn_file_line(const struct lexicon *lexicon, int table, struct str answer,
                           struct arena *arena);
/* Read lines, which are kept; what is no line is left out (the last one may be cut). */
void learn_file_read(struct learn_file *file, struct str lines, struct arena *arena);
bool learn_file_has(const struct learn_file *file, struct str table);
/* Append semantic.json: what before (empty: nothing) says stays, what was learned is added to it.
 * ERR_INVALID: before is no such file. */
MUST_USE enum err_code learn_file_write(const struct learn_file *file, struct str before,
                                        struct arena *arena, struct buf *out,
                                        struct learn_counts *counts, struct err *err);

#endif

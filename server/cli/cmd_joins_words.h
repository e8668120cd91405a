/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_joins_words.h - reads requests of `askd joins` from text and JSON; writes plans
 * and graphs for people and as JSON. Private to cmd_joins. */
#ifndef SERVER_CLI_CMD_JOINS_WORDS_H
#define SERVER_CLI_CMD_JOINS_WORDS_H

#include "agents/sql/joins/join_path.h"

struct json_value;
struct json_write;

enum {
    CMD_JOINS_TABLES = 16, /* of one request; a plan takes fewer and says so */
    CMD_JOINS_WORDS = 64,
    CMD_JOINS_HOPS = JOIN_PATH_MAX_HOPS,
};

struct cmd_joins_request { /* texts are borrowed from what was read */
    struct str tables[CMD_JOINS_TABLES], words[CMD_JOINS_WORDS];
    size_t table_count, word_count;
    unsigned max_hops;
};

/* Put the words of a question into request; those over the limit are left out. */
void cmd_joins_words_split(struct str text, struct cmd_joins_request *request);
/* Read request, which is zeroed, from the members of line: {"from","to"} or {"tables"}, "max_hops"
 * (where absent, max_hops) and "words". */
MUST_USE enum err_code cmd_joins_words_request(const struct json_value *line, unsigned max_hops,
                                               struct cmd_joins_request *request, struct err *err);

/* Append a plan for people: tables, relationships with cardinalities, cost, and the FROM clause;
 * several lines. */
void cmd_joins_words_plan(const struct join_graph *graph, const struct join_plan *plan,
                          struct buf *out);
/* Write the members of a plan (path, hops, cost and so on) into the object that is open. */
void cmd_joins_words_members(const struct join_graph *graph, const struct join_plan *plan,
                             struct json_write *writer);
/* Append what the graph holds, one figure a line. */
void cmd_joins_words_stats(const struct join_graph *graph, double threshold, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_joins_words.h - requests out of text; plans and graphs as text, for people and as
 * JSON. Private to cmd_joins. */
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
/* From {"from","to"} or {"tables"}, "max_hops" (or max_hops) and "words". request is zeroed. */
MUST_USE enum err_code cmd_joins_words_request(const struct json_value *line, unsigned max_hops,
                                               struct cmd_joins_request *request, struct err *err);

/* Tables, relationships with cardinalities, cost, and the FROM clause; several lines. */
void cmd_joins_words_plan(const struct join_graph *graph, const struct join_plan *plan,
                          struct buf *out);
/* The members path, hops, cost and so on of an object that is open. */
void cmd_joins_words_members(const struct join_graph *graph, const struct join_plan *plan,
                             struct json_write *writer);
/* What the graph holds, one figure a line. */
void cmd_joins_words_stats(const struct join_graph *graph, double threshold, struct buf *out);

#endif

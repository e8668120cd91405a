/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_sql_lines.h - the JSON lines of "askd sql check --jsonl". Private to cmd_sql. */
#ifndef SERVER_CLI_CMD_SQL_LINES_H
#define SERVER_CLI_CMD_SQL_LINES_H

#include "agents/sql/guard/policy.h"

struct cmd_sql_rules { /* borrowed */
    const struct catalog *catalog;
    struct sql_policy_set policies; /* beside the built-in ones */
    struct str default_policy;
    struct sql_tenant tenant;
    struct sql_oracle *oracle; /* over catalog; may be NULL */
    enum sql_dialect dialect;  /* of statements that name none: the database's */
};

/* The policy of this name, from the file, else built in; NULL: unknown. An empty name means the
 * default policy. */
const struct sql_policy *cmd_sql_lines_policy(const struct cmd_sql_rules *rules, struct str name);
/* Put the guard's verdict on one statement into *verdict. */
void cmd_sql_lines_judge(const struct cmd_sql_rules *rules, const struct sql_policy *policy,
                         enum sql_dialect dialect, struct str sql, struct arena *arena,
                         struct sql_verdict *verdict);
/* Answer one line (without its end) with one JSON object, without a line end, into out. A line that
 * is itself wrong is answered with {"error":...}. Whether its statement was accepted. */
bool cmd_sql_lines_answer(const struct cmd_sql_rules *rules, struct str line, struct buf *out);

#endif

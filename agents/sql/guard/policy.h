/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/policy.h - the guard: whether a statement may be sent, as what, and if not,
 * which rule says so, where, and what now.
 *
 * Judging is pure and linear in the statement. Any thread. */
#ifndef AGENTS_SQL_GUARD_POLICY_H
#define AGENTS_SQL_GUARD_POLICY_H

#include "agents/sql/parse/finding.h"
#include "agents/sql/catalog/policy_data.h"

struct sql_rewrite;

struct sql_verdict {
    enum err_code code;  /* ERR_OK, ERR_REJECTED or ERR_NO_MEMORY */
    const char *rule;    /* "select_only", "unknown_column", ...; static */
    struct err err;      /* reason: what, place, remedy */
    size_t line, column; /* in the text as given, from 1; 0: no place */
    struct str sql;      /* what may be sent: rewritten, limited, read again; absent: nothing */
    const struct sql_warning *warnings;
    size_t warning_count;
    const struct sql_parse *parse;     /* of the text as given; NULL: it could not be parsed */
    const struct sql_rewrite *rewrite; /* of parse; not to be sent before it is read again */
    const struct sql_parse *sent;      /* of sql; NULL: there is none */
};

/* The whole guard, both readings. Everything in *verdict lives in arena. */
void sql_policy_judge(const struct sql_policy *policy, enum sql_dialect dialect, struct str text,
                      const struct catalog *catalog, struct sql_tenant tenant, struct arena *arena,
                      struct sql_verdict *verdict);

/* The first reading, of the text as it was written: parse, rules, columns (R148 texts); then the
 * statement is rewritten: secure views, tenant, star expansion, LIMIT. The verdict is ERR_OK with
 * rewrite, and without sql: nothing may be sent yet. */
void sql_policy_read_written(const struct sql_policy *policy, enum sql_dialect dialect,
                             struct str text, const struct catalog *catalog,
                             struct sql_tenant tenant, struct arena *arena,
                             struct sql_verdict *verdict);
/* The second reading, of the text as it will be sent: the rewritten statement is parsed and checked
 * as every other one, and must hold the company filters and the LIMIT. verdict is
 * sql_policy_read_written's under the same policy, catalog and tenant; it gets sql and sent, or the
 * reason why not. A verdict that is no ERR_OK stays as it is. */
void sql_policy_read_sent(const struct sql_policy *policy, const struct catalog *catalog,
                          struct sql_tenant tenant, struct arena *arena,
                          struct sql_verdict *verdict);

/* sql_policy_judge for SQLite, with the second opinion of SQLite's own compiler on what will be
 * sent (parse_sqlite.h), for callers that do not run the statement: rule "second_opinion". oracle
 * is over the same catalog. */
struct sql_oracle;
void sql_policy_judge_twice(const struct sql_policy *policy, struct str text,
                            const struct catalog *catalog, struct sql_tenant tenant,
                            struct sql_oracle *oracle, struct arena *arena,
                            struct sql_verdict *verdict);

/* A set of policies by name from a file (see docs/policies.md for the members). */
struct sql_policy_set {
    const struct sql_policy *policies;
    size_t count;
};
MUST_USE enum err_code sql_policy_read(struct str json, struct arena *arena,
                                       struct sql_policy_set *set, struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/* tests/guard/read_again.h - the second reading of a statement that was accepted, made once more
 * and apart from the guard's own.
 *
 * Whatever the guard lets be sent must be what the rewriter writes, and pass all the rules as text,
 * too. */
#ifndef TESTS_GUARD_READ_AGAIN_H
#define TESTS_GUARD_READ_AGAIN_H

#include "agents/sql/guard/policy_rules.h"

/* Whether verdict->sql, which was accepted, is what the rewriter writes and passes when it is
 * parsed and checked; *finding says why not. */
static inline bool read_again(struct sql_visible sees, struct sql_tenant tenant,
                              const struct sql_verdict *verdict, struct arena *arena,
                              struct sql_finding *finding)
{
    struct sql_rewrite rewrite;
    const struct sql_parse *given = verdict->parse;
    struct sql_policy_case at = {
        .sees = sees, .tenant = tenant, .rewrite = &rewrite, .arena = arena};
    *finding = (struct sql_finding){.rule = NULL};
    if (sql_rewrite_statement(sees, given, tenant, arena, &rewrite, finding) != ERR_OK)
        return false;
    if (!str_equal(rewrite.sql, verdict->sql)) {
        finding->rule = "other text";
        return false;
    }
    struct str schema = sees.policy->default_schema[given->dialect];
    return sql_parse_statement_in(given->dialect, schema, rewrite.sql, sees.catalog, arena,
                                  &at.parse, &finding->rule, &finding->err) == ERR_OK &&
           sql_policy_rules_check(&at, finding) == ERR_OK;
}

#endif

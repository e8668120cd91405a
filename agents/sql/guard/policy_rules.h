/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/policy_rules.h - the rules one by one, in the order of R62
 * (docs/requirements.md). Private to policy.c.
 *
 * Each reads a parse and finds at most one thing wrong. The second reading of what the rewriter
 * wrote goes by the same rules, knowing what the rewriter may have put there. */
#ifndef AGENTS_SQL_GUARD_POLICY_RULES_H
#define AGENTS_SQL_GUARD_POLICY_RULES_H

#include "agents/sql/parse/finding.h"
#include "agents/sql/guard/rewrite.h"

struct sql_policy_case { /* borrowed */
    struct sql_visible sees;
    const struct sql_parse *parse;
    struct sql_tenant tenant;
    const struct sql_rewrite *rewrite; /* NULL: the text as given; else the text it wrote */
    struct arena *arena;
    struct sql_warning *warnings; /* room for SQL_POLICY_MAX_WARNINGS */
    size_t warning_count;
};

enum { SQL_POLICY_MAX_WARNINGS = 8 };

/* All rules until one finds something. */
MUST_USE enum err_code sql_policy_rules_check(struct sql_policy_case *at,
                                              struct sql_finding *finding);

#endif

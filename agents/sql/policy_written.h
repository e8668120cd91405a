/* SPDX-License-Identifier: MIT */
/* agents/sql/policy_written.h - what must hold of a statement once the rewriter wrote it.
 *
 * The second reading goes by the same rules as the first; here is what it demands beyond them.
 * Private to policy. */
#ifndef AGENTS_SQL_POLICY_WRITTEN_H
#define AGENTS_SQL_POLICY_WRITTEN_H

#include "agents/sql/policy_rules.h"

/* Every table that holds rows of companies stands under a filter the rewriter wrote, and every
 * filter is about one such table. ERR_REJECTED under rule "tenant". The first reading passes. */
MUST_USE enum err_code sql_policy_written_check_tenant(struct sql_policy_case *at,
                                                       struct sql_finding *finding);
/* The outermost LIMIT is a number within the policy. ERR_REJECTED under rule "limit". */
MUST_USE enum err_code sql_policy_written_check_limit(struct sql_policy_case *at,
                                                      struct sql_finding *finding);

#endif

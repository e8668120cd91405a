/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/finding.h - what a check found wrong: the rule, the place, the sentence.
 *
 * Filled by columns, bounds and rewrite, told by policy. Storage is the caller's, zeroed. */
#ifndef AGENTS_SQL_PARSE_FINDING_H
#define AGENTS_SQL_PARSE_FINDING_H

#include "agents/sql/parse/parse.h"

struct sql_finding {
    const char *rule;     /* static; NULL: nothing was found */
    struct sql_span span; /* of the text that was parsed; empty: no place */
    struct err err;       /* ERR_REJECTED (ERR_NO_MEMORY: the check could not be made) */
};

struct sql_warning { /* what a policy lets pass and tells */
    const char *rule;
    struct str text;
};

#endif

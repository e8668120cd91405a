/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/policy_functions.h - which functions a statement may call, by dialect.
 *
 * Lists of what is allowed, never of what is not: an engine grows functions faster than we read
 * its manuals. Pure. */
#ifndef AGENTS_SQL_CATALOG_POLICY_FUNCTIONS_H
#define AGENTS_SQL_CATALOG_POLICY_FUNCTIONS_H

#include "agents/sql/catalog/policy_data.h"

/* Whether policy lets name (lower case) be called in dialect; in_from: as a table. */
bool sql_policy_functions_allow(const struct sql_policy *policy, enum sql_dialect dialect,
                                struct str name, bool in_from);
/* Whether a call of name, which policy lets be called, reaches a stored function of the database
 * where it has one: the engine may not know the name itself, and policy does not name it beyond the
 * built-in list. */
bool sql_policy_functions_may_be_stored(const struct sql_policy *policy, enum sql_dialect dialect,
                                        struct str name);
/* Whether the name tells about the server or the session rather than the data: for messages. */
bool sql_policy_functions_is_info(struct str name);
/* Whether a printf format (between its quotes) makes only small text: no *, widths and precisions
 * of at most 3 digits. */
bool sql_policy_functions_format_is_small(struct str format);

#endif

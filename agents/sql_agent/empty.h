/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/empty.h - whether an empty result is worth another try: only when the statement
 * compares a column, of whose values only a part is known, with a text that is none of these (C24).
 */
#ifndef AGENTS_SQL_AGENT_EMPTY_H
#define AGENTS_SQL_AGENT_EMPTY_H

#include "agents/services/services.h"

struct lexicon;

/* The reason for another try, for the next prompt, in arena; absent: the empty result is the
 * answer. */
struct str sql_agent_empty_reason(const struct lexicon *lexicon, const struct sql_parse *parse,
                                  struct arena *arena);

#endif

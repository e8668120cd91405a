/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/clarify.h - a refusal that asks back: "CANNOT: the question that is open", then
 * a line "OPTION: a reading" for each of 2 to 4 readings, which may be followed by a line "READS:"
 * with the reading's statement as a JSON text. */
#ifndef AGENTS_SQL_AGENT_CLARIFY_H
#define AGENTS_SQL_AGENT_CLARIFY_H

#include "core/base/arena.h"

/* The reason that says no more than that there are options. */
#define SQL_AGENT_CLARIFY_PLAIN "it could mean more than one thing"

/* Read a refusal into {"question":"...","options":["...","..."]}, in arena. Absent: fewer than two
 * options, or no memory. */
struct str sql_agent_clarify_read(struct arena *arena, struct str reason, struct str answer);
/* The statements of the readings of a refusal as a JSON array of texts, in arena. Absent: not each
 * option has one, there are fewer than two options, or no memory. */
struct str sql_agent_clarify_statements(struct arena *arena, struct str answer);
/* The question and options of clarify as text for the user: a numbered list to choose from. Absent:
 * no memory. */
struct str sql_agent_clarify_text(struct arena *arena, struct str clarify);

#endif

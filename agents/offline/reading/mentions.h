/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/mentions.h - tables, columns, roles and date verbs in the walk. */
#ifndef AGENTS_OFFLINE_READING_MENTIONS_H
#define AGENTS_OFFLINE_READING_MENTIONS_H

#include "agents/offline/reading/parse.h"

/* Take the mention at p->at. False: p->reading->cannot says why. */
MUST_USE bool offline_mentions_take(struct parse *p);
/* The same for a table. */
MUST_USE bool offline_mentions_table(struct parse *p);
/* Whether rows of the table are money ("payments"), so that what adds up is that, not rows. */
bool offline_mentions_name_money(const struct parse *p, int table);

#endif

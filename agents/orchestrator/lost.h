/* SPDX-License-Identifier: MIT */
/* agents/orchestrator/lost.h - what is said while the database cannot be asked: data alone is
 * missing, documents and talk go on. */
#ifndef AGENTS_ORCHESTRATOR_LOST_H
#define AGENTS_ORCHESTRATOR_LOST_H

#include "agents/services/services.h"

/* Whether a database is configured and nothing is known of it; *err, unless NULL: why. */
bool orchestrator_lost_is_unread(struct node *node, struct err *err);
/* For the router, in the place of the tables; empty: they are known. */
struct str orchestrator_lost_tables(struct node *node);
/* Why data is missing, for an answer from elsewhere; absent: it is not. */
struct str orchestrator_lost_reason(struct node *node);
/* Put one more, that data is missing where it is, into the slot of warnings. */
void orchestrator_lost_warn(struct node *node, unsigned slot);

#endif

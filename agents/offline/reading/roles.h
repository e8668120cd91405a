/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/roles.h - references by their own names: inspector, manager, "reports to".
 */
#ifndef AGENTS_OFFLINE_READING_ROLES_H
#define AGENTS_OFFLINE_READING_ROLES_H

#include "agents/offline/reading/parse.h"

/* Take the role at p->at: a group or the target by the table it refers to, or a condition on who
 * has it. False: p->reading->cannot says why. */
MUST_USE bool offline_roles_take(struct parse *p);

#endif

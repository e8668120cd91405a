/* SPDX-License-Identifier: MIT */
/* agents/offline/roles.h - references by their own names: inspector, manager, "reports to". */
#ifndef AGENTS_OFFLINE_ROLES_H
#define AGENTS_OFFLINE_ROLES_H

#include "agents/offline/parse.h"

/* Take the role at p->at: a group or the target by the table it refers to, or a condition on who
 * has it. False: p->reading->cannot says why. */
MUST_USE bool offline_roles_take(struct parse *p);

#endif

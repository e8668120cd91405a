/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/deeds.h - verbs of trade in the walk: "sold", "bought", "spent the most".
 */
#ifndef AGENTS_OFFLINE_READING_DEEDS_H
#define AGENTS_OFFLINE_READING_DEEDS_H

#include "agents/offline/reading/parse.h"

/* Take the verb at p->at where nothing is denied: what was sold is counted, the date behind it is
 * that of the sale, or it only ties. False: p->reading->cannot says why. */
MUST_USE bool offline_deeds_take(struct parse *p);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/general_agent/about.h - what askd can be asked here, as a field of a prompt: what the data
 * is about, whether there are documents, and questions for example. */
#ifndef AGENTS_GENERAL_AGENT_ABOUT_H
#define AGENTS_GENERAL_AGENT_ABOUT_H

#include "core/run/node.h"

/* A few lines, in the arena of the node: the names of the tables that the caller may see, as words;
 * documents, where a store of them is configured; up to three verified questions. */
struct str about_subjects(struct node *node);

#endif

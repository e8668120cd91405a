/* SPDX-License-Identifier: MIT */
/* agents/nodes/facts.h - fields of prompts that say how SQL is written here, what day it is, what
 * language is read, and in which units figures are. In the arena of the node. */
#ifndef AGENTS_NODES_FACTS_H
#define AGENTS_NODES_FACTS_H

#include "agents/services/services.h"

struct str facts_dialect(struct node *node); /* "SQLite" */
struct str facts_naming(struct node *node);  /* when the dialect needs a name in quotes */
struct str facts_today(struct node *node);   /* "2025-06-30"; empty: nobody knows */
/* "German, the language of the question"; where that is not certain, the last four words. */
struct str facts_language(struct node *node);
/* "accounts.balance in USD, ...": what semantic.json says of the columns of numbers that statements
 * of the run read; "not known" where it says nothing of them. */
struct str facts_units(struct node *node);

#endif

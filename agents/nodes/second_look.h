/* SPDX-License-Identifier: MIT */
/* agents/nodes/second_look.h - a second opinion on a model's statement: the offline engine reads
 * the same question and compares. */
#ifndef AGENTS_NODES_SECOND_LOOK_H
#define AGENTS_NODES_SECOND_LOOK_H

#include "agents/offline/second_look/compare.h"
#include "agents/offline/second_look/periods.h"
#include "agents/services/services.h"

/* Call say for what the statement seems to leave out of question. asked: the questions before, one
 * a line (asked.h), or "". Where the engine does not understand the question only its plain words
 * are compared; where it wrote the statement itself there is no call. */
void second_look_at(struct node *node, struct str asked, struct str question,
                    const struct sql_parse *parse, offline_compare_fn *say, void *owner);
/* The one period that the question names by what day it is (offline_periods_find); false: none, or
 * nobody knows the day. Its words are those of the question. */
bool second_look_period(struct node *node, struct str question, struct offline_period *period);
/* The engine's own statement for the question, in the arena of the node; empty: it has none, or
 * wrote what the model did. */
struct str second_look_statement(struct node *node, struct str asked, struct str question);
/* Whether the model of the run is the offline engine, which is not asked again: it would say the
 * same. */
bool second_look_is_offline(const struct node *node);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/compare.h - compares a question's reading with a statement that
 * somebody else wrote for it: what the statement seems to leave out. Remarks, not verdicts. */
#ifndef AGENTS_OFFLINE_SECOND_LOOK_COMPARE_H
#define AGENTS_OFFLINE_SECOND_LOOK_COMPARE_H

#include "agents/offline/answers/question.h"
#include "agents/sql/parse/parse.h"

struct offline_remark {
    struct str told;  /* for whoever wrote the statement */
    struct str shown; /* for whoever asked: it names no part of a statement */
    bool is_stranger; /* it is about a condition that the question does not have */
};

/* Called once for each remark, which is borrowed for the call. */
typedef void offline_compare_fn(void *owner, const struct offline_remark *remark);

/* Call say for each thing that the question asks for and the statement does not have: a table, a
 * condition, a number, a group, a limit, a negation. answer is how question was read; no call when
 * it was not understood. */
void offline_compare_statement(const struct lexicon *lexicon, struct str question,
                               const struct offline_answer *answer, const struct sql_parse *parse,
                               offline_compare_fn *say, void *owner);

#endif

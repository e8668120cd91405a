/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/review.h - askd semantic review: what people said of answers, to be taken
 * into semantic.json as verified questions, or refused.
 *
 * Feedback is read from the store of conversations and never used before somebody has taken it.
 * Blocking. */
#ifndef SERVER_CLI_SEMANTIC_REVIEW_H
#define SERVER_CLI_SEMANTIC_REVIEW_H

/* The words behind "askd semantic review". Returns the exit code. */
int semantic_review(int argc, char **argv);

#endif

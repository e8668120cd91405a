/* SPDX-License-Identifier: MIT */
/* server/facades/openai/openai_problem.h - failures as OpenAI's clients read them:
 * {"error":{"message","type","param","code"}}. */
#ifndef SERVER_FACADES_OPENAI_OPENAI_PROBLEM_H
#define SERVER_FACADES_OPENAI_OPENAI_PROBLEM_H

#include "proto/json_write.h"
#include "server/http/problem.h"

extern const struct problem_style openai_problem_style;

/* The object after "error": of a failure in a stream, or of a run that is over. */
void openai_problem_write(struct json_write *json, int status, struct str code, struct str message,
                          struct str param);
/* The whole answer for a run that failed; its status. */
int openai_problem_answer(enum err_code result, struct str code, struct str message,
                          struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* server/facades/ai_sdk/ui_chat.h - POST /api/chat and GET /api/chat/{chat}/stream, for the AI
 * SDK's useChat and its transports: UI messages in, a UI message stream out. */
#ifndef SERVER_FACADES_AI_SDK_UI_CHAT_H
#define SERVER_FACADES_AI_SDK_UI_CHAT_H

#include "server/http/exchange.h"
#include "server/runs/runs.h"

extern const struct problem_style ui_chat_problem_style; /* plain text: it is shown as it is */

struct ui_chat_input {
    struct runs_request run;
    struct str resumes, results; /* the run that waits for results of the client's tools, and they;
                                    absent: run is a question */
};

/* Read the body. False: problem. */
MUST_USE bool ui_chat_read(struct exchange *exchange, struct ui_chat_input *input,
                           struct problem *problem);
/* The exchange's encoder from now on. NULL: answered, no memory. */
struct encoder *ui_chat_encoder(struct exchange *exchange);

route_fn ui_chat_ask, ui_chat_resume;

#endif

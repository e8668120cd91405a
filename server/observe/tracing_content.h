/* SPDX-License-Identifier: MIT */
/* server/observe/tracing_content.h - what was said to a model and by it, as GenAI spans carry it.
 *
 * Only for those who opted in. Bounded: long texts are cut. One thread. */
#ifndef SERVER_OBSERVE_TRACING_CONTENT_H
#define SERVER_OBSERVE_TRACING_CONTENT_H

#include "backends/llm.h"
#include "core/base/buf.h"

struct tracing_content { /* what the texts of the two functions below are views of */
    struct buf input, output;
};

void tracing_content_init(struct tracing_content *content);
void tracing_content_fini(struct tracing_content *content);
/* JSON: [{"role":"user","parts":[{"type":"text","content":"..."}]}]. Absent: no memory. */
struct str tracing_content_input(struct tracing_content *content, const struct llm_prompt *prompt);
/* JSON of the same form for the model's answer, with its finish_reason. Absent: no memory. */
struct str tracing_content_output(struct tracing_content *content, const struct llm_chat *chat);
/* At most what one text may have, whole characters. */
struct str tracing_content_cut(struct str text);

#endif

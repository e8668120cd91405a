/* SPDX-License-Identifier: MIT */
/* backends/models/call_filter.h - holds back what of a model's text may turn out to be calls of
 * tools, so that nobody is told of it as text.
 *
 * Servers without a parser for a model's calls send them as text: from <tool_call> on, or the whole
 * text is JSON. What is held back is read at the end (proto/models/model_calls.h). Fed in pieces
 * cut anywhere. Only for calls that offer tools. */
#ifndef BACKENDS_MODELS_CALL_FILTER_H
#define BACKENDS_MODELS_CALL_FILTER_H

#include "core/base/buf.h"

enum call_filter_state {
    CALL_FILTER_START, /* too little came to tell */
    CALL_FILTER_HELD,  /* all that comes is held back */
    CALL_FILTER_TEXT
};

struct call_filter {
    enum call_filter_state state;
    struct buf held;
};

/* limit_bytes: the most that is held. */
void call_filter_init(struct call_filter *filter, size_t limit_bytes);
void call_filter_fini(struct call_filter *filter);
/* Take a piece; returns the text that may be told now, a view until call_filter_told, which comes
 * next. */
struct str call_filter_feed(struct call_filter *filter, struct str piece);
void call_filter_told(struct call_filter *filter, struct str text);

#endif

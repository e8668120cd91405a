/* SPDX-License-Identifier: MIT */
/* proto/models/model_traits.h - what a model and its server take, as far as it is known: told by
 * the configuration, or learned from a request that was refused.
 *
 * Nothing is guessed from a model's name. A refusal (400, 422) that names a parameter which was
 * sent teaches to leave it out, or to use its other name. Pure. */
#ifndef PROTO_MODELS_MODEL_TRAITS_H
#define PROTO_MODELS_MODEL_TRAITS_H

#include "proto/models/model_wire.h"

struct model_traits { /* all zero: takes everything */
    enum model_limit limit;
    bool no_temperature;
    bool no_stream_options; /* usage is then estimated, where the server does not tell it unasked */
    bool no_response_format; /* the form of an answer can only be asked for in words */
    bool no_reasoning_effort;
    bool starts_thinking; /* its template opens the block of thoughts: see think_filter */
    bool needs_room;      /* it thinks away the tokens of short answers: ask for more */
};

enum { MODEL_TRAITS_ROOM = 4 }; /* times the tokens, for a model that needs room */

/* Take out of request, or name otherwise, what traits says. */
void model_traits_apply(const struct model_traits *traits, enum model_wire wire,
                        struct model_request *request);

enum model_lesson {
    MODEL_LESSON_NONE,     /* the refusal is about something else */
    MODEL_LESSON_FOR_CALL, /* it is about the value sent: traits hold for this call alone */
    MODEL_LESSON_FOR_GOOD
};

/* Learn from the body of a refusal of sent, which traits made: *traits is then other than before,
 * so that a call learns a few times at most. */
enum model_lesson model_traits_learn(struct model_traits *traits, enum model_wire wire,
                                     const struct model_request *sent, struct str body);
/* Add to known what a call has learned that was answered then. */
void model_traits_keep(struct model_traits *known, const struct model_traits *learned);

#endif

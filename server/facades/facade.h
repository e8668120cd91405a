/* SPDX-License-Identifier: MIT */
/* server/facades/facade.h - what all facades, the routes for other protocols' clients, read in the
 * same way.
 *
 * Nothing is accepted in silence: a member that is not known, or asks for what is not built, is
 * named. The caller of a question comes from headers a gateway sets, else from the body, else from
 * ASKD_PAGE_COMPANY_ID and the user "guest". Views live as long as the exchange. */
#ifndef SERVER_FACADES_FACADE_H
#define SERVER_FACADES_FACADE_H

#include "proto/json_value.h"
#include "server/http/exchange.h"
#include "server/runs/runs.h"

enum {
    FACADE_BOOL = 1u << JSON_BOOL,
    FACADE_INTEGER = 1u << JSON_INT,
    FACADE_NUMBER = 1u << JSON_INT | 1u << JSON_DOUBLE,
    FACADE_STRING = 1u << JSON_STRING,
    FACADE_ARRAY = 1u << JSON_ARRAY,
    FACADE_OBJECT = 1u << JSON_OBJECT,
};

enum { FACADE_FINE = 3 };

/* One member of an object. null is always as if it were not there. */
struct facade_field {
    const char *name;
    unsigned types; /* FACADE_...: others are refused */
    /* NULL: the member is used, or asks for what has no meaning here. Else the feature that a
     * refusal, 501, names, unless the value is false, empty or one of fine (compact JSON). */
    const char *feature;
    const char *fine[FACADE_FINE];
};

/* Whether each member of object (at pointer, "" for the body) is one of fields and may be. */
MUST_USE bool facade_check(const struct json_value *object, const char *pointer,
                           const struct facade_field *fields, size_t count,
                           struct problem *problem);

/* How a protocol writes messages. */
struct facade_talk {
    const char *pointer;        /* "/messages" */
    const char *parts;          /* the member with the text: "content", a string or parts */
    const char *texts[3];       /* types of parts whose "text" is text */
    bool skips_parts;           /* other parts of what the assistant said are passed over */
    bool has_types;             /* a role may be called type: "human", "ai" */
    const char *passed_over[3]; /* roles and types of messages that are not read at all */
};

/* The last message, of the user, into request->message; those before it into request->said.
 * Instructions ("system", "developer") are handed on as said by the user: a graph has its own. */
MUST_USE bool facade_read_talk(struct exchange *exchange, const struct json_value *messages,
                               const struct facade_talk *talk, struct runs_request *request,
                               struct problem *problem);
struct history_message;
/* Take one message, of the user at pointer, as the question of request. */
MUST_USE bool facade_set_question(struct exchange *exchange, const struct history_message *last,
                                  const char *pointer, struct runs_request *request,
                                  struct problem *problem);

/* The caller of the request, by headers, by body (as far as that names one: the rest absent), by
 * configuration. An empty conversation: none is kept. */
MUST_USE bool facade_read_caller(struct exchange *exchange, const struct identity *body,
                                 struct identity *caller, struct problem *problem);
/* Text members of an object at pointer; absent: not there. False: another type. */
MUST_USE bool facade_read_str(const struct json_value *root, const char *pointer, struct str *text,
                              struct problem *problem);

/* The graph called like the body's model; 404 names those there are. */
MUST_USE bool facade_read_model(struct exchange *exchange, const struct json_value *root,
                                struct runs_request *request, struct problem *problem);

struct facade_usage {
    uint64_t prompt_tokens, completion_tokens;
};
/* The usage that the members of a complete event tell. */
struct facade_usage facade_usage_of(struct str members);
/* The terminal event of a run that is over; false: it has left memory. */
MUST_USE bool facade_last_event(struct run *run, struct event *event);
/* Give the exchange a zeroed encoder of size bytes and kind. NULL: answered, no memory. */
struct encoder *facade_encoder(struct exchange *exchange, size_t size,
                               const struct encoder_kind *kind);

#endif

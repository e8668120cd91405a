/* SPDX-License-Identifier: MIT */
/* server/facades/openai/answer_form.h - the data of an answer in the form of a client's JSON schema
 * (response_format, text.format).
 *
 * Rows become an array of objects, one row an object, one value a value. A property is the column
 * of its name, or the one column whose name has all of its words ("count": "workOrder_count"); a
 * text that is no column's is the answer's text. Nothing is guessed beyond that: what the data
 * lacks makes no answer of that form. Pure; any thread. */
#ifndef SERVER_FACADES_OPENAI_ANSWER_FORM_H
#define SERVER_FACADES_OPENAI_ANSWER_FORM_H

#include "proto/json_value.h"

struct buf;

struct answer_form {
    const struct json_value *schema;
    struct str complete; /* members of the terminal event: "data" is read */
    struct str text;     /* the answer's */
    struct arena *arena; /* for the data as a tree */
};

/* Append the answer as JSON to out. False: the answer is no data of this form, err says why, and
 * out is as it was. */
MUST_USE bool answer_form_write(const struct answer_form *form, struct buf *out, struct err *err);

/* The answer's text until its end, where it is wanted as data: of its last beginning, at most
 * ANSWER_TEXT_BYTES. */
enum { ANSWER_TEXT_BYTES = 16 * 1024 };

struct answer_text {
    char *at; /* ANSWER_TEXT_BYTES; NULL: the text is told as it comes */
    size_t len;
    int64_t attempt;
};

/* False: no memory. */
MUST_USE bool answer_text_init(struct answer_text *held, struct arena *arena);
void answer_text_add(struct answer_text *held, struct str text, int64_t attempt);

/* Append the answer as JSON of the schema, or, in a sentence, why it has none and what it says.
 * True: it is JSON. */
MUST_USE bool answer_form_say(const struct json_value *schema, struct str complete, struct str text,
                              struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/common/sql_reply.h - what a model replied where a statement was asked for: a statement,
 * why there is none, or prose that is neither.
 *
 * Structure decides, never words of a language: members of an object, then the line "CANNOT:", then
 * whether a statement stands anywhere. Any thread. */
#ifndef AGENTS_COMMON_SQL_REPLY_H
#define AGENTS_COMMON_SQL_REPLY_H

#include "core/base/arena.h"

struct sql_reply {
    struct str sql;    /* a statement, or a query over metrics; absent: none */
    struct str cannot; /* why there is none; absent: nothing says so */
};

/* The form of a reply: an object with both members, one of which is null. */
#define SQL_REPLY_FORM                                                                             \
    "{\"type\":\"object\",\"properties\":{\"sql\":{\"type\":[\"string\",\"null\"]},"               \
    "\"cannot\":{\"type\":[\"string\",\"null\"]}},\"required\":[\"sql\",\"cannot\"],"              \
    "\"additionalProperties\":false}"

/* Read text; the reply's texts are views of it or in arena. Both absent: prose, or no memory. */
struct sql_reply sql_reply_read(struct arena *arena, struct str text);
/* Whether text is prose alone. */
bool sql_reply_is_prose(struct str text);

#endif

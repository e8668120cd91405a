/* SPDX-License-Identifier: MIT */
/* proto/models/answer_walk.h - walking over the JSON of a model's answer, shared by the readers of
 * its wires: members are taken by functions, strings stay views unless they hold escapes.
 *
 * Inline, for every token passes here. Private to proto. */
#ifndef PROTO_MODELS_ANSWER_WALK_H
#define PROTO_MODELS_ANSWER_WALK_H

#include "proto/json_read.h"
#include "proto/models/model_answer.h"

struct answer_walk {
    struct json_read json;
    struct buf *scratch;
    struct model_answer *answer;
    bool is_error;                /* there was an "error" member */
    struct str message, type;     /* of the error, or of a body that is one */
    struct str code;              /* a word or a number */
    const char *wrong, *problem;  /* which member was refused, and why; static */
    uint64_t beside_prompt;       /* prompt tokens that the wire counts apart */
    struct model_call_piece call; /* Anthropic's: of the block that the event is about */
    bool is_call;                 /* that block is a call */
};

/* One more call of the answer, to be filled; NULL: there are too many, which is refused. */
struct model_call_piece *answer_add_call(struct answer_walk *walk);
/* The arguments of a call: a text, or a JSON value that is taken as it is written. */
bool answer_arguments(struct answer_walk *walk, struct model_call_piece *call);

/* Takes one member whose key was just read; consumes its value. False: broken or refused. */
typedef bool answer_member_fn(struct answer_walk *walk);

static inline bool answer_refuse(struct answer_walk *walk, const char *wrong, const char *problem)
{
    walk->wrong = wrong;
    walk->problem = problem;
    return false;
}

static inline bool answer_skip(struct answer_walk *walk)
{
    return json_read_skip(&walk->json, JSON_TOKEN_KEY);
}

/* Asked several times per token, almost always of a name without escapes. */
static inline bool answer_key_is(const struct answer_walk *walk, struct str name)
{
    if (walk->json.has_escapes)
        return json_read_is(&walk->json, name);
    return walk->json.text.len == name.len && memcmp(walk->json.text.at, name.at, name.len) == 0;
}

/* Walk an object whose first token was read. null is an absent object. */
static inline bool answer_object(struct answer_walk *walk, enum json_token token,
                                 answer_member_fn *take, const char *name)
{
    if (token == JSON_TOKEN_NULL)
        return true;
    if (token != JSON_TOKEN_OBJECT)
        return token != JSON_TOKEN_ERROR && answer_refuse(walk, name, "expected an object");
    while ((token = json_read_next(&walk->json)) == JSON_TOKEN_KEY)
        if (!take(walk))
            return false;
    return token == JSON_TOKEN_OBJECT_END;
}

static inline bool answer_keep(struct answer_walk *walk, struct str *text)
{
    *text = json_read_unescape(&walk->json, walk->scratch);
    return !str_is_absent(*text);
}

/* A string or null into *text, when the value's token was read. */
static inline bool answer_text_of(struct answer_walk *walk, enum json_token token, struct str *text,
                                  const char *name)
{
    if (token == JSON_TOKEN_STRING)
        return answer_keep(walk, text);
    if (token == JSON_TOKEN_NULL)
        return true;
    return token != JSON_TOKEN_ERROR && answer_refuse(walk, name, "expected a string");
}

static inline bool answer_text(struct answer_walk *walk, struct str *text, const char *name)
{
    return answer_text_of(walk, json_read_next(&walk->json), text, name);
}

/* A string or a number into *text, anything else is skipped. */
bool answer_text_if_any(struct answer_walk *walk, struct str *text);
/* A count into *count, anything else is skipped; has_usage is set where there was one. */
bool answer_count(struct answer_walk *walk, uint64_t *count);
/* An array of parts whose first token was read: the texts of those of type "text" are joined into
 * answer->content; thoughts and tool calls among them are noted. */
bool answer_parts(struct answer_walk *walk);
/* {"message":...,"type":...,"code":...} as OpenAI has it, or a string: into walk. */
bool answer_error(struct answer_walk *walk);
/* The value's word into answer->finish. */
bool answer_finish(struct answer_walk *walk, const char *name);
/* Walk text, an object whose members take takes; scratch gets room first for all that may be
 * unescaped, so that no view in it moves. False: see walk->wrong, walk->json and scratch. */
bool answer_walk_text(struct answer_walk *walk, struct str text, answer_member_fn *take);
/* The code of an error when there is no HTTP status to go by. */
enum err_code answer_code(const struct answer_walk *walk);
/* A copy of text on one line, cut to room, for a message to people. */
struct str answer_clean(struct str text, char *to, size_t room);
/* Read data as one object of take's members into *answer; a model_answer_fn but for take. */
enum err_code answer_read(struct str data, struct buf *scratch, struct model_answer *answer,
                          answer_member_fn *take, struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/* server/language/event_words.c - one walk over the members, which copies all but the texts that
 * are said anew.
 *
 * Happy path: a text below one of the members of `spoken` is looked up and written in its place. In
 * a whole answer these are also the members with its text, whatever a protocol calls them. Failure:
 * JSON that is broken or too long, and what does not fit, stay as they are. */
#include "server/language/event_words.h"

#include "proto/json_read.h"
#include "proto/json_write.h"
#include "server/language/sentences.h"

enum way { UNSAID, BY_SENTENCE, AS_ANSWER, AS_OPTION, AS_ERROR };
enum { OF_EVENTS = 1, OF_ANSWERS = 2, OF_BOTH = 3 };

/* Members whose texts are the program's, or may be, and how these are said; in: the member that
 * they must be in. NULL: any place. */
static const struct {
    const char *in, *name;
    enum way way;
    unsigned of;
} spoken[] = {
    {NULL, "warnings", BY_SENTENCE, OF_BOTH},
    {NULL, "notes", BY_SENTENCE, OF_BOTH},
    {NULL, "abstained", BY_SENTENCE, OF_BOTH},
    {"clarify", "question", BY_SENTENCE, OF_BOTH},
    {"clarify", "options", AS_OPTION, OF_BOTH},
    {"error", "message", BY_SENTENCE, OF_EVENTS},
    {NULL, "error", AS_ERROR, OF_ANSWERS},
    {NULL, "error_message", AS_ERROR, OF_ANSWERS},
    {NULL, "summary", AS_ANSWER, OF_BOTH},
    {NULL, "content", AS_ANSWER, OF_ANSWERS},
    {NULL, "text", AS_ANSWER, OF_ANSWERS},
    {NULL, "answer", AS_ANSWER, OF_ANSWERS},
    {NULL, "final_answer", AS_ANSWER, OF_ANSWERS},
    {NULL, "sql_result", AS_ANSWER, OF_ANSWERS},
    {NULL, "rag_result", AS_ANSWER, OF_ANSWERS},
    {NULL, "general_result", AS_ANSWER, OF_ANSWERS},
    {NULL, "natural_language_response", AS_ANSWER, OF_ANSWERS},
    {NULL, "refusal", AS_ANSWER, OF_ANSWERS},
};
/* Members in which there are none, and much else; sorted. */
static const char *const passed[] = {"chart", "charts", "citations", "data", "statements", "steps"};

struct walk {
    struct json_read reader;
    enum language language;
    const struct event_words_answer *answer; /* NULL: an event's members */
    struct buf *out, text, said; /* text: a string without escapes; said: the same in language */
    const char *copied;          /* up to here the object is in out */
    struct str keys[JSON_READ_MAX_DEPTH + 1]; /* the last one of each depth */
    unsigned spoken_depth;                    /* of the member whose texts are said; 0: none */
    enum way way;                             /* how they are */
    bool knows;
};

static enum way find_way(const struct walk *walk, unsigned depth)
{
    const unsigned of = walk->answer == NULL ? OF_EVENTS : OF_ANSWERS;
    for (size_t i = 0; i < countof(spoken); i++)
        if ((spoken[i].of & of) != 0 && str_equal(walk->keys[depth], str_of(spoken[i].name)) &&
            (spoken[i].in == NULL || str_equal(walk->keys[depth - 1], str_of(spoken[i].in))))
            return spoken[i].way;
    return UNSAID;
}

/* Append text as the walk says texts at this place; false: it stays. */
static bool say(const struct walk *walk, struct str text, struct buf *said)
{
    const struct event_words_answer *answer = walk->answer;
    if (walk->way == BY_SENTENCE)
        return sentences_say(walk->language, text, said);
    if (walk->way == AS_OPTION)
        return sentences_say_option(walk->language, text, said);
    if (walk->way == AS_ANSWER)
        return sentences_say_answer(walk->language, text, said);
    return !str_is_absent(answer->message) && str_equal(text, answer->message) &&
           sentences_say_error(walk->language, answer->code, text, said);
}

static void say_text(struct walk *walk)
{
    struct str written = walk->reader.text;
    buf_clear(&walk->text);
    buf_clear(&walk->said);
    struct str text = json_read_unescape(&walk->reader, &walk->text);
    if (str_is_absent(text) || !say(walk, text, &walk->said) || !buf_ok(&walk->said))
        return;
    struct json_write json;
    buf_push(walk->out, str_make(walk->copied, (size_t)(written.at - 1 - walk->copied)));
    json_write_init(&json, walk->out);
    json_write_str(&json, buf_str(&walk->said));
    walk->copied = written.at + written.len + 1;
    walk->knows = true;
}

/* False: the JSON is broken. */
static bool take_key(struct walk *walk)
{
    const unsigned depth = walk->reader.depth;
    walk->keys[depth] = walk->reader.text;
    if (walk->spoken_depth >= depth)
        walk->spoken_depth = 0;
    const enum way way = walk->spoken_depth == 0 ? find_way(walk, depth) : UNSAID;
    if (way != UNSAID) {
        walk->spoken_depth = depth;
        walk->way = way;
    }
    return !str_is_listed(walk->keys[depth], passed, countof(passed)) ||
           json_read_skip(&walk->reader, JSON_TOKEN_KEY);
}

static bool walk_object(struct walk *walk, struct str object)
{
    enum json_token token;
    walk->copied = object.at;
    json_read_init(&walk->reader, object);
    while ((token = json_read_next(&walk->reader)) != JSON_TOKEN_END) {
        if (token == JSON_TOKEN_ERROR || (token == JSON_TOKEN_KEY && !take_key(walk)))
            return false;
        if (token == JSON_TOKEN_STRING && walk->spoken_depth > 0)
            say_text(walk);
        else if (token == JSON_TOKEN_OBJECT_END && walk->spoken_depth > walk->reader.depth)
            walk->spoken_depth = 0;
    }
    buf_push(walk->out, str_make(walk->copied, (size_t)(object.at + object.len - walk->copied)));
    return walk->knows;
}

static bool say_object(struct walk *walk, struct str object)
{
    size_t mark = buf_len(walk->out);
    if (walk->language == LANGUAGE_EN || object.len > EVENT_WORDS_BYTES)
        return false;
    buf_init(&walk->text, EVENT_WORDS_BYTES);
    buf_init(&walk->said, EVENT_WORDS_BYTES);
    bool knows = walk_object(walk, object) && buf_ok(walk->out);
    if (!knows)
        buf_truncate(walk->out, mark);
    buf_fini(&walk->text);
    buf_fini(&walk->said);
    return knows;
}

bool event_words_say_object(enum language language, struct str object, struct buf *out)
{
    struct walk walk = {.language = language, .out = out};
    return say_object(&walk, object);
}

bool event_words_say_answer(const struct event_words_answer *answer, struct str body,
                            struct buf *out)
{
    struct walk walk = {.language = answer->language, .answer = answer, .out = out};
    return say_object(&walk, body);
}

/* Say members, an object without its braces; *said is where they lie then. */
static bool say_members(enum language language, struct str members, struct buf *scratch,
                        struct str *said)
{
    struct buf object;
    if (members.len == 0 || members.len > EVENT_WORDS_BYTES)
        return false;
    buf_init(&object, EVENT_WORDS_BYTES + 2);
    buf_push_char(&object, '{');
    buf_push(&object, members);
    buf_push_char(&object, '}');
    bool knows = buf_ok(&object) && event_words_say_object(language, buf_str(&object), scratch);
    buf_fini(&object);
    if (knows)
        *said = str_slice(buf_str(scratch), 1, buf_len(scratch) - 1);
    return knows;
}

const struct event *event_words_say(enum language language, const struct event *event,
                                    struct event *said, struct buf *scratch)
{
    bool knows = false;
    if (language == LANGUAGE_EN)
        return event;
    buf_clear(scratch);
    *said = *event;
    switch (event->kind) {
    case EVENT_TOKEN:
        knows = str_equal(event->name, STR(EVENT_FINAL_CHANNEL)) &&
                sentences_say_answer(language, event->text, scratch);
        break;
    case EVENT_ERROR:
        knows = sentences_say_error(language, event->name, event->text, scratch);
        break;
    case EVENT_WARNING:
    case EVENT_RETRY:
        knows = sentences_say(language, event->text, scratch);
        break;
    case EVENT_COMPLETE:
    case EVENT_INTERRUPT:
        return say_members(language, event->text, scratch, &said->text) ? said : event;
    default:
        break;
    }
    if (!knows || !buf_ok(scratch))
        return event;
    said->text = buf_str(scratch);
    return said;
}

/* SPDX-License-Identifier: MIT */
/* server/language/event_words.c - one walk over the members, which copies all but the texts that
 * are said anew.
 *
 * Happy path: a text below one of the members of `spoken` is looked up and written in its place.
 * Failure: JSON that is broken or too long, and what does not fit, stay as they are. */
#include "server/language/event_words.h"

#include "proto/json_read.h"
#include "proto/json_write.h"
#include "server/language/sentences.h"

/* Members whose texts are the program's; in: the member that they must be in. NULL: any place. */
static const struct {
    const char *in, *name;
} spoken[] = {{NULL, "warnings"},
              {NULL, "notes"},
              {NULL, "abstained"},
              {"clarify", "question"},
              {"error", "message"}};
/* Members in which there are none, and much else; sorted. */
static const char *const passed[] = {"chart", "charts", "citations", "data", "statements", "steps"};

struct walk {
    struct json_read reader;
    enum language language;
    struct buf *out, text, said; /* text: a string without escapes; said: the same in language */
    const char *copied;          /* up to here the object is in out */
    struct str keys[JSON_READ_MAX_DEPTH + 1]; /* the last one of each depth */
    unsigned spoken_depth;                    /* of the member whose texts are said; 0: none */
    bool knows;
};

static bool is_spoken(const struct walk *walk, unsigned depth)
{
    for (size_t i = 0; i < countof(spoken); i++)
        if (str_equal(walk->keys[depth], str_of(spoken[i].name)) &&
            (spoken[i].in == NULL || str_equal(walk->keys[depth - 1], str_of(spoken[i].in))))
            return true;
    return false;
}

static void say_text(struct walk *walk)
{
    struct str written = walk->reader.text;
    buf_clear(&walk->text);
    buf_clear(&walk->said);
    struct str text = json_read_unescape(&walk->reader, &walk->text);
    if (str_is_absent(text) || !sentences_say(walk->language, text, &walk->said) ||
        !buf_ok(&walk->said))
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
    if (walk->spoken_depth == 0 && is_spoken(walk, depth))
        walk->spoken_depth = depth;
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

bool event_words_say_object(enum language language, struct str object, struct buf *out)
{
    struct walk walk = {.language = language, .out = out};
    size_t mark = buf_len(out);
    if (language == LANGUAGE_EN || object.len > EVENT_WORDS_BYTES)
        return false;
    buf_init(&walk.text, EVENT_WORDS_BYTES);
    buf_init(&walk.said, EVENT_WORDS_BYTES);
    bool knows = walk_object(&walk, object) && buf_ok(out);
    if (!knows)
        buf_truncate(out, mark);
    buf_fini(&walk.text);
    buf_fini(&walk.said);
    return knows;
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

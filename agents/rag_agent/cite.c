/* SPDX-License-Identifier: MIT */
/* agents/rag_agent/cite.c - reads source marks and looks sentences up.
 *
 * A source mark of a chunk that does not exist cites nothing, and its sentence must be supported
 * like any other. Failure: spent memory supports less, so that more sentences count as unsupported.
 */
#include "agents/rag_agent/cite.h"

#include "agents/docs/sentences.h"
#include "agents/search/support.h"
#include "proto/json_write.h"

struct citing {
    struct arena *arena;
    const struct search_hit *hits;
    size_t hit_count;
    const struct support *support;
    bool marked[SUPPORT_MAX_PASSAGES], supports[SUPPORT_MAX_PASSAGES];
    bool has_marks;
};

/* "[2]" and "[1, 3]": every number in square brackets that is a chunk's. */
static void read_marks(struct citing *citing, struct str text)
{
    bool inside = false;
    size_t number = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (inside && str_is_digit(c) && number < SUPPORT_MAX_PASSAGES) {
            number = number * 10 + (size_t)(c - '0');
            continue;
        }
        if (inside && number > 0 && number <= citing->hit_count && (c == ']' || c == ',')) {
            citing->marked[number - 1] = true;
            citing->has_marks = true;
        }
        number = 0;
        inside = c == '[' || (inside && (c == ',' || c == ' '));
    }
}

static size_t read_sentences(struct citing *citing, struct str answer, struct json_write *json)
{
    size_t unsupported = 0;
    for (;;) {
        bool says_nothing;
        struct str sentence = docs_sentences_next(&answer);
        if (str_is_absent(sentence))
            return unsupported;
        int at = citing->support == NULL
                     ? SUPPORT_NONE
                     : support_find(citing->support, citing->arena, sentence, &says_nothing);
        if (at == SUPPORT_NONE) {
            json_write_str(json, sentence);
            unsupported++;
        } else if (!says_nothing) {
            citing->supports[at] = true;
        }
    }
}

size_t rag_agent_cite(struct arena *arena, struct str answer, const struct search_hit *hits,
                      size_t hit_count, struct buf *citations, struct buf *unsupported)
{
    struct citing citing = {.arena = arena, .hits = hits};
    struct str texts[SUPPORT_MAX_PASSAGES];
    struct json_write json;
    citing.hit_count = size_min(hit_count, SUPPORT_MAX_PASSAGES);
    for (size_t i = 0; i < citing.hit_count; i++) /* headings are said, too */
        texts[i] =
            arena_printf(arena, "%.*s\n%.*s", STR_ARG(hits[i].heading), STR_ARG(hits[i].text));
    citing.support = support_create(arena, texts, citing.hit_count);
    read_marks(&citing, answer);
    json_write_init(&json, unsupported);
    json_write_array(&json);
    size_t count = read_sentences(&citing, answer, &json);
    json_write_array_end(&json);
    json_write_init(&json, citations);
    json_write_array(&json);
    for (size_t i = 0; i < citing.hit_count; i++)
        if (citing.has_marks ? citing.marked[i] : citing.supports[i])
            search_write_citation(&hits[i], i + 1, &json);
    json_write_array_end(&json);
    return count;
}

/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/extractive.c - sentences scored by the question's words, rarest first.
 *
 * Happy path: a word of the question weighs more the fewer passages have it, and little when it
 * only says what kind of text is asked for ("rules", "policy"); the passage with the greatest
 * weight of words (its own heading's count three quarters again, those above it a quarter) answers.
 * A section that is about all that is asked, by its headings, answers with its beginning, and with
 * the first sentence of each section beside it that is, too; else its best sentences answer, in
 * their order, with the list that follows a sentence that ends in a colon. A table is shown whole
 * when its lead or its header is, and its header when a row is. Failure: a passage that has not two
 * thirds of the words, and well over half of their weight, answers nothing. */
#include "agents/offline/documents/extractive.h"

#include <math.h>

#include "agents/common/content.h"
#include "agents/docs/sentences.h"
#include "agents/english/language.h"
#include "agents/offline/documents/passages.h"
#include "core/words/function_words.h"
#include "core/words/stem.h"

enum { MAX_SENTENCES = 64, SHOWN = 3, SECTIONS = 4 };
#define LEAST_SHARE     0.6
#define LEAST_OF_BEST   0.6
#define OF_OWN_HEADING  0.75
#define OF_HEADING      0.25
#define OF_A_FRAME_WORD 0.25

struct passage_words {
    bool in_own_heading[CONTENT_MAX_WORDS], in_heading[CONTENT_MAX_WORDS],
        in_text[CONTENT_MAX_WORDS];
};

struct extracting {
    struct arena *arena;
    struct str words[CONTENT_MAX_WORDS]; /* of the question */
    bool is_frame[CONTENT_MAX_WORDS];    /* says how the words that count are asked about */
    double weights[CONTENT_MAX_WORDS];
    size_t word_count;
    const struct offline_passage *passages;
    struct passage_words have[OFFLINE_MAX_PASSAGES];
    size_t passage_count;
    bool is_foreign;            /* the question is in another language than English */
    bool has_begun, after_item; /* of what is written */
};

/* By which a text is asked for, whatever it is about. */
static const char *const frame_words[] = {
    "describe",
    "details",
    "do",
    "explain",
    "guidelines",
    "handled",
    "happens",
    "info",
    "know",
    "mean",
    "information",
    "need",
    "policy",
    "procedure",
    "process",
    "regulations",
    "required",
    "requirements",
    "rules",
    "say",
    "work",
    /* German, Spanish, French */
    "ablauf",
    "hoch",
    "lange",
    "oft",
    "anforderungen",
    "bedeutet",
    "funktioniert",
    "gelten",
    "gilt",
    "infos",
    "muss",
    "regeln",
    "regelung",
    "richtlinie",
    "richtlinien",
    "steht",
    "vorgaben",
    "vorschriften",
    "debo",
    "necesito",
    "normas",
    "pol\xC3\xADtica",
    "procedimiento",
    "reglas",
    "requisitos",
    "signifie",
    "conditions",
    "directives",
    "politique",
    ("proc\xC3\xA9"
     "dure"),
    "r\xC3\xA8gles",
};

static bool is_frame_word(struct str stem)
{
    for (size_t i = 0; i < countof(frame_words); i++) {
        char room[STEM_BYTES];
        if (str_equal(stem, stem_of(str_of(frame_words[i]), room)))
            return true;
    }
    return false;
}

static void read_question(struct extracting *e, struct str question)
{
    struct str words[CONTENT_MAX_WORDS];
    size_t count = stem_split(e->arena, question, words, CONTENT_MAX_WORDS), framing = 0;
    for (size_t i = 0; i < count; i++)
        e->is_foreign = e->is_foreign || function_words_is_foreign(words[i]);
    count = content_words(e->arena, question, words, CONTENT_MAX_WORDS);
    for (size_t i = 0; i < count; i++) {
        if (function_words_has(words[i]))
            continue;
        e->is_frame[e->word_count] = is_frame_word(words[i]);
        framing += e->is_frame[e->word_count];
        e->words[e->word_count++] = words[i];
    }
    for (size_t i = 0; i < e->word_count && framing == e->word_count; i++)
        e->is_frame[i] = false; /* about nothing else */
}

/* Whether two stems are of one word: stem_of knows the endings of English; in other languages one
 * may have up to two letters more ("Sonntag", "Sonntagen"). */
static bool are_alike(const struct extracting *e, struct str one, struct str other)
{
    enum { LEAST = 6, ENDING = 2 };
    if (!e->is_foreign || one.len < LEAST || other.len < LEAST)
        return str_equal(one, other);
    const size_t shorter = size_min(one.len, other.len);
    return one.len + other.len - 2 * shorter <= ENDING &&
           str_equal(str_slice(one, 0, shorter), str_slice(other, 0, shorter));
}

/* Which of the question's words text has. */
static void mark_words(struct extracting *e, struct str text, bool *has)
{
    while (text.len > 0) {
        struct str stems[CONTENT_MAX_WORDS], piece = str_slice(text, 0, 200);
        while (piece.len < text.len && !str_is_blank(text.at[piece.len]))
            piece.len++;
        size_t count = content_words(e->arena, piece, stems, CONTENT_MAX_WORDS);
        for (size_t i = 0; i < e->word_count; i++)
            for (size_t k = 0; k < count && !has[i]; k++)
                has[i] = are_alike(e, stems[k], e->words[i]);
        text = str_from(text, piece.len);
    }
}

static bool has_word(const struct passage_words *passage, size_t i)
{
    return passage->in_text[i] || passage->in_heading[i];
}

static void weigh_words(struct extracting *e)
{
    for (size_t i = 0; i < e->word_count; i++) {
        size_t with = 0;
        for (size_t p = 0; p < e->passage_count; p++)
            with += has_word(&e->have[p], i);
        e->weights[i] = 1 + log((double)(e->passage_count + 1) / (double)(with + 1));
        if (e->is_frame[i])
            e->weights[i] *= OF_A_FRAME_WORD;
    }
}

/* Whether passage has enough of the question; *score: how much, with what its headings add. */
static bool has_enough(const struct extracting *e, size_t p, double *score)
{
    const struct passage_words *passage = &e->have[p];
    double have = 0, all = 0;
    size_t found = 0, asked = 0;
    *score = 0;
    for (size_t i = 0; i < e->word_count; i++) {
        bool is_asked = !e->is_frame[i];
        all += is_asked ? e->weights[i] : 0;
        asked += is_asked;
        if (!has_word(passage, i))
            continue;
        have += is_asked ? e->weights[i] : 0;
        found += is_asked;
        *score += ((passage->in_text[i] ? 1 : 0) + (passage->in_heading[i] ? OF_HEADING : 0) +
                   (passage->in_own_heading[i] ? OF_OWN_HEADING - OF_HEADING : 0)) *
                  e->weights[i];
    }
    return asked > 0 && 3 * found >= 2 * asked && have >= LEAST_SHARE * all;
}

/* Its place; passage_count: none. */
static size_t best_passage(const struct extracting *e)
{
    size_t best = e->passage_count;
    double most = 0;
    for (size_t p = 0; p < e->passage_count; p++) {
        double score;
        if (!has_enough(e, p, &score) || score <= most)
            continue;
        most = score;
        best = p;
    }
    return best;
}

/* All that is asked about is in its headings, some of it in its own. */
static bool is_about(const struct extracting *e, size_t p)
{
    const struct passage_words *passage = &e->have[p];
    bool is_own = false;
    for (size_t i = 0; i < e->word_count; i++) {
        if (!e->is_frame[i] && !passage->in_heading[i])
            return false;
        is_own = is_own || (!e->is_frame[i] && passage->in_own_heading[i]);
    }
    return is_own;
}

static double sentence_score(struct extracting *e, struct str sentence)
{
    bool has[CONTENT_MAX_WORDS] = {false};
    double score = 0;
    mark_words(e, sentence, has);
    for (size_t i = 0; i < e->word_count; i++)
        score += has[i] ? e->weights[i] : 0;
    return score;
}

static bool is_item(struct str sentence)
{
    return str_starts_with(sentence, STR("- "));
}

/* A line of a table: cells joined by " | ". */
static bool is_row(struct str sentence)
{
    return str_find(sentence, STR(" | ")) != STR_NONE;
}

static void complete_tables(const struct str *sentences, size_t count, bool *shown)
{
    for (size_t header = 0, end; header < count; header = end) {
        bool some = false;
        for (end = header; end < count && is_row(sentences[end]); end++)
            some = some || shown[end];
        if (end == header) {
            end++;
            continue;
        }
        bool whole = shown[header] || (header > 0 && shown[header - 1] &&
                                       str_ends_with(sentences[header - 1], STR(":")));
        shown[header] = whole || some;
        for (size_t i = header + 1; whole && i < end; i++)
            shown[i] = true;
    }
}

/* The best sentences are shown, at most SHOWN and none much worse than the best; a list is shown
 * whole once its lead is. */
static void choose(const double *scores, const struct str *sentences, size_t count, bool *shown)
{
    double most = 0;
    for (unsigned taken = 0; taken < SHOWN; taken++) {
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (!shown[i] && (best == count || scores[i] > scores[best]))
                best = i;
        if (best == count || (taken > 0 && scores[best] < most * LEAST_OF_BEST))
            break;
        most = taken == 0 ? scores[best] : most;
        shown[best] = true;
    }
    for (size_t i = 1; i < count; i++)
        if (is_item(sentences[i]) && shown[i - 1] &&
            (is_item(sentences[i - 1]) || str_ends_with(sentences[i - 1], STR(":"))))
            shown[i] = true;
    complete_tables(sentences, count, shown);
}

/* The first count sentences, and the list or table that they lead to. */
static void choose_first(size_t first, const struct str *sentences, size_t count, bool *shown)
{
    for (size_t i = 0; i < count; i++)
        shown[i] =
            i < first || (is_item(sentences[i]) && shown[i - 1] &&
                          (is_item(sentences[i - 1]) || str_ends_with(sentences[i - 1], STR(":"))));
    complete_tables(sentences, count, shown);
}

/* first 0: the best sentences. */
static void write_sentences(struct extracting *e, const struct offline_passage *passage,
                            size_t first, struct buf *out)
{
    struct str sentences[MAX_SENTENCES], rest = passage->text;
    double scores[MAX_SENTENCES];
    bool shown[MAX_SENTENCES] = {false};
    size_t count = 0;
    for (; count < MAX_SENTENCES; count++) {
        sentences[count] = docs_sentences_next(&rest);
        if (str_is_absent(sentences[count]))
            break;
        scores[count] = sentence_score(e, sentences[count]);
    }
    if (first > 0)
        choose_first(first, sentences, count, shown);
    else
        choose(scores, sentences, count, shown);
    for (size_t i = 0; i < count; i++) {
        if (!shown[i])
            continue;
        bool item = is_item(sentences[i]) || is_row(sentences[i]);
        if (e->has_begun)
            buf_push_char(out, item || e->after_item ? '\n' : ' ');
        buf_printf(out, "%.*s [%zu]", STR_ARG(sentences[i]), passage->number);
        e->has_begun = true;
        e->after_item = item;
    }
}

/* "Manual > Overtime" of "Manual > Overtime > How it is paid"; *own: what is behind it. */
static struct str split_heading(struct str heading, struct str *own)
{
    static const struct str mark = STR(" > ");
    struct str above = STR("");
    *own = heading;
    for (ptrdiff_t at; (at = str_find(*own, mark)) != STR_NONE;) {
        *own = str_from(*own, (size_t)at + mark.len);
        above = str_slice(heading, 0, heading.len - own->len - mark.len);
    }
    return above;
}

/* best is about what is asked: it and those beside it that are, too, each by its beginning. */
static void write_sections(struct extracting *e, size_t best, struct buf *out)
{
    size_t beside[SECTIONS] = {best}, count = 1;
    struct str own, above = split_heading(e->passages[best].heading, &own);
    for (size_t p = 0; p < e->passage_count && count < SECTIONS; p++) {
        struct str other, other_above = split_heading(e->passages[p].heading, &other);
        if (p != best && is_about(e, p) && str_equal(other_above, above) && !str_equal(other, own))
            beside[count++] = p;
    }
    for (size_t i = 0; i < count; i++)
        write_sentences(e, &e->passages[beside[i]], count == 1 ? SHOWN : 1, out);
}

static void read_passages(struct extracting *e)
{
    for (size_t p = 0; p < e->passage_count; p++) {
        struct str own;
        (void)split_heading(e->passages[p].heading, &own);
        mark_words(e, own, e->have[p].in_own_heading);
        mark_words(e, e->passages[p].heading, e->have[p].in_heading);
        mark_words(e, e->passages[p].text, e->have[p].in_text);
    }
}

bool offline_extractive_answer(struct arena *arena, struct str question,
                               const struct offline_passage *passages, size_t count,
                               struct buf *out)
{
    struct extracting *e = arena_alloc(arena, sizeof *e);
    size_t best = count;
    if (e != NULL) {
        e->arena = arena;
        e->passages = passages;
        e->passage_count = count = size_min(count, OFFLINE_MAX_PASSAGES);
        read_question(e, question);
        read_passages(e);
        weigh_words(e);
        best = best_passage(e);
    }
    if (best == count)
        buf_push(out, english_language_lacks(question));
    else if (is_about(e, best))
        write_sections(e, best, out);
    else
        write_sentences(e, &passages[best], 0, out);
    return best < count;
}

/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/extractive.c - sentences scored by the question's words, rarest first.
 *
 * Happy path: a word of the question weighs more the fewer passages have it; the passage with the
 * greatest weight of words (its heading's count half again) answers: its best sentences, in their
 * order, with the list that follows a sentence that ends in a colon. A table is shown whole when
 * its lead or its header is, and its header when a row is. Failure: a passage that has
 * not well over half of the weight answers nothing. */
#include "agents/offline/documents/extractive.h"

#include <math.h>

#include "agents/common/content.h"
#include "agents/docs/sentences.h"
#include "agents/offline/documents/passages.h"

enum { MAX_SENTENCES = 64, SHOWN = 3 };
#define LEAST_SHARE   0.6
#define LEAST_OF_BEST 0.6

struct passage_words {
    bool in_heading[CONTENT_MAX_WORDS], in_text[CONTENT_MAX_WORDS];
};

struct extracting {
    struct arena *arena;
    struct str words[CONTENT_MAX_WORDS]; /* of the question */
    double weights[CONTENT_MAX_WORDS];
    size_t word_count;
    const struct offline_passage *passages;
    struct passage_words have[OFFLINE_MAX_PASSAGES];
    size_t passage_count;
};

/* Which of the question's words text has. */
static void mark_words(struct extracting *e, struct str text, bool *has)
{
    while (text.len > 0) {
        struct str stems[CONTENT_MAX_WORDS], piece = str_slice(text, 0, 200);
        while (piece.len < text.len && !str_is_blank(text.at[piece.len]))
            piece.len++;
        size_t count = content_words(e->arena, piece, stems, CONTENT_MAX_WORDS);
        for (size_t i = 0; i < e->word_count; i++)
            has[i] = has[i] || content_find(stems, count, e->words[i]) >= 0;
        text = str_from(text, piece.len);
    }
}

static void weigh_words(struct extracting *e)
{
    for (size_t i = 0; i < e->word_count; i++) {
        size_t with = 0;
        for (size_t p = 0; p < e->passage_count; p++)
            with += e->have[p].in_text[i] || e->have[p].in_heading[i];
        e->weights[i] = 1 + log((double)(e->passage_count + 1) / (double)(with + 1));
    }
}

/* The share of the question's weight that passage has, headings counting half again. */
static double share_of(const struct extracting *e, size_t p, double *score)
{
    const struct passage_words *passage = &e->have[p];
    double have = 0, all = 0;
    *score = 0;
    for (size_t i = 0; i < e->word_count; i++) {
        all += e->weights[i];
        if (passage->in_text[i] || passage->in_heading[i])
            have += e->weights[i];
        *score += (passage->in_text[i] ? 1 : 0) * e->weights[i] +
                  (passage->in_heading[i] ? 0.5 : 0) * e->weights[i];
    }
    return all > 0 ? have / all : 0;
}

static const struct offline_passage *best_passage(const struct extracting *e)
{
    const struct offline_passage *best = NULL;
    double most = 0;
    for (size_t p = 0; p < e->passage_count; p++) {
        double score, share = share_of(e, p, &score);
        if (share < LEAST_SHARE || score <= most)
            continue;
        most = score;
        best = &e->passages[p];
    }
    return best;
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

static void write_sentences(struct extracting *e, const struct offline_passage *passage,
                            struct buf *out)
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
    choose(scores, sentences, count, shown);
    bool begun = false, after_item = false;
    for (size_t i = 0; i < count; i++) {
        if (!shown[i])
            continue;
        bool item = is_item(sentences[i]) || is_row(sentences[i]);
        if (begun)
            buf_push_char(out, item || after_item ? '\n' : ' ');
        buf_printf(out, "%.*s [%zu]", STR_ARG(sentences[i]), passage->number);
        begun = true;
        after_item = item;
    }
}

bool offline_extractive_answer(struct arena *arena, struct str question,
                               const struct offline_passage *passages, size_t count,
                               struct buf *out)
{
    struct extracting *e = arena_alloc(arena, sizeof *e);
    const struct offline_passage *best = NULL;
    if (e != NULL) {
        e->arena = arena;
        e->word_count = content_words(arena, question, e->words, CONTENT_MAX_WORDS);
        e->passages = passages;
        e->passage_count = size_min(count, OFFLINE_MAX_PASSAGES);
        for (size_t p = 0; p < e->passage_count; p++) {
            mark_words(e, e->passages[p].heading, e->have[p].in_heading);
            mark_words(e, e->passages[p].text, e->have[p].in_text);
        }
        weigh_words(e);
        best = best_passage(e);
    }
    if (best == NULL)
        buf_push(out, STR("The documents do not say, and I can't answer that without a language "
                          "model."));
    else
        write_sentences(e, best, out);
    return best != NULL;
}

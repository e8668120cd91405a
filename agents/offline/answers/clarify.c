/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/clarify.c - finds candidates among columns, and a choice in a message: a
 * number, a place or words.
 *
 * Happy path: every date (or number) of the table is tried in the place of the one that the
 * question left open; a message is compared with the options by the stems of its words. Failure: no
 * candidates, or a message that says something else: no options, no choice. */
#include "agents/offline/answers/clarify.h"

#include <string.h>

#include "agents/offline/answers/describe.h"
#include "agents/lexicon/facts.h"
#include "agents/english/synonyms.h"
#include "core/words/stem.h"

enum { TEXT_BYTES = 1024, PICK_WORDS = 8, RANKED_CHILDREN = 8 };

static bool settles(const struct lexicon *lexicon, enum reading_want want, int table, int column)
{
    const struct catalog_column *c = &lexicon->catalog->tables[table].columns[column];
    if (want == READING_WANTS_NUMBER)
        return lexicon_facts_is_measure(lexicon, table, column);
    bool noted = lexicon_facts_is_audit(c->name) && !str_starts_with(c->name, STR("creat"));
    return !c->hidden && !noted && lexicon_index_is_date(lexicon->catalog, table, column);
}

size_t offline_clarify_settle(const struct lexicon *lexicon, const struct offline_reading *reading,
                              struct arena *arena, struct lexicon *with, size_t max)
{
    size_t count = 0, tables = lexicon->catalog->table_count;
    int table = reading->wants_of;
    if (table == READING_NONE ||
        (reading->wants != READING_WANTS_DATE && reading->wants != READING_WANTS_NUMBER))
        return 0;
    for (size_t c = 0; c < lexicon->catalog->tables[table].column_count && count < max; c++) {
        if (!settles(lexicon, reading->wants, table, (int)c))
            continue;
        struct lexicon_facts *facts = arena_array(arena, tables + 1, sizeof *facts);
        if (facts == NULL)
            return 0;
        memcpy(facts, lexicon->facts, tables * sizeof *facts);
        if (reading->wants == READING_WANTS_DATE)
            facts[table].began = (int)c;
        else
            facts[table].measure = (int)c;
        with[count] = *lexicon;
        with[count++].facts = facts;
    }
    return count;
}

/* out's text in arena; out is done with. */
static struct str keep_text(struct buf *out, struct arena *arena)
{
    struct str text = buf_ok(out) ? arena_str(arena, buf_str(out)) : (struct str){NULL, 0};
    buf_fini(out);
    return text;
}

struct str offline_clarify_text(const struct lexicon *lexicon, const struct offline_reading *option,
                                struct arena *arena)
{
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    offline_describe_option(lexicon, option, &out);
    return keep_text(&out, arena);
}

struct str offline_clarify_way(const struct lexicon *lexicon, const struct join_graph *graph,
                               const struct offline_reading *option,
                               const struct jointree_ways *ways, struct arena *arena)
{
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    offline_describe_option(lexicon, option, &out);
    for (size_t i = 0; i < ways->edge_count; i++) {
        const struct join_edge *edge = ways->edges[i];
        buf_push(&out, i == 0 ? STR(", by the ") : STR(" and the "));
        lexicon_describe_words(edge->from_columns[0], &out);
        if (str_ends_with(buf_str(&out), STR(" id")))
            buf_truncate(&out, buf_len(&out) - STR(" id").len);
        buf_push(&out, STR(" of the "));
        lexicon_describe_words(join_graph_table_name(graph, edge->from_table), &out);
    }
    return keep_text(&out, arena);
}

size_t offline_clarify_children(const struct lexicon *lexicon, int table, int *tables, size_t max)
{
    const struct catalog *catalog = lexicon->catalog;
    size_t count = 0;
    for (size_t t = 0; t < catalog->table_count && count < max && table != READING_NONE; t++) {
        const struct catalog_table *child = &catalog->tables[t];
        bool refers = false;
        for (size_t r = 0; r < child->reference_count; r++)
            refers =
                refers ||
                (child->references[r].to_table == table &&
                 !lexicon_facts_is_audit(child->columns[child->references[r].columns[0]].name));
        if (refers && (int)t != table && lexicon->facts[t].visible)
            tables[count++] = (int)t;
    }
    return count;
}

size_t offline_clarify_rankings(const struct lexicon *lexicon, int table,
                                struct offline_ranking *rankings, size_t max)
{
    int children[RANKED_CHILDREN];
    size_t count = 0;
    size_t of = offline_clarify_children(lexicon, table, children, RANKED_CHILDREN);
    if (lexicon->facts[table].measure != CATALOG_NONE && count < max)
        rankings[count++] = (struct offline_ranking){table, lexicon->facts[table].measure};
    for (size_t i = 0; i < of && count < max; i++)
        if (lexicon->facts[children[i]].measure != CATALOG_NONE)
            rankings[count++] =
                (struct offline_ranking){children[i], lexicon->facts[children[i]].measure};
    for (size_t i = 0; i < of && count < max; i++)
        rankings[count++] = (struct offline_ranking){children[i], CATALOG_NONE};
    return count;
}

/* Without the sign it ends in, so that words may follow. */
static struct str open_end(struct str question)
{
    question = str_trim(question);
    while (question.len > 0 &&
           (question.at[question.len - 1] == '?' || question.at[question.len - 1] == '.' ||
            question.at[question.len - 1] == '!'))
        question.len--;
    return question;
}

/* Where a word of the question is; its end: nowhere, since signs were made plain. */
static size_t find_word(struct str question, struct str word)
{
    for (size_t i = 0; i + word.len <= question.len; i++) {
        bool begins = i == 0 || !str_is_alpha(question.at[i - 1]);
        bool ends = i + word.len == question.len || !str_is_alpha(question.at[i + word.len]);
        if (begins && ends && str_equal_nocase(str_slice(question, i, i + word.len), word))
            return i;
    }
    return question.len;
}

struct str offline_clarify_ranked(const struct lexicon *lexicon, struct str question,
                                  struct str vague, const char *way, int table,
                                  const struct offline_ranking *ranking, struct arena *arena)
{
    struct buf out;
    size_t at = find_word(question, vague);
    struct str before = str_slice(question, 0, at);
    struct str after = open_end(str_from(question, size_min(at + vague.len, question.len)));
    buf_init(&out, OFFLINE_QUESTION_MAX + TEXT_BYTES);
    if (after.len > 0) {
        buf_printf(&out, "%.*s%s %.*s by ", STR_ARG(before), way, STR_ARG(after));
    } else { /* "which products are popular?" */
        buf_printf(&out, "%s ", way);
        lexicon_describe_table(lexicon, table, true, &out);
        buf_push(&out, STR(" by "));
    }
    if (ranking->column != CATALOG_NONE) {
        buf_push(&out, ranking->table == table ? STR("") : STR("total "));
        lexicon_describe_column(lexicon, ranking->table, ranking->column, &out);
    } else {
        buf_push(&out, STR("number"));
    }
    if (ranking->table != table) {
        buf_push(&out, STR(" of "));
        lexicon_describe_table(lexicon, ranking->table, true, &out);
    }
    return keep_text(&out, arena);
}

struct str offline_clarify_by_count(const struct lexicon *lexicon, struct str question, int table,
                                    struct arena *arena)
{
    struct buf out;
    buf_init(&out, OFFLINE_QUESTION_MAX + TEXT_BYTES);
    buf_printf(&out, "%.*s by number of ", STR_ARG(open_end(question)));
    lexicon_describe_table(lexicon, table, true, &out);
    return keep_text(&out, arena);
}

/* ---- choosing ---- */

/* The place of count that a token says, from 0; count: none. */
static size_t place_said(const struct offline_token *token, size_t count)
{
    if (token->kind == TOKEN_NUMBER && token->number >= 1 && token->number <= (double)count &&
        token->unit.len == 0)
        return (size_t)token->number - 1;
    if (token->kind != TOKEN_WORD)
        return count;
    int ordinal = english_synonyms_ordinal(token->lower);
    if (ordinal > 0 && (size_t)ordinal <= count)
        return (size_t)ordinal - 1;
    if (str_equal(token->lower, STR("last")) || str_equal(token->lower, STR("latter")))
        return count - 1;
    return str_equal(token->lower, STR("former")) ? 0 : count;
}

/* "2", "option 2", "the second one", "the last": the place, from 0; count: it is none. */
static size_t place_of(const struct offline_token *tokens, size_t token_count, size_t count)
{
    static const char *const fillers[] = {"the", "one", "option", "number", "choice", "take", "no"};
    size_t place = count;
    for (size_t i = 0; i < token_count; i++) {
        const struct offline_token *token = &tokens[i];
        bool filler = false;
        size_t this = place_said(token, count);
        for (size_t f = 0; f < countof(fillers); f++)
            filler = filler ||
                     (token->kind == TOKEN_WORD && str_equal(token->lower, str_of(fillers[f])));
        if ((this == count && !filler) || (this < count && place < count))
            return count;
        place = this < count ? this : place;
    }
    return place;
}

static bool has_word(struct arena *arena, struct str option, struct str word)
{
    struct str words[64];
    char a[STEM_BYTES], b[STEM_BYTES];
    size_t count = stem_split(arena, option, words, countof(words));
    struct str stem = stem_of(word, a);
    for (size_t i = 0; i < count; i++)
        if (str_equal(stem, stem_of(words[i], b)))
            return true;
    return false;
}

/* The one option that has all the words said; count: none, or several. */
static size_t option_with(struct arena *arena, struct str message, const struct str *options,
                          size_t count)
{
    static const char *const passed[] = {"the", "by", "with", "of", "i", "mean", "meant", "one"};
    struct str words[PICK_WORDS];
    size_t said = stem_split(arena, message, words, PICK_WORDS), found = count, content = 0;
    for (size_t o = 0; o < count && said < PICK_WORDS; o++) {
        bool all = true;
        content = 0;
        for (size_t w = 0; w < said; w++) {
            bool pass = false;
            for (size_t i = 0; i < countof(passed); i++)
                pass = pass || str_equal(words[w], str_of(passed[i]));
            content += !pass;
            all = all && (pass || has_word(arena, options[o], words[w]));
        }
        if (!all || content == 0)
            continue;
        if (found < count)
            return count;
        found = o;
    }
    return found;
}

bool offline_clarify_pick(struct str message, const struct str *options, size_t count,
                          const struct offline_words *words, struct arena *arena, size_t *picked)
{
    struct offline_token *tokens;
    size_t token_count;
    message = str_trim(message);
    *picked = count;
    for (size_t i = 0; i < count && *picked == count; i++)
        if (str_equal_nocase(message, options[i]) ||
            (words != NULL && words->is_option(options[i], message)))
            *picked = i;
    if (count == 0 || *picked < count ||
        english_tokens_of(arena, message, &tokens, &token_count) != ERR_OK || token_count == 0)
        return *picked < count;
    *picked = place_of(tokens, token_count, count);
    if (*picked == count)
        *picked = option_with(arena, message, options, count);
    return *picked < count;
}

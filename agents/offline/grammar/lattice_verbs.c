/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/lattice_verbs.c - words as verbs: what only ties two nouns, what somebody
 * did, and what "un" turns into its opposite.
 *
 * Happy path: an edge for the verb. Failure: no memory. */
#include "agents/offline/grammar/lattice.h"

#include "agents/english/verbs.h"
#include "agents/english/vocabulary.h"
#include "agents/lexicon/spelling.h"
#include "agents/offline/grammar/actions.h"
#include "agents/offline/grammar/tables.h"
#include "core/words/stem.h"

enum { SAYS_MORE = 4 /* of a verb that only ties, where the schema knows its word */ };

/* Where words that begin so are in the grammar. */
size_t lattice_letter(struct str word)
{
    char c = word.len > 0 ? word.at[0] : '0';
    return c >= 'a' && c <= 'z' ? (size_t)(c - 'a') : 26;
}

/* That no row of the table belongs to whatever rows are spoken of. */
static struct sense *no_rows_of(struct lattice_maker *m, size_t place, int table)
{
    struct act act = {.arena = m->arena, .lexicon = m->lexicon, .place = place};
    struct sense *sense = lattice_word(m, 0);
    const struct sense_cond none = {.kind = COND_NONE, .table = table, .is_done = true};
    return sense != NULL && grammar_cond(&act, none, sense) ? sense : NULL;
}

/* "unpaid": what "paid" says is not so: a date is missing, or, where other rows say when, these. */
bool lattice_add_inverse(struct lattice_maker *m, size_t place)
{
    enum { LEAST = 6, COST = 2, BY_VALUE = 2 };
    struct lexicon_link links[LATTICE_MEANINGS];
    const struct offline_token *token = m->lattice->tokens[place];
    if (token->kind != TOKEN_WORD || token->lower.len < LEAST ||
        !str_starts_with(token->lower, STR("un")))
        return true;
    struct str rest = str_from(token->lower, 2);
    size_t count = lexicon_index_find(m->lexicon, &rest, 1, links, LATTICE_MEANINGS);
    count = lattice_nearest(m, links, count);
    bool said = false; /* other rows say whether it was done */
    for (size_t i = 0; i < count; i++) {
        struct reading_filter filter = {.on = {links[i].table, links[i].column, NULL, 0}};
        bool others = links[i].kind == LINK_MOMENT || links[i].kind == LINK_TABLE;
        if (others && m->mentioned_count > 0 && lattice_distance(m, links[i].table) == 1) {
            struct sense *none = no_rows_of(m, place, links[i].table);
            if (!lattice_add_edge(m, place, place + 1, SYMBOL_STATE, COST, none))
                return false;
            said = true;
        }
        if (links[i].kind == LINK_MOMENT &&
            !m->lexicon->catalog->tables[links[i].table].columns[links[i].column].not_null) {
            filter.op = OP_IS_NULL;
        } else if (links[i].kind == LINK_VALUE &&
                   !(said && lattice_distance(m, links[i].table) > 0)) {
            filter.op = OP_NE;
            filter.values[0] = links[i].value;
            filter.value_count = 1;
        } else {
            continue;
        }
        if (!lattice_add_edge(m, place, place + 1, SYMBOL_STATE,
                              COST + (filter.op == OP_NE ? BY_VALUE : 0),
                              lattice_cond(m, place, &filter)))
            return false;
    }
    return true;
}

/* Whether a word is a form of a verb that the grammar knows as a tie: "open" of "opened". */
static bool is_tie(struct str word)
{
    char one[STEM_BYTES], other[STEM_BYTES];
    struct str stem = stem_of(word, one);
    size_t letter = lattice_letter(word);
    for (size_t i = grammar_words_from[letter]; i < grammar_words_from[letter + 1]; i++)
        if (grammar_words[i].symbol == SYMBOL_TIE &&
            str_equal(stem_of(str_of(grammar_words[i].phrase), other), stem))
            return true;
    return english_verbs_ties(stem);
}

/* "how many tickets did Ann open": the bare verb behind "did" and who did it, with nothing behind
 * it that could be what is open. */
bool lattice_is_asked_deed(const struct lattice_maker *m, size_t place)
{
    static const char *const did[] = {"did", "does", "do"}, *const be[] = {"have", "with", "are",
                                                                           "is",   "and",  "or"};
    struct lexicon_link links[LATTICE_MEANINGS];
    size_t at = m->at[place], asks = at;
    if (m->tokens[at].kind != TOKEN_WORD || !is_tie(m->tokens[at].lower))
        return false;
    while (asks > 0) {
        struct str word = m->tokens[--asks].lower;
        for (size_t i = 0; i < countof(be); i++)
            if (str_equal(word, str_of(be[i])))
                return false;
        for (size_t i = 0; i < countof(did); i++)
            if (str_equal(word, str_of(did[i])) && asks + 1 < at) {
                size_t next = place + 1;
                size_t count =
                    next < m->lattice->count ? lattice_look_up(m, next, next + 1, links) : 0;
                return count == 0;
            }
    }
    return false;
}

/* "the head of", "a stay": behind an article the bare form of a verb is a noun. */
static bool is_noun(const struct lattice_maker *m, size_t place, struct str stem)
{
    struct str word = m->lattice->tokens[place]->lower;
    if (m->at[place] == 0 || str_ends_with(word, STR("ed")) || str_ends_with(word, STR("ing")) ||
        !str_starts_with(word, stem))
        return false;
    struct str before = m->tokens[m->at[place] - 1].lower;
    return str_equal(before, STR("the")) || str_equal(before, STR("a")) ||
           str_equal(before, STR("an"));
}

/* Whether a table that is mentioned has a column that says by whom that was done: handled_by_id. A
 * tie that went another way would say who did it otherwise. */
static bool says_by_whom(const struct lattice_maker *m, struct str stem)
{
    enum { BY = 1 };
    char text[STEM_BYTES];
    for (size_t i = 0; i < m->mentioned_count; i++) {
        const struct catalog_table *t = &m->lexicon->catalog->tables[m->mentioned[i]];
        for (size_t c = 0; c < t->column_count; c++) {
            const struct lexicon_words *w =
                lexicon_spelling_column(m->lexicon, m->mentioned[i], (int)c);
            if (w->count > BY && str_equal(w->words[BY], STR("by")) &&
                str_equal(stem_of(w->words[0], text), stem))
                return true;
        }
    }
    return false;
}

/* Whether a verb says that persons went: who left is no row that only came about. */
static bool is_parting(const struct lattice_maker *m, size_t place, struct str stem)
{
    static const char *const when[] = {"after", "before", "during", "in", "last", "since", "this"};
    const size_t next = place + 1;
    bool person = false;
    if (next < m->lattice->count &&
        !str_is_listed(m->lattice->tokens[next]->lower, when, countof(when)))
        return false;
    for (size_t i = 0; i < m->mentioned_count; i++)
        person = person || m->lexicon->facts[m->mentioned[i]].person;
    return person && vocabulary_has(VOCABULARY_LEAVINGS, stem);
}

bool lattice_add_tie(struct lattice_maker *m, size_t place)
{
    char text[STEM_BYTES];
    const struct offline_token *token = m->lattice->tokens[place];
    struct lexicon_link links[LATTICE_MEANINGS];
    struct str stem = stem_of(token->lower, text);
    bool asked = lattice_is_asked_deed(m, place);
    if (token->kind != TOKEN_WORD || (!asked && !english_verbs_ties(stem)) ||
        is_noun(m, place, stem) || says_by_whom(m, stem) || is_parting(m, place, stem) ||
        lattice_is_state(m, place, place + 1))
        return true;
    size_t count = lattice_look_up(m, place, place + 1, links);
    for (size_t i = 0; i < count; i++)
        if (links[i].kind == LINK_ROLE || links[i].kind == LINK_TABLE ||
            links[i].kind == LINK_MOMENT)
            return true; /* it says by which reference, or what was done */
    bool more = count > 0 && !asked;
    return lattice_add_edge(m, place, place + 1, SYMBOL_TIE, more ? SAYS_MORE : 1,
                            lattice_word(m, 0));
}

bool lattice_is_moment(const struct lattice_maker *m, size_t from, size_t to,
                       const struct lexicon_link *link)
{
    char said[STEM_BYTES], other[STEM_BYTES];
    struct str word = m->lattice->tokens[from]->lower, stem = stem_of(word, said);
    const struct lexicon_words *w = lexicon_spelling_column(m->lexicon, link->table, link->column);
    bool parted = false;
    for (size_t i = 0; i < w->count; i++)
        if (str_equal(stem_of(w->words[i], other), stem))
            return true;
    const char *const *form = vocabulary_lists[VOCABULARY_PARTED];
    for (; *form != NULL; form++)
        parted = parted || str_equal(stem_of(str_of(*form), other), stem);
    return !parted || to - from > 1 || vocabulary_has(VOCABULARY_PARTED, word);
}

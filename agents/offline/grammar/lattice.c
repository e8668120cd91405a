/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/lattice.c - looks every span up: in the words of the grammar, in the
 * lexicon, as a number, as a period.
 *
 * Happy path: each finding is an edge with a cost by its score; an edge also reaches over weak
 * words that follow it. Failure: too long a question, or no memory. */
#include "agents/offline/grammar/lattice.h"

#include <stdlib.h>
#include <string.h>

#include "agents/english/synonyms.h"
#include "agents/english/verbs.h"
#include "agents/english/vocabulary.h"
#include "agents/lexicon/codes.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/offline/grammar/actions.h"
#include "agents/offline/grammar/tables.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

enum {
    KEPT = 10,      /* meanings of a phrase, the nearest to the tables that are mentioned */
    WEAK_COST = 2,  /* of a weak word left out */
    NAMES_MORE = 9, /* where it is a column's name as it is written */
    OPERATOR = 6,   /* of a column that is called like an aggregate */
    EDGES = 1500,
    WHOLE = 100,    /* of all of it */
    MENDED_COST = 1,
    BESIDE = 1, /* references from what is mentioned to rows that a word may be of, all the same */
};

/* ---- places ---- */

static bool phrase_at(const struct offline_token *tokens, size_t count, const char *phrase,
                      size_t *length)
{
    struct str rest = str_of(phrase);
    size_t n = 0;
    while (!str_is_absent(rest)) {
        struct str word = str_split(&rest, ' ');
        if (n == count || tokens[n].kind == TOKEN_QUOTED || !str_equal(word, tokens[n].lower))
            return false;
        n++;
    }
    *length = n;
    return true;
}

/* "US" and "IT" are names, "us" and "it" are not. */
static bool is_shouted(const struct offline_token *token)
{
    bool small = false;
    for (size_t i = 0; i < token->text.len; i++)
        small = small || (token->text.at[i] >= 'a' && token->text.at[i] <= 'z');
    return !small && token->text.len > 1;
}

/* Whether all words are in capitals, so that these say nothing. */
static bool shouts(const struct lattice_maker *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->tokens[i].kind == TOKEN_WORD && m->tokens[i].text.len > 1 &&
            !is_shouted(&m->tokens[i]))
            return false;
    return true;
}

static size_t filler_at(const struct offline_token *tokens, size_t count, bool shouted)
{
    size_t best = 0, length;
    if (tokens[0].kind == TOKEN_QUOTED || (!shouted && is_shouted(&tokens[0])))
        return 0;
    for (size_t i = 0; grammar_fillers[i] != NULL; i++)
        if (phrase_at(tokens, count, grammar_fillers[i], &length) && length > best)
            best = length;
    return best;
}

static bool list_places(struct lattice_maker *m)
{
    struct lattice *lattice = m->lattice;
    bool shouted = shouts(m);
    for (size_t i = 0; i < m->count;) {
        size_t skip = filler_at(&m->tokens[i], m->count - i, shouted);
        if (skip == 0) {
            if (lattice->count == LATTICE_PLACES)
                return false;
            m->at[lattice->count] = i;
            lattice->tokens[lattice->count++] = &m->tokens[i];
        }
        i += skip > 0 ? skip : 1;
    }
    m->at[lattice->count] = m->count;
    return true;
}

/* The token behind the last of places from..to. */
static size_t token_end(const struct lattice_maker *m, size_t to)
{
    return m->at[to - 1] + 1;
}

/* ---- edges ---- */

static void append(struct lattice *lattice, struct lattice_edge *edge)
{
    edge->next = NULL;
    if (lattice->edges == NULL)
        lattice->edges = edge;
    else
        lattice->last->next = edge;
    lattice->last = edge;
}

bool lattice_add_edge(struct lattice_maker *m, size_t from, size_t to, int symbol, int cost,
                      struct sense *sense)
{
    struct lattice_edge *edge = arena_alloc(m->arena, sizeof *edge);
    if (edge == NULL || sense == NULL)
        return false;
    if (m->lattice->edge_count == EDGES)
        return true;
    m->lattice->edge_count++;
    sense_seal(sense);
    *edge = (struct lattice_edge){from, to, symbol, cost, sense, NULL};
    append(m->lattice, edge);
    return true;
}

static struct sense *make_sense(struct lattice_maker *m, enum sense_kind kind)
{
    struct sense *sense = arena_alloc(m->arena, sizeof *sense);
    if (sense != NULL)
        *sense = (struct sense){.kind = kind, .table = READING_NONE};
    return sense;
}

struct sense *lattice_word(struct lattice_maker *m, int arg)
{
    struct sense *sense = make_sense(m, SENSE_WORD);
    if (sense != NULL)
        sense->arg = arg;
    return sense;
}

struct sense *lattice_columns(struct lattice_maker *m, int table, int column)
{
    struct sense *sense = make_sense(m, SENSE_COLUMNS);
    struct sense_column *c = arena_alloc(m->arena, sizeof *c);
    if (sense == NULL || c == NULL)
        return NULL;
    c->on = (struct reading_column){table, column, NULL, 0};
    sense->columns = c;
    sense->table = table;
    return sense;
}

struct sense *lattice_cond(struct lattice_maker *m, size_t place,
                           const struct reading_filter *filter)
{
    struct act act = {.arena = m->arena, .place = place};
    struct sense *sense = make_sense(m, SENSE_CONDS);
    return sense != NULL && grammar_leaf(&act, filter, sense) ? sense : NULL;
}

/* ---- what is said of rows ---- */

static bool is_said(const struct lattice_maker *m, size_t token, const char *const *words,
                    size_t count)
{
    return str_is_listed(m->tokens[token].lower, words, count);
}

/* "which venues are open air": what ends the question, or one part of a list, behind "are" and the
 * rows themselves says which of them are meant, and asks for no column of theirs. */
static bool is_said_of_rows(const struct lattice_maker *m, size_t from, size_t to)
{
    static const char *const be[] = {"are", "is", "was", "were"},
                             *const no[] = {"currently", "not"},
                             *const ask[] = {"and", "how", "what", "where", "which", "who"},
                             *const more[] = {",", ".", "?", "and", "but", "or"};
    size_t before = m->at[from], behind = token_end(m, to);
    while (before > 0 && is_said(m, before - 1, no, countof(no)))
        before--;
    return before > 1 && is_said(m, before - 1, be, countof(be)) &&
           !is_said(m, before - 2, ask, countof(ask)) &&
           (behind >= m->count || is_said(m, behind, more, countof(more)));
}

/* Whether a column is called what is said of rows there: one of a table that is mentioned, or, as
 * what a row is or is not, the same as that of a link. */
static bool names_state(const struct lattice_maker *m, size_t from, size_t to,
                        const struct lexicon_link *of)
{
    enum { WHOLE_NAME = 100 };
    struct lexicon_link links[LATTICE_MEANINGS];
    size_t count = is_said_of_rows(m, from, to) ? lattice_look_up(m, from, to, links) : 0;
    for (size_t i = 0; i < count; i++)
        if (of == NULL ? links[i].kind == LINK_COLUMN && links[i].score >= WHOLE_NAME &&
                             lattice_distance(m, links[i].table) == 0
                       : links[i].kind == LINK_BOOL && links[i].table == of->table &&
                             links[i].column == of->column)
            return true;
    return false;
}

bool lattice_is_state(const struct lattice_maker *m, size_t from, size_t to)
{
    return names_state(m, from, to, NULL);
}

/* ---- words of the grammar ---- */

/* The place behind a phrase of small words that begins at place; 0: it does not. */
static size_t place_behind(const struct lattice *lattice, size_t place, const char *phrase)
{
    struct str rest = str_of(phrase);
    for (; !str_is_absent(rest); place++) {
        struct str word = str_split(&rest, ' ');
        if (place == lattice->count || lattice->tokens[place]->kind == TOKEN_QUOTED ||
            !str_equal(word, lattice->tokens[place]->lower))
            return 0;
    }
    return place;
}

/* Whether a word is the name of a column as it is written: "make", of cars. */
static bool names_column(const struct lattice_maker *m, size_t place)
{
    struct lexicon_link links[LATTICE_MEANINGS];
    struct str word = m->lattice->tokens[place]->lower;
    size_t count = lexicon_index_find(m->lexicon, &word, 1, links, LATTICE_MEANINGS);
    for (size_t i = 0; i < count; i++) {
        if (links[i].kind != LINK_COLUMN || lattice_distance(m, links[i].table) > 1)
            continue;
        const struct lexicon_words *w =
            lexicon_spelling_column(m->lexicon, links[i].table, links[i].column);
        if (w->count > 0 && str_equal(w->words[w->count - 1], word))
            return true;
    }
    return false;
}

bool lattice_add_words(struct lattice_maker *m, size_t place, size_t through)
{
    const struct offline_token *first = m->lattice->tokens[place];
    if (first->lower.len == 0)
        return true;
    size_t letter = lattice_letter(first->lower);
    for (size_t i = grammar_words_from[letter]; i < grammar_words_from[letter + 1]; i++) {
        size_t to = place_behind(m->lattice, place, grammar_words[i].phrase);
        bool more =
            grammar_words[i].symbol == SYMBOL_TIE && to == place + 1 && names_column(m, place);
        if (grammar_words[i].symbol == SYMBOL_TIE && to == place + 1 &&
            lattice_is_state(m, place, to))
            continue;
        if (to > 0 && (through == LATTICE_NOWHERE || to > through) &&
            !lattice_add_edge(m, place, to, grammar_words[i].symbol, more ? NAMES_MORE : 0,
                              lattice_word(m, grammar_words[i].arg)))
            return false;
    }
    return true;
}

/* ---- mentions of the schema ---- */

/* What tokens from..to may mean as one phrase. */
static size_t look_up_tokens(const struct lattice_maker *m, size_t from, size_t to,
                             struct lexicon_link *links)
{
    struct str words[ENGLISH_WORDS];
    size_t count = 0;
    for (size_t i = from; i < to; i++) {
        if (m->tokens[i].kind == TOKEN_QUOTED && to - from > 1)
            return 0;
        if (m->part_count[i] == 0 || count + m->part_count[i] > ENGLISH_WORDS)
            return 0;
        for (size_t p = 0; p < m->part_count[i]; p++)
            words[count++] = m->parts[i][p];
    }
    return lexicon_index_find(m->lexicon, words, count, links, LATTICE_MEANINGS);
}

static size_t keep_values(struct lexicon_link *links, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (links[i].kind == LINK_VALUE)
            links[kept++] = links[i];
    return kept;
}

/* What places from..to may mean as one phrase. A value may begin or end with a word that says
 * nothing by itself: "The Little Witness", "Algebra I". */
size_t lattice_look_up(const struct lattice_maker *m, size_t from, size_t to,
                       struct lexicon_link *links)
{
    size_t first = m->at[from], end = token_end(m, to);
    size_t begin = from == 0 ? 0 : token_end(m, from);
    for (size_t before = first > begin; before <= 1; before--) {
        for (size_t after = m->at[to] > end; after <= 1; after--) {
            if (before + after == 0)
                break;
            size_t count = look_up_tokens(m, first - before, end + after, links);
            count = keep_values(links, count);
            if (count > 0)
                return count;
        }
    }
    size_t count = look_up_tokens(m, first, end, links);
    return count > 0 ? count : lattice_look_up_of(m, first, end, links);
}

int lattice_distance(const struct lattice_maker *m, int table)
{
    int best = m->mentioned_count == 0 ? 0 : LATTICE_FAR;
    for (size_t i = 0; i < m->mentioned_count; i++) {
        unsigned hops = lexicon_index_hops(m->lexicon, m->mentioned[i], table);
        best = hops < (unsigned)best ? (int)hops : best;
    }
    return best;
}

/* The best meanings first: by score, less so the farther they are from what is mentioned. */
size_t lattice_nearest(const struct lattice_maker *m, struct lexicon_link *links, size_t count)
{
    int worth[LATTICE_MEANINGS];
    for (size_t i = 0; i < count; i++)
        worth[i] = links[i].score - 8 * lattice_distance(m, links[i].table);
    size_t kept = 0;
    for (; kept < count && kept < KEPT; kept++) {
        size_t best = kept;
        for (size_t i = kept + 1; i < count; i++)
            best = worth[i] > worth[best] ? i : best;
        struct lexicon_link link = links[best];
        int value = worth[best];
        links[best] = links[kept];
        worth[best] = worth[kept];
        links[kept] = link;
        worth[kept] = value;
    }
    return kept;
}

/* Whether the column's numbers stand for words, and are no level, such as a mark from 1 to 5. */
static bool is_code(const struct lexicon *lexicon, int table, int column)
{
    return lexicon_codes_has(lexicon, table, column) &&
           !lexicon_facts_is_level(lexicon, table, column);
}

int lattice_column_symbol(const struct lattice_maker *m, int table, int column)
{
    const struct catalog *catalog = m->lexicon->catalog;
    if (lexicon_index_is_boolean(catalog, table, column))
        return SYMBOL_TRUTH;
    if (lexicon_index_is_date(catalog, table, column))
        return SYMBOL_DATE;
    if (lexicon_index_is_number(catalog, table, column) &&
        lexicon_index_reference(catalog, table, column) == NULL &&
        !catalog->tables[table].columns[column].primary_key && !is_code(m->lexicon, table, column))
        return SYMBOL_NUMBER;
    return SYMBOL_TEXT;
}

/* What the one word between from and to is without the schema; CUE_NONE: nothing. */
static enum offline_cue cue_of(const struct lattice_maker *m, size_t from, size_t to)
{
    size_t length;
    const struct offline_phrase *phrase =
        english_words_phrase(&m->lattice->tokens[from]->lower, 1, &length);
    return to - from == 1 && phrase != NULL ? phrase->cue : CUE_NONE;
}

/* "total", "number of": rather what is made of numbers than a column. */
static bool is_aggregate(const struct lattice_maker *m, size_t from, size_t to)
{
    size_t length;
    enum offline_cue cue = cue_of(m, from, to);
    if (to - from == 1 && to < m->lattice->count) {
        const struct str words[] = {m->lattice->tokens[from]->lower, m->lattice->tokens[to]->lower};
        const struct offline_phrase *phrase = english_words_phrase(words, countof(words), &length);
        cue = phrase != NULL && length == countof(words) ? phrase->cue : cue;
    }
    return cue == CUE_AGG || cue == CUE_SUPER || cue == CUE_COUNT;
}

/* Whether a whole number is called like one row of a table: a key of it, though nobody said so. */
static bool is_stray_key(const struct lattice_maker *m, const struct lexicon_link *link)
{
    const struct catalog *catalog = m->lexicon->catalog;
    const struct lexicon_words *w = lexicon_spelling_column(m->lexicon, link->table, link->column);
    struct lexicon_link links[LATTICE_MEANINGS];
    if (catalog->tables[link->table].columns[link->column].type != CATALOG_INTEGER ||
        lexicon_index_reference(catalog, link->table, link->column) != NULL || w->count == 0 ||
        str_ends_with(w->words[w->count - 1], STR("s")))
        return false;
    size_t count = lexicon_index_find(m->lexicon, w->words, w->count, links, LATTICE_MEANINGS);
    for (size_t i = 0; i < count; i++)
        if (links[i].kind == LINK_TABLE && links[i].score >= WHOLE && links[i].table != link->table)
            return true;
    return false;
}

/* Whether rows are said to be what a column is called, which is no wish to see it. */
static bool is_asked_state(const struct lattice_maker *m, size_t from, size_t to,
                           const struct lexicon_link *link)
{
    int symbol = lattice_column_symbol(m, link->table, link->column);
    return symbol == SYMBOL_TEXT || symbol == SYMBOL_TRUTH ? is_said_of_rows(m, from, to)
                                                           : names_state(m, from, to, link);
}

/* Whether a word only has the stem of a name, which is another word: a rate is no rating. */
static bool is_stranger(const struct lattice_maker *m, size_t from, size_t to,
                        const struct lexicon_link *link)
{
    const char *const *pair = vocabulary_lists[VOCABULARY_STRANGERS];
    const struct lexicon_words *w = lexicon_spelling_column(m->lexicon, link->table, link->column);
    for (; w->count > 0 && pair[0] != NULL && pair[1] != NULL; pair += 2)
        if (str_equal(m->lattice->tokens[to - 1]->lower, str_of(pair[0])) &&
            str_equal(w->words[w->count - 1], str_of(pair[1])) && to == from + 1)
            return true;
    return false;
}

static bool add_column(struct lattice_maker *m, size_t from, size_t to,
                       const struct lexicon_link *link, int cost)
{
    const struct catalog_column *c =
        &m->lexicon->catalog->tables[link->table].columns[link->column];
    if (c->hidden || is_stray_key(m, link) || is_stranger(m, from, to, link) ||
        is_asked_state(m, from, to, link))
        return true;
    cost += is_aggregate(m, from, to) ? OPERATOR : 0;
    return lattice_add_edge(m, from, to, lattice_column_symbol(m, link->table, link->column), cost,
                            lattice_columns(m, link->table, link->column));
}

/* "customer name": of a person all parts of it, where columns are shown. */
static bool add_name(struct lattice_maker *m, size_t from, size_t to,
                     const struct lexicon_link *link, int cost)
{
    enum { PART = 3 };
    const struct lexicon_facts *facts = &m->lexicon->facts[link->table];
    struct sense *whole = lattice_columns(m, link->table, link->column);
    struct act act = {.arena = m->arena, .lexicon = m->lexicon};
    if (whole == NULL)
        return false;
    if (!facts->person || facts->label_count < 2)
        return add_column(m, from, to, link, cost);
    return grammar_label_columns(&act, link->table, whole) &&
           lattice_add_edge(m, from, to, SYMBOL_TEXT, cost, whole) &&
           add_column(m, from, to, link, cost + PART);
}

/* Whether a state is said as the semantic file does, not in another form of its word. */
static bool is_named_so(const struct lattice_maker *m, size_t from, size_t to,
                        const struct semantic_named *named)
{
    if (to - from > 1)
        return true;
    struct str said = m->lattice->tokens[from]->lower;
    bool same = str_equal_nocase(said, named->name);
    for (size_t i = 0; i < named->synonyms.count; i++)
        same = same || str_equal_nocase(said, named->synonyms.at[i]);
    return same;
}

static bool add_state(struct lattice_maker *m, size_t from, size_t to,
                      const struct lexicon_link *link, int cost)
{
    struct reading_filter filter = {.on = {link->table, link->column, NULL, 0},
                                    .op = OP_EQ,
                                    .number = link->negative ? 0 : 1,
                                    .named = link->named};
    bool as_is = link->named == NULL || is_named_so(m, from, to, link->named);
    bool derived = link->column == CATALOG_NONE && link->named->table_name.len == 0;
    if (derived && m->mentioned_count > 0 && lattice_distance(m, link->table) > 0)
        return true; /* students are not active because their teachers are */
    return lattice_add_edge(m, from, to, SYMBOL_STATE, cost + (as_is ? 0 : 2),
                            lattice_cond(m, from, &filter)) &&
           lattice_add_named(m, from, to, &filter, cost) &&
           (link->column == CATALOG_NONE || add_column(m, from, to, link, cost + 4));
}

static bool is_plural(const struct offline_token *token)
{
    char stem[STEM_BYTES];
    struct str s = stem_of(token->lower, stem);
    return token->kind == TOKEN_WORD && str_ends_with(token->lower, STR("s")) &&
           s.len < token->lower.len && !str_ends_with(s, STR("s"));
}

/* The one table whose rows are of a kind that table lists, such as pets of a species, which have
 * names of their own; CATALOG_NONE: there is none, or several. What is sold is no kind of sale. */
static int sorted_table(const struct lattice_maker *m, int table)
{
    const struct catalog *catalog = m->lexicon->catalog;
    int found = CATALOG_NONE;
    for (size_t t = 0; t < catalog->table_count; t++)
        for (size_t r = 0; r < catalog->tables[t].reference_count; r++)
            if (catalog->tables[t].references[r].to_table == table && (int)t != table) {
                if (found != CATALOG_NONE)
                    return CATALOG_NONE;
                found = (int)t;
            }
    bool named = found != CATALOG_NONE && m->lexicon->facts[found].label_count > 0 &&
                 m->lexicon->facts[found].thing != table;
    return named ? found : CATALOG_NONE;
}

/* "dogs", where 'Dog' is a species and pets are of one: those pets. A person's or a place's name
 * has no plural. */
static bool add_kind(struct lattice_maker *m, size_t from, size_t to,
                     const struct lexicon_link *link, const struct reading_filter *filter, int cost)
{
    int rows = is_plural(m->lattice->tokens[to - 1]) ? sorted_table(m, link->table) : CATALOG_NONE;
    const struct offline_token *last = m->lattice->tokens[to - 1];
    bool written = str_ends_with_nocase(link->value, last->lower); /* a value in the plural */
    if (rows == CATALOG_NONE || written || m->lexicon->facts[link->table].person ||
        m->lattice->tokens[from]->capital ||
        !lexicon_index_is_label(m->lexicon, link->table, link->column))
        return true;
    struct sense *sense = make_sense(m, SENSE_ROWS), *conds = lattice_cond(m, from, filter);
    if (sense == NULL || conds == NULL)
        return false;
    sense->table = rows;
    sense->plural = true;
    sense->conds = conds->conds;
    return lattice_add_edge(m, from, to, SYMBOL_TABLE, cost, sense);
}

/* A "no" is a value of the tables that are named, and nobody else's. */
static bool add_value(struct lattice_maker *m, size_t from, size_t to,
                      const struct lexicon_link *link, int cost)
{
    struct reading_filter filter = {.on = {link->table, link->column, NULL, 0},
                                    .op = OP_EQ,
                                    .values = {link->value},
                                    .value_count = 1};
    if (cue_of(m, from, to) == CUE_NEG && lattice_distance(m, link->table) > 0)
        return true;
    return add_kind(m, from, to, link, &filter, cost) &&
           lattice_add_edge(m, from, to, SYMBOL_VALUE, cost, lattice_cond(m, from, &filter));
}

bool lattice_add_table(struct lattice_maker *m, size_t from, size_t to,
                       const struct lexicon_link *link, int cost)
{
    struct sense *sense = make_sense(m, SENSE_ROWS);
    bool deed = link->score <= OFFLINE_SCORE_VERB || m->deed;
    if (sense == NULL)
        return false;
    sense->table = link->table;
    sense->plural = is_plural(m->lattice->tokens[to - 1]);
    return lattice_add_edge(m, from, to, deed ? SYMBOL_DEED : SYMBOL_TABLE, deed ? 2 : cost, sense);
}

/* Whether first to last are the value as it is written, in either case, or in the plural. */
static bool is_text(const struct offline_token *first, const struct offline_token *last,
                    struct str value)
{
    if (last->text.at < first->text.at)
        return true;
    struct str text =
        str_make(first->text.at, (size_t)(last->text.at + last->text.len - first->text.at));
    if (last->kind == TOKEN_WORD)
        text.len -= last->text.len - last->lower.len;
    bool plural = text.len == value.len + 1 && (text.at[text.len - 1] | 32) == 's';
    return str_equal_nocase(text, value) ||
           (plural && str_equal_nocase(str_slice(text, 0, value.len), value));
}

/* Whether the value stands there, maybe with words beside that say nothing by themselves. */
static bool is_written(const struct lattice_maker *m, size_t from, size_t to, struct str value)
{
    for (size_t first = from == 0 ? 0 : token_end(m, from); first <= m->at[from]; first++)
        for (size_t end = token_end(m, to); end <= m->at[to]; end++)
            if (is_text(&m->tokens[first], &m->tokens[end - 1], value))
                return true;
    return false;
}

/* A reference; arg: the rows that refer are meant, "who reports to Ann". */
static struct sense *role_sense(struct lattice_maker *m, const struct lexicon_link *link)
{
    struct sense *sense = lattice_columns(m, link->table, link->column);
    if (sense != NULL)
        sense->arg = link->negative;
    return sense;
}

bool lattice_add_link(struct lattice_maker *m, size_t from, size_t to,
                      const struct lexicon_link *link, int extra)
{
    enum { POINTS = 4, FORM = 3, SAID = 100 };
    int cost = (link->score >= SAID ? 0 : (SAID - link->score) / POINTS) + extra;
    bool as_is =
        link->kind != LINK_VALUE || link->score < SAID || is_written(m, from, to, link->value);
    if (!as_is && to - from == 1 && lexicon_index_is_label(m->lexicon, link->table, link->column))
        return true; /* 'Rats' is no rating; a state may be a form of its word */
    cost += as_is ? 0 : FORM;
    switch (link->kind) {
    case LINK_TABLE:
        return lattice_add_table(m, from, to, link, cost);
    case LINK_COLUMN:
        return add_column(m, from, to, link, cost);
    case LINK_LABEL:
        return add_name(m, from, to, link, cost);
    case LINK_VALUE:
        return add_value(m, from, to, link, cost);
    case LINK_BOOL:
        return add_state(m, from, to, link, cost);
    case LINK_ROLE:
        return lattice_add_edge(m, from, to, SYMBOL_ROLE, cost, role_sense(m, link));
    case LINK_MOMENT:
        return !lattice_is_moment(m, from, to, link) ||
               lattice_add_edge(m, from, to, SYMBOL_MOMENT, cost,
                                lattice_columns(m, link->table, link->column));
    case LINK_METRIC:
        return lattice_add_metric(m, from, to, link, cost);
    }
    return true;
}

static void note_tables(struct lattice_maker *m, const struct lexicon_link *links, size_t count)
{
    for (size_t i = 0; i < count && m->mentioned_count < LATTICE_MENTIONED; i++)
        if (links[i].kind == LINK_TABLE && links[i].score > OFFLINE_SCORE_VERB)
            m->mentioned[m->mentioned_count++] = links[i].table;
}

/* Whether rows of several tables go by the one name that links are, and none of these is named. */
static bool is_homonym(const struct lattice_maker *m, const struct lexicon_link *links,
                       size_t count)
{
    int table = CATALOG_NONE;
    bool several = false;
    for (size_t i = 0; i < count; i++) {
        if (links[i].kind != LINK_VALUE || links[i].score < WHOLE ||
            m->lexicon->facts[links[i].table].person ||
            !lexicon_index_is_label(m->lexicon, links[i].table, links[i].column))
            continue;
        if (lattice_distance(m, links[i].table) == 0 && m->mentioned_count > 0)
            return false;
        several = several || (table != CATALOG_NONE && table != links[i].table);
        table = links[i].table;
    }
    return several;
}

/* Whether the grammar has the word, as more than a tie: "late" is no value of rows that nobody
 * speaks of. */
static bool is_word(const struct lattice_maker *m, size_t place)
{
    struct str word = m->lattice->tokens[place]->lower;
    size_t letter = lattice_letter(word);
    for (size_t i = grammar_words_from[letter]; i < grammar_words_from[letter + 1]; i++)
        if (grammar_words[i].symbol != SYMBOL_TIE &&
            str_equal(str_of(grammar_words[i].phrase), word))
            return true;
    return false;
}

/* Pass 0 finds which tables are named, pass 1 makes edges. Only spans that hold the place through,
 * unless it is LATTICE_NOWHERE. */
bool lattice_add_mentions(struct lattice_maker *m, size_t place, bool making, size_t through)
{
    struct lexicon_link links[LATTICE_MEANINGS];
    size_t most = size_min(ENGLISH_WORDS, m->lattice->count - place);
    for (size_t n = most; n > 0; n--) {
        if (through != LATTICE_NOWHERE && (through < place || through >= place + n))
            continue;
        size_t count = lattice_look_up(m, place, place + n, links);
        if (!making) {
            note_tables(m, links, count);
            continue;
        }
        count = lattice_nearest(m, links, count);
        bool homonym = is_homonym(m, links, count);
        const struct lattice_rivals rivals = lattice_rivals_of(m, place, place + n, links, count);
        bool verb = n == 1 && lattice_is_asked_deed(m, place), word = n == 1 && is_word(m, place);
        for (size_t i = 0; i < count; i++)
            if (!(homonym && links[i].kind == LINK_VALUE) &&
                !(verb && (links[i].kind == LINK_VALUE || links[i].kind == LINK_BOOL)) &&
                !(word && links[i].kind == LINK_VALUE &&
                  lattice_distance(m, links[i].table) > BESIDE) &&
                !lattice_add_link(m, place, place + n, &links[i],
                                  lattice_rivals_cost(m, place, place + n, rivals, &links[i]) +
                                      (through != LATTICE_NOWHERE ? MENDED_COST : 0)))
                return false;
    }
    return true;
}

/* Where a list ends in "and": A, B and C N; 0: place is not in one. */
static size_t list_end(const struct lattice_maker *m, size_t place)
{
    const struct lattice *lattice = m->lattice;
    for (size_t i = place + 1; i + 2 < lattice->count; i += 2) {
        struct str word = lattice->tokens[i]->lower;
        if (str_equal(word, STR("and")))
            return i;
        if (!str_equal(lattice->tokens[i]->text, STR(",")))
            return 0;
        if (str_equal(lattice->tokens[i + 1]->lower, STR("and")))
            return i + 3 < lattice->count ? i + 1 : 0;
    }
    return 0;
}

/* "first and last name": the noun is said once. */
static bool add_shared_head(struct lattice_maker *m, size_t place)
{
    enum { COST = 1, NAMED = 80 };
    struct lexicon_link links[LATTICE_MEANINGS];
    size_t end = list_end(m, place);
    if (end == 0 || m->lattice->tokens[place]->kind != TOKEN_WORD)
        return true;
    size_t head = m->at[end + 2];
    if (m->part_count[m->at[place]] != 1 || m->part_count[head] != 1)
        return true;
    const struct str words[] = {m->parts[m->at[place]][0], m->parts[head][0]};
    size_t count = lexicon_index_find(m->lexicon, words, countof(words), links, LATTICE_MEANINGS);
    count = lattice_nearest(m, links, count);
    for (size_t i = 0; i < count; i++)
        if (links[i].kind == LINK_COLUMN && links[i].score >= NAMED &&
            !add_column(m, place, place + 1, &links[i], COST))
            return false;
    return true;
}

/* ---- weak words ---- */

/* How many places a weak phrase takes that begins at place; 0: none does. */
size_t lattice_weak_at(const struct lattice *lattice, size_t place)
{
    size_t end = place;
    for (size_t i = 0; grammar_weak[i] != NULL; i++)
        end = size_max(end, place_behind(lattice, place, grammar_weak[i]));
    return end - place;
}

static void note_end(struct lattice *lattice)
{
    lattice->ends_in_word = false;
    for (const struct lattice_edge *e = lattice->edges; e != NULL; e = e->next) {
        if (e->to != lattice->count || e->from + 1 != lattice->count)
            continue;
        if (e->sense->kind != SENSE_WORD || e->symbol == SYMBOL_COUNT ||
            e->symbol == SYMBOL_PERIOD || e->symbol == SYMBOL_LITERAL) {
            lattice->ends_in_word = false;
            return;
        }
        lattice->ends_in_word = true;
    }
}

/* Edges also reach over weak words behind them; at the beginning, also from before those. */
static bool reach_over_weak(struct lattice_maker *m)
{
    struct lattice *lattice = m->lattice;
    for (size_t place = 0; place < lattice->count; place++) {
        size_t length = lattice_weak_at(lattice, place);
        if (length == 0)
            continue;
        for (const struct lattice_edge *e = lattice->edges; e != NULL; e = e->next) {
            bool behind = e->to == place && place > 0;
            bool before = place == 0 && e->from == length;
            struct lattice_edge *copy;
            if (!behind && !before)
                continue;
            if (lattice->edge_count == EDGES)
                return true;
            copy = arena_alloc(m->arena, sizeof *copy);
            if (copy == NULL)
                return false;
            *copy = *e;
            copy->cost += WEAK_COST;
            if (behind)
                copy->to = place + length;
            else
                copy->from = 0;
            append(lattice, copy);
            lattice->edge_count++;
        }
    }
    return true;
}

static bool is_shouted_plural(struct str text)
{
    if (text.len < 3 || text.at[text.len - 1] != 's')
        return false;
    for (size_t i = 0; i + 1 < text.len; i++)
        if (text.at[i] < 'A' || text.at[i] > 'Z')
            return false;
    return true;
}

static bool split_tokens(struct lattice_maker *m)
{
    m->parts = arena_array(m->arena, m->count + 1, sizeof *m->parts);
    m->part_count = arena_array(m->arena, m->count + 1, sizeof *m->part_count);
    if (!arena_ok(m->arena))
        return false;
    for (size_t i = 0; i < m->count; i++) {
        const struct offline_token *token = &m->tokens[i];
        struct str text =
            token->kind == TOKEN_WORD ? str_slice(token->text, 0, token->lower.len) : token->text;
        if (is_shouted_plural(text)) /* "IDs" */
            text = token->lower;
        if (token->kind != TOKEN_SIGN)
            m->part_count[i] = stem_split(m->arena, text, m->parts[i], LATTICE_SPLIT);
    }
    return arena_ok(m->arena);
}

/* All that may begin at the place. */
static bool add_place(struct lattice_maker *m, size_t i)
{
    return lattice_add_mentions(m, i, true, LATTICE_NOWHERE) &&
           lattice_add_words(m, i, LATTICE_NOWHERE) && lattice_add_period(m, i) &&
           lattice_add_number(m, i) && lattice_add_units(m, i) && lattice_add_age(m, i) &&
           lattice_add_literal(m, i) && lattice_add_inverse(m, i) && lattice_add_tie(m, i) &&
           lattice_add_roles(m, i) && add_shared_head(m, i);
}

enum err_code lattice_make(struct arena *arena, const struct lexicon *lexicon,
                           const struct offline_token *tokens, size_t count, int32_t today,
                           struct lattice *lattice)
{
    struct lattice_maker m = {.arena = arena,
                              .lexicon = lexicon,
                              .tokens = tokens,
                              .count = count,
                              .today = today,
                              .lattice = lattice};
    *lattice = (struct lattice){.count = 0, .unknown = {NULL, 0}};
    if (!list_places(&m))
        return ERR_TOO_LARGE;
    if (!split_tokens(&m))
        return ERR_NO_MEMORY;
    bool ok = true;
    for (size_t i = 0; ok && i < lattice->count; i++)
        ok = lattice_add_mentions(&m, i, false, LATTICE_NOWHERE);
    for (size_t i = 0; ok && i < lattice->count; i++)
        ok = add_place(&m, i);
    ok = ok && lattice_add_mended(&m);
    lattice_weigh_names(&m);
    note_end(lattice);
    for (size_t i = 0; ok && i < lattice->count; i++)
        ok = lattice_add_written(&m, i);
    return ok && reach_over_weak(&m) ? ERR_OK : ERR_NO_MEMORY;
}

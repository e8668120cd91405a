/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/lattice_unknown.c - words that neither the grammar nor a whole name knows:
 * parts of names and values, persons, names that are near, slips of the pen.
 *
 * Happy path: an edge for what was meant. Failure: the first word that nothing knows is noted;
 * false is no memory. */
#include "agents/offline/grammar/lattice.h"

#include "agents/english/vocabulary.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/mend.h"
#include "agents/lexicon/spelling.h"
#include "agents/offline/grammar/actions.h"
#include "agents/offline/grammar/tables.h"
#include "core/words/stem.h"

/* What a name, or unless names_only a value, has among its words, where the question only says that
 * one: of a table that is mentioned, or beside one. False: no memory. */
static bool add_part(struct lattice_maker *m, size_t place, struct str word, bool names_only,
                     bool *found)
{
    enum { BESIDE = 1, NEAR = 2, FAR = 4, NAME_COST = 1, VALUE_COST = 3 };
    struct lexicon_link links[LATTICE_MEANINGS];
    const bool common = lexicon_mend_is_common(word); /* "service" is in too many names */
    size_t count = lexicon_index_find_part(m->lexicon, word, links, LATTICE_MEANINGS);
    count = lattice_nearest(m, links, count);
    for (size_t i = 0; i < count; i++) {
        const struct lexicon_link *link = &links[i];
        struct reading_filter filter = {.on = {link->table, link->column, NULL, 0},
                                        .op = OP_LIKE,
                                        .number = LIKE_WITHIN,
                                        .values = {link->value},
                                        .value_count = 1};
        bool value = link->kind == LINK_VALUE;
        int far = value ? FAR : link->kind == LINK_TABLE ? NEAR : BESIDE;
        if ((value && (names_only || common)) || lattice_distance(m, link->table) > far)
            continue;
        *found = true;
        if (value ? !lattice_add_edge(m, place, place + 1, SYMBOL_VALUE, VALUE_COST,
                                      lattice_cond(m, place, &filter))
                  : !lattice_add_link(m, place, place + 1, link, NAME_COST))
            return false;
    }
    return true;
}

/* Whether rows of the table are persons. */
static bool holds_persons(const struct lattice_maker *m, int table)
{
    const struct lexicon_facts *facts = &m->lexicon->facts[table];
    const struct lexicon_words *w = lexicon_spelling_table(m->lexicon, table);
    char stem[STEM_BYTES];
    return facts->visible &&
           (facts->person ||
            (w->count > 0 &&
             vocabulary_has(VOCABULARY_PERSONS, stem_of(w->words[w->count - 1], stem))));
}

/* Whether the question is about who works, so that no other persons are meant. */
static bool asks_for_workers(const struct lattice_maker *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (vocabulary_has(VOCABULARY_LABOURS, m->tokens[i].lower))
            return true;
    return false;
}

/* Whether rows of the table are those who work there. */
static bool are_workers(const struct lattice_maker *m, int table)
{
    bool hired = false;
    char stem[STEM_BYTES];
    for (size_t c = 0; c < m->lexicon->catalog->tables[table].column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(m->lexicon, table, (int)c);
        for (size_t i = 0; i < w->count; i++)
            hired = hired || vocabulary_has(VOCABULARY_HIRES, stem_of(w->words[i], stem));
    }
    return hired;
}

/* "people": rows of the tables of persons that are nearest to what is mentioned. */
static bool add_people(struct lattice_maker *m, size_t place, bool *found)
{
    enum { COST = 2 };
    int best = LATTICE_FAR;
    int tables = (int)m->lexicon->catalog->table_count;
    const bool work = asks_for_workers(m);
    if (!vocabulary_has(VOCABULARY_PEOPLE, m->lattice->tokens[place]->lower))
        return true;
    for (int t = 0; t < tables; t++)
        if (holds_persons(m, t) && lattice_distance(m, t) < best)
            best = lattice_distance(m, t);
    for (int t = 0; t < tables && work; t++)
        if (holds_persons(m, t) && lattice_distance(m, t) == best && !are_workers(m, t))
            return true; /* those who work are others, maybe */
    for (int t = 0; t < tables && best < LATTICE_FAR; t++) {
        const struct lexicon_link link = {.kind = LINK_TABLE, .table = t, .score = 100};
        if (!holds_persons(m, t) || lattice_distance(m, t) > best)
            continue;
        *found = true;
        if (!lattice_add_table(m, place, place + 1, &link, COST))
            return false;
    }
    return true;
}

/* "how many people live in Oslo", where nobody is a row: a number of the places that are nearest.
 */
static bool add_inhabitants(struct lattice_maker *m, size_t place, bool *found)
{
    enum { COST = 2, FAR = 1 };
    const struct catalog *catalog = m->lexicon->catalog;
    if (!vocabulary_has(VOCABULARY_PEOPLE, m->lattice->tokens[place]->lower))
        return true;
    for (int t = 0; t < (int)catalog->table_count; t++) {
        const struct catalog_table *table = &catalog->tables[t];
        int distance = lattice_distance(m, t);
        for (int c = 0; m->lexicon->facts[t].visible && c < (int)table->column_count; c++) {
            const struct lexicon_words *w = lexicon_spelling_column(m->lexicon, t, c);
            if (table->columns[c].hidden || distance > FAR || w->count == 0 ||
                !vocabulary_has(VOCABULARY_INHABITANTS, w->words[w->count - 1]) ||
                lattice_column_symbol(m, t, c) != SYMBOL_NUMBER)
                continue;
            *found = true;
            if (!lattice_add_edge(m, place, place + 1, SYMBOL_NUMBER, COST + distance,
                                  lattice_columns(m, t, c)))
                return false;
        }
    }
    return true;
}

/* "30 an hour", "per hour": so much for each. */
static bool is_rate(const struct lattice_maker *m, size_t place)
{
    static const char *const each[] = {"a", "an", "per", "each", "every"};
    for (size_t i = 0; m->at[place] > 0 && i < countof(each); i++)
        if (str_equal(m->tokens[m->at[place] - 1].lower, str_of(each[i])))
            return true;
    return false;
}

/* "how many hours": of numbers that are kept in another unit of time, minutes of the tables that
 * are nearest. One "second" alone is a place in an order, or a moment. */
static bool add_unit(struct lattice_maker *m, size_t place, bool *found)
{
    enum { COST = 1 };
    const struct catalog *catalog = m->lexicon->catalog;
    struct english_unit unit = english_units_find(m->lattice->tokens[place]->lower);
    if (is_rate(m, place) || !str_ends_with(m->lattice->tokens[place]->lower, STR("s")))
        return true;
    for (int t = 0; unit.of == UNIT_OF_TIME && t < (int)catalog->table_count; t++) {
        const struct catalog_table *table = &catalog->tables[t];
        if (!m->lexicon->facts[t].visible || lattice_distance(m, t) > 1)
            continue;
        for (int c = 0; c < (int)table->column_count; c++) {
            if (table->columns[c].hidden ||
                lexicon_facts_unit(m->lexicon, t, c).of != UNIT_OF_TIME ||
                lattice_column_symbol(m, t, c) != SYMBOL_NUMBER)
                continue;
            struct sense *sense = lattice_columns(m, t, c);
            struct sense_column *said = arena_alloc(m->arena, sizeof *said);
            if (sense == NULL || said == NULL)
                return false;
            *said = *sense->columns;
            said->on.unit_size = unit.size;
            sense->columns = said;
            *found = true;
            if (!lattice_add_edge(m, place, place + 1, SYMBOL_NUMBER, COST + lattice_distance(m, t),
                                  sense))
                return false;
        }
    }
    return true;
}

/* What phrases through the place mean with another word in it. */
static bool add_meant(struct lattice_maker *m, size_t place, struct str meant)
{
    bool ok = true;
    m->parts[m->at[place]][0] = meant;
    m->part_count[m->at[place]] = 1;
    m->deed = str_ends_with(m->lattice->tokens[place]->lower, STR("ed"));
    size_t from = place + 1 < ENGLISH_WORDS ? 0 : place + 1 - ENGLISH_WORDS;
    for (; ok && from <= place; from++)
        ok = lattice_add_mentions(m, from, true, place);
    m->deed = false;
    return ok;
}

/* *found is the one word of a phrase that word is a slip of; several: it is empty. */
static void find_slip(const char *phrase, struct str word, struct str *found)
{
    enum { LEAST = 6 };
    struct str rest = str_of(phrase);
    while (!str_is_absent(rest)) {
        struct str part = str_split(&rest, ' ');
        if (part.len >= LEAST && lexicon_mend_is_slip(word, part) &&
            !(found->at != NULL && str_equal(*found, part)))
            *found = str_is_absent(*found) ? part : STR("");
    }
}

/* The one small word that word is a slip of: "corresonding"; absent: none, or several. */
static struct str small_word(struct str word)
{
    enum { LEAST = 7 };
    struct str found = {NULL, 0};
    for (size_t i = 0; word.len >= LEAST && i < grammar_word_count; i++)
        find_slip(grammar_words[i].phrase, word, &found);
    for (size_t i = 0; word.len >= LEAST && grammar_weak[i] != NULL; i++)
        find_slip(grammar_weak[i], word, &found);
    return found.len > 0 ? found : (struct str){NULL, 0};
}

/* The place as if it said the word. */
static bool add_small(struct lattice_maker *m, size_t place, struct str word)
{
    enum { BEFORE = 4 };
    struct offline_token *token = arena_alloc(m->arena, sizeof *token);
    if (token == NULL)
        return false;
    *token = *m->lattice->tokens[place];
    token->lower = word;
    m->lattice->tokens[place] = token;
    for (size_t from = place < BEFORE ? 0 : place - BEFORE; from <= place; from++)
        if (!lattice_add_words(m, from, place))
            return false;
    return true;
}

static bool add_unknown(struct lattice_maker *m, size_t place)
{
    const struct offline_token *token = m->lattice->tokens[place];
    bool found = false;
    if (!add_people(m, place, &found) || (!found && !add_inhabitants(m, place, &found)) ||
        (!found && !add_unit(m, place, &found)))
        return false;
    if (found)
        return true;
    bool near = !str_is_absent(lexicon_mend_near(m->lexicon, token->lower));
    if (!add_part(m, place, token->lower, near, &found))
        return false;
    struct str meant = lexicon_mend_find(m->lexicon, token->lower, token->capital);
    if (!found && str_is_absent(meant)) {
        meant = small_word(token->lower);
        if (!str_is_absent(meant))
            return add_small(m, place, meant);
        if (str_is_absent(m->lattice->unknown))
            m->lattice->unknown = token->text;
        return true;
    }
    return found || str_is_absent(meant) ||
           (add_part(m, place, meant, near, &found) && add_meant(m, place, meant));
}

/* What is known to be a column's name is no slip of another word. */
static void note_states(const struct lattice_maker *m, bool *known)
{
    const size_t count = m->lattice->count;
    for (size_t from = 0; from < count; from++)
        for (size_t to = from + 1; to <= size_min(from + ENGLISH_WORDS, count); to++)
            for (size_t i = from; i < to && lattice_is_state(m, from, to); i++)
                known[i] = true;
}

/* Edges for places that have none: of the word that was meant. */
bool lattice_add_mended(struct lattice_maker *m)
{
    bool known[LATTICE_PLACES] = {false};
    const struct lattice *lattice = m->lattice;
    for (const struct lattice_edge *e = lattice->edges; e != NULL; e = e->next)
        for (size_t i = e->from; i < e->to; i++)
            known[i] = true;
    note_states(m, known);
    for (size_t i = 0; i < lattice->count; i++) {
        const struct offline_token *token = lattice->tokens[i];
        if (known[i] || token->kind != TOKEN_WORD || lattice_weak_at(lattice, i) > 0)
            continue;
        if (!add_unknown(m, i))
            return false;
    }
    return true;
}

/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/lattice_unknown.c - words that neither the grammar nor a whole name knows:
 * parts of names and values, persons, names that are near, slips of the pen.
 *
 * Happy path: an edge for what was meant. Failure: the first word that nothing knows is noted;
 * false is no memory. */
#include "agents/offline/grammar/lattice.h"

#include "agents/english/vocabulary.h"
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
    enum { BESIDE = 1, FAR = 4, NAME_COST = 1, VALUE_COST = 3 };
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
        if ((value && (names_only || common)) ||
            lattice_distance(m, link->table) > (value ? FAR : BESIDE))
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

/* "people": rows of the tables of persons that are nearest to what is mentioned. */
static bool add_people(struct lattice_maker *m, size_t place, bool *found)
{
    enum { COST = 2 };
    int best = LATTICE_FAR;
    int tables = (int)m->lexicon->catalog->table_count;
    if (!vocabulary_has(VOCABULARY_PEOPLE, m->lattice->tokens[place]->lower))
        return true;
    for (int t = 0; t < tables; t++)
        if (holds_persons(m, t) && lattice_distance(m, t) < best)
            best = lattice_distance(m, t);
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

/* Edges for places that have none: of the word that was meant. */
bool lattice_add_mended(struct lattice_maker *m)
{
    bool known[LATTICE_PLACES] = {false};
    const struct lattice *lattice = m->lattice;
    for (const struct lattice_edge *e = lattice->edges; e != NULL; e = e->next)
        for (size_t i = e->from; i < e->to; i++)
            known[i] = true;
    for (size_t i = 0; i < lattice->count; i++) {
        const struct offline_token *token = lattice->tokens[i];
        if (known[i] || token->kind != TOKEN_WORD || lattice_weak_at(lattice, i) > 0)
            continue;
        bool found = false;
        if (!add_people(m, i, &found))
            return false;
        if (found)
            continue;
        bool near = !str_is_absent(lexicon_mend_near(m->lexicon, token->lower));
        if (!add_part(m, i, token->lower, near, &found))
            return false;
        struct str meant = lexicon_mend_find(m->lexicon, token->lower, token->capital);
        if (!found && str_is_absent(meant) && str_is_absent(m->lattice->unknown))
            m->lattice->unknown = token->text;
        if (found || str_is_absent(meant))
            continue;
        if (!add_part(m, i, meant, near, &found))
            return false;
        m->parts[m->at[i]][0] = meant;
        m->part_count[m->at[i]] = 1;
        m->deed = str_ends_with(token->lower, STR("ed"));
        size_t from = i + 1 < ENGLISH_WORDS ? 0 : i + 1 - ENGLISH_WORDS;
        for (; from <= i; from++)
            if (!lattice_add_mentions(m, from, true, i))
                return false;
        m->deed = false;
    }
    return true;
}

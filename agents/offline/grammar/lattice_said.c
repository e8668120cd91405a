/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/lattice_said.c - what a place says by itself, whatever the schema is:
 * numbers, periods, quoted texts, a word as it is written; and which of two references.
 *
 * Happy path: an edge, or none where the token is of another kind. Failure: no memory. */
#include "agents/offline/grammar/lattice.h"

#include "agents/english/synonyms.h"
#include "agents/english/units.h"
#include "agents/english/vocabulary.h"
#include "agents/lexicon/spelling.h"
#include "agents/offline/grammar/actions.h"
#include "agents/offline/grammar/tables.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

bool lattice_add_period(struct lattice_maker *m, size_t place)
{
    struct sense *sense = lattice_word(m, 0);
    const struct offline_token *token = m->lattice->tokens[place];
    enum { BARE_YEAR = 6 };
    int cost = 0;
    if (sense == NULL)
        return false;
    size_t took = english_dates_match(m->tokens, m->count, m->at[place], m->today, &sense->range);
    if (took == 0 && token->kind == TOKEN_NUMBER && token->number >= 1900 &&
        token->number <= 2100 && token->unit.len == 0 && token->text.len == 4) {
        int year = (int)token->number;
        sense->range = (struct offline_range){english_dates_day(year, 1, 1),
                                              english_dates_day(year + 1, 1, 1)};
        took = 1;
        cost = BARE_YEAR;
    }
    if (took == 0)
        return true;
    size_t to = place;
    while (to < m->lattice->count && m->at[to] < m->at[place] + took)
        to++;
    if (took <= 2) /* "May", "in May": of which year is not said */
        sense->arg = english_synonyms_month(m->tokens[m->at[place] + took - 1].lower);
    return lattice_add_edge(m, place, to, SYMBOL_PERIOD, cost, sense);
}

/* "20 euros", "50 cents"; "2 hours" also as a number beside a column of hours. */
static bool add_with_unit(struct lattice_maker *m, size_t place, size_t to, struct sense *sense)
{
    enum { TIME_COST = 1 };
    const struct offline_token *next = to < m->lattice->count ? m->lattice->tokens[to] : NULL;
    struct english_unit unit = {UNIT_OF_NOTHING, 0};
    if (next != NULL && next->kind == TOKEN_WORD && sense->unit.len == 0)
        unit = english_units_find(next->lower);
    if (unit.of == UNIT_OF_MONEY) {
        sense->unit = unit.size == 1 ? next->lower : STR("$"); /* of whatever money */
        to++;
    } else if (unit.of == UNIT_OF_PARTS) {
        sense->unit = STR("%");
        to++;
    } else if (unit.of == UNIT_OF_TIME) {
        struct sense *timed = lattice_word(m, 0);
        if (timed == NULL)
            return false;
        timed->number = sense->number;
        timed->unit = next->lower;
        if (!lattice_add_edge(m, place, to + 1, SYMBOL_COUNT, TIME_COST, timed))
            return false;
    }
    if (next != NULL && next->kind == TOKEN_WORD && sense->unit.len == 0 &&
        english_verbs_is_unit(next->lower)) {
        struct sense *measured = lattice_word(m, 0); /* "1500 kg" */
        if (measured == NULL)
            return false;
        measured->number = sense->number;
        measured->unit = next->lower;
        if (!lattice_add_edge(m, place, to + 1, SYMBOL_COUNT, TIME_COST, measured))
            return false;
    }
    return lattice_add_edge(m, place, to, SYMBOL_COUNT, 0, sense);
}

bool lattice_add_number(struct lattice_maker *m, size_t place)
{
    const struct offline_token *token = m->lattice->tokens[place];
    struct sense *sense = lattice_word(m, 0);
    size_t to = place + 1;
    if (sense == NULL)
        return false;
    if (token->kind == TOKEN_NUMBER) {
        sense->number = token->number;
        sense->unit = token->unit;
    } else if (token->kind != TOKEN_WORD ||
               !english_synonyms_number(token->lower, &sense->number)) {
        return true;
    }
    for (; to < m->lattice->count && m->lattice->tokens[to]->kind == TOKEN_WORD; to++) {
        double times = english_synonyms_multiplier(m->lattice->tokens[to]->lower);
        if (times <= 0)
            break;
        sense->number *= times;
    }
    return add_with_unit(m, place, to, sense);
}

/* ">20h": the numbers with every column that is called hours. */
bool lattice_add_units(struct lattice_maker *m, size_t place)
{
    static const struct str word = {"hours", 5};
    struct lexicon_link links[LATTICE_MEANINGS];
    const struct offline_token *token = m->lattice->tokens[place];
    if (token->kind != TOKEN_NUMBER || !str_equal(token->unit, STR("h")))
        return true;
    size_t count = lattice_nearest(
        m, links, lexicon_index_find(m->lexicon, &word, 1, links, LATTICE_MEANINGS));
    for (size_t i = 0; i < count; i++) {
        if (links[i].kind != LINK_COLUMN ||
            lattice_column_symbol(m, links[i].table, links[i].column) != SYMBOL_NUMBER)
            continue;
        struct sense *sense = lattice_columns(m, links[i].table, links[i].column);
        if (sense == NULL)
            return false;
        sense->number = token->number;
        if (!lattice_add_edge(m, place, place + 1, SYMBOL_UNITS,
                              lattice_distance(m, links[i].table), sense))
            return false;
    }
    return true;
}

/* "age", where a date of birth says it. */
bool lattice_add_age(struct lattice_maker *m, size_t place)
{
    const struct str word = m->lattice->tokens[place]->lower;
    if (!str_equal(word, STR("age")) && !str_equal(word, STR("ages")))
        return true;
    for (size_t t = 0; t < m->lexicon->catalog->table_count; t++) {
        bool dated = false;
        const int column = grammar_age_column(m->lexicon, (int)t, &dated);
        if (column == CATALOG_NONE || !dated || !m->lexicon->facts[t].visible)
            continue;
        struct sense *sense = lattice_columns(m, (int)t, column);
        struct sense_column *age = arena_alloc(m->arena, sizeof *age);
        if (sense == NULL || age == NULL)
            return false;
        *age = *sense->columns;
        age->on.since = READING_AGE;
        sense->columns = age;
        if (!lattice_add_edge(m, place, place + 1, SYMBOL_NUMBER, lattice_distance(m, (int)t),
                              sense))
            return false;
    }
    return true;
}

bool lattice_add_literal(struct lattice_maker *m, size_t place)
{
    const struct offline_token *token = m->lattice->tokens[place];
    if (token->kind != TOKEN_QUOTED && token->kind != TOKEN_CODE)
        return true;
    struct sense *sense = lattice_word(m, 0);
    if (sense == NULL)
        return false;
    sense->text = token->text;
    return lattice_add_edge(m, place, place + 1, SYMBOL_LITERAL, 3, sense);
}

/* A word as it is written, for what a text begins or ends with. */
bool lattice_add_written(struct lattice_maker *m, size_t place)
{
    const struct offline_token *token = m->lattice->tokens[place];
    if (token->kind != TOKEN_WORD)
        return true;
    struct sense *sense = lattice_word(m, 0);
    if (sense == NULL)
        return false;
    sense->text = token->text;
    return lattice_add_edge(m, place, place + 1, SYMBOL_WORD, 1, sense);
}

/* Whether another reference of the table leads where this one does. */
static bool has_sibling(const struct catalog_table *t, const struct catalog_reference *ref)
{
    for (size_t r = 0; r < t->reference_count; r++)
        if (&t->references[r] != ref && t->references[r].to_table == ref->to_table)
            return true;
    return false;
}

/* "departing", "arriving": of two references between the same tables the one that is called so. */
bool lattice_add_roles(struct lattice_maker *m, size_t place)
{
    char stem[STEM_BYTES];
    const struct catalog *catalog = m->lexicon->catalog;
    const struct offline_token *token = m->lattice->tokens[place];
    for (size_t t = 0; token->kind == TOKEN_WORD && t < catalog->table_count; t++)
        for (size_t r = 0; r < catalog->tables[t].reference_count; r++) {
            const struct catalog_reference *ref = &catalog->tables[t].references[r];
            const struct lexicon_words *w =
                lexicon_spelling_column(m->lexicon, (int)t, ref->columns[0]);
            if (w->count > 0 && has_sibling(&catalog->tables[t], ref) &&
                lexicon_spelling_says_role(stem_of(w->words[0], stem), &token->lower, 1) &&
                !lattice_add_edge(m, place, place + 1, SYMBOL_ROLE, 0,
                                  lattice_columns(m, (int)t, ref->columns[0])))
                return false;
        }
    return true;
}

static size_t keep_columns(struct lexicon_link *links, size_t count)
{
    enum { NAMED = 90, LESS = 16 };
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (links[i].kind == LINK_COLUMN && links[i].score >= NAMED) {
            links[kept] = links[i];
            links[kept++].score -= LESS;
        }
    return kept;
}

/* "number of products", "year of birth": a column that is called so without "of", in this order or
 * the other. */
size_t lattice_look_up_of(const struct lattice_maker *m, size_t from, size_t to,
                          struct lexicon_link *links)
{
    size_t of = from + 1, count = 0;
    struct str words[ENGLISH_WORDS];
    while (of + 1 < to && !str_equal(m->tokens[of].lower, STR("of")))
        of++;
    if (of + 1 >= to || to - from > ENGLISH_WORDS + 1)
        return 0;
    for (int turned = 0; turned <= 1 && count == 0; turned++) {
        size_t n = 0;
        for (size_t i = 0; i + 1 < to - from; i++) {
            size_t behind = to - of - 1, at = turned ? (i < behind ? of + 1 + i : from + i - behind)
                                                     : (from + i < of ? from + i : from + i + 1);
            if (m->part_count[at] != 1 || m->tokens[at].kind == TOKEN_QUOTED)
                return 0;
            words[n++] = m->parts[at][0];
        }
        count =
            keep_columns(links, lexicon_index_find(m->lexicon, words, n, links, LATTICE_MEANINGS));
    }
    return count;
}

/* Whether "we" stand before a verb, also where courtesy has left them out: what we spend is not
 * what is spent with us. */
static bool is_ours(const struct lattice_maker *m, size_t from)
{
    const struct str us = STR("we ");
    const struct offline_token *verb = &m->tokens[m->at[from]], *first = &m->tokens[0];
    return vocabulary_has(VOCABULARY_OUTLAYS, verb->lower) &&
           verb->text.at >= first->text.at + us.len &&
           str_equal_nocase(str_make(verb->text.at - us.len, us.len), us);
}

bool lattice_add_metric(struct lattice_maker *m, size_t from, size_t to,
                        const struct lexicon_link *link, int cost)
{
    if (is_ours(m, from))
        return true;
    struct sense *sense = arena_alloc(m->arena, sizeof *sense);
    struct sense_measure *measure = arena_alloc(m->arena, sizeof *measure);
    if (sense == NULL || measure == NULL)
        return false;
    *measure = (struct sense_measure){
        .agg = AGG_METRIC, .on = {link->table, READING_NONE, link->named, 0}};
    *sense = (struct sense){
        .kind = SENSE_NUMBERS, .table = link->table, .measures = measure};
    if (link->named->filter.text.len > 0) {
        struct reading_filter filter = {.on = {link->table, READING_NONE, NULL, 0},
                                        .op = OP_EQ,
                                        .number = 1,
                                        .named = link->named};
        struct sense *rows = lattice_cond(m, from, &filter);
        if (rows == NULL)
            return false;
        sense->conds = rows->conds;
    }
    return lattice_add_edge(m, from, to, SYMBOL_METRIC, cost, sense);
}

/* "late deliveries", where the semantic file says what these are and deliveries are rows: such
 * rows, before whatever the words say by themselves. */
bool lattice_add_named(struct lattice_maker *m, size_t from, size_t to,
                       const struct reading_filter *filter, int cost)
{
    struct lexicon_link links[LATTICE_MEANINGS];
    const bool own = filter->named != NULL && filter->named->table_name.len > 0 && to - from > 1;
    size_t count = own && filter->number > 0 ? lattice_look_up(m, to - 1, to, links) : 0;
    for (size_t i = 0; i < count; i++) {
        struct sense *rows = arena_alloc(m->arena, sizeof *rows);
        const struct sense *conds = lattice_cond(m, from, filter);
        if (links[i].kind != LINK_TABLE || links[i].table != filter->on.table)
            continue;
        if (rows == NULL || conds == NULL)
            return false;
        bool plural = str_ends_with(m->lattice->tokens[to - 1]->lower, STR("s"));
        *rows = (struct sense){.kind = SENSE_ROWS,
                               .table = filter->on.table,
                               .conds = conds->conds,
                               .plural = plural};
        return lattice_add_edge(m, from, to, SYMBOL_TABLE, cost, rows);
    }
    return true;
}

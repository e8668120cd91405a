/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/lattice_names.c - a first and a last name side by side are one person's.
 *
 * Happy path: where two words in a row are both names of the persons of one table, what else either
 * of them may be by itself costs more. Failure: none; edges stay as they are. */
#include "agents/offline/grammar/lattice.h"

#include "agents/offline/grammar/tables.h"

enum {
    APART = 12, /* so that the reading is too dear */
    BOTH = 2,
};

/* Which name of a person the edge says: 0 the first, 1 the last; -1: none. */
static int name_of(const struct lattice_maker *m, const struct lattice_edge *edge)
{
    const struct sense_cond *cond =
        edge->symbol == SYMBOL_VALUE && edge->sense != NULL ? edge->sense->conds : NULL;
    if (cond == NULL || cond->kind != COND_LEAF || cond->filter->op != OP_EQ ||
        cond->filter->through)
        return -1;
    const struct lexicon_facts *facts = &m->lexicon->facts[cond->table];
    for (size_t i = 0; facts->person && i < facts->label_count && i < BOTH; i++)
        if (facts->labels[i] == cond->filter->on.column)
            return (int)i;
    return -1;
}

static bool is_at(const struct lattice_edge *edge, size_t place)
{
    return edge->from == place && edge->to == place + 1;
}

/* Whether the word at place is a first, and the one behind it a last name of a table's persons, or
 * the other way round. */
static bool is_pair(const struct lattice_maker *m, size_t place, int table)
{
    bool names[BOTH][BOTH] = {{false, false}, {false, false}};
    for (const struct lattice_edge *e = m->lattice->edges; e != NULL; e = e->next) {
        const int name = name_of(m, e);
        if (name >= 0 && e->sense->conds->table == table &&
            (is_at(e, place) || is_at(e, place + 1)))
            names[e->from - place][name] = true;
    }
    return (names[0][0] && names[1][1]) || (names[0][1] && names[1][0]);
}

void lattice_weigh_names(struct lattice_maker *m)
{
    for (struct lattice_edge *e = m->lattice->edges; e != NULL; e = e->next) {
        const int name = name_of(m, e);
        if (name < 0 || e->from + 1 >= m->lattice->count || !is_at(e, e->from) ||
            !is_pair(m, e->from, e->sense->conds->table))
            continue;
        const int table = e->sense->conds->table;
        for (struct lattice_edge *other = m->lattice->edges; other != NULL; other = other->next)
            if ((is_at(other, e->from) || is_at(other, e->from + 1)) &&
                other->symbol == SYMBOL_VALUE && other->sense != NULL &&
                other->sense->conds != NULL && other->sense->conds->table != table &&
                !is_pair(m, e->from, other->sense->conds->table) && other->cost < APART)
                other->cost += APART;
    }
}

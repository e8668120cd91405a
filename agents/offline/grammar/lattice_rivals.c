/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/lattice_rivals.c - what other meanings of a phrase make of one of them.
 *
 * Happy path: a meaning costs more where another is nearer to the words as they are written. No
 * failure. */
#include "agents/offline/grammar/lattice.h"

#include "agents/lexicon/spelling.h"
#include "core/words/stem.h"

enum {
    EXACT = 90,     /* score of a table's own name */
    OTHER_COST = 2, /* of what else such a name may be */
};

/* Whether one word is a table's name as it is written: "customers", where another is customer. */
static bool is_named_as(const struct lattice_maker *m, size_t from, size_t to,
                        const struct lexicon_link *link)
{
    return to - from == 1 && link->kind == LINK_TABLE &&
           str_equal_nocase(m->lattice->tokens[from]->lower,
                            m->lexicon->catalog->tables[link->table].name);
}

/* Whether the word is the noun that a longer name of a table ends with: "items" of order_items. */
static bool is_headed(const struct lattice_maker *m, size_t from, size_t to,
                      const struct lexicon_link *link)
{
    const struct lexicon_words *w = lexicon_spelling_table(m->lexicon, link->table);
    char a[STEM_BYTES], b[STEM_BYTES];
    return link->kind == LINK_TABLE && to - from == 1 && w->count > 1 &&
           str_equal(stem_of(w->words[w->count - 1], a),
                     stem_of(m->lattice->tokens[from]->lower, b));
}

struct lattice_rivals lattice_rivals_of(const struct lattice_maker *m, size_t from, size_t to,
                                        const struct lexicon_link *links, size_t count)
{
    struct lattice_rivals r = {.value = LATTICE_FAR};
    for (size_t i = 0; i < count; i++) {
        r.table = r.table || (links[i].kind == LINK_TABLE && links[i].score >= EXACT);
        r.named = r.named || is_named_as(m, from, to, &links[i]);
        r.headed = r.headed || is_headed(m, from, to, &links[i]);
        r.moment = r.moment || links[i].kind == LINK_MOMENT;
        if (links[i].kind == LINK_VALUE)
            r.value = (int)size_min((size_t)r.value, (size_t)lattice_distance(m, links[i].table));
    }
    return r;
}

int lattice_rivals_cost(const struct lattice_maker *m, size_t from, size_t to,
                        struct lattice_rivals r, const struct lexicon_link *link)
{
    bool synonym = link->score < EXACT && !is_headed(m, from, to, link);
    if (link->kind == LINK_TABLE)
        return (r.named && !is_named_as(m, from, to, link)) || (r.headed && synonym) ? OTHER_COST
                                                                                      : 0;
    bool value = link->kind == LINK_VALUE;
    bool farther = value && r.value == 0 && lattice_distance(m, link->table) > 0;
    return (r.table || farther ? OTHER_COST : 0) + (r.moment && value ? 1 : 0);
}

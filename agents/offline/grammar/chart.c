/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/chart.c - spans from short to long, each the meeting of a begun rule and
 * of what follows it.
 *
 * Happy path: an edge is a symbol with a sense, or a begun rule (a state of the trie) with its
 * children; a rule that ends gives an edge by its action. A span keeps few edges of each symbol,
 * the cheapest. Failure: an action that does not fit gives none; no memory. */
#include "agents/offline/grammar/chart.h"

#include "agents/offline/grammar/actions.h"
#include "agents/offline/grammar/tables.h"

enum { KEPT = 8, BEGUN = 10 }; /* edges of a symbol, begun rules of a state, in one span */

struct edge {
    int symbol; /* of a whole one; SYMBOL_NONE: begun */
    int state;  /* of a begun one */
    int cost;
    const struct sense *sense;
    const struct edge *left, *last; /* begun: the begun rule before, and its last child */
    struct edge *next;              /* in its span */
    bool dead;                      /* a cheaper one took its place */
};

struct cell {
    struct edge *first, **end;
};

struct chart {
    struct arena *arena;
    struct act act;
    size_t places, edges;
    struct cell *cells; /* [from * (places + 1) + to] */
    bool spent;
};

static struct cell *cell_at(struct chart *c, size_t from, size_t to)
{
    return &c->cells[from * (c->places + 1) + to];
}

static bool is_same(const struct edge *a, const struct edge *b)
{
    return a->symbol == b->symbol && a->state == b->state &&
           (a->symbol != SYMBOL_NONE ? a->sense->hash == b->sense->hash
                                     : a->left == b->left && a->last == b->last);
}

/* Whether the span has room for an edge: none that means the same and costs no more, and few enough
 * cheaper ones of its kind. What it drives out is dead. */
static bool has_room(struct cell *cell, const struct edge *made)
{
    size_t count = 0, most = made->symbol == SYMBOL_NONE ? BEGUN : KEPT;
    struct edge *worst = NULL;
    for (struct edge *e = cell->first; e != NULL; e = e->next) {
        if (e->dead || e->symbol != made->symbol || e->state != made->state)
            continue;
        if (is_same(e, made)) {
            if (e->cost <= made->cost)
                return false;
            e->dead = true;
            continue;
        }
        count++;
        if (worst == NULL || e->cost >= worst->cost)
            worst = e;
    }
    if (count < most)
        return true;
    if (worst->cost <= made->cost)
        return false;
    worst->dead = true;
    return true;
}

/* The sense of what is kept is copied: most that rules make is not. */
static bool add(struct chart *c, struct cell *cell, struct edge made)
{
    if (!has_room(cell, &made))
        return true;
    if (c->edges == CHART_EDGES) {
        c->spent = true;
        return true;
    }
    struct edge *edge = arena_alloc(c->arena, sizeof *edge);
    if (edge == NULL)
        return false;
    c->edges++;
    *edge = made;
    if (made.sense != NULL) {
        struct sense *kept = arena_alloc(c->arena, sizeof *kept);
        if (kept == NULL)
            return false;
        *kept = *made.sense;
        edge->sense = kept;
    }
    *cell->end = edge;
    cell->end = &edge->next;
    return true;
}

/* The children of a begun rule and its last one, in order; how many. */
static size_t list_children(const struct edge *left, const struct edge *last,
                            const struct sense **children)
{
    const struct sense *backwards[GRAMMAR_RIGHT];
    size_t count = 0;
    backwards[count++] = last->sense;
    for (const struct edge *e = left; e != NULL && count < GRAMMAR_RIGHT; e = e->left)
        backwards[count++] = e->last->sense;
    for (size_t i = 0; i < count; i++)
        children[i] = backwards[count - 1 - i];
    return count;
}

static bool end_rules(struct chart *c, struct cell *cell, int state, const struct edge *left,
                      const struct edge *last, int cost)
{
    const struct sense *children[GRAMMAR_RIGHT];
    size_t count = list_children(left, last, children);
    for (size_t i = grammar_ends_from[state]; i < grammar_ends_from[state + 1]; i++) {
        const struct grammar_end *end = &grammar_ends[i];
        const struct sense *args[GRAMMAR_ARGS] = {NULL};
        struct sense made;
        for (size_t a = 0; a < GRAMMAR_ARGS; a++)
            if (end->args[a] >= 0 && (size_t)end->args[a] < count)
                args[a] = children[end->args[a]];
        c->act.cost = 0;
        c->act.imm = end->imm;
        c->act.place = (size_t)(cell - c->cells) / (c->places + 1);
        if (!grammar_act(&c->act, end->action, args, &made)) {
            if (!arena_ok(c->arena))
                return false;
            continue;
        }
        sense_seal(&made);
        if (!add(c, cell,
                 (struct edge){
                     .symbol = end->left, .cost = cost + end->cost + c->act.cost, .sense = &made}))
            return false;
    }
    return true;
}

/* A begun rule (NULL: none yet) goes on over a whole edge. */
static bool go_on(struct chart *c, struct cell *cell, const struct edge *left,
                  const struct edge *last)
{
    size_t state = left == NULL ? 0 : (size_t)left->state;
    int next = grammar_next[state * grammar_symbol_count + (size_t)last->symbol];
    int cost = last->cost + (left == NULL ? 0 : left->cost);
    if (next == 0)
        return true;
    return add(c, cell, (struct edge){.state = next, .cost = cost, .left = left, .last = last}) &&
           (grammar_ends_from[next] == grammar_ends_from[next + 1] ||
            end_rules(c, cell, next, left, last, cost));
}

/* All that begins at from and ends at to, shorter spans being done. */
static bool fill(struct chart *c, size_t from, size_t to)
{
    struct cell *cell = cell_at(c, from, to);
    for (size_t k = from + 1; k < to; k++)
        for (const struct edge *left = cell_at(c, from, k)->first; left != NULL;
             left = left->next) {
            if (left->symbol != SYMBOL_NONE || left->dead)
                continue;
            for (const struct edge *last = cell_at(c, k, to)->first; last != NULL;
                 last = last->next)
                if (last->symbol != SYMBOL_NONE && !last->dead && !go_on(c, cell, left, last))
                    return false;
        }
    for (const struct edge *e = cell->first; e != NULL; e = e->next)
        if (e->symbol != SYMBOL_NONE && !e->dead && !go_on(c, cell, NULL, e))
            return false;
    return true;
}

static void collect(struct chart *c, enum grammar_symbol goal, struct chart_result *result)
{
    const struct cell *cell = cell_at(c, 0, c->places);
    for (const struct edge *e = cell->first; e != NULL; e = e->next) {
        if (e->symbol != (int)goal || e->dead)
            continue;
        size_t at = result->count < CHART_READINGS ? result->count++ : CHART_READINGS - 1;
        while (at > 0 && result->readings[at - 1].cost > e->cost) {
            result->readings[at] = result->readings[at - 1];
            at--;
        }
        result->readings[at] = (struct chart_reading){e->sense, e->cost};
    }
    result->edges = c->edges;
    result->spent = c->spent;
}

static bool is_known(const struct cell *cell)
{
    for (const struct edge *e = cell->first; e != NULL; e = e->next)
        if (e->symbol != SYMBOL_WORD)
            return true;
    return false;
}

static bool has_goal(const struct cell *cell, enum grammar_symbol goal)
{
    for (const struct edge *e = cell->first; e != NULL; e = e->next)
        if (e->symbol == (int)goal && !e->dead)
            return true;
    return false;
}

static struct str text_of(const struct lattice *lattice, size_t from, size_t to)
{
    const struct str first = lattice->tokens[from]->text, last = lattice->tokens[to - 1]->text;
    return last.at < first.at ? first : str_make(first.at, (size_t)(last.at + last.len - first.at));
}

/* The longest beginning that is a question of several words. */
static void find_readable(struct chart *c, const struct lattice *lattice, enum grammar_symbol goal,
                          struct chart_result *result)
{
    for (size_t to = c->places; to-- > 2;)
        if (has_goal(cell_at(c, 0, to), goal)) {
            result->readable = text_of(lattice, 0, to);
            result->rest = text_of(lattice, to, c->places);
            return;
        }
}

/* How far the question is understood from its beginning. */
static void find_gap(struct chart *c, const struct lattice *lattice, struct chart_result *result)
{
    size_t far = 0;
    for (size_t to = 1; to <= c->places; to++)
        if (is_known(cell_at(c, 0, to)))
            far = to;
    result->cut_short = lattice->ends_in_word && far + 1 >= c->places;
    if (far < c->places && !result->cut_short)
        result->lost = lattice->tokens[far]->text;
}

enum err_code chart_parse(struct arena *arena, const struct lexicon *lexicon, int32_t today,
                          const struct lattice *lattice, enum grammar_symbol goal,
                          struct chart_result *result)
{
    struct chart c = {.arena = arena,
                      .act = {.arena = arena, .lexicon = lexicon, .today = today},
                      .places = lattice->count};
    *result = (struct chart_result){.count = 0, .unknown = lattice->unknown};
    if (lattice->count == 0)
        return ERR_OK;
    size_t width = lattice->count + 1;
    c.cells = arena_array(arena, width * width, sizeof *c.cells);
    if (c.cells == NULL)
        return ERR_NO_MEMORY;
    for (size_t i = 0; i < width * width; i++)
        c.cells[i].end = &c.cells[i].first;
    for (const struct lattice_edge *e = lattice->edges; e != NULL; e = e->next)
        if (!add(&c, cell_at(&c, e->from, e->to),
                 (struct edge){.symbol = e->symbol, .cost = e->cost, .sense = e->sense}))
            return ERR_NO_MEMORY;
    for (size_t length = 1; length <= c.places; length++)
        for (size_t from = 0; from + length <= c.places; from++)
            if (!fill(&c, from, from + length))
                return ERR_NO_MEMORY;
    collect(&c, goal, result);
    if (result->count == 0) {
        find_gap(&c, lattice, result);
        find_readable(&c, lattice, goal, result);
    }
    return ERR_OK;
}

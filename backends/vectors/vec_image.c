/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_image.c - images that share rows, each with its own count and its own dead.
 *
 * Happy path: grow copies the table of collections and the bits of the dead; rows are appended,
 * counted in, some buried; the image is published. Failure: an image that was not published is
 * unref'd; rows it appended are beyond every published count and are written over. */
#include "backends/vectors/vec_image.h"

#include <string.h>

#include "core/base/mem.h"

enum { GROWTH = 64, COMPACT_AT_LEAST = 1024 };

/* Tables and dead bits: collections are few, bits an eighth of a byte per row. */
static const size_t arena_bytes = (size_t)256 << 20;

static enum err_code no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "no memory for the collections of vectors");
}

static size_t words_of(size_t bits)
{
    return (bits + 63) / 64;
}

struct vec_image *vec_image_grow(const struct vec_image *old)
{
    struct vec_image *image = mem_zalloc(1, sizeof *image);
    if (image == NULL)
        return NULL;
    atomic_init(&image->holders, 1);
    arena_init(&image->arena, arena_bytes);
    image->room = (old == NULL ? 0 : old->count) + GROWTH;
    image->collections = arena_array(&image->arena, image->room, sizeof *image->collections);
    for (size_t i = 0; old != NULL && arena_ok(&image->arena) && i < old->count; i++) {
        const struct vec_collection *from = &old->collections[i];
        struct vec_collection *to = &image->collections[i];
        *to = *from;
        to->name = arena_str(&image->arena, from->name);
        to->model = arena_str(&image->arena, from->model);
        to->dead = arena_array(&image->arena, words_of(from->dead_bits), sizeof *to->dead);
        if (!arena_ok(&image->arena))
            break;
        if (from->dead_bits > 0)
            memcpy(to->dead, from->dead, words_of(from->dead_bits) * sizeof *to->dead);
        to->rows->count = from->count; /* what an unpublished image appended is void */
        to->rows->name_count = from->name_count;
        vec_rows_ref(to->rows);
        hnsw_ref(to->index);
        image->count++;
    }
    if (!arena_ok(&image->arena)) {
        vec_image_unref(image);
        return NULL;
    }
    if (old != NULL) {
        image->last_passage = old->last_passage;
        image->last_removed = old->last_removed;
        image->store = old->store;
    }
    return image;
}

struct vec_image *vec_image_ref(struct vec_image *image)
{
    if (image != NULL)
        atomic_fetch_add_explicit(&image->holders, 1, memory_order_relaxed);
    return image;
}

void vec_image_unref(struct vec_image *image)
{
    if (image == NULL || atomic_fetch_sub_explicit(&image->holders, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < image->count; i++) {
        hnsw_unref(image->collections[i].index);
        vec_rows_unref(image->collections[i].rows);
    }
    arena_fini(&image->arena);
    mem_free(image);
}

const struct vec_collection *vec_image_find(const struct vec_image *image, struct str name)
{
    for (size_t i = 0; i < image->count; i++)
        if (str_equal(image->collections[i].name, name))
            return &image->collections[i];
    return NULL;
}

struct vec_collection *vec_image_find_id(struct vec_image *image, int64_t id)
{
    for (size_t i = 0; i < image->count; i++)
        if (image->collections[i].id == id)
            return &image->collections[i];
    return NULL;
}

/* A larger table: rare, what it replaces stays in the arena. */
static bool make_room(struct vec_image *image)
{
    if (image->count < image->room)
        return true;
    size_t room = image->room * 2;
    struct vec_collection *larger = arena_array(&image->arena, room, sizeof *larger);
    if (larger == NULL)
        return false;
    memcpy(larger, image->collections, image->count * sizeof *larger);
    image->collections = larger;
    image->room = room;
    return true;
}

enum err_code vec_image_add(struct vec_image *image, const struct vec_collection *like,
                            size_t dimensions, struct err *err)
{
    struct vec_rows *rows = make_room(image) ? vec_rows_create(dimensions) : NULL;
    if (rows == NULL)
        return no_memory(err);
    struct vec_collection *to = &image->collections[image->count++];
    *to = (struct vec_collection){.id = like->id,
                                  .name = arena_str(&image->arena, like->name),
                                  .model = arena_str(&image->arena, like->model),
                                  .rows = rows,
                                  .is_listed = like->is_listed};
    return arena_ok(&image->arena) ? ERR_OK : no_memory(err);
}

void vec_image_drop(struct vec_image *image, struct vec_collection *collection)
{
    hnsw_unref(collection->index);
    vec_rows_unref(collection->rows);
    *collection = image->collections[--image->count];
}

void vec_image_settle(struct vec_image *image)
{
    for (size_t i = 0; i < image->count; i++) {
        struct vec_collection *collection = &image->collections[i];
        collection->count = collection->rows->count;
        collection->name_count = collection->rows->name_count;
    }
}

/* The row of a passage, or count: ids rise with the rows. */
static size_t find_row(const struct vec_collection *collection, int64_t passage)
{
    size_t low = 0, high = collection->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (vec_rows_id(collection->rows, middle) < passage)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < collection->count && vec_rows_id(collection->rows, low) == passage;
    return found ? low : collection->count;
}

static enum err_code bury_row(struct vec_image *image, struct vec_collection *collection,
                              size_t index, struct err *err)
{
    if (index >= collection->dead_bits) {
        uint64_t *bits = arena_array(&image->arena, words_of(collection->count), sizeof *bits);
        if (bits == NULL)
            return no_memory(err);
        if (collection->dead_bits > 0)
            memcpy(bits, collection->dead, words_of(collection->dead_bits) * sizeof *bits);
        collection->dead = bits;
        collection->dead_bits = collection->count;
    }
    uint64_t bit = UINT64_C(1) << (index % 64);
    collection->dead_count += (collection->dead[index / 64] & bit) == 0;
    collection->dead[index / 64] |= bit;
    return ERR_OK;
}

enum err_code vec_image_bury(struct vec_image *image, int64_t passage, struct err *err)
{
    for (size_t i = 0; i < image->count; i++) {
        size_t index = find_row(&image->collections[i], passage);
        if (index < image->collections[i].count)
            return bury_row(image, &image->collections[i], index, err);
    }
    return ERR_OK;
}

static enum err_code compact(struct vec_collection *collection, struct err *err)
{
    struct vec_rows *rows = vec_rows_create(collection->rows->dimensions);
    enum err_code code = rows == NULL ? no_memory(err) : ERR_OK;
    for (size_t i = 0; i < collection->count && code == ERR_OK; i++)
        if (!vec_collection_is_dead(collection, i))
            code = vec_rows_copy(rows, collection->rows, i, collection->name_count, err);
    if (code != ERR_OK) {
        vec_rows_unref(rows);
        return code;
    }
    hnsw_unref(collection->index); /* of rows that are no more */
    vec_rows_unref(collection->rows);
    collection->index = NULL;
    collection->rows = rows;
    collection->count = rows->count;
    collection->name_count = rows->name_count;
    collection->dead_count = collection->dead_bits = 0;
    return ERR_OK;
}

enum err_code vec_image_compact(struct vec_image *image, struct err *err)
{
    enum err_code code = ERR_OK;
    for (size_t i = 0; i < image->count && code == ERR_OK; i++) {
        struct vec_collection *collection = &image->collections[i];
        if (collection->dead_count >= COMPACT_AT_LEAST &&
            collection->dead_count > collection->count / 4)
            code = compact(collection, err);
    }
    return code;
}

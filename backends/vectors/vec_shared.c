/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_shared.c - one image, two locks.
 *
 * Happy path: refresh holds the making lock while it reads the file; the short lock guards the
 * pointer, the clock and the count of writes. Failure: the image in use stays, and stays as old as
 * it was. */
#include "backends/vectors/vec_shared.h"

#include <pthread.h>
#include <string.h>

#include "backends/vectors/hnsw.h"
#include "backends/vectors/sqlite_vectors.h"
#include "backends/vectors/vec_index.h"
#include "core/base/mem.h"
#include "core/loop/loop.h"

enum { DEFAULT_POLL_MS = 1000, SLICE_NS = 20 * 1000 * 1000 };

struct vec_shared {
    atomic_size_t holders;
    atomic_uint_fast64_t writes;
    uint64_t poll_ns;
    size_t index_from;
    atomic_bool indexing;   /* somebody builds an index */
    pthread_mutex_t making; /* held while an image is made: seconds, at worst */
    pthread_mutex_t lock;   /* held for a few instructions; guards what follows */
    struct vec_image *image;
    uint64_t looked_ns, seen_writes;
    char path[];
};

struct vec_shared *vec_shared_create(const char *path, uint64_t poll_ms)
{
    size_t bytes = strlen(path) + 1;
    struct vec_shared *shared = mem_zalloc(1, sizeof *shared + bytes);
    if (shared == NULL)
        return NULL;
    memcpy(shared->path, path, bytes);
    shared->poll_ns = (poll_ms == 0 ? DEFAULT_POLL_MS : poll_ms) * UINT64_C(1000000);
    atomic_init(&shared->holders, 1);
    atomic_init(&shared->writes, 0);
    atomic_init(&shared->indexing, false);
    shared->index_from = VEC_INDEX_ROWS;
    CHECK(pthread_mutex_init(&shared->making, NULL) == 0);
    CHECK(pthread_mutex_init(&shared->lock, NULL) == 0);
    return shared;
}

struct vec_shared *vec_shared_ref(struct vec_shared *shared)
{
    atomic_fetch_add_explicit(&shared->holders, 1, memory_order_relaxed);
    return shared;
}

void vec_shared_unref(struct vec_shared *shared)
{
    if (shared == NULL || atomic_fetch_sub_explicit(&shared->holders, 1, memory_order_acq_rel) > 1)
        return;
    vec_image_unref(shared->image);
    pthread_mutex_destroy(&shared->making);
    pthread_mutex_destroy(&shared->lock);
    mem_free(shared);
}

const char *vec_shared_path(const struct vec_shared *shared)
{
    return shared->path;
}

struct vec_image *vec_shared_take(struct vec_shared *shared)
{
    pthread_mutex_lock(&shared->lock);
    struct vec_image *image = vec_image_ref(shared->image);
    pthread_mutex_unlock(&shared->lock);
    return image;
}

bool vec_shared_is_fresh(struct vec_shared *shared)
{
    uint64_t now = loop_precise_ns(), writes = atomic_load(&shared->writes);
    pthread_mutex_lock(&shared->lock);
    bool fresh = shared->image != NULL && shared->seen_writes == writes &&
                 now - shared->looked_ns < shared->poll_ns;
    pthread_mutex_unlock(&shared->lock);
    return fresh;
}

void vec_shared_note_write(struct vec_shared *shared)
{
    atomic_fetch_add(&shared->writes, 1);
}

/* Publish fresh, which shows the file as seen at begin after as many writes; NULL: the image in use
 * shows that already. */
static void publish(struct vec_shared *shared, struct vec_image *fresh, uint64_t begin,
                    uint64_t writes)
{
    pthread_mutex_lock(&shared->lock);
    struct vec_image *old = fresh == NULL ? NULL : shared->image;
    if (fresh != NULL)
        shared->image = fresh;
    shared->looked_ns = begin;
    shared->seen_writes = writes;
    pthread_mutex_unlock(&shared->lock);
    vec_image_unref(old);
}

void vec_shared_index_from(struct vec_shared *shared, size_t rows)
{
    shared->index_from = rows == 0 ? VEC_INDEX_ROWS : rows;
}

bool vec_shared_wants_index(struct vec_shared *shared)
{
    struct vec_image *image = vec_shared_take(shared);
    bool wanted = image != NULL && !atomic_load(&shared->indexing) &&
                  vec_index_wanted(image, shared->index_from) != NULL;
    vec_image_unref(image);
    return wanted;
}

/* Put a finished index into the image of now, if its rows are still in there. */
static enum err_code publish_index(struct vec_shared *shared, struct hnsw *index, struct err *err)
{
    pthread_mutex_lock(&shared->making);
    struct vec_image *old = vec_shared_take(shared);
    struct vec_image *fresh = vec_image_grow(old);
    for (size_t i = 0; fresh != NULL && i < fresh->count; i++) {
        struct vec_collection *collection = &fresh->collections[i];
        if (collection->rows != hnsw_rows(index))
            continue;
        hnsw_unref(collection->index);
        collection->index = hnsw_ref(index);
    }
    if (fresh != NULL) {
        pthread_mutex_lock(&shared->lock);
        shared->image = fresh;
        pthread_mutex_unlock(&shared->lock);
        vec_image_unref(old); /* what the pointer held */
    }
    vec_image_unref(old);
    pthread_mutex_unlock(&shared->making);
    return fresh == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the index of a collection")
                         : ERR_OK;
}

/* ---- indexes and their files ---- */

static struct hnsw_place place_of(const struct vec_shared *shared, const struct vec_image *image,
                                  const struct vec_collection *collection)
{
    return (struct hnsw_place){shared->path, image->store, collection->id};
}

/* An index that cannot be kept is built again after a restart, which is all that is lost. */
static void keep_index(struct vec_shared *shared, const struct hnsw *index)
{
    struct err err;
    struct vec_image *image = vec_shared_take(shared);
    int64_t *ids = mem_alloc((image->count + 1) * sizeof *ids);
    for (size_t i = 0; ids != NULL && i < image->count; i++)
        ids[i] = image->collections[i].id;
    if (ids != NULL)
        hnsw_file_keep_only(shared->path, ids, image->count);
    mem_free(ids);
    for (size_t i = 0; i < image->count; i++) {
        const struct hnsw_place place = place_of(shared, image, &image->collections[i]);
        if (image->collections[i].rows == hnsw_rows(index) &&
            hnsw_file_save(index, &place, &err) != ERR_OK)
            break;
    }
    vec_image_unref(image);
}

/* From the file where there is one that will do, full; else empty. NULL: no memory. */
static struct hnsw *open_index(struct vec_shared *shared, const struct vec_image *image,
                               const struct vec_collection *wanted)
{
    struct err err;
    struct hnsw *index;
    const struct hnsw_place place = place_of(shared, image, wanted);
    if (wanted->index == NULL &&
        hnsw_file_load(&place, wanted->rows, wanted->count, &index, &err) == ERR_OK) {
        if (!vec_index_is_outgrown(wanted, hnsw_count(index)))
            return index;
        hnsw_unref(index);
    }
    return vec_index_begin(wanted);
}

/* The index that is wanted most, full or empty; NULL: none is, or somebody else is at it. */
static struct hnsw *begin_index(struct vec_shared *shared)
{
    bool nobody = false;
    struct vec_image *image = vec_shared_take(shared);
    const struct vec_collection *wanted =
        image == NULL ? NULL : vec_index_wanted(image, shared->index_from);
    struct hnsw *index = NULL;
    if (wanted != NULL && atomic_compare_exchange_strong(&shared->indexing, &nobody, true)) {
        index = open_index(shared, image, wanted);
        if (index == NULL)
            atomic_store(&shared->indexing, false);
    }
    vec_image_unref(image);
    return index;
}

void vec_shared_index_end(struct vec_shared *shared, struct hnsw **building)
{
    if (*building == NULL)
        return;
    hnsw_unref(*building);
    *building = NULL;
    atomic_store(&shared->indexing, false);
}

enum err_code vec_shared_index(struct vec_shared *shared, const atomic_bool *stop,
                               struct hnsw **building, bool *more, struct err *err)
{
    bool done = false;
    *more = false;
    if (*building == NULL)
        *building = begin_index(shared);
    if (*building == NULL)
        return ERR_OK;
    bool is_new = !hnsw_is_full(*building);
    enum err_code code = vec_index_build(*building, SLICE_NS, stop, &done, err);
    if (code == ERR_OK && done)
        code = publish_index(shared, *building, err);
    if (code == ERR_OK && done && is_new)
        keep_index(shared, *building);
    *more = code == ERR_OK && !done && !atomic_load(stop);
    if (!*more)
        vec_shared_index_end(shared, building);
    return code;
}

enum err_code vec_shared_refresh(struct vec_shared *shared, struct sqlite3 *db, struct err *err)
{
    struct vec_image *fresh;
    pthread_mutex_lock(&shared->making);
    uint64_t begin = loop_precise_ns(), writes = atomic_load(&shared->writes);
    struct vec_image *old = vec_shared_take(shared);
    enum err_code code = sqlite_vectors_refresh(db, old, &fresh, err);
    if (code == ERR_OK)
        publish(shared, fresh, begin, writes);
    vec_image_unref(old);
    pthread_mutex_unlock(&shared->making);
    return code;
}

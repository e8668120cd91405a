/* SPDX-License-Identifier: MIT */
/* backends/vec_shared.c - one image, two locks.
 *
 * Happy path: refresh holds the making lock while it reads the file; the short lock guards the
 * pointer, the clock and the count of writes. Failure: the image in use stays, and stays as old as
 * it was. */
#include "backends/vec_shared.h"

#include <pthread.h>
#include <string.h>

#include "backends/sqlite_vectors.h"
#include "core/base/mem.h"
#include "core/loop.h"

enum { DEFAULT_POLL_MS = 1000 };

struct vec_shared {
    atomic_size_t holders;
    atomic_uint_fast64_t writes;
    uint64_t poll_ns;
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

/* What was seen at begin, with as many writes; fresh: NULL when it is what there was. */
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

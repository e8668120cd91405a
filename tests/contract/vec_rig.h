/* SPDX-License-Identifier: MIT */
/* tests/contract/vec_rig.h - every implementation of vec, driven by the same tests.
 *
 *   VEC_TEST(a_point_is_found)
 *   {
 *       vec_rig_put(f, "docs", &point, 1);
 *       VEC_CODE(f, "found", vec_rig_find(f, "docs", 0, 10, NULL, 0), ERR_OK);
 *   }
 * is a cmocka test of the store that ASKD_TEST_STORE names (default: local), with a place of its
 * own (a file, a database). A new store is a line in vec_rig_stores. */
#ifndef TESTS_CONTRACT_VEC_RIG_H
#define TESTS_CONTRACT_VEC_RIG_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backends/vectors/vec_chroma.h"
#include "backends/vectors/vec_local.h"
#include "backends/vectors/vec_pg.h"
#include "backends/vectors/vec_qdrant.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

enum { VEC_RIG_DIMENSIONS = 8, VEC_RIG_PLACE = 256, VEC_RIG_PATIENCE_MS = 600000 };

#define VEC_RIG_MODEL STR("test-1")

struct vec_rig_store {
    const char *name; /* in failures */
    /* Make an empty place, write how to find it into place; and remove it. */
    void (*make)(char *place);
    void (*drop)(const char *place);
    /* One more vec on a place. NULL: no memory. */
    struct vec *(*open)(struct loop *loop, const char *place);
    bool keeps_whole; /* a change holds whole or not at all */
    bool rests;       /* a moment, after it could not make a connection, before the next */
};

struct vec_rig {
    struct rig rig;
    const struct vec_rig_store *store;
    char place[VEC_RIG_PLACE];
    struct vec *vec;
    struct vec_search search;
    struct vec_write write;
    struct passage_filter filters[PASSAGE_MAX_FILTERS];
    struct vec_query query;
    float vector[VEC_MAX_DIMENSIONS];
};

/* ---- the stores ---- */

static inline void vec_rig_make_file(char *place)
{
    struct sqlite_file file;
    sqlite_file_name(&file);
    snprintf(place, VEC_RIG_PLACE, "%s", file.path);
}

static inline void vec_rig_drop_file(const char *place)
{
    struct sqlite_file file = {0};
    snprintf(file.path, sizeof file.path, "%.95s", place);
    snprintf(file.folder, sizeof file.folder, "%.*s", (int)(strrchr(place, '/') - place), place);
    sqlite_file_remove(&file);
}

static inline struct vec *vec_rig_open_local(struct loop *loop, const char *place)
{
    struct vec_shared *shared = vec_shared_create(place, 1);
    struct vec *vec = shared == NULL ? NULL : vec_local_create(loop, shared);
    vec_shared_unref(shared);
    return vec;
}

/* Where the fixture's server of this name is; false: there is none. */
static inline bool vec_rig_server(const char *name, char url[VEC_RIG_PLACE])
{
    char path[1024];
    const char *folder = getenv("ASKD_TEST_SERVERS");
    snprintf(path, sizeof path, "%s/%s.url", folder == NULL ? "" : folder, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    bool is_there = fgets(url, VEC_RIG_PLACE, file) != NULL;
    url[strcspn(url, "\n")] = '\0';
    fclose(file);
    return is_there;
}

static inline void vec_rig_run(const char *command)
{
    if (system(command) != 0)
        fail_msg("it failed: %s", command);
}

static inline void vec_rig_make_chroma(char *place)
{
    static unsigned count;
    char url[VEC_RIG_PLACE], command[2 * VEC_RIG_PLACE];
    assert_true(vec_rig_server("chroma", url));
    int name = (int)getpid();
    snprintf(command, sizeof command,
             "curl -fsS -o /dev/null -H 'Content-Type: application/json' "
             "-d '{\"name\":\"askd-%d-%u\"}' %s/api/v2/tenants/default_tenant/databases",
             name, ++count, url);
    vec_rig_run(command);
    snprintf(place, VEC_RIG_PLACE, "chroma:%.200s/default_tenant/askd-%d-%u", url, name, count);
}

/* It goes with the server's folder. */
static inline void vec_rig_drop_nothing(const char *place)
{
    (void)place;
}

static inline struct vec *vec_rig_open_chroma(struct loop *loop, const char *place)
{
    return vec_chroma_create(loop, str_of(place));
}

/* Qdrant has one place for all: what an earlier test left goes. */
static inline void vec_rig_make_qdrant(char *place)
{
    char url[VEC_RIG_PLACE], command[4 * VEC_RIG_PLACE];
    assert_true(vec_rig_server("qdrant", url));
    char *key = strchr(url, '@');
    assert_non_null(key);
    snprintf(place, VEC_RIG_PLACE, "qdrant:%.200s", url);
    *key = '\0';
    snprintf(command, sizeof command,
             "ask() { curl -fsS -H 'api-key: %s' \"$@\"; }; all=http://%s/collections; ask $all |"
             " tr '{}' '\\n' | sed -n 's/^\"name\":\"\\([^\"]*\\)\".*/\\1/p' |"
             " while read -r name; do ask -o /dev/null -X DELETE $all/$name; done",
             url + strlen("http://:"), key + 1);
    vec_rig_run(command);
}

static inline struct vec *vec_rig_open_qdrant(struct loop *loop, const char *place)
{
    return vec_qdrant_create(loop, str_of(place));
}

/* One database for all, too: what an earlier test left goes, the extension included. */
static inline void vec_rig_make_pgvector(char *place)
{
    char command[2 * VEC_RIG_PLACE];
    assert_true(vec_rig_server("pgvector", place));
    snprintf(command, sizeof command,
             "psql -X -q -v ON_ERROR_STOP=1 '%s' -c 'SET client_min_messages = warning'"
             " -c 'DROP SCHEMA public CASCADE' -c 'CREATE SCHEMA public'",
             place);
    vec_rig_run(command);
}

static inline struct vec *vec_rig_open_pgvector(struct loop *loop, const char *place)
{
    struct err err;
    return vec_pg_create(loop, place, &err);
}

static const struct vec_rig_store vec_rig_stores[] = {
    {"local", vec_rig_make_file, vec_rig_drop_file, vec_rig_open_local, true, false},
    {"chroma", vec_rig_make_chroma, vec_rig_drop_nothing, vec_rig_open_chroma, false, false},
    {"qdrant", vec_rig_make_qdrant, vec_rig_drop_nothing, vec_rig_open_qdrant, false, false},
    {"pgvector", vec_rig_make_pgvector, vec_rig_drop_nothing, vec_rig_open_pgvector, true, true},
};

/* The one that this process is to test. */
static inline const struct vec_rig_store *vec_rig_store(void)
{
    const char *name = getenv("ASKD_TEST_STORE");
    TEST_EACH(store, vec_rig_stores) {
        if (strcmp(store->name, name == NULL ? "local" : name) == 0)
            return store;
    }
    fail_msg("ASKD_TEST_STORE: no store '%s'", name);
    return NULL;
}

/* Run all tests; 77: the store needs a server that is not here. */
static inline int vec_rig_main(const struct CMUnitTest *tests, size_t count)
{
    const char *name = getenv("ASKD_TEST_STORE");
    char url[VEC_RIG_PLACE];
    if (name != NULL && strcmp(name, "local") != 0 && !vec_rig_server(name, url))
        return 77;
    return _cmocka_run_group_tests("vec", tests, count, NULL, NULL);
}

/* ---- one test's ---- */

static inline void vec_rig_begin(struct vec_rig *f, const struct vec_rig_store *store)
{
    *f = (struct vec_rig){.store = store};
    store->make(f->place);
    rig_begin(&f->rig);
    f->vec = store->open(f->rig.loop, f->place);
    assert_non_null(f->vec);
}

static inline void vec_rig_end(struct vec_rig *f)
{
    op_release(&f->search.op);
    op_release(&f->write.op);
    if (f->vec != NULL)
        vec_close(f->vec, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT(f->store->name, f->rig.closed_calls, f->vec != NULL);
    f->store->drop(f->place);
}

static inline void vec_rig_wait(struct vec_rig *f, struct op *op)
{
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(op); run++)
        loop_run(f->rig.loop);
    EXPECT_TRUE(f->store->name, !op_is_pending(op));
}

/* One change on vec, waited for. */
static inline enum err_code vec_rig_change(struct vec_rig *f, struct vec *vec,
                                           const struct vec_change *change)
{
    struct vec_change patient = *change;
    patient.timeout_ms = patient.timeout_ms == 0 ? VEC_RIG_PATIENCE_MS : patient.timeout_ms;
    op_release(&f->write.op);
    unsigned before = f->rig.done_calls;
    vec_write_start(&f->write, vec, &patient, rig_waiter(&f->rig));
    EXPECT_INT("done inside start", f->rig.done_calls, before);
    vec_rig_wait(f, &f->write.op);
    return f->write.op.err.code;
}

static inline enum err_code vec_rig_put(struct vec_rig *f, const char *collection,
                                        const struct vec_point *points, size_t count)
{
    return vec_rig_change(f, f->vec,
                          &(struct vec_change){.collection = str_of(collection),
                                               .model = VEC_RIG_MODEL,
                                               .dimensions = VEC_RIG_DIMENSIONS,
                                               .upsert = points,
                                               .upsert_count = count});
}

/* One query on vec, waited for; its result is in f->search until the next. */
static inline enum err_code vec_rig_ask(struct vec_rig *f, struct vec *vec,
                                        const struct vec_query *query)
{
    op_release(&f->search.op);
    f->query = *query;
    f->query.timeout_ms = query->timeout_ms == 0 ? VEC_RIG_PATIENCE_MS : query->timeout_ms;
    unsigned before = f->rig.done_calls;
    vec_search_start(&f->search, vec, &f->query, rig_waiter(&f->rig));
    EXPECT_INT("done inside start", f->rig.done_calls, before);
    vec_rig_wait(f, &f->search.op);
    return f->search.op.err.code;
}

/* What is nearest to the direction at angle, in the plane of the first two numbers. */
static inline enum err_code vec_rig_find(struct vec_rig *f, const char *collection, double angle,
                                         size_t top_k, const struct passage_filter *filters,
                                         size_t filter_count)
{
    memset(f->vector, 0, sizeof f->vector);
    f->vector[0] = (float)cos(angle);
    f->vector[1] = (float)sin(angle);
    return vec_rig_ask(f, f->vec,
                       &(struct vec_query){.collection = str_of(collection),
                                           .model = VEC_RIG_MODEL,
                                           .vector = f->vector,
                                           .dimensions = VEC_RIG_DIMENSIONS,
                                           .top_k = top_k,
                                           .filters = filters,
                                           .filter_count = filter_count});
}

/* The ids found, in order, with blanks between. */
static inline struct str vec_rig_ids(struct vec_rig *f)
{
    static char text[4096];
    size_t len = 0;
    for (size_t i = 0; i < f->search.hit_count && len < sizeof text; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s", i == 0 ? "" : " ",
                                STR_ARG(f->search.hits[i].passage.id));
    return str_make(text, size_min(len, sizeof text - 1));
}

/* Points at angles in the plane of the first two numbers. */
enum { VEC_RIG_FIELDS = 4 };
struct vec_rig_point {
    const char *id, *text, *names[VEC_RIG_FIELDS], *values[VEC_RIG_FIELDS];
    double angle;
};
struct vec_rig_made {
    float vector[VEC_RIG_DIMENSIONS];
    struct passage_field fields[VEC_RIG_FIELDS];
};

static inline void vec_rig_make_point(const struct vec_rig_point *from, struct vec_rig_made *room,
                                      struct vec_point *point)
{
    *room = (struct vec_rig_made){.vector = {(float)cos(from->angle), (float)sin(from->angle)}};
    *point = (struct vec_point){
        .passage = {.id = str_of(from->id), .text = str_of(from->text), .fields = room->fields},
        .vector = room->vector};
    for (size_t i = 0; i < VEC_RIG_FIELDS && from->names[i] != NULL; i++)
        room->fields[point->passage.field_count++] =
            (struct passage_field){str_of(from->names[i]), str_of(from->values[i])};
}

static inline enum err_code vec_rig_put_table(struct vec_rig *f, const char *collection,
                                              const struct vec_rig_point *table, size_t count)
{
    static struct vec_rig_made made[VEC_MAX_POINTS];
    static struct vec_point points[VEC_MAX_POINTS];
    for (size_t i = 0; i < count; i++)
        vec_rig_make_point(&table[i], &made[i], &points[i]);
    return vec_rig_put(f, collection, points, count);
}

/* Demand a code, with the store, the case and what was said in the failure. */
#define VEC_CODE(f, what, got, want)                                                               \
    do {                                                                                           \
        enum err_code code_ = (got);                                                               \
        if (code_ != (want))                                                                       \
            fail_msg("%s: %s: got %s (%s%s), want %s", (f)->store->name, (what), err_name(code_),  \
                     (f)->search.op.err.text, (f)->write.op.err.text, err_name(want));             \
    } while (0)

#define VEC_TEST(test)                                                                             \
    static void test##_on(struct vec_rig *f);                                                      \
    TEST(test)                                                                                     \
    {                                                                                              \
        static struct vec_rig f;                                                                   \
        vec_rig_begin(&f, vec_rig_store());                                                        \
        test##_on(&f);                                                                             \
        vec_rig_end(&f);                                                                           \
    }                                                                                              \
    static void test##_on(struct vec_rig *f)

#endif

/* SPDX-License-Identifier: MIT */
/* tests/contract/text_rig.h - every implementation of text, driven by the same tests.
 *
 * As vec_rig.h: TEXT_TEST tests the store that ASKD_TEST_STORE names (default: fts5), with a place
 * of its own. A new store is a line in text_rig_stores. */
#ifndef TESTS_CONTRACT_TEXT_RIG_H
#define TESTS_CONTRACT_TEXT_RIG_H

#include <stdio.h>
#include <unistd.h>

#include "backends/words/text_pg.h"
#include "backends/words/text_sqlite.h"
#include "tests/lib/test_server.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

enum { TEXT_RIG_PLACE = 256, TEXT_RIG_PATIENCE_MS = 600000, TEXT_RIG_FIELDS = 4 };

struct text_rig_store {
    const char *name; /* in failures */
    /* Make an empty place, write how to find it into place; and remove it. */
    void (*make)(char *place);
    void (*drop)(const char *place);
    /* One more text on a place. NULL: no memory. */
    struct text *(*open)(struct loop *loop, const char *place);
};

struct text_rig {
    struct rig rig;
    const struct text_rig_store *store;
    char place[TEXT_RIG_PLACE];
    struct text *text;
    struct text_search search;
    struct text_write write;
    struct text_query query;
};

struct text_rig_passage {
    const char *id, *text, *names[TEXT_RIG_FIELDS], *values[TEXT_RIG_FIELDS];
};

/* ---- the stores ---- */

static inline void text_rig_make_file(char *place)
{
    struct sqlite_file file;
    sqlite_file_name(&file);
    snprintf(place, TEXT_RIG_PLACE, "%s", file.path);
}

static inline void text_rig_drop_file(const char *place)
{
    struct sqlite_file file = {0};
    snprintf(file.path, sizeof file.path, "%.95s", place);
    snprintf(file.folder, sizeof file.folder, "%.*s", (int)(strrchr(place, '/') - place), place);
    sqlite_file_remove(&file);
}

static inline void text_rig_make_postgres(char *place)
{
    static unsigned count;
    char name[64];
    snprintf(name, sizeof name, "text_%d_%u", (int)getpid(), ++count);
    test_server_create("postgres", name, "", place, TEXT_RIG_PLACE);
}

static inline void text_rig_drop_postgres(const char *place)
{
    test_server_drop("postgres", strrchr(place, '/') + 1);
}

static inline struct text *text_rig_open_postgres(struct loop *loop, const char *place)
{
    struct err err;
    return text_pg_create(loop, place, &err);
}

static const struct text_rig_store text_rig_stores[] = {
    {"fts5", text_rig_make_file, text_rig_drop_file, text_sqlite_create},
    {"postgresql", text_rig_make_postgres, text_rig_drop_postgres, text_rig_open_postgres},
};

/* The one that this process is to test. */
static inline const struct text_rig_store *text_rig_store(void)
{
    const char *name = getenv("ASKD_TEST_STORE");
    TEST_EACH(store, text_rig_stores) {
        if (strcmp(store->name, name == NULL ? "fts5" : name) == 0)
            return store;
    }
    fail_msg("ASKD_TEST_STORE: no store '%s'", name);
    return NULL;
}

/* ---- one test's ---- */

static inline void text_rig_begin(struct text_rig *f, const struct text_rig_store *store)
{
    *f = (struct text_rig){.store = store};
    store->make(f->place);
    rig_begin(&f->rig);
    f->text = store->open(f->rig.loop, f->place);
    assert_non_null(f->text);
}

static inline void text_rig_end(struct text_rig *f)
{
    op_release(&f->search.op);
    op_release(&f->write.op);
    if (f->text != NULL)
        text_close(f->text, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT(f->store->name, f->rig.closed_calls, f->text != NULL);
    f->store->drop(f->place);
}

static inline void text_rig_wait(struct text_rig *f, struct op *op)
{
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(op); run++)
        loop_run(f->rig.loop);
    EXPECT_TRUE(f->store->name, !op_is_pending(op));
}

/* One change, waited for. */
static inline enum err_code text_rig_change(struct text_rig *f, const struct text_change *change)
{
    struct text_change patient = *change;
    patient.timeout_ms = TEXT_RIG_PATIENCE_MS;
    op_release(&f->write.op);
    unsigned before = f->rig.done_calls;
    text_write_start(&f->write, f->text, &patient, rig_waiter(&f->rig));
    EXPECT_INT("done inside start", f->rig.done_calls, before);
    text_rig_wait(f, &f->write.op);
    return f->write.op.err.code;
}

static inline enum err_code text_rig_put(struct text_rig *f, const char *collection,
                                         const struct text_rig_passage *table, size_t count)
{
    static struct passage passages[TEXT_MAX_PASSAGES];
    static struct passage_field fields[TEXT_MAX_PASSAGES][TEXT_RIG_FIELDS];
    for (size_t i = 0; i < count; i++) {
        passages[i] = (struct passage){
            .id = str_of(table[i].id), .text = str_of(table[i].text), .fields = fields[i]};
        for (size_t j = 0; j < TEXT_RIG_FIELDS && table[i].names[j] != NULL; j++)
            fields[i][passages[i].field_count++] =
                (struct passage_field){str_of(table[i].names[j]), str_of(table[i].values[j])};
    }
    return text_rig_change(f, &(struct text_change){.collection = str_of(collection),
                                                    .upsert = passages,
                                                    .upsert_count = count});
}

/* One query, waited for; its result is in f->search until the next. */
static inline enum err_code text_rig_find(struct text_rig *f, const char *collection,
                                          struct str words, size_t top_k,
                                          const struct passage_filter *filters, size_t filter_count)
{
    op_release(&f->search.op);
    f->query = (struct text_query){.collection = str_of(collection),
                                   .words = words,
                                   .top_k = top_k,
                                   .filters = filters,
                                   .filter_count = filter_count,
                                   .timeout_ms = TEXT_RIG_PATIENCE_MS};
    unsigned before = f->rig.done_calls;
    text_search_start(&f->search, f->text, &f->query, rig_waiter(&f->rig));
    EXPECT_INT("done inside start", f->rig.done_calls, before);
    text_rig_wait(f, &f->search.op);
    return f->search.op.err.code;
}

/* The ids found, in order, with blanks between. */
static inline struct str text_rig_ids(struct text_rig *f)
{
    static char text[4096];
    size_t len = 0;
    for (size_t i = 0; i < f->search.hit_count && len < sizeof text; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s", i == 0 ? "" : " ",
                                STR_ARG(f->search.hits[i].passage.id));
    return str_make(text, size_min(len, sizeof text - 1));
}

/* Demand a code, with the store, the case and what was said in the failure. */
#define TEXT_CODE(f, what, got, want)                                                              \
    do {                                                                                           \
        enum err_code code_ = (got);                                                               \
        if (code_ != (want))                                                                       \
            fail_msg("%s: %s: got %s (%s%s), want %s", (f)->store->name, (what), err_name(code_),  \
                     (f)->search.op.err.text, (f)->write.op.err.text, err_name(want));             \
    } while (0)

#define TEXT_TEST(test)                                                                            \
    static void test##_on(struct text_rig *f);                                                     \
    TEST(test)                                                                                     \
    {                                                                                              \
        struct text_rig f;                                                                         \
        text_rig_begin(&f, text_rig_store());                                                      \
        test##_on(&f);                                                                             \
        text_rig_end(&f);                                                                          \
    }                                                                                              \
    static void test##_on(struct text_rig *f)

#endif

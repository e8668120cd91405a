/* SPDX-License-Identifier: MIT */
/* What is asked for twice, by one cache and by several over one file; files that are no use. */
#include "backends/models/embed_cache.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/fake_embed.h"
#include "tests/unit/backends/rig.h"

enum { MANY = 60 };

struct cache_rig {
    struct rig rig;
    struct fake_embed inner;
    struct embed *cache;
    struct embed_texts texts;
    struct embed_request request;
};

static void make_folder(char folder[64])
{
    snprintf(folder, 64, "/tmp/askd-embed-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"", "-wal", "-shm"};
    char path[128];
    TEST_EACH(name, names) {
        snprintf(path, sizeof path, "%s/embeddings.db%s", folder, *name);
        unlink(path);
    }
    rmdir(folder);
}

static void cache_rig_begin(struct cache_rig *f, const struct embed_cache_options *options)
{
    *f = (struct cache_rig){0};
    rig_begin(&f->rig);
    fake_embed_init(&f->inner, f->rig.loop);
    f->cache = embed_cache_create(f->rig.loop, &f->inner.embed, options);
    assert_non_null(f->cache);
}

static void cache_rig_end(struct cache_rig *f)
{
    op_release(&f->texts.op);
    embed_close(f->cache, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
}

static enum err_code ask(struct cache_rig *f, const struct str *texts, size_t count)
{
    unsigned before = f->rig.done_calls;
    f->request = (struct embed_request){.texts = texts, .count = count};
    embed_texts_start(&f->texts, f->cache, &f->request, rig_waiter(&f->rig));
    EXPECT_INT("never inside start", f->rig.done_calls, before);
    rig_wait("embed", &f->rig, before + 1);
    return f->rig.err.code;
}

/* Each row is what inner gives for that text. */
static void check_rows(const char *name, struct cache_rig *f, const struct str *texts, size_t count)
{
    size_t n = f->texts.dimensions;
    for (size_t i = 0; i < count; i++) {
        struct embed_texts one = {0};
        const struct embed_request request = {.texts = &texts[i], .count = 1};
        unsigned before = f->rig.done_calls;
        embed_texts_start(&one, &f->inner.embed, &request, rig_waiter(&f->rig));
        rig_wait(name, &f->rig, before + 1);
        EXPECT_INT(name, one.dimensions, n);
        assert_memory_equal(one.vectors, f->texts.vectors + i * n, n * sizeof(float));
        op_release(&one.op);
    }
    f->inner.calls = 0;
    f->inner.text_count = 0;
}

static const struct str abc[] = {STR("a tax"), STR("b crew"), STR("c order")};
static const struct str bcd[] = {STR("b crew"), STR("d invoice"), STR("c order"), STR("")};

TEST(only_the_rest_is_asked_for)
{
    char folder[64];
    struct cache_rig f;
    make_folder(folder);
    cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder});
    EXPECT_STR("model", embed_model(f.cache), STR("fake-1"));
    EXPECT_INT("first", ask(&f, abc, 3), ERR_OK);
    EXPECT_INT("all", f.inner.text_count, 3);
    EXPECT_INT("none were kept", f.texts.cached, 0);
    EXPECT_INT("billed", f.texts.tokens, 3);
    check_rows("first", &f, abc, 3);
    EXPECT_INT("second", ask(&f, bcd, 4), ERR_OK);
    EXPECT_INT("two are new", f.inner.text_count, 2);
    EXPECT_INT("two were kept", f.texts.cached, 2);
    EXPECT_INT("billed", f.texts.tokens, 2);
    check_rows("second", &f, bcd, 4);
    EXPECT_INT("third", ask(&f, bcd, 4), ERR_OK);
    EXPECT_INT("nothing is new", f.inner.calls, 0);
    EXPECT_INT("nothing is billed", f.texts.tokens, 0);
    EXPECT_INT("all were kept", f.texts.cached, 4);
    check_rows("third", &f, bcd, 4);
    cache_rig_end(&f);

    cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder});
    EXPECT_INT("another process", ask(&f, abc, 3), ERR_OK);
    EXPECT_INT("finds all in the file", f.inner.calls, 0);
    check_rows("another process", &f, abc, 3);
    f.inner.failure = ERR_UNAVAILABLE;
    EXPECT_INT("kept ones need no server", ask(&f, abc, 3), ERR_OK);
    const struct str news[] = {STR("news")};
    EXPECT_INT("inner's error", ask(&f, news, 1), ERR_UNAVAILABLE);
    cache_rig_end(&f);

    cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder});
    f.inner.embed.model = STR("fake-2");
    embed_close(f.cache, NULL, NULL);
    f.cache = embed_cache_create(f.rig.loop, &f.inner.embed,
                                 &(struct embed_cache_options){.folder = folder});
    EXPECT_INT("another model", ask(&f, abc, 3), ERR_OK);
    EXPECT_INT("finds nothing", f.inner.text_count, 3);
    cache_rig_end(&f);
    remove_folder(folder);
}

/* Many or long texts have their keys made by the job. */
TEST(long_texts)
{
    static char text[100000];
    char folder[64];
    struct cache_rig f;
    memset(text, 'x', sizeof text);
    const struct str texts[] = {str_make(text, sizeof text), STR("short")};
    make_folder(folder);
    cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder});
    EXPECT_INT("first", ask(&f, texts, 2), ERR_OK);
    EXPECT_INT("first", f.inner.text_count, 2);
    EXPECT_INT("second", ask(&f, texts, 2), ERR_OK);
    EXPECT_INT("kept", f.inner.text_count, 2);
    cache_rig_end(&f);
    remove_folder(folder);
}

/* A model that changed its dimensions under the same name. */
TEST(another_size)
{
    char folder[64];
    struct cache_rig f;
    make_folder(folder);
    cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder});
    EXPECT_INT("first", ask(&f, abc, 3), ERR_OK);
    cache_rig_end(&f);
    for (unsigned again = 0; again < 2; again++) {
        cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder});
        f.inner.dimensions = 100;
        EXPECT_INT("mixed", ask(&f, bcd, 4), ERR_OK);
        EXPECT_INT("mixed", f.texts.dimensions, 100);
        EXPECT_INT("asked for all, the second time for none", f.inner.text_count,
                   again == 0 ? 6 : 0);
        check_rows("mixed", &f, bcd, 4);
        cache_rig_end(&f);
    }
    remove_folder(folder);
}

static void write_file(const char *folder, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/embeddings.db", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (unsigned i = 0; i < 1000; i++)
        fputs(text, file);
    fclose(file);
}

/* Rows that are no vectors. */
static void spoil_rows(const char *folder)
{
    char path[128];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/embeddings.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "UPDATE embeddings SET vector = CASE rowid % 3 "
                                  "WHEN 0 THEN x'0102' WHEN 1 THEN zeroblob(0) "
                                  "ELSE CAST('ffffffffffffffff' AS BLOB) END",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
}

TEST(files_that_are_no_use)
{
    char folder[64], nowhere[128];
    struct cache_rig f;
    make_folder(folder);
    write_file(folder, "this is no database ");
    cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder});
    EXPECT_INT("corrupt", ask(&f, abc, 3), ERR_OK);
    check_rows("corrupt", &f, abc, 3);
    EXPECT_INT("memory still works", ask(&f, abc, 3), ERR_OK);
    EXPECT_INT("memory still works", f.inner.calls, 0);
    cache_rig_end(&f);
    remove_folder(folder);

    snprintf(nowhere, sizeof nowhere, "/dev/null/nowhere");
    cache_rig_begin(&f, &(struct embed_cache_options){.folder = nowhere});
    EXPECT_INT("no folder", ask(&f, abc, 3), ERR_OK);
    check_rows("no folder", &f, abc, 3);
    cache_rig_end(&f);

    make_folder(folder);
    cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder});
    EXPECT_INT("kept", ask(&f, abc, 3), ERR_OK);
    cache_rig_end(&f);
    spoil_rows(folder);
    cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder});
    EXPECT_INT("spoiled", ask(&f, abc, 3), ERR_OK);
    EXPECT_INT("asked for again", f.inner.text_count, 3);
    check_rows("spoiled", &f, abc, 3);
    cache_rig_end(&f);
    cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder});
    EXPECT_INT("mended", ask(&f, abc, 3), ERR_OK);
    EXPECT_INT("mended", f.inner.calls, 0);
    cache_rig_end(&f);
    remove_folder(folder);
}

/* The file stays near its bound; what was used last is still there. */
TEST(the_file_is_bounded)
{
    char folder[64], path[128], room[MANY][32];
    struct str texts[MANY];
    struct cache_rig f;
    struct stat stat_of;
    make_folder(folder);
    for (size_t i = 0; i < MANY; i++)
        texts[i] = str_make(room[i], (size_t)snprintf(room[i], 32, "text %zu", i));
    for (unsigned round = 0; round < 20; round++) {
        cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder, .file_bytes = 600000});
        for (size_t i = 0; i < MANY; i++)
            room[i][0] = (char)('a' + round);
        EXPECT_INT("kept", ask(&f, texts, MANY), ERR_OK);
        EXPECT_INT("all new", f.inner.text_count, MANY);
        cache_rig_end(&f);
    }
    snprintf(path, sizeof path, "%s/embeddings.db", folder);
    assert_int_equal(stat(path, &stat_of), 0);
    EXPECT_TRUE("bounded", stat_of.st_size < 1500000); /* of 5 MB that came */
    cache_rig_begin(&f, &(struct embed_cache_options){.folder = folder, .file_bytes = 600000});
    EXPECT_INT("the last", ask(&f, texts, MANY), ERR_OK);
    EXPECT_TRUE("some of the last are there", f.inner.text_count < MANY);
    cache_rig_end(&f);
    remove_folder(folder);
}

TEST(memory_is_bounded)
{
    char folder[64], room[MANY][32];
    struct cache_rig f;
    make_folder(folder);
    cache_rig_begin(&f, &(struct embed_cache_options){
                            .folder = folder, .memory_bytes = 20000, .file_bytes = 1});
    for (size_t i = 0; i < MANY; i++) {
        struct str text = str_make(room[i], (size_t)snprintf(room[i], 32, "text %zu", i));
        EXPECT_INT("kept", ask(&f, &text, 1), ERR_OK);
        EXPECT_INT("and there at once", ask(&f, &text, 1), ERR_OK);
        EXPECT_INT("and there at once", f.texts.cached, 1);
    }
    EXPECT_INT("each once", f.inner.calls, MANY);
    cache_rig_end(&f);
    remove_folder(folder);
}

RUN_TESTS(T(only_the_rest_is_asked_for), T(long_texts), T(another_size), T(files_that_are_no_use),
          T(the_file_is_bounded), T(memory_is_bounded))

/* SPDX-License-Identifier: MIT */
/* backends/text_pg without a PostgreSQL: urls, nobody there, nobody who answers. What every text
 * promises is in contract_text, on a real server. */
#include "backends/text_pg.h"

#include "tests/unit/backends/stub_server.h"

enum { PATIENCE_MS = 600000, SHORT_MS = 40 };

static enum err_code search(struct rig *rig, struct text *text, uint64_t timeout_ms,
                            struct text_search *search)
{
    const struct text_query query = {
        .collection = STR("docs"), .words = STR("overtime"), .top_k = 5, .timeout_ms = timeout_ms};
    unsigned before = rig->done_calls;
    text_search_start(search, text, &query, rig_waiter(rig));
    rig_wait("search", rig, before + 1);
    return search->op.err.code;
}

static enum err_code change(struct rig *rig, struct text *text, struct text_write *write)
{
    const struct passage passage = {.id = STR("a"), .text = STR("overtime")};
    const struct text_change one = {.collection = STR("docs"),
                                    .upsert = &passage,
                                    .upsert_count = 1,
                                    .timeout_ms = PATIENCE_MS};
    unsigned before = rig->done_calls;
    text_write_start(write, text, &one, rig_waiter(rig));
    rig_wait("change", rig, before + 1);
    return write->op.err.code;
}

TEST(urls)
{
    static const char *const wrong[] = {"", "mysql://a@b/c", "postgresql://a@b:port/c",
                                        "postgresql://a@b/c?service=x"};
    struct rig rig;
    rig_begin(&rig);
    TEST_EACH(url, wrong) {
        struct err err = {0};
        EXPECT_TRUE(*url, text_pg_create(rig.loop, *url, &err) == NULL);
        EXPECT_INT(*url, err.code, ERR_INVALID);
    }
    rig_end(&rig);
}

TEST(a_server_that_says_nothing)
{
    struct rig rig;
    struct stub_server server;
    struct text_search found = {0};
    struct err err = {0};
    char url[128];
    rig_begin(&rig);
    stub_server_start(&server, &rig, (struct str){NULL, 0}, STUB_KEEP);
    snprintf(url, sizeof url, "postgresql://askd:hush@%s?sslmode=disable",
             server.url + strlen("http://"));
    struct text *text = text_pg_create(rig.loop, url, &err);
    assert_non_null(text);
    enum err_code code = search(&rig, text, SHORT_MS, &found);
    EXPECT_TRUE(found.op.err.text, code == ERR_UNAVAILABLE || code == ERR_TIMEOUT);
    EXPECT_TRUE(found.op.err.text, str_find(str_of(found.op.err.text), STR("hush")) == STR_NONE);
    EXPECT_INT("none", found.hit_count, 0);
    op_release(&found.op);
    text_close(text, rig_on_closed, &rig);
    stub_server_stop(&server);
    rig_end(&rig);
}

TEST(nobody_is_there)
{
    struct rig rig;
    struct text_search found = {0};
    struct text_write written = {0};
    struct err err = {0};
    rig_begin(&rig);
    struct text *text = text_pg_create(rig.loop, "postgresql://askd@127.0.0.1:1/x", &err);
    assert_non_null(text);
    EXPECT_INT("not known yet", text_ready(text, &err), ERR_OK);
    EXPECT_INT("search", search(&rig, text, PATIENCE_MS, &found), ERR_UNAVAILABLE);
    EXPECT_INT("change", change(&rig, text, &written), ERR_UNAVAILABLE);
    EXPECT_INT("ready", text_ready(text, &err), ERR_UNAVAILABLE);
    op_release(&found.op);
    op_release(&written.op);
    text_close(text, rig_on_closed, &rig);
    rig_end(&rig);
    EXPECT_INT("closed once", rig.closed_calls, 1);
}

RUN_TESTS(T(urls), T(a_server_that_says_nothing), T(nobody_is_there))

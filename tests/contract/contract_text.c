/* SPDX-License-Identifier: MIT */
/* The contract of text: words are found whatever is typed, ranked, through filters; changes hold
 * whole; each operation ends once, later, cancelled, closed, without memory. */
#include "tests/contract/text_rig.h"

enum { SWEEP_TURNS = 16, CROWD = 600, PATIENT_TRIES = 1000000 };

static const struct text_rig_passage manual[] = {
    {"over",
     "Hours beyond forty a week are paid at one and a half times the rate.",
     {"heading", "company_id"},
     {"Overtime", "acme"}},
    {"time",
     "Enter your hours every Friday. Overtime must be approved first.",
     {"heading", "company_id"},
     {"Timesheets", "acme"}},
    {"cafe", "Das Café öffnet um 8; naïve Größe — ‘quoted’ O'Brien.", {"company_id"}, {""}},
    {"order",
     "Work orders are scheduled by the dispatcher, who assigns crews to them.",
     {"heading", "company_id", "lang"},
     {"Scheduling work orders", "other", "en"}},
    {"empty", "", {NULL}, {NULL}},
};

static void put_manual(struct text_rig *f)
{
    TEXT_CODE(f, "put", text_rig_put(f, "docs", manual, countof(manual)), ERR_OK);
}

TEXT_TEST(words_are_found)
{
    static const struct {
        const char *name;
        struct str words, want;
    } cases[] = {
        {"a heading weighs more", STR("overtime"), STR("over time")},
        {"another case", STR("OVERTIME"), STR("over time")},
        {"a form of the word", STR("scheduling an order"), STR("order")},
        {"any of them", STR("dispatcher Friday"), STR("order time")},
        {"no word of it", STR("helicopter"), STR("")},
        {"one known", STR("helicopter crews"), STR("order")},
        {"without accents", STR("cafe"), STR("cafe")},
        {"with accents", STR("naïve größe"), STR("cafe")},
        {"nothing", STR(""), STR("")},
        {"blanks and signs", STR(" \t ?!… \"'"), STR("")},
        {"a whole question", STR("Who is it that assigns the crews?"), STR("order")},
    };
    put_manual(f);
    TEST_EACH(c, cases) {
        TEXT_CODE(f, c->name, text_rig_find(f, "docs", c->words, 10, NULL, 0), ERR_OK);
        if (strcmp(c->name, "any of them") == 0)
            EXPECT_INT(c->name, f->search.hit_count, 2);
        else
            EXPECT_STR(c->name, text_rig_ids(f), c->want);
    }
    TEXT_CODE(f, "two", text_rig_find(f, "docs", STR("overtime"), 10, NULL, 0), ERR_OK);
    EXPECT_TRUE("by score", f->search.hits[0].score > f->search.hits[1].score);
    EXPECT_STR("text", f->search.hits[0].passage.text, str_of(manual[0].text));
    EXPECT_STR("field", passage_get(&f->search.hits[0].passage, STR("heading")), STR("Overtime"));
    TEXT_CODE(f, "one", text_rig_find(f, "docs", STR("overtime"), 1, NULL, 0), ERR_OK);
    EXPECT_STR("top_k", text_rig_ids(f), STR("over"));
    TEXT_CODE(f, "elsewhere", text_rig_find(f, "other", STR("overtime"), 5, NULL, 0), ERR_OK);
    EXPECT_INT("no such collection", f->search.hit_count, 0);
}

/* Whatever is typed is words, never a query. */
TEXT_TEST(anything_may_be_typed)
{
    static const struct str typed[] = {
        STR("overtime\""),
        STR("\"overtime"),
        STR("overtime OR"),
        STR("AND overtime"),
        STR("NOT overtime"),
        STR("overtime*"),
        STR("(overtime"),
        STR("overtime)"),
        STR("^overtime"),
        STR("heading:overtime"),
        STR("{heading text}:overtime"),
        STR("NEAR(overtime, 2)"),
        STR("overtime -- x"),
        STR("overtime'; DROP TABLE text_passages; --"),
        STR("overtime\0x"),
        STR("\xff\xfe overtime \xc3"),
        STR("overtime\\"),
        STR("- overtime +"),
        STR("overtime \xef\xbc\x8a"),
    };
    static char lengthy[40000];
    put_manual(f);
    TEST_EACH(words, typed) {
        char name[32];
        snprintf(name, sizeof name, "typed %zu", (size_t)(words - typed));
        TEXT_CODE(f, name, text_rig_find(f, "docs", *words, 10, NULL, 0), ERR_OK);
        EXPECT_TRUE(name, f->search.hit_count >= 2);
        EXPECT_STR(name, f->search.hits[0].passage.id, STR("over"));
    }
    for (int byte = 0; byte < 256; byte++) {
        char text[] = {'a', (char)byte, 'b', ' ', (char)byte};
        TEXT_CODE(f, "each byte",
                  text_rig_find(f, "docs", str_make(text, sizeof text), 10, NULL, 0), ERR_OK);
    }
    for (size_t i = 0; i < sizeof lengthy; i++)
        lengthy[i] = i % 7 == 6 ? ' ' : (char)('a' + (i * i / 7) % 26);
    memcpy(lengthy, "overtime ", 9);
    TEXT_CODE(f, "long", text_rig_find(f, "docs", str_make(lengthy, sizeof lengthy), 5, NULL, 0),
              ERR_OK);
    EXPECT_STR("found among many", text_rig_ids(f), STR("over time"));
    memset(lengthy, 'x', sizeof lengthy);
    TEXT_CODE(f, "one long word",
              text_rig_find(f, "docs", str_make(lengthy, sizeof lengthy), 5, NULL, 0), ERR_OK);
}

TEXT_TEST(passages_are_replaced_and_removed)
{
    const struct text_rig_passage changed = {"over", "Something about llamas.", {NULL}, {NULL}};
    const struct str ids[] = {STR("over"), STR("no such")}, acme[] = {STR("acme")};
    const struct passage_filter company = {STR("company_id"), acme, 1};
    const struct text_change by_id = {
        .collection = STR("docs"), .remove_ids = ids, .remove_count = 2};
    const struct text_change by_filter = {
        .collection = STR("docs"), .remove_filters = &company, .remove_filter_count = 1};
    TEXT_CODE(f, "from nothing", text_rig_change(f, &by_filter), ERR_OK);
    put_manual(f);
    put_manual(f);
    TEXT_CODE(f, "find", text_rig_find(f, "docs", STR("hours"), 10, NULL, 0), ERR_OK);
    EXPECT_INT("each once", f->search.hit_count, 2);
    TEXT_CODE(f, "replace", text_rig_put(f, "docs", &changed, 1), ERR_OK);
    TEXT_CODE(f, "find", text_rig_find(f, "docs", STR("overtime"), 10, NULL, 0), ERR_OK);
    EXPECT_STR("the old words are gone", text_rig_ids(f), STR("time"));
    TEXT_CODE(f, "find", text_rig_find(f, "docs", STR("llama"), 10, NULL, 0), ERR_OK);
    EXPECT_STR("the new ones are there", text_rig_ids(f), STR("over"));
    TEXT_CODE(f, "by id", text_rig_change(f, &by_id), ERR_OK);
    TEXT_CODE(f, "find", text_rig_find(f, "docs", STR("llama"), 10, NULL, 0), ERR_OK);
    EXPECT_INT("gone", f->search.hit_count, 0);
    TEXT_CODE(f, "by filter", text_rig_change(f, &by_filter), ERR_OK);
    TEXT_CODE(f, "find", text_rig_find(f, "docs", STR("overtime crews cafe"), 10, NULL, 0), ERR_OK);
    EXPECT_INT("only acme's are gone", f->search.hit_count, 2);
    const struct str rest[] = {STR("cafe"), STR("order"), STR("empty")};
    TEXT_CODE(f, "all",
              text_rig_change(f, &(struct text_change){.collection = STR("docs"),
                                                       .remove_ids = rest,
                                                       .remove_count = 3}),
              ERR_OK);
    TEXT_CODE(f, "find", text_rig_find(f, "docs", STR("crews"), 10, NULL, 0), ERR_OK);
    EXPECT_INT("empty", f->search.hit_count, 0);
    put_manual(f);
    TEXT_CODE(f, "find", text_rig_find(f, "docs", STR("overtime"), 10, NULL, 0), ERR_OK);
    EXPECT_STR("as at first", text_rig_ids(f), STR("over time"));
}

TEXT_TEST(filters_narrow_the_search)
{
    const struct str acme[] = {STR("acme")}, own[] = {STR("acme"), STR("")}, en[] = {STR("en")};
    const struct passage_filter company = {STR("company_id"), acme, 1};
    const struct passage_filter shared = {STR("company_id"), own, 2};
    const struct passage_filter none = {STR("company_id"), acme, 0};
    const struct passage_filter both[] = {{STR("company_id"), own, 2}, {STR("lang"), en, 1}};
    const struct str words = STR("overtime crews cafe");
    put_manual(f);
    TEXT_CODE(f, "acme", text_rig_find(f, "docs", words, 10, &company, 1), ERR_OK);
    EXPECT_STR("acme", text_rig_ids(f), STR("over time"));
    TEXT_CODE(f, "or nobody's", text_rig_find(f, "docs", words, 10, &shared, 1), ERR_OK);
    EXPECT_INT("or nobody's", f->search.hit_count, 3);
    TEXT_CODE(f, "no value", text_rig_find(f, "docs", words, 10, &none, 1), ERR_OK);
    EXPECT_INT("no value", f->search.hit_count, 0);
    TEXT_CODE(f, "both", text_rig_find(f, "docs", words, 10, both, 2), ERR_OK);
    EXPECT_INT("both", f->search.hit_count, 0);
}

/* Words that nearly all passages hold, of another company too: never theirs, and as many of ours as
 * asked for. */
TEXT_TEST(tenants_stay_apart)
{
    static struct text_rig_passage crowd[CROWD];
    static char ids[CROWD][16];
    const struct str own[] = {STR("acme"), STR("")};
    const struct passage_filter company = {STR("company_id"), own, 2};
    for (size_t i = 0; i < CROWD; i++) {
        snprintf(ids[i], sizeof ids[i], "p%03zu", i);
        crowd[i] =
            (struct text_rig_passage){ids[i],
                                      i % 3 == 0 ? "the secret canary sings" : "the canary sings",
                                      {"company_id"},
                                      {i % 30 == 0 ? "acme" : "other"}};
    }
    TEXT_CODE(f, "put", text_rig_put(f, "docs", crowd, CROWD), ERR_OK);
    static const struct str typed[] = {STR("canary"), STR("secret canary"), STR("sings the"),
                                       STR("the")};
    TEST_EACH(words, typed) {
        TEXT_CODE(f, "find", text_rig_find(f, "docs", *words, 15, &company, 1), ERR_OK);
        EXPECT_INT("as many as asked for", f->search.hit_count, 15);
        for (size_t i = 0; i < 15; i++)
            EXPECT_STR("own", passage_get(&f->search.hits[i].passage, STR("company_id")),
                       STR("acme"));
    }
    TEXT_CODE(f, "again", text_rig_find(f, "docs", STR("canary"), 1000, NULL, 0), ERR_OK);
    EXPECT_INT("all", f->search.hit_count, CROWD);
    for (size_t i = 1; i < CROWD; i++)
        if (f->search.hits[i].score == f->search.hits[i - 1].score)
            EXPECT_TRUE("ties by id", str_compare(f->search.hits[i - 1].passage.id,
                                                  f->search.hits[i].passage.id) < 0);
}

TEXT_TEST(misshapen_requests_are_refused)
{
    const struct text_rig_passage bad[] = {{"", "x", {NULL}, {NULL}},
                                           {"x", "\xff", {NULL}, {NULL}},
                                           {"x", "x", {"a b"}, {""}},
                                           {"x", "x", {"a", "a"}, {"", ""}}};
    for (size_t i = 0; i < countof(bad); i++) {
        const struct text_rig_passage both[] = {manual[0], bad[i]};
        TEXT_CODE(f, "passage", text_rig_put(f, "docs", both, 2), ERR_INVALID);
    }
    op_release(&f->write.op);
    TEXT_CODE(f, "top_k", text_rig_find(f, "docs", STR("x"), 0, NULL, 0), ERR_INVALID);
    TEXT_CODE(f, "top_k", text_rig_find(f, "docs", STR("x"), 1001, NULL, 0), ERR_INVALID);
    TEXT_CODE(f, "name", text_rig_find(f, "a b", STR("x"), 5, NULL, 0), ERR_INVALID);
    TEXT_CODE(f, "nothing came in", text_rig_find(f, "docs", STR("hours"), 5, NULL, 0), ERR_OK);
    EXPECT_INT("none", f->search.hit_count, 0);
}

/* A search and a write, started together; one of them is cancelled after so many turns. */
static void cancel_after(struct text_rig *f, unsigned turns, bool the_write)
{
    struct text_search search = {0};
    struct text_write write = {0};
    const struct text_query query = {.collection = STR("docs"),
                                     .words = STR("overtime"),
                                     .top_k = 5,
                                     .timeout_ms = TEXT_RIG_PATIENCE_MS};
    const struct passage passage = {.id = STR("new"), .text = STR("new text")};
    const struct text_change change = {.collection = STR("docs"),
                                       .upsert = &passage,
                                       .upsert_count = 1,
                                       .timeout_ms = TEXT_RIG_PATIENCE_MS};
    unsigned before = f->rig.done_calls;
    text_search_start(&search, f->text, &query, rig_waiter(&f->rig));
    text_write_start(&write, f->text, &change, rig_waiter(&f->rig));
    struct op *victim = the_write ? &write.op : &search.op;
    for (unsigned turn = 0; turn < turns && op_is_pending(victim); turn++)
        if (loop_run_dry(f->rig.loop, 1))
            break;
    unsigned done = f->rig.done_calls;
    op_cancel(victim);
    op_cancel(victim);
    EXPECT_INT("done inside cancel", f->rig.done_calls, done);
    rig_wait(f->store->name, &f->rig, before + 2);
    if (victim->err.code != ERR_CANCELLED)
        EXPECT_INT(victim->err.text, victim->err.code, ERR_OK);
    EXPECT_INT("the other", the_write ? search.op.err.code : write.op.err.code, ERR_OK);
    op_release(&search.op);
    op_release(&write.op);
    TEXT_CODE(f, "after", text_rig_find(f, "docs", STR("overtime"), 5, NULL, 0), ERR_OK);
    EXPECT_STR("after", text_rig_ids(f), STR("over time"));
}

TEXT_TEST(cancelled_at_every_turn)
{
    put_manual(f);
    for (unsigned turns = 0; turns < SWEEP_TURNS; turns++) {
        cancel_after(f, turns, false);
        cancel_after(f, turns, true);
    }
}

TEXT_TEST(closed_at_every_turn)
{
    static const struct text_query query = {
        .collection = {"docs", 4}, .words = {"overtime", 8}, .top_k = 5};
    static const struct passage passage = {.id = {"new", 3}, .text = {"new text", 8}};
    static const struct text_change change = {
        .collection = {"docs", 4}, .upsert = &passage, .upsert_count = 1};
    put_manual(f);
    for (unsigned turns = 0; turns < SWEEP_TURNS; turns++) {
        struct text_search searches[3] = {0};
        struct text_write write = {0};
        struct rig rig;
        rig_begin(&rig);
        struct text *text = f->store->open(rig.loop, f->place);
        assert_non_null(text);
        for (size_t i = 0; i < 3; i++)
            text_search_start(&searches[i], text, &query, rig_waiter(&rig));
        text_write_start(&write, text, &change, rig_waiter(&rig));
        for (unsigned turn = 0; turn < turns && rig.done_calls < 4; turn++)
            if (loop_run_dry(rig.loop, 1))
                break;
        unsigned done = rig.done_calls;
        text_close(text, rig_on_closed, &rig);
        EXPECT_INT("done inside close", rig.done_calls, done);
        rig_wait(f->store->name, &rig, 4);
        for (size_t i = 0; i < 3; i++)
            op_release(&searches[i].op);
        op_release(&write.op);
        rig_end(&rig);
        EXPECT_INT("closed once", rig.closed_calls, 1);
        EXPECT_INT("done once each", rig.done_calls, 4);
    }
}

static void close_at_done(struct rig *rig)
{
    struct text_rig *f = container_of(rig, struct text_rig, rig);
    text_close(f->text, rig_on_closed, rig);
    f->text = NULL;
    EXPECT_INT("not from inside", rig->closed_calls, 0);
}

TEXT_TEST(closed_from_inside_a_done)
{
    static const struct text_query query = {
        .collection = {"docs", 4}, .words = {"overtime", 8}, .top_k = 5};
    struct text_search searches[3] = {0};
    put_manual(f);
    unsigned before = f->rig.done_calls;
    f->rig.at_done = close_at_done;
    for (size_t i = 0; i < 3; i++)
        text_search_start(&searches[i], f->text, &query, rig_waiter(&f->rig));
    rig_wait(f->store->name, &f->rig, before + 3);
    assert_true(loop_run_dry(f->rig.loop, RIG_TURNS));
    EXPECT_INT("closed once", f->rig.closed_calls, 1);
    f->rig.closed_calls = 0;
    for (size_t i = 0; i < 3; i++)
        op_release(&searches[i].op);
}

/* All of a result that is long, whatever a store's server sends at once. */
TEXT_TEST(long_results_are_whole)
{
    enum { LONG = 60, WORDS = 6666 };
    static char text[9 * WORDS + 1];
    static char ids[LONG][16];
    static struct text_rig_passage table[LONG];
    for (size_t i = 0; i < WORDS; i++)
        memcpy(text + 9 * i, "overtime ", 9);
    for (size_t i = 0; i < LONG; i++) {
        snprintf(ids[i], sizeof ids[i], "%02zu", i);
        table[i] = (struct text_rig_passage){.id = ids[i], .text = text};
    }
    TEXT_CODE(f, "put", text_rig_put(f, "docs", table, LONG), ERR_OK);
    TEXT_CODE(f, "find", text_rig_find(f, "docs", STR("overtime"), LONG, NULL, 0), ERR_OK);
    EXPECT_INT("all", f->search.hit_count, LONG);
    EXPECT_INT("whole", f->search.hits[LONG - 1].passage.text.len, sizeof text - 1);
}

/* A store with a server may wait a moment before it connects again. */
static enum err_code find_soon(struct text_rig *f)
{
    enum err_code code = ERR_NO_MEMORY;
    for (unsigned try = 0; try < PATIENT_TRIES && code != ERR_OK; try++)
        code = text_rig_find(f, "docs", STR("overtime"), 3, NULL, 0);
    return code;
}

/* False: the n-th allocation was not reached, so there are no more. */
static bool play_without_memory(struct text_rig *f, uint64_t n)
{
    uint64_t before = mem_alloc_count();
    mem_fail_nth(n);
    struct text *text = f->store->open(f->rig.loop, f->place), *own = f->text;
    if (text != NULL) {
        f->text = text;
        enum err_code code = text_rig_find(f, "docs", STR("overtime"), 3, NULL, 0);
        if (code == ERR_OK)
            code = text_rig_put(f, "docs", manual, 1);
        uint64_t made = mem_alloc_count() - before;
        mem_fail_nth(0);
        if (made >= n && code != ERR_OK && code != ERR_UNAVAILABLE)
            TEXT_CODE(f, "without memory", code, ERR_NO_MEMORY);
        if (made < n)
            TEXT_CODE(f, "all the memory it wants", code, ERR_OK);
        n = made < n ? 0 : n;
        TEXT_CODE(f, "after", find_soon(f), ERR_OK);
        text_close(text, NULL, NULL);
    }
    mem_fail_nth(0);
    f->text = own;
    return n != 0;
}

TEXT_TEST(every_allocation_may_fail)
{
    put_manual(f);
    uint64_t n = 1;
    while (play_without_memory(f, n))
        n++;
    EXPECT_TRUE(f->store->name, n > 4);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        T(words_are_found),
        T(anything_may_be_typed),
        T(passages_are_replaced_and_removed),
        T(filters_narrow_the_search),
        T(tenants_stay_apart),
        T(misshapen_requests_are_refused),
        T(long_results_are_whole),
        T(cancelled_at_every_turn),
        T(closed_at_every_turn),
        T(closed_from_inside_a_done),
        T(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The search of words over more passages than are ranked: what must be found all the same. */
#include "tests/lib/test.h"

#include <stdio.h>

#include <sqlite3.h>

#include "backends/words/sqlite_keywords.h"
#include "backends/words/sqlite_keywords_plan.h"

enum { BATCH = 500, TOP = 20, ARENA_BYTES = 64 << 20 };
enum { MANY = 4 * KEYWORDS_LEAST_ROWS }; /* passages */

static const char *const colours[] = {"amber", "blue", "coral"}; /* a third of all each */

struct place {
    struct sqlite3 *db;
    struct arena arena;
    struct sqlite_keywords_search search;
    struct text_query query;
};

static void put(struct place *place, size_t from, size_t count)
{
    static struct passage passages[BATCH];
    static struct passage_field fields[BATCH][2];
    static char ids[BATCH][24], texts[BATCH][96], tens[BATCH][24];
    struct err err = {0};
    for (size_t i = 0; i < count; i++) {
        size_t n = from + i;
        snprintf(ids[i], sizeof ids[i], "p%05zu", n);
        snprintf(texts[i], sizeof texts[i], "Paint number%zu is %s with %s, ground by hand.", n,
                 colours[n % 3], colours[n / 3 % 3]);
        snprintf(tens[i], sizeof tens[i], "ten%zu", n / 10);
        fields[i][0] = (struct passage_field){STR("ten"), str_of(tens[i])};
        fields[i][1] = (struct passage_field){STR("heading"), STR("Paint")};
        passages[i] = (struct passage){str_of(ids[i]), str_of(texts[i]), fields[i], 2};
    }
    const struct text_change change = {
        .collection = STR("paints"), .upsert = passages, .upsert_count = count};
    EXPECT_INT(err.text, sqlite_keywords_change(place->db, &change, &err), ERR_OK);
}

static struct place *make(size_t count)
{
    struct place *place = mem_zalloc(1, sizeof *place);
    struct err err = {0};
    assert_non_null(place);
    EXPECT_INT("open", sqlite3_open(":memory:", &place->db), SQLITE_OK);
    EXPECT_INT("prepare", sqlite_keywords_prepare(NULL, place->db, &err), ERR_OK);
    for (size_t done = 0; done < count; done += BATCH)
        put(place, done, size_min(BATCH, count - done));
    return place;
}

static void drop(struct place *place)
{
    arena_fini(&place->arena);
    sqlite3_close(place->db);
    mem_free(place);
}

static size_t find(struct place *place, const char *words, const struct passage_filter *filter)
{
    struct err err = {0};
    arena_fini(&place->arena);
    arena_init(&place->arena, ARENA_BYTES);
    place->query = (struct text_query){.collection = STR("paints"),
                                       .words = str_of(words),
                                       .top_k = TOP,
                                       .filters = filter,
                                       .filter_count = filter != NULL};
    place->search = (struct sqlite_keywords_search){.query = &place->query, .arena = &place->arena};
    EXPECT_INT(words, sqlite_keywords_find(place->db, &place->search, &err), ERR_OK);
    for (size_t i = 1; i < place->search.hit_count; i++) {
        const struct passage_hit *one = &place->search.hits[i - 1], *two = &place->search.hits[i];
        EXPECT_TRUE("best first, ties by id",
                    one->score > two->score || (one->score <= two->score &&
                                                str_compare(one->passage.id, two->passage.id) < 0));
    }
    return place->search.hit_count;
}

static struct str id_at(const struct place *place, size_t at)
{
    return place->search.hits[at].passage.id;
}

static bool text_has(const struct place *place, size_t at, const char *word)
{
    return str_find(place->search.hits[at].passage.text, str_of(word)) != STR_NONE;
}

TEST(rare_words_come_first_and_others_count)
{
    struct place *place = make(MANY);
    EXPECT_INT("one of all", find(place, "number3999", NULL), 1);
    EXPECT_STR("it", id_at(place, 0), STR("p03999"));
    EXPECT_INT("filled up", find(place, "paint number3998 ground", NULL), TOP);
    EXPECT_STR("first", id_at(place, 0), STR("p03998"));
    EXPECT_TRUE("by far", place->search.hits[0].score > place->search.hits[1].score + 5);
    EXPECT_INT("two rare ones", find(place, "number9 number10 blue", NULL), TOP);
    EXPECT_STR("with the frequent word first", id_at(place, 0), STR("p00010"));
    EXPECT_STR("then the other", id_at(place, 1), STR("p00009"));
    EXPECT_INT("no such words", find(place, "nothing nowhere", NULL), 0);
    EXPECT_INT("one is no word", find(place, "zzz number77", NULL), 1);
    drop(place);
}

TEST(frequent_words_alone)
{
    struct place *place = make(MANY);
    EXPECT_INT("a word of all", find(place, "ground", NULL), TOP);
    EXPECT_INT("two colours", find(place, "amber coral", NULL), TOP);
    for (size_t i = 0; i < TOP; i++)
        EXPECT_TRUE("both", text_has(place, i, "amber") && text_has(place, i, "coral"));
    EXPECT_INT("three, which none has", find(place, "amber coral blue", NULL), TOP);
    for (size_t i = 0; i < TOP; i++)
        EXPECT_INT("two of them",
                   text_has(place, i, "amber") + text_has(place, i, "coral") +
                       text_has(place, i, "blue"),
                   2);
    drop(place);
}

/* Ten of thousands may be seen: all of them are found, wherever they stand. */
TEST(filters_narrow_the_search_itself)
{
    struct place *place = make(MANY);
    static const char *const words[] = {"ground", "amber coral blue", "paint ground hand",
                                        "number3994 ground", "number5 ground"};
    const struct str last[] = {STR("ten399")};
    const struct passage_filter filter = {STR("ten"), last, 1};
    for (size_t i = 0; i < countof(words); i++) {
        EXPECT_INT(words[i], find(place, words[i], &filter), 10);
        for (size_t at = 0; at < 10; at++)
            EXPECT_TRUE("only they", str_starts_with(id_at(place, at), STR("p0399")));
    }
    drop(place);
}

/* The same function as FTS5's own, where that one ranks all. */
TEST(scores_are_bm25)
{
    struct place *place = make(KEYWORDS_LEAST_ROWS / 2);
    sqlite3_stmt *statement;
    EXPECT_INT("found", find(place, "amber number12 number13 hand", NULL), TOP);
    EXPECT_INT("prepared",
               sqlite3_prepare_v2(place->db,
                                  "SELECT key, -bm25(text_words_1, 4.0, 1.0) AS score"
                                  " FROM text_words_1 JOIN text_passages AS p"
                                  " ON p.id = text_words_1.rowid WHERE text_words_1 MATCH"
                                  " 'amber OR number12 OR number13 OR hand'"
                                  " ORDER BY score DESC, key LIMIT 20",
                                  -1, &statement, NULL),
               SQLITE_OK);
    for (size_t i = 0; i < TOP; i++) {
        EXPECT_INT("row", sqlite3_step(statement), SQLITE_ROW);
        EXPECT_STR("id", id_at(place, i), str_of((const char *)sqlite3_column_text(statement, 0)));
        double score = sqlite3_column_double(statement, 1), got = place->search.hits[i].score;
        EXPECT_TRUE("score", got > score - 1e-9 && got < score + 1e-9);
    }
    sqlite3_finalize(statement);
    drop(place);
}

TEST(a_plan_orders_words)
{
    struct place *place = make(MANY);
    struct keywords_plan plan;
    struct keywords_request request;
    struct err err = {0};
    buf_init(&request.expression, 4096);
    EXPECT_INT(
        "made",
        sqlite_keywords_plan_make(place->db, 1, STR("ground blue number7 number8 x"), &plan, &err),
        ERR_OK);
    EXPECT_INT("those that occur", plan.count, 4);
    EXPECT_INT("rare", plan.rare_count, 2);
    EXPECT_TRUE("not whole", !plan.is_whole);
    EXPECT_STR("then less rare", plan.words[2], STR("blue"));
    EXPECT_TRUE("about", plan.rows[2] > MANY / 2 && plan.rows[2] < MANY * 0.6);
    EXPECT_TRUE("all", plan.rows[3] > MANY * 0.99 && plan.rows[3] < MANY * 1.01);
    EXPECT_TRUE("rare", sqlite_keywords_plan_write(&plan, KEYWORDS_RARE, &request));
    EXPECT_STR("once each", buf_str(&request.expression),
               STR("(\"number7\" OR \"number8\") OR ((\"number7\" OR \"number8\") AND "
                   "(\"blue\" OR \"ground\"))"));
    EXPECT_INT("six", request.phrase_count, 6);
    EXPECT_TRUE("counted once", request.rows[0] > 0 && request.rows[2] <= 0);
    EXPECT_TRUE("there are two", !sqlite_keywords_plan_write(&plan, KEYWORDS_ALL, &request));
    EXPECT_TRUE("two", sqlite_keywords_plan_write(&plan, KEYWORDS_TWO, &request));
    EXPECT_STR("both", buf_str(&request.expression), STR("(\"blue\" AND \"ground\")"));
    EXPECT_TRUE("one", sqlite_keywords_plan_write(&plan, KEYWORDS_ONE, &request));
    EXPECT_STR("the rarer", buf_str(&request.expression),
               STR("(\"blue\") OR ((\"blue\") AND (\"ground\"))"));
    buf_fini(&request.expression);
    drop(place);
}

RUN_TESTS(T(rare_words_come_first_and_others_count), T(frequent_words_alone),
          T(filters_narrow_the_search_itself), T(scores_are_bm25), T(a_plan_orders_words))

/* SPDX-License-Identifier: MIT */
/* Rows that are only marked as deleted do not count, nor those that semantic.json leaves out. */
#include "tests/unit/offline/world.h"

#include "agents/offline/answers/answer.h"
#include "agents/semantic/bind.h"
#include "agents/semantic/file.h"
#include "agents/sql/guard/policy.h"

static const struct world_table tables[] = {
    {"building", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}, {"isDeleted", CATALOG_INTEGER}}},
    {"flat",
     {{"id", CATALOG_INTEGER},
      {"buildingId", CATALOG_INTEGER, .to = "building"},
      {"rent", CATALOG_NUMBER},
      {"deletedAt", CATALOG_TIMESTAMP, .nullable = true}}},
    {"ticket",
     {{"id", CATALOG_INTEGER},
      {"flatId", CATALOG_INTEGER, .to = "flat"},
      {"state", CATALOG_TEXT},
      {"deletedBy", CATALOG_INTEGER, .nullable = true}}},
};

static const struct {
    const char *question, *sql;
} questions[] = {
    {"How many buildings are there?",
     "SELECT COUNT(*) AS building_count FROM building WHERE (\"isDeleted\" = 0)"},
    {"number of flats per building",
     "SELECT t2.name, t2.id, COUNT(*) AS flat_count FROM flat AS t1 JOIN building AS t2 ON t2.id = "
     "t1.buildingId WHERE (t1.\"deletedAt\" IS NULL) GROUP BY t2.name, t2.id ORDER BY flat_count "
     "DESC, t2.id"},
    {"top 3 buildings by number of flats",
     "SELECT t2.name, t2.id, COUNT(*) AS flat_count FROM flat AS t1 JOIN building AS t2 ON t2.id = "
     "t1.buildingId WHERE (t1.\"deletedAt\" IS NULL) AND (t2.\"isDeleted\" = 0) GROUP BY "
     "t2.name, t2.id ORDER BY flat_count DESC, t2.id LIMIT 3"},
    {"how many flats have a rent above average?",
     "SELECT COUNT(*) AS flat_count FROM flat WHERE rent > (SELECT AVG(rent) FROM flat WHERE "
     "(\"deletedAt\" IS NULL)) AND (\"deletedAt\" IS NULL)"},
    {"buildings without flats",
     "SELECT t1.name, t1.id, t1.isDeleted FROM building AS t1 WHERE (t1.\"isDeleted\" = 0) AND NOT "
     "EXISTS "
     "(SELECT 1 FROM flat AS t3 WHERE t3.buildingId = t1.id AND (t3.\"deletedAt\" IS NULL))"},
    {"how many deleted buildings are there?",
     "SELECT COUNT(*) AS building_count FROM building WHERE isDeleted = 1"},
    {"how many tickets are there?", "SELECT COUNT(*) AS ticket_count FROM ticket"},
};

TEST(rows_marked_as_deleted_do_not_count)
{
    struct world w;
    world_init_of(&w, tables, countof(tables));
    TEST_EACH(q, questions) {
        const struct offline_answer *answer = world_read(&w, str_of(q->question));
        EXPECT_STR(q->question, answer->understood ? answer->sql : str_of(answer->cannot),
                   str_of(q->sql));
    }
    world_fini(&w);
}

TEST(the_file_says_which_rows_count)
{
    static const char json[] =
        "{\"version\":1,\"tables\":{\"ticket\":{\"rows\":\"state <> 'spam'\"},"
        "\"flat\":{\"rows\":\"rent > 0\"}}}";
    struct world w;
    struct semantic *semantic;
    struct semantic_report report;
    struct err err = {0};
    world_init_of(&w, tables, countof(tables));
    semantic_report_init(&report);
    EXPECT_INT("read", semantic_file_read(str_of(json), &semantic, &report, &err), ERR_OK);
    semantic_bind_catalog(semantic, w.catalog, &sql_policy_default, SQL_SQLITE, &report);
    EXPECT_STR("report", buf_str(&report.text), STR(""));
    lexicon_destroy(w.lexicon);
    w.lexicon = lexicon_create(w.catalog, semantic);
    const struct offline_answer *answer = world_read(&w, STR("how many tickets are there?"));
    EXPECT_STR("tickets", answer->sql,
               STR("SELECT COUNT(*) AS ticket_count FROM ticket WHERE (\"state\" <> 'spam')"));
    answer = world_read(&w, STR("how many flats are there?"));
    EXPECT_STR("flats", answer->sql,
               STR("SELECT COUNT(*) AS flat_count FROM flat WHERE (\"rent\" > 0)"));
    semantic_report_fini(&report);
    world_fini(&w);
    semantic_model_destroy(semantic);
}

static const struct {
    const char *question, *answer;
} said[] = {
    {"How many buildings are there?", "There are 4 buildings. Deleted ones are left out."},
    {"how many deleted buildings are there?", "There are 4 deleted buildings."},
    {"how many tickets are there?", "There are 4 tickets."},
};

/* An answer says that rows were left out, where some may have been. */
TEST(what_is_left_out_is_said)
{
    struct world w;
    world_init_of(&w, tables, countof(tables));
    TEST_EACH(s, said) {
        const struct answer_rows rows = {.columns = STR("[\"n\"]"),
                                         .rows = STR("[[4]]"),
                                         .row_count = STR("1"),
                                         .truncated = STR("false")};
        const struct offline_answer *answer = world_read(&w, str_of(s->question));
        struct buf out;
        buf_init(&out, 1000);
        EXPECT_TRUE(s->question, offline_answer_write(w.lexicon, &answer->reading, &rows, &out));
        EXPECT_STR(s->question, buf_str(&out), str_of(s->answer));
        buf_fini(&out);
    }
    world_fini(&w);
}

RUN_TESTS(T(what_is_left_out_is_said), T(rows_marked_as_deleted_do_not_count),
          T(the_file_says_which_rows_count))

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
    {"worker",
     {{"id", CATALOG_INTEGER},
      {"first_name", CATALOG_TEXT},
      {"last_name", CATALOG_TEXT},
      {"isDeleted", CATALOG_INTEGER}}},
    {"shift",
     {{"id", CATALOG_INTEGER},
      {"workerId", CATALOG_INTEGER, .to = "worker"},
      {"hours", CATALOG_NUMBER}}},
    {"article", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
    {"sale",
     {{"id", CATALOG_INTEGER},
      {"sold_on", CATALOG_DATE},
      {"deleted_at", CATALOG_TIMESTAMP, .nullable = true}}},
    {"sale_line",
     {{"id", CATALOG_INTEGER},
      {"saleId", CATALOG_INTEGER, .to = "sale"},
      {"articleId", CATALOG_INTEGER, .to = "article"},
      {"quantity", CATALOG_INTEGER},
      {"unit_price", CATALOG_NUMBER}}},
};

static const struct {
    const char *question, *sql;
} questions[] = {
    {"How many buildings are there?",
     "SELECT COUNT(*) AS building_count FROM building WHERE (\"isDeleted\" = 0)"},
    {"number of flats per building",
     "SELECT t2.name, t2.id, COUNT(*) AS flat_count FROM flat AS t1 JOIN building AS t2 ON t2.id = "
     "t1.buildingId WHERE (t1.\"deletedAt\" IS NULL) AND (t2.\"isDeleted\" = 0) GROUP BY "
     "t2.name, t2.id ORDER BY flat_count DESC, t2.id"},
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
    {"number of tickets per building",
     "SELECT t3.name, t3.id, COUNT(*) AS ticket_count FROM ticket AS t1 JOIN flat AS t2 ON t2.id = "
     "t1.flatId JOIN building AS t3 ON t3.id = t2.buildingId WHERE (t2.\"deletedAt\" IS NULL) AND "
     "(t3.\"isDeleted\" = 0) GROUP BY t3.name, t3.id ORDER BY ticket_count DESC, t3.id"},
    {"buildings without tickets",
     "SELECT t1.name, t1.id, t1.isDeleted FROM building AS t1 WHERE (t1.\"isDeleted\" = 0) AND "
     "NOT EXISTS (SELECT 1 FROM flat AS t3 JOIN ticket AS t4 ON t4.flatId = t3.id WHERE "
     "t3.buildingId = t1.id AND (t3.\"deletedAt\" IS NULL))"},
    {"hours per worker",
     "SELECT t2.first_name, t2.last_name, t2.id, SUM(t1.hours) AS total_hours FROM shift AS t1 "
     "JOIN worker AS t2 ON t2.id = t1.workerId GROUP BY t2.first_name, t2.last_name, t2.id ORDER "
     "BY "
     "total_hours DESC, t2.id"},
    {"total quantity of sale lines by article",
     "SELECT t2.name, t2.id, SUM(t1.quantity) AS total_quantity FROM sale_line AS t1 JOIN article "
     "AS t2 ON t2.id = t1.articleId WHERE t1.saleId IN (SELECT id FROM sale WHERE "
     "(\"deleted_at\" IS NULL)) GROUP BY t2.name, t2.id ORDER BY total_quantity DESC, t2.id"},
    {"total quantity of sale lines in 2024",
     "SELECT SUM(t1.quantity) AS total_quantity FROM sale_line AS t1 JOIN sale AS t2 ON t2.id = "
     "t1.saleId WHERE t2.sold_on >= '2024-01-01' AND t2.sold_on < '2025-01-01' AND "
     "(t2.\"deleted_at\" IS NULL)"},
    {"how many flats are in each building with a rent over 900?",
     "SELECT t2.name, t2.id, COUNT(*) AS flat_count FROM flat AS t1 JOIN building AS t2 ON t2.id = "
     "t1.buildingId WHERE t1.rent > 900 AND (t1.\"deletedAt\" IS NULL) AND (t2.\"isDeleted\" = 0) "
     "GROUP BY t2.name, t2.id ORDER BY flat_count DESC, t2.id"},
    {"average rent of flats by building",
     "SELECT t2.name, t2.id, AVG(t1.rent) AS average_rent FROM flat AS t1 JOIN building AS t2 ON "
     "t2.id = t1.buildingId WHERE (t1.\"deletedAt\" IS NULL) AND (t2.\"isDeleted\" = 0) GROUP BY "
     "t2.name, t2.id ORDER BY average_rent DESC, t2.id"},
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
    {"total quantity of sale lines",
     "The total quantity of sale lines is 4. Deleted sales are left out."},
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

/* SPDX-License-Identifier: MIT */
/* What a word is of several that it may be: a kind of rows, a deed, a value of rows nobody speaks
 * of, a code that the semantic file explains. */
#include "tests/unit/offline/world.h"

#include "agents/semantic/bind.h"
#include "agents/semantic/file.h"
#include "agents/sql/guard/policy.h"

static const struct world_table tables[] = {
    {"species", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
    {"owner", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
    {"pet",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"speciesId", CATALOG_INTEGER, .to = "species"},
      {"ownerId", CATALOG_INTEGER, .to = "owner"},
      {"weight", CATALOG_NUMBER},
      {"deceasedOn", CATALOG_DATE, .nullable = true}}},
    {"visit",
     {{"id", CATALOG_INTEGER},
      {"petId", CATALOG_INTEGER, .to = "pet"},
      {"stage", CATALOG_TEXT},
      {"level", CATALOG_INTEGER}}},
    {"complaint",
     {{"id", CATALOG_INTEGER},
      {"visitId", CATALOG_INTEGER, .to = "visit"},
      {"cause", CATALOG_TEXT}}},
};

static const struct {
    const char *table, *column, *value;
} values[] = {{"species", "name", "Dog"},    {"species", "name", "Cat"},
              {"owner", "name", "Pioneer"},  {"visit", "stage", "open"},
              {"visit", "stage", "done"},    {"complaint", "cause", "late"},
              {"complaint", "cause", "rude"}};

static const struct {
    const char *question, *sql; /* "": there is no answer */
} questions[] = {
    /* what belongs to a species, and not the species */
    {"how many dogs are there?",
     "SELECT COUNT(*) AS pet_count FROM pet AS t1 JOIN species AS t2 ON t2.id = t1.speciesId WHERE "
     "t2.name = 'Dog'"},
    {"how many dogs have no visit?",
     "SELECT COUNT(*) AS pet_count FROM pet AS t1 JOIN species AS t2 ON t2.id = t1.speciesId WHERE "
     "t2.name = 'Dog' AND NOT EXISTS (SELECT 1 FROM visit AS t4 WHERE t4.petId = t1.id)"},
    /* what a date says that only some rows have */
    {"how many pets are still alive?",
     "SELECT COUNT(*) AS pet_count FROM pet WHERE (\"deceasedOn\" IS NULL)"},
    {"how many dead pets are there?",
     "SELECT COUNT(*) AS pet_count FROM pet WHERE (\"deceasedOn\" IS NOT NULL)"},
    {"how many alive owners are there?", ""},
    /* what somebody did, and not how it is */
    {"how many visits did Pioneer open?", "SELECT COUNT(*) AS visit_count FROM visit AS t1 JOIN "
                                          "pet AS t2 ON t2.id = t1.petId JOIN owner "
                                          "AS t3 ON t3.id = t2.ownerId WHERE t3.name = 'Pioneer'"},
    {"how many open visits are there?",
     "SELECT COUNT(*) AS visit_count FROM visit WHERE stage = 'open'"},
    /* the grammar's word, and no value of complaints of visits */
    {"how many pets came late?", ""},
    {"how many late complaints are there?",
     "SELECT COUNT(*) AS complaint_count FROM complaint WHERE cause = 'late'"},
    /* codes that a description explains */
    {"how many urgent visits are there?",
     "SELECT COUNT(*) AS visit_count FROM visit WHERE level = '2'"},
    {"visits on the normal level", "SELECT id, petId, stage, level FROM visit WHERE level = '1'"},
};

static const char json[] = "{\"version\":1,\"tables\":{\"visit\":{\"columns\":{\"level\":{"
                           "\"description\":\"0 low, 1 normal, 2 "
                           "urgent\"},\"stage\":{\"description\":\"from 0 to 5, 5 is best\"}}}}}";

TEST(words_mean_what_is_near)
{
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
    TEST_EACH(v, values) {
        int table = catalog_find_table(w.catalog, STR(""), str_of(v->table));
        int column = catalog_find_column(w.catalog, table, str_of(v->column));
        EXPECT_TRUE(v->value, lexicon_index_add(w.lexicon, table, column, str_of(v->value)));
    }
    TEST_EACH(q, questions) {
        const struct offline_answer *answer = world_read(&w, str_of(q->question));
        EXPECT_STR(q->question, answer->understood ? answer->own_sql : STR(""), str_of(q->sql));
    }
    semantic_report_fini(&report);
    world_fini(&w);
    semantic_model_destroy(semantic);
}

static const struct world_table buyers[] = {
    {"buyer",
     {{"id", CATALOG_INTEGER},
      {"company_name", CATALOG_TEXT, .nullable = true},
      {"first_name", CATALOG_TEXT, .nullable = true},
      {"last_name", CATALOG_TEXT, .nullable = true}}},
    {"staff",
     {{"id", CATALOG_INTEGER},
      {"company_name", CATALOG_TEXT, .nullable = true},
      {"first_name", CATALOG_TEXT},
      {"last_name", CATALOG_TEXT}}},
};

/* Who buys is a person or a company; who works has a name in any case. */
TEST(companies_stand_beside_persons)
{
    struct world w;
    world_init_of(&w, buyers, countof(buyers));
    EXPECT_TRUE("either", lexicon_index_is_label(w.lexicon, 0, 1));
    EXPECT_TRUE("a person", lexicon_index_is_label(w.lexicon, 0, 3));
    EXPECT_TRUE("where he works", !lexicon_index_is_label(w.lexicon, 1, 1));
    world_fini(&w);
}

RUN_TESTS(T(words_mean_what_is_near), T(companies_stand_beside_persons))

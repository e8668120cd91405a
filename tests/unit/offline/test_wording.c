/* SPDX-License-Identifier: MIT */
/* What words mean beside others, and names as people say them: questions about a small theatre. */
#include "tests/unit/offline/world.h"

static const struct world_table theatre[] = {
    {"performers",
     {{"id", CATALOG_INTEGER},
      {"first_name", CATALOG_TEXT},
      {"last_name", CATALOG_TEXT},
      {"born_region", CATALOG_TEXT},
      {"age", CATALOG_INTEGER},
      {"joined_on", CATALOG_DATE},
      {"contract_type", CATALOG_TEXT}}},
    {"ushers",
     {{"id", CATALOG_INTEGER}, {"first_name", CATALOG_TEXT}, {"last_name", CATALOG_TEXT}}},
    {"plays",
     {{"id", CATALOG_INTEGER},
      {"title", CATALOG_TEXT},
      {"duration", CATALOG_INTEGER},
      {"budget_in_thousands", CATALOG_NUMBER},
      {"act2_score", CATALOG_NUMBER},
      {"start_dt", CATALOG_DATE}}},
    {"rehearsal_notes_daily",
     {{"id", CATALOG_INTEGER},
      {"performer_id", CATALOG_INTEGER, .to = "performers"},
      {"play_id", CATALOG_INTEGER, .to = "plays"},
      {"pages", CATALOG_INTEGER},
      {"date_note_reviewed", CATALOG_DATE}}},
    {"payment",
     {{"id", CATALOG_INTEGER},
      {"performer_id", CATALOG_INTEGER, .to = "performers"},
      {"amount", CATALOG_NUMBER},
      {"paid_on", CATALOG_DATE},
      {"created_at", CATALOG_TIMESTAMP}}},
    {"season",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"season_state_code", CATALOG_TEXT},
      {"year_of_founded", CATALOG_INTEGER},
      {"starts_on", CATALOG_DATE},
      {"ends_on", CATALOG_DATE},
      {"created_at", CATALOG_TIMESTAMP},
      {"patron", CATALOG_TEXT, .nullable = true}}},
};

static const struct {
    const char *table, *column, *value;
} values[] = {
    {"performers", "first_name", "Jon"},        {"performers", "last_name", "Holm"},
    {"ushers", "last_name", "Jones"},           {"ushers", "first_name", "Holme"},
    {"performers", "born_region", "Jutland"},   {"performers", "contract_type", "seasonal"},
    {"performers", "contract_type", "touring"}, {"season", "season_state_code", "completed"},
};

#define PERFORMERS "SELECT first_name, last_name, id, born_region, age, joined_on, contract_type"

static const struct {
    const char *question, *sql; /* NULL: not answered */
} cases[] = {
    {"How many performers are over forty years old?",
     "SELECT COUNT(*) AS performers_count FROM performers WHERE age > 40"},
    {"How many performers are 30 years old?",
     "SELECT COUNT(*) AS performers_count FROM performers WHERE age = 30"},
    {"How old are the performers on average?", "SELECT AVG(age) AS average_age FROM performers"},
    {"How long are plays on average?", "SELECT AVG(duration) AS average_duration FROM plays"},
    {"How many plays have a budget above two hundred?",
     "SELECT COUNT(*) AS plays_count FROM plays WHERE budget_in_thousands > 200"},
    {"What is the average act 2 score?", "SELECT AVG(act2_score) AS average_act2_score FROM plays"},
    {"Which performers were born in Jutland?",
     "SELECT first_name, last_name, id, born_region FROM performers WHERE born_region = "
     "'Jutland'"},
    {"How many performers have a touring contract?",
     "SELECT COUNT(*) AS performers_count FROM performers WHERE contract_type = 'touring'"},
    {"Number of contracts", NULL},
    {"How many new performers were there in 2023?",
     "SELECT COUNT(*) AS performers_count FROM performers WHERE joined_on >= '2023-01-01' AND "
     "joined_on < '2024-01-01'"},
    {"Show the new performers", NULL},
    {"How many rehearsal notes are there?",
     "SELECT COUNT(*) AS rehearsal_notes_daily_count FROM rehearsal_notes_daily"},
    {"How many rehearsal notes were reviewed in 2023?",
     "SELECT COUNT(*) AS rehearsal_notes_daily_count FROM rehearsal_notes_daily WHERE "
     "date_note_reviewed >= '2023-01-01' AND date_note_reviewed < '2024-01-01'"},
    {"How many plays began in 2023?",
     "SELECT COUNT(*) AS plays_count FROM plays WHERE start_dt >= '2023-01-01' AND start_dt < "
     "'2024-01-01'"},
    {"Rehearsal notes of Jon Holm, how many?",
     "SELECT COUNT(*) AS rehearsal_notes_daily_count FROM rehearsal_notes_daily AS t1 JOIN "
     "performers AS t2 ON t2.id = t1.performer_id WHERE t2.first_name = 'Jon' AND t2.last_name = "
     "'Holm'"},
    {"How many performers are under 30?",
     "SELECT COUNT(*) AS performers_count FROM performers WHERE age < 30"},
    {"Performers above 40 and below 30", NULL},
    {"How many payments were made in 2023?",
     "SELECT COUNT(*) AS payment_count FROM payment WHERE paid_on >= '2023-01-01' AND paid_on < "
     "'2024-01-01'"},
    {"Total amount paid out in 2023",
     "SELECT SUM(amount) AS total_amount FROM payment WHERE paid_on >= '2023-01-01' AND paid_on < "
     "'2024-01-01'"},
    {"How many seasons were there in 2023?",
     "SELECT COUNT(*) AS season_count FROM season WHERE starts_on >= '2023-01-01' AND starts_on < "
     "'2024-01-01'"},
    {"How many seasons expired in 2023?",
     "SELECT COUNT(*) AS season_count FROM season WHERE ends_on >= '2023-01-01' AND ends_on < "
     "'2024-01-01'"},
    {"How many seasons were founded in 2020?",
     "SELECT COUNT(*) AS season_count FROM season WHERE year_of_founded = 2020"},
    {"How many finished seasons are there?",
     "SELECT COUNT(*) AS season_count FROM season WHERE season_state_code = 'completed'"},
    {"Seasons in the completed state",
     "SELECT name, id, season_state_code, year_of_founded, starts_on, ends_on, created_at, patron "
     "FROM season WHERE season_state_code = 'completed'"},
    {"Which seasons have a patron?",
     "SELECT name, id, season_state_code, year_of_founded, starts_on, ends_on, created_at, patron "
     "FROM season WHERE patron IS NOT NULL"},
    {"Which plays are still running?", NULL},
    {"Which plays are in stock?", NULL},
    {"Performers with a single play", NULL},
    {"Performers without a single rehearsal note",
     "SELECT t1.first_name, t1.last_name, t1.id, t1.born_region, t1.age, t1.joined_on, "
     "t1.contract_type FROM performers AS t1 WHERE NOT EXISTS (SELECT 1 FROM "
     "rehearsal_notes_daily AS t3 WHERE t3.performer_id = t1.id)"},
};

static struct str without_limit(struct str sql)
{
    ptrdiff_t at = str_find(sql, STR("\nLIMIT 1000"));
    return at < 0 ? sql : str_slice(sql, 0, (size_t)at);
}

TEST(words_are_read_beside_others)
{
    struct world w;
    world_init_of(&w, theatre, countof(theatre));
    TEST_EACH(v, values) {
        int table = catalog_find_table(w.catalog, STR(""), str_of(v->table));
        int column = catalog_find_column(w.catalog, table, str_of(v->column));
        EXPECT_TRUE(v->value, lexicon_index_add(w.lexicon, table, column, str_of(v->value)));
    }
    TEST_EACH(c, cases) {
        const struct offline_answer *answer = world_read(&w, str_of(c->question));
        if (c->sql != NULL)
            EXPECT_STR(c->question, str_of(answer->cannot), STR(""));
        EXPECT_STR(c->question, answer->understood ? without_limit(answer->sql) : STR(""),
                   c->sql != NULL ? str_of(c->sql) : STR(""));
    }
    world_fini(&w);
}

RUN_TESTS(T(words_are_read_beside_others))

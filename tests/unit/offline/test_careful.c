/* SPDX-License-Identifier: MIT */
/* What a word might mean by its letters, and does not: keys that nobody declared, names that rows
 * of several tables have, places in an order, years that would be added up. */
#include "tests/unit/offline/world.h"

#include "agents/english/tokens.h"
#include "agents/offline/grammar/grammar.h"

static const struct world_table tables[] = {
    {"airlines", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
    {"flights", {{"id", CATALOG_INTEGER}, {"airline", CATALOG_INTEGER}, {"gate", CATALOG_TEXT}}},
    {"states", {{"id", CATALOG_TEXT}, {"area", CATALOG_INTEGER}}},
    {"votes", {{"id", CATALOG_INTEGER}, {"state_id", CATALOG_TEXT, .to = "states"}}},
    {"country", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}, {"continent", CATALOG_TEXT}}},
    {"city",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"country_id", CATALOG_INTEGER, .to = "country"}}},
    {"matches", {{"id", CATALOG_INTEGER}, {"loser_rank", CATALOG_INTEGER}}},
    {"swimmers",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"height", CATALOG_NUMBER},
      {"year_of_birth", CATALOG_INTEGER}}},
    {"letters",
     {{"id", CATALOG_INTEGER}, {"subject", CATALOG_TEXT}, {"created_at", CATALOG_TIMESTAMP}}},
    {"comments", {{"id", CATALOG_INTEGER}, {"letter_id", CATALOG_INTEGER, .to = "letters"}}},
    {"marks",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"owner_type", CATALOG_TEXT},
      {"owner_id", CATALOG_INTEGER}}},
};

static const struct {
    const char *table, *column, *value;
} values[] = {
    {"states", "id", "NY"},
    {"country", "name", "Luxembourg"},
    {"city", "name", "Luxembourg"},
    {"city", "name", "Oslo"},
    {"letters", "subject", "Parcel opened on arrival"},
    {"marks", "name", "urgent"},
    {"marks", "owner_type", "Letter"},
};

static const struct asked {
    const char *question, *sql; /* NULL: no answer; "": some answer */
} asked[] = {
    {"Which airlines have more than 2 flights?", NULL},
    {"How many airlines are there?", ""},
    {"How many votes from state 'NY' are there?",
     "SELECT COUNT(*) AS votes_count FROM votes WHERE state_id = 'NY'"},
    {"What is the continent of the country Luxembourg?", ""},
    {"What is the average loser rank?", ""},
    {"Show the swimmers in order of height", ""},
    {"How many letters are open?", NULL},
    {"How many letters came in May 2024?", "SELECT COUNT(*) AS letters_count FROM letters WHERE "
                                           "created_at >= '2024-05-01' AND created_at "
                                           "< '2024-06-01'"},
    {"letters marked urgent", NULL},
};

static void judge(struct world *w, const struct asked *a)
{
    const struct offline_answer *answer = world_read(w, str_of(a->question));
    assert_non_null(answer);
    EXPECT_INT(a->question, answer->understood, a->sql != NULL);
    if (a->sql != NULL && a->sql[0] != '\0')
        EXPECT_STR(a->question, answer->sql, str_of(a->sql));
}

static void init(struct world *w)
{
    world_init_of(w, tables, countof(tables));
    TEST_EACH(v, values) {
        int table = catalog_find_table(w->catalog, STR(""), str_of(v->table));
        int column = catalog_find_column(w->catalog, table, str_of(v->column));
        EXPECT_TRUE(v->value, lexicon_index_add(w->lexicon, table, column, str_of(v->value)));
    }
}

static size_t count_readings(struct world *w, struct str question)
{
    struct chart_result result;
    struct offline_token *tokens;
    size_t count = 0;
    assert_int_equal(english_tokens_of(&w->arena, question, &tokens, &count), ERR_OK);
    assert_int_equal(grammar_read(&w->arena, w->lexicon, tokens, count,
                                  english_dates_day(2024, 8, 15), SYMBOL_QUERY, &result),
                     ERR_OK);
    return result.count;
}

TEST(a_name_of_rows_of_two_tables_is_none)
{
    struct world w;
    init(&w);
    EXPECT_INT("both", count_readings(&w, STR("What is the continent of Luxembourg?")), 0);
    EXPECT_TRUE("one", count_readings(&w, STR("What is the country of Oslo?")) > 0);
    world_fini(&w);
}

TEST(places_and_years_are_no_amounts)
{
    struct world w;
    init(&w);
    EXPECT_INT("rank", count_readings(&w, STR("What is the highest loser rank?")), 0);
    EXPECT_INT("year", count_readings(&w, STR("What is the total year of birth of swimmers?")), 0);
    EXPECT_INT("value", count_readings(&w, STR("Show the swimmers in order of value")), 0);
    EXPECT_TRUE("height", count_readings(&w, STR("Show the swimmers in order of height")) > 0);
    world_fini(&w);
}

TEST(nothing_is_guessed)
{
    struct world w;
    init(&w);
    TEST_EACH(a, asked)
        judge(&w, a);
    world_fini(&w);
}

static const struct world_table town[] = {
    {"venues",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"capacity", CATALOG_INTEGER},
      {"gates", CATALOG_INTEGER}}},
    {"hall_reservations", {{"id", CATALOG_INTEGER}, {"venue_id", CATALOG_INTEGER, .to = "venues"}}},
    {"agents",
     {{"id", CATALOG_INTEGER},
      {"first_name", CATALOG_TEXT},
      {"last_name", CATALOG_TEXT},
      {"email", CATALOG_TEXT, .nullable = true},
      {"manager_id", CATALOG_INTEGER, .to = "agents", .nullable = true}}},
    {"matches",
     {{"id", CATALOG_INTEGER}, {"kickoff_at", CATALOG_DATE}, {"created_at", CATALOG_TIMESTAMP}}},
};

static const struct asked clear[] = {
    {"biggest stadium",
     "SELECT name, id, capacity, gates FROM venues ORDER BY capacity DESC, id LIMIT 1"},
    {"Which stadiums have never been booked?", ""},
    {"How many agents have no email address?",
     "SELECT COUNT(*) AS agents_count FROM agents WHERE email IS NULL"},
    {"How many matches were there in 2024?",
     "SELECT COUNT(*) AS matches_count FROM matches WHERE kickoff_at >= '2024-01-01' AND "
     "kickoff_at < '2025-01-01'"},
    {"Who is the manager of Ada Stone?", ""},
};

/* What schemas do not say as people do, and what is clear all the same. */
TEST(what_is_usual_is_taken)
{
    struct world w;
    world_init_of(&w, town, countof(town));
    int table = catalog_find_table(w.catalog, STR(""), STR("agents"));
    assert_true(lexicon_index_add(w.lexicon, table, 1, STR("Ada")));
    assert_true(lexicon_index_add(w.lexicon, table, 2, STR("Stone")));
    TEST_EACH(a, clear)
        judge(&w, a);
    world_fini(&w);
}

/* A client has an order of each; an order itself is either. */
TEST(and_between_values_means_both_where_rows_may_have_both)
{
    struct world w;
    world_init(&w);
    const struct offline_answer *answer =
        world_read(&w, STR("Which clients have open and shipped orders?"));
    assert_true(answer->understood);
    assert_true(str_find(answer->sql, STR("'open'")) != STR_NONE);
    assert_true(str_find(answer->sql, STR("'shipped'")) != STR_NONE);
    assert_true(str_find(answer->sql, STR("IN ('open', 'shipped')")) == STR_NONE);
    answer = world_read(&w, STR("How many open and shipped orders are there?"));
    EXPECT_STR("either", answer->sql,
               STR("SELECT COUNT(*) AS orders_count FROM orders WHERE status IN ('open', "
                   "'shipped')"));
    answer = world_read(&w, STR("Which clients have open or shipped orders?"));
    assert_true(str_find(answer->sql, STR("IN ('open', 'shipped')")) != STR_NONE);
    world_fini(&w);
}

RUN_TESTS(T(a_name_of_rows_of_two_tables_is_none), T(places_and_years_are_no_amounts),
          T(nothing_is_guessed), T(what_is_usual_is_taken),
          T(and_between_values_means_both_where_rows_may_have_both))

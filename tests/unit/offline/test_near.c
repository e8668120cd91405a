/* SPDX-License-Identifier: MIT */
/* What a verb says is of the rows that are asked for, not of some that only persons tie to them;
 * and readings that say the same are one. */
#include "tests/unit/offline/world.h"

#include "agents/offline/answers/alike.h"

static const struct world_table tables[] = {
    {"worker",
     {{"id", CATALOG_INTEGER},
      {"first_name", CATALOG_TEXT},
      {"last_name", CATALOG_TEXT},
      {"manager_id", CATALOG_INTEGER, .to = "worker", .nullable = true},
      {"hourly_wage", CATALOG_NUMBER}}},
    {"client",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"seller_id", CATALOG_INTEGER, .to = "worker"}}},
    {"booking",
     {{"id", CATALOG_INTEGER},
      {"client_id", CATALOG_INTEGER, .to = "client"},
      {"booked_on", CATALOG_DATE},
      {"handled_by_id", CATALOG_INTEGER, .nullable = true}}},
    {"tour",
     {{"id", CATALOG_INTEGER},
      {"guide_id", CATALOG_INTEGER, .to = "worker"},
      {"finished_at", CATALOG_TIMESTAMP, .nullable = true}}},
};

static const struct {
    const char *question, *sql;
} questions[] = {
    {"How many tours were finished in 2024?",
     "SELECT COUNT(*) AS tour_count FROM tour WHERE finished_at >= '2024-01-01' AND finished_at < "
     "'2025-01-01'"},
    {"How many bookings were finished in 2024?", ""},
    {"How much was the hourly wage?", ""},
    {"How many bookings did the workers handle?", ""},
};

TEST(a_verb_is_of_what_is_near)
{
    struct world w;
    world_init_of(&w, tables, countof(tables));
    TEST_EACH(q, questions) {
        const struct offline_answer *answer = world_read(&w, str_of(q->question));
        EXPECT_STR(q->question, answer->understood ? answer->sql : STR(""), str_of(q->sql));
    }
    world_fini(&w);
}

static const struct {
    const char *one, *other;
    bool alike;
} statements[] = {
    {"SELECT COUNT(*) AS n FROM a WHERE (\"b\" IS NULL)",
     "SELECT COUNT(*) AS m FROM a WHERE b IS NULL", true},
    {"SELECT x, (SUM(\"y\") / 100.0) AS n FROM a GROUP BY x ORDER BY n DESC",
     "SELECT x, SUM(y) / 100.0 AS total_y FROM a GROUP BY x ORDER BY total_y DESC", true},
    {"SELECT SUM(y) AS n FROM a", "SELECT SUM(z) AS n FROM a", false},
    {"SELECT 1 FROM a WHERE b = '(x)'", "SELECT 1 FROM a WHERE b = 'x'", false},
    {"SELECT 1 FROM a WHERE (b = 1 OR c = 2) AND d = 3",
     "SELECT 1 FROM a WHERE b = 1 OR (c = 2 AND d = 3)", false},
    {"SELECT t1.n FROM a AS t1", "SELECT t2.n FROM a AS t2", false},
    {"SELECT SUM(y * (1 - z)) AS n FROM a", "SELECT SUM(y * 1 - z) AS n FROM a", false},
    {"SELECT SUM((y * z)) AS n FROM a", "SELECT SUM(y * z) AS n FROM a", true},
    {"SELECT 1 FROM a WHERE (b = 1) AND ((c > d))", "SELECT 1 FROM a WHERE b = 1 AND c > d", true},
    {"SELECT 1 FROM a WHERE NOT (b AND c)", "SELECT 1 FROM a WHERE NOT b AND c", false},
    {"SELECT 1 FROM a WHERE b IN (SELECT c FROM d)", "SELECT 1 FROM a WHERE b IN SELECT c FROM d",
     false},
};

TEST(statements_that_say_the_same)
{
    TEST_EACH(s, statements)
        EXPECT_INT(s->one, offline_alike(str_of(s->one), str_of(s->other)), s->alike);
}

RUN_TESTS(T(a_verb_is_of_what_is_near), T(statements_that_say_the_same))

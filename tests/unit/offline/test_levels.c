/* SPDX-License-Identifier: MIT */
/* Numbers that say a level are averaged, a date that only some rows have is not their own, what
 * sponsors do is a sponsorship, and rows that have a state of their own are not in that of others.
 */
#include "tests/unit/offline/world.h"

static const struct world_table tables[] = {
    {"fair",
     {{"id", CATALOG_INTEGER},
      {"title", CATALOG_TEXT},
      {"budget", CATALOG_NUMBER},
      {"status", CATALOG_INTEGER}}},
    {"lecture",
     {{"id", CATALOG_INTEGER},
      {"fair_id", CATALOG_INTEGER, .to = "fair"},
      {"title", CATALOG_TEXT}}},
    {"vote",
     {{"id", CATALOG_INTEGER},
      {"lecture_id", CATALOG_INTEGER, .to = "lecture"},
      {"rating", CATALOG_INTEGER}}},
    {"entry",
     {{"id", CATALOG_INTEGER},
      {"fair_id", CATALOG_INTEGER, .to = "fair"},
      {"fee", CATALOG_NUMBER},
      {"seen_at", CATALOG_TIMESTAMP, .nullable = true},
      {"cancelled_at", CATALOG_TIMESTAMP, .nullable = true},
      {"created_at", CATALOG_TIMESTAMP}}},
    {"sponsorships",
     {{"id", CATALOG_INTEGER},
      {"fair_id", CATALOG_INTEGER, .to = "fair"},
      {"amount", CATALOG_NUMBER}}},
};

static const struct {
    const char *question, *sql;
} questions[] = {
    {"best rated lecture", "SELECT t2.title, t2.id, AVG(t1.rating) AS average_rating FROM vote AS "
                           "t1 JOIN lecture AS t2 ON t2.id = t1.lecture_id GROUP BY t2.title, "
                           "t2.id ORDER BY average_rating DESC, t2.id LIMIT 1"},
    {"lecture with the highest rating",
     "SELECT t2.title, t2.id, AVG(t1.rating) AS average_rating FROM vote AS t1 JOIN lecture AS t2 "
     "ON t2.id = t1.lecture_id GROUP BY t2.title, t2.id ORDER BY average_rating DESC, t2.id LIMIT "
     "1"},
    {"rating per lecture",
     "SELECT t2.title, t2.id, AVG(t1.rating) AS average_rating FROM vote AS t1 JOIN lecture AS t2 "
     "ON t2.id = t1.lecture_id GROUP BY t2.title, t2.id ORDER BY average_rating DESC, t2.id"},
    {"fee per fair",
     "SELECT t2.title, t2.id, SUM(t1.fee) AS total_fee FROM entry AS t1 JOIN fair AS t2 ON t2.id = "
     "t1.fair_id GROUP BY t2.title, t2.id ORDER BY total_fee DESC, t2.id"},
    {"top 3 fairs by fee",
     "SELECT t2.title, t2.id, SUM(t1.fee) AS total_fee FROM entry AS t1 JOIN fair AS t2 ON t2.id = "
     "t1.fair_id GROUP BY t2.title, t2.id ORDER BY total_fee DESC, t2.id LIMIT 3"},
    {"entries per month", "SELECT strftime('%Y-%m', created_at) AS period, COUNT(*) AS entry_count "
                          "FROM entry GROUP BY strftime('%Y-%m', created_at) ORDER BY period"},
    {"which fairs were cancelled?",
     "'which fairs were' is understood, but not 'cancelled' with it"},
    {"which entries were cancelled?",
     "SELECT t1.id, t1.fair_id, t1.fee, t1.seen_at, t1.cancelled_at, t1.created_at, (SELECT "
     "t2.title FROM fair AS t2 WHERE t2.id = t1.fair_id) AS fair_title FROM entry AS t1 WHERE "
     "t1.cancelled_at IS NOT NULL"},
    {"fairs with cancelled entries",
     "SELECT t1.title, t1.id, t1.budget, t1.status FROM fair AS t1 WHERE EXISTS (SELECT 1 FROM "
     "entry AS t2 WHERE t2.fair_id = t1.id AND t2.cancelled_at IS NOT NULL)"},
    {"cancel all entries", "it only reads data, and 'cancel' would change some"},
    {"cancel the entries of the fairs", "it only reads data, and 'cancel' would change some"},
    {"fee of the entries", "SELECT id, fee FROM entry"},
    {"which fairs were never sponsored?",
     "SELECT t1.title, t1.id, t1.budget, t1.status FROM fair AS t1 WHERE NOT EXISTS (SELECT 1 FROM "
     "sponsorships AS t3 WHERE t3.fair_id = t1.id)"},
};

TEST(levels_dates_and_deeds)
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

RUN_TESTS(T(levels_dates_and_deeds))

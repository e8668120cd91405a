/* SPDX-License-Identifier: MIT */
/* Rows that belong to rows: a verb's object is joined by what the verb says, not by what is nearer;
 * and who did something is told by the column that says so. */
#include "tests/unit/offline/world.h"

static const struct world_table tables[] = {
    {"books", {{"id", CATALOG_INTEGER}, {"title", CATALOG_TEXT}, {"pages", CATALOG_INTEGER}}},
    {"copies", {{"id", CATALOG_INTEGER}, {"book_id", CATALOG_INTEGER, .to = "books"}}},
    {"members", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}, {"joined_on", CATALOG_DATE}}},
    {"reservations",
     {{"id", CATALOG_INTEGER},
      {"book_id", CATALOG_INTEGER, .to = "books"},
      {"member_id", CATALOG_INTEGER, .to = "members"}}},
    {"loans",
     {{"id", CATALOG_INTEGER},
      {"copy_id", CATALOG_INTEGER, .to = "copies"},
      {"member_id", CATALOG_INTEGER, .to = "members"},
      {"borrowed_on", CATALOG_DATE},
      {"due_on", CATALOG_DATE},
      {"returned_on", CATALOG_DATE, .nullable = true}}},
    {"employees", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
    {"pupils", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
    {"friends",
     {{"id", CATALOG_INTEGER},
      {"pupil_id", CATALOG_INTEGER, .to = "pupils"},
      {"friend_id", CATALOG_INTEGER, .to = "pupils"}}},
    {"tickets",
     {{"id", CATALOG_INTEGER},
      {"member_id", CATALOG_INTEGER, .to = "members"},
      {"closed_by", CATALOG_INTEGER, .to = "employees"},
      {"closed_at", CATALOG_TIMESTAMP, .nullable = true},
      {"created_at", CATALOG_TIMESTAMP}}},
    {"check_ins",
     {{"id", CATALOG_INTEGER},
      {"member_id", CATALOG_INTEGER, .to = "members"},
      {"checked_in_at", CATALOG_TIMESTAMP},
      {"checked_out_at", CATALOG_TIMESTAMP, .nullable = true}}},
};

/* What a statement has and has not; has NULL: there is no answer. */
static const struct {
    const char *question, *has, *lacks;
} asked[] = {
    {"Members who borrowed a book in 2024",
     "EXISTS (SELECT 1 FROM loans AS t2 JOIN copies AS t3 ON t3.id = t2.copy_id JOIN books AS t4 "
     "ON t4.id = t3.book_id WHERE t2.member_id = t1.id AND t2.borrowed_on >= '2024-01-01'",
     "reservations"},
    {"Which members have never borrowed a book?", "NOT EXISTS (SELECT 1 FROM loans",
     "reservations"},
    {"Members who borrowed more than 10 books", "FROM loans AS t2 JOIN copies", "reservations"},
    {"Which members have borrowed no book and joined in 2024?", NULL, ""},
    {"How many friends does each pupil have?", "pupil_id", "friend_id"},
    {"Pupils with between 2 and 4 friends", "HAVING COUNT(*) BETWEEN 2 AND 4", "friend_id"},
    {"Pupils with not more than 4 friends", "HAVING COUNT(*) > 4", "friend_id"},
    {"Members with more than 3 loans",
     "(SELECT COUNT(*) FROM loans AS t2 WHERE t2.member_id = t1.id) AS loans_count", "tickets"},
    {"Books with not more than 300 pages", "pages <= 300", ">"},
    {"Members in descending order of number of loans", "ORDER BY loans_count DESC", "LIMIT"},
    {"Loans that were returned late in 2024",
     "WHERE t1.returned_on > t1.due_on AND t1.returned_on >= '2024-01-01'", "borrowed_on >="},
    {"Who closed the most tickets?", "JOIN employees AS t2 ON t2.id = t1.closed_by", "members"},
    {"Who created the most tickets?", NULL, ""},
    {"Loans that are already due", "WHERE t1.returned_on IS NULL AND t1.due_on < '2024-08-16'",
     "due_on IS"},
    {"Loans due in May 2024", "due_on >= '2024-05-01'", "returned_on IS"},
    {"How many check-ins were there in 2024?", "checked_in_at >= '2024-01-01'", "checked_out_at"},
    {"Loans older than 60 days", "borrowed_on < '2024-06-16'", "joined_on"},
    {"Books that are neither borrowed nor reserved", NULL, ""},
};

TEST(an_object_belongs_to_its_verb)
{
    struct world w;
    world_init_of(&w, tables, countof(tables));
    TEST_EACH(a, asked) {
        const struct offline_answer *answer = world_read(&w, str_of(a->question));
        assert_non_null(answer);
        EXPECT_INT(a->question, answer->understood, a->has != NULL);
        if (a->has == NULL)
            continue;
        if (str_find(answer->sql, str_of(a->has)) < 0 ||
            str_find(answer->sql, str_of(a->lacks)) >= 0)
            fail_msg("%s: %.*s", a->question, STR_ARG(answer->sql));
    }
    world_fini(&w);
}

RUN_TESTS(T(an_object_belongs_to_its_verb))

/* SPDX-License-Identifier: MIT */
/* A list of rows says whom their keys speak of: by name, each reference by its own when two lead to
 * one table, and never what is private. */
#include "tests/unit/offline/world.h"

static const struct world_table tables[] = {
    {"patron",
     {{"id", CATALOG_INTEGER},
      {"first_name", CATALOG_TEXT},
      {"last_name", CATALOG_TEXT},
      {"mentor_id", CATALOG_INTEGER, .to = "patron", .nullable = true}}},
    {"secret", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT, .pii = true}}},
    {"hall", {{"code", CATALOG_TEXT}, {"seats", CATALOG_INTEGER}}},
    {"parcel",
     {{"id", CATALOG_INTEGER},
      {"sender_id", CATALOG_INTEGER, .to = "patron"},
      {"receiver_id", CATALOG_INTEGER, .to = "patron"},
      {"weight", CATALOG_NUMBER}}},
    {"visit",
     {{"id", CATALOG_INTEGER},
      {"patron_id", CATALOG_INTEGER, .to = "patron", .nullable = true},
      {"secret_id", CATALOG_INTEGER, .to = "secret"},
      {"patron_last_name", CATALOG_TEXT},
      {"day", CATALOG_DATE}}},
};

static const struct {
    const char *question, *sql;
} questions[] = {
    {"list the parcels",
     "SELECT t1.id, t1.sender_id, t1.receiver_id, t1.weight, (SELECT t2.first_name FROM patron AS "
     "t2 WHERE t2.id = t1.sender_id) AS sender_id_first_name, (SELECT t3.last_name FROM patron AS "
     "t3 WHERE t3.id = t1.sender_id) AS sender_id_last_name, (SELECT t4.first_name FROM patron AS "
     "t4 WHERE t4.id = t1.receiver_id) AS receiver_id_first_name, (SELECT t5.last_name FROM patron "
     "AS t5 WHERE t5.id = t1.receiver_id) AS receiver_id_last_name FROM parcel AS t1"},
    {"list the visits",
     "SELECT t1.patron_last_name, t1.id, t1.patron_id, t1.secret_id, t1.day, (SELECT t2.first_name "
     "FROM patron AS t2 WHERE t2.id = t1.patron_id) AS patron_first_name, (SELECT t3.last_name "
     "FROM patron AS t3 WHERE t3.id = t1.patron_id) AS patron_last_name_2 FROM visit AS t1"},
    {"list the patrons",
     "SELECT t1.first_name, t1.last_name, t1.id, t1.mentor_id, (SELECT t2.first_name FROM patron "
     "AS t2 WHERE t2.id = t1.mentor_id) AS mentor_id_first_name, (SELECT t3.last_name FROM patron "
     "AS t3 WHERE t3.id = t1.mentor_id) AS mentor_id_last_name FROM patron AS t1"},
    {"list the halls", "SELECT code, seats FROM hall"},
    {"weight of the parcels", "SELECT id, weight FROM parcel"},
    {"how many parcels are there?", "SELECT COUNT(*) AS parcel_count FROM parcel"},
};

TEST(keys_are_shown_by_name)
{
    struct world w;
    world_init_of(&w, tables, countof(tables));
    TEST_EACH(q, questions) {
        const struct offline_answer *answer = world_read(&w, str_of(q->question));
        assert_non_null(answer);
        EXPECT_STR(q->question, answer->understood ? answer->sql : str_of(answer->cannot),
                   str_of(q->sql));
    }
    world_fini(&w);
}

RUN_TESTS(T(keys_are_shown_by_name))

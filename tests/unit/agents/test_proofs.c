/* SPDX-License-Identifier: MIT */
/* Tests of agents/sql/doubts/proofs: which statements are made to prove a doubt, and when their
 * rows do. */
#include "agents/sql/doubts/proofs.h"

#include "tests/lib/test.h"

enum { ARENA_BYTES = 4 << 20 };

static const char world[] =
    "{\"version\":1,\"tables\":{"
    "\"houses\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"city\",\"type\":\"text\"},{\"name\":\"built\",\"type\":\"integer\"},"
    "{\"name\":\"rent\",\"type\":\"numeric\"}],\"unique_columns\":[\"id\"]},"
    "\"bills\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"house_id\",\"type\":\"integer\"},{\"name\":\"status\",\"type\":\"text\"}],"
    "\"unique_columns\":[\"id\"]},"
    "\"towns\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"}],\"unique_columns\":[\"id\"]},"
    "\"owners\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"town_id\",\"type\":\"integer\"}],\"unique_columns\":[\"id\"]},"
    "\"visits\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"owner_id\",\"type\":\"integer\"},{\"name\":\"town_id\",\"type\":\"integer\"}],"
    "\"unique_columns\":[\"id\"]}},"
    "\"relationships\":["
    "{\"from_table\":\"owners\",\"from_column\":\"town_id\",\"to_table\":"
    "\"towns\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"visits\",\"from_column\":\"owner_id\",\"to_table\":"
    "\"owners\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"visits\",\"from_column\":\"town_id\",\"to_table\":"
    "\"towns\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"bills\",\"from_column\":\"house_id\",\"to_table\":"
    "\"houses\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"}]}";

/* proof: of the first proof; NULL: there is none */
static const struct {
    const char *question, *sql, *kind, *proof;
} cases[] = {
    {"", "SELECT city FROM houses ORDER BY built LIMIT 1", "tie",
     "SELECT city, built FROM houses ORDER BY built LIMIT 2"},
    {"", "SELECT city, COUNT(*) AS n FROM houses GROUP BY city ORDER BY n DESC LIMIT 1", "tie",
     "SELECT city, COUNT(*) AS n, COUNT(*) FROM houses GROUP BY city ORDER BY n DESC LIMIT 2"},
    {"", "SELECT city, built FROM houses ORDER BY 2, city LIMIT 1;", "tie",
     "SELECT city, built, built, city FROM houses ORDER BY 2, city LIMIT 2"},
    {"", "SELECT city FROM houses ORDER BY built, id LIMIT 1", NULL, NULL},
    {"", "SELECT city FROM houses ORDER BY built LIMIT 3", NULL, NULL},
    {"", "SELECT city FROM houses ORDER BY built LIMIT 1 OFFSET 1", NULL, NULL},
    {"", "SELECT DISTINCT city FROM houses ORDER BY built LIMIT 1", NULL, NULL},
    {"", "SELECT built AS b FROM houses ORDER BY b + 1 LIMIT 1", NULL, NULL},
    {"", "SELECT city FROM houses LIMIT 1", NULL, NULL},
    {"",
     "SELECT h.city, SUM(h.rent) AS r FROM houses h JOIN bills b ON b.house_id = h.id WHERE "
     "b.status = 'open' GROUP BY 1 HAVING SUM(h.rent) > 5 ORDER BY 2 LIMIT 7",
     "multiplied",
     "SELECT COUNT(h.\"id\") - COUNT(DISTINCT h.\"id\") FROM houses h JOIN bills b ON b.house_id = "
     "h.id WHERE b.status = 'open' GROUP BY h.city HAVING COUNT(h.\"id\") > COUNT(DISTINCT "
     "h.\"id\")"},
    {"", "SELECT SUM(rent) AS r FROM houses", NULL, NULL},
    {"", "SELECT COUNT(status) AS n FROM bills", "count_of_column",
     "SELECT COUNT(*) - COUNT(status) FROM bills HAVING COUNT(*) > COUNT(status)"},
    {"bills with a status", "SELECT COUNT(status) AS n FROM bills", NULL, NULL},
    {"houses not in Bonn", "SELECT id FROM houses WHERE built > 5 AND city <> 'Bonn'", "left_out",
     "SELECT COUNT(*) FROM houses WHERE built > 5 AND city IS NULL HAVING COUNT(*) > 0"},
    {"houses not in Bonn", "SELECT id FROM houses WHERE city NOT IN ('Bonn', 'Kiel')", "left_out",
     "SELECT COUNT(*) FROM houses WHERE city IS NULL HAVING COUNT(*) > 0"},
    {"houses elsewhere", "SELECT id FROM houses WHERE city <> 'Bonn'", NULL, NULL},
    {"", "SELECT city FROM houses WHERE id NOT IN (SELECT house_id FROM bills WHERE status = 'x')",
     "left_out",
     "SELECT COUNT(*) FROM bills WHERE (status = 'x') AND house_id IS NULL HAVING COUNT(*) > 0"},
    {"", "SELECT city FROM houses ORDER BY built LIMIT 1 UNION SELECT 'x'", NULL, NULL},
    {"visits in each town",
     "SELECT t.id, COUNT(*) AS n FROM visits v JOIN owners o ON o.id = v.owner_id JOIN towns t ON "
     "t.id = o.town_id GROUP BY t.id",
     "way_around",
     "SELECT COUNT(CASE WHEN v.\"town_id\" <> o.town_id THEN 1 END) FROM visits v JOIN owners o ON "
     "o.id = v.owner_id JOIN towns t ON t.id = o.town_id GROUP BY t.id HAVING COUNT(CASE WHEN "
     "v.\"town_id\" <> o.town_id THEN 1 END) > 0"},
    {"visits by the town of the owner",
     "SELECT t.id, COUNT(*) AS n FROM visits v JOIN owners o ON o.id = v.owner_id JOIN towns t ON "
     "t.id = o.town_id GROUP BY t.id",
     NULL, NULL},
    {"visits in each town",
     "SELECT t.id, COUNT(*) AS n FROM visits v JOIN towns t ON t.id = v.town_id GROUP BY t.id",
     NULL, NULL},
    /* all of them are wanted */
    {"number of visits per town, 0 where there are none",
     "SELECT t.id, COUNT(*) AS n FROM visits v JOIN towns t ON t.id = v.town_id GROUP BY t.id",
     "inner_join",
     "SELECT COUNT(*) FROM towns t WHERE t.\"id\" NOT IN (SELECT t.\"id\" FROM visits v JOIN towns "
     "t "
     "ON t.id = v.town_id) HAVING COUNT(*) > 0"},
    {"list all houses with the number of their bills",
     "SELECT h.id, COUNT(*) AS n FROM houses h JOIN bills b ON b.house_id = h.id WHERE h.city = "
     "'Bonn' AND b.status = 'open' GROUP BY h.id",
     "inner_join",
     "SELECT COUNT(*) FROM houses h WHERE (h.city = 'Bonn') AND h.\"id\" NOT IN (SELECT h.\"id\" "
     "FROM houses h JOIN bills b ON b.house_id = h.id WHERE h.city = 'Bonn' AND b.status = 'open') "
     "HAVING COUNT(*) > 0"},
    {"bills of each house, also houses without bills",
     "SELECT h.id, COUNT(*) AS n FROM houses h JOIN bills b ON b.house_id = h.id GROUP BY h.id",
     "inner_join",
     "SELECT COUNT(*) FROM houses h WHERE h.\"id\" NOT IN (SELECT h.\"id\" FROM houses h JOIN "
     "bills "
     "b ON b.house_id = h.id) HAVING COUNT(*) > 0"},
    {"list all houses that have bills, with their number",
     "SELECT h.id, COUNT(*) AS n FROM houses h JOIN bills b ON b.house_id = h.id GROUP BY h.id",
     NULL, NULL},
    {"how many bills has each house?",
     "SELECT h.id, COUNT(*) AS n FROM houses h JOIN bills b ON b.house_id = h.id GROUP BY h.id",
     NULL, NULL},
    {"bills of each house, not including those without a status",
     "SELECT h.id, COUNT(*) AS n FROM houses h JOIN bills b ON b.house_id = h.id GROUP BY h.id",
     NULL, NULL},
    {"list all houses with the number of their bills",
     "SELECT h.id, COUNT(*) AS n FROM houses h JOIN bills b ON b.house_id = h.id GROUP BY h.id "
     "HAVING COUNT(*) > 2",
     NULL, NULL},
    {"list all owners of town 3 with their visits",
     "SELECT o.id, COUNT(*) AS n FROM owners o JOIN towns t ON t.id = o.town_id JOIN visits v ON "
     "v.owner_id = o.id AND v.town_id = t.id WHERE t.id = 3 GROUP BY o.id",
     NULL, NULL},
    {"list all houses with the number of their bills",
     "SELECT h.id, COUNT(b.id) AS n FROM houses h LEFT JOIN bills b ON b.house_id = h.id GROUP BY "
     "h.id",
     NULL, NULL},
};

static void parse_into(const char *sql, const struct catalog *catalog, struct arena *arena,
                       const struct sql_parse **parse)
{
    const char *rule;
    struct err err = {0};
    *parse = NULL;
    if (sql_parse_statement(SQL_SQLITE, str_of(sql), catalog, arena, parse, &rule, &err) != ERR_OK)
        *parse = NULL;
}

/* The statement's only figure, as it is and with each row counted once. */
TEST(both_figures_of_what_is_counted_again)
{
#define MET "FROM houses h JOIN bills b ON b.house_id = h.id"
    static const struct {
        const char *sql, *figures;
    } both[] = {
        {"SELECT SUM(h.rent) AS r " MET " WHERE b.status = 'open'",
         "SELECT SUM(one.x * one.n), SUM(one.x) FROM (SELECT MAX(h.rent) AS x, COUNT(h.\"id\") AS "
         "n " MET " WHERE b.status = 'open' GROUP BY h.\"id\") AS one"},
        {"SELECT count(h.id) AS n " MET,
         "SELECT SUM(one.n), COUNT(one.x) FROM (SELECT MAX(h.id) AS x, COUNT(h.\"id\") AS n " MET
         " GROUP BY h.\"id\") AS one"},
        {"SELECT SUM(h.rent) * 12 AS r " MET, ""},
        {"SELECT SUM(h.rent) AS r, COUNT(*) AS n " MET, ""},
        {"SELECT b.status, SUM(h.rent) AS r " MET " GROUP BY b.status", ""},
    };
    struct catalog *catalog = NULL;
    struct err err = {0};
    if (catalog_from_join_graph(str_of(world), &catalog, &err) != ERR_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < countof(both); i++) {
        struct arena arena;
        struct sql_proof proofs[SQL_PROOFS_MOST];
        const struct sql_parse *parse;
        arena_init(&arena, ARENA_BYTES);
        parse_into(both[i].sql, catalog, &arena, &parse);
        assert_non_null(parse);
        const size_t count = sql_proofs_make(
            &(struct sql_doubts_source){
                .parse = parse, .catalog = catalog, .question = STR(""), .arena = &arena},
            proofs);
        assert_true(count > 0);
        EXPECT_STR(both[i].sql, str_of(proofs[0].kind), STR("multiplied"));
        EXPECT_STR(both[i].sql, proofs[0].figures, str_of(both[i].figures));
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

TEST(proofs_are_the_statement_with_another_list)
{
    struct catalog *catalog = NULL;
    struct err err = {0};
    if (catalog_from_join_graph(str_of(world), &catalog, &err) != ERR_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < countof(cases); i++) {
        struct arena arena;
        struct sql_proof proofs[SQL_PROOFS_MOST];
        const struct sql_parse *parse, *of_proof;
        arena_init(&arena, ARENA_BYTES);
        parse_into(cases[i].sql, catalog, &arena, &parse);
        if (parse == NULL) {
            assert_null(cases[i].kind);
            arena_fini(&arena);
            continue;
        }
        const size_t count =
            sql_proofs_make(&(struct sql_doubts_source){.parse = parse,
                                                        .catalog = catalog,
                                                        .question = str_of(cases[i].question),
                                                        .arena = &arena},
                            proofs);
        if (count != (cases[i].kind != NULL))
            fail_msg("%s: %zu proofs", cases[i].sql, count);
        if (count > 0) {
            EXPECT_STR(cases[i].sql, str_of(proofs[0].kind), str_of(cases[i].kind));
            EXPECT_STR(cases[i].sql, proofs[0].sql, str_of(cases[i].proof));
            parse_into(cases[i].proof, catalog, &arena, &of_proof);
            assert_non_null(of_proof);
        }
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

/* Rows that have only a third in common are paired for no question; a row may be added for each of
 * those that refer to it. */
TEST(what_no_question_asks)
{
    static const struct {
        const char *sql;
        bool is_wrong;
    } sums[] = {
        {"SELECT COUNT(o.id) AS n FROM towns t JOIN owners o ON o.town_id = t.id JOIN visits v ON "
         "v.town_id = t.id",
         true},
        {"SELECT COUNT(o.id) AS n FROM owners o JOIN visits v ON v.owner_id = o.id", false},
        {"SELECT SUM(h.rent) AS r FROM houses h JOIN bills b ON b.house_id = h.id", false},
    };
    struct catalog *catalog = NULL;
    struct err err = {0};
    assert_int_equal(catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    TEST_EACH(c, sums) {
        struct arena arena;
        struct sql_proof proofs[SQL_PROOFS_MOST];
        const struct sql_parse *parse;
        arena_init(&arena, ARENA_BYTES);
        parse_into(c->sql, catalog, &arena, &parse);
        assert_non_null(parse);
        const size_t count = sql_proofs_make(
            &(struct sql_doubts_source){
                .parse = parse, .catalog = catalog, .question = STR(""), .arena = &arena},
            proofs);
        EXPECT_INT(c->sql, count, 1);
        EXPECT_INT(c->sql, proofs[0].is_wrong, c->is_wrong);
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

/* Bills count that are not void: as a file has it. Of houses, those that are not marked. */
static bool counted(void *owner, int table, struct sql_doubts_rule *rule)
{
    const struct catalog *catalog = owner;
    const bool is_marked = str_equal(catalog->tables[table].name, STR("houses"));
    if (!is_marked && !str_equal(catalog->tables[table].name, STR("bills")))
        return false;
    rule->count = 2;
    rule->is_mark = is_marked;
    rule->pieces[0].text = STR("");
    rule->pieces[0].column = catalog_find_column(
        catalog, table, is_marked ? STR("built") : STR("status")); /* a mark has some type */
    rule->pieces[1].text = is_marked ? STR(" IS NULL") : STR(" <> 'void'");
    rule->pieces[1].column = CATALOG_NONE;
    return true;
}

/* proof: NULL: there is none */
static const struct {
    const char *question, *sql, *proof;
} marked[] = {
    {"", "SELECT COUNT(*) AS n FROM houses",
     "SELECT COUNT(DISTINCT houses.\"id\") FROM houses WHERE NOT (houses.\"built\" IS NULL) "
     "HAVING COUNT(*) > 0"},
    {"", "SELECT COUNT(*) AS n FROM houses WHERE built IS NULL", NULL},
    {"how many were built", "SELECT COUNT(*) AS n FROM houses", NULL},
    {"", "SELECT h.city FROM owners o JOIN houses h ON h.id = o.id WHERE o.town_id = 1 OR h.id = 2",
     "SELECT COUNT(DISTINCT h.\"id\") FROM owners o JOIN houses h ON h.id = o.id WHERE "
     "(o.town_id = 1 OR h.id = 2) AND NOT (h.\"built\" IS NULL) HAVING COUNT(*) > 0"},
    {"", "SELECT o.id FROM owners o LEFT JOIN houses h ON h.id = o.id",
     "SELECT COUNT(DISTINCT h.\"id\") FROM owners o LEFT JOIN houses h ON h.id = o.id WHERE "
     "h.\"id\" IS NOT NULL AND NOT (h.\"built\" IS NULL) HAVING COUNT(*) > 0"},
    {"", "SELECT a.id FROM houses a JOIN houses b ON b.rent = a.rent WHERE a.built IS NULL",
     "SELECT COUNT(DISTINCT b.\"id\") FROM houses a JOIN houses b ON b.rent = a.rent WHERE "
     "(a.built IS NULL) AND NOT (b.\"built\" IS NULL) HAVING COUNT(*) > 0"},
    {"", "SELECT city, rent FROM houses ORDER BY rent, id LIMIT 3",
     "SELECT COUNT(*) FROM (SELECT city, rent, CASE WHEN NOT (houses.\"built\" IS NULL) THEN 1 "
     "END AS is_marked FROM houses ORDER BY rent, id LIMIT 3) AS one WHERE one.is_marked = 1 "
     "HAVING COUNT(*) > 0"},
    {"bills by status", "SELECT COUNT(*) AS n FROM bills", NULL},
    {"void bills", "SELECT COUNT(*) AS n FROM bills", NULL},
    {"bills", "SELECT COUNT(*) AS n FROM bills",
     "SELECT COUNT(DISTINCT bills.\"id\") FROM bills WHERE NOT (bills.\"status\" <> 'void') "
     "HAVING COUNT(*) > 0"},
    {"", "SELECT id FROM owners WHERE id IN (SELECT house_id FROM bills)",
     "SELECT COUNT(DISTINCT bills.\"id\") FROM bills WHERE NOT (bills.\"status\" <> 'void') "
     "HAVING COUNT(*) > 0"},
    {"", "SELECT id FROM owners o WHERE EXISTS (SELECT 1 FROM bills b WHERE b.house_id = o.id)",
     NULL},
    {"", "WITH open AS (SELECT house_id FROM bills WHERE id > 5) SELECT COUNT(*) AS n FROM open",
     "SELECT COUNT(DISTINCT bills.\"id\") FROM bills WHERE (id > 5) AND NOT (bills.\"status\" "
     "<> 'void') HAVING COUNT(*) > 0"},
    {"", "SELECT id FROM towns UNION SELECT id FROM houses",
     "SELECT COUNT(DISTINCT houses.\"id\") FROM houses WHERE NOT (houses.\"built\" IS NULL) "
     "HAVING COUNT(*) > 0"},
    {"", "SELECT id FROM visits", NULL},
};

TEST(rows_that_do_not_count)
{
    struct catalog *catalog = NULL;
    struct err err = {0};
    assert_int_equal(catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    TEST_EACH(c, marked) {
        struct arena arena;
        struct sql_proof proofs[SQL_PROOFS_MOST];
        const struct sql_parse *parse, *of_proof;
        arena_init(&arena, ARENA_BYTES);
        parse_into(c->sql, catalog, &arena, &parse);
        assert_non_null(parse);
        const size_t count =
            sql_proofs_make(&(struct sql_doubts_source){.parse = parse,
                                                        .catalog = catalog,
                                                        .question = str_of(c->question),
                                                        .arena = &arena,
                                                        .counted = counted,
                                                        .owner = catalog},
                            proofs);
        EXPECT_INT(c->sql, count, c->proof != NULL);
        if (count == 1) {
            EXPECT_STR(c->sql, str_of(proofs[0].kind), STR("marked"));
            EXPECT_STR(c->sql, proofs[0].sql, str_of(c->proof));
            parse_into(c->proof, catalog, &arena, &of_proof);
            assert_non_null(of_proof);
        }
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

static struct sql_value whole(int64_t number)
{
    return (struct sql_value){.type = SQL_INT, .integer = number};
}

TEST(rows_prove)
{
    int64_t count;
    struct sql_value values[] = {whole(1), whole(7), whole(2), whole(7)};
    struct sql_result rows = {.values = values, .column_count = 2, .row_count = 2};
    const struct sql_proof tie = {.kind = "tie", .keys = 1}, both = {.kind = "tie", .keys = 2},
                           rest = {.kind = "left_out"};
    assert_true(sql_proofs_hold(&tie, &rows, &count));
    assert_int_equal(count, 0);
    assert_false(sql_proofs_hold(&both, &rows, &count));
    values[1].type = values[3].type = SQL_NULL; /* what is missing is no place */
    assert_false(sql_proofs_hold(&tie, &rows, &count));
    rows.row_count = 1;
    assert_false(sql_proofs_hold(&tie, &rows, &count));
    rows.column_count = 1;
    assert_true(sql_proofs_hold(&rest, &rows, &count));
    assert_int_equal(count, 1);
    values[0].integer = 0;
    assert_false(sql_proofs_hold(&rest, &rows, &count));
    rows.row_count = 0;
    assert_false(sql_proofs_hold(&rest, &rows, &count));
}

RUN_TESTS(T(proofs_are_the_statement_with_another_list), T(both_figures_of_what_is_counted_again),
          T(what_no_question_asks), T(rows_that_do_not_count), T(rows_prove))

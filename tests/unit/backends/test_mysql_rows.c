/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/test_mysql_rows.c - every type of column as a typed value. */
#include "tests/unit/backends/mysql_rig.h"

static char server_url[512];

static int make_database(void **state)
{
    (void)state;
    mysql_rig_create("unit_mysql_rows", server_url, sizeof server_url);
    return 0;
}

static int drop_database(void **state)
{
    (void)state;
    test_server_drop("mysql", "unit_mysql_rows");
    return 0;
}

static const struct {
    const char *text, *want;
} cases[] = {
    {"SELECT NULL", "null"},
    {"SELECT -5", "i-5"},
    {"SELECT CAST(-1 AS SIGNED)", "i-1"},
    {"SELECT 9223372036854775807", "i9223372036854775807"},
    {"SELECT 18446744073709551615", "d18446744073709551615"},
    {"SELECT ti FROM v", "i-7"},
    {"SELECT tu FROM v", "i255"},
    {"SELECT yes FROM v", "i1"},
    {"SELECT mi FROM v", "i-8388608"},
    {"SELECT bu FROM v", "d18446744073709551615"},
    {"SELECT fl FROM v", "f0.10000000000000001"},
    {"SELECT db FROM v", "f2.5"},
    {"SELECT de FROM v", "d-12345678901234567890.12"},
    {"SELECT 1.10", "d1.10"},
    {"SELECT SUM(x) FROM (SELECT 1 x UNION ALL SELECT 2) q", "d3"},
    {"SELECT COUNT(*) FROM v", "i1"},
    {"SELECT b1 FROM v", "i1"},
    {"SELECT b12 FROM v", "i2748"},
    {"SELECT b64 FROM v", "d18446744073709551615"},
    {"SELECT y FROM v", "i2024"},
    {"SELECT da FROM v", "t2024-02-29"},
    {"SELECT dt FROM v", "t2024-02-29 23:59:58"},
    {"SELECT dt0 FROM v", "t2024-02-29 00:00:00"},
    {"SELECT dt6 FROM v", "t2024-02-29 23:59:58.012340"},
    {"SELECT dt3 FROM v", "t2024-02-29 23:59:58.500"},
    {"SELECT ts FROM v", "t2024-02-29 10:00:00"},
    {"SELECT tm FROM v", "t-838:59:59"},
    {"SELECT tm2 FROM v", "t01:02:03.40"},
    {"SELECT zero FROM v", "t0000-00-00"},
    {"SELECT c FROM v", "tgr\xc3\xbc\xc3\x9f"},
    {"SELECT l1 FROM v", "tcaf\xc3\xa9"},
    {"SELECT empty FROM v", "t"},
    {"SELECT e FROM v", "tb"},
    {"SELECT s FROM v", "ta,b"},
    {"SELECT j FROM v", "t{\"a\":1}"},
    {"SELECT u FROM v", "t123e4567-e89b-12d3-a456-426614174000"},
    {"SELECT bl FROM v", "b\x01z"},
    {"SELECT vb FROM v", "bxy"},
    {"SELECT CONCAT(1, 'a')", "t1a"},
    {"SELECT DATE_FORMAT('2024-02-29', '%Y-%m')", "t2024-02"},
    {"SELECT 1 = 1", "i1"},
};

TEST(values_are_typed)
{
    struct mysql_rig m;
    mysql_rig_begin(&m, server_url);
    EXPECT_INT("open", mysql_rig_open(&m), ERR_OK);
    EXPECT_INT("write", mysql_rig_run(&m, "SET SESSION TRANSACTION READ WRITE"), ERR_OK);
    EXPECT_INT("mode", mysql_rig_run(&m, "SET sql_mode = ''"), ERR_OK);
    EXPECT_INT("table",
               mysql_rig_run(&m,
                             "CREATE OR REPLACE TABLE v (ti TINYINT, tu TINYINT UNSIGNED, yes "
                             "TINYINT(1), mi MEDIUMINT, bu BIGINT UNSIGNED, fl FLOAT, db DOUBLE, "
                             "de DECIMAL(24,2), b1 BIT(1), b12 BIT(12), b64 BIT(64), y YEAR, da "
                             "DATE, dt DATETIME, dt0 DATETIME, dt6 DATETIME(6), dt3 DATETIME(3), "
                             "ts TIMESTAMP NULL, tm TIME, tm2 TIME(2), zero DATE, c VARCHAR(9), "
                             "l1 TEXT CHARACTER SET latin1, empty TEXT, e ENUM('a','b'), s "
                             "SET('a','b','c'), j JSON, u UUID, bl BLOB, vb VARBINARY(9))"),
               ERR_OK);
    EXPECT_INT(
        "row",
        mysql_rig_run(&m, "INSERT INTO v VALUES (-7, 255, 1, -8388608, 18446744073709551615, 0.1, "
                          "2.5, -12345678901234567890.12, 1, 2748, 18446744073709551615, 2024, "
                          "'2024-02-29', '2024-02-29 23:59:58', '2024-02-29', "
                          "'2024-02-29 23:59:58.01234', '2024-02-29 23:59:58.5', "
                          "'2024-02-29 10:00:00', '-838:59:59', '1:2:3.4', '0000-00-00', "
                          "'gr\xc3\xbc\xc3\x9f', 'caf\xc3\xa9', '', 'b', 'a,b', '{\"a\":1}', "
                          "'123e4567-e89b-12d3-a456-426614174000', x'017a', 'xy')"),
        ERR_OK);
    TEST_EACH(c, cases)
        mysql_rig_expect(&m, c->text, c->text, NULL, c->want);
    mysql_rig_end(&m);
}

int main(void)
{
    const struct CMUnitTest all[] = {T(values_are_typed)};
    return cmocka_run_group_tests(all, make_database, drop_database);
}

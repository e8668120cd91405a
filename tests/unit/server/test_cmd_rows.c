/* SPDX-License-Identifier: MIT */
/* server/cmd_rows: rows as a table and as CSV: alignment, hostile cells. */
#include "server/cli/cmd_rows.h"

#include "tests/lib/test.h"

static const struct {
    const char *name, *data, *table, *csv;
} cases[] = {
    {"no rows", "{\"columns\":[\"a\"],\"rows\":[]}", "  a\n  -\n", "a\r\n"},
    {"no data", "{}", "", ""},
    {"numbers to the right, null is empty",
     "{\"columns\":[\"name\",\"n\"],\"rows\":[[\"Bo\",1.5],[\"\xC3\x84ra\",120],[null,null]]}",
     "  name     n\n  ----   ---\n  Bo     1.5\n  \xC3\x84ra    120\n            \n",
     "name,n\r\nBo,1.5\r\n\xC3\x84ra,120\r\n,\r\n"},
    {"what a terminal obeys is a blank, CSV keeps it",
     "{\"columns\":[\"t\"],\"rows\":[[\"a\\u001b[2Jb\"],[\"c\\nd\"],[\"e\\u009bf\"]]}",
     "  t\n  ------\n  a [2Jb\n  c d\n  e f\n",
     "t\r\na\x1B[2Jb\r\n\"c\nd\"\r\ne\xC2\x9B"
     "f\r\n"},
    {"quotes and commas", "{\"columns\":[\"a,b\"],\"rows\":[[\"say \\\"x\\\"\"],[true]]}",
     "  a,b\n  -------\n  say \"x\"\n  true\n", "\"a,b\"\r\n\"say \"\"x\"\"\"\r\ntrue\r\n"},
    {"more than is shown", "{\"columns\":[\"n\"],\"rows\":[[1]],\"total_rows\":7}",
     "  n\n  -\n  1\n  the first 1 of 7 rows\n", "n\r\n1\r\n"},
    {"a row that is too long or short", "{\"columns\":[\"a\",\"b\"],\"rows\":[[1],[1,2,3]]}",
     "  a   b\n  -   -\n  1\n  1   2\n", "a,b\r\n1\r\n1,2,3\r\n"},
};

TEST(writes_both)
{
    for (size_t i = 0; i < countof(cases); i++) {
        struct arena arena;
        struct buf table, csv;
        arena_init(&arena, 1 << 20);
        buf_init(&table, 1 << 20);
        buf_init(&csv, 1 << 20);
        const struct json_value *data = json_value_parse(&arena, str_of(cases[i].data), NULL, NULL);
        EXPECT_TRUE(cases[i].name, data != NULL);
        cmd_rows_table(data, false, &table);
        EXPECT_STR(cases[i].name, buf_str(&table), str_of(cases[i].table));
        cmd_rows_csv(data, &csv);
        EXPECT_STR(cases[i].name, buf_str(&csv), str_of(cases[i].csv));
        buf_fini(&csv);
        buf_fini(&table);
        arena_fini(&arena);
    }
}

TEST(cuts_long_cells)
{
    struct arena arena;
    struct buf json, table;
    arena_init(&arena, 1 << 20);
    buf_init(&json, 1 << 20);
    buf_init(&table, 1 << 20);
    buf_push(&json, STR("{\"columns\":[\"t\"],\"rows\":[[\""));
    for (int i = 0; i < 61; i++)
        buf_push(&json, STR("\xE2\x82\xAC"));
    buf_push(&json, STR("\"]]}"));
    const struct json_value *data = json_value_parse(&arena, buf_str(&json), NULL, NULL);
    EXPECT_TRUE("it has rows", cmd_rows_any(data));
    EXPECT_TRUE("nothing has none", !cmd_rows_any(NULL));
    cmd_rows_table(data, false, &table);
    struct str text = buf_str(&table);
    EXPECT_TRUE("59 characters and three dots",
                str_ends_with(text, STR("\xE2\x82\xAC\xE2\x80\xA6\n")));
    EXPECT_INT("its bytes", text.len, 4 + (2 + 60 + 1) + (2 + 60 * 3 + 1));
    buf_fini(&table);
    buf_fini(&json);
    arena_fini(&arena);
}

RUN_TESTS(T(writes_both), T(cuts_long_cells))

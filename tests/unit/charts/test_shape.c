/* SPDX-License-Identifier: MIT */
/* Columns by name and cells; texts with an order; rows of a database. */
#include "tests/unit/charts/charts_rig.h"

#include <math.h>

#include "agents/charts/names.h"
#include "agents/charts/order.h"
#include "agents/charts/shape.h"
#include "backends/sql.h"

TEST(times)
{
    static const struct {
        const char *text;
        double at; /* seconds after 1970-01-01; NAN: no time */
    } cases[] = {
        {"1970", 0},
        {"1970-01-02", 86400},
        {"1970/1/2", 86400},
        {"1970-02", 31 * 86400.0},
        {"1970-Q2", 90 * 86400.0},
        {"1970Q2", 90 * 86400.0},
        {"Q2 1970", 90 * 86400.0},
        {"Q2 FY1970", 90 * 86400.0},
        {"FY1970", 0},
        {"FY 25", 1735689600},
        {"Jan 1970", 0},
        {"February 1970", 31 * 86400.0},
        {"1970-W02", 14 * 86400.0},
        {"1970-01-01T01:00", 3600},
        {"1970-01-01 01:00:05", 3605},
        {"1970-01-01T01:00:05.250Z", 3605},
        {"1970-01-01T02:00:00+01:00", 3600},
        {"1970-01-01T02:00:00-0130", 12600},
        {" 1970 ", 0},
        {"", NAN},
        {"197", NAN},
        {"19700", NAN},
        {"0151", NAN},
        {"1970-13", NAN},
        {"1970-00", NAN},
        {"1970-01-32", NAN},
        {"1970-01-01T25:00", NAN},
        {"1970-01-01 10", NAN},
        {"1970-01-01T10:00+1", NAN},
        {"1970-Q5", NAN},
        {"Q5 1970", NAN},
        {"1970-01-02x", NAN},
        {"Oslo 1970", NAN},
        {"Jan", NAN},
        {"-1970", NAN},
    };
    TEST_EACH(c, cases) {
        double at = 0;
        bool is_time = charts_order_time(str_of(c->text), &at);
        EXPECT_INT(c->text, is_time, !isnan(c->at));
        EXPECT_TRUE(c->text, !is_time || at == c->at);
    }
}

TEST(steps)
{
    static const struct {
        const char *texts; /* in order, parted by | */
        bool are_steps;
    } cases[] = {
        {"Jan|Feb|sept|Dec", true},
        {"January|february|MAY", true},
        {"Mon|Tue|Sun", true},
        {"Monday|Wednesday", true},
        {"S|M|L|XL", true},
        {"low|medium|high|urgent", true},
        {"<18|18-25|26 - 35|60+", true},
        {"0 to 9|10 to 19|> 19", true},
        {"$1,000-2,000|$2,000-3,000", true},
        {"9:00|10:30|23:59", true},
        {"Q1|Q2|Q4", true},
        {"May", true},
        {"Mon|Monday", false},
        {"S|M|blue", false},
        {"Oslo|Rome", false},
        {"10|20", false},
        {"18-A|19-B", false},
        {"9:5|10:30", false},
    };
    TEST_EACH(c, cases) {
        struct str texts[8], rest = str_of(c->texts);
        double rank[8];
        size_t count = 0;
        while (!str_is_absent(rest))
            texts[count++] = str_split(&rest, '|');
        EXPECT_INT(c->texts, charts_order_steps(texts, count, rank), c->are_steps);
        for (size_t i = 1; c->are_steps && i < count; i++)
            EXPECT_TRUE(c->texts, rank[i - 1] < rank[i]);
    }
}

static const struct {
    const char *name, *shown, *unit;
    bool is_key, is_additive;
} names[] = {
    {"total_amount", "Total amount", "money", false, true},
    {"totalAmount", "Total amount", "money", false, true},
    {"SUM(t.amount)", "Total amount", "money", false, true},
    {"sum(\"amount\")", "Total amount", "money", false, true},
    {"COUNT(*)", "Count", "count", false, true},
    {"count(t.id)", "Count of ID", "count", false, true},
    {"AVG(balance)", "Average balance", "money", false, false},
    {"SUM(a) / 2", "SUM(a) / 2", "a", false, true},
    {"max_temperature", "Max temperature", "temperature", false, false},
    {"n", "Count", "count", false, true},
    {"customer_id", "Customer ID", "id", true, true},
    {"customerID", "Customer ID", "id", true, true},
    {"account_number", "Account number", "count", true, true},
    {"number_of_orders", "Number of orders", "count", false, true},
    {"zip", "Zip", "zip", true, true},
    {"Revenue (USD m)", "Revenue (USD m)", "money", false, true},
    {"growth_pct", "Growth pct", "%", false, false},
    {"2024", "2024", "", false, true},
};

TEST(column_names)
{
    struct arena arena;
    arena_init(&arena, RIG_BYTES);
    TEST_EACH(c, names) {
        const struct charts_names name = charts_names_read(&arena, str_of(c->name));
        EXPECT_STR(c->name, charts_names_show(&arena, &name), str_of(c->shown));
        if (strcmp(c->name, "max_temperature") != 0 && !c->is_key)
            EXPECT_STR(c->name, charts_names_unit(&arena, &name), str_of(c->unit));
        EXPECT_INT(c->name, charts_names_is_key(&name), c->is_key);
        EXPECT_INT(c->name, charts_names_is_additive(&name), c->is_additive);
    }
    EXPECT_TRUE("share", charts_names_asks_share(&arena, STR("What share of orders is open?")));
    EXPECT_TRUE("parts", charts_names_asks_share(&arena, STR("Which parts of revenue come from")));
    EXPECT_TRUE("%", charts_names_asks_share(&arena, STR("% by type")));
    EXPECT_TRUE("no", !charts_names_asks_share(&arena, STR("Which spare parts are used most?")));
    arena_fini(&arena);
}

static const struct {
    const char *name, *column, *cells; /* beside a column of names */
    enum charts_kind kind;
    bool is_key, is_ordinal;
    size_t distinct;
} columns[] = {
    {"numbers", "amount", "[3,3,2.5]", CHARTS_MEASURE, false, false, 0},
    {"numbers and text", "amount", "[3,\"x\",2]", CHARTS_CATEGORY, false, false, 3},
    {"NULLs", "amount", "[null,null,null]", CHARTS_UNKNOWN, false, false, 0},
    {"a key", "order_id", "[7,9,7]", CHARTS_CATEGORY, true, false, 2},
    {"a key in text", "code", "[\"2024\",\"2025\",\"2026\"]", CHARTS_CATEGORY, true, false, 3},
    {"years by name", "fiscal_year", "[1850,1851,1850]", CHARTS_TIME, false, false, 2},
    {"years by value", "y", "[2019,2020,2021]", CHARTS_TIME, false, false, 3},
    {"a total that looks like years", "total", "[2019,2020,2021]", CHARTS_MEASURE, false, false, 0},
    {"month numbers", "month", "[1,12,1]", CHARTS_CATEGORY, false, true, 2},
    {"months that are too many", "month", "[1,13,1]", CHARTS_MEASURE, false, false, 0},
    {"a count of months", "months", "[1,12,1]", CHARTS_MEASURE, false, false, 0},
    {"dates", "d", "[\"2025-01-01\",null,\"2025-01-02\"]", CHARTS_TIME, false, false, 3},
    {"weekdays", "d", "[\"Mon\",null,\"Sun\"]", CHARTS_CATEGORY, false, true, 3},
    {"zero and minus zero", "rating", "[0,-0,1]", CHARTS_CATEGORY, false, true, 2},
};

TEST(kinds)
{
    TEST_EACH(c, columns) {
        struct arena arena;
        struct charts_shape shape;
        arena_init(&arena, RIG_BYTES);
        struct str values = str_slice(str_of(c->cells), 1, strlen(c->cells) - 1);
        struct str a = str_split(&values, ','), b = str_split(&values, ',');
        struct str rows = arena_printf(&arena, "[[\"p\",%.*s],[\"q\",%.*s],[\"r\",%.*s]]",
                                       STR_ARG(a), STR_ARG(b), STR_ARG(values));
        struct str names_of = arena_printf(&arena, "[\"name\",\"%s\"]", c->column);
        struct charts_table table =
            rig_table(&arena, arena_cstr(&arena, names_of), arena_cstr(&arena, rows));
        assert_true(charts_shape_read(&table, &arena, &shape));
        EXPECT_INT(c->name, shape.columns[1].kind, c->kind);
        EXPECT_INT(c->name, shape.columns[1].is_key, c->is_key);
        EXPECT_INT(c->name, shape.columns[1].is_ordinal, c->is_ordinal);
        EXPECT_INT(c->name, shape.columns[1].distinct, c->distinct);
        arena_fini(&arena);
    }
}

TEST(rows_of_a_database)
{
    static const struct str names_of[] = {{"a", 1}, {"b", 1}};
    static const struct sql_value values[] = {
        {.type = SQL_INT, .integer = INT64_C(9007199254740993)},
        {.type = SQL_DECIMAL, .text = {"12.50", 5}},
        {.type = SQL_REAL, .real = INFINITY},
        {.type = SQL_DECIMAL, .text = {"NaN", 3}},
        {.type = SQL_BOOL, .integer = 1},
        {.type = SQL_BLOB, .text = {"\xff\xfe", 2}},
        {.type = SQL_TEXT, .text = {"x", 1}},
        {.type = SQL_NULL},
    };
    const struct sql_result result = {names_of, 2, values, 4, true, 0};
    struct arena arena;
    struct charts_table table;
    struct buf out;
    arena_init(&arena, RIG_BYTES);
    buf_init(&out, 4096);
    assert_true(charts_table_of_result(&result, &arena, &table));
    for (size_t i = 0; i < 8; i++) {
        rig_push_cell(&out, &table.cells[i]);
        buf_push_char(&out, ' ');
    }
    EXPECT_STR("cells", buf_str(&out), STR("9007199254740993 12.50 - - yes - x - "));
    EXPECT_TRUE("truncated", table.is_truncated);
    EXPECT_STR("name", table.columns[1].name, STR("b"));
    buf_fini(&out);
    arena_fini(&arena);
}

RUN_TESTS(T(times), T(steps), T(column_names), T(kinds), T(rows_of_a_database))

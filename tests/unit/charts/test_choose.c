/* SPDX-License-Identifier: MIT */
/* Every rule of DOMAIN 3.1 and its boundaries. */
#include "tests/unit/charts/charts_rig.h"

static const struct {
    const char *name, *columns, *rows, *question, *want;
} cases[] = {
    {"1 one number", "[\"COUNT(*)\"]", "[[42]]", "", "metric 'Count' | Count: 42"},
    {"1 one number with its name", "[\"name\",\"balance\"]", "[[\"Ada\",5.50]]", "",
     "metric 'Balance': Ada | Balance: 5.50"},
    {"1 a record is no number", "[\"id\",\"name\",\"city\",\"balance\"]",
     "[[7,\"Ada\",\"Oslo\",5]]", "", "table"},
    {"2 two numbers", "[\"min_price\",\"max_price\"]", "[[1,9]]", "",
     "metric 'Min price and max price' | Min price: 1 | Max price: 9"},
    {"2 five numbers", "[\"a\",\"b\",\"c\",\"d\",\"e\"]", "[[1,2,3,4,5]]", "", "table"},
    {"3 months, unsorted", "[\"month\",\"total_amount\"]",
     "[[\"2025-03\",3],[\"2025-01\",1],[\"2025-02\",2]]", "",
     "line 'Total amount by month': 2025-01 2025-02 2025-03 | Total amount: 1 2 3"},
    {"3 periods are months", "[\"period\",\"total_amount\"]",
     "[[\"2025-01\",1],[\"2025-02\",2],[\"2025-03\",3]]", "",
     "line 'Total amount by month': 2025-01 2025-02 2025-03 | Total amount: 1 2 3"},
    {"3 periods are quarters", "[\"period\",\"total_amount\"]",
     "[[\"2024-Q4\",1],[\"2025-Q1\",2],[\"2025-Q2\",3]]", "",
     "line 'Total amount by quarter': 2024-Q4 2025-Q1 2025-Q2 | Total amount: 1 2 3"},
    {"3 periods are years", "[\"period\",\"total_amount\"]",
     "[[\"2023\",1],[\"2024\",2],[\"2025\",3]]", "",
     "line 'Total amount by year': 2023 2024 2025 | Total amount: 1 2 3"},
    {"3 a list of things", "[\"number\",\"id\",\"balance\",\"created_at\"]",
     "[[\"A-1\",11,5,\"2025-06-03\"],[\"A-2\",12,7,\"2025-06-03\"],[\"A-3\",19,1,\"2025-06-01\"],"
     "[\"A-4\",20,1,\"2025-06-05\"]]",
     "", "table"},
    {"3 two points", "[\"month\",\"total\"]", "[[\"2025-01\",1],[\"2025-02\",2]]", "",
     "bar 'Total by month': 2025-01 2025-02 | Total: 1 2"},
    {"3 years as integers", "[\"year\",\"n\"]", "[[2021,5],[2023,7],[2022,-6]]", "",
     "line 'Count by year': 2021 2022 2023 | Count: 5 -6 7"},
    {"3 two units, two axes", "[\"day\",\"orders_count\",\"revenue\"]",
     "[[\"2025-01-01\",1,10.5],[\"2025-01-02\",2,20],[\"2025-01-03\",3,30]]", "",
     "line 'Orders count and revenue by day': 2025-01-01 2025-01-02 2025-01-03 | Orders count: 1 2 "
     "3 | Revenue (2): 10.5 20 30"},
    {"3 three units", "[\"day\",\"orders_count\",\"revenue\",\"hours\"]",
     "[[\"2025-01-01\",1,10,1],[\"2025-01-02\",2,20,1],[\"2025-01-03\",3,30,1]]", "", "table"},
    {"3 midnights", "[\"d\",\"n\"]",
     "[[\"2025-01-01T00:00:00Z\",1],[\"2025-01-02T00:00:00Z\",2],[\"2025-01-03T00:00:00Z\",4]]", "",
     "line 'Count by D': 2025-01-01 2025-01-02 2025-01-03 | Count: 1 2 4"},
    {"3 minutes", "[\"at\",\"n\"]",
     "[[\"2025-01-01 10:00:00\",1],[\"2025-01-01 11:30:00\",2],[\"2025-01-03 00:00:00\",4]]", "",
     "line 'Count by at': 2025-01-01 10:00 2025-01-01 11:30 2025-01-03 00:00 | Count: 1 2 4"},
    {"3 a gap", "[\"q\",\"n\"]", "[[\"2025-Q1\",1],[\"2025-Q2\",null],[\"2025-Q3\",4]]", "",
     "line 'Count by Q': 2025-Q1 2025-Q2 2025-Q3 | Count: 1 - 4"},
    {"3 no time", "[\"month\",\"n\"]", "[[\"2025-01\",1],[null,9],[\"2025-03\",4],[\"2025-02\",3]]",
     "",
     "line 'Count by month': 2025-01 2025-02 2025-03 | Count: 1 3 4 (Rows without \"Month\" are "
     "left out.)"},
    {"3 two times and none", "[\"month\",\"n\"]", "[[\"2025-01\",1],[null,9],[\"2025-03\",4]]", "",
     "bar 'Count by month': (none) 2025-01 2025-03 | Count: 9 1 4"},
    {"3 year and month are one", "[\"year\",\"month\",\"total\"]",
     "[[2024,12,5],[2025,1,6],[2024,11,4]]", "",
     "line 'Total by month': 2024-11 2024-12 2025-01 | Total: 4 5 6"},
    {"4 two lines", "[\"month\",\"type\",\"amount\"]",
     "[[\"2025-01\",\"in\",1],[\"2025-01\",\"out\",2],[\"2025-02\",\"in\",3],[\"2025-03\",\"out\","
     "4]]",
     "", "line 'Amount by month and type': 2025-01 2025-02 2025-03 | out: 2 - 4 | in: 1 3 -"},
    {"4 two times", "[\"month\",\"type\",\"amount\"]",
     "[[\"2025-01\",\"in\",1],[\"2025-01\",\"out\",2],[\"2025-02\",\"in\",3]]", "",
     "bar 'Amount by month and type': 2025-01 2025-02 | in: 1 3 | out: 2 -"},
    {"5 three parts asked for", "[\"type\",\"amount\"]", "[[\"a\",1],[\"b\",2],[\"c\",3]]",
     "What is the share of each type?", "pie 'Amount by type': c b a | Amount: 3 2 1"},
    {"5 four parts", "[\"type\",\"amount\"]", "[[\"a\",1],[\"b\",2],[\"c\",3],[\"d\",0]]",
     "Breakdown by type", "doughnut 'Amount by type': c b a d | Amount: 3 2 1 0"},
    {"5 a negative", "[\"type\",\"amount\"]", "[[\"a\",1],[\"b\",-2],[\"c\",3]]",
     "percentage by type", "bar 'Amount by type': c a b | Amount: 3 1 -2"},
    {"5 a NULL", "[\"type\",\"amount\"]", "[[\"a\",1],[\"b\",null],[\"c\",3]]",
     "percentage by type", "bar 'Amount by type': c a b | Amount: 3 1 -"},
    {"5 nothing", "[\"type\",\"amount\"]", "[[\"a\",0],[\"b\",0]]", "percentage by type",
     "bar 'Amount by type': a b | Amount: 0 0"},
    {"5 averages are no parts", "[\"type\",\"avg_amount\"]", "[[\"a\",1],[\"b\",2]]",
     "percentage by type", "bar 'Avg amount by type': b a | Avg amount: 2 1"},
    {"5 percentages that add up", "[\"type\",\"percentage\"]", "[[\"a\",40.5],[\"b\",59.5]]",
     "types", "pie 'Percentage by type': b a | Percentage: 59.5 40.5"},
    {"5 percentages that do not", "[\"type\",\"percentage\"]", "[[\"a\",40.5],[\"b\",9.5]]",
     "types", "bar 'Percentage by type': a b | Percentage: 40.5 9.5"},
    {"6 sorted, the smallest last", "[\"city\",\"n\"]", "[[\"a\",1],[\"b\",3],[\"c\",2]]", "",
     "bar 'Count by city': b c a | Count: 3 2 1"},
    {"6 equal ones as they came", "[\"city\",\"n\"]", "[[\"b\",1],[\"a\",1]]", "",
     "bar 'Count by city': b a | Count: 1 1"},
    {"6 weekdays in their order", "[\"weekday\",\"n\"]",
     "[[\"Wednesday\",9],[\"Monday\",1],[\"Tuesday\",5]]", "",
     "bar 'Count by weekday': Monday Tuesday Wednesday | Count: 1 5 9"},
    {"6 months by number", "[\"month\",\"n\"]", "[[12,9],[2,1],[7,5]]", "",
     "bar 'Count by month': 2 7 12 | Count: 1 5 9"},
    {"6 sizes", "[\"size\",\"n\"]", "[[\"XL\",9],[\"S\",1],[\"M\",5]]", "",
     "bar 'Count by size': S M XL | Count: 1 5 9"},
    {"6 ages", "[\"age_group\",\"n\"]", "[[\"60+\",9],[\"<18\",1],[\"18-25\",5]]", "",
     "bar 'Count by age group': <18 18-25 60+ | Count: 1 5 9"},
    {"6 long labels", "[\"name\",\"n\"]", "[[\"thirteen char\",1],[\"b\",2]]", "",
     "bar horizontal 'Count by name': b thirteen char | Count: 2 1"},
    {"6 twelve characters of many bytes", "[\"name\",\"n\"]",
     "[[\"\xc3\xa6\xc3\xb8\xc3\xa5\xc3\xa6\xc3\xb8\xc3\xa5\xc3\xa6\xc3\xb8\xc3\xa5\xc3\xa6\xc3\xb8"
     "\xc3\xa5\",1],[\"b\",2]]",
     "",
     "bar 'Count by name': b "
     "\xc3\xa6\xc3\xb8\xc3\xa5\xc3\xa6\xc3\xb8\xc3\xa5\xc3\xa6\xc3\xb8\xc3\xa5\xc3\xa6\xc3\xb8"
     "\xc3\xa5 | Count: 2 1"},
    {"6 lines in a label", "[\"name\",\"n\"]", "[[\"Ada\\n\\tStone,\\r\\nOslo\",1],[\"b\",2]]", "",
     "bar horizontal 'Count by name': b Ada Stone, Oslo | Count: 2 1"},
    {"6 NULL and blank labels", "[\"name\",\"n\"]", "[[null,1],[\" \",2]]", "",
     "bar 'Count by name': (blank) (none) | Count: 2 1"},
    {"6 rows of one label", "[\"role\",\"hours\"]", "[[\"a\",1],[\"b\",2],[\"a\",3]]", "",
     "bar 'Hours by role': a b | Hours: 4 2 (Rows with the same \"Role\" are added up.)"},
    {"6 averages of one label", "[\"role\",\"average_hours\"]", "[[\"a\",1],[\"b\",2],[\"a\",3]]",
     "", "table"},
    {"6 a key beside its name", "[\"id\",\"name\",\"total\"]",
     "[[3,\"Ada\",1],[9,\"Ben\",2],[4,\"Ada\",3]]", "",
     "bar 'Total by name': Ada Ben Ada | Total: 3 2 1"},
    {"6 a foreign key beside its name", "[\"customer_id\",\"name\",\"amount\"]",
     "[[3,\"Ada\",1],[9,\"Ada\",2],[3,\"Ada\",5]]", "",
     "bar 'Amount by name': Ada Ada | Amount: 6 2 (Rows with the same \"Name\" are added up.)"},
    {"6 keys alone", "[\"account_id\",\"amount\"]", "[[3,1],[9,2]]", "",
     "bar 'Amount by account ID': 9 3 | Amount: 2 1"},
    {"6 given and family names are one", "[\"firstName\",\"lastName\",\"total\"]",
     "[[\"Ada\",\"Stone\",1],[\"Ada\",\"Hill\",2]]", "",
     "bar 'Total by name': Ada Hill Ada Stone | Total: 2 1"},
    {"6 digits are kept", "[\"name\",\"amount\"]",
     "[[\"a\",9007199254740993],[\"b\",0.10],[\"c\",1e3]]", "",
     "bar 'Amount by name': a c b | Amount: 9007199254740993 1e3 0.10"},
    {"8 one unit", "[\"name\",\"total_credit\",\"total_debit\"]", "[[\"a\",1,4],[\"b\",2,3]]", "",
     "bar 'Total credit and total debit by name': b a | Total credit: 2 1 | Total debit: 3 4"},
    {"8 by suffix", "[\"name\",\"first_score\",\"second_score\"]", "[[\"a\",1,4],[\"b\",2,3]]", "",
     "bar 'First score and second score by name': b a | First score: 2 1 | Second score: 3 4"},
    {"8 two units", "[\"name\",\"hours\",\"amount\"]", "[[\"a\",1,4],[\"b\",2,3]]", "", "table"},
    {"8 three numbers", "[\"name\",\"q1_score\",\"q2_score\",\"q3_score\"]",
     "[[\"a\",1,4,5],[\"b\",2,3,6]]", "", "table"},
    {"9 grouped", "[\"city\",\"type\",\"n\"]",
     "[[\"Oslo\",\"a\",1],[\"Oslo\",\"b\",2],[\"Rome\",\"a\",5],[\"Bern\",\"b\",1]]", "",
     "bar 'Count by city and type': Rome Oslo Bern | a: 5 1 - | b: - 2 1"},
    {"9 one bar a label", "[\"customer\",\"city\",\"n\"]",
     "[[\"x\",\"a\",1],[\"y\",\"b\",2],[\"z\",\"a\",5]]", "",
     "bar stacked 'Count by customer and city': z y x | a: 5 - 1 | b: - 2 -"},
    {"10 nine points", "[\"hours\",\"cost\"]",
     "[[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2]]", "", "table"},
    {"10 ten points, one without a number", "[\"hours\",\"cost\"]",
     "[[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,null],[1,2],[2.50,4]]", "",
     "scatter 'Cost against hours' | Cost: 1/2 1/2 1/2 1/2 1/2 1/2 1/2 1/2 2.50/4"},
    {"11 no numbers", "[\"name\",\"city\"]", "[[\"a\",\"b\"],[\"c\",\"d\"]]", "", "table"},
    {"11 two times", "[\"created_at\",\"due_at\",\"n\"]",
     "[[\"2025-01-01\",\"2025-02-01\",1],[\"2025-01-01\",\"2025-03-01\",2],[\"2025-01-02\",\"2025-"
     "03-01\",2]]",
     "", "table"},
    {"11 no rows", "[\"city\",\"n\"]", "[]", "", "table"},
    {"11 no columns", "[]", "[]", "", "table"},
    {"11 all NULL", "[\"city\",\"n\"]", "[[\"a\",null],[\"b\",null]]", "", "table"},
    {"11 one NULL", "[\"SUM(amount)\"]", "[[null]]", "", "table"},
    {"an ALL NULL column is not there", "[\"city\",\"zip\",\"n\"]",
     "[[\"a\",null,1],[\"b\",null,2]]", "", "bar 'Count by city': b a | Count: 2 1"},
    {"numbers in texts are names", "[\"zone\",\"n\"]", "[[\"0151\",1],[\"0152\",2]]", "",
     "bar 'Count by zone': 0152 0151 | Count: 2 1"},
    {"truth values are names", "[\"active\",\"n\"]", "[[true,1],[false,2]]", "",
     "bar 'Count by active': no yes | Count: 2 1"},
    {"a sum that is too large", "[\"c\",\"n\"]", "[[\"a\",1e308],[\"a\",1e308],[\"b\",1]]", "",
     "bar 'Count by C': b a | Count: 1 - (Rows with the same \"C\" are added up.)"},
};

TEST(rules)
{
    TEST_EACH(c, cases) {
        struct arena arena;
        arena_init(&arena, RIG_BYTES);
        struct charts_table table = rig_table(&arena, c->columns, c->rows);
        const struct charts_request request = {.table = &table, .question = str_of(c->question)};
        const struct charts_spec *spec = charts_choose_spec(&request, &arena);
        EXPECT_STR(c->name, rig_describe(spec, &arena), str_of(c->want));
        rig_check_chartjs(c->name, spec, &arena);
        arena_fini(&arena);
    }
}

/* A table by rule: categories a, b and times crossed, or as they come. */
struct maker {
    size_t times, first, second; /* distinct values; 0: no such column */
    size_t measures;
    size_t rows; /* 0: all combinations */
    bool truncated;
};

static struct charts_table make(const struct maker *maker, struct arena *arena)
{
    size_t columns = size_min(maker->times, 1) + size_min(maker->first, 1) +
                     size_min(maker->second, 1) + maker->measures;
    size_t rows = maker->rows;
    if (rows == 0)
        rows = size_max(maker->times, 1) * size_max(maker->first, 1) * size_max(maker->second, 1);
    struct charts_column *names = arena_array(arena, columns, sizeof *names);
    struct charts_cell *cells = arena_array(arena, columns * rows, sizeof *cells);
    assert_non_null(names);
    assert_non_null(cells);
    size_t at = 0, column = 0;
    if (maker->times > 0)
        names[column++].name = STR("day");
    if (maker->first > 0)
        names[column++].name = STR("city");
    if (maker->second > 0)
        names[column++].name = STR("type");
    for (size_t i = 0; i < maker->measures; i++)
        names[column++].name = i == 0 ? STR("amount") : STR("amount_before");
    for (size_t row = 0; row < rows; row++) {
        size_t left = row;
        if (maker->times > 0) {
            size_t day = left % maker->times;
            cells[at++] =
                (struct charts_cell){CHARTS_TEXT, 0,
                                     arena_printf(arena, "%04zu-%02zu-%02zu", 2000 + day / 336,
                                                  1 + day / 28 % 12, 1 + day % 28)};
            left /= maker->times;
        }
        if (maker->first > 0) {
            cells[at++] = (struct charts_cell){CHARTS_TEXT, 0,
                                               arena_printf(arena, "c%zu", left % maker->first)};
            left /= maker->first;
        }
        if (maker->second > 0)
            cells[at++] = (struct charts_cell){CHARTS_TEXT, 0,
                                               arena_printf(arena, "t%zu", left % maker->second)};
        for (size_t i = 0; i < maker->measures; i++)
            cells[at++] = charts_table_number((double)(row + 1 + i));
    }
    return (struct charts_table){names, columns, cells, rows, maker->truncated};
}

static const struct {
    const char *name;
    struct maker maker;
    const char *question;
    enum charts_type type;
    size_t labels, series;
    const char *note;
} bounds[] = {
    {"two times", {.times = 2, .measures = 1}, "", CHARTS_TYPE_BAR, 2, 1, NULL},
    {"three times", {.times = 3, .measures = 1}, "", CHARTS_TYPE_LINE, 3, 1, NULL},
    {"four numbers", {.times = 3, .measures = 4}, "", CHARTS_TYPE_LINE, 3, 4, NULL},
    {"five numbers", {.times = 3, .measures = 5}, "", CHARTS_TYPE_TABLE, 0, 0, NULL},
    {"eight lines", {.times = 3, .first = 8, .measures = 1}, "", CHARTS_TYPE_LINE, 3, 8, NULL},
    {"nine lines",
     {.times = 3, .first = 9, .measures = 1},
     "",
     CHARTS_TYPE_LINE,
     3,
     8,
     "\"Other\" adds up the 2 smallest of 9 (City)."},
    {"three parts", {.first = 3, .measures = 1}, "share", CHARTS_TYPE_PIE, 3, 1, NULL},
    {"four parts", {.first = 4, .measures = 1}, "share", CHARTS_TYPE_DOUGHNUT, 4, 1, NULL},
    {"six parts", {.first = 6, .measures = 1}, "share", CHARTS_TYPE_DOUGHNUT, 6, 1, NULL},
    {"seven parts", {.first = 7, .measures = 1}, "share", CHARTS_TYPE_BAR, 7, 1, NULL},
    {"parts are missing",
     {.first = 3, .measures = 1, .truncated = true},
     "share",
     CHARTS_TYPE_BAR,
     3,
     1,
     "The result is cut off: there are more rows than these."},
    {"25 bars", {.first = 25, .measures = 1}, "", CHARTS_TYPE_BAR, 25, 1, NULL},
    {"26 bars",
     {.first = 26, .measures = 1},
     "",
     CHARTS_TYPE_BAR,
     20,
     1,
     "The 20 largest of 26 are shown; the table has all of them."},
    {"26 pairs of bars",
     {.first = 26, .measures = 2},
     "",
     CHARTS_TYPE_BAR,
     20,
     2,
     "The 20 largest of 26 are shown; the table has all of them."},
    {"60 bars", {.first = 15, .second = 4, .measures = 1}, "", CHARTS_TYPE_BAR, 15, 4, NULL},
    {"61 bars", {.first = 61, .second = 1, .measures = 1}, "", CHARTS_TYPE_TABLE, 0, 0, NULL},
    {"62 bars", {.first = 31, .second = 2, .measures = 1}, "", CHARTS_TYPE_TABLE, 0, 0, NULL},
    {"nine points", {.measures = 2, .rows = 9}, "", CHARTS_TYPE_TABLE, 0, 0, NULL},
    {"ten points", {.measures = 2, .rows = 10}, "", CHARTS_TYPE_SCATTER, 10, 1, NULL},
    {"1,000 points", {.measures = 2, .rows = 1000}, "", CHARTS_TYPE_SCATTER, 1000, 1, NULL},
    {"1,001 points",
     {.measures = 2, .rows = 1001},
     "",
     CHARTS_TYPE_SCATTER,
     1000,
     1,
     "1000 of 1001 points are shown."},
    {"1,000 times", {.times = 1000, .measures = 1}, "", CHARTS_TYPE_LINE, 1000, 1, NULL},
    {"1,001 times",
     {.times = 1001, .measures = 1},
     "",
     CHARTS_TYPE_LINE,
     1000,
     1,
     "The last 1000 of 1001 are shown; the table has all of them."},
    {"300 times, 4 lines",
     {.times = 300, .first = 4, .measures = 1},
     "",
     CHARTS_TYPE_LINE,
     250,
     4,
     "The last 250 of 300 are shown; the table has all of them."},
    {"a truncated table",
     {.first = 3, .second = 30, .measures = 1, .truncated = true},
     "",
     CHARTS_TYPE_TABLE,
     0,
     0,
     "The result is cut off: there are more rows than these."},
};

TEST(boundaries)
{
    TEST_EACH(c, bounds) {
        struct arena arena;
        arena_init(&arena, RIG_BYTES);
        struct charts_table table = make(&c->maker, &arena);
        const struct charts_request request = {.table = &table, .question = str_of(c->question)};
        const struct charts_spec *spec = charts_choose_spec(&request, &arena);
        assert_non_null(spec);
        EXPECT_STR(c->name, str_of(charts_spec_type_name(spec->type)),
                   str_of(charts_spec_type_name(c->type)));
        EXPECT_INT(c->name, spec->label_count, c->labels);
        EXPECT_INT(c->name, spec->series_count, c->series);
        EXPECT_STR(c->name, spec->note, str_of(c->note));
        rig_check_chartjs(c->name, spec, &arena);
        arena_fini(&arena);
    }
}

TEST(a_caller_knows_more)
{
    static const struct charts_column columns[] = {
        {STR("period"), {NULL, 0}, CHARTS_CATEGORY},
        {STR("revenue"), STR("USD m"), CHARTS_MEASURE},
        {STR("margin"), STR("USD m"), CHARTS_MEASURE},
    };
    static const struct charts_cell cells[] = {
        {CHARTS_TEXT, 0, STR("2023")},         {CHARTS_NUMBER, 1, STR("1.0")},
        {CHARTS_NUMBER, 0.0 / 0.0, STR("")},   {CHARTS_TEXT, 0, STR("2024")},
        {CHARTS_NUMBER, 2.5, STR("2,500.00")}, {CHARTS_NUMBER, 3, {NULL, 0}},
    };
    static const struct charts_table table = {columns, 3, cells, 2, false};
    const struct charts_request request = {.table = &table, .title = STR("What was asked")};
    struct arena arena;
    arena_init(&arena, RIG_BYTES);
    const struct charts_spec *spec = charts_choose_spec(&request, &arena);
    EXPECT_STR("unit", rig_describe(spec, &arena),
               STR("bar 'What was asked': 2024 2023 | Revenue: 2,500.00 1.0 | Margin: 3 -"));
    EXPECT_STR("axis", spec->value_titles[0], STR("Revenue and margin (USD m)"));
    rig_check_chartjs("digits that are not JSON's", spec, &arena);
    const struct charts_table parts = {columns, 3, cells, 1, false};
    const struct charts_request one = {.table = &parts, .is_whole = true};
    EXPECT_STR("not a number", rig_describe(charts_choose_spec(&one, &arena), &arena),
               STR("metric 'Revenue': 2023 | Revenue: 1.0"));
    arena_fini(&arena);
}

TEST(what_a_name_is_the_name_of)
{
    static const struct {
        const char *columns, *title;
    } named[] = {
        {"[\"name\",\"total\"]", "Total by sales office"},
        {"[\"display_name\",\"total\"]", "Total by sales office"},
        {"[\"Title\",\"total\"]", "Total by sales office"},
        {"[\"office_name\",\"total\"]", "Total by office name"}, /* it says so itself */
        {"[\"city\",\"total\"]", "Total by city"},
    };
    TEST_EACH(c, named) {
        struct arena arena;
        arena_init(&arena, RIG_BYTES);
        struct charts_table table = rig_table(&arena, c->columns, "[[\"Oslo\",2],[\"Bergen\",1]]");
        struct charts_column columns[2] = {table.columns[0], table.columns[1]};
        columns[0].of = STR("sales office");
        table.columns = columns;
        const struct charts_request request = {.table = &table};
        const struct charts_spec *spec = charts_choose_spec(&request, &arena);
        EXPECT_STR(c->columns, spec->title, str_of(c->title));
        arena_fini(&arena);
    }
}

TEST(a_person_of_two_names)
{
    struct arena arena;
    arena_init(&arena, RIG_BYTES);
    struct charts_table table = rig_table(&arena, "[\"firstName\",\"lastName\",\"total\"]",
                                          "[[\"Ada\",\"Stone\",1],[\"Ben\",\"Hill\",2]]");
    struct charts_column columns[3] = {table.columns[0], table.columns[1], table.columns[2]};
    columns[0].of = columns[1].of = STR("employee");
    table.columns = columns;
    const struct charts_request request = {.table = &table};
    const struct charts_spec *spec = charts_choose_spec(&request, &arena);
    EXPECT_STR("title", spec->title, STR("Total by employee"));
    EXPECT_STR("axis", spec->label_title, STR("Employee"));
    arena_fini(&arena);
}

TEST(a_whole_that_the_caller_knows)
{
    struct arena arena;
    arena_init(&arena, RIG_BYTES);
    struct charts_table table = make(&(struct maker){.first = 2, .measures = 1}, &arena);
    const struct charts_request request = {.table = &table, .is_whole = true};
    EXPECT_INT("pie", charts_choose_spec(&request, &arena)->type, CHARTS_TYPE_PIE);
    arena_fini(&arena);
}

TEST(without_memory)
{
    for (uint64_t nth = 1;; nth++) {
        struct arena arena;
        bool is_done = false;
        arena_init(&arena, RIG_BYTES);
        struct charts_table table =
            make(&(struct maker){.times = 3, .first = 9, .measures = 1, .truncated = true}, &arena);
        const struct charts_request request = {.table = &table, .question = STR("share")};
        mem_fail_nth(nth);
        const struct charts_spec *spec = charts_choose_spec(&request, &arena);
        struct str chart =
            spec == NULL ? (struct str){NULL, 0} : charts_chartjs_chart(spec, &arena);
        mem_fail_nth(0);
        is_done = !str_is_absent(chart);
        arena_fini(&arena);
        if (is_done)
            break;
        assert_true(nth < 100);
    }
    for (size_t budget = 1 << 10; budget < 1 << 17; budget += 1 << 10) {
        struct arena data, arena;
        arena_init(&data, RIG_BYTES);
        arena_init(&arena, budget);
        struct charts_table table =
            make(&(struct maker){.times = 30, .first = 9, .measures = 1}, &data);
        const struct charts_request request = {.table = &table};
        const struct charts_spec *spec = charts_choose_spec(&request, &arena);
        if (spec != NULL)
            EXPECT_INT("whole or not at all", spec->label_count, 30);
        arena_fini(&arena);
        arena_fini(&data);
    }
}

RUN_TESTS(T(rules), T(boundaries), T(a_caller_knows_more), T(what_a_name_is_the_name_of),
          T(a_person_of_two_names), T(a_whole_that_the_caller_knows), T(without_memory))

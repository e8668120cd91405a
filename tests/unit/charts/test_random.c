/* SPDX-License-Identifier: MIT */
/* Random tables, and all suggestions for them: never what DOMAIN 3.1 forbids, no number that is not
 * in the rows or a sum of them that the note states, and always what Chart.js can draw. */
#include "tests/unit/charts/charts_rig.h"

#include <math.h>
#include <stdio.h>

#include "agents/charts/accept.h"

enum {
    TABLES = 1500,
    MAX_COLUMNS = 6,
    MAX_ROWS = 90,
    FEW_ROWS = 8,
    LONG_EVERY = 50,
    LONG_ROWS = 1500
};

struct dice {
    uint64_t state;
};

static size_t roll(struct dice *dice, size_t sides)
{
    dice->state = dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(dice->state >> 33) % sides;
}

static const char *const names[] = {
    "id",         "customer_id", "name",        "city",  "status",    "month",
    "created_at", "year",        "amount",      "total", "avg_price", "percent",
    "n",          "COUNT(*)",    "SUM(amount)", "hours", "firstName", "lastName",
    "priority",   "rating",      "x y z",       "",      "weekday",   "revenue_usd"};

static struct charts_cell random_number(struct dice *dice)
{
    static const double odd[] = {0, -1, 1e308, -1e308, NAN, INFINITY, 0.1, 2024, 1e-300};
    if (roll(dice, 12) == 0)
        return charts_table_number(odd[roll(dice, countof(odd))]);
    return charts_table_number((double)roll(dice, 200) - (roll(dice, 8) == 0 ? 100 : 0));
}

static struct charts_cell random_text(struct dice *dice, size_t kind, struct arena *arena)
{
    static const char *const texts[] = {"a",
                                        "b",
                                        "credit",
                                        "line\nbreak",
                                        "\xc3\xa6\xc3\xb8\xc3\xa5 long label of many letters",
                                        "",
                                        "Monday",
                                        "Tuesday",
                                        "low",
                                        "high",
                                        "a much longer label than any axis has room for, really",
                                        "2024",
                                        "18-25",
                                        "60+"};
    struct str text = str_of(texts[roll(dice, countof(texts))]);
    if (kind == 1)
        text = arena_printf(arena, "20%02zu-%02zu", 10 + roll(dice, 15), 1 + roll(dice, 12));
    else if (kind == 2)
        text = arena_printf(arena, "value %zu", roll(dice, 70));
    return (struct charts_cell){CHARTS_TEXT, 0, text};
}

static struct charts_table random_table(struct dice *dice, struct arena *arena)
{
    size_t columns = 1 + roll(dice, MAX_COLUMNS);
    size_t rows = roll(dice, roll(dice, 3) == 0 ? FEW_ROWS : MAX_ROWS);
    if (roll(dice, LONG_EVERY) == 0)
        rows = LONG_ROWS;
    struct charts_column *names_of = arena_array(arena, columns, sizeof *names_of);
    struct charts_cell *cells = arena_array(arena, rows * columns + 1, sizeof *cells);
    assert_non_null(names_of);
    assert_non_null(cells);
    for (size_t column = 0; column < columns; column++) {
        size_t kind = roll(dice, 6), nulls = roll(dice, 4) == 0 ? 3 : 1000;
        names_of[column].name = str_of(names[roll(dice, countof(names))]);
        for (size_t row = 0; row < rows; row++)
            if (roll(dice, nulls) != 0)
                cells[row * columns + column] =
                    kind < 3 ? random_text(dice, kind, arena) : random_number(dice);
    }
    return (struct charts_table){names_of, columns, cells, rows, roll(dice, 4) == 0};
}

static bool is_in_rows(const struct charts_table *table, double number)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        if (table->cells[i].type == CHARTS_NUMBER && table->cells[i].number == number)
            return true;
    return false;
}

static void check_numbers(const char *name, const struct charts_table *table,
                          const struct charts_spec *spec)
{
    bool may_add = str_find(spec->note, STR("add")) != STR_NONE;
    size_t count = spec->type == CHARTS_TYPE_METRIC ? 1 : spec->label_count;
    for (size_t i = 0; i < spec->series_count; i++)
        for (size_t at = 0; at < count; at++) {
            const struct charts_cell *cell = &spec->series[i].values[at];
            if (cell->type == CHARTS_NULL)
                continue;
            if (!is_in_rows(table, cell->number) && !may_add)
                fail_msg("%s: %g is not in the rows", name, cell->number);
        }
    for (size_t at = 0; spec->xs != NULL && at < count; at++)
        if (!is_in_rows(table, spec->xs[at].number))
            fail_msg("%s: %g is not in the rows", name, spec->xs[at].number);
}

static void check_parts(const char *name, const struct charts_spec *spec)
{
    EXPECT_TRUE(name, spec->label_count >= 2 && spec->label_count <= CHARTS_MAX_PARTS);
    EXPECT_INT(name, spec->series_count, 1);
    for (size_t at = 0; at < spec->label_count; at++)
        EXPECT_TRUE(name, spec->series[0].values[at].type == CHARTS_NUMBER &&
                              spec->series[0].values[at].number >= 0);
}

static void check_spec(const char *name, const struct charts_table *table,
                       const struct charts_spec *spec, struct arena *arena)
{
    EXPECT_TRUE(name, spec != NULL);
    EXPECT_TRUE(name, spec->label_count * size_max(spec->series_count, 1) <= CHARTS_MAX_POINTS);
    if (table->is_truncated)
        EXPECT_TRUE(name, str_find(spec->note, STR("cut off")) != STR_NONE);
    if (spec->type == CHARTS_TYPE_PIE || spec->type == CHARTS_TYPE_DOUGHNUT)
        check_parts(name, spec);
    if (spec->type != CHARTS_TYPE_TABLE)
        EXPECT_TRUE(name, spec->title.len > 0 || spec->y[0].len == 0);
    for (size_t at = 0; spec->labels != NULL && at < spec->label_count; at++)
        EXPECT_TRUE(name, spec->labels[at].len > 0 && str_is_utf8(spec->labels[at]));
    check_numbers(name, table, spec);
    rig_check_chartjs(name, spec, arena);
}

TEST(never)
{
    static const char *const suggestions[] = {"table", "metric",   "bar",     "line",
                                              "pie",   "doughnut", "scatter", "radar"};
    struct dice dice = {20250630};
    size_t seen[CHARTS_TYPE_COUNT] = {0};
    for (size_t i = 0; i < TABLES; i++) {
        struct arena arena;
        char name[64];
        arena_init(&arena, RIG_BYTES);
        struct charts_table table = random_table(&dice, &arena);
        const struct charts_request request = {
            .table = &table,
            .question = roll(&dice, 2) == 0 ? STR("share of each") : STR("list them"),
            .is_whole = roll(&dice, 8) == 0};
        snprintf(name, sizeof name, "table %zu", i);
        const struct charts_spec *spec = charts_choose_spec(&request, &arena);
        check_spec(name, &table, spec, &arena);
        seen[spec->type]++;
        for (size_t s = 0; table.row_count < MAX_ROWS && s < countof(suggestions); s++) {
            snprintf(name, sizeof name, "table %zu as %s", i, suggestions[s]);
            spec = charts_accept_spec(&request, str_of(suggestions[s]), &arena);
            check_spec(name, &table, spec, &arena);
            bool is_kept =
                str_equal(str_of(charts_spec_type_name(spec->type)), str_of(suggestions[s]));
            EXPECT_TRUE(name, is_kept || spec->remark.len > 0);
        }
        arena_fini(&arena);
    }
    for (size_t type = 0; type < CHARTS_TYPE_COUNT; type++)
        EXPECT_TRUE(charts_spec_type_name((enum charts_type)type), seen[type] > 0);
}

RUN_TESTS(T(never))

/* SPDX-License-Identifier: MIT */
/* Remarks on results. */
#include "tests/unit/agents/graph_rig.h"

#include "agents/nodes/notes.h"
#include "agents/rows/rows.h"
#include "proto/json_write.h"

enum { MAX_VALUES = 8 };

static const struct sql_value null = {.type = SQL_NULL};
#define INT(n)                                                                                     \
    {                                                                                              \
        .type = SQL_INT, .integer = (n)                                                            \
    }
#define TEXT(s)                                                                                    \
    {                                                                                              \
        .type = SQL_TEXT, .text = { "" s "", sizeof(s) - 1 }                                       \
    }

static struct str notes_of(const struct knowledge *knows, const char *sql,
                           const struct sql_result *result, struct arena *arena)
{
    struct buf out;
    struct json_write writer;
    const char *rule;
    struct err err;
    const struct sql_parse *parse = NULL; /* also where it cannot be had */
    enum err_code code = sql_parse_statement(knows->dialect, str_of(sql), knows->catalog, arena,
                                             &parse, &rule, &err);
    assert_true((code == ERR_OK) == (parse != NULL));
    buf_init(&out, 1 << 16);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    const struct rows_counted counted = {.here = result->row_count,
                                         .total = result->row_count,
                                         .is_cut = result->truncated,
                                         .is_known = !result->truncated};
    notes_write(knows, parse, result, &counted, arena, &writer);
    json_write_array_end(&writer);
    struct str text = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

static const struct {
    const char *name, *sql, *columns[2];
    struct sql_value values[MAX_VALUES];
    size_t row_count;
    bool truncated;
    const char *want;
} row_cases[] = {
    {"nothing to say", "SELECT id FROM employee", {"id"}, {INT(1), INT(2)}, 2, false, "[]"},
    {"no rows", "SELECT id FROM employee", {"id"}, {{0}}, 0, false, "[]"},
    {"cut off",
     "SELECT id FROM employee",
     {"id"},
     {INT(1), INT(2)},
     2,
     true,
     "[\"only the first 2 rows are here; there are more\"]"},
    {"an aggregate of nothing",
     "SELECT SUM(hours) AS h FROM workTime",
     {"h"},
     {{SQL_NULL}},
     1,
     false,
     "[\"'h' is NULL: no row with a value matched, which is not the same as zero\"]"},
    {"a count of nothing is a number",
     "SELECT COUNT(*) AS n FROM workTime",
     {"n"},
     {INT(0)},
     1,
     false,
     "[]"},
    {"groups may be NULL",
     "SELECT MAX(hours) AS h FROM workTime GROUP BY employeeId",
     {"h"},
     {{SQL_NULL}},
     1,
     false,
     "[]"},
    {"rows twice, after a join",
     "SELECT e.role, e.id FROM employee e JOIN workTime w ON w.employeeId = e.id",
     {"role", "id"},
     {TEXT("a"), INT(1), TEXT("a"), INT(1), TEXT("a"), INT(2)},
     3,
     false,
     "[\"1 of 3 rows repeat another one: a join may multiply them\"]"},
    {"rows twice, of one table",
     "SELECT role FROM employee",
     {"role"},
     {TEXT("a"), TEXT("a")},
     2,
     false,
     "[]"},
    {"a statement nobody can read",
     "SELEC",
     {"x"},
     {{SQL_NULL}},
     1,
     true,
     "[\"only the first 1 rows are here; there are more\"]"},
};

TEST(rows)
{
    struct graph_rig rig;
    graph_rig_init(&rig, NULL, 0, NULL, 0);
    TEST_EACH(c, row_cases) {
        struct arena arena;
        const struct str columns[] = {str_of(c->columns[0]), str_of(c->columns[1])};
        const struct sql_result result = {
            .columns = columns,
            .column_count = c->columns[1] == NULL ? 1 : 2,
            .values = c->values,
            .row_count = c->row_count,
            .truncated = c->truncated,
        };
        arena_init(&arena, 1 << 20);
        EXPECT_STR(c->name, notes_of(&rig.knows, c->sql, &result, &arena), str_of(c->want));
        arena_fini(&arena);
    }
    graph_rig_fini(&rig);
}

/* R268. */
TEST(all_null_of_a_secure_view)
{
    static const char schema[] =
        "{\"version\":1,\"tables\":{\"employee\":{\"columns\":[\"id\",\"name\"]},"
        "\"secure_employee\":{\"columns\":[\"id\",\"name\"]},\"crew\":{\"columns\":[\"id\","
        "\"name\"]}},\"relationships\":[],\"secure_view_map\":{\"employee\":\"secure_employee\"}}";
    static const struct {
        const char *name, *sql;
        bool warned;
    } cases[] = {{"secure", "SELECT name FROM employee", true},
                 {"plain", "SELECT name FROM crew", false},
                 {"another name", "SELECT name AS n FROM employee", true}};
    struct catalog *catalog;
    struct err err = {0};
    assert_int_equal(catalog_from_join_graph(str_of(schema), &catalog, &err), ERR_OK);
    const struct knowledge knows = {
        .dialect = SQL_SQLITE, .catalog = catalog, .policy = &sql_policy_default};
    TEST_EACH(c, cases) {
        struct arena arena;
        const struct str column = c->warned && strstr(c->sql, " AS ") ? STR("n") : STR("name");
        const struct sql_result result = {
            .columns = &column, .column_count = 1, .values = &null, .row_count = 1};
        arena_init(&arena, 1 << 20);
        struct str notes = notes_of(&knows, c->sql, &result, &arena);
        EXPECT_INT(c->name, str_find(notes, STR("the key that decrypts it")) != STR_NONE,
                   c->warned);
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

RUN_TESTS(T(rows), T(all_null_of_a_secure_view))

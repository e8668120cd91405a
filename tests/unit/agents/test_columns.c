/* SPDX-License-Identifier: MIT */
/* What a wrong column, table or function is told (R146-R148, C33): the seed's form, a remedy. */
#include "tests/unit/agents/guard_world.h"

enum { ARENA_BYTES = 16 << 20 };

static const struct {
    const char *policy, *sql, *rule, *text;
    size_t line, column;
} messages[] = {
    {"rewrite", "SELECT crew.isLead FROM crew", "unknown_column",
     "Column 'crew.isLead' does NOT exist in table 'crew'. Found in: employeeCrew. Available "
     "columns in crew: id, workOrderId, createdBy, name, createdAt",
     1, 8},
    {"rewrite", "SELECT isLead FROM crew", "unknown_column",
     "Column 'crew.isLead' does NOT exist in table 'crew'. Found in: employeeCrew. Available "
     "columns in crew: id, workOrderId, createdBy, name, createdAt",
     1, 8},
    {"rewrite", "SELECT c.isLead\nFROM crew c\nWHERE c.id = 1", "unknown_column",
     "Column 'crew.isLead' does NOT exist in table 'crew'. Found in: employeeCrew. Available "
     "columns in crew: id, workOrderId, createdBy, name, createdAt",
     1, 8},
    {"rewrite", "SELECT c.name FROM crew c\nJOIN employeeCrew ec ON ec.crew_id = c.id",
     "unknown_column",
     "Column 'employeeCrew.crew_id' does NOT exist in table 'employeeCrew'. Available columns in "
     "employeeCrew: id, crewId, employeeId, isLead. Did you mean 'employeeCrew.crewId'?",
     2, 25},
    {"bank", "SELECT nam FROM customers", "unknown_column",
     "Column 'customers.nam' does NOT exist in table 'customers'. Available columns in customers: "
     "id, name, email, city, segment, status, created_at, update_date. Did you mean "
     "'customers.name'?",
     1, 8},
    {"bank", "SELECT name FROM customers WHERE status = \"open\"", "unknown_column",
     "Column 'open' does NOT exist here. If \"open\" is text, write it in single quotes.", 1, 43},
    {"bank", "SELECT c.id FROM customers c JOIN loans l ON l.customer_id = c.id OR 1 = 1",
     "unconnected", "'OR 1 = 1' is about no column, so the join relates nothing; leave it out.", 1,
     70},
    {"bank", "SELECT x.name FROM customers c", "unknown_column",
     "Column 'x.name' does NOT exist: nothing named 'x' with that column is in scope. Found in: "
     "customers, branches.",
     1, 8},
    {"bank", "SELECT id FROM customers c JOIN accounts a ON a.customer_id = c.id",
     "ambiguous_column",
     "Column 'id' is ambiguous: c, a have it. Write the table before it, as in table.column.", 1,
     8},
    {"rewrite", "SELECT ssn FROM employee", "unknown_column",
     "Column 'employee.ssn' does NOT exist in table 'employee'. Available columns in employee: id, "
     "firstName, lastName, department, hourlyRate, managerId",
     1, 8},
    {"deny", "SELECT login FROM user", "base_table",
     "Table 'user' is read through its secure view only; write secure_user.", 1, 19},
    {"bank", "SELECT 1 FROM custmers", "unknown_table",
     "Table 'custmers' does not exist. Did you mean: customers?", 1, 15},
    {"bank", "SELECT 1 FROM zebra", "unknown_table",
     "Table 'zebra' does not exist. There are: customers, accounts, transactions, loans, "
     "call_log, branches.",
     1, 15},
    {"rewrite", "SELECT 1 FROM secure_crew", "secure_view",
     "Table 'secure_crew' is not one of the secure views. Did you mean: user, crew?", 1, 15},
    {"bank", "SELECT\n  sqlite_version()", "function",
     "Function 'sqlite_version' is not accepted: it tells about the server, not the data.", 2, 3},
    {"bank", "SELECT c.name FROM customers c, accounts a", "unconnected",
     "Table 'accounts' is joined without a condition, so every row meets every row; add ON with "
     "the columns that relate it.",
     1, 33},
};

TEST(messages_say_what_is_right)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, messages) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        guard_judge(&world, c->policy, str_of(c->sql), &arena, &verdict);
        EXPECT_INT(c->sql, verdict.code, ERR_REJECTED);
        EXPECT_STR(c->sql, str_of(verdict.rule), str_of(c->rule));
        EXPECT_STR(c->sql, str_of(verdict.err.text), str_of(c->text));
        EXPECT_INT(c->sql, verdict.line, c->line);
        EXPECT_INT(c->sql, verdict.column, c->column);
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

TEST(as_many_columns_are_listed_as_the_policy_says)
{
    struct guard_world world;
    struct arena arena;
    struct sql_verdict verdict;
    guard_world_make(&world);
    struct sql_policy policy = *guard_policy(&world, "bank");
    policy.max_columns_listed = 2;
    arena_init(&arena, ARENA_BYTES);
    sql_policy_judge_twice(&policy, STR("SELECT nam FROM customers"), world.catalog,
                           (struct sql_tenant){0}, world.oracle, &arena, &verdict);
    EXPECT_TRUE("two and no more",
                str_find(str_of(verdict.err.text), STR("in customers: id, name, ...")) != STR_NONE);
    arena_fini(&arena);
    guard_world_lose(&world);
}

/* As the schema's text has it: nobody asks who created a row, or whose it is. */
static bool is_unasked(const struct catalog *catalog, const struct sql_unasked *unasked, int table,
                       int column)
{
    struct str name = catalog->tables[table].columns[column].name;
    return !str_equal_nocase(name, unasked->question) &&
           (str_equal(name, STR("createdBy")) ||
            (unasked->by_tenant && str_equal(name, STR("company_id"))));
}

TEST(what_nobody_asks_about_is_not_offered)
{
    static const struct {
        const char *policy, *question, *sql, *text;
        bool by_tenant;
    } cases[] = {
        {"rewrite", "", "SELECT isLead FROM crew",
         "Column 'crew.isLead' does NOT exist in table 'crew'. Found in: employeeCrew. Available "
         "columns in crew: id, workOrderId, name, createdAt",
         false},
        {"rewrite", "createdBy", "SELECT isLead FROM crew",
         "Column 'crew.isLead' does NOT exist in table 'crew'. Found in: employeeCrew. Available "
         "columns in crew: id, workOrderId, createdBy, name, createdAt",
         false},
        {"rewrite", "", "SELECT createdB FROM crew",
         "Column 'crew.createdB' does NOT exist in table 'crew'. Available columns in crew: id, "
         "workOrderId, name, createdAt. Did you mean 'crew.createdAt'?",
         false},
        {"rewrite", "", "SELECT createdBye FROM workOrder",
         "Column 'workOrder.createdBye' does NOT exist in table 'workOrder'. Available columns in "
         "workOrder: id, title, status",
         false},
        {"tenant", "", "SELECT company FROM orders",
         "Column 'orders.company' does NOT exist in table 'orders'. Available columns in orders: "
         "id, customer_id, total, note",
         true},
        {"tenant", "", "SELECT company FROM orders",
         "Column 'orders.company' does NOT exist in table 'orders'. Available columns in orders: "
         "id, company_id, customer_id, total, note. Did you mean 'orders.company_id'?",
         false},
    };
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, cases) {
        struct arena arena;
        struct sql_verdict verdict;
        struct sql_policy policy = *guard_policy(&world, c->policy);
        policy.unasked = (struct sql_unasked){str_of(c->question), c->by_tenant, is_unasked};
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge_twice(&policy, str_of(c->sql), world.catalog, (struct sql_tenant){0},
                               world.oracle, &arena, &verdict);
        EXPECT_STR(c->sql, str_of(verdict.err.text), str_of(c->text));
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

TEST(long_names_are_cut)
{
    struct guard_world world;
    struct arena arena;
    struct sql_verdict verdict;
    char sql[9000];
    guard_world_make(&world);
    for (size_t i = 0; i < 3; i++) {
        static const char *const forms[] = {"SELECT %.8000s FROM customers",
                                            "SELECT 1 FROM %.8000s", "SELECT %.8000s(1)"};
        char name[8001];
        memset(name, 'x', sizeof name - 1);
        name[sizeof name - 1] = '\0';
        size_t head = strcspn(forms[i], "%");
        size_t tail = strlen(forms[i]) - head - strlen("%.8000s");
        memcpy(sql, forms[i], head);
        memcpy(sql + head, name, sizeof name - 1);
        memcpy(sql + head + sizeof name - 1, forms[i] + head + strlen("%.8000s"), tail + 1);
        arena_init(&arena, ARENA_BYTES);
        guard_judge(&world, "bank", str_of(sql), &arena, &verdict);
        EXPECT_INT(forms[i], verdict.code, ERR_REJECTED);
        EXPECT_TRUE(forms[i], str_of(verdict.err.text).len > 20);
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

RUN_TESTS(T(messages_say_what_is_right), T(long_names_are_cut),
          T(as_many_columns_are_listed_as_the_policy_says),
          T(what_nobody_asks_about_is_not_offered))

/* SPDX-License-Identifier: MIT */
/* tests/unit/agents/guard_world.h - a database with secrets in it, its catalog and policies.
 *
 * Hidden columns, hidden tables and base tables behind secure views hold the word CANARY; rows of
 * another company hold OTHERCO. No accepted statement may ever show either. */
#ifndef TESTS_UNIT_AGENTS_GUARD_WORLD_H
#define TESTS_UNIT_AGENTS_GUARD_WORLD_H

#include <sqlite3.h>

#include "agents/sql/parse_sqlite.h"
#include "agents/sql/policy.h"
#include "tests/lib/test.h"

static const char guard_ddl[] =
    "CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, email TEXT, city TEXT, segment TEXT,"
    " status TEXT, created_at TEXT, update_date TEXT, ssn TEXT, password_hash TEXT, memo TEXT);"
    "CREATE TABLE accounts(id INTEGER PRIMARY KEY, customer_id INTEGER, account_number TEXT,"
    " balance NUMERIC, currency TEXT, status TEXT, opened_on TEXT, pin_hash TEXT, email TEXT);"
    "CREATE TABLE transactions(id INTEGER PRIMARY KEY, account_id INTEGER, type TEXT,"
    " amount NUMERIC, category TEXT, created_at TEXT);"
    "CREATE TABLE loans(id INTEGER PRIMARY KEY, customer_id INTEGER, principal NUMERIC,"
    " rate NUMERIC, grant_date TEXT);"
    "CREATE TABLE call_log(id INTEGER PRIMARY KEY, customer_id INTEGER, call_date TEXT,"
    " duration_sec INTEGER, outcome TEXT, create_user TEXT);"
    "CREATE TABLE branches(id INTEGER PRIMARY KEY, name TEXT, city TEXT, drop_box_count INTEGER,"
    " vault_code TEXT, ssn TEXT);"
    "CREATE TABLE employee(id INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, email TEXT,"
    " department TEXT, hourlyRate NUMERIC, managerId INTEGER, ssn TEXT);"
    "CREATE TABLE user(id INTEGER PRIMARY KEY, login TEXT, role TEXT, employeeId INTEGER,"
    " passwordHash TEXT);"
    "CREATE TABLE workOrder(id INTEGER PRIMARY KEY, title TEXT, status TEXT, createdBy INTEGER);"
    "CREATE TABLE crew(id INTEGER PRIMARY KEY, workOrderId INTEGER, createdBy INTEGER, name TEXT,"
    " createdAt TEXT);"
    "CREATE TABLE employeeCrew(id INTEGER PRIMARY KEY, crewId INTEGER, employeeId INTEGER,"
    " isLead INTEGER);"
    "CREATE TABLE api_keys(id INTEGER PRIMARY KEY, owner TEXT, key_value TEXT);"
    "CREATE TABLE orders(id INTEGER PRIMARY KEY, company_id TEXT, customer_id INTEGER,"
    " total NUMERIC, note TEXT);"
    "CREATE TABLE invoices(id INTEGER PRIMARY KEY, company_id TEXT, order_id INTEGER,"
    " amount NUMERIC, note TEXT);"
    "CREATE TABLE products(id INTEGER PRIMARY KEY, label TEXT);"
    "CREATE VIEW secure_employee AS SELECT id, substr(firstName, 8) AS firstName,"
    " substr(lastName, 8) AS lastName, department, hourlyRate, managerId FROM employee;"
    "CREATE VIEW secure_user AS SELECT id, substr(login, 8) AS login, role, employeeId FROM user;"
    "CREATE VIEW secure_workorder AS SELECT id, substr(title, 8) AS title, status, createdBy"
    " FROM workOrder;"
    "CREATE VIEW all_orders AS SELECT id, total, note FROM orders;"
    "INSERT INTO customers VALUES (1,'Ada','ada@x.org','Oslo','retail','active','2024-01-05',"
    "'2024-02-01','CANARY1','CANARY2','CANARY3'),(2,'Bob','bob@x.org','Rome','corporate','closed',"
    "'2024-03-05','2024-03-06','CANARY4','CANARY5','CANARY6'),(3,'Grant','g@x.org','Oslo','retail',"
    "'active','2025-01-05',NULL,'CANARY7','CANARY8','CANARY9');"
    "INSERT INTO accounts VALUES (1,1,'A-1',100.5,'EUR','open','2024-01-06','CANARY','CANARY'),"
    "(2,1,'A-2',20,'USD','open','2024-01-07','CANARY','CANARY'),(3,2,'A-3',0,'EUR','closed',"
    "'2024-04-01','CANARY','CANARY');"
    "INSERT INTO transactions VALUES (1,1,'credit',50,'salary','2025-01-01'),(2,1,'debit',20,"
    "'food','2025-01-02'),(3,2,'debit',5,'food','2025-02-02'),(4,3,'credit',7,'gift','2025-02-03');"
    "INSERT INTO loans VALUES (1,1,1000,0.05,'2024-05-05'),(2,3,500,0.04,'2025-05-05');"
    "INSERT INTO call_log VALUES (1,1,'2025-01-03',60,'ok','eve'),(2,2,'2025-01-04',30,'busy','al');"
    "INSERT INTO branches VALUES (1,'North','Oslo',2,'CANARY','CANARY'),"
    "(2,'South','Rome',1,'CANARY','CANARY');"
    "INSERT INTO employee VALUES (1,'CANARY-Eve','CANARY-Low','CANARY','ops',30,NULL,'CANARY'),"
    "(2,'CANARY-Al','CANARY-Hi','CANARY','ops',40,1,'CANARY');"
    "INSERT INTO user VALUES (1,'CANARY-eve','admin',1,'CANARY'),(2,'CANARY-al','user',2,'CANARY');"
    "INSERT INTO workOrder VALUES (1,'CANARY-Fix','open',1),(2,'CANARY-Paint','done',2);"
    "INSERT INTO crew VALUES (1,1,1,'red','2025-01-01'),(2,2,1,'blue','2025-01-02');"
    "INSERT INTO employeeCrew VALUES (1,1,1,1),(2,1,2,0),(3,2,2,1);"
    "INSERT INTO api_keys VALUES (1,'root','CANARY');"
    "INSERT INTO orders VALUES (1,'c1',1,10,'mine'),(2,'c1',2,20,'mine'),(3,'c2',1,999,'OTHERCO');"
    "INSERT INTO invoices VALUES (1,'c1',1,10,'mine'),(2,'c2',3,999,'OTHERCO'),"
    "(3,'c2',1,998,'OTHERCO');"
    "INSERT INTO products VALUES (1,'pen'),(2,'ink');";

#define T_(name, columns) "\"" name "\":{\"columns\":[" columns "],\"unique_columns\":[\"id\"]}"
static const char guard_catalog_json[] =
    "{\"version\":1,\"tables\":{"
    T_("customers", "\"id\",\"name\",\"email\",\"city\",\"segment\",\"status\",\"created_at\","
                    "\"update_date\"") ","
    T_("accounts", "\"id\",\"customer_id\",\"account_number\",\"balance\",\"currency\",\"status\","
                   "\"opened_on\"") ","
    T_("transactions", "\"id\",\"account_id\",\"type\",\"amount\",\"category\",\"created_at\"") ","
    T_("loans", "\"id\",\"customer_id\",\"principal\",\"rate\",\"grant_date\"") ","
    T_("call_log", "\"id\",\"customer_id\",\"call_date\",\"duration_sec\",\"outcome\","
                   "\"create_user\"") ","
    T_("branches", "\"id\",\"name\",\"city\",\"drop_box_count\"") ","
    T_("employee", "\"id\",\"firstName\",\"lastName\",\"email\",\"department\",\"hourlyRate\","
                   "\"managerId\"") ","
    T_("user", "\"id\",\"login\",\"role\",\"employeeId\"") ","
    T_("workOrder", "\"id\",\"title\",\"status\",\"createdBy\"") ","
    T_("crew", "\"id\",\"workOrderId\",\"createdBy\",\"name\",\"createdAt\"") ","
    T_("employeeCrew", "\"id\",\"crewId\",\"employeeId\",\"isLead\"") ","
    T_("orders", "\"id\",\"company_id\",\"customer_id\",\"total\",\"note\"") ","
    T_("invoices", "\"id\",\"company_id\",\"order_id\",\"amount\",\"note\"") ","
    T_("products", "\"id\",\"label\"") ","
    T_("secure_employee", "\"id\",\"firstName\",\"lastName\",\"department\",\"hourlyRate\","
                          "\"managerId\"") ","
    T_("secure_user", "\"id\",\"login\",\"role\",\"employeeId\"") ","
    T_("secure_workorder", "\"id\",\"title\",\"status\",\"createdBy\"") ","
    "\"all_orders\":{\"columns\":[\"id\",\"total\",\"note\"],\"is_view\":true}},"
    "\"tenant_column\":\"company_id\","
    "\"secure_view_map\":{\"employee\":\"secure_employee\",\"user\":\"secure_user\","
    "\"workOrder\":\"secure_workorder\"},\"relationships\":[]}";
#undef T_

#define BANK_                                                                                      \
    "\"tables\":[\"customers\",\"accounts\",\"transactions\",\"loans\",\"call_log\",\"branches\"]"
#define FIELD_ "\"crew\",\"employeeCrew\",\"secure_employee\",\"secure_user\",\"secure_workorder\""
static const char guard_policies_json[] =
    "{\"policies\":{"
    "\"strict\":{\"allow_with\":false,\"allow_set_operations\":false," BANK_ "},"
    "\"bank\":{\"allow_with\":true," BANK_ "},"
    "\"open\":{\"allow_with\":true,\"allow_set_operations\":true,"
    "\"allow_recursive\":\"only when bounded by a comparison on the counting column\"," BANK_ "},"
    "\"deny\":{\"allow_with\":true,\"allow_set_operations\":true,\"secure_mode\":\"deny_base\","
    "\"max_limit\":100,\"tables\":[" FIELD_ "]},"
    "\"rewrite\":{\"allow_with\":true,\"allow_set_operations\":true,\"secure_mode\":\"rewrite\","
    "\"max_limit\":100,\"tables\":[\"employee\",\"user\",\"workOrder\"," FIELD_ "]},"
    "\"tenant\":{\"allow_with\":true,\"allow_set_operations\":true,\"tables\":[\"orders\","
    "\"invoices\",\"products\",\"all_orders\",\"customers\"]}}}";
#undef BANK_
#undef FIELD_

struct guard_world {
    sqlite3 *db;
    struct catalog *catalog;
    struct arena arena; /* of the policies */
    struct sql_policy_set policies;
    struct sqlite_oracle *oracle;
};

static inline void guard_session_var(sqlite3_context *context, int count UNUSED,
                                     sqlite3_value **values)
{
    const char *name = (const char *)sqlite3_value_text(values[0]);
    if (name != NULL && strcmp(name, "company_id") == 0)
        sqlite3_result_text(context, "c1", 2, SQLITE_STATIC);
}

static inline int guard_progress(void *steps)
{
    return ++*(int *)steps > 2000; /* of 10,000 instructions each */
}

static inline void guard_world_make(struct guard_world *world)
{
    struct err err = {0};
    *world = (struct guard_world){.db = NULL};
    assert_int_equal(sqlite3_open(":memory:", &world->db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(world->db, guard_ddl, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_create_function(world->db, "session_var", 1, SQLITE_UTF8, NULL, guard_session_var,
                            NULL, NULL);
    EXPECT_INT("catalog",
               catalog_from_join_graph(str_of(guard_catalog_json), &world->catalog, &err), ERR_OK);
    arena_init(&world->arena, 16 << 20);
    enum err_code code = sql_policy_read(str_of(guard_policies_json), &world->arena,
                                         &world->policies, &err);
    if (code != ERR_OK)
        fail_msg("policies: %s", err.text);
    world->oracle = sqlite_oracle_create(world->catalog, &err);
    if (world->oracle == NULL)
        fail_msg("oracle: %s", err.text);
}

static inline void guard_world_lose(struct guard_world *world)
{
    sqlite3_close(world->db);
    sqlite_oracle_destroy(world->oracle);
    catalog_destroy(world->catalog);
    arena_fini(&world->arena);
}

static inline const struct sql_policy *guard_policy(const struct guard_world *world,
                                                    const char *name)
{
    for (size_t i = 0; i < world->policies.count; i++) {
        if (str_equal(world->policies.policies[i].name, str_of(name)))
            return &world->policies.policies[i];
    }
    fail_msg("no policy %s", name);
    return NULL;
}

/* Judge; only the policy "tenant" filters by company. */
static inline void guard_judge(const struct guard_world *world, const char *policy, struct str sql,
                               struct arena *arena, struct sql_verdict *verdict)
{
    const struct sql_tenant tenant = {.on = strcmp(policy, "tenant") == 0};
    sql_policy_judge_twice(guard_policy(world, policy), SQL_SQLITE, sql, world->catalog, tenant,
                           world->oracle, arena, verdict);
}

/* Run it for real: no canary in any value, at most max rows, all of it from one statement. The
 * values joined by '|', rows by ';', into out; the engine's own error otherwise. */
static inline bool guard_run(const struct guard_world *world, const char *name, struct str sql,
                             struct buf *out)
{
    sqlite3_stmt *stmt = NULL;
    const char *tail = NULL;
    int steps = 0, code, rows = 0;
    buf_clear(out);
    sqlite3_progress_handler(world->db, 10000, guard_progress, &steps);
    code = sqlite3_prepare_v2(world->db, sql.at, (int)sql.len, &stmt, &tail);
    if (code != SQLITE_OK) {
        buf_printf(out, "error: %s", sqlite3_errmsg(world->db));
        return false;
    }
    EXPECT_TRUE(name, stmt != NULL && tail == sql.at + sql.len && sqlite3_stmt_readonly(stmt));
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW && rows++ <= 1000) {
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const char *text = (const char *)sqlite3_column_text(stmt, i);
            buf_printf(out, "%s%s", i == 0 ? "" : "|", text == NULL ? "" : text);
        }
        buf_push_char(out, ';');
    }
    if (code != SQLITE_DONE)
        buf_printf(out, "error: %s", sqlite3_errmsg(world->db));
    sqlite3_finalize(stmt);
    EXPECT_TRUE(name, rows <= 1000);
    EXPECT_INT(name, str_find(buf_str(out), STR("CANARY")), STR_NONE);
    EXPECT_INT(name, str_find(buf_str(out), STR("OTHERCO")), STR_NONE);
    return code == SQLITE_DONE;
}

#endif

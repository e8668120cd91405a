/* SPDX-License-Identifier: MIT */
/* Introspection against real SQLite files: what is found, what is private, what breaks. */
#include "tests/lib/test.h"

#include "agents/sql/catalog/introspect.h"
#include "agents/sql/guard/policy.h"
#include "agents/sql/catalog/sensitive.h"
#include "backends/sql/sql_sqlite.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

static const char schema[] =
    "CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, company_id TEXT);"
    "CREATE TABLE employee(id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team,"
    " bossId INTEGER REFERENCES employee(id), email TEXT, passwordHash TEXT, hired DATE);"
    "CREATE TABLE pair(a INTEGER, b INTEGER, PRIMARY KEY (a, b));"
    "CREATE TABLE uses(id INTEGER PRIMARY KEY, x INTEGER, y INTEGER,"
    " gone INTEGER REFERENCES nowhere(id), FOREIGN KEY (x, y) REFERENCES pair);"
    "CREATE TABLE api_keys(id INTEGER PRIMARY KEY, owner TEXT);"
    "CREATE TABLE badge(no INTEGER, \"of\" INTEGER, UNIQUE (no, \"of\"),"
    " FOREIGN KEY (no, \"of\") REFERENCES pair(a, b));"
    "CREATE VIEW secure_employee AS SELECT id, teamId FROM employee;"
    "INSERT INTO team(name, company_id) VALUES ('red', 'c1'), ('blue', 'c1');";

struct found {
    struct rig rig;
    struct sqlite_file file;
    struct sql *sql;
    struct introspect introspect;
};

static void find(struct found *found, const char *sql, const struct introspect_options *options)
{
    *found = (struct found){.sql = NULL};
    sqlite_file_make(&found->file, sql);
    rig_begin(&found->rig);
    found->sql = sql_sqlite_create(found->rig.loop, found->file.path, 1, 0);
    assert_non_null(found->sql);
    introspect_start(&found->introspect, found->sql, options, rig_waiter(&found->rig));
}

static void lose(struct found *found)
{
    catalog_destroy(found->introspect.catalog);
    op_release(&found->introspect.op);
    sql_close(found->sql, rig_on_closed, &found->rig);
    rig_end(&found->rig);
    EXPECT_INT("closed", found->rig.closed_calls, 1);
    sqlite_file_remove(&found->file);
}

TEST(finds_all)
{
    struct found found;
    const struct introspect_options options = {
        .secure_views = STR("{\"employee\":\"secure_employee\"}"),
        .tenant_column = STR("company_id"),
        .count_rows = true,
    };
    find(&found, schema, &options);
    rig_wait("found", &found.rig, 1);
    EXPECT_STR("err", str_of(found.rig.err.text), STR(""));
    const struct catalog *catalog = found.introspect.catalog;
    EXPECT_INT("tables", catalog->table_count, 7);
    const struct catalog_table *team = &catalog->tables[0], *employee = &catalog->tables[1];
    EXPECT_STR("in order", team->name, STR("team"));
    EXPECT_INT("rows", team->row_count, 2);
    EXPECT_INT("no rows", employee->row_count, 0);
    EXPECT_INT("tenant", team->tenant_column, 2);
    EXPECT_TRUE("unique", team->columns[1].unique && team->columns[0].unique);
    EXPECT_TRUE("not null", team->columns[1].not_null && !team->columns[2].not_null);
    EXPECT_INT("references", employee->reference_count, 2);
    EXPECT_INT("to the key", employee->references[0].to_table, 0);
    EXPECT_INT("to itself", employee->references[1].to_table, 1);
    EXPECT_TRUE("email is private", employee->columns[3].pii && !employee->columns[3].hidden);
    EXPECT_TRUE("hash is hidden", employee->columns[4].hidden);
    EXPECT_INT("date", employee->columns[5].type, CATALOG_DATE);
    EXPECT_TRUE("behind a view", employee->hidden && employee->secure_view == 6);
    EXPECT_INT("two columns", catalog->tables[3].references[0].column_count, 2);
    EXPECT_INT("what is gone is skipped", catalog->tables[3].reference_count, 1);
    EXPECT_INT("composite", catalog->tables[2].keys[0].column_count, 2);
    EXPECT_TRUE("not alone", !catalog->tables[5].columns[0].unique);
    EXPECT_INT("unique together", catalog->tables[5].keys[0].column_count, 2);
    EXPECT_TRUE("keys are hidden", catalog->tables[4].hidden);
    EXPECT_TRUE("view", catalog->tables[6].is_view && catalog->complete);
    lose(&found);
}

TEST(missing_secure_view_is_named)
{
    struct found found;
    const struct introspect_options options = {
        .secure_views = STR("{\"employee\":\"secure_employe\",\"team\":\"secure_team\"}")};
    find(&found, schema, &options);
    rig_wait("found", &found.rig, 1);
    EXPECT_INT("code", found.rig.err.code, ERR_INVALID);
    EXPECT_TRUE("both", strstr(found.rig.err.text, "secure_employe, secure_team") != NULL);
    EXPECT_TRUE("nothing", found.introspect.catalog == NULL);
    lose(&found);
}

TEST(broken_view_does_not_hide_the_rest)
{
    struct found found;
    const struct introspect_options options = {.count_rows = true};
    find(&found,
         "CREATE TABLE a(x); CREATE TABLE b(y); CREATE VIEW v AS SELECT * FROM b;"
         "DROP TABLE b;",
         &options);
    rig_wait("found", &found.rig, 1);
    EXPECT_INT("code", found.rig.err.code, ERR_OK);
    EXPECT_INT("tables", found.introspect.catalog->table_count, 1);
    lose(&found);
}

TEST(cancelled_at_every_turn)
{
    const struct introspect_options options = {.count_rows = true};
    bool ended = false;
    for (unsigned turns = 0; !ended; turns = rig_after(turns)) {
        struct found found;
        find(&found, schema, &options);
        ended = rig_turn(&found.rig, turns, 1);
        op_cancel(&found.introspect.op);
        op_cancel(&found.introspect.op);
        rig_wait("found", &found.rig, 1);
        bool whole = found.rig.err.code == ERR_OK;
        EXPECT_TRUE("code", whole || (!ended && found.rig.err.code == ERR_CANCELLED));
        EXPECT_TRUE("at once", turns > 0 || !whole);
        EXPECT_TRUE("catalog", whole == (found.introspect.catalog != NULL));
        lose(&found);
    }
}

TEST(every_allocation_may_fail)
{
    struct found found;
    const struct introspect_options options = {
        .secure_views = STR("{\"employee\":\"secure_employee\"}"), .count_rows = true};
    find(&found, schema, &options);
    rig_wait("found", &found.rig, 1);
    for (uint64_t n = 1;; n++) {
        catalog_destroy(found.introspect.catalog);
        op_release(&found.introspect.op);
        found.rig.done_calls = 0;
        mem_fail_nth(n);
        introspect_start(&found.introspect, found.sql, &options, rig_waiter(&found.rig));
        rig_wait("found", &found.rig, 1);
        mem_fail_nth(0);
        if (found.introspect.catalog != NULL && n > 60)
            break;
        EXPECT_TRUE("ends", n < 4000);
    }
    lose(&found);
}

static const struct {
    const char *name;
    enum sensitive kind;
} names[] = {
    {"email", SENSITIVE_PII},
    {"customerEmail", SENSITIVE_PII},
    {"e", SENSITIVE_NOT},
    {"passwordHash", SENSITIVE_SECRET},
    {"password_hash", SENSITIVE_SECRET},
    {"PASSWORD", SENSITIVE_SECRET},
    {"passengerId", SENSITIVE_NOT},
    {"token", SENSITIVE_SECRET},
    {"token_count", SENSITIVE_NOT},
    {"accessToken", SENSITIVE_SECRET},
    {"resetTokenHash", SENSITIVE_SECRET},
    {"apiKey", SENSITIVE_SECRET},
    {"APIKey", SENSITIVE_SECRET},
    {"ssn", SENSITIVE_PII},
    {"session", SENSITIVE_NOT},
    {"iban", SENSITIVE_PII},
    {"phone2", SENSITIVE_PII},
    {"company", SENSITIVE_NOT},
    {"panel", SENSITIVE_NOT},
    {"created_at", SENSITIVE_NOT},
    {"key", SENSITIVE_NOT},
    {"account_number", SENSITIVE_PII},
    {"client_secret", SENSITIVE_SECRET},
    {"passwordhash", SENSITIVE_SECRET},
    {"userpassword", SENSITIVE_SECRET},
    {"secretkey", SENSITIVE_SECRET},
    {"clientsecret", SENSITIVE_SECRET},
    {"authtoken", SENSITIVE_SECRET},
    {"accesstoken", SENSITIVE_SECRET},
    {"privatekey", SENSITIVE_SECRET},
    {"apiKeys", SENSITIVE_SECRET},
    {"pwdhash", SENSITIVE_SECRET},
    {"pass_hash", SENSITIVE_SECRET},
    {"signing_key", SENSITIVE_SECRET},
    {"ssh_key", SENSITIVE_SECRET},
    {"hmac_key", SENSITIVE_SECRET},
    {"webhook_key", SENSITIVE_SECRET},
    {"token_enc", SENSITIVE_SECRET},
    {"tokens", SENSITIVE_SECRET},
    {"pincode", SENSITIVE_SECRET},
    {"card_pin", SENSITIVE_SECRET},
    {"totp", SENSITIVE_SECRET},
    {"mfa_seed", SENSITIVE_SECRET},
    {"recovery_codes", SENSITIVE_SECRET},
    {"session_id", SENSITIVE_SECRET},
    {"cookie", SENSITIVE_SECRET},
    {"jwt", SENSITIVE_SECRET},
    {"RefreshToken", SENSITIVE_SECRET},
    {"user_pwd", SENSITIVE_SECRET},
    {"db_pass", SENSITIVE_SECRET},
    {"OTP_SECRET", SENSITIVE_SECRET},
    {"aes_key", SENSITIVE_SECRET},
    {"masterKey", SENSITIVE_SECRET},
    {"backupCodes", SENSITIVE_SECRET},
    {"csrfToken", SENSITIVE_SECRET},
    {"hashedpassword", SENSITIVE_SECRET},
    {"resettoken", SENSITIVE_SECRET},
    {"token_count", SENSITIVE_NOT},
    {"tokens_used", SENSITIVE_NOT},
    {"total_tokens", SENSITIVE_NOT},
    {"max_tokens", SENSITIVE_NOT},
    {"key_account", SENSITIVE_NOT},
    {"secretary", SENSITIVE_NOT},
    {"session_date", SENSITIVE_NOT},
    {"monkey", SENSITIVE_NOT},
    {"keyboard", SENSITIVE_NOT},
    {"cookie_name", SENSITIVE_NOT},
    {"keynote", SENSITIVE_NOT},
    {"passage", SENSITIVE_NOT},
    {"compass", SENSITIVE_NOT},
    {"passport_office", SENSITIVE_PII},
    {"bypass", SENSITIVE_NOT},
    {"pinned", SENSITIVE_NOT},
    {"pinboard", SENSITIVE_NOT},
    {"spinning", SENSITIVE_NOT},
    {"opinion", SENSITIVE_NOT},
    {"shipping", SENSITIVE_NOT},
    {"sessions", SENSITIVE_NOT},
    {"primary_key", SENSITIVE_NOT},
    {"foreign_key", SENSITIVE_NOT},
    {"sort_key", SENSITIVE_NOT},
    {"turkey_count", SENSITIVE_NOT},
    {"hockey_club", SENSITIVE_NOT},
    {"assessment", SENSITIVE_NOT},
    {"possession", SENSITIVE_NOT},
    {"bypass_valve", SENSITIVE_NOT},
    {"code", SENSITIVE_NOT},
    {"postcode", SENSITIVE_NOT},
    {"country_code", SENSITIVE_NOT},
    {"user_id", SENSITIVE_NOT},
    {"client_id", SENSITIVE_NOT},
    {"access_level", SENSITIVE_NOT},
    {"private_note", SENSITIVE_NOT},
    {"app_name", SENSITIVE_NOT},
    {"device_name", SENSITIVE_NOT},
    {"card_type", SENSITIVE_NOT},
    {"service_id", SENSITIVE_NOT},
    {"hash_tag", SENSITIVE_NOT},
    {"reset_count", SENSITIVE_NOT},
};

TEST(names_tell)
{
    TEST_EACH(c, names)
        EXPECT_INT(c->name, sensitive_column(str_of(c->name), true), c->kind);
    EXPECT_TRUE("table", sensitive_table(STR("api_keys")) && sensitive_table(STR("apiKeys")));
    EXPECT_TRUE("no table", !sensitive_table(STR("keyboards")) && !sensitive_table(STR("user")));
    static const char *const of_secrets[] = {"user_tokens",     "oauth_tokens", "passwordresets",
                                             "password_resets", "userTokens",   "user_sessions"};
    static const char *const honest[] = {"sessions", "secretaries",  "training_sessions",
                                         "cookies",  "token_counts", "key_accounts"};
    TEST_EACH(name, of_secrets)
        EXPECT_TRUE(*name, sensitive_table(str_of(*name)));
    TEST_EACH(name, honest)
        EXPECT_TRUE(*name, !sensitive_table(str_of(*name)));
    static const char *const of_text[] = {"session_id", "cookies", "tokens", "totp"};
    TEST_EACH(name, of_text)
        EXPECT_INT(*name, sensitive_column(str_of(*name), false), SENSITIVE_NOT);
}

TEST(virtual_tables_are_found)
{
    struct found found;
    const struct introspect_options options = {.count_rows = true};
    find(&found, "CREATE VIRTUAL TABLE page USING fts5(title, body); CREATE TABLE team(id);",
         &options);
    rig_wait("found", &found.rig, 1);
    EXPECT_STR("err", str_of(found.rig.err.text), STR(""));
    int page = catalog_find_table(found.introspect.catalog, STR(""), STR("page"));
    EXPECT_TRUE("page", page != CATALOG_NONE);
    EXPECT_INT("columns", found.introspect.catalog->tables[page].column_count, 2);
    lose(&found);
}

/* Where all columns are known, a row's number is one, unless it is the key that nobody may read;
 * and no table takes a name it is not known to have. */
static const struct {
    const char *sql, *rule;
} judged[] = {
    {"SELECT t.name AS x FROM team t JOIN employee e ON e.teamId = t.id ORDER BY +x", ""},
    {"SELECT upper(x.n) FROM (SELECT name AS n FROM team) x, employee WHERE n = email", ""},
    {"SELECT t.name AS x FROM team t JOIN employee e ON e.teamId = t.id ORDER BY +passwordHash",
     "hidden_column"},
    {"SELECT (SELECT max(passwordHash) FROM team) FROM employee", "hidden_column"},
    {"SELECT * FROM team NATURAL JOIN employee", ""},
    {"SELECT rowid, name FROM team WHERE _rowid_ > 3 ORDER BY oid", ""},
    {"SELECT main.team.rowid, t.RowID FROM team JOIN team t ON t.id = team.id", ""},
    {"SELECT (SELECT max(rowid) FROM uses u WHERE u.x = team.rowid) FROM team", ""},
    {"SELECT rowid FROM badge", ""},
    {"SELECT rowid FROM login", "unknown_column"},
    {"SELECT (SELECT rowid) FROM login", "unknown_column"},
    {"SELECT team.rowid FROM team JOIN login ON login.id = team.id", "unknown_column"},
    {"SELECT rowid FROM uses JOIN team ON team.id = uses.id", "unknown_column"},
    {"SELECT d.rowid FROM (SELECT id FROM team) d", "unknown_column"},
    {"SELECT rowid FROM team_names", "unknown_column"},
    {"SELECT rowid FROM nowhere", "unknown_table"},
};

TEST(a_known_schema_is_trusted)
{
    static const char more[] = "CREATE TABLE login(api_key INTEGER PRIMARY KEY, id INTEGER);"
                               "CREATE VIEW team_names AS SELECT name FROM team;";
    struct found found;
    const struct introspect_options options = {.count_rows = false};
    char text[sizeof schema + sizeof more];
    snprintf(text, sizeof text, "%s%s", schema, more);
    find(&found, text, &options);
    rig_wait("found", &found.rig, 1);
    EXPECT_STR("err", str_of(found.rig.err.text), STR(""));
    TEST_EACH(c, judged) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, 1 << 20);
        sql_policy_judge(&sql_policy_default, SQL_SQLITE, str_of(c->sql), found.introspect.catalog,
                         (struct sql_tenant){.on = false}, &arena, &verdict);
        EXPECT_STR(c->sql, str_of(verdict.rule), str_of(c->rule));
        arena_fini(&arena);
    }
    lose(&found);
}

/* What SQLite keeps only as text: comments, and the values that a CHECK allows. */
TEST(declarations_are_heard)
{
    struct found found;
    const struct introspect_options options = {.count_rows = false};
    find(&found,
         "CREATE TABLE job(id INTEGER PRIMARY KEY, -- its number\n"
         " state INTEGER, -- 0 new, 1 old\n"
         " mode TEXT CHECK (mode IN ('A', 'S')), CHECK (state IN (0, 1)));",
         &options);
    rig_wait("found", &found.rig, 1);
    const struct catalog *catalog = found.introspect.catalog;
    assert_non_null(catalog);
    const struct catalog_column *columns = catalog->tables[0].columns;
    EXPECT_STR("key", columns[0].comment, STR("its number"));
    EXPECT_STR("comment", columns[1].comment, STR("0 new, 1 old"));
    EXPECT_STR("table's", columns[1].allowed, STR("'0', '1'"));
    EXPECT_STR("column's", columns[2].allowed, STR("'A', 'S'"));
    lose(&found);
}

RUN_TESTS(T(declarations_are_heard), T(finds_all), T(virtual_tables_are_found),
          T(a_known_schema_is_trusted), T(missing_secure_view_is_named),
          T(broken_view_does_not_hide_the_rest), T(cancelled_at_every_turn),
          T(every_allocation_may_fail), T(names_tell))

/* SPDX-License-Identifier: MIT */
/* The contract of sql, part two: what is no single plain read is refused, nothing is written, and
 * errors say what a correction needs. */
#include "tests/contract/contract_rig.h"

#define EVERY(text)                                                                                \
    {                                                                                              \
        text, text, text                                                                           \
    }
#define POSTGRES(text)                                                                             \
    {                                                                                              \
        NULL, text, NULL                                                                           \
    }

static const struct {
    const char *name;
    const char *text[CONTRACT_DIALECTS]; /* sqlite, postgres, mysql */
} refused[] = {
    {"insert", EVERY("INSERT INTO numbers VALUES (1)")},
    {"update", EVERY("UPDATE employee SET pay = 1")},
    {"delete", EVERY("DELETE FROM employee")},
    {"drop", EVERY("DROP TABLE employee")},
    {"create", EVERY("CREATE TABLE thing (a integer)")},
    {"create from", EVERY("CREATE TABLE thing AS SELECT 1 AS a")},
    {"index", EVERY("CREATE INDEX i ON employee(name)")},
    {"temporary", EVERY("CREATE TEMPORARY TABLE thing (a integer)")},
    {"temporary from", EVERY("CREATE TEMPORARY TABLE thing AS SELECT 1 AS a")},
    {"begin", EVERY("BEGIN")},
    {"commit", EVERY("COMMIT")},
    {"rollback", EVERY("ROLLBACK")},
    {"two", EVERY("SELECT 1; SELECT 2")},
    {"two, one writes", EVERY("SELECT 1; DELETE FROM employee")},
    {"out of the transaction", EVERY("COMMIT; DELETE FROM employee")},
    {"nothing", EVERY("")},
    {"blanks", EVERY(" \n ")},
    {"semicolon", EVERY(";")},
    {"syntax", EVERY("SELEC 1")},
    {"half", EVERY("SELECT (1")},
    {"too few values", {"SELECT ?", "SELECT $1", "SELECT ?"}},
    {"insert in a cte", POSTGRES("WITH x AS (INSERT INTO numbers VALUES (1) RETURNING n) "
                                 "SELECT * FROM x")},
    {"select into", POSTGRES("SELECT 1 AS a INTO thing")},
    {"nextval", POSTGRES("SELECT nextval('ids')")},
    {"setval", POSTGRES("SELECT setval('ids', 7)")},
    {"row locks", POSTGRES("SELECT * FROM employee FOR UPDATE")},
    {"truncate", POSTGRES("TRUNCATE employee")},
    {"settings", POSTGRES("SET default_transaction_read_only = off")},
    {"transaction settings", POSTGRES("SET TRANSACTION READ WRITE")},
    {"writing again", POSTGRES("SELECT set_config('transaction_read_only', 'off', false)")},
    {"copy out", POSTGRES("COPY employee TO STDOUT")},
    {"copy in", POSTGRES("COPY employee FROM STDIN")},
    {"copy to a file", POSTGRES("COPY (SELECT 1) TO '/tmp/askd_contract'")},
    {"a block", POSTGRES("DO $$ BEGIN NULL; END $$")},
    {"prepare", POSTGRES("PREPARE p AS SELECT 1")},
    {"listen", POSTGRES("LISTEN x")},
    {"discard", POSTGRES("DISCARD ALL")},
    {"vacuum", POSTGRES("VACUUM")},
    {"lock", POSTGRES("LOCK TABLE employee IN ACCESS EXCLUSIVE MODE")},
};

CONTRACT_TEST(what_does_not_only_read_is_refused)
{
    TEST_EACH(c, refused) {
        const char *text = c->text[f->engine->dialect];
        if (text == NULL)
            continue;
        CONTRACT_CODE(f, c->name, contract_ask(f, text), ERR_REJECTED);
        EXPECT_TRUE(c->name, f->query.op.err.text[0] != '\0');
        CONTRACT_CODE(f, c->name, contract_ask(f, "SELECT count(*), max(pay) FROM employee"),
                      ERR_OK);
        EXPECT_INT(c->name, contract_cell(f, 0, 0)->integer, 3);
        EXPECT_TRUE(c->name, contract_cell(f, 0, 1)->real == 10.5);
    }
    CONTRACT_CODE(f, "NUL",
                  contract_run(f, f->sql, &(struct sql_statement){.text = STR("SELECT 1\0, 2")}),
                  ERR_REJECTED);
    CONTRACT_CODE(f, "numbers", contract_ask(f, "SELECT count(*) FROM numbers"), ERR_OK);
    EXPECT_INT("none more", contract_cell(f, 0, 0)->integer, 5000);
}

/* A setting that a statement changed is as it was for the next one. */
CONTRACT_TEST(settings_do_not_last)
{
    static const char *const pairs[][2] = {
        {"SELECT set_config('search_path', 'nowhere', false)", "SELECT count(*) FROM employee"},
        {"SELECT set_config('default_transaction_read_only', 'off', false)",
         "SELECT current_setting('default_transaction_read_only') = 'on'"},
        {"SELECT set_config('app.company_id', 'stolen', false)",
         "SELECT coalesce(current_setting('app.company_id', true), '') = ''"},
        {"SELECT set_config('DateStyle', 'German', false)",
         "SELECT date '2024-02-29'::text = '2024-02-29'"},
    };
    if (f->engine->dialect != SQL_POSTGRES)
        return;
    TEST_EACH(pair, pairs) {
        CONTRACT_CODE(f, (*pair)[0], contract_ask(f, (*pair)[0]), ERR_OK);
        CONTRACT_CODE(f, (*pair)[1], contract_ask(f, (*pair)[1]), ERR_OK);
        EXPECT_TRUE((*pair)[1], contract_cell(f, 0, 0)->integer != 0);
    }
}

static const struct {
    const char *text[CONTRACT_DIALECTS];
    const char *says[2];
    const char *state[CONTRACT_DIALECTS]; /* NULL: any but none */
    const char *not_said;
} errors[] = {
    {EVERY("SELECT nme FROM employee"), {"nme", ""}, {NULL, "42703", "42S22"}, NULL},
    {EVERY("SELECT 1 FROM emp"), {"emp", ""}, {NULL, "42P01", "42S02"}, NULL},
    {EVERY("SELEC 1"), {"syntax", ""}, {NULL, "42601", "42000"}, NULL},
    {POSTGRES("SELECT employee.nam FROM employee"), {"nam", "hint"}, {NULL, "42703", NULL}, NULL},
    {POSTGRES("SELECT name, count(*) FROM employee"),
     {"name", "GROUP BY"},
     {NULL, "42803", NULL},
     NULL},
    {POSTGRES("SELECT nothing(1)"), {"nothing", "function"}, {NULL, "42883", NULL}, NULL},
    {POSTGRES("SELECT 1 / (id - id) FROM employee"), {"division", ""}, {NULL, "22012", NULL}, NULL},
    {POSTGRES("SELECT name::integer FROM employee"), {"integer", ""}, {NULL, "22P02", NULL}, "Ada"},
    {POSTGRES("SELECT (name || 'x')::date FROM employee"),
     {"date", ""},
     {NULL, "22007", NULL},
     "Ada"},
    {POSTGRES("SELECT 1; SELECT 2"), {"multiple", ""}, {NULL, "42601", NULL}, NULL},
};

CONTRACT_TEST(errors_say_what_a_correction_needs)
{
    TEST_EACH(c, errors) {
        const char *text = c->text[f->engine->dialect], *state = c->state[f->engine->dialect];
        if (text == NULL)
            continue;
        CONTRACT_CODE(f, text, contract_ask(f, text), ERR_REJECTED);
        const char *said = f->query.op.err.text;
        if (strstr(said, c->says[0]) == NULL || strstr(said, c->says[1]) == NULL ||
            strchr(said, '\n') != NULL || (c->not_said != NULL && strstr(said, c->not_said)))
            fail_msg("%s: %s: says '%s'", f->engine->name, text, said);
        if (state != NULL)
            EXPECT_STR(text, str_of(f->query.sqlstate), str_of(state));
        EXPECT_TRUE(text, f->query.sqlstate[0] != '\0');
    }
    CONTRACT_CODE(f, "well", contract_ask(f, "SELECT 1"), ERR_OK);
    EXPECT_STR("no state", str_of(f->query.sqlstate), STR(""));
}

CONTRACT_RUN(T(what_does_not_only_read_is_refused), T(settings_do_not_last),
             T(errors_say_what_a_correction_needs))

/* SPDX-License-Identifier: MIT */
/* The probe of secure views against real SQLite files, whose views show a value to the right key
 * only. */
#include "tests/lib/test.h"

#include "agents/sql/catalog/introspect.h"
#include "agents/sql/catalog/view_probe.h"
#include "backends/sql/sql_sqlite.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

#define KEYED(column) "CASE WHEN session_var('aesKey') = 'right' THEN " column " END AS " column

#define SHOUT "CASE WHEN session_var('aesKey') = 'right' THEN upper(name) END AS shout"

static const char schema[] =
    "CREATE TABLE person(id INTEGER PRIMARY KEY, company_id TEXT, name TEXT, phone TEXT, note "
    "TEXT);"
    "CREATE VIEW secure_person AS SELECT id, company_id, " KEYED("name") ", " KEYED(
        "phone") ", note"
                 " FROM person WHERE company_id = session_var('company_id');"
                 "CREATE TABLE plain(id INTEGER PRIMARY KEY, name TEXT, memo TEXT);"
                 "CREATE VIEW secure_plain AS SELECT id, " KEYED(
                     "name") ", " SHOUT " FROM plain;"
                             "CREATE TABLE broken(id INTEGER PRIMARY KEY, name TEXT);"
                             "CREATE VIEW secure_broken AS SELECT id, "
                             "abs(-9223372036854775808) AS name FROM broken;"
                             "CREATE TABLE keyless(name TEXT); CREATE VIEW secure_keyless "
                             "AS SELECT name FROM keyless;";

static const char map[] = "{\"person\":\"secure_person\",\"plain\":\"secure_plain\","
                          "\"broken\":\"secure_broken\",\"keyless\":\"secure_keyless\"}";

static const struct {
    const char *name, *rows, *key, *want;
} cases[] = {
    {"no rows", "", "right", ""},
    {"the right key",
     "INSERT INTO person VALUES (1, 'acme', 'a', NULL, NULL); INSERT INTO plain(id, name) VALUES "
     "(1, 'x');",
     "right", ""},
    {"a wrong key",
     "INSERT INTO person VALUES (1, 'acme', 'a', '1', 'n'), (2, 'globex', 'b', '2', 'n');", "wrong",
     "view secure_person shows only NULL in columns that hold more; is DB_ENCRYPT_KEY the right "
     "key? "
     "columns: name, phone\n"},
    {"no key, and a column that is empty anyway",
     "INSERT INTO person VALUES (1, 'acme', 'a', NULL, NULL);", NULL,
     "view secure_person shows only NULL in columns that hold more; is DB_ENCRYPT_KEY the right "
     "key? "
     "columns: name\n"},
    {"of a column that the table has not", "INSERT INTO plain(id, name) VALUES (1, 'x');", "wrong",
     "view secure_plain shows only NULL in columns that hold more; is DB_ENCRYPT_KEY the right "
     "key? "
     "columns: name, shout\n"},
    {"a view that fails", "INSERT INTO broken VALUES (1, 'x');", "right",
     "view secure_broken was not probed: "},
    {"a few pass by chance",
     "INSERT INTO plain(id, name) VALUES (1, 'x');"
     "DROP VIEW secure_plain; CREATE VIEW secure_plain AS SELECT id, CASE id % 50 WHEN 0 THEN name"
     " END AS name FROM plain;"
     "INSERT INTO plain(id, name) SELECT value + 1, 'y' FROM "
     "json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"
     "16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,"
     "47,48,49]');",
     "right",
     "view secure_plain shows only NULL in columns that hold more; is DB_ENCRYPT_KEY the right "
     "key? "
     "columns: name\n"},
};

struct probed {
    struct rig rig;
    struct sqlite_file file;
    struct sql *sql;
    struct introspect introspect;
    struct view_probe probe;
    struct sql_variable key;
};

static void open_all(struct probed *p, const char *rows, const char *key)
{
    char text[8192];
    const struct introspect_options options = {.secure_views = str_of(map),
                                               .tenant_column = STR("company_id")};
    *p = (struct probed){.key = {STR("aesKey"), str_of(key)}};
    snprintf(text, sizeof text, "%s%s", schema, rows);
    sqlite_file_make(&p->file, text);
    rig_begin(&p->rig);
    p->sql = sql_sqlite_create(p->rig.loop, p->file.path, 1, 0);
    assert_non_null(p->sql);
    introspect_start(&p->introspect, p->sql, &options, rig_waiter(&p->rig));
    rig_wait("introspected", &p->rig, 1);
    EXPECT_INT(p->introspect.op.err.text, p->introspect.op.err.code, ERR_OK);
}

static void start(struct probed *p)
{
    view_probe_start(&p->probe, p->sql, p->introspect.catalog, &p->key,
                     str_is_absent(p->key.value) ? 0 : 1, rig_waiter(&p->rig));
}

static void close_all(struct probed *p)
{
    buf_fini(&p->probe.warnings);
    op_release(&p->probe.op);
    catalog_destroy(p->introspect.catalog);
    op_release(&p->introspect.op);
    sql_close(p->sql, rig_on_closed, &p->rig);
    rig_end(&p->rig);
    sqlite_file_remove(&p->file);
}

TEST(what_is_there_must_be_shown)
{
    TEST_EACH(c, cases) {
        struct probed p;
        open_all(&p, c->rows, c->key);
        start(&p);
        rig_wait(c->name, &p.rig, 2);
        EXPECT_INT(c->name, p.probe.op.err.code, ERR_OK);
        struct str said = buf_str(&p.probe.warnings);
        if (!str_starts_with(said, str_of(c->want)) || (c->want[0] == '\0' && said.len > 0))
            fail_msg("%s: %.*s", c->name, STR_ARG(said));
        close_all(&p);
    }
}

TEST(cancelled_at_every_turn)
{
    bool ended = false;
    for (unsigned turns = 0; !ended; turns = rig_after(turns)) {
        struct probed p;
        open_all(&p, cases[2].rows, "right");
        start(&p);
        ended = rig_turn(&p.rig, turns, 2);
        op_cancel(&p.probe.op);
        op_cancel(&p.probe.op);
        rig_wait("cancelled", &p.rig, 2);
        EXPECT_TRUE("code", p.probe.op.err.code == ERR_OK ||
                                (!ended && p.probe.op.err.code == ERR_CANCELLED));
        close_all(&p);
    }
}

TEST(no_memory)
{
    for (uint64_t n = 1;; n++) {
        struct probed p;
        open_all(&p, cases[2].rows, "right");
        mem_fail_nth(n);
        start(&p);
        rig_wait("ended", &p.rig, 2);
        mem_fail_nth(0);
        enum err_code code = p.probe.op.err.code;
        bool whole = code == ERR_OK && buf_len(&p.probe.warnings) == 0;
        close_all(&p);
        if (whole)
            break;
        assert_true(n < 200);
    }
}

RUN_TESTS(T(what_is_there_must_be_shown), T(cancelled_at_every_turn), T(no_memory))

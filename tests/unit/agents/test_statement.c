/* SPDX-License-Identifier: MIT */
/* A program's own statement: past the guard to the database, refused, failed, without a database.
 */
#include "tests/unit/agents/graph_rig.h"

#define EXPECT_HAS(name, rig, piece)                                                               \
    do {                                                                                           \
        if (strstr((rig)->events, piece) == NULL)                                                  \
            fail_msg("%s: '%s' is not in: %s", name, piece, (rig)->events);                        \
    } while (0)

static const struct fake_answer answers[] = {
    {"slow", ERR_TIMEOUT, "it took longer than 30 s"},
    {"gone", ERR_UNAVAILABLE, "the database is not there"},
    {"employee", .column = "n", .value = 42, .row_count = 1},
};

static const struct {
    const char *name, *sql;
    const char *events; /* a piece of them */
    unsigned calls;     /* statements the database saw */
} cases[] = {
    {"passed", "SELECT COUNT(*) AS n FROM employee",
     "complete::\"sql\":\"SELECT COUNT(*) AS n FROM employee", 1},
    {"its rows", "SELECT COUNT(*) AS n FROM employee", "\"rows\":[[42]],\"row_count\":1", 1},
    {"no SELECT", "DELETE FROM employee", "error:sql_rejected:", 0},
    {"unknown column", "SELECT nonsense FROM employee",
     "error:sql_rejected:Column 'employee.nonsense'", 0},
    {"two", "SELECT 1; SELECT 2", "error:sql_rejected:", 0},
    {"too slow", "SELECT 'slow' AS s FROM employee", "error:sql_failed:it took longer than 30 s",
     1},
    {"no database", "SELECT 'gone' AS s FROM employee", "error:database_unavailable:", 1},
};

TEST(statements)
{
    TEST_EACH(c, cases) {
        struct graph_rig rig;
        graph_rig_init(&rig, NULL, 0, answers, countof(answers));
        graph_rig_go(&rig, "statement", c->sql);
        EXPECT_HAS(c->name, &rig, c->events);
        EXPECT_INT(c->name, rig.sql.calls, c->calls);
        EXPECT_INT(c->name, rig.llm.calls, 0);
        graph_rig_fini(&rig);
    }
}

TEST(cancelled_at_every_turn)
{
    bool completed = false;
    for (unsigned turns = 0; !completed; turns++) {
        struct graph_rig rig;
        graph_rig_init(&rig, NULL, 0, answers, countof(answers));
        graph_rig_make(&rig, "statement", "SELECT COUNT(*) AS n FROM employee", EVENT_DEBUG);
        run_start(rig.run);
        loop_turn(rig.loop, turns);
        completed = rig.ends == 1;
        run_cancel(rig.run, "cancelled", "somebody asked");
        assert_true(loop_run_dry(rig.loop, 100000));
        EXPECT_INT("ends", rig.ends, 1);
        graph_rig_collect(&rig);
        EXPECT_HAS("terminal", &rig, completed ? "complete:" : "error:cancelled:somebody asked");
        graph_rig_fini(&rig);
        assert_true(turns < 1000);
    }
}

RUN_TESTS(T(statements), T(cancelled_at_every_turn))

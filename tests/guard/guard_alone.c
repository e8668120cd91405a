/* SPDX-License-Identifier: MIT */
/* tests/guard/guard_alone.c - random statements of one company on two databases: one that holds two
 * companies' rows, and one that holds that company's alone. What is sent gives the same on both:
 * the same rows, or an error on both.
 *
 * The statements cast, divide, choose by CASE and call what fails on some values, in conditions,
 * joins, outputs and queries within queries; many of them fail on the other company's rows and on
 * no other. The seed is fixed, another may be tried by hand. */
#include "tests/guard/world.h"

#include "tests/guard/statement_maker.h"

enum { STATEMENTS = 2500, CASE_ARENA_BYTES = 32 << 20, DEEPEST = 3, ALIASES = 4 };

struct source { /* a table of the world, with a number and a text besides its id */
    const char *name, *number, *text;
};

static const struct source sources[] = {
    {"shipment", "depotId", "label"},
    {"shipment", "parentId", "status"},
    {"depot", "id", "name"},
    {"parcelEvent", "shipmentId", "what"},
    {"parcelScan", "eventId", "device"},
    {"shipmentLine", "quantity", "remark"},
    {"driver", "depotId", "name"},
    {"drive", "driverId", "route"},
    {"item", "id", "name"},
};

struct alone {
    struct maker maker;
    enum sql_dialect dialect;
    struct source in_scope[ALIASES]; /* a, b, c, d */
    size_t scope_count;
};

static void say(struct alone *a, const char *text)
{
    maker_say(&a->maker, text);
}

static size_t below(struct alone *a, size_t count)
{
    return maker_below(&a->maker, count);
}

static void say_quoted(struct alone *a, const char *name)
{
    const char *mark = a->dialect == SQL_MYSQL ? "`" : "\"";
    buf_printf(&a->maker.out, "%s%s%s", mark, name, mark);
}

/* One of the columns in scope. */
static void say_column(struct alone *a, bool number)
{
    size_t i = below(a, a->scope_count);
    const struct source *source = &a->in_scope[i];
    buf_printf(&a->maker.out, "%s.", maker_aliases[i]);
    if (number)
        say_quoted(a, below(a, 2) == 0 ? "id" : source->number);
    else
        say_quoted(a, source->text);
}

static void say_number(struct alone *a, unsigned depth);
static void say_condition(struct alone *a, unsigned depth);
static void say_query(struct alone *a, unsigned depth, bool one);

static void say_text(struct alone *a, unsigned depth)
{
    size_t form = below(a, depth == 0 ? 4 : 7);
    if (form < 3) {
        say_column(a, false);
    } else if (form == 3) {
        say(a, below(a, 2) == 0 ? "'A-1'" : "'CANARY-Z-1'");
    } else if (form == 4) {
        say(a, "lower(");
        say_text(a, depth - 1);
        say(a, ")");
    } else if (form == 5) {
        say(a, "CASE WHEN ");
        say_condition(a, depth - 1);
        say(a, " THEN ");
        say_text(a, depth - 1);
        say(a, " ELSE '7' END");
    } else {
        say(a, a->dialect == SQL_MYSQL ? "concat('x', " : "('x' || ");
        say_text(a, depth - 1);
        say(a, ")");
    }
}

/* What fails where the number in it is 0, or 1 in SQLite, which divides by nothing. */
static void say_failing(struct alone *a, unsigned depth)
{
    static const char *const begins[] = {[SQL_SQLITE] = "abs(-9223372036854775807 - (",
                                         [SQL_POSTGRES] = "(1 / (",
                                         [SQL_MYSQL] = "cot(("};
    bool zero = a->dialect != SQL_SQLITE;
    say(a, begins[a->dialect]);
    if (depth > 0 && below(a, 3) == 0) {
        say_number(a, depth - 1);
    } else {
        say(a, "CASE WHEN ");
        say_column(a, false);
        say(a, zero ? " LIKE 'CANARY%' THEN 0 ELSE 1 END" : " LIKE 'CANARY%' THEN 1 ELSE 0 END");
    }
    say(a, "))");
}

static void say_cast(struct alone *a, unsigned depth)
{
    say(a, "CAST(");
    say_text(a, depth);
    say(a, a->dialect == SQL_MYSQL ? " AS SIGNED)" : " AS integer)");
}

static void say_number(struct alone *a, unsigned depth)
{
    static const char *const operators[] = {" + ", " - ", " * ", " / "};
    size_t form = below(a, depth == 0 ? 4 : 11);
    if (form < 3) {
        say_column(a, true);
    } else if (form == 3) {
        buf_printf(&a->maker.out, "%zu", below(a, 9));
    } else if (form == 4) {
        say(a, "length(");
        say_text(a, depth - 1);
        say(a, ")");
    } else if (form < 7) {
        say(a, "(");
        say_number(a, depth - 1);
        say(a, maker_pick(&a->maker, operators, countof(operators)));
        say_number(a, depth - 1);
        say(a, ")");
    } else if (form == 7) {
        say_cast(a, depth - 1);
    } else if (form == 8) {
        say(a, "CASE WHEN ");
        say_condition(a, depth - 1);
        say(a, " THEN ");
        say_number(a, depth - 1);
        say(a, " ELSE 2 END");
    } else if (form == 9) {
        say_failing(a, depth);
    } else {
        say_query(a, depth - 1, true);
    }
}

static void say_comparison(struct alone *a, unsigned depth)
{
    static const char *const operators[] = {" = ", " <> ", " < ", " >= "};
    bool number = below(a, 2) == 0;
    if (number)
        say_number(a, depth);
    else
        say_text(a, depth);
    say(a, maker_pick(&a->maker, operators, countof(operators)));
    if (number)
        say_number(a, depth);
    else
        say_text(a, depth);
}

static void say_condition(struct alone *a, unsigned depth)
{
    size_t form = below(a, depth == 0 ? 5 : 11);
    if (form < 3) {
        say_comparison(a, depth == 0 ? 0 : depth - 1);
    } else if (form == 3) {
        say_column(a, true);
        say(a, below(a, 2) == 0 ? " IN (1, 3, 5, 6)" : " BETWEEN 2 AND 6");
    } else if (form == 4) {
        say_column(a, false);
        say(a, below(a, 2) == 0 ? " IS NOT NULL" : " LIKE 'CANARY-%'");
    } else if (form < 8) {
        say_failing(a, depth - 1);
        say(a, below(a, 2) == 0 ? " IS NOT NULL" : " <> 7");
    } else if (form == 8) {
        say(a, "NOT (");
        say_condition(a, depth - 1);
        say(a, ")");
    } else if (form == 9) {
        say(a, "(");
        say_condition(a, depth - 1);
        say(a, below(a, 2) == 0 ? " AND " : " OR ");
        say_condition(a, depth - 1);
        say(a, ")");
    } else {
        say_column(a, true);
        say(a, " IN ");
        say_query(a, depth - 1, true);
    }
}

static void say_source(struct alone *a, unsigned depth)
{
    struct source source = sources[below(a, countof(sources))];
    struct source outside[ALIASES];
    size_t outer = a->scope_count;
    if (depth > 0 && below(a, 3) == 0) {
        memcpy(outside, a->in_scope, sizeof outside);
        a->in_scope[0] = source;
        a->scope_count = 1;
        say(a, "(SELECT a.id, ");
        say_number(a, depth - 1);
        say(a, " AS n, ");
        say_text(a, depth - 1);
        say(a, " AS t FROM ");
        say_quoted(a, source.name);
        say(a, " a");
        if (below(a, 2) == 0) {
            say(a, " WHERE ");
            say_condition(a, depth - 1);
        }
        say(a, ")");
        memcpy(a->in_scope, outside, sizeof outside);
        source = (struct source){"", "n", "t"};
    } else {
        say_quoted(a, source.name);
    }
    buf_printf(&a->maker.out, " %s", maker_aliases[outer]);
    a->in_scope[outer] = source;
    a->scope_count = outer + 1;
}

static void say_from(struct alone *a, unsigned depth)
{
    say_source(a, depth);
    for (size_t joins = below(a, 3); joins > 0; joins--) {
        say(a, below(a, 3) == 0 ? " LEFT JOIN " : " JOIN ");
        say_source(a, depth);
        buf_printf(&a->maker.out, " ON %s.id = a.id", maker_aliases[a->scope_count - 1]);
        if (below(a, 2) == 0) {
            say(a, " AND ");
            say_condition(a, depth);
        }
    }
}

/* one: a query in parentheses that gives one row. The items stand first and are made last. */
static void say_query(struct alone *a, unsigned depth, bool one)
{
    struct source outside[ALIASES];
    size_t outer = a->scope_count;
    memcpy(outside, a->in_scope, sizeof outside);
    a->scope_count = 0;
    struct buf whole = a->maker.out;
    buf_init(&a->maker.out, MAKER_BYTES);
    say_from(a, depth);
    struct buf from = a->maker.out;
    a->maker.out = whole;
    bool groups = !one && below(a, 4) == 0;
    say(a, one ? "(SELECT max(" : "SELECT ");
    if (groups)
        say(a, "a.id, count(*)");
    else
        say_number(a, depth);
    if (one) {
        say(a, ")");
    } else if (!groups) {
        say(a, " AS x, ");
        say_text(a, depth);
        say(a, " AS y");
    }
    say(a, " FROM ");
    buf_push(&a->maker.out, buf_str(&from));
    buf_fini(&from);
    if (below(a, 4) != 0) {
        say(a, " WHERE ");
        say_condition(a, depth);
    }
    if (groups) {
        say(a, " GROUP BY a.id HAVING count(*) > 0");
        if (below(a, 2) == 0) {
            a->scope_count = 1;
            a->in_scope[0].number = a->in_scope[0].text = "id";
            say(a, " AND a.id / (a.id - 5) < 9");
        }
    }
    say(a, one ? ")" : "");
    memcpy(a->in_scope, outside, sizeof outside);
    a->scope_count = outer;
}

static void say_statement(struct alone *a)
{
    buf_clear(&a->maker.out);
    a->scope_count = 0;
    say_query(a, 1 + (unsigned)below(a, DEEPEST), false);
}

/* ---- */

struct tally {
    size_t accepted, ran, failed, rows;
};

static void judge_one(struct world *both, struct world *alone, struct str text, struct tally *tally)
{
    struct arena arena;
    struct sql_verdict verdict;
    arena_init(&arena, CASE_ARENA_BYTES);
    world_judge(both, STR("tenant"), text, &arena, &verdict);
    if (verdict.code == ERR_OK) {
        enum err_code code = world_run_accepted(both, verdict.sql, &arena);
        enum err_code want = world_run_accepted(alone, verdict.sql, &arena);
        tally->accepted++;
        tally->ran += code == ERR_OK;
        tally->failed += code != ERR_OK;
        tally->rows += both->query.result.row_count;
        if (world_shows_canary(both) && !world_shows_canary(alone))
            fail_msg("shows a canary: %.*s\n  as %.*s: %s", STR_ARG(text), STR_ARG(verdict.sql),
                     both->query.op.err.text);
        bool same = code == want && (code != ERR_OK || world_digest(both) == world_digest(alone));
        if (!same && code != ERR_TIMEOUT && want != ERR_TIMEOUT)
            fail_msg(
                "not as on the company's rows alone: %.*s\n  as %.*s\n  %s: %zu rows, not %s: %zu",
                STR_ARG(text), STR_ARG(verdict.sql), both->query.op.err.text,
                both->query.result.row_count, alone->query.op.err.text,
                alone->query.result.row_count);
    }
    arena_fini(&arena);
}

struct run {
    const char *engine;
    uint64_t seed;
};

static void others_make_no_difference(void **state)
{
    const struct run *run = *state;
    struct world both, alone;
    struct tally tally = {0};
    world_open(&both, run->engine, "guard_both");
    world_open_as(&alone, run->engine, "guard_alone", "alone");
    struct alone a = {.maker = {.state = run->seed}, .dialect = both.dialect};
    buf_init(&a.maker.out, MAKER_BYTES);
    for (size_t i = 0; i < STATEMENTS; i++) {
        say_statement(&a);
        judge_one(&both, &alone, buf_str(&a.maker.out), &tally);
    }
    print_message("%s: of %d statements %zu accepted, %zu ran, %zu failed, %zu rows\n", run->engine,
                  STATEMENTS, tally.accepted, tally.ran, tally.failed, tally.rows);
    EXPECT_TRUE("enough of them run", tally.ran > STATEMENTS / 5 && tally.rows > STATEMENTS / 5);
    EXPECT_TRUE("some of them fail", tally.failed > 0);
    buf_fini(&a.maker.out);
    world_close(&alone);
    world_close(&both);
}

/* guard_alone ENGINE [SEED] */
int main(int argc, char **argv)
{
    struct run run = {.engine = argc > 1 ? argv[1] : "sqlite",
                      .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261123};
    const struct CMUnitTest tests[] = {
        {.name = run.engine, .test_func = others_make_no_difference, .initial_state = &run}};
    return _cmocka_run_group_tests("guard_alone", tests, countof(tests), NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* tests/guard/guard_alone.c - statements on two databases that differ only in what the caller may
 * not see. What is sent gives the same on both: the same rows, or the same error.
 *
 * Beside the world with all rows stand one that holds the caller's company's alone, and one in
 * which all values that the policy "tenant_masks" hides are others. Two kinds of statements are
 * tried: attacks, the corpora corpus/<engine>_tenants.jsonl and _masks.jsonl; and random ones that
 * cast, divide, choose by CASE and call what fails on some values, in conditions, joins, outputs
 * and queries within queries. The seed is fixed. By hand another seed may be tried, and another
 * file of attacks; then what became of each is printed. */
#include "tests/guard/world.h"

#include "proto/json_value.h"

#include "tests/guard/statement_maker.h"

enum { STATEMENTS = 2500, CASE_ARENA_BYTES = 32 << 20, DEEPEST = 3, ALIASES = 4 };

/* The databases: their names differ in the last letter only. */
static const char BOTH[] = "guard_alone2", ALONE[] = "guard_alone1";

static const struct pair {
    const char *policy, *more, *attacks; /* more: what makes the second world another */
} pairs[] = {{"tenant", "alone", "tenants"}, {"tenant_masks", "remasked", "masks"}};

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

/* Whether two messages are the same but for the last letter of the database's name. */
static bool is_same_message(const char *one, const char *other)
{
    size_t length = strlen(BOTH) - 1;
    for (; *one != '\0' && *one == *other; one++, other++) {
        if (strncmp(one, BOTH, length) == 0 && strncmp(other, ALONE, length) == 0) {
            one += length;
            other += length;
        }
    }
    return *one == *other;
}

/* What both worlds give for text, under policy; false, with why, when they differ. */
static bool gives_the_same(struct world *both, struct world *alone, struct str policy,
                           struct str text, struct arena *arena, struct tally *tally,
                           const char **why)
{
    struct sql_verdict verdict;
    world_judge(both, policy, text, arena, &verdict);
    *why = verdict.rule;
    if (verdict.code != ERR_OK)
        return true;
    enum err_code code = world_run_accepted(both, verdict.sql, arena);
    enum err_code want = world_run_accepted(alone, verdict.sql, arena);
    const char *error = both->query.op.err.text;
    tally->accepted++;
    tally->ran += code == ERR_OK;
    tally->failed += code != ERR_OK;
    tally->rows += both->query.result.row_count;
    *why = arena_cstr(
        arena,
        arena_printf(arena, "%zu rows, not %zu; %s, not %s; as %.*s", both->query.result.row_count,
                     alone->query.result.row_count, code == ERR_OK ? "fine" : error,
                     want == ERR_OK ? "fine" : alone->query.op.err.text, STR_ARG(verdict.sql)));
    if (code == ERR_TIMEOUT || want == ERR_TIMEOUT)
        return true;
    if (code != want || (world_shows_canary(both) && !world_shows_canary(alone)))
        return false;
    return code == ERR_OK ? world_digest(both) == world_digest(alone)
                          : is_same_message(error, alone->query.op.err.text);
}

static void judge_one(struct world *both, struct world *alone, const char *policy, struct str text,
                      struct tally *tally)
{
    struct arena arena;
    const char *why;
    arena_init(&arena, CASE_ARENA_BYTES);
    if (!gives_the_same(both, alone, str_of(policy), text, &arena, tally, &why))
        fail_msg("what may not be seen makes a difference: %.*s\n  %s", STR_ARG(text), why);
    arena_fini(&arena);
}

struct run {
    const char *engine;
    uint64_t seed;
    const struct pair *pair;
    const char *attacks; /* another file of the corpus's form, in the folder of the guard's tests */
};

static void others_make_no_difference(void **state)
{
    const struct run *run = *state;
    struct world both, alone;
    struct tally tally = {0};
    world_open(&both, run->engine, BOTH);
    world_open_as(&alone, run->engine, ALONE, run->pair->more);
    struct alone a = {.maker = {.state = run->seed}, .dialect = both.dialect};
    buf_init(&a.maker.out, MAKER_BYTES);
    for (size_t i = 0; i < STATEMENTS; i++) {
        say_statement(&a);
        judge_one(&both, &alone, run->pair->policy, buf_str(&a.maker.out), &tally);
    }
    print_message("%s: of %d statements %zu accepted, %zu ran, %zu failed, %zu rows\n", run->engine,
                  STATEMENTS, tally.accepted, tally.ran, tally.failed, tally.rows);
    EXPECT_TRUE("enough of them run", tally.ran > STATEMENTS / 5 && tally.rows > STATEMENTS / 5);
    EXPECT_TRUE("some of them fail", tally.failed > 0);
    buf_fini(&a.maker.out);
    world_close(&alone);
    world_close(&both);
}

static struct str text_at(const struct json_value *line, const char *pointer)
{
    struct str text;
    struct err err = {0};
    if (json_value_str(line, pointer, &text, &err) != ERR_OK)
        fail_msg("%s", err.text);
    return text;
}

/* One line of attacks; whether it is as it should be. A line that "varies" has a clock or a die. */
static bool attack(struct world *both, struct world *alone, struct str text, bool prints,
                   struct tally *tally)
{
    struct arena arena;
    struct err err = {0};
    const char *why = "";
    arena_init(&arena, CASE_ARENA_BYTES);
    const struct json_value *line = json_value_parse(&arena, text, NULL, &err);
    if (line == NULL)
        fail_msg("%.*s: %s", STR_ARG(text), err.text);
    bool varies = json_value_member(line, STR("varies")) != NULL;
    struct str sql = text_at(line, "/sql");
    bool same = gives_the_same(both, alone, text_at(line, "/policy"), sql, &arena, tally, &why) ||
                (varies && !world_shows_canary(both));
    if (prints || !same)
        print_message("%s %.*s\n    %s\n", same ? " " : "!", STR_ARG(sql), why);
    arena_fini(&arena);
    return same;
}

static void attacks_make_no_difference(void **state)
{
    const struct run *run = *state;
    struct world both, alone;
    struct tally tally = {0};
    struct buf text;
    unsigned wrong = 0, count = 0;
    char path[128];
    snprintf(path, sizeof path, "corpus/%s_%s.jsonl", run->engine, run->pair->attacks);
    world_open(&both, run->engine, BOTH);
    world_open_as(&alone, run->engine, ALONE, run->pair->more);
    buf_init(&text, WORLD_FILE_BYTES);
    world_read(run->attacks == NULL ? path : run->attacks, &text);
    struct str rest = buf_str(&text);
    while (!str_is_absent(rest)) {
        struct str at = str_trim(str_split(&rest, '\n'));
        count += at.len != 0;
        wrong += at.len != 0 && !attack(&both, &alone, at, run->attacks != NULL, &tally);
    }
    print_message("%s: of %u attacks %zu accepted, %zu ran, %zu failed\n", run->engine, count,
                  tally.accepted, tally.ran, tally.failed);
    buf_fini(&text);
    world_close(&alone);
    world_close(&both);
    EXPECT_INT("attacks that tell", wrong, 0);
    EXPECT_TRUE("some of them run", tally.ran > 0);
}

/* guard_alone ENGINE [SEED [PAIR [FILE]]] */
int main(int argc, char **argv)
{
    struct run runs[countof(pairs)];
    struct CMUnitTest tests[2 * countof(pairs)];
    size_t count = 0;
    for (size_t i = 0; i < countof(pairs); i++) {
        runs[i] = (struct run){.engine = argc > 1 ? argv[1] : "sqlite",
                               .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261123,
                               .pair = &pairs[i],
                               .attacks = argc > 4 ? argv[4] : NULL};
        if (argc > 3 && strcmp(argv[3], pairs[i].attacks) != 0)
            continue;
        tests[count++] = (struct CMUnitTest){.name = pairs[i].attacks,
                                             .test_func = attacks_make_no_difference,
                                             .initial_state = &runs[i]};
        if (argc <= 4)
            tests[count++] = (struct CMUnitTest){.name = pairs[i].policy,
                                                 .test_func = others_make_no_difference,
                                                 .initial_state = &runs[i]};
    }
    return _cmocka_run_group_tests("guard_alone", tests, count, NULL, NULL);
}

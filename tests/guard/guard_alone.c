/* SPDX-License-Identifier: MIT */
/* tests/guard/guard_alone.c - statements on two databases that differ only in what the caller may
 * not see. What is sent gives the same on both: the same rows, or the same error.
 *
 * Beside the world with all rows stand one that holds the caller's company's alone, and one in
 * which all values that the policy "tenant_masks" hides are others. Two kinds of statements are
 * tried: attacks, the corpora corpus/<engine>_tenants.jsonl and _masks.jsonl; and random ones
 * (failing_maker.h). The seed is fixed. By hand another seed may be tried, and another
 * file of attacks; then what became of each is printed. */
#include "tests/guard/world.h"

#include "proto/json_value.h"

#include "tests/guard/failing_maker.h"

enum { STATEMENTS = 2500, CASE_ARENA_BYTES = 32 << 20 };

/* The databases: their names differ in the last letter only. */
static const char BOTH[] = "guard_alone2", ALONE[] = "guard_alone1";

static const struct pair {
    const char *policy, *more, *attacks; /* more: what makes the second world another */
} pairs[] = {{"tenant", "alone", "tenants"}, {"tenant_masks", "remasked", "masks"}};

struct tally {
    size_t accepted, ran, failed, rows;
};

/* Behind the name of a column, as MariaDB writes it: `a`.`b`. */
static const char *skip_name(const char *at)
{
    while (*at == '`') {
        const char *end = strchr(at + 1, '`');
        if (end == NULL)
            return at + strlen(at);
        at = end[1] == '.' && end[2] == '`' ? end + 2 : end + 1;
    }
    return at;
}

/* Whether two messages are the same but for the last letter of the database's name, and for names
 * of columns in an expression that MariaDB quotes: of those that a join makes equal it writes the
 * one that its plan reads, which goes by the sizes of tables. */
static bool is_same_message(const char *one, const char *other)
{
    size_t length = strlen(BOTH) - 1;
    for (;;) {
        if (*one == '`' && *other == '`') {
            one = skip_name(one);
            other = skip_name(other);
        } else if (strncmp(one, BOTH, length) == 0 && strncmp(other, ALONE, length) == 0) {
            one += length + 1;
            other += length + 1;
        } else if (*one != *other || *one == '\0') {
            return *one == *other;
        } else {
            one++;
            other++;
        }
    }
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

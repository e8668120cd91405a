/* SPDX-License-Identifier: MIT */
/* tests/guard/guard_corpus.c - each line of a dialect's corpus is judged, and what is accepted runs
 * on the real engine.
 *
 * <dialect>_honest.jsonl: accepted, runs, shows no canary; "rows": how many come, when said. Gives
 *   what it gives without the guard, unless it "varies".
 * <dialect>_hostile.jsonl: refused, under "rule" or one of "rules" when said; where the rule is
 *   "second_opinion", by the engine that holds the list of reads against what it compiles.
 * <dialect>_either.jsonl, <dialect>_tenants.jsonl: refused, or accepted without showing a canary.
 * <dialect>_masks.jsonl: the same; guard_alone holds it against a world of other values.
 * <dialect>_limits.jsonl, <dialect>_rewrites.jsonl: accepted, and gives exactly "rows" rows.
 * All wrong lines are printed before the test fails. Nothing may change in the database. */
#include "tests/guard/world.h"

#include "proto/json_value.h"

enum { CASE_ARENA_BYTES = 32 << 20, LINES_AT_LEAST = 300 };

struct line {
    const char *file;
    size_t number;
    struct str policy, sql, id;
    const struct json_value *value;
};

/* Says what is wrong with the line; NULL when nothing is. Text in arena or static. */
typedef const char *judge_fn(struct world *world, const struct line *line, struct arena *arena);

static const char *text_of(struct arena *arena, const char *what, struct str more)
{
    char *text = arena_cstr(arena, arena_printf(arena, "%s: %.*s", what, STR_ARG(more)));
    return text == NULL ? what : text;
}

static void judge(struct world *world, const struct line *line, struct arena *arena,
                  struct sql_verdict *verdict)
{
    world_judge(world, line->policy, line->sql, arena, verdict);
    if (verdict->code != ERR_OK && verdict->code != ERR_REJECTED)
        fail_msg("%s:%zu: %s", line->file, line->number, verdict->err.text);
    if (verdict->code == ERR_REJECTED && (!str_is_absent(verdict->sql) || verdict->rule[0] == '\0'))
        fail_msg("%s:%zu: a refusal without a rule, or with a statement", line->file, line->number);
}

/* Accept, run, count. */
static const char *want_rows(struct world *world, const struct line *line, bool must_say,
                             struct arena *arena)
{
    const struct json_value *rows = json_value_member(line->value, STR("rows"));
    struct sql_verdict verdict;
    judge(world, line, arena, &verdict);
    if (verdict.code != ERR_OK)
        return text_of(arena, verdict.rule, str_of(verdict.err.text));
    if (world_run_accepted(world, verdict.sql, arena) != ERR_OK)
        return text_of(arena, world->query.op.err.text, verdict.sql);
    if (world_shows_canary(world))
        return text_of(arena, "it shows a canary", verdict.sql);
    size_t got = world->query.result.row_count;
    if (rows == NULL ? must_say : rows->type != JSON_INT || (size_t)rows->integer != got)
        return text_of(arena, "other rows",
                       arena_printf(arena, "%zu by %.*s", got, STR_ARG(verdict.sql)));
    return NULL;
}

/* Where nothing is hidden behind other rows or columns, the answer is the statement's own. A clock,
 * a die, or more rows than the guard lets through may make a difference. */
static const char *judge_honest(struct world *world, const struct line *line, struct arena *arena)
{
    static const char *const own[] = {"counter", "desk", "analyst"};
    const char *wrong = want_rows(world, line, false, arena);
    bool compares = false;
    for (size_t i = 0; i < countof(own); i++)
        compares = compares || str_equal(line->policy, str_of(own[i]));
    if (wrong != NULL || !compares || json_value_member(line->value, STR("varies")) != NULL)
        return wrong;
    size_t rows = world->query.result.row_count, columns = world->query.result.column_count;
    uint64_t guarded = world_digest(world);
    if (world_run(world, line->sql, NULL) != ERR_OK)
        return NULL;
    bool narrowed = world->query.result.column_count != columns;
    if (narrowed || rows >= 100 || world_digest(world) == guarded)
        return NULL;
    return text_of(arena, "another answer than without the guard",
                   arena_printf(arena, "%zu rows, not %zu", rows, world->query.result.row_count));
}

static const char *judge_limits(struct world *world, const struct line *line, struct arena *arena)
{
    return want_rows(world, line, true, arena);
}

static bool is_rule(const struct json_value *line, const char *rule)
{
    const struct json_value *one = json_value_member(line, STR("rule"));
    const struct json_value *many = json_value_member(line, STR("rules"));
    if (one == NULL && many == NULL)
        return true;
    if (one != NULL && str_equal(one->text, str_of(rule)))
        return true;
    if (many == NULL)
        return false;
    JSON_EACH(item, many) {
        if (str_equal(item->text, str_of(rule)))
            return true;
    }
    return false;
}

static const char *judge_hostile(struct world *world, const struct line *line, struct arena *arena)
{
    struct sql_verdict verdict;
    judge(world, line, arena, &verdict);
    if (verdict.code == ERR_OK && json_value_member(line->value, STR("rule")) != NULL &&
        is_rule(line->value, "second_opinion") &&
        world_run_accepted(world, verdict.sql, arena) == ERR_REJECTED)
        return NULL;
    if (verdict.code == ERR_OK)
        return text_of(arena, "accepted", verdict.sql);
    if (!is_rule(line->value, verdict.rule))
        return text_of(arena, verdict.rule, str_of(verdict.err.text));
    return NULL;
}

static const char *judge_either(struct world *world, const struct line *line, struct arena *arena)
{
    struct sql_verdict verdict;
    judge(world, line, arena, &verdict);
    if (verdict.code != ERR_OK)
        return NULL;
    if (world_run_accepted(world, verdict.sql, arena) != ERR_OK &&
        world->query.op.err.code != ERR_REJECTED && world->query.op.err.code != ERR_TIMEOUT)
        return text_of(arena, world->query.op.err.text, verdict.sql);
    return world_shows_canary(world) ? text_of(arena, "it shows a canary", verdict.sql) : NULL;
}

/* How many rows there are; a guard that lets a writer through must not go unnoticed. */
static int64_t fingerprint(struct world *world)
{
    static const char *const tables[] = {"members",    "savings",  "movements", "offices",
                                         "api_tokens", "reading",  "client",    "technician",
                                         "item",       "shipment", "depot"};
    int64_t sum = 0;
    for (size_t i = 0; i < countof(tables); i++) {
        char sql[64];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
        EXPECT_INT(tables[i], world_run(world, str_of(sql), NULL), ERR_OK);
        sum = sum * 7 + sql_result_at(&world->query.result, 0, 0)->integer;
    }
    return sum;
}

static const char *judge_line(struct world *world, struct line *line, struct str text,
                              judge_fn *judge_one, struct arena *arena)
{
    struct err err = {0};
    line->value = json_value_parse(arena, text, NULL, &err);
    if (line->value == NULL)
        fail_msg("%s:%zu: %s", line->file, line->number, err.text);
    if (json_value_str(line->value, "/policy", &line->policy, &err) != ERR_OK ||
        json_value_str(line->value, "/sql", &line->sql, &err) != ERR_OK)
        fail_msg("%s:%zu: %s", line->file, line->number, err.text);
    return judge_one(world, line, arena);
}

/* Every line of corpus/<engine>_<kind>.jsonl; how many there were into *count. */
static unsigned judge_file(struct world *world, const char *kind, judge_fn *judge_one,
                           size_t *count)
{
    char path[128];
    struct buf text;
    struct arena arena;
    unsigned wrong = 0;
    struct line line = {.file = path};
    snprintf(path, sizeof path, "corpus/%s_%s.jsonl", world->engine, kind);
    buf_init(&text, WORLD_FILE_BYTES);
    arena_init(&arena, CASE_ARENA_BYTES);
    world_read(path, &text);
    struct str rest = buf_str(&text);
    while (!str_is_absent(rest)) {
        struct str at = str_trim(str_split(&rest, '\n'));
        line.number++;
        if (at.len == 0)
            continue;
        ++*count;
        const char *bad = judge_line(world, &line, at, judge_one, &arena);
        if (bad != NULL) {
            print_error("%s:%zu: %.*s\n    %s\n", path, line.number, STR_ARG(line.sql), bad);
            wrong++;
        }
        arena_fini(&arena);
    }
    arena_fini(&arena);
    buf_fini(&text);
    return wrong;
}

static const struct kind {
    const char *name;
    judge_fn *judge_one;
    size_t at_least;
} kinds[] = {
    {"honest", judge_honest, LINES_AT_LEAST},
    {"hostile", judge_hostile, LINES_AT_LEAST},
    {"either", judge_either, 1},
    {"limits", judge_limits, 1},
    {"rewrites", judge_limits, 1},
    {"tenants", judge_either, 1},
    {"masks", judge_either, 1},
};

struct run {
    const char *engine;
    const struct kind *kind;
};

static void judge_all(void **state)
{
    const struct run *run = *state;
    struct world world;
    size_t count = 0;
    world_open(&world, run->engine, "guard_world");
    int64_t before = fingerprint(&world);
    unsigned wrong = judge_file(&world, run->kind->name, run->kind->judge_one, &count);
    EXPECT_INT("rows before and after", fingerprint(&world), before);
    world_close(&world);
    EXPECT_INT("wrong lines", wrong, 0);
    EXPECT_TRUE("as many lines as there should be", count >= run->kind->at_least);
}

/* guard_corpus ENGINE KIND... */
int main(int argc, char **argv)
{
    struct CMUnitTest tests[countof(kinds)];
    struct run runs[countof(kinds)];
    size_t count = 0;
    for (int i = 2; i < argc && count < countof(kinds); i++) {
        size_t kind = 0;
        while (kind < countof(kinds) && strcmp(kinds[kind].name, argv[i]) != 0)
            kind++;
        if (kind == countof(kinds))
            return 2;
        runs[count] = (struct run){argv[1], &kinds[kind]};
        tests[count] = (struct CMUnitTest){
            .name = argv[i], .test_func = judge_all, .initial_state = &runs[count]};
        count++;
    }
    if (count == 0)
        return 2;
    return _cmocka_run_group_tests(argv[1], tests, count, NULL, NULL);
}

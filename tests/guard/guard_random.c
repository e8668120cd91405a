/* SPDX-License-Identifier: MIT */
/* tests/guard/guard_random.c - random statements over two companies' tables: whatever the guard
 * accepts shows nothing of the other company, and no hidden column, on the real engine.
 *
 * The seed is fixed, another may be tried by hand; a failure prints the statement and what was
 * sent. */
#include "tests/guard/world.h"

#include "tests/guard/statement_maker.h"

enum { STATEMENTS = 6000, CASE_ARENA_BYTES = 32 << 20 };

static const char *const tables[] = {
    "shipment",    "shipment",         "depot",      "shipmentLine", "legacyPing",  "deviceLease",
    "item",        "shipmentOverview", "depotNames", "shipment",     "depot",       "w",
    "parcelEvent", "parcelScan",       "shelf",      "shelfItem",    "crew",        "crewMember",
    "tariff",      "driver",           "drive",      "company",      "parcelEvent", "parcelScan"};
static const char *const names[] = {
    "id",      "id",         "id",     "companyId", "label",   "name",       "status", "remark",
    "depotId", "shipmentId", "itemId", "note",      "city",    "courierKey", "what",   "device",
    "zone",    "bin",        "nick",   "route",     "eventId", "driverId",   "licence"};
static const char *const joins[] = {
    " JOIN ",         " LEFT JOIN ",         " RIGHT JOIN ", " JOIN ",
    " NATURAL JOIN ", " NATURAL LEFT JOIN ", " CROSS JOIN ", ", "};

struct tally {
    size_t accepted, ran, rows;
};

static void judge_one(struct world *world, struct str text, struct tally *tally)
{
    struct arena arena;
    struct sql_verdict verdict;
    arena_init(&arena, CASE_ARENA_BYTES);
    world_judge(world, STR("tenant"), text, &arena, &verdict);
    if (verdict.code == ERR_OK) {
        tally->accepted++;
        enum err_code code = world_run_accepted(world, verdict.sql, &arena);
        tally->ran += code == ERR_OK;
        tally->rows += world->query.result.row_count;
        if (world_shows_canary(world))
            fail_msg("shows a canary: %.*s\n  as %.*s", STR_ARG(text), STR_ARG(verdict.sql));
        if (code != ERR_OK && code != ERR_REJECTED && code != ERR_TIMEOUT)
            fail_msg("%s: %.*s", world->query.op.err.text, STR_ARG(text));
    }
    arena_fini(&arena);
}

struct run {
    const char *engine;
    uint64_t seed;
};

static void nothing_crosses(void **state)
{
    const struct run *run = *state;
    struct world world;
    struct tally tally = {0};
    world_open(&world, run->engine, "guard_random");
    const struct maker_words words = {.dialect = world.dialect,
                                      .tables = tables,
                                      .table_count = countof(tables),
                                      .names = names,
                                      .name_count = countof(names),
                                      .joins = joins,
                                      .join_count = countof(joins),
                                      .plain_joins = 4,
                                      .set_operations = true};
    struct maker maker = {.words = &words, .state = run->seed};
    buf_init(&maker.out, MAKER_BYTES);
    for (size_t i = 0; i < STATEMENTS; i++) {
        maker_next(&maker);
        judge_one(&world, buf_str(&maker.out), &tally);
    }
    print_message("%zu accepted, %zu ran, %zu rows\n", tally.accepted, tally.ran, tally.rows);
    buf_fini(&maker.out);
    world_close(&world);
    EXPECT_TRUE("enough are accepted, run and give rows to mean something",
                tally.accepted > STATEMENTS / 40 && tally.ran > STATEMENTS / 80 &&
                    tally.rows > STATEMENTS / 40);
}

/* guard_random ENGINE [SEED] */
int main(int argc, char **argv)
{
    struct run run = {argc > 1 ? argv[1] : "sqlite", 88172645463325252U};
    if (argc > 2 && !str_to_u64(str_of(argv[2]), &run.seed))
        return 2;
    const struct CMUnitTest all[] = {cmocka_unit_test_prestate(nothing_crosses, &run)};
    return cmocka_run_group_tests_name(run.engine, all, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Thousands of made-up graphs with failures, retries, budgets, background nodes and sub-graphs,
 * held, let go, cancelled and starved of memory at made-up moments. Whatever happens: one end, one
 * terminal event, ids without gaps, an empty loop. */
#include "tests/unit/core/walk_made.h"

enum { SEEDS = 3000, STEPS = 120 };

static void poke(struct walk_rig *rig, uint32_t *seed)
{
    switch (walk_made_random(seed, 30)) {
    case 0:
        run_hold(rig->run);
        break;
    case 1:
    case 2:
        run_go(rig->run);
        break;
    case 3:
        if (walk_made_random(seed, 10) == 0)
            run_cancel(rig->run, "cancelled", "enough");
        break;
    case 4:
        if (walk_made_random(seed, 10) == 0)
            mem_fail_nth(1 + walk_made_random(seed, 5));
        break;
    default:
        break;
    }
    loop_advance(rig->base.loop, walk_made_random(seed, 4));
    loop_turn(rig->base.loop, 1);
}

static void check_events(struct walk_rig *rig, uint32_t seed)
{
    struct event event = {0};
    uint64_t count = 0;
    while (event_log_after(run_log(rig->run), event.id, &event) == ERR_OK) {
        EXPECT_INT("id", event.id, ++count);
        if (event_is_terminal(event.kind) != (count == event_log_last_id(run_log(rig->run))))
            fail_msg("seed %u: event %llu of %llu is %s", seed, (unsigned long long)count,
                     (unsigned long long)event_log_last_id(run_log(rig->run)),
                     event_name(event.kind));
    }
}

TEST(whatever_happens_there_is_one_end)
{
    unsigned complete = 0;
    for (uint32_t first = 0; first < SEEDS; first++) {
        uint32_t seed = first * 2654435761u;
        struct walk_rig rig;
        static struct walk_made made;
        walk_made_graph(&made, &seed, false);
        walk_rig_init(&rig, &made.def);
        struct run_options options = walk_rig_options(&rig);
        options.detail = (enum event_level)walk_made_random(&seed, 3);
        options.limits.arena_bytes = walk_made_random(&seed, 8) == 0 ? 9000 : 1 << 20;
        options.limits.deadline_ms = walk_made_random(&seed, 8) == 0 ? 30 : 0;
        walk_rig_start(&rig, &options);
        for (unsigned step = 0; step < STEPS && rig.end_count == 0; step++)
            poke(&rig, &seed);
        mem_fail_nth(0);
        run_go(rig.run);
        loop_rig_dry(&rig.base);
        check_events(&rig, first);
        struct str code, message;
        complete += run_result(rig.run, &code, &message) == ERR_OK;
        walk_rig_fini(&rig, "made");
    }
    EXPECT_TRUE("both ends were seen", complete > SEEDS / 10 && complete < SEEDS);
}

RUN_TESTS(T(whatever_happens_there_is_one_end))

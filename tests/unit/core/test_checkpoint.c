/* SPDX-License-Identifier: MIT */
/* Checkpoints: a run that is given up anywhere and restored elsewhere ends as one that was not;
 * what is damaged is passed over; a person's answer reaches the node that asked. */
#include "core/run/checkpoint.h"

#include "tests/unit/core/walk_made.h"

enum { MOST_KEPT = 200, SEEDS = 400, PICKS = 3, KEPT_BYTES = 1 << 20 };

/* Checkpoints as a store has them, and what the run had said by each. */
struct kept {
    struct buf bytes[MOST_KEPT];
    struct checkpoint_kept list[MOST_KEPT];
    uint64_t said[MOST_KEPT];
    unsigned deeds[MOST_KEPT]; /* that were done by each */
    size_t count;
};

static unsigned deeds;
static const struct slot three_slots[] = RIG_SLOTS(3);

struct rig {
    struct walk_rig walk; /* first: the run's owner */
    struct kept *kept;
    bool at_once; /* written as each superstep begins */
};

static bool all_are_full; /* checkpoints, whatever was written before */

static void take(struct rig *rig)
{
    struct kept *kept = rig->kept;
    uint64_t step;
    if (kept == NULL || kept->count == MOST_KEPT || !checkpoint_is_due(rig->walk.run))
        return;
    struct buf *out = &kept->bytes[kept->count];
    struct checkpoint_kept *item = &kept->list[kept->count];
    buf_init(out, KEPT_BYTES);
    if (all_are_full)
        checkpoint_forget(rig->walk.run);
    assert_true(checkpoint_write(rig->walk.run, out, &step, &item->is_full));
    item->bytes = buf_str(out);
    kept->deeds[kept->count] = deeds;
    kept->said[kept->count++] = event_log_last_id(run_log(rig->walk.run));
}

static void on_step(struct run *run)
{
    struct rig *rig = run_owner(run);
    if (rig->at_once)
        take(rig);
}

static void drop_kept(struct kept *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        buf_fini(&kept->bytes[i]);
    kept->count = 0;
}

static void init(struct rig *rig, const struct graph_def *def, struct kept *kept, bool at_once)
{
    *rig = (struct rig){0};
    walk_rig_init(&rig->walk, def);
    rig->kept = kept;
    rig->at_once = at_once;
}

static void make(struct rig *rig, enum event_level detail)
{
    struct run_options options = walk_rig_options(&rig->walk);
    options.detail = detail;
    options.on_step = on_step;
    rig->walk.run = run_create(&options);
    assert_non_null(rig->walk.run);
}

static void start_anew(struct rig *rig, const struct graph_def *def, struct kept *kept,
                       bool at_once, enum event_level detail)
{
    init(rig, def, kept, at_once);
    make(rig, detail);
    update_put_str(run_input(rig->walk.run), INPUT, STR("question"));
    run_start(rig->walk.run);
}

/* Say again what the first run had said up to id, then be where the checkpoints say. */
static void restore(struct rig *rig, const struct rig *first, const struct kept *kept, size_t count,
                    uint64_t id)
{
    struct event event = {0};
    struct err err = {0};
    size_t used;
    while (event.id < id && event_log_after(run_log(first->walk.run), event.id, &event) == ERR_OK)
        assert_true(checkpoint_replay(rig->walk.run, &event));
    if (checkpoint_restore(rig->walk.run, kept->list, count, id, &used, &err) != ERR_OK)
        fail_msg("%zu checkpoints: %s", count, err.text);
    EXPECT_INT("all were read", used, count);
}

static void expect_same_end(const char *name, const struct run *got, const struct run *want)
{
    const struct state *is = run_state(got), *was = run_state(want);
    struct str code, message, wanted;
    EXPECT_INT(name, run_result(got, &code, &message), run_result(want, &wanted, &message));
    EXPECT_STR(name, code, wanted);
    EXPECT_INT(name, state_list_count(is, TRACE), state_list_count(was, TRACE));
    for (size_t i = 0; i < state_list_count(was, TRACE); i++)
        EXPECT_STR(name, state_list_item(is, TRACE, i), state_list_item(was, TRACE, i));
    EXPECT_INT(name, state_int(is, SUM), state_int(was, SUM));
    EXPECT_INT(name, state_int(is, RETRIES), state_int(was, RETRIES));
    EXPECT_STR(name, state_str(is, INPUT), state_str(was, INPUT));
    EXPECT_STR(name, state_str(is, ERROR), state_str(was, ERROR));
    EXPECT_STR(name, state_str(is, REASON), state_str(was, REASON));
}

/* Without how long nodes took. */
static const char *timeless(struct rig *rig)
{
    static char lines[sizeof rig->walk.said];
    struct str rest = str_of(walk_rig_transcript(&rig->walk));
    size_t len = 0;
    while (rest.len > 0) {
        struct str line = str_split(&rest, '\n'), words = line;
        struct str kind = str_split(&words, ' '), name = str_split(&words, ' ');
        if (str_ends_with(kind, STR("_end")))
            line = str_slice(line, 0, kind.len + 1 + name.len);
        len += (size_t)snprintf(lines + len, sizeof lines - len, "%.*s\n", STR_ARG(line));
    }
    return lines;
}

/* ---- given up as a superstep begins: nothing shows it ---- */

static const char *const hello[] = {"hel", "lo", NULL};
static const struct script talking = {.step_ms = 2, .tokens = hello};
static const struct graph_node talk_nodes[] = {
    {"before", &scripted, &talking},
    {"inner", .sub = &looping, .in = pass_in, .in_count = countof(pass_in), .out = pass_out,
     .out_count = countof(pass_out), .tool = true},
};
static const struct graph_def talk = {.name = "talk",
                                      .nodes = talk_nodes,
                                      .node_count = countof(talk_nodes),
                                      .edges = outer_edges,
                                      .edge_count = countof(outer_edges),
                                      .schema = {two_slots, SLOT_COUNT}};

TEST(a_run_goes_on_after_any_superstep)
{
    static const struct {
        const char *name;
        const struct graph_def *def;
        size_t steps;
    } cases[] = {
        {"diamond", &diamond, 3},
        {"on a budget", &looping, 6},
        {"around another", &outer, 5},
        {"talking, around a budget", &talk, 8},
    };
    TEST_EACH(c, cases) {
        static struct kept kept;
        struct rig first;
        start_anew(&first, c->def, &kept, true, EVENT_DEBUG);
        loop_rig_dry(&first.walk.base);
        EXPECT_INT(c->name, kept.count, c->steps);
        char want[sizeof first.walk.said];
        memcpy(want, timeless(&first), sizeof want);
        for (size_t n = 1; n <= kept.count; n++) {
            struct rig again;
            init(&again, c->def, NULL, false);
            make(&again, EVENT_DEBUG);
            restore(&again, &first, &kept, n, kept.said[n - 1]);
            run_start(again.walk.run);
            loop_rig_dry(&again.walk.base);
            assert_string_equal(timeless(&again), want);
            expect_same_end(c->name, again.walk.run, first.walk.run);
            walk_rig_fini(&again.walk, c->name);
        }
        walk_rig_fini(&first.walk, c->name);
        drop_kept(&kept);
    }
}

/* ---- given up at any time: the end is the same ---- */

static void run_on(struct rig *rig, uint32_t *seed)
{
    for (unsigned turn = 0; turn < 2000 && rig->walk.end_count == 0; turn++) {
        loop_advance(rig->walk.base.loop, walk_made_random(seed, 3));
        loop_turn(rig->walk.base.loop, 1);
        if (walk_made_random(seed, 3) == 0)
            take(rig);
    }
    loop_rig_dry(&rig->walk.base);
}

/* What restored runs write leads on, too. */
static void go_on_from(struct rig *first, const struct graph_def *def, const struct kept *kept,
                       size_t n, uint32_t *seed)
{
    static struct kept more;
    struct rig again, third;
    init(&again, def, &more, false);
    make(&again, EVENT_CORE);
    restore(&again, first, kept, n, kept->said[n - 1]);
    run_start(again.walk.run);
    run_on(&again, seed);
    expect_same_end("restored", again.walk.run, first->walk.run);
    if (more.count > 0) {
        init(&third, def, NULL, false);
        make(&third, EVENT_CORE);
        restore(&third, &again, &more, more.count, more.said[more.count - 1]);
        run_start(third.walk.run);
        loop_rig_dry(&third.walk.base);
        expect_same_end("restored twice", third.walk.run, first->walk.run);
        walk_rig_fini(&third.walk, "restored twice");
    }
    walk_rig_fini(&again.walk, "restored");
    drop_kept(&more);
}

TEST(a_run_ends_as_if_it_had_not_been_given_up)
{
    unsigned restored = 0;
    for (uint32_t n = 0; n < SEEDS; n++) {
        static struct walk_made made;
        static struct kept kept;
        uint32_t seed = n * 2654435761u;
        struct rig first;
        all_are_full = n % 2 == 1;
        walk_made_graph(&made, &seed, true);
        start_anew(&first, &made.def, &kept, walk_made_random(&seed, 2) == 0, EVENT_CORE);
        run_on(&first, &seed);
        for (unsigned pick = 0; pick < PICKS && kept.count > 0; pick++, restored++)
            go_on_from(&first, &made.def, &kept, 1 + walk_made_random(&seed, (uint32_t)kept.count),
                       &seed);
        walk_rig_fini(&first.walk, "made");
        drop_kept(&kept);
    }
    all_are_full = false;
    EXPECT_TRUE("many were", restored > SEEDS);
}

/* What a node in the background put counts once its superstep ends: until then it is not over. */
TEST(what_ended_in_the_background_is_not_lost)
{
    static const struct graph_edge edges[] = {
        {GRAPH_START, 0}, {GRAPH_START, 2}, {0, 1}, {1, GRAPH_END}, {2, GRAPH_END}};
    const struct graph_node nodes[] = {
        {"before", &scripted},
        outer_nodes[1],
        {"aside", &scripted, &quick, .background = true},
    };
    struct graph_def def = outer;
    def.nodes = nodes;
    def.node_count = countof(nodes);
    def.edges = edges;
    def.edge_count = countof(edges);
    def.schema.slots = three_slots;
    for (unsigned i = 0; i < 2; i++) {
        static struct kept kept;
        struct rig first;
        all_are_full = i == 1;
        start_anew(&first, &def, &kept, true, EVENT_CORE);
        loop_rig_dry(&first.walk.base);
        EXPECT_INT("supersteps", kept.count, 5);
        for (size_t n = 1; n <= kept.count; n++) {
            struct rig again;
            init(&again, &def, NULL, false);
            make(&again, EVENT_CORE);
            restore(&again, &first, &kept, n, kept.said[n - 1]);
            run_start(again.walk.run);
            loop_rig_dry(&again.walk.base);
            expect_same_end("aside", again.walk.run, first.walk.run);
            walk_rig_fini(&again.walk, "again");
        }
        walk_rig_fini(&first.walk, "first");
        drop_kept(&kept);
    }
    all_are_full = false;
}

/* Whatever is in the background: there is one end. */
TEST(any_graph_comes_to_its_end)
{
    for (uint32_t n = 0; n < SEEDS; n++) {
        static struct walk_made made;
        static struct kept kept;
        uint32_t seed = n * 2246822519u;
        struct rig first, again;
        walk_made_graph(&made, &seed, false);
        start_anew(&first, &made.def, &kept, false, EVENT_DEBUG);
        run_on(&first, &seed);
        if (kept.count > 0) {
            size_t count = 1 + walk_made_random(&seed, (uint32_t)kept.count);
            init(&again, &made.def, NULL, false);
            make(&again, EVENT_CORE);
            restore(&again, &first, &kept, count,
                    size_min(kept.said[count - 1], event_log_last_id(run_log(first.walk.run)) - 1));
            run_start(again.walk.run);
            loop_rig_dry(&again.walk.base);
            walk_rig_fini(&again.walk, "made");
        }
        walk_rig_fini(&first.walk, "made");
        drop_kept(&kept);
    }
}

/* ---- what was said before ---- */

TEST(a_node_that_had_spoken_says_so)
{
    static struct kept kept;
    struct rig first, again;
    start_anew(&first, &talk, &kept, true, EVENT_CORE);
    loop_turn(first.walk.base.loop, 2);
    loop_advance(first.walk.base.loop, 2);
    loop_turn(first.walk.base.loop, 2);
    EXPECT_INT("route and half a word", event_log_last_id(run_log(first.walk.run)), 2);
    init(&again, &talk, NULL, false);
    make(&again, EVENT_CORE);
    restore(&again, &first, &kept, 1, 2);
    assert_true(checkpoint_take_over(again.walk.run, 2));
    run_start(again.walk.run);
    loop_rig_dry(&again.walk.base);
    assert_string_equal(walk_rig_transcript(&again.walk),
                        "route_decision talk\ntoken final hel 1\ntoken final + reset 2\n"
                        "token final hel 2\n"
                        "token final lo 2\ntool_start inner\ncomplete\n");
    walk_rig_fini(&again.walk, "again");
    walk_rig_fini(&first.walk, "first");
    drop_kept(&kept);
}

/* What a graph in the background has come to meanwhile makes none of its text stand. */
TEST(a_graph_in_the_background_leaves_the_text_alone)
{
    static const struct script short_one = {.step_ms = 3}, long_one = {.step_ms = 100};
    static const struct graph_node inner_nodes[] = {{"first", &scripted, &short_one},
                                                    {"then", &scripted, &long_one}};
    static const struct graph_edge edges[] = {
        {GRAPH_START, 0}, {GRAPH_START, 1}, {0, GRAPH_END}, {1, GRAPH_END}};
    static struct kept kept;
    struct rig first, again;
    struct graph_def inner = outer, def = talk;
    inner.nodes = inner_nodes;
    const struct graph_node nodes[] = {{"before", &scripted, &talking},
                                       {"aside", .sub = &inner, .background = true}};
    def.nodes = nodes;
    def.edges = edges;
    def.edge_count = countof(edges);
    start_anew(&first, &def, &kept, true, EVENT_CORE);
    for (unsigned i = 0; i < 3; i++) {
        loop_turn(first.walk.base.loop, 4);
        loop_advance(first.walk.base.loop, 1);
    }
    loop_turn(first.walk.base.loop, 4);
    EXPECT_INT("route and half a word", event_log_last_id(run_log(first.walk.run)), 2);
    EXPECT_INT("the run, and two supersteps in the background", kept.count, 3);
    init(&again, &def, NULL, false);
    make(&again, EVENT_CORE);
    restore(&again, &first, &kept, 3, 2);
    assert_true(checkpoint_take_over(again.walk.run, 2));
    run_start(again.walk.run);
    loop_rig_dry(&again.walk.base);
    assert_string_equal(walk_rig_transcript(&again.walk),
                        "route_decision talk\ntoken final hel 1\ntoken final + reset 2\n"
                        "token final hel 2\ntoken final lo 2\ncomplete\n");
    walk_rig_fini(&again.walk, "again");
    walk_rig_fini(&first.walk, "first");
    drop_kept(&kept);
}

/* Without a checkpoint it begins anew, and says so. */
TEST(a_run_that_had_spoken_begins_anew)
{
    struct rig again;
    const struct event said[] = {
        {.id = 1, .kind = EVENT_ROUTE_DECISION, .name = STR("talk")},
        {.id = 2, .kind = EVENT_TOKEN, .name = STR("final"), .text = STR("hel"), .number = 1},
    };
    init(&again, &talk, NULL, false);
    make(&again, EVENT_CORE);
    for (size_t i = 0; i < countof(said); i++)
        assert_true(checkpoint_replay(again.walk.run, &said[i]));
    update_put_str(run_input(again.walk.run), INPUT, STR("question"));
    assert_true(checkpoint_take_over(again.walk.run, 2));
    run_start(again.walk.run);
    loop_rig_dry(&again.walk.base);
    assert_string_equal(walk_rig_transcript(&again.walk),
                        "route_decision talk\ntoken final hel 1\ntoken final + reset 2\n"
                        "token final hel 2\n"
                        "token final lo 2\ntool_start inner\ncomplete\n");
    walk_rig_fini(&again.walk, "again");
}

TEST(events_that_are_missing_are_not_skipped)
{
    static struct kept kept;
    struct rig first, again;
    struct err err = {0};
    size_t used;
    start_anew(&first, &talk, &kept, true, EVENT_CORE);
    loop_rig_dry(&first.walk.base);
    init(&again, &talk, NULL, false);
    make(&again, EVENT_CORE);
    EXPECT_INT("restored",
               checkpoint_restore(again.walk.run, kept.list, kept.count, 1, &used, &err), ERR_OK);
    EXPECT_INT("only the first needs no more", used, 1);
    run_start(again.walk.run);
    walk_rig_fini(&again.walk, "again");
    walk_rig_fini(&first.walk, "first");
    drop_kept(&kept);
}

/* ---- what is damaged ---- */

/* Restore with item n replaced by bytes; what is used, or MOST_KEPT: none can be. */
static size_t use_with(const struct graph_def *def, const struct kept *kept, size_t n,
                       struct str bytes, const struct run *want)
{
    struct checkpoint_kept list[MOST_KEPT];
    struct rig again;
    struct err err = {0};
    size_t used;
    memcpy(list, kept->list, sizeof list);
    list[n].bytes = bytes;
    init(&again, def, NULL, false);
    make(&again, EVENT_CORE);
    enum err_code code =
        checkpoint_restore(again.walk.run, list, kept->count, UINT64_MAX, &used, &err);
    EXPECT_TRUE("restored or not", code == ERR_OK || (code == ERR_NOT_FOUND && err.text[0] != 0));
    if (code != ERR_OK)
        update_put_str(run_input(again.walk.run), INPUT, STR("question"));
    run_start(again.walk.run);
    loop_rig_dry(&again.walk.base);
    expect_same_end("all the same", again.walk.run, want);
    walk_rig_fini(&again.walk, "damaged");
    return code == ERR_OK ? used : MOST_KEPT;
}

TEST(damaged_at_every_byte)
{
    static struct kept kept;
    struct rig first;
    char bytes[4096];
    start_anew(&first, &outer, &kept, true, EVENT_CORE);
    loop_rig_dry(&first.walk.base);
    for (size_t n = 0; n < kept.count; n++) {
        struct str whole = kept.list[n].bytes;
        size_t want = n == 0 ? MOST_KEPT : n;
        assert_true(whole.len <= sizeof bytes);
        for (size_t len = 0; len < whole.len; len++) {
            EXPECT_INT("cut", use_with(&outer, &kept, n, str_slice(whole, 0, len), first.walk.run),
                       want);
            memcpy(bytes, whole.at, whole.len);
            bytes[len] = (char)(bytes[len] ^ 0x10);
            EXPECT_INT("changed",
                       use_with(&outer, &kept, n, str_make(bytes, whole.len), first.walk.run),
                       want);
        }
    }
    walk_rig_fini(&first.walk, "first");
    drop_kept(&kept);
}

TEST(a_full_one_every_twenty)
{
    static const struct graph_budget many[] = {{"retry", SLOT(RETRIES), SLOT(REASON), 30}};
    static struct kept kept;
    struct graph_def def = looping;
    struct rig first;
    def.budgets = many;
    def.recursion_limit = 100;
    start_anew(&first, &def, &kept, true, EVENT_CORE);
    loop_rig_dry(&first.walk.base);
    EXPECT_INT("supersteps", kept.count, 62);
    for (size_t n = 0; n < kept.count; n++)
        EXPECT_INT("full", kept.list[n].is_full, n % CHECKPOINT_FULL_EVERY == 0);
    EXPECT_INT("the full one before", use_with(&def, &kept, 60, STR("rotten"), first.walk.run), 60);
    EXPECT_INT("so much of it as can be read",
               use_with(&def, &kept, 61, STR("rotten"), first.walk.run), 61);
    walk_rig_fini(&first.walk, "first");
    drop_kept(&kept);
}

TEST(no_memory_to_restore)
{
    static struct kept kept;
    struct rig first;
    start_anew(&first, &outer, &kept, true, EVENT_CORE);
    loop_rig_dry(&first.walk.base);
    for (uint64_t n = 1;; n++) {
        struct rig again;
        struct err err = {0};
        size_t used;
        init(&again, &outer, NULL, false);
        make(&again, EVENT_CORE);
        mem_fail_nth(n);
        enum err_code code =
            checkpoint_restore(again.walk.run, kept.list, kept.count, UINT64_MAX, &used, &err);
        mem_fail_nth(0);
        run_start(again.walk.run);
        walk_rig_fini(&again.walk, "no memory");
        if (code == ERR_OK)
            break;
        EXPECT_INT("no memory", code, ERR_NO_MEMORY);
        EXPECT_TRUE("the sweep ends", n < 1000);
    }
    walk_rig_fini(&first.walk, "first");
    drop_kept(&kept);
}

/* ---- a person ---- */

static enum step ask_person(struct node *node)
{
    struct str said = node_resume(node);
    if (str_is_absent(said))
        return node_interrupt(node, STR("\"why\":\"person\""));
    node_push_item(node, TRACE, said);
    return STEP_DONE;
}
static const struct graph_node_type asks = {ask_person, 8};

TEST(a_person_s_answer_reaches_the_node_that_asked)
{
    static const struct graph_node inner_nodes[] = {
        [A] = {"a", &scripted},
        [B] = {"b", &asks},
        [C] = {"c", &scripted, &talking},
        [D] = {"d", &scripted},
    };
    struct graph_def inner = diamond, def = outer;
    struct graph_node nodes[] = {outer_nodes[0], outer_nodes[1]};
    static struct kept kept;
    struct rig first, again;
    inner.nodes = inner_nodes;
    nodes[1].sub = &inner;
    def.nodes = nodes;
    start_anew(&first, &def, &kept, false, EVENT_CORE);
    loop_rig_dry(&first.walk.base);
    assert_string_equal(walk_rig_trace(&first.walk), "before");
    take(&first);
    EXPECT_INT("where it paused", kept.count, 1);
    init(&again, &def, NULL, false);
    make(&again, EVENT_CORE);
    restore(&again, &first, &kept, 1, event_log_last_id(run_log(first.walk.run)) - 1);
    assert_true(checkpoint_resume(again.walk.run, STR("inner/b"), STR("\"yes\"")));
    struct buf *out = &kept.bytes[kept.count];
    uint64_t step;
    buf_init(out, KEPT_BYTES);
    assert_true(checkpoint_write_restored(again.walk.run, out, &step));
    EXPECT_TRUE("as far as it was", step > 0);
    kept.list[kept.count++] = (struct checkpoint_kept){buf_str(out), true};
    run_start(again.walk.run);
    loop_rig_dry(&again.walk.base);
    assert_string_equal(walk_rig_trace(&again.walk), "before a \"yes\" c d");
    walk_rig_fini(&again.walk, "again");
    init(&again, &def, NULL, false); /* that one is lost, too, before it has said anything */
    make(&again, EVENT_CORE);
    restore(&again, &first, &kept, 2, 0);
    run_start(again.walk.run);
    loop_rig_dry(&again.walk.base);
    assert_string_equal(walk_rig_trace(&again.walk), "before a \"yes\" c d");
    walk_rig_fini(&again.walk, "again");
    walk_rig_fini(&first.walk, "first");
    drop_kept(&kept);
}

TEST(a_pause_keeps_what_ended_in_the_background)
{
    static const struct graph_edge edges[] = {
        {GRAPH_START, 0}, {GRAPH_START, 2}, {0, 1}, {1, GRAPH_END}, {2, GRAPH_END}};
    static const struct graph_node nodes[] = {
        {"before", &scripted},
        {"asks", &asks},
        {"aside", &scripted, &quick, .background = true},
    };
    static struct kept kept;
    struct graph_def def = outer;
    struct rig first, again;
    def.nodes = nodes;
    def.node_count = countof(nodes);
    def.edges = edges;
    def.edge_count = countof(edges);
    def.schema.slots = three_slots;
    start_anew(&first, &def, &kept, false, EVENT_CORE);
    loop_rig_dry(&first.walk.base);
    assert_string_equal(walk_rig_trace(&first.walk), "before");
    take(&first);
    init(&again, &def, NULL, false);
    make(&again, EVENT_CORE);
    restore(&again, &first, &kept, 1, event_log_last_id(run_log(first.walk.run)) - 1);
    assert_true(checkpoint_resume(again.walk.run, STR("asks"), STR("\"yes\"")));
    run_start(again.walk.run);
    loop_rig_dry(&again.walk.base);
    assert_string_equal(walk_rig_trace(&again.walk), "before \"yes\" aside");
    walk_rig_fini(&again.walk, "again");
    walk_rig_fini(&first.walk, "first");
    drop_kept(&kept);
}

/* ---- what a visit has done is not done again ---- */

static void do_once(struct node *node, struct str deed)
{
    if (!str_is_absent(node_find_memo(node, deed)))
        return;
    deeds++;
    node_put_memo(node, deed, STR("begun"));
    node_put_memo(node, deed, STR("done"));
}

static enum step tell_deeds(struct node *node)
{
    node_push_item(node, TRACE, node_find_memo(node, STR("first")));
    node_push_item(node, TRACE, node_find_memo(node, STR("second")));
    return STEP_DONE;
}

static enum step do_second(struct node *node)
{
    do_once(node, STR("second"));
    return node_await(node, tell_deeds);
}

static enum step do_first(struct node *node)
{
    do_once(node, STR("first"));
    return node_await(node, do_second);
}

/* The visit before has been merged: its memos are gone. */
static enum step find_nothing(struct node *node)
{
    bool is_there = !str_is_absent(node_find_memo(node, STR("first")));
    node_push_item(node, TRACE, is_there ? STR("still there") : STR("gone"));
    return STEP_DONE;
}

TEST(a_memo_is_found_by_the_visit_that_repeats_another)
{
    static const struct graph_node_type doing = {do_first, 8}, finding = {find_nothing, 8};
    static const struct graph_node inner_nodes[] = {
        [A] = {"a", &doing},
        [B] = {"b", &finding},
        [C] = {"c", &finding},
        [D] = {"d", &finding},
    };
    struct graph_def inner = diamond, def = outer;
    struct graph_node nodes[] = {outer_nodes[0], outer_nodes[1]};
    static struct kept kept;
    struct rig first;
    inner.nodes = inner_nodes;
    nodes[1].sub = &inner;
    def.nodes = nodes;
    deeds = 0;
    start_anew(&first, &def, &kept, true, EVENT_CORE);
    loop_rig_dry(&first.walk.base);
    EXPECT_INT("done once", deeds, 2);
    EXPECT_INT("a checkpoint a superstep and a memo", kept.count, 5 + 4);
    for (size_t n = 1; n <= kept.count; n++) {
        struct rig again;
        unsigned want = n <= 3 ? 2 : n <= 5 ? 1 : 0; /* the third is of the superstep of "a" */
        init(&again, &def, NULL, false);
        make(&again, EVENT_CORE);
        restore(&again, &first, &kept, n, kept.said[n - 1]);
        deeds = 0;
        run_start(again.walk.run);
        loop_rig_dry(&again.walk.base);
        EXPECT_INT("what was noted is not done again", deeds, want);
        EXPECT_INT("all of it is told", state_list_count(run_state(again.walk.run), TRACE),
                   1 + 2 + 3);
        walk_rig_fini(&again.walk, "again");
    }
    walk_rig_fini(&first.walk, "first");
    drop_kept(&kept);
}

/* ---- the same of visits that are in the background, or come again ---- */

static enum step do_and_wait(struct node *node)
{
    do_once(node, STR("first"));
    return scripted_enter(node);
}

static const struct graph_node_type deed = {do_and_wait, sizeof(struct scripted)};
static const struct script lasting = {.step_ms = 1000};

/* What def does is done as often when it is given up anywhere and goes on. */
static void expect_deeds_by(const char *name, const struct graph_def *def, unsigned want)
{
    static struct kept kept;
    struct rig first;
    deeds = 0;
    start_anew(&first, def, &kept, true, EVENT_CORE);
    loop_rig_dry(&first.walk.base);
    EXPECT_INT(name, deeds, want);
    EXPECT_TRUE(name, kept.count > want);
    for (size_t n = 1; n <= kept.count; n++) {
        struct rig again;
        init(&again, def, NULL, false);
        make(&again, EVENT_CORE);
        restore(&again, &first, &kept, n, kept.said[n - 1]);
        deeds = kept.deeds[n - 1];
        run_start(again.walk.run);
        loop_rig_dry(&again.walk.base);
        EXPECT_INT(name, deeds, want);
        walk_rig_fini(&again.walk, name);
    }
    walk_rig_fini(&first.walk, "first");
    drop_kept(&kept);
}

static void expect_deeds(const char *name, const struct graph_def *def, unsigned want)
{
    expect_deeds_by(name, def, want);
    all_are_full = true;
    expect_deeds_by(name, def, want);
    all_are_full = false;
}

/* write -> (check, aside): aside is in the background of as many supersteps as it takes. */
static void expect_deeds_aside(const char *name, const struct graph_node *aside, unsigned want)
{
    const struct graph_node nodes[] = {
        [WRITE] = {"write", &scripted},
        [CHECK_IT] = {"check", &scripted, &slow, .route = always_again,
                      .labels = {"again", "give_up"}},
        *aside,
    };
    static const struct graph_edge edges[] = {
        {GRAPH_START, WRITE},
        {WRITE, CHECK_IT},
        {WRITE, CHECK_IT + 1},
        {CHECK_IT, WRITE, "again", 1},
        {CHECK_IT, GRAPH_END, "give_up"},
        {CHECK_IT + 1, GRAPH_END},
    };
    struct graph_def def = looping;
    def.nodes = nodes;
    def.node_count = countof(nodes);
    def.edges = edges;
    def.edge_count = countof(edges);
    def.schema.slots = three_slots;
    expect_deeds(name, &def, want);
}

TEST(a_memo_is_kept_as_long_as_its_visit)
{
    static const struct graph_node in_background[] = {
        {"aside", &deed, &quick, .background = true},
        {"aside", &deed, &lasting, .background = true},
        {"aside", &deed, &refused, .background = true},
    };
    static const struct graph_node again_nodes[] = {
        {"again", &deed, .route = always_again, .labels = {"again", "give_up"}},
    };
    static const struct graph_edge again_edges[] = {
        {GRAPH_START, 0}, {0, 0, "again", 1}, {0, GRAPH_END, "give_up"}};
    static const struct slot one_slot[] = RIG_SLOTS(1);
    static const struct graph_def again = {GRAPH("again", again), .schema = {one_slot, SLOT_COUNT},
                                           .budgets = retry_budget, .budget_count = 1};
    expect_deeds_aside("it ends before the next superstep", &in_background[0], 3);
    expect_deeds_aside("it goes on over all of them", &in_background[1], 1);
    expect_deeds_aside("it fails", &in_background[2], 3);
    expect_deeds("it follows itself", &again, 3);
}

TEST(a_graph_in_the_background_goes_on_where_it_was)
{
    static const struct graph_node inner_nodes[] = {{"first", &deed},
                                                    {"then", &scripted, &lasting}};
    struct graph_def inner = answering;
    inner.nodes = inner_nodes;
    const struct graph_node aside = {"aside", .sub = &inner, .background = true};
    expect_deeds_aside("a graph", &aside, 1);
}

/* inner goes on in the background while it is to be entered again: what it noted is of the visit
 * that ends. */
TEST(a_visit_that_waits_for_the_one_before_is_another)
{
    static const struct graph_node inner_nodes[] = {
        {"first", &deed}, {"then", &scripted, &lasting, .background = true}};
    static const struct graph_edge edges[] = {
        {GRAPH_START, 0},          {GRAPH_START, 1}, {0, 0, "again", 1},
        {0, GRAPH_END, "give_up"}, {1, 2},           {2, GRAPH_END},
    };
    struct graph_def inner = answering, def = looping;
    inner.nodes = inner_nodes;
    const struct graph_node nodes[] = {
        {"inner", .sub = &inner, .route = always_again, .labels = {"again", "give_up"}},
        {"beside", &scripted},
        {"after", &scripted, &slow},
    };
    def.nodes = nodes;
    def.node_count = countof(nodes);
    def.edges = edges;
    def.edge_count = countof(edges);
    def.schema.slots = three_slots;
    expect_deeds("it is entered again", &def, 3);
}

RUN_TESTS(T(a_memo_is_found_by_the_visit_that_repeats_another),
          T(a_visit_that_waits_for_the_one_before_is_another),
          T(a_memo_is_kept_as_long_as_its_visit),
          T(a_graph_in_the_background_leaves_the_text_alone),
          T(a_graph_in_the_background_goes_on_where_it_was), T(a_run_goes_on_after_any_superstep),
          T(what_ended_in_the_background_is_not_lost), T(a_run_ends_as_if_it_had_not_been_given_up),
          T(any_graph_comes_to_its_end), T(a_node_that_had_spoken_says_so),
          T(a_run_that_had_spoken_begins_anew), T(events_that_are_missing_are_not_skipped),
          T(damaged_at_every_byte), T(a_full_one_every_twenty), T(no_memory_to_restore),
          T(a_person_s_answer_reaches_the_node_that_asked),
          T(a_pause_keeps_what_ended_in_the_background))

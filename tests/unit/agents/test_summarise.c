/* SPDX-License-Identifier: MIT */
/* Tiered memory in the orchestrator: summaries are made behind the answer, once, kept, shown to the
 * model in place of their turns; a model or a store that fails costs nothing but them. */
#include "agents/memory/recall.h"
#include "agents/memory/tiers.h"
#include "backends/stores/store_memory.h"
#include "tests/lib/loop_rig.h"
#include "tests/unit/agents/graph_rig.h"

static const struct identity key = {{"c1", 2}, {"acme", 4}, {"u1", 2}};

static const struct fake_reply replies[] = {
    {"classify", "GENERAL"},
    {"general", "An answer."},
    {"conversation_summary", "The summary."},
};

struct fixture {
    struct graph_rig rig;
    struct limits limits;
    struct buf transcript;
};

static void begin(struct fixture *f, const struct fake_reply *script, size_t count)
{
    f->limits = rig_limits;
    f->limits.tiered_memory = true;
    graph_rig_init_limits(&f->rig, &f->limits, script, count, NULL, 0);
    buf_init(&f->transcript, 1 << 22);
    f->rig.llm.transcript = &f->transcript;
}

static void end(struct fixture *f)
{
    graph_rig_fini(&f->rig);
    buf_fini(&f->transcript);
}

/* One more turn; what the model was asked is in the transcript. */
static void say(struct fixture *f, unsigned n)
{
    char question[32];
    snprintf(question, sizeof question, "Question %u?", n);
    buf_clear(&f->transcript);
    if (f->rig.run != NULL)
        graph_rig_drop_run(&f->rig);
    graph_rig_go(&f->rig, "orchestrator", question);
}

static bool was_asked(const struct fixture *f, const char *text)
{
    return str_find(buf_str(&f->transcript), str_of(text)) != STR_NONE;
}

TEST(summaries_take_the_place_of_turns)
{
    struct fixture f;
    begin(&f, replies, countof(replies));
    for (unsigned n = 1; n <= 10; n++) {
        say(&f, n);
        EXPECT_INT("asked for one", was_asked(&f, "conversation_summary"), n == 10);
    }
    EXPECT_TRUE("of the first five", was_asked(&f, "user: Question 5?\nassistant: An answer."));
    EXPECT_TRUE("and no more", !was_asked(&f, "user: Question 6?"));
    EXPECT_TRUE("the answer did not wait", strstr(f.rig.events, "complete:") != NULL);
    say(&f, 11);
    EXPECT_TRUE("shown", was_asked(&f, "Turns 1 to 5: The summary."));
    EXPECT_TRUE("in full", was_asked(&f, "Question 6?") && was_asked(&f, "Question 10?"));
    EXPECT_TRUE("not twice", !was_asked(&f, "Question 5?"));
    EXPECT_TRUE("made once", !was_asked(&f, "conversation_summary"));
    end(&f);
}

TEST(cost_grows_with_what_was_said)
{
    enum { TURNS = 200 };
    struct fixture f;
    size_t asked = 0, largest = 0, settled = 0;
    begin(&f, replies, countof(replies));
    for (unsigned n = 1; n <= TURNS; n++) {
        say(&f, n);
        asked += was_asked(&f, "conversation_summary");
        largest = size_max(largest, buf_len(&f.transcript));
        if (n == 60)
            settled = largest;
    }
    EXPECT_INT("one in five turns", asked, (TURNS - TIERS_FULL) / TIERS_PART);
    EXPECT_TRUE("prompts do not grow", largest <= settled + 100);
    EXPECT_TRUE("the rest is one", was_asked(&f, "Turns 1 to 170: The summary.") ||
                                       was_asked(&f, "Turns 1 to 175: The summary."));
    end(&f);
}

TEST(a_model_that_fails_costs_only_the_summary)
{
    static const struct fake_reply failing[] = {
        {"classify", "GENERAL"},
        {"general", "An answer."},
        {"conversation_summary", "", ERR_UNAVAILABLE},
        {"conversation_summary", "The summary."},
    };
    struct fixture f;
    begin(&f, failing, countof(failing));
    for (unsigned n = 1; n <= 11; n++) {
        say(&f, n);
        EXPECT_TRUE("answered", strstr(f.rig.events, "complete:") != NULL);
    }
    EXPECT_TRUE("simple that turn", was_asked(&f, "Question 2?"));
    EXPECT_TRUE("tried again", was_asked(&f, "conversation_summary"));
    say(&f, 12);
    EXPECT_TRUE("shown", was_asked(&f, "Turns 1 to 5: The summary."));
    end(&f);
}

TEST(simple_memory_sums_nothing_up)
{
    struct fixture f;
    begin(&f, replies, countof(replies));
    f.limits.tiered_memory = false;
    for (unsigned n = 1; n <= 12; n++)
        say(&f, n);
    EXPECT_TRUE("the last twenty messages",
                was_asked(&f, "Question 2?") && !was_asked(&f, "Question 1?"));
    EXPECT_TRUE("none", !was_asked(&f, "conversation_summary") && !was_asked(&f, "Turns 1"));
    end(&f);
}

TEST(a_broken_note_is_made_anew)
{
    struct fixture f;
    begin(&f, replies, countof(replies));
    for (unsigned n = 1; n <= 10; n++)
        say(&f, n);
    history_set_note(f.rig.has.history, &key, HISTORY_SUMMARY, STR("{\"parts\":"));
    say(&f, 11);
    EXPECT_TRUE("simple that turn", was_asked(&f, "Question 5?"));
    EXPECT_TRUE("made anew", was_asked(&f, "conversation_summary"));
    end(&f);
}

/* ---- with a store ---- */

static void save_turns(struct store *store, struct loop_rig *rig, uint64_t count)
{
    struct store_call call = {0};
    for (uint64_t i = 0; i < count; i++) {
        char question[32];
        snprintf(question, sizeof question, "Stored %u?", (unsigned)i + 1);
        const struct store_turn turn = {
            .run_id = STR("r"), .question = str_of(question), .answer = STR("Yes.")};
        const struct store_save save = {.key = key,
                                        .expected_version = i,
                                        .checkpoint = {.is_full = true, .bytes = STR("x")},
                                        .turns = &turn,
                                        .turn_count = 1};
        store_save_start(&call, store, &save, loop_rig_waiter(rig));
        loop_turn(rig->loop, 4);
        EXPECT_INT("saved", call.op.err.code, ERR_OK);
        op_release(&call.op);
    }
}

TEST(turns_that_memory_lost_come_from_the_store)
{
    struct fixture f;
    struct store_call call = {0};
    begin(&f, replies, countof(replies));
    struct loop_rig loop_rig = {.loop = f.rig.loop};
    list_init(&loop_rig.group);
    struct store *store = store_memory_create(f.rig.loop);
    save_turns(store, &loop_rig, 100);
    f.rig.has.store = store;
    EXPECT_INT("q", history_append(f.rig.has.history, &key, LLM_USER, STR("Stored 100?"), false),
               ERR_OK);
    EXPECT_INT("a", history_append(f.rig.has.history, &key, LLM_ASSISTANT, STR("Yes."), false),
               ERR_OK);
    history_set_said(f.rig.has.history, &key, 200);
    say(&f, 101);
    EXPECT_TRUE("the first ones",
                was_asked(&f, "user: Stored 1?\nassistant: Yes.\nuser: Stored 2?"));
    EXPECT_TRUE("five", was_asked(&f, "Stored 5?") && !was_asked(&f, "user: Stored 6?"));
    const struct store_load load = {.key = key};
    store_load_start(&call, store, &load, loop_rig_waiter(&loop_rig));
    loop_turn(f.rig.loop, 4);
    EXPECT_INT("kept", call.note_count, 1);
    EXPECT_STR("name", call.notes[0].name, STR(RECALL_SUMMARY));
    EXPECT_STR("note", call.notes[0].bytes,
               STR("{\"parts\":[{\"last\":5,\"text\":\"The summary.\"}]}"));
    op_release(&call.op);
    f.rig.has.store = NULL;
    store_close(store, NULL, NULL);
    assert_true(loop_run_dry(f.rig.loop, 1000));
    end(&f);
}

TEST(an_erased_conversation_stays_erased)
{
    struct fixture f;
    begin(&f, replies, countof(replies));
    struct store *store = store_memory_create(f.rig.loop); /* has no such conversation */
    f.rig.has.store = store;
    for (unsigned n = 1; n <= 10; n++)
        say(&f, n);
    EXPECT_TRUE("answered", strstr(f.rig.events, "complete:") != NULL);
    f.rig.has.store = NULL;
    store_close(store, NULL, NULL);
    assert_true(loop_run_dry(f.rig.loop, 1000));
    end(&f);
}

TEST(cancelled_at_every_turn)
{
    bool over = false;
    for (unsigned turn = 0; !over; turn++) {
        struct fixture f;
        begin(&f, replies, countof(replies));
        for (unsigned n = 1; n <= 9; n++)
            say(&f, n);
        graph_rig_drop_run(&f.rig);
        graph_rig_make(&f.rig, "orchestrator", "Question 10?", EVENT_CORE);
        run_start(f.rig.run);
        loop_turn(f.rig.loop, turn);
        over = f.rig.ends == 1;
        run_cancel(f.rig.run, "cancelled", "test");
        assert_true(loop_run_dry(f.rig.loop, 10000));
        EXPECT_INT("ends once", f.rig.ends, 1);
        EXPECT_TRUE("the sweep ends", turn < 1000);
        end(&f);
    }
}

RUN_TESTS(T(summaries_take_the_place_of_turns), T(cost_grows_with_what_was_said),
          T(a_model_that_fails_costs_only_the_summary), T(simple_memory_sums_nothing_up),
          T(a_broken_note_is_made_anew), T(turns_that_memory_lost_come_from_the_store),
          T(an_erased_conversation_stays_erased), T(cancelled_at_every_turn))

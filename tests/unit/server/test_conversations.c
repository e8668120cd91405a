/* SPDX-License-Identifier: MIT */
/* What a run said is in the store once, and in order, whenever the store can be used again; nobody
 * waits for a store that cannot; what does not fit, or is late when the server stops, is lost. */
#include "tests/lib/loop_rig.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/stores/store_memory.h"
#include "core/loop/timer.h"
#include "server/conversations/conversations.h"

/* A store that is away: its calls end with an error, and a save may have been kept all the same. */
struct shaky {
    struct store store;
    struct store *inner;
    enum err_code code; /* ERR_OK: it can be used */
    bool keeps;         /* the answer only is lost */
    struct store_call kept;
    unsigned calls;
};

struct fixture {
    struct loop_rig base;
    struct shaky shaky;
    struct history *history;
    struct conversations *conversations;
    struct conversations_opening opening;
    struct store_call call;
    struct log log;
    unsigned idle_calls;
};

static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};
static const struct identity stranger = {{"c-1", 3}, {"acme", 4}, {"bob", 3}};

static void on_kept(struct op *op)
{
    op_release(op);
}

static void on_idle(void *owner)
{
    ((struct fixture *)owner)->idle_calls++;
}

static void cancel_shaky(struct op *op)
{
    CHECK(op_is_finishing(op)); /* it is from the start */
}

static void shaky_start(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    static const struct op_kind kind = {
        .name = "store.shaky", .cancel = cancel_shaky, .release = store_call_release};
    struct shaky *shaky = container_of(store, struct shaky, store);
    shaky->calls++;
    if (shaky->code == ERR_OK) {
        shaky->inner->vtable->start(shaky->inner, call, waiter);
        return;
    }
    if (shaky->keeps && call->verb == STORE_SAVE) {
        CHECK(!op_is_pending(&shaky->kept.op));
        store_save_start(&shaky->kept, shaky->inner, call->ask.save,
                         (struct op_waiter){.done = on_kept});
    }
    op_begin(&call->op, &kind, store->loop, waiter);
    store_call_begin(call);
    op_finish(&call->op, shaky->code, "it is away");
}

static void make(struct fixture *f)
{
    static const struct store_vtable vtable = {.name = "shaky", .start = shaky_start};
    *f = (struct fixture){.log = {.level = LOG_OFF}};
    loop_rig_init(&f->base);
    f->history = history_create(64 * 1024 * 1024);
    f->shaky = (struct shaky){.store = {&vtable, f->base.loop},
                              .inner = store_memory_create(f->base.loop)};
    const struct conversations_options options = {.loop = f->base.loop,
                                                  .store = &f->shaky.store,
                                                  .history = f->history,
                                                  .turns = 100,
                                                  .log = &f->log,
                                                  .owner = f,
                                                  .on_idle = on_idle};
    f->conversations = conversations_create(&options);
    assert_non_null(f->conversations);
}

static void end(struct fixture *f)
{
    loop_rig_dry(&f->base);
    EXPECT_INT("none is being saved", (int)conversations_saving(f->conversations), 0);
    op_release(&f->call.op);
    op_release(&f->opening.op);
    conversations_destroy(f->conversations);
    history_destroy(f->history);
    store_close(f->shaky.inner, NULL, NULL);
    loop_rig_fini(&f->base);
}

/* A run said text in the conversation: to memory, and on its way to the store. */
static void say(struct fixture *f, const struct identity *key, const char *text)
{
    const struct store_checkpoint checkpoint = {.is_full = true, .bytes = STR("{}")};
    const struct store_turn turn = {.run_id = str_of(text),
                                    .question = str_of(text),
                                    .answer = STR("yes"),
                                    .details = STR("{}")};
    assert_int_equal(history_append(f->history, key, LLM_USER, turn.question, false), ERR_OK);
    assert_int_equal(history_append(f->history, key, LLM_ASSISTANT, turn.answer, false), ERR_OK);
    conversations_save(f->conversations, key, &checkpoint, &turn, false);
    loop_turn(f->base.loop, 4);
}

/* Let ms pass in steps, as the clock would. */
static void pass(struct fixture *f, unsigned ms)
{
    for (unsigned i = 0; i < ms; i += 50) {
        loop_turn(f->base.loop, 8);
        loop_advance(f->base.loop, 50);
    }
    loop_turn(f->base.loop, 8);
}

/* What the store has of ann's conversation, as questions, with a blank behind each. */
static struct str stored(struct fixture *f)
{
    static char text[4096];
    const struct store_load ask = {.key = ann};
    size_t len = 0;
    op_release(&f->call.op);
    store_load_start(&f->call, f->shaky.inner, &ask, loop_rig_waiter(&f->base));
    loop_turn(f->base.loop, 4);
    assert_int_equal(f->call.op.err.code, ERR_OK);
    for (size_t i = 0; i < f->call.turn_count; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%.*s ",
                                STR_ARG(f->call.turns[i].question));
    return str_make(text, len);
}

/* Bring ann's conversation up to date. */
static void open(struct fixture *f)
{
    unsigned calls = f->base.done_count;
    op_release(&f->opening.op);
    conversations_open_start(&f->opening, f->conversations, &ann, loop_rig_waiter(&f->base));
    loop_turn(f->base.loop, 8);
    EXPECT_INT("it is open", f->base.done_count, calls + 1);
    EXPECT_INT("well", f->base.last_code, ERR_OK);
}

static const struct {
    const char *name;
    enum err_code code;
    bool keeps;
} away[] = {
    {"it cannot be reached", ERR_UNAVAILABLE, false},
    {"it is slow", ERR_TIMEOUT, false},
    {"the answer is lost", ERR_TIMEOUT, true},
    {"the connection was lost behind it", ERR_UNAVAILABLE, true},
};

/* R227: the line says why, and the conversation begins anew. */
TEST(a_damaged_conversation_is_logged_and_begins_anew)
{
    char said[512] = "";
    int ends[2];
    struct fixture f;
    make(&f);
    assert_int_equal(pipe(ends), 0);
    f.log = (struct log){.level = LOG_WARN, .fd = ends[1]};
    f.shaky.code = ERR_UNAVAILABLE; /* what a damaged file gives */
    conversations_open_start(&f.opening, f.conversations, &ann, loop_rig_waiter(&f.base));
    loop_rig_dry(&f.base);
    EXPECT_INT("it is no failure", f.opening.op.err.code, ERR_OK);
    EXPECT_INT("it is empty", history_count(f.history, &ann), 0);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    EXPECT_TRUE(said, strstr(said, "conversation.not_loaded") != NULL);
    EXPECT_TRUE(said, strstr(said, "code=unavailable text=\"it is away\"") != NULL);
    close(ends[0]);
    close(ends[1]);
    end(&f);
}

TEST(late_is_once_and_in_order)
{
    TEST_EACH(c, away) {
        struct fixture f;
        make(&f);
        say(&f, &ann, "one");
        f.shaky.code = c->code;
        f.shaky.keeps = c->keeps;
        say(&f, &ann, "two");
        open(&f); /* nobody waits for it */
        EXPECT_INT(c->name, (int)history_count(f.history, &ann), 4);
        say(&f, &ann, "three");
        say(&f, &ann, "four");
        EXPECT_TRUE(c->name, conversations_is_settled(f.conversations, &ann));
        EXPECT_TRUE(c->name, conversations_is_saving(f.conversations, &ann));
        EXPECT_TRUE(c->name, !conversations_is_saving(f.conversations, &stranger));
        unsigned idle_calls = f.idle_calls, calls = f.shaky.calls;
        pass(&f, 20000);
        EXPECT_TRUE("tried again", f.shaky.calls > calls + 3);
        EXPECT_TRUE("not all the time", f.shaky.calls < calls + 40);
        EXPECT_INT("three are late", (int)conversations_saving(f.conversations), 3);
        EXPECT_INT("not idle", f.idle_calls, idle_calls);
        f.shaky.code = ERR_OK;
        pass(&f, 2100);
        EXPECT_STR(c->name, stored(&f), STR("one two three four "));
        EXPECT_INT("none is late", (int)conversations_saving(f.conversations), 0);
        EXPECT_INT("idle", f.idle_calls, idle_calls + 1);
        open(&f);
        EXPECT_INT("memory is as the store", (int)history_count(f.history, &ann), 8);
        say(&f, &ann, "five");
        EXPECT_STR(c->name, stored(&f), STR("one two three four five "));
        end(&f);
    }
}

/* It is the run's turn, whoever went on with the run. */
TEST(a_run_is_kept_once)
{
    struct fixture f;
    const struct store_turn turn = {.run_id = STR("two"), .question = STR("two")};
    const struct store_save elsewhere = {
        .key = ann, .expected_version = 1, .turns = &turn, .turn_count = 1};
    make(&f);
    say(&f, &ann, "one");
    store_save_start(&f.call, f.shaky.inner, &elsewhere, loop_rig_waiter(&f.base));
    loop_turn(f.base.loop, 4);
    assert_int_equal(f.call.op.err.code, ERR_OK);
    say(&f, &ann, "two");
    EXPECT_STR("once", stored(&f), STR("one two "));
    say(&f, &ann, "three");
    EXPECT_STR("behind it", stored(&f), STR("one two three "));
    end(&f);
}

/* One that can be saved says that the store is there again. */
TEST(late_ones_follow_at_once)
{
    static const struct identity bob = {{"c-2", 3}, {"acme", 4}, {"bob", 3}};
    struct fixture f;
    make(&f);
    f.shaky.code = ERR_UNAVAILABLE;
    say(&f, &ann, "one");
    pass(&f, 10000);
    f.shaky.code = ERR_OK;
    say(&f, &bob, "other");
    loop_turn(f.base.loop, 16);
    EXPECT_STR("without a pause", stored(&f), STR("one "));
    end(&f);
}

TEST(what_may_not_pass_is_lost)
{
    struct fixture f;
    make(&f);
    f.shaky.code = ERR_PROTOCOL;
    say(&f, &ann, "one");
    EXPECT_INT("lost", (int)conversations_saving(f.conversations), 0);
    f.shaky.code = ERR_UNAVAILABLE;
    say(&f, &ann, "two");
    say(&f, &ann, "three");
    f.shaky.code = ERR_PROTOCOL;
    pass(&f, 200);
    EXPECT_INT("lost later", (int)conversations_saving(f.conversations), 0);
    f.shaky.code = ERR_OK;
    say(&f, &ann, "four");
    EXPECT_STR("only", stored(&f), STR("four "));
    end(&f);
}

TEST(the_server_stops)
{
    struct fixture f;
    make(&f);
    f.shaky.code = ERR_UNAVAILABLE;
    say(&f, &ann, "one");
    say(&f, &ann, "two");
    EXPECT_INT("late", (int)conversations_saving(f.conversations), 2);
    conversations_abandon(f.conversations);
    EXPECT_INT("lost", (int)conversations_saving(f.conversations), 0);
    say(&f, &ann, "three");
    EXPECT_INT("not late", (int)conversations_saving(f.conversations), 0);
    loop_rig_dry(&f.base);
    EXPECT_TRUE("idle", f.idle_calls > 0);
    end(&f);
}

TEST(what_is_late_is_bounded)
{
    enum { BIG = 8 * 1024 * 1024, MANY = 20 };
    static char text[BIG];
    struct fixture f;
    make(&f);
    memset(text, 'x', BIG - 1);
    f.shaky.code = ERR_UNAVAILABLE;
    for (unsigned i = 0; i < MANY; i++) {
        const struct store_turn turn = {.run_id = STR("r"), .answer = str_make(text, BIG - 1)};
        const struct store_checkpoint checkpoint = {.is_full = true, .bytes = STR("{}")};
        conversations_save(f.conversations, &ann, &checkpoint, &turn, false);
        loop_turn(f.base.loop, 4);
    }
    EXPECT_TRUE("some", conversations_saving(f.conversations) >= 4);
    EXPECT_TRUE("not all", conversations_saving(f.conversations) <= 8);
    conversations_abandon(f.conversations);
    end(&f);
}

/* A store that is slow for thousands of runs that end together loses none of their turns. */
TEST(thousands_may_be_late)
{
    enum { MANY = 5000 };
    struct fixture f;
    make(&f);
    f.shaky.code = ERR_TIMEOUT;
    for (unsigned i = 0; i < MANY; i++) {
        const struct store_turn turn = {.run_id = STR("r"), .answer = STR("an answer")};
        const struct store_checkpoint checkpoint = {.is_full = true, .bytes = STR("{}")};
        conversations_save(f.conversations, &ann, &checkpoint, &turn, false);
    }
    loop_turn(f.base.loop, 4);
    EXPECT_INT("all wait", conversations_saving(f.conversations), MANY);
    conversations_abandon(f.conversations);
    end(&f);
}

/* Of the user's conversations whose turns are on their way; late ones keep nobody. */
TEST(a_list_waits_for_all_of_a_user)
{
    static const struct identity second = {{"c-2", 3}, {"acme", 4}, {"ann", 3}};
    const struct identity user = identity_user(&ann);
    const struct identity *const all[] = {&ann, &second, &ann, &stranger};
    const struct store_checkpoint checkpoint = {.is_full = true, .bytes = STR("{}")};
    static const enum err_code codes[] = {ERR_OK, ERR_UNAVAILABLE};
    TEST_EACH(code, codes) {
        struct fixture f;
        struct conversations_settling settling = {.awaited = 0};
        make(&f);
        f.shaky.code = *code;
        conversations_settle_start(&settling, f.conversations, &user, loop_rig_waiter(&f.base));
        EXPECT_TRUE("nothing to wait for", settling.awaited == 0);
        loop_turn(f.base.loop, 4);
        EXPECT_TRUE("it is over", !op_is_pending(&settling.op));
        op_release(&settling.op);
        for (size_t i = 0; i < countof(all); i++) {
            const struct store_turn turn = {.run_id = STR("r"), .answer = STR("an answer")};
            conversations_save(f.conversations, all[i], &checkpoint, &turn, false);
        }
        conversations_settle_start(&settling, f.conversations, &user, loop_rig_waiter(&f.base));
        EXPECT_INT("three of the user's", (int)settling.awaited, 3);
        EXPECT_TRUE("it waits", op_is_pending(&settling.op));
        loop_turn(f.base.loop, 8);
        EXPECT_TRUE("and no longer", !op_is_pending(&settling.op));
        EXPECT_INT("well", settling.op.err.code, ERR_OK);
        op_release(&settling.op);
        conversations_settle_start(&settling, f.conversations, &user, loop_rig_waiter(&f.base));
        conversations_save(f.conversations, &ann, &checkpoint,
                           &(struct store_turn){.run_id = STR("s")}, false);
        EXPECT_INT("what comes after is not waited for", (int)settling.awaited, 0);
        loop_turn(f.base.loop, 8);
        op_release(&settling.op);
        conversations_abandon(f.conversations);
        end(&f);
    }
}

TEST(what_is_erased_is_not_saved_late)
{
    struct fixture f;
    const struct identity user = identity_user(&ann);
    make(&f);
    f.shaky.code = ERR_UNAVAILABLE;
    say(&f, &ann, "one");
    say(&f, &stranger, "other");
    EXPECT_INT("two are late", (int)conversations_saving(f.conversations), 2);
    conversations_forget(f.conversations, &user);
    EXPECT_INT("the stranger's is", (int)conversations_saving(f.conversations), 1);
    f.shaky.code = ERR_OK;
    pass(&f, 20000);
    EXPECT_STR("nothing came back", stored(&f), STR(""));
    say(&f, &ann, "two");
    conversations_forget(f.conversations, &stranger);
    EXPECT_STR("a new one", stored(&f), STR("two "));
    end(&f);
}

RUN_TESTS(T(a_damaged_conversation_is_logged_and_begins_anew), T(late_is_once_and_in_order),
          T(a_run_is_kept_once), T(late_ones_follow_at_once), T(what_may_not_pass_is_lost),
          T(the_server_stops), T(what_is_late_is_bounded), T(thousands_may_be_late),
          T(a_list_waits_for_all_of_a_user), T(what_is_erased_is_not_saved_late))

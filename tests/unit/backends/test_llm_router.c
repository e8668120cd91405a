/* SPDX-License-Identifier: MIT */
/* backends/llm_router: whom a task asks, who follows, and when nobody does. */
#include "backends/models/llm_router.h"

#include "tests/lib/fake_llm.h"
#include "tests/unit/backends/rig.h"

enum { MODELS = 3 };

struct routing {
    struct rig rig;
    struct fake_llm fakes[MODELS];
    struct llm *llm;
    struct llm_chat chat;
    struct arena arena;
    struct llm_prompt prompt;
    struct buf heard;
};

static const struct llm_message hello = {LLM_USER, STR("hello")};

static void hear(struct llm_chat *chat, struct str text)
{
    buf_push(&container_of(chat, struct routing, chat)->heard, text);
}

/* Each model answers any of the tasks as its script says. */
static void routing_begin(struct routing *f, const struct fake_reply (*scripts)[3])
{
    struct llm_router_options options = {
        .model_count = MODELS,
        .routes = {{.task = NULL, .models = {0, 1, 2}, .count = 3},
                   {.task = "sql", .models = {2, 1}, .count = 2},
                   {.task = "classify", .models = {1}, .count = 1}},
        .route_count = 3,
    };
    *f = (struct routing){0};
    rig_begin(&f->rig);
    arena_init(&f->arena, 1 << 20);
    buf_init(&f->heard, 1 << 16);
    for (size_t i = 0; i < MODELS; i++) {
        fake_llm_init(&f->fakes[i], f->rig.loop, scripts[i], countof(scripts[i]));
        options.models[i] = &f->fakes[i].llm;
    }
    f->llm = llm_router_create(f->rig.loop, &options);
    assert_non_null(f->llm);
    f->prompt = (struct llm_prompt){.messages = &hello, .message_count = 1, .arena = &f->arena};
}

static void routing_end(struct routing *f)
{
    op_release(&f->chat.op);
    llm_close(f->llm, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    buf_fini(&f->heard);
    arena_fini(&f->arena);
}

#define SAYS(model, code)                                                                          \
    {                                                                                              \
        {"sql", model, code}, {"classify", model, code},                                           \
        {                                                                                          \
            "general", model, code                                                                 \
        }                                                                                          \
    }

static const struct {
    const char *name, *task;
    struct fake_reply scripts[MODELS][3];
    enum err_code want;
    const char *text;
    unsigned calls[MODELS];
} cases[] = {
    {"the first of all others",
     "general",
     {SAYS("a", ERR_OK), SAYS("b", ERR_OK), SAYS("c", ERR_OK)},
     ERR_OK,
     "a",
     {1, 0, 0}},
    {"a task's own",
     "sql",
     {SAYS("a", ERR_OK), SAYS("b", ERR_OK), SAYS("c", ERR_OK)},
     ERR_OK,
     "c",
     {0, 0, 1}},
    {"the next when out of reach",
     "sql",
     {SAYS("a", ERR_OK), SAYS("b", ERR_OK), SAYS("", ERR_UNAVAILABLE)},
     ERR_OK,
     "b",
     {0, 1, 1}},
    {"the third",
     "general",
     {SAYS("", ERR_DENIED), SAYS("", ERR_BUSY), SAYS("c", ERR_OK)},
     ERR_OK,
     "c",
     {1, 1, 1}},
    {"nobody",
     "general",
     {SAYS("", ERR_TIMEOUT), SAYS("", ERR_REJECTED), SAYS("", ERR_DENIED)},
     ERR_DENIED,
     "",
     {1, 1, 1}},
    {"none after the first text",
     "general",
     {SAYS("half", ERR_UNAVAILABLE), SAYS("b", ERR_OK), SAYS("c", ERR_OK)},
     ERR_UNAVAILABLE,
     "half",
     {1, 0, 0}},
    {"memory is the same everywhere",
     "general",
     {SAYS("", ERR_NO_MEMORY), SAYS("b", ERR_OK), SAYS("c", ERR_OK)},
     ERR_NO_MEMORY,
     "",
     {1, 0, 0}},
    {"one model has none behind it",
     "classify",
     {SAYS("a", ERR_OK), SAYS("", ERR_UNAVAILABLE), SAYS("c", ERR_OK)},
     ERR_UNAVAILABLE,
     "",
     {0, 1, 0}},
};

TEST(routes)
{
    TEST_EACH(c, cases) {
        struct routing f;
        routing_begin(&f, c->scripts);
        f.prompt.task = c->task;
        llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
        EXPECT_INT(c->name, f.rig.done_calls, 0);
        rig_wait(c->name, &f.rig, 1);
        EXPECT_INT(c->name, f.chat.op.err.code, c->want);
        EXPECT_STR(c->name, f.chat.text, str_of(c->text));
        EXPECT_STR(c->name, buf_str(&f.heard), str_of(c->text));
        for (size_t i = 0; i < MODELS; i++)
            EXPECT_INT(c->name, f.fakes[i].calls, c->calls[i]);
        routing_end(&f);
    }
}

static const struct fake_reply failing[MODELS][3] = {SAYS("", ERR_BUSY), SAYS("", ERR_BUSY),
                                                     SAYS("text that comes", ERR_OK)};

TEST(cancelled_at_every_turn)
{
    for (unsigned turn = 0; turn <= 20; turn++) {
        struct routing f;
        routing_begin(&f, failing);
        f.prompt.task = "general";
        llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
        loop_turn(f.rig.loop, turn);
        op_cancel(&f.chat.op);
        op_cancel(&f.chat.op);
        rig_wait("cancelled", &f.rig, 1);
        routing_end(&f);
        EXPECT_INT("done calls", f.rig.done_calls, 1);
    }
}

TEST(closed_at_every_turn)
{
    for (unsigned turn = 0; turn <= 20; turn++) {
        struct routing f;
        routing_begin(&f, failing);
        f.prompt.task = "general";
        llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
        loop_turn(f.rig.loop, turn);
        llm_close(f.llm, rig_on_closed, &f.rig);
        rig_end(&f.rig);
        EXPECT_INT("done calls", f.rig.done_calls, 1);
        EXPECT_INT("closed", f.rig.closed_calls, 1);
        buf_fini(&f.heard);
        arena_fini(&f.arena);
    }
}

RUN_TESTS(T(routes), T(cancelled_at_every_turn), T(closed_at_every_turn))

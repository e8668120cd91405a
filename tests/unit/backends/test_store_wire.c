/* SPDX-License-Identifier: MIT */
/* The words of asks in their order, whom a call is for, and records that are whole or strange. */
#include "backends/stores/store_wire.h"

#include <stdio.h>

#include "tests/lib/test.h"

static const struct identity ann = {STR("c"), STR("co"), STR("ann")};
static const struct store_turn turns[] = {
    {.run_id = STR("r1"), .question = STR("Q?"), .answer = STR("A"), .details = STR("d")},
    {.run_id = STR("r2"), .question = STR("Q2"), .answer = STR("A2"), .partial = true}};
static const struct store_note notes[] = {{STR("n"), STR("v")}};
static const struct store_append appends[] = {{{STR("r1"), STR("i"), 3}, {7, 2, STR("bytes")}},
                                              {{STR("r2"), STR("i"), 4}, {9, 1, STR("b")}}};

/* Fields, then each list behind a bar. */
static void write_words(struct store_call *call, char *text, size_t text_bytes)
{
    const struct store_wire_verb *verb = store_wire_verb_of(call->verb);
    struct arena arena;
    arena_init(&arena, 1 << 16);
    struct store_wire_words words = {.arena = &arena};
    store_wire_push_fields(&words, call, STR("TOKEN"));
    for (size_t i = 0; i < verb->list_count; i++) {
        store_wire_push(&words, STR("|"));
        store_wire_push_list(&words, call, &verb->lists[i]);
    }
    assert_true(arena_ok(&arena));
    size_t len = 0;
    for (size_t i = 0; i < words.count; i++)
        len += (size_t)snprintf(text + len, text_bytes - len, "%s%.*s", i == 0 ? "" : " ",
                                STR_ARG(words.at[i]));
    arena_fini(&arena);
}

#define ASK(verb_, name_, ...)                                                                     \
    {                                                                                              \
        .verb = STORE_##verb_, .ask.name_ = &(const struct store_##name_)                          \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

TEST(asks_are_words_in_order)
{
    static const struct store_run run = {.key = {STR("c"), STR("co"), STR("ann")},
                                         .run_id = STR("r"),
                                         .graph = STR("g"),
                                         .input = STR("in"),
                                         .idempotency_key = STR(""),
                                         .instance = STR("i")};
    const struct {
        const char *name;
        struct store_call call;
        const char *words;
    } cases[] = {
        {"load", ASK(LOAD, load, ann, 4, 2, 6, 7), "c co ann 4 2 6 7"},
        {"rows are limited", ASK(LOAD, load, .key = ann), "c co ann 0 1000 0 0"},
        {"save",
         ASK(SAVE, save, ann, 8,
             {.run_id = STR("r"), .step = 5, .is_full = true, .bytes = STR("B")}, turns, 2, notes,
             1),
         "c co ann 8 TOKEN r 5 1 B Q? | r1 Q? A d 0 r2 Q2 A2  1 | n v"},
        {"an empty save", ASK(SAVE, save, .key = ann), "c co ann 0 TOKEN  0 0   | |"},
        {"list", ASK(LIST, list, ann, 3, 9), "co ann 3 9"},
        {"search", ASK(SEARCH, search, ann, STR("Word"), 9), "co ann Word 9"},
        {"begin", ASK(BEGIN, begin, run, 30, true), "c co ann r g in  i 30 1"},
        {"resume", ASK(RESUME, resume, {run, 30, false}, STR("p"), {.step = 2, .bytes = STR("B")}),
         "c co ann r g in  i 30 0 p 2 B"},
        {"finish", ASK(FINISH, finish, {STR("r"), STR("i"), 3}, STORE_FAILED), "r i 3 3"},
        {"stop", ASK(STOP, stop, ann, STR("r"), false), "c co ann r 1"},
        {"stop, and forget", ASK(STOP, stop, ann, STR("r"), true), "c co ann r 2"},
        {"ended", ASK(ENDED, ended, ann, 7, STR("r"), 9), "co ann 7 r 9"},
        {"write", ASK(WRITE, write, appends, 2), "| r1 i 3 7 2 bytes r2 i 4 9 1 b"},
        {"marks", ASK(MARKS, marks, ann, STR("r"), 5, 6, true), "c co ann r 5 6 1"},
        {"put",
         ASK(PUT, put,
             {.key = ann, .kind = STR("k"), .job_id = STR("j"), .due_ms = 5, .bytes = STR("B")}, 2,
             9),
         "c co ann k j 5 B 2 9 TOKEN"},
        {"take", ASK(TAKE, take, STR("k"), 30), "k 30"},
        {"drop", ASK(DROP, drop, ann, STR("k"), STR("j"), 2), "c co ann k j 2"},
    };
    TEST_EACH(c, cases) {
        char text[256] = "";
        struct store_call call = c->call;
        write_words(&call, text, sizeof text);
        EXPECT_STR(c->name, str_of(text), str_of(c->words));
    }
}

TEST(every_verb_is_in_the_table)
{
    for (enum store_verb verb = 0; verb < STORE_VERB_COUNT; verb++) {
        const struct store_wire_verb *of = store_wire_verb_of(verb);
        EXPECT_TRUE(store_verb_name(verb), of->function != NULL && of->count + of->list_count > 0);
        EXPECT_TRUE(store_verb_name(verb), strstr(of->function, store_verb_name(verb)) != NULL);
    }
}

TEST(whom_a_call_is_for)
{
    struct store_call named = ASK(STOP, stop, .key = ann),
                      fenced = ASK(RENEW, renew, .lease_ms = 1),
                      anybody = ASK(FIND, find, .run_id = STR("r"));
    struct gate_ticket ticket = {0};
    store_wire_caller(&named, &ticket);
    EXPECT_STR("company", ticket.caller.company_id, STR("co"));
    EXPECT_STR("user", ticket.caller.user_id, STR("ann"));
    store_wire_caller(&fenced, &ticket);
    EXPECT_TRUE("a fence names nobody", str_is_empty(ticket.caller.company_id));
    EXPECT_TRUE("and weighs more", ticket.weight > 1);
    store_wire_caller(&anybody, &ticket);
    EXPECT_TRUE("an empty key does not either", ticket.weight > 1);
}

/* ---- records ---- */

struct script { /* texts are "t0", "t1" and so on; numbers are given */
    struct store_wire_source source;
    const uint64_t *numbers;
    size_t number_count, at, texts, text_count;
    char text[8];
};

static bool next_text(struct store_wire_source *source, struct str *text)
{
    struct script *script = container_of(source, struct script, source);
    snprintf(script->text, sizeof script->text, "t%zu", script->texts);
    *text = str_of(script->text);
    return script->texts++ < script->text_count;
}

static bool next_number(struct store_wire_source *source, uint64_t *number)
{
    struct script *script = container_of(source, struct script, source);
    if (script->at >= script->number_count)
        return false;
    *number = script->numbers[script->at++];
    return true;
}

static enum err_code add(struct store_call *call, enum store_wire_kind kind,
                         const uint64_t *numbers, size_t number_count, size_t text_count)
{
    struct err err = {0};
    struct script script = {{"the test", next_text, next_number}, numbers, number_count};
    script.text_count = text_count;
    store_call_begin(call);
    return store_wire_add(call, kind, &script.source, &err);
}

TEST(records_are_whole_or_strange)
{
    static const uint64_t run[] = {1, 2, 3, 4, 5, STORE_PAUSED, 2},
                          strange[] = {1, 2, 3, 4, 5, STORE_CANCELLED + 1, 0},
                          verdict[] = {1, 9, 1};
    struct store_call call = {0};
    EXPECT_INT("a run", add(&call, STORE_WIRE_RUN, run, 7, 8), ERR_OK);
    EXPECT_INT("epoch", call.runs[0].epoch, 1);
    EXPECT_INT("last", call.runs[0].last_event_id, 5);
    EXPECT_INT("status", call.runs[0].status, STORE_PAUSED);
    EXPECT_TRUE("cancel, and forget", call.runs[0].cancel_asked && call.runs[0].forget_asked);
    arena_fini(&call.arena);
    EXPECT_INT("an unknown status", add(&call, STORE_WIRE_RUN, strange, 7, 8), ERR_PROTOCOL);
    EXPECT_INT("a number is missing", add(&call, STORE_WIRE_RUN, run, 6, 8), ERR_PROTOCOL);
    EXPECT_INT("a text is missing", add(&call, STORE_WIRE_RUN, run, 7, 7), ERR_PROTOCOL);
    EXPECT_INT("a verdict", add(&call, STORE_WIRE_VERDICT, verdict, 3, 0), ERR_OK);
    EXPECT_TRUE("kept", call.verdicts[0].is_kept);
    EXPECT_TRUE("cancel only", call.verdicts[0].cancel_asked && !call.verdicts[0].forget_asked);
    arena_fini(&call.arena);
}

RUN_TESTS(T(asks_are_words_in_order), T(every_verb_is_in_the_table), T(whom_a_call_is_for),
          T(records_are_whole_or_strange))

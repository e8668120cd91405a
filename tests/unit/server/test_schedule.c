/* SPDX-License-Identifier: MIT */
/* What is stored of a schedule comes back, its owner sees no secret; after which run it comes next;
 * how deliveries wait; signatures. */
#include "server/schedules/schedule.h"

#include "server/schedules/delivery.h"
#include "server/schedules/schedule_after.h"
#include "server/schedules/webhook_sign.h"
#include "tests/lib/test.h"

static struct schedule whole(void)
{
    struct schedule schedule = {
        .caller = {.conversation_id = STR("c-1"), .role = STR("clerk")},
        .keeps = true,
        .name = STR("n"),
        .graph = STR("banking"),
        .message = STR("How \"many\"?"),
        .cron = STR("@daily"),
        .zone = STR("Europe/Berlin"),
        .webhook = STR("https://h/x"),
        .secret = STR("whsec_one"),
        .old_secret = STR("whsec_two"),
        .is_webhook_off = true,
        .webhook_failures = 3,
        .webhook_said = STR("410"),
        .until_ms = 9,
        .grace_ms = 8,
        .due_ms = 7,
        .asked_ms = 6,
        .seen_ms = 5,
        .seen_id = STR("run_x"),
    };
    schedule_note(&schedule,
                  &(struct schedule_note){STR("begun"), STR("r1"), STR(""), STR("c1"), 1, 2});
    schedule_note(&schedule,
                  &(struct schedule_note){STR("missed"), STR(""), STR("why"), STR(""), 3, 4});
    return schedule;
}

static void write_text(const struct schedule *schedule, bool is_for_owner, struct buf *out)
{
    struct json_write json;
    buf_init(out, SCHEDULE_BYTES);
    json_write_init(&json, out);
    json_write_object(&json);
    schedule_write(schedule, is_for_owner, &json);
    json_write_object_end(&json);
    assert_true(buf_ok(out));
}

TEST(what_is_stored_comes_back)
{
    const struct schedule schedule = whole();
    struct schedule read;
    struct buf stored, again;
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, 1 << 20);
    write_text(&schedule, false, &stored);
    const struct store_job job = {.key = {.company_id = STR("acme"), .user_id = STR("ann")},
                                  .bytes = buf_str(&stored)};
    EXPECT_INT("read", schedule_read(&job, &arena, &read, &err), ERR_OK);
    EXPECT_STR("whose", read.caller.user_id, STR("ann"));
    EXPECT_STR("role", read.caller.role, STR("clerk"));
    EXPECT_INT("notes", read.note_count, 2);
    EXPECT_STR("the last first", read.notes[0].what, STR("missed"));
    write_text(&read, false, &again);
    EXPECT_STR("the same", buf_str(&again), buf_str(&stored));
    buf_fini(&again);
    write_text(&read, true, &again);
    EXPECT_TRUE("no secret", str_find(buf_str(&again), STR("whsec")) == STR_NONE);
    EXPECT_TRUE("no role", str_find(buf_str(&again), STR("clerk")) == STR_NONE);
    EXPECT_TRUE("the address", str_find(buf_str(&again), STR("https://h/x")) != STR_NONE);
    buf_fini(&again);
    buf_fini(&stored);
    arena_fini(&arena);
}

TEST(what_is_none_is_told)
{
    static const char *const cases[] = {"", "{}", "[]", "null", "{\"graph\":7}", "{\"graph\":"};
    TEST_EACH(c, cases) {
        struct schedule read;
        struct arena arena;
        struct err err = {0};
        const struct store_job job = {.bytes = str_of(*c)};
        arena_init(&arena, 1 << 20);
        EXPECT_INT(*c, schedule_read(&job, &arena, &read, &err), ERR_PROTOCOL);
        arena_fini(&arena);
    }
}

TEST(so_many_notes_are_kept)
{
    struct schedule schedule = {0};
    for (uint64_t i = 1; i <= SCHEDULE_NOTES + 5; i++)
        schedule_note(&schedule, &(struct schedule_note){.what = STR("begun"), .due_ms = i});
    EXPECT_INT("count", schedule.note_count, SCHEDULE_NOTES);
    EXPECT_INT("the last", schedule.notes[0].due_ms, SCHEDULE_NOTES + 5);
    EXPECT_INT("the first that is left", schedule.notes[SCHEDULE_NOTES - 1].due_ms, 6);
}

TEST(when_its_job_is_taken)
{
    struct schedule schedule = {.cron = STR("@daily"), .due_ms = 5000};
    EXPECT_INT("its time", schedule_job_due(&schedule, 1000), 5000);
    schedule.is_paused = true;
    EXPECT_INT("paused", schedule_job_due(&schedule, 1000), 0);
    schedule.asked_ms = 900;
    EXPECT_INT("asked all the same", schedule_job_due(&schedule, 1000), 1000);
    schedule = (struct schedule){.cron = STR("@daily"), .due_ms = 5000, .until_ms = 999};
    EXPECT_INT("over", schedule_job_due(&schedule, 1000), 0);
    schedule = (struct schedule){.after_graph = STR("g")};
    EXPECT_TRUE("after runs: soon", schedule_job_due(&schedule, 1000) > 1000);
}

static struct store_run run_of(const char *id, const char *graph, enum store_status status,
                               uint64_t changed_ms, const char *key)
{
    return (struct store_run){.run_id = str_of(id),
                              .graph = str_of(graph),
                              .status = status,
                              .changed_ms = changed_ms,
                              .idempotency_key = str_of(key)};
}

TEST(after_which_run)
{
    const struct store_run runs[] = {
        run_of("r1", "g", STORE_COMPLETE, 20, ""),
        run_of("r2", "h", STORE_COMPLETE, 30, ""),
        run_of("r3", "g", STORE_COMPLETE, 50, "sch_1+run_2"), /* came after a run itself */
        run_of("r4", "g", STORE_COMPLETE, 60, "sch_1-123"),
        run_of("r5", "g", STORE_FAILED, 70, ""),
        run_of("r6", "h", STORE_COMPLETE, 80, ""),
    };
    static const struct {
        const char *name, *graph, *status;
        size_t from, place;
    } cases[] = {
        {"the first", "g", "", 0, 0},
        {"by a clock", "g", "", 1, 2},
        {"a failed one", "g", "failed", 0, 4},
        {"another graph's", "h", "", 2, 3},
        {"none", "g", "", 5, 1},
        {"none of these", "g", "cancelled", 0, 6},
        {"of nothing", "g", "", 6, 0},
    };
    TEST_EACH(c, cases) {
        const struct schedule schedule = {.after_graph = str_of(c->graph),
                                          .after_status = str_of(c->status)};
        const struct store_call call = {.runs = runs + c->from,
                                        .run_count = countof(runs) - c->from};
        EXPECT_INT(c->name, schedule_after_find(&schedule, &call), c->place);
    }
}

TEST(how_deliveries_wait)
{
    uint64_t before_ms = 0;
    for (uint64_t attempts = 1; attempts < 8; attempts++)
        for (uint64_t chance = 0; chance < 100; chance++) {
            uint64_t ms = delivery_pause_ms(attempts, 5000, chance), base = 5000;
            for (uint64_t i = 1; i < attempts; i++)
                base = base * 4 < 21600000 ? base * 4 : 21600000;
            EXPECT_TRUE("about four times as long",
                        ms >= base * 79 / 100 && ms <= base * 121 / 100 + 1);
            before_ms = ms;
        }
    EXPECT_TRUE("hours", before_ms > 3600000);
    EXPECT_INT("the last", delivery_pause_ms(8, 5000, 1), 0);
}

/* The example of the Standard Webhooks' libraries. */
TEST(signatures)
{
    static const struct str secret = STR("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    char made[WEBHOOK_SIGN_SECRET];
    struct buf out;
    buf_init(&out, 1024);
    EXPECT_TRUE("signed", webhook_sign_push(secret, STR("msg_p5jXN8AQM9LWM0D4loKWxJek"), 1614265330,
                                            STR("{\"test\": 2432232314}"), &out));
    EXPECT_STR("as there", buf_str(&out), STR("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
    EXPECT_TRUE("no secret", !webhook_sign_push(STR("x"), STR("m"), 1, STR(""), &out));
    EXPECT_TRUE("one that is made",
                webhook_sign_make(made) && webhook_sign_is_secret(str_of(made)));
    EXPECT_TRUE("too short", !webhook_sign_is_secret(STR("whsec_AAAA")));
    buf_fini(&out);
}

RUN_TESTS(T(what_is_stored_comes_back), T(what_is_none_is_told), T(so_many_notes_are_kept),
          T(when_its_job_is_taken), T(after_which_run), T(how_deliveries_wait), T(signatures))

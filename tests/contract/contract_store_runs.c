/* SPDX-License-Identifier: MIT */
/* The contract of store, part two: runs. A run has one owner at a time; who has lost it cannot
 * write for it any more; its events are read back whole, in order, by its caller only. */
#include "tests/contract/store_rig.h"

static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};
static const struct identity bob = {{"c-1", 3}, {"acme", 4}, {"bob", 3}};
static const struct identity anybody = {{NULL, 0}, {NULL, 0}, {NULL, 0}};

static struct store_run run_of(struct identity key, const char *run_id, const char *idempotency)
{
    return (struct store_run){.key = key,
                              .run_id = str_of(run_id),
                              .graph = STR("orchestrator"),
                              .input = STR("\0in\xff"),
                              .idempotency_key = str_of(idempotency),
                              .instance = STR("i1")};
}

static enum err_code begin(struct store_rig *f, const char *run_id, uint64_t lease_ms)
{
    return STORE_RUN(f, begin, .run = run_of(ann, run_id, ""), .lease_ms = lease_ms);
}

static struct store_fence fence_of(const char *run_id, const char *instance, uint64_t epoch)
{
    return (struct store_fence){str_of(run_id), str_of(instance), epoch};
}

/* Until its lease, which is short, is over: the store's clock is not ours. */
static enum err_code claim_at_last(struct store_rig *f, struct str run_id, const char *instance)
{
    enum err_code code = ERR_CONFLICT;
    for (unsigned try = 0; try < 1000000 && code != ERR_OK; try++)
        code = STORE_RUN(f, claim, .run_id = run_id, .instance = str_of(instance),
                         .lease_ms = STORE_RIG_LEASE_MS);
    return code;
}

STORE_TEST(a_run_is_found)
{
    STORE_CODE(f, "begin",
               STORE_RUN(f, begin, .run = run_of(ann, "r1", "key"), .lease_ms = STORE_RIG_LEASE_MS),
               ERR_OK);
    EXPECT_INT("epoch", f->call.runs[0].epoch, 1);
    if (f->call.knows_version)
        EXPECT_INT("no conversation yet", f->call.version, 0);
    STORE_CODE(f, "by id", STORE_RUN(f, find, .key = ann, .run_id = STR("r1")), ERR_OK);
    const struct store_run *run = f->call.runs;
    EXPECT_STR("conversation", run->key.conversation_id, STR("c-1"));
    EXPECT_STR("company", run->key.company_id, STR("acme"));
    EXPECT_STR("user", run->key.user_id, STR("ann"));
    EXPECT_STR("graph", run->graph, STR("orchestrator"));
    EXPECT_STR("input", run->input, STR("\0in\xff"));
    EXPECT_STR("instance", run->instance, STR("i1"));
    EXPECT_STR("key", run->idempotency_key, STR("key"));
    EXPECT_INT("status", run->status, STORE_RUNNING);
    EXPECT_INT("no events", run->last_event_id, 0);
    EXPECT_TRUE("lease", run->lease_until_ms > run->began_ms);
    STORE_CODE(f, "by anybody", STORE_RUN(f, find, .run_id = STR("r1")), ERR_OK);
    STORE_CODE(f, "by key", STORE_RUN(f, find, .key = ann, .idempotency_key = STR("key")), ERR_OK);
    EXPECT_STR("it", f->call.runs[0].run_id, STR("r1"));
    STORE_CODE(f, "bob's", STORE_RUN(f, find, .key = bob, .run_id = STR("r1")), ERR_NOT_FOUND);
    STORE_CODE(f, "bob's key", STORE_RUN(f, find, .key = bob, .idempotency_key = STR("key")),
               ERR_NOT_FOUND);
    STORE_CODE(f, "no id", STORE_RUN(f, find, .key = ann, .run_id = STR("r2")), ERR_NOT_FOUND);
    STORE_CODE(f, "no key", STORE_RUN(f, find, .key = ann, .idempotency_key = STR("k")),
               ERR_NOT_FOUND);
}

/* A store that says which version a run's conversation has says what was saved last. */
STORE_TEST(a_run_begins_with_a_version)
{
    for (uint64_t version = 0; version < 2; version++) {
        STORE_CODE(f, "save",
                   STORE_RUN(f, save, .key = ann, .expected_version = version,
                             .checkpoint = {.is_full = true, .bytes = STR("x")}),
                   ERR_OK);
        struct store_run run = run_of(ann, version == 0 ? "r1" : "r2", "");
        STORE_CODE(f, "begin", STORE_RUN(f, begin, .run = run, .lease_ms = STORE_RIG_LEASE_MS),
                   ERR_OK);
        if (f->call.knows_version)
            EXPECT_INT("version", f->call.version, version + 1);
    }
}

STORE_TEST(a_key_begins_one_run)
{
    const struct identity elsewhere = STORE_RIG_KEY("c-2", "acme", "ann");
    STORE_CODE(f, "first", STORE_RUN(f, begin, .run = run_of(ann, "r1", "key")), ERR_OK);
    STORE_CODE(f, "again", STORE_RUN(f, begin, .run = run_of(ann, "r2", "key")), ERR_CONFLICT);
    EXPECT_STR("the other", f->call.runs[0].run_id, STR("r1"));
    STORE_CODE(f, "bob's", STORE_RUN(f, begin, .run = run_of(bob, "r3", "key")), ERR_OK);
    STORE_CODE(f, "elsewhere", STORE_RUN(f, begin, .run = run_of(elsewhere, "r4", "key")), ERR_OK);
    STORE_CODE(f, "no key", STORE_RUN(f, begin, .run = run_of(ann, "r5", "")), ERR_OK);
    STORE_CODE(f, "no key again", STORE_RUN(f, begin, .run = run_of(ann, "r6", "")), ERR_OK);
}

/* Whoever begins a run may not have heard that it did: the answer was lost, or came too late. */
STORE_TEST(a_begin_that_is_sent_again)
{
    struct store_run others = run_of(ann, "r1", "key");
    others.instance = STR("i2");
    STORE_CODE(f, "first", STORE_RUN(f, begin, .run = run_of(ann, "r1", "key"), .alone = true),
               ERR_OK);
    STORE_CODE(f, "again", STORE_RUN(f, begin, .run = run_of(ann, "r1", "key"), .alone = true),
               ERR_OK);
    EXPECT_INT("one", f->call.run_count, 1);
    EXPECT_STR("itself", f->call.runs[0].run_id, STR("r1"));
    STORE_CODE(f, "another's", STORE_RUN(f, begin, .run = others), ERR_CONFLICT);
    STORE_CODE(f, "list", STORE_RUN(f, runs, .key = ann), ERR_OK);
    EXPECT_INT("there is one", f->call.run_count, 1);
}

/* In conversations of one id that are two owners', neither run is in the other's way, and the end
 * of one keeps the other's checkpoints. */
STORE_TEST(owners_of_one_id_do_not_wait_for_each_other)
{
    const struct store_fence anns = {STR("r1"), STR("i1"), 1}, bobs = {STR("r2"), STR("i1"), 1};
    const struct store_checkpoint first = {.version = 1, .is_full = true, .bytes = STR("c")};
    STORE_CODE(f, "ann's", STORE_RUN(f, begin, .run = run_of(ann, "r1", "key"), .alone = true),
               ERR_OK);
    STORE_CODE(f, "bob's", STORE_RUN(f, begin, .run = run_of(bob, "r2", "key"), .alone = true),
               ERR_OK);
    STORE_CODE(f, "not again", STORE_RUN(f, begin, .run = run_of(bob, "r3", ""), .alone = true),
               ERR_CONFLICT);
    EXPECT_STR("bob's own", f->call.runs[0].run_id, STR("r2"));
    STORE_CODE(f, "mark", STORE_RUN(f, mark, .fence = anns, .checkpoint = first), ERR_OK);
    STORE_CODE(f, "mark", STORE_RUN(f, mark, .fence = bobs, .checkpoint = first), ERR_OK);
    STORE_CODE(f, "end", STORE_RUN(f, finish, .fence = anns, .status = STORE_COMPLETE), ERR_OK);
    STORE_CODE(f, "end", STORE_RUN(f, finish, .fence = bobs, .status = STORE_COMPLETE), ERR_OK);
    STORE_CODE(f, "ann's", STORE_RUN(f, marks, .key = ann, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("her checkpoint", f->call.checkpoint_count, 1);
    STORE_CODE(f, "list", STORE_RUN(f, runs, .key = bob), ERR_OK);
    EXPECT_INT("bob's one", f->call.run_count, 1);
    STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = bob), ERR_OK);
    STORE_CODE(f, "hers stays", STORE_RUN(f, find, .key = ann, .run_id = STR("r1")), ERR_OK);
}

STORE_TEST(of_many_beginners_alone_one_wins)
{
    enum { BEGINNERS = 8 };
    static struct store_call calls[BEGINNERS];
    static struct store_begin begins[BEGINNERS];
    static char ids[BEGINNERS][8];
    unsigned won = 0;
    for (unsigned i = 0; i < BEGINNERS; i++) {
        snprintf(ids[i], sizeof ids[i], "r%u", i);
        begins[i] = (struct store_begin){
            .run = run_of(ann, ids[i], ""), .lease_ms = STORE_RIG_LEASE_MS, .alone = true};
        store_begin_start(&calls[i], f->store, &begins[i], rig_waiter(&f->rig));
    }
    rig_wait("all end", &f->rig, BEGINNERS);
    for (unsigned i = 0; i < BEGINNERS; i++)
        won += calls[i].op.err.code == ERR_OK;
    EXPECT_INT("one", won, 1);
    for (unsigned i = 0; i < BEGINNERS; i++) {
        EXPECT_TRUE("the others know it", calls[i].run_count == 1);
        EXPECT_STR("the others know it", calls[i].runs[0].run_id, calls[0].runs[0].run_id);
    }
    struct store_fence fence = {calls[0].runs[0].run_id, STR("i1"), 1};
    STORE_CODE(f, "finish", STORE_RUN(f, finish, .fence = fence, .status = STORE_COMPLETE), ERR_OK);
    STORE_CODE(f, "then another", STORE_RUN(f, begin, .run = run_of(ann, "r9", ""), .alone = true),
               ERR_OK);
    for (unsigned i = 0; i < BEGINNERS; i++)
        op_release(&calls[i].op);
}

STORE_TEST(a_run_has_one_owner)
{
    const struct store_fence first = fence_of("r1", "i1", 1), second = fence_of("r1", "i2", 2);
    STORE_CODE(f, "begin", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "too early",
               STORE_RUN(f, claim, .run_id = STR("r1"), .instance = STR("i2"), .lease_ms = 1),
               ERR_CONFLICT);
    STORE_CODE(f, "none to take", STORE_RUN(f, claim, .instance = STR("i2"), .lease_ms = 1),
               ERR_NOT_FOUND);
    STORE_CODE(f, "not there",
               STORE_RUN(f, claim, .run_id = STR("r2"), .instance = STR("i2"), .lease_ms = 1),
               ERR_NOT_FOUND);
    STORE_CODE(f, "let it go", STORE_RUN(f, renew, .fence = first, .lease_ms = 0), ERR_OK);
    STORE_CODE(f, "take it", claim_at_last(f, STR(""), "i2"), ERR_OK);
    EXPECT_STR("it", f->call.runs[0].run_id, STR("r1"));
    EXPECT_STR("is another's", f->call.runs[0].instance, STR("i2"));
    EXPECT_INT("epoch", f->call.runs[0].epoch, 2);
    EXPECT_STR("input", f->call.runs[0].input, STR("\0in\xff"));
    STORE_CODE(f, "lost", STORE_RUN(f, renew, .fence = first, .lease_ms = 1), ERR_CONFLICT);
    STORE_CODE(f, "lost", STORE_RUN(f, finish, .fence = first), ERR_CONFLICT);
    STORE_CODE(f, "lost", STORE_RUN(f, append, .fence = first, .batch = {1, 1, STR("late")}),
               ERR_CONFLICT);
    STORE_CODE(f, "not his epoch",
               STORE_RUN(f, append, .fence = fence_of("r1", "i2", 1), .batch = {1, 1, STR("x")}),
               ERR_CONFLICT);
    STORE_CODE(f, "his", STORE_RUN(f, append, .fence = second, .batch = {1, 1, STR("x")}), ERR_OK);
    STORE_CODE(f, "end", STORE_RUN(f, finish, .fence = second, .status = STORE_FAILED), ERR_OK);
    STORE_CODE(f, "has ended",
               STORE_RUN(f, claim, .run_id = STR("r1"), .instance = STR("i2"), .lease_ms = 1),
               ERR_CONFLICT);
    STORE_CODE(f, "find", STORE_RUN(f, find, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("status", f->call.runs[0].status, STORE_FAILED);
}

/* Claim for instance until a claim ends with want, for at least ms; -> the last code. */
static enum err_code claim_for(struct store_rig *f, const char *instance, enum err_code want,
                               uint64_t ms)
{
    uint64_t until_ms = loop_now_ms(f->rig.loop) + ms;
    enum err_code code;
    do
        code = STORE_RUN(f, claim, .instance = str_of(instance), .lease_ms = STORE_RIG_LEASE_MS);
    while (code != want && loop_now_ms(f->rig.loop) < until_ms);
    return code;
}

/* Who shows that it lives keeps its runs, however often others look; when what shows it ends, they
 * are another's, though their lease has long to go. Who never showed it has its lease. It is shown
 * before the first run is there, without a look before. */
STORE_TEST(who_attends_and_is_gone_has_no_lease)
{
    enum { LIVES_MS = 1500, GONE_MS = 60000 };
    struct store *first = f->store;
    if (first->vtable->attend == NULL)
        return;
    STORE_CODE(f, "nothing", claim_for(f, "i1", ERR_NOT_FOUND, GONE_MS), ERR_NOT_FOUND);
    store_attend(first, STR("i1"));
    STORE_CODE(f, "begin", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    struct store_run other = run_of(ann, "r2", "");
    other.instance = STR("i3");
    STORE_CODE(f, "of one that does not attend",
               STORE_RUN(f, begin, .run = other, .lease_ms = STORE_RIG_LEASE_MS), ERR_OK);
    f->store = f->of->open(f->rig.loop, f->place);
    assert_non_null(f->store);
    store_attend(f->store, STR("i2"));
    STORE_CODE(f, "alive", claim_for(f, "i2", ERR_OK, LIVES_MS), ERR_NOT_FOUND);
    store_close(first, rig_on_closed, &f->rig);
    STORE_CODE(f, "gone", claim_for(f, "i2", ERR_OK, GONE_MS), ERR_OK);
    EXPECT_STR("its run", f->call.runs[0].run_id, STR("r1"));
    EXPECT_INT("epoch", f->call.runs[0].epoch, 2);
    STORE_CODE(f, "no other", claim_for(f, "i2", ERR_OK, LIVES_MS), ERR_NOT_FOUND);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    f->rig.closed_calls = 0;
}

STORE_TEST(a_paused_run_waits_for_who_asks)
{
    STORE_CODE(f, "begin", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "pause",
               STORE_RUN(f, finish, .fence = fence_of("r1", "i1", 1), .status = STORE_PAUSED),
               ERR_OK);
    STORE_CODE(f, "renew", STORE_RUN(f, renew, .fence = fence_of("r1", "i1", 1), .lease_ms = 1),
               ERR_CONFLICT);
    STORE_CODE(f, "not by itself", STORE_RUN(f, claim, .instance = STR("i2"), .lease_ms = 1),
               ERR_NOT_FOUND);
    STORE_CODE(f, "busy", STORE_RUN(f, begin, .run = run_of(ann, "r2", ""), .alone = true),
               ERR_CONFLICT);
    STORE_CODE(f, "by name", claim_at_last(f, STR("r1"), "i2"), ERR_OK);
    EXPECT_INT("runs", f->call.runs[0].status, STORE_RUNNING);
    EXPECT_INT("epoch", f->call.runs[0].epoch, 2);
}

STORE_TEST(a_run_is_asked_to_stop)
{
    STORE_CODE(f, "begin", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "not bob's", STORE_RUN(f, stop, .key = bob, .run_id = STR("r1")), ERR_NOT_FOUND);
    STORE_CODE(f, "renew", STORE_RUN(f, renew, .fence = fence_of("r1", "i1", 1), .lease_ms = 60000),
               ERR_OK);
    EXPECT_INT("not asked", f->call.runs[0].cancel_asked, false);
    STORE_CODE(f, "stop", STORE_RUN(f, stop, .key = ann, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("asked", f->call.runs[0].cancel_asked, true);
    EXPECT_INT("only to cancel", f->call.runs[0].forget_asked, false);
    STORE_CODE(f, "stop", STORE_RUN(f, stop, .key = ann, .run_id = STR("r1"), .forget = true),
               ERR_OK);
    EXPECT_INT("to forget, too", f->call.runs[0].forget_asked, true);
    STORE_CODE(f, "stop", STORE_RUN(f, stop, .key = ann, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("still", f->call.runs[0].forget_asked, true);
    STORE_CODE(f, "renew", STORE_RUN(f, renew, .fence = fence_of("r1", "i1", 1), .lease_ms = 60000),
               ERR_OK);
    EXPECT_INT("asked", f->call.runs[0].cancel_asked, true);
}

STORE_TEST(runs_are_listed)
{
    STORE_CODE(f, "r1", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "r2", begin(f, "r2", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "r3", STORE_RUN(f, begin, .run = run_of(bob, "r3", "")), ERR_OK);
    STORE_CODE(f, "end",
               STORE_RUN(f, finish, .fence = fence_of("r1", "i1", 1), .status = STORE_COMPLETE),
               ERR_OK);
    STORE_CODE(f, "all", STORE_RUN(f, runs, .key = anybody), ERR_OK);
    EXPECT_INT("three", f->call.run_count, 3);
    STORE_CODE(f, "ann's", STORE_RUN(f, runs, .key = ann), ERR_OK);
    EXPECT_INT("two", f->call.run_count, 2);
    EXPECT_TRUE("last first", f->call.runs[0].began_ms >= f->call.runs[1].began_ms);
    STORE_CODE(f, "open", STORE_RUN(f, runs, .key = ann, .only_open = true), ERR_OK);
    EXPECT_INT("one", f->call.run_count, 1);
    EXPECT_STR("it", f->call.runs[0].run_id, STR("r2"));
    STORE_CODE(f, "limit", STORE_RUN(f, runs, .limit = 2), ERR_OK);
    EXPECT_INT("two", f->call.run_count, 2);
}

static const struct identity anns = {{"", 0}, {"acme", 4}, {"ann", 3}};

static void end_run(struct store_rig *f, const char *run_id, enum store_status status)
{
    STORE_CODE(f, run_id,
               STORE_RUN(f, finish, .fence = fence_of(run_id, "i1", 1), .status = status), ERR_OK);
}

/* A cursor that goes on behind the last one it saw sees each end once, in one order, however many
 * come in one moment, and whatever is removed meanwhile. */
STORE_TEST(ends_are_seen_once_and_in_order)
{
    enum { ENDS = 23, AT_ONCE = 5 };
    char id[16], seen_id[16] = "";
    uint64_t seen_ms = 0;
    unsigned seen = 0;
    STORE_CODE(f, "a job",
               STORE_RUN(f, put, .job = {.key = anns, .kind = STR("k"), .job_id = STR("j")}),
               ERR_OK);
    STORE_CODE(f, "none", STORE_RUN(f, ended, .key = anns), ERR_OK);
    EXPECT_INT("none", f->call.run_count, 0);
    for (unsigned i = 0; i < ENDS + 2; i++) {
        snprintf(id, sizeof id, "r%u", 100 - i); /* ids are no help */
        STORE_CODE(f, id, begin(f, id, STORE_RIG_LEASE_MS), ERR_OK);
    }
    STORE_CODE(f, "bob's", STORE_RUN(f, begin, .run = run_of(bob, "b1", "")), ERR_OK);
    end_run(f, "b1", STORE_COMPLETE);
    end_run(f, "r77", STORE_PAUSED); /* the one before the last; the last goes on */
    for (unsigned i = 0; i < ENDS; i++) {
        snprintf(id, sizeof id, "r%u", 100 - i);
        end_run(f, id, i % 3 == 0 ? STORE_COMPLETE : i % 3 == 1 ? STORE_FAILED : STORE_CANCELLED);
    }
    do {
        STORE_CODE(f, "look",
                   STORE_RUN(f, ended, .key = anns, .after_ms = seen_ms,
                             .after_id = str_of(seen_id), .limit = AT_ONCE),
                   ERR_OK);
        EXPECT_TRUE("no more than asked", f->call.run_count <= AT_ONCE);
        for (size_t i = 0; i < f->call.run_count; i++, seen++) {
            const struct store_run *run = &f->call.runs[i];
            snprintf(id, sizeof id, "r%u", 100 - seen);
            EXPECT_STR("in the order of ends", run->run_id, str_of(id));
            EXPECT_TRUE("each later than the one before", run->changed_ms > seen_ms);
            seen_ms = run->changed_ms;
            snprintf(seen_id, sizeof seen_id, "%.*s", STR_ARG(run->run_id));
        }
    } while (f->call.run_count > 0);
    EXPECT_INT("each once", seen, ENDS);
    (void)!STORE_RUN(f, finish, .fence = fence_of("r78", "i1", 1), .status = STORE_FAILED);
    STORE_CODE(f, "sent again",
               STORE_RUN(f, ended, .key = anns, .after_ms = seen_ms, .after_id = str_of(seen_id)),
               ERR_OK);
    EXPECT_INT("is no end", f->call.run_count, 0);
}

/* A paused run that another one goes on with has ended, too. */
STORE_TEST(a_run_that_is_gone_on_with_has_ended)
{
    STORE_CODE(f, "begin", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    end_run(f, "r1", STORE_PAUSED);
    STORE_CODE(f, "resume",
               STORE_RUN(f, resume,
                         .begin = {.run = run_of(ann, "r2", ""), .lease_ms = STORE_RIG_LEASE_MS},
                         .paused_id = STR("r1"), .checkpoint = {.bytes = STR("x")}),
               ERR_OK);
    STORE_CODE(f, "look", STORE_RUN(f, ended, .key = anns), ERR_OK);
    EXPECT_INT("one", f->call.run_count, 1);
    EXPECT_STR("it", f->call.runs[0].run_id, STR("r1"));
    STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = ann), ERR_OK);
    STORE_CODE(f, "look", STORE_RUN(f, ended, .key = anns), ERR_OK);
    EXPECT_INT("none", f->call.run_count, 0);
}

/* ---- events ---- */

static enum err_code append(struct store_rig *f, uint64_t first, uint64_t count, const char *bytes)
{
    return STORE_RUN(f, append, .fence = fence_of("r1", "i1", 1),
                     .batch = {first, count, str_of(bytes)});
}

static struct str read_back(struct store_rig *f, uint64_t after_id, uint64_t limit_bytes)
{
    static char text[256];
    size_t len = 0;
    STORE_CODE(f, "read",
               STORE_RUN(f, read, .key = ann, .run_id = STR("r1"), .after_id = after_id,
                         .limit_bytes = limit_bytes),
               ERR_OK);
    for (size_t i = 0; i < f->call.batch_count; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%llu+%llu:%.*s ",
                                (unsigned long long)f->call.batches[i].first_id,
                                (unsigned long long)f->call.batches[i].count,
                                STR_ARG(f->call.batches[i].bytes));
    return str_trim(str_make(text, len));
}

STORE_TEST(events_are_read_back_in_order)
{
    STORE_CODE(f, "begin", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    EXPECT_STR("none", read_back(f, 0, 100), STR(""));
    STORE_CODE(f, "one", append(f, 1, 3, "aaa"), ERR_OK);
    EXPECT_INT("last", f->call.last_id, 3);
    STORE_CODE(f, "two", append(f, 4, 1, "bbbb"), ERR_OK);
    STORE_CODE(f, "sent again", append(f, 4, 1, "bbbb"), ERR_OK);
    EXPECT_INT("last", f->call.last_id, 4);
    STORE_CODE(f, "a gap", append(f, 6, 1, "x"), ERR_CONFLICT);
    EXPECT_INT("last", f->call.last_id, 4);
    STORE_CODE(f, "three", append(f, 5, 2, "cc"), ERR_OK);
    EXPECT_STR("all", read_back(f, 0, 100), STR("1+3:aaa 4+1:bbbb 5+2:cc"));
    EXPECT_INT("last", f->call.last_id, 6);
    EXPECT_INT("the run too", f->call.runs[0].status, STORE_RUNNING);
    EXPECT_STR("in the middle of one", read_back(f, 2, 100), STR("1+3:aaa 4+1:bbbb 5+2:cc"));
    EXPECT_STR("after one", read_back(f, 3, 100), STR("4+1:bbbb 5+2:cc"));
    EXPECT_STR("as many as fit", read_back(f, 0, 7), STR("1+3:aaa 4+1:bbbb"));
    EXPECT_STR("at least one", read_back(f, 0, 1), STR("1+3:aaa"));
    EXPECT_STR("at the end", read_back(f, 6, 100), STR(""));
    STORE_CODE(f, "bob", STORE_RUN(f, read, .key = bob, .run_id = STR("r1")), ERR_NOT_FOUND);
    EXPECT_INT("nothing", f->call.batch_count, 0);
    STORE_CODE(f, "no run", STORE_RUN(f, read, .key = ann, .run_id = STR("r2")), ERR_NOT_FOUND);
}

STORE_TEST(batches_of_several_runs_are_written_at_once)
{
    const struct store_append appends[] = {
        {fence_of("r1", "i1", 1), {1, 2, STR("aa")}},
        {fence_of("r2", "i2", 1), {1, 1, STR("not its owner")}},
        {fence_of("r3", "i1", 1), {2, 1, STR("a gap")}},
        {fence_of("r4", "i1", 1), {1, 1, STR("no such run")}},
        {fence_of("r2", "i1", 1), {1, 3, STR("\0bb")}},
    };
    static const bool is_kept[] = {true, false, false, false, true};
    static const uint64_t last_ids[] = {2, 0, 0, 0, 3};
    STORE_CODE(f, "r1", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "r2", begin(f, "r2", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "r3", begin(f, "r3", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "stop", STORE_RUN(f, stop, .run_id = STR("r1"), .forget = true), ERR_OK);
    STORE_CODE(f, "none", STORE_RUN(f, write, .appends = appends), ERR_OK);
    EXPECT_INT("none", f->call.verdict_count, 0);
    for (unsigned time = 0; time < 2; time++) { /* it may be sent again */
        STORE_CODE(f, "write",
                   STORE_RUN(f, write, .appends = appends + time, .count = countof(appends) - time),
                   ERR_OK);
        EXPECT_INT("verdicts", f->call.verdict_count, countof(appends) - time);
        for (size_t i = time; i < countof(appends); i++) {
            EXPECT_INT("kept", f->call.verdicts[i - time].is_kept, is_kept[i]);
            EXPECT_INT("last", f->call.verdicts[i - time].last_id, last_ids[i]);
            EXPECT_INT("cancel", f->call.verdicts[i - time].cancel_asked, i == 0);
            EXPECT_INT("forget", f->call.verdicts[i - time].forget_asked, i == 0);
        }
    }
    STORE_CODE(f, "one", STORE_RUN(f, read, .run_id = STR("r1"), .limit_bytes = 100), ERR_OK);
    EXPECT_STR("one", f->call.batches[0].bytes, STR("aa"));
    STORE_CODE(f, "two", STORE_RUN(f, read, .run_id = STR("r2"), .limit_bytes = 100), ERR_OK);
    EXPECT_INT("one batch", f->call.batch_count, 1);
    EXPECT_INT("of three", f->call.batches[0].count, 3);
    EXPECT_STR("two", f->call.batches[0].bytes, STR("\0bb"));
}

STORE_TEST(a_great_many_runs_are_written_at_once)
{
    static struct store_append appends[STORE_MAX_ROWS];
    static char ids[STORE_MAX_ROWS][8];
    for (size_t i = 0; i < countof(appends); i++) {
        snprintf(ids[i], sizeof ids[i], "r%zu", i);
        STORE_CODE(f, "begin", begin(f, ids[i], STORE_RIG_LEASE_MS), ERR_OK);
        appends[i] = (struct store_append){fence_of(ids[i], "i1", 1), {1, 1, str_of(ids[i])}};
    }
    STORE_CODE(f, "write", STORE_RUN(f, write, .appends = appends, .count = countof(appends)),
               ERR_OK);
    for (size_t i = 0; i < countof(appends); i++)
        EXPECT_INT("kept", f->call.verdicts[i].is_kept, true);
    STORE_CODE(f, "read", STORE_RUN(f, read, .run_id = STR("r999"), .limit_bytes = 9), ERR_OK);
    EXPECT_STR("its own", f->call.batches[0].bytes, STR("r999"));
}

STORE_TEST(a_new_owner_goes_on_behind_the_old_one)
{
    STORE_CODE(f, "begin", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "one", append(f, 1, 2, "aa"), ERR_OK);
    STORE_CODE(f, "let it go", STORE_RUN(f, renew, .fence = fence_of("r1", "i1", 1), .lease_ms = 0),
               ERR_OK);
    STORE_CODE(f, "take it", claim_at_last(f, STR("r1"), "i2"), ERR_OK);
    EXPECT_INT("last", f->call.runs[0].last_event_id, 2);
    STORE_CODE(f, "two",
               STORE_RUN(f, append, .fence = fence_of("r1", "i2", 2), .batch = {3, 1, STR("b")}),
               ERR_OK);
    STORE_CODE(f, "the old one", append(f, 4, 1, "x"), ERR_CONFLICT);
    EXPECT_STR("all", read_back(f, 0, 100), STR("1+2:aa 3+1:b"));
}

/* Ids of its own: it does not know how many the old one had given out. */
STORE_TEST(a_new_owner_leaves_ids_out)
{
    const struct store_fence second = fence_of("r1", "i2", 2);
    const uint64_t id = event_first_id(2);
    const struct store_append appends[] = {
        {second, {id, 1, STR("b")}},     {second, {id + 1, 2, STR("cc")}},
        {second, {id + 4, 1, STR("x")}}, {second, {event_first_id(3), 1, STR("x")}},
        {second, {id, 4, STR("x")}},     {second, {id, 1, STR("b")}}};
    static const bool is_kept[] = {true, true, false, false, false, true};
    STORE_CODE(f, "begin", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "its own only", append(f, id, 1, "x"), ERR_CONFLICT);
    STORE_CODE(f, "one", append(f, 1, 2, "aa"), ERR_OK);
    STORE_CODE(f, "let it go", STORE_RUN(f, renew, .fence = fence_of("r1", "i1", 1), .lease_ms = 0),
               ERR_OK);
    STORE_CODE(f, "take it", claim_at_last(f, STR("r1"), "i2"), ERR_OK);
    STORE_CODE(f, "not from its first on",
               STORE_RUN(f, append, .fence = second, .batch = {id + 1, 1, STR("x")}), ERR_CONFLICT);
    EXPECT_INT("last", f->call.last_id, 2);
    for (size_t i = 0; i < countof(appends); i++) {
        STORE_CODE(f, "write", STORE_RUN(f, write, .appends = appends + i, .count = 1), ERR_OK);
        EXPECT_INT("kept", f->call.verdicts[0].is_kept, is_kept[i]);
        EXPECT_INT("last", f->call.verdicts[0].last_id, i == 0 ? id : id + 2);
    }
    const struct store_batch more = {id + 3, 1, STR("d")};
    STORE_CODE(f, "more", STORE_RUN(f, append, .fence = second, .batch = more), ERR_OK);
    EXPECT_INT("last", f->call.last_id, id + 3);
    const char *all = "1+2:aa 1000000001+1:b 1000000002+2:cc 1000000004+1:d";
    EXPECT_STR("all", read_back(f, 0, 100), str_of(all));
    EXPECT_STR("behind the old one's", read_back(f, 2, 100), str_from(str_of(all), 7));
    EXPECT_STR("and what nobody has", read_back(f, 999, 100), str_from(str_of(all), 7));
    EXPECT_STR("and so on", read_back(f, id, 100), str_from(str_of(all), 22));
}

STORE_TEST(large_batches)
{
    enum { LARGE = 256 * 1024 };
    static char bytes[LARGE];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 31 + (i >> 8));
    STORE_CODE(f, "begin", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    for (uint64_t i = 0; i < 8; i++)
        STORE_CODE(f, "append",
                   STORE_RUN(f, append, .fence = fence_of("r1", "i1", 1),
                             .batch = {i * 100 + 1, 100, str_make(bytes, sizeof bytes - i)}),
                   ERR_OK);
    STORE_CODE(f, "read",
               STORE_RUN(f, read, .run_id = STR("r1"), .limit_bytes = UINT64_C(8) * LARGE), ERR_OK);
    EXPECT_INT("all", f->call.batch_count, 8);
    for (size_t i = 0; i < 8; i++)
        EXPECT_TRUE("whole",
                    str_equal(f->call.batches[i].bytes, str_make(bytes, sizeof bytes - i)));
}

STORE_TEST(they_go_with_their_conversation)
{
    STORE_CODE(f, "say", store_rig_say(f, ann, 0, "a", "b"), ERR_OK);
    STORE_CODE(f, "begin", begin(f, "r1", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "one", append(f, 1, 3, "aaa"), ERR_OK);
    STORE_CODE(f, "not bob's", STORE_RUN(f, erase, .key = STORE_RIG_KEY("c-1", "acme", "bob")),
               ERR_NOT_FOUND);
    STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = ann), ERR_OK);
    STORE_CODE(f, "read", STORE_RUN(f, read, .run_id = STR("r1")), ERR_NOT_FOUND);
    STORE_CODE(f, "lost", append(f, 4, 1, "x"), ERR_CONFLICT);
    STORE_CODE(f, "without one", begin(f, "r2", STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, "a store of runs only", STORE_RUN(f, erase, .key = ann), ERR_OK);
    STORE_CODE(f, "find", STORE_RUN(f, find, .run_id = STR("r2")), ERR_NOT_FOUND);
}

STORE_TEST(old_ones_are_pruned)
{
    enum { HOUR_MS = 3600000 };
    const struct identity elsewhere = STORE_RIG_KEY("c-2", "acme", "ann");
    STORE_CODE(f, "begin", STORE_RUN(f, begin, .run = run_of(elsewhere, "r1", "")), ERR_OK);
    STORE_CODE(f, "one", append(f, 1, 3, "aaa"), ERR_OK);
    STORE_CODE(f, "nothing old", STORE_RUN(f, prune, .age_ms = HOUR_MS, .instance = STR("i1")),
               ERR_OK);
    EXPECT_INT("none", f->call.total, 0);
    STORE_CODE(f, "all", STORE_RUN(f, prune, .instance = STR("i1")), ERR_OK);
    EXPECT_INT("one", f->call.total, 1);
    STORE_CODE(f, "gone", STORE_RUN(f, read, .run_id = STR("r1")), ERR_NOT_FOUND);
}

/* ---- the end of a store ---- */

/* A store that begins to attend, asked for a run at once, and turned so often. */
static void turn_first_run(struct store_rig *f, struct store *store, const struct store_begin *ask,
                           unsigned turns)
{
    store_attend(store, STR("i9"));
    store_begin_start(store_rig_fresh(f), store, ask, rig_waiter(&f->rig));
    for (unsigned turn = 0; turn < turns && op_is_pending(&f->call.op); turn++)
        (void)!loop_run_dry(f->rig.loop, 1);
}

/* While its sign is shown for the first time, what waits for that ends, at every turn. */
STORE_TEST(closed_or_cancelled_before_its_sign)
{
    enum { TURNS = 40 };
    const struct store_begin ask = {.run = run_of(ann, "r1", ""), .lease_ms = 1000};
    for (unsigned turns = 0; turns < 2 * TURNS && f->store->vtable->attend != NULL; turns++) {
        struct store *store = f->of->open(f->rig.loop, f->place);
        const bool closes = turns % 2 == 0;
        assert_non_null(store);
        turn_first_run(f, store, &ask, turns / 2);
        const bool is_over = !op_is_pending(&f->call.op);
        if (closes)
            store_close(store, rig_on_closed, &f->rig);
        else
            op_cancel(&f->call.op);
        for (unsigned run = 0; run < RIG_TURNS && op_is_pending(&f->call.op); run++)
            loop_run(f->rig.loop);
        enum err_code code = f->call.op.err.code;
        EXPECT_TRUE("ended", !op_is_pending(&f->call.op));
        EXPECT_TRUE("how",
                    code == ERR_OK || code == ERR_CONFLICT || (code == ERR_CANCELLED && !is_over));
        if (!closes)
            store_close(store, rig_on_closed, &f->rig);
        while (f->rig.closed_calls == 0)
            loop_run(f->rig.loop);
        EXPECT_INT("closed", f->rig.closed_calls, 1);
        f->rig.closed_calls = 0;
    }
}

/* What is asked once it is being closed ends as what was asked before. */
STORE_TEST(asked_while_it_is_closed)
{
    static struct store_call calls[4];
    const struct store_find find = {.run_id = STR("r")};
    const struct store_renew renew = {.fence = {STR("r"), STR("i"), 1}, .lease_ms = 1000};
    store_find_start(&calls[0], f->store, &find, rig_waiter(&f->rig));
    store_renew_start(&calls[1], f->store, &renew, rig_waiter(&f->rig));
    store_close(f->store, rig_on_closed, &f->rig);
    store_find_start(&calls[2], f->store, &find, rig_waiter(&f->rig));
    store_renew_start(&calls[3], f->store, &renew, rig_waiter(&f->rig));
    assert_true(loop_run_dry(f->rig.loop, RIG_TURNS));
    EXPECT_INT("all ended", f->rig.done_calls, countof(calls));
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    for (size_t i = 0; i < countof(calls); i++)
        op_release(&calls[i].op);
    f->rig.closed_calls = 0;
    f->store = NULL;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        T(a_run_is_found),
        T(a_run_begins_with_a_version),
        T(a_key_begins_one_run),
        T(a_begin_that_is_sent_again),
        T(owners_of_one_id_do_not_wait_for_each_other),
        T(of_many_beginners_alone_one_wins),
        T(a_run_has_one_owner),
        T(who_attends_and_is_gone_has_no_lease),
        T(a_paused_run_waits_for_who_asks),
        T(a_run_is_asked_to_stop),
        T(runs_are_listed),
        T(ends_are_seen_once_and_in_order),
        T(a_run_that_is_gone_on_with_has_ended),
        T(events_are_read_back_in_order),
        T(batches_of_several_runs_are_written_at_once),
        T(a_great_many_runs_are_written_at_once),
        T(a_new_owner_goes_on_behind_the_old_one),
        T(a_new_owner_leaves_ids_out),
        T(large_batches),
        T(they_go_with_their_conversation),
        T(old_ones_are_pruned),
        T(asked_while_it_is_closed),
        T(closed_or_cancelled_before_its_sign),
    };
    return store_rig_main(tests, countof(tests));
}

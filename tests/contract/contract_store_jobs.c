/* SPDX-License-Identifier: MIT */
/* The contract of store, part four: jobs. One that is due is taken by one; of two changes made from
 * the same version one is refused; a user's jobs are the user's, and go with the user. */
#include "tests/contract/store_rig.h"

static const struct identity ann = {STR("c-1"), STR("acme"), STR("ann")};
static const struct identity anns = {STR(""), STR("acme"), STR("ann")};
static const struct identity bob = {STR(""), STR("acme"), STR("bob")};
static const struct identity anybody = {STR(""), STR(""), STR("")};

enum { LONG_AGO_MS = 1000, SHORT_MS = 1 };
#define FAR_AHEAD_MS (UINT64_C(1) << 45)

static enum err_code put(struct store_rig *f, struct identity key, const char *id, uint64_t due_ms,
                         uint64_t expected)
{
    return STORE_RUN(f, put,
                     .job = {.key = key,
                             .kind = STR("schedule"),
                             .job_id = str_of(id),
                             .due_ms = due_ms,
                             .bytes = STR("\0b\xff")},
                     .expected_version = expected);
}

static enum err_code take(struct store_rig *f, const char *kind, uint64_t lease_ms)
{
    return STORE_RUN(f, take, .kind = str_of(kind), .lease_ms = lease_ms);
}

STORE_TEST(a_job_is_kept)
{
    STORE_CODE(f, "put", put(f, ann, "j1", FAR_AHEAD_MS, 0), ERR_OK);
    EXPECT_INT("version", f->call.jobs[0].version, 1);
    STORE_CODE(f, "list", STORE_RUN(f, jobs, .key = anns, .kind = STR("schedule")), ERR_OK);
    EXPECT_INT("one", f->call.job_count, 1);
    const struct store_job *job = f->call.jobs;
    EXPECT_STR("conversation", job->key.conversation_id, STR("c-1"));
    EXPECT_STR("company", job->key.company_id, STR("acme"));
    EXPECT_STR("user", job->key.user_id, STR("ann"));
    EXPECT_STR("kind", job->kind, STR("schedule"));
    EXPECT_STR("id", job->job_id, STR("j1"));
    EXPECT_STR("bytes", job->bytes, STR("\0b\xff"));
    EXPECT_INT("due", job->due_ms, FAR_AHEAD_MS);
    EXPECT_TRUE("began", job->began_ms > 0 && job->changed_ms >= job->began_ms);
    STORE_CODE(f, "bob's", STORE_RUN(f, jobs, .key = bob, .kind = STR("schedule")), ERR_OK);
    EXPECT_INT("none", f->call.job_count, 0);
    STORE_CODE(f, "of another kind", STORE_RUN(f, jobs, .key = anns, .kind = STR("other")), ERR_OK);
    EXPECT_INT("none", f->call.job_count, 0);
    STORE_CODE(f, "by id",
               STORE_RUN(f, jobs, .key = anybody, .kind = STR("schedule"), .job_id = STR("j1")),
               ERR_OK);
    EXPECT_INT("one", f->call.job_count, 1);
}

STORE_TEST(of_two_changes_one_is_refused)
{
    STORE_CODE(f, "put", put(f, ann, "j1", 0, 0), ERR_OK);
    STORE_CODE(f, "a second new one", put(f, ann, "j1", 0, 0), ERR_CONFLICT);
    STORE_CODE(f, "change", put(f, ann, "j1", 0, 1), ERR_OK);
    EXPECT_INT("version", f->call.jobs[0].version, 2);
    EXPECT_INT("when it began stays", f->call.jobs[0].began_ms <= f->call.jobs[0].changed_ms, 1);
    STORE_CODE(f, "change from the same", put(f, ann, "j1", 0, 1), ERR_CONFLICT);
    STORE_CODE(f, "bob's change", put(f, bob, "j1", 0, 2), ERR_NOT_FOUND);
    STORE_CODE(f, "what is not there", put(f, ann, "j2", 0, 1), ERR_NOT_FOUND);
}

STORE_TEST(a_job_that_is_due_is_taken_once)
{
    STORE_CODE(f, "none", take(f, "schedule", STORE_RIG_LEASE_MS), ERR_NOT_FOUND);
    STORE_CODE(f, "later", put(f, ann, "later", FAR_AHEAD_MS, 0), ERR_OK);
    STORE_CODE(f, "never", put(f, ann, "never", 0, 0), ERR_OK);
    STORE_CODE(f, "second", put(f, bob, "second", 2 * LONG_AGO_MS, 0), ERR_OK);
    STORE_CODE(f, "first", put(f, ann, "first", LONG_AGO_MS, 0), ERR_OK);
    STORE_CODE(f, "another kind's", take(f, "delivery", STORE_RIG_LEASE_MS), ERR_NOT_FOUND);
    STORE_CODE(f, "take", take(f, "schedule", STORE_RIG_LEASE_MS), ERR_OK);
    EXPECT_STR("the one due for longest", f->call.jobs[0].job_id, STR("first"));
    EXPECT_INT("version", f->call.jobs[0].version, 2);
    EXPECT_TRUE("due again", f->call.jobs[0].due_ms > f->call.jobs[0].changed_ms);
    STORE_CODE(f, "take again", take(f, "schedule", STORE_RIG_LEASE_MS), ERR_OK);
    EXPECT_STR("the other", f->call.jobs[0].job_id, STR("second"));
    STORE_CODE(f, "no third", take(f, "schedule", STORE_RIG_LEASE_MS), ERR_NOT_FOUND);
    STORE_CODE(f, "who changed it before", put(f, ann, "first", 0, 1), ERR_CONFLICT);
    STORE_CODE(f, "who took it", put(f, ann, "first", 0, 2), ERR_OK);
}

/* Whoever took it is gone: another takes it, once the lease is over, and the first may not write.
 */
STORE_TEST(a_job_is_taken_again_when_its_lease_is_over)
{
    enum err_code code = ERR_NOT_FOUND;
    STORE_CODE(f, "put", put(f, ann, "j1", LONG_AGO_MS, 0), ERR_OK);
    STORE_CODE(f, "take", take(f, "schedule", SHORT_MS), ERR_OK);
    for (unsigned try = 0; try < 1000000 && code == ERR_NOT_FOUND; try++)
        code = take(f, "schedule", STORE_RIG_LEASE_MS);
    STORE_CODE(f, "at last", code, ERR_OK);
    EXPECT_INT("version", f->call.jobs[0].version, 3);
    STORE_CODE(f, "the first", put(f, ann, "j1", 0, 2), ERR_CONFLICT);
}

STORE_TEST(of_many_takers_one_has_it)
{
    enum { TAKERS = 8 };
    static struct store_call calls[TAKERS];
    static const struct store_take ask = {STR("schedule"), STORE_RIG_LEASE_MS};
    unsigned won = 0;
    STORE_CODE(f, "put", put(f, ann, "j1", LONG_AGO_MS, 0), ERR_OK);
    f->rig.done_calls = 0;
    for (unsigned i = 0; i < TAKERS; i++)
        store_take_start(&calls[i], f->store, &ask, rig_waiter(&f->rig));
    rig_wait("all end", &f->rig, TAKERS);
    for (unsigned i = 0; i < TAKERS; i++) {
        won += calls[i].op.err.code == ERR_OK;
        op_release(&calls[i].op);
    }
    EXPECT_INT("one", won, 1);
}

STORE_TEST(a_user_has_so_many)
{
    const struct store_job third = {.key = ann, .kind = STR("schedule"), .job_id = STR("j3")};
    const struct store_job bobs = {.key = bob, .kind = STR("schedule"), .job_id = STR("b1")};
    const struct store_job old = {.key = ann, .kind = STR("schedule"), .job_id = STR("j2")};
    STORE_CODE(f, "put", put(f, ann, "j1", 0, 0), ERR_OK);
    STORE_CODE(f, "put", put(f, ann, "j2", 0, 0), ERR_OK);
    STORE_CODE(f, "one too many", STORE_RUN(f, put, .job = third, .most = 2), ERR_BUSY);
    STORE_CODE(f, "bob's", STORE_RUN(f, put, .job = bobs, .most = 2), ERR_OK);
    STORE_CODE(f, "a change", STORE_RUN(f, put, .job = old, .expected_version = 1, .most = 2),
               ERR_OK);
    STORE_CODE(f, "list", STORE_RUN(f, jobs, .key = anybody, .kind = STR("schedule"), .limit = 2),
               ERR_OK);
    EXPECT_INT("as many as asked", f->call.job_count, 2);
}

STORE_TEST(a_job_is_dropped)
{
    STORE_CODE(f, "put", put(f, ann, "j1", LONG_AGO_MS, 0), ERR_OK);
    STORE_CODE(f, "bob's",
               STORE_RUN(f, drop, .key = bob, .kind = STR("schedule"), .job_id = STR("j1")),
               ERR_NOT_FOUND);
    STORE_CODE(f, "another version",
               STORE_RUN(f, drop, .key = anns, .kind = STR("schedule"), .job_id = STR("j1"),
                         .expected_version = 7),
               ERR_CONFLICT);
    STORE_CODE(f, "drop",
               STORE_RUN(f, drop, .key = anns, .kind = STR("schedule"), .job_id = STR("j1"),
                         .expected_version = 1),
               ERR_OK);
    STORE_CODE(f, "gone",
               STORE_RUN(f, drop, .key = anns, .kind = STR("schedule"), .job_id = STR("j1")),
               ERR_NOT_FOUND);
    STORE_CODE(f, "not due", take(f, "schedule", STORE_RIG_LEASE_MS), ERR_NOT_FOUND);
    STORE_CODE(f, "anew", put(f, ann, "j1", 0, 0), ERR_OK);
    EXPECT_INT("version", f->call.jobs[0].version, 1);
}

/* What is erased takes its jobs with it. */
STORE_TEST(jobs_go_with_what_is_erased)
{
    STORE_CODE(f, "save",
               STORE_RUN(f, save, .key = ann, .checkpoint = {.is_full = true, .bytes = STR("x")}),
               ERR_OK);
    STORE_CODE(f, "of the conversation", put(f, ann, "j1", 0, 0), ERR_OK);
    STORE_CODE(f, "of none", put(f, anns, "j2", 0, 0), ERR_OK);
    STORE_CODE(f, "bob's", put(f, bob, "j3", 0, 0), ERR_OK);
    STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = ann), ERR_OK);
    STORE_CODE(f, "list", STORE_RUN(f, jobs, .key = anybody, .kind = STR("schedule")), ERR_OK);
    EXPECT_INT("two are left", f->call.job_count, 2);
    do {
        STORE_CODE(f, "erase all", STORE_RUN(f, erase, .key = anns), ERR_OK);
    } while (f->call.total > 0);
    STORE_CODE(f, "list", STORE_RUN(f, jobs, .key = anybody, .kind = STR("schedule")), ERR_OK);
    EXPECT_INT("one is left", f->call.job_count, 1);
    EXPECT_STR("bob's", f->call.jobs[0].job_id, STR("j3"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        T(a_job_is_kept),
        T(of_two_changes_one_is_refused),
        T(a_job_that_is_due_is_taken_once),
        T(a_job_is_taken_again_when_its_lease_is_over),
        T(of_many_takers_one_has_it),
        T(a_user_has_so_many),
        T(a_job_is_dropped),
        T(jobs_go_with_what_is_erased),
    };
    return store_rig_main(tests, countof(tests));
}

/* SPDX-License-Identifier: MIT */
#include "server/config/run_limits.h"
#include "server/runs/runs_list.h"
#include "agents/memory/history.h"
#include "tests/lib/fake_registry.h"
#include "tests/lib/loop_rig.h"

enum { MAX_TURNS = 60, NEVER = 1000 };

struct rig {
    struct loop_rig loop;
    struct config *config;
    struct registry *registry;
    struct meters *meters;
    struct metrics *metrics;
    struct admission admission;
    struct services services;
    struct knowledge_set set;
    struct knowledge_pin pin;
    struct log log;
    struct runs *runs;
    unsigned idle_calls, unpinned_calls;
};

static void count_idle(void *owner)
{
    ((struct rig *)owner)->idle_calls++;
}

static void count_unpinned(void *owner, struct knowledge_pin *pin)
{
    struct rig *rig = owner;
    rig->unpinned_calls += pin == &rig->pin;
}

static void open_rig_within(struct rig *rig, const char *const *settings, size_t linger_bytes)
{
    struct buf problems;
    struct err err;
    const struct config_source source = {.environment = settings};
    *rig = (struct rig){.log = {.level = LOG_OFF}};
    loop_rig_init(&rig->loop);
    buf_init(&problems, 4096);
    assert_int_equal(config_load(&source, &rig->config, &problems), ERR_OK);
    buf_fini(&problems);
    assert_int_equal(registry_create(NULL, &rig->registry, &err), ERR_OK);
    rig->meters = meters_create(&(struct meters_options){.registry = rig->registry});
    rig->metrics = metrics_create(meters_schema(rig->meters));
    admission_init(&rig->admission, rig->loop.loop, rig->config);
    rig->services.history = history_create(65536);
    rig->services.loop = rig->loop.loop;
    rig->pin.set = &rig->set;
    const struct runs_options options = {
        .loop = rig->loop.loop,
        .config = rig->config,
        .worker_count = 1,
        .linger_bytes = linger_bytes,
        .services = &rig->services,
        .admission = &rig->admission,
        .meters = rig->meters,
        .metrics = rig->metrics,
        .log = &rig->log,
        .owner = rig,
        .on_idle = count_idle,
        .on_unpinned = count_unpinned,
    };
    rig->runs = runs_create(&options);
    assert_non_null(rig->runs);
}

static void open_rig(struct rig *rig, const char *const *settings)
{
    open_rig_within(rig, settings, SIZE_MAX);
}

static void close_rig(struct rig *rig)
{
    EXPECT_INT("open runs", runs_open_count(rig->runs), 0);
    EXPECT_INT("places", admission_runs(&rig->admission) + admission_queued(&rig->admission), 0);
    runs_destroy(rig->runs);
    admission_fini(&rig->admission);
    EXPECT_INT("pinned", rig->pin.runs, 0);
    history_destroy(rig->services.history);
    metrics_destroy(rig->metrics);
    meters_destroy(rig->meters);
    registry_destroy(rig->registry);
    config_destroy(rig->config);
    loop_rig_fini(&rig->loop);
}

static struct runs_request make(struct rig *rig, const char *message, const char *conversation)
{
    return (struct runs_request){
        .graph = registry_graph(rig->registry, 0),
        .entry = registry_entry(rig->registry, 0),
        .pin = &rig->pin,
        .message = str_of(message),
        .caller = {str_of(conversation), STR("c"), STR("u")},
    };
}

static struct runs_entry *submit(struct rig *rig, const struct runs_request *request,
                                 enum err_code want)
{
    struct runs_entry *entry = NULL;
    struct err err = {0};
    EXPECT_INT(err.text, runs_submit(rig->runs, request, &entry, &err), want);
    return entry;
}

static const char *code_of(struct runs_entry *entry)
{
    static char text[64];
    struct str code = STR("ok"), message;
    if (run_result(runs_run(entry), &code, &message) == ERR_OK)
        code = STR("ok");
    memcpy(text, code.at, code.len);
    text[code.len] = '\0';
    return text;
}

/* Turn at most so often until entry has ended. */
static bool ends(struct rig *rig, struct runs_entry *entry)
{
    for (unsigned turn = 0; turn < MAX_TURNS && !runs_has_ended(entry); turn++)
        loop_turn(rig->loop.loop, 1);
    return runs_has_ended(entry);
}

TEST(a_run_lingers_then_goes)
{
    struct rig rig;
    open_rig(&rig, NULL);
    struct runs_request request = make(&rig, "hello", "c1");
    struct runs_entry *entry = submit(&rig, &request, ERR_OK);
    struct id id = {0};
    memcpy(id.text, run_id(runs_run(entry)), ID_RUN_BYTES);
    EXPECT_TRUE("ended", ends(&rig, entry));
    EXPECT_INT("told", rig.idle_calls, 1);
    EXPECT_TRUE("found", runs_find(rig.runs, str_of(id.text)) == entry);
    loop_advance(rig.loop.loop, rig.config->linger_ms);
    loop_rig_dry(&rig.loop);
    EXPECT_TRUE("gone", runs_find(rig.runs, str_of(id.text)) == NULL);
    close_rig(&rig);
}

TEST(ended_runs_take_bounded_memory)
{
    struct rig rig;
    open_rig_within(&rig, NULL, 20 * 1024);
    struct runs_entry *last = NULL;
    for (unsigned i = 0; i < 50; i++) {
        struct runs_request request = make(&rig, "hello", NULL);
        last = submit(&rig, &request, ERR_OK);
        EXPECT_TRUE("ended", ends(&rig, last));
        if (i == 0)
            continue;
        struct buf list;
        buf_init(&list, 1 << 20);
        runs_list_write(rig.runs, &(struct identity){.company_id = {NULL, 0}}, &list);
        EXPECT_TRUE("few are kept", buf_len(&list) < 4096);
        buf_fini(&list);
    }
    close_rig(&rig);
}

TEST(one_run_per_conversation)
{
    struct rig rig;
    open_rig(&rig, NULL);
    struct runs_request request = make(&rig, "stall 1", "c1");
    struct runs_entry *first = submit(&rig, &request, ERR_OK);
    request.message = STR("hello");
    (void)submit(&rig, &request, ERR_CONFLICT);
    struct runs_request foreign = request;
    foreign.caller.user_id = STR("somebody");
    EXPECT_TRUE("another's of this id", ends(&rig, submit(&rig, &foreign, ERR_OK)));
    request.multitask = RUNS_ENQUEUE;
    struct runs_entry *second = submit(&rig, &request, ERR_OK);
    EXPECT_TRUE("it waits", !ends(&rig, second));
    EXPECT_INT("one waits", admission_queued(&rig.admission), 1);
    request.multitask = RUNS_INTERRUPT;
    struct runs_entry *third = submit(&rig, &request, ERR_OK);
    EXPECT_TRUE("first ends", ends(&rig, first));
    EXPECT_STR("cancelled", str_of(code_of(first)), STR("cancelled"));
    EXPECT_TRUE("second ends", ends(&rig, second));
    EXPECT_STR("well", str_of(code_of(second)), STR("ok"));
    EXPECT_TRUE("third ends", ends(&rig, third));
    EXPECT_STR("too", str_of(code_of(third)), STR("ok"));
    close_rig(&rig);
}

TEST(places_and_refusals)
{
    static const char *const settings[] = {"ASKD_MAX_RUNS=1", "ASKD_MAX_QUEUED_RUNS=1", NULL};
    struct rig rig;
    open_rig(&rig, settings);
    struct runs_request request = make(&rig, "stall 1", NULL);
    struct runs_entry *first = submit(&rig, &request, ERR_OK);
    request.message = STR("hello");
    struct runs_entry *second = submit(&rig, &request, ERR_OK);
    (void)submit(&rig, &request, ERR_BUSY);
    runs_cancel(first, "cancelled", "enough");
    EXPECT_TRUE("second", ends(&rig, second));
    request.message = STR("refuse");
    (void)submit(&rig, &request, ERR_INVALID);
    rig.admission.draining = true;
    (void)submit(&rig, &request, ERR_UNAVAILABLE);
    close_rig(&rig);
}

/* The place a run that waits was told last; 0: none. */
static int64_t told_place(struct runs_entry *entry)
{
    struct event event = {0};
    int64_t place = 0;
    for (uint64_t id = 0; event_log_after(run_log(runs_run(entry)), id, &event) == ERR_OK;
         id = event.id)
        place = event.kind == EVENT_QUEUED ? event.number : place;
    return place;
}

TEST(who_waits_hears_its_place)
{
    static const char *const settings[] = {"ASKD_MAX_RUNS=1", NULL};
    struct rig rig;
    open_rig(&rig, settings);
    struct runs_request request = make(&rig, "stall 1", NULL);
    request.detail = EVENT_NODES;
    struct runs_entry *first = submit(&rig, &request, ERR_OK);
    struct runs_entry *waits[3];
    for (unsigned i = 0; i < countof(waits); i++) {
        request.caller.company_id = i == 2 ? STR("another") : STR("c");
        waits[i] = submit(&rig, &request, ERR_OK);
    }
    loop_advance(rig.loop.loop, 1000);
    loop_turn(rig.loop.loop, 2);
    EXPECT_INT("another company's goes next", told_place(waits[2]), 1);
    EXPECT_INT("then", told_place(waits[0]), 2);
    EXPECT_INT("then", told_place(waits[1]), 3);
    runs_cancel(first, "cancelled", "enough");
    EXPECT_TRUE("first ends", ends(&rig, first));
    loop_advance(rig.loop.loop, 1000);
    loop_turn(rig.loop.loop, 2);
    EXPECT_INT("one further", told_place(waits[1]), 2);
    for (unsigned i = 0; i < countof(waits); i++) {
        runs_cancel(waits[i], "cancelled", "enough");
        EXPECT_TRUE("ends", ends(&rig, waits[i]));
    }
    close_rig(&rig);
}

TEST(a_noisy_company_is_refused_before_others)
{
    static const char *const settings[] = {"ASKD_MAX_RUNS=4", "ASKD_MAX_QUEUED_RUNS=4", NULL};
    struct rig rig;
    open_rig(&rig, settings);
    struct runs_request request = make(&rig, "stall 1", NULL);
    for (unsigned i = 0; i < 5; i++) /* three places, two in the queue */
        (void)submit(&rig, &request, ERR_OK);
    (void)submit(&rig, &request, ERR_BUSY);
    EXPECT_INT("nothing is known of runs yet", runs_retry_s(rig.runs), 1);
    request.caller.company_id = STR("another");
    (void)submit(&rig, &request, ERR_OK);
    EXPECT_INT("it has its place", admission_runs(&rig.admission), 4);
    runs_cancel_all(rig.runs, "cancelled", "enough");
    for (unsigned turn = 0; turn < MAX_TURNS && runs_open_count(rig.runs) > 0; turn++)
        loop_turn(rig.loop.loop, 1);
    close_rig(&rig);
}

TEST(a_key_finds_its_run)
{
    struct rig rig;
    open_rig(&rig, NULL);
    struct runs_request request = make(&rig, "hello", "c1");
    EXPECT_TRUE("no key", runs_find_key(rig.runs, &request) == NULL);
    request.idempotency_key = STR("k");
    struct runs_entry *entry = submit(&rig, &request, ERR_OK);
    EXPECT_TRUE("found", runs_find_key(rig.runs, &request) == entry);
    struct runs_request other = request;
    other.caller.company_id = STR("other");
    EXPECT_TRUE("not by others", runs_find_key(rig.runs, &other) == NULL);
    EXPECT_TRUE("ended", ends(&rig, entry));
    loop_advance(rig.loop.loop, rig.config->linger_ms + 1);
    loop_turn(rig.loop.loop, 4);
    EXPECT_TRUE("kept longer", runs_find_key(rig.runs, &request) == entry);
    loop_advance(rig.loop.loop, RUN_LIMITS_KEY_MS);
    loop_turn(rig.loop.loop, 4);
    EXPECT_TRUE("not for ever", runs_find_key(rig.runs, &request) == NULL);
    close_rig(&rig);
}

static const struct {
    const char *name;
    bool cancel, drain;
    uint64_t wait_ms; /* then it has ended */
    const char *code;
} leavings[] = {
    {"grace", false, false, 30000, "cancelled"},
    {"cancel at once", true, false, 0, "cancelled"},
    {"draining", false, true, 0, "server_shutdown"},
};

TEST(readers_that_leave)
{
    TEST_EACH(c, leavings) {
        struct rig rig;
        struct runs_watch watch = {0};
        open_rig(&rig, NULL);
        struct runs_request request = make(&rig, "stall 2", "c1");
        request.cancel_on_disconnect = c->cancel;
        struct runs_entry *entry = submit(&rig, &request, ERR_OK);
        runs_attach(entry, &watch);
        loop_turn(rig.loop.loop, 10);
        if (c->drain)
            runs_drain(rig.runs);
        runs_detach(&watch);
        runs_detach(&watch);
        if (c->wait_ms > 0) {
            loop_advance(rig.loop.loop, c->wait_ms - 1);
            EXPECT_TRUE(c->name, !ends(&rig, entry));
            loop_advance(rig.loop.loop, 1);
        }
        EXPECT_TRUE(c->name, ends(&rig, entry));
        EXPECT_STR(c->name, str_of(code_of(entry)), str_of(c->code));
        close_rig(&rig);
    }
}

TEST(cut_text_is_kept_and_marked)
{
    struct rig rig;
    struct history_message messages[4];
    const struct identity key = {STR("c1"), STR("c"), STR("u")};
    open_rig(&rig, NULL);
    struct runs_request request = make(&rig, "fail 2", "c1");
    struct runs_entry *entry = submit(&rig, &request, ERR_OK);
    EXPECT_TRUE("ended", ends(&rig, entry));
    EXPECT_INT("two", history_last(rig.services.history, &key, messages, 4), 2);
    EXPECT_STR("question", messages[0].text, STR("fail 2"));
    EXPECT_STR("answer", messages[1].text, STR("t0 t1 "));
    EXPECT_TRUE("marked", messages[1].partial && !messages[0].partial);
    struct runs_request foreign = make(&rig, "hello", "c1");
    foreign.caller.user_id = STR("somebody");
    EXPECT_TRUE("another's of this id", ends(&rig, submit(&rig, &foreign, ERR_OK)));
    EXPECT_INT("it is another one", history_count(rig.services.history, &key), 2);
    char name[IDENTITY_BYTES + 2];
    memset(name, 'x', sizeof name);
    foreign.caller.user_id = str_make(name, IDENTITY_BYTES + 1);
    (void)submit(&rig, &foreign, ERR_INVALID);
    close_rig(&rig);
}

TEST(what_was_said_is_kept_whatever_the_graph)
{
    struct rig rig;
    struct history_message messages[4];
    const struct identity key = {STR("c1"), STR("c"), STR("u")};
    open_rig(&rig, NULL);
    struct runs_request request = make(&rig, "hello", "c1");
    EXPECT_TRUE("ended", ends(&rig, submit(&rig, &request, ERR_OK)));
    EXPECT_INT("two", history_last(rig.services.history, &key, messages, 4), 2);
    EXPECT_STR("answer", messages[1].text, STR("hello"));
    EXPECT_TRUE("whole", !messages[1].partial);
    struct runs_request foreign = make(&rig, "hello", "c1");
    foreign.caller.company_id = STR("another");
    EXPECT_TRUE("another's of this id", ends(&rig, submit(&rig, &foreign, ERR_OK)));
    EXPECT_INT("it is another one", history_count(rig.services.history, &key), 2);
    char name[IDENTITY_BYTES + 2];
    memset(name, 'x', sizeof name);
    foreign.caller.user_id = str_make(name, IDENTITY_BYTES + 1);
    (void)submit(&rig, &foreign, ERR_INVALID);
    close_rig(&rig);
}

/* ---- an answer, and what goes on after it ---- */

static void forget_watch(struct runs_watch *watch)
{
    (*(unsigned *)watch->owner)++;
    runs_detach(watch);
}

static struct runs_request make_remembering(struct rig *rig)
{
    struct runs_request request = make(rig, "hello", "c1");
    request.graph = registry_graph(rig->registry, FAKE_REMEMBERING);
    request.entry = registry_entry(rig->registry, FAKE_REMEMBERING);
    request.cancel_on_disconnect = true;
    return request;
}

TEST(nobody_waits_for_the_background)
{
    struct rig rig;
    unsigned told = 0;
    struct runs_watch watch = {.on_end = forget_watch, .owner = &told};
    open_rig(&rig, NULL);
    struct runs_request request = make_remembering(&rig);
    struct runs_entry *first = submit(&rig, &request, ERR_OK);
    runs_attach(first, &watch);
    request.multitask = RUNS_ENQUEUE;
    struct runs_entry *second = submit(&rig, &request, ERR_OK);
    EXPECT_TRUE("the first goes on", !ends(&rig, first));
    EXPECT_INT("who waited was told, and left", told, 1);
    EXPECT_TRUE("the conversation was free", runs_has_answered(second));
    request.multitask = RUNS_REJECT;
    (void)submit(&rig, &request, ERR_OK);
    loop_advance(rig.loop.loop, FAKE_REMEMBER_MS);
    EXPECT_TRUE("it ends by itself", ends(&rig, first));
    EXPECT_STR("well", str_of(code_of(first)), STR("ok"));
    EXPECT_INT("once", told, 1);
    loop_rig_dry(&rig.loop);
    close_rig(&rig);
}

TEST(a_drain_waits_for_the_background)
{
    struct rig rig;
    open_rig(&rig, NULL);
    struct runs_request request = make_remembering(&rig);
    struct runs_entry *patient = submit(&rig, &request, ERR_OK);
    EXPECT_TRUE("it goes on", !ends(&rig, patient));
    EXPECT_TRUE("and has answered", runs_has_answered(patient));
    runs_drain(rig.runs);
    EXPECT_TRUE("it is not cut", !ends(&rig, patient));
    EXPECT_INT("and is waited for", runs_open_count(rig.runs), 1);
    runs_cancel_all(rig.runs, "server_shutdown", "the server is stopping; ask again");
    EXPECT_TRUE("until the drain is over", ends(&rig, patient));
    EXPECT_STR("what was said stands", str_of(code_of(patient)), STR("ok"));
    close_rig(&rig);
}

TEST(cancelled_at_every_turn)
{
    bool ended = false;
    for (unsigned turn = 0; !ended; turn++) {
        struct rig rig;
        unsigned told = 0;
        struct runs_watch watch = {.on_end = forget_watch, .owner = &told};
        open_rig(&rig, NULL);
        struct runs_request request = make(&rig, "stream 3", "c1");
        struct runs_entry *entry = submit(&rig, &request, ERR_OK);
        runs_attach(entry, &watch);
        for (unsigned i = 0; i < turn && !runs_has_ended(entry); i++)
            loop_turn(rig.loop.loop, 1);
        ended = runs_has_ended(entry);
        assert_true(turn < MAX_TURNS);
        runs_cancel(entry, "cancelled", "now");
        runs_cancel(entry, "cancelled", "again");
        EXPECT_TRUE("ended", ends(&rig, entry));
        EXPECT_INT("told", told, 1);
        EXPECT_TRUE("closed", event_log_is_closed(run_log(runs_run(entry))));
        close_rig(&rig);
    }
}

TEST(no_memory_at_any_point)
{
    for (uint64_t n = 1;; n++) {
        struct rig rig;
        struct runs_entry *entry = NULL;
        struct err err = {0};
        open_rig(&rig, NULL);
        struct runs_request request = make(&rig, "hello", "c1");
        request.idempotency_key = STR("k");
        mem_fail_nth(n);
        enum err_code code = runs_submit(rig.runs, &request, &entry, &err);
        mem_fail_nth(0);
        if (code != ERR_OK) {
            EXPECT_INT("code", code, ERR_NO_MEMORY);
            EXPECT_INT("pinned", rig.pin.runs, 0);
            entry = submit(&rig, &request, ERR_OK);
        }
        EXPECT_TRUE("ended", ends(&rig, entry));
        close_rig(&rig);
        if (code == ERR_OK)
            break;
        assert_true(n < NEVER);
    }
}

TEST(an_old_pin_goes_with_its_last_run)
{
    struct rig rig;
    open_rig(&rig, NULL);
    struct runs_request request = make(&rig, "hello", NULL);
    struct runs_entry *entry = submit(&rig, &request, ERR_OK);
    rig.pin.is_old = true;
    EXPECT_TRUE("ended", ends(&rig, entry));
    EXPECT_INT("still held", rig.unpinned_calls, 0);
    runs_forget_ended(rig.runs, NULL);
    EXPECT_INT("returned", rig.unpinned_calls, 1);
    close_rig(&rig);
}

RUN_TESTS(T(a_run_lingers_then_goes), T(ended_runs_take_bounded_memory),
          T(one_run_per_conversation), T(places_and_refusals), T(who_waits_hears_its_place),
          T(a_noisy_company_is_refused_before_others), T(a_key_finds_its_run),
          T(readers_that_leave), T(cut_text_is_kept_and_marked),
          T(what_was_said_is_kept_whatever_the_graph), T(nobody_waits_for_the_background),
          T(a_drain_waits_for_the_background), T(cancelled_at_every_turn),
          T(no_memory_at_any_point), T(an_old_pin_goes_with_its_last_run))

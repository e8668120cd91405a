/* SPDX-License-Identifier: MIT */
/* The contract of store, part five: damage. The bytes of a store's own rows are cut and changed at
 * every offset, in its file or on its server; whatever is asked then ends with an answer or an
 * error, what is told of a checkpoint is right or refused, and no word of another tenant is in it.
 */
#include "core/store/event_bytes.h"
#include "tests/contract/store_hand.h"
#include "tests/unit/core/snapshot_rig.h"

enum { SNAPSHOT_BYTES = 4096, STATE_BYTES = 1 << 20 };
#define SECRET "eve-only" /* in all that is eve's */

#define ANNS "4:3:acmeannc-1" /* as the redis store names the conversation with its owner */
static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};
static const struct identity eve = {{"c-2", 3}, {"other", 5}, {"eve", 3}};

/* All that stores keep of ann. */
static const struct store_spot spots[] = {
    {"checkpoint",
     {"checkpoints", "bytes", "conversation = 1"},
     {"checkpoints", "bytes", "conversation = 1"},
     {"hash", "k/" ANNS, "1"}},
    {"what a checkpoint is",
     {"checkpoints", "run_id", "conversation = 1"},
     {"checkpoints", "run_id", "conversation = 1"},
     {"hash", "km/" ANNS, "1"}},
    {"checkpoint of a run",
     {"marks", "bytes", "run_id = 'r-1'"},
     {"marks", "bytes", "run_id = 'r-1'"},
     {"hash", "m:r-1", "1"}},
    {"events",
     {"events", "bytes", "run_id = 'r-1'"},
     {"events", "bytes", "run_id = 'r-1'"},
     {"stream", "e:r-1", ""}},
    {"turn",
     {"turns", "answer", "conversation = 1"},
     {"turns", "answer", "conversation = 1"},
     {"hash", "t/" ANNS, "1"}},
    {"details", {"turns", "details", "conversation = 1"}, {"turns", "details", "conversation = 1"}},
    {"note",
     {"notes", "bytes", "conversation = 1"},
     {"notes", "bytes", "conversation = 1"},
     {"hash", "n/" ANNS, "seen"}},
    {"note of the user",
     {"user_notes", "bytes", "user_id = 'ann'"},
     {"user_notes", "bytes", "caller = 'ann'"},
     {"hash", "un:4:acme:ann", "likes"}},
    {"title",
     {"conversations", "title", "row = 1"},
     {"conversations", "title", "row = 1"},
     {"hash", "c/" ANNS, "title"}},
    {"version", {NULL}, {NULL}, {"hash", "c/" ANNS, "version"}},
    {"number of turns", {NULL}, {NULL}, {"hash", "c/" ANNS, "turns"}},
    {"company",
     {"conversations", "company_id", "row = 1"},
     {"conversations", "company", "row = 1"},
     {"hash", "c/" ANNS, "company"}},
    {"user",
     {"conversations", "user_id", "row = 1"},
     {"conversations", "caller", "row = 1"},
     {"hash", "c/" ANNS, "user"}},
    {"id", {"conversations", "id", "row = 1"}, {"conversations", "id", "row = 1"}},
    {"input",
     {"runs", "input", "run_id = 'r-1'"},
     {"runs", "input", "run_id = 'r-1'"},
     {"hash", "r:r-1", "input"}},
    {"company of the run",
     {"runs", "company_id", "run_id = 'r-1'"},
     {"runs", "company", "run_id = 'r-1'"},
     {"hash", "r:r-1", "company"}},
    {"instance",
     {"runs", "instance", "run_id = 'r-1'"},
     {"runs", "instance", "run_id = 'r-1'"},
     {"hash", "r:r-1", "instance"}},
    {"state of the run", {NULL}, {NULL}, {"hash", "r:r-1", "status"}},
    {"last event", {NULL}, {NULL}, {"hash", "r:r-1", "last"}},
};

/* ---- what is there ---- */

struct world {
    struct graph *graph;
    struct buf snapshot, events; /* ann's */
};

static void make_snapshot(struct world *world)
{
    struct arena arena;
    struct snapshot_mark marks[SNAPSHOT_MOST_SLOTS] = {0};
    arena_init(&arena, STATE_BYTES);
    struct state *state = state_create(&snapshot_def.schema, &arena);
    snapshot_rig_step(state, &arena, 0);
    const struct snapshot snapshot = {
        .step = 1, .next = 2, .route = STR("sql"), .model = STR("offline")};
    buf_init(&world->snapshot, SNAPSHOT_BYTES);
    snapshot_write_full(&snapshot, world->graph, state, marks, &world->snapshot);
    assert_true(buf_ok(&world->snapshot));
    arena_fini(&arena);
}

static void make_world(struct world *world)
{
    *world = (struct world){.graph = snapshot_rig_graph()};
    assert_non_null(world->graph);
    make_snapshot(world);
    buf_init(&world->events, SNAPSHOT_BYTES);
    event_bytes_begin(&world->events);
    event_bytes_push(&world->events, &(struct event){.id = 1,
                                                     .kind = EVENT_TOKEN,
                                                     .name = STR("final"),
                                                     .text = STR("ten are"),
                                                     .number = 1});
    event_bytes_end(&world->events);
    assert_true(buf_ok(&world->events));
}

static void drop_world(struct world *world)
{
    buf_fini(&world->snapshot);
    buf_fini(&world->events);
    graph_destroy(world->graph);
}

/* A turn, notes and a run of key, in which word stands everywhere. */
static void fill(struct store_rig *f, const struct world *world, const struct identity *key,
                 const char *run_id, struct str word)
{
    const struct store_fence fence = {str_of(run_id), STR("i-1"), 1};
    const struct store_turn turn = {
        .run_id = word, .question = word, .answer = word, .details = word};
    const struct store_note note = {STR("seen"), word}, likes = {STR("likes"), word};
    const struct identity user = identity_user(key);
    const struct store_checkpoint checkpoint = {
        .version = 1, .run_id = word, .is_full = true, .bytes = buf_str(&world->snapshot)};
    STORE_CODE(f, "save",
               STORE_RUN(f, save, .key = *key, .checkpoint = checkpoint, .turns = &turn,
                         .turn_count = 1, .notes = &note, .note_count = 1),
               ERR_OK);
    STORE_CODE(f, "keep", STORE_RUN(f, keep, .key = user, .note = likes), ERR_OK);
    STORE_CODE(f, "begin",
               STORE_RUN(f, begin,
                         .run = {.key = *key,
                                 .run_id = fence.run_id,
                                 .graph = STR("two"),
                                 .input = word,
                                 .instance = fence.instance},
                         .lease_ms = STORE_RIG_LEASE_MS),
               ERR_OK);
    STORE_CODE(f, "append",
               STORE_RUN(f, append, .fence = fence, .batch = {1, 1, buf_str(&world->events)}),
               ERR_OK);
    STORE_CODE(f, "mark", STORE_RUN(f, mark, .fence = fence, .checkpoint = checkpoint), ERR_OK);
}

/* ---- what is told of it ---- */

static void expect_none(const char *spot, struct str text)
{
    if (str_find(text, STR(SECRET)) != STR_NONE)
        fail_msg("%s: somebody else's: %.*s", spot, STR_ARG(text));
}

/* As it was written, or refused. */
static void expect_checkpoint(const struct world *world, const char *spot, struct str bytes)
{
    struct arena arena;
    struct snapshot got;
    struct err err = {0};
    arena_init(&arena, STATE_BYTES);
    struct state *state = state_create(&snapshot_def.schema, &arena);
    enum err_code code = snapshot_read(bytes, world->graph, &arena, state, &got, &err);
    if (str_equal(bytes, buf_str(&world->snapshot)))
        EXPECT_INT(spot, code, ERR_OK);
    else
        EXPECT_INT(spot, code, ERR_INVALID);
    arena_fini(&arena);
}

static void expect_events(const struct world *world, const char *spot, struct str bytes)
{
    struct str events;
    struct err err = {0};
    enum err_code code = event_bytes_open(bytes, &events, &err);
    EXPECT_INT(spot, code, str_equal(bytes, buf_str(&world->events)) ? ERR_OK : ERR_INVALID);
}

/* The answer of the last call is an error, or ann's: as it was but for what is damaged. */
static void expect_ours(struct store_rig *f, const struct world *world, const char *spot)
{
    const struct store_call *call = &f->call;
    enum err_code code = call->op.err.code;
    if (code != ERR_OK && code != ERR_NOT_FOUND && code != ERR_CONFLICT && code != ERR_PROTOCOL)
        fail_msg("%s: %s: got %s (%s)", f->of->name, spot, err_name(code), call->op.err.text);
    for (size_t i = 0; i < call->checkpoint_count; i++) {
        expect_none(spot, call->checkpoints[i].run_id);
        if (call->verb == STORE_RESTORE || call->verb == STORE_MARKS)
            expect_checkpoint(world, spot, call->checkpoints[i].bytes);
    }
    for (size_t i = 0; i < call->turn_count; i++) {
        expect_none(spot, call->turns[i].question);
        expect_none(spot, call->turns[i].answer);
        expect_none(spot, call->turns[i].details);
        expect_none(spot, call->turns[i].run_id);
    }
    for (size_t i = 0; i < call->note_count; i++)
        expect_none(spot, call->notes[i].bytes);
    for (size_t i = 0; i < call->summary_count; i++)
        expect_none(spot, call->summaries[i].title);
    for (size_t i = 0; i < call->run_count; i++) {
        expect_none(spot, call->runs[i].input);
        EXPECT_TRUE(spot, !str_equal(call->runs[i].run_id, STR("r-2")));
    }
    for (size_t i = 0; i < call->batch_count; i++)
        expect_events(world, spot, call->batches[i].bytes);
}

/* All that ann may ask. */
static void ask_all(struct store_rig *f, const struct world *world, const char *spot)
{
    const struct identity user = identity_user(&ann);
    const struct identity wrong = identity_in(&ann, eve.conversation_id);
    (void)STORE_RUN(f, load, .key = ann);
    expect_ours(f, world, spot);
    (void)STORE_RUN(f, restore, .key = ann);
    expect_ours(f, world, spot);
    (void)STORE_RUN(f, checkpoints, .key = ann);
    expect_ours(f, world, spot);
    (void)STORE_RUN(f, list, .key = user);
    expect_ours(f, world, spot);
    (void)STORE_RUN(f, search, .key = user, .text = STR("e"));
    expect_ours(f, world, spot);
    (void)STORE_RUN(f, runs, .key = user);
    expect_ours(f, world, spot);
    (void)STORE_RUN(f, read, .key = ann, .run_id = STR("r-1"), .limit_bytes = STATE_BYTES);
    expect_ours(f, world, spot);
    (void)STORE_RUN(f, marks, .key = ann, .run_id = STR("r-1"));
    expect_ours(f, world, spot);
    (void)STORE_RUN(f, load, .key = wrong);
    EXPECT_INT(spot, f->call.turn_count, 0);
    STORE_CODE(f, spot, STORE_RUN(f, read, .key = user, .run_id = STR("r-2")), ERR_NOT_FOUND);
}

/* Undamaged, all is told to whom it belongs. */
static void expect_whole(struct store_rig *f, const struct world *world, const char *spot)
{
    STORE_CODE(f, spot, STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_STR(spot, f->call.turns[0].answer, STR("mine, I see"));
    EXPECT_INT("notes", f->call.note_count, 2);
    STORE_CODE(f, spot, STORE_RUN(f, restore, .key = ann), ERR_OK);
    EXPECT_STR(spot, f->call.checkpoints[0].bytes, buf_str(&world->snapshot));
    STORE_CODE(f, spot, STORE_RUN(f, marks, .key = ann, .run_id = STR("r-1")), ERR_OK);
    EXPECT_STR(spot, f->call.checkpoints[0].bytes, buf_str(&world->snapshot));
    STORE_CODE(f, spot,
               STORE_RUN(f, read, .key = ann, .run_id = STR("r-1"), .limit_bytes = STATE_BYTES),
               ERR_OK);
    EXPECT_STR(spot, f->call.batches[0].bytes, buf_str(&world->events));
    STORE_CODE(f, spot, STORE_RUN(f, load, .key = eve), ERR_OK);
    EXPECT_STR(spot, f->call.turns[0].answer, STR(SECRET));
}

/* ---- damage ---- */

STORE_TEST(damaged_at_every_byte)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    static char whole[STORE_HAND_BYTES], bytes[STORE_HAND_BYTES];
    struct world world;
    struct store_hand hand;
    make_world(&world);
    fill(f, &world, &ann, "r-1", STR("mine, I see"));
    fill(f, &world, &eve, "r-2", STR(SECRET));
    expect_whole(f, &world, "before");
    store_hand_open(&hand, f);
    TEST_EACH(spot, spots) {
        struct str value = store_hand_read(&hand, spot, whole);
        for (size_t at = 0; at < value.len; at++) {
            store_hand_write(&hand, spot, str_slice(value, 0, at));
            ask_all(f, &world, spot->name);
            memcpy(bytes, whole, value.len);
            bytes[at] = (char)((unsigned char)bytes[at] ^ changes[at % countof(changes)]);
            store_hand_write(&hand, spot, str_make(bytes, value.len));
            ask_all(f, &world, spot->name);
        }
        if (!str_is_absent(value))
            store_hand_write(&hand, spot, value);
        expect_whole(f, &world, spot->name);
    }
    store_hand_close(&hand);
    drop_world(&world);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {T(damaged_at_every_byte)};
    return store_rig_main(tests, countof(tests));
}

/* SPDX-License-Identifier: MIT */
/* Snapshots: what goes out comes back, deltas grow with what was said, and no bytes whatever do
 * harm. */
#include "tests/lib/test.h"

#include "core/base/crc.h"
#include "tests/unit/core/snapshot_rig.h"

enum { STEPS = 5, ARENA_BYTES = 1 << 20 };

struct rig {
    struct graph *graph;
    struct arena arena, other;
    struct state *state, *copy;
    struct snapshot_mark marks[SNAPSHOT_MOST_SLOTS];
    struct buf out[STEPS];
};

static void fresh_copy(struct rig *rig)
{
    arena_fini(&rig->other);
    arena_init(&rig->other, ARENA_BYTES);
    rig->copy = state_create(&snapshot_def.schema, &rig->other);
    assert_non_null(rig->copy);
}

static struct snapshot snapshot_at(unsigned step)
{
    return (struct snapshot){.step = step,
                             .next = step % 2 ? 1 : 2,
                             .last_event_id = 1000 + step,
                             .attempt = 2,
                             .visits = {step, 0},
                             .tallies = {1, UINT64_MAX, 300},
                             .route = STR("sql"),
                             .model = STR("m")};
}

/* A run of STEPS steps, one full and four deltas. */
static void begin(struct rig *rig)
{
    *rig = (struct rig){.graph = snapshot_rig_graph()};
    assert_non_null(rig->graph);
    arena_init(&rig->arena, ARENA_BYTES);
    rig->state = state_create(&snapshot_def.schema, &rig->arena);
    for (unsigned i = 0; i < STEPS; i++) {
        const struct snapshot snapshot = snapshot_at(i);
        buf_init(&rig->out[i], ARENA_BYTES);
        snapshot_rig_step(rig->state, &rig->arena, i);
        uint64_t changed = state_take_changed(rig->state);
        if (i == 0)
            snapshot_write_full(&snapshot, rig->graph, rig->state, rig->marks, &rig->out[i]);
        else
            snapshot_write_delta(&snapshot, rig->graph, rig->state, changed, rig->marks,
                                 &rig->out[i]);
        assert_true(buf_ok(&rig->out[i]));
    }
    fresh_copy(rig);
}

static void end(struct rig *rig)
{
    for (unsigned i = 0; i < STEPS; i++)
        buf_fini(&rig->out[i]);
    arena_fini(&rig->arena);
    arena_fini(&rig->other);
    graph_destroy(rig->graph);
}

static enum err_code read_into(struct rig *rig, struct str bytes, struct snapshot *snapshot)
{
    struct err err = {0};
    enum err_code code = snapshot_read(bytes, rig->graph, &rig->other, rig->copy, snapshot, &err);
    EXPECT_TRUE("says why", (code == ERR_OK) == (err.text[0] == '\0'));
    return code;
}

static void expect_same_list(const struct state *got, const struct state *want, unsigned slot)
{
    EXPECT_INT("items", state_list_count(got, slot), state_list_count(want, slot));
    for (size_t i = 0; i < state_list_count(want, slot); i++)
        EXPECT_STR("item", state_list_item(got, slot, i), state_list_item(want, slot, i));
}

static void expect_same(const struct state *got, const struct state *want)
{
    for (unsigned slot = 0; slot < HIDDEN; slot++)
        EXPECT_INT(snapshot_slots[slot].name, state_has(got, slot), state_has(want, slot));
    EXPECT_STR("text", state_str(got, TEXT), state_str(want, TEXT));
    EXPECT_STR("json", state_str(got, JSON), state_str(want, JSON));
    EXPECT_INT("number", state_int(got, NUMBER), state_int(want, NUMBER));
    EXPECT_INT("sum", state_int(got, SUM), state_int(want, SUM));
    EXPECT_TRUE("real", state_real(got, REAL) >= state_real(want, REAL) &&
                            state_real(got, REAL) <= state_real(want, REAL));
    EXPECT_INT("flag", state_bool(got, FLAG), state_bool(want, FLAG));
    expect_same_list(got, want, LOG_LIST);
    expect_same_list(got, want, PICK);
    EXPECT_TRUE("the secret is not told", !state_has(got, HIDDEN));
}

TEST(a_run_comes_back)
{
    struct rig rig;
    begin(&rig);
    for (unsigned i = 0; i < STEPS; i++) {
        const struct snapshot want = snapshot_at(i);
        struct snapshot got;
        EXPECT_INT("read", read_into(&rig, buf_str(&rig.out[i]), &got), ERR_OK);
        EXPECT_INT("step", got.step, want.step);
        EXPECT_INT("next", got.next, want.next);
        EXPECT_INT("events", got.last_event_id, want.last_event_id);
        EXPECT_INT("attempt", got.attempt, want.attempt);
        EXPECT_INT("visits", got.visits[0], want.visits[0]);
        EXPECT_TRUE("tallies", got.tallies[1] == UINT64_MAX && got.tallies[2] == 300);
        EXPECT_STR("route", got.route, want.route);
        EXPECT_STR("model", got.model, want.model);
    }
    expect_same(rig.copy, rig.state);
    end(&rig);
}

TEST(a_full_one_needs_no_other)
{
    struct rig rig;
    struct buf out;
    struct snapshot got;
    begin(&rig);
    const struct snapshot last = snapshot_at(9);
    buf_init(&out, ARENA_BYTES);
    snapshot_write_full(&last, rig.graph, rig.state, rig.marks, &out);
    EXPECT_INT("read", read_into(&rig, buf_str(&out), &got), ERR_OK);
    expect_same(rig.copy, rig.state);
    buf_fini(&out);
    end(&rig);
}

TEST(what_passes_is_not_kept_of_an_ended_run)
{
    struct rig rig;
    struct buf out;
    struct snapshot got;
    begin(&rig);
    const struct snapshot last = snapshot_at(9);
    buf_init(&out, ARENA_BYTES);
    snapshot_write_ended(&last, rig.graph, rig.state, &out);
    EXPECT_INT("read", read_into(&rig, buf_str(&out), &got), ERR_OK);
    EXPECT_TRUE("it was there", state_has(rig.state, PICK));
    EXPECT_TRUE("it is not", !state_has(rig.copy, PICK));
    EXPECT_STR("the rest is", state_str(rig.copy, JSON), state_str(rig.state, JSON));
    buf_fini(&out);
    end(&rig);
}

/* TEXT and JSON have the same value, of len bytes. */
static size_t write_twice(struct rig *rig, size_t len, struct buf *out)
{
    static char long_text[1000];
    struct update *update = update_create(rig->state, 0, &rig->arena);
    const struct snapshot last = snapshot_at(9);
    memset(long_text, 'x', sizeof long_text);
    update_put_str(update, TEXT, str_make(long_text, len));
    update_put_str(update, JSON, str_make(long_text, len));
    assert_int_equal(update_merge(update, rig->state), ERR_OK);
    buf_init(out, ARENA_BYTES);
    snapshot_write_full(&last, rig->graph, rig->state, rig->marks, out);
    return buf_len(out);
}

TEST(a_long_text_is_written_once)
{
    static const size_t lens[] = {0, 1, 63, 64, 65, 1000};
    for (size_t i = 0; i < countof(lens); i++) {
        struct rig rig;
        struct buf out;
        struct snapshot got;
        begin(&rig);
        size_t none = write_twice(&rig, 0, &out);
        buf_fini(&out);
        size_t times = (write_twice(&rig, lens[i], &out) - none) / size_max(lens[i], 1);
        EXPECT_INT("times", times, lens[i] == 0 ? 0 : lens[i] < 64 ? 2 : 1);
        EXPECT_INT("read", read_into(&rig, buf_str(&out), &got), ERR_OK);
        expect_same(rig.copy, rig.state);
        buf_fini(&out);
        end(&rig);
    }
}

/* Bytes with another checksum: what is wrong is inside. */
static enum err_code read_changed(struct rig *rig, struct buf *out, size_t at, char value)
{
    struct snapshot got;
    char bytes[4096];
    size_t len = buf_len(out) - 4;
    assert_true(len + 4 <= sizeof bytes);
    memcpy(bytes, buf_str(out).at, len);
    bytes[at] = value;
    uint32_t sum = crc_32c(str_make(bytes, len));
    for (size_t i = 0; i < 4; i++)
        bytes[len + i] = (char)(sum >> 8 * i);
    return read_into(rig, str_make(bytes, len + 4), &got);
}

TEST(the_same_as_nothing)
{
    struct rig rig;
    struct buf out;
    begin(&rig);
    (void)write_twice(&rig, 1000, &out);
    size_t at = (size_t)str_find(buf_str(&out), STR("json")) + 6; /* type, SAME, place */
    EXPECT_INT("SAME", buf_str(&out).at[at - 1], 2);
    EXPECT_INT("unchanged", read_changed(&rig, &out, at, 0), ERR_OK);
    EXPECT_INT("as itself", read_changed(&rig, &out, at, 1), ERR_INVALID);
    EXPECT_INT("as one behind", read_changed(&rig, &out, at, 2), ERR_INVALID);
    EXPECT_INT("as none that can be", read_changed(&rig, &out, at, 127), ERR_INVALID);
    EXPECT_INT("a number like it", read_changed(&rig, &out, at - 2, SLOT_INT), ERR_INVALID);
    buf_fini(&out);
    end(&rig);
}

TEST(deltas_grow_with_what_was_said)
{
    struct rig rig;
    struct buf out;
    size_t tenth = 0;
    begin(&rig);
    for (unsigned n = STEPS; n < 1000; n++) {
        const struct snapshot snapshot = snapshot_at(n);
        snapshot_rig_step(rig.state, &rig.arena, n);
        buf_init(&out, ARENA_BYTES);
        snapshot_write_delta(&snapshot, rig.graph, rig.state, state_take_changed(rig.state),
                             rig.marks, &out);
        tenth = n == 10 ? buf_len(&out) : tenth;
        EXPECT_TRUE("flat", n <= 10 || buf_len(&out) <= tenth + tenth / 10);
        buf_fini(&out);
    }
    end(&rig);
}

TEST(the_secret_is_not_written)
{
    struct rig rig;
    begin(&rig);
    for (unsigned i = 0; i < STEPS; i++) {
        EXPECT_INT("value", str_find(buf_str(&rig.out[i]), STR("secret")), STR_NONE);
        EXPECT_INT("name", str_find(buf_str(&rig.out[i]), STR("hidden")), STR_NONE);
    }
    end(&rig);
}

/* ---- bytes that are not right ---- */

TEST(cut_at_every_byte)
{
    struct rig rig;
    struct snapshot got;
    begin(&rig);
    struct str whole = buf_str(&rig.out[0]);
    for (size_t len = 0; len < whole.len; len++)
        EXPECT_INT("cut", read_into(&rig, str_slice(whole, 0, len), &got), ERR_INVALID);
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
        EXPECT_TRUE("nothing was put", !state_has(rig.copy, slot));
    end(&rig);
}

TEST(every_bit_of_every_byte_wrong)
{
    struct rig rig;
    struct snapshot got;
    char bytes[4096];
    begin(&rig);
    struct str whole = buf_str(&rig.out[0]);
    assert_true(whole.len <= sizeof bytes);
    for (size_t bit = 0; bit < whole.len * 8; bit++) {
        memcpy(bytes, whole.at, whole.len);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        EXPECT_INT("one bit", read_into(&rig, str_make(bytes, whole.len), &got), ERR_INVALID);
    }
    end(&rig);
}

TEST(not_these)
{
    static const struct {
        const char *name;
        struct str bytes;
    } cases[] = {
        {"nothing", {"", 0}},
        {"text", {"hello, world", 12}},
        {"another magic", {"ASKT\1\3two\0\0\0\0\0\0", 16}},
    };
    struct rig rig;
    struct snapshot got;
    begin(&rig);
    TEST_EACH(c, cases)
        EXPECT_INT(c->name, read_into(&rig, c->bytes, &got), ERR_INVALID);
    EXPECT_INT("a delta without its full one", read_into(&rig, buf_str(&rig.out[STEPS - 1]), &got),
               ERR_INVALID);
    end(&rig);
}

TEST(a_spent_arena)
{
    struct rig rig;
    struct snapshot got;
    begin(&rig);
    for (uint64_t n = 1;; n++) {
        fresh_copy(&rig);
        mem_fail_nth(n);
        enum err_code code = read_into(&rig, buf_str(&rig.out[0]), &got);
        mem_fail_nth(0);
        if (code == ERR_OK)
            break;
        EXPECT_INT("no memory", code, ERR_NO_MEMORY);
        EXPECT_TRUE("the sweep ends", n < 100);
    }
    end(&rig);
}

/* ---- the format stays: bytes that the first version wrote ---- */

static const char first_format[] = "ASKS\1\3two\4\xEC\7\2\1\6second\1\0\0\0\0\0\0\0\0\0\3sql\1m\2\4"
                                   "text\0\1\2hi\3log\5\1\0\2\1a\1b";

TEST(the_first_format_is_read)
{
    struct rig rig;
    struct snapshot got;
    char bytes[sizeof first_format + 4];
    size_t len = sizeof first_format - 1;
    static const unsigned char checksum[] = {0xe2, 0x9b, 0x27, 0xd8};
    begin(&rig);
    memcpy(bytes, first_format, len);
    memcpy(bytes + len, checksum, sizeof checksum);
    EXPECT_INT("read", read_into(&rig, str_make(bytes, len + sizeof checksum), &got), ERR_OK);
    EXPECT_INT("step", got.step, 4);
    EXPECT_INT("events", got.last_event_id, 1004);
    EXPECT_INT("next", got.next, 2);
    EXPECT_INT("visits", got.visits[1], 0);
    EXPECT_STR("route", got.route, STR("sql"));
    EXPECT_STR("text", state_str(rig.copy, TEXT), STR("hi"));
    EXPECT_INT("log", state_list_count(rig.copy, LOG_LIST), 2);
    EXPECT_STR("item", state_list_item(rig.copy, LOG_LIST, 1), STR("b"));
    end(&rig);
}

RUN_TESTS(T(a_run_comes_back), T(a_full_one_needs_no_other),
          T(what_passes_is_not_kept_of_an_ended_run), T(a_long_text_is_written_once),
          T(the_same_as_nothing), T(deltas_grow_with_what_was_said), T(the_secret_is_not_written),
          T(cut_at_every_byte), T(every_bit_of_every_byte_wrong), T(not_these), T(a_spent_arena),
          T(the_first_format_is_read))

/* SPDX-License-Identifier: MIT */
/* Batches of events: what goes in comes out; cut or changed anywhere they are refused. */
#include "tests/lib/test.h"

#include "core/store/event_bytes.h"

static const struct event said[] = {
    {.kind = EVENT_ROUTE_DECISION, .name = {"sql", 3}},
    {.kind = EVENT_TOKEN, .name = {"final", 5}, .text = {"\xE2\x82\xAC\0x", 5}, .number = -2},
    {.kind = EVENT_TOKEN, .name = {"final", 5}, .text = {"", 0}, .number = INT64_MAX},
    {.kind = EVENT_TOKEN, .name = {"final", 5}, .text = {" tok", 4}, .number = 1},
    {.kind = EVENT_TOKEN, .name = {"final", 5}, .text = {"", 0}, .number = 0},
    {.kind = EVENT_TOKEN, .name = {"final", 5}, .text = {"last", 4}, .number = 127},
    {.kind = EVENT_TOKEN, .name = {"final", 5}, .text = {"one more", 8}, .number = 128},
    {.kind = EVENT_TOKEN, .name = {"notes", 5}, .text = {" tok", 4}, .number = 1},
    {.kind = EVENT_TOKEN,
     .name = {"final", 5},
     .text = {"x", 1},
     .number = 2,
     .more = {"reset", 5}},
    {.kind = EVENT_ERROR, .name = {"internal", 8}, .text = {"m", 1}, .more = {"\"a\":1", 5}},
};

static void write_all(struct buf *batch)
{
    buf_init(batch, 65536);
    event_bytes_begin(batch);
    TEST_EACH(event, said)
        event_bytes_push(batch, event);
    event_bytes_end(batch);
    assert_true(buf_ok(batch));
}

TEST(they_come_back)
{
    struct buf batch;
    struct str events;
    struct err err = {0};
    struct event event;
    uint64_t id = 7;
    write_all(&batch);
    EXPECT_INT("open", event_bytes_open(buf_str(&batch), &events, &err), ERR_OK);
    TEST_EACH(want, said) {
        assert_true(event_bytes_take(&events, id, &event));
        EXPECT_INT("id", event.id, id++);
        EXPECT_INT("kind", event.kind, want->kind);
        EXPECT_INT("number", event.number, want->number);
        EXPECT_STR("name", event.name, want->name);
        EXPECT_STR("text", event.text, want->text);
        EXPECT_STR("more", event.more, want->more);
    }
    EXPECT_TRUE("no more", !event_bytes_take(&events, id, &event));
    buf_fini(&batch);
}

TEST(cut_or_changed_anywhere)
{
    struct buf batch;
    struct str events;
    struct err err = {0};
    char bytes[1024];
    write_all(&batch);
    struct str whole = buf_str(&batch);
    assert_true(whole.len <= sizeof bytes);
    for (size_t len = 0; len < whole.len; len++)
        EXPECT_INT("cut", event_bytes_open(str_slice(whole, 0, len), &events, &err), ERR_INVALID);
    for (size_t bit = 0; bit < whole.len * 8; bit++) {
        memcpy(bytes, whole.at, whole.len);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        EXPECT_INT("changed", event_bytes_open(str_make(bytes, whole.len), &events, &err),
                   ERR_INVALID);
    }
    buf_fini(&batch);
}

/* Every length of a head: a group of seven bits more, or not. */
TEST(tokens_of_any_length)
{
    static const size_t lengths[] = {0, 1, 127, 128, 16383, 16384, 70000};
    static char text[70000];
    memset(text, 't', sizeof text);
    TEST_EACH(len, lengths) {
        const struct event said_one = {
            .kind = EVENT_TOKEN, .name = STR("final"), .text = {text, *len}, .number = 3};
        struct buf batch;
        struct str events;
        struct err err = {0};
        struct event event;
        buf_init(&batch, 1 << 20);
        event_bytes_begin(&batch);
        event_bytes_push(&batch, &said_one);
        event_bytes_end(&batch);
        EXPECT_TRUE("a short head", buf_len(&batch) <= 1 + 4 + *len + 4);
        EXPECT_INT("open", event_bytes_open(buf_str(&batch), &events, &err), ERR_OK);
        EXPECT_TRUE("there", event_bytes_take(&events, 1, &event));
        EXPECT_STR("text", event.text, said_one.text);
        EXPECT_INT("attempt", event.number, 3);
        EXPECT_TRUE("no more", !event_bytes_take(&events, 2, &event));
        buf_fini(&batch);
    }
}

/* What stores have from before: a token with a head of its own, and the end. */
TEST(format_1_is_read)
{
    static const char stored[] = "\1"
                                 "\2\1\0\0\0\0\0\0\0\5\0\0\0\2\0\0\0\0\0\0\0finalHi"
                                 "\3\0\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\"a\":{}}";
    struct buf batch;
    struct str events;
    struct err err = {0};
    struct event event;
    buf_init(&batch, 1024);
    buf_push(&batch, str_make(stored, sizeof stored - 1));
    event_bytes_end(&batch);
    EXPECT_INT("open", event_bytes_open(buf_str(&batch), &events, &err), ERR_OK);
    assert_true(event_bytes_take(&events, 1, &event));
    EXPECT_INT("token", event.kind, EVENT_TOKEN);
    EXPECT_STR("channel", event.name, STR("final"));
    EXPECT_STR("text", event.text, STR("Hi"));
    assert_true(event_bytes_take(&events, 2, &event));
    EXPECT_INT("end", event.kind, EVENT_COMPLETE);
    EXPECT_STR("members", event.text, STR("\"a\":{}}"));
    EXPECT_TRUE("no more", !event_bytes_take(&events, 3, &event));
    buf_clear(&batch);
    buf_push_char(&batch, EVENT_BYTES_FORMAT + 1);
    event_bytes_end(&batch);
    EXPECT_INT("a newer one", event_bytes_open(buf_str(&batch), &events, &err), ERR_INVALID);
    buf_fini(&batch);
}

/* As if the checksum had been right: lengths and kinds are looked at all the same. */
TEST(nonsense_inside)
{
    struct buf batch;
    struct event event;
    write_all(&batch);
    struct str whole = str_slice(buf_str(&batch), 1, buf_len(&batch) - 4);
    for (size_t from = 1; from < whole.len; from++) {
        struct str rest = str_from(whole, from);
        for (unsigned i = 0; event_bytes_take(&rest, i, &event); i++)
            EXPECT_TRUE("inside", event.text.at >= whole.at &&
                                      event.text.at + event.text.len <= whole.at + whole.len);
    }
    buf_fini(&batch);
}

RUN_TESTS(T(they_come_back), T(cut_or_changed_anywhere), T(tokens_of_any_length),
          T(format_1_is_read), T(nonsense_inside))

/* SPDX-License-Identifier: MIT */
/* backends/http_client_head and http_client_deadline: lines and limits, without a socket. */
#include "backends/http/http_client_head.h"

#include "backends/http/http_client_deadline.h"
#include "tests/lib/test.h"

/* Sat, 21 Nov 2026 10:00:00 GMT */
static const uint64_t now_ms = UINT64_C(1795255200000);

static const struct {
    const char *name, *lines[6];
    int status;
    const char *type;
    uint64_t retry_ms;
    bool is_complete;
} heads[] = {
    {"plain",
     {"HTTP/1.1 200 OK\r\n", "Content-Type: text/event-stream; charset=utf-8\r\n", "\r\n"},
     200,
     "text/event-stream",
     UINT64_MAX,
     true},
    {"upper case",
     {"HTTP/1.1 200 OK\r\n", "CONTENT-TYPE: Application/JSON\r\n", "\r\n"},
     200,
     "application/json",
     UINT64_MAX,
     true},
    {"interim first",
     {"HTTP/1.1 100 Continue\r\n", "\r\n", "HTTP/1.1 204 No Content\r\n", "\r\n"},
     204,
     "",
     UINT64_MAX,
     true},
    {"only interim", {"HTTP/1.1 100 Continue\r\n", "\r\n"}, 100, "", UINT64_MAX, false},
    {"seconds", {"HTTP/1.1 429 Too Many\r\n", "Retry-After: 3\r\n", "\r\n"}, 429, "", 3000, true},
    {"ms wins",
     {"HTTP/1.1 429 T\r\n", "retry-after-ms: 50\r\n", "Retry-After: 3\r\n", "\r\n"},
     429,
     "",
     50,
     true},
    {"ms wins from behind",
     {"HTTP/1.1 429 T\r\n", "Retry-After: 3\r\n", "retry-after-ms: 50\r\n"},
     429,
     "",
     50,
     false},
    {"date",
     {"HTTP/1.1 503 S\r\n", "Retry-After: Sat, 21 Nov 2026 10:00:07 GMT\r\n", "\r\n"},
     503,
     "",
     7000,
     true},
    {"past date",
     {"HTTP/1.1 503 S\r\n", "Retry-After: Sat, 21 Nov 2020 10:00:07 GMT\r\n"},
     503,
     "",
     0,
     false},
    {"nonsense",
     {"HTTP/1.1 503 S\r\n", "Retry-After: soon\r\n", "no colon\r\n", "\r\n"},
     503,
     "",
     UINT64_MAX,
     true},
    {"absurd seconds",
     {"HTTP/1.1 503 S\r\n", "Retry-After: 99999999999999999\r\n"},
     503,
     "",
     UINT64_MAX,
     false},
    {"no reason", {"HTTP/1.1 200\r\n", "\r\n"}, 200, "", UINT64_MAX, true},
    {"no status", {"HTTP/1.1\r\n", "\r\n"}, 0, "", UINT64_MAX, false},
    {"trailer is ignored",
     {"HTTP/1.1 200 OK\r\n", "\r\n", "Retry-After: 3\r\n"},
     200,
     "",
     UINT64_MAX,
     true},
};

TEST(heads_are_read)
{
    TEST_EACH(c, heads) {
        struct http_client_head head;
        http_client_head_init(&head);
        for (size_t i = 0; i < countof(c->lines) && c->lines[i] != NULL; i++)
            EXPECT_TRUE(c->name, http_client_head_feed(&head, str_of(c->lines[i]), now_ms));
        EXPECT_INT(c->name, head.status, c->status);
        EXPECT_STR(c->name, str_of(head.content_type), str_of(c->type));
        EXPECT_INT(c->name, head.retry_after_ms, c->retry_ms);
        EXPECT_INT(c->name, head.is_complete, c->is_complete);
    }
}

TEST(heads_are_bounded)
{
    struct http_client_head head;
    http_client_head_init(&head);
    EXPECT_TRUE("status", http_client_head_feed(&head, STR("HTTP/1.1 200 OK\r\n"), now_ms));
    unsigned lines = 0;
    while (
        http_client_head_feed(&head, STR("X-Filler: 0123456789012345678901234567890\r\n"), now_ms))
        EXPECT_TRUE("bounded", ++lines < 10000);
}

static const struct {
    const char *name;
    struct http_client_deadline deadline;
    uint64_t next_ms;
    const char *text; /* at next_ms; NULL: never */
} deadlines[] = {
    {"none", {.started_ms = 100}, UINT64_MAX, NULL},
    {"connect", {.started_ms = 100, .connect_ms = 5, .total_ms = 50}, 105, "no connection"},
    {"connected",
     {.started_ms = 100, .connect_ms = 5, .total_ms = 50, .is_connected = true},
     150,
     "not complete"},
    {"first byte",
     {.started_ms = 100, .waiting_ms = 100, .first_byte_ms = 20, .is_connected = true},
     120,
     "no answer"},
    {"first byte of a peer at work",
     {.started_ms = 100, .waiting_ms = 130, .first_byte_ms = 20, .is_connected = true},
     150,
     "no answer"},
    {"idle",
     {.started_ms = 100,
      .first_byte_ms = 20,
      .idle_ms = 7,
      .is_connected = true,
      .has_begun = true,
      .last_byte_ms = 200},
     207,
     "nothing more"},
    {"idle counts only once there is a body", {.started_ms = 100, .idle_ms = 7}, UINT64_MAX, NULL},
    {"total in spite of bytes",
     {.started_ms = 100, .idle_ms = 7, .total_ms = 103, .has_begun = true, .last_byte_ms = 200},
     203,
     "not complete"},
};

TEST(deadlines_in_order)
{
    TEST_EACH(c, deadlines) {
        struct err err = {0};
        uint64_t next_ms = http_client_deadline_next(&c->deadline);
        EXPECT_INT(c->name, next_ms, c->next_ms);
        if (c->text == NULL)
            continue;
        EXPECT_INT(c->name, http_client_deadline_check(&c->deadline, next_ms - 1, &err), ERR_OK);
        EXPECT_INT(c->name, http_client_deadline_check(&c->deadline, next_ms, &err), ERR_TIMEOUT);
        EXPECT_TRUE(c->name, strstr(err.text, c->text) != NULL);
    }
}

RUN_TESTS(T(heads_are_read), T(heads_are_bounded), T(deadlines_in_order))

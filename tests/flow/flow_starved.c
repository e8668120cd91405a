/* SPDX-License-Identifier: MIT */
/* tests/flow/flow_starved.c - a whole run in which the n-th allocation fails, for every n up to a
 * few hundred and then for ever fewer: on any of the server's threads, its own and those of the
 * libraries. A question is answered, refused, or its connection cut; a stream that began ends once;
 * the server goes on, and ends with nothing left in it. */
#include "tests/flow/store_place.h"
#include "tests/lib/http_peer.h"
#include "tests/lib/starve.h"

#define CHAT "/internal/chat/stream"

enum { EACH = 300, MOST = 200000, TRIES = 100 };

static const char tables[] =
    "CREATE TABLE technicians (id INTEGER PRIMARY KEY, name TEXT, city TEXT, active INTEGER);"
    "INSERT INTO technicians VALUES (1, 'Vera', 'Graz', 1), (2, 'Emil', 'Linz', 0);";

static size_t count_of(struct str text, const char *needle)
{
    size_t count = 0;
    for (ptrdiff_t at; (at = str_find(text, str_of(needle))) != STR_NONE; count++)
        text = str_from(text, (size_t)at + 1);
    return count;
}

static void ask(struct http_peer *peer, unsigned port, const char *message, uint64_t n)
{
    char body[512];
    snprintf(body, sizeof body,
             "{\"input\":{\"message\":\"%s\"},\"conversation\":{\"id\":\"c-%llu\",\"user_id\":"
             "\"ann\",\"company_id\":\"acme\"}}",
             message, (unsigned long long)n);
    http_peer_open(peer, port);
    http_peer_post(peer, CHAT, "Connection: close\r\n", body);
}

/* One question while the n-th allocation fails, and the count - 1 after it. Whether there were as
 * many. */
static bool ask_starved(unsigned port, const char *message, uint64_t n, uint64_t count)
{
    struct http_peer peer;
    starve_others_at(n, count); /* first: a fast server is done before this thread runs again */
    ask(&peer, port, message, n);
    bool is_over = http_peer_at_end(&peer);
    bool was_starved = starve_end() >= n;
    struct str answer = buf_str(&peer.in);
    size_t ends =
        count_of(answer, "\"event\":\"complete\"") + count_of(answer, "\"event\":\"error\"");
    bool is_stream = str_starts_with(answer, STR("HTTP/1.1 200 "));
    bool is_cut = is_stream && !str_ends_with(answer, STR("0\r\n\r\n"));
    if (!is_over || ends > 1 || (is_stream && !is_cut && ends != 1))
        fail_msg("'%s', allocation %llu: %zu ends in\n%.*s", message, (unsigned long long)n, ends,
                 STR_ARG(answer));
    http_peer_close(&peer);
    return was_starved;
}

/* What is short of memory may refuse for a while, but not for good. */
static void expect_goes_on(unsigned port, const char *message, uint64_t n)
{
    for (unsigned i = 0; i < TRIES; i++) {
        struct http_peer peer;
        ask(&peer, port, message, MOST + n);
        bool is_fine =
            http_peer_at_end(&peer) && count_of(buf_str(&peer.in), "\"event\":\"complete\"") == 1;
        http_peer_close(&peer);
        if (is_fine)
            return;
    }
    fail_msg("'%s' is not answered any more after allocation %llu failed", message,
             (unsigned long long)n);
}

TEST(the_nth_allocation_of_a_run_fails)
{
    static const struct {
        const char *message;
        uint64_t count;
    } cases[] = {{"How many technicians are there?", 1},
                 {"How many technicians are there?", 20},
                 {"Hello", 1},
                 {"Hello", 20}};
    struct store_place place;
    struct sqlite_file database;
    char store_url[512], database_url[256];
    store_place_make(&place);
    sqlite_file_make(&database, tables);
    snprintf(store_url, sizeof store_url, "ASKD_CHECKPOINT_URL=%s", place.url);
    snprintf(database_url, sizeof database_url, "ASKD_DATABASE_URL=sqlite:%s", database.path);
    const char *settings[] = {store_url, database_url, "ASKD_MODEL=offline", NULL};
    struct server_rig *server = server_rig_start(settings);
    TEST_EACH(c, cases) {
        unsigned port = server_rig_port(server);
        uint64_t n = 1;
        expect_goes_on(port, c->message, 0); /* the schema is read */
        for (; ask_starved(port, c->message, n, c->count); n += n < EACH ? 1 : 1 + n / 32) {
            expect_goes_on(port, c->message, n);
            EXPECT_TRUE("the sweep ends", n < MOST);
        }
        print_message("'%s': less than %llu allocations\n", c->message, (unsigned long long)n);
        EXPECT_TRUE("there were some", n > 1 && starve_libraries() > 0);
    }
    assert_true(server_rig_stop(server));
    sqlite_file_remove(&database);
    store_place_drop(&place);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {T(the_nth_allocation_of_a_run_fails)};
    return store_place_main(tests, countof(tests));
}

/* SPDX-License-Identifier: MIT */
/* backends/sql_pg and pg_conn, what is PostgreSQL's own: ways to a server, silence, settings of a
 * session, encodings, a pool that is full, statements cancelled by others. What all engines share
 * is in tests/contract. */
#include "backends/sql/sql_pg.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/test_server.h"
#include "tests/unit/backends/rig.h"

enum { URL_BYTES = 512, LONG_MS = 60000 };

struct pg_rig {
    struct rig rig;
    struct sql *sql;
    struct sql_query query;
};

static char own_url[URL_BYTES / 2]; /* of the database of this program */

static void begin(struct pg_rig *f, const char *url, size_t size, uint64_t connect_ms)
{
    struct err err = {0};
    *f = (struct pg_rig){0};
    rig_begin(&f->rig);
    f->sql = sql_pg_create(
        f->rig.loop,
        &(struct sql_pg_options){
            .url = url, .pool = {.size = size}, .connect_ms = connect_ms, .queue_ms = LONG_MS},
        &err);
    if (f->sql == NULL)
        fail_msg("%s: %s", url, err.text);
}

static void end(struct pg_rig *f)
{
    op_release(&f->query.op);
    sql_close(f->sql, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
}

static void wait_for(struct pg_rig *f, struct sql_query *query)
{
    while (op_is_pending(&query->op))
        loop_run(f->rig.loop);
}

static enum err_code ask(struct pg_rig *f, const char *text)
{
    op_release(&f->query.op);
    const struct sql_statement statement = {.text = str_of(text)};
    sql_query_start(&f->query, f->sql, &statement, rig_waiter(&f->rig));
    wait_for(f, &f->query);
    return f->query.op.err.code;
}

static void expect_answer(struct pg_rig *f, const char *text, const char *want)
{
    if (ask(f, text) != ERR_OK)
        fail_msg("%s: %s", text, f->query.op.err.text);
    EXPECT_STR(text, sql_result_at(&f->query.result, 0, 0)->text, str_of(want));
}

/* "host:port" of the server, and its database. */
static void parts(struct str *host, struct str *port, struct str *database)
{
    struct str rest = str_of(own_url);
    rest = str_from(rest, (size_t)str_find_char(rest, '@') + 1);
    *host = str_split(&rest, ':');
    *port = str_split(&rest, '/');
    *database = rest;
}

static int silent_socket(unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

TEST(ways_to_a_server)
{
    char scratch[256] = "", urls[6][URL_BYTES], path[512];
    struct str host, port, database;
    unsigned dead;
    parts(&host, &port, &database);
    int held = silent_socket(&dead); /* not listening: it refuses, and nobody else gets it */
    snprintf(path, sizeof path, "%s/scratch", getenv("ASKD_TEST_SERVERS"));
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(scratch, sizeof scratch, in));
    fclose(in);
    scratch[strcspn(scratch, "\n")] = '\0';
    snprintf(urls[0], URL_BYTES, "%s", own_url);
    snprintf(urls[1], URL_BYTES, "postgresql://askd@localhost:%.*s/%.*s", STR_ARG(port),
             STR_ARG(database));
    snprintf(urls[2], URL_BYTES, "postgresql:///%.*s?user=askd&host=%s&port=%.*s",
             STR_ARG(database), scratch, STR_ARG(port));
    snprintf(urls[3], URL_BYTES, "postgresql://askd@127.0.0.1:%u,a..b:%u,127.0.0.1:%.*s/%.*s", dead,
             dead, STR_ARG(port), STR_ARG(database));
    snprintf(urls[4], URL_BYTES, "%s?sslmode=prefer&target_session_attrs=primary", own_url);
    for (size_t i = 0; i < 5; i++) {
        struct pg_rig f;
        begin(&f, urls[i], 1, LONG_MS);
        expect_answer(&f, "SELECT 'in'", "in");
        end(&f);
    }
    struct pg_rig f;
    snprintf(urls[5], URL_BYTES, "%s?sslmode=require", own_url);
    begin(&f, urls[5], 1, LONG_MS);
    EXPECT_INT("no TLS there", ask(&f, "SELECT 1"), ERR_UNAVAILABLE);
    EXPECT_TRUE("says so", strstr(f.query.op.err.text, "SSL") != NULL);
    end(&f);
    close(held);
}

/* The kernel lets us connect; nobody ever answers. */
TEST(silence)
{
    unsigned port;
    char url[URL_BYTES];
    int fd = silent_socket(&port);
    assert_int_equal(listen(fd, 64), 0);
    snprintf(url, sizeof url, "postgresql://askd@127.0.0.1:%u,localhost:%u/d", port, port);
    struct pg_rig f;
    begin(&f, url, 2, 60);
    EXPECT_INT("silence", ask(&f, "SELECT 1"), ERR_UNAVAILABLE);
    EXPECT_TRUE("says so", strstr(f.query.op.err.text, "in time") != NULL);
    end(&f);
    for (unsigned turns = 0; turns < 12; turns++) {
        begin(&f, url, 2, LONG_MS);
        const struct sql_statement one = {.text = STR("SELECT 1")};
        sql_query_start(&f.query, f.sql, &one, rig_waiter(&f.rig));
        loop_turn(f.rig.loop, turns / 2);
        if (turns % 2 == 0)
            op_cancel(&f.query.op);
        else
            sql_close(f.sql, rig_on_closed, &f.rig);
        wait_for(&f, &f.query);
        EXPECT_INT("cancelled", f.query.op.err.code, ERR_CANCELLED);
        EXPECT_INT("done", f.rig.done_calls, 1);
        op_release(&f.query.op);
        if (turns % 2 == 0)
            sql_close(f.sql, rig_on_closed, &f.rig);
        rig_end(&f.rig);
        EXPECT_INT("closed", f.rig.closed_calls, 1);
    }
    close(fd);
}

TEST(settings_of_a_session)
{
    static const struct {
        const char *name, *want;
    } settings[] = {
        {"default_transaction_read_only", "on"},
        {"transaction_read_only", "on"},
        {"application_name", "askd"},
        {"client_encoding", "UTF8"},
        {"DateStyle", "ISO, MDY"},
        {"bytea_output", "hex"},
        {"standard_conforming_strings", "on"},
        {"client_connection_check_interval", "2s"},
        {"idle_in_transaction_session_timeout", "1min"},
        {"work_mem", "1MB"},
    };
    char url[URL_BYTES + 64], text[128];
    struct pg_rig f;
    snprintf(url, sizeof url, "%s?options=-c%%20work_mem%%3D1MB", own_url);
    begin(&f, url, 1, LONG_MS);
    TEST_EACH(c, settings) {
        snprintf(text, sizeof text, "SELECT current_setting('%s')", c->name);
        expect_answer(&f, text, c->want);
    }
    const struct sql_statement timed = {
        .text = STR("SELECT current_setting('statement_timeout')::interval"
                    " BETWEEN interval '1 minute' AND interval '10 minutes'"),
        .timeout_ms = 600000};
    op_release(&f.query.op);
    sql_query_start(&f.query, f.sql, &timed, rig_waiter(&f.rig));
    wait_for(&f, &f.query);
    EXPECT_INT("its own time limit", sql_result_at(&f.query.result, 0, 0)->integer, 1);
    end(&f);
}

/* A server that converts nothing still refuses to send what is no UTF-8. */
TEST(bytes_that_are_no_text)
{
    char command[1024], url[URL_BYTES];
    struct str host, port, database;
    struct pg_rig f;
    parts(&host, &port, &database);
    snprintf(command, sizeof command,
             "echo \"DROP DATABASE IF EXISTS unit_ascii; CREATE DATABASE unit_ascii TEMPLATE "
             "template0 ENCODING 'SQL_ASCII' LOCALE 'C'\" | sed 's/; /;\\n/' | %s run %s postgres "
             "postgres >/dev/null 2>&1",
             getenv("ASKD_TEST_DATABASE"), getenv("ASKD_TEST_SERVERS"));
    assert_int_equal(system(command), 0);
    snprintf(url, sizeof url, "postgresql://askd@%.*s:%.*s/unit_ascii", STR_ARG(host),
             STR_ARG(port));
    begin(&f, url, 1, LONG_MS);
    expect_answer(&f, "SELECT 'plain'", "plain");
    EXPECT_INT("bytes", ask(&f, "SELECT E'\\xff\\xfe'"), ERR_REJECTED);
    EXPECT_TRUE("said as text", str_is_utf8(str_of(f.query.op.err.text)));
    EXPECT_INT("in an error", ask(&f, "SELECT E'no_such_\\xff'::regclass"), ERR_REJECTED);
    EXPECT_TRUE("is text", str_is_utf8(str_of(f.query.op.err.text)));
    expect_answer(&f, "SELECT 'well'", "well");
    end(&f);
    test_server_drop("postgres", "unit_ascii");
}

/* Cancelled by an administrator: not by us, not by our time limit. */
TEST(cancelled_by_somebody_else)
{
    struct pg_rig f;
    begin(&f, own_url, 2, LONG_MS);
    const struct sql_statement asleep = {.text = STR("SELECT pg_sleep(600) AS sleeper")};
    struct sql_query query = {0};
    sql_query_start(&query, f.sql, &asleep, rig_waiter(&f.rig));
    while (op_is_pending(&query.op))
        EXPECT_INT("cancel",
                   ask(&f, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
                           " WHERE query LIKE '%AS sleep' || 'er' AND state = 'active'"),
                   ERR_OK);
    EXPECT_INT(query.op.err.text, query.op.err.code, ERR_UNAVAILABLE);
    EXPECT_STR("its state", str_of(query.sqlstate), STR("57014"));
    op_release(&query.op);
    expect_answer(&f, "SELECT 'well'", "well");
    end(&f);
}

/* A COPY's answer derails the connection. Meanwhile the server has said all it will: nothing else
 * wakes us. What another loop asks takes the server long enough to have answered ours. */
TEST(an_answer_that_is_all_there_before_we_look)
{
    const struct sql_statement copy = {.text = STR("COPY pg_am TO STDOUT")};
    struct pg_rig other;
    begin(&other, own_url, 1, LONG_MS);
    for (unsigned turns = 0; turns < 8; turns++) {
        struct pg_rig f;
        begin(&f, own_url, 1, LONG_MS);
        expect_answer(&f, "SELECT 'well'", "well");
        op_release(&f.query.op);
        sql_query_start(&f.query, f.sql, &copy, rig_waiter(&f.rig));
        loop_turn(f.rig.loop, turns);
        for (int i = 0; i < 20; i++)
            expect_answer(&other, "SELECT 'well'", "well");
        wait_for(&f, &f.query);
        EXPECT_INT(f.query.op.err.text, f.query.op.err.code, ERR_REJECTED);
        expect_answer(&f, "SELECT 'well'", "well");
        end(&f);
    }
    end(&other);
}

static int make_database(void **state)
{
    (void)state;
    test_server_create("postgres", "unit_sql_pg", "", own_url, sizeof own_url);
    return 0;
}

static int drop_database(void **state)
{
    (void)state;
    test_server_drop("postgres", "unit_sql_pg");
    return 0;
}

int main(void)
{
    const struct CMUnitTest all[] = {
        T(ways_to_a_server),           T(silence),
        T(settings_of_a_session),      T(bytes_that_are_no_text),
        T(cancelled_by_somebody_else), T(an_answer_that_is_all_there_before_we_look)};
    return cmocka_run_group_tests(all, make_database, drop_database);
}

/* SPDX-License-Identifier: MIT */
/* backends/pg_target and backends/pg_error: urls and what is wrong with them, places, what libpq is
 * told, what its complaints become. The password is in none of it. */
#include "backends/sql/pg_target.h"

#include "backends/sql/pg_error.h"
#include "tests/lib/test.h"

static const struct {
    const char *url;
    size_t count;
    const char *host, *where; /* of the last place; host NULL: nothing to resolve */
} good[] = {
    {"postgresql://u:s3cret@db.test:5433/shop", 1, "db.test", "db.test:5433"},
    {"postgres://u@db.test/shop?sslmode=require", 1, "db.test", "db.test:5432"},
    {"postgresql://u@[::1]:5433/shop", 1, "::1", "::1:5433"},
    {"postgresql://a.test:1,b.test:2,c.test:3/shop", 3, "c.test", "c.test:3"},
    {"postgresql://a.test,b.test/shop?port=7", 2, "b.test", "b.test:7"},
    {"postgresql:///shop?host=/var/run/pg&port=5433", 1, NULL, "/var/run/pg:5433"},
    {"postgresql:///shop?host=db.test&hostaddr=192.0.2.1", 1, NULL, "db.test:5432"},
    {"postgresql:///shop?hostaddr=192.0.2.1,192.0.2.2", 2, NULL, "192.0.2.2:5432"},
};

static const struct {
    const char *url, *says;
} bad[] = {
    {"", "postgresql://"},
    {"mysql://u:s3cret@h/d", "postgresql://"},
    {"host=h password=s3cret", "postgresql://"},
    {"postgresql://u:s3cret%zz@h/d", "percent-encoded"},
    {"postgresql://u:s3cret@h/d?colour=red", "colour"},
    {"postgresql://u:s3cret@h/d?sslmode", "URI"},
    {"postgresql://u:s3cret@[::1/d", "IPv6"},
    {"postgresql://u:s3cret@h:0/d", "port"},
    {"postgresql://u:s3cret@h:65536/d", "port"},
    {"postgresql://u:s3cret@h:1x/d", "port"},
    {"postgresql://u:s3cret@a,b,c/d?port=1,2", "2 ports"},
    {"postgresql://u:s3cret@a,b/d?hostaddr=127.0.0.1", "addresses"},
    {"postgresql://u:s3cret@a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a/d", "16 hosts"},
    {"postgresql:///d?service=x", "service"},
};

TEST(places_of_good_urls)
{
    TEST_EACH(c, good) {
        struct err err = {0};
        char where[PG_TARGET_WHERE_BYTES];
        struct pg_target *target = pg_target_create(c->url, &err);
        if (target == NULL)
            fail_msg("%s: %s", c->url, err.text);
        EXPECT_INT(c->url, pg_target_count(target), c->count);
        EXPECT_STR(c->url, str_of(pg_target_host(target, c->count - 1)), str_of(c->host));
        pg_target_where(target, c->count - 1, where);
        EXPECT_STR(c->url, str_of(where), str_of(c->where));
        pg_target_destroy(target);
    }
    pg_target_destroy(NULL);
}

TEST(bad_urls_are_named_without_their_password)
{
    TEST_EACH(c, bad) {
        struct err err = {0};
        EXPECT_TRUE(c->url, pg_target_create(c->url, &err) == NULL);
        EXPECT_INT(c->url, err.code, ERR_INVALID);
        if (strstr(err.text, c->says) == NULL || strstr(err.text, "s3cret") != NULL)
            fail_msg("%s: says '%s'", c->url, err.text);
    }
}

static const char *value_of(const struct pg_target_params *params, const char *keyword)
{
    const char *value = NULL;
    for (size_t i = 0; params->keywords[i] != NULL; i++)
        if (strcmp(params->keywords[i], keyword) == 0)
            value = params->values[i];
    return value;
}

TEST(libpq_is_told_the_url_and_our_settings)
{
    struct err err = {0};
    struct pg_target_params params;
    struct pg_target *target = pg_target_create(
        "postgresql://u:s3cret@db.test/d?options=-c%20work_mem%3D1MB&client_encoding=LATIN1", &err);
    assert_non_null(target);
    pg_target_fill(target, 0, "192.0.2.7", &params);
    EXPECT_STR("host", str_of(value_of(&params, "host")), STR("db.test"));
    EXPECT_STR("address", str_of(value_of(&params, "hostaddr")), STR("192.0.2.7"));
    EXPECT_STR("password", str_of(value_of(&params, "password")), STR("s3cret"));
    EXPECT_STR("encoding", str_of(value_of(&params, "client_encoding")), STR("UTF8"));
    EXPECT_STR("gss", str_of(value_of(&params, "gssencmode")), STR("disable"));
    struct str options = str_of(value_of(&params, "options"));
    EXPECT_TRUE("theirs first", str_starts_with(options, STR("-c work_mem=1MB ")));
    EXPECT_TRUE("read only", str_find(options, STR("default_transaction_read_only=on")) > 0);
    pg_target_destroy(target);
    target = pg_target_create("postgresql://h/d?gssencmode=prefer&application_name=mine", &err);
    assert_non_null(target);
    pg_target_fill(target, 0, NULL, &params);
    EXPECT_STR("asked for", str_of(value_of(&params, "gssencmode")), STR("prefer"));
    EXPECT_STR("theirs", str_of(value_of(&params, "application_name")), STR("mine"));
    pg_target_destroy(target);
}

TEST(no_memory)
{
    for (uint64_t n = 1; n < 20; n++) {
        struct err err = {0};
        mem_fail_nth(n);
        struct pg_target *target = pg_target_create("postgresql://a,b/d", &err);
        mem_fail_nth(0);
        if (target == NULL)
            EXPECT_TRUE("named", err.code == ERR_NO_MEMORY || err.code == ERR_INVALID);
        pg_target_destroy(target);
    }
}

static const struct {
    const char *text;
    enum err_code want;
    const char *said;
} complaints[] = {
    {"connection to server at \"h\", port 1 failed: Connection refused\n\tIs it running?\n",
     ERR_UNAVAILABLE, "postgresql at h:1: Connection refused"},
    {"connection to server at \"h\", port 1 failed: FATAL:  28P01: password authentication failed "
     "for user \"u\"\nLOCATION:  auth_failed, auth.c:326\n",
     ERR_DENIED, "postgresql at h:1: password authentication failed for user \"u\""},
    {"connection to server failed: FATAL:  28000: no pg_hba.conf entry\nconnection failed: FATAL:  "
     "28000: role \"u\" does not exist\n",
     ERR_DENIED, "postgresql at h:1: role \"u\" does not exist"},
    {"failed: FATAL:  3D000: database \"d\" does not exist\n", ERR_UNAVAILABLE,
     "postgresql at h:1: database \"d\" does not exist"},
    {"failed: FATAL:  53300: sorry, too many clients already\n", ERR_UNAVAILABLE,
     "postgresql at h:1: sorry, too many clients already"},
    {"x failed: FATAL:  42501: permission denied for database \"d\"\n", ERR_DENIED,
     "postgresql at h:1: permission denied for database \"d\""},
    {"FATAL:  28P0", ERR_UNAVAILABLE, "postgresql at h:1: FATAL:  28P0"},
    {"\xff\xfe", ERR_UNAVAILABLE, "postgresql at h:1: it says so in a foreign encoding"},
    {"", ERR_UNAVAILABLE, "postgresql at h:1:"},
};

TEST(complaints_of_libpq)
{
    TEST_EACH(c, complaints) {
        struct err err = {0};
        EXPECT_INT(c->text, pg_error_connect(c->text, "h:1", &err), c->want);
        EXPECT_STR(c->text, str_trim(str_of(err.text)), str_of(c->said));
    }
}

static const struct {
    const char *state;
    enum err_code want;
} states[] = {
    {"", ERR_UNAVAILABLE},      {"42703", ERR_REJECTED},    {"42501", ERR_REJECTED},
    {"22P02", ERR_REJECTED},    {"25006", ERR_REJECTED},    {"57014", ERR_TIMEOUT},
    {"57P01", ERR_UNAVAILABLE}, {"57P03", ERR_UNAVAILABLE}, {"53300", ERR_UNAVAILABLE},
    {"08006", ERR_UNAVAILABLE}, {"08P01", ERR_REJECTED},    {"28P01", ERR_DENIED},
    {"40001", ERR_UNAVAILABLE}, {"XX001", ERR_UNAVAILABLE}, {"XX000", ERR_REJECTED},
};

TEST(states_and_what_they_mean)
{
    TEST_EACH(c, states)
        EXPECT_INT(c->state, pg_error_code(str_of(c->state)), c->want);
}

RUN_TESTS(T(places_of_good_urls), T(bad_urls_are_named_without_their_password),
          T(libpq_is_told_the_url_and_our_settings), T(no_memory), T(complaints_of_libpq),
          T(states_and_what_they_mean))

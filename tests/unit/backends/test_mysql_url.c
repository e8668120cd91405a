/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/test_mysql_url.c - urls read and refused, and what error numbers mean. */
#include "backends/sql/mysql_error.h"
#include "backends/sql/mysql_url.h"
#include <stdio.h>

#include "tests/lib/test.h"

enum { SWEEP_MAX = 50 };

static struct str text_of(const char *text)
{
    return str_of(text == NULL ? "-" : text);
}

TEST(urls_are_read)
{
    static const struct {
        const char *url, *user, *password, *host, *socket, *database;
        unsigned port;
        enum mysql_url_tls tls;
    } cases[] = {
        {"mysql://u:p@db.example/x", "u", "p", "db.example", "-", "x", 3306,
         MYSQL_URL_TLS_PREFERRED},
        {"mariadb://u@127.0.0.1:3307/x", "u", "", "127.0.0.1", "-", "x", 3307,
         MYSQL_URL_TLS_PREFERRED},
        {"mysql://u:a:b@c@h/x", "u", "a:b@c", "h", "-", "x", 3306, MYSQL_URL_TLS_PREFERRED},
        {"mysql://u%40v:p%3A%2F%3F@h/x%20y", "u@v", "p:/?", "h", "-", "x y", 3306,
         MYSQL_URL_TLS_PREFERRED},
        {"mysql://u:@[::1]:1/x?ssl-mode=DISABLED", "u", "", "::1", "-", "x", 1,
         MYSQL_URL_TLS_DISABLED},
        {"mysql://u@[fe80::1]/x?ssl-mode=verify_identity", "u", "", "fe80::1", "-", "x", 3306,
         MYSQL_URL_TLS_VERIFY_IDENTITY},
        {"mysql://u@/x?socket=/run/my%20sql.sock", "u", "", "-", "/run/my sql.sock", "x", 3306,
         MYSQL_URL_TLS_PREFERRED},
        {"mysql://u@h/x?ssl-mode=verify-ca&ssl-ca=/ca.pem&", "u", "", "h", "-", "x", 3306,
         MYSQL_URL_TLS_VERIFY_CA},
        {"mysql://u@10.0.0.1/x?ssl-mode=verify_identity", "u", "", "10.0.0.1", "-", "x", 3306,
         MYSQL_URL_TLS_VERIFY_IDENTITY},
    };
    TEST_EACH(c, cases) {
        struct mysql_url url;
        struct err err = {0};
        if (mysql_url_parse(&url, str_of(c->url), &err) != ERR_OK)
            fail_msg("%s: %s", c->url, err.text);
        EXPECT_STR(c->url, text_of(url.user), str_of(c->user));
        EXPECT_STR(c->url, text_of(url.password), str_of(c->password));
        EXPECT_STR(c->url, text_of(url.host), str_of(c->host));
        EXPECT_STR(c->url, text_of(url.socket), str_of(c->socket));
        EXPECT_STR(c->url, text_of(url.database), str_of(c->database));
        EXPECT_INT(c->url, url.port, c->port);
        EXPECT_INT(c->url, url.tls, c->tls);
        mysql_url_fini(&url);
    }
}

TEST(others_are_refused_by_part)
{
    static const struct {
        const char *url, *says;
    } cases[] = {
        {"", "mysql://"},
        {"postgresql://u@h/x", "mysql://"},
        {"mysql://h/x", "user"},
        {"mysql://:s3cret@h/x", "user"},
        {"mysql://u:s3cret@h", "database"},
        {"mysql://u:s3cret@h/", "database"},
        {"mysql://u:s3cret@/x", "host"},
        {"mysql://u:s3cret@h/x?socket=/s", "not both"},
        {"mysql://u:s3cret@h:0/x", "port"},
        {"mysql://u:s3cret@h:65536/x", "port"},
        {"mysql://u:s3cret@h:/x", "port"},
        {"mysql://u:s3cret@h:3306x/x", "port"},
        {"mysql://u:s3cret@[::1/x", "']'"},
        {"mysql://u:s3cret@[::1]3306/x", "':'"},
        {"mysql://u:s3cret%zz@h/x", "password"},
        {"mysql://u%ff:s3cret@h/x", "user"},
        {"mysql://u:s3cret@h%00/x", "host"},
        {"mysql://u:s3cret@h/x?ssl-mode=maybe", "ssl-mode"},
        {"mysql://u:s3cret@h/x?timeout=5", "timeout"},
        {"mysql://u:s3cret@h/x?socket", "socket"},
        {"mysql://u:s3cret@h/x?ssl-mode=verify_ca", "ssl-ca"},
        {"mysql://u:s3cret@h/x?ssl-mode=verify_identity", "address"},
        {"mysql://u:s3cret@1.2.3/x?ssl-mode=verify_identity", "address"},
        {"mysql://u:s3cret@/x?socket=/s&ssl-mode=required", "socket"},
    };
    TEST_EACH(c, cases) {
        struct mysql_url url;
        struct err err = {0};
        EXPECT_INT(c->url, mysql_url_parse(&url, str_of(c->url), &err), ERR_INVALID);
        if (strstr(err.text, c->says) == NULL || strstr(err.text, "s3cret") != NULL)
            fail_msg("%s: '%s' should say '%s' and no password", c->url, err.text, c->says);
        mysql_url_fini(&url);
    }
}

TEST(a_long_url_is_refused_and_memory_may_end)
{
    static char text[5000];
    struct mysql_url url;
    memset(text, 'a', sizeof text - 1);
    memcpy(text, "mysql://u@h/", 12);
    EXPECT_INT("long", mysql_url_parse(&url, str_of(text), NULL), ERR_INVALID);
    mysql_url_fini(&url);
    enum err_code code = ERR_NO_MEMORY;
    for (unsigned nth = 1; code == ERR_NO_MEMORY && nth < SWEEP_MAX; nth++) {
        mem_fail_nth(nth);
        code = mysql_url_parse(&url, STR("mysql://u%20:p%20@h%20/x%20?ssl-ca=%20f"), NULL);
        mem_fail_nth(0);
        mysql_url_fini(&url);
    }
    EXPECT_INT("in the end", code, ERR_OK);
}

TEST(numbers_have_meanings)
{
    static const struct {
        unsigned number;
        enum err_code query, login;
        bool loss;
    } cases[] = {
        {1064, ERR_REJECTED, ERR_UNAVAILABLE, false},
        {1045, ERR_REJECTED, ERR_DENIED, false},
        {1049, ERR_REJECTED, ERR_DENIED, false},
        {1142, ERR_REJECTED, ERR_UNAVAILABLE, false},
        {1792, ERR_REJECTED, ERR_UNAVAILABLE, false},
        {1317, ERR_CANCELLED, ERR_UNAVAILABLE, false},
        {1969, ERR_TIMEOUT, ERR_UNAVAILABLE, false},
        {3024, ERR_TIMEOUT, ERR_UNAVAILABLE, false},
        {1205, ERR_TIMEOUT, ERR_UNAVAILABLE, false},
        {2006, ERR_UNAVAILABLE, ERR_UNAVAILABLE, true},
        {2013, ERR_UNAVAILABLE, ERR_UNAVAILABLE, true},
        {1053, ERR_UNAVAILABLE, ERR_UNAVAILABLE, true},
        {1040, ERR_UNAVAILABLE, ERR_UNAVAILABLE, false},
        {1927, ERR_UNAVAILABLE, ERR_UNAVAILABLE, true},
        {1021, ERR_UNAVAILABLE, ERR_UNAVAILABLE, false},
        {28, ERR_UNAVAILABLE, ERR_UNAVAILABLE, false},
        {2020, ERR_TOO_LARGE, ERR_UNAVAILABLE, true},
        {2059, ERR_UNAVAILABLE, ERR_DENIED, true},
    };
    TEST_EACH(c, cases) {
        char name[16];
        struct err err = {0};
        struct str text = STR("Disk full (/var/lib/mysql/#sql_1)");
        snprintf(name, sizeof name, "%u", c->number);
        EXPECT_INT(name, mysql_error_of_query(&err, c->number, text), c->query);
        if (err.code != ERR_REJECTED)
            EXPECT_TRUE(name, strstr(err.text, "/var") == NULL);
        EXPECT_INT(name, mysql_error_of_login(&err, c->number, text, "h:1", "u"), c->login);
        EXPECT_TRUE(name, strstr(err.text, "h:1") != NULL && strstr(err.text, "/var") == NULL);
        EXPECT_INT(name, mysql_error_is_loss(c->number), c->loss);
    }
}

RUN_TESTS(T(urls_are_read), T(others_are_refused_by_part),
          T(a_long_url_is_refused_and_memory_may_end), T(numbers_have_meanings))

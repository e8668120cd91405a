/* SPDX-License-Identifier: MIT */
#include "server/config/database_url.h"
#include "tests/lib/test.h"

static const struct {
    const char *name, *url, *says; /* says: NULL, it is fine */
} checked[] = {
    {"sqlite", "sqlite:data/x.db", NULL},
    {"sqlite without a path", "sqlite:", "expected sqlite:PATH"},
    {"PostgreSQL", "postgresql://u:p@h:5432/d?sslmode=require", NULL},
    {"its other name", "postgres://h/d", NULL},
    {"a socket", "postgresql:///d?host=/run/postgresql", NULL},
    {"several hosts", "postgresql://u@a:1,b:2/d", NULL},
    {"MySQL", "mysql://u:p@h:3306/d", NULL},
    {"MariaDB", "mariadb://u@h/d", NULL},
    {"the seed's driver", "mysql+pymysql://u:p@h:3306/d", NULL},
    {"IPv6", "mysql://u@[::1]:3306/d", NULL},
    {"no bracket", "mysql://u@[::1:3306/d", "expected host or host:port"},
    {"port 0", "postgresql://h:0/d", "a port from 1 to 65535"},
    {"port 65536", "postgresql://h:65536/d", "a port from 1 to 65535"},
    {"a slash in the password", "postgresql://u:12/34@h/d", NULL}, /* host u, port 12 */
    {"a word there", "postgresql://u:a/b@h/d", "are written %2F"},
    {"no name", "mysql://u@h", "the name of a database"},
    {"no name but a slash", "mysql://u@h/?x=y", "the name of a database"},
    {"half an escape", "mysql://u:%4@h/d", "are written %20"},
    {"a blank", "mysql://u:a b@h/d", "are written %20"},
    {"a newline", "mysql://u@h/d\n", "are written %20"},
    {"another engine", "oracle://u@h/d", "expected sqlite:PATH, postgresql://"},
    {"a path alone", "data.db", "expected sqlite:PATH, postgresql://"},
    {"nothing", "", "expected sqlite:PATH, postgresql://"},
};

TEST(urls_are_checked)
{
    TEST_EACH(c, checked) {
        struct err err = {0};
        enum err_code code = database_url_check(str_of(c->url), &err);
        EXPECT_INT(c->name, code, c->says == NULL ? ERR_OK : ERR_INVALID);
        if (c->says != NULL && str_find(str_of(err.text), str_of(c->says)) == STR_NONE)
            fail_msg("%s: %s", c->name, err.text);
    }
}

static const struct {
    const char *url, *shown;
} masked[] = {
    {"sqlite:a@b:c.db", "sqlite:a@b:c.db"},
    {"postgresql://u:s3cret@h:5432/d", "postgresql://u:****@h:5432/d"},
    {"postgresql://u@h/d", "postgresql://u@h/d"},
    {"mysql://h/d", "mysql://h/d"},
    {"mysql://u:s3cret/@s3cret@h/d", "mysql://u:****@h/d"},
    {"mysql://u:s3cret?s3cret@h/d", "mysql://u:****@h/d"},
    {"postgresql://h/d?user=u&password=s3cret&sslmode=require",
     "postgresql://h/d?user=u&password=****&sslmode=require"},
    {"postgresql://h/d?sslpassword=s3cret", "postgresql://h/d?sslpassword=****"},
    {"oracle://u:s3cret@h/d", "oracle://u:****@h/d"},
    {"u:s3cret@h", "u:****@h"},
    {"", ""},
};

TEST(passwords_are_masked)
{
    TEST_EACH(c, masked) {
        struct buf out;
        buf_init(&out, 4096);
        database_url_mask(&out, str_of(c->url));
        EXPECT_STR(c->url, buf_str(&out), str_of(c->shown));
        buf_fini(&out);
    }
}

RUN_TESTS(T(urls_are_checked), T(passwords_are_masked))

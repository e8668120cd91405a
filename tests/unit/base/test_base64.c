/* SPDX-License-Identifier: MIT */
#include "tests/lib/test.h"

#include "core/base/base64.h"

TEST(there_and_back)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xfb\xff\xbf", "+/+/"},
    };
    TEST_EACH(c, cases) {
        char to[64];
        size_t len;
        len = base64_encode(str_of(c->bytes), to);
        EXPECT_STR(c->bytes, str_make(to, len), str_of(c->text));
        EXPECT_INT(c->bytes, len, base64_encoded_bytes(strlen(c->bytes)));
        EXPECT_TRUE(c->text, base64_decode(str_of(c->text), to, &len));
        EXPECT_STR(c->text, str_make(to, len), str_of(c->bytes));
        EXPECT_TRUE(c->text, len <= base64_decoded_bytes(str_of(c->text)));
    }
}

TEST(what_is_accepted)
{
    static const struct {
        const char *name, *text, *bytes; /* NULL: refused */
    } cases[] = {
        {"not padded", "Zm8", "fo"},
        {"url alphabet", "-_-_", "\xfb\xff\xbf"},
        {"one digit", "Z", NULL},
        {"a blank", "Zm 9v", NULL},
        {"inner padding", "Zg==Zg==", NULL},
        {"other bytes", "Zm\xc3\xa4", NULL},
    };
    TEST_EACH(c, cases) {
        char to[64];
        size_t len;
        bool fine = base64_decode(str_of(c->text), to, &len);
        EXPECT_INT(c->name, fine, c->bytes != NULL);
        if (fine)
            EXPECT_STR(c->name, str_make(to, len), str_of(c->bytes));
    }
}

RUN_TESTS(T(there_and_back), T(what_is_accepted))

/* SPDX-License-Identifier: MIT */
/* A sealed secret opens for its owner under its key, and under no other; any byte that is changed
 * spoils it. */
#include "server/config/secret_box.h"

#include "tests/lib/test.h"

#define OLD "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
#define NEW "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="

static enum err_code open_as(const char *keys, const char *owner, struct str sealed,
                             struct arena *arena, struct str *text)
{
    struct err err = {0};
    return secret_box_open(str_of(keys), str_of(owner), sealed, arena, text, &err);
}

TEST(keys)
{
    EXPECT_TRUE("none", secret_box_are_keys(STR("")));
    EXPECT_TRUE("one", secret_box_are_keys(STR(OLD)));
    EXPECT_TRUE("two", secret_box_are_keys(STR(NEW ", " OLD)));
    EXPECT_TRUE("too short", !secret_box_are_keys(STR("MDEyMzQ1")));
    EXPECT_TRUE("too long", !secret_box_are_keys(STR(OLD OLD)));
    EXPECT_TRUE("not base64", !secret_box_are_keys(STR("my secret key")));
    EXPECT_TRUE("an empty one", !secret_box_are_keys(STR(OLD ",,")));
}

TEST(it_opens_for_its_owner_under_its_key)
{
    struct arena arena;
    struct str text;
    arena_init(&arena, 1 << 20);
    for (size_t len = 0; len <= SECRET_BOX_BYTES; len++) {
        char room[SECRET_BOX_BYTES];
        for (size_t i = 0; i < len; i++)
            room[i] = (char)(i * 7 + len);
        struct str secret = str_make(room, len);
        struct str sealed = secret_box_seal(STR(OLD), STR("sch_1"), secret, &arena);
        EXPECT_TRUE("sealed", secret_box_is_sealed(sealed));
        EXPECT_INT("opens", open_as(OLD, "sch_1", sealed, &arena, &text), ERR_OK);
        EXPECT_STR("itself", text, secret);
        EXPECT_INT("beside a new key", open_as(NEW "," OLD, "sch_1", sealed, &arena, &text),
                   ERR_OK);
        EXPECT_INT("another owner", open_as(OLD, "sch_2", sealed, &arena, &text), ERR_DENIED);
        EXPECT_INT("another key", open_as(NEW, "sch_1", sealed, &arena, &text), ERR_DENIED);
        EXPECT_INT("no key", open_as("", "sch_1", sealed, &arena, &text), ERR_DENIED);
        EXPECT_TRUE("nothing of it", str_is_absent(text));
        EXPECT_TRUE("fresh", secret_box_is_fresh(STR(OLD "," NEW), sealed) &&
                                 !secret_box_is_fresh(STR(NEW "," OLD), sealed));
    }
    struct str one = secret_box_seal(STR(OLD), STR("o"), STR("x"), &arena);
    struct str two = secret_box_seal(STR(OLD), STR("o"), STR("x"), &arena);
    EXPECT_TRUE("each time another box", !str_equal(one, two));
    EXPECT_TRUE("no key seals nothing",
                str_is_absent(secret_box_seal(STR(""), STR("o"), STR("x"), &arena)));
    EXPECT_INT("never sealed: itself", open_as("", "o", STR("whsec_x"), &arena, &text), ERR_OK);
    EXPECT_STR("itself", text, STR("whsec_x"));
    arena_fini(&arena);
}

TEST(any_change_spoils_it)
{
    struct arena arena;
    struct str text;
    arena_init(&arena, 1 << 20);
    struct str sealed = secret_box_seal(STR(OLD), STR("o"), STR("whsec_secret"), &arena);
    const size_t mark = sizeof "sealed:1:" - 1;
    for (size_t i = mark; i < sealed.len; i++) {
        char room[256];
        memcpy(room, sealed.at, sealed.len);
        room[i] = room[i] == 'A' ? 'B' : 'A';
        enum err_code code = open_as(OLD, "o", str_make(room, sealed.len), &arena, &text);
        /* the last letters hold bits that mean nothing */
        EXPECT_TRUE("spoilt", code == ERR_DENIED || i + 3 >= sealed.len);
        EXPECT_TRUE("never another text", code != ERR_OK || str_equal(text, STR("whsec_secret")));
    }
    for (size_t len = mark; len < sealed.len; len++) {
        enum err_code code = open_as(OLD, "o", str_slice(sealed, 0, len), &arena, &text);
        EXPECT_TRUE("cut", code == ERR_DENIED ||
                               (len + 2 >= sealed.len && str_equal(text, STR("whsec_secret"))));
    }
    arena_fini(&arena);
}

RUN_TESTS(T(keys), T(it_opens_for_its_owner_under_its_key), T(any_change_spoils_it))

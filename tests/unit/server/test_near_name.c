/* SPDX-License-Identifier: MIT */
/* server/near_name: what was meant by a word that is no name, and when nothing was. */
#include "server/config/near_name.h"

#include "tests/lib/test.h"

static const char *const names[] = {"serve", "ask", "sql", "--set", "--format", "--port"};

static const struct {
    const char *word, *near; /* NULL: nothing is near */
} words[] = {
    {"srv", "serve"},       {"sreve", "serve"},   {"server", "serve"},
    {"aks", "ask"},         {"sq", "sql"},        {"x", NULL},
    {"dance", NULL},        {"", NULL},           {"--formta", "--format"},
    {"--form", "--format"}, {"--prot", "--port"}, {"--speed", NULL},
    {"--", NULL},
};

TEST(the_nearest_name_is_found)
{
    for (size_t i = 0; i < countof(words); i++) {
        const char *near = near_name_of(str_of(words[i].word), names, countof(names));
        if (words[i].near == NULL)
            assert_null(near);
        else
            assert_string_equal(near, words[i].near);
    }
}

/* The first of two that are equally near stands; one with more mistakes is none. */
TEST(fewer_mistakes_win)
{
    struct near_name near;
    near_name_begin(&near, STR("ASKD_PROT"), 2);
    near_name_try(&near, "ASKD_ROOT");
    near_name_try(&near, "ASKD_PORT");
    near_name_try(&near, "ASKD_PROF");
    assert_string_equal(near.found, "ASKD_PORT");
    near_name_begin(&near, STR("ASKD_PROT"), 2);
    near_name_try(&near, "ASKD_MODEL");
    assert_null(near.found);
}

RUN_TESTS(T(the_nearest_name_is_found), T(fewer_mistakes_win))

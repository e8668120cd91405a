/* SPDX-License-Identifier: MIT */
#include "server/language/language.h"
#include "tests/lib/test.h"

static const struct {
    const char *header;
    enum language want;
} headers[] = {
    {"de", LANGUAGE_DE},
    {"DE-at", LANGUAGE_DE},
    {"es-419,es;q=0.9,en;q=0.8", LANGUAGE_ES},
    {"fr-FR, fr;q=0.9, de;q=0.4, en;q=0.5", LANGUAGE_EN},
    {"en;q=0.3,de;q=0.7", LANGUAGE_DE},
    {"de;q=0.5,es;q=0.5", LANGUAGE_DE},
    {"de;q=0", LANGUAGE_ES}, /* the one that stands in for none */
    {"de;q=high", LANGUAGE_ES},
    {"de;q=7", LANGUAGE_ES},
    {"deutsch", LANGUAGE_ES},
    {"*", LANGUAGE_ES},
    {"", LANGUAGE_ES},
    {",,;;q=1,-,de-", LANGUAGE_DE},
    {"en;level=1;q=1 , de", LANGUAGE_EN},
};

TEST(the_most_wanted_is_taken)
{
    for (size_t i = 0; i < countof(headers); i++)
        if (language_wanted(str_of(headers[i].header), LANGUAGE_ES) != headers[i].want)
            fail_msg("'%s'", headers[i].header);
    assert_int_equal(language_wanted((struct str){NULL, 0}, LANGUAGE_DE), LANGUAGE_DE);
}

TEST(tags_are_read_by_their_first_part)
{
    enum language language = LANGUAGE_EN;
    assert_true(language_of(STR("es-MX"), &language));
    assert_int_equal(language, LANGUAGE_ES);
    assert_false(language_of(STR("esperanto"), &language));
    assert_false(language_of(STR(""), &language));
    assert_int_equal(language, LANGUAGE_ES);
    assert_string_equal(language_name(LANGUAGE_DE), "de");
}

RUN_TESTS(T(the_most_wanted_is_taken), T(tags_are_read_by_their_first_part))

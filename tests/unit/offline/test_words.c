/* SPDX-License-Identifier: MIT */
#include "tests/lib/test.h"

#include "agents/english/synonyms.h"
#include "agents/english/words.h"

TEST(longest_phrase_wins)
{
    const struct str words[] = {STR("total"), STR("number"), STR("of"), STR("orders")};
    size_t length;
    const struct offline_phrase *phrase = english_words_phrase(words, countof(words), &length);
    assert_non_null(phrase);
    EXPECT_INT("cue", phrase->cue, CUE_COUNT);
    EXPECT_INT("length", length, 3);
    EXPECT_TRUE("unknown", english_words_phrase(words + 3, 1, &length) == NULL);
}

TEST(synonyms_and_opposites)
{
    EXPECT_STR("client", english_synonyms_of(STR("client")), STR("customer"));
    EXPECT_STR("none", english_synonyms_of(STR("zebra")), STR("zebra"));
    EXPECT_STR("fail", english_synonyms_opposite(STR("fail")), STR("pas"));
    EXPECT_TRUE("no opposite", str_is_absent(english_synonyms_opposite(STR("zebra"))));
}

RUN_TESTS(T(longest_phrase_wins), T(synonyms_and_opposites))

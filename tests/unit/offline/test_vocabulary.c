/* SPDX-License-Identifier: MIT */
/* The file of words, as the build made tables of it: no list is empty, no word is in two groups,
 * and words are the stems of what is written. */
#include "tests/lib/test.h"

#include "agents/english/vocabulary.h"
#include "core/words/stem.h"

TEST(groups)
{
    for (size_t g = 0; g < vocabulary_synonym_count; g++)
        for (size_t i = 0; i < VOCABULARY_GROUP; i++) {
            const struct vocabulary_word *word = &vocabulary_synonyms[g][i];
            char stem[STEM_BYTES];
            if (word->stem == NULL) {
                EXPECT_TRUE(word[-1].stem, i >= 2);
                break;
            }
            EXPECT_STR(word->written, stem_of(str_of(word->written), stem), str_of(word->stem));
            for (size_t other = 0; other < g; other++)
                for (size_t k = 0; k < VOCABULARY_GROUP; k++)
                    EXPECT_TRUE(word->stem,
                                vocabulary_synonyms[other][k].stem == NULL ||
                                    !str_equal(str_of(vocabulary_synonyms[other][k].stem),
                                               str_of(word->stem)));
        }
}

TEST(lists)
{
    for (size_t list = 0; list < VOCABULARY_LISTS; list++) {
        assert_non_null(vocabulary_lists[list]);
        assert_non_null(vocabulary_lists[list][0]);
        EXPECT_TRUE("its first word",
                    vocabulary_has((enum vocabulary_list)list, str_of(vocabulary_lists[list][0])));
    }
    assert_true(vocabulary_opposite_count > 0 && vocabulary_maker_count > 0);
}

/* A word begins one line, which does not lead back to it. */
TEST(near_words)
{
    for (size_t n = 0; n < vocabulary_near_count; n++) {
        const char *const *line = vocabulary_near[n];
        assert_non_null(line[1]);
        for (size_t i = 1; i < VOCABULARY_GROUP && line[i] != NULL; i++)
            EXPECT_TRUE(line[i], !str_equal(str_of(line[0]), str_of(line[i])));
        for (size_t other = 0; other < n; other++)
            EXPECT_TRUE(line[0], !str_equal(str_of(line[0]), str_of(vocabulary_near[other][0])));
    }
}

TEST(lookups)
{
    static const struct {
        const char *name;
        enum vocabulary_list list;
        const char *word;
        bool has, begins;
    } cases[] = {
        {"the word", VOCABULARY_BUYERS, "customer", true, true},
        {"another case", VOCABULARY_BUYERS, "Customer", false, true},
        {"the begin of a word", VOCABULARY_BUYERS, "custom", false, false},
        {"a longer word", VOCABULARY_BUYERS, "customers", false, true},
        {"a word of another list", VOCABULARY_BUYERS, "supplier", false, false},
        {"nothing", VOCABULARY_BUYERS, "", false, false},
    };
    TEST_EACH(c, cases) {
        EXPECT_INT(c->name, vocabulary_has(c->list, str_of(c->word)), c->has);
        EXPECT_INT(c->name, vocabulary_begins(c->list, str_of(c->word)), c->begins);
    }
}

RUN_TESTS(T(groups), T(lists), T(near_words), T(lookups))

/* SPDX-License-Identifier: MIT */
#include "tests/lib/test.h"

#include "agents/english/aliases.h"
#include "agents/offline/reading/phrasing.h"
#include "agents/english/synonyms.h"
#include "core/base/buf.h"
#include "core/words/stem.h"

TEST(the_count_comes_first)
{
    static const struct {
        const char *name, *asked, *read;
    } cases[] = {
        {"a country", "Shops in the US", "shops in the usa"},
        {"all of us", "show us shops", "show us shops"},
        {"shouted", "SHOW US SHOPS", "show us shops"},
        {"behind a comma", "orders of Ada, how many?", "how many orders of ada"},
        {"without one", "clients in Oslo how many are there", "how many clients in oslo"},
        {"an opening goes", "show me all orders, how many are there in total", "how many orders"},
        {"a count", "open orders, count please", "count open orders"},
        {"the count", "open orders, just the count", "just the count open orders"},
        {"of them", "late orders per month, number of them", "number of late orders per month"},
        {"a dash of a text processor", "late orders \u2014 how many", "how many late orders"},
        {"in front already", "how many orders are there", "how many orders are there"},
        {"alone", "how many are there", "how many are there"},
        {"only an opening before", "show me, how many", "show me , how many"},
        {"a name, not a cue", "orders by line count", "orders by line count"},
        {"every, of nothing", "show every client", "show client"},
        {"every, of a number", "show every client and the number of orders",
         "show every client and the number of orders"},
        {"drawn together", "we've clients who\u2019ve orders", "we clients who orders"},
        {"marks that are not seen", "how many\u200b \u202eclients\u202c\ufeff", "how many clients"},
        {"pictures, unusual blanks", "how\u202fmany clients \U0001F600\u2764\ufe0f?",
         "how many clients"},
        {"a soft hyphen", "or\u00adders", "orders"},
        {"typographic quotes", "orders of \u201cAda\u201d", "orders of ada"},
    };
    TEST_EACH(c, cases) {
        struct arena arena;
        struct offline_token *tokens;
        struct buf read;
        size_t count;
        arena_init(&arena, 1 << 20);
        buf_init(&read, 1024);
        assert_int_equal(english_tokens_of(&arena, str_of(c->asked), &tokens, &count), ERR_OK);
        count = offline_phrasing_arrange(tokens, count);
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                buf_push_char(&read, ' ');
            buf_push(&read, tokens[i].lower);
        }
        EXPECT_STR(c->name, buf_str(&read), str_of(c->read));
        buf_fini(&read);
        arena_fini(&arena);
    }
}

TEST(values_have_other_names)
{
    static const struct {
        const char *name, *column, *value, *also;
    } cases[] = {
        {"a country's people", "country", "Norway", "Norwegian"},
        {"by its code", "ship_country_code", "NO", "Norway"},
        {"its own name stays", "nationality", "Norwegian", "Norway"},
        {"a state", "billingState", "TX", "Texas"},
        {"a man", "gender", "m", "man"},
        {"a woman", "Sex", "Female", "woman"},
        {"another column", "grade", "F", ""},
        {"no state", "state", "open", ""},
    };
    TEST_EACH(c, cases) {
        struct str out[ENGLISH_ALIASES];
        size_t count = english_aliases_of(str_of(c->column), str_of(c->value), out);
        bool found = c->also[0] == '\0' && count == 0;
        for (size_t i = 0; i < count; i++)
            found = found || str_equal(out[i], str_of(c->also));
        EXPECT_TRUE(c->name, found);
    }
}

/* As they are said and as schemas spell them: the tables hold stems, which are easily wrong. */
TEST(synonyms_meet)
{
    static const struct {
        const char *name, *other;
    } cases[] = {
        {"movies", "film"},   {"movie", "films"},     {"bills", "invoice"},  {"staff", "employees"},
        {"songs", "tracks"},  {"phone", "telephone"}, {"price", "cost"},     {"types", "kind"},
        {"stores", "shop"},   {"sites", "locations"}, {"dt", "date"},        {"zip", "postcode"},
        {"main", "primary"},  {"boss", "manager"},    {"devices", "assets"}, {"images", "photo"},
        {"children", "kids"}, {"items", "product"},
    };
    TEST_EACH(c, cases) {
        char a[STEM_BYTES], b[STEM_BYTES];
        EXPECT_STR(c->name, english_synonyms_of(stem_of(str_of(c->name), a)),
                   english_synonyms_of(stem_of(str_of(c->other), b)));
    }
    char sales[STEM_BYTES], salary[STEM_BYTES];
    EXPECT_TRUE("sales are no salary",
                !str_equal(english_synonyms_of(stem_of(STR("sales"), sales)),
                           english_synonyms_of(stem_of(STR("salary"), salary))));
}

RUN_TESTS(T(the_count_comes_first), T(values_have_other_names), T(synonyms_meet))

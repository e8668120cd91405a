/* SPDX-License-Identifier: MIT */
/* Slips of the pen, and questions in other languages. */
#include "tests/unit/offline/world.h"

#include "agents/english/language.h"
#include "agents/lexicon/mend.h"

static const struct {
    const char *word, *meant;
    bool slip;
} slips[] = {
    {"custmer", "customer", true},   {"cusstomer", "customer", true},
    {"studnet", "student", true},    {"custpmer", "customer", true},
    {"customer", "customer", false}, {"nurse", "purse", false},
    {"horse", "house", false},       {"rats", "rat", false},
    {"pressure", "pleasure", false}, {"", "customer", false},
};

TEST(one_slip_is_one)
{
    TEST_EACH(c, slips)
        EXPECT_INT(c->word, lexicon_mend_is_slip(str_of(c->word), str_of(c->meant)), c->slip);
}

static const struct {
    const char *word, *written;
    bool is;
} shorts[] = {
    {"policy", "pol", true},    {"agent", "agt", true},      {"claim", "clm", true},
    {"coverage", "cov", true},  {"reserve", "rsv", true},    {"branch", "brn", true},
    {"program", "prm", false},  {"agent", "age", false},     {"premium", "prm", true},
    {"customer", "ord", false}, {"policy", "policy", false}, {"po", "pol", false},
    {"item", "itm", true},      {"claims", "clma", false},   {"agenda", "agt", false},
};

TEST(a_schema_shortens_words)
{
    TEST_EACH(c, shorts)
        EXPECT_INT(c->word, lexicon_mend_is_short(str_of(c->word), str_of(c->written)), c->is);
}

TEST(only_one_word_is_meant)
{
    struct world w;
    world_init(&w);
    EXPECT_STR("a name", lexicon_mend_find(w.lexicon, STR("clietns"), false), STR("client"));
    EXPECT_TRUE("too short", str_is_absent(lexicon_mend_find(w.lexicon, STR("bok"), false)));
    EXPECT_TRUE("nothing near", str_is_absent(lexicon_mend_find(w.lexicon, STR("weather"), false)));
    world_fini(&w);
}

/* What nothing is called is meant by a name that is near: by one, not by either of two. */
TEST(a_near_name_is_meant)
{
    static const struct world_table tables[] = {
        {"venues", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
        {"usagers", {{"id", CATALOG_INTEGER}, {"email", CATALOG_TEXT}}},
        {"regions", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
        {"districts", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
        {"claims", {{"id", CATALOG_INTEGER}, {"number", CATALOG_TEXT}}},
    };
    struct world w;
    world_init_of(&w, tables, countof(tables));
    EXPECT_STR("one", lexicon_mend_find(w.lexicon, STR("stadiums"), false), STR("venue"));
    EXPECT_TRUE("either", str_is_absent(lexicon_mend_find(w.lexicon, STR("area"), false)));
    EXPECT_TRUE("none", str_is_absent(lexicon_mend_find(w.lexicon, STR("grape"), false)));
    EXPECT_STR("a loss", lexicon_mend_find(w.lexicon, STR("loss"), false), STR("claim"));
    EXPECT_TRUE("what is lost", str_is_absent(lexicon_mend_find(w.lexicon, STR("lost"), false)));
    const struct offline_answer *answer = world_read(&w, STR("How many stadiums are there?"));
    assert_true(answer->understood);
    EXPECT_STR("it is said", answer->mended, STR("'stadiums' as venues"));
    world_fini(&w);
}

static const struct {
    const char *question;
    bool other;
} questions[] = {
    {"Wie viele Kunden gibt es?", true},
    {"¿Cuántos clientes hay en total?", true},
    {"Combien de clients avons-nous ?", true},
    {"Quantos clientes nós temos?", true},
    {"сколько клиентов у нас", true},
    {"How many customers are there?", false},
    {"customers in Sao Paulo", false},
    {"total per month", false},
    {"", false},
};

TEST(other_languages_are_told)
{
    TEST_EACH(c, questions)
        EXPECT_INT(c->question, !str_is_absent(english_language_other(str_of(c->question))),
                   c->other);
}

/* A name is said where it is certain: neighbours, mixtures and languages that are not known have
 * none. */
static const struct {
    const char *question, *name;
} named[] = {
    {"How many customers are there?", "English"},
    {"What is the total of hours?", "English"},
    {"Wie viele Auftr\xc3\xa4ge gibt es im Juni?", "German"},
    {"Und im Mai?", "German"},
    {"\xc2\xbf" "Cu\xc3\xa1ntos clientes hay en Madrid?", "Spanish"},
    {"Combien de clients avons-nous ?", "French"},
    {"Quantos clientes h\xc3\xa1 em Lisboa?", "Portuguese"},
    {"Quanti clienti ci sono?", "Italian"},
    {"Hoeveel klanten zijn er?", "Dutch"},
    {"Hvor mange kunder er der i Danmark?", ""},
    {"Lista de clientes de Madrid", ""},
    {"Total de clientes por status", ""},
    {"Quants clients t\xc3\xa9 el barri de la Sagrera?", ""},
    {"\xd0\xa1\xd0\xba\xd0\xbe\xd0\xbb\xd1\x8c wie viele", ""},
    {"Umsatz Calder 2023", ""},
    {"", ""},
};

TEST(a_language_is_named_where_it_is_certain)
{
    TEST_EACH(c, named)
        EXPECT_STR(c->question, english_language_name(str_of(c->question)), str_of(c->name));
}

RUN_TESTS(T(one_slip_is_one), T(a_schema_shortens_words), T(only_one_word_is_meant),
          T(a_near_name_is_meant), T(other_languages_are_told),
          T(a_language_is_named_where_it_is_certain))

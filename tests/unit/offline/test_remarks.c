/* SPDX-License-Identifier: MIT */
/* What comments call columns: a few words before the first sign, and nothing else. */
#include "tests/unit/offline/world.h"

#include "agents/lexicon/remarks.h"
#include "core/words/stem.h"

static const struct {
    const char *comment, *words; /* with a blank behind each */
} remarks[] = {
    {"PENALTY POINTS", "penalty points "},
    {"Date of offence", "date of offence "},
    {"licence plate, as on the papers", "licence plate "},
    {"PURPOSE: D=DELIVERY P=PICKUP", "purpose "},
    {"MAX PAYLOAD", "max payload "},
    {"D=DIESEL P=PETROL", ""},
    {"1=active, 2=closed", ""},
    {"into workshop", ""},
    {"when the row was last looked at by anybody", ""},
    {"one two three four five six", ""},
    {"foreign key", ""},
    {"Stra\xc3\x9f\x65", ""},
    {"   ", ""},
    {"", ""},
};

TEST(words_of_a_comment)
{
    TEST_EACH(c, remarks) {
        struct arena arena;
        struct buf out;
        struct str words[REMARKS_WORDS];
        arena_init(&arena, 4096);
        buf_init(&out, 200);
        size_t count = lexicon_remarks_words(&arena, str_of(c->comment), words);
        for (size_t i = 0; i < count; i++)
            buf_printf(&out, "%.*s ", STR_ARG(words[i]));
        EXPECT_STR(c->comment, buf_str(&out), str_of(c->words));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

/* A table of fines in capitals, whose comments say what its columns are. */
static struct catalog *make_fines(void)
{
    static const struct {
        const char *name, *comment;
        enum catalog_type type;
    } columns[] = {{"FINE_NO", "", CATALOG_INTEGER},
                   {"OFF_DT", "date of offence", CATALOG_DATE},
                   {"OFF_CD", "", CATALOG_TEXT},
                   {"PTS", "penalty points", CATALOG_INTEGER},
                   {"TERM_DT", "ended with the payment", CATALOG_DATE}};
    struct err err = {0};
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog_table table = {.name = STR("FINES"),
                                  .secure_view = CATALOG_NONE,
                                  .secures = CATALOG_NONE,
                                  .tenant_column = CATALOG_NONE,
                                  .row_count = -1};
    EXPECT_INT("table", catalog_add_table(builder, &table, &err), ERR_OK);
    for (size_t i = 0; i < countof(columns); i++) {
        struct catalog_column column = {.name = str_of(columns[i].name),
                                        .comment = str_of(columns[i].comment),
                                        .type = columns[i].type,
                                        .primary_key = i == 0,
                                        .unique = i == 0,
                                        .not_null = true};
        EXPECT_INT(columns[i].name, catalog_add_column(builder, &column, &err), ERR_OK);
    }
    struct catalog *catalog = NULL;
    EXPECT_INT(err.text, catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    return catalog;
}

/* The column that words mean, and how; -1: none. */
static int find(const struct lexicon *lexicon, const char *text, enum lexicon_link_kind kind)
{
    struct arena arena;
    struct str words[ENGLISH_WORDS];
    struct lexicon_link links[16];
    int found = -1;
    arena_init(&arena, 4096);
    size_t n = stem_split(&arena, str_of(text), words, ENGLISH_WORDS);
    size_t count = lexicon_index_find(lexicon, words, n, links, countof(links));
    for (size_t i = 0; i < count; i++)
        if (links[i].kind == kind && found < 0)
            found = links[i].column;
    arena_fini(&arena);
    return found;
}

TEST(a_column_goes_by_its_comment)
{
    struct catalog *catalog = make_fines();
    struct lexicon *lexicon = lexicon_create(catalog, NULL);
    EXPECT_INT("as it is written", find(lexicon, "penalty points", LINK_COLUMN), 3);
    EXPECT_INT("turned", find(lexicon, "offence date", LINK_COLUMN), 1);
    EXPECT_INT("spelled out by another", find(lexicon, "offence code", LINK_COLUMN), 2);
    EXPECT_INT("a verb", find(lexicon, "ended", LINK_MOMENT), 4);
    EXPECT_INT("nothing", find(lexicon, "payments", LINK_COLUMN), -1);
    lexicon_destroy(lexicon);
    catalog_destroy(catalog);
}

RUN_TESTS(T(words_of_a_comment), T(a_column_goes_by_its_comment))

/* SPDX-License-Identifier: MIT */
/* The values of a column: which are listed, how a text was meant that is none, and which company
 * may know what. */
#include "tests/unit/offline/world.h"

#include <stdio.h>

#include "agents/lexicon/column_values.h"
#include "agents/lexicon/mentioned.h"
#include "agents/lexicon/owned.h"
#include "agents/search/rank.h"

enum { MAX_VALUES = 64 };

struct rig {
    struct world world;
    int table, column;
};

/* A world in which a column has values ("a|b|c"), whole or in part; "name@company" belongs to one.
 */
static void rig_init(struct rig *rig, const char *values, bool whole, bool has_long)
{
    struct lexicon_value kept[MAX_VALUES];
    size_t count = 0;
    world_init_of(&rig->world, world_tables, countof(world_tables));
    struct lexicon *lexicon = rig->world.lexicon;
    rig->table = catalog_find_table(rig->world.catalog, STR(""), STR("orders"));
    rig->column = catalog_find_column(rig->world.catalog, rig->table, STR("status"));
    struct str rest = str_of(values);
    while (!str_is_empty(rest)) {
        struct str owner = str_split(&rest, '|'), text = str_split(&owner, '@');
        uint64_t hash = str_is_empty(owner) ? 0 : lexicon_owned_hash(owner);
        kept[count] = (struct lexicon_value){text, {hash, 0}};
        assert_true(
            lexicon_index_add_owned(lexicon, rig->table, rig->column, text, kept[count].owners));
        assert_true(lexicon_exact_add(&lexicon->exact, rig->table, rig->column, text, hash));
        count++;
    }
    struct lexicon_value *own = arena_array(&lexicon->arena, MAX_VALUES, sizeof *own);
    memcpy(own, kept, count * sizeof *own);
    assert_true(lexicon_column_values_keep(lexicon, rig->table, rig->column, own, count, has_long));
    if (whole)
        assert_true(lexicon_exact_is_whole(&lexicon->exact, rig->table, rig->column));
}

#define STATES "open|on hold|in progress|completed|cancelled"

static const struct {
    const char *name, *values, *text;
    bool whole, folds;
    enum lexicon_spelling want;
    const char *meant;
} cases[] = {
    {"as it is", STATES, "on hold", true, false, LEXICON_SPELLING_RIGHT, NULL},
    {"an underscore", STATES, "on_hold", true, false, LEXICON_SPELLING_NEAR, "on hold"},
    {"camel case", STATES, "inProgress", true, false, LEXICON_SPELLING_NEAR, "in progress"},
    {"a hyphen and capitals", STATES, "ON-HOLD", true, false, LEXICON_SPELLING_NEAR, "on hold"},
    {"another case", STATES, "Completed", true, false, LEXICON_SPELLING_NEAR, "completed"},
    {"another case that is the same there", STATES, "Completed", true, true, LEXICON_SPELLING_RIGHT,
     NULL},
    {"an underscore there", STATES, "on_hold", true, true, LEXICON_SPELLING_NEAR, "on hold"},
    {"a slip", STATES, "canceled", true, false, LEXICON_SPELLING_NEAR, "cancelled"},
    {"a plural", "technician|manager", "technicians", true, false, LEXICON_SPELLING_NEAR,
     "technician"},
    {"another word", STATES, "done", true, false, LEXICON_SPELLING_LACKING, NULL},
    {"an opposite is no slip", "unpaid|open", "paid", true, false, LEXICON_SPELLING_LACKING, NULL},
    {"nor is an opposite of one letter", "atypical|odd", "typical", true, false,
     LEXICON_SPELLING_LACKING, NULL},
    {"nor another number", "phase 1|done", "phase 2", true, false, LEXICON_SPELLING_LACKING, NULL},
    {"two are as near", "lender|sender", "ender", true, false, LEXICON_SPELLING_LACKING, NULL},
    {"two are spelled alike", "On hold|on hold", "on_hold", true, false, LEXICON_SPELLING_LACKING,
     NULL},
    {"a code is short", "OPN|RCV|CLS", "REC", true, false, LEXICON_SPELLING_LACKING, NULL},
    {"not all are known", STATES, "done", false, false, LEXICON_SPELLING_OPEN, NULL},
    {"nothing", STATES, "", true, false, LEXICON_SPELLING_OPEN, NULL},
    {"signs alone", "a_b|-", "_", true, false, LEXICON_SPELLING_LACKING, NULL},
    {"another company's", "open|secret@globex", "secret", true, false, LEXICON_SPELLING_LACKING,
     NULL},
    {"another company's is not meant", "open|top secret@globex", "top_secret", true, false,
     LEXICON_SPELLING_LACKING, NULL},
    {"one's own", "open|top secret@acme", "top_secret", true, false, LEXICON_SPELLING_NEAR,
     "top secret"},
};

TEST(a_text_is_held_against_the_values)
{
    TEST_EACH(c, cases) {
        struct rig rig;
        struct str meant = {NULL, 0};
        rig_init(&rig, c->values, c->whole, false);
        const struct lexicon seen = lexicon_index_seen_by(rig.world.lexicon, STR("acme"));
        EXPECT_INT(c->name,
                   lexicon_column_values_spelling(&seen, rig.table, rig.column, str_of(c->text),
                                                  c->folds, &meant),
                   c->want);
        if (c->meant != NULL)
            EXPECT_STR(c->name, meant, str_of(c->meant));
        world_fini(&rig.world);
    }
}

static void join(const struct str *values, size_t count, char *to, size_t max)
{
    to[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(to);
        snprintf(to + len, max - len, "%s%.*s", i > 0 ? "|" : "", STR_ARG(values[i]));
    }
}

TEST(few_values_are_listed)
{
    static const struct {
        const char *name, *values, *want;
        bool whole, has_long, has_all;
    } lists[] = {
        {"sorted", "b|a|c", "a|b|c", true, false, true},
        {"in part", "b|a", "a|b", false, false, false},
        {"texts of any length", "b|a", "", true, true, true},
        {"those of another company", "b|a@globex|c@acme", "b|c", true, false, true},
        {"too many", "1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19|20|21|22|23|24|25", "", true,
         false, true},
        {"none", "", "", true, false, true},
    };
    TEST_EACH(c, lists) {
        struct rig rig;
        struct str values[LEXICON_FEW];
        bool has_all = false;
        char got[256];
        rig_init(&rig, c->values, c->whole, c->has_long);
        const struct lexicon seen = lexicon_index_seen_by(rig.world.lexicon, STR("acme"));
        size_t count = lexicon_column_values_few(&seen, rig.table, rig.column, values, &has_all);
        join(values, count, got, sizeof got);
        EXPECT_STR(c->name, str_of(got), str_of(c->want));
        if (count > 0)
            EXPECT_INT(c->name, has_all, c->has_all);
        EXPECT_INT("of another column",
                   lexicon_column_values_few(&seen, rig.table, 0, values, &has_all), 0);
        world_fini(&rig.world);
    }
}

TEST(the_nearest_are_named)
{
    static const struct {
        const char *name, *text, *want;
    } near[] = {
        {"a word of it", "adams", "Adams Hotel|Adams Inn"},
        {"a slip", "Baker St", "Baker Street"},
        {"nothing like it", "Quux", ""},
        {"not another company's", "Zorro", ""},
    };
    TEST_EACH(c, near) {
        struct rig rig;
        struct str values[3];
        char got[256];
        rig_init(&rig, "Adams Hotel|Baker Street|Adams Inn|Zorro@globex", true, false);
        const struct lexicon seen = lexicon_index_seen_by(rig.world.lexicon, STR("acme"));
        size_t count = lexicon_column_values_nearest(&seen, rig.table, rig.column, str_of(c->text),
                                                     values, countof(values));
        join(values, count, got, sizeof got);
        EXPECT_STR(c->name, str_of(got), str_of(c->want));
        world_fini(&rig.world);
    }
}

TEST(a_question_mentions_values)
{
    struct rig rig;
    struct lexicon_mentioned found[4];
    struct arena arena;
    rig_init(&rig, "Adams Hotel|Zorro@globex|open", true, false);
    const struct lexicon seen = lexicon_index_seen_by(rig.world.lexicon, STR("acme"));
    arena_init(&arena, WORLD_ARENA_BYTES);
    struct str question = STR("Which orders of the adams hotel and of Zorro are there?");
    size_t count = lexicon_mentioned_in(&seen, question, &rig.table, 1, &arena, found, 4);
    EXPECT_INT("its own", count, 1);
    EXPECT_STR("as it is spelled", found[0].value, STR("Adams Hotel"));
    int other = rig.table == 0 ? 1 : 0;
    EXPECT_INT("of other tables",
               lexicon_mentioned_in(&seen, question, &other, 1, &arena, found, 4), 0);
    arena_fini(&arena);
    world_fini(&rig.world);
}

/* A prompt tells which tables were ranked, and a caller hears of it. */
TEST(tables_are_ranked_by_values_of_ones_own)
{
    static const struct {
        const char *name, *company;
        size_t named;
    } askers[] = {{"its own", "globex", 1}, {"another company's", "acme", 0}};
    TEST_EACH(c, askers) {
        struct rig rig;
        struct arena arena;
        int tables[1];
        size_t named;
        rig_init(&rig, "Zorro@globex|open", true, false);
        const struct knowledge knows = {.catalog = rig.world.catalog, .lexicon = rig.world.lexicon};
        const struct session session = {.knows = &knows,
                                        .caller = {.company_id = str_of(c->company)}};
        arena_init(&arena, WORLD_ARENA_BYTES);
        EXPECT_INT(
            c->name,
            search_rank_tables(&session, STR("Who is Zorro?"), &arena, tables, 1, &named), 1);
        EXPECT_INT(c->name, named, c->named);
        arena_fini(&arena);
        world_fini(&rig.world);
    }
}

RUN_TESTS(T(a_text_is_held_against_the_values), T(few_values_are_listed), T(the_nearest_are_named),
          T(a_question_mentions_values), T(tables_are_ranked_by_values_of_ones_own))

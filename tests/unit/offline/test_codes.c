/* SPDX-License-Identifier: MIT */
/* What codes mean: pairs in comments, and tables that list the codes of other columns. */
#include "tests/unit/offline/world.h"

#include "agents/lexicon/codes.h"
#include "agents/lexicon/column_values.h"
#include "agents/lexicon/owned.h"
#include "agents/semantic/bind.h"
#include "agents/semantic/file.h"
#include "agents/sql/guard/policy.h"

static const struct {
    const char *text, *pairs; /* "code>label " for each */
} texts[] = {
    {"1=active, 2=closed", "1>active 2>closed "},
    {"state of the order; A: active; C: closed", "A>active C>closed "},
    {"0 - draft\n1 - in progress", "0>draft 1>in progress "},
    {"'X' => 'gone', \"Y\"=\"here\"", "X>gone Y>here "},
    {"status (1=new, 2=old)", "1>new 2>old "},
    {"A=air S=sea, R=rail", "A>air S>sea R>rail "},
    {"1=not paid 2=paid", "1>not paid 2>paid "},
    {"0 new, 1 in progress", "0>new 1>in progress "},
    {"purpose: D=delivery P=pickup", "D>delivery P>pickup "},
    {"at most 3 days, 200 hours", ""},
    {"a reference: see the manual", ""},
    {"12:30, 14:00", ""},
    {"", ""},
    {"=;:,= - ", ""},
};

TEST(pairs_of_a_text)
{
    TEST_EACH(c, texts) {
        struct buf out;
        struct str rest = str_of(c->text), code, label;
        buf_init(&out, 1000);
        while (lexicon_codes_next(&rest, &code, &label))
            buf_printf(&out, "%.*s>%.*s ", STR_ARG(code), STR_ARG(label));
        EXPECT_STR(c->text, buf_str(&out), str_of(c->pairs));
        buf_fini(&out);
    }
}

static const struct world_table tables[] = {
    {"flat",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"flatStatus", CATALOG_INTEGER},
      {"kind", CATALOG_TEXT}}},
    {"lookup",
     {{"id", CATALOG_INTEGER},
      {"fieldName", CATALOG_TEXT},
      {"code", CATALOG_INTEGER},
      {"label", CATALOG_TEXT}}},
};

static void keep(struct world *w, int table, int column, const char *const *values, size_t count)
{
    struct lexicon_value *kept = arena_array(&w->lexicon->arena, count, sizeof *kept);
    for (size_t i = 0; i < count; i++)
        kept[i].text = str_of(values[i]);
    EXPECT_TRUE("kept", lexicon_column_values_keep(w->lexicon, table, column, kept, count, false));
}

static const struct sql_value cells[] = {
    {.type = SQL_TEXT, .text = STR("flat_status")},
    {.type = SQL_INT, .integer = 1},
    {.type = SQL_TEXT, .text = STR("Vacant")},
    {.type = SQL_TEXT, .text = STR("flat_status")},
    {.type = SQL_INT, .integer = 2},
    {.type = SQL_TEXT, .text = STR("Let")},
    {.type = SQL_TEXT, .text = STR("flat.kind")},
    {.type = SQL_TEXT, .text = STR("P")},
    {.type = SQL_TEXT, .text = STR("Penthouse")},
    {.type = SQL_TEXT, .text = STR("nothing")},
    {.type = SQL_INT, .integer = 3},
    {.type = SQL_TEXT, .text = STR("Odd")},
};

TEST(a_table_lists_codes)
{
    static const char *const kinds[] = {"flat_status", "flat.kind", "nothing"};
    static const char *const names[] = {"red", "blue"};
    struct world w;
    struct lexicon_code_list list;
    const struct sql_result rows = {.column_count = 3, .values = cells, .row_count = 4};
    world_init_of(&w, tables, countof(tables));
    keep(&w, 1, 1, kinds, countof(kinds));
    keep(&w, 0, 1, names, countof(names));
    EXPECT_TRUE("not of flats", !lexicon_codes_is_list(w.lexicon, 0, &list));
    assert_true(lexicon_codes_is_list(w.lexicon, 1, &list));
    EXPECT_INT("kind", list.kind, 1);
    EXPECT_INT("code", list.code, 2);
    EXPECT_INT("label", list.label, 3);
    EXPECT_TRUE("taken", lexicon_codes_take(w.lexicon, &list, &rows));
    EXPECT_STR("label", lexicon_codes_label(w.lexicon, 0, 2, STR("1")), STR("Vacant"));
    EXPECT_STR("text", lexicon_codes_label(w.lexicon, 0, 3, STR("P")), STR("Penthouse"));
    EXPECT_TRUE("none", str_is_absent(lexicon_codes_label(w.lexicon, 0, 2, STR("3"))));
    const struct offline_answer *answer = world_read(&w, STR("how many vacant flats are there?"));
    EXPECT_STR("sql", answer->sql,
               STR("SELECT COUNT(*) AS flat_count FROM flat WHERE flatStatus = '1'"));
    world_fini(&w);
}

static const struct world_table policies[] = {
    {"POL_HDR",
     {{"POL_ID", CATALOG_INTEGER},
      {"ACT_FLG", CATALOG_TEXT},
      {"PAID_FLG", CATALOG_TEXT},
      {"isUrgent", CATALOG_TEXT},
      {"isOfficial", CATALOG_TEXT}}},
};

static const struct {
    const char *question, *sql;
} flagged[] = {
    {"How many active policies are there?",
     "SELECT COUNT(*) AS POL_HDR_count FROM POL_HDR WHERE ACT_FLG = 'Y'"},
    {"How many inactive policies are there?",
     "SELECT COUNT(*) AS POL_HDR_count FROM POL_HDR WHERE ACT_FLG = 'N'"},
    {"How many urgent policies are there?",
     "SELECT COUNT(*) AS POL_HDR_count FROM POL_HDR WHERE isUrgent = 'true'"},
    {"How many official policies are there?",
     "SELECT COUNT(*) AS POL_HDR_count FROM POL_HDR WHERE isOfficial = 'T'"},
};

/* A text of yes and no is what its name says; one with other values is not. */
TEST(yes_and_no_are_said)
{
    static const char *const letters[] = {"Y", "N"}, *const truths[] = {"false", "true"};
    static const char *const others[] = {"Y", "P"}, *const slips[] = {"t", "T", "unknown"};
    struct world w;
    world_init_of(&w, policies, countof(policies));
    keep(&w, 0, 1, letters, countof(letters));
    keep(&w, 0, 2, others, countof(others));
    keep(&w, 0, 3, truths, countof(truths));
    keep(&w, 0, 4, slips, countof(slips));
    assert_true(lexicon_codes_flags(w.lexicon));
    TEST_EACH(f, flagged)
        EXPECT_STR(f->question, world_read(&w, str_of(f->question))->sql, str_of(f->sql));
    EXPECT_STR("label", lexicon_codes_label(w.lexicon, 0, 1, STR("Y")), STR("active"));
    EXPECT_TRUE("no flag", str_is_absent(lexicon_codes_label(w.lexicon, 0, 2, STR("Y"))));
    world_fini(&w);
}

static const struct world_table fines[] = {
    {"multa",
     {{"id_multa", CATALOG_INTEGER},
      {"importo", CATALOG_NUMBER},
      {"pagata", CATALOG_INTEGER},
      {"chiusa", CATALOG_INTEGER},
      {"annullata", CATALOG_INTEGER}}},
};

static const struct {
    const char *question, *sql;
} counted[] = {
    {"How many fines are paid?", "SELECT COUNT(*) AS multa_count FROM multa WHERE pagata = '1'"},
    {"How many unpaid fines are there?",
     "SELECT COUNT(*) AS multa_count FROM multa WHERE pagata = '0'"},
    {"How many open fines are there?",
     "SELECT COUNT(*) AS multa_count FROM multa WHERE chiusa = '0'"},
};

/* A whole number whose name is a state, in whatever language, and whose values are 1 and 0. */
TEST(ones_and_zeros_are_said)
{
    static const struct sql_value truth[] = {{.type = SQL_INT, .integer = 0},
                                             {.type = SQL_INT, .integer = 1}};
    static const struct sql_value count[] = {{.type = SQL_INT, .integer = 1},
                                             {.type = SQL_INT, .integer = 2}};
    const struct sql_result yes_no = {.column_count = 1, .values = truth, .row_count = 2};
    const struct sql_result others = {.column_count = 1, .values = count, .row_count = 2};
    struct world w;
    world_init_of(&w, fines, countof(fines));
    EXPECT_TRUE("a key", !lexicon_codes_may_be_flag(w.lexicon, 0, 0));
    EXPECT_TRUE("an amount", !lexicon_codes_may_be_flag(w.lexicon, 0, 1));
    for (int column = 2; column < 5; column++) {
        EXPECT_TRUE("may be", lexicon_codes_may_be_flag(w.lexicon, 0, column));
        assert_true(lexicon_codes_take_flag(w.lexicon, 0, column, column < 4 ? &yes_no : &others));
    }
    TEST_EACH(c, counted)
        EXPECT_STR(c->question, world_read(&w, str_of(c->question))->sql, str_of(c->sql));
    EXPECT_TRUE("a number", str_is_absent(lexicon_codes_label(w.lexicon, 0, 4, STR("1"))));
    world_fini(&w);
}

static const struct world_table riders[] = {
    {"riders",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"newsletter", CATALOG_INTEGER},
      {"seats", CATALOG_INTEGER},
      {"warranty", CATALOG_INTEGER},
      {"is_insured", CATALOG_TEXT}}},
};

static const struct {
    const char *question, *sql;
} equipped[] = {
    {"How many riders are with newsletter?",
     "SELECT COUNT(*) AS riders_count FROM riders WHERE newsletter = 1"},
    {"How many insured riders are there?",
     "SELECT COUNT(*) AS riders_count FROM riders WHERE is_insured = 'T'"},
};

/* A whole number is what a row has or not by its values alone, unless its name counts something. */
TEST(what_a_row_has_is_said)
{
    static const char *const letters[] = {"T", "F"};
    static const struct sql_value values[] = {{.type = SQL_INT, .integer = 0},
                                              {.type = SQL_INT, .integer = 1},
                                              {.type = SQL_INT, .integer = 2}};
    const struct sql_result two = {.column_count = 1, .values = values, .row_count = 2};
    const struct sql_result three = {.column_count = 1, .values = values, .row_count = 3};
    struct lexicon_link links[16];
    const struct str warranty = STR("warranty");
    struct world w;
    world_init_of(&w, riders, countof(riders));
    EXPECT_TRUE("a noun", lexicon_codes_may_be_flag(w.lexicon, 0, 2));
    EXPECT_TRUE("a number of things", !lexicon_codes_may_be_flag(w.lexicon, 0, 3));
    assert_true(lexicon_codes_take_flag(w.lexicon, 0, 2, &two));
    assert_true(lexicon_codes_take_flag(w.lexicon, 0, 4, &three));
    keep(&w, 0, 5, letters, countof(letters));
    assert_true(lexicon_codes_flags(w.lexicon));
    TEST_EACH(e, equipped)
        EXPECT_STR(e->question, world_read(&w, str_of(e->question))->sql, str_of(e->sql));
    size_t count = lexicon_index_find(w.lexicon, &warranty, 1, links, countof(links));
    for (size_t i = 0; i < count; i++)
        EXPECT_TRUE("a third value", links[i].kind != LINK_BOOL);
    world_fini(&w);
}

/* What a CHECK lists is known, although no row has it. */
TEST(a_check_lists_values)
{
    struct err err = {0};
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog = NULL;
    const struct catalog_table table = {.name = STR("parcel"),
                                        .secure_view = CATALOG_NONE,
                                        .secures = CATALOG_NONE,
                                        .tenant_column = CATALOG_NONE,
                                        .row_count = -1};
    const struct catalog_column columns[] = {
        {.name = STR("id"), .type = CATALOG_INTEGER, .primary_key = true, .unique = true},
        {.name = STR("size"), .type = CATALOG_TEXT, .allowed = STR("'small', 'oversized'")},
    };
    EXPECT_INT("table", catalog_add_table(builder, &table, &err), ERR_OK);
    for (size_t i = 0; i < countof(columns); i++)
        EXPECT_INT("column", catalog_add_column(builder, &columns[i], &err), ERR_OK);
    EXPECT_INT(err.text, catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    struct lexicon *lexicon = lexicon_create(catalog, NULL);
    struct lexicon_link links[16];
    const struct str word = STR("oversized");
    size_t count = lexicon_index_find(lexicon, &word, 1, links, countof(links)), values = 0;
    for (size_t i = 0; i < count; i++)
        values += links[i].kind == LINK_VALUE && links[i].column == 1;
    EXPECT_INT("listed", values, 1);
    lexicon_destroy(lexicon);
    catalog_destroy(catalog);
}

static const struct world_table bills[] = {
    {"bills",
     {{"id", CATALOG_INTEGER},
      {"number", CATALOG_TEXT},
      {"fee_cents", CATALOG_INTEGER},
      {"weight", CATALOG_NUMBER},
      {"work_minutes", CATALOG_INTEGER}}},
};

/* A description explains codes, unless it only says where a scale ends. */
TEST(a_description_explains_codes)
{
    static const char json[] =
        "{\"version\":1,\"tables\":{\"bills\":{\"columns\":{\"fee_cents\":{\"description\":"
        "\"0 waived, 1 usual, 2 doubled\"},\"weight\":{\"description\":\"0 to 5, 5 is best\"}}}}}";
    struct world w;
    struct semantic *semantic;
    struct semantic_report report;
    struct err err = {0};
    world_init_of(&w, bills, countof(bills));
    semantic_report_init(&report);
    EXPECT_INT("read", semantic_file_read(str_of(json), &semantic, &report, &err), ERR_OK);
    semantic_bind_catalog(semantic, w.catalog, &sql_policy_default, SQL_SQLITE, &report);
    lexicon_destroy(w.lexicon);
    w.lexicon = lexicon_create(w.catalog, semantic);
    EXPECT_STR("a code", lexicon_codes_label(w.lexicon, 0, 2, STR("2")), STR("doubled"));
    EXPECT_TRUE("a scale", str_is_absent(lexicon_codes_label(w.lexicon, 0, 3, STR("5"))));
    semantic_report_fini(&report);
    world_fini(&w);
    semantic_model_destroy(semantic);
}

static const struct {
    const char *question, *sql;
} priced[] = {
    {"What is the total fee of bills?", "SELECT SUM(fee_cents) / 100.0 AS total_fee FROM bills"},
    {"What is the total fee of bills in cents?",
     "SELECT SUM(fee_cents) AS total_fee_cents FROM bills"},
    {"bills with a fee over 50 cents",
     "SELECT number, id, fee_cents / 100.0 AS fee, weight, work_minutes FROM bills WHERE fee_cents "
     "> 50"},
    {"bills with a fee over 20",
     "SELECT number, id, fee_cents / 100.0 AS fee, weight, work_minutes FROM bills WHERE fee_cents "
     "> 2000"},
    {"total work of bills in hours", "SELECT SUM(work_minutes) / 60.0 AS total_work FROM bills"},
    {"total work of bills", "SELECT SUM(work_minutes) AS total_work_minutes FROM bills"},
    {"What are the total hours of bills?",
     "SELECT SUM(work_minutes) / 60.0 AS total_work FROM bills"},
    {"How many bills have a work over 2 hours?",
     "SELECT COUNT(*) AS bills_count FROM bills WHERE work_minutes > 120"},
    {"total weight of bills in hours", ""},
    {"bills in hours", ""},
    {"total weight of bills in cents", ""},
    {"What is the total fee of bills in euros?",
     "SELECT SUM(fee_cents) / 100.0 AS total_fee FROM bills"},
    {"What is the total weight of bills in dollars?",
     "SELECT SUM(weight) AS total_weight FROM bills"},
    {"How many bills have a fee over 20 euros?",
     "SELECT COUNT(*) AS bills_count FROM bills WHERE fee_cents > 2000"},
    {"numbers with a total fee over 20",
     "SELECT number, SUM(fee_cents) / 100.0 AS total_fee FROM bills GROUP BY number HAVING "
     "SUM(fee_cents) > 2000 ORDER BY total_fee DESC, number"},
    {"numbers with an average fee over 20",
     "SELECT number, AVG(fee_cents) / 100.0 AS average_fee FROM bills GROUP BY number HAVING "
     "AVG(fee_cents) > 2000 ORDER BY average_fee DESC, number"},
    {"numbers with a total fee over 20 cents",
     "SELECT number, SUM(fee_cents) / 100.0 AS total_fee FROM bills GROUP BY number HAVING "
     "SUM(fee_cents) > 20 ORDER BY total_fee DESC, number"},
    {"numbers with a total fee of at least 12.5",
     "SELECT number, SUM(fee_cents) / 100.0 AS total_fee FROM bills GROUP BY number HAVING "
     "SUM(fee_cents) >= 1250 ORDER BY total_fee DESC, number"},
};

/* Money kept in cents is said in units, and time in the unit that is asked for. */
TEST(amounts_are_said_in_units)
{
    struct world w;
    world_init_of(&w, bills, countof(bills));
    TEST_EACH(p, priced) {
        const struct offline_answer *answer = world_read(&w, str_of(p->question));
        EXPECT_STR(p->question, answer->understood ? answer->sql : STR(""), str_of(p->sql));
    }
    world_fini(&w);
}

RUN_TESTS(T(a_description_explains_codes), T(a_check_lists_values), T(amounts_are_said_in_units),
          T(pairs_of_a_text), T(a_table_lists_codes), T(yes_and_no_are_said),
          T(ones_and_zeros_are_said), T(what_a_row_has_is_said))

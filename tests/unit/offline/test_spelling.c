/* SPDX-License-Identifier: MIT */
#include "tests/unit/offline/world.h"

#include "agents/lexicon/lexicon.h"
#include "agents/lexicon/spelling.h"

static const struct world_table english[] = {
    {"PAT_MST", {{"PAT_ID", CATALOG_INTEGER}, {"LST_NM", CATALOG_TEXT}, {"REG_DT", CATALOG_DATE}}},
    {"VISIT_TRN", {{"VISIT_ID", CATALOG_INTEGER}, {"custname", CATALOG_TEXT}}},
    {"wards", {{"id", CATALOG_INTEGER}, {"dept_name", CATALOG_TEXT}, {"deal", CATALOG_TEXT}}},
    {"CPN_MST",
     {{"CPN_NO", CATALOG_INTEGER}, {"VSL_NM", CATALOG_TEXT}, {"LMT_XQZ", CATALOG_INTEGER}}},
};

static const struct world_table compound[] = {
    {"workOrder", {{"id", CATALOG_INTEGER}}},
    {"secure_workorder", {{"id", CATALOG_INTEGER}}},
};

/* Written together, with an affix; what a part shortens, other columns of the schema shorten, too.
 */
static const struct world_table legacy[] = {
    {"CUSTMST", {{"CUST_NO", CATALOG_INTEGER}, {"CTY", CATALOG_TEXT}}},
    {"CARRMST", {{"CARR_CD", CATALOG_TEXT}, {"CARR_NM", CATALOG_TEXT}}},
    {"SHPDTL", {{"SHP_NO", CATALOG_INTEGER}, {"LN_NO", CATALOG_INTEGER}}},
    {"CTGYCD", {{"CTGY_CD", CATALOG_TEXT}, {"CTGY_DESC", CATALOG_TEXT}}},
    {"CLMHDR", {{"CLM_NO", CATALOG_INTEGER}, {"ACTV_FLG", CATALOG_TEXT}}},
    {"LGR_MST", {{"LGR_NO", CATALOG_INTEGER}, {"TOURN_DT", CATALOG_DATE}}},
};

static const struct world_table german[] = {
    {"kunden",
     {{"id", CATALOG_INTEGER}, {"nachname", CATALOG_TEXT}, {"kundennummer", CATALOG_TEXT}}},
    {"auftraege", {{"id", CATALOG_INTEGER}, {"lieferdatum", CATALOG_DATE}}},
    {"Gebäude", {{"id", CATALOG_INTEGER}, {"stra\303\237e", CATALOG_TEXT}}},
};

static const struct world_table spanish[] = {
    {"clientes", {{"id_cliente", CATALOG_INTEGER}, {"nombre", CATALOG_TEXT}}},
    {"pedidos",
     {{"id_pedido", CATALOG_INTEGER},
      {"fecha_de_entrega", CATALOG_DATE},
      {"precio_unitario", CATALOG_NUMBER}}},
};

static const struct world_table french[] = {
    {"adherents", {{"id", CATALOG_INTEGER}, {"prenom", CATALOG_TEXT}, {"courriel", CATALOG_TEXT}}},
    {"demandes",
     {{"id", CATALOG_INTEGER}, {"statut", CATALOG_TEXT}, {"date_cloture", CATALOG_DATE}}},
};

static const struct world_table italian[] = {
    {"vigneti", {{"id", CATALOG_INTEGER}, {"superficie", CATALOG_NUMBER}}},
    {"ordini", {{"id", CATALOG_INTEGER}, {"data_consegna", CATALOG_DATE}, {"stato", CATALOG_TEXT}}},
};

/* Each column begins with its type. */
static const struct world_table notated[] = {
    {"tblMember",
     {{"lngMemberID", CATALOG_INTEGER},
      {"strMemberName", CATALOG_TEXT},
      {"dtmJoined", CATALOG_DATE},
      {"blnActive", CATALOG_BOOLEAN}}},
    {"tblFee",
     {{"lngFeeID", CATALOG_INTEGER},
      {"lngMemberID", CATALOG_INTEGER},
      {"curAmount", CATALOG_NUMBER},
      {"dtmPaid", CATALOG_DATE}}},
    {"tblVisit",
     {{"lngVisitID", CATALOG_INTEGER},
      {"strGate", CATALOG_TEXT},
      {"curPrice", CATALOG_NUMBER},
      {"dtmVisit", CATALOG_DATE}}},
};

/* What only sorts tables is no part of their names, whatever it shortens; an initial is. */
static const struct world_table sorted[] = {
    {"Ref_Ward_Types", {{"Ward_Type", CATALOG_TEXT}}},
    {"Nurses", {{"id", CATALOG_INTEGER}, {"LName", CATALOG_TEXT}, {"F_Name", CATALOG_TEXT}}},
    {"references", {{"id", CATALOG_INTEGER}}},
};

static const struct spelled {
    const struct world_table *tables;
    size_t count;
    int table, column; /* CATALOG_NONE: the table's own name */
    const char *words;
} spelled[] = {
    {english, countof(english), 0, CATALOG_NONE, "patient"},
    {english, countof(english), 0, 1, "last name"},
    {english, countof(english), 0, 2, "registration date"},
    {english, countof(english), 1, CATALOG_NONE, "visit"},
    {english, countof(english), 1, 1, "customer name"},
    {english, countof(english), 2, CATALOG_NONE, "wards"},
    {english, countof(english), 2, 1, "department name"},
    {english, countof(english), 2, 2, "deal"},              /* no dealer */
    {english, countof(english), 3, CATALOG_NONE, "coupon"}, /* no list has it: its consonants do */
    {english, countof(english), 3, 1, "vessel name"},
    {english, countof(english), 3, 2, "limit xqz"},
    {legacy, countof(legacy), 0, CATALOG_NONE, "customer"},
    {legacy, countof(legacy), 1, CATALOG_NONE, "carrier"},
    {legacy, countof(legacy), 1, 1, "carrier name"},
    {legacy, countof(legacy), 2, CATALOG_NONE, "shipment detail"},
    {legacy, countof(legacy), 3, CATALOG_NONE, "category code"},
    {legacy, countof(legacy), 4, CATALOG_NONE, "claim"},
    {legacy, countof(legacy), 4, 1, "active flag"},
    {legacy, countof(legacy), 5, CATALOG_NONE, "lgr"},  /* of ledger, which no list has */
    {legacy, countof(legacy), 5, 1, "tournament date"}, /* how the word begins */
    {compound, countof(compound), 0, CATALOG_NONE, "work order"},
    {sorted, countof(sorted), 0, CATALOG_NONE, "ward types"},
    {sorted, countof(sorted), 1, 1, "last name"},
    {sorted, countof(sorted), 1, 2, "first name"},
    {sorted, countof(sorted), 2, CATALOG_NONE, "references"},
    {notated, countof(notated), 0, CATALOG_NONE, "member"},
    {notated, countof(notated), 0, 1, "member name"},
    {notated, countof(notated), 0, 3, "active"},
    {notated, countof(notated), 1, 2, "amount"},
    {german, countof(german), 0, CATALOG_NONE, "customer"},
    {german, countof(german), 0, 1, "last name"},
    {german, countof(german), 0, 2, "customer number"},
    {german, countof(german), 1, CATALOG_NONE, "order"},
    {german, countof(german), 1, 1, "delivery date"},
    {german, countof(german), 2, CATALOG_NONE, "building"},
    {german, countof(german), 2, 1, "street"},
    {spanish, countof(spanish), 0, CATALOG_NONE, "customer"},
    {spanish, countof(spanish), 0, 0, "customer id"},
    {spanish, countof(spanish), 1, 1, "delivery date"},
    {spanish, countof(spanish), 1, 2, "unit price"},
    {french, countof(french), 0, 1, "first name"},
    {french, countof(french), 1, CATALOG_NONE, "request"},
    {french, countof(french), 1, 2, "closing date"},
    {italian, countof(italian), 0, CATALOG_NONE, "vineyard"},
    {italian, countof(italian), 1, CATALOG_NONE, "order"},
    {italian, countof(italian), 1, 1, "delivery date"},
};

static void names_are_said_as_people_do(void **state)
{
    (void)state;
    TEST_EACH(s, spelled) {
        struct world w;
        world_init_of(&w, s->tables, s->count);
        const struct lexicon_words *name =
            s->column == CATALOG_NONE ? lexicon_spelling_table(w.lexicon, s->table)
                                      : lexicon_spelling_column(w.lexicon, s->table, s->column);
        struct str said = name->words[0];
        for (size_t i = 1; i < name->count; i++)
            said = arena_printf(&w.arena, "%.*s %.*s", STR_ARG(said), STR_ARG(name->words[i]));
        EXPECT_STR(s->words, said, str_of(s->words));
        world_fini(&w);
    }
}

/* The name as it is written is found as well. */
static void written_names_are_found(void **state)
{
    (void)state;
    struct world w;
    struct str words[] = {STR("pat"), STR("mst")};
    struct lexicon_link links[4];
    world_init_of(&w, english, countof(english));
    assert_int_equal(lexicon_index_find(w.lexicon, words, countof(words), links, countof(links)),
                     1);
    assert_int_equal(links[0].table, 0);
    world_fini(&w);
}

static const struct {
    const char *value, *said; /* NULL: not known by another word */
} values[] = {
    {"refus\303\251e", "refused"},
    {"en cours", "in progress"},
    {"Annul\303\251e", "cancelled"},
    {"refus\303\251e xyz", NULL},
    {"", NULL},
};

/* What rows say in the language of the names is found by its English; nothing is translated where
 * names are English. */
static void values_are_said_in_english(void **state)
{
    (void)state;
    struct world w;
    struct str words[ENGLISH_WORDS];
    world_init_of(&w, french, countof(french));
    TEST_EACH(v, values) {
        size_t count = lexicon_spelling_value(w.lexicon, str_of(v->value), words);
        struct str said = count > 0 ? words[0] : STR("");
        for (size_t i = 1; i < count; i++)
            said = arena_printf(&w.arena, "%.*s %.*s", STR_ARG(said), STR_ARG(words[i]));
        EXPECT_STR(v->value, said, str_of(v->said == NULL ? "" : v->said));
    }
    int column = catalog_find_column(w.catalog, 1, STR("statut"));
    static const uint64_t everybody[2] = {0, 0};
    struct str refused = STR("refus\303\251e");
    assert_true(lexicon_index_add(w.lexicon, 1, column, refused));
    assert_true(lexicon_spelling_enter_value(w.lexicon, 1, column, refused, everybody));
    const struct offline_answer *answer = world_read(&w, STR("How many requests are refused?"));
    assert_true(answer->understood);
    assert_true(str_find(answer->sql, STR("statut = 'refus\303\251e'")) != STR_NONE);
    world_fini(&w);
    world_init_of(&w, english, countof(english));
    EXPECT_INT("English", lexicon_spelling_value(w.lexicon, STR("en cours"), words), 0);
    world_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_said_as_people_do),
        cmocka_unit_test(written_names_are_found),
        cmocka_unit_test(values_are_said_in_english),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

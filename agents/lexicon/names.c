/* SPDX-License-Identifier: MIT */
/* agents/lexicon/names.c - what tables and columns are called.
 *
 * Happy path: each name is entered whole, without its table's words and by its head noun, with
 * falling scores; a reference is a role, a boolean an adjective, a date a verb.
 * Failure: no memory leaves no lexicon. */
#include "agents/lexicon/names.h"

#include "agents/lexicon/facts.h"
#include "agents/lexicon/glossary.h"
#include "agents/lexicon/spelling.h"
#include "agents/english/synonyms.h"
#include "agents/english/units.h"
#include "agents/english/verbs.h"
#include "agents/english/vocabulary.h"
#include "core/words/stem.h"

#include <string.h>

enum { KIND_SCORE = 62 }; /* a table of kinds, by its last word */

static bool same_stem(struct str a, struct str b)
{
    char x[STEM_BYTES], y[STEM_BYTES];
    return str_equal(stem_of(a, x), stem_of(b, y));
}

static void drop_words(struct lexicon_words *name, size_t count)
{
    name->count -= count;
    memmove(&name->words[0], &name->words[count], name->count * sizeof name->words[0]);
}

/* The name as the database has it, where people would say it in other words. */
static bool enter_written(struct lexicon *lexicon, struct str text,
                          const struct lexicon_words *spelled, struct lexicon_link link)
{
    struct str words[ENGLISH_WORDS];
    size_t count = spelled->differs ? stem_split(&lexicon->arena, text, words, ENGLISH_WORDS) : 0;
    return lexicon_index_enter(lexicon, words, count, link);
}

/* "settled", "born": what has happened. */
static bool is_past(struct str word)
{
    enum { LEAST = 5 };
    return (word.len >= LEAST && str_ends_with(word, STR("ed")) &&
            !str_ends_with(word, STR("eed"))) ||
           vocabulary_has(VOCABULARY_PASTS, word);
}

/* Whether no other table's name has the last word of this one's. */
static bool is_only_table(const struct lexicon *lexicon, int t, const struct lexicon_words *name)
{
    for (size_t o = 0; name->count > 1 && o < lexicon->catalog->table_count; o++) {
        const struct lexicon_words *w = lexicon_spelling_table(lexicon, (int)o);
        for (size_t i = 0; (int)o != t && i < w->count; i++)
            if (same_stem(w->words[i], name->words[name->count - 1]))
                return false;
    }
    return name->count > 1;
}

/* By the last of several words, and without it. */
static bool enter_last(struct lexicon *lexicon, const struct lexicon_words *name,
                       struct lexicon_link link)
{
    char stem[STEM_BYTES];
    const struct str *last = &name->words[name->count - 1];
    if (name->count < 2)
        return true;
    link.score = is_only_table(lexicon, link.table, name) ? 85 : 70;
    if (!english_synonyms_is_general(stem_of(*last, stem)) &&
        !lexicon_index_enter(lexicon, last, 1, link))
        return false;
    link.score = KIND_SCORE; /* "type" of tickets: ticket_types */
    if (english_verbs_is_kind(*last) && !lexicon_index_enter(lexicon, last, 1, link))
        return false;
    link.score = 70;
    return !vocabulary_has(VOCABULARY_CONTENTS, *last) || /* cars_data */
           lexicon_index_enter(lexicon, name->words, name->count - 1, link);
}

static bool enter_table(struct lexicon *lexicon, int t)
{
    struct lexicon_words name = *lexicon_spelling_table(lexicon, t);
    struct lexicon_link link = {LINK_TABLE, t, CATALOG_NONE, STR(""), false, 100};
    if (!enter_written(lexicon, lexicon->catalog->tables[t].name, &name, link) ||
        !lexicon_index_enter(lexicon, name.words, name.count, link))
        return false;
    link.score = 70;
    for (size_t i = 0; i < name.count && name.count > 1; i++)
        if (!lexicon_index_enter_part(lexicon, name.words[i], link))
            return false;
    if (!enter_last(lexicon, &name, link))
        return false;
    link.score = OFFLINE_SCORE_VERB;
    bool received = name.count == 2 && is_past(name.words[1]); /* payments_received */
    struct str verb = name.count == 1 || received ? english_verbs_of_noun(name.words[0]) : STR("");
    if (received && !lexicon_index_enter(lexicon, name.words, 1, link))
        return false;
    return verb.len == 0 || lexicon_index_enter(lexicon, &verb, 1, link);
}

/* The adjective of a boolean, its agent ("leader") and its opposites. */
static bool enter_boolean(struct lexicon *lexicon, struct lexicon_words *name,
                          struct lexicon_link link)
{
    static const char *const negations[] = {"in", "un", "non"};
    size_t skip = name->count > 1 &&
                  (str_equal(name->words[0], STR("is")) || str_equal(name->words[0], STR("has")) ||
                   str_equal(name->words[0], STR("was")) || str_equal(name->words[0], STR("can")));
    struct str *words = &name->words[skip];
    size_t count = name->count - skip;
    link.kind = LINK_BOOL;
    if (!lexicon_index_enter(lexicon, words, count, link))
        return false;
    if (count != 1)
        return true;
    link.score = 90;
    struct str agent = arena_printf(&lexicon->arena, "%.*ser", STR_ARG(words[0]));
    if (str_is_absent(agent) || !lexicon_index_enter(lexicon, &agent, 1, link))
        return false;
    link.negative = true;
    struct str stem = stem_key(&lexicon->arena, words, 1);
    struct str opposite = str_is_absent(stem) ? stem : english_synonyms_opposite(stem);
    if (!str_is_absent(opposite) && !lexicon_index_enter(lexicon, &opposite, 1, link))
        return false;
    for (size_t i = 0; i < countof(negations); i++) {
        struct str word = arena_printf(&lexicon->arena, "%s%.*s", negations[i], STR_ARG(words[0]));
        if (str_is_absent(word) || !lexicon_index_enter(lexicon, &word, 1, link))
            return false;
    }
    return true;
}

/* A reference by its own name (inspectorId), unless that is just the other table's. */
static bool enter_role(struct lexicon *lexicon, struct lexicon_words name, struct lexicon_link link,
                       int to_table)
{
    struct lexicon_words target = *lexicon_spelling_table(lexicon, to_table);
    struct str last = name.words[name.count - 1];
    if (name.count > 1 &&
        (str_equal(last, STR("id")) || str_equal(last, STR("key")) || str_equal(last, STR("by"))))
        name.count--;
    if (target.count == 0 ||
        lexicon_facts_is_audit(lexicon->catalog->tables[link.table].columns[link.column].name))
        return true;
    bool same = name.count <= target.count;
    for (size_t i = 0; same && i < name.count; i++)
        same = same_stem(name.words[name.count - 1 - i], target.words[target.count - 1 - i]);
    link.kind = LINK_ROLE;
    return same || lexicon_index_enter(lexicon, name.words, name.count, link);
}

/* How many words a column's name begins with that the table's ends in. */
static size_t count_shared(const struct lexicon_words *name, const struct lexicon_words *table)
{
    for (size_t k = size_min(table->count, name->count - 1); k > 0; k--) {
        size_t same = 0;
        while (same < k && same_stem(name->words[same], table->words[table->count - k + same]))
            same++;
        if (same == k)
            return k;
    }
    return 0;
}

/* What people say behind a word that names leave alone: phone number, email address. */
static struct str said_behind(struct str word)
{
    static const char *const words[][2] = {{"phone", "number"},     {"fax", "number"},
                                           {"telephone", "number"}, {"mobile", "number"},
                                           {"email", "address"},    {"mail", "address"}};
    for (size_t i = 0; i < countof(words); i++)
        if (str_equal(word, str_of(words[i][0])))
            return str_of(words[i][1]);
    return STR("");
}

/* "email" of an email_address, "cell phone" of a cell_number: what people say of how to reach
 * somebody. */
static bool enter_reached(struct lexicon *lexicon, const struct lexicon_words *name,
                          struct lexicon_link link)
{
    static const char *const mobile[] = {"cell", "mobile", "cellular"};
    size_t n = name->count;
    link.score = 92;
    if (n < 2)
        return true;
    struct str last = name->words[n - 1], before = name->words[n - 2];
    if (said_behind(before).len > 0 && str_equal(last, said_behind(before)) &&
        !lexicon_index_enter(lexicon, &name->words[n - 2], 1, link))
        return false;
    for (size_t i = 0; i < countof(mobile); i++) {
        const struct str said[] = {str_of(mobile[i]), STR("phone")};
        if (str_equal(before, said[0]) && str_equal(last, STR("number")) &&
            (!lexicon_index_enter(lexicon, said, 1, link) ||
             !lexicon_index_enter(lexicon, said, 2, link)))
            return false;
    }
    return true;
}

/* The parts of a longer name: cost_of_treatment, gross_in_dollar. */
static bool enter_long(struct lexicon *lexicon, const struct lexicon_words *name, size_t shared,
                       struct lexicon_link link)
{
    char stem[STEM_BYTES];
    link.score = 70;
    if (name->count <= 2)
        return true;
    struct str turned[] = {name->words[2], name->words[0]}; /* level_of_membership */
    bool of = str_equal(name->words[1], STR("of"));
    if (of && name->count == 3 && !lexicon_index_enter(lexicon, turned, 2, link))
        return false;
    if (of && !english_synonyms_is_general(stem_of(name->words[0], stem)) &&
        !lexicon_index_enter(lexicon, name->words, 1, link))
        return false;
    return shared >= name->count - 2 || !str_equal(name->words[name->count - 2], STR("in")) ||
           lexicon_index_enter(lexicon, &name->words[shared], name->count - 2 - shared, link);
}

/* Without a last word that nobody says: outcome_code; of products, product_category_code. */
static bool enter_technical(struct lexicon *lexicon, const struct lexicon_words *name,
                            size_t shared, struct lexicon_link link)
{
    link.score = 85;
    if (name->count < 2 || name->count - 1 <= shared ||
        !english_verbs_is_technical(name->words[name->count - 1]))
        return true;
    return lexicon_index_enter(lexicon, name->words, name->count - 1, link) &&
           (shared == 0 ||
            lexicon_index_enter(lexicon, &name->words[shared], name->count - 1 - shared, link));
}

/* Whether a price is what the thing was bought for. */
static bool is_bought(const struct lexicon_words *w)
{
    char stem[STEM_BYTES];
    for (size_t i = 0; i + 1 < w->count; i++)
        if (vocabulary_has(VOCABULARY_BOUGHT, stem_of(w->words[i], stem)))
            return true;
    return false;
}

/* Whether no other column of the table ends in the word; "price" is what a thing is sold for. */
static bool is_only_head(const struct lexicon *lexicon, const struct lexicon_link *link,
                         struct str head)
{
    char stem[STEM_BYTES];
    const bool prices = vocabulary_has(VOCABULARY_UNITPRICES, stem_of(head, stem)) &&
                        !is_bought(lexicon_spelling_column(lexicon, link->table, link->column));
    for (size_t c = 0; c < lexicon->catalog->tables[link->table].column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(lexicon, link->table, (int)c);
        if ((int)c != link->column && w->count > 0 && same_stem(w->words[w->count - 1], head) &&
            !(prices && is_bought(w)))
            return false;
    }
    return true;
}

/* The last word alone, and what it is a kind of: "private insurance" of an insurance_type. */
static bool enter_head(struct lexicon *lexicon, const struct lexicon_words *name, size_t shared,
                       struct lexicon_link link)
{
    char stem[STEM_BYTES];
    struct str head = name->words[name->count - 1];
    bool general = english_synonyms_is_general(stem_of(head, stem));
    if (is_past(head) && lexicon_index_is_date(lexicon->catalog, link.table, link.column))
        return true;
    link.score = OFFLINE_SCORE_KIND;
    if (name->count == 2 && shared == 0 && english_verbs_is_kind(head) &&
        !lexicon_index_enter(lexicon, name->words, 1, link))
        return false;
    link.score = general ? OFFLINE_SCORE_GENERAL : is_only_head(lexicon, &link, head) ? 85 : 70;
    return name->count < 2 || str_equal(head, STR("name")) || str_equal(head, STR("id")) ||
           (shared > 0 && general) || lexicon_index_enter(lexicon, &head, 1, link);
}

/* Whether a last word only says what is counted in; days are rather what is counted. */
static bool counts_in_unit(struct str word)
{
    return english_verbs_is_unit(word) || (english_units_find(word).of != UNIT_OF_NOTHING &&
                                           !vocabulary_has(VOCABULARY_DAYS, word));
}

static bool enter_parts(struct lexicon *lexicon, const struct lexicon_words *name,
                        struct lexicon_link link)
{
    struct lexicon_words table = *lexicon_spelling_table(lexicon, link.table);
    size_t shared = count_shared(name, &table);
    for (size_t i = shared; i < name->count && name->count > shared + 1; i++)
        if (!lexicon_index_enter_part(lexicon, name->words[i], link))
            return false;
    struct str longer[2] = {name->words[name->count - 1]};
    longer[1] = said_behind(longer[0]);
    link.score = lexicon_index_is_date(lexicon->catalog, link.table, link.column) ? 75 : 95;
    if (shared > 0 &&
        !lexicon_index_enter(lexicon, &name->words[shared], name->count - shared, link))
        return false;
    if (longer[1].len > 0 && !lexicon_index_enter(lexicon, longer, 2, link))
        return false;
    if (!enter_long(lexicon, name, shared, link) || !enter_reached(lexicon, name, link))
        return false;
    link.score = 92;
    if (name->count > 1 && counts_in_unit(longer[0])) /* weight_kg, amount_cents */
        return lexicon_index_enter(lexicon, name->words, name->count - 1, link);
    return enter_technical(lexicon, name, shared, link) && enter_head(lexicon, name, shared, link);
}

/* A text that is the key, without its table's words: "code" of airports. */
static bool enter_key_part(struct lexicon *lexicon, const struct lexicon_words *name,
                           struct lexicon_link link)
{
    struct lexicon_words table = *lexicon_spelling_table(lexicon, link.table);
    size_t shared = count_shared(name, &table);
    link.score = 95;
    return shared == 0 || name->count - shared != 1 || str_equal(name->words[shared], STR("id")) ||
           lexicon->catalog->tables[link.table].columns[link.column].type != CATALOG_TEXT ||
           lexicon_index_enter(lexicon, &name->words[shared], 1, link);
}

/* "hired" of a hire_date, "settled" of a date_claim_settled; and "date". */
static bool enter_moment(struct lexicon *lexicon, const struct lexicon_words *name,
                         struct lexicon_link link)
{
    struct lexicon_words table = *lexicon_spelling_table(lexicon, link.table);
    struct str date = STR("date"); /* what any of its dates may be called */
    const struct str *first = &name->words[0], *last = &name->words[name->count - 1];
    bool own = table.count > 0 && (same_stem(*first, table.words[0]) ||
                                   same_stem(*first, table.words[table.count - 1]));
    bool dated = name->count > 1 && str_equal(*first, date);
    link.kind = LINK_MOMENT;
    if (!str_equal(*first, date) && !own && !lexicon_index_enter(lexicon, first, 1, link))
        return false;
    struct str verb = own ? STR("") : english_verbs_of_noun(*first); /* termination_date */
    if (dated)                                                       /* date_of_registration */
        verb = english_verbs_of_noun(*last);
    if (verb.len > 0 && !lexicon_index_enter(lexicon, &verb, 1, link))
        return false;
    if (name->count > 1 && (dated || is_past(*last)) &&
        !lexicon_index_enter(lexicon, last, 1, link))
        return false;
    link.kind = LINK_COLUMN;
    link.score = 70;
    return lexicon_index_enter(lexicon, &date, 1, link);
}

/* Whether a reference is called like the key that it refers to: "customer id" is the customer's. */
static bool is_key_name(const struct lexicon *lexicon, const struct lexicon_words *name,
                        const struct catalog_reference *ref)
{
    const struct lexicon_words *key =
        lexicon_spelling_column(lexicon, ref->to_table, ref->to_columns[0]);
    size_t shared = lexicon->facts[ref->to_table].shared;
    bool is = key->count > shared && key->count - shared == name->count && name->count > 1;
    for (size_t i = 0; is && i < name->count; i++)
        is = same_stem(name->words[i], key->words[shared + i]);
    return is;
}

/* A reference that is a code people read: "type code" of the template_type_code of templates. */
static bool enter_copied(struct lexicon *lexicon, const struct lexicon_words *name,
                         struct lexicon_link link)
{
    struct lexicon_words table = *lexicon_spelling_table(lexicon, link.table);
    size_t shared = count_shared(name, &table);
    link.score = OFFLINE_SCORE_COPY;
    return shared == 0 || name->count < shared + 2 ||
           lexicon->catalog->tables[link.table].columns[link.column].type != CATALOG_TEXT ||
           lexicon_index_enter(lexicon, &name->words[shared], name->count - shared, link);
}

static bool enter_column(struct lexicon *lexicon, int t, int c)
{
    const struct catalog *catalog = lexicon->catalog;
    struct lexicon_words name = *lexicon_spelling_column(lexicon, t, c);
    struct lexicon_link link = {LINK_COLUMN, t, c, STR(""), false, 100};
    if (!enter_written(lexicon, catalog->tables[t].columns[c].name, &name, link))
        return false;
    if (name.count > lexicon->facts[t].shared)
        drop_words(&name, lexicon->facts[t].shared);
    if (name.count == 0)
        return true;
    const struct catalog_reference *ref = lexicon_index_reference(catalog, t, c);
    if (ref != NULL && is_key_name(lexicon, &name, ref))
        link.score = OFFLINE_SCORE_COPY;
    if (!lexicon_index_enter(lexicon, name.words, name.count, link))
        return false;
    link.score = 100;
    if (ref != NULL)
        return enter_copied(lexicon, &name, link) && enter_role(lexicon, name, link, ref->to_table);
    if (lexicon_index_is_boolean(catalog, t, c))
        return enter_boolean(lexicon, &name, link);
    if (lexicon_index_is_date(catalog, t, c) && !enter_moment(lexicon, &name, link))
        return false;
    if (lexicon_index_has_adverb(catalog->tables[t].columns[c].name)) /* 'T' or 'yes': who knows */
        return true;
    return catalog->tables[t].columns[c].primary_key ? enter_key_part(lexicon, &name, link)
                                                     : enter_parts(lexicon, &name, link);
}

static bool is_money(const struct lexicon_words *name)
{
    char stem[STEM_BYTES];
    for (size_t i = 0; i < name->count; i++)
        if (english_synonyms_is_amount(stem_of(name->words[i], stem)))
            return true;
    return false;
}

/* "invoice amount", "order value": the one measure of money the table has. */
static bool enter_amount(struct lexicon *lexicon, int t)
{
    struct str words[] = {STR("amount"), STR("value")};
    int measure = lexicon->facts[t].measure;
    if (measure == CATALOG_NONE || !is_money(lexicon_spelling_column(lexicon, t, measure)))
        return true;
    for (size_t i = 0; i < countof(words); i++)
        if (!lexicon_index_enter(
                lexicon, &words[i], 1,
                (struct lexicon_link){LINK_COLUMN, t, measure, STR(""), false, 55}))
            return false;
    return true;
}

static bool enter_label(struct lexicon *lexicon, int t)
{
    const struct lexicon_facts *facts = &lexicon->facts[t];
    struct str word = STR("name"), id = STR("id");
    if (facts->key != CATALOG_NONE && !lexicon->catalog->tables[t].columns[facts->key].hidden &&
        !lexicon_index_enter(lexicon, &id, 1,
                             (struct lexicon_link){LINK_COLUMN, t, facts->key, STR(""), false,
                                                   OFFLINE_SCORE_GENERAL}))
        return false;
    if (facts->label_count == 0 ||
        catalog_find_column(lexicon->catalog, t, STR("name")) != CATALOG_NONE)
        return true;
    int label = facts->labels[0];
    for (size_t i = facts->label_count; i-- > 0;) {
        struct str column = lexicon->catalog->tables[t].columns[facts->labels[i]].name;
        if (column.len >= 4 && str_equal_nocase(str_from(column, column.len - 4), STR("name")))
            label = facts->labels[i];
    }
    return lexicon_index_enter(lexicon, &word, 1,
                               (struct lexicon_link){LINK_LABEL, t, label, STR(""), false, 90});
}

bool lexicon_names_enter(struct lexicon *lexicon, int table)
{
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    if (!enter_table(lexicon, table) || !enter_label(lexicon, table) ||
        !enter_amount(lexicon, table))
        return false;
    for (size_t c = 0; c < t->column_count; c++)
        if (!t->columns[c].hidden && !lexicon_glossary_hides(lexicon, table, (int)c) &&
            !enter_column(lexicon, table, (int)c))
            return false;
    return true;
}

/* SPDX-License-Identifier: MIT */
/* agents/offline/index.c - names of tables and columns, and values, by their stems.
 *
 * Happy path: each name is entered whole, by synonyms, without its table's words and by its head
 * noun, with falling scores; a phrase is looked up by its stems, then by their synonyms, then
 * written together. Failure: no memory leaves no lexicon; an unknown phrase finds nothing. */
#include "agents/offline/index.h"

#include "agents/offline/aliases.h"
#include "agents/offline/derived.h"
#include "agents/offline/facts.h"
#include "agents/offline/glossary.h"
#include "agents/offline/synonyms.h"
#include "agents/offline/trade.h"
#include "agents/offline/verbs.h"
#include "core/base/mem.h"
#include "core/base/stem.h"

#include <string.h>

enum { INDEX_BUDGET = 256 << 20, VALUE_BYTES = 64, KEY_BYTES = OFFLINE_WORDS * 50 };

struct name {
    struct str words[OFFLINE_WORDS];
    size_t count;
};

const struct catalog_reference *offline_index_reference(const struct catalog *catalog, int table,
                                                        int column)
{
    const struct catalog_table *t = &catalog->tables[table];
    for (size_t r = 0; r < t->reference_count; r++)
        if (t->references[r].column_count == 1 && t->references[r].columns[0] == column)
            return &t->references[r];
    return NULL;
}

bool offline_index_is_number(const struct catalog *catalog, int table, int column)
{
    enum catalog_type type = catalog->tables[table].columns[column].type;
    return (type == CATALOG_INTEGER || type == CATALOG_NUMBER) &&
           !offline_index_is_boolean(catalog, table, column);
}

bool offline_index_is_date(const struct catalog *catalog, int table, int column)
{
    enum catalog_type type = catalog->tables[table].columns[column].type;
    return type == CATALOG_DATE || type == CATALOG_TIMESTAMP;
}

static bool has_adverb(struct str name)
{
    static const struct str prefixes[] = {{"is_", 3}, {"has_", 4}, {"was_", 4}, {"can_", 4}};
    for (size_t i = 0; i < countof(prefixes); i++) {
        size_t n = prefixes[i].len - 1;
        if (name.len > n + 1 &&
            str_equal_nocase(str_slice(name, 0, n), str_slice(prefixes[i], 0, n)) &&
            (name.at[n] == '_' || (name.at[n] >= 'A' && name.at[n] <= 'Z')))
            return true;
    }
    return false;
}

/* "discontinued", "active": one word that says what a row is. */
static bool is_participle(struct str name)
{
    size_t n = name.len;
    for (size_t i = 0; i < n; i++)
        if (!str_is_alpha(name.at[i]) ||
            (i > 0 && name.at[i] >= 'A' && name.at[i] <= 'Z' && name.at[i - 1] >= 'a'))
            return false;
    return str_equal_nocase(name, STR("active")) ||
           (n > 5 && str_equal_nocase(str_from(name, n - 2), STR("ed")) &&
            str_lower(name.at[n - 3]) != 'e');
}

bool offline_index_is_boolean(const struct catalog *catalog, int table, int column)
{
    const struct catalog_column *c = &catalog->tables[table].columns[column];
    return c->type == CATALOG_BOOLEAN ||
           (c->type == CATALOG_INTEGER && (has_adverb(c->name) || is_participle(c->name)));
}

unsigned offline_index_hops(const struct lexicon *lexicon, int from, int to)
{
    return lexicon->hops[(size_t)from * lexicon->catalog->table_count + (size_t)to];
}

static bool enter_key(struct lexicon *lexicon, struct map *map, struct str key,
                      struct offline_link link)
{
    struct offline_entry *entry = arena_alloc(&lexicon->arena, sizeof *entry);
    if (entry == NULL || str_is_absent(key))
        return false;
    entry->link = link;
    struct offline_entry *first = map_find(map, key);
    for (struct offline_entry *e = first; e != NULL; e = e->next) {
        bool other = e->link.table != link.table || e->link.column != link.column;
        if (link.kind == LINK_VALUE && e != first && other)
            break; /* values come column by column, and the newest stand behind the first */
        if (e->link.kind == link.kind && e->link.table == link.table &&
            e->link.column == link.column && e->link.negative == link.negative &&
            e->link.named == link.named && str_equal(e->link.value, link.value)) {
            e->link.score = e->link.score > link.score ? e->link.score : link.score;
            return true;
        }
    }
    if (first != NULL) {
        entry->next = first->next;
        first->next = entry;
        return true;
    }
    return map_put(map, key, entry);
}

/* Words that are stems already, with blanks between. */
static struct str join_words(struct arena *arena, const struct str *words, size_t count)
{
    struct str key = words[0];
    for (size_t i = 1; i < count; i++)
        key = arena_printf(arena, "%.*s %.*s", STR_ARG(key), STR_ARG(words[i]));
    return key;
}

/* Enter words by their stems, and by their synonyms when those differ. */
bool offline_index_enter(struct lexicon *lexicon, const struct str *words, size_t count,
                         struct offline_link link)
{
    if (count == 0 || count > OFFLINE_WORDS)
        return true;
    struct str key = stem_key(&lexicon->arena, words, count);
    if (!enter_key(lexicon, &lexicon->names, key, link))
        return false;
    struct str meant[OFFLINE_WORDS];
    bool differs = false;
    for (size_t i = 0; i < count; i++) {
        struct str stem = stem_key(&lexicon->arena, &words[i], 1);
        meant[i] = offline_synonyms_of(stem);
        differs = differs || !str_equal(stem, meant[i]);
    }
    if (!differs)
        return arena_ok(&lexicon->arena);
    link.score -= 10;
    return enter_key(lexicon, &lexicon->names, join_words(&lexicon->arena, meant, count), link);
}

static struct name name_of(struct lexicon *lexicon, struct str text)
{
    struct name name = {.count = 0};
    name.count = stem_split(&lexicon->arena, text, name.words, OFFLINE_WORDS);
    return name;
}

static bool same_stem(struct str a, struct str b)
{
    char x[STEM_BYTES], y[STEM_BYTES];
    return str_equal(stem_of(a, x), stem_of(b, y));
}

static void drop_words(struct name *name, size_t count)
{
    name->count -= count;
    memmove(&name->words[0], &name->words[count], name->count * sizeof name->words[0]);
}

static struct name table_name(struct lexicon *lexicon, int t)
{
    static const char *const affixes[] = {"tbl", "dim", "fact", "vw", "t"};
    struct name name = name_of(lexicon, lexicon->catalog->tables[t].name);
    if (name.count > 1 && lexicon->prefix.len > 0 && str_equal(name.words[0], lexicon->prefix))
        drop_words(&name, 1);
    for (size_t i = 0; i < countof(affixes) && name.count > 1; i++)
        if (str_equal(name.words[0], str_of(affixes[i])))
            drop_words(&name, 1);
    return name;
}

static bool enter_table(struct lexicon *lexicon, int t)
{
    struct name name = table_name(lexicon, t);
    struct offline_link link = {LINK_TABLE, t, CATALOG_NONE, STR(""), false, 100};
    if (!offline_index_enter(lexicon, name.words, name.count, link))
        return false;
    char stem[STEM_BYTES];
    link.score = 70;
    if (name.count > 1 && !offline_synonyms_is_general(stem_of(name.words[name.count - 1], stem)) &&
        !offline_index_enter(lexicon, &name.words[name.count - 1], 1, link))
        return false;
    static const char *const empty[] = {"data", "info", "information", "list", "master", "table"};
    for (size_t i = 0; i < countof(empty) && name.count > 1; i++)
        if (str_equal(name.words[name.count - 1], str_of(empty[i])) &&
            !offline_index_enter(lexicon, name.words, name.count - 1, link))
            return false; /* cars_data */
    link.score = OFFLINE_SCORE_VERB;
    struct str verb = name.count == 1 ? offline_verbs_of_noun(name.words[0]) : STR("");
    return verb.len == 0 || offline_index_enter(lexicon, &verb, 1, link);
}

/* The adjective of a boolean, its agent ("leader") and its opposites. */
static bool enter_boolean(struct lexicon *lexicon, struct name *name, struct offline_link link)
{
    static const char *const negations[] = {"in", "un", "non"};
    size_t skip = name->count > 1 &&
                  (str_equal(name->words[0], STR("is")) || str_equal(name->words[0], STR("has")) ||
                   str_equal(name->words[0], STR("was")) || str_equal(name->words[0], STR("can")));
    struct str *words = &name->words[skip];
    size_t count = name->count - skip;
    link.kind = LINK_BOOL;
    if (!offline_index_enter(lexicon, words, count, link))
        return false;
    if (count != 1)
        return true;
    link.score = 90;
    struct str agent = arena_printf(&lexicon->arena, "%.*ser", STR_ARG(words[0]));
    if (str_is_absent(agent) || !offline_index_enter(lexicon, &agent, 1, link))
        return false;
    link.negative = true;
    struct str stem = stem_key(&lexicon->arena, words, 1);
    struct str opposite = str_is_absent(stem) ? stem : offline_synonyms_opposite(stem);
    if (!str_is_absent(opposite) && !offline_index_enter(lexicon, &opposite, 1, link))
        return false;
    for (size_t i = 0; i < countof(negations); i++) {
        struct str word = arena_printf(&lexicon->arena, "%s%.*s", negations[i], STR_ARG(words[0]));
        if (str_is_absent(word) || !offline_index_enter(lexicon, &word, 1, link))
            return false;
    }
    return true;
}

/* A reference by its own name (inspectorId), unless that is just the other table's. */
static bool enter_role(struct lexicon *lexicon, struct name name, struct offline_link link,
                       int to_table)
{
    struct name target = table_name(lexicon, to_table);
    struct str last = name.words[name.count - 1];
    if (name.count > 1 &&
        (str_equal(last, STR("id")) || str_equal(last, STR("key")) || str_equal(last, STR("by"))))
        name.count--;
    if (target.count == 0 ||
        offline_facts_is_audit(lexicon->catalog->tables[link.table].columns[link.column].name))
        return true;
    bool same = name.count <= target.count;
    for (size_t i = 0; same && i < name.count; i++)
        same = same_stem(name.words[name.count - 1 - i], target.words[target.count - 1 - i]);
    link.kind = LINK_ROLE;
    return same || offline_index_enter(lexicon, name.words, name.count, link);
}

static bool enter_parts(struct lexicon *lexicon, const struct name *name, struct offline_link link)
{
    struct name table = table_name(lexicon, link.table);
    size_t shared = 0;
    for (size_t k = size_min(table.count, name->count - 1); k > 0 && shared == 0; k--) {
        shared = k;
        for (size_t i = 0; i < k; i++)
            if (!same_stem(name->words[i], table.words[table.count - k + i]))
                shared = 0;
    }
    link.score = offline_index_is_date(lexicon->catalog, link.table, link.column) ? 75 : 95;
    if (shared > 0 &&
        !offline_index_enter(lexicon, &name->words[shared], name->count - shared, link))
        return false;
    char stem[STEM_BYTES];
    struct str number[2] = {name->words[name->count - 1], STR("number")};
    if ((str_equal(number[0], STR("phone")) || str_equal(number[0], STR("fax")) ||
         str_equal(number[0], STR("telephone")) || str_equal(number[0], STR("mobile"))) &&
        !offline_index_enter(lexicon, number, 2, link))
        return false;
    struct str head = name->words[name->count - 1];
    link.score = 70;
    if (name->count > 2 && str_equal(name->words[1], STR("of")) && /* cost_of_treatment */
        !offline_synonyms_is_general(stem_of(name->words[0], stem)) &&
        !offline_index_enter(lexicon, name->words, 1, link))
        return false;
    link.score = 92;
    if (name->count > 1 && offline_verbs_is_unit(head)) /* weight_kg */
        return offline_index_enter(lexicon, name->words, name->count - 1, link);
    link.score = 85;
    if (name->count > 1 && name->count - 1 > shared && offline_verbs_is_technical(head) &&
        !offline_index_enter(lexicon, name->words, name->count - 1, link)) /* outcome_code */
        return false;
    bool general = offline_synonyms_is_general(stem_of(head, stem));
    link.score = general ? OFFLINE_SCORE_GENERAL : 70;
    return name->count < 2 || str_equal(head, STR("name")) || str_equal(head, STR("id")) ||
           (shared > 0 && general) ||
           offline_index_enter(lexicon, &name->words[name->count - 1], 1, link);
}

static bool enter_column(struct lexicon *lexicon, int t, int c)
{
    const struct catalog *catalog = lexicon->catalog;
    struct name name = name_of(lexicon, catalog->tables[t].columns[c].name);
    struct offline_link link = {LINK_COLUMN, t, c, STR(""), false, 100};
    if (name.count > lexicon->facts[t].shared)
        drop_words(&name, lexicon->facts[t].shared);
    struct str date = STR("date"); /* what any of its dates may be called */
    if (name.count == 0)
        return true;
    if (!offline_index_enter(lexicon, name.words, name.count, link))
        return false;
    const struct catalog_reference *ref = offline_index_reference(catalog, t, c);
    if (ref != NULL)
        return enter_role(lexicon, name, link, ref->to_table);
    if (offline_index_is_boolean(catalog, t, c))
        return enter_boolean(lexicon, &name, link);
    if (offline_index_is_date(catalog, t, c)) {
        link.kind = LINK_MOMENT;
        struct name table = table_name(lexicon, t);
        bool own = table.count > 0 && (same_stem(name.words[0], table.words[0]) ||
                                       same_stem(name.words[0], table.words[table.count - 1]));
        if (!str_equal(name.words[0], STR("date")) && !own &&
            !offline_index_enter(lexicon, name.words, 1, link))
            return false;
        struct str verb = offline_verbs_of_noun(name.words[0]);
        if (verb.len > 0 && !own &&
            !offline_index_enter(lexicon, &verb, 1, link)) /* termination_date */
            return false;
        link.kind = LINK_COLUMN;
        link.score = 70;
        if (!offline_index_enter(lexicon, &date, 1, link))
            return false;
    }
    if (has_adverb(catalog->tables[t].columns[c].name)) /* 'T' or 'yes': who knows */
        return true;
    return catalog->tables[t].columns[c].primary_key || enter_parts(lexicon, &name, link);
}

/* "invoice amount", "order value": the one measure of money the table has. */
static bool enter_amount(struct lexicon *lexicon, int t)
{
    struct str words[] = {STR("amount"), STR("value")};
    int measure = lexicon->facts[t].measure;
    for (size_t i = 0; i < countof(words) && measure != CATALOG_NONE; i++)
        if (!offline_index_enter(
                lexicon, &words[i], 1,
                (struct offline_link){LINK_COLUMN, t, measure, STR(""), false, 55}))
            return false;
    return true;
}

static bool enter_label(struct lexicon *lexicon, int t)
{
    const struct offline_facts *facts = &lexicon->facts[t];
    struct str word = STR("name"), id = STR("id");
    if (facts->key != CATALOG_NONE && !lexicon->catalog->tables[t].columns[facts->key].hidden &&
        !offline_index_enter(lexicon, &id, 1,
                             (struct offline_link){LINK_COLUMN, t, facts->key, STR(""), false,
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
    return offline_index_enter(lexicon, &word, 1,
                               (struct offline_link){LINK_LABEL, t, label, STR(""), false, 90});
}

struct lexicon *offline_index_create(const struct catalog *catalog, const struct semantic *semantic)
{
    struct lexicon *lexicon = mem_zalloc(1, sizeof *lexicon);
    if (lexicon == NULL)
        return NULL;
    lexicon->catalog = catalog;
    lexicon->semantic = semantic;
    arena_init(&lexicon->arena, INDEX_BUDGET);
    map_init(&lexicon->names);
    map_init(&lexicon->values);
    map_init(&lexicon->verified);
    bool ok = offline_facts_fill(lexicon);
    for (size_t t = 0; ok && t < catalog->table_count; t++) {
        if (!lexicon->facts[t].visible)
            continue;
        ok = enter_table(lexicon, (int)t) && enter_label(lexicon, (int)t) &&
             enter_amount(lexicon, (int)t);
        for (size_t c = 0; ok && c < catalog->tables[t].column_count; c++)
            if (!catalog->tables[t].columns[c].hidden &&
                !offline_glossary_hides(lexicon, (int)t, (int)c))
                ok = enter_column(lexicon, (int)t, (int)c);
    }
    if (ok && offline_glossary_enter(lexicon) && offline_trade_enter(lexicon) &&
        offline_derived_enter(lexicon))
        return lexicon;
    lexicon_destroy(lexicon);
    return NULL;
}

/* A view shows again the values of tables. */
static bool has_tables(const struct catalog *catalog)
{
    for (size_t t = 0; t < catalog->table_count; t++)
        if (!catalog->tables[t].is_view && !catalog->tables[t].hidden)
            return true;
    return false;
}

bool offline_index_wants(const struct lexicon *lexicon, int table, int column)
{
    const struct catalog_column *c = &lexicon->catalog->tables[table].columns[column];
    bool repeated = lexicon->catalog->tables[table].is_view && has_tables(lexicon->catalog) &&
                    lexicon->catalog->tables[table].secures == CATALOG_NONE;
    return lexicon->facts[table].visible && !repeated && !c->hidden && !c->pii &&
           (c->type == CATALOG_TEXT || c->type == CATALOG_UNKNOWN) &&
           offline_index_reference(lexicon->catalog, table, column) == NULL;
}

/* "women" for 'F', "Texas" for 'TX'. */
static bool enter_aliases(struct lexicon *lexicon, struct offline_link link)
{
    struct str others[OFFLINE_ALIASES];
    struct str column = lexicon->catalog->tables[link.table].columns[link.column].name;
    size_t count = offline_aliases_of(column, link.value, others);
    link.score -= 10;
    for (size_t i = 0; i < count; i++) {
        struct name name = name_of(lexicon, others[i]);
        struct str key = stem_key(&lexicon->arena, name.words, name.count);
        if (!enter_key(lexicon, &lexicon->values, key, link))
            return false;
    }
    return true;
}

bool offline_index_add(struct lexicon *lexicon, int table, int column, struct str value)
{
    if (value.len == 0 || value.len > VALUE_BYTES || !offline_index_wants(lexicon, table, column))
        return true;
    char stems[KEY_BYTES];
    size_t words;
    struct str key = stem_phrase(value, OFFLINE_WORDS, stems, &words);
    if (words == 0 || words == OFFLINE_WORDS)
        return true;
    /* The same value is often in many columns: it is kept once. */
    const struct offline_entry *known = map_find(&lexicon->values, key);
    if (known == NULL)
        key = arena_str(&lexicon->arena, key);
    struct str copy = known != NULL && str_equal(known->link.value, value)
                          ? known->link.value
                          : arena_str(&lexicon->arena, value);
    struct offline_link link = {LINK_VALUE, table, column, copy, false, 100, NULL};
    return !str_is_absent(copy) && enter_key(lexicon, &lexicon->values, key, link) &&
           enter_aliases(lexicon, link);
}

/* The key of stems, or of their synonyms, apart or written together. */
static struct str make_key(const struct str *words, size_t count, bool meant, bool together,
                           char *key)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        char stem[STEM_BYTES];
        struct str s = stem_of(words[i], stem);
        s = meant ? offline_synonyms_of(s) : s;
        if (i > 0 && !together)
            key[len++] = ' ';
        memcpy(key + len, s.at, s.len);
        len += s.len;
    }
    return str_make(key, len);
}

static size_t gather(const struct map *map, struct str key, int penalty, struct offline_link *links,
                     size_t count, size_t max)
{
    for (struct offline_entry *e = map_find(map, key); e != NULL && count < max; e = e->next) {
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known = known || (links[i].kind == e->link.kind && links[i].table == e->link.table &&
                              links[i].column == e->link.column);
        if (known && e->link.kind != LINK_VALUE)
            continue;
        links[count] = e->link;
        links[count++].score -= penalty;
    }
    return count;
}

size_t offline_index_find(const struct lexicon *lexicon, const struct str *words, size_t count,
                          struct offline_link *links, size_t max)
{
    char key[KEY_BYTES];
    if (count == 0 || count > OFFLINE_WORDS)
        return 0;
    size_t found =
        gather(&lexicon->names, make_key(words, count, false, false, key), 0, links, 0, max);
    struct str meant = make_key(words, count, true, false, key);
    found = gather(&lexicon->names, meant, found > 0 ? 10 : 0, links, found, max);
    if (count > 1)
        found =
            gather(&lexicon->names, make_key(words, count, false, true, key), 5, links, found, max);
    return gather(&lexicon->values, make_key(words, count, false, false, key), 0, links, found,
                  max);
}

/* SPDX-License-Identifier: MIT */
/* agents/lexicon/index.c - names of tables and columns, and values, by their stems.
 *
 * Happy path: each name is entered whole, by synonyms, without its table's words and by its head
 * noun, with falling scores; a phrase is looked up by its stems, then by their synonyms, then
 * written together. Failure: no memory leaves no lexicon; an unknown phrase finds nothing. */
#include "agents/lexicon/index.h"

#include "agents/english/aliases.h"
#include "agents/lexicon/owned.h"
#include "agents/english/synonyms.h"
#include "core/words/stem.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_BYTES = 64, KEY_BYTES = ENGLISH_WORDS * 50 };

const struct catalog_reference *lexicon_index_reference(const struct catalog *catalog, int table,
                                                        int column)
{
    const struct catalog_table *t = &catalog->tables[table];
    for (size_t r = 0; r < t->reference_count; r++)
        if (t->references[r].column_count == 1 && t->references[r].columns[0] == column)
            return &t->references[r];
    return NULL;
}

bool lexicon_index_is_number(const struct catalog *catalog, int table, int column)
{
    enum catalog_type type = catalog->tables[table].columns[column].type;
    return (type == CATALOG_INTEGER || type == CATALOG_NUMBER) &&
           !lexicon_index_is_boolean(catalog, table, column);
}

bool lexicon_index_is_date(const struct catalog *catalog, int table, int column)
{
    const struct catalog_column *c = &catalog->tables[table].columns[column];
    return c->type == CATALOG_DATE || c->type == CATALOG_TIMESTAMP || c->shows != CATALOG_UNKNOWN;
}

bool lexicon_index_has_adverb(struct str name)
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

bool lexicon_index_is_boolean(const struct catalog *catalog, int table, int column)
{
    const struct catalog_column *c = &catalog->tables[table].columns[column];
    return c->type == CATALOG_BOOLEAN ||
           (c->type == CATALOG_INTEGER &&
            (lexicon_index_has_adverb(c->name) || is_participle(c->name)));
}

unsigned lexicon_index_hops(const struct lexicon *lexicon, int from, int to)
{
    return lexicon->hops[(size_t)from * lexicon->catalog->table_count + (size_t)to];
}

static bool enter_key(struct lexicon *lexicon, struct map *map, struct str key,
                      struct lexicon_link link)
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

/* "day30 score" is also said "day 30 score". */
static bool enter_split(struct lexicon *lexicon, const struct str *words, size_t count,
                        struct lexicon_link link)
{
    struct str apart[ENGLISH_WORDS];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 1;
        while (at < words[i].len &&
               !(str_is_alpha(words[i].at[at - 1]) && str_is_digit(words[i].at[at])))
            at++;
        bool splits = at < words[i].len && at > 1;
        if (n + 1 + splits > ENGLISH_WORDS)
            return true;
        apart[n++] = splits ? str_slice(words[i], 0, at) : words[i];
        if (splits)
            apart[n++] = str_from(words[i], at);
    }
    return n == count ||
           enter_key(lexicon, &lexicon->names, stem_key(&lexicon->arena, apart, n), link);
}

/* Enter words by their stems, and by their synonyms when those differ. */
bool lexicon_index_enter(struct lexicon *lexicon, const struct str *words, size_t count,
                         struct lexicon_link link)
{
    if (count == 0 || count > ENGLISH_WORDS)
        return true;
    struct str key = stem_key(&lexicon->arena, words, count);
    if (!enter_key(lexicon, &lexicon->names, key, link) ||
        !enter_split(lexicon, words, count, link))
        return false;
    struct str meant[ENGLISH_WORDS];
    bool differs = false;
    for (size_t i = 0; i < count; i++) {
        struct str stem = stem_key(&lexicon->arena, &words[i], 1);
        meant[i] = english_synonyms_of(stem);
        differs = differs || !str_equal(stem, meant[i]);
    }
    if (!differs)
        return arena_ok(&lexicon->arena);
    link.score -= 10;
    return enter_key(lexicon, &lexicon->names, join_words(&lexicon->arena, meant, count), link);
}

bool lexicon_index_enter_part(struct lexicon *lexicon, struct str word, struct lexicon_link link)
{
    enum { LEAST = 3 };
    char stem[STEM_BYTES];
    struct str key = stem_of(word, stem);
    if (word.len < LEAST || english_synonyms_is_general(key))
        return true;
    if (map_find(&lexicon->parts, key) == NULL)
        key = arena_str(&lexicon->arena, key);
    return enter_key(lexicon, &lexicon->parts, key, link);
}

/* A view shows again the values of tables. */
static bool has_tables(const struct catalog *catalog)
{
    for (size_t t = 0; t < catalog->table_count; t++)
        if (!catalog->tables[t].is_view && !catalog->tables[t].hidden)
            return true;
    return false;
}

/* "taggable_type" beside "taggable_id": its values are names of tables, and speak of their rows. */
static bool names_tables(const struct catalog *catalog, int table, int column)
{
    enum { NAME_BYTES = 128 };
    static const struct {
        const char *type, *id;
    } pairs[] = {{"_type", "_id"}, {"Type", "Id"}};
    struct str name = catalog->tables[table].columns[column].name;
    for (size_t i = 0; i < countof(pairs); i++) {
        struct str type = str_of(pairs[i].type);
        char other[NAME_BYTES];
        if (!str_ends_with(name, type) || name.len >= sizeof other)
            continue;
        int len = snprintf(other, sizeof other, "%.*s%s", (int)(name.len - type.len), name.at,
                           pairs[i].id);
        int id = catalog_find_column(catalog, table, str_make(other, (size_t)len));
        return id != CATALOG_NONE && !catalog->tables[table].columns[id].unique;
    }
    return false;
}

bool lexicon_index_wants(const struct lexicon *lexicon, int table, int column)
{
    const struct catalog_column *c = &lexicon->catalog->tables[table].columns[column];
    bool repeated = lexicon->catalog->tables[table].is_view && has_tables(lexicon->catalog) &&
                    lexicon->catalog->tables[table].secures == CATALOG_NONE;
    return lexicon->facts[table].visible && !repeated && !c->hidden && !c->pii &&
           (c->type == CATALOG_TEXT || c->type == CATALOG_UNKNOWN) && c->shows == CATALOG_UNKNOWN &&
           lexicon_index_reference(lexicon->catalog, table, column) == NULL &&
           !names_tables(lexicon->catalog, table, column);
}

/* "women" for 'F', "Texas" for 'TX'. */
static bool enter_aliases(struct lexicon *lexicon, struct lexicon_link link)
{
    struct str others[ENGLISH_ALIASES];
    struct str column = lexicon->catalog->tables[link.table].columns[link.column].name;
    size_t count = english_aliases_of(column, link.value, others);
    link.score -= 10;
    for (size_t i = 0; i < count; i++) {
        struct str words[ENGLISH_WORDS];
        size_t n = stem_split(&lexicon->arena, others[i], words, ENGLISH_WORDS);
        struct str key = stem_key(&lexicon->arena, words, n);
        if (!enter_key(lexicon, &lexicon->values, key, link))
            return false;
    }
    return true;
}

bool lexicon_index_enter_value(struct lexicon *lexicon, const struct str *words, size_t count,
                               struct lexicon_link link)
{
    return count == 0 ||
           enter_key(lexicon, &lexicon->values, stem_key(&lexicon->arena, words, count), link);
}

bool lexicon_index_add(struct lexicon *lexicon, int table, int column, struct str value)
{
    static const uint64_t everybody[2] = {0, 0};
    return lexicon_index_add_owned(lexicon, table, column, value, everybody);
}

struct lexicon lexicon_index_seen_by(const struct lexicon *lexicon, struct str company)
{
    struct lexicon seen = *lexicon;
    seen.company = lexicon_owned_hash(company);
    return seen;
}

/* "VIP" of 'VIP Weekend': in capitals, where not all is. */
static bool is_acronym(struct str word, struct str text)
{
    enum { LEAST = 3 };
    bool small = false;
    for (size_t i = 0; i < word.len; i++)
        if (word.at[i] < 'A' || word.at[i] > 'Z')
            return false;
    for (size_t i = 0; i < text.len; i++)
        small = small || (text.at[i] >= 'a' && text.at[i] <= 'z');
    return small && word.len >= LEAST;
}

/* The words of a value of several. Whose name it is, is never said by a part of it. */
static bool enter_value_parts(struct lexicon *lexicon, struct lexicon_link link)
{
    enum { LEAST = 5 };
    struct str text = link.value;
    if (lexicon->facts[link.table].person)
        return true;
    link.score = 90;
    for (size_t i = 0; i < text.len;) {
        size_t from = i;
        while (i < text.len && (str_is_alpha(text.at[i]) || (unsigned char)text.at[i] >= 128))
            i++;
        link.value = str_slice(text, from, i);
        if ((i - from >= LEAST || is_acronym(link.value, text)) && i - from < text.len &&
            i - from < STEM_BYTES) {
            if (!lexicon_index_enter_part(lexicon, link.value, link))
                return false;
        }
        i += i == from;
    }
    return true;
}

/* "Dana Vance" of "VANCE, DANA". */
static bool enter_turned(struct lexicon *lexicon, struct lexicon_link link)
{
    struct str rest = link.value, last = str_trim(str_split(&rest, ','));
    char text[VALUE_BYTES + 1], stems[KEY_BYTES];
    size_t words;
    rest = str_is_absent(rest) ? rest : str_trim(rest);
    if (rest.len == 0 || last.len == 0 || str_find_char(rest, ',') != STR_NONE)
        return true;
    memcpy(text, rest.at, rest.len);
    text[rest.len] = ' ';
    memcpy(text + rest.len + 1, last.at, last.len);
    struct str key =
        stem_phrase(str_make(text, rest.len + 1 + last.len), ENGLISH_WORDS, stems, &words);
    return words == 0 || words == ENGLISH_WORDS ||
           enter_key(lexicon, &lexicon->values, arena_str(&lexicon->arena, key), link);
}

bool lexicon_index_add_owned(struct lexicon *lexicon, int table, int column, struct str value,
                             const uint64_t owners[2])
{
    if (value.len == 0 || value.len > VALUE_BYTES || !lexicon_index_wants(lexicon, table, column))
        return true;
    char stems[KEY_BYTES];
    size_t words;
    struct str key = stem_phrase(value, ENGLISH_WORDS, stems, &words);
    if (words == 0 || words == ENGLISH_WORDS)
        return true;
    /* The same value is often in many columns: it is kept once. */
    const struct offline_entry *known = map_find(&lexicon->values, key);
    if (known == NULL)
        key = arena_str(&lexicon->arena, key);
    struct str copy = known != NULL && str_equal(known->link.value, value)
                          ? known->link.value
                          : arena_str(&lexicon->arena, value);
    struct lexicon_link link = {LINK_VALUE, table, column, copy,
                                false,      100,   NULL,   {owners[0], owners[1]}};
    return !str_is_absent(copy) && enter_key(lexicon, &lexicon->values, key, link) &&
           enter_aliases(lexicon, link) && enter_turned(lexicon, link) &&
           (words == 1 || enter_value_parts(lexicon, link));
}

/* The key of stems, or of their synonyms, apart or written together. */
static struct str make_key(const struct str *words, size_t count, bool meant, bool together,
                           char *key)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        char stem[STEM_BYTES];
        struct str s = stem_of(words[i], stem);
        s = meant ? english_synonyms_of(s) : s;
        if (i > 0 && !together)
            key[len++] = ' ';
        memcpy(key + len, s.at, s.len);
        len += s.len;
    }
    return str_make(key, len);
}

bool lexicon_index_is_seen(const struct lexicon *lexicon, const uint64_t owners[2])
{
    return owners[0] == 0 || lexicon->company == 0 || owners[0] == lexicon->company ||
           owners[1] == lexicon->company;
}

static size_t gather(const struct lexicon *lexicon, const struct map *map, struct str key,
                     int penalty, struct lexicon_link *links, size_t count, size_t max)
{
    for (struct offline_entry *e = map_find(map, key); e != NULL && count < max; e = e->next) {
        bool known = false;
        if (!lexicon_index_is_seen(lexicon, e->link.owners))
            continue;
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

/* Whether a word is another but for the ending of a plural. */
static bool same_but_plural(struct str a, struct str b)
{
    static const char *const endings[] = {"s", "es"};
    struct str shorter = a.len < b.len ? a : b, longer = a.len < b.len ? b : a;
    if (str_equal_nocase(a, b))
        return true;
    for (size_t i = 0; i < countof(endings); i++)
        if (longer.len == shorter.len + str_of(endings[i]).len &&
            str_ends_with_nocase(longer, str_of(endings[i])) &&
            str_equal_nocase(str_slice(longer, 0, shorter.len), shorter))
            return true;
    return longer.len == shorter.len + 2 && str_ends_with_nocase(longer, STR("ies")) &&
           str_ends_with_nocase(shorter, STR("y"));
}

bool lexicon_index_is_label(const struct lexicon *lexicon, int table, int column)
{
    const struct lexicon_facts *facts = &lexicon->facts[table];
    for (size_t i = 0; i < facts->label_count; i++)
        if (facts->labels[i] == column)
            return true;
    return false;
}

/* Whether a name of rows is said as it is written, or in the plural: 'rating' is no 'Rats', though
 * they have one stem. Other words for a value have other stems. */
static bool is_said(const struct lexicon *lexicon, const struct lexicon_link *link,
                    const struct str *words, size_t count)
{
    enum { SPLIT_BYTES = 4096 };
    struct str own[ENGLISH_WORDS];
    struct arena arena;
    char a[STEM_BYTES], b[STEM_BYTES];
    bool same = true, said = true;
    if (link->kind != LINK_VALUE)
        return true;
    if (!lexicon_index_is_label(lexicon, link->table,
                                link->column)) /* books are not what is 'booked' */
        return count != 1 || !str_ends_with_nocase(link->value, STR("ed")) ||
               !str_ends_with_nocase(words[0], STR("s"));
    arena_init(&arena, SPLIT_BYTES);
    size_t n = stem_split(&arena, link->value, own, ENGLISH_WORDS);
    for (size_t i = 0; i < n && n == count; i++) {
        same = same && str_equal(stem_of(own[i], a), stem_of(words[i], b));
        said = said && same_but_plural(own[i], words[i]);
    }
    arena_fini(&arena);
    return n != count || !same || said;
}

/* The values among links[from..count) that are said so; how many links are left. */
static size_t drop_unsaid(const struct lexicon *lexicon, const struct str *words, size_t word_count,
                          struct lexicon_link *links, size_t from, size_t count)
{
    size_t kept = from;
    for (size_t i = from; i < count; i++)
        if (is_said(lexicon, &links[i], words, word_count))
            links[kept++] = links[i];
    return kept;
}

/* "finished", where the value is "completed". */
static size_t find_synonyms(const struct lexicon *lexicon, struct str word,
                            struct lexicon_link *links, size_t max)
{
    enum { GROUP_WORDS = 8, PENALTY = 15 };
    struct str others[GROUP_WORDS];
    char stem[STEM_BYTES], other[STEM_BYTES];
    size_t found = 0;
    size_t n = english_synonyms_group(stem_of(word, stem), others, GROUP_WORDS);
    for (size_t i = 0; i < n; i++)
        found = gather(lexicon, &lexicon->values, stem_of(others[i], other), PENALTY, links, found,
                       max);
    return found;
}

size_t lexicon_index_find_part(const struct lexicon *lexicon, struct str word,
                               struct lexicon_link *links, size_t max)
{
    char stem[STEM_BYTES];
    size_t kept = 0,
           count = gather(lexicon, &lexicon->parts, stem_of(word, stem), 0, links, 0, max);
    for (size_t i = 0; i < count; i++) /* what is open is not what was 'opened' in some text */
        if (links[i].kind != LINK_VALUE || same_but_plural(links[i].value, word))
            links[kept++] = links[i];
    return kept;
}

size_t lexicon_index_find(const struct lexicon *lexicon, const struct str *words, size_t count,
                          struct lexicon_link *links, size_t max)
{
    char key[KEY_BYTES];
    if (count == 0 || count > ENGLISH_WORDS)
        return 0;
    size_t found = gather(lexicon, &lexicon->names, make_key(words, count, false, false, key), 0,
                          links, 0, max);
    struct str meant = make_key(words, count, true, false, key);
    found = gather(lexicon, &lexicon->names, meant, found > 0 ? 10 : 0, links, found, max);
    if (count > 1)
        found = gather(lexicon, &lexicon->names, make_key(words, count, false, true, key), 5, links,
                       found, max);
    size_t names = found;
    found = gather(lexicon, &lexicon->values, make_key(words, count, false, false, key), 0, links,
                   found, max);
    found = drop_unsaid(lexicon, words, count, links, names, found);
    return found > 0 || count > 1 ? found : find_synonyms(lexicon, words[0], links, max);
}

/* SPDX-License-Identifier: MIT */
/* agents/lexicon/spelling.c - names -> words that people say.
 *
 * Happy path: the schema's words are gathered; the language that knows most of them, besides
 * English, is the schema's; then each word of each name is looked up in that language, among the
 * abbreviations, cut into parts that are known, or written out as another name of the schema
 * spells it, or as the one noun that has its consonants. A word that nothing knows stays what it
 * is. Failure: no memory leaves no lexicon. */
#include "agents/lexicon/spelling.h"

#include "agents/english/vocabulary.h"

#include "agents/english/language.h"
#include "agents/english/spellings.h"
#include "agents/english/synonyms.h"
#include "agents/lexicon/mend.h"
#include "agents/lexicon/notation.h"
#include "agents/lexicon/remarks.h"
#include "core/words/stem.h"

#include <string.h>

enum {
    PART_LEAST = 3,    /* letters of a part of a compound */
    SPLIT_LEAST = 6,   /* letters of a word that is worth cutting */
    SHORT_MOST = 5,    /* letters of what may be an abbreviation of another word */
    LANGUAGE_LEAST = 3 /* words that a schema must have of a language */
};

struct tongue {           /* the language of the schema's names */
    struct map foreign;   /* word -> its entry */
    const char *language; /* NULL: English alone */
    const struct english_spelling *plurals, *joints, *articles, *values; /* sections; NULL: none */
    bool backward; /* what is told of a noun follows it */
};

struct lexicon_spellings {
    struct lexicon_words *tables, **columns;
    struct tongue tongue;
};

struct speller {
    struct lexicon *lexicon;
    struct map words;     /* of the schema */
    struct map english;   /* abbreviation -> its entry */
    struct map nouns;     /* of English: what entries stand for */
    struct map compounds; /* of the schema: made of English words and abbreviations */
    struct tongue *tongue;
};

/* ---- the table of spellings ---- */

/* Where the entries of a section begin; its end is where another name stands. NULL: none has it. */
static const struct english_spelling *find_section(const char *language, const char *part)
{
    size_t n = strlen(language);
    for (const struct english_spelling *e = spellings_table; e->section != NULL; e++)
        if (strncmp(e->section, language, n) == 0 &&
            (part[0] == '\0' ? e->section[n] == '\0'
                             : e->section[n] == '.' && strcmp(e->section + n + 1, part) == 0))
            return e;
    return NULL;
}

static bool is_in(const struct english_spelling *e, const struct english_spelling *section)
{
    return section != NULL && e->section != NULL && strcmp(e->section, section->section) == 0;
}

static bool holds(const struct english_spelling *section, struct str word)
{
    for (const struct english_spelling *e = section; is_in(e, section); e++)
        if (str_equal(word, str_of(e->word)))
            return true;
    return false;
}

static void set_language(struct tongue *tongue, const char *language)
{
    tongue->language = language;
    tongue->plurals = language == NULL ? NULL : find_section(language, "plurals");
    tongue->joints = language == NULL ? NULL : find_section(language, "joints");
    tongue->articles = language == NULL ? NULL : find_section(language, "articles");
    tongue->values = language == NULL ? NULL : find_section(language, "values");
    tongue->backward = language != NULL && find_section(language, "backward") != NULL;
}

static bool load(struct map *map, const char *section)
{
    const struct english_spelling *first = find_section(section, "");
    bool ok = true;
    for (const struct english_spelling *e = first; ok && is_in(e, first); e++)
        ok = map_put(map, str_of(e->word), (void *)(uintptr_t)e);
    return ok;
}

/* Letters with marks as they are written without, to a place for word.len bytes: two for an umlaut
 * in German, one elsewhere. */
static struct str fold_to(const struct tongue *tongue, struct str word, char *to)
{
    bool german = tongue->language != NULL && strcmp(tongue->language, "de") == 0;
    size_t len = 0;
    for (size_t i = 0; i < word.len; i++) {
        if ((unsigned char)word.at[i] != 0xc3 || i + 1 == word.len) {
            to[len++] = word.at[i];
            continue;
        }
        char second = word.at[++i], plain = english_language_plain(second);
        char mark = (char)((unsigned char)second | 0x20);
        bool umlaut = mark == '\xa4' || mark == '\xb6' || mark == '\xbc';
        if (plain != 0)
            to[len++] = plain;
        if (german && len > 0 && (umlaut || second == '\x9f') && len < word.len)
            to[len++] = umlaut ? 'e' : 's';
    }
    return str_make(to, len);
}

static struct str fold(const struct speller *speller, struct str word)
{
    char *to = arena_alloc(&speller->lexicon->arena, word.len + 1);
    return to == NULL ? str_make("", 0) : fold_to(speller->tongue, word, to);
}

/* The entry of a noun of the schema's language, also in the plural. */
static const struct english_spelling *find_noun(const struct tongue *tongue, struct str word)
{
    const struct english_spelling *found = map_find(&tongue->foreign, word);
    for (const struct english_spelling *e = tongue->plurals;
         found == NULL && is_in(e, tongue->plurals); e++) {
        char singular[STEM_BYTES];
        struct str ending = str_of(e->word), instead = str_of(e->meaning);
        if (!str_ends_with(word, ending) || word.len < ending.len + PART_LEAST ||
            word.len + instead.len >= sizeof singular)
            continue;
        size_t len = word.len - ending.len;
        memcpy(singular, word.at, len);
        if (!str_equal(instead, STR("-"))) {
            memcpy(singular + len, instead.at, instead.len);
            len += instead.len;
        }
        found = map_find(&tongue->foreign, str_make(singular, len));
    }
    return found;
}

/* "carr" of a carrier is no car: what English doubles at the end is l, s, f or z. */
static bool ends_doubled(struct str word)
{
    char last = word.len < 2 ? 's' : word.at[word.len - 1];
    return word.len > 1 && last == word.at[word.len - 2] && strchr("lsfz", last) == NULL;
}

/* Whether English has the word: what is said in questions, not all there is. */
static bool is_english(struct str word)
{
    char stem[STEM_BYTES];
    return !ends_doubled(word) && english_synonyms_knows(stem_of(word, stem));
}

/* ---- one word ---- */

static void push(struct lexicon_words *to, struct str word)
{
    if (to->count < ENGLISH_WORDS)
        to->words[to->count++] = word;
}

static void push_meaning(struct lexicon_words *to, const char *meaning)
{
    struct str rest = str_of(meaning);
    while (!str_is_absent(rest))
        push(to, str_split(&rest, ' '));
}

static bool is_affix(struct str word)
{
    return holds(find_section("affixes", ""), word);
}

/* "cust" and "mst" of CUSTMST: an affix that can be no word of its own. */
static bool is_mere_affix(struct str part)
{
    for (size_t i = 0; i < part.len; i++)
        if (stem_is_vowel(part.at[i]))
            return false;
    return is_affix(part);
}

/* The one word of the schema that begins like a short one which nothing knows. None where the short
 * one is a part of a compound ("work" of "workorder"): it is a word, not an abbreviation. */
static struct str find_longer(const struct speller *speller, struct str word)
{
    struct map_entry entry;
    struct str found = {NULL, 0};
    char a[STEM_BYTES], b[STEM_BYTES];
    size_t cursor = 0;
    while (map_next(&speller->words, &cursor, &entry)) {
        if (entry.key.len < word.len + 2 || !str_starts_with(entry.key, word))
            continue;
        struct str rest = str_from(entry.key, word.len);
        if (is_mere_affix(rest) || map_find(&speller->english, rest) != NULL)
            continue; /* CARRMST is made of it, too */
        if (map_find(&speller->words, rest) != NULL || is_english(rest))
            return (struct str){NULL, 0};
        if (!str_is_absent(found) && !str_equal(stem_of(entry.key, a), stem_of(found, b)))
            return (struct str){NULL, 0};
        if (str_is_absent(found) || entry.key.len < found.len)
            found = entry.key;
    }
    return found;
}

/* How well a short form is one of noun: 2 it is all of its consonants; 1 it is a longer one, of all
 * but one that is not the last, or is how it begins; 0 it is none. */
static int rate_short(struct str skeleton, struct str noun)
{
    enum { BEGINS = 4, LEFT_OUT = 3 }; /* more than the "er" of who deals, works, plays */
    struct lexicon_skeleton is;
    if (skeleton.len >= BEGINS && noun.len >= skeleton.len + LEFT_OUT &&
        str_starts_with(noun, skeleton) && !stem_is_vowel(skeleton.at[skeleton.len - 1]))
        return 1;
    if (!lexicon_mend_is_skeleton(noun, skeleton, &is) || is.cut > 0 ||
        is.skipped > (skeleton.len > PART_LEAST))
        return 0;
    return is.skipped == 0 ? 2 : 1;
}

/* The one noun that a short form is of, best. */
static struct str find_noun_of(const struct speller *speller, struct str skeleton)
{
    struct map_entry entry;
    struct str found = {NULL, 0};
    size_t cursor = 0;
    int best = 0;
    while (map_next(&speller->nouns, &cursor, &entry)) {
        int rate = rate_short(skeleton, entry.key);
        char a[STEM_BYTES], b[STEM_BYTES];
        if (rate == 0 || rate < best)
            continue;
        bool same = !str_is_absent(found) &&
                    (str_equal(stem_of(entry.key, a), stem_of(found, b)) ||
                     str_starts_with(entry.key, found) || str_starts_with(found, entry.key));
        if (rate > best || (same && entry.key.len < found.len))
            found = entry.key;
        else if (!same)
            found = (struct str){NULL, 0};
        best = rate;
    }
    return found;
}

static bool is_plain(struct str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!str_is_alpha(word.at[i]))
            return false;
    return word.len > 0;
}

/* The word that a short one of the schema which nothing knows stands for; absent: none is clear. */
static struct str spell_short(const struct speller *speller, struct str word)
{
    if (!is_plain(word) || word.len < PART_LEAST || word.len > SHORT_MOST)
        return (struct str){NULL, 0};
    struct str longer = find_longer(speller, word);
    return str_is_absent(longer) && !is_affix(word) ? find_noun_of(speller, word) : longer;
}

/* What a part of a compound stands for: an entry's meaning, itself, nothing where it only sorts
 * tables, or what a word of the schema shortens. False: it is no part. */
static bool push_part(const struct speller *speller, struct str part, bool last,
                      struct lexicon_words *to)
{
    const struct english_spelling *entry = find_noun(speller->tongue, part);
    entry = entry != NULL ? entry : map_find(&speller->english, part);
    if (part.len < PART_LEAST && !(last && entry != NULL && part.len == 2))
        return last && str_equal(part, STR("id")) ? (push(to, part), true) : false;
    if (entry != NULL) {
        push_meaning(to, entry->meaning);
        return true;
    }
    if (is_mere_affix(part))
        return true;
    bool word = part.len > PART_LEAST && is_english(part);
    bool written = map_find(&speller->words, part) != NULL;
    struct str whole = word ? part : written ? spell_short(speller, part) : (struct str){NULL, 0};
    if (!str_is_absent(whole))
        push(to, whole);
    return !str_is_absent(whole);
}

/* "kundennummer", "custtxn": cut where both sides are known, with a joint between them. */
static bool cut(const struct speller *speller, struct str word, unsigned depth,
                struct lexicon_words *to)
{
    enum { DEPTH = 2, JOINT_MOST = 2 };
    for (size_t at = word.len - 2; at >= PART_LEAST && word.len >= SPLIT_LEAST; at--)
        for (size_t joint = 0; joint <= JOINT_MOST && at + joint + 2 <= word.len; joint++) {
            size_t before = to->count;
            if (joint > 0 && !holds(speller->tongue->joints, str_slice(word, at, at + joint)))
                continue;
            struct str rest = str_from(word, at + joint);
            if (push_part(speller, str_slice(word, 0, at), false, to) &&
                (push_part(speller, rest, true, to) ||
                 (depth < DEPTH && cut(speller, rest, depth + 1, to))))
                return true;
            to->count = before;
        }
    return false;
}

/* Append what word stands for; whether that is another word. */
static bool spell_word(const struct speller *speller, struct str written, struct lexicon_words *to)
{
    struct str word = fold(speller, written);
    const struct english_spelling *entry = find_noun(speller->tongue, word);
    entry = entry != NULL ? entry : map_find(&speller->english, word);
    if (entry != NULL) {
        push_meaning(to, entry->meaning);
        return !str_equal(word, str_of(entry->meaning));
    }
    bool english = is_english(word) || map_find(&speller->nouns, word) != NULL;
    if (!english && is_plain(word) && word.len >= SPLIT_LEAST && cut(speller, word, 1, to))
        return true;
    struct str longer = english ? (struct str){NULL, 0} : spell_short(speller, word);
    push(to, str_is_absent(longer) ? written : longer);
    return !str_is_absent(longer);
}

/* ---- names ---- */

/* "fecha_pedido" is the order's date; a key's "id" stays behind its table. */
static void turn(struct lexicon_words *name, bool keyed)
{
    size_t n = name->count - keyed;
    for (size_t i = 0; i < n / 2; i++) {
        struct str word = name->words[i];
        name->words[i] = name->words[n - 1 - i];
        name->words[n - 1 - i] = word;
    }
}

/* "LName" is an lname. */
static bool push_initial(const struct speller *speller, struct str initial, struct str word,
                         struct lexicon_words *to)
{
    char both[STEM_BYTES];
    if (initial.len != 1 || word.len + 1 > sizeof both)
        return false;
    both[0] = initial.at[0];
    memcpy(both + 1, word.at, word.len);
    const struct english_spelling *entry =
        map_find(&speller->english, str_make(both, word.len + 1));
    if (entry != NULL)
        push_meaning(to, entry->meaning);
    return entry != NULL;
}

static void spell(const struct speller *speller, struct str name, struct lexicon_words *to)
{
    struct str raw[ENGLISH_WORDS];
    size_t count = stem_split(&speller->lexicon->arena, name, raw, ENGLISH_WORDS);
    bool translated = false;
    for (size_t i = 0; i < count; i++) {
        if (count > 1 && i > 0 && i + 1 < count && holds(speller->tongue->articles, raw[i])) {
            to->differs = true;
            continue;
        }
        if (i + 1 < count && push_initial(speller, raw[i], raw[i + 1], to)) {
            translated = true;
            i++;
            continue;
        }
        size_t from = to->count;
        translated = spell_word(speller, raw[i], to) || translated;
        if (speller->tongue->backward &&
            to->count > from + 1) { /* a meaning of two words stays together */
            struct lexicon_words one = {.count = to->count - from};
            memcpy(one.words, &to->words[from], one.count * sizeof one.words[0]);
            turn(&one, false);
            memcpy(&to->words[from], one.words, one.count * sizeof one.words[0]);
        }
    }
    to->differs = to->differs || translated;
    if (speller->tongue->backward && translated)
        turn(to, str_equal(to->words[to->count - 1], STR("id")));
}

static void spell_column(const struct speller *speller, const struct lexicon_notation *notation,
                         struct str name, struct lexicon_words *to)
{
    struct str rest = lexicon_notation_rest(notation, name);
    spell(speller, rest, to);
    to->differs = to->differs || rest.len < name.len;
}

static void drop_first(struct lexicon_words *name)
{
    name->count--;
    name->differs = true;
    memmove(&name->words[0], &name->words[1], name->count * sizeof name->words[0]);
}

/* Whether a table's name begins with an affix, whatever that shortens: Ref_Colours. */
static bool begins_with_affix(struct lexicon *lexicon, struct str table)
{
    struct str raw[ENGLISH_WORDS];
    return stem_split(&lexicon->arena, table, raw, ENGLISH_WORDS) > 1 && is_affix(raw[0]);
}

/* Without what only sorts tables: TBL_CUSTOMER, PAT_MST. */
static void drop_affixes(struct lexicon *lexicon, struct str table, struct lexicon_words *name)
{
    if (name->count > 1 && lexicon->prefix.len > 0 && str_equal(name->words[0], lexicon->prefix))
        drop_first(name);
    if (name->count > 1 && (is_affix(name->words[0]) || str_equal(name->words[0], STR("t")) ||
                            begins_with_affix(lexicon, table)))
        drop_first(name);
    if (name->count > 1 && is_affix(name->words[name->count - 1])) {
        name->count--;
        name->differs = true;
    }
}

/* ---- the schema ---- */

static bool gather(struct speller *speller, struct str name)
{
    struct str words[ENGLISH_WORDS];
    struct lexicon *lexicon = speller->lexicon;
    size_t n = stem_split(&lexicon->arena, name, words, ENGLISH_WORDS);
    bool ok = arena_ok(&lexicon->arena);
    for (size_t i = 0; ok && i < n; i++)
        if (is_plain(fold(speller, words[i])))
            ok = map_put(&speller->words, words[i], lexicon);
    return ok;
}

/* What a comment calls a column spells out what names shorten: "OFF_DT -- date of offence". */
static bool gather_remark(struct speller *speller, struct str comment)
{
    struct str words[REMARKS_WORDS];
    size_t n = lexicon_remarks_words(&speller->lexicon->arena, comment, words);
    bool ok = arena_ok(&speller->lexicon->arena);
    for (size_t i = 0; ok && i < n; i++)
        if (is_plain(words[i]))
            ok = map_put(&speller->words, words[i], speller->lexicon);
    return ok;
}

static bool gather_all(struct speller *speller)
{
    const struct catalog *catalog = speller->lexicon->catalog;
    bool ok = true;
    for (size_t t = 0; ok && t < catalog->table_count; t++) {
        ok = gather(speller, catalog->tables[t].name);
        for (size_t c = 0; ok && c < catalog->tables[t].column_count; c++)
            ok = gather(speller, catalog->tables[t].columns[c].name) &&
                 gather_remark(speller, catalog->tables[t].columns[c].comment);
    }
    return ok;
}

/* How many words of the schema the language that is loaded knows, and English does not. */
static size_t count_known(const struct speller *speller)
{
    struct map_entry entry;
    size_t cursor = 0, known = 0;
    while (map_next(&speller->words, &cursor, &entry)) {
        struct str word = fold(speller, entry.key);
        struct lexicon_words parts = {.count = 0};
        const struct english_spelling *noun = find_noun(speller->tongue, word);
        if (is_english(word) || map_find(&speller->english, word) != NULL ||
            map_find(&speller->compounds, word) != NULL)
            continue;
        if (noun != NULL)
            known += !str_equal(word, str_of(noun->meaning));
        else if (word.len >= SPLIT_LEAST)
            known += cut(speller, word, 1, &parts);
    }
    return known;
}

/* Find the words that are made of English ones and of abbreviations: no language's own. */
static bool find_compounds(struct speller *speller)
{
    struct map_entry entry;
    size_t cursor = 0;
    bool ok = true;
    set_language(speller->tongue, NULL);
    while (ok && map_next(&speller->words, &cursor, &entry)) {
        struct lexicon_words parts = {.count = 0};
        if (is_plain(entry.key) && entry.key.len >= SPLIT_LEAST &&
            cut(speller, entry.key, 1, &parts))
            ok = map_put(&speller->compounds, entry.key, speller->lexicon);
    }
    return ok;
}

/* Load the language that most of the schema's words are of. */
static bool choose_language(struct speller *speller)
{
    static const char *const languages[] = {"de", "es", "fr", "it", "pt"};
    enum { SHARE = 8 }; /* at least one word of so many */
    const char *best = NULL;
    size_t most = size_max(LANGUAGE_LEAST - 1, map_count(&speller->words) / SHARE);
    for (size_t i = 0; i < countof(languages); i++) {
        set_language(speller->tongue, languages[i]);
        map_init(&speller->tongue->foreign);
        bool ok = load(&speller->tongue->foreign, languages[i]);
        size_t known = ok ? count_known(speller) : 0;
        map_fini(&speller->tongue->foreign);
        if (!ok)
            return false;
        if (known > most) {
            most = known;
            best = languages[i];
        }
    }
    map_init(&speller->tongue->foreign);
    set_language(speller->tongue, best);
    return best == NULL || load(&speller->tongue->foreign, best);
}

/* A short word that nearly all tables' names begin with. */
static struct str find_prefix(const struct lexicon *lexicon)
{
    enum { LEAST = 3, LETTERS = 4, OF = 5 };
    const struct lexicon_spellings *s = lexicon->spellings;
    size_t n = lexicon->catalog->table_count;
    for (size_t t = 0; t < n; t++) {
        size_t same = 0;
        struct str word = s->tables[t].words[0];
        for (size_t o = 0; s->tables[t].count > 1 && o < n; o++)
            same += s->tables[o].count > 1 && str_equal(s->tables[o].words[0], word);
        if (same >= LEAST && (same == n || (word.len <= LETTERS && same * OF >= n * (OF - 1))))
            return word;
    }
    return STR("");
}

/* The words of English that entries of all languages stand for. */
static bool load_nouns(struct speller *speller)
{
    enum { LEAST = 4 };
    bool ok = true;
    for (const struct english_spelling *e = spellings_table; ok && e->section != NULL; e++) {
        struct str word = str_of(e->meaning);
        if (str_equal(str_of(e->section), STR("nouns")))
            word = str_of(e->word);
        if (strchr(e->section, '.') == NULL && word.len >= LEAST && is_plain(word))
            ok = map_put(&speller->nouns, word, speller->lexicon);
    }
    return ok;
}

static bool spell_all(struct speller *speller)
{
    struct lexicon *lexicon = speller->lexicon;
    const struct catalog *catalog = lexicon->catalog;
    struct lexicon_spellings *s = lexicon->spellings;
    struct lexicon_notation notation;
    if (!lexicon_notation_find(&lexicon->arena, catalog, &notation))
        return false;
    for (size_t t = 0; t < catalog->table_count; t++) {
        const struct catalog_table *table = &catalog->tables[t];
        s->columns[t] = arena_array(&lexicon->arena, table->column_count + 1, sizeof **s->columns);
        if (!arena_ok(&lexicon->arena))
            return false;
        spell(speller, table->name, &s->tables[t]);
        for (size_t c = 0; c < table->column_count; c++)
            spell_column(speller, &notation, table->columns[c].name, &s->columns[t][c]);
    }
    lexicon->prefix = find_prefix(lexicon);
    for (size_t t = 0; t < catalog->table_count; t++)
        drop_affixes(lexicon, catalog->tables[t].name, &s->tables[t]);
    return arena_ok(&lexicon->arena);
}

bool lexicon_spelling_fill(struct lexicon *lexicon)
{
    size_t n = lexicon->catalog->table_count + 1;
    struct lexicon_spellings *s = arena_alloc(&lexicon->arena, sizeof *s);
    if (s == NULL)
        return false;
    struct speller speller = {.lexicon = lexicon, .tongue = &s->tongue};
    *s = (struct lexicon_spellings){.tables = NULL};
    s->tables = arena_array(&lexicon->arena, n, sizeof *s->tables);
    s->columns = arena_array(&lexicon->arena, n, sizeof *s->columns);
    lexicon->spellings = s;
    map_init(&speller.words);
    map_init(&speller.english);
    map_init(&s->tongue.foreign);
    map_init(&speller.nouns);
    map_init(&speller.compounds);
    bool ok = arena_ok(&lexicon->arena) && load(&speller.english, "en") && load_nouns(&speller) &&
              gather_all(&speller) && find_compounds(&speller) && choose_language(&speller) &&
              spell_all(&speller);
    map_fini(&speller.words);
    map_fini(&speller.english);
    map_fini(&speller.nouns);
    map_fini(&speller.compounds);
    return ok;
}

void lexicon_spelling_fini(struct lexicon *lexicon)
{
    if (lexicon->spellings != NULL)
        map_fini(&lexicon->spellings->tongue.foreign);
}

/* ---- values ---- */

static size_t split_meaning(const char *meaning, struct str *words, size_t count)
{
    struct str rest = str_of(meaning);
    while (!str_is_absent(rest) && count < ENGLISH_WORDS)
        words[count++] = str_split(&rest, ' ');
    return count;
}

/* A value of several words that has a meaning of its own: "en cours". */
static const char *find_value(const struct tongue *tongue, struct str text)
{
    for (const struct english_spelling *e = tongue->values; is_in(e, tongue->values); e++) {
        struct str word = str_of(e->word);
        bool same = word.len == text.len;
        for (size_t i = 0; same && i < text.len; i++)
            same = text.at[i] == word.at[i] || (text.at[i] == ' ' && word.at[i] == '-');
        if (same)
            return e->meaning;
    }
    return NULL;
}

size_t lexicon_spelling_value(const struct lexicon *lexicon, struct str value, struct str *words)
{
    enum { VALUE_BYTES = 40 };
    const struct tongue *tongue = &lexicon->spellings->tongue;
    char small[VALUE_BYTES], folded[VALUE_BYTES];
    size_t count = 0;
    if (tongue->language == NULL || value.len > VALUE_BYTES)
        return 0;
    for (size_t i = 0; i < value.len; i++)
        small[i] = str_lower(value.at[i]);
    struct str rest = fold_to(tongue, str_make(small, value.len), folded);
    const char *whole = find_value(tongue, rest);
    if (whole != NULL)
        return split_meaning(whole, words, 0);
    while (!str_is_absent(rest)) {
        struct str word = str_split(&rest, ' ');
        const struct english_spelling *entry = find_noun(tongue, word);
        if (entry == NULL && !holds(tongue->articles, word))
            return 0;
        if (entry != NULL)
            count = split_meaning(entry->meaning, words, count);
    }
    return count;
}

bool lexicon_spelling_enter_value(struct lexicon *lexicon, int table, int column, struct str value,
                                  const uint64_t owners[2])
{
    enum { TRANSLATED = 90 };
    struct str words[ENGLISH_WORDS];
    if (!lexicon_index_wants(lexicon, table, column) ||
        lexicon_index_is_label(lexicon, table, column))
        return true;
    size_t count = lexicon_spelling_value(lexicon, value, words);
    if (count == 0)
        return true;
    const struct lexicon_link link = {
        LINK_VALUE, table,      column, arena_str(&lexicon->arena, value),
        false,      TRANSLATED, NULL,   {owners[0], owners[1]}};
    return !str_is_absent(link.value) && lexicon_index_enter_value(lexicon, words, count, link);
}

const struct lexicon_words *lexicon_spelling_table(const struct lexicon *lexicon, int table)
{
    return &lexicon->spellings->tables[table];
}

const struct lexicon_words *lexicon_spelling_column(const struct lexicon *lexicon, int table,
                                                    int column)
{
    return &lexicon->spellings->columns[table][column];
}

bool lexicon_spelling_says_role(struct str role, const struct str *words, size_t count)
{
    char name[STEM_BYTES], said[STEM_BYTES], word[STEM_BYTES];
    for (size_t r = 0; r < vocabulary_role_count; r++) {
        if (!str_equal(role, stem_of(str_of(vocabulary_roles[r][0]), name)))
            continue;
        for (size_t k = 1; k < VOCABULARY_GROUP && vocabulary_roles[r][k] != NULL; k++)
            for (size_t i = 0; i < count; i++)
                if (str_equal(stem_of(str_of(vocabulary_roles[r][k]), said),
                              stem_of(words[i], word)))
                    return true;
    }
    return false;
}

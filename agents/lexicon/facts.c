/* SPDX-License-Identifier: MIT */
/* agents/lexicon/facts.c - labels, keys, default measures and dates of tables; distances.
 *
 * Happy path: one look at each column by its words and type, then a breadth-first search from each
 * table over references that are neither audit nor tenant columns.
 * Failure: no memory; what cannot be guessed stays CATALOG_NONE and questions that need it are
 * not answered. */
#include "agents/lexicon/facts.h"

#include "agents/lexicon/glossary.h"
#include "agents/lexicon/spelling.h"
#include "agents/english/synonyms.h"
#include "agents/english/verbs.h"
#include "agents/english/vocabulary.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

#include <string.h>

static bool word_is(const struct lexicon_words *w, size_t i, const char *word)
{
    return i < w->count && str_equal(w->words[i], str_of(word));
}

static bool last_is(const struct lexicon_words *w, const char *word)
{
    return w->count > 0 && word_is(w, w->count - 1, word);
}

enum { SOME_WORDS = 5, PERSON_RANK = 9 };

/* Whether word i is one of words, NULL after the last. */
static bool word_is_one(const struct lexicon_words *w, size_t i, const char *const *words)
{
    for (size_t k = 0; k < SOME_WORDS && words[k] != NULL; k++)
        if (word_is(w, i, words[k]))
            return true;
    return false;
}

static bool last_is_one(const struct lexicon_words *w, const char *const *words)
{
    return w->count > 0 && word_is_one(w, w->count - 1, words);
}

bool lexicon_facts_is_audit(struct str column)
{
    static const struct str verbs[] = {{"created", 7},  {"updated", 7}, {"changed", 7},
                                       {"modified", 8}, {"deleted", 7}, {"voided", 6},
                                       {"retired", 7},  {"creator", 7}};
    for (size_t i = 0; i < countof(verbs); i++)
        if (column.len >= verbs[i].len &&
            str_equal_nocase(str_slice(column, 0, verbs[i].len), verbs[i]))
            return true;
    return false;
}

static void find_key(const struct catalog_table *table, struct lexicon_facts *facts)
{
    facts->key = CATALOG_NONE;
    for (size_t c = 0; c < table->column_count; c++) {
        if (!table->columns[c].primary_key)
            continue;
        if (facts->key != CATALOG_NONE) {
            facts->key = CATALOG_NONE;
            return;
        }
        facts->key = (int)c;
    }
}

/* A part of a person's name ("first name", "lname"): 9; "last" of something else: 0; -1: neither.
 */
static int rank_of_person(const struct lexicon_words *w)
{
    static const char *const part[SOME_WORDS] = {"first", "last", "given", "family"};
    static const char *const whole[SOME_WORDS] = {"firstname", "lastname", "fname", "lname"};
    if (word_is_one(w, 0, part))
        return last_is(w, "name") ? PERSON_RANK : 0;
    return w->count == 1 && word_is_one(w, 0, whole) ? PERSON_RANK : -1;
}

/* Whether what stands before the last word is the table: "product" of a product name. */
static bool is_of_table(const struct lexicon_words *w, const struct lexicon_words *table)
{
    char a[STEM_BYTES], b[STEM_BYTES];
    for (size_t i = 0; i + 1 < w->count; i++)
        for (size_t k = 0; k < table->count; k++)
            if (str_equal(stem_of(w->words[i], a), stem_of(table->words[k], b)))
                return true;
    return false;
}

/* By the last words of names: titles before codes before prose. The code of something else, a
 * failure or a status, names no row. */
static int rank_of_words(const struct lexicon_words *w, const struct lexicon_words *table)
{
    static const char *const user[SOME_WORDS] = {"username", "login"};
    static const char *const title[SOME_WORDS] = {"title", "label"};
    static const char *const code[SOME_WORDS] = {"number", "code", "symbol"};
    static const char *const prose[SOME_WORDS] = {"text", "description", "subject"};
    if (w->count == 1 && word_is_one(w, 0, user))
        return 5;
    if (last_is_one(w, title))
        return w->count == 1 ? 5 : 3;
    if (last_is_one(w, code))
        return w->count == 1 || is_of_table(w, table) ? 4 : last_is(w, "code") ? 0 : 1;
    return last_is_one(w, prose) ? 2 : 0;
}

/* Whether two names are the same but for the plural: airline, of airlines. */
static bool is_called_alike(const struct lexicon_words *w, const struct lexicon_words *table)
{
    char a[STEM_BYTES], b[STEM_BYTES];
    for (size_t i = 0; i < w->count && w->count == table->count; i++)
        if (!str_equal(stem_of(w->words[i], a), stem_of(table->words[i], b)))
            return false;
    return w->count == table->count && w->count > 0;
}

/* How well a text column names a row; 0: not at all. */
static int label_rank(const struct lexicon *lexicon, int t, int c)
{
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    const struct catalog_column *column = &table->columns[c];
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, t, c);
    const struct lexicon_words *of = lexicon_spelling_table(lexicon, t);
    static const char *const number[SOME_WORDS] = {"number", "code"};
    static const char *const place[SOME_WORDS] = {"postal", "zip", "country", "currency", "phone"};
    if (column->hidden || column->type != CATALOG_TEXT || column->shows != CATALOG_UNKNOWN)
        return 0;
    if (column->pii) /* an account number still is what an account is called */
        return column->unique && last_is_one(w, number) ? 1 : 0;
    int person = rank_of_person(w);
    if (person >= 0)
        return person;
    if (str_equal_nocase(column->name, table->name) || is_called_alike(w, of))
        return 7;
    if (last_is(w, "name"))
        return w->count == 1 || is_of_table(w, of) ? 8 : 7;
    for (size_t i = 0; i < w->count; i++)
        if (word_is_one(w, i, place))
            return 0;
    return column->unique ? 6 : rank_of_words(w, of);
}

/* Whether a table has one part of a person's name, so that "name" is the other: nom and prenom. */
static bool has_half_name(const struct lexicon *lexicon, int t)
{
    int parts = 0, names = 0;
    for (size_t c = 0; c < lexicon->catalog->tables[t].column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(lexicon, t, (int)c);
        parts += label_rank(lexicon, t, (int)c) == PERSON_RANK;
        names += w->count == 1 && last_is(w, "name");
    }
    return parts == 1 && names == 1;
}

/* Whether a name is that of a company: of customers who are persons or companies. */
static bool is_company(const struct lexicon_words *w)
{
    bool company = false;
    for (size_t i = 0; i < w->count; i++)
        company = company || vocabulary_has(VOCABULARY_COMPANIES, w->words[i]);
    return company && last_is(w, "name");
}

/* Whether a column of a rank names a row where the best is best; all: persons' names are of all
 * rows, so that nobody is a company instead. */
static bool is_chosen(int rank, int best, bool all, const struct lexicon_words *w)
{
    return (rank == best && rank > 0) || (rank == 6 && best < PERSON_RANK) ||
           (rank == 5 && best == 6) || (best == PERSON_RANK && !all && is_company(w));
}

/* A person is called by the given name first, wherever a table has it. */
static void put_given_first(const struct lexicon *lexicon, int t, struct lexicon_facts *facts)
{
    static const char *const given[SOME_WORDS] = {"first", "given", "firstname", "fname"};
    for (size_t i = 1; i < facts->label_count; i++) {
        const int label = facts->labels[i];
        if (!word_is_one(lexicon_spelling_column(lexicon, t, label), 0, given))
            continue;
        memmove(&facts->labels[1], &facts->labels[0], i * sizeof facts->labels[0]);
        facts->labels[0] = label;
        return;
    }
}

static void find_labels(struct lexicon *lexicon, int t, struct lexicon_facts *facts)
{
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    int best = 0, first_last = 0;
    bool half = has_half_name(lexicon, t), all = false;
    facts->label_count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t c = 0; c < table->column_count; c++) {
            int rank = label_rank(lexicon, t, (int)c);
            const struct lexicon_words *w = lexicon_spelling_column(lexicon, t, (int)c);
            if (half && rank > 0 && w->count == 1 && last_is(w, "name"))
                rank = PERSON_RANK;
            if (pass == 0) {
                best = rank > best ? rank : best;
                first_last += rank == PERSON_RANK;
                all = all || (rank == PERSON_RANK && table->columns[c].not_null);
            } else if (facts->label_count < OFFLINE_LABELS && is_chosen(rank, best, all, w)) {
                facts->labels[facts->label_count++] = (int)c;
            }
        }
    facts->person = first_last >= 2;
    if (facts->person)
        put_given_first(lexicon, t, facts);
}

static bool is_measure(const struct catalog *catalog, int t, int c, const struct lexicon_words *w)
{
    const struct catalog_column *column = &catalog->tables[t].columns[c];
    if (column->hidden || column->primary_key || !lexicon_index_is_number(catalog, t, c) ||
        lexicon_index_reference(catalog, t, c) != NULL || last_is(w, "id"))
        return false;
    if (w->count > 0 && vocabulary_has(VOCABULARY_LABELS, w->words[w->count - 1]))
        return false;
    return !(w->count > 2 && word_is(w, 0, "year"));
}

bool lexicon_facts_is_measure(const struct lexicon *lexicon, int table, int column)
{
    return is_measure(lexicon->catalog, table, column,
                      lexicon_spelling_column(lexicon, table, column));
}

/* The last word of a column's name; absent where it has but one. */
static struct str last_word(const struct lexicon *lexicon, int table, int column)
{
    const struct lexicon_words *words = lexicon_spelling_column(lexicon, table, column);
    return words->count > 1 ? words->words[words->count - 1] : (struct str){NULL, 0};
}

struct english_unit lexicon_facts_unit(const struct lexicon *lexicon, int table, int column)
{
    const struct semantic_column *said = semantic_model_column(lexicon->semantic, table, column);
    const struct lexicon_words *words = lexicon_spelling_column(lexicon, table, column);
    if (said != NULL && said->unit.len > 0)
        return english_units_find(said->unit);
    if (words->count == 0 || !lexicon_index_is_number(lexicon->catalog, table, column))
        return (struct english_unit){UNIT_OF_NOTHING, 0};
    struct english_unit unit = english_units_find(words->words[words->count - 1]);
    bool per = words->count > 1 && str_equal(words->words[words->count - 2], STR("per"));
    bool alone = words->count == 1 && unit.of == UNIT_OF_MONEY;
    return per || alone ? (struct english_unit){UNIT_OF_NOTHING, 0} : unit;
}

bool lexicon_facts_in_cents(const struct lexicon *lexicon, int table, int column)
{
    struct english_unit unit = lexicon_facts_unit(lexicon, table, column);
    return unit.of == UNIT_OF_MONEY && unit.size == 1;
}

struct str lexicon_facts_units_name(const struct lexicon *lexicon, int table, int column)
{
    struct str last = last_word(lexicon, table, column);
    struct str name = lexicon->catalog->tables[table].columns[column].name, rest = name;
    if (english_units_find(last).of != UNIT_OF_NOTHING && str_ends_with_nocase(name, last))
        rest.len -= last.len;
    while (rest.len > 0 && rest.at[rest.len - 1] == '_')
        rest.len--;
    bool free = rest.len > 0 && catalog_find_column(lexicon->catalog, table, rest) == CATALOG_NONE;
    return free ? rest : name;
}

size_t lexicon_facts_without_money(const struct lexicon_words *w)
{
    bool money = w->count > 1 && english_units_find(w->words[w->count - 1]).of == UNIT_OF_MONEY;
    return w->count - money;
}

bool lexicon_facts_is_rate(const struct lexicon *lexicon, int table, int column)
{
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, table, column);
    char stem[STEM_BYTES];
    for (size_t i = 0; i < w->count; i++)
        if (vocabulary_has(VOCABULARY_RATES, stem_of(w->words[i], stem)))
            return true;
    return false;
}

bool lexicon_facts_is_level(const struct lexicon *lexicon, int table, int column)
{
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, table, column);
    size_t count = lexicon_facts_without_money(w);
    char stem[STEM_BYTES];
    return lexicon_facts_is_measure(lexicon, table, column) && count > 0 &&
           vocabulary_has(VOCABULARY_LEVELS, stem_of(w->words[count - 1], stem));
}

/* Whether a column of money is called by nothing but that: "amount", and not "refunded amount". */
static bool is_bare_amount(const struct lexicon_words *w)
{
    char stem[STEM_BYTES];
    return lexicon_facts_without_money(w) == 1 && !str_ends_with(w->words[0], STR("ed")) &&
           english_synonyms_is_amount(stem_of(w->words[0], stem));
}

static void find_measure(struct lexicon *lexicon, int t, struct lexicon_facts *facts)
{
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    int money = 0, all = 0, bare = 0, money_column = CATALOG_NONE, column = CATALOG_NONE;
    int bare_column = CATALOG_NONE;
    for (size_t c = 0; c < table->column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(lexicon, t, (int)c);
        if (!is_measure(lexicon->catalog, t, (int)c, w))
            continue;
        all++;
        column = (int)c;
        if (is_bare_amount(w)) {
            bare++;
            bare_column = (int)c;
        }
        for (size_t i = 0; i < w->count; i++) {
            char stem[STEM_BYTES];
            if (english_synonyms_is_amount(stem_of(w->words[i], stem))) {
                money++;
                money_column = (int)c;
                break;
            }
        }
    }
    facts->measure = money == 1  ? money_column
                     : bare == 1 ? bare_column
                     : all == 1  ? column
                                 : CATALOG_NONE;
}

/* "startTime" beside "endTime": what has a span of time began at its start. */
static bool is_start(const struct lexicon_words *w)
{
    return word_is(w, 0, "start") || word_is(w, 0, "started") || word_is(w, 0, "starts") ||
           word_is(w, 0, "begin") || word_is(w, 0, "began") ||
           (w->count == 2 && last_is(w, "start"));
}

static bool is_end(const struct lexicon_words *w)
{
    return word_is(w, 0, "end") || word_is(w, 0, "ended") || word_is(w, 0, "ends") ||
           word_is(w, 0, "finish") || word_is(w, 0, "finished") || word_is(w, 0, "stop") ||
           (w->count == 2 && last_is(w, "end"));
}

/* "raisedOn", "booking_date" beside "closedOn": when the row came about. */
static bool is_opened(const struct lexicon_words *w)
{
    char stem[STEM_BYTES];
    return w->count > 0 && vocabulary_has(VOCABULARY_OPENED, stem_of(w->words[0], stem));
}

/* Whether a date is called as its table's rows are: the payments' paid_on; or only "date". */
static bool is_own(const struct lexicon_words *w, const struct lexicon_words *table)
{
    char a[STEM_BYTES], b[STEM_BYTES];
    if (w->count == 1 && word_is(w, 0, "date"))
        return true;
    if (w->count == 0 || table->count == 0)
        return false;
    struct str stem = stem_of(w->words[0], a), last = table->words[table->count - 1];
    return str_equal(stem, stem_of(last, b)) || str_equal(stem, stem_of(table->words[0], b)) ||
           str_equal(stem, english_verbs_of_noun(last));
}

/* "arrival" and "departure" of a stay, the other way round of a journey: the first one declared is
 * when it began. Nothing where a table has no such two dates, or others besides. */
static void find_passage(const struct lexicon *lexicon, int t, struct lexicon_facts *facts)
{
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    int found[2];
    size_t count = 0, others = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(lexicon, t, (int)c);
        char stem[STEM_BYTES];
        if (table->columns[c].hidden || !lexicon_index_is_date(lexicon->catalog, t, (int)c))
            continue;
        bool passage =
            w->count > 0 && vocabulary_has(VOCABULARY_PASSAGES, stem_of(w->words[0], stem));
        others += !passage && !lexicon_facts_is_audit(table->columns[c].name);
        if (passage && count < countof(found))
            found[count] = (int)c;
        count += passage;
    }
    if (count == countof(found) && others == 0) {
        facts->began = found[0];
        facts->ended = found[1];
    }
}

static void find_began(struct lexicon *lexicon, int t, struct lexicon_facts *facts)
{
    static const char *const touched[SOME_WORDS] = {"updated", "modified", "deleted"};
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    int dates = 0, any = CATALOG_NONE, created = CATALOG_NONE, own = CATALOG_NONE;
    int starts = 0, ends = 0, start = CATALOG_NONE, opened_count = 0, opened = CATALOG_NONE;
    const struct lexicon_words *name = lexicon_spelling_table(lexicon, t);
    for (size_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].hidden || !lexicon_index_is_date(lexicon->catalog, t, (int)c))
            continue;
        const struct lexicon_words *w = lexicon_spelling_column(lexicon, t, (int)c);
        if (word_is_one(w, 0, touched))
            continue;
        dates++;
        any = (int)c;
        ends += is_end(w);
        if (is_opened(w)) {
            opened_count++;
            opened = (int)c;
        }
        if (is_start(w)) {
            starts++;
            start = (int)c;
        }
        if (w->count > 0 && str_starts_with(w->words[0], STR("creat")))
            created = (int)c;
        if (is_own(w, name) &&
            (own == CATALOG_NONE || /* of two, that which all rows have: in, and perhaps out */
             (!table->columns[own].not_null && table->columns[c].not_null)))
            own = (int)c;
    }
    bool span = starts == 1 && ends == 1 && dates - (created != CATALOG_NONE) == 2;
    facts->began = dates == 1            ? any
                   : own != CATALOG_NONE ? own
                   : span                ? start
                   : opened_count == 1   ? opened
                                         : created;
}

static bool is_followed(const struct catalog_table *table, const struct catalog_reference *ref)
{
    for (size_t i = 0; i < ref->column_count; i++)
        if (ref->columns[i] == table->tenant_column ||
            lexicon_facts_is_audit(table->columns[ref->columns[i]].name))
            return false;
    return true;
}

/* Both ends of every reference that is followed, table by table: starts[t]..starts[t + 1]. */
struct neighbours {
    size_t *starts;
    int *ends;
};

static bool list_neighbours(struct lexicon *lexicon, struct neighbours *near)
{
    const struct catalog *catalog = lexicon->catalog;
    size_t n = catalog->table_count, total = 0;
    near->starts = arena_array(&lexicon->arena, n + 2, sizeof *near->starts);
    for (size_t t = 0; t < n; t++)
        total += catalog->tables[t].reference_count;
    near->ends = arena_array(&lexicon->arena, 2 * total + 1, sizeof *near->ends);
    if (!arena_ok(&lexicon->arena))
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t t = 0; t < n; t++)
            for (size_t r = 0; r < catalog->tables[t].reference_count; r++) {
                const struct catalog_reference *ref = &catalog->tables[t].references[r];
                if (!is_followed(&catalog->tables[t], ref))
                    continue;
                size_t a = t, b = (size_t)ref->to_table;
                if (pass == 0) {
                    near->starts[a + 1]++;
                    near->starts[b + 1]++;
                } else {
                    near->ends[near->starts[a]++] = (int)b;
                    near->ends[near->starts[b]++] = (int)a;
                }
            }
        for (size_t t = 0; pass == 0 && t < n; t++)
            near->starts[t + 1] += near->starts[t];
    }
    for (size_t t = n; t > 0; t--)
        near->starts[t] = near->starts[t - 1];
    near->starts[0] = 0;
    return true;
}

static void measure_from(struct lexicon *lexicon, const struct neighbours *near, size_t from,
                         int *queue)
{
    size_t n = lexicon->catalog->table_count, head = 0, tail = 0;
    uint8_t *row = &lexicon->hops[from * n];
    memset(row, OFFLINE_FAR, n);
    row[from] = 0;
    queue[tail++] = (int)from;
    while (head < tail) {
        int at = queue[head++];
        for (size_t i = near->starts[at]; i < near->starts[at + 1]; i++) {
            int next = near->ends[i];
            if (row[next] != OFFLINE_FAR || row[at] >= OFFLINE_FAR - 1)
                continue;
            row[next] = (uint8_t)(row[at] + 1);
            queue[tail++] = next;
        }
    }
}

/* Whether a view only repeats columns of a table it is named after (secure_employee): questions
 * mean the table. */
static bool repeats_table(struct lexicon *lexicon, size_t view)
{
    const struct catalog *catalog = lexicon->catalog;
    const struct catalog_table *v = &catalog->tables[view];
    for (size_t t = 0; v->is_view && t < catalog->table_count; t++) {
        const struct catalog_table *table = &catalog->tables[t];
        bool repeats =
            !table->is_view && !table->hidden && v->name.len > table->name.len &&
            str_equal_nocase(str_from(v->name, v->name.len - table->name.len), table->name);
        for (size_t c = 0; repeats && c < v->column_count; c++)
            repeats = catalog_find_column(catalog, (int)t, v->columns[c].name) != CATALOG_NONE;
        if (repeats)
            return true;
    }
    return false;
}

/* Words that the names of all columns of table begin with: "tx" of txId, txAmount, txDate. */
static size_t shared_words(const struct lexicon *lexicon, int t)
{
    enum { LEAST = 4 };
    size_t columns = lexicon->catalog->tables[t].column_count;
    if (columns < LEAST)
        return 0;
    const struct lexicon_words *first = lexicon_spelling_column(lexicon, t, 0);
    size_t shared = first->count > 0 ? first->count - 1 : 0;
    for (size_t c = 1; c < columns; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(lexicon, t, (int)c);
        size_t same = 0;
        while (same < shared && same + 1 < w->count &&
               str_equal(w->words[same], first->words[same]))
            same++;
        shared = same;
    }
    return shared;
}

static bool names_persons(const struct lexicon *lexicon, int t)
{
    const struct lexicon_words *w = lexicon_spelling_table(lexicon, t);
    char stem[STEM_BYTES];
    return w->count == 1 &&
           vocabulary_has(VOCABULARY_PERSONS, english_synonyms_of(stem_of(w->words[0], stem)));
}

bool lexicon_facts_fill(struct lexicon *lexicon)
{
    const struct catalog *catalog = lexicon->catalog;
    size_t n = catalog->table_count, square;
    if (!size_mul(n, n, &square))
        return false;
    lexicon->facts = arena_array(&lexicon->arena, n + 1, sizeof *lexicon->facts);
    lexicon->hops = arena_alloc(&lexicon->arena, square + 1);
    int *queue = arena_array(&lexicon->arena, n + 1, sizeof *queue);
    struct neighbours near;
    if (!arena_ok(&lexicon->arena) || !list_neighbours(lexicon, &near))
        return false;
    for (size_t t = 0; t < n; t++) {
        const struct catalog_table *table = &catalog->tables[t];
        struct lexicon_facts *facts = &lexicon->facts[t];
        facts->visible = (!table->hidden || table->secure_view != CATALOG_NONE) &&
                         table->secures == CATALOG_NONE && !repeats_table(lexicon, t);
        facts->shared = shared_words(lexicon, (int)t);
        facts->header = facts->quantity = facts->thing = CATALOG_NONE;
        find_key(table, facts);
        find_labels(lexicon, (int)t, facts);
        find_measure(lexicon, (int)t, facts);
        facts->ended = CATALOG_NONE;
        find_began(lexicon, (int)t, facts);
        if (facts->began == CATALOG_NONE)
            find_passage(lexicon, (int)t, facts);
        lexicon_glossary_facts(lexicon, (int)t, facts);
        measure_from(lexicon, &near, t, queue);
    }
    bool named = false; /* where nobody has a first and a last name, tables of persons are told by
                           their name */
    for (size_t t = 0; t < n; t++)
        named = named || lexicon->facts[t].person;
    for (size_t t = 0; !named && t < n; t++)
        lexicon->facts[t].person = names_persons(lexicon, (int)t);
    return arena_ok(&lexicon->arena);
}

static bool reaches(const struct catalog *catalog, int from, int to, unsigned steps)
{
    const struct catalog_table *t = &catalog->tables[from];
    if (from == to)
        return true;
    for (size_t i = 0; steps > 0 && i < t->reference_count; i++)
        if (t->references[i].to_table != from &&
            reaches(catalog, t->references[i].to_table, to, steps - 1))
            return true;
    return false;
}

bool lexicon_facts_reaches(const struct catalog *catalog, int from, int to)
{
    enum { STEPS = 4 };
    return reaches(catalog, from, to, STEPS);
}

int lexicon_facts_dated(const struct lexicon *lexicon, int table, int *column)
{
    const struct lexicon_facts *facts = &lexicon->facts[table];
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    bool own = facts->began != CATALOG_NONE && /* and not when a line was written down */
               !lexicon_facts_is_audit(t->columns[facts->began].name);
    bool dated = facts->header != CATALOG_NONE &&
                 lexicon->facts[facts->header].began != CATALOG_NONE;
    int holder = !own && dated ? facts->header : table;
    *column = lexicon->facts[holder].began;
    return holder;
}

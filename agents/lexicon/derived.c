/* SPDX-License-Identifier: MIT */
/* agents/lexicon/derived.c - one rule for each sense, by words of the name and type of the column.
 *
 * Happy path: a column that a rule fits is entered by the words of its sense.
 * Failure: no memory; where two columns of a table fit, neither has the word. */
#include "agents/lexicon/derived.h"

#include "agents/english/verbs.h"
#include "agents/english/vocabulary.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

enum { RULE_BYTES = 120 };

/* Senses of numeric columns, found by the stems of their names. */
static const struct sense {
    enum vocabulary_list stems, said;
    int score;
} senses[] = {
    {VOCABULARY_EARNINGS, VOCABULARY_EARNED, 88},
    {VOCABULARY_BALANCES, VOCABULARY_COINS, 70},
};

static bool enter_words(struct lexicon *lexicon, struct str phrase, struct lexicon_link link)
{
    struct str words[ENGLISH_WORDS];
    size_t n = stem_split(&lexicon->arena, phrase, words, ENGLISH_WORDS);
    return lexicon_index_enter(lexicon, words, n, link);
}

static bool has_stem(struct lexicon *lexicon, int t, int c, enum vocabulary_list list)
{
    const struct lexicon_words *name = lexicon_spelling_column(lexicon, t, c);
    char stem[STEM_BYTES];
    for (size_t i = 0; i < name->count; i++)
        if (vocabulary_has(list, stem_of(name->words[i], stem)))
            return true;
    return false;
}

typedef bool fits_fn(const struct lexicon *lexicon, int t, int c);

static bool is_plain_number(const struct lexicon *lexicon, int t, int c)
{
    return !lexicon->catalog->tables[t].columns[c].primary_key &&
           lexicon_index_is_number(lexicon->catalog, t, c) &&
           lexicon_index_reference(lexicon->catalog, t, c) == NULL;
}

/* Rows need not have it: only those that are over do. */
static bool is_open_date(const struct lexicon *lexicon, int t, int c)
{
    return !lexicon->catalog->tables[t].columns[c].not_null &&
           lexicon_index_is_date(lexicon->catalog, t, c);
}

/* Whether it is called by what has happened: "ended", and not the "end" that may be planned. */
static bool is_past_date(const struct lexicon *lexicon, int t, int c)
{
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, t, c);
    return is_open_date(lexicon, t, c) && w->count > 0 &&
           (str_ends_with(w->words[0], STR("ed")) ||
            vocabulary_has(VOCABULARY_PASTS, w->words[0]));
}

/* Whether a column says of rows which state they are in. */
static bool has_state(const struct lexicon *lexicon, int t)
{
    for (size_t c = 0; c < lexicon->catalog->tables[t].column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(lexicon, t, (int)c);
        for (size_t i = 0; i < w->count; i++)
            if (english_verbs_is_state(w->words[i]) ||
                vocabulary_has(VOCABULARY_GOING, w->words[i]))
                return true;
    }
    return false;
}

/* The one column of t that fits and whose name has one of the stems; CATALOG_NONE: none, or
 * several. */
static int find_only(struct lexicon *lexicon, int t, enum vocabulary_list list, fits_fn *fits)
{
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    int found = CATALOG_NONE;
    for (size_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].hidden || !fits(lexicon, t, (int)c) ||
            !has_stem(lexicon, t, (int)c, list))
            continue;
        if (found != CATALOG_NONE)
            return CATALOG_NONE;
        found = (int)c;
    }
    return found;
}

/* Whether a word is one of other tables, too: "paid", of payments. */
static bool is_of_others(struct lexicon *lexicon, int t, struct str word)
{
    enum { LINKS = 16 };
    struct lexicon_link links[LINKS];
    struct str words[ENGLISH_WORDS];
    size_t n = stem_split(&lexicon->arena, word, words, ENGLISH_WORDS);
    size_t count = lexicon_index_find(lexicon, words, n, links, LINKS);
    for (size_t i = 0; i < count; i++)
        if (links[i].table != t && (links[i].kind == LINK_TABLE || links[i].kind == LINK_MOMENT))
            return true;
    return false;
}

static bool enter_senses(struct lexicon *lexicon, int t)
{
    bool ok = true;
    for (size_t i = 0; ok && i < countof(senses); i++) {
        int column = find_only(lexicon, t, senses[i].stems, is_plain_number);
        const struct lexicon_link link = {LINK_COLUMN,     t,   column, STR(""), false,
                                          senses[i].score, NULL};
        const char *const *word = vocabulary_lists[senses[i].said];
        for (; ok && column != CATALOG_NONE && *word != NULL; word++) {
            struct lexicon_link said = link;
            if (is_of_others(lexicon, t, str_of(*word)))
                said.score = OFFLINE_SCORE_GENERAL;
            ok = enter_words(lexicon, str_of(*word), said);
        }
    }
    return ok;
}

/* A condition that is a word: "in stock" is the column above 0. */
static struct semantic_named *make_filter(struct lexicon *lexicon, int t, int column,
                                          const char *name, struct str condition)
{
    struct semantic_named *named = arena_alloc(&lexicon->arena, sizeof *named);
    struct semantic_piece *pieces = arena_array(&lexicon->arena, 2, sizeof *pieces);
    if (named == NULL || pieces == NULL)
        return NULL;
    pieces[0] = (struct semantic_piece){STR(""), column, false};
    pieces[1] = (struct semantic_piece){condition, CATALOG_NONE, false};
    *named = (struct semantic_named){
        .name = str_of(name), .expression = {str_of(name), pieces, 2}, .usable = true, .table = t};
    return named;
}

/* The condition with the column before it, and where it is open behind it, too. */
static struct semantic_named *make_living(struct lexicon *lexicon, int t, int column,
                                          struct str condition, bool open)
{
    struct semantic_named *named = arena_alloc(&lexicon->arena, sizeof *named);
    struct semantic_piece *pieces = arena_array(&lexicon->arena, 2, sizeof *pieces);
    if (named == NULL || pieces == NULL)
        return NULL;
    pieces[0] = (struct semantic_piece){STR(""), column, false};
    pieces[1] = (struct semantic_piece){condition, open ? column : CATALOG_NONE, false};
    *named = (struct semantic_named){.name = STR("not deleted"),
                                     .expression = {STR("not deleted"), pieces, 2},
                                     .usable = true,
                                     .table = t};
    return named;
}

/* What says that a row is only marked as deleted: "isDeleted", "deleted_at". */
static bool says_deleted(const struct lexicon_words *name, bool *flag)
{
    static const char *const words[] = {"deleted", "removed", "voided"};
    static const char *const ends[] = {"at", "on", "date", "time"};
    size_t first = name->count > 1 && str_equal(name->words[0], STR("is"));
    bool said = false, moment = false;
    for (size_t i = 0; i < countof(words) && first < name->count; i++)
        said = said || str_equal(name->words[first], str_of(words[i]));
    for (size_t i = 0; i < countof(ends) && name->count == 2; i++)
        moment = moment || str_equal(name->words[1], str_of(ends[i]));
    *flag = first + 1 == name->count;
    return said && (*flag || (first == 0 && moment));
}

/* The condition on rows that are not marked as deleted. */
static struct str living_condition(struct lexicon *lexicon, int t, int c, bool flag)
{
    const struct catalog_column *column = &lexicon->catalog->tables[t].columns[c];
    bool number = column->type == CATALOG_INTEGER || column->type == CATALOG_NUMBER;
    if (!flag)
        return lexicon_index_is_date(lexicon->catalog, t, c) || column->type == CATALOG_TEXT
                   ? STR(" IS NULL")
                   : STR("");
    if (!number && column->type != CATALOG_BOOLEAN)
        return STR("");
    return column->not_null ? number ? STR(" = 0") : STR(" = FALSE")
           : number ? STR(" IS NULL OR 0 = ")
                            : STR(" IS NULL OR FALSE = ");
}

/* Whether the condition of the file is that rows are not marked as deleted, said of the mark alone.
 */
static bool is_not_deleted(const struct lexicon *lexicon, int t,
                           const struct semantic_expression *rows)
{
    bool said = false, flag;
    char text[RULE_BYTES];
    size_t len = 0;
    for (size_t i = 0; i < rows->piece_count; i++)
        if (rows->pieces[i].column != CATALOG_NONE) {
            if (said ||
                !says_deleted(lexicon_spelling_column(lexicon, t, rows->pieces[i].column), &flag))
                return false;
            said = true;
        }
    for (size_t i = 0; i < rows->text.len && len < sizeof text; i++)
        if (rows->text.at[i] != ' ')
            text[len++] = str_lower(rows->text.at[i]);
    const struct str rule = str_make(text, len);
    return said && len < sizeof text &&
           (str_ends_with(rule, STR("isnull")) || str_ends_with(rule, STR("=0")) ||
            str_ends_with(rule, STR("=false")));
}

/* Whether a column is in the secure view of its table, where there is one. */
static bool is_shown(const struct catalog *catalog, int t, int c)
{
    int view = catalog->tables[t].secure_view;
    return view == CATALOG_NONE ||
           catalog_find_column(catalog, view, catalog->tables[t].columns[c].name) != CATALOG_NONE;
}

/* Rows that are marked as deleted do not count, unless the semantic file says which do. */
static bool find_living(struct lexicon *lexicon, int t)
{
    const struct semantic_table *said = semantic_model_table(lexicon->semantic, t);
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    struct lexicon_facts *facts = &lexicon->facts[t];
    bool flagged = false;
    if (said != NULL && said->rows.piece_count > 0) {
        struct semantic_named *named = arena_alloc(&lexicon->arena, sizeof *named);
        if (named == NULL)
            return false;
        *named = (struct semantic_named){.expression = said->rows, .usable = true, .table = t};
        if (is_not_deleted(lexicon, t, &said->rows))
            named->name = STR("not deleted");
        facts->living = named;
        return true;
    }
    for (size_t c = 0; c < table->column_count && !table->is_view; c++) {
        bool flag;
        if (table->columns[c].hidden || flagged || !is_shown(lexicon->catalog, t, (int)c) ||
            !says_deleted(lexicon_spelling_column(lexicon, t, (int)c), &flag))
            continue;
        struct str condition = living_condition(lexicon, t, (int)c, flag);
        if (condition.len == 0)
            continue;
        bool open = str_ends_with(condition, STR("= ")); /* the column once more */
        facts->living = make_living(lexicon, t, (int)c, condition, open);
        if (facts->living == NULL)
            return false;
        flagged = flag;
    }
    return true;
}

/* "alive", "former": what a date says that only those rows have that are over. The words of a list
 * stand for one condition. */
static bool enter_ended(struct lexicon *lexicon, int t, int column, enum vocabulary_list said,
                        struct str condition)
{
    const char *const *word = vocabulary_lists[said];
    const struct semantic_named *named = make_filter(lexicon, t, column, *word, condition);
    const struct lexicon_link link = {LINK_BOOL, t, CATALOG_NONE, STR(""), false, 95, named};
    bool ok = named != NULL;
    for (; ok && *word != NULL; word++)
        ok = enter_words(lexicon, str_of(*word), link);
    return ok;
}

/* "active subscriptions": those that nothing has ended, where no state says so; of persons who were
 * employed, "left" is that date, too. */
static bool enter_ceased(struct lexicon *lexicon, int t)
{
    enum { VERB_SCORE = 92 };
    int column = find_only(lexicon, t, VOCABULARY_CEASED, is_past_date);
    const struct lexicon_link link = {LINK_MOMENT, t, column, STR(""), false, VERB_SCORE, NULL};
    const char *const *word = vocabulary_lists[VOCABULARY_PARTED];
    bool ok = true;
    if (column == CATALOG_NONE)
        return true;
    for (; ok && lexicon->facts[t].person && *word != NULL; word++)
        ok = enter_words(lexicon, str_of(*word), link);
    return ok && (has_state(lexicon, t) ||
                  (enter_ended(lexicon, t, column, VOCABULARY_GOING, STR(" IS NULL")) &&
                   enter_ended(lexicon, t, column, VOCABULARY_OVER, STR(" IS NOT NULL"))));
}

static bool enter_ends(struct lexicon *lexicon, int t)
{
    static const struct {
        enum vocabulary_list column, none, some;
    } ends[] = {{VOCABULARY_DEATHS, VOCABULARY_LIVING, VOCABULARY_DEAD},
                {VOCABULARY_LEAVINGS, VOCABULARY_EMPLOYED, VOCABULARY_FORMER}};
    for (size_t i = 0; i < countof(ends); i++) {
        int column = find_only(lexicon, t, ends[i].column, is_open_date);
        if (column != CATALOG_NONE &&
            (!enter_ended(lexicon, t, column, ends[i].none, STR(" IS NULL")) ||
             !enter_ended(lexicon, t, column, ends[i].some, STR(" IS NOT NULL"))))
            return false;
    }
    return enter_ceased(lexicon, t);
}

static bool enter_stock(struct lexicon *lexicon, int t)
{
    static const struct {
        const char *said;
        struct str condition;
    } states[] = {
        {"out of stock", {" <= 0", 5}}, {"sold out", {" <= 0", 5}}, {"in stock", {" > 0", 4}}};
    int column = find_only(lexicon, t, VOCABULARY_SHELVES, is_plain_number);
    for (size_t i = 0; column != CATALOG_NONE && i < countof(states); i++) {
        struct semantic_named *named =
            make_filter(lexicon, t, column, states[i].said, states[i].condition);
        const struct lexicon_link link = {LINK_BOOL, t, CATALOG_NONE, STR(""), false, 100, named};
        if (named == NULL || !enter_words(lexicon, str_of(states[i].said), link))
            return false;
    }
    return true;
}

static bool enter_role(struct lexicon *lexicon, int t, int column, enum vocabulary_list said,
                       bool below)
{
    const struct lexicon_link link = {LINK_ROLE, t, column, STR(""), below, 90, NULL};
    const char *const *word = vocabulary_lists[said];
    for (; *word != NULL; word++)
        if (!enter_words(lexicon, str_of(*word), link))
            return false;
    return true;
}

/* A reference of persons to persons of the same table: whose manager somebody is, and who reports
 * to somebody. */
static bool enter_manager(struct lexicon *lexicon, int t)
{
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    for (size_t r = 0; r < table->reference_count; r++) {
        const struct catalog_reference *ref = &table->references[r];
        int column = ref->columns[0];
        if (ref->to_table != t || ref->column_count != 1 || table->columns[column].hidden ||
            !has_stem(lexicon, t, column, VOCABULARY_SUPERIORS))
            continue;
        if (!enter_role(lexicon, t, column, VOCABULARY_REPORTED, false) ||
            !enter_role(lexicon, t, column, VOCABULARY_REPORTING, true))
            return false;
    }
    return true;
}

bool lexicon_derived_enter(struct lexicon *lexicon)
{
    for (size_t t = 0; t < lexicon->catalog->table_count; t++)
        if (lexicon->facts[t].visible && !lexicon->catalog->tables[t].is_view &&
            (!enter_senses(lexicon, (int)t) || !enter_stock(lexicon, (int)t) ||
             !enter_ends(lexicon, (int)t) || !enter_manager(lexicon, (int)t) ||
             !find_living(lexicon, (int)t)))
            return false;
    return arena_ok(&lexicon->arena);
}

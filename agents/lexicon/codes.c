/* SPDX-License-Identifier: MIT */
/* agents/lexicon/codes.c - pairs of a code and a label, for columns that hold codes.
 *
 * Happy path: a comment with two pairs or more explains its column; a table whose texts are mostly
 * names of other columns lists their codes; each label becomes a word for its value.
 * Failure: no memory; what is only nearly such a text or table says nothing. */
#include "agents/lexicon/codes.h"

#include "agents/english/synonyms.h"
#include "agents/english/vocabulary.h"
#include "agents/lexicon/column_values.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

enum { PAIRS_LEAST = 2, LIST_COLUMNS = 10, LIST_ROWS = 5000, CODES_MOST = 200 };

struct lexicon_code {
    int column;
    struct str code, label;
    struct lexicon_code *next;
};

/* ---- texts ---- */

static struct str unquote(struct str text)
{
    text = str_trim(text);
    bool quoted = text.len > 2 && (text.at[0] == '\'' || text.at[0] == '"') &&
                  text.at[text.len - 1] == text.at[0];
    return quoted ? str_slice(text, 1, text.len - 1) : text;
}

static bool is_code(struct str text)
{
    bool ok = text.len > 0 && text.len <= LEXICON_CODE_BYTES;
    for (size_t i = 0; ok && i < text.len; i++)
        ok = str_is_alpha(text.at[i]) || str_is_digit(text.at[i]) || text.at[i] == '_';
    return ok;
}

static bool is_label(struct str text)
{
    return text.len > 1 && text.len <= LEXICON_CODE_LABEL && str_is_utf8(text) &&
           str_is_alpha(text.at[0]);
}

/* "0 draft": a number and its words, without a sign. */
static bool read_bare_pair(struct str piece, struct str *code, struct str *label)
{
    enum { DIGITS = 2 };
    size_t digits = 0;
    piece = str_trim(piece);
    while (digits < piece.len && str_is_digit(piece.at[digits]))
        digits++;
    if (digits == 0 || digits > DIGITS || digits + 1 >= piece.len || piece.at[digits] != ' ')
        return false;
    *code = str_slice(piece, 0, digits);
    *label = str_trim(str_from(piece, digits));
    return is_label(*label);
}

/* "1=active", "A: active", "0 - draft"; false: the piece is none of these. */
static bool read_pair(struct str piece, struct str *code, struct str *label)
{
    static const char *const signs[] = {"=", ":", " - "};
    for (size_t i = 0; i < countof(signs); i++) {
        ptrdiff_t at = str_find(piece, str_of(signs[i]));
        if (at == STR_NONE)
            continue;
        struct str behind = str_from(piece, (size_t)at + str_of(signs[i]).len);
        if (i == 0 && str_starts_with(behind, STR(">")))
            behind = str_from(behind, 1);
        struct str before = str_slice(piece, 0, (size_t)at);
        ptrdiff_t colon =
            i == 0 ? str_find_char(before, ':') : STR_NONE; /* "purpose: D=delivery" */
        *code = unquote(colon == STR_NONE ? before : str_from(before, (size_t)colon + 1));
        *label = unquote(behind);
        return is_code(*code) && is_label(*label);
    }
    return read_bare_pair(piece, code, label);
}

/* Where a piece that has a second "=" ends: "A=air S=sea" are two. */
static size_t end_of_pair(struct str piece)
{
    ptrdiff_t first = str_find_char(piece, '=');
    if (first == STR_NONE)
        return piece.len;
    size_t from = (size_t)first + 2 < piece.len ? (size_t)first + 2 : piece.len;
    ptrdiff_t second = str_find_char(str_from(piece, from), '=');
    size_t end = second == STR_NONE ? 0 : from + (size_t)second;
    while (end > from && piece.at[end - 1] == ' ')
        end--;
    while (end > from && piece.at[end - 1] != ' ')
        end--;
    return end > from ? end : piece.len;
}

bool lexicon_codes_next(struct str *rest, struct str *code, struct str *label)
{
    while (rest->len > 0) {
        size_t end = 0;
        while (end < rest->len && rest->at[end] != ',' && rest->at[end] != ';' &&
               rest->at[end] != '\n' && rest->at[end] != '(' && rest->at[end] != ')')
            end++;
        size_t pair = end_of_pair(str_slice(*rest, 0, end));
        struct str piece = str_slice(*rest, 0, pair);
        *rest = str_from(*rest, pair < end ? pair : size_min(end + 1, rest->len));
        if (read_pair(piece, code, label))
            return true;
    }
    return false;
}

/* ---- entering ---- */

static bool may_hold_codes(const struct lexicon *lexicon, int table, int column)
{
    const struct catalog_column *c = &lexicon->catalog->tables[table].columns[column];
    return !c->hidden && !c->pii &&
           (c->type == CATALOG_INTEGER || c->type == CATALOG_NUMBER || c->type == CATALOG_TEXT ||
            c->type == CATALOG_UNKNOWN);
}

static bool keep(struct lexicon *lexicon, int table, int column, struct str code, struct str label)
{
    struct lexicon_code *kept = arena_alloc(&lexicon->arena, sizeof *kept);
    if (kept == NULL)
        return false;
    *kept = (struct lexicon_code){column, arena_str(&lexicon->arena, code),
                                  arena_str(&lexicon->arena, label), lexicon->codes[table]};
    lexicon->codes[table] = kept;
    return arena_ok(&lexicon->arena);
}

bool lexicon_codes_add(struct lexicon *lexicon, int table, int column, struct str code,
                       struct str label)
{
    struct str words[ENGLISH_WORDS];
    if (!str_is_absent(lexicon_codes_label(lexicon, table, column, code)))
        return true;
    if (!keep(lexicon, table, column, code, label))
        return false;
    size_t count = stem_split(&lexicon->arena, label, words, ENGLISH_WORDS);
    const struct lexicon_link link = {LINK_VALUE, table, column, arena_str(&lexicon->arena, code),
                                      false,      100,   NULL,   {0, 0}};
    return lexicon_index_enter(lexicon, words, count, link);
}

bool lexicon_codes_at(const struct lexicon *lexicon, int table, size_t i, int *column,
                      struct str *code, struct str *label)
{
    const struct lexicon_code *at = lexicon->codes == NULL ? NULL : lexicon->codes[table];
    for (; at != NULL && i > 0; i--)
        at = at->next;
    if (at == NULL)
        return false;
    *column = at->column;
    *code = at->code;
    *label = at->label;
    return true;
}

struct str lexicon_codes_label(const struct lexicon *lexicon, int table, int column,
                               struct str code)
{
    const struct lexicon_code *at = lexicon->codes == NULL ? NULL : lexicon->codes[table];
    for (; at != NULL; at = at->next)
        if (at->column == column && str_equal(at->code, code))
            return at->label;
    return (struct str){NULL, 0};
}

bool lexicon_codes_has(const struct lexicon *lexicon, int table, int column)
{
    const struct lexicon_code *at = lexicon->codes == NULL ? NULL : lexicon->codes[table];
    while (at != NULL && at->column != column)
        at = at->next;
    return at != NULL;
}

/* Whether a text explains codes: several, and where no sign says so, one after the other: "0 to 5,
 * 5 is best" are the ends of a scale. */
static bool explains_codes(struct str text)
{
    struct str rest = text, code, label;
    bool signs = str_find_char(text, '=') != STR_NONE || str_find_char(text, ':') != STR_NONE ||
                 str_find(text, STR(" - ")) != STR_NONE;
    size_t pairs = 0;
    for (char last = 0; lexicon_codes_next(&rest, &code, &label); pairs++) {
        char digit = code.at[code.len - 1];
        if (!signs && pairs > 0 && digit != last + 1 && !(last == '9' && digit == '0'))
            return false;
        last = digit;
    }
    return pairs >= PAIRS_LEAST;
}

/* The codes that a comment or the semantic file explains. */
static bool enter_comment(struct lexicon *lexicon, int table, int column, struct str comment)
{
    struct str rest = comment, code, label;
    if (!explains_codes(comment))
        return true;
    for (size_t i = 0; i < CODES_MOST && lexicon_codes_next(&rest, &code, &label); i++)
        if (!lexicon_codes_add(lexicon, table, column, code, label))
            return false;
    return true;
}

/* What an enumerated type or a CHECK lists: 'open','closed'; empty: nothing. */
static struct str listed_of(const struct catalog_column *column)
{
    struct str type = column->declared_type;
    ptrdiff_t at = str_find(type, STR("enum("));
    if (at == STR_NONE && type.len > 5 && str_equal_nocase(str_slice(type, 0, 5), STR("enum(")))
        at = 0;
    return at == STR_NONE ? column->allowed : str_from(type, (size_t)at + 5);
}

/* Values of texts, whether or not any row has them. */
static bool enter_enumerated(struct lexicon *lexicon, int table, int column)
{
    struct str rest = listed_of(&lexicon->catalog->tables[table].columns[column]);
    while (rest.len > 0) {
        struct str value = str_split(&rest, ',');
        if (rest.len == 0 && str_ends_with(value, STR(")")))
            value = str_slice(value, 0, value.len - 1);
        if (!lexicon_index_add(lexicon, table, column, unquote(value)))
            return false;
    }
    return true;
}

/* A word that the glossary has for a code says what the code is. */
static bool keep_terms(struct lexicon *lexicon)
{
    const struct semantic *semantic = lexicon->semantic;
    for (size_t i = 0; semantic != NULL && i < semantic->term_count; i++) {
        const struct semantic_term *term = &semantic->terms[i];
        if (term->table == CATALOG_NONE || !is_code(term->value) || term->value.len > 3 ||
            !may_hold_codes(lexicon, term->table, term->column))
            continue;
        if (!keep(lexicon, term->table, term->column, term->value, term->term))
            return false;
    }
    return true;
}

static bool enter_codes(struct lexicon *lexicon, int table, int column)
{
    const struct semantic_column *said = semantic_model_column(lexicon->semantic, table, column);
    struct str comment = lexicon->catalog->tables[table].columns[column].comment;
    return enter_comment(lexicon, table, column, comment) &&
           (said == NULL || enter_comment(lexicon, table, column, said->description)) &&
           enter_enumerated(lexicon, table, column);
}

bool lexicon_codes_enter(struct lexicon *lexicon)
{
    const struct catalog *catalog = lexicon->catalog;
    lexicon->codes = arena_array(&lexicon->arena, catalog->table_count + 1, sizeof *lexicon->codes);
    if (lexicon->codes == NULL || !keep_terms(lexicon))
        return false;
    for (size_t t = 0; t < catalog->table_count; t++)
        for (size_t c = 0; lexicon->facts[t].visible && c < catalog->tables[t].column_count; c++)
            if (may_hold_codes(lexicon, (int)t, (int)c) && !enter_codes(lexicon, (int)t, (int)c))
                return false;
    return true;
}

/* ---- yes and no ---- */

static const char *const pairs[][2] = {{"y", "n"}, {"yes", "no"}, {"t", "f"}, {"true", "false"},
                                       {"j", "n"}, {"s", "n"},    {"o", "n"}, {"1", "0"}};

bool lexicon_codes_are_opposite(struct str one, struct str other)
{
    for (size_t p = 0; p < countof(pairs); p++)
        for (size_t k = 0; k < 2; k++)
            if (str_equal_nocase(one, str_of(pairs[p][k])) &&
                str_equal_nocase(other, str_of(pairs[p][1 - k])))
                return true;
    return false;
}

/* What says yes and no of two values that are known, 'Y' and 'N'; of a few where the column is
 * called after a question ("is official"), as some may be unknown, or slips. False: they say
 * something else. */
static bool find_answers(const struct lexicon *lexicon, int table, int column, struct str *yes,
                         struct str *no)
{
    enum { ASKED = 8, BOTH = 2 };
    size_t count;
    const struct lexicon_value *values = lexicon_column_values_all(lexicon, table, column, &count);
    bool asked = lexicon_index_has_adverb(lexicon->catalog->tables[table].columns[column].name);
    size_t most = asked ? ASKED : BOTH;
    for (size_t p = 0; count > 0 && count <= most && p < countof(pairs); p++) {
        size_t known = 0;
        *yes = *no = STR("");
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < 2; k++)
                if (str_equal_nocase(values[i].text, str_of(pairs[p][k]))) {
                    struct str *said = k == 0 ? yes : no;
                    if (said->len == 0 || values[i].text.at[0] < said->at[0]) /* 'T' before 't' */
                        *said = values[i].text;
                    known++;
                }
        if ((known == count || count > BOTH) && yes->len > 0)
            return true;
    }
    return false;
}

/* What a column that is answered by yes or no says of a row: "active" of ACT_FLG and isActive; 0
 * words: it is none. */
static size_t words_of_flag(const struct lexicon *lexicon, int table, int column, struct str *words)
{
    static const char *const flags[] = {"flag", "flg", "indicator", "ind", "yn"};
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, table, column);
    size_t from = lexicon->facts[table].shared, to = w->count;
    bool flag = lexicon_index_has_adverb(lexicon->catalog->tables[table].columns[column].name);
    from += flag;
    for (size_t i = 0; i < countof(flags) && to > from + 1; i++)
        if (str_equal(w->words[to - 1], str_of(flags[i]))) {
            flag = true;
            to--;
            break;
        }
    for (size_t i = from; flag && i < to; i++)
        words[i - from] = w->words[i];
    return flag && to > from ? to - from : 0;
}

/* What a column says of a row, by yes and by no, and how sure it is that it does. */
struct answers {
    int table, column, score;
    struct str yes, no;
};

/* Words for what no says: "inactive", and "open" of closed. */
static bool enter_negations(struct lexicon *lexicon, const struct answers *said, struct str word)
{
    static const char *const negations[] = {"in", "un", "non"};
    const struct lexicon_link link = {LINK_VALUE, said->table, said->column, said->no,
                                      false,      90,          NULL,         {0, 0}};
    for (size_t i = 0; i < countof(negations); i++) {
        struct str other = arena_printf(&lexicon->arena, "%s%.*s", negations[i], STR_ARG(word));
        if (str_is_absent(other) || !lexicon_index_enter(lexicon, &other, 1, link))
            return false;
    }
    char stem[STEM_BYTES];
    struct str opposite = english_synonyms_opposite(stem_of(word, stem));
    return str_is_absent(opposite) || lexicon_index_enter(lexicon, &opposite, 1, link);
}

/* Words for what yes says, and for no. */
static bool enter_answers(struct lexicon *lexicon, const struct answers *said,
                          const struct str *words, size_t count)
{
    struct str label = words[0];
    for (size_t i = 1; i < count; i++)
        label = arena_printf(&lexicon->arena, "%.*s %.*s", STR_ARG(label), STR_ARG(words[i]));
    const struct lexicon_link link = {LINK_VALUE, said->table, said->column, said->yes,
                                      false,      said->score, NULL,         {0, 0}};
    bool known =
        !str_is_absent(lexicon_codes_label(lexicon, said->table, said->column, said->yes));
    return !str_is_absent(label) &&
           (known || keep(lexicon, said->table, said->column, said->yes, label)) &&
           lexicon_index_enter(lexicon, words, count, link) &&
           (said->no.len == 0 || count > 1 || enter_negations(lexicon, said, words[0]));
}

static bool enter_text(struct lexicon *lexicon, const struct answers *said, struct str text)
{
    struct str words[ENGLISH_WORDS];
    size_t count = stem_split(&lexicon->arena, text, words, ENGLISH_WORDS);
    return count == 0 || enter_answers(lexicon, said, words, count);
}

/* The words of the semantic file for the column, its name's where it has none. */
static bool enter_named(struct lexicon *lexicon, const struct answers *said,
                        const struct str *words, size_t count)
{
    const struct semantic_column *file =
        semantic_model_column(lexicon->semantic, said->table, said->column);
    bool ok = file == NULL || enter_text(lexicon, said, file->label);
    for (size_t i = 0; ok && file != NULL && i < file->synonyms.count; i++)
        ok = enter_text(lexicon, said, file->synonyms.at[i]);
    return ok && (count == 0 || enter_answers(lexicon, said, words, count));
}

/* The words of the name of a column whose only values are yes and no. */
static size_t words_of_name(const struct lexicon *lexicon, int table, int column, struct str *words)
{
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, table, column);
    size_t from = lexicon->facts[table].shared;
    for (size_t i = from; i < w->count; i++)
        words[i - from] = w->words[i];
    return w->count > from ? w->count - from : 0;
}

static bool enter_flag(struct lexicon *lexicon, int table, int column)
{
    enum { SURE = 100, BY_VALUES = 90 };
    struct str words[ENGLISH_WORDS];
    struct answers said = {.table = table, .column = column, .score = SURE};
    size_t count = words_of_flag(lexicon, table, column, words);
    if (!find_answers(lexicon, table, column, &said.yes, &said.no))
        return true;
    if (count == 0 && said.no.len == 0)
        return true; /* 'T' alone may be anything */
    if (count == 0) {
        count = words_of_name(lexicon, table, column, words);
        said.score = BY_VALUES;
    }
    return enter_named(lexicon, &said, words, count);
}

/* The words of a whole number's name that say what a row is: "paid" of pagata. */
static size_t words_of_state(const struct lexicon *lexicon, int table, int column,
                             struct str *words)
{
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, table, column);
    size_t from = lexicon->facts[table].shared, count;
    char stem[STEM_BYTES];
    count = words_of_flag(lexicon, table, column, words);
    if (count > 0 || w->count != from + 1)
        return count;
    words[0] = w->words[from];
    bool state = (words[0].len > 4 && str_ends_with(words[0], STR("ed"))) ||
                 vocabulary_has(VOCABULARY_STATES, stem_of(words[0], stem));
    return state ? 1 : 0;
}

/* The words of a whole number's name that may be what a row has or not: "newsletter"; 0: it is
 * rather a number of something. */
static size_t words_of_noun(const struct lexicon *lexicon, int table, int column, struct str *words)
{
    static const enum vocabulary_list numbers[] = {
        VOCABULARY_AMOUNTS, VOCABULARY_QUANTITIES, VOCABULARY_LEVELS, VOCABULARY_SHARES,
        VOCABULARY_STOCKS,  VOCABULARY_COUNTED,    VOCABULARY_RANKS,  VOCABULARY_LABELS};
    enum { MOST = 2, LEAST = 5, ROWS = 200000 };
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, table, column);
    size_t from = lexicon->facts[table].shared;
    char stem[STEM_BYTES];
    if (w->count <= from || w->count > from + MOST || !t->columns[column].not_null ||
        t->row_count > ROWS || w->words[w->count - 1].len < LEAST)
        return 0;
    for (size_t i = from; i < w->count; i++) {
        for (size_t k = 0; k < countof(numbers); k++)
            if (vocabulary_has(numbers[k], w->words[i]) ||
                vocabulary_has(numbers[k], stem_of(w->words[i], stem)))
                return 0;
        words[i - from] = w->words[i];
    }
    return w->count - from;
}

/* What a row has where the column says 1. */
static bool enter_noun(struct lexicon *lexicon, int table, int column)
{
    struct str words[ENGLISH_WORDS];
    size_t count = words_of_noun(lexicon, table, column, words);
    const struct lexicon_link link = {LINK_BOOL, table, column, STR(""), false, 90, NULL, {0, 0}};
    return count == 0 || lexicon_index_enter(lexicon, words, count, link);
}

bool lexicon_codes_may_be_flag(const struct lexicon *lexicon, int table, int column)
{
    struct str words[ENGLISH_WORDS];
    const struct catalog *catalog = lexicon->catalog;
    const struct catalog_column *c = &catalog->tables[table].columns[column];
    return lexicon->facts[table].visible && c->type == CATALOG_INTEGER && !c->hidden && !c->pii &&
           !c->primary_key && !catalog->tables[table].is_view &&
           !lexicon_index_is_boolean(catalog, table, column) &&
           lexicon_index_reference(catalog, table, column) == NULL &&
           (words_of_state(lexicon, table, column, words) > 0 ||
            words_of_noun(lexicon, table, column, words) > 0);
}

bool lexicon_codes_take_flag(struct lexicon *lexicon, int table, int column,
                             const struct sql_result *rows)
{
    struct str words[ENGLISH_WORDS];
    size_t count = words_of_state(lexicon, table, column, words);
    for (size_t row = 0; row < rows->row_count; row++) {
        const struct sql_value *value = sql_result_at(rows, row, 0);
        if (value->type != SQL_INT || value->integer < 0 || value->integer > 1)
            return true;
    }
    if (count == 0)
        return rows->row_count != 2 || rows->truncated || enter_noun(lexicon, table, column);
    const struct answers said = {table, column, 100, STR("1"), STR("0")};
    return rows->row_count == 0 || rows->truncated || enter_named(lexicon, &said, words, count);
}

bool lexicon_codes_flags(struct lexicon *lexicon)
{
    const struct catalog *catalog = lexicon->catalog;
    for (size_t t = 0; t < catalog->table_count; t++)
        for (size_t c = 0; lexicon->facts[t].visible && c < catalog->tables[t].column_count; c++)
            if (catalog->tables[t].columns[c].type == CATALOG_TEXT &&
                may_hold_codes(lexicon, (int)t, (int)c) && !enter_flag(lexicon, (int)t, (int)c))
                return false;
    return true;
}

/* ---- a table of codes ---- */

static bool ends_in(const struct lexicon *lexicon, int table, int column, const char *const *words,
                    size_t count)
{
    const struct lexicon_words *name = lexicon_spelling_column(lexicon, table, column);
    for (size_t i = 0; i < count && name->count > 0; i++)
        if (str_equal(name->words[name->count - 1], str_of(words[i])))
            return true;
    return false;
}

/* "unitStatus", "unit_status" and "unit.unit_status" are a column of unit. */
static bool is_called(const struct catalog_table *table, size_t column, struct str kind)
{
    struct str name = table->columns[column].name;
    ptrdiff_t dot = str_find_char(kind, '.');
    if (dot != STR_NONE && !str_equal_nocase(str_slice(kind, 0, (size_t)dot), table->name))
        return false;
    return lexicon_column_values_same(dot == STR_NONE ? kind : str_from(kind, (size_t)dot + 1),
                                      name);
}

static bool names_column(const struct lexicon *lexicon, int list, struct str kind)
{
    const struct catalog *catalog = lexicon->catalog;
    for (size_t t = 0; t < catalog->table_count; t++)
        for (size_t c = 0; (int)t != list && c < catalog->tables[t].column_count; c++)
            if (is_called(&catalog->tables[t], c, kind))
                return true;
    return false;
}

/* The column whose values are mostly names of other tables' columns; CATALOG_NONE: none is. */
static int find_kind(const struct lexicon *lexicon, int table)
{
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    for (size_t c = 0; c < t->column_count; c++) {
        size_t count, known = 0;
        const struct lexicon_value *values =
            lexicon_column_values_all(lexicon, table, (int)c, &count);
        for (size_t i = 0; i < count; i++)
            known += names_column(lexicon, table, values[i].text);
        if (known >= PAIRS_LEAST && 2 * known > count)
            return (int)c;
    }
    return CATALOG_NONE;
}

bool lexicon_codes_is_list(const struct lexicon *lexicon, int table, struct lexicon_code_list *list)
{
    static const char *const codes[] = {"code", "value", "key", "number"};
    static const char *const labels[] = {"label", "name",  "description",
                                         "text",  "title", "meaning"};
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    *list = (struct lexicon_code_list){table, CATALOG_NONE, CATALOG_NONE, CATALOG_NONE};
    if (t->column_count > LIST_COLUMNS || t->row_count > LIST_ROWS || t->is_view ||
        !lexicon->facts[table].visible || t->secure_view != CATALOG_NONE)
        return false;
    list->kind = find_kind(lexicon, table);
    for (size_t c = 0; list->kind != CATALOG_NONE && c < t->column_count; c++) {
        if ((int)c == list->kind || !may_hold_codes(lexicon, table, (int)c))
            continue;
        if (list->code == CATALOG_NONE && ends_in(lexicon, table, (int)c, codes, countof(codes)))
            list->code = (int)c;
        else if (list->label == CATALOG_NONE && t->columns[c].type == CATALOG_TEXT &&
                 ends_in(lexicon, table, (int)c, labels, countof(labels)))
            list->label = (int)c;
    }
    return list->code != CATALOG_NONE && list->label != CATALOG_NONE;
}

static struct str code_text(struct lexicon *lexicon, const struct sql_value *value)
{
    if (value->type == SQL_INT)
        return arena_printf(&lexicon->arena, "%lld", (long long)value->integer);
    return value->type == SQL_TEXT ? value->text : (struct str){NULL, 0};
}

bool lexicon_codes_take(struct lexicon *lexicon, const struct lexicon_code_list *list,
                        const struct sql_result *rows)
{
    const struct catalog *catalog = lexicon->catalog;
    for (size_t row = 0; row < rows->row_count && rows->column_count == 3; row++) {
        const struct sql_value *kind = sql_result_at(rows, row, 0);
        const struct sql_value *label = sql_result_at(rows, row, 2);
        struct str code = code_text(lexicon, sql_result_at(rows, row, 1));
        if (kind->type != SQL_TEXT || label->type != SQL_TEXT || !is_code(code) ||
            !is_label(label->text))
            continue;
        for (size_t t = 0; t < catalog->table_count; t++)
            for (size_t c = 0; (int)t != list->table && c < catalog->tables[t].column_count; c++)
                if (lexicon->facts[t].visible && may_hold_codes(lexicon, (int)t, (int)c) &&
                    is_called(&catalog->tables[t], c, kind->text) &&
                    !lexicon_codes_add(lexicon, (int)t, (int)c, code, label->text))
                    return false;
    }
    return arena_ok(&lexicon->arena);
}

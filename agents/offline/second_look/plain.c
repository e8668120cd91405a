/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/plain.c - a check for each kind of word.
 *
 * Happy path: the question is split into words; each check looks for its words and for what the
 * statement has of them. Failure: more words than fit are not looked at; without memory there is no
 * remark. */
#include "agents/offline/second_look/plain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agents/english/language.h"
#include "agents/english/vocabulary.h"
#include "agents/sql/doubts/said.h"
#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/joins/multiplied.h"
#include "core/base/calendar.h"
#include "core/words/stem.h"

enum { MAX_WORDS = 96, REMARK_BYTES = 160, LEAST_YEAR = 1950, MOST_YEAR = 2099, MOST_ASKED = 1000 };

struct plain {
    struct str words[MAX_WORDS];
    size_t count;
    struct sql_said said;
    const struct sql_parse *parse;
    struct arena *arena;
    offline_compare_fn *say;
    void *owner;
};

static void say(const struct plain *p, const char *asked, const char *told, const char *shown)
{
    char whole[2 * REMARK_BYTES], plain[2 * REMARK_BYTES];
    snprintf(whole, sizeof whole, "%s%s", asked, told);
    snprintf(plain, sizeof plain, "%s%s", asked, shown);
    p->say(p->owner, &(struct offline_remark){.told = str_of(whole), .shown = str_of(plain)});
}

static bool calls(const struct plain *p, const char *const *names, size_t count)
{
    for (size_t i = 0; i < p->parse->function_count; i++)
        if (str_is_listed_nocase(p->parse->functions[i].name, names, count))
            return true;
    return false;
}

/* ---- years ---- */

static bool is_written(struct str sql, int64_t year)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, year);
    return str_find(sql, str_of(text)) != STR_NONE;
}

/* Whether the question asks for what is after the year, which then begins with the next one. */
static bool is_after(const struct plain *p, int64_t year)
{
    for (size_t i = 0; i < p->said.bound_count; i++)
        if (p->said.bounds[i].side == SQL_DOUBTS_AFTER &&
            p->said.bounds[i].end == calendar_day(year + 1, 1, 1))
            return is_written(p->parse->text, year + 1);
    return false;
}

/* A year that the question names stands in the statement; of the end of a range the one after it.
 */
static void look_at_years(const struct plain *p)
{
    bool is_range = false;
    for (size_t i = 0; i < p->count; i++) {
        uint64_t year;
        char asked[REMARK_BYTES];
        if (p->words[i].len != 4 || !str_to_u64(p->words[i], &year) || year < LEAST_YEAR ||
            year > MOST_YEAR)
            continue;
        const bool is_end = is_range && is_written(p->parse->text, (int64_t)year + 1);
        is_range = true;
        if (is_end || is_written(p->parse->text, (int64_t)year) || is_after(p, (int64_t)year))
            continue;
        snprintf(asked, sizeof asked, "the question names %" PRIu64, year);
        say(p, asked, ", which is not in the statement", ", which the answer may not heed");
        return;
    }
}

/* Whether a word of the question begins so, which no word of another language does. */
static bool has_beginning(const struct plain *p, const char *const *beginnings, size_t count)
{
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < count; k++) {
            struct str begins = str_of(beginnings[k]);
            if (p->words[i].len >= begins.len &&
                str_equal_nocase(str_slice(p->words[i], 0, begins.len), begins))
                return true;
        }
    return false;
}

/* ---- different ones, and none of them ---- */

/* "how many different": a count of rows that is not DISTINCT. */
static void look_at_different(const struct plain *p)
{
    static const char *const words[] = {"different", "distinct",    "diferent",        "distint",
                                        "différent", "verschieden", "unterschiedlich", "unique"};
    const struct sql_branch *branch = p->parse->tree->branches;
    const struct sql_expr *expr = branch->items == NULL ? NULL : branch->items->expr;
    if (expr == NULL || expr->kind != SQL_EXPR_CALL || branch->item_count != 1 ||
        !str_equal(expr->call->name, STR("count")) || expr->call->distinct || branch->distinct ||
        p->parse->has_group_by || p->parse->has_subquery || p->parse->has_with ||
        !has_beginning(p, words, countof(words)))
        return;
    say(p, "the question asks for different ones", ", the statement counts rows",
        ", the answer may count one several times");
}

/* Whether the statement leaves something out, in whatever way. */
static bool denies(struct str sql)
{
    static const char *const signs[] = {"<>",     "!=",  "not ", "not(",  "null",
                                        "except", "= 0", "=0",   "false", "minus"};
    for (size_t i = 0; i < countof(signs); i++)
        for (size_t at = 0; at + strlen(signs[i]) <= sql.len; at++)
            if (str_equal_nocase(str_slice(sql, at, at + strlen(signs[i])), str_of(signs[i])))
                return true;
    return false;
}

/* Whether the word stands in the statement as a text, alone. */
static bool is_compared(const struct plain *p, struct str word)
{
    struct str quoted = arena_printf(p->arena, "'%.*s'", STR_ARG(word));
    for (size_t at = 0; word.len > 2 && at + quoted.len <= p->parse->text.len; at++)
        if (str_equal_nocase(str_slice(p->parse->text, at, at + quoted.len), quoted))
            return true;
    return false;
}

/* "not in Bonn", and a statement that looks for Bonn and leaves nothing out. */
static void look_at_denied(const struct plain *p)
{
    enum { BEHIND = 4 };
    static const char *const words[] = {"außer", "ausser", "except", "excluding", "keine",
                                        "never", "nicht",  "not",    "ohne",      "sans",
                                        "sin",   "sauf",   "without"};
    for (size_t i = 0; i < p->count; i++) {
        bool is_one = false;
        for (size_t k = 0; k < countof(words); k++)
            is_one = is_one || str_equal_nocase(p->words[i], str_of(words[k]));
        for (size_t k = i + 1; is_one && k < p->count && k <= i + BEHIND; k++)
            if (is_compared(p, p->words[k]) && !denies(p->parse->text)) {
                say(p, "the question leaves something out", ", the statement leaves nothing out",
                    ", the answer may be of just that");
                return;
            }
    }
}

/* ---- what is computed ---- */

/* "the total number of" is a count, and so is a total of rows that are counted. */
static bool asks_sum(const struct plain *p)
{
    char stem[STEM_BYTES];
    for (size_t i = 0; i + 1 < p->count; i++)
        if (str_equal_nocase(p->words[i], STR("total")))
            for (size_t k = i + 1; k < p->count && k <= i + 2; k++)
                if (vocabulary_has(VOCABULARY_SUMS, stem_of(p->words[k], stem)))
                    return true;
    return false;
}

static void look_at_total(const struct plain *p)
{
    static const char *const count[] = {"count"};
    static const char *const sum[] = {"sum", "total"};
    if (asks_sum(p) && calls(p, count, countof(count)) && !calls(p, sum, countof(sum)))
        say(p, "the question asks for a total", ", the statement counts rows",
            ", the answer may be another number");
}

/* ---- what is counted ---- */

/* How a question in some language begins that asks how many there are. */
static const char *const openers[][2] = {
    {"how", "many"},   {"wie", "viele"},  {"cuántos", NULL}, {"cuántas", NULL}, {"combien", NULL},
    {"quantos", NULL}, {"quantas", NULL}, {"quanti", NULL},  {"quante", NULL},  {"hoeveel", NULL},
};

/* Where the words behind "how many" begin; count: it asks for no number. */
static size_t behind_opener(const struct plain *p)
{
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < countof(openers); k++) {
            const size_t length = openers[k][1] == NULL ? 1 : 2;
            if (i + length <= p->count && str_equal_nocase(p->words[i], str_of(openers[k][0])) &&
                (length == 1 || str_equal_nocase(p->words[i + 1], str_of(openers[k][1]))))
                return i + length;
        }
    return p->count;
}

/* Whether the words from at on are the name of the table, whatever their endings. */
static bool stands_at(const struct plain *p, size_t at, struct str name)
{
    enum { NAME_WORDS = 8 };
    struct str words[NAME_WORDS];
    const size_t count = stem_split(p->arena, name, words, NAME_WORDS);
    for (size_t i = 0; i < count; i++) {
        char one[STEM_BYTES], other[STEM_BYTES];
        if (at + i >= p->count ||
            !str_equal(stem_of(words[i], one), stem_of(p->words[at + i], other)))
            return false;
    }
    return count > 0;
}

/* The table of the statement that the question counts; -1: none of them is named so. */
static int counted_table(const struct plain *p)
{
    enum { BEFORE = 3 }; /* words that may stand before the noun: "how many of our active ..." */
    const size_t from = behind_opener(p);
    for (size_t at = from; at < p->count && at <= from + BEFORE; at++)
        for (size_t i = 0; i < p->parse->table_count; i++)
            if (stands_at(p, at, p->parse->tables[i].name))
                return (int)i;
    return -1;
}

/* Whether the only number that the statement gives is one COUNT of rows or of a column's values. */
static bool only_counts(const struct sql_parse *parse)
{
    const struct sql_branch *branch = parse->tree->branches;
    size_t counts = 0;
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next) {
        const struct sql_expr *expr = item->expr;
        if (expr == NULL || (expr->kind != SQL_EXPR_CALL && expr->kind != SQL_EXPR_NAME))
            return false;
        if (expr->kind == SQL_EXPR_NAME)
            continue;
        if (!str_equal(expr->call->name, STR("count")) || expr->call->distinct)
            return false;
        counts++;
    }
    return counts == 1 && !branch->distinct && !parse->has_subquery && !parse->has_set_operation &&
           !parse->has_with;
}

/* COUNT(*) over a join in which what is counted comes again. */
static void look_at_repeats(const struct plain *p, const struct catalog *catalog)
{
    struct sql_multiplied multiplied;
    char asked[REMARK_BYTES], told[REMARK_BYTES];
    const int table = only_counts(p->parse) ? counted_table(p) : -1;
    if (table < 0 || p->parse->tables[table].table == CATALOG_NONE)
        return;
    sql_multiplied_init(&multiplied, p->parse, catalog);
    const int by = sql_multiplied_by(&multiplied, table);
    if (by < 0)
        return;
    const struct sql_table_ref *tables = p->parse->tables;
    snprintf(asked, sizeof asked, "the question counts %.*s",
             STR_ARG(str_utf8_prefix(tables[table].name, REMARK_BYTES / 2)));
    snprintf(told, sizeof told, ", the statement counts one again for each row of %.*s",
             STR_ARG(str_utf8_prefix(tables[by].name, REMARK_BYTES / 2)));
    say(p, asked, told, ", the answer may count one several times");
}

void offline_plain_compare(const struct catalog *catalog, struct str question,
                           const struct sql_parse *parse, struct arena *arena,
                           offline_compare_fn *say_it, void *owner)
{
    struct plain plain = {.parse = parse, .arena = arena, .say = say_it, .owner = owner};
    plain.count = stem_split(arena, question, plain.words, MAX_WORDS);
    sql_said_read(arena, question, &plain.said);
    look_at_years(&plain);
    look_at_repeats(&plain, catalog);
    look_at_different(&plain);
    look_at_denied(&plain);
    if (!str_is_absent(english_language_other(question)))
        return; /* its words may be other ones that look the same */
    look_at_total(&plain);
}

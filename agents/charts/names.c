/* SPDX-License-Identifier: MIT */
/* agents/charts/names.c - tables of words, in which the words of a name are looked up.
 *
 * Happy path: the name is split once, then its words are looked up. Failure: a name that no table
 * has is a plain noun; a spent arena gives a name without words. */
#include "agents/charts/names.h"

#include <string.h>

#include "core/words/stem.h"
#include "core/base/buf.h"

enum { SHOWN_BYTES = 48 };

static const char *const key_words[] = {
    "id",      "ids",      "uuid", "guid",   "key",  "pk",        "code",  "codes",
    "zip",     "postcode", "sku",  "isbn",   "iban", "ssn",       "phone", "rank",
    "ranking", "position", "rn",   "mobile", "fax",  "ean",       "upc",   "bic",
    "swift",   "ip",       "hash", "token",  "row",  "telephone", "url",   "index"};
/* Keys when another word stands before them: account_number, order_no. */
static const char *const key_endings[] = {"number", "no", "num", "nr", "seq"};
static const char *const measure_words[] = {
    "count",   "sum",   "total",   "avg",   "average", "mean",    "median",   "min",    "max",
    "amount",  "value", "balance", "price", "cost",    "revenue", "quantity", "qty",    "hours",
    "minutes", "days",  "percent", "share", "rate",    "ratio",   "income",   "salary", "score"};
static const char *const not_additive[] = {
    "avg",        "average",      "mean",       "median",   "min",        "max",
    "minimum",    "maximum",      "rate",       "ratio",    "percent",    "percentage",
    "pct",        "share",        "price",      "score",    "age",        "rating",
    "growth",     "margin",       "index",      "per",      "lowest",     "highest",
    "level",      "change",       "difference", "variance", "stddev",     "temperature",
    "proportion", "latitude",     "longitude",  "fraction", "percentile", "cumulative",
    "running",    "balance_after"};
static const char *const share_words[] = {"percent",    "percentage", "pct",     "share",
                                          "proportion", "fraction",   "portion", "ratio"};
static const char *const given[] = {"first", "given", "firstname", "forename"};
static const char *const family[] = {"last", "family", "lastname", "surname"};
static const char *const year_words[] = {"year", "yr", "fy", "years", "yyyy"};
static const char *const asking_words[] = {"share",   "shares",      "percentage",  "percentages",
                                           "percent", "proportion",  "proportions", "breakdown",
                                           "split",   "composition", "fraction",    "makeup",
                                           "divided", "portion",     "constitute",  "comprise"};

static const struct {
    const char *word;
    double least, most;
} steps[] = {
    {"month", 1, 12}, {"weekday", 0, 7}, {"dow", 0, 7},     {"hour", 0, 23},     {"quarter", 1, 4},
    {"week", 0, 53},  {"day", 0, 31},    {"rating", 0, 10}, {"stars", 0, 10},    {"grade", 0, 10},
    {"level", 0, 20}, {"step", 0, 50},   {"floor", 0, 200}, {"priority", 0, 10},
};

static const struct {
    const char *word, *unit;
} units[] = {
    {"count", "count"},     {"number", "count"},
    {"qty", "count"},       {"n", "count"},
    {"cnt", "count"},       {"quantity", "count"},
    {"percent", "%"},       {"percentage", "%"},
    {"pct", "%"},           {"share", "%"},
    {"rate", "%"},          {"growth", "%"},
    {"margin", "%"},        {"ratio", "%"},
    {"hours", "hours"},     {"hrs", "hours"},
    {"minutes", "minutes"}, {"mins", "minutes"},
    {"seconds", "seconds"}, {"days", "days"},
    {"weeks", "weeks"},     {"months", "months"},
    {"kg", "kg"},           {"km", "km"},
    {"miles", "miles"},     {"bytes", "bytes"},
    {"ms", "ms"},           {"years", "years"},
    {"amount", "money"},    {"balance", "money"},
    {"price", "money"},     {"cost", "money"},
    {"costs", "money"},     {"revenue", "money"},
    {"sales", "money"},     {"income", "money"},
    {"profit", "money"},    {"expense", "money"},
    {"expenses", "money"},  {"salary", "money"},
    {"wage", "money"},      {"fee", "money"},
    {"fees", "money"},      {"tax", "money"},
    {"debit", "money"},     {"credit", "money"},
    {"debits", "money"},    {"credits", "money"},
    {"deposits", "money"},  {"withdrawals", "money"},
    {"budget", "money"},    {"payment", "money"},
    {"payments", "money"},  {"turnover", "money"},
    {"spend", "money"},     {"spent", "money"},
    {"paid", "money"},      {"debt", "money"},
    {"usd", "money"},       {"eur", "money"},
    {"gbp", "money"},       {"earnings", "money"},
    {"assets", "money"},    {"liabilities", "money"},
    {"ebitda", "money"},
};

static const struct {
    const char *function, *shown;
} functions[] = {
    {"count", "Count of"}, {"sum", "Total"},  {"total", "Total"},
    {"avg", "Average"},    {"min", "Lowest"}, {"max", "Highest"},
};

static bool is_in(struct str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(word, str_of(list[i])))
            return true;
    return false;
}

static bool has_word(const struct charts_names *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < name->count; i++)
        if (is_in(name->words[i], list, count))
            return true;
    return false;
}

static struct str last_word(const struct charts_names *name)
{
    return name->count == 0 ? STR("") : name->words[name->count - 1];
}

static bool is_call(const struct charts_names *name)
{
    return str_find_char(name->whole, '(') != STR_NONE;
}

struct charts_names charts_names_read(struct arena *arena, struct str name)
{
    struct charts_names read = {.whole = name};
    read.count = stem_split(arena, name, read.words, CHARTS_NAMES_WORDS);
    return read;
}

bool charts_names_is_key(const struct charts_names *name)
{
    struct str last = last_word(name);
    if (is_call(name) || charts_names_is_measure(name))
        return false;
    if (is_in(last, key_words, countof(key_words)))
        return true;
    return name->count > 1 && is_in(last, key_endings, countof(key_endings));
}

bool charts_names_is_measure(const struct charts_names *name)
{
    return is_call(name) || has_word(name, measure_words, countof(measure_words));
}

bool charts_names_is_additive(const struct charts_names *name)
{
    return !has_word(name, not_additive, countof(not_additive));
}

bool charts_names_is_share(const struct charts_names *name)
{
    return has_word(name, share_words, countof(share_words)) ||
           str_find_char(name->whole, '%') != STR_NONE;
}

bool charts_names_is_year(const struct charts_names *name)
{
    return has_word(name, year_words, countof(year_words)) && !charts_names_is_measure(name);
}

bool charts_names_is_step(const struct charts_names *name, double *least, double *most)
{
    struct str word = last_word(name);
    if (charts_names_is_measure(name))
        return false;
    if (name->count == 3 && str_equal(name->words[1], STR("of"))) /* day_of_week, month_of_year */
        word = str_equal(word, STR("week")) ? STR("weekday") : name->words[0];
    for (size_t i = 0; i < countof(steps); i++)
        if (str_equal(word, str_of(steps[i].word))) {
            *least = steps[i].least;
            *most = steps[i].most;
            return true;
        }
    return false;
}

int charts_names_person_part(const struct charts_names *name)
{
    bool says_name = str_equal(last_word(name), STR("name")) || name->count == 1;
    if (name->count == 0 || name->count > 3 || !says_name)
        return 0;
    struct str word = name->words[name->count > 1 ? name->count - 2 : 0];
    bool is_alone =
        name->count == 1 && (str_equal(word, STR("first")) || str_equal(word, STR("last")));
    if (is_alone)
        return 0;
    return is_in(word, given, countof(given)) ? 1 : is_in(word, family, countof(family)) ? 2 : 0;
}

bool charts_names_is_bare(const struct charts_names *name)
{
    static const char *const naming[] = {"name", "names", "title", "label", "full", "display"};
    for (size_t i = 0; i < name->count; i++)
        if (!is_in(name->words[i], naming, countof(naming)) &&
            !is_in(name->words[i], given, countof(given)) &&
            !is_in(name->words[i], family, countof(family)))
            return false;
    return name->count > 0;
}

struct str charts_names_unit(struct arena *arena, const struct charts_names *name)
{
    char stem[STEM_BYTES];
    struct str head = STR("");
    for (size_t i = 0; i < name->count; i++)
        for (size_t unit = 0; unit < countof(units); unit++)
            if (str_equal(name->words[i], str_of(units[unit].word)))
                return str_of(units[unit].unit);
    for (size_t i = name->count; i-- > 0 && head.len == 0;)
        if (!str_is_digit(name->words[i].at[0]))
            head = name->words[i];
    return arena_str(arena, stem_of(head, stem));
}

/* ---- for readers ---- */

static void push_words(struct buf *out, const struct charts_names *name, size_t from)
{
    for (size_t i = from; i < name->count; i++) {
        if (buf_len(out) > 0)
            buf_push_char(out, ' ');
        buf_push(out, str_equal(name->words[i], STR("id")) ? STR("ID") : name->words[i]);
    }
    if (buf_len(out) == 0 || !buf_ok(out))
        return;
    char *first = out->at + out->start;
    *first = (char)(*first >= 'a' && *first <= 'z' ? *first - 32 : *first);
}

/* FUNCTION(alias.column) in words; nothing when it is another expression. */
static void push_call(struct buf *out, const struct charts_names *name)
{
    struct str rest = name->whole;
    struct str function = str_trim(str_split(&rest, '('));
    struct str inner = str_trim(str_split(&rest, ')'));
    size_t from = 1;
    if (str_is_absent(rest) || str_trim(rest).len > 0 || name->count == 0)
        return;
    for (size_t i = 0; i < inner.len; i++)
        if (!str_is_alpha(inner.at[i]) && !str_is_digit(inner.at[i]) && inner.at[i] != '.' &&
            inner.at[i] != '_' && inner.at[i] != '"' && inner.at[i] != '`' && inner.at[i] != ' ' &&
            inner.at[i] != '*')
            return;
    if (str_find_char(inner, '.') != STR_NONE)
        from = 2; /* without the alias */
    for (size_t i = 0; i < countof(functions); i++)
        if (str_equal_nocase(function, str_of(functions[i].function))) {
            bool is_bare = from >= name->count;
            buf_push(out, is_bare ? STR("Count") : str_of(functions[i].shown));
            push_words(out, name, from);
            return;
        }
}

/* A person wrote it, blanks and all; "firstName lastName" is two names. */
static bool is_said(struct str name)
{
    if (str_find_char(name, ' ') == STR_NONE || str_find_char(name, '_') != STR_NONE)
        return false;
    for (size_t i = 1; i < name.len; i++)
        if (name.at[i - 1] >= 'a' && name.at[i - 1] <= 'z' && name.at[i] >= 'A' &&
            name.at[i] <= 'Z')
            return false;
    return true;
}

/* The shown name of a column that merge.c joined: it has both names, "firstName lastName", "year
 * month". */
static struct str show_joined(const struct charts_names *name)
{
    struct str last = last_word(name);
    if (str_find_char(name->whole, ' ') == STR_NONE || name->count < 2)
        return (struct str){NULL, 0};
    if (has_word(name, given, countof(given)) && has_word(name, family, countof(family)))
        return STR("Name");
    if (!has_word(name, year_words, countof(year_words)))
        return (struct str){NULL, 0};
    return str_equal(last, STR("month"))     ? STR("Month")
           : str_equal(last, STR("quarter")) ? STR("Quarter")
                                             : (struct str){NULL, 0};
}

struct str charts_names_show(struct arena *arena, const struct charts_names *name)
{
    struct buf out;
    struct str shown;
    buf_init(&out, 4096);
    if (str_equal_nocase(name->whole, STR("n")) || str_equal_nocase(name->whole, STR("cnt")))
        buf_push(&out, STR("Count"));
    else if (!str_is_absent(show_joined(name)))
        buf_push(&out, show_joined(name));
    else if (is_call(name))
        push_call(&out, name);
    else if (!is_said(name->whole))
        push_words(&out, name, 0);
    shown = buf_ok(&out) && buf_len(&out) > 0 ? buf_str(&out) : name->whole;
    shown = arena_str(arena, str_utf8_prefix(shown, SHOWN_BYTES));
    buf_fini(&out);
    return shown;
}

struct str charts_names_capital(struct arena *arena, struct str text)
{
    if (str_is_empty(text) || text.at[0] < 'a' || text.at[0] > 'z')
        return text;
    return arena_printf(arena, "%c%.*s", text.at[0] - 'a' + 'A', STR_ARG(str_from(text, 1)));
}

bool charts_names_asks_share(struct arena *arena, struct str question)
{
    struct str words[128];
    size_t count = stem_split(arena, question, words, countof(words));
    for (size_t i = 0; i < count; i++) {
        if (is_in(words[i], asking_words, countof(asking_words)))
            return true;
        bool is_pair = i + 1 < count &&
                       (str_equal(words[i], STR("part")) || str_equal(words[i], STR("parts")) ||
                        str_equal(words[i], STR("make")));
        if (is_pair && (str_equal(words[i + 1], STR("of")) || str_equal(words[i + 1], STR("up"))))
            return true;
    }
    return str_find_char(question, '%') != STR_NONE;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/said.c - a question cut into words and numbers, then read from left to right.
 *
 * Happy path: a phrase that bounds is followed by a number or a day; a month or quarter of a year
 * that follows none is a period. Failure: words beyond the limits are not read. */
#include "agents/sql/doubts/said.h"

#include "core/base/buf.h"
#include "core/base/calendar.h"
#include "core/words/scale.h"

enum {
    LEAST_YEAR = 1950,
    MOST_YEAR = 2099,
    MONTHS = 12,
    DAYS = 31,
    MOST_FILLERS = 3,
    TEXT_BYTES = 512
};

/* ---- words ---- */

static bool is_sign(struct str text, size_t at)
{
    const unsigned char c = (unsigned char)text.at[at];
    if (c == '$')
        return true;
    if (c < 0x80)
        return str_is_alpha((char)c);
    const unsigned char next = at + 1 < text.len ? (unsigned char)text.at[at + 1] : 0;
    return !(c == 0xc2 && next != 0xa3) && /* marks of Latin-1, the pound aside */
           !(at > 0 && (unsigned char)text.at[at - 1] == 0xc2 && c != 0xa3);
}

static size_t end_of_number(struct str text, size_t at)
{
    while (at < text.len && (str_is_digit(text.at[at]) ||
                             (at + 1 < text.len && str_is_digit(text.at[at + 1]) &&
                              (text.at[at] == '.' || text.at[at] == ',' || text.at[at] == '-'))))
        at++;
    return at;
}

static size_t end_of_word(struct str text, size_t at)
{
    while (at < text.len && (is_sign(text, at) || str_is_digit(text.at[at])))
        at++;
    return at;
}

static struct str lower(struct arena *arena, struct str word)
{
    char *to = arena_alloc(arena, word.len + 1);
    for (size_t i = 0; to != NULL && i < word.len; i++) {
        const unsigned char c = (unsigned char)word.at[i];
        const bool is_capital =
            i > 0 && (unsigned char)word.at[i - 1] == 0xc3 && c >= 0x80 && c <= 0x9e && c != 0x97;
        to[i] = is_capital ? (char)(c + 0x20) : str_lower(word.at[i]);
    }
    return to == NULL ? (struct str){NULL, 0} : str_make(to, word.len);
}

/* "2025-03-31" or "31.3.2025". */
static bool read_day(struct str text, int64_t *day)
{
    const char separator = str_find_char(text, '-') != STR_NONE ? '-' : '.';
    uint64_t parts[3];
    size_t count = 0;
    for (struct str rest = text; !str_is_absent(rest); count++)
        if (count == countof(parts) || !str_to_u64(str_split(&rest, separator), &parts[count]))
            return false;
    const uint64_t year = separator == '-' ? parts[0] : parts[2],
                   of_month = separator == '-' ? parts[2] : parts[0];
    if (count != countof(parts) || year < LEAST_YEAR || year > MOST_YEAR || parts[1] < 1 ||
        parts[1] > MONTHS || of_month < 1 || of_month > DAYS)
        return false;
    *day = calendar_day((int64_t)year, (int)parts[1], (int)of_month);
    return true;
}

/* "5", "5.5", "5,000", "5.000.000": a sign before three digits parts thousands. */
static bool read_number(struct str text, double *number)
{
    char digits[32];
    size_t count = 0;
    for (size_t i = 0; i < text.len && count + 1 < sizeof digits; i++) {
        if (str_is_digit(text.at[i])) {
            digits[count++] = text.at[i];
            continue;
        }
        const size_t next = end_of_number(str_slice(text, 0, size_min(text.len, i + 4)), i + 1);
        const bool is_thousands =
            next == i + 4 && (i + 4 == text.len || !str_is_digit(text.at[i + 4]));
        if (!is_thousands)
            digits[count++] = '.';
    }
    return str_to_double(str_make(digits, count), number);
}

static void cut(struct arena *arena, struct str question, struct sql_said *said)
{
    for (size_t at = 0; at < question.len && said->word_count < SQL_SAID_WORDS;) {
        struct sql_said_word word = {.kind = SQL_SAID_WORD};
        const bool is_number = str_is_digit(question.at[at]);
        const size_t end = is_number ? end_of_number(question, at) : end_of_word(question, at);
        if (end == at) {
            at++;
            continue;
        }
        word.text = lower(arena, str_slice(question, at, end));
        if (str_is_absent(word.text))
            return;
        if (is_number && read_day(word.text, &word.day))
            word.kind = SQL_SAID_DAY;
        else if (is_number && read_number(word.text, &word.number))
            word.kind = SQL_SAID_NUMBER;
        said->words[said->word_count++] = word;
        at = end;
    }
}

/* ---- phrases ---- */

static size_t match(const struct sql_said *said, size_t at, const char *phrase)
{
    size_t count = 0;
    for (struct str rest = str_of(phrase); !str_is_absent(rest); count++) {
        struct str word = str_split(&rest, ' ');
        if (at + count >= said->word_count || !str_equal(said->words[at + count].text, word))
            return 0;
    }
    return count;
}

size_t sql_said_phrase(const struct sql_said *said, size_t at, enum sql_doubts_topic topic,
                       double *value)
{
    size_t longest = 0;
    for (size_t i = 0; i < sql_doubts_phrases_count; i++) {
        const struct sql_doubts_phrase *phrase = &sql_doubts_phrases_table[i];
        const size_t count = phrase->topic == topic ? match(said, at, phrase->text) : 0;
        if (count <= longest)
            continue;
        longest = count;
        if (value != NULL)
            *value = phrase->value;
    }
    return longest;
}

uint64_t sql_said_values(const struct sql_said *said, size_t at, enum sql_doubts_topic topic)
{
    uint64_t values = 0;
    for (size_t i = 0; i < sql_doubts_phrases_count; i++) {
        const struct sql_doubts_phrase *phrase = &sql_doubts_phrases_table[i];
        if (phrase->topic == topic && match(said, at, phrase->text) > 0)
            values |= UINT64_C(1) << (unsigned)phrase->value;
    }
    return values;
}

size_t sql_said_times(const struct sql_said *said, enum sql_doubts_topic topic)
{
    size_t times = 0;
    for (size_t at = 0; at < said->word_count; at++)
        times += sql_said_phrase(said, at, topic, NULL) > 0;
    return times;
}

static const struct sql_doubts_phrase *phrase_of(struct str word, enum sql_doubts_topic topic)
{
    for (size_t i = 0; i < sql_doubts_phrases_count; i++)
        if (sql_doubts_phrases_table[i].topic == topic &&
            str_equal_nocase(str_of(sql_doubts_phrases_table[i].text), word))
            return &sql_doubts_phrases_table[i];
    return NULL;
}

bool sql_said_is(struct str word, enum sql_doubts_topic topic)
{
    return phrase_of(word, topic) != NULL;
}

double sql_said_unit(struct str word, enum sql_doubts_topic *dimension)
{
    for (enum sql_doubts_topic topic = SQL_DOUBTS_TIME; topic <= SQL_DOUBTS_WEIGHT; topic++) {
        const struct sql_doubts_phrase *phrase = phrase_of(word, topic);
        if (phrase == NULL)
            continue;
        *dimension = topic;
        return phrase->value;
    }
    return 0;
}

struct str sql_said_text(const struct sql_said *said, size_t at, size_t count, struct arena *arena)
{
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    for (size_t i = at; i < at + count && i < said->word_count; i++)
        buf_printf(&out, "%s%.*s", i > at ? " " : "", STR_ARG(said->words[i].text));
    struct str text = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

/* ---- days, months, quarters, years ---- */

static size_t skip_fillers(const struct sql_said *said, size_t at)
{
    for (size_t i = 0; i < MOST_FILLERS; i++)
        at += sql_said_phrase(said, at, SQL_DOUBTS_FILLER, NULL);
    return at;
}

static bool is_number(const struct sql_said *said, size_t at, double least, double most)
{
    return at < said->word_count && said->words[at].kind == SQL_SAID_NUMBER &&
           said->words[at].number >= least && said->words[at].number <= most &&
           str_find_char(said->words[at].text, '.') == STR_NONE;
}

/* The year that stands at 'at', fillers aside: where the words behind it begin; 0: none. */
static size_t read_year(const struct sql_said *said, size_t at, int64_t *year)
{
    at += at < said->word_count && str_equal(said->words[at].text, STR("of"));
    at = skip_fillers(said, at);
    if (!is_number(said, at, LEAST_YEAR, MOST_YEAR) || said->words[at].text.len != 4)
        return 0;
    *year = (int64_t)said->words[at].number;
    return at + 1;
}

struct days {
    int64_t first, end;
    bool is_year, is_day;
};

static size_t read_quarter(const struct sql_said *said, size_t at, struct days *days)
{
    double nth = 0;
    int64_t year;
    size_t next = at + sql_said_phrase(said, at, SQL_DOUBTS_NTH, &nth);
    if (next == at && is_number(said, at, 1, 4)) {
        nth = said->words[at].number;
        next++;
    }
    const size_t word = next == at ? 0 : sql_said_phrase(said, next, SQL_DOUBTS_QUARTER, NULL);
    const bool is_short = next > at && said->words[at].text.at[0] == 'q';
    if (nth == 0 || (word == 0 && !is_short))
        return 0;
    next = read_year(said, next + word, &year);
    if (next == 0)
        return 0;
    *days = (struct days){calendar_day(year, 3 * (int)nth - 2, 1),
                          nth == 4 ? calendar_day(year + 1, 1, 1)
                                   : calendar_day(year, 3 * (int)nth + 1, 1)};
    return next;
}

/* "31 December 2024", "December 31, 2024", "June 2025". */
static size_t read_month(const struct sql_said *said, size_t at, struct days *days)
{
    double month = 0, of_month = 0;
    int64_t year;
    size_t next = at;
    if (is_number(said, next, 1, DAYS)) {
        of_month = said->words[next].number;
        next = skip_fillers(said, next + 1);
    }
    const size_t named = sql_said_phrase(said, next, SQL_DOUBTS_MONTH, &month);
    if (named == 0)
        return 0;
    next += named;
    if (of_month == 0 && is_number(said, next, 1, DAYS)) {
        of_month = said->words[next++].number;
        next += next < said->word_count && said->words[next].text.len == 2 &&
                said->words[next].kind == SQL_SAID_WORD; /* "31st" */
    }
    next = read_year(said, next, &year);
    if (next == 0)
        return 0;
    const int64_t first = calendar_day(year, (int)month, of_month > 0 ? (int)of_month : 1);
    *days = (struct days){first,
                          of_month > 0      ? first + 1
                          : month == MONTHS ? calendar_day(year + 1, 1, 1)
                                            : calendar_day(year, (int)month + 1, 1),
                          .is_day = of_month > 0};
    return next;
}

/* Days that stand at 'at': where the words behind them begin; 0: none. */
static size_t read_days(const struct sql_said *said, size_t at, struct days *days)
{
    int64_t year;
    if (at < said->word_count && said->words[at].kind == SQL_SAID_DAY) {
        *days = (struct days){said->words[at].day, said->words[at].day + 1, .is_day = true};
        return at + 1;
    }
    size_t next = read_quarter(said, at, days);
    if (next == 0)
        next = read_month(said, at, days);
    if (next == 0 && (next = read_year(said, at, &year)) > 0)
        *days =
            (struct days){calendar_day(year, 1, 1), calendar_day(year + 1, 1, 1), .is_year = true};
    return next;
}

/* ---- from one day to another ---- */

static bool is_link(const struct sql_said *said, size_t at)
{
    return sql_said_phrase(said, at, SQL_DOUBTS_TO, NULL) > 0;
}

struct beginning { /* of a range, as far as it is said before its end; 0: not said */
    double of_month, month;
};

/* "1", "1st", "1 June", "March": where the words behind it begin; 0: there is none. */
static size_t read_beginning(const struct sql_said *said, size_t at, struct beginning *from)
{
    size_t next = at;
    *from = (struct beginning){0, 0};
    if (is_number(said, next, 1, DAYS)) {
        from->of_month = said->words[next++].number;
        next += next < said->word_count && said->words[next].text.len == 2 && !is_link(said, next);
    }
    const size_t filled = skip_fillers(said, next);
    const size_t named = sql_said_phrase(said, filled, SQL_DOUBTS_MONTH, &from->month);
    next = named > 0 ? filled + named : next;
    return next > at ? next : 0;
}

/* The day that a range ending before 'end' begins with: its month and year are those of the end
 * where they are not said. */
static int64_t day_of(const struct beginning *from, int64_t end)
{
    const struct calendar_date last = calendar_date(end - 1);
    const int month = from->month > 0 ? (int)from->month : last.month;
    const int of_month = from->of_month > 0 ? (int)from->of_month : 1;
    const int64_t day = calendar_day(last.year, month, of_month);
    return day < end ? day : calendar_day(last.year - 1, month, of_month);
}

/* "from 1 to 15 June 2025", "between March and May 2025", "2025-06-01 to 2025-06-15": where the
 * words behind it begin; 0: none. */
static size_t read_range(struct sql_said *said, size_t at)
{
    struct days first, last;
    struct beginning from = {0, 0};
    const size_t between = sql_said_phrase(said, at, SQL_DOUBTS_BETWEEN, NULL);
    const size_t opens = between > 0 ? between : sql_said_phrase(said, at, SQL_DOUBTS_OPENS, NULL);
    const size_t begins = skip_fillers(said, at + opens);
    const size_t whole = read_days(said, begins, &first);
    const size_t link = whole > 0 ? whole : read_beginning(said, begins, &from);
    const size_t linked = link == 0     ? 0
                          : between > 0 ? sql_said_phrase(said, link, SQL_DOUBTS_AND, NULL)
                                        : sql_said_phrase(said, link, SQL_DOUBTS_TO, NULL);
    const size_t end = linked == 0 ? 0 : read_days(said, skip_fillers(said, link + linked), &last);
    if (end == 0 || (whole == 0 && (last.is_year || (from.of_month > 0) != last.is_day)))
        return 0;
    const int64_t day = whole > 0 ? first.first : day_of(&from, last.end);
    if (day < last.end && said->period_count < SQL_SAID_PERIODS)
        said->periods[said->period_count++] = (struct sql_said_period){day, last.end, at, end - at};
    return end;
}

/* ---- bounds ---- */

static void keep_bound(struct sql_said *said, struct sql_said_bound bound, size_t end)
{
    bound.count = end - bound.at;
    if (said->bound_count < SQL_SAID_BOUNDS)
        said->bounds[said->bound_count++] = bound;
}

/* A number with its unit, of "more than 5 million euros": where the words behind it begin; 0: none.
 */
static size_t read_amount(const struct sql_said *said, size_t at, struct sql_said_bound *bound)
{
    double value;
    if (at < said->word_count && sql_said_is(said->words[at].text, SQL_DOUBTS_MONEY)) /* "$ 5" */
        bound->size = sql_said_unit(said->words[at++].text, &bound->dimension);
    if (at < said->word_count && said->words[at].kind == SQL_SAID_NUMBER)
        bound->number = said->words[at++].number;
    else if (sql_said_phrase(said, at, SQL_DOUBTS_NUMBER, &value) > 0) {
        bound->number = value;
        at++;
    } else
        return 0;
    const double scale = at < said->word_count ? scale_of(said->words[at].text) : 1;
    if (scale == 1e3 || (scale > 1 && said->words[at].text.len > 1)) { /* "5 m" may be metres */
        bound->number *= scale;
        at = skip_fillers(said, at + 1);
    }
    if (bound->size == 0 && at < said->word_count) {
        bound->size = sql_said_unit(said->words[at].text, &bound->dimension);
        at += bound->size > 0;
    }
    return at;
}

/* The phrase that bounds at 'at', the longest one; 0: none. */
static size_t read_side(const struct sql_said *said, size_t at, enum sql_doubts_topic *side)
{
    static const enum sql_doubts_topic sides[] = {
        SQL_DOUBTS_ABOVE, SQL_DOUBTS_FROM,  SQL_DOUBTS_BELOW,  SQL_DOUBTS_UPTO,
        SQL_DOUBTS_AFTER, SQL_DOUBTS_SINCE, SQL_DOUBTS_BEFORE, SQL_DOUBTS_UNTIL};
    size_t longest = 0;
    for (size_t i = 0; i < countof(sides); i++) {
        const size_t count = sql_said_phrase(said, at, sides[i], NULL);
        if (count > longest) {
            longest = count;
            *side = sides[i];
        }
    }
    return longest;
}

/* "more than 5", "before June 2025"; where the words behind it begin, or 0. */
static size_t read_bound(struct sql_said *said, size_t at)
{
    struct sql_said_bound bound = {.at = at};
    struct days days;
    const size_t words = read_side(said, at, &bound.side);
    const size_t from = words == 0 ? 0 : skip_fillers(said, at + words);
    if (from == 0)
        return 0;
    bound.is_day = bound.side >= SQL_DOUBTS_AFTER;
    const size_t end =
        bound.is_day ? read_days(said, from, &days) : read_amount(said, from, &bound);
    if (end == 0)
        return 0;
    if (bound.is_day) {
        bound.first = days.first;
        bound.end = days.end;
    }
    keep_bound(said, bound, end);
    return end;
}

/* "5 or more". */
static size_t read_or(struct sql_said *said, size_t at)
{
    struct sql_said_bound bound = {.at = at};
    const size_t amount = read_amount(said, at, &bound);
    if (amount == 0)
        return 0;
    const size_t more = sql_said_phrase(said, amount, SQL_DOUBTS_OR_MORE, NULL),
                 less = sql_said_phrase(said, amount, SQL_DOUBTS_OR_LESS, NULL);
    if (more + less == 0)
        return 0;
    bound.side = more > 0 ? SQL_DOUBTS_FROM : SQL_DOUBTS_UPTO;
    keep_bound(said, bound, amount + more + less);
    return amount + more + less;
}

static size_t read_period(struct sql_said *said, size_t at)
{
    struct days days;
    const size_t end = read_days(said, at, &days);
    if (end == 0)
        return 0;
    if (!days.is_year && !days.is_day && said->period_count < SQL_SAID_PERIODS)
        said->periods[said->period_count++] =
            (struct sql_said_period){days.first, days.end, at, end - at};
    return end;
}

void sql_said_read(struct arena *arena, struct str question, struct sql_said *said)
{
    *said = (struct sql_said){.word_count = 0};
    cut(arena, question, said);
    for (size_t at = 0; at < said->word_count;) {
        size_t next = read_range(said, at);
        next = next > 0 ? next : read_bound(said, at);
        next = next > 0 ? next : read_or(said, at);
        next = next > 0 ? next : read_period(said, at);
        at = next > 0 ? next : at + 1;
    }
}

/* SPDX-License-Identifier: MIT */
/* agents/tools/exact.c - a descending parser that calculates fractions as it reads.
 *
 * Happy path: each rule reads its part and leaves a fraction in lowest terms.
 * Failure: the first thing that is wrong ends it, with its place; an overflow is told instead of a
 * wrong number. Depth is bounded. */
#include "agents/tools/exact.h"

enum { MOST_DEPTH = 48, MOST_DIGITS = 30, FRACTION_DIGITS = 12 };

struct fraction {
    __int128 above, below; /* below > 0; lowest terms */
};

struct reader {
    struct str all, rest;
    tools_exact_find_fn *find;
    void *owner;
    struct err *err;
    unsigned depth;
};

static enum err_code read_sum(struct reader *reader, struct fraction *value);

static enum err_code refuse(struct reader *reader, const char *what)
{
    return err_set(reader->err, ERR_INVALID, "%s at character %zu", what,
                   reader->all.len - reader->rest.len + 1);
}

static enum err_code overflow(struct reader *reader)
{
    return err_set(reader->err, ERR_TOO_LARGE, "the numbers are too large to calculate exactly");
}

/* ---- fractions ---- */

static __int128 magnitude(__int128 number)
{
    return number < 0 ? -number : number;
}

/* Whether number has a negative: the least number has none. */
static bool has_opposite(__int128 number)
{
    return (unsigned __int128)number != (unsigned __int128)1 << 127;
}

static struct fraction reduce(__int128 above, __int128 below)
{
    __int128 a = magnitude(above), b = below;
    while (b != 0) {
        __int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a == 0 ? (struct fraction){0, 1} : (struct fraction){above / a, below / a};
}

static bool multiply(struct fraction a, struct fraction b, struct fraction *product)
{
    struct fraction one = reduce(a.above, b.below), other = reduce(b.above, a.below);
    __int128 above, below;
    if (__builtin_mul_overflow(one.above, other.above, &above) ||
        __builtin_mul_overflow(one.below, other.below, &below) || !has_opposite(above))
        return false;
    *product = (struct fraction){above, below};
    return true;
}

static bool add(struct fraction a, struct fraction b, struct fraction *sum)
{
    __int128 left, right, above, below;
    struct fraction common = reduce(a.below, b.below); /* of the two denominators */
    if (__builtin_mul_overflow(a.above, common.below, &left) ||
        __builtin_mul_overflow(b.above, common.above, &right) ||
        __builtin_add_overflow(left, right, &above) ||
        __builtin_mul_overflow(a.below, common.below, &below) || !has_opposite(above))
        return false;
    *sum = reduce(above, below);
    return true;
}

static bool is_less(struct fraction a, struct fraction b, bool *fits)
{
    struct fraction difference;
    *fits = *fits && add(a, (struct fraction){-b.above, b.below}, &difference);
    return *fits && difference.above < 0;
}

static enum err_code divide(struct reader *reader, struct fraction a, struct fraction b,
                            struct fraction *quotient)
{
    if (b.above == 0)
        return refuse(reader, "a division by zero");
    struct fraction turned = {b.above < 0 ? -b.below : b.below, magnitude(b.above)};
    return multiply(a, turned, quotient) ? ERR_OK : overflow(reader);
}

/* The nearest with so many digits behind the point, halves away from zero. */
static bool round_to(struct fraction value, unsigned digits, struct fraction *rounded)
{
    __int128 scale = 1, scaled;
    for (unsigned i = 0; i < digits; i++)
        scale *= 10;
    if (__builtin_mul_overflow(magnitude(value.above), scale, &scaled))
        return false;
    __int128 whole = scaled / value.below, rest = scaled % value.below;
    whole += rest >= value.below - rest;
    *rounded = reduce(value.above < 0 ? -whole : whole, scale);
    return true;
}

/* ---- numbers ---- */

/* A decimal number at the start of *text, which is cut off. False: there is none, or it is too
 * long.
 */
static bool read_number(struct str *text, struct fraction *value)
{
    __int128 above = 0, below = 1;
    size_t at = 0, digits = 0;
    bool has_point = false;
    for (; at < text->len && (str_is_digit(text->at[at]) || (text->at[at] == '.' && !has_point));
         at++) {
        if (text->at[at] == '.') {
            has_point = true;
            continue;
        }
        if (++digits > MOST_DIGITS)
            return false;
        above = above * 10 + (text->at[at] - '0');
        below *= has_point ? 10 : 1;
    }
    if (digits == 0)
        return false;
    *value = reduce(above, below);
    *text = str_from(*text, at);
    return true;
}

/* The text of a value: a number with a sign, and an exponent, as databases and JSON write them. */
static bool read_value(struct str text, struct fraction *value)
{
    const struct fraction ten = {10, 1}, tenth = {1, 10};
    bool is_negative = text.len > 0 && text.at[0] == '-';
    uint64_t exponent = 0;
    text = str_trim(str_from(text, is_negative ? 1 : 0));
    if (!read_number(&text, value))
        return false;
    if (is_negative)
        value->above = -value->above;
    if (text.len > 1 && (text.at[0] == 'e' || text.at[0] == 'E')) {
        bool is_small = text.at[1] == '-';
        text = str_from(text, is_small || text.at[1] == '+' ? 2 : 1);
        if (!str_to_u64(text, &exponent) || exponent > 40)
            return false;
        for (uint64_t i = 0; i < exponent; i++)
            if (!multiply(*value, is_small ? tenth : ten, value))
                return false;
        return true;
    }
    return text.len == 0;
}

/* ---- several values ---- */

struct tally { /* of sum, avg, min, max, count */
    struct fraction sum, least, most;
    size_t count;
};

static enum err_code count_in(struct reader *reader, struct tally *tally, struct fraction value)
{
    bool fits = true;
    if (tally->count == TOOLS_EXACT_MOST_VALUES)
        return refuse(reader, "too many values");
    if (tally->count == 0 || is_less(value, tally->least, &fits))
        tally->least = value;
    if (tally->count == 0 || is_less(tally->most, value, &fits))
        tally->most = value;
    fits = fits && add(tally->sum, value, &tally->sum);
    tally->count++;
    return fits ? ERR_OK : overflow(reader);
}

/* ---- the grammar ---- */

static void skip_blanks(struct reader *reader)
{
    while (reader->rest.len > 0 && str_is_blank(reader->rest.at[0]))
        reader->rest = str_from(reader->rest, 1);
}

static bool take(struct reader *reader, char c)
{
    skip_blanks(reader);
    if (reader->rest.len == 0 || reader->rest.at[0] != c)
        return false;
    reader->rest = str_from(reader->rest, 1);
    return true;
}

static bool is_name_char(char c)
{
    return str_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static struct str take_name(struct reader *reader)
{
    size_t len = 0;
    skip_blanks(reader);
    while (len < reader->rest.len && is_name_char(reader->rest.at[len]))
        len++;
    struct str name = str_slice(reader->rest, 0, len);
    reader->rest = str_from(reader->rest, len);
    return name;
}

struct place { /* in a result */
    struct str statement, name;
    size_t row, column; /* row 0: all */
};

static enum err_code read_place(struct reader *reader, struct str statement, struct place *place)
{
    uint64_t number;
    *place = (struct place){.statement = statement};
    if (take(reader, '*'))
        place->row = 0;
    else if (str_to_u64(take_name(reader), &number) && number > 0)
        place->row = (size_t)number;
    else
        return refuse(reader, "expected the number of a row, from 1, or *");
    if (!take(reader, ']'))
        return refuse(reader, "expected ']'");
    if (take(reader, '.')) {
        place->name = take_name(reader);
        return place->name.len > 0 ? ERR_OK : refuse(reader, "expected the name of a column");
    }
    if (!take(reader, '[') || !str_to_u64(take_name(reader), &number) || number == 0 ||
        !take(reader, ']'))
        return refuse(reader, "expected a column: .name, or its number in brackets");
    place->column = (size_t)number;
    return ERR_OK;
}

/* Count in what stands at place: a value, or all of a column. */
static enum err_code count_place(struct reader *reader, const struct place *place,
                                 struct tally *tally)
{
    size_t row = place->row == 0 ? 1 : place->row;
    for (;; row++) {
        struct str text = {NULL, 0};
        struct fraction value;
        enum err_code code = reader->find(reader->owner, place->statement, row, place->column,
                                          place->name, &text, reader->err);
        if (code == ERR_NOT_FOUND && place->row == 0 && row > 1)
            return ERR_OK;
        if (code != ERR_OK)
            return code;
        if (str_is_absent(text) && place->row == 0)
            continue;
        if (str_is_absent(text) || !read_value(text, &value))
            return err_set(reader->err, ERR_INVALID, "row %zu of %.*s has no number there", row,
                           STR_ARG(place->statement));
        code = count_in(reader, tally, value);
        if (code != ERR_OK || place->row != 0)
            return code;
    }
}

/* One argument of a function: a column, or an expression. */
static enum err_code read_argument(struct reader *reader, struct tally *tally)
{
    struct reader before = *reader;
    struct place place;
    struct fraction value;
    struct str name = take_name(reader);
    if (name.len > 1 && name.at[0] == 's' && str_is_digit(name.at[1]) && take(reader, '[')) {
        enum err_code code = read_place(reader, name, &place);
        if (code != ERR_OK)
            return code;
        if (place.row == 0)
            return count_place(reader, &place, tally);
    }
    reader->rest = before.rest;
    enum err_code code = read_sum(reader, &value);
    return code != ERR_OK ? code : count_in(reader, tally, value);
}

static enum err_code read_round(struct reader *reader, struct fraction *value)
{
    struct fraction digits = {0, 1};
    enum err_code code = read_sum(reader, value);
    if (code == ERR_OK && take(reader, ','))
        code = read_sum(reader, &digits);
    if (code != ERR_OK)
        return code;
    if (digits.below != 1 || digits.above < 0 || digits.above > FRACTION_DIGITS)
        return refuse(reader, "expected 0 to 12 digits");
    if (!take(reader, ')'))
        return refuse(reader, "expected ')'");
    return round_to(*value, (unsigned)digits.above, value) ? ERR_OK : overflow(reader);
}

static enum err_code read_function(struct reader *reader, struct str name, struct fraction *value)
{
    static const struct str names[] = {STR("sum"), STR("avg"),   STR("min"),
                                       STR("max"), STR("count"), STR("abs")};
    enum { SUM, AVG, MIN, MAX, COUNT, ABS };
    struct tally tally = {.sum = {0, 1}};
    size_t which = 0;
    if (str_equal(name, STR("round")))
        return read_round(reader, value);
    while (which < countof(names) && !str_equal(name, names[which]))
        which++;
    if (which == countof(names))
        return refuse(reader, "there is no such function; there are sum, avg, min, max, count, abs "
                              "and round");
    do {
        enum err_code code = read_argument(reader, &tally);
        if (code != ERR_OK)
            return code;
    } while (take(reader, ','));
    if (!take(reader, ')'))
        return refuse(reader, "expected ')'");
    if (tally.count == 0 && which != SUM && which != COUNT)
        return refuse(reader, "there is no value");
    *value = which == MIN ? tally.least : which == MAX ? tally.most : tally.sum;
    if (which == COUNT)
        *value = (struct fraction){(__int128)tally.count, 1};
    if (which == ABS)
        value->above = magnitude(value->above);
    return which == AVG
               ? divide(reader, tally.sum, (struct fraction){(__int128)tally.count, 1}, value)
               : ERR_OK;
}

static enum err_code read_named(struct reader *reader, struct fraction *value)
{
    struct str name = take_name(reader);
    struct place place;
    struct tally tally = {.sum = {0, 1}};
    if (take(reader, '('))
        return read_function(reader, name, value);
    if (name.len == 0 || !take(reader, '['))
        return refuse(reader, "expected a number, a value such as s1[1].total, or a function");
    enum err_code code = read_place(reader, name, &place);
    if (code == ERR_OK && place.row == 0)
        return refuse(reader, "a whole column stands in a function only: sum(s1[*].total)");
    if (code == ERR_OK)
        code = count_place(reader, &place, &tally);
    *value = tally.sum;
    return code;
}

static enum err_code read_factor(struct reader *reader, struct fraction *value)
{
    if (reader->depth == MOST_DEPTH)
        return refuse(reader, "too many parentheses or signs");
    reader->depth++;
    enum err_code code = ERR_OK;
    if (take(reader, '-')) {
        code = read_factor(reader, value);
        value->above = -value->above;
    } else if (take(reader, '(')) {
        code = read_sum(reader, value);
        if (code == ERR_OK && !take(reader, ')'))
            code = refuse(reader, "expected ')'");
    } else if (reader->rest.len > 0 &&
               (str_is_digit(reader->rest.at[0]) || reader->rest.at[0] == '.')) {
        if (!read_number(&reader->rest, value))
            code = refuse(reader, "expected a number of at most 30 digits");
    } else {
        code = read_named(reader, value);
    }
    reader->depth--;
    return code;
}

static enum err_code read_product(struct reader *reader, struct fraction *value)
{
    struct fraction next = {0, 1};
    enum err_code code = read_factor(reader, value);
    while (code == ERR_OK) {
        bool multiplies = take(reader, '*');
        if (!multiplies && !take(reader, '/'))
            break;
        code = read_factor(reader, &next);
        if (code == ERR_OK && multiplies && !multiply(*value, next, value))
            code = overflow(reader);
        else if (code == ERR_OK && !multiplies)
            code = divide(reader, *value, next, value);
    }
    return code;
}

static enum err_code read_sum(struct reader *reader, struct fraction *value)
{
    struct fraction next = {0, 1};
    *value = next;
    enum err_code code = read_product(reader, value);
    while (code == ERR_OK) {
        bool adds = take(reader, '+');
        if (!adds && !take(reader, '-'))
            break;
        code = read_product(reader, &next);
        if (!adds)
            next.above = -next.above;
        if (code == ERR_OK && !add(*value, next, value))
            code = overflow(reader);
    }
    return code;
}

/* ---- the result ---- */

static void write_whole(__int128 number, struct buf *out)
{
    char digits[48];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + (int)(number % 10));
        number /= 10;
    } while (number > 0);
    buf_push(out, str_make(digits + at, sizeof digits - at));
}

/* A fraction whose denominator is a power of ten up to 10^12. */
static void write_decimal(struct fraction value, struct buf *out)
{
    __int128 above = magnitude(value.above), rest = above % value.below;
    if (value.above < 0)
        buf_push_char(out, '-');
    write_whole(above / value.below, out);
    if (rest == 0)
        return;
    buf_push_char(out, '.');
    while (rest != 0) {
        rest *= 10;
        buf_push_char(out, (char)('0' + (int)(rest / value.below)));
        rest %= value.below;
    }
}

enum err_code tools_exact_calculate(struct str expression, tools_exact_find_fn *find, void *owner,
                                    struct buf *out, bool *is_rounded, struct err *err)
{
    struct reader reader = {
        .all = expression, .rest = expression, .find = find, .owner = owner, .err = err};
    struct fraction value, rounded;
    enum err_code code = read_sum(&reader, &value);
    if (code != ERR_OK)
        return code;
    skip_blanks(&reader);
    if (reader.rest.len > 0)
        return refuse(&reader, "expected the end");
    if (!round_to(value, FRACTION_DIGITS, &rounded))
        return overflow(&reader);
    *is_rounded = rounded.above != value.above || rounded.below != value.below;
    write_decimal(rounded, out);
    return ERR_OK;
}

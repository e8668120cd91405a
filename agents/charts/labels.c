/* SPDX-License-Identifier: MIT */
/* agents/charts/labels.c - one line of text from a cell: blanks for control characters, an ellipsis
 * for the rest of a long text.
 *
 * Failure: a spent arena gives the absent text; the caller asks arena_ok. */
#include "agents/charts/labels.h"

#include "agents/charts/spec.h"

enum { DATE_BYTES = 10, MINUTE_BYTES = 16 };

static bool has_seconds(struct str clock)
{
    return clock.len > 2 && clock.at[0] == ':' && (clock.at[1] != '0' || clock.at[2] != '0');
}

/* A fraction that is not zero says something, too. */
static bool has_fraction(struct str rest)
{
    if (rest.len == 0 || rest.at[0] != '.')
        return false;
    for (size_t i = 1; i < rest.len && str_is_digit(rest.at[i]); i++)
        if (rest.at[i] != '0')
            return true;
    return false;
}

size_t charts_labels_clock(const struct charts_shape_column *column)
{
    size_t bytes = DATE_BYTES;
    for (size_t i = 0; column->kind == CHARTS_TIME && i < column->distinct; i++) {
        struct str text = str_trim(column->values[i].text);
        if (column->values[i].type == CHARTS_NULL)
            continue;
        bool has_clock = column->values[i].type == CHARTS_TEXT && text.len >= MINUTE_BYTES &&
                         text.at[4] == '-' && text.at[7] == '-' && text.at[13] == ':';
        struct str rest = str_from(text, MINUTE_BYTES);
        if (!has_clock || has_seconds(rest) || has_fraction(str_from(rest, 3)))
            return 0;
        if (!str_equal(str_slice(text, 11, MINUTE_BYTES), STR("00:00")))
            bytes = MINUTE_BYTES;
    }
    return column->kind == CHARTS_TIME ? bytes : 0;
}

size_t charts_labels_chars(struct str text)
{
    size_t chars = 0;
    for (size_t i = 0; i < text.len; i++)
        chars += ((unsigned char)text.at[i] & 0xC0) != 0x80;
    return chars;
}

/* The bytes of the first so many characters. */
static size_t bytes_of(struct str text, size_t chars)
{
    size_t i = 0;
    for (; i < text.len; i++)
        if (((unsigned char)text.at[i] & 0xC0) != 0x80 && chars-- == 0)
            break;
    return i;
}

/* On one line, runs of blanks as one. */
static struct str one_line(struct str text, struct arena *arena)
{
    char *to = arena_alloc(arena, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; to != NULL && i < text.len; i++) {
        bool is_blank = (unsigned char)text.at[i] <= ' ' || text.at[i] == 0x7F;
        if (!is_blank)
            to[len++] = text.at[i];
        else if (len > 0 && to[len - 1] != ' ')
            to[len++] = ' ';
    }
    return str_make(to, to == NULL ? 0 : len);
}

struct str charts_labels_text(const struct charts_cell *cell, size_t clock_bytes,
                              struct arena *arena)
{
    if (cell->type == CHARTS_NULL)
        return STR("(none)");
    if (cell->type == CHARTS_NUMBER)
        return str_is_empty(cell->text) ? arena_printf(arena, "%.15g", cell->number) : cell->text;
    struct str text = one_line(cell->text, arena);
    text = str_trim(text);
    if (clock_bytes > 0 && text.len > clock_bytes) {
        text = str_slice(text, 0, clock_bytes);
        if (clock_bytes > DATE_BYTES)
            text = arena_printf(arena, "%.*s %.*s", STR_ARG(str_slice(text, 0, DATE_BYTES)),
                                STR_ARG(str_from(text, DATE_BYTES + 1)));
    }
    if (charts_labels_chars(text) > CHARTS_MAX_LABEL_CHARS)
        text = arena_printf(arena, "%.*s\xe2\x80\xa6",
                            (int)bytes_of(text, CHARTS_MAX_LABEL_CHARS - 1), text.at);
    return str_is_empty(text) ? STR("(blank)") : text;
}

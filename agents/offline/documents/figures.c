/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/figures.c - the lines of a passage that are rows; a row with years is a
 * header.
 *
 * Happy path: each row under a header whose label is asked for gives a figure for each column whose
 * period is. Failure: what is no figure ("n/a") is passed over; the same figure in a second report
 * is, too. */
#include "agents/offline/documents/figures.h"

#include "agents/figures/numbers.h"

enum { MAX_COLUMNS = 12, MAX_FOUND = 256, LONGEST_CELL = 24 };

struct column {
    struct str name;
    int year, quarter; /* 0: none */
};

struct table {
    struct column columns[MAX_COLUMNS];
    size_t count; /* 0: no header yet */
    struct str title, unit;
};

struct finding {
    struct arena *arena;
    const struct offline_finance *asked;
    const struct offline_passage *passage;
    struct str company;
    enum figures_notation notation; /* of the passage */
    struct offline_figure found[MAX_FOUND];
    bool is_part[MAX_FOUND]; /* of a table's own break-down: no metric that is known */
    size_t count;
    struct str split; /* title of the table that such a one is from; absent: none */
};

/* ---- tables ---- */

static size_t split_row(struct str line, struct str *cells)
{
    size_t count = 0;
    if (str_starts_with(line, STR("| "))) { /* its first cell is empty */
        cells[count++] = STR("");
        line = str_from(line, 2);
    }
    while (!str_is_absent(line) && count < MAX_COLUMNS) {
        ptrdiff_t bar = str_find(line, STR(" | "));
        struct str cell = bar == STR_NONE ? line : str_slice(line, 0, (size_t)bar);
        line = bar == STR_NONE ? (struct str){NULL, 0} : str_from(line, (size_t)bar + 3);
        cells[count++] = str_trim(cell);
    }
    return count;
}

/* "2024", "Q3 2024": what a column is about, and nothing else. */
static struct column read_column(struct str cell)
{
    struct column column = {.name = cell};
    struct str rest = cell;
    while (rest.len > 0) {
        struct str word = str_split(&rest, ' ');
        uint64_t year;
        bool is_quarter =
            word.len == 2 && str_lower(word.at[0]) == 'q' && word.at[1] >= '1' && word.at[1] <= '4';
        if (is_quarter)
            column.quarter = word.at[1] - '0';
        else if (word.len == 4 && str_to_u64(word, &year) && year >= 1900 && year <= 2100)
            column.year = (int)year;
        else if (!str_equal_nocase(word, STR("FY")))
            return (struct column){.name = cell};
    }
    return column;
}

static bool is_unit(struct str text)
{
    return str_find(text, STR("$")) != STR_NONE || str_find(text, STR("€")) != STR_NONE ||
           str_find(text, STR("£")) != STR_NONE || str_find(text, STR("%")) != STR_NONE ||
           figures_numbers_scale(text, NULL) != 1;
}

/* "Segment revenue, $ million" -> "Segment revenue" and "$ million". */
static void read_corner(struct str corner, struct table *table)
{
    ptrdiff_t comma = str_find(corner, STR(", "));
    struct str last = comma == STR_NONE ? corner : str_from(corner, (size_t)comma + 2);
    bool has_unit = is_unit(last);
    table->unit = has_unit ? str_trim(last) : STR("");
    table->title = !has_unit           ? corner
                   : comma == STR_NONE ? STR("")
                                       : str_trim(str_slice(corner, 0, (size_t)comma));
}

static void read_header(const struct str *cells, size_t count, struct table *table)
{
    bool has_year = false;
    for (size_t i = 1; i < count; i++) {
        table->columns[i] = read_column(cells[i]);
        has_year = has_year || table->columns[i].year != 0;
    }
    if (!has_year)
        return;
    table->count = count;
    read_corner(cells[0], table);
}

/* ---- figures ---- */

static bool is_figure(struct str cell, enum figures_notation notation)
{
    struct analyst_number number;
    struct str rest = cell;
    return cell.len > 0 && cell.len <= LONGEST_CELL && !str_is_alpha(cell.at[0]) &&
           figures_numbers_next_in(&rest, notation, &number) &&
           !figures_numbers_next_in(&rest, notation, &number);
}

/* The unit of a table without one, when prose of the passage says one of its cells with it: "$40
 * million" beside a cell of 40. */
static struct str unit_in_prose(struct finding *f)
{
    struct str rest = f->passage->text;
    for (ptrdiff_t at; (at = str_find_char(rest, '$')) != STR_NONE;) {
        struct analyst_number number;
        rest = str_from(rest, (size_t)at + 1);
        struct str said = rest;
        if (!figures_numbers_next(&said, &number) || number.scale == 1)
            continue;
        struct str cell = arena_printf(f->arena, " | %.*s", STR_ARG(number.text));
        if (!str_is_absent(cell) && str_find(f->passage->text, cell) != STR_NONE)
            return arena_printf(f->arena, "$ %s",
                                number.scale == 1e3   ? "thousand"
                                : number.scale == 1e6 ? "million"
                                                      : "billion");
    }
    return STR("");
}

static void keep(struct finding *f, const struct table *table, const struct column *column,
                 const struct offline_figure *row, bool is_part, struct str value)
{
    if (f->count == MAX_FOUND)
        return;
    struct offline_figure *figure = &f->found[f->count];
    *figure = *row;
    figure->company = f->company;
    figure->period = column->name;
    figure->value = value;
    figure->year = column->year;
    figure->passage = f->passage->number;
    if (str_find_char(value, '%') != STR_NONE)
        figure->unit = STR("");
    f->is_part[f->count++] = is_part;
    if (is_part)
        f->split = table->title;
}

static bool is_asked(const struct offline_finance *asked,
                     const struct offline_finance_metric *metric)
{
    struct str name = str_of(metric->name);
    for (size_t i = 0; i < asked->metric_count; i++) {
        const struct offline_finance_metric *one = asked->metrics[i];
        if (one == metric || (one->part != NULL && (str_equal(name, str_of(one->part)) ||
                                                    str_equal(name, str_of(one->whole)))))
            return true;
    }
    return false;
}

/* The metric asked for that the table breaks down ("Segment revenue"); NULL: none. */
static const struct offline_finance_metric *find_split(const struct offline_finance *asked,
                                                       const struct table *table)
{
    for (size_t i = 0; i < asked->metric_count; i++)
        if (str_find(table->title, str_of(asked->metrics[i]->name)) != STR_NONE)
            return asked->metrics[i];
    return NULL;
}

/* A line that no metric is called by: of a break-down of what is asked for ("Road" of "Segment
 * revenue"), or said in as many words. */
static bool is_part_asked(struct finding *f, const struct table *table, struct str label)
{
    if (!offline_finance_says(f->arena, f->asked, label))
        return false;
    return find_split(f->asked, table) != NULL ||
           (table->title.len == 0 && str_find_char(label, ' ') != STR_NONE);
}

/* "Total" of a break-down is what it breaks down. */
static const struct offline_finance_metric *find_metric(struct finding *f,
                                                        const struct table *table, struct str label)
{
    return str_equal_nocase(label, STR("Total")) ? find_split(f->asked, table)
                                                 : offline_finance_label(f->arena, label);
}

static void read_row(struct finding *f, const struct table *table, const struct str *cells,
                     size_t count)
{
    const struct offline_finance_metric *metric = find_metric(f, table, cells[0]);
    bool is_part = metric == NULL && is_part_asked(f, table, cells[0]);
    struct offline_figure row = {.metric = cells[0], .unit = table->unit};
    if (metric == NULL ? !is_part : !is_asked(f->asked, metric))
        return;
    if (metric != NULL)
        row.metric = str_of(metric->name);
    else if (table->title.len > 0)
        row.metric =
            arena_printf(f->arena, "%.*s (%.*s)", STR_ARG(cells[0]), STR_ARG(table->title));
    if (row.unit.len == 0 && metric != NULL && !metric->is_counted)
        row.unit = unit_in_prose(f);
    for (size_t i = 1; i < size_min(count, table->count); i++) {
        const struct column *column = &table->columns[i];
        if (column->year != 0 && column->quarter == f->asked->quarter &&
            is_figure(cells[i], f->notation))
            keep(f, table, column, &row, is_part, cells[i]);
    }
}

static void read_passage(struct finding *f)
{
    struct table table = {.count = 0};
    struct str rest = f->passage->text;
    f->notation = figures_numbers_notation(rest);
    while (!str_is_absent(rest)) {
        struct str cells[MAX_COLUMNS], line = str_split(&rest, '\n');
        size_t count = split_row(line, cells);
        if (count < 2)
            table.count = 0;
        else if (table.count == 0)
            read_header(cells, count, &table);
        else
            read_row(f, &table, cells, count);
    }
}

/* ---- companies ---- */

/* "Calder Freight: annual report 2023 > Income", "Calder Freight opens a warehouse" -> "Calder
 * Freight": the title up to its colon, or to its first word in small letters. */
static struct str company_of(struct str heading)
{
    ptrdiff_t end = str_find(heading, STR(" > "));
    if (end != STR_NONE)
        heading = str_slice(heading, 0, (size_t)end);
    end = str_find(heading, STR(": "));
    if (end != STR_NONE)
        return str_slice(heading, 0, (size_t)end);
    struct str rest = heading;
    while (!str_is_absent(rest)) {
        struct str word = str_split(&rest, ' ');
        if (word.len > 0 && word.at > heading.at && str_lower(word.at[0]) == word.at[0])
            return str_trim(str_slice(heading, 0, (size_t)(word.at - heading.at)));
    }
    return heading;
}

/* Where text has the company's first word; STR_NONE: nowhere. */
static ptrdiff_t find_company(struct str text, struct str company)
{
    struct str rest = company, word = str_split(&rest, ' ');
    for (size_t i = 0; word.len > 2 && i + word.len <= text.len; i++) {
        bool begins = i == 0 || !str_is_alpha(text.at[i - 1]);
        bool ends = i + word.len == text.len || !str_is_alpha(text.at[i + word.len]);
        if (begins && ends && str_equal_nocase(str_slice(text, i, i + word.len), word))
            return (ptrdiff_t)i;
    }
    return STR_NONE;
}

static void add_company(struct offline_figures *figures, struct str question, struct str company)
{
    ptrdiff_t place = find_company(question, company);
    size_t at = figures->company_count;
    for (size_t i = 0; i < figures->company_count; i++)
        if (str_equal(figures->companies[i], company))
            return;
    if (at == OFFLINE_FIGURES_COMPANIES)
        return;
    for (figures->company_count++;
         at > 0 && find_company(question, figures->companies[at - 1]) > place; at--)
        figures->companies[at] = figures->companies[at - 1];
    figures->companies[at] = company;
}

static bool is_named(struct str question, const struct offline_passage *passage)
{
    return find_company(question, company_of(passage->heading)) != STR_NONE;
}

size_t offline_figures_of_named(struct str question, struct offline_passage *passages, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        kept += is_named(question, &passages[i]);
    if (kept == 0)
        return count;
    for (size_t i = kept = 0; i < count; i++)
        if (is_named(question, &passages[i]))
            passages[kept++] = passages[i];
    return kept;
}

/* ---- which of them ---- */

static bool is_known(const struct offline_figures *figures, const struct offline_figure *figure)
{
    for (size_t i = 0; i < figures->count; i++)
        if (str_equal(figures->at[i].company, figure->company) &&
            str_equal(figures->at[i].metric, figure->metric) &&
            str_equal(figures->at[i].period, figure->period))
            return true;
    return false;
}

/* A break-down of revenue that the question asks about hides revenue as a whole. */
static bool is_hidden(struct finding *f, size_t i)
{
    return !str_is_absent(f->split) && !f->is_part[i] && f->asked->aim != OFFLINE_FINANCE_SHARE &&
           str_find(f->split, f->found[i].metric) != STR_NONE;
}

/* Of its metric. */
static bool is_first(const struct finding *f, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (str_equal(f->found[k].metric, f->found[i].metric))
            return false;
    return true;
}

/* The figures of a metric and company in the order of their years. */
static void take(struct finding *f, struct str metric, struct str company,
                 struct offline_figures *figures)
{
    size_t begin = figures->count;
    int latest = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->found[i].year > latest && str_equal(f->found[i].metric, metric))
            latest = f->found[i].year;
    for (size_t i = 0; i < f->count && figures->count < OFFLINE_FIGURES_MAX; i++) {
        const struct offline_figure *figure = &f->found[i];
        if (!str_equal(figure->metric, metric) || !str_equal(figure->company, company) ||
            !offline_finance_wants_year(f->asked, figure->year, latest) || is_hidden(f, i) ||
            is_known(figures, figure))
            continue;
        size_t at = figures->count++;
        for (; at > begin && figures->at[at - 1].year > figure->year; at--)
            figures->at[at] = figures->at[at - 1];
        figures->at[at] = *figure;
    }
}

void offline_figures_find(struct arena *arena, const struct offline_finance *asked,
                          const struct offline_passage *passages, size_t count,
                          struct offline_figures *figures)
{
    struct finding *f = arena_alloc(arena, sizeof *f);
    *figures = (struct offline_figures){.count = 0};
    for (size_t i = 0; i < count; i++)
        add_company(figures, asked->question, company_of(passages[i].heading));
    if (f == NULL)
        return;
    f->arena = arena;
    f->asked = asked;
    for (size_t i = 0; i < count; i++) {
        f->passage = &passages[i];
        f->company = company_of(passages[i].heading);
        read_passage(f);
    }
    for (size_t i = 0; i < f->count; i++)
        for (size_t c = 0; c < figures->company_count && is_first(f, i); c++)
            take(f, f->found[i].metric, figures->companies[c], figures);
}

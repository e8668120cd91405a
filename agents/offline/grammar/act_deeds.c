/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_deeds.c - actions for what was done, when, how long it took, and
 * whether it was in time: dates of a table as its verbs.
 *
 * Happy path: a date's table is the deed, whoever did it has a row there. Failure: false; which
 * date is due or done is never chosen among several. */
#include "agents/offline/grammar/actions.h"

#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"
#include "agents/offline/grammar/tables.h"

static bool is_nullable(const struct act *act, struct reading_column on)
{
    return !act->lexicon->catalog->tables[on.table].columns[on.column].not_null;
}

/* Rows of a deed: a table by its verb, or the rows whose date of it is known. */
static bool deed_rows(struct act *act, const struct sense *deed, struct sense *rows)
{
    struct reading_column on;
    *rows = (struct sense){.kind = SENSE_ROWS, .table = deed->table};
    if (deed->kind == SENSE_ROWS) {
        *rows = *deed;
        return !deed->rank.is;
    }
    if (!grammar_column(deed, &on))
        return false;
    int began = act->lexicon->facts[on.table].began;
    if (!is_nullable(act, on) || began == on.column)
        return true;
    struct reading_filter filter = {.on = on, .op = OP_NOT_NULL};
    struct sense cond;
    return grammar_leaf(act, &filter, &cond) && grammar_add(act, rows, cond.conds);
}

/* "are due", by a date that is called so: what is due by today, and not done. */
static bool is_due(const struct act *act, const struct sense *deed)
{
    static const char *const due[] = {"due", NULL};
    struct reading_column on;
    return deed->kind == SENSE_COLUMNS && grammar_column(deed, &on) &&
           grammar_due_date(act, on.table) == on.column &&
           grammar_has_word(lexicon_spelling_column(act->lexicon, on.table, on.column), due);
}

bool grammar_deed(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const kids[] = {&rows};
    if (is_due(act, args[0])) {
        rows = (struct sense){.kind = SENSE_ROWS, .table = args[0]->table};
        return grammar_due_before(act, act->today + 1, &rows) && grammar_exists(act, kids, made);
    }
    if (!deed_rows(act, args[0], &rows) || !grammar_exists(act, kids, made))
        return false;
    return args[0]->kind != SENSE_COLUMNS || rows.conds == NULL || grammar_is_done(act, made);
}

/* The deed's rows in a period, or with rows or conditions of theirs. */
static bool add_to_deed(struct act *act, const struct sense *deed, const struct sense *with,
                        struct sense *rows)
{
    struct sense cond;
    const struct sense *const kids[] = {deed, with};
    if (!deed_rows(act, deed, rows))
        return false;
    if (with->kind == SENSE_WORD)
        return deed->kind == SENSE_COLUMNS
                   ? grammar_dated_by(act, kids, &cond) && grammar_add(act, rows, cond.conds)
                   : grammar_dated(act, &kids[1], &cond) && grammar_add(act, rows, cond.conds);
    return with->kind == SENSE_CONDS ? grammar_add(act, rows, with->conds)
                                     : grammar_add_rows(act, rows, with);
}

/* The deed's rows in a period, which may not be said. */
static bool add_period(struct act *act, const struct sense *deed, const struct sense *period,
                       struct sense *rows)
{
    struct sense cond;
    const struct sense *const kids[] = {deed, period};
    return period == NULL ||
           (grammar_dated_by(act, kids, &cond) && grammar_add(act, rows, cond.conds));
}

bool grammar_deed_with(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const kids[] = {&rows};
    return add_to_deed(act, args[0], args[1], &rows) && add_period(act, args[0], args[2], &rows) &&
           grammar_exists(act, kids, made);
}

/* "admitted more than 3 times" */
bool grammar_amount_done(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const kids[] = {args[1], &rows};
    return deed_rows(act, args[0], &rows) && grammar_amount(act, kids, made);
}

/* "filed more than 2 requests in May": rows of the deed, or of the deed with such rows. */
bool grammar_amount_moment(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const kids[] = {args[1], &rows};
    int table = args[0]->table;
    return grammar_is_plain(args[2]) &&
           (args[2]->table == table || grammar_is_one(act, table, args[2]->table)) &&
           deed_rows(act, args[0], &rows) && grammar_add_rows(act, &rows, args[2]) &&
           add_period(act, args[0], args[3], &rows) && grammar_amount(act, kids, made);
}

bool grammar_no_deed(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const kids[] = {&rows};
    return deed_rows(act, args[0], &rows) && grammar_none(act, kids, made);
}

bool grammar_no_deed_with(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const kids[] = {&rows};
    return add_to_deed(act, args[0], args[1], &rows) && add_period(act, args[0], args[2], &rows) &&
           grammar_none(act, kids, made);
}

/* "neither borrowed nor reserved" */
bool grammar_neither_done(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense one, two;
    const struct sense *const first[] = {args[0]}, *const second[] = {args[1]};
    const struct sense *const both[] = {&one, &two};
    if (!grammar_no_deed(act, first, &one) || !grammar_no_deed(act, second, &two))
        return false;
    sense_seal(&one);
    sense_seal(&two);
    return grammar_both(act, both, made);
}

bool grammar_attach_conds(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense date;
    const struct sense *const kids[] = {args[1]};
    int column;
    (void)grammar_dated_by_default(act->lexicon, args[0]->table, &column);
    if (column == CATALOG_NONE || !grammar_dated(act, kids, &date))
        return false;
    struct sense_cond of = *date.conds; /* the rows that the others are of */
    of.table = args[0]->table;
    const struct sense_cond *dated = sense_cond_make(act->arena, of);
    *made = *args[0];
    made->conds = dated == NULL ? NULL : sense_cond_join(act->arena, dated, args[0]->conds);
    return made->conds != NULL;
}

bool grammar_stand_column(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    *made = (struct sense){.kind = SENSE_ROWS, .table = args[1]->table};
    return grammar_column(args[1], &on) && args[0]->table == made->table &&
           grammar_add(act, made, args[0]->conds);
}

/* ---- years that are numbers ---- */

/* Whether a day begins a year, which then is *year; no day: it does, and *year stays. */
static bool begins_year(int32_t at, int *year)
{
    int month = 1, day = 1;
    if (at != OFFLINE_DAY_NONE)
        english_dates_split(at, year, &month, &day);
    return month == 1 && day == 1;
}

bool grammar_year_filter(struct reading_column on, struct offline_range range,
                         struct reading_filter *filter)
{
    int first = 0, end = 0;
    if (on.column == CATALOG_NONE || !begins_year(range.first, &first) ||
        !begins_year(range.end, &end))
        return false;
    bool open = range.first == OFFLINE_DAY_NONE, ends = range.end != OFFLINE_DAY_NONE;
    filter->on = on;
    filter->op = open ? OP_LT : !ends ? OP_GE : first == end - 1 ? OP_EQ : OP_BETWEEN;
    filter->number = open ? end : first;
    filter->high = end - 1;
    return true;
}

int grammar_year_column(const struct lexicon *lexicon, int table)
{
    int found = CATALOG_NONE;
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    for (size_t c = 0; c < t->column_count; c++) {
        if (t->columns[c].hidden ||
            !grammar_is_year(lexicon, (struct reading_column){table, (int)c, NULL, 0}))
            continue;
        if (found != CATALOG_NONE)
            return CATALOG_NONE;
        found = (int)c;
    }
    return found;
}

bool grammar_year_of(struct act *act, struct reading_column on, struct offline_range range,
                     struct sense *made)
{
    struct reading_filter filter = {.out = READING_NONE};
    return grammar_is_year(act->lexicon, on) && grammar_year_filter(on, range, &filter) &&
           grammar_leaf(act, &filter, made);
}

bool grammar_year(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    return grammar_column(args[0], &on) && grammar_year_of(act, on, args[1]->range, made);
}

/* ---- how long something takes ---- */

static bool duration(struct act *act, struct reading_column from, struct reading_column to,
                     struct sense *made)
{
    struct reading_filter known = {.on = to, .op = OP_NOT_NULL};
    struct sense cond;
    if (from.column == CATALOG_NONE || from.table != to.table || from.column == to.column)
        return false;
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = to.table};
    to.since = from.column + 1;
    return grammar_leaf(act, &known, &cond) && grammar_add(act, made, cond.conds) &&
           grammar_measure(act, made, AGG_NONE, to);
}

bool grammar_duration(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column to;
    if (!grammar_column(args[0], &to))
        return false;
    struct reading_column from = {to.table, act->lexicon->facts[to.table].began, NULL, 0};
    return duration(act, from, to, made);
}

bool grammar_duration_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    return args[0]->table == args[1]->table && grammar_duration(act, args, made) &&
           grammar_add_rows(act, made, args[1]);
}

bool grammar_duration_from(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column from, to;
    return grammar_column(args[0], &from) && grammar_column(args[1], &to) &&
           duration(act, from, to, made);
}

static bool aggregate(struct act *act, enum offline_agg agg, struct sense *made)
{
    const struct sense_measure *days = made->measures;
    made->measures = NULL;
    return agg != AGG_NONE && days->agg == AGG_NONE && grammar_measure(act, made, agg, days->on);
}

bool grammar_aggregate_duration(struct act *act, const struct sense *const args[],
                                struct sense *made)
{
    *made = *args[1];
    return aggregate(act, (enum offline_agg)args[0]->arg, made);
}

bool grammar_aggregate_duration_of(struct act *act, const struct sense *const args[],
                                   struct sense *made)
{
    return grammar_aggregate_duration(act, args, made) && args[2]->table == made->table &&
           grammar_add_rows(act, made, args[2]);
}

bool grammar_average_duration_of(struct act *act, const struct sense *const args[],
                                 struct sense *made)
{
    struct reading_column to;
    if (args[0]->table == args[1]->table)
        return grammar_duration_of(act, args, made) && aggregate(act, AGG_AVG, made);
    return grammar_column(args[0], &to) && grammar_duration(act, args, made) &&
           grammar_add_rows(act, made, args[1]) && aggregate(act, AGG_AVG, made);
}

bool grammar_average_duration_from(struct act *act, const struct sense *const args[],
                                   struct sense *made)
{
    return grammar_duration_from(act, args, made) && aggregate(act, AGG_AVG, made);
}

/* "what did Ann borrow", "how often was Low Tide borrowed": the deeds that belong to it. */
bool grammar_deed_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    return args[0]->kind == SENSE_CONDS && args[0]->conds != NULL &&
           deed_rows(act, args[1], made) && made->table != args[0]->conds->table &&
           grammar_add(act, made, args[0]->conds);
}

/* The two dates that rows of table lie between. False: none are clear. */
static bool find_span(const struct act *act, int table, struct reading_column *from,
                      struct reading_column *to)
{
    int done = grammar_done_date(act, table);
    *from = (struct reading_column){table, CATALOG_NONE, NULL, 0};
    *to = (struct reading_column){table, done, NULL, 0};
    if (done == CATALOG_NONE)
        to->column = act->lexicon->facts[table].ended;
    return grammar_dated_by_default(act->lexicon, table, &from->column) == table &&
           from->column != CATALOG_NONE && to->column != CATALOG_NONE && from->column != to->column;
}

/* "average length of a stay": from its beginning to its end. */
bool grammar_aggregate_span(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column from, to;
    const struct sense *rows = args[1];
    enum offline_agg agg = args[0] == NULL ? AGG_AVG : (enum offline_agg)args[0]->arg;
    return grammar_is_plain(rows) && !grammar_has_length(act, rows->table) &&
           find_span(act, rows->table, &from, &to) && duration(act, from, to, made) &&
           aggregate(act, agg, made) && grammar_add_rows(act, made, rows);
}

bool grammar_average_span(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *const kids[] = {NULL, args[0]};
    return grammar_aggregate_span(act, kids, made);
}

/* "repairs that took more than 3 weeks" */
bool grammar_span_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column from, to;
    struct sense cond;
    const struct sense *quantity = args[1];
    struct english_unit said = english_units_find(quantity->unit);
    *made = *args[0];
    if (made->kind != SENSE_ROWS || made->rank.is || said.of != UNIT_OF_TIME ||
        !find_span(act, made->table, &from, &to))
        return false;
    to.since = from.column + 1;
    struct reading_filter filter = {.on = to,
                                    .op = (enum offline_op)quantity->arg,
                                    .number = quantity->number * said.size / ENGLISH_UNITS_DAY,
                                    .high = quantity->high * said.size / ENGLISH_UNITS_DAY};
    return grammar_leaf(act, &filter, &cond) && grammar_add(act, made, cond.conds);
}

/* The same, in days, weeks or years. */
bool grammar_span_grains(struct act *act, const struct sense *const args[], struct sense *made)
{
    static const double days[] = {[GRAIN_DAY] = 1, [GRAIN_WEEK] = 7, [GRAIN_YEAR] = 365.25};
    const size_t grain = (size_t)args[3]->arg;
    struct sense quantity = *args[2];
    const struct sense *const kids[] = {args[0], &quantity};
    if (quantity.unit.len > 0 || grain >= countof(days) || days[grain] <= 0)
        return false; /* months and quarters are not of one length */
    quantity.arg = args[1]->arg;
    quantity.number *= days[grain];
    quantity.unit = STR("days");
    return grammar_span_rows(act, kids, made);
}

/* "which stay lasted longest" */
bool grammar_first_span(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column from, to;
    struct sense known;
    const struct sense *rows = args[1];
    unsigned limit = grammar_limit(rows, args[2], 0);
    if (rows->kind != SENSE_ROWS || rows->rank.is || limit == 0 ||
        !find_span(act, rows->table, &from, &to))
        return false;
    struct reading_filter filter = {.on = to, .op = OP_NOT_NULL};
    *made = *rows;
    if (!grammar_leaf(act, &filter, &known) || !grammar_add(act, made, known.conds))
        return false;
    to.since = from.column + 1;
    made->rank = (struct sense_rank){
        .is = true, .descending = args[0]->arg == 1, .on = to, .limit = limit};
    return true;
}

/* "how much did each customer pay in May": the amount of the rows that say when, of each, or of
 * some. */
bool grammar_paid_by(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *who = args[1];
    if (!deed_rows(act, args[0], &rows) || !add_period(act, args[0], args[2], &rows) ||
        who->table == rows.table || !grammar_is_plain(who))
        return false;
    int measure = act->lexicon->facts[rows.table].measure;
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = rows.table, .conds = rows.conds};
    if (measure == CATALOG_NONE ||
        !grammar_measure(act, made, AGG_SUM, (struct reading_column){rows.table, measure, NULL, 0}))
        return false;
    if (who->conds != NULL)
        return grammar_is_one(act, rows.table, who->table) && grammar_add_rows(act, made, who);
    return grammar_group_by(act, made, (struct sense_group){.on = grammar_rows_of(who->table)});
}

/* "books older than 20 years": by the year that is a number. */
static bool years_back(struct act *act, const struct sense *rows, bool older, double years,
                       struct sense *made)
{
    struct sense cond;
    int year, month, day;
    english_dates_split(act->today, &year, &month, &day);
    const struct reading_filter filter = {
        .on = {rows->table, grammar_year_column(act->lexicon, rows->table), NULL, 0},
        .op = older ? OP_LT : OP_GT,
        .number = year - years};
    *made = *rows;
    return grammar_leaf(act, &filter, &cond) && grammar_add(act, made, cond.conds);
}

/* "invoices older than 60 days": since their date. */
bool grammar_back_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { MOST = 4000 };
    const struct sense *rows = args[0];
    struct reading_filter filter = {.op = OP_RANGE, .range = {OFFLINE_DAY_NONE, OFFLINE_DAY_NONE}};
    struct sense cond;
    *made = *rows;
    if (rows->kind != SENSE_ROWS || rows->rank.is || args[2]->unit.len > 0 || args[2]->number < 1 ||
        args[2]->number > MOST || grammar_has_age(act, rows->table))
        return false;
    if (args[3]->arg == GRAIN_YEAR && grammar_year_column(act->lexicon, rows->table) >= 0)
        return years_back(act, rows, args[1]->arg == OP_LT, args[2]->number, made);
    filter.on.table = grammar_dated_by_default(act->lexicon, rows->table, &filter.on.column);
    int32_t then =
        english_dates_back(act->today, (enum offline_grain)args[3]->arg, (int)args[2]->number);
    if (args[1]->arg == OP_LT)
        filter.range.end = then;
    else
        filter.range.first = then + 1;
    return filter.on.column != CATALOG_NONE && filter.on.table == rows->table &&
           grammar_leaf(act, &filter, &cond) && grammar_add(act, made, cond.conds);
}

/* ---- most borrowed, borrowed last ---- */

static bool rank_deed(struct act *act, const struct sense *direction, const struct sense *deed,
                      struct sense *made)
{
    struct sense rows, way = *direction;
    const struct sense *const kids[] = {&way, &rows};
    way.arg &= ~OFTEN;
    if (!deed_rows(act, deed, &rows) || !grammar_rank_rows(act, kids, made))
        return false;
    const int pieces = act->lexicon->facts[rows.table].quantity;
    if (pieces != CATALOG_NONE && (direction->arg & OFTEN) == 0) { /* sold by the piece */
        made->rank.by_measure = AGG_SUM;
        made->rank.on = (struct reading_column){rows.table, pieces, NULL, 0};
    }
    return true;
}

bool grammar_most_done(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rank;
    const struct sense *const kids[] = {args[2], &rank};
    unsigned limit = grammar_limit(args[2], args[3], 1);
    if (limit == 0 || !rank_deed(act, args[0], args[1], &rank))
        return false;
    rank.rank.limit = limit;
    return grammar_ranked(act, kids, made);
}

/* columns: of the deed's date, for who did it. */
bool grammar_rank_done(struct act *act, const struct sense *const args[], struct sense *made)
{
    bool is = rank_deed(act, args[0], args[1], made);
    made->columns = args[1]->columns;
    return is;
}

bool grammar_rank_moment(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const kids[] = {&rows, args[1]};
    bool is = deed_rows(act, args[0], &rows) && grammar_rank_deed(act, kids, made);
    made->columns = args[0]->columns;
    return is;
}

bool grammar_busiest_by(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rank;
    const struct sense *const by[] = {args[0], args[2]};
    const struct sense *const kids[] = {args[1], &rank};
    bool ok = args[2]->kind == SENSE_ROWS ? grammar_rank_rows(act, by, &rank)
                                          : grammar_rank_number(act, by, &rank);
    return ok && grammar_ranked(act, kids, made);
}

/* "the shop that was founded last": by that date. */
bool grammar_first_done(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    (void)act;
    return grammar_column(args[2], &on) && on.table == args[1]->table &&
           grammar_first(args[1], on.table, on.column, args[0]->arg == 1,
                         grammar_limit(args[1], NULL, 1), made);
}

/* When such rows came about: "when did she register". */
bool grammar_finish_when_began(struct act *act, const struct sense *const args[],
                               struct sense *made)
{
    struct sense rows = *args[0];
    const struct sense *const own[] = {args[0]};
    if (args[0]->kind == SENSE_CONDS && !grammar_stand(act, own, &rows))
        return false;
    struct sense_column began = {.on = {rows.table, CATALOG_NONE, NULL, 0}};
    const struct sense columns = {.kind = SENSE_COLUMNS, .table = rows.table, .columns = &began};
    struct sense_column *kept = arena_alloc(act->arena, sizeof *kept);
    began.on.table = grammar_dated_by_default(act->lexicon, rows.table, &began.on.column);
    if (kept == NULL || rows.conds == NULL || began.on.column == CATALOG_NONE ||
        began.on.table != rows.table)
        return false;
    *kept = began;
    const struct sense *const kids[] = {&columns, &rows};
    bool ok = grammar_show_columns(act, kids, made);
    made->columns = kept;
    return ok;
}

/* The date of the last, or the first, of rows. */
bool grammar_last_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on = {READING_NONE, READING_NONE, NULL, 0};
    const struct sense *rows = args[1];
    on.table = grammar_dated_by_default(act->lexicon, rows->table, &on.column);
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = rows->table, .conds = rows->conds};
    return grammar_is_plain(rows) && on.column != CATALOG_NONE && on.table == rows->table &&
           grammar_measure(act, made, args[0]->arg == 1 ? AGG_MAX : AGG_MIN, on);
}

static bool last_time(struct act *act, const struct sense *what, struct reading_column on,
                      struct sense *made)
{
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = on.table};
    if (!grammar_measure(act, made, AGG_MAX, on))
        return false;
    return what->kind == SENSE_CONDS ? grammar_add(act, made, what->conds)
                                     : what->conds != NULL && grammar_add_rows(act, made, what);
}

bool grammar_last_time(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    return grammar_column(args[1], &on) && last_time(act, args[0], on, made);
}

bool grammar_last_time_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    return grammar_last_time(act, args, made) && grammar_add_rows(act, made, args[2]);
}

bool grammar_last_row(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on = {READING_NONE, READING_NONE, NULL, 0};
    on.table = grammar_dated_by_default(act->lexicon, args[0]->table, &on.column);
    return on.column != CATALOG_NONE && on.table == args[0]->table &&
           last_time(act, args[1], on, made) &&
           (args[2] == NULL || grammar_add_rows(act, made, args[2]));
}

/* ---- two periods or values side by side ---- */

/* The conditions of one side, all on the rows counted or on what each of them belongs to. */
static bool side_of(struct act *act, const struct sense *numbers, const struct sense *side,
                    const struct sense_cond **conds)
{
    struct sense cond = *side;
    const struct sense *const kids[] = {side};
    if (side->kind == SENSE_WORD && !grammar_dated(act, kids, &cond))
        return false;
    *conds = cond.conds;
    for (const struct sense_cond *c = cond.conds; c != NULL; c = c->next) {
        if (c->kind != COND_LEAF && c->kind != COND_DATE)
            return false;
        if (c->kind == COND_LEAF && !grammar_is_one(act, numbers->table, c->table))
            return false;
        if (c->kind == COND_LEAF)
            act->cost += grammar_distance(act, numbers->table, c->table);
    }
    return cond.kind == SENSE_CONDS && cond.conds != NULL;
}

static bool is_added_up(const struct sense_measure *what)
{
    return what->agg == AGG_COUNT || what->agg == AGG_SUM ||
           (what->agg == AGG_METRIC && what->on.metric->additive);
}

bool grammar_contrast(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_cond *sides[2];
    const struct sense_measure *what = args[0]->measures;
    *made = *args[0];
    if (args[0]->kind != SENSE_NUMBERS || what->next != NULL || what->only != NULL ||
        made->groups != NULL || made->ratio || !is_added_up(what) ||
        args[1]->hash == args[2]->hash || args[1]->kind != args[2]->kind)
        return false;
    made->measures = NULL;
    for (size_t i = 0; i < countof(sides); i++) {
        struct sense_measure *measure = arena_alloc(act->arena, sizeof *measure);
        if (measure == NULL || !side_of(act, args[0], args[i + 1], &sides[i]))
            return false;
        *measure = *what;
        measure->only = sides[i];
        measure->next = made->measures;
        made->measures = measure;
    }
    return true;
}

/* "spent more on fuel in May than in April" */
bool grammar_contrast_more(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense measured;
    const struct sense *const kids[] = {&measured, args[2], args[3]};
    return grammar_attach(act, args, &measured) && grammar_contrast(act, kids, made);
}

bool grammar_contrast_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense counted;
    const struct sense *const rows[] = {args[0]};
    const struct sense *const kids[] = {&counted, args[1], args[2]};
    return grammar_count(act, rows, &counted) && grammar_contrast(act, kids, made);
}

/* "shifts that nobody is assigned to": the one reference to persons is empty. */
bool grammar_unassigned(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense cond;
    struct reading_filter filter = {.on = {args[0]->table, CATALOG_NONE, NULL, 0},
                                    .op = OP_IS_NULL};
    const struct catalog_table *t = &act->lexicon->catalog->tables[args[0]->table];
    for (size_t r = 0; r < t->reference_count; r++) {
        const struct catalog_reference *ref = &t->references[r];
        if (ref->to_table == args[0]->table ||
            grammar_person(act, ref->to_table) != ref->to_table ||
            t->columns[ref->columns[0]].not_null)
            continue;
        if (filter.on.column != CATALOG_NONE)
            return false;
        filter.on.column = ref->columns[0];
    }
    *made = *args[0];
    return filter.on.column != CATALOG_NONE && grammar_is_plain(made) &&
           grammar_leaf(act, &filter, &cond) && grammar_add(act, made, cond.conds);
}

/* ---- the first of each group ---- */

bool grammar_of_group(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_group *group = args[1]->groups;
    *made = *args[0];
    if (made->kind != SENSE_ROWS || !made->rank.is || made->rank.limit != 1 ||
        made->rank.on.table != made->table || args[1]->kind != SENSE_GROUPS ||
        group->next != NULL || group->grain != GRAIN_NONE || made->of_group ||
        made->columns != NULL || !grammar_is_one(act, made->table, group->on.table) ||
        (group->on.column == READING_NONE && group->on.table == made->table))
        return false;
    if (group->on.column != READING_NONE &&
        lexicon_facts_is_measure(act->lexicon, group->on.table, group->on.column))
        return false; /* what they are ranked by */
    made->of_group = true;
    made->groups = group;
    return true;
}

bool grammar_of_group_column(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rank, ranked;
    const struct sense *const by[] = {args[0], args[1]};
    const struct sense *const kids[] = {args[2], &rank};
    const struct sense *const groups[] = {&ranked, args[3]};
    return grammar_rank_column(act, by, &rank) && grammar_ranked(act, kids, &ranked) &&
           grammar_of_group(act, groups, made);
}

/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/render.c - pieces of SQL where dialects differ: quotes, booleans and
 * periods.
 *
 * Happy path: everything is appended to the buffer. Failure: that of the buffer, checked at the
 * end. */
#include "agents/offline/compose/render.h"

#include "agents/semantic/model.h"

enum { LIKE_BYTES = 200 };

void offline_render_number(const struct render *r, double value)
{
    buf_printf(r->out, "%.15g", value);
}

/* A date or time as days that can be subtracted. */
static void render_days(const struct render *r, unsigned alias, int table, int column)
{
    enum catalog_type type = r->catalog->tables[table].columns[column].type;
    if (r->dialect == SQL_SQLITE) {
        buf_push(r->out, STR("julianday("));
        lexicon_render_column(r, alias, table, column);
        buf_push_char(r->out, ')');
    } else if (type == CATALOG_DATE || type == CATALOG_TIMESTAMP) {
        lexicon_render_column(r, alias, table, column);
    } else {
        buf_push(r->out, STR("CAST("));
        lexicon_render_column(r, alias, table, column);
        buf_push(r->out, r->dialect == SQL_POSTGRES ? STR(" AS timestamp)") : STR(" AS DATETIME)"));
    }
}

/* The whole years from a date until today. */
static void render_age(const struct render *r, unsigned alias, struct reading_column on)
{
    char day[11];
    english_dates_text(r->today, day);
    if (r->dialect == SQL_SQLITE) {
        buf_printf(r->out, "%.4s - strftime('%%Y', ", day);
        lexicon_render_column(r, alias, on.table, on.column);
        buf_printf(r->out, ") - ('%s' < strftime('%%m-%%d', ", day + 5);
        lexicon_render_column(r, alias, on.table, on.column);
        buf_push(r->out, STR("))"));
    } else if (r->dialect == SQL_POSTGRES) {
        buf_printf(r->out, "EXTRACT(YEAR FROM AGE(DATE '%s', ", day);
        render_days(r, alias, on.table, on.column);
        buf_push(r->out, STR("))"));
    } else {
        buf_push(r->out, STR("TIMESTAMPDIFF(YEAR, "));
        render_days(r, alias, on.table, on.column);
        buf_printf(r->out, ", '%s')", day);
    }
}

void offline_render_amount(const struct render *r, unsigned alias, struct reading_column on)
{
    if (on.since == 0) {
        lexicon_render_column(r, alias, on.table, on.column);
    } else if (on.since == READING_AGE) {
        render_age(r, alias, on);
    } else if (r->dialect == SQL_SQLITE) {
        render_days(r, alias, on.table, on.column);
        buf_push(r->out, STR(" - "));
        render_days(r, alias, on.table, on.since - 1);
    } else if (r->dialect == SQL_POSTGRES) {
        buf_push(r->out, STR("EXTRACT(EPOCH FROM CAST("));
        render_days(r, alias, on.table, on.column);
        buf_push(r->out, STR(" AS timestamp) - CAST("));
        render_days(r, alias, on.table, on.since - 1);
        buf_push(r->out, STR(" AS timestamp)) / 86400"));
    } else {
        buf_push(r->out, STR("TIMESTAMPDIFF(SECOND, "));
        render_days(r, alias, on.table, on.since - 1);
        buf_push(r->out, STR(", "));
        render_days(r, alias, on.table, on.column);
        buf_push(r->out, STR(") / 86400"));
    }
}

const char *offline_render_op(enum offline_op op)
{
    switch (op) {
    case OP_NE:
        return "<>";
    case OP_LT:
        return "<";
    case OP_LE:
        return "<=";
    case OP_GT:
        return ">";
    case OP_GE:
        return ">=";
    default:
        return "=";
    }
}

void offline_render_bound(const struct render *r, enum offline_op op, double number, double high)
{
    if (op == OP_BETWEEN) {
        buf_push(r->out, STR("BETWEEN "));
        offline_render_number(r, number);
        buf_push(r->out, STR(" AND "));
        offline_render_number(r, high);
        return;
    }
    buf_printf(r->out, "%s ", offline_render_op(op));
    offline_render_number(r, number);
}

void offline_render_factor(const struct render *r, double factor)
{
    if (factor <= 0)
        return;
    offline_render_number(r, factor);
    buf_push(r->out, STR(" * "));
}

/* LOWER(column) LIKE '%text%'; what LIKE would read otherwise is marked with "!". */
static void render_like(const struct render *r, const struct reading_filter *filter)
{
    int part = (int)filter->number;
    bool marked = false;
    char text[LIKE_BYTES];
    size_t len = 0;
    for (size_t i = 0; i < filter->values[0].len && len + 2 < sizeof text; i++) {
        char c = filter->values[0].at[i];
        if (c == '%' || c == '_' || c == '!') {
            text[len++] = '!';
            marked = true;
        }
        text[len++] = str_lower(c);
    }
    struct buf pattern;
    buf_init(&pattern, LIKE_BYTES + 2);
    buf_push(&pattern, part == LIKE_FIRST ? STR("") : STR("%"));
    buf_push(&pattern, str_utf8_prefix(str_make(text, len), len));
    buf_push(&pattern, part == LIKE_LAST ? STR("") : STR("%"));
    buf_push(r->out, filter->op == OP_LIKE ? STR(") LIKE ") : STR(") NOT LIKE "));
    lexicon_render_text(r, buf_str(&pattern));
    buf_push(r->out, marked ? STR(" ESCAPE '!'") : STR(""));
    buf_fini(&pattern);
}

/* column IN (SELECT key FROM the table WHERE its columns have the values). */
static void render_through(const struct render *r, const struct reading_filter *filter)
{
    const struct catalog_reference *ref =
        filter->back ? NULL
                     : lexicon_index_reference(r->catalog, filter->on.table, filter->on.column);
    int to = filter->back ? filter->on.table : ref->to_table;
    buf_push(r->out, STR(" IN (SELECT "));
    lexicon_render_column(r, 0, to, filter->back ? filter->than : ref->to_columns[0]);
    buf_push(r->out, STR(" FROM "));
    lexicon_render_table(r, to);
    for (size_t i = 0; i < filter->value_count && i < READING_PARTS; i++) {
        buf_push(r->out, i == 0 ? STR(" WHERE ") : STR(" AND "));
        lexicon_render_column(r, 0, to, filter->columns[i]);
        buf_push(r->out, STR(" = "));
        lexicon_render_text(r, filter->values[i]);
    }
    buf_push_char(r->out, ')');
}

static void render_range(const struct render *r, unsigned alias,
                         const struct reading_filter *filter)
{
    char text[11];
    bool both = filter->range.first != OFFLINE_DAY_NONE && filter->range.end != OFFLINE_DAY_NONE;
    if (filter->range.first != OFFLINE_DAY_NONE) {
        english_dates_text(filter->range.first, text);
        lexicon_render_column(r, alias, filter->on.table, filter->on.column);
        buf_printf(r->out, " >= '%s'", text);
    }
    if (both)
        buf_push(r->out, STR(" AND "));
    if (filter->range.end != OFFLINE_DAY_NONE) {
        english_dates_text(filter->range.end, text);
        lexicon_render_column(r, alias, filter->on.table, filter->on.column);
        buf_printf(r->out, " < '%s'", text);
    }
}

static void render_values(const struct render *r, const struct reading_filter *filter)
{
    bool several = filter->value_count > 1;
    if (several)
        buf_push(r->out, filter->op == OP_NE ? STR(" NOT IN (") : STR(" IN ("));
    else
        buf_push(r->out, filter->op == OP_NE ? STR(" <> ") : STR(" = "));
    for (size_t i = 0; i < filter->value_count; i++) {
        if (i > 0)
            buf_push(r->out, STR(", "));
        lexicon_render_text(r, filter->values[i]);
    }
    if (several)
        buf_push_char(r->out, ')');
}

void offline_render_expression(const struct render *r, unsigned alias, int table,
                               const struct semantic_expression *expression)
{
    char day[11];
    english_dates_text(r->today, day);
    semantic_model_push(expression, r->catalog, r->dialect, table, alias, str_of(day), r->out);
}

/* The condition itself; or that it does not hold, which it also does not where it is unknown. */
static void render_named(const struct render *r, unsigned alias,
                         const struct reading_filter *filter)
{
    const struct semantic_expression *condition =
        filter->named->is_metric ? &filter->named->filter : &filter->named->expression;
    bool holds = filter->number > 0;
    buf_push(r->out, holds ? STR("") : STR("CASE WHEN "));
    offline_render_expression(r, alias, filter->on.table, condition);
    buf_push(r->out, holds ? STR("") : STR(" THEN 0 ELSE 1 END = 1"));
}

/* The reference from a part to its whole, of which not all rows count; NULL: there is none, or it
 * is not clear which. */
static const struct catalog_reference *living_whole(const struct render *r, int table)
{
    const struct catalog_table *t = &r->catalog->tables[table];
    const struct catalog_reference *found = NULL;
    int whole = r->facts[table].header;
    if (whole == CATALOG_NONE || whole == table || r->facts[whole].living == NULL)
        return NULL;
    for (size_t i = 0; i < t->reference_count; i++) {
        if (t->references[i].to_table != whole)
            continue;
        if (found != NULL || t->references[i].column_count != 1)
            return NULL;
        found = &t->references[i];
    }
    return found;
}

bool offline_render_living(const struct render *r, unsigned alias, int table, bool has_whole,
                           struct str lead)
{
    const struct semantic_named *living = r->facts == NULL ? NULL : r->facts[table].living;
    const struct catalog_reference *part =
        r->facts == NULL || has_whole ? NULL : living_whole(r, table);
    if (living != NULL) {
        buf_push(r->out, lead);
        offline_render_expression(r, alias, table, &living->expression);
    }
    if (part != NULL) {
        buf_push(r->out, living != NULL ? STR(" AND ") : lead);
        lexicon_render_column(r, alias, table, part->columns[0]);
        buf_push(r->out, STR(" IN (SELECT "));
        lexicon_render_column(r, 0, part->to_table, part->to_columns[0]);
        buf_push(r->out, STR(" FROM "));
        lexicon_render_table(r, part->to_table);
        buf_push(r->out, STR(" WHERE "));
        offline_render_expression(r, 0, part->to_table,
                                  &r->facts[part->to_table].living->expression);
        buf_push_char(r->out, ')');
    }
    return living != NULL || part != NULL;
}

/* Which rows of the table are averaged, of those that count: t51 is they, where they are like the
 * row itself. */
static void render_mean(const struct render *r, unsigned alias, const struct reading_filter *filter)
{
    enum { APART = 50 };
    int table = filter->on.table, column = filter->mean.column;
    bool like = filter->mean.of == MEAN_OF_LIKE, all = filter->mean.of == MEAN_ALL;
    unsigned theirs = like ? alias + APART : 0;
    if (like)
        buf_printf(r->out, " AS t%u", theirs);
    if (!all) {
        buf_push(r->out, STR(" WHERE "));
        lexicon_render_column(r, theirs, table, column);
        buf_push(r->out, STR(" = "));
    }
    if (like)
        lexicon_render_column(r, alias, table, column);
    else if (!all)
        lexicon_render_text(r, filter->mean.value);
    offline_render_living(r, theirs, table, false, all ? STR(" WHERE ") : STR(" AND "));
}

/* What is compared: a column, or the days between two. */
static void render_side(const struct render *r, unsigned alias, struct reading_column on)
{
    buf_push(r->out, on.since != 0 ? STR("(") : STR(""));
    offline_render_amount(r, alias, on);
    buf_push(r->out, on.since != 0 ? STR(")") : STR(""));
}

void offline_render_filter(const struct render *r, unsigned alias,
                           const struct reading_filter *filter)
{
    int table = filter->on.table, column = filter->on.column;
    if (filter->op == OP_RANGE) {
        render_range(r, alias, filter);
        return;
    }
    if (filter->named != NULL) {
        render_named(r, alias, filter);
        return;
    }
    bool like = filter->op == OP_LIKE || filter->op == OP_NOT_LIKE;
    buf_push(r->out, like ? STR("LOWER(") : STR(""));
    render_side(r, alias, filter->on);
    if (like) {
        render_like(r, filter);
    } else if (filter->through) {
        render_through(r, filter);
    } else if (filter->op == OP_IS_NULL || filter->op == OP_NOT_NULL) {
        buf_push(r->out, filter->op == OP_IS_NULL ? STR(" IS NULL") : STR(" IS NOT NULL"));
    } else if (filter->value_count > 0) {
        render_values(r, filter);
    } else if (filter->versus != AGG_NONE) {
        bool mean = filter->versus == AGG_AVG;
        buf_printf(r->out, " %s (SELECT ", offline_render_op(filter->op));
        offline_render_factor(r, filter->factor);
        buf_push(r->out, mean                        ? STR("AVG(")
                         : filter->versus == AGG_MIN ? STR("MIN(")
                                                     : STR("MAX("));
        offline_render_amount(r, 0, filter->on);
        buf_push(r->out, mean && r->dialect == SQL_MYSQL ? STR(" * 1e0) FROM ") : STR(") FROM "));
        lexicon_render_table(r, table);
        render_mean(r, alias, filter);
        buf_push_char(r->out, ')');
    } else if (filter->vs_column) {
        buf_printf(r->out, " %s ", offline_render_op(filter->op));
        lexicon_render_column(r, alias, table, filter->than);
    } else if (r->dialect == SQL_POSTGRES &&
               r->catalog->tables[table].columns[column].type == CATALOG_BOOLEAN) {
        buf_push(r->out, filter->number > 0 ? STR(" = TRUE") : STR(" = FALSE"));
    } else {
        buf_push_char(r->out, ' ');
        offline_render_bound(r, filter->op, filter->number, filter->high);
    }
}

/* strftime's column; for weeks the Thursday, whose year and week are ISO's. */
static void render_strftime(const struct render *r, const char *format, bool week, unsigned alias,
                            struct reading_column on)
{
    buf_printf(r->out, "strftime('%s', ", format);
    lexicon_render_column(r, alias, on.table, on.column);
    buf_push(r->out, week ? STR(", '-3 days', 'weekday 4')") : STR(")"));
}

static void render_sqlite_grain(const struct render *r, enum offline_grain grain, unsigned alias,
                                struct reading_column on)
{
    static const char *const formats[] = {
        [GRAIN_NONE] = "%Y-%m-%d", [GRAIN_DAY] = "%Y-%m-%d", [GRAIN_WEEK] = "%Y-",
        [GRAIN_MONTH] = "%Y-%m",   [GRAIN_QUARTER] = "%Y-Q", [GRAIN_YEAR] = "%Y"};
    render_strftime(r, formats[grain], grain == GRAIN_WEEK, alias, on);
    if (grain == GRAIN_QUARTER) {
        buf_push(r->out, STR(" || ((CAST("));
        render_strftime(r, "%m", false, alias, on);
        buf_push(r->out, STR(" AS INTEGER) + 2) / 3)"));
    } else if (grain == GRAIN_WEEK) {
        buf_push(r->out, STR(" || substr('0' || ((CAST("));
        render_strftime(r, "%j", true, alias, on);
        buf_push(r->out, STR(" AS INTEGER) + 6) / 7), -2)"));
    }
}

/* A date that is kept as text is one for PostgreSQL only when it is said. */
static void render_pg_grain(const struct render *r, enum offline_grain grain, unsigned alias,
                            struct reading_column on)
{
    static const char *const formats[] = {
        [GRAIN_NONE] = "YYYY-MM-DD", [GRAIN_DAY] = "YYYY-MM-DD",      [GRAIN_WEEK] = "IYYY-IW",
        [GRAIN_MONTH] = "YYYY-MM",   [GRAIN_QUARTER] = "YYYY-\"Q\"Q", [GRAIN_YEAR] = "YYYY"};
    enum catalog_type type = r->catalog->tables[on.table].columns[on.column].type;
    bool cast = type != CATALOG_DATE && type != CATALOG_TIMESTAMP;
    buf_push(r->out, cast ? STR("to_char(CAST(") : STR("to_char("));
    lexicon_render_column(r, alias, on.table, on.column);
    buf_printf(r->out, "%s, '%s')", cast ? " AS timestamp)" : "", formats[grain]);
}

static void render_mysql_grain(const struct render *r, enum offline_grain grain, unsigned alias,
                               struct reading_column on)
{
    static const char *const formats[] = {
        [GRAIN_NONE] = "%Y-%m-%d", [GRAIN_DAY] = "%Y-%m-%d", [GRAIN_WEEK] = "%x-%v",
        [GRAIN_MONTH] = "%Y-%m",   [GRAIN_QUARTER] = "%Y-Q", [GRAIN_YEAR] = "%Y"};
    buf_push(r->out, grain == GRAIN_QUARTER ? STR("CONCAT(DATE_FORMAT(") : STR("DATE_FORMAT("));
    lexicon_render_column(r, alias, on.table, on.column);
    buf_printf(r->out, ", '%s')", formats[grain]);
    if (grain != GRAIN_QUARTER)
        return;
    buf_push(r->out, STR(", QUARTER("));
    lexicon_render_column(r, alias, on.table, on.column);
    buf_push(r->out, STR("))"));
}

void offline_render_grain(const struct render *r, enum offline_grain grain, unsigned alias,
                          int table, int column)
{
    const struct reading_column on = {table, column};
    if (r->dialect == SQL_SQLITE)
        render_sqlite_grain(r, grain, alias, on);
    else if (r->dialect == SQL_POSTGRES)
        render_pg_grain(r, grain, alias, on);
    else
        render_mysql_grain(r, grain, alias, on);
}

void offline_render_order(const struct render *r, bool descending, bool may_be_null)
{
    if (descending)
        buf_push(r->out, STR(" DESC"));
    if (may_be_null && r->dialect == SQL_POSTGRES)
        buf_push(r->out, descending ? STR(" NULLS LAST") : STR(" NULLS FIRST"));
}

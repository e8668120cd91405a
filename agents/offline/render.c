/* SPDX-License-Identifier: MIT */
/* agents/offline/render.c - dialects differ in quotes, booleans and periods.
 *
 * Happy path: everything is appended to the buffer. Failure: the buffer's own, asked at the end. */
#include "agents/offline/render.h"

static bool is_reserved(struct str name)
{
    static const char *const words[] = {
        "all",     "and",         "as",     "between", "by",       "case",    "check",
        "column",  "create",      "cross",  "desc",    "distinct", "drop",    "else",
        "end",     "exists",      "from",   "full",    "group",    "having",  "in",
        "index",   "inner",       "insert", "is",      "join",     "key",     "left",
        "like",    "limit",       "match",  "not",     "null",     "offset",  "on",
        "or",      "order",       "outer",  "primary", "range",    "rank",    "references",
        "right",   "row",         "rows",   "select",  "set",      "table",   "then",
        "to",      "transaction", "union",  "unique",  "update",   "user",    "using",
        "values",  "view",        "when",   "where",   "with",     "window",  "groups",
        "system",  "interval",    "add",    "current", "over",     "natural", "default",
        "trigger",
    };
    for (size_t i = 0; i < countof(words); i++)
        if (str_equal_nocase(name, str_of(words[i])))
            return true;
    return false;
}

static bool is_plain(const struct render *r, struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i];
        bool upper = c >= 'A' && c <= 'Z';
        if (!(str_is_alpha(c) || c == '_' || (i > 0 && str_is_digit(c))) ||
            (upper && r->dialect == SQL_POSTGRES))
            return false;
    }
    return name.len > 0 && !is_reserved(name);
}

void offline_render_name(const struct render *r, struct str name)
{
    if (is_plain(r, name)) {
        buf_push(r->out, name);
        return;
    }
    char quote = r->dialect == SQL_MYSQL ? '`' : '"';
    buf_push_char(r->out, quote);
    for (size_t i = 0; i < name.len; i++) {
        if (name.at[i] == quote)
            buf_push_char(r->out, quote);
        buf_push_char(r->out, name.at[i]);
    }
    buf_push_char(r->out, quote);
}

void offline_render_table(const struct render *r, int table)
{
    const struct catalog_table *t = &r->catalog->tables[table];
    if (t->schema.len > 0) {
        offline_render_name(r, t->schema);
        buf_push_char(r->out, '.');
    }
    offline_render_name(r, t->name);
}

void offline_render_column(const struct render *r, unsigned alias, int table, int column)
{
    if (alias > 0)
        buf_printf(r->out, "t%u.", alias);
    offline_render_name(r, r->catalog->tables[table].columns[column].name);
}

void offline_render_text(const struct render *r, struct str value)
{
    buf_push_char(r->out, '\'');
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] == '\'' || (value.at[i] == '\\' && r->dialect == SQL_MYSQL))
            buf_push_char(r->out, value.at[i]);
        buf_push_char(r->out, value.at[i]);
    }
    buf_push_char(r->out, '\'');
}

void offline_render_number(const struct render *r, double value)
{
    buf_printf(r->out, "%.15g", value);
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

static void render_range(const struct render *r, unsigned alias,
                         const struct reading_filter *filter)
{
    char text[11];
    bool both = filter->range.first != OFFLINE_DAY_NONE && filter->range.end != OFFLINE_DAY_NONE;
    if (filter->range.first != OFFLINE_DAY_NONE) {
        offline_dates_text(filter->range.first, text);
        offline_render_column(r, alias, filter->on.table, filter->on.column);
        buf_printf(r->out, " >= '%s'", text);
    }
    if (both)
        buf_push(r->out, STR(" AND "));
    if (filter->range.end != OFFLINE_DAY_NONE) {
        offline_dates_text(filter->range.end, text);
        offline_render_column(r, alias, filter->on.table, filter->on.column);
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
        offline_render_text(r, filter->values[i]);
    }
    if (several)
        buf_push_char(r->out, ')');
}

void offline_render_filter(const struct render *r, unsigned alias,
                           const struct reading_filter *filter)
{
    int table = filter->on.table, column = filter->on.column;
    if (filter->op == OP_RANGE) {
        render_range(r, alias, filter);
        return;
    }
    offline_render_column(r, alias, table, column);
    if (filter->op == OP_IS_NULL || filter->op == OP_NOT_NULL) {
        buf_push(r->out, filter->op == OP_IS_NULL ? STR(" IS NULL") : STR(" IS NOT NULL"));
    } else if (filter->value_count > 0) {
        render_values(r, filter);
    } else if (filter->vs_average) {
        buf_printf(r->out, " %s (SELECT AVG(", offline_render_op(filter->op));
        offline_render_column(r, 0, table, column);
        buf_push(r->out, STR(") FROM "));
        offline_render_table(r, table);
        buf_push_char(r->out, ')');
    } else if (r->dialect == SQL_POSTGRES &&
               r->catalog->tables[table].columns[column].type == CATALOG_BOOLEAN) {
        buf_push(r->out, filter->number > 0 ? STR(" = TRUE") : STR(" = FALSE"));
    } else {
        buf_push_char(r->out, ' ');
        offline_render_bound(r, filter->op, filter->number, filter->high);
    }
}

static void render_sqlite_grain(const struct render *r, enum offline_grain grain, unsigned alias,
                                int table, int column)
{
    static const char *const formats[] = {
        [GRAIN_NONE] = "%Y-%m-%d", [GRAIN_DAY] = "%Y-%m-%d", [GRAIN_WEEK] = "%Y-%W",
        [GRAIN_MONTH] = "%Y-%m",   [GRAIN_QUARTER] = "%Y-Q", [GRAIN_YEAR] = "%Y"};
    buf_push(r->out, STR("strftime('"));
    buf_push(r->out, str_of(formats[grain]));
    buf_push(r->out, STR("', "));
    offline_render_column(r, alias, table, column);
    buf_push_char(r->out, ')');
    if (grain != GRAIN_QUARTER)
        return;
    buf_push(r->out, STR(" || ((CAST(strftime('%m', "));
    offline_render_column(r, alias, table, column);
    buf_push(r->out, STR(") AS INTEGER) + 2) / 3)"));
}

void offline_render_grain(const struct render *r, enum offline_grain grain, unsigned alias,
                          int table, int column)
{
    static const char *const pg[] = {"YYYY-MM-DD", "YYYY-MM-DD",  "IYYY-IW",
                                     "YYYY-MM",    "YYYY-\"Q\"Q", "YYYY"};
    static const char *const my[] = {"%Y-%m-%d", "%Y-%m-%d", "%x-%v", "%Y-%m", "%Y-Q", "%Y"};
    if (r->dialect == SQL_SQLITE) {
        render_sqlite_grain(r, grain, alias, table, column);
        return;
    }
    bool quarter = r->dialect == SQL_MYSQL && grain == GRAIN_QUARTER;
    if (quarter)
        buf_push(r->out, STR("CONCAT("));
    buf_push(r->out, r->dialect == SQL_POSTGRES ? STR("to_char(") : STR("DATE_FORMAT("));
    offline_render_column(r, alias, table, column);
    buf_push(r->out, STR(", '"));
    buf_push(r->out, str_of(r->dialect == SQL_POSTGRES ? pg[grain] : my[grain]));
    buf_push(r->out, STR("')"));
    if (quarter) {
        buf_push(r->out, STR(", QUARTER("));
        offline_render_column(r, alias, table, column);
        buf_push(r->out, STR("))"));
    }
}

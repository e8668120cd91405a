/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_type.c - the types a cast may name, and PostgreSQL's own operators.
 *
 * Left out on purpose: types whose text form looks something up or runs something (regclass and
 * its kin), types of the server's inside, row types of tables, and any type that is not
 * PostgreSQL's own, a well-known extension's, or that of a column in the catalog. Failure: whatever
 * is not listed. */
#include "agents/sql/postgres/parse_pg_state.h"

enum { MAX_PADDED = 1000 };

static const struct str types[] = {{"bigint", 6},
                                   {"bit", 3},
                                   {"bool", 4},
                                   {"boolean", 7},
                                   {"bpchar", 6},
                                   {"box", 3},
                                   {"bytea", 5},
                                   {"char", 4},
                                   {"cidr", 4},
                                   {"circle", 6},
                                   {"citext", 6},
                                   {"date", 4},
                                   {"daterange", 9},
                                   {"datemultirange", 14},
                                   {"decimal", 7},
                                   {"double precision", 16},
                                   {"float4", 6},
                                   {"float8", 6},
                                   {"hstore", 6},
                                   {"inet", 4},
                                   {"int", 3},
                                   {"int2", 4},
                                   {"int4", 4},
                                   {"int4multirange", 14},
                                   {"int4range", 9},
                                   {"int8", 4},
                                   {"int8multirange", 14},
                                   {"int8range", 9},
                                   {"integer", 7},
                                   {"interval", 8},
                                   {"json", 4},
                                   {"jsonb", 5},
                                   {"jsonpath", 8},
                                   {"line", 4},
                                   {"lseg", 4},
                                   {"macaddr", 7},
                                   {"macaddr8", 8},
                                   {"money", 5},
                                   {"name", 4},
                                   {"nummultirange", 13},
                                   {"numeric", 7},
                                   {"numrange", 8},
                                   {"path", 4},
                                   {"point", 5},
                                   {"polygon", 7},
                                   {"real", 4},
                                   {"smallint", 8},
                                   {"text", 4},
                                   {"time", 4},
                                   {"timestamp", 9},
                                   {"timestamptz", 11},
                                   {"timetz", 6},
                                   {"tsmultirange", 12},
                                   {"tsquery", 7},
                                   {"tsrange", 7},
                                   {"tstzmultirange", 14},
                                   {"tstzrange", 9},
                                   {"tsvector", 8},
                                   {"uuid", 4},
                                   {"varbit", 6},
                                   {"varchar", 7},
                                   {"vector", 6}};

static const struct str operators[] = {
    {"=", 1},   {"<>", 2},  {"!=", 2},   {"<", 1},   {">", 1},    {"<=", 2},   {">=", 2},
    {"+", 1},   {"-", 1},   {"*", 1},    {"/", 1},   {"%", 1},    {"^", 1},    {"|/", 2},
    {"||/", 3}, {"@", 1},   {"&", 1},    {"|", 1},   {"#", 1},    {"~", 1},    {"<<", 2},
    {">>", 2},  {"||", 2},  {"~~", 2},   {"!~~", 3}, {"~~*", 3},  {"!~~*", 4}, {"~*", 2},
    {"!~", 2},  {"!~*", 3}, {"->", 2},   {"->>", 3}, {"#>", 2},   {"#>>", 3},  {"@>", 2},
    {"<@", 2},  {"?", 1},   {"?|", 2},   {"?&", 2},  {"#-", 2},   {"@?", 2},   {"@@", 2},
    {"@@@", 3}, {"&&", 2},  {"-|-", 3},  {"&<", 2},  {"&>", 2},   {"<<|", 3},  {"|>>", 3},
    {"&<|", 3}, {"|&>", 3}, {"##", 2},   {"<->", 3}, {"<^", 2},   {">^", 2},   {"?#", 2},
    {"?-", 2},  {"?-|", 3}, {"?||", 3},  {"@-@", 3}, {"@@", 2},   {"~=", 2},   {"^@", 2},
    {"!!", 2},  {"~<~", 3}, {"~<=~", 4}, {"~>~", 3}, {"~>=~", 4}, {"<<=", 3},  {">>=", 3},
    {"<=>", 3}, {"<#>", 3}, {"*=", 2},   {"*<>", 3}, {"*<", 2},   {"*>", 2},   {"*<=", 3},
    {"*>=", 3}};

static bool is_among(const struct str *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(names[i], name))
            return true;
    return false;
}

bool sql_parse_pg_type_own(struct sql_parse_pg_state *p, struct sql_parse_pg_node *names,
                           struct str *name)
{
    struct sql_parse_pg_node *first = names == NULL ? NULL : names->first;
    *name = STR("");
    if (first == NULL)
        return false;
    *name = sql_parse_pg_state_string(p, first);
    if (first->next == NULL)
        return true;
    bool own = str_equal(*name, STR("pg_catalog"));
    *name = sql_parse_pg_state_string(p, first->next);
    return own && first->next->next == NULL;
}

/* character(n) and bit(n) fill up to n. */
static void check_length(struct sql_parse_pg_state *p, struct sql_parse_pg_node *type,
                         struct str name, size_t first)
{
    struct sql_parse_pg_node *mods = sql_parse_pg_node_get(type, STR("typmods"));
    bool pads = str_equal(name, STR("bpchar")) || str_equal(name, STR("bit"));
    for (struct sql_parse_pg_node *item = mods == NULL ? NULL : mods->first; item != NULL;
         item = item->next) {
        struct sql_parse_pg_node *constant = sql_parse_pg_node_enter(item);
        struct sql_parse_pg_node *number = sql_parse_pg_node_get(constant, STR("ival"));
        if (number == NULL)
            sql_parse_pg_state_refuse(p, "syntax", first,
                                      "a type's length must be a number; write it as one");
        else if (pads && sql_parse_pg_node_number(number, STR("ival")) > MAX_PADDED)
            sql_parse_pg_state_refuse(p, "function", first,
                                      "a text filled up to more than %d characters; use text",
                                      MAX_PADDED);
    }
    struct sql_parse_pg_node *bounds = sql_parse_pg_node_get(type, STR("arrayBounds"));
    for (struct sql_parse_pg_node *item = bounds == NULL ? NULL : bounds->first; item != NULL;
         item = item->next)
        (void)sql_parse_pg_node_enter(item);
}

/* What a column is declared as, without size, brackets, labels, schema and quotes. */
static struct str base_type(struct str declared)
{
    size_t end = 0;
    bool quoted = false;
    for (; end < declared.len; end++) {
        char c = declared.at[end];
        quoted = quoted != (c == '"');
        if (!quoted && (c == ' ' || c == '(' || c == '['))
            break;
        if (!quoted && c == '.')
            return base_type(str_from(declared, end + 1));
    }
    bool in_quotes = end > 2 && declared.at[0] == '"';
    return in_quotes ? str_slice(declared, 1, end - 1) : str_slice(declared, 0, end);
}

/* Whether some column that the catalog knows is of the type: an enum, a domain, a row. */
static bool is_of_columns(struct sql_parse_pg_state *p, struct str name)
{
    const struct catalog *catalog = p->catalog;
    bool found = false;
    if (str_is_empty(name) || str_starts_with(name, STR("reg")))
        return false;
    for (const struct sql_names *at = p->column_types; at != NULL; at = at->next)
        if (str_equal(at->name, name))
            return true;
    for (size_t i = 0; i < catalog->table_count && !found; i++)
        for (size_t j = 0; j < catalog->tables[i].column_count && !found; j++)
            found = str_equal(base_type(catalog->tables[i].columns[j].declared_type), name);
    struct sql_names *known = found ? sql_parse_pg_state_alloc(p, sizeof *known) : NULL;
    if (known == NULL)
        return false;
    *known = (struct sql_names){.name = name, .next = p->column_types};
    p->column_types = known;
    return true;
}

size_t sql_parse_pg_type_check(struct sql_parse_pg_state *p, struct sql_parse_pg_node *type,
                               size_t first)
{
    struct str name;
    struct sql_parse_pg_node *names = sql_parse_pg_node_get(type, STR("names"));
    bool own = sql_parse_pg_type_own(p, names, &name);
    struct str plain =
        str_starts_with(name, STR("_")) ? str_from(name, 1) : name; /* _int4: int4[] */
    own = own && is_among(types, countof(types), plain);
    bool short_name = names == NULL || names->first == NULL || names->first->next == NULL ||
                      names->first->next->next == NULL;
    bool known = (own || (short_name && is_of_columns(p, name))) &&
                 !sql_parse_pg_node_is(type, STR("pct_type")) &&
                 !sql_parse_pg_node_is(type, STR("setof"));
    if (!known)
        sql_parse_pg_state_refuse(p, "type", first,
                                  "a cast to '%.*s' is not accepted; cast to text, a number, a "
                                  "date or another common type",
                                  STR_ARG(str_utf8_prefix(name, 60)));
    check_length(p, type, name, first);
    return first < p->pg.tokens.count ? sql_parse_pg_type_end(p, first) : first;
}

static bool is_unit(const struct sql_parse_pg_state *p, size_t token)
{
    static const struct str units[] = {{"year", 4}, {"month", 5},  {"day", 3},
                                       {"hour", 4}, {"minute", 6}, {"second", 6}};
    for (size_t i = 0; i < countof(units); i++)
        if (sql_parse_pg_state_is(p, token, units[i]))
            return true;
    return false;
}

/* The token before which something else begins: over (3), [], [3] and the words of a type. */
static size_t skip_brackets(const struct sql_parse_pg_state *p, size_t token)
{
    while (sql_parse_pg_state_kind(p, token + 1) == SQL_TOKEN_BRACKET)
        token = sql_parse_pg_state_match(p, token + 1);
    return token;
}

static size_t skip_parens(const struct sql_parse_pg_state *p, size_t token)
{
    bool left = sql_parse_pg_state_kind(p, token + 1) == SQL_TOKEN_LEFT;
    return left ? sql_parse_pg_state_match(p, token + 1) : token;
}

size_t sql_parse_pg_type_end(const struct sql_parse_pg_state *p, size_t first)
{
    size_t last = first;
    while (sql_parse_pg_state_kind(p, last + 1) == SQL_TOKEN_DOT)
        last += 2;
    if (sql_parse_pg_state_is(p, last, STR("national")))
        last++;
    if (sql_parse_pg_state_is(p, last, STR("double")) ||
        sql_parse_pg_state_is(p, last + 1, STR("varying")))
        last++;
    last = skip_parens(p, last);
    if ((sql_parse_pg_state_is(p, last + 1, STR("with")) ||
         sql_parse_pg_state_is(p, last + 1, STR("without"))) &&
        sql_parse_pg_state_is(p, last + 2, STR("time")))
        last += 3;
    if (is_unit(p, last + 1)) {
        last += sql_parse_pg_state_is(p, last + 2, STR("to")) && is_unit(p, last + 3) ? 3 : 1;
        last = skip_parens(p, last);
    }
    if (sql_parse_pg_state_is(p, last + 1, STR("array")))
        last++;
    return skip_brackets(p, last);
}

struct str sql_parse_pg_type_operator(struct sql_parse_pg_state *p, struct sql_parse_pg_node *names,
                                      size_t token)
{
    struct str name;
    bool own = sql_parse_pg_type_own(p, names, &name);
    if (!own || !is_among(operators, countof(operators), name))
        sql_parse_pg_state_refuse(p, "function", token, "operator '%.*s' is not accepted",
                                  STR_ARG(str_utf8_prefix(name, 60)));
    return name;
}

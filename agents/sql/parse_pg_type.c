/* SPDX-License-Identifier: MIT */
/* agents/sql/parse_pg_type.c - the types a cast may name, and PostgreSQL's own operators.
 *
 * Left out on purpose: types whose text form looks something up or runs something (regclass and
 * its kin), types of the server's inside, row types of tables, and any type that is not
 * PostgreSQL's own or a well-known extension's. Failure: whatever is not listed. */
#include "agents/sql/parse_pg_state.h"

enum { MAX_PADDED = 1000 };

/* clang-format off */
static const char *const types[] = {
    "bigint", "bit", "bool", "boolean", "bpchar", "box", "bytea", "char", "cidr", "circle",
    "citext", "date", "daterange", "datemultirange", "decimal", "double precision", "float4",
    "float8", "hstore", "inet", "int", "int2", "int4", "int4multirange", "int4range", "int8",
    "int8multirange", "int8range", "integer", "interval", "json", "jsonb", "jsonpath", "line",
    "lseg", "macaddr", "macaddr8", "money", "name", "nummultirange", "numeric", "numrange", "path",
    "point", "polygon", "real", "smallint", "text", "time", "timestamp", "timestamptz", "timetz",
    "tsmultirange", "tsquery", "tsrange", "tstzmultirange", "tstzrange", "tsvector", "uuid",
    "varbit", "varchar", "vector"};

static const char *const operators[] = {
    "=", "<>", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "^", "|/", "||/", "@", "&",
    "|", "#", "~", "<<", ">>", "||", "~~", "!~~", "~~*", "!~~*", "~*", "!~", "!~*", "->", "->>",
    "#>", "#>>", "@>", "<@", "?", "?|", "?&", "#-", "@?", "@@", "@@@", "&&", "-|-", "&<", "&>",
    "<<|", "|>>", "&<|", "|&>", "##", "<->", "<^", ">^", "?#", "?-", "?-|", "?||", "@-@", "@@",
    "~=", "^@", "!!", "~<~", "~<=~", "~>~", "~>=~", "<<=", ">>=", "<=>", "<#>", "*=", "*<>", "*<",
    "*>", "*<=", "*>="};
/* clang-format on */

static bool is_among(const char *const *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(str_of(names[i]), name))
            return true;
    return false;
}

/* The last part of a list of one String, or of two of which the first is pg_catalog. */
static bool take_name(struct sql_parse_pg_state *p, struct sql_parse_pg_node *names,
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
        struct sql_parse_pg_node *constant = sql_parse_pg_node_inner(item);
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
        (void)sql_parse_pg_node_inner(item);
}

size_t sql_parse_pg_type_check(struct sql_parse_pg_state *p, struct sql_parse_pg_node *type,
                               size_t first)
{
    struct str name;
    struct sql_parse_pg_node *names = sql_parse_pg_node_get(type, STR("names"));
    bool known = take_name(p, names, &name) && is_among(types, countof(types), name) &&
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
    static const char *const units[] = {"year", "month", "day", "hour", "minute", "second"};
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
    if (sql_parse_pg_state_is(p, last, "national"))
        last++;
    if (sql_parse_pg_state_is(p, last, "double") || sql_parse_pg_state_is(p, last + 1, "varying"))
        last++;
    last = skip_parens(p, last);
    if ((sql_parse_pg_state_is(p, last + 1, "with") ||
         sql_parse_pg_state_is(p, last + 1, "without")) &&
        sql_parse_pg_state_is(p, last + 2, "time"))
        last += 3;
    if (is_unit(p, last + 1)) {
        last += sql_parse_pg_state_is(p, last + 2, "to") && is_unit(p, last + 3) ? 3 : 1;
        last = skip_parens(p, last);
    }
    if (sql_parse_pg_state_is(p, last + 1, "array"))
        last++;
    return skip_brackets(p, last);
}

struct str sql_parse_pg_type_operator(struct sql_parse_pg_state *p, struct sql_parse_pg_node *names,
                                      size_t token)
{
    struct str name;
    bool own = take_name(p, names, &name);
    if (!own || !is_among(operators, countof(operators), name))
        sql_parse_pg_state_refuse(p, "function", token, "operator '%.*s' is not accepted",
                                  STR_ARG(str_utf8_prefix(name, 60)));
    return name;
}

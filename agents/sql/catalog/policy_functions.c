/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/policy_functions.c - the built-in lists and what is dangerous within them.
 *
 * Left out on purpose: what reads files, loads code, sleeps, locks, takes SQL text, tells about
 * the server, or makes a value of any size from a number (zeroblob, randomblob); MySQL's repeat,
 * lpad, rpad and space are held by bounds.h.
 * Cannot fail: a name that is not listed is not allowed. */
#include "agents/sql/catalog/policy_functions.h"

#include "agents/sql/catalog/policy_functions_pg.h"

enum { MAX_WIDTH_DIGITS = 3 };

/* Each list is sorted. */
/* clang-format off */
static const char *const sqlite_names[] = {
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg", "cast", "ceil",
    "ceiling", "char", "coalesce", "concat", "concat_ws", "cos", "cosh", "count", "cume_dist",
    "current_date", "current_time", "current_timestamp", "date", "datetime", "degrees",
    "dense_rank", "exp", "first_value", "floor", "format", "glob", "group_concat", "hex",
    "ifnull", "iif", "instr", "json", "json_array", "json_array_length", "json_each",
    "json_extract", "json_group_array", "json_group_object", "json_insert", "json_object",
    "json_patch", "json_quote", "json_remove", "json_replace", "json_set", "json_tree",
    "json_type", "json_valid", "julianday", "lag", "last_value", "lead", "length", "like",
    "likelihood", "likely", "ln", "log", "log10", "log2", "lower", "ltrim", "max", "min", "mod",
    "nth_value", "ntile", "nullif", "percent_rank", "pi", "pow", "power", "printf", "quote",
    "radians", "random", "rank", "replace", "round", "row_number", "rtrim", "sign", "sin", "sinh",
    "sqrt", "strftime", "string_agg", "substr", "substring", "sum", "tan", "tanh",
    "time", "timediff", "total", "trim", "trunc", "typeof", "unicode", "unixepoch", "unlikely",
    "upper"};

/* What every MySQL from 8.0 and MariaDB from 10.5 resolves itself, with any number of arguments. */
static const char *const mysql_native_names[] = {
    "abs", "acos", "adddate", "addtime", "ascii", "asin", "atan", "atan2", "avg", "bin",
    "bit_and", "bit_count", "bit_length", "bit_or", "bit_xor", "cast", "ceil", "ceiling",
    "char", "char_length", "character_length", "charset", "coalesce", "coercibility",
    "collation", "concat", "concat_ws", "conv", "convert", "convert_tz", "cos", "cot", "count",
    "crc32", "cume_dist", "curdate", "current_date", "current_time", "current_timestamp",
    "curtime", "date", "date_add", "date_format", "date_sub", "datediff", "day", "dayname",
    "dayofmonth", "dayofweek", "dayofyear", "degrees", "dense_rank", "elt", "exp", "export_set",
    "extract", "field", "find_in_set", "first_value", "floor", "format", "from_base64",
    "from_days", "from_unixtime", "get_format", "greatest", "group_concat", "hex", "hour", "if",
    "ifnull", "inet6_aton", "inet6_ntoa", "inet_aton", "inet_ntoa", "insert", "instr",
    "interval", "is_ipv4", "is_ipv6", "isnull", "json_array", "json_array_append",
    "json_array_insert", "json_arrayagg", "json_contains", "json_contains_path", "json_depth",
    "json_extract", "json_insert", "json_keys", "json_length", "json_merge_patch",
    "json_merge_preserve", "json_object", "json_objectagg", "json_quote", "json_remove",
    "json_replace", "json_search", "json_set", "json_type", "json_unquote", "json_valid", "lag",
    "last_day", "last_value", "lcase", "lead", "least", "left", "length", "ln", "localtime",
    "localtimestamp", "locate", "log", "log10", "log2", "lower", "lpad", "ltrim", "make_set",
    "makedate", "maketime", "max", "mbrcontains", "mbrintersects", "mbroverlaps", "mbrtouches",
    "mbrwithin", "md5", "microsecond", "mid", "min", "minute", "mod", "month", "monthname",
    "now", "nth_value", "ntile", "nullif", "oct", "octet_length", "ord", "percent_rank",
    "period_add", "period_diff", "pi", "position", "pow", "power", "quarter", "quote",
    "radians", "rand", "rank", "regexp_instr", "regexp_replace", "regexp_substr", "repeat",
    "replace", "reverse", "right", "round", "row_number", "rpad", "rtrim", "sec_to_time",
    "second", "sha", "sha1", "sha2", "sign", "sin", "soundex", "space", "sqrt", "st_area",
    "st_asbinary", "st_astext", "st_aswkb", "st_aswkt", "st_centroid", "st_contains",
    "st_crosses", "st_difference", "st_dimension", "st_disjoint", "st_distance", "st_endpoint",
    "st_envelope", "st_equals", "st_exteriorring", "st_geometryfromtext", "st_geometryn",
    "st_geometrytype", "st_geomfromtext", "st_geomfromwkb", "st_interiorringn",
    "st_intersection", "st_intersects", "st_isclosed", "st_isempty", "st_issimple", "st_length",
    "st_linefromtext", "st_numgeometries", "st_numinteriorrings", "st_numpoints", "st_overlaps",
    "st_pointfromtext", "st_pointn", "st_polyfromtext", "st_polygonfromtext", "st_srid",
    "st_startpoint", "st_symdifference", "st_touches", "st_union", "st_within", "st_x", "st_y",
    "std", "stddev", "stddev_pop", "stddev_samp", "str_to_date", "strcmp", "subdate", "substr",
    "substring", "substring_index", "subtime", "sum", "sysdate", "tan", "time", "time_format",
    "time_to_sec", "timediff", "timestamp", "timestampadd", "timestampdiff", "to_base64",
    "to_days", "to_seconds", "trim", "truncate", "ucase", "unhex", "unix_timestamp", "upper",
    "utc_date", "utc_time", "utc_timestamp", "var_pop", "var_samp", "variance", "week",
    "weekday", "weekofyear", "year", "yearweek"};

/* What some of them do not know, or with some numbers of arguments only: a call is then one of the
 * stored function of that name, if there is one. */
static const char *const mysql_other_names[] = {
    "add_months", "any_value", "area", "asbinary", "astext", "aswkb", "aswkt", "boundary",
    "centroid", "chr", "column_add", "column_check", "column_create", "column_delete",
    "column_exists", "column_get", "column_json", "column_list", "contains", "convexhull",
    "crc32c", "crosses", "dimension", "disjoint", "endpoint", "envelope", "equals",
    "exteriorring", "geometrycollection", "geometryfromtext", "geometryn", "geometrytype",
    "geomfromtext", "geomfromwkb", "glength", "grouping", "interiorringn", "intersects",
    "is_ipv4_compat", "is_ipv4_mapped", "isclosed", "isempty", "issimple", "json_compact",
    "json_detailed", "json_equals", "json_exists", "json_loose", "json_merge", "json_normalize",
    "json_overlaps", "json_pretty", "json_query", "json_table", "json_value", "lengthb",
    "linefromtext", "linestring", "mbrdisjoint", "mbrequal", "mbrequals", "median",
    "multilinestring", "multipoint", "multipolygon", "natural_sort_key", "numgeometries",
    "numinteriorrings", "numpoints", "nvl", "nvl2", "overlaps", "percentile_cont",
    "percentile_disc", "point", "pointfromtext", "pointn", "polyfromtext", "polygon",
    "polygonfromtext", "regexp_like", "srid", "st_asgeojson", "st_boundary", "st_convexhull",
    "st_distance_sphere", "st_geomfromgeojson", "st_isring", "st_isvalid", "st_latitude",
    "st_longitude", "st_pointonsurface", "st_relate", "startpoint", "to_char", "touches",
    "within", "x", "y"};

static const char *const info_names[] = {
    "changes", "connection_id", "current_catalog", "current_database", "current_role",
    "current_schema", "current_setting", "current_user", "database", "inet_server_addr",
    "last_insert_id", "last_insert_rowid", "pg_backend_pid", "schema", "session_user",
    "session_var", "sqlite_compileoption_get", "sqlite_compileoption_used", "sqlite_source_id",
    "sqlite_version", "system_user", "total_changes", "user", "version"};

/* Functions that are relations. */
static const char *const from_names[] = {"generate_series", "json_each", "json_table", "json_tree",
                                         "jsonb_array_elements", "unnest"};
/* clang-format on */

static bool list_has(const struct str *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_nocase(names[i], name))
            return true;
    }
    return false;
}

static bool is_built_in(enum sql_dialect dialect, struct str name)
{
    switch (dialect) {
    case SQL_SQLITE:
        return str_is_listed_nocase(name, sqlite_names, countof(sqlite_names));
    case SQL_POSTGRES:
        return sql_policy_functions_pg_has(name);
    case SQL_MYSQL:
        return str_is_listed_nocase(name, mysql_native_names, countof(mysql_native_names)) ||
               str_is_listed_nocase(name, mysql_other_names, countof(mysql_other_names));
    }
    return false;
}

bool sql_policy_functions_may_be_stored(const struct sql_policy *policy, enum sql_dialect dialect,
                                        struct str name)
{
    return dialect == SQL_MYSQL && !list_has(policy->functions, policy->function_count, name) &&
           !str_is_listed_nocase(name, mysql_native_names, countof(mysql_native_names));
}

/* What PostgreSQL's grammar writes like a call, or as a word, and pg_proc does not know. */
static bool is_grammar(enum sql_dialect dialect, struct str name)
{
    static const char *const words[] = {
        "coalesce", "current_date", "current_time", "current_timestamp", "greatest",
        "grouping", "least",        "localtime",    "localtimestamp",    "nullif"};
    return dialect == SQL_POSTGRES && str_is_listed_nocase(name, words, countof(words));
}

static bool may_be_relation(enum sql_dialect dialect, struct str name)
{
    return dialect == SQL_POSTGRES ? sql_policy_functions_pg_has(name)
                                   : str_is_listed_nocase(name, from_names, countof(from_names));
}

/* Other spellings of the same function: a list that allows one allows all. */
static bool list_has_synonym(const struct sql_name_list *only, struct str name)
{
    static const char *const same[][2] = {{"ceil", "ceiling"},
                                          {"char_length", "character_length"},
                                          {"curdate", "current_date"},
                                          {"curtime", "current_time"},
                                          {"date_add", "adddate"},
                                          {"date_sub", "subdate"},
                                          {"day", "dayofmonth"},
                                          {"if", "iif"},
                                          {"length", "octet_length"},
                                          {"lower", "lcase"},
                                          {"now", "current_timestamp"},
                                          {"now", "localtime"},
                                          {"now", "localtimestamp"},
                                          {"power", "pow"},
                                          {"substr", "mid"},
                                          {"substr", "substring"},
                                          {"upper", "ucase"},
                                          {"var_pop", "variance"}};
    static const char *const words[] = {"curdate", "curtime", "current_date", "current_time",
                                        "current_timestamp"};
    for (size_t i = 0; i < countof(words); i++)
        if (str_equal_nocase(name, str_of(words[i])))
            return true; /* CURRENT_DATE is a word of the language, and so is CURRENT_DATE() */
    for (size_t i = 0; i < countof(same); i++)
        for (size_t side = 0; side < 2; side++)
            if (str_equal_nocase(name, str_of(same[i][side])) &&
                list_has(only->at, only->count, str_of(same[i][1 - side])))
                return true;
    return false;
}

bool sql_policy_functions_allow(const struct sql_policy *policy, enum sql_dialect dialect,
                                struct str name, bool in_from)
{
    const struct sql_name_list *only = &policy->only_functions[dialect];
    if (in_from && !may_be_relation(dialect, name))
        return false;
    if (list_has(policy->functions, policy->function_count, name))
        return true;
    if (only->count == 0)
        return is_built_in(dialect, name) || is_grammar(dialect, name);
    return is_grammar(dialect, name) || list_has(only->at, only->count, name) ||
           (is_built_in(dialect, name) && list_has_synonym(only, name));
}

bool sql_policy_functions_is_info(struct str name)
{
    return str_is_listed_nocase(name, info_names, countof(info_names));
}

bool sql_policy_functions_format_is_small(struct str format)
{
    for (size_t i = 0; i < format.len; i++) {
        if (format.at[i] != '%')
            continue;
        size_t digits = 0;
        for (i++; i < format.len; i++) {
            char c = format.at[i];
            if (c == '*')
                return false;
            if (str_is_digit(c)) {
                if (++digits > MAX_WIDTH_DIGITS)
                    return false;
            } else if (c == '.') {
                digits = 0;
            } else if (str_is_alpha(c) || c == '%') {
                if (c == 'l' || c == 'h')
                    continue;
                break;
            }
        }
    }
    return true;
}

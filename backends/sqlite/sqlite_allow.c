/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_allow.c - two sorted tables and a binary search over them.
 *
 * A name that is not found is refused; there is no other failure. The tables follow SQLite 3.40;
 * functions of later versions are refused until somebody has looked at them. */
#include "backends/sqlite/sqlite_allow.h"

/* clang-format off */
/* Sorted. Everything that only computes; not what loads, logs, tells about the build, or makes
 * values of any size out of a number. */
static const char *const functions[] = {
    "->", "->>", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg",
    "bm25", "ceil", "ceiling", "char", "coalesce", "cos", "cosh", "count", "cume_dist",
    "current_date", "current_time", "current_timestamp", "date", "datetime", "degrees",
    "dense_rank", "exp", "first_value", "floor", "format", "glob", "group_concat", "hex",
    "highlight", "ifnull", "iif", "instr", "json", "json_array", "json_array_length",
    "json_each", "json_extract", "json_group_array", "json_group_object", "json_insert",
    "json_object", "json_patch", "json_quote", "json_remove", "json_replace", "json_set",
    "json_tree", "json_type", "json_valid", "julianday", "lag", "last_value", "lead", "length",
    "like", "likelihood", "likely", "ln", "log", "log10", "log2", "lower", "ltrim", "mask_hash",
    "match", "max", "min", "mod", "nth_value", "ntile", "nullif", "percent_rank", "pi", "pow",
    "power", "printf", "quote", "radians", "random", "rank", "replace", "round", "row_number",
    "rtrim", "session_var", "sign", "sin", "sinh", "snippet", "soundex", "sqlite_version",
    "sqrt", "strftime", "substr", "substring", "sum", "tan", "tanh", "time", "total", "trim",
    "trunc", "typeof", "unicode", "unixepoch", "unlikely", "upper"};

/* Sorted. The schema's own questions, asked as pragma_table_info('t') by introspection, and what
 * the full text index asks: whether the file has changed. */
static const char *const pragmas[] = {
    "data_version", "foreign_key_list", "function_list", "index_info", "index_list",
    "index_xinfo", "table_info", "table_list", "table_xinfo"};

/* clang-format on */

bool sqlite_allow_function(struct str name)
{
    return str_is_listed_nocase(name, functions, countof(functions));
}

bool sqlite_allow_pragma(struct str name)
{
    return str_is_listed_nocase(name, pragmas, countof(pragmas));
}

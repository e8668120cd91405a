/* SPDX-License-Identifier: MIT */
/* agents/sql/policy_functions_pg.c - what PostgreSQL's functions may be called: two sorted lists.
 *
 * What reads and computes is there. Left out on purpose: what reads files or settings, sleeps,
 * locks, counts sequences, takes SQL text, tells about the server or its catalogs (all pg_*, so
 * pg_typeof, too), or makes an array of any size (array_fill). Texts and series of any size are
 * bounds_sizes' affair. Cannot fail. */
#include "agents/sql/policy_functions_pg.h"

/* clang-format off */
static const char *const callable[] = {
    "abbrev", "abs", "acos", "acosd", "acosh", "age", "area", "array_agg", "array_append",
    "array_cat", "array_dims", "array_length", "array_lower", "array_ndims", "array_position",
    "array_positions", "array_prepend", "array_remove", "array_replace", "array_to_json",
    "array_to_string", "array_to_tsvector", "array_upper", "ascii", "asin", "asind", "asinh",
    "atan", "atan2", "atan2d", "atand", "atanh", "avg", "bit_and", "bit_count", "bit_length",
    "bit_or", "bit_xor", "bool", "bool_and", "bool_or", "bound_box", "box", "broadcast",
    "btrim", "cardinality", "cbrt", "ceil", "ceiling", "center", "char_length",
    "character_length", "chr", "circle", "clock_timestamp", "coalesce", "concat", "concat_ws",
    "convert_from", "convert_to", "corr", "cos", "cosd", "cosh", "cot", "cotd", "count",
    "covar_pop", "covar_samp", "cume_dist", "current_date", "current_time",
    "current_timestamp", "date", "date_bin", "date_part", "date_trunc", "datemultirange",
    "daterange", "decode", "degrees", "dense_rank", "diagonal", "diameter", "difference",
    "div", "encode", "every", "exp", "extract", "family", "first_value", "float4", "float8",
    "floor", "format", "gcd", "gen_random_uuid", "generate_series", "generate_subscripts",
    "get_bit", "get_byte", "greatest", "grouping", "height", "host", "hostmask", "inet_merge",
    "inet_same_family", "initcap", "int2", "int4", "int4multirange", "int4range", "int8",
    "int8multirange", "int8range", "interval", "is_normalized", "isclosed", "isempty",
    "isfinite", "isopen", "json_agg", "json_array_elements", "json_array_elements_text",
    "json_array_length", "json_build_array", "json_build_object", "json_each",
    "json_each_text", "json_extract_path", "json_extract_path_text", "json_object",
    "json_object_agg", "json_object_keys", "json_strip_nulls", "json_to_record",
    "json_to_recordset", "json_typeof", "jsonb_agg", "jsonb_array_elements",
    "jsonb_array_elements_text", "jsonb_array_length", "jsonb_build_array",
    "jsonb_build_object", "jsonb_each", "jsonb_each_text", "jsonb_extract_path",
    "jsonb_extract_path_text", "jsonb_insert", "jsonb_object", "jsonb_object_agg",
    "jsonb_object_keys", "jsonb_path_exists", "jsonb_path_exists_tz", "jsonb_path_match",
    "jsonb_path_match_tz", "jsonb_path_query", "jsonb_path_query_array",
    "jsonb_path_query_array_tz", "jsonb_path_query_first", "jsonb_path_query_first_tz",
    "jsonb_path_query_tz", "jsonb_pretty", "jsonb_set", "jsonb_set_lax", "jsonb_strip_nulls",
    "jsonb_to_record", "jsonb_to_recordset", "jsonb_typeof", "justify_days", "justify_hours",
    "justify_interval", "lag", "last_value", "lcm", "lead", "least", "left", "length",
    "levenshtein", "levenshtein_less_equal", "like_escape", "line", "ln", "localtime",
    "localtimestamp", "log", "log10", "lower", "lower_inc", "lower_inf", "lpad", "lseg",
    "ltrim", "make_date", "make_interval", "make_time", "make_timestamp", "make_timestamptz",
    "masklen", "max", "md5", "metaphone", "min", "min_scale", "mod", "mode", "netmask",
    "network", "normalize", "now", "npoints", "nth_value", "ntile", "nullif", "num_nonnulls",
    "num_nulls", "numeric", "nummultirange", "numnode", "numrange", "octet_length", "overlaps",
    "overlay", "parse_ident", "path", "percent_rank", "percentile_cont", "percentile_disc",
    "phraseto_tsquery", "pi", "plainto_tsquery", "point", "polygon", "position", "pow",
    "power", "quote_ident", "quote_literal", "quote_nullable", "radians", "radius", "random",
    "range_agg", "range_intersect_agg", "range_merge", "rank", "regexp_count", "regexp_instr",
    "regexp_like", "regexp_match", "regexp_matches", "regexp_replace", "regexp_split_to_array",
    "regexp_split_to_table", "regexp_substr", "regr_avgx", "regr_avgy", "regr_count",
    "regr_intercept", "regr_r2", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy", "repeat",
    "replace", "reverse", "right", "round", "row_number", "row_to_json", "rpad", "rtrim",
    "scale", "set_bit", "set_byte", "set_masklen", "setweight", "sha224", "sha256", "sha384",
    "sha512", "sign", "similar_to_escape", "similarity", "sin", "sind", "sinh", "slope",
    "soundex", "split_part", "sqrt", "starts_with", "statement_timestamp", "stddev",
    "stddev_pop", "stddev_samp", "strict_word_similarity", "string_agg", "string_to_array",
    "string_to_table", "strip", "strpos", "substr", "substring", "sum", "tan", "tand", "tanh",
    "text", "time", "timeofday", "timestamp", "timestamptz", "timetz", "timezone", "to_ascii",
    "to_char", "to_date", "to_hex", "to_json", "to_jsonb", "to_number", "to_timestamp",
    "to_tsquery", "to_tsvector", "transaction_timestamp", "translate", "trim_array",
    "trim_scale", "trunc", "ts_delete", "ts_filter", "ts_headline", "ts_rank", "ts_rank_cd",
    "tsmultirange", "tsquery_phrase", "tsrange", "tstzmultirange", "tstzrange",
    "tsvector_to_array", "unaccent", "unistr", "unnest", "upper", "upper_inc", "upper_inf",
    "var_pop", "var_samp", "varchar", "variance", "websearch_to_tsquery", "width",
    "width_bucket", "word_similarity"};

/* Functions that are relations. */
static const char *const relations[] = {
    "generate_series", "generate_subscripts", "json_array_elements",
    "json_array_elements_text", "json_each", "json_each_text", "json_object_keys",
    "json_to_record", "json_to_recordset", "jsonb_array_elements", "jsonb_array_elements_text",
    "jsonb_each", "jsonb_each_text", "jsonb_object_keys", "jsonb_path_query",
    "jsonb_path_query_tz", "jsonb_to_record", "jsonb_to_recordset", "regexp_matches",
    "regexp_split_to_table", "string_to_table", "unnest"};
/* clang-format on */

bool sql_policy_functions_pg_has(struct str name)
{
    return str_is_listed(name, callable, countof(callable));
}

bool sql_policy_functions_pg_in_from(struct str name)
{
    return str_is_listed(name, relations, countof(relations));
}

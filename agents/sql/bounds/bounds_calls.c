/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_calls.c - functions by what becomes of their arguments' bytes.
 *
 * Happy path: the function is in the table, and its way of growing says how many bytes.
 * A function that is not in the table may put all of its arguments behind each other. */
#include "agents/sql/bounds/bounds_calls.h"

enum way {
    JOINS,     /* all arguments behind each other: also every function not listed */
    SMALL,     /* a number or the like */
    LARGEST,   /* one of the arguments */
    FIRST,     /* at most the first argument */
    CUTS,      /* the first, at most as long as its last argument says */
    REPLACES,  /* each part of the first that is the second by the third */
    REPEATS,   /* the first as often as the second says */
    PADS,      /* as long as the second says */
    SPACES,    /* as long as the first says */
    DOUBLES,   /* each byte by two */
    ESCAPES,   /* each byte by up to six, in quotes */
    FORMATS,   /* all arguments, and the widths of the format */
    SEPARATES, /* all arguments, with the first between */
    GATHERS    /* all arguments, once a row */
};

static const struct {
    const char *name;
    enum way way;
} functions[] = {
    {"array_agg", GATHERS},
    {"group_concat", GATHERS},
    {"json_agg", GATHERS},
    {"json_agg_strict", GATHERS},
    {"json_arrayagg", GATHERS},
    {"json_group_array", GATHERS},
    {"json_group_object", GATHERS},
    {"json_object_agg", GATHERS},
    {"json_objectagg", GATHERS},
    {"jsonb_agg", GATHERS},
    {"jsonb_group_array", GATHERS},
    {"jsonb_object_agg", GATHERS},
    {"listagg", GATHERS},
    {"string_agg", GATHERS},
    {"xmlagg", GATHERS},

    {"replace", REPLACES},
    {"regexp_replace", REPLACES},
    {"repeat", REPEATS},
    {"lpad", PADS},
    {"rpad", PADS},
    {"space", SPACES},
    {"zeroblob", SPACES},
    {"randomblob", SPACES},
    {"hex", DOUBLES},
    {"quote", DOUBLES},
    {"encode", DOUBLES},
    {"to_base64", DOUBLES},
    {"quote_literal", DOUBLES},
    {"quote_ident", DOUBLES},
    {"json_quote", ESCAPES},
    {"to_json", ESCAPES},
    {"to_jsonb", ESCAPES},
    {"json_array", ESCAPES},
    {"json_object", ESCAPES},
    {"json_build_array", ESCAPES},
    {"json_build_object", ESCAPES},
    {"jsonb_build_object", ESCAPES},
    {"jsonb_build_array", ESCAPES},
    {"row_to_json", ESCAPES},
    {"format", FORMATS},
    {"printf", FORMATS},
    {"concat_ws", SEPARATES},

    {"coalesce", LARGEST},
    {"ifnull", LARGEST},
    {"nullif", FIRST},
    {"iif", LARGEST},
    {"if", LARGEST},
    {"greatest", LARGEST},
    {"least", LARGEST},
    {"max", LARGEST},
    {"min", LARGEST},
    {"first_value", FIRST},
    {"last_value", FIRST},
    {"nth_value", FIRST},
    {"lag", LARGEST},
    {"lead", LARGEST},
    {"any_value", FIRST},
    {"elt", LARGEST},
    {"lower", FIRST},
    {"upper", FIRST},
    {"lcase", FIRST},
    {"ucase", FIRST},
    {"initcap", FIRST},
    {"trim", FIRST},
    {"ltrim", FIRST},
    {"rtrim", FIRST},
    {"btrim", FIRST},
    {"reverse", FIRST},
    {"split_part", FIRST},
    {"substring_index", FIRST},
    {"json_extract", FIRST},
    {"json_value", FIRST},
    {"json_unquote", FIRST},
    {"unnest", FIRST},
    {"regexp_substr", FIRST},
    {"substr", CUTS},
    {"substring", CUTS},
    {"mid", CUTS},
    {"left", CUTS},
    {"right", CUTS},
    {"unhex", FIRST},

    {"abs", SMALL},
    {"ascii", SMALL},
    {"avg", SMALL},
    {"bit_length", SMALL},
    {"cardinality", SMALL},
    {"array_length", SMALL},
    {"ceil", SMALL},
    {"char_length", SMALL},
    {"character_length", SMALL},
    {"count", SMALL},
    {"crc32", SMALL},
    {"date", SMALL},
    {"dense_rank", SMALL},
    {"find_in_set", SMALL},
    {"floor", SMALL},
    {"instr", SMALL},
    {"json_array_length", SMALL},
    {"json_length", SMALL},
    {"json_type", SMALL},
    {"json_valid", SMALL},
    {"length", SMALL},
    {"locate", SMALL},
    {"md5", SMALL},
    {"octet_length", SMALL},
    {"ord", SMALL},
    {"position", SMALL},
    {"rank", SMALL},
    {"regexp_count", SMALL},
    {"regexp_instr", SMALL},
    {"regexp_like", SMALL},
    {"round", SMALL},
    {"row_number", SMALL},
    {"sign", SMALL},
    {"strcmp", SMALL},
    {"strpos", SMALL},
    {"sum", SMALL},
    {"total", SMALL},
    {"typeof", SMALL},
    {"unicode", SMALL},
};

static const char *const seeking[] = {"btrim",
                                      "find_in_set",
                                      "glob",
                                      "instr",
                                      "like",
                                      "locate",
                                      "ltrim",
                                      "position",
                                      "regexp",
                                      "regexp_count",
                                      "regexp_instr",
                                      "regexp_like",
                                      "regexp_match",
                                      "regexp_matches",
                                      "regexp_replace",
                                      "regexp_split_to_array",
                                      "regexp_split_to_table",
                                      "regexp_substr",
                                      "replace",
                                      "rtrim",
                                      "split_part",
                                      "starts_with",
                                      "string_to_array",
                                      "string_to_table",
                                      "strpos",
                                      "substring_index",
                                      "translate",
                                      "trim"};

static enum way way_of(struct str name)
{
    for (size_t i = 0; i < countof(functions); i++)
        if (str_equal_nocase(name, str_of(functions[i].name)))
            return functions[i].way;
    return JOINS;
}

bool sql_bounds_calls_seeks(struct str name)
{
    return str_is_listed_nocase(name, seeking, countof(seeking));
}

static struct sql_bounds_argument argument(const struct sql_bounds_call *call, size_t i)
{
    return i < call->count && i < SQL_BOUNDS_CALLS_ARGUMENTS_MOST
               ? call->arguments[i]
               : (struct sql_bounds_argument){.bytes = 0};
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* The literal number of an argument; any: what it may be when it is none. */
static double number_at(const struct sql_bounds_call *call, size_t i, double any)
{
    struct sql_bounds_argument at = argument(call, i);
    return at.is_number ? at.number : any;
}

static double replaced(const struct sql_bounds_call *call)
{
    struct sql_bounds_argument text = argument(call, 0), from = argument(call, 1);
    struct sql_bounds_argument to = argument(call, 2);
    double sought = from.is_text ? most(from.bytes, 1) : 1;
    return text.bytes * most(to.bytes / sought, 1);
}

static double cut(const struct sql_bounds_call *call)
{
    struct sql_bounds_argument text = argument(call, 0);
    struct sql_bounds_argument length = argument(call, call->count == 2 ? 1 : 2);
    bool counts = str_equal_nocase(call->name, STR("left")) ||
                  str_equal_nocase(call->name, STR("right")) || call->count > 2;
    return counts && length.is_number ? least(text.bytes, 4 * length.number) : text.bytes;
}

/* What bounds_sizes.h accepts as a literal length, in bytes. */
enum { WRITTEN_MOST = 4000 };

double sql_bounds_calls_bytes(const struct sql_bounds_call *call)
{
    double first = argument(call, 0).bytes;
    double pieces = (double)call->count;
    switch (way_of(call->name)) {
    case SMALL:
        return SQL_BOUNDS_CALLS_SMALL;
    case LARGEST:
        return call->largest;
    case FIRST:
        return first;
    case CUTS:
        return cut(call);
    case REPLACES:
        return replaced(call);
    case REPEATS:
        return first * number_at(call, 1, WRITTEN_MOST);
    case PADS:
        return most(first, 4 * number_at(call, 1, WRITTEN_MOST));
    case SPACES:
        return number_at(call, 0, WRITTEN_MOST);
    case DOUBLES:
        return 2 * call->sum;
    case ESCAPES:
        return 6 * call->sum + 8 * pieces;
    case FORMATS:
        return call->sum + 1000 * pieces;
    case SEPARATES:
        return call->sum + first * pieces;
    case GATHERS:
        return call->rows * (call->sum + 4);
    case JOINS:
        break;
    }
    return call->sum + SQL_BOUNDS_CALLS_SMALL;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/words.c - the keyword table and its search.
 *
 * Happy path: search the sorted table. Failure: there is none; a word that is not in
 * the table is a plain name. */
#include "agents/sql/words.h"

enum word_class { R, J, N };

static const struct word_entry {
    struct str text;
    enum word_class sqlite, mysql;
} words[SQL_WORD_COUNT] = {
#define SQL_WORD_ENTRY(name, text, sqlite, mysql)                                                  \
    [SQL_WORD_##name] = {{text, sizeof text - 1}, sqlite, mysql},
    SQL_WORDS(SQL_WORD_ENTRY)
#undef SQL_WORD_ENTRY
        [SQL_WORD_RESERVED] = {{NULL, 0}, N, R},
};

/* What MySQL and MariaDB reserve beyond the words above: no names unless in backticks. What only
 * MySQL 8 reserves (rank, system) is left out: MariaDB takes it for a name. Sorted. */
/* clang-format off */
static const char *const reserved[] = {
    "accessible", "analyze", "asensitive", "before", "bigint", "blob", "both", "call", "cascade",
    "change", "char", "character", "column", "condition", "continue", "current_role",
    "current_user", "cursor", "databases", "day_hour", "day_microsecond", "day_minute",
    "day_second", "dec", "decimal", "declare", "delayed", "delete_domain_id", "describe",
    "deterministic", "do_domain_ids", "double", "dual", "each", "elseif", "enclosed", "escaped",
    "exit", "explain", "false", "fetch", "float", "float4", "float8", "force", "fulltext",
    "grant", "high_priority", "hour_microsecond", "hour_minute", "hour_second", "ignore",
    "ignore_domain_ids", "infile", "inout", "insensitive", "int", "int1", "int2", "int3", "int4",
    "int8", "integer", "iterate", "key", "keys", "kill", "leading", "leave", "linear", "lines",
    "load", "localtime", "localtimestamp", "long", "longblob", "longtext", "loop", "low_priority",
    "master_demote_to_replica", "master_demote_to_slave", "master_ssl_verify_server_cert",
    "maxvalue", "mediumblob", "mediumint", "mediumtext", "middleint", "minute_microsecond",
    "minute_second", "modifies", "no_write_to_binlog", "numeric", "optimize", "optionally", "out",
    "outfile", "page_checksum", "parse_vcol_expr", "portion", "precision", "purge", "read",
    "read_write", "reads", "real", "ref_system_id", "release", "rename", "repeat", "replace",
    "require", "resignal", "restrict", "return", "revoke", "schemas", "second_microsecond",
    "sensitive", "show", "signal", "smallint", "spatial", "specific", "sql", "sql_big_result",
    "sql_buffer_result", "sql_cache", "sql_calc_found_rows", "sql_no_cache", "sql_small_result",
    "sqlexception", "sqlstate", "sqlwarning", "ssl", "starting", "stats_auto_recalc",
    "stats_persistent", "stats_sample_pages", "terminated", "tinyblob", "tinyint", "tinytext",
    "trailing", "trigger", "true", "undo", "unlock", "unsigned", "usage", "use", "utc_date",
    "utc_time", "utc_timestamp", "varbinary", "varchar", "varcharacter", "varying", "while",
    "write", "year_month", "zerofill"};
/* clang-format on */

static enum word_class class_of(enum sql_dialect dialect, enum sql_word word)
{
    return dialect == SQL_MYSQL ? words[word].mysql : words[word].sqlite;
}

enum sql_word sql_words_find(struct str text)
{
    int low = SQL_WORD_NONE + 1, high = SQL_WORD_RESERVED;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = str_compare_nocase(text, words[middle].text);
        if (order == 0)
            return (enum sql_word)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return str_is_listed_nocase(text, reserved, countof(reserved)) ? SQL_WORD_RESERVED
                                                                   : SQL_WORD_NONE;
}

bool sql_words_may_name(enum sql_dialect dialect, enum sql_word word)
{
    return word == SQL_WORD_NONE || class_of(dialect, word) != R;
}

bool sql_words_may_alias(enum sql_dialect dialect, enum sql_word word)
{
    return word == SQL_WORD_NONE || class_of(dialect, word) == N;
}

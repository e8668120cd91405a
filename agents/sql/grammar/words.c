/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/words.c - the keyword table and its search.
 *
 * Happy path: of the words with the same first letter the one of the same length and spelling.
 * Failure: there is none; a word that is not in the table is a plain name. */
#include "agents/sql/grammar/words.h"

enum word_class { R, J, N };
enum { LETTERS = 26, MOST_OF_A_LETTER = 24 };

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
 * MySQL 8 reserves (rank, system) is left out: MariaDB takes it for a name. By first letter. */
/* clang-format off */
#define W(text) {text, sizeof text - 1}
static const struct str reserved[LETTERS][MOST_OF_A_LETTER] = {
    ['a' - 'a'] = {W("accessible"), W("analyze"), W("asensitive")},
    ['b' - 'a'] = {W("before"), W("bigint"), W("blob"), W("both")},
    ['c' - 'a'] = {W("call"), W("cascade"), W("change"), W("char"), W("character"), W("column"),
        W("condition"), W("continue"), W("current_role"), W("current_user"), W("cursor")},
    ['d' - 'a'] = {W("databases"), W("day_hour"), W("day_microsecond"), W("day_minute"),
        W("day_second"), W("dec"), W("decimal"), W("declare"), W("delayed"),
        W("delete_domain_id"), W("describe"), W("deterministic"), W("do_domain_ids"), W("double"),
        W("dual")},
    ['e' - 'a'] = {W("each"), W("elseif"), W("enclosed"), W("escaped"), W("exit"), W("explain")},
    ['f' - 'a'] = {W("false"), W("fetch"), W("float"), W("float4"), W("float8"), W("force"),
        W("fulltext")},
    ['g' - 'a'] = {W("grant")},
    ['h' - 'a'] = {W("high_priority"), W("hour_microsecond"), W("hour_minute"), W("hour_second")},
    ['i' - 'a'] = {W("ignore"), W("ignore_domain_ids"), W("infile"), W("inout"), W("insensitive"),
        W("int"), W("int1"), W("int2"), W("int3"), W("int4"), W("int8"), W("integer"),
        W("iterate")},
    ['k' - 'a'] = {W("key"), W("keys"), W("kill")},
    ['l' - 'a'] = {W("leading"), W("leave"), W("linear"), W("lines"), W("load"), W("localtime"),
        W("localtimestamp"), W("long"), W("longblob"), W("longtext"), W("loop"),
        W("low_priority")},
    ['m' - 'a'] = {W("master_demote_to_replica"), W("master_demote_to_slave"),
        W("master_ssl_verify_server_cert"), W("maxvalue"), W("mediumblob"), W("mediumint"),
        W("mediumtext"), W("middleint"), W("minute_microsecond"), W("minute_second"),
        W("modifies")},
    ['n' - 'a'] = {W("no_write_to_binlog"), W("numeric")},
    ['o' - 'a'] = {W("optimize"), W("optionally"), W("out"), W("outfile")},
    ['p' - 'a'] = {W("page_checksum"), W("parse_vcol_expr"), W("portion"), W("precision"),
        W("purge")},
    ['r' - 'a'] = {W("read"), W("read_write"), W("reads"), W("real"), W("ref_system_id"),
        W("release"), W("rename"), W("repeat"), W("replace"), W("require"), W("resignal"),
        W("restrict"), W("return"), W("revoke")},
    ['s' - 'a'] = {W("schemas"), W("second_microsecond"), W("sensitive"), W("show"), W("signal"),
        W("smallint"), W("spatial"), W("specific"), W("sql"), W("sql_big_result"),
        W("sql_buffer_result"), W("sql_cache"), W("sql_calc_found_rows"), W("sql_no_cache"),
        W("sql_small_result"), W("sqlexception"), W("sqlstate"), W("sqlwarning"), W("ssl"),
        W("starting"), W("stats_auto_recalc"), W("stats_persistent"), W("stats_sample_pages")},
    ['t' - 'a'] = {W("terminated"), W("tinyblob"), W("tinyint"), W("tinytext"), W("trailing"),
        W("trigger"), W("true")},
    ['u' - 'a'] = {W("undo"), W("unlock"), W("unsigned"), W("usage"), W("use"), W("utc_date"),
        W("utc_time"), W("utc_timestamp")},
    ['v' - 'a'] = {W("varbinary"), W("varchar"), W("varcharacter"), W("varying")},
    ['w' - 'a'] = {W("while"), W("write")},
    ['y' - 'a'] = {W("year_month")},
    ['z' - 'a'] = {W("zerofill")}};
#undef W
/* clang-format on */

static enum word_class class_of(enum sql_dialect dialect, enum sql_word word)
{
    return dialect == SQL_MYSQL ? words[word].mysql : words[word].sqlite;
}

/* Of each letter the first keyword that begins with it or with a later one; then the end. */
static const uint8_t firsts[LETTERS + 1] = {
    SQL_WORD_ADD,       /* a */
    SQL_WORD_BETWEEN,   /* b */
    SQL_WORD_CASE,      /* c */
    SQL_WORD_DEFAULT,   /* d */
    SQL_WORD_ELSE,      /* e */
    SQL_WORD_FILTER,    /* f */
    SQL_WORD_GLOB,      /* g */
    SQL_WORD_HAVING,    /* h */
    SQL_WORD_IF,        /* i */
    SQL_WORD_JOIN,      /* j */
    SQL_WORD_LAST,      /* k */
    SQL_WORD_LAST,      /* l */
    SQL_WORD_MATCH,     /* m */
    SQL_WORD_NATURAL,   /* n */
    SQL_WORD_OFFSET,    /* o */
    SQL_WORD_PARTITION, /* p */
    SQL_WORD_RAISE,     /* q */
    SQL_WORD_RAISE,     /* r */
    SQL_WORD_SELECT,    /* s */
    SQL_WORD_TABLE,     /* t */
    SQL_WORD_UNBOUNDED, /* u */
    SQL_WORD_VALUES,    /* v */
    SQL_WORD_WHEN,      /* w */
    SQL_WORD_XOR,       /* x */
    SQL_WORD_RESERVED,  /* y */
    SQL_WORD_RESERVED,  /* z */
    SQL_WORD_RESERVED,
};

static enum sql_word find_reserved(struct str text, size_t letter)
{
    for (const struct str *word = reserved[letter]; word->len > 0; word++) {
        if (word->len == text.len && str_equal_nocase(text, *word))
            return SQL_WORD_RESERVED;
    }
    return SQL_WORD_NONE;
}

enum sql_word sql_words_find(struct str text)
{
    size_t letter = text.len == 0 ? LETTERS : (size_t)(unsigned char)str_lower(text.at[0]) - 'a';
    if (letter >= LETTERS)
        return SQL_WORD_NONE;
    char last = str_lower(text.at[text.len - 1]); /* few agree in that, too */
    for (unsigned i = firsts[letter]; i < firsts[letter + 1]; i++) {
        if (words[i].text.len == text.len && words[i].text.at[text.len - 1] == last &&
            str_equal_nocase(text, words[i].text))
            return (enum sql_word)i;
    }
    return find_reserved(text, letter);
}

bool sql_words_may_name(enum sql_dialect dialect, enum sql_word word)
{
    return word == SQL_WORD_NONE || class_of(dialect, word) != R;
}

bool sql_words_may_alias(enum sql_dialect dialect, enum sql_word word)
{
    return word == SQL_WORD_NONE || class_of(dialect, word) == N;
}

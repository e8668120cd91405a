/* SPDX-License-Identifier: MIT */
/* tests/unit/agents/test_lexer.c - tokens of each dialect, what is refused, prefixes, memory. */
#include "agents/sql/grammar/lexer.h"

#include "agents/sql/postgres/parse_pg_lexer.h"
#include "tests/lib/test.h"

enum { ARENA_BYTES = 4 * 1024 * 1024 };

/* Tokens as a row of letters, in the order of enum sql_token_kind. */
static const char letters[] = ".WNS0BPV(),;D*+-/%~&|^!<cb=#oe>{}";

static const struct {
    const char *name;
    enum sql_dialect dialect;
    const char *sql, *want; /* NULL: refused */
} cases[] = {
    {"words", SQL_SQLITE, "SELECT a_1 $x", "WWP."},
    {"blanks", SQL_SQLITE, " \t\r\n\f1 ", "0."},
    {"vertical tab", SQL_SQLITE, "1\v2", NULL},
    {"control character", SQL_SQLITE, "1\0012", NULL},
    {"string", SQL_SQLITE, "'it''s'", "S."},
    {"string with backslash", SQL_SQLITE, "'a\\' 'b'", "SS."},
    {"open string", SQL_SQLITE, "'abc", NULL},
    {"open doubled", SQL_SQLITE, "'abc''", NULL},
    {"names", SQL_SQLITE, "\"a\"\"b\" `c` [d e]", "NNN."},
    {"open name", SQL_SQLITE, "[abc", NULL},
    {"numbers", SQL_SQLITE, "1 1.5 .5 5. 1e5 1.5e-3 0xFf", "0000000."},
    {"number into word", SQL_SQLITE, "1a", NULL},
    {"bad hex", SQL_SQLITE, "0xg", NULL},
    {"blob", SQL_SQLITE, "x'00fF' X''", "BB."},
    {"odd blob", SQL_SQLITE, "x'0'", NULL},
    {"blob with letters", SQL_SQLITE, "x'0g'", NULL},
    {"parameters", SQL_SQLITE, "? ?12 :a @a $a", "PPPPP."},
    {"parameter without name", SQL_SQLITE, ":", NULL},
    {"cast with colons", SQL_SQLITE, "a::text", NULL},
    {"signs", SQL_SQLITE, "-> ->> || << >> <= >= <> != == = < > & | ~ + - * / %",
     ">>c<<oo##==oo&|~+-*/%."},
    {"bang alone", SQL_SQLITE, "!", NULL},
    {"hash", SQL_SQLITE, "# x", NULL},
    {"backslash", SQL_SQLITE, "\\", NULL},
    {"line comment", SQL_SQLITE, "1--2\n3", "00."},
    {"line comment at the end", SQL_SQLITE, "1 --", "0."},
    {"block comment", SQL_SQLITE, "1/*2*/3", "00."},
    {"comments do not nest", SQL_SQLITE, "1/*/*2*/3*/", "00*/."},
    {"open comment", SQL_SQLITE, "1 /* 2", NULL},
    {"comment of three bytes", SQL_SQLITE, "/*/", NULL},
    {"quote in comment", SQL_SQLITE, "1 /* ' */ -- '\n", "0."},
    {"byte order mark", SQL_SQLITE, "1 \xef\xbb\xbf", NULL},
    {"mark in a string", SQL_SQLITE, "'\xef\xbb\xbf'", "S."},
    {"high bytes", SQL_SQLITE, "caf\xc3\xa9", "W."},
    {"mysql strings", SQL_MYSQL, "'a\\'b' \"c\\\"d\" `e`", "SSN."},
    {"mysql backslash at the end", SQL_MYSQL, "'a\\'", NULL},
    {"mysql dashes", SQL_MYSQL, "1--2", "0--0."},
    {"mysql dash comment", SQL_MYSQL, "1-- 2", "0."},
    {"mysql dash tab comment", SQL_MYSQL, "1--\t2", "0."},
    {"mysql hash", SQL_MYSQL, "1 # 2\n3", "00."},
    {"mysql variables", SQL_MYSQL, "@a @@b @@global.c @'d' @`e`", "VVVVV."},
    {"mysql signs", SQL_MYSQL, "&& <=> ! ^ ||", "be!^c."},
    {"mysql assignment", SQL_MYSQL, "@a := 1", NULL},
    {"mysql bits", SQL_MYSQL, "b'01' 0b01 n'x'", "B0S."},
    {"mysql bracket", SQL_MYSQL, "[a]", NULL},
    {"mysql names of digits", SQL_MYSQL, "1a 0xg 0X41 0b2 1e 1e+", "WWWWWW+."},
    {"mysql numbers", SQL_MYSQL, "1 1.5 .5 1. 1e5 1E-3 0x1f 0b11", "00000000."},
    {"mysql number and name", SQL_MYSQL, "1.5x 1e5y", "0W0W."},
    {"mysql e without digits", SQL_MYSQL, "1.5ex", NULL},
    {"mysql name after a dot", SQL_MYSQL, "t.1e5 t.5 t.select t.x'a'", "WDWWDWWDWWDWS."},
    {"mysql number after a name", SQL_MYSQL, "t .5 `t`.5", "W0N0."},
    {"mysql dollar", SQL_MYSQL, "$a a$b", "WW."},
    {"mysql vertical tab", SQL_MYSQL, "1\v2", "00."},
    {"mysql dash control comment", SQL_MYSQL, "1--\x7f 2", "0."},
    {"mysql braces", SQL_MYSQL, "{d '2024-01-01'}", "{WS}."},
    {"mysql \\N", SQL_MYSQL, "\\N", NULL},
    {"mysql colon", SQL_MYSQL, ":a", NULL},
    {"mysql odd hexadecimal", SQL_MYSQL, "x'4'", NULL},
    {"mysql bad bits", SQL_MYSQL, "b'2'", NULL},
    {"mysql quote of another kind", SQL_MYSQL, "x\"41\"", "WS."},
};

static struct str spell(const struct sql_tokens *tokens, char *room)
{
    size_t len = 0;
    for (size_t i = 0; i < tokens->count && len < 64; i++) {
        char letter = letters[tokens->at[i].kind];
        room[len++] = letter;
    }
    return str_make(room, len);
}

/* PostgreSQL's tokens are cut by a lexer of their own. */
static enum err_code scan(enum sql_dialect dialect, struct str sql, struct arena *arena,
                          struct sql_tokens *tokens, const char **rule, struct err *err)
{
    struct sql_parse_pg_tokens pg;
    if (dialect != SQL_POSTGRES)
        return sql_lexer_scan(dialect, sql, arena, tokens, rule, err);
    enum err_code code = sql_parse_pg_lexer_scan(sql, arena, &pg, rule, err);
    *tokens = pg.tokens;
    return code;
}

TEST(lexer_tokens)
{
    assert_int_equal(sizeof letters - 1, SQL_TOKEN_BRACE_END + 1);
    TEST_EACH(c, cases) {
        struct arena arena;
        struct sql_tokens tokens;
        struct err err = {0};
        const char *rule = "";
        char room[64];
        arena_init(&arena, ARENA_BYTES);
        enum err_code code = scan(c->dialect, str_of(c->sql), &arena, &tokens, &rule, &err);
        EXPECT_INT(c->name, code, c->want == NULL ? ERR_REJECTED : ERR_OK);
        if (code == ERR_OK)
            EXPECT_STR(c->name, spell(&tokens, room), str_of(c->want));
        else
            EXPECT_STR(c->name, str_of(rule), STR("syntax"));
        arena_fini(&arena);
    }
}

static const struct {
    const char *name;
    enum sql_dialect dialect;
    const char *sql, *want;
} spellings[] = {
    {"plain", SQL_SQLITE, "abc", "abc"},
    {"quoted", SQL_SQLITE, "\"a b\"", "a b"},
    {"doubled", SQL_SQLITE, "\"a\"\"b\"", "a\"b"},
    {"bracket", SQL_SQLITE, "[a\"]", "a\""},
    {"string", SQL_SQLITE, "'it''s'", "it's"},
    {"empty", SQL_SQLITE, "''", ""},
    {"backslash is itself", SQL_SQLITE, "'a\\b'", "a\\b"},
    {"mysql escape", SQL_MYSQL, "'a\\'b'", "a'b"},
    {"mysql double", SQL_MYSQL, "\"a\"\"b\"", "a\"b"},
    {"mysql national", SQL_MYSQL, "n'x'", "x"},
    {"mysql newline", SQL_MYSQL, "'a\\nb'", "a\nb"},
    {"mysql pattern", SQL_MYSQL, "'a\\_\\%\\x'", "a\\_\\%x"},
    {"mysql backtick", SQL_MYSQL, "`a``b`", "a`b"},
    {"mysql backslash in a name", SQL_MYSQL, "`a\\b`", "a\\b"},
};

TEST(lexer_spelling)
{
    TEST_EACH(c, spellings) {
        struct arena arena;
        struct sql_tokens tokens;
        const char *rule = "";
        arena_init(&arena, ARENA_BYTES);
        EXPECT_INT(c->name, scan(c->dialect, str_of(c->sql), &arena, &tokens, &rule, NULL), 0);
        EXPECT_STR(c->name, sql_lexer_spelling(&tokens, &tokens.at[0], &arena), str_of(c->want));
        arena_fini(&arena);
    }
}

TEST(lexer_notes_comments)
{
    static const struct {
        const char *name, *sql;
        bool comment, hint, executable;
    } table[] = {
        {"none", "SELECT '/*'", false, false, false}, {"line", "1 -- x", true, false, false},
        {"block", "/* x */ 1", true, false, false},   {"hint", "/*+ x */ 1", true, true, false},
        {"mysql", "/*!50000 1*/", true, false, true}, {"mariadb", "/*M! 1*/", true, false, true},
    };
    TEST_EACH(c, table) {
        struct arena arena;
        struct sql_tokens tokens;
        const char *rule = "";
        arena_init(&arena, ARENA_BYTES);
        EXPECT_INT(c->name, sql_lexer_scan(SQL_MYSQL, str_of(c->sql), &arena, &tokens, &rule, NULL),
                   ERR_OK);
        EXPECT_INT(c->name, tokens.has_comment, c->comment);
        EXPECT_INT(c->name, tokens.has_hint, c->hint);
        EXPECT_INT(c->name, tokens.has_executable_comment, c->executable);
        arena_fini(&arena);
    }
}

TEST(lexer_refuses_what_is_no_text)
{
    static char long_text[SQL_LEXER_MAX_BYTES + 1];
    memset(long_text, ' ', sizeof long_text);
    const struct {
        const char *name, *rule;
        struct str sql;
    } table[] = {
        {"NUL", "encoding", STR("SELECT 1\0; DROP")},
        {"bad UTF-8", "encoding", STR("SELECT '\xff'")},
        {"overlong", "encoding", STR("SELECT '\xc0\xa7'")},
        {"too long", "length", str_make(long_text, sizeof long_text)},
    };
    TEST_EACH(c, table) {
        struct arena arena;
        struct sql_tokens tokens;
        const char *rule = "";
        arena_init(&arena, ARENA_BYTES);
        EXPECT_INT(c->name, sql_lexer_scan(SQL_SQLITE, c->sql, &arena, &tokens, &rule, NULL),
                   ERR_REJECTED);
        EXPECT_STR(c->name, str_of(rule), str_of(c->rule));
        arena_fini(&arena);
    }
    struct arena arena;
    struct sql_tokens tokens;
    const char *rule = "";
    arena_init(&arena, ARENA_BYTES);
    struct str longest = str_make(long_text, SQL_LEXER_MAX_BYTES);
    EXPECT_INT("longest", sql_lexer_scan(SQL_SQLITE, longest, &arena, &tokens, &rule, NULL), 0);
    arena_fini(&arena);
}

/* Every prefix scans or is refused; spans stay in order and inside. */
TEST(lexer_prefixes)
{
    static const char sql[] = "SELECT \"a\"\"b\", [c], `d`, 'it''s', x'00', 0x1f, 1.5e-3, :p "
                              "-- c\n/* d */ FROM t WHERE a <> b || '\xc3\xa9' ->> '$.x'; ";
    for (size_t len = 0; len < sizeof sql; len++) {
        for (int dialect = SQL_SQLITE; dialect <= SQL_MYSQL; dialect++) {
            struct arena arena;
            struct sql_tokens tokens;
            const char *rule = "";
            arena_init(&arena, ARENA_BYTES);
            enum err_code code =
                scan((enum sql_dialect)dialect, str_make(sql, len), &arena, &tokens, &rule, NULL);
            EXPECT_TRUE("answer", code == ERR_OK || code == ERR_REJECTED);
            for (size_t i = 0; code == ERR_OK && i < tokens.count; i++) {
                EXPECT_TRUE("inside", tokens.at[i].end <= len);
                EXPECT_TRUE("order", i == 0 || tokens.at[i].start >= tokens.at[i - 1].end);
            }
            arena_fini(&arena);
        }
    }
}

TEST(lexer_place)
{
    size_t line, column;
    sql_lexer_place(STR("ab\ncd"), 4, &line, &column);
    EXPECT_INT("line", line, 2);
    EXPECT_INT("column", column, 2);
}

TEST(lexer_words)
{
    EXPECT_INT("case", sql_words_find(STR("SeLeCt")), SQL_WORD_SELECT);
#define FINDS(name, text, sqlite, mysql)                                                           \
    EXPECT_INT(text, sql_words_find(STR(text)), SQL_WORD_##name);
    SQL_WORDS(FINDS)
#undef FINDS
    EXPECT_INT("prefix", sql_words_find(STR("selec")), SQL_WORD_NONE);
    EXPECT_INT("plain", sql_words_find(STR("customers")), SQL_WORD_NONE);
    EXPECT_INT("empty", sql_words_find(STR("")), SQL_WORD_NONE);
    EXPECT_TRUE("key", sql_words_may_name(SQL_SQLITE, SQL_WORD_OFFSET));
    EXPECT_TRUE("left", sql_words_may_name(SQL_SQLITE, SQL_WORD_LEFT));
    EXPECT_TRUE("left bare", !sql_words_may_alias(SQL_SQLITE, SQL_WORD_LEFT));
    EXPECT_TRUE("select", !sql_words_may_name(SQL_MYSQL, SQL_WORD_SELECT));
    EXPECT_INT("reserved", sql_words_find(STR("Utc_Date")), SQL_WORD_RESERVED);
    EXPECT_INT("first", sql_words_find(STR("accessible")), SQL_WORD_RESERVED);
    EXPECT_INT("last", sql_words_find(STR("zerofill")), SQL_WORD_RESERVED);
    EXPECT_TRUE("mysql", !sql_words_may_name(SQL_MYSQL, SQL_WORD_RESERVED));
    EXPECT_TRUE("sqlite", sql_words_may_alias(SQL_SQLITE, SQL_WORD_RESERVED));
}

/* select.a and a.select hold no keyword in MySQL; select . a does. */
TEST(lexer_words_at_dots)
{
    static const struct {
        const char *sql;
        size_t token;
        enum sql_word word;
    } table[] = {
        {"select.a", 0, SQL_WORD_NONE},    {"a.select", 2, SQL_WORD_NONE},
        {"select .a", 0, SQL_WORD_SELECT}, {"a. select", 2, SQL_WORD_SELECT},
        {"select.*", 0, SQL_WORD_SELECT},  {"select", 0, SQL_WORD_SELECT},
    };
    TEST_EACH(c, table) {
        struct arena arena;
        struct sql_tokens tokens;
        const char *rule = "";
        arena_init(&arena, ARENA_BYTES);
        EXPECT_INT(c->sql, sql_lexer_scan(SQL_MYSQL, str_of(c->sql), &arena, &tokens, &rule, NULL),
                   ERR_OK);
        EXPECT_INT(c->sql, tokens.at[c->token].word, c->word);
        arena_fini(&arena);
    }
}

TEST(lexer_without_memory)
{
    struct arena arena;
    struct sql_tokens tokens;
    const char *rule = "";
    arena_init(&arena, ARENA_BYTES);
    mem_fail_nth(1);
    EXPECT_INT("no memory",
               sql_lexer_scan(SQL_SQLITE, STR("SELECT 1"), &arena, &tokens, &rule, NULL),
               ERR_NO_MEMORY);
    mem_fail_nth(0);
    arena_fini(&arena);
}

RUN_TESTS(T(lexer_tokens), T(lexer_spelling), T(lexer_notes_comments),
          T(lexer_refuses_what_is_no_text), T(lexer_prefixes), T(lexer_place), T(lexer_words),
          T(lexer_words_at_dots), T(lexer_without_memory))

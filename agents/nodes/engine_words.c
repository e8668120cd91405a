/* SPDX-License-Identifier: MIT */
/* agents/nodes/engine_words.c - a table of codes, and a sieve for messages about the statement.
 *
 * Happy path: the code is of a kind that engines give before they look at any row; the words of
 * the message that the statement or the list has are passed on, others become "...". Failure: any
 * other code gets our sentence for it, or the one for all. */
#include "agents/nodes/engine_words.h"

enum { TOLD_BYTES = 400, SHORT_NUMBER = 2 };

/* Words of messages about names, types and forms: they are the engines', and say nothing of rows.
 * In alphabetical order. */
static const char *const known[] = {
    "a",
    "aggregate",
    "aliases",
    "all",
    "already",
    "alias",
    "ambiguous",
    "an",
    "any",
    "appear",
    "are",
    "argument",
    "arguments",
    "array",
    "as",
    "at",
    "be",
    "before",
    "bigint",
    "binary",
    "bit",
    "boolean",
    "both",
    "but",
    "by",
    "bytea",
    "call",
    "cannot",
    "casts",
    "char",
    "character",
    "check",
    "clause",
    "clauses",
    "column",
    "columns",
    "conflicting",
    "context",
    "contain",
    "contains",
    "correct",
    "could",
    "cast",
    "date",
    "datetime",
    "decimal",
    "dependent",
    "derived",
    "distinct",
    "do",
    "does",
    "doesn",
    "double",
    "each",
    "end",
    "entry",
    "error",
    "every",
    "exist",
    "exists",
    "explicit",
    "expression",
    "expressions",
    "field",
    "float",
    "for",
    "from",
    "function",
    "functionally",
    "functions",
    "given",
    "group",
    "grouped",
    "grouping",
    "has",
    "have",
    "having",
    "in",
    "incompatible",
    "incomplete",
    "input",
    "int",
    "integer",
    "interval",
    "into",
    "invalid",
    "is",
    "isn",
    "its",
    "join",
    "json",
    "jsonb",
    "left",
    "level",
    "limit",
    "line",
    "list",
    "lists",
    "match",
    "matches",
    "matching",
    "misuse",
    "mismatched",
    "missing",
    "mode",
    "more",
    "must",
    "name",
    "near",
    "nested",
    "no",
    "nonaggregated",
    "not",
    "null",
    "number",
    "numeric",
    "of",
    "offset",
    "on",
    "one",
    "only_full_group_by",
    "only",
    "operand",
    "operator",
    "or",
    "order",
    "over",
    "own",
    "parameter",
    "parameters",
    "parenthesis",
    "position",
    "precision",
    "query",
    "real",
    "reference",
    "relation",
    "required",
    "result",
    "return",
    "returns",
    "right",
    "row",
    "rows",
    "same",
    "scalar",
    "schema",
    "select",
    "selects",
    "set",
    "should",
    "smallint",
    "specified",
    "statement",
    "sql_mode",
    "sub",
    "subqueries",
    "subquery",
    "such",
    "syntax",
    "t",
    "table",
    "tables",
    "target",
    "term",
    "text",
    "than",
    "that",
    "the",
    "this",
    "time",
    "timestamp",
    "tinyint",
    "to",
    "token",
    "too",
    "type",
    "types",
    "union",
    "unique",
    "unknown",
    "unrecognized",
    "unsigned",
    "use",
    "used",
    "uuid",
    "values",
    "varchar",
    "varying",
    "where",
    "which",
    "window",
    "with",
    "without",
    "wrong",
    "you",
    "your",
    "zone",
};

/* ---- the sieve ---- */

static bool is_word(char c)
{
    return str_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool is_known(struct str word)
{
    for (size_t i = 0; i < countof(known); i++)
        if (str_equal_nocase(word, str_of(known[i])))
            return true;
    return false;
}

/* The end of the literal or word that begins at from; a word's is the first byte behind it. */
static size_t end_of(struct str text, size_t from)
{
    size_t i = from;
    if (text.at[i] == '\'') {
        for (i++; i < text.len && text.at[i] != '\''; i++)
            if (text.at[i] == '\\')
                i++;
        return size_min(i + 1, text.len);
    }
    while (i < text.len && is_word(text.at[i]))
        i++;
    return i == from ? from + 1 : i;
}

/* Whether the statement has the word outside its literals in single quotes. */
static bool has_word(struct str statement, struct str word)
{
    for (size_t i = 0; i < statement.len;) {
        size_t end = end_of(statement, i);
        if (is_word(statement.at[i]) && str_equal_nocase(str_slice(statement, i, end), word))
            return true;
        i = end;
    }
    return false;
}

static bool may_be_told(struct str statement, struct str word)
{
    bool is_number = true;
    for (size_t i = 0; i < word.len; i++)
        is_number = is_number && str_is_digit(word.at[i]);
    return (is_number && word.len <= SHORT_NUMBER) || is_known(word) || has_word(statement, word);
}

static void sieve(const struct engine_words *words, struct buf *out)
{
    struct str said = str_utf8_prefix(words->said, TOLD_BYTES);
    ptrdiff_t hint = str_find(said, STR(" (hint: ")); /* names what the statement did not */
    if (hint != STR_NONE)
        said = str_slice(said, 0, (size_t)hint);
    for (size_t i = 0; i < said.len;) {
        if (!is_word(said.at[i])) {
            char c = said.at[i++];
            buf_push_char(out, (unsigned char)c < ' ' ? ' ' : c);
            continue;
        }
        size_t end = i;
        while (end < said.len && is_word(said.at[end]))
            end++;
        struct str word = str_slice(said, i, end);
        buf_push(out, may_be_told(words->statement, word) ? word : STR("..."));
        i = end;
    }
}

/* ---- which messages pass through it ---- */

/* What SQLite says of a computation, whole: no word of it is a row's. */
static const char *const computing[] = {"integer overflow", "malformed JSON",
                                        "string or blob too big"};

/* What SQLite says before it has read a row. Its code says less. */
static const char *const compiling[] = {
    "no such column: ",    "no such table: ",
    "no such function: ",  "ambiguous column",
    "misuse of ",          "near \"",
    "wrong number of arg", "sub-select returns ",
    "row value misused",   "a GROUP BY clause is",
    "SELECTs to the left", "unrecognized token: ",
    "incomplete input",    "aggregate functions",
    "ORDER BY ",           "HAVING ",
    "no such collation",   "no such window",
    "1st ORDER BY",        "1st GROUP BY",
    "DISTINCT ",           "cannot join using",
    "a JOIN clause is",    "LIMIT clause should",
};

static bool is_computing(const struct engine_words *words)
{
    bool is_one = false;
    for (size_t i = 0; i < countof(computing); i++)
        is_one = is_one || str_equal(words->said, str_of(computing[i]));
    return is_one && words->dialect == SQL_SQLITE;
}

static bool is_about_statement(const struct engine_words *words)
{
    if (words->dialect != SQL_SQLITE)
        return str_starts_with(words->code, STR("42")) || str_starts_with(words->code, STR("0A"));
    for (size_t i = 0; i < countof(compiling); i++)
        if (str_starts_with(words->said, str_of(compiling[i])))
            return true;
    return false;
}

/* The longest prefix that fits speaks; SQLite's code is a number, and its messages are told apart
 * by how they begin. */
static const struct {
    const char *code, *text;
} sentences[] = {
    {"42501", "the database's user may not read what the statement names"},
    {"42000", "the database refuses the statement"},
    {"21", "a subquery that stands for one value gave more than one row, or the numbers of columns "
           "differ"},
    {"22001", "a text is too long for its type"},
    {"22003", "a number is out of range for its type"},
    {"22007", "a value is no date or time of the form that the statement asks for"},
    {"22008", "a date or time is out of range"},
    {"22012", "the statement divides by zero: guard the divisor with NULLIF(..., 0)"},
    {"22023", "a function got an argument that it does not take"},
    {"22021", "a text has bytes that are none in its encoding"},
    {"2201B", "a regular expression is not well formed"},
    {"2201E", "a logarithm is taken of a number that has none"},
    {"2201F", "a power or root is taken of a number that has none"},
    {"22032", "a value is no JSON"},
    {"22P02", "a value cannot be converted to the type that the statement asks for"},
    {"22P03", "a value cannot be converted to the type that the statement asks for"},
    {"22", "the database could not compute an expression of the statement for a value"},
    {"25006", "the statement does not only read"},
    {"54", "the statement is too complex for the database"},
};

static const char *sentence_of(const struct engine_words *words)
{
    size_t longest = 0;
    const char *text = words->dialect == SQL_SQLITE
                           ? "the database could not compute an expression of the statement"
                           : "the database refuses the statement";
    for (size_t i = 0; words->dialect != SQL_SQLITE && i < countof(sentences); i++) {
        struct str code = str_of(sentences[i].code);
        if (code.len > longest && str_starts_with(words->code, code)) {
            longest = code.len;
            text = sentences[i].text;
        }
    }
    return text;
}

void engine_words_tell(const struct engine_words *words, struct err *err)
{
    struct buf out;
    buf_init(&out, 4 * TOLD_BYTES);
    if (is_computing(words))
        buf_push(&out, words->said);
    else if (is_about_statement(words) && !str_equal(words->code, STR("42501")))
        sieve(words, &out);
    else
        buf_push(&out, str_of(sentence_of(words)));
    if (!str_is_empty(words->code) && words->dialect != SQL_SQLITE)
        buf_printf(&out, " (SQLSTATE %.*s)", STR_ARG(words->code));
    err_set(err, err->code, "%.*s",
            STR_ARG(buf_ok(&out) ? buf_str(&out) : STR("the database refuses the statement")));
    buf_fini(&out);
}

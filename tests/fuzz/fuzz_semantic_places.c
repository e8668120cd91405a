/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_semantic_places.c - a verified statement's places, filled with any text: what is
 * filled in is one token of SQL, a string that spells the text, whatever the text is.
 *
 * Input: the template, a NUL, the argument. */
#include "agents/semantic/places.h"
#include "agents/sql/catalog/quote.h"
#include "agents/sql/grammar/lexer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool fill(void *owner, struct str name, struct buf *out, struct err *err)
{
    const struct str *value = owner;
    if (name.len == 0) {
        err_set(err, ERR_INVALID, "a place without a name");
        return false;
    }
    sql_quote_text(SQL_SQLITE, *value, out);
    return true;
}

/* The argument alone, as the lexer of the guard reads it. */
static void check_literal(struct str value)
{
    struct arena arena;
    struct buf out;
    struct err err = {0};
    struct sql_tokens tokens;
    const char *rule;
    arena_init(&arena, 4 << 20);
    buf_init(&out, 1 << 20);
    CHECK(semantic_places_fill(STR("{x}"), fill, &value, &out, &err) == ERR_OK);
    if (sql_lexer_scan(SQL_SQLITE, buf_str(&out), &arena, &tokens, &rule, &err) == ERR_OK) {
        CHECK(tokens.count == 2); /* the string and the end */
        CHECK(str_equal(sql_lexer_spelling(&tokens, &tokens.at[0], &arena), value));
    } else {
        CHECK(!str_is_utf8(value) || str_find_char(value, '\0') != STR_NONE ||
              value.len > (16 << 10));
    }
    buf_fini(&out);
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str value = str_make((const char *)data, size);
    struct str sql = str_split(&value, '\0');
    struct buf out;
    struct err err = {0};
    buf_init(&out, 1 << 20);
    enum err_code code = semantic_places_fill(sql, fill, &value, &out, &err);
    if (code != ERR_OK)
        CHECK(code == ERR_INVALID && err.text[0] != '\0');
    else if (str_find_char(sql, '{') == STR_NONE)
        CHECK(!buf_ok(&out) || str_equal(buf_str(&out), sql));
    buf_fini(&out);
    check_literal(value);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* What declarations say: lists of values as three engines write them, comments in a CREATE TABLE.
 */
#include "tests/lib/test.h"

#include "agents/sql/catalog/declared.h"
#include "core/base/buf.h"

enum { ARENA_BYTES = 64 << 10 };

static const struct {
    const char *condition, *list; /* "column: value value"; "": it lists nothing */
} lists[] = {
    {"status IN ('open', 'closed')", "status: open closed"},
    {"\"Order Status\" in ('a')", "Order Status: a"},
    {"[kind] IN (1, 2, 3)", "kind: 1 2 3"},
    {"flag IS NULL OR flag IN ('Y','N')", "flag: Y N"},
    {"note IN ('it''s', 'x')", "note: it's x"},
    {"CHECK ((status = ANY (ARRAY['a'::text, 'b'::text])))", "status: a b"},
    {"CHECK (((status)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying(9)])"
     "::text[])))",
     "status: a b"},
    {"(`status` in (_utf8mb4'a',_utf8mb4'b'))", "status: a b"},
    {"state /* of it */ IN ('a' -- first\n, 'b')", "state: a b"},
    {"price > 0", ""},
    {"status NOT IN ('a')", ""},
    {"a IN ('x') OR b IN ('y')", ""},
    {"status = 'a'", ""},
    {"length(code) IN (1, 2)", ""},
    {"status IN (", ""},
    {"IN ('a')", ""},
    {"'a' IN (status)", ""},
    {"status IN ('a", "status: a"},
    {"", ""},
};

TEST(a_condition_lists_values)
{
    TEST_EACH(c, lists) {
        struct arena arena;
        struct declared_list list;
        struct buf out;
        arena_init(&arena, ARENA_BYTES);
        buf_init(&out, 1000);
        if (declared_read_list(&arena, str_of(c->condition), &list)) {
            buf_printf(&out, "%.*s:", STR_ARG(list.column));
            for (size_t i = 0; i < list.count; i++)
                buf_printf(&out, " %.*s", STR_ARG(list.values[i]));
        }
        EXPECT_STR(c->condition, buf_str(&out), str_of(c->list));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

static const struct {
    const char *sql, *items; /* "name<comment>check|" of each */
} tables[] = {
    {"CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)", "id<>|name<>|"},
    {"create table if not exists \"my t\" (\n"
     "  -- what it is called\n"
     "  name TEXT, -- in full\n"
     "  state INTEGER /* 0 new, 1 old */ NOT NULL,\n"
     "  kind TEXT CHECK (kind IN ('a, b', 'c)')), /* of it */\n"
     "  CHECK (state IN (0, 1))\n"
     ")",
     "name<what it is called; in full>|state<0 new, 1 old>|"
     "kind<of it>kind IN ('a, b', 'c)')) |<>state IN (0, 1)) |"},
    {"CREATE TABLE t (a INTEGER, CONSTRAINT c PRIMARY KEY (a)) -- behind", "a<>|<>|"},
    {"CREATE TABLE t (a INTEGER", "a<>|"},
    {"CREATE TABLE t AS SELECT (1)", ""},
    {"CREATE VIRTUAL TABLE t USING fts5(a)", ""},
    {"CREATE VIEW v AS SELECT (1)", ""},
    {"DROP TABLE t", ""},
    {"", ""},
};

TEST(a_table_has_items)
{
    TEST_EACH(c, tables) {
        struct arena arena;
        const struct declared_item *item;
        struct buf out;
        arena_init(&arena, ARENA_BYTES);
        buf_init(&out, 1000);
        assert_true(declared_read_table(&arena, str_of(c->sql), &item));
        for (; item != NULL; item = item->next) {
            struct str rest = item->text, condition;
            buf_printf(&out, "%.*s<%.*s>", STR_ARG(item->name), STR_ARG(item->comment));
            while (declared_next_check(&rest, &condition))
                buf_printf(&out, "%.*s ", STR_ARG(condition));
            buf_push_char(&out, '|');
        }
        EXPECT_STR(c->sql, buf_str(&out), str_of(c->items));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

RUN_TESTS(T(a_condition_lists_values), T(a_table_has_items))

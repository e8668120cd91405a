/* SPDX-License-Identifier: MIT */
/* agents/docs/document.c - front matter off, the rest to its format's reader, a title found.
 *
 * Happy path: an optional "---" block of "name: value" lines, then the body; the title is front
 * matter's, HTML's, or the first heading.
 * Failure: bytes that are not UTF-8, a front-matter line without a colon, a name askd keeps for
 * itself, too many fields: ERR_INVALID with what and where. */
#include "agents/docs/document.h"

#include "agents/docs/blocks.h"
#include "agents/docs/html.h"
#include "agents/docs/markdown.h"

enum { MAX_FRONT_LINES = 64, MAX_NAME = 64, MAX_VALUE = 512 };

bool docs_document_format(struct str name, enum docs_format *format)
{
    static const struct {
        const char *ending;
        enum docs_format format;
    } endings[] = {{".md", DOCS_MARKDOWN},
                   {".markdown", DOCS_MARKDOWN},
                   {".html", DOCS_HTML},
                   {".htm", DOCS_HTML},
                   {".txt", DOCS_PLAIN}};
    for (size_t i = 0; i < countof(endings); i++) {
        struct str ending = str_of(endings[i].ending);
        if (name.len == ending.len || !str_ends_with_nocase(name, ending))
            continue;
        *format = endings[i].format;
        return true;
    }
    return false;
}

/* ---- front matter ---- */

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!str_is_alpha(name.at[i]) && name.at[i] != '_' && (i == 0 || !str_is_digit(name.at[i])))
            return false;
    return name.len > 0 && name.len <= MAX_NAME;
}

/* Names that say whose a passage is, or where it stands, are not a document's to choose. */
static bool is_reserved(struct str name)
{
    static const char *const names[] = {"company_id", "user_id", "document", "heading", "ordinal"};
    for (size_t i = 0; i < countof(names); i++)
        if (str_equal(name, str_of(names[i])))
            return true;
    return false;
}

static struct str unquoted(struct str value)
{
    bool quoted = value.len >= 2 && (value.at[0] == '"' || value.at[0] == '\'') &&
                  value.at[value.len - 1] == value.at[0];
    return quoted ? str_slice(value, 1, value.len - 1) : value;
}

static enum err_code read_front_line(struct docs_document *out, struct arena *arena,
                                     struct str line, unsigned number, struct err *err)
{
    ptrdiff_t colon = str_find_char(line, ':');
    if (colon == STR_NONE)
        return err_set(err, ERR_INVALID, "front matter, line %u: expected 'name: value'", number);
    struct str name = str_trim(str_slice(line, 0, (size_t)colon));
    struct str value = unquoted(str_trim(str_from(line, (size_t)colon + 1)));
    if (!is_name(name))
        return err_set(err, ERR_INVALID,
                       "front matter, line %u: a name is letters, digits and underscores, at most "
                       "%d",
                       number, MAX_NAME);
    if (is_reserved(name))
        return err_set(err, ERR_INVALID, "front matter, line %u: '%.*s' is not a document's to set",
                       number, STR_ARG(name));
    if (value.len > MAX_VALUE)
        return err_set(err, ERR_INVALID, "front matter, line %u: '%.*s' is longer than %d bytes",
                       number, STR_ARG(name), MAX_VALUE);
    value = arena_str(arena, value);
    if (str_equal(name, STR("title"))) {
        out->title = value;
        return ERR_OK;
    }
    if (out->field_count == DOCS_MAX_FIELDS)
        return err_set(err, ERR_INVALID, "front matter, line %u: more than %d fields", number,
                       DOCS_MAX_FIELDS);
    out->fields[out->field_count++] = (struct docs_field){arena_str(arena, name), value};
    return ERR_OK;
}

/* Take "---" lines and what is between them off *text. Without a second one it is a rule, not
 * front matter. */
static enum err_code read_front(struct docs_document *out, struct arena *arena, struct str *text,
                                struct err *err)
{
    struct str rest = *text, body = {NULL, 0};
    unsigned number = 1;
    if (!str_equal(str_trim(str_split(&rest, '\n')), STR("---")))
        return ERR_OK;
    struct str first = rest;
    while (str_is_absent(body) && !str_is_absent(rest) && number++ < MAX_FRONT_LINES)
        if (str_equal(str_trim(str_split(&rest, '\n')), STR("---")))
            body = str_is_absent(rest) ? STR("") : rest;
    if (str_is_absent(body))
        return ERR_OK;
    rest = first;
    for (unsigned line_number = 2; line_number < number; line_number++) {
        struct str line = str_trim(str_split(&rest, '\n'));
        enum err_code code = ERR_OK;
        if (line.len > 0 && line.at[0] != '#')
            code = read_front_line(out, arena, line, line_number, err);
        if (code != ERR_OK)
            return code;
    }
    *text = body;
    return ERR_OK;
}

/* ---- the body ---- */

/* Paragraphs between empty lines. */
static void read_plain(struct docs_blocks *blocks, struct str text)
{
    while (!str_is_absent(text)) {
        struct str line = str_split(&text, '\n');
        if (str_trim(line).len == 0) {
            docs_blocks_end(blocks, DOCS_TEXT, 0);
            continue;
        }
        docs_blocks_push(blocks, line);
        docs_blocks_push(blocks, STR("\n"));
    }
}

static bool read_body(struct docs_blocks *blocks, enum docs_format format, struct str text,
                      struct docs_document *out)
{
    struct str *title = str_is_absent(out->title) ? &out->title : NULL;
    switch (format) {
    case DOCS_MARKDOWN:
        return docs_markdown_read(blocks, text);
    case DOCS_HTML:
        return docs_html_read(blocks, text, title);
    case DOCS_PLAIN:
        read_plain(blocks, text);
        break;
    }
    return true;
}

static void find_title(struct docs_document *out)
{
    for (size_t i = 0; i < out->block_count && str_is_absent(out->title); i++)
        if (out->blocks[i].kind == DOCS_HEADING)
            out->title = out->blocks[i].text;
}

enum err_code docs_document_read(struct arena *arena, enum docs_format format, struct str bytes,
                                 struct docs_document *out, struct err *err)
{
    struct docs_blocks blocks;
    *out = (struct docs_document){.field_count = 0};
    if (bytes.len > DOCS_MAX_BYTES)
        return err_set(err, ERR_TOO_LARGE, "expected at most %d bytes, got %zu", DOCS_MAX_BYTES,
                       bytes.len);
    if (str_starts_with(bytes, STR("\xEF\xBB\xBF")))
        bytes = str_from(bytes, 3);
    if (!str_is_utf8(bytes))
        return err_set(err, ERR_INVALID, "expected UTF-8 text; convert it first (iconv -t UTF-8)");
    if (str_find_char(bytes, '\0') != STR_NONE)
        return err_set(err, ERR_INVALID, "expected text, got a NUL byte");
    enum err_code code = read_front(out, arena, &bytes, err);
    if (code != ERR_OK)
        return code;
    docs_blocks_init(&blocks, arena);
    bool is_fine = read_body(&blocks, format, bytes, out);
    is_fine = docs_blocks_finish(&blocks) && is_fine;
    out->blocks = blocks.items;
    out->block_count = blocks.count;
    docs_blocks_fini(&blocks);
    if (!is_fine)
        return err_set(err, ERR_NO_MEMORY, "no memory to read the document");
    find_title(out);
    return ERR_OK;
}

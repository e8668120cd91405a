/* SPDX-License-Identifier: MIT */
/* agents/docs/markdown.c - md4c's callbacks into blocks.
 *
 * Happy path: a paragraph is prose; a list is lines, one an item, indented by depth; a table is
 * lines of cells joined by " | " whose header every piece repeats; code is lines as they stand.
 * Failure: md4c gives up only for lack of memory. */
#include "agents/docs/markdown.h"

#include <md4c.h>

#include "agents/docs/html.h"

struct reading {
    struct docs_blocks *blocks;
    struct docs_blocks *html; /* raw HTML is read whole, then by its own reader */
    unsigned list_depth, cell;
    bool in_code, in_html;
};

static bool in_list(const struct reading *reading)
{
    return reading->list_depth > 0;
}

static void begin_item(struct reading *reading)
{
    docs_blocks_line(reading->blocks);
    for (unsigned i = 1; i < reading->list_depth; i++)
        docs_blocks_push_raw(reading->blocks, STR("  "));
    docs_blocks_push_raw(reading->blocks, STR("- "));
}

static int on_enter_block(MD_BLOCKTYPE type, void *detail, void *owner)
{
    struct reading *reading = owner;
    (void)detail;
    switch (type) {
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        if (reading->list_depth++ == 0) /* prose before it ends here */
            docs_blocks_end(reading->blocks, DOCS_TEXT, 0);
        break;
    case MD_BLOCK_LI:
        begin_item(reading);
        break;
    case MD_BLOCK_CODE:
        docs_blocks_line(reading->blocks);
        reading->in_code = true;
        break;
    case MD_BLOCK_HTML:
        reading->in_html = true;
        break;
    case MD_BLOCK_TR:
        docs_blocks_line(reading->blocks);
        reading->cell = 0;
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        if (reading->cell++ > 0)
            docs_blocks_push_raw(reading->blocks, STR(" | "));
        break;
    default:
        break;
    }
    return 0;
}

static void leave_html(struct reading *reading)
{
    struct buf *raw = &reading->html->text;
    reading->in_html = false;
    if (docs_html_read(reading->blocks, buf_str(raw), NULL))
        docs_blocks_end(reading->blocks, in_list(reading) ? DOCS_LINES : DOCS_TEXT, 0);
    buf_clear(raw);
}

static int on_leave_block(MD_BLOCKTYPE type, void *detail, void *owner)
{
    struct reading *reading = owner;
    switch (type) {
    case MD_BLOCK_H:
        docs_blocks_end(reading->blocks, DOCS_HEADING, ((MD_BLOCK_H_DETAIL *)detail)->level);
        break;
    case MD_BLOCK_P:
        if (in_list(reading))
            docs_blocks_push(reading->blocks, STR(" "));
        else
            docs_blocks_end(reading->blocks, DOCS_TEXT, 0);
        break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        if (--reading->list_depth == 0)
            docs_blocks_end(reading->blocks, DOCS_LINES, 0);
        break;
    case MD_BLOCK_CODE:
        reading->in_code = false;
        if (!in_list(reading))
            docs_blocks_end(reading->blocks, DOCS_LINES, 0);
        break;
    case MD_BLOCK_HTML:
        leave_html(reading);
        break;
    case MD_BLOCK_THEAD:
        docs_blocks_line(reading->blocks);
        docs_blocks_repeat(reading->blocks);
        break;
    case MD_BLOCK_TABLE:
        docs_blocks_end(reading->blocks, DOCS_LINES, 0);
        break;
    default:
        break;
    }
    return 0;
}

static int on_span(MD_SPANTYPE type, void *detail, void *owner)
{
    (void)type, (void)detail, (void)owner; /* emphasis and links leave their words */
    return 0;
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *owner)
{
    struct reading *reading = owner;
    struct str s = str_make(text, size);
    if (reading->in_html)
        docs_blocks_push_raw(reading->html, s);
    else if (reading->in_code)
        docs_blocks_push_raw(reading->blocks, s);
    else if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR || type == MD_TEXT_HTML)
        docs_blocks_push(reading->blocks, STR(" ")); /* tags in a line part words */
    else if (type == MD_TEXT_ENTITY)
        docs_html_push_entity(reading->blocks, s);
    else if (type == MD_TEXT_NULLCHAR)
        docs_blocks_push_raw(reading->blocks, STR("\xEF\xBF\xBD"));
    else
        docs_blocks_push(reading->blocks, s);
    return 0;
}

bool docs_markdown_read(struct docs_blocks *blocks, struct str text)
{
    static const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS,
        .enter_block = on_enter_block,
        .leave_block = on_leave_block,
        .enter_span = on_span,
        .leave_span = on_span,
        .text = on_text,
    };
    struct docs_blocks html;
    const char *terminated =
        arena_cstr(blocks->arena, text); /* md4c looks for its end with strcspn */
    if (terminated == NULL)
        return false;
    docs_blocks_init(&html, blocks->arena);
    struct reading reading = {.blocks = blocks, .html = &html};
    int result = md_parse(terminated, (MD_SIZE)text.len, &parser, &reading);
    bool is_fine = result == 0 && buf_ok(&html.text);
    docs_blocks_fini(&html);
    return is_fine;
}

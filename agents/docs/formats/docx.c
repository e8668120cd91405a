/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/docx.c - word/document.xml, with the levels that word/styles.xml gives its
 * styles (ECMA-376, part 1, section 17).
 *
 * Happy path: styles first, then paragraph by paragraph: a style with an outline level is a
 * heading, a numbered one an item, one within a table a cell's text. Failure: no archive, no
 * document in it, broken XML. */
#include "agents/docs/formats/docx.h"

#include "agents/docs/formats/archive.h"
#include "agents/docs/formats/markup.h"
#include "agents/docs/formats/xml_walk.h"
#include "core/base/arena.h"
#include "core/base/mem.h"

enum { MOST_STYLES = 1024, LEVELS = 6, PART_BYTES = 64 << 20, ARENA_BYTES = 4 << 20 };
enum { TITLE_LEVEL = -1, NO_LEVEL = 0 };

struct style {
    struct str id;
    int level; /* 1..LEVELS, TITLE_LEVEL or NO_LEVEL */
    bool is_list;
};

struct reading {
    struct style styles[MOST_STYLES];
    size_t style_count;
    struct arena arena;
    struct buf paragraph;
    struct buf *out;
    unsigned tables;
    size_t rows; /* of the table, begun */
    int level;
    bool in_text, in_paragraph, is_item, in_list, has_title;
};

static int value_of(struct str digit)
{
    return digit.len == 1 && str_is_digit(digit.at[0]) ? digit.at[0] - '0' : -1;
}

/* An outline level as it is written counts from 0; 9 is body text. */
static int level_of(struct str written)
{
    int value = value_of(written);
    return value < 0 || value >= 9 ? NO_LEVEL : value < LEVELS ? value + 1 : LEVELS;
}

/* ---- styles ---- */

static void on_style(void *owner, struct xml_walk *walk, struct str name)
{
    struct reading *reading = owner;
    if (str_equal(name, STR("style")) && reading->style_count < MOST_STYLES) {
        struct str id = xml_walk_attribute(walk, "styleId");
        struct str kept = arena_str(&reading->arena, str_is_absent(id) ? STR("") : id);
        if (!str_is_absent(kept))
            reading->styles[reading->style_count++] = (struct style){kept, NO_LEVEL, false};
        return;
    }
    if (reading->style_count == 0)
        return;
    struct style *style = &reading->styles[reading->style_count - 1];
    if (str_equal(name, STR("numPr")))
        style->is_list = true;
    else if (str_equal(name, STR("outlineLvl")))
        style->level = level_of(xml_walk_attribute(walk, "val"));
    else if (str_equal(name, STR("name")) &&
             str_equal_nocase(xml_walk_attribute(walk, "val"), STR("title")))
        style->level = TITLE_LEVEL;
}

static void take_style(struct reading *reading, struct str id)
{
    for (size_t i = 0; i < reading->style_count; i++) {
        if (!str_equal(reading->styles[i].id, id))
            continue;
        reading->level = reading->styles[i].level;
        reading->is_item |= reading->styles[i].is_list;
        return;
    }
}

/* ---- the document ---- */

static void end_list(struct reading *reading)
{
    if (reading->in_list)
        buf_push(reading->out, STR("</ul>\n"));
    reading->in_list = false;
}

static void write_item(struct reading *reading, struct str text)
{
    if (!reading->in_list)
        buf_push(reading->out, STR("<ul>\n"));
    reading->in_list = true;
    markup_element(reading->out, "li", text);
}

static void end_paragraph(struct reading *reading)
{
    static const char *const headings[] = {"h1", "h2", "h3", "h4", "h5", "h6"};
    struct str text = str_trim(buf_str(&reading->paragraph));
    reading->in_paragraph = false;
    if (text.len == 0)
        return;
    if (reading->tables > 0) {
        markup_text(reading->out, text);
        buf_push(reading->out, STR(" "));
    } else if (reading->is_item && reading->level == NO_LEVEL) {
        write_item(reading, text);
    } else {
        end_list(reading);
        if (reading->level == TITLE_LEVEL && !reading->has_title)
            markup_element(reading->out, "title", text);
        reading->has_title |= reading->level == TITLE_LEVEL;
        markup_element(reading->out,
                       reading->level == NO_LEVEL      ? "p"
                       : reading->level == TITLE_LEVEL ? headings[0]
                                                       : headings[reading->level - 1],
                       text);
    }
}

static void begin_paragraph(struct reading *reading)
{
    buf_clear(&reading->paragraph);
    reading->level = NO_LEVEL;
    reading->is_item = false;
    reading->in_paragraph = true;
}

/* The first row of a table is its header. */
static void write_table_tag(struct reading *reading, struct str name, bool begins)
{
    const char *slash = begins ? "" : "/";
    if (str_equal(name, STR("tr"))) {
        reading->rows += begins;
        buf_printf(reading->out, "<%str>%s", slash, begins ? "" : "\n");
    } else if (str_equal(name, STR("tc"))) {
        buf_printf(reading->out, "<%s%s>", slash, reading->rows == 1 ? "th" : "td");
    }
}

static void on_begin(void *owner, struct xml_walk *walk, struct str name)
{
    struct reading *reading = owner;
    if (str_equal(name, STR("tbl"))) {
        end_list(reading);
        if (reading->tables++ == 0) {
            buf_push(reading->out, STR("<table>\n"));
            reading->rows = 0;
        }
    } else if (str_equal(name, STR("p"))) {
        begin_paragraph(reading);
    } else if (str_equal(name, STR("pStyle"))) {
        take_style(reading, xml_walk_attribute(walk, "val"));
    } else if (str_equal(name, STR("outlineLvl")) && reading->in_paragraph) {
        reading->level = level_of(xml_walk_attribute(walk, "val"));
    } else if (str_equal(name, STR("numPr"))) {
        reading->is_item = true;
    } else if (str_equal(name, STR("t"))) {
        reading->in_text = true;
    } else if (str_equal(name, STR("tab")) || str_equal(name, STR("br")) ||
               str_equal(name, STR("cr"))) {
        buf_push_char(&reading->paragraph, ' ');
    } else if (reading->tables == 1) {
        write_table_tag(reading, name, true);
    }
}

static void on_end(void *owner, struct str name)
{
    struct reading *reading = owner;
    if (str_equal(name, STR("t")))
        reading->in_text = false;
    else if (str_equal(name, STR("p")))
        end_paragraph(reading);
    else if (str_equal(name, STR("tbl")) && reading->tables > 0 && --reading->tables == 0)
        buf_push(reading->out, STR("</table>\n"));
    else if (reading->tables == 1)
        write_table_tag(reading, name, false);
}

static void on_text(void *owner, struct str text)
{
    struct reading *reading = owner;
    if (reading->in_text)
        buf_push(&reading->paragraph, text);
}

static enum err_code read_parts(struct reading *reading, struct archive *archive, struct buf *part,
                                struct err *err)
{
    const struct xml_walk_hooks styles = {.on_begin = on_style, .owner = reading};
    const struct xml_walk_hooks text = {on_begin, on_end, on_text, reading};
    enum err_code code = archive_read(archive, "word/styles.xml", part, err);
    if (code == ERR_OK)
        code = xml_walk_run(buf_str(part), &styles, err);
    if (code != ERR_OK && code != ERR_NOT_FOUND) /* a document may do without styles */
        return code;
    code = archive_read(archive, "word/document.xml", part, err);
    if (code == ERR_NOT_FOUND)
        return err_set(err, ERR_INVALID, "it is an archive, but no document of Word");
    if (code == ERR_OK)
        code = xml_walk_run(buf_str(part), &text, err);
    end_list(reading);
    return code;
}

enum err_code docx_write_html(struct str bytes, struct buf *out, struct err *err)
{
    struct buf part;
    struct archive *archive = archive_open(bytes, err);
    struct reading *reading = archive == NULL ? NULL : mem_zalloc(1, sizeof *reading);
    if (archive == NULL)
        return err->code;
    enum err_code code = ERR_NO_MEMORY;
    if (reading == NULL) {
        err_set(err, code, "no memory to read the document");
    } else {
        reading->out = out;
        arena_init(&reading->arena, ARENA_BYTES);
        buf_init(&reading->paragraph, PART_BYTES);
        buf_init(&part, PART_BYTES);
        code = read_parts(reading, archive, &part, err);
        buf_fini(&part);
        buf_fini(&reading->paragraph);
        arena_fini(&reading->arena);
        mem_free(reading);
    }
    archive_close(archive);
    return code;
}

/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/markup.c - runs of plain bytes, and what stands for the others. Failure: a
 * full buf. */
#include "agents/docs/formats/markup.h"

static const char *escape_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    default:
        return (unsigned char)c < ' ' || c == 0x7F ? " " : NULL;
    }
}

static void push_escaped(struct buf *out, struct str text)
{
    size_t plain = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char *escape = escape_of(text.at[i]);
        if (escape == NULL)
            continue;
        buf_push(out, str_slice(text, plain, i));
        buf_push(out, str_of(escape));
        plain = i + 1;
    }
    buf_push(out, str_from(text, plain));
}

/* The bytes of the first character that is well formed; 0: it is not. */
static size_t first_character(struct str text)
{
    for (size_t len = 1; len <= 4 && len <= text.len; len++)
        if (str_is_utf8(str_slice(text, 0, len)))
            return len;
    return 0;
}

void markup_text(struct buf *out, struct str text)
{
    if (str_is_utf8(text)) {
        push_escaped(out, text);
        return;
    }
    while (text.len > 0) {
        size_t len = first_character(text);
        if (len == 0)
            buf_push(out, STR("\xEF\xBF\xBD"));
        else
            push_escaped(out, str_slice(text, 0, len));
        text = str_from(text, len == 0 ? 1 : len);
    }
}

void markup_element(struct buf *out, const char *tag, struct str text)
{
    text = str_trim(text);
    if (text.len == 0)
        return;
    buf_printf(out, "<%s>", tag);
    markup_text(out, text);
    buf_printf(out, "</%s>\n", tag);
}

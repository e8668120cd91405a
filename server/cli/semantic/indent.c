/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/indent.c - one walk over the bytes. Happy path only; a full buf is the
 * caller's to notice. */
#include "server/cli/semantic/indent.h"

static void push_line(struct buf *out, unsigned depth)
{
    buf_push_char(out, '\n');
    for (unsigned i = 0; i < depth; i++)
        buf_push(out, STR("  "));
}

/* Where the string that begins at i ends, behind its quote. */
static size_t end_of_string(struct str json, size_t i)
{
    for (i++; i < json.len && json.at[i] != '"'; i++)
        i += json.at[i] == '\\';
    return size_min(i + 1, json.len);
}

static bool opens(char c)
{
    return c == '{' || c == '[';
}

static bool closes(char c)
{
    return c == '}' || c == ']';
}

void semantic_indent(struct str json, struct buf *out)
{
    unsigned depth = 0, lists = 0;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.at[i];
        if (c == '"') {
            size_t end = end_of_string(json, i);
            buf_push(out, str_slice(json, i, end));
            i = end - 1;
            continue;
        }
        bool empty = i + 1 < json.len && closes(json.at[i + 1]);
        lists += c == '[';
        depth -= closes(c);
        if (closes(c) && lists == 0 && !opens(json.at[i - 1]))
            push_line(out, depth);
        lists -= c == ']';
        buf_push_char(out, c);
        depth += opens(c);
        if (c == ':')
            buf_push_char(out, ' ');
        if (lists == 0 && (c == ',' || (opens(c) && !empty)))
            push_line(out, depth);
        else if (c == ',')
            buf_push_char(out, ' ');
    }
    buf_push_char(out, '\n');
}

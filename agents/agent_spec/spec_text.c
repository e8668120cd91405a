/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_text.c - places of texts, read and written in both forms. */
#include "agents/agent_spec/spec_text.h"

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The place "{{ name }}" that text begins with: *len bytes of it. Absent: it begins with none. */
static struct str spec_place(struct str text, size_t *len)
{
    size_t at = 2, from, to;
    if (text.len < 5 || text.at[0] != '{' || text.at[1] != '{')
        return str_make(NULL, 0);
    while (at < text.len && text.at[at] == ' ')
        at++;
    for (from = at; at < text.len && is_name_byte(text.at[at]);)
        at++;
    for (to = at; at < text.len && text.at[at] == ' ';)
        at++;
    if (to == from || at + 2 > text.len || text.at[at] != '}' || text.at[at + 1] != '}')
        return str_make(NULL, 0);
    *len = at + 2;
    return str_make(text.at + from, to - from);
}

static struct str rest(struct str text, size_t at)
{
    return str_make(text.at + at, text.len - at);
}

struct str spec_text_place(struct str text, size_t *at)
{
    while (*at < text.len) {
        size_t len = 1;
        struct str name = spec_place(rest(text, *at), &len);
        *at += len;
        if (!str_is_absent(name))
            return name;
    }
    return str_make(NULL, 0);
}

bool spec_text_from_spec(struct str text, spec_text_fn *rename, void *owner, struct buf *out)
{
    for (size_t at = 0; at < text.len;) {
        size_t len = 1;
        struct str name = spec_place(rest(text, at), &len);
        char c = text.at[at];
        if (!str_is_absent(name)) {
            name = rename(owner, name);
            if (str_is_absent(name))
                return false;
            buf_printf(out, "{%.*s}", STR_ARG(name));
        } else if (c == '{' || c == '}') {
            buf_printf(out, "%c%c", c, c);
        } else {
            buf_push_char(out, c);
        }
        at += len;
    }
    return buf_ok(out);
}

bool spec_text_to_spec(struct str text, spec_text_fn *rename, void *owner, struct buf *out)
{
    bool was_brace = false;
    for (size_t at = 0; at < text.len; at++) {
        char c = text.at[at];
        bool is_brace = c == '{' || c == '}';
        bool is_double = is_brace && at + 1 < text.len && text.at[at + 1] == c;
        if (c == '{' && !is_double) {
            size_t from = ++at;
            while (at < text.len && text.at[at] != '}')
                at++;
            struct str name = rename(owner, str_make(text.at + from, at - from));
            if (str_is_absent(name) || was_brace)
                return false;
            buf_printf(out, "{{%.*s}}", STR_ARG(name));
            was_brace = false;
            continue;
        }
        if (is_brace && was_brace)
            return false;
        was_brace = is_brace;
        buf_push_char(out, c);
        at += is_double;
    }
    return buf_ok(out);
}

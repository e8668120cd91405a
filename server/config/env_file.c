/* SPDX-License-Identifier: MIT */
/* server/config/env_file.c - one line at a time, one value at a time.
 *
 * Happy path: blank lines and comments are skipped; the name is checked; the value is plain,
 * single-quoted or double-quoted; what follows a closing quote must be a comment.
 * Failure: a line without '=', a bad name, an open quote, text after a quote: reported with its
 * number and skipped; an unreadable file: its reason. */
#include "server/config/env_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool is_name(struct str name)
{
    if (name.len == 0 || str_is_digit(name.at[0]))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!str_is_alpha(name.at[i]) && !str_is_digit(name.at[i]) && name.at[i] != '_')
            return false;
    return true;
}

/* Up to a comment: '#' at the start or after a blank. */
static struct str cut_comment(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == '#' && (i == 0 || str_is_blank(text.at[i - 1])))
            return str_trim(str_slice(text, 0, i));
    return str_trim(text);
}

static char unescape(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/* text begins with a quote. NULL, or what is wrong. */
static const char *read_quoted(struct str text, struct arena *arena, struct str *value)
{
    char quote = text.at[0];
    char *copy = arena_alloc(arena, text.len);
    size_t len = 0, i = 1;
    if (copy == NULL)
        return "no memory";
    for (; i < text.len && text.at[i] != quote; i++) {
        char c = text.at[i];
        if (quote == '"' && c == '\\' && i + 1 < text.len)
            c = unescape(text.at[++i]);
        copy[len++] = c;
    }
    if (i == text.len)
        return "the quote is not closed on this line";
    if (cut_comment(str_from(text, i + 1)).len != 0)
        return "there is text after the closing quote";
    *value = str_make(copy, len);
    return NULL;
}

static const char *read_line(struct str line, struct arena *arena, struct env_file_item *item)
{
    if (str_starts_with(line, STR("export ")))
        line = str_trim(str_from(line, 7));
    ptrdiff_t equals = str_find_char(line, '=');
    if (equals == STR_NONE)
        return "expected NAME=value";
    item->name = str_trim(str_slice(line, 0, (size_t)equals));
    if (!is_name(item->name))
        return "the name may have letters, digits and '_' only";
    struct str value = str_trim(str_from(line, (size_t)equals + 1));
    if (value.len > 0 && (value.at[0] == '"' || value.at[0] == '\''))
        return read_quoted(value, arena, &item->value);
    /* a comment right after '=' needs its blank: NAME= # nothing */
    item->value = cut_comment(str_from(line, (size_t)equals + 1));
    return NULL;
}

enum err_code env_file_parse(struct str text, const char *source, struct arena *arena,
                             struct env_file_item **items, struct buf *problems)
{
    enum err_code code = ERR_OK;
    unsigned number = 0;
    if (str_starts_with(text, STR("\xEF\xBB\xBF")))
        text = str_from(text, 3);
    while (!str_is_absent(text)) {
        struct str line = str_trim(str_split(&text, '\n'));
        number++;
        if (line.len == 0 || line.at[0] == '#')
            continue;
        struct env_file_item *item = arena_alloc(arena, sizeof *item);
        if (item == NULL)
            return ERR_NO_MEMORY;
        const char *problem = read_line(line, arena, item);
        if (problem != NULL) {
            buf_printf(problems, "%s line %u: %s\n", source, number, problem);
            code = ERR_INVALID;
            continue;
        }
        item->next = *items;
        *items = item;
    }
    return arena_ok(arena) ? code : ERR_NO_MEMORY;
}

struct str env_file_find(const struct env_file_item *items, struct str name)
{
    for (; items != NULL; items = items->next)
        if (str_equal(items->name, name))
            return items->value;
    return (struct str){NULL, 0};
}

enum err_code env_file_read(const char *path, size_t max, struct arena *arena, struct str *text,
                            struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_INVALID, "%s: %s", path,
                       strerror(errno));
    char *bytes = arena_alloc(arena, max + 1);
    size_t len = 0;
    ssize_t got = bytes == NULL ? -1 : 1;
    while (got > 0 && len <= max) {
        got = read(fd, bytes + len, max + 1 - len);
        len += got > 0 ? (size_t)got : 0;
    }
    int why = errno;
    close(fd);
    if (bytes == NULL)
        return err_set(err, ERR_NO_MEMORY, "%s: no memory", path);
    if (got < 0)
        return err_set(err, ERR_INVALID, "%s: %s", path, strerror(why));
    if (len > max)
        return err_set(err, ERR_TOO_LARGE, "%s: more than %zu bytes", path, max);
    *text = str_make(bytes, len);
    return ERR_OK;
}

/* SPDX-License-Identifier: MIT */
/* server/cli/shell/shell_line.c - libedit on a terminal, fgets elsewhere.
 *
 * While a line is edited, Ctrl-C is a key like others: it drops the line. At other times it is a
 * signal. Failure: a history file that cannot be read or written is no history; a line that
 * is too long is told of and passed over. */
#include "server/cli/shell/shell_line.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/mem.h"

enum { REMEMBERED = 1000, LINE_BYTES = 64 * 1024, PROMPT_BYTES = 64, CTRL_C = 3 };

struct shell_line {
    char prompt[PROMPT_BYTES]; /* libedit's type is not const */
    const char *history_path;
    EditLine *edit; /* NULL: nobody types */
    History *history;
    bool interrupted;
    char text[LINE_BYTES]; /* of fgets */
};

static char *prompt_of(EditLine *edit)
{
    struct shell_line *line = NULL;
    el_get(edit, EL_CLIENTDATA, &line);
    return line->prompt;
}

/* Read one character, of whatever bytes the locale has it in; Ctrl-C ends the line. Returns 1; 0 at
 * the end, -1 when reading broke. */
static int read_character(EditLine *edit, wchar_t *character)
{
    struct shell_line *line = NULL;
    mbstate_t state = {0};
    char byte;
    el_get(edit, EL_CLIENTDATA, &line);
    for (;;) {
        ssize_t count = read(STDIN_FILENO, &byte, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return (int)count;
        if (byte == CTRL_C) {
            line->interrupted = true;
            return 0;
        }
        size_t used = mbrtowc(character, &byte, 1, &state);
        if (used <= 1)
            return 1;
        if (used == (size_t)-1) /* bytes of no character are passed over */
            state = (mbstate_t){0};
    }
}

static bool open_edit(struct shell_line *line)
{
    HistEvent event;
    setlocale(LC_CTYPE, ""); /* which bytes are one character */
    line->edit = el_init("askd", stdin, stdout, stderr);
    line->history = history_init();
    if (line->edit == NULL || line->history == NULL)
        return false;
    history(line->history, &event, H_SETSIZE, REMEMBERED);
    history(line->history, &event, H_SETUNIQUE, 1);
    if (line->history_path != NULL)
        history(line->history, &event, H_LOAD, line->history_path);
    el_set(line->edit, EL_CLIENTDATA, line);
    el_set(line->edit, EL_PROMPT, prompt_of);
    el_set(line->edit, EL_EDITOR, "emacs");
    el_set(line->edit, EL_HIST, history, line->history);
    el_set(line->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(line->edit, EL_GETCFN, read_character);
    el_set(line->edit, EL_SETTY, "-d", "-isig", NULL);
    return true;
}

struct shell_line *shell_line_open(const char *prompt, const char *history_path)
{
    struct shell_line *line = mem_zalloc(1, sizeof *line);
    if (line == NULL)
        return NULL;
    (void)snprintf(line->prompt, sizeof line->prompt, "%s", prompt);
    line->history_path = history_path;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || open_edit(line))
        return line;
    shell_line_close(line);
    return NULL;
}

void shell_line_close(struct shell_line *line)
{
    if (line == NULL)
        return;
    if (line->edit != NULL)
        el_end(line->edit);
    if (line->history != NULL)
        history_end(line->history);
    mem_free(line);
}

bool shell_line_is_typed(const struct shell_line *line)
{
    return line->edit != NULL;
}

static void remember(struct shell_line *line, const char *typed)
{
    HistEvent event;
    history(line->history, &event, H_ENTER, typed);
    if (line->history_path != NULL)
        history(line->history, &event, H_SAVE, line->history_path);
}

static enum shell_line_end read_typed(struct shell_line *line, struct str *text)
{
    int count = 0;
    line->interrupted = false;
    const char *typed = el_gets(line->edit, &count);
    if (typed == NULL || count <= 0) {
        el_reset(line->edit);
        fputs("\n", stdout);
        fflush(stdout);
        return line->interrupted ? SHELL_LINE_INTERRUPTED : SHELL_LINE_OVER;
    }
    *text = str_trim(str_make(typed, (size_t)count));
    if (text->len > 0)
        remember(line, typed);
    return SHELL_LINE_READ;
}

/* Read on to the end of a line that does not fit. */
static void skip_line(void)
{
    int byte;
    do
        byte = getchar();
    while (byte != EOF && byte != '\n');
    fprintf(stderr, "askd: a line over %d bytes was passed over\n", LINE_BYTES - 1);
}

enum shell_line_end shell_line_read(struct shell_line *line, struct str *text)
{
    if (line->edit != NULL)
        return read_typed(line, text);
    if (fgets(line->text, LINE_BYTES, stdin) == NULL)
        return SHELL_LINE_OVER;
    *text = str_of(line->text);
    if (text->len == LINE_BYTES - 1 && text->at[text->len - 1] != '\n') {
        skip_line();
        *text = STR("");
    }
    *text = str_trim(*text);
    return SHELL_LINE_READ;
}

/* SPDX-License-Identifier: MIT */
/* server/cli/manual/manual_help.c - the table as text for a terminal. */
#include "server/cli/manual/manual.h"

#include "server/config/setting.h"

enum { LINE_COLUMNS = 88, FORM_INDENT = 6, FLAG_INDENT = 28, SUMMARY_COLUMN = 12 };

static void pad(struct buf *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_push_char(out, ' ');
}

/* Append the words of text, from column on, in lines that begin at indent. */
static void wrap(struct str text, size_t column, size_t indent, struct buf *out)
{
    if (column > 0 && column + 1 > indent) {
        buf_push_char(out, '\n');
        column = 0;
    }
    pad(out, indent - column);
    column = indent;
    while (!str_is_absent(text)) {
        struct str word = str_split(&text, ' ');
        if (column > indent && column + 1 + word.len > LINE_COLUMNS) {
            buf_push_char(out, '\n');
            pad(out, indent);
            column = indent;
        } else if (column > indent) {
            buf_push_char(out, ' ');
            column++;
        }
        buf_push(out, word);
        column += word.len;
    }
    buf_push_char(out, '\n');
}

static void write_flag(const struct manual_flag *flag, struct buf *out)
{
    size_t before = buf_len(out);
    buf_printf(out, "  %s%s%s", flag->name, flag->value == NULL ? "" : " ",
               flag->value == NULL ? "" : flag->value);
    wrap(str_of(flag->text), buf_len(out) - before, FLAG_INDENT, out);
}

static void write_settings(struct buf *out)
{
    struct setting setting;
    buf_push(out,
             STR("\nflags (each sets a variable; the environment and .env set them, too):\n\n"));
    for (size_t i = 0; setting_at(i, &setting); i++) {
        if (setting.flag == NULL)
            continue;
        size_t before = buf_len(out);
        buf_printf(out, "  %s %s", setting.flag, setting.is_count ? "N" : "VALUE");
        size_t column = buf_len(out) - before;
        struct buf text;
        buf_init(&text, 4096);
        buf_printf(&text, "%s (%s, default %s)", setting.help, setting.name,
                   setting.initial[0] == '\0' ? "none" : setting.initial);
        wrap(buf_str(&text), column, FLAG_INDENT, out);
        buf_fini(&text);
    }
    for (size_t i = 0; i < MANUAL_SETTING_FLAGS; i++)
        write_flag(&manual_setting_flags[i], out);
}

void manual_write_overview(struct buf *out)
{
    buf_push(out, STR("askd answers questions about data: it runs agent graphs and streams what "
                      "they do.\n\nusage: askd [COMMAND]\n\n"));
    for (size_t i = 0; i < MANUAL_COUNT; i++) {
        size_t before = buf_len(out);
        buf_printf(out, "  %s", manual_table[i].name);
        pad(out, before + 2 + SUMMARY_COLUMN - buf_len(out));
        buf_printf(out, "%s", manual_table[i].summary);
        if (manual_has_verbs((enum manual_command)i))
            buf_push(out, STR(": "));
        manual_push_verbs((enum manual_command)i, ", ", out);
        buf_push_char(out, '\n');
    }
    buf_push(out, STR("\naskd COMMAND --help says more of each.\n"));
    write_settings(out);
    buf_push(out, STR("\nTry: askd serve --model offline --db sqlite:data/sample/sample.db\n"));
}

void manual_write_help(enum manual_command command, struct buf *out)
{
    const struct manual_entry *entry = &manual_table[command];
    buf_printf(out, "usage: askd %s: %s\n\n", entry->name, entry->summary);
    for (size_t i = 0; i < manual_form_count(command); i++) {
        const struct manual_form *form = &entry->forms[i];
        buf_printf(out, "  askd %s%s%s%s%s\n", entry->name, form->verb[0] == '\0' ? "" : " ",
                   form->verb, form->arguments[0] == '\0' ? "" : " ", form->arguments);
        wrap(str_of(form->text), 0, FORM_INDENT, out);
    }
    if (manual_flag_count(command) > 0)
        buf_push_char(out, '\n');
    for (size_t i = 0; i < manual_flag_count(command); i++)
        write_flag(&entry->flags[i], out);
    if (entry->notes[0] != '\0')
        buf_printf(out, "\n%s", entry->notes);
    if (entry->takes_settings)
        write_settings(out);
    struct buf exits;
    buf_push_char(out, '\n');
    buf_init(&exits, 4096);
    buf_printf(&exits, "Exit code: %s", entry->exits);
    wrap(buf_str(&exits), 0, 0, out);
    buf_fini(&exits);
}

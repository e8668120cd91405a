/* SPDX-License-Identifier: MIT */
/* server/cli/manual/manual_page.c - the table as a man page: askd(1). */
#include "server/cli/manual/manual.h"

#include "server/config/setting.h"

/* Append text with what roff would take for its own escaped. */
static void push_text(struct str text, struct buf *out)
{
    bool is_start = true;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (is_start && (c == '.' || c == '\''))
            buf_push(out, STR("\\&"));
        if (c == '\\')
            buf_push(out, STR("\\e"));
        else if (c == '-')
            buf_push(out, STR("\\-"));
        else if (c == '\'')
            buf_push(out, STR("\\(aq"));
        else if (c == '^')
            buf_push(out, STR("\\(ha"));
        else if (c == '~')
            buf_push(out, STR("\\(ti"));
        else if (c == '`')
            buf_push(out, STR("\\(ga"));
        else
            buf_push_char(out, c);
        is_start = c == '\n';
    }
}

static void push_line(const char *text, struct buf *out)
{
    push_text(str_of(text), out);
    buf_push_char(out, '\n');
}

/* A term in bold, what goes with it, and the paragraph below. */
static void push_item(const char *term, const char *more, struct str text, struct buf *out)
{
    buf_push(out, STR(".TP\n\\fB"));
    push_text(str_of(term), out);
    buf_push(out, STR("\\fR"));
    if (more[0] != '\0') {
        buf_push(out, STR(" \\fI"));
        push_text(str_of(more), out);
        buf_push(out, STR("\\fR"));
    }
    buf_push_char(out, '\n');
    push_text(text, out);
    buf_push_char(out, '\n');
}

static void push_flag(const struct manual_flag *flag, struct buf *out)
{
    push_item(flag->name, flag->value == NULL ? "" : flag->value, str_of(flag->text), out);
}

static void push_form(const struct manual_entry *entry, const struct manual_form *form,
                      struct buf *out)
{
    struct buf term;
    buf_init(&term, 1024);
    buf_printf(&term, "askd %s%s%s", entry->name, form->verb[0] == '\0' ? "" : " ", form->verb);
    buf_push_char(&term, '\0');
    push_item(buf_str(&term).at, form->arguments, str_of(form->text), out);
    buf_fini(&term);
}

static void push_command(enum manual_command command, struct buf *out)
{
    const struct manual_entry *entry = &manual_table[command];
    buf_printf(out, ".SS %s\n", entry->name);
    push_line(entry->summary, out);
    for (size_t i = 0; i < manual_form_count(command); i++)
        push_form(entry, &entry->forms[i], out);
    for (size_t i = 0; i < manual_flag_count(command); i++)
        push_flag(&entry->flags[i], out);
    if (entry->takes_settings)
        push_item("SETTING FLAGS", "", STR("as below"), out);
    if (entry->notes[0] != '\0') {
        buf_push(out, STR(".PP\n.nf\n"));
        push_text(str_of(entry->notes), out);
        buf_push(out, STR(".fi\n"));
    }
    buf_push(out, STR(".PP\nExit code: "));
    push_line(entry->exits, out);
}

static void push_settings(bool of_flags, struct buf *out)
{
    struct setting setting;
    for (size_t i = 0; setting_at(i, &setting); i++) {
        if (of_flags && setting.flag != NULL)
            push_item(setting.flag, setting.is_count ? "N" : "VALUE", str_of(setting.name), out);
        else if (!of_flags)
            push_item(setting.name, setting.initial, str_of(setting.help), out);
    }
}

void manual_write_page(struct buf *out)
{
    buf_push(out, STR(".TH ASKD 1 \"\" \"askd " ASKD_VERSION "\" \"User Commands\"\n"
                      ".ad l\n.SH NAME\naskd \\- ask a database and documents in plain words\n"
                      ".SH SYNOPSIS\n.B askd\n.RI [ COMMAND ]\n.RI [ flags ]\n"
                      ".SH DESCRIPTION\n"));
    push_line("askd answers questions about data: it runs agent graphs and streams what they do. "
              "Alone in a terminal it opens a session (askd shell).",
              out);
    buf_push(out, STR(".SH COMMANDS\n"));
    for (size_t i = 0; i < MANUAL_COUNT; i++)
        push_command((enum manual_command)i, out);
    buf_push(out, STR(".SH SETTING FLAGS\n"));
    push_line("Each sets a variable, over the environment and .env.", out);
    push_settings(true, out);
    for (size_t i = 0; i < MANUAL_SETTING_FLAGS; i++)
        push_flag(&manual_setting_flags[i], out);
    buf_push(out, STR(".SH ENVIRONMENT\n"));
    push_line("The settings, with their defaults; NAME_FILE may name a file that holds a secret.",
              out);
    push_settings(false, out);
    buf_push(out, STR(".SH FILES\n"));
    push_item(".env", "", STR("settings, NAME=value a line, in the folder where askd is started"),
              out);
    push_item("$XDG_STATE_HOME/askd/history", "", STR("lines of sessions in a terminal"), out);
    push_item("/etc/askd/askd.env", "", STR("settings of the service"), out);
    push_item("/var/lib/askd", "", STR("what the service keeps"), out);
}

/* SPDX-License-Identifier: MIT */
/* server/cli/manual/manual.h - what the commands of the terminal are: one table, from which --help,
 * the man page and the completions of shells are written.
 *
 * Static data; any thread. */
#ifndef SERVER_CLI_MANUAL_MANUAL_H
#define SERVER_CLI_MANUAL_MANUAL_H

#include "core/base/buf.h"

enum manual_command {
    MANUAL_SHELL,
    MANUAL_SERVE,
    MANUAL_ASK,
    MANUAL_EVAL,
    MANUAL_CHECK,
    MANUAL_HEALTH,
    MANUAL_CONFIG,
    MANUAL_GRAPH,
    MANUAL_SQL,
    MANUAL_DOCS,
    MANUAL_JOINS,
    MANUAL_SEMANTIC,
    MANUAL_COMPLETION,
    MANUAL_MAN,
    MANUAL_VERSION,
    MANUAL_HELP,
    MANUAL_COUNT
};

struct manual_form {
    const char *verb; /* the word after the command; "": none */
    const char *arguments, *text;
};

struct manual_flag {
    const char *name;
    const char *value; /* "FILE", "N"; "a|b|c": one of these; NULL: it takes none */
    const char *text;
};

enum { MANUAL_FORMS = 8, MANUAL_FLAGS = 12 }; /* at most, of one command */

struct manual_entry {
    const char *name, *summary;
    struct manual_form forms[MANUAL_FORMS]; /* until one without a verb */
    struct manual_flag flags[MANUAL_FLAGS]; /* until one without a name */
    bool takes_settings; /* the flags that set variables of the configuration, too */
    const char *notes;   /* paragraphs, each line as it stands; "": none */
    const char *exits;   /* "0 it ran; 2 usage" */
};

extern const struct manual_entry manual_table[MANUAL_COUNT];

enum { MANUAL_SETTING_FLAGS = 2 };
/* The flags for any setting, behind those of single ones. */
extern const struct manual_flag manual_setting_flags[MANUAL_SETTING_FLAGS];

/* The command of this name; MANUAL_COUNT: there is none. */
enum manual_command manual_find(const char *name);
size_t manual_form_count(enum manual_command command);
size_t manual_flag_count(enum manual_command command);
/* Whether the command expects one of its verbs. */
bool manual_has_verbs(enum manual_command command);
/* Append the different verbs of a command, between between each two; nothing where it has none. */
void manual_push_verbs(enum manual_command command, const char *between, struct buf *out);

/* Append all commands, and the flags that set variables. */
void manual_write_overview(struct buf *out);
/* Append the --help of one command. */
void manual_write_help(enum manual_command command, struct buf *out);
/* Append the man page, in roff. */
void manual_write_page(struct buf *out);
/* Append the completion of "bash", "zsh" or "fish". False: it is another word. */
MUST_USE bool manual_write_completion(const char *shell, struct buf *out);

#endif

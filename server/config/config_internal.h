/* SPDX-License-Identifier: MIT */
/* server/config/config_internal.h - the one list of settings: name, type, default, range, help.
 *
 * For config.c, config_write.c, config_names.c and setting.c only. Static data; any thread. */
#ifndef SERVER_CONFIG_CONFIG_INTERNAL_H
#define SERVER_CONFIG_CONFIG_INTERNAL_H

#include "core/base/buf.h"
#include "core/base/str.h"
#include "server/config/config.h"

enum config_type {
    CONFIG_TEXT,
    CONFIG_URL,     /* text that may hold a password */
    CONFIG_CHOICE,  /* one of the words in choices */
    CONFIG_COUNT,   /* an integer from min to max */
    CONFIG_BYTES,   /* an integer from min to max; 64k and 1m are understood */
    CONFIG_SECONDS, /* a decimal number of seconds, kept as milliseconds */
    CONFIG_REAL,
    CONFIG_BOOL,
};

struct config_entry {
    const char *name;
    enum config_type type;
    const char *initial; /* default, as it would be written */
    double min, max;
    const char *choices; /* CONFIG_CHOICE: words separated by blanks */
    bool secret;
    const char *alias; /* another name that is read too: "PORT" */
    const char *flag;  /* "--port"; NULL: none */
    const char *group; /* a heading, on the first entry of a group */
    const char *help;  /* whole sentences; the first begins with the unit or the thing */
    size_t offset;     /* of the field in struct config */
};

extern const struct config_entry config_table[];
extern const size_t config_table_count;

enum config_from {
    CONFIG_FROM_DEFAULT,
    CONFIG_FROM_OTHERS, /* made of other settings */
    CONFIG_FROM_FILE,
    CONFIG_FROM_ENVIRONMENT,
    CONFIG_FROM_FLAG
};

struct config_origin {
    enum config_from from;
    struct str text;    /* the value as it was written */
    struct str problem; /* what is wrong with the value; absent: nothing */
};

/* ---- config_names.c: names that are no settings ---- */

/* Whether name is a setting, or the name of the file of one ("OPENAI_API_KEY_FILE"). */
bool config_names_is_known(struct str name);
/* Whether name was a setting once. */
bool config_names_was_known(struct str name);
/* Whether some setting was perhaps meant by name, which is none. */
bool config_names_is_near(struct str name);
/* Append to *out what became of a setting that was removed, or which setting was perhaps meant:
 * half a sentence, to follow a semicolon. name must not be a setting. */
void config_names_explain(struct str name, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* server/config/config_write.c - the table as text for people: check, .env.example, flags.
 *
 * Failure: none but a full buf. */
#include "server/config/config_internal.h"

#include <math.h>
#include <string.h>

#include "server/config/database_url.h"

enum { SHOWN_BYTES = 64 * 1024, LINE_BYTES = 100 };

static const char *const places[] = {
    [CONFIG_FROM_DEFAULT] = "default", [CONFIG_FROM_OTHERS] = "DB_*",
    [CONFIG_FROM_FILE] = ".env",       [CONFIG_FROM_ENVIRONMENT] = "environment",
    [CONFIG_FROM_FLAG] = "flag",
};

static void write_value(const struct config_entry *entry, const struct config_origin *origin,
                        struct buf *out)
{
    struct buf shown;
    buf_init(&shown, SHOWN_BYTES);
    if (entry->type == CONFIG_URL ||
        (!entry->secret && str_find(origin->text, STR("://")) != STR_NONE))
        database_url_mask(&shown, origin->text);
    else
        buf_push(&shown, entry->secret && origin->text.len > 0 ? STR("********") : origin->text);
    buf_printf(out, "%-38s %-32.*s %s\n", entry->name, STR_ARG(buf_str(&shown)),
               places[origin->from]);
    buf_fini(&shown);
    if (!str_is_absent(origin->problem))
        buf_printf(out, "  ^ %.*s\n", STR_ARG(origin->problem));
}

void config_write_set(const struct config *config, struct buf *out)
{
    for (size_t i = 0; i < config_table_count; i++) {
        const struct config_origin *origin = &config->origins[i];
        if (origin->from != CONFIG_FROM_DEFAULT || !str_is_absent(origin->problem))
            write_value(&config_table[i], origin, out);
    }
}

void config_write_check(const struct config *config, struct buf *out)
{
    for (size_t i = 0; i < config_table_count; i++) {
        const struct config_entry *entry = &config_table[i];
        if (entry->group != NULL)
            buf_printf(out, "%s# %s\n", i == 0 ? "" : "\n", entry->group);
        write_value(entry, &config->origins[i], out);
    }
}

/* Append a number of bytes as a setting may be written: "64k". */
static void write_bytes(double bytes, struct buf *out)
{
    static const char units[] = {'k', 'm', 'g'};
    size_t unit = 0;
    for (; unit < countof(units) && bytes >= 1024 && fmod(bytes, 1024) == 0; unit++)
        bytes /= 1024;
    buf_printf(out, "%.15g", bytes);
    if (unit > 0)
        buf_push_char(out, units[unit - 1]);
}

static void write_range(const struct config_entry *entry, struct buf *out)
{
    switch (entry->type) {
    case CONFIG_CHOICE:
        buf_printf(out, " One of: %s.", entry->choices);
        break;
    case CONFIG_BOOL:
        buf_push(out, STR(" Either true or false."));
        break;
    case CONFIG_BYTES:
        buf_push(out, STR(" From "));
        write_bytes(entry->min, out);
        buf_push(out, STR(" to "));
        write_bytes(entry->max, out);
        buf_push(out, STR("."));
        break;
    case CONFIG_COUNT:
    case CONFIG_REAL:
    case CONFIG_SECONDS:
        buf_printf(out, " From %.15g to %.15g.", entry->min, entry->max);
        break;
    case CONFIG_TEXT:
    case CONFIG_URL:
        break;
    }
    if (entry->secret || entry->type == CONFIG_URL)
        buf_printf(out, " %s_FILE may name a file that holds it.", entry->name);
}

/* Append the words of text in lines of a comment. */
static void write_comment(struct str text, struct buf *out)
{
    size_t column = LINE_BYTES;
    while (!str_is_absent(text)) {
        struct str word = str_split(&text, ' ');
        if (column + 1 + word.len > LINE_BYTES) {
            buf_push(out, STR("\n#"));
            column = 1;
        }
        buf_printf(out, " %.*s", STR_ARG(word));
        column += 1 + word.len;
    }
}

void config_write_example(struct buf *out)
{
    buf_push(out,
             STR("# Settings of askd: first the fifteen that matter, then the others by what "
                 "one wants to do.\n"
                 "# Made by `askd config env-example`: edit server/config/config_table.c instead.\n"
                 "# A flag wins over the environment, the environment over .env, .env over "
                 "these defaults.\n"));
    for (size_t i = 0; i < config_table_count; i++) {
        const struct config_entry *entry = &config_table[i];
        struct buf text;
        buf_init(&text, SHOWN_BYTES);
        buf_printf(&text, "%s", entry->help);
        write_range(entry, &text);
        if (entry->group != NULL)
            buf_printf(out, "\n# ---- %s ----\n", entry->group);
        write_comment(buf_str(&text), out);
        buf_printf(out, "\n#%s=%s\n", entry->name, entry->initial);
        buf_fini(&text);
    }
}

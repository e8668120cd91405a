/* SPDX-License-Identifier: MIT */
/* server/config_write.c - the table as text for people: check, .env.example, flags.
 *
 * Failure: none but a full buf. */
#include "server/config_table.h"

#include <string.h>

#include "server/database_url.h"

enum { SHOWN_BYTES = 64 * 1024 };

static const char *const places[] = {
    [CONFIG_FROM_DEFAULT] = "default", [CONFIG_FROM_OTHERS] = "DB_*",
    [CONFIG_FROM_FILE] = ".env",       [CONFIG_FROM_ENVIRONMENT] = "environment",
    [CONFIG_FROM_FLAG] = "flag",
};

void config_write_check(const struct config *config, struct buf *out)
{
    for (size_t i = 0; i < config_table_count; i++) {
        const struct config_entry *entry = &config_table[i];
        const struct config_origin *origin = &config->origins[i];
        struct str text = origin->text;
        struct buf shown;
        buf_init(&shown, SHOWN_BYTES);
        if (entry->type == CONFIG_URL)
            database_url_mask(&shown, text);
        else
            buf_push(&shown, entry->secret && text.len > 0 ? STR("********") : text);
        buf_printf(out, "%-38s %-32.*s %s\n", entry->name, STR_ARG(buf_str(&shown)),
                   places[origin->from]);
        buf_fini(&shown);
        if (!str_is_absent(origin->problem))
            buf_printf(out, "  ^ %.*s\n", STR_ARG(origin->problem));
    }
}

static void write_range(const struct config_entry *entry, struct buf *out)
{
    switch (entry->type) {
    case CONFIG_CHOICE:
        buf_printf(out, " One of: %s.", entry->choices);
        break;
    case CONFIG_BOOL:
        buf_push(out, STR(" true or false."));
        break;
    case CONFIG_COUNT:
    case CONFIG_BYTES:
    case CONFIG_REAL:
    case CONFIG_SECONDS:
        buf_printf(out, " %.15g to %.15g.", entry->min, entry->max);
        break;
    case CONFIG_TEXT:
    case CONFIG_URL:
        break;
    }
    if (entry->secret || entry->type == CONFIG_URL)
        buf_printf(out, " Secret; %s_FILE may name a file that holds it.", entry->name);
    if (entry->source != NULL)
        buf_printf(out, " (%s)", entry->source);
}

void config_write_example(struct buf *out)
{
    buf_push(out, STR("# Variables of askd. Made by `askd config env-example`: edit "
                      "server/config_table.c instead.\n"
                      "# A flag wins over the environment, the environment over .env, .env over "
                      "these defaults.\n"));
    for (size_t i = 0; i < config_table_count; i++) {
        const struct config_entry *entry = &config_table[i];
        if (entry->group != NULL)
            buf_printf(out, "\n# ---- %s ----\n", entry->group);
        buf_printf(out, "\n# %s", entry->help);
        write_range(entry, out);
        buf_printf(out, "\n#%s=%s\n", entry->name, entry->initial);
    }
}

void config_write_flags(struct buf *out)
{
    for (size_t i = 0; i < config_table_count; i++) {
        const struct config_entry *entry = &config_table[i];
        if (entry->flag != NULL)
            buf_printf(out, "  %-12s %-9s %s (%s, default %s)\n", entry->flag,
                       entry->type == CONFIG_COUNT ? "N" : "VALUE", entry->help, entry->name,
                       entry->initial[0] == '\0' ? "none" : entry->initial);
    }
    buf_push(out, STR("  --set        NAME=VALUE  Any variable of .env.example\n"));
    buf_push(out, STR("  --env-file   PATH        Read this instead of .env\n"));
}

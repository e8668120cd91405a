/* SPDX-License-Identifier: MIT */
/* server/config_names.h - what to tell an operator about a name that is no setting.
 *
 * Knows the names that were settings once and what each became, and finds the setting that a
 * misspelt name is nearest to. Static data; any thread. */
#ifndef SERVER_CONFIG_NAMES_H
#define SERVER_CONFIG_NAMES_H

#include "core/base/buf.h"
#include "core/base/str.h"

/* Whether name is a setting, or the name of the file of one ("OPENAI_API_KEY_FILE"). */
bool config_names_is_known(struct str name);
/* Whether name was a setting once. */
bool config_names_was_known(struct str name);
/* Append to *out what became of a removed setting, or which setting was perhaps meant: half a
 * sentence that goes on after a semicolon. name is no setting. */
void config_names_explain(struct str name, struct buf *out);

#endif

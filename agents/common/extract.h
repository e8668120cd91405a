/* SPDX-License-Identifier: MIT */
/* agents/common/extract.h - pick from model text: fenced code, LABEL: lines, one word of a set.
 *
 * All results are views of the text given. Pure; any thread. */
#ifndef AGENTS_COMMON_EXTRACT_H
#define AGENTS_COMMON_EXTRACT_H

#include "core/base/str.h"

/* The statement in text: the first ```sql (or bare ```) block, else all of it; trimmed, trailing
 * semicolons stripped (R58). */
struct str extract_sql(struct str text);
/* What is said around that block: the text before it, else the text after it; trimmed, "" when
 * there is no block or nothing around it. */
struct str extract_explanation(struct str text);
/* The value after "label:" at the start of a line, case ignored, up to a line that begins with
 * stop_label: or the end (R69); stop_label may be NULL. Absent when there is none. */
struct str extract_label(struct str text, const char *label, const char *stop_label);
/* The first JSON value between open ('{' or '[') and its closer, strings respected; absent. */
struct str extract_json(struct str text, char open);
/* The first run of letters, digits and '_' in s. */
struct str extract_word(struct str s);
/* Why the model says it can't: the rest of a first line "CANNOT: ..."; absent otherwise. */
struct str extract_refusal(struct str text);

#endif

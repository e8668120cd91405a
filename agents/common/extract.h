/* SPDX-License-Identifier: MIT */
/* agents/common/extract.h - pick from model text: fenced code, LABEL: lines, one word of a set.
 *
 * All results are views of the text given. Pure; any thread. */
#ifndef AGENTS_COMMON_EXTRACT_H
#define AGENTS_COMMON_EXTRACT_H

#include "core/base/str.h"

/* Find the statement in text, or the JSON object in its place: the last ```sql (or bare ```) block
 * that begins as one does, else all of the text where it begins so, else what stands in single
 * backticks or begins a line as a SELECT; trimmed, trailing semicolons stripped (R58). False: there
 * is prose alone; *sql is as it was. */
MUST_USE bool extract_finds_sql(struct str text, struct str *sql);
/* What extract_finds_sql finds, else all of the text. */
struct str extract_sql(struct str text);
/* The explanation around the statement that extract_sql gives: the text before its block, else the
 * text after it; trimmed; "" when there is no block or nothing around it. */
struct str extract_explanation(struct str text);
/* The value after "label:" at the start of a line, case ignored, up to a line that begins with
 * stop_label: or the end (R69); stop_label may be NULL. Absent when there is none. */
struct str extract_label(struct str text, const char *label, const char *stop_label);
/* The first JSON value from open ('{' or '[') to its closer, strings respected; absent: none. */
struct str extract_json(struct str text, char open);
/* The first run of letters, digits and '_' in s. */
struct str extract_word(struct str s);
/* The model's reason for not answering: the rest of a line "CANNOT: ...", which is the first one
 * where there is a statement, too; absent: no such line. */
struct str extract_refusal(struct str text);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/docs/records.h - CSV, JSON and JSON lines as records of named texts.
 *
 * Read for question-SQL pairs and metadata. CSV is as in RFC 4180, with the names in its first row;
 * JSON is an array of objects; JSON lines are one object a line. Numbers and booleans become text
 * as written; null and empty cells are absent. Any thread. */
#ifndef AGENTS_DOCS_RECORDS_H
#define AGENTS_DOCS_RECORDS_H

#include "agents/docs/document.h"

enum docs_records_format { DOCS_CSV, DOCS_JSON, DOCS_JSONL };

enum { DOCS_RECORD_MAX_FIELDS = 64, DOCS_MAX_RECORDS = 1000 * 1000 };

struct docs_record {
    const struct docs_field *fields;
    size_t field_count;
    size_t line; /* where it begins, or its number in a JSON array; from 1 */
};

/* The value of a field, letter case aside; absent: the record lacks it. */
struct str docs_records_get(const struct docs_record *record, struct str name);
/* The format a file's name stands for (.csv, .json, .jsonl, .ndjson); false: none. */
MUST_USE bool docs_records_format(struct str name, enum docs_records_format *format);
/* Read bytes; fields and values are made in arena. ERR_INVALID: err says the line and what was
 * expected; ERR_TOO_LARGE; ERR_NO_MEMORY. */
MUST_USE enum err_code docs_records_read(struct arena *arena, enum docs_records_format format,
                                         struct str bytes, const struct docs_record **records,
                                         size_t *count, struct err *err);

#endif

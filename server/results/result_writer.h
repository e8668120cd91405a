/* SPDX-License-Identifier: MIT */
/* server/results/result_writer.h - a result as a file, piece by piece: JSON, CSV (RFC 4180) or a
 * workbook (XLSX).
 *
 * A text that a spreadsheet would run as a formula gets an apostrophe before it in CSV; in a
 * workbook texts are texts. What a cell there cannot hold is left out: control characters, and what
 * comes after 32,767 characters. One thread. */
#ifndef SERVER_RESULTS_RESULT_WRITER_H
#define SERVER_RESULTS_RESULT_WRITER_H

#include "backends/sql.h"
#include "server/results/zip_write.h"

struct result_format;

struct result_writer {
    bool failed; /* no memory, or too large: the file is void */
    /* private */
    const struct result_format *format;
    const struct sql_result *result;
    struct buf *out;
    struct buf scratch; /* of the sheet: XML before it is packed */
    struct zip_write zip;
    size_t row;
    bool is_begun;
};

/* The format called name ("json", "csv", "xlsx"); NULL: there is none. */
const struct result_format *result_format_find(struct str name);
/* For Content-Type, and what a file's name ends with. Static. */
const char *result_format_type(const struct result_format *format);
const char *result_format_suffix(const struct result_format *format);

/* result is borrowed as long as the writer. */
void result_writer_init(struct result_writer *writer, const struct result_format *format,
                        const struct sql_result *result);
void result_writer_fini(struct result_writer *writer);
/* Append the next piece, about 16 KiB and at most a row more, to out. True: there is more. */
MUST_USE bool result_writer_step(struct result_writer *writer, struct buf *out);

/* For the formats: what a writer calls in turn. */
struct result_format {
    const char *name, *type, *suffix;
    void (*begin)(struct result_writer *writer);
    void (*row)(struct result_writer *writer, const struct sql_value *values);
    void (*end)(struct result_writer *writer);
};
extern const struct result_format result_sheet_format;

#endif

/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/xlsx_book.h - what the cells of a workbook refer to: its sheets, its shared
 * texts, and which of its styles show a number as a date. One thread. */
#ifndef AGENTS_DOCS_FORMATS_XLSX_BOOK_H
#define AGENTS_DOCS_FORMATS_XLSX_BOOK_H

#include "agents/docs/formats/archive.h"
#include "core/base/arena.h"

enum { XLSX_MOST_SHEETS = 256, XLSX_MOST_STYLES = 4096, XLSX_PART_BYTES = 128 << 20 };

struct xlsx_sheet {
    struct str name, relation; /* "rId1" */
    struct str path;           /* of its part; absent: none was named */
};

struct xlsx_book {
    struct arena arena;
    struct xlsx_sheet sheets[XLSX_MOST_SHEETS];
    size_t sheet_count;
    bool from_1904; /* days are counted from 1904, not 1900 */
    struct str *texts;
    size_t text_count, text_cap;
    bool is_date[XLSX_MOST_STYLES]; /* of cells with the style of that number */
    size_t style_count;
};

/* Read all of it; part is for the parts' bytes. The caller frees the arena, however it ends.
 * ERR_INVALID: it is no workbook, or a broken one; ERR_TOO_LARGE; ERR_NO_MEMORY. */
MUST_USE enum err_code xlsx_book_read(struct xlsx_book *book, struct archive *archive,
                                      struct buf *part, struct err *err);
/* Append a day number of the book as "2025-06-30", or with "15:30:00" where it has a part of a
 * day. False: it is no date. */
MUST_USE bool xlsx_book_date(const struct xlsx_book *book, double days, struct buf *out);

#endif

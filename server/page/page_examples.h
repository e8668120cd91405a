/* SPDX-License-Identifier: MIT */
/* server/page/page_examples.h - questions that the database at hand can answer, made of its own
 * names.
 *
 * At most one of each kind: rows by a category, a ranking over a reference, a sum by month, the
 * newest rows. What the catalog has nothing for is left out. Pure; any thread. */
#ifndef SERVER_PAGE_PAGE_EXAMPLES_H
#define SERVER_PAGE_PAGE_EXAMPLES_H

#include "agents/lexicon/lexicon.h"
#include "agents/semantic/model.h"
#include "proto/json_write.h"
#include "server/language/language.h"

enum { PAGE_EXAMPLES_MAX = 4 };

/* Append up to PAGE_EXAMPLES_MAX strings, in language, to the array json is in. */
void page_examples_write(const struct lexicon *lexicon, enum language language,
                         struct json_write *json);

/* What an answer was about: its tables (places in the lexicon's catalog, at least one), and a row
 * that it showed, by a column of its and what is there (absent: none); in language. semantic: NULL:
 * none. */
struct page_examples_about {
    const struct semantic *semantic;
    const int *tables;
    size_t table_count;
    struct str column, value;
    enum language language;
};
/* Append what may be asked next: of the row, where it has a name and is referred to; the verified
 * questions about these tables; a metric of theirs by month; and the questions of above of them. */
void page_examples_write_about(const struct lexicon *lexicon,
                               const struct page_examples_about *about, struct json_write *json);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/docs/items.h - documents and records as the passages that are stored and searched.
 *
 * Every passage names its owner (company_id, user_id; empty: it is everybody's), its document, and
 * its place in the document. Its id depends on these alone, so that adding a document again
 * replaces it. Pure; any thread. */
#ifndef AGENTS_DOCS_ITEMS_H
#define AGENTS_DOCS_ITEMS_H

#include "agents/docs/chunk.h"
#include "agents/docs/records.h"
#include "backends/passage.h"

enum docs_kind {
    DOCS_DOCUMENTS, /* source of the answers of rag_agent */
    DOCS_FINANCIAL, /* source of the answers of the analyst */
    DOCS_SQL_PAIRS, /* questions with their SQL: text_to_sql's examples */
    DOCS_METADATA,  /* rules and terms of the business, for text_to_sql */
    DOCS_KIND_COUNT
};

enum { DOCS_MAX_NAME = 96 };

struct docs_source {
    enum docs_kind kind;
    struct str name; /* of the document, unique for its owner: "core.md"; at most DOCS_MAX_NAME */
    struct str company_id, user_id;
};

struct docs_item {
    struct passage passage;
    struct str embedded; /* the text its vector is made of: headings and text */
};

/* The kind that word names: "documents", "financial", "sql-pairs", "metadata"; false: none. */
MUST_USE bool docs_items_kind(struct str word, enum docs_kind *kind);
const char *docs_items_kind_name(enum docs_kind kind);
/* The collection that passages of a kind are stored in. */
struct str docs_items_collection(enum docs_kind kind);
/* The id of source's n-th passage, from 1, in arena. */
struct str docs_items_id(struct arena *arena, const struct docs_source *source, size_t n);
/* The ids to remove where source had this many passages (had) and kept of them are written again:
 * those beyond kept, and all ids in the format of version 1. NULL: no memory. */
const struct str *docs_items_gone(struct arena *arena, const struct docs_source *source,
                                  size_t kept, size_t had, size_t *count);

/* Make the chunks of document with its title and fields into items. ERR_INVALID: it holds no text;
 * ERR_NO_MEMORY. */
MUST_USE enum err_code docs_items_of_document(struct arena *arena, const struct docs_source *source,
                                              const struct docs_document *document,
                                              const struct docs_item **items, size_t *count,
                                              struct err *err);
/* Make records into items. DOCS_SQL_PAIRS: records need question and sql, and may have explanation;
 * DOCS_METADATA: records need text (or says, or description), and may have term, table, column.
 * ERR_INVALID: a record lacks a field (err names its line). */
MUST_USE enum err_code docs_items_of_records(struct arena *arena, const struct docs_source *source,
                                             const struct docs_record *records, size_t record_count,
                                             const struct docs_item **items, size_t *count,
                                             struct err *err);

#endif

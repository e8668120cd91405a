/* SPDX-License-Identifier: MIT */
/* server/documents/document_add.h - one file becomes passages in the stores and a line of the
 * ledger.
 *
 * What the ledger has of the same content is passed over; else the file's text is read (a PDF and
 * its kind by a child process, backends/extract), cut into passages, embedded and written
 * (agents/docs/ingest). The ledger is told how many passages there may be before the first is
 * written, and the hash after the last: a file whose adding ended early is added whole by the next,
 * and whatever was written of it goes with it. What takes as long as the file is runs on another
 * thread. One loop, one thread. */
#ifndef SERVER_DOCUMENTS_DOCUMENT_ADD_H
#define SERVER_DOCUMENTS_DOCUMENT_ADD_H

#include "agents/docs/ingest.h"
#include "backends/extract/extract.h"
#include "backends/ledger.h"
#include "core/loop/work.h"

struct document_add_options { /* what it points at is kept until done */
    const struct services *has;
    struct ledger *ledger;
    const char *program; /* askd itself, for the child process */
    struct docs_source source;
    struct str holder;                  /* of the claim to the document (document_hold) */
    struct str file_name;               /* whose ending says the format */
    struct str from;                    /* where it came from, for the ledger */
    const struct ledger_entry *before;  /* what the ledger has of the document; NULL: nothing */
    uint64_t most_passages;             /* 0: any number */
    const struct ledger_limits *limits; /* of the company, with the document; NULL: none */
    uint64_t most_memory;               /* that reading may take now, if it wants so much; 0: any */
};

enum { DOCUMENT_ADD_HASH_BYTES = 17 };

struct document_add {
    /* "docs.add": ERR_INVALID: the file is not what its name says, or holds no text; ERR_TOO_LARGE:
     * more passages than most_passages, more than a format may hold, or much more memory to read
     * than its size explains; ERR_BUSY: more than most_memory; ERR_CONFLICT: the claim is lost;
     * else what the child, the stores or the ledger say. */
    struct op op;
    /* result, valid in done with ERR_OK until release */
    bool is_unchanged; /* the ledger has it already: nothing was written */
    struct str title;  /* "": none */
    size_t count;      /* passages; may be read at any time */
    uint64_t tokens;   /* billed for embedding */
    /* private */
    const struct document_add_options *options;
    struct buf bytes;
    struct arena arena;
    struct work work; /* writes bytes, arena, hash, title and the request's items */
    struct extract extract;
    struct docs_ingest ingest;
    struct docs_ingest_request request;
    struct ledger_call recording;
    struct ledger_entry entry;
    char hash[DOCUMENT_ADD_HASH_BYTES];
};

/* Whether some format is that of a file of this name, for documents of the kind. */
MUST_USE bool document_add_has_format(enum docs_kind kind, struct str file_name);
/* Whether files of the kind are records, one a row, and not texts. */
bool document_add_is_records(enum docs_kind kind);
/* add is zeroed before its first start; bytes, of the file, are moved into it. */
void document_add_start(struct document_add *add, struct loop *loop,
                        const struct document_add_options *options, struct buf *bytes,
                        struct op_waiter waiter);
/* How many passages are written by now. */
size_t document_add_stored(const struct document_add *add);

struct document_remove { /* "docs.remove": the stores' errors, then the ledger's */
    struct op op;
    /* private */
    const struct services *has;
    struct ledger *ledger;
    const struct ledger_entry *entry;
    struct str holder;
    struct arena arena;
    struct docs_ingest ingest;
    struct docs_ingest_request request;
    struct ledger_call recording;
};

/* Take the document of an entry, which is kept until done as the name of the claim's holder is, out
 * of the stores and the ledger. removal is zeroed before its first start. */
void document_remove_start(struct document_remove *removal, struct loop *loop,
                           const struct services *has, struct ledger *ledger,
                           const struct ledger_entry *entry, struct str holder,
                           struct op_waiter waiter);

#endif

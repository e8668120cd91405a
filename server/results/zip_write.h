/* SPDX-License-Identifier: MIT */
/* server/results/zip_write.h - a ZIP archive, written forward only: its bytes leave as they come.
 *
 * Entries are deflated; sizes and checksums follow them (data descriptors), since what was written
 * is gone by then. Each entry and the archive are below 4 GiB. One thread. */
#ifndef SERVER_RESULTS_ZIP_WRITE_H
#define SERVER_RESULTS_ZIP_WRITE_H

#include "core/base/buf.h"

enum { ZIP_WRITE_ENTRIES = 8 };

struct zip_deflate; /* zlib's state */

struct zip_write { /* zeroed at first */
    struct buf *out; /* where bytes are appended; may be emptied between calls, or be another one */
    bool failed;     /* no memory, or too large: the archive is void */
    /* private */
    struct zip_deflate *deflate;
    uint64_t written; /* bytes of the archive so far */
    size_t count;
    bool is_open;
    struct zip_entry {
        const char *name;
        uint64_t place, packed, plain;
        uint32_t checksum;
    } entries[ZIP_WRITE_ENTRIES];
};

/* Begin an entry; the one before is ended. name: static. */
void zip_write_entry(struct zip_write *zip, const char *name);
/* Bytes of the open entry. */
void zip_write_bytes(struct zip_write *zip, struct str bytes);
/* End the archive: its directory. */
void zip_write_end(struct zip_write *zip);
/* Free what it holds, ended or not. Zeroed is fine. */
void zip_write_fini(struct zip_write *zip);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/passages.h - takes the context in a prompt apart again: the passages
 * that agents/nodes/search wrote, "[n] document, heading" and the text of each. Passages are views;
 * any thread. */
#ifndef AGENTS_OFFLINE_DOCUMENTS_PASSAGES_H
#define AGENTS_OFFLINE_DOCUMENTS_PASSAGES_H

#include "core/base/str.h"

enum { OFFLINE_MAX_PASSAGES = 64 };

struct offline_passage {
    struct str heading; /* without the document; the document when there is no heading */
    struct str text;
    size_t number; /* from 1 */
};

/* Split context into passages. Returns how many, at most OFFLINE_MAX_PASSAGES. */
size_t offline_passages_split(struct str context, struct offline_passage *passages);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/extractive.h - an answer made of the documents' own sentences. Pure. */
#ifndef AGENTS_OFFLINE_DOCUMENTS_EXTRACTIVE_H
#define AGENTS_OFFLINE_DOCUMENTS_EXTRACTIVE_H

#include "agents/offline/documents/passages.h"
#include "core/base/arena.h"
#include "core/base/buf.h"

/* Append the sentences of the passages that answer question best, each with its source mark
 * ("[2]"), at most a few; or, when no passage holds two thirds of what is asked about, a sentence
 * that the documents do not say it: then it returns false. Scratch memory is arena's. */
bool offline_extractive_answer(struct arena *arena, struct str question,
                               const struct offline_passage *passages, size_t count,
                               struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* server/config/store_urls.h - which urls name a store of documents, conversations or runs.
 *
 * Opens nothing. ERR_INVALID says what is wrong with a url, or what is expected; no part of a url
 * is repeated. Pure; any thread. */
#ifndef SERVER_CONFIG_STORE_URLS_H
#define SERVER_CONFIG_STORE_URLS_H

#include "core/base/err.h"
#include "core/base/str.h"

/* Whether url is empty or "none". A setting that is empty counts as not set, so the word "none" is
 * how a store is switched off. */
bool store_urls_is_none(struct str url);
/* Whether url begins with the scheme of PostgreSQL. */
bool store_urls_is_postgres(struct str url);

/* Check a url of a store of vectors: none; sqlite:PATH; postgresql://...; chroma:URL
 * (backends/vectors/vec_chroma.h); qdrant:URL (backends/vectors/vec_qdrant.h). */
MUST_USE enum err_code store_urls_check_vectors(struct str url, struct err *err);
/* Check a url of a store of words of documents: none; sqlite:PATH; postgresql://... */
MUST_USE enum err_code store_urls_check_words(struct str url, struct err *err);
/* Check a url of a store of conversations or runs: none; sqlite:PATH; postgresql://...;
 * redis://... */
MUST_USE enum err_code store_urls_check_runs(struct str url, struct err *err);

#endif

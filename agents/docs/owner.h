/* SPDX-License-Identifier: MIT */
/* agents/docs/owner.h - a name of fixed length for the owner of documents, made of company and
 * user.
 *
 * A company chooses its own id, so the name is a cryptographic digest: nobody can find ids that
 * give another owner's name. Any thread. */
#ifndef AGENTS_DOCS_OWNER_H
#define AGENTS_DOCS_OWNER_H

#include "core/base/str.h"

enum { DOCS_OWNER_BYTES = 22 };

/* The name of the owner, in to: letters, digits, "-" and "_", the first 128 bits of SHA-256. */
struct str docs_owner_name(struct str company_id, struct str user_id, char to[DOCS_OWNER_BYTES]);
/* The name that passages of version 1 had, 16 digits; needed only to remove them. */
struct str docs_owner_name_before(struct str company_id, struct str user_id,
                                  char to[DOCS_OWNER_BYTES]);

#endif

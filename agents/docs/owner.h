/* SPDX-License-Identifier: MIT */
/* agents/docs/owner.h - whose documents: a name of fixed length for a company and a user.
 *
 * A company chooses what it is called, so the name is a cryptographic digest: nobody finds another
 * owner of the same name. Any thread. */
#ifndef AGENTS_DOCS_OWNER_H
#define AGENTS_DOCS_OWNER_H

#include "core/base/str.h"

enum { DOCS_OWNER_BYTES = 22 };

/* Letters, digits, "-" and "_", in to: the first 128 bits of SHA-256. */
struct str docs_owner_name(struct str company_id, struct str user_id, char to[DOCS_OWNER_BYTES]);
/* The name that passages of version 1 had, 16 digits: only to remove them. */
struct str docs_owner_name_before(struct str company_id, struct str user_id,
                                  char to[DOCS_OWNER_BYTES]);

#endif

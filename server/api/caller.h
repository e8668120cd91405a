/* SPDX-License-Identifier: MIT */
/* server/api/caller.h - who asks: the key or token that was shown, then headers, then what the body
 * or the query says.
 *
 * The headers X-Askd-Company-Id, X-Askd-User-Id and X-Askd-Role are set by whoever holds the key,
 * so they come before what a page writes into a body; a token's names are the only ones it may
 * use. Every path that acts for somebody calls caller_settle. One loop. */
#ifndef SERVER_API_CALLER_H
#define SERVER_API_CALLER_H

#include "core/base/identity.h"
#include "server/http/exchange.h"

/* Make caller, which holds what the body or query names (absent: nothing), the one that exchange
 * may act for. Views of the request, of the grant, or as they were. ERR_INVALID names a header;
 * ERR_DENIED: the key or token may not speak for such a caller. */
MUST_USE enum err_code caller_settle(const struct exchange *exchange, struct identity *caller,
                                     struct err *err);
/* caller_settle for a check that ends with a problem: invalid_status for ERR_INVALID, else 403. */
MUST_USE bool caller_take(const struct exchange *exchange, struct identity *caller,
                          int invalid_status, struct problem *problem);

/* Put who asks into *caller: by the query (company_id, user_id), headers, the key or token; a
 * company or user that none of them names is "", which is a name like any other. No conversation.
 * False: problem. */
MUST_USE bool caller_take_query(struct exchange *exchange, struct identity *caller,
                                struct problem *problem);

#endif

/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_share.h - a conversation is read by whoever has a link to it, until
 * that expires or is taken back.
 *
 * The link's token holds 128 random bits and the names of the conversation and its owner; the
 * random bits name a note of the conversation, which says until when they are good and the version
 * that is shown: what was said after that is not. The turns are shown as they are kept;
 * nothing is run for the reader. */
#ifndef SERVER_API_CONVERSATIONS_API_SHARE_H
#define SERVER_API_CONVERSATIONS_API_SHARE_H

struct exchange;

/* POST /internal/conversations/{conversation}/share {"days":7} -> {"token","expires_ms"}. */
void api_share_begin(struct exchange *exchange);
/* DELETE .../share: no link that the conversation had by then is good any more. */
void api_share_end(struct exchange *exchange);
/* GET /internal/shared/{token}: as GET /internal/conversations/{conversation}, without a key. */
void api_share_show(struct exchange *exchange);

#endif

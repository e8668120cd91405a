/* SPDX-License-Identifier: MIT */
/* core/store/wire_code.h - the closed list of codes an error event may carry, by what failed.
 *
 * Pure, static strings. Any thread. */
#ifndef CORE_STORE_WIRE_CODE_H
#define CORE_STORE_WIRE_CODE_H

#include "core/base/err.h"
#include "core/base/log.h"

/* The code for a failure of an operation of this kind ("llm.chat"); NULL: of no operation. */
const char *wire_code_of(const char *op_kind, enum err_code code);
/* Whether the same request may succeed when sent again. */
bool wire_code_is_retryable(const char *wire_code);
/* What a caller is told of a failure: the words of askd's own rules as they are; where a peer
 * failed (a model, a database, a store) or askd itself did, a sentence of ours, since a peer's text
 * may hold addresses, names of users and keys. text: as the failure says it, which is for the log.
 */
struct str wire_code_public(const char *wire_code, enum err_code code, struct str text);
/* text for a log of this level: errors of these codes may quote what somebody asked, or rows, which
 * only the most talkative level shows; else a remark in its place. */
struct str wire_code_loggable(const char *wire_code, struct str text, enum log_level level);

#endif

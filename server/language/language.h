/* SPDX-License-Identifier: MIT */
/* server/language/language.h - which languages the server speaks to readers, and which of them one
 * reads.
 *
 * Pure; any thread. */
#ifndef SERVER_LANGUAGE_LANGUAGE_H
#define SERVER_LANGUAGE_LANGUAGE_H

#include "core/base/str.h"

enum language { LANGUAGE_EN, LANGUAGE_DE, LANGUAGE_ES, LANGUAGE_COUNT };

/* "en", "de", "es". Static. */
const char *language_name(enum language language);
/* Whether tag is of one of the languages, by its first part in any case ("de-AT"): *language. */
bool language_of(struct str tag, enum language *language);
/* The language that an Accept-Language header wants most (RFC 9110, 12.5.4), among equals the first
 * one; one without weight is not wanted. otherwise: it names none of ours, or is absent. */
enum language language_wanted(struct str header, enum language otherwise);

#endif

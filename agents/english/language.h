/* SPDX-License-Identifier: MIT */
/* agents/english/language.h - whether a question is in another language than English. Any thread.
 */
#ifndef AGENTS_ENGLISH_LANGUAGE_H
#define AGENTS_ENGLISH_LANGUAGE_H

#include "core/base/str.h"

/* The small letter without its mark that a letter of Latin-1 is, of which second is the second byte
 * in UTF-8 behind 0xc3; 0: it is none. */
char english_language_plain(char second);
/* A sentence in the language of the question, that only English is understood; absent: the question
 * is in English, or in nothing that is known. Static. */
struct str english_language_other(struct str question);
/* The English name of the language that the question is in for certain: at least half of its words,
 * and two, are that language's, and of no other as many. Absent: it may be another one. Static. */
struct str english_language_name(struct str question);
/* A sentence in the language of the question, or in English, that the documents do not say it.
 * Static. */
struct str english_language_lacks(struct str question);
/* Whether an answer begins with such a sentence, however that of English goes on. */
bool english_language_is_lacking(struct str answer);
/* Whether the question is in English for certain: at least two of its words are, and no other
 * language knows more. */
bool english_language_is(struct str question);

#endif

/* SPDX-License-Identifier: MIT */
/* server/language/event_words.h - an event, or what a turn kept of events, in its reader's
 * language.
 *
 * Said in it: errors, warnings, notes, reasons not to answer, what is asked back, and answers that
 * are sentences of the program's own. Options to choose from stay as they are, since they come back
 * as questions; so do names, values and what a model wrote. Pure; one thread. */
#ifndef SERVER_LANGUAGE_EVENT_WORDS_H
#define SERVER_LANGUAGE_EVENT_WORDS_H

#include "core/base/buf.h"
#include "core/store/event.h"
#include "server/language/language.h"

/* Most bytes of members that are looked at; longer ones stay as they are. */
enum { EVENT_WORDS_BYTES = 1024 * 1024 };

/* event as a reader of language gets it: event itself, or *said, whose texts lie in scratch until
 * the next call. scratch is cleared. */
const struct event *event_words_say(enum language language, const struct event *event,
                                    struct event *said, struct buf *scratch);
/* Append a JSON object with such members, in language. False: it stays as it is, and nothing was
 * appended. */
bool event_words_say_object(enum language language, struct str object, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* server/language/event_words.h - an event, or what a turn kept of events, in its reader's
 * language.
 *
 * Said in it: errors, warnings, notes, reasons not to answer, what is asked back, readings to
 * choose from (which are known when they come back: sentences_is_option), and answers that are
 * sentences of the program's own. Names, values and what a model wrote stay as they are. Pure; one
 * thread. */
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

struct event_words_answer { /* a run's answer in one piece, in whatever protocol */
    enum language language;
    struct str code, message; /* of a run that failed; absent: it did not */
};
/* Append body, the JSON object of an answer, in the reader's language: what event_words_say would
 * have said of the run's events. False: it stays as it is, and nothing was appended. */
bool event_words_say_answer(const struct event_words_answer *answer, struct str body,
                            struct buf *out);

#endif

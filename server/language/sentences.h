/* SPDX-License-Identifier: MIT */
/* server/language/sentences.h - what the program says, in the language of whoever reads it.
 *
 * The program makes its sentences in English, where it knows them; they are looked up, by their
 * form, when they leave it. The sentences are those of sentences.txt. What nobody translated (names
 * of tables, what people ask, what a model writes) stays as it is. Pure; any thread. */
#ifndef SERVER_LANGUAGE_SENTENCES_H
#define SERVER_LANGUAGE_SENTENCES_H

#include "core/base/buf.h"
#include "server/language/language.h"

struct sentence {
    const char *said; /* in English; {1}, {2} ... stand for what is put in */
    const char *in[LANGUAGE_COUNT];
};

/* The parts of the table, in its order. */
enum sentences_part {
    SENTENCES_ANSWERS,
    SENTENCES_OTHERS,
    SENTENCES_CODES,
    SENTENCES_OPTIONS,
    SENTENCES_QUESTIONS,
    SENTENCES_PARTS
};

/* Made of sentences.txt; each part ends at its place of sentences_ends. */
extern const struct sentence sentences_table[];
extern const size_t sentences_ends[SENTENCES_PARTS];

/* Append text in language, sentence by sentence; a sentence that is not known stays. False: nothing
 * of it is known, or language is English: nothing was appended. Texts longer than 4 KiB are not
 * looked at. */
bool sentences_say(enum language language, struct str text, struct buf *out);
/* sentences_say for what may be a model's words: only where the first sentence is one of the
 * section "answers". */
bool sentences_say_answer(enum language language, struct str text, struct buf *out);
/* sentences_say for an error; one that is not known comes in parentheses behind the sentence of its
 * code. False: the code is not known either, or language is English. */
bool sentences_say_error(enum language language, struct str code, struct str text, struct buf *out);

/* sentences_say for a reading to choose from: the phrases that the offline engine makes these of. A
 * list of such in an answer is said by sentences_say_answer. */
bool sentences_say_option(enum language language, struct str text, struct buf *out);
/* Whether said is the option, a text in English, in any of the languages. */
bool sentences_is_option(struct str option, struct str said);
/* sentences_say for a question that is proposed to the reader. */
bool sentences_say_question(enum language language, struct str text, struct buf *out);
/* Append, in English, a question of sentences_say_question that came back. False: it is none, or in
 * English already: nothing was appended. */
bool sentences_read_question(struct str text, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* backends/words/sqlite_keywords_plan.h - in how many passages each word of a search occurs, and
 * what is to be ranked therefore.
 *
 * To rank a passage costs a microsecond or two, so no more than a plan's most are ranked at a time:
 * a fortieth of the collection, within KEYWORDS_LEAST_ROWS and KEYWORDS_MOST_ROWS. Words in few
 * passages say most: all passages with any of them are ranked, by all words. Only when too few pass
 * are those that have nothing but frequent words looked for: first those with all of these words,
 * then with the two rarest, the rarest, any. Of 200 searches of 2 to 8 frequent words over
 * 25,000 passages, 148 find the passage they were taken from among the first 8 with 1,000 rows
 * ranked, 147 with all. For jobs of sqlite_thread. */
#ifndef BACKENDS_WORDS_SQLITE_KEYWORDS_PLAN_H
#define BACKENDS_WORDS_SQLITE_KEYWORDS_PLAN_H

#include "backends/words/text_words.h"
#include "core/base/buf.h"
#include "core/base/err.h"

struct sqlite3;

enum { KEYWORDS_LEAST_ROWS = 1000, KEYWORDS_MOST_ROWS = 2500 };

enum keywords_step { /* in this order */
                     KEYWORDS_RARE,
                     KEYWORDS_ALL,
                     KEYWORDS_TWO,
                     KEYWORDS_ONE,
                     KEYWORDS_ANY,
                     KEYWORDS_END,
};

struct keywords_plan { /* words borrowed from what was typed */
    struct str words[TEXT_WORDS_MAX];
    double rows[TEXT_WORDS_MAX]; /* rising; beyond most an estimate */
    size_t count;                /* of words that occur */
    size_t rare_count;           /* of the first ones: together in at most so many passages */
    size_t most;
    bool is_whole; /* the collection has no more passages than that: all words are rare */
};

/* What to do about typed in the collection. */
MUST_USE enum err_code sqlite_keywords_plan_make(struct sqlite3 *db, int64_t collection,
                                                 struct str typed, struct keywords_plan *plan,
                                                 struct err *err);

enum { KEYWORDS_PHRASES = 2 * TEXT_WORDS_MAX };
struct keywords_request {
    struct buf expression;         /* of FTS5; the caller's to init and fini */
    double rows[KEYWORDS_PHRASES]; /* for askd_bm25, a phrase each */
    size_t phrase_count;
};
/* Write the request of a step. False: the step has nothing to look for. */
bool sqlite_keywords_plan_write(const struct keywords_plan *plan, enum keywords_step step,
                                struct keywords_request *request);

#endif

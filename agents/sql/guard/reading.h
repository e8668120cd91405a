/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/reading.h - the statements of a run, as the guard read them: as written, and as
 * sent.
 *
 * The guard reads a statement twice: the text as it was written, and the text as it will be sent,
 * which the rewriter made of it. Both readings are kept with the run by the text as written and by
 * what they were made under, so that every node that needs one asks here and a statement is parsed
 * twice, however many ask. A reading that is not kept is made: at first, after the run was resumed
 * from a checkpoint, and when others have displaced it. At most SQL_READING_KEPT readings are kept,
 * each of a text of at most 16 KiB; the oldest is displaced first. All memory is the arena's, which
 * must be the run's: results are good as long as it is, displaced or not. Pure; one thread. */
#ifndef AGENTS_SQL_GUARD_READING_H
#define AGENTS_SQL_GUARD_READING_H

#include "agents/sql/guard/policy.h"

enum { SQL_READING_KEPT = 8 };

struct sql_reading;

struct sql_failure; /* of one statement at the database */

struct sql_readings { /* of one run; zeroed at first; its arena frees all */
    /* private */
    struct sql_failure *failures; /* newest first */
    struct sql_reading *kept[SQL_READING_KEPT];
    size_t next; /* the place of the next one */
};

struct sql_reading_rules {           /* what a verdict depends on besides the text */
    const struct sql_policy *policy; /* borrowed for the call; what it points at, for the run */
    enum sql_dialect dialect;
    const struct catalog *catalog; /* borrowed for the run */
    struct sql_tenant tenant;
};

/* The guard's verdict on text after the first reading: ERR_OK says that verdict.rewrite may be read
 * again, and nothing about sending it. Never NULL; without memory it is ERR_NO_MEMORY. */
const struct sql_verdict *sql_reading_rewrite(struct sql_readings *readings,
                                              const struct sql_reading_rules *rules,
                                              struct str text, struct arena *arena);
/* The guard's verdict on text after both readings: ERR_OK says that verdict.sql may be sent. Never
 * NULL; without memory it is ERR_NO_MEMORY. */
const struct sql_verdict *sql_reading_judge(struct sql_readings *readings,
                                            const struct sql_reading_rules *rules, struct str text,
                                            struct arena *arena);
/* Whether the verdict on text after both readings is kept. */
bool sql_reading_is_judged(const struct sql_readings *readings,
                           const struct sql_reading_rules *rules, struct str text);
/* Keep what from keeps, too; its arena must have been adopted by that of readings. */
void sql_readings_add(struct sql_readings *readings, const struct sql_readings *from);
/* The kept verdict that let sent pass, the newest. NULL: none is kept. */
const struct sql_verdict *sql_reading_sent(const struct sql_readings *readings, struct str sent);
/* The i-th verdict that is kept, of SQL_READING_KEPT. NULL: none is kept there, or it let nothing
 * pass. */
const struct sql_verdict *sql_reading_kept(const struct sql_readings *readings, size_t i);
/* The parse of text as it was written, whatever the rules say of it. NULL: it cannot be parsed, or
 * there is no memory. */
const struct sql_parse *sql_reading_written(const struct sql_readings *readings,
                                            const struct sql_reading_rules *rules, struct str text,
                                            struct arena *arena);

/* Remember that the database failed the statement, by the text sent; and what it said of that text
 * before in this run, NULL: nothing. A statement that failed is not sent again: it would fail
 * again, at its full price. Without memory nothing is remembered. */
void sql_reading_note_failure(struct sql_readings *readings, struct str sent, const struct err *err,
                              struct arena *arena);
const struct err *sql_reading_failure(const struct sql_readings *readings, struct str sent);

#endif

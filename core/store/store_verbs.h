/* SPDX-License-Identifier: MIT */
/* core/store/store_verbs.h - the calls of core/store/store.h, in one list. What each is asked and
 * answers is in core/store/store_asks.h, store_run_asks.h and store_job_asks.h. */
#ifndef CORE_STORE_STORE_VERBS_H
#define CORE_STORE_STORE_VERBS_H

/* X(VERB, name, what it does): asked by struct store_<name>, begun by store_<name>_start. */
#define STORE_VERBS(X)                                                                             \
    X(LOAD, load, READS)                                                                           \
    X(RESTORE, restore, READS)                                                                     \
    X(SAVE, save, SHARES)                                                                          \
    X(KEEP, keep, SHARES)                                                                          \
    X(CHECKPOINTS, checkpoints, READS)                                                             \
    X(LIST, list, READS)                                                                           \
    X(SEARCH, search, READS)                                                                       \
    X(NOTES, notes, READS)                                                                         \
    X(ERASE, erase, WRITES)                                                                        \
    X(PRUNE, prune, WRITES)                                                                        \
    X(BEGIN, begin, SHARES)                                                                        \
    X(RESUME, resume, WRITES)                                                                      \
    X(CLAIM, claim, WRITES)                                                                        \
    X(RENEW, renew, SHARES)                                                                        \
    X(FINISH, finish, SHARES)                                                                      \
    X(FIND, find, READS)                                                                           \
    X(RUNS, runs, READS)                                                                           \
    X(ENDED, ended, READS)                                                                         \
    X(STOP, stop, SHARES)                                                                          \
    X(APPEND, append, SHARES)                                                                      \
    X(WRITE, write, SHARES)                                                                        \
    X(READ, read, READS)                                                                           \
    X(MARK, mark, SHARES)                                                                          \
    X(MARKS, marks, READS)                                                                         \
    X(PUT, put, SHARES)                                                                            \
    X(TAKE, take, SHARES)                                                                          \
    X(JOBS, jobs, READS)                                                                           \
    X(DROP, drop, SHARES)

enum store_verb {
#define STORE_ENUM(verb, name, effect) STORE_##verb,
    STORE_VERBS(STORE_ENUM)
#undef STORE_ENUM
        STORE_VERB_COUNT
};

enum store_effect {
    STORE_READS,
    STORE_WRITES,
    STORE_SHARES, /* writes, and changes nothing unless it succeeds: it may share a transaction */
};

const char *store_verb_name(enum store_verb verb); /* "load" and so on; static */
enum store_effect store_verb_effect(enum store_verb verb);

#endif

/* SPDX-License-Identifier: MIT */
/* backends/stores/store_wire.h - what goes to a store on a server and comes back: the fields of
 * each ask and of each record, in one table for PostgreSQL and Redis.
 *
 * An ask is words in the order of its fields: texts as they are, numbers and truths as digits; then
 * its lists, each an array of the words of its items. A record comes back as texts and numbers in
 * the order of its fields. Any thread. */
#ifndef BACKENDS_STORES_STORE_WIRE_H
#define BACKENDS_STORES_STORE_WIRE_H

#include "core/loop/fair.h"
#include "core/loop/gate.h"
#include "core/store/store.h"

#define STORE_WIRE_MANY "the user has as many of these as there may be"

enum store_wire_type {
    STORE_WIRE_TEXT,   /* struct str */
    STORE_WIRE_SOUGHT, /* struct str: to be looked for, ASCII letters of either case alike */
    STORE_WIRE_TITLE,  /* of the save: the beginning of its first question */
    STORE_WIRE_TOKEN,  /* of the call: marks a change that may be sent twice */
    STORE_WIRE_NUMBER, /* uint64_t */
    STORE_WIRE_ROWS,   /* uint64_t, as store_rows has it */
    STORE_WIRE_TRUTH,  /* bool */
    STORE_WIRE_STATUS, /* enum store_status */
    STORE_WIRE_FORGET, /* bool, as a number: how a run is asked to cancel, 1 or 2 */
    STORE_WIRE_ASKED,  /* of a record, bool cancel_asked and forget_asked: 0, 1 or 2 */
};

struct store_wire_field {
    enum store_wire_type type;
    size_t at; /* offset in the ask, the item or the record */
};

struct store_wire_list { /* of an ask: a pointer to items, and how many */
    size_t items_at, count_at, item_bytes;
    const struct store_wire_field *fields;
    size_t count;
    bool is_searched; /* its items hold question and answer, which are looked into */
};

struct store_wire_verb {
    const char *function; /* in PostgreSQL, with its version */
    const struct store_wire_field *fields;
    size_t count;
    struct store_wire_list lists[2];
    size_t list_count;
    bool is_keyed; /* there is an identity at key_at */
    size_t key_at;
};

const struct store_wire_verb *store_wire_verb_of(enum store_verb verb);

/* Say in ticket for whom a call is, so that a user who asks much does not hold up the others: views
 * into the ask. Calls that name nobody (leases and events of runs, which are asked for a fence) go
 * as one more company, which has the weight of several. */
void store_wire_caller(const struct store_call *call, struct gate_ticket *ticket);

/* ---- asks ---- */

struct store_wire_words {
    struct arena *arena; /* of the array and the numbers; texts are the ask's own */
    struct str *at;
    size_t count, room;
};

/* Add one word (absent: empty). No memory: the arena is exhausted, here and below. */
void store_wire_push(struct store_wire_words *words, struct str word);
/* Add the words of the call's fields; of the items of a list. token: for STORE_WIRE_TOKEN. */
void store_wire_push_fields(struct store_wire_words *words, const struct store_call *call,
                            struct str token);
void store_wire_push_list(struct store_wire_words *words, const struct store_call *call,
                          const struct store_wire_list *list);
size_t store_wire_list_count(const struct store_call *call, const struct store_wire_list *list);

/* ---- answers ---- */

struct store_wire_source { /* an answer, at a record */
    const char *store;     /* "the redis store": in errors */
    /* The next text, the next number of the record. False: it is none. */
    bool (*next_text)(struct store_wire_source *source, struct str *text);
    bool (*next_number)(struct store_wire_source *source, uint64_t *number);
};

enum store_wire_kind { /* of records, in the order that Redis has their lists */
                       STORE_WIRE_CHECKPOINT,
                       STORE_WIRE_TURN,
                       STORE_WIRE_NOTE,
                       STORE_WIRE_SUMMARY,
                       STORE_WIRE_RUN,
                       STORE_WIRE_BATCH,
                       STORE_WIRE_VERDICT,
                       STORE_WIRE_JOB,
                       STORE_WIRE_KINDS
};

const char *store_wire_kind_name(enum store_wire_kind kind);
/* What the server says of the call: "ok", "not_found", "conflict" or "busy"; anything else is
 * strange. */
MUST_USE enum err_code store_wire_code(const struct store_call *call, struct str code,
                                       const struct store_wire_source *source, struct err *err);
/* Read the call's version, total and last_id. ERR_PROTOCOL. */
MUST_USE enum err_code store_wire_read_numbers(struct store_call *call,
                                               struct store_wire_source *source, struct err *err);
/* Add the record to the call's answers. ERR_PROTOCOL, ERR_TOO_LARGE. */
MUST_USE enum err_code store_wire_add(struct store_call *call, enum store_wire_kind kind,
                                      struct store_wire_source *source, struct err *err);
/* ERR_PROTOCOL: the store holds what this version does not write. */
enum err_code store_wire_strange(const struct store_wire_source *source, struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/* server/wiring/knowledge.h - a database and prompt files -> what agents know, as one operation;
 * and pins.
 *
 * A set is immutable and made on one loop, whose owner destroys it when no worker holds it any
 * more. A worker holds a set by a pin; each run adds one to the pin of the set it began with. */
#ifndef SERVER_WIRING_KNOWLEDGE_H
#define SERVER_WIRING_KNOWLEDGE_H

#include "agents/loading.h"
#include "agents/lexicon/lexicon.h"
#include "agents/common/prompt.h"
#include "agents/search/schema_index.h"
#include "server/config/config.h"
#include "core/loop/inbox.h"

struct knowledge_set {
    struct knowledge knows;
    /* private */
    struct list link; /* the owner's */
    struct prompt_set *prompts;
    struct catalog *catalog;
    struct join_graph *joins;
    struct lexicon *lexicon;
    struct text_to_sql_pairs *pairs;
    struct semantic *semantic;      /* NULL: none */
    struct schema_passages *schema; /* NULL: no catalog, or no memory */
    struct sql_policy policies[2];  /* default and banking, as configured */
    struct str *shared_tables;      /* of both */
    struct buf warnings;            /* of the database, one a line */
    size_t holders;                 /* pins not yet returned; the owner's loop counts */
    bool is_current;
};

struct knowledge_pin {
    struct inbox_message message; /* for its way back */
    struct knowledge_set *set;
    size_t runs; /* the worker's loop counts */
    bool is_old; /* the worker has a newer one, or none */
};

/* A worker's: one run less. True: the pin is to be returned. */
static inline bool knowledge_unpin(struct knowledge_pin *pin)
{
    return --pin->runs == 0 && pin->is_old;
}

struct knowledge_load {
    struct op op; /* "knowing": ERR_OK even when the database could not be read: see below */
    /* The result, the caller's: knows.catalog_err says why there is no catalog. NULL only with
     * ERR_INVALID (broken prompts or pairs) or ERR_NO_MEMORY. */
    struct knowledge_set *set;
    /* Set before start, or NULL: who is told how far the reading of values is. */
    const struct log *log;
    struct lexicon_progress *progress;
    /* private */
    struct loading loading;
    struct loading_options options;
    struct sql_variable variables[1];
};

/* Read prompts (blocking, a few files) and, when sql is not NULL, the database. config is borrowed
 * until done. */
void knowledge_load_start(struct knowledge_load *knowing, struct loop *loop,
                          const struct config *config, struct sql *sql, struct op_waiter waiter);
/* No pin may be out. NULL is fine. */
void knowledge_destroy_set(struct knowledge_set *set);
/* Where prompts are: ASKD_PROMPT_DIR, else found beside the program, else where they were when it
 * was built, else "agents". Static, config's, or in room. */
const char *knowledge_prompt_dir(const struct config *config, char *room, size_t room_bytes);

#endif

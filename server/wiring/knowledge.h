/* SPDX-License-Identifier: MIT */
/* server/wiring/knowledge.h - a database and prompt files -> what agents know, loaded as one
 * operation; and pins on it.
 *
 * A set of knowledge is immutable. It is made on one loop, whose owner destroys it when no worker
 * holds it any more. A worker holds a set by a pin, which counts the runs that began with that
 * set. */
#ifndef SERVER_WIRING_KNOWLEDGE_H
#define SERVER_WIRING_KNOWLEDGE_H

#include "agents/loading.h"
#include "agents/lexicon/lexicon.h"
#include "agents/common/prompt.h"
#include "agents/search/schema_index.h"
#include "server/config/config.h"
#include "server/wiring/served_policies.h"
#include "core/loop/inbox.h"

struct knowledge_variant { /* what is known under one policy */
    struct knowledge knows;
    struct catalog *catalog; /* narrowed; NULL: there is none */
};

struct knowledge_set {
    struct knowledge knows; /* under the built-in policies */
    /* private */
    struct list link; /* in the list of its owner */
    struct prompt_set *prompts;
    struct catalog *catalog;
    struct join_graph *joins;
    struct lexicon *lexicon;
    struct gather_pairs *pairs;
    struct semantic *semantic;            /* NULL: none */
    struct schema_passages *schema;       /* NULL: no catalog, or no memory */
    struct sql_policy policies[2];        /* default and banking, as configured */
    struct str *shared_tables;            /* of both policies */
    struct served_policies *served;       /* NULL: no file */
    char mask_key[34];                    /* where the file gives none */
    struct sql_column_rule *column_rules; /* of all policies that are served */
    size_t column_rule_count;
    /* One for each rule of served, and a last one for roles that may read nothing. */
    struct knowledge_variant *variants;
    size_t variant_count;
    struct buf warnings; /* about the database, one a line */
    struct buf tenancy;  /* one line for people who run askd: which tables are filtered by
                            company and how; or why none is served. Empty: no companies */
    size_t holders;      /* pins not yet returned; counted on the loop of the owner */
    bool is_current;
};

struct knowledge_pin {
    struct inbox_message message; /* carries the pin back to the owner of the set */
    struct knowledge_set *set;
    size_t runs; /* how many began with the set; counted on the loop of the worker */
    bool is_old; /* the worker has a newer one, or none */
};

/* One run less on pin, on its worker's loop. True: the pin is to be returned. */
static inline bool knowledge_unpin(struct knowledge_pin *pin)
{
    return --pin->runs == 0 && pin->is_old;
}

struct knowledge_load {
    struct op op; /* "knowledge.load": ERR_OK even when the database could not be read: see below */
    /* The result; the caller's to destroy. knows.catalog_err says why there is no catalog. NULL
     * only with ERR_INVALID (broken prompts or pairs) or ERR_NO_MEMORY. */
    struct knowledge_set *set;
    /* Set before start, or NULL: where to tell how far the reading of values is. */
    const struct log *log;
    struct lexicon_progress *progress;
    bool again; /* while the server answers: it reads one column at a time */
    /* private */
    const struct config *config;
    struct loading loading;
    struct loading_options options;
    struct sql_variable variables[1];
};

/* Load knowledge: read prompts (blocking, a few files) and, when sql is not NULL, the database.
 * config is borrowed until done. */
void knowledge_load_start(struct knowledge_load *load, struct loop *loop,
                          const struct config *config, struct sql *sql, struct op_waiter waiter);
/* Whether set, which was read again for what is new in the database, knows less than current: there
 * is no catalog, or of the same schema the values of fewer columns could be read. */
bool knowledge_is_less(const struct knowledge_set *set, const struct knowledge_set *current);
/* What a caller of the role ("": none) may know in the graph; lives as long as set. */
const struct knowledge *knowledge_of(const struct knowledge_set *set, struct str graph,
                                     struct str role);
/* Destroy set, all pins of which were returned. NULL is fine. */
void knowledge_destroy_set(struct knowledge_set *set);
/* The folder of prompts: ASKD_PROMPT_DIR, else one found beside the program, else the one it was
 * built with, else "agents". The text is static, config's, or in room. */
const char *knowledge_prompt_dir(const struct config *config, char *room, size_t room_bytes);

#endif

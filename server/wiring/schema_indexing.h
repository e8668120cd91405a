/* SPDX-License-Identifier: MIT */
/* server/wiring/schema_indexing.h - the schema's passages follow what is known of the database.
 *
 * In the background and by one worker of the process; readiness does not wait, and a store that
 * fails is logged: tables are then found by words alone. What is being indexed is pinned as for a
 * run. One loop, one thread. */
#ifndef SERVER_WIRING_SCHEMA_INDEXING_H
#define SERVER_WIRING_SCHEMA_INDEXING_H

#include "agents/search/schema_index.h"
#include "server/wiring/knowledge.h"

struct schema_indexing { /* zeroed at first, but for: */
    const struct services *has;
    const char *url; /* the database's; its user and password are not used */
    void (*on_unpinned)(void *owner,
                        struct knowledge_pin *pin); /* it was old, and held here last */
    void *owner;
    /* private */
    struct schema_index_run run;
    struct knowledge_pin *pin;  /* of the run under way */
    struct knowledge_pin *next; /* asked for while one was under way */
    char source[17];
};

/* There is new knowledge: bring the collection up to date. pin is borrowed until another is given
 * or keeping is stopped, and held beyond that while its passages are read. */
void schema_indexing_know(struct schema_indexing *keeping, struct knowledge_pin *pin);
/* Give up what is under way. Before the backends close. */
void schema_indexing_stop(struct schema_indexing *keeping);

#endif

/* SPDX-License-Identifier: MIT */
/* server/wiring/schema_indexing.h - keeps the passages of the schema in step with the knowledge of
 * the database.
 *
 * In the background and by one worker of the process. Readiness does not wait for it; a store that
 * fails is logged: tables are then found by words alone. The knowledge being indexed is pinned as
 * for a run. One loop, one thread. */
#ifndef SERVER_WIRING_SCHEMA_INDEXING_H
#define SERVER_WIRING_SCHEMA_INDEXING_H

#include "agents/search/schema_index.h"
#include "server/wiring/knowledge.h"

struct schema_indexing { /* zeroed at first, except the members above private */
    const struct services *has;
    const char *url; /* of the database; its user and password are not used */
    void (*on_unpinned)(void *owner, struct knowledge_pin *pin); /* an old pin, held here last */
    void *owner;
    /* private */
    struct schema_index_run run;
    struct knowledge_pin *pin;  /* of the run under way */
    struct knowledge_pin *next; /* indexed next */
    char source[17];
};

/* There is new knowledge: bring the collection up to date. pin is borrowed until another is given
 * or indexing is stopped, and is held beyond that while its passages are read. */
void schema_indexing_know(struct schema_indexing *keeping, struct knowledge_pin *pin);
/* Give up the run under way; before the backends close. */
void schema_indexing_stop(struct schema_indexing *keeping);

#endif

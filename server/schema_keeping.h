/* SPDX-License-Identifier: MIT */
/* server/schema_keeping.h - the schema's passages follow what is known of the database.
 *
 * In the background and by one worker of the process; readiness does not wait, and a store that
 * fails is logged: tables are then found by words alone. One loop, one thread. */
#ifndef SERVER_SCHEMA_KEEPING_H
#define SERVER_SCHEMA_KEEPING_H

#include "agents/search/schema_index.h"

struct schema_keeping { /* zeroed at first */
    struct schema_index_run run;
    const struct services *has;
    const struct knowledge *next; /* asked for while one was under way */
    const char *url;
};

/* There is new knowledge: bring the collection up to date. has, its log and url (the database's;
 * its user and password are not used) are borrowed until stopped; knows until another is given. */
void schema_keeping_know(struct schema_keeping *keeping, const struct services *has,
                         const struct knowledge *knows, const char *url);
/* Give up what is under way. Before the backends close. */
void schema_keeping_stop(struct schema_keeping *keeping);

#endif

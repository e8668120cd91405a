/* SPDX-License-Identifier: MIT */
/* agents/analyst/query.h - ProcessedQuery: what a question names, and how to look it up.
 *
 * JSON: {"question","entities","companies","years","document_types","keywords": arrays of texts,
 * "augmented_query"}. Pure, but for analyst_query_asked. */
#ifndef AGENTS_ANALYST_QUERY_H
#define AGENTS_ANALYST_QUERY_H

#include "core/run/node.h"

struct json_write;

enum { ANALYST_QUERY_TEXTS = 16 };

struct analyst_texts {
    struct str at[ANALYST_QUERY_TEXTS];
    size_t count;
};

struct analyst_query {
    struct analyst_texts entities, companies, years, document_types, keywords;
    struct str question;  /* by itself: a follow-up with what it leaves out */
    struct str augmented; /* the text that is looked up by meaning */
    bool is_read;         /* false: the model's answer was no such object: the question alone */
};

/* Read into query a model's answer, or what analyst_query_write wrote. Never fails: members of
 * another shape are left out; without "augmented_query" the question is what is looked up. */
void analyst_query_read(struct arena *arena, struct str answer, struct str question,
                        struct analyst_query *query);
void analyst_query_write(const struct analyst_query *query, struct json_write *json);
/* The texts of a JSON array; absent or of another shape: none. */
void analyst_query_texts(struct arena *arena, struct str json, struct analyst_texts *texts);
/* A field of a prompt: the question by itself, once it was read; before that, as it was asked. In
 * the arena of the node, whose graph has the analyst's slots. */
struct str analyst_query_asked(struct node *node);

#endif

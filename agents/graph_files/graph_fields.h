/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_fields.h - what {name} stands for in the texts of a graph's file, and
 * texts with such places.
 *
 * A name is a field of the state, a fact ("today", "dialect", "naming", "scope", "queries",
 * "company", "user") or what the node's "fields" say it is: the rows, the number of rows, or
 * whether rows were left out, of a field that run_sql showed; how a field's reason for not
 * answering is said; the values, the schema, the meanings or the verified questions of tables; a
 * text with places of its own, or one of two by a condition. */
#ifndef AGENTS_GRAPH_FILES_GRAPH_FIELDS_H
#define AGENTS_GRAPH_FILES_GRAPH_FIELDS_H

#include "agents/graph_files/graph_reader.h"
#include "agents/nodes/ask.h"

/* Bind every placeholder of prompt. more: the node's "fields", or NULL. */
bool graph_fields_bind(struct graph_reader *r, const struct prompt *prompt,
                       const struct json_value *more, struct ask_field fields[ASK_MAX_FIELDS]);
/* The same for names (NULL after the last, PROMPT_MAX_FIELDS at most), which a prompt of askd's own
 * may have. */
bool graph_fields_bind_names(struct graph_reader *r, const char *const *names,
                             const struct json_value *more,
                             struct ask_field fields[ASK_MAX_FIELDS]);

/* A text with placeholders, bound. */
struct graph_text {
    const struct prompt *prompt;
    struct ask_field fields[ASK_MAX_FIELDS];
};

/* Read the text of member. NULL: a mistake, or it is not there. more: as of graph_fields_bind. */
const struct graph_text *graph_fields_read(struct graph_reader *r, const struct json_value *object,
                                           const char *member, bool required,
                                           const struct json_value *more);
/* The text for node's state, in the arena of the node; absent: the arena is spent. */
struct str graph_fields_write(struct node *node, const struct graph_text *text);
/* As graph_fields_write, each value as a literal of SQL: texts in quotes, numbers bare, what is
 * absent as NULL. Absent also: a text holds a backslash, which MySQL reads as its own sign. */
struct str graph_fields_write_sql(struct node *node, const struct graph_text *text);

/* Types of fields that graph_fields_put fills, as a mask. */
enum {
    GRAPH_FIELDS_TYPES =
        1u << SLOT_TEXT | 1u << SLOT_JSON | 1u << SLOT_INT | 1u << SLOT_REAL | 1u << SLOT_BOOL
};
/* Put a value of JSON into a field of its type; of another type, or NULL: the field is absent. */
void graph_fields_put(struct node *node, unsigned slot, const struct json_value *value);

#endif

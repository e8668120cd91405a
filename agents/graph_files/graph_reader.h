/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_reader.h - reads the members of a graph's file; keeps the first mistake,
 * with the JSON pointer to it.
 *
 * After the first mistake all readers give nothing and change nothing, so that a caller looks at
 * graph_reader_ok once. One thread, at start and on reload. */
#ifndef AGENTS_GRAPH_FILES_GRAPH_READER_H
#define AGENTS_GRAPH_FILES_GRAPH_READER_H

#include "core/run/graph.h"
#include "proto/json_value.h"

struct registry_entry;

enum { GRAPH_READER_POINTER = 256, GRAPH_READER_SLOTS = 64 };

struct graph_reader {
    struct arena *arena; /* of the definition: all that is read lives here */
    struct err *err;     /* the first mistake */
    const char *path;    /* of the file, for messages and files beside it */
    const char *graph;   /* the name of the graph in the making */
    bool failed;
    uint64_t hash; /* of what the definition is made of besides the file */
    char pointer[GRAPH_READER_POINTER];
    size_t pointer_len;
    /* The definition in the making. */
    struct slot *slots;
    size_t slot_count;
    struct graph_node *nodes;
    size_t node_count;
    struct graph_budget *budgets;
    size_t budget_count;
    /* Another graph by its name, whole, and the hash of its file; NULL: there is none, or *err says
     * what is wrong with it. */
    const struct registry_entry *(*find)(void *owner, struct str name, uint64_t *hash,
                                         struct err *err);
    void *owner;
};

static inline bool graph_reader_ok(const struct graph_reader *r)
{
    return !r->failed;
}

/* Note a mistake at member of the value that was entered (NULL: at that value itself). Always
 * false. */
bool graph_reader_fail(struct graph_reader *r, const char *member, const char *fmt, ...)
    PRINTF(3, 4);
/* Note that memory is gone. Always false. */
bool graph_reader_no_memory(struct graph_reader *r);
/* Step into a member or an item; give the mark back to graph_reader_leave. */
size_t graph_reader_enter(struct graph_reader *r, struct str member);
size_t graph_reader_enter_item(struct graph_reader *r, size_t i);
void graph_reader_leave(struct graph_reader *r, size_t mark);

/* Whether object is an object whose members are all among names (NULL after the last) or more
 * (likewise; or NULL). */
bool graph_reader_members(struct graph_reader *r, const struct json_value *object,
                          const char *const *names, const char *const *more);
/* A member of object that is a text; absent when it is not there and not required. */
struct str graph_reader_text(struct graph_reader *r, const struct json_value *object,
                             const char *member, bool required);
/* As graph_reader_text, NUL-terminated; NULL: it is not there. */
const char *graph_reader_name(struct graph_reader *r, const struct json_value *object,
                              const char *member, bool required);
/* An integer between lowest and highest; fallback when it is not there. */
int64_t graph_reader_int(struct graph_reader *r, const struct json_value *object,
                         const char *member, int64_t lowest, int64_t highest, int64_t fallback);
bool graph_reader_flag(struct graph_reader *r, const struct json_value *object, const char *member);
/* A member that is an object, or an array; NULL: it is not there (a mistake when required). */
const struct json_value *graph_reader_object(struct graph_reader *r,
                                             const struct json_value *object, const char *member,
                                             bool required);
const struct json_value *graph_reader_array(struct graph_reader *r, const struct json_value *object,
                                            const char *member, bool required);

/* The slot that name is; a mistake at member when there is none. */
struct slot_ref graph_reader_slot_named(struct graph_reader *r, const char *member,
                                        struct str name);
/* The slot that a member names; of one of the types (a mask of 1 << SLOT_TEXT ...). */
struct slot_ref graph_reader_slot(struct graph_reader *r, const struct json_value *object,
                                  const char *member, bool required, unsigned types);
/* As graph_reader_slot, and node (an index) writes it. */
struct slot_ref graph_reader_output(struct graph_reader *r, const struct json_value *object,
                                    const char *member, bool required, unsigned types,
                                    unsigned node);

#endif

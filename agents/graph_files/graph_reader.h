/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_reader.h - reads the members of a graph's file, which name fields of its
 * state; keeps the first mistake, with the JSON pointer to it.
 *
 * One thread, at start and on reload. */
#ifndef AGENTS_GRAPH_FILES_GRAPH_READER_H
#define AGENTS_GRAPH_FILES_GRAPH_READER_H

#include "core/run/graph.h"
#include "proto/json_members.h"

struct registry_entry;

enum { GRAPH_READER_SLOTS = 64 };

struct graph_reader {
    struct json_members json;      /* where it is read from, and the first mistake */
    const char *graph;             /* the name of the graph in the making */
    bool takes_client_tools;       /* an agent of the graph offers them */
    void *linked[GRAPH_MAX_NODES]; /* by index, what a node fills in when all nodes are read */
    size_t node_mark;              /* where the node that is read stands */
    bool has_ended;                /* what is read is about runs that have ended */
    unsigned depth;                /* of placeholders in texts of "fields" */
    uint64_t hash;                 /* of what the definition is made of besides the file */
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
    bool (*has_tool)(const void *tools, struct str name); /* outside; NULL: there are none */
    const void *tools;
};

static inline bool graph_reader_ok(const struct graph_reader *r)
{
    return !r->json.failed;
}

/* ---- as proto/json_members.h has them ---- */

#define graph_reader_fail(r, ...) json_members_fail(&(r)->json, __VA_ARGS__)

static inline bool graph_reader_no_memory(struct graph_reader *r)
{
    return json_members_no_memory(&r->json);
}

static inline size_t graph_reader_enter(struct graph_reader *r, struct str member)
{
    return json_members_enter(&r->json, member);
}

static inline size_t graph_reader_enter_item(struct graph_reader *r, size_t i)
{
    return json_members_enter_item(&r->json, i);
}

static inline void graph_reader_leave(struct graph_reader *r, size_t mark)
{
    json_members_leave(&r->json, mark);
}

static inline bool graph_reader_members(struct graph_reader *r, const struct json_value *object,
                                        const char *const *names, const char *const *more)
{
    return json_members_known(&r->json, object, names, more);
}

static inline struct str graph_reader_text(struct graph_reader *r, const struct json_value *object,
                                           const char *member, bool required)
{
    return json_members_text(&r->json, object, member, required);
}

static inline const char *graph_reader_name(struct graph_reader *r, const struct json_value *object,
                                            const char *member, bool required)
{
    return json_members_name(&r->json, object, member, required);
}

static inline int64_t graph_reader_int(struct graph_reader *r, const struct json_value *object,
                                       const char *member, int64_t lowest, int64_t highest,
                                       int64_t fallback)
{
    return json_members_int(&r->json, object, member, lowest, highest, fallback);
}

static inline bool graph_reader_flag(struct graph_reader *r, const struct json_value *object,
                                     const char *member)
{
    return json_members_flag(&r->json, object, member);
}

static inline const struct json_value *graph_reader_object(struct graph_reader *r,
                                                           const struct json_value *object,
                                                           const char *member, bool required)
{
    return json_members_object(&r->json, object, member, required);
}

static inline const struct json_value *graph_reader_array(struct graph_reader *r,
                                                          const struct json_value *object,
                                                          const char *member, bool required)
{
    return json_members_array(&r->json, object, member, required);
}

/* ---- fields of the state ---- */

/* The slot that name is; a mistake at member when there is none. */
struct slot_ref graph_reader_slot_named(struct graph_reader *r, const char *member,
                                        struct str name);
/* The slot that a member names; of one of the types (a mask of 1 << SLOT_TEXT ...). */
struct slot_ref graph_reader_slot(struct graph_reader *r, const struct json_value *object,
                                  const char *member, bool required, unsigned types);
/* A node by its name, whose place in r->nodes is *index; a mistake at member when there is none. */
bool graph_reader_node_named(struct graph_reader *r, const char *member, struct str name,
                             unsigned *index);
/* A budget by its name, whose place in r->budgets is *index; a mistake at "budget" when there is
 * none. */
bool graph_reader_budget_named(struct graph_reader *r, struct str name, unsigned *index);
/* As graph_reader_slot, and node (an index) writes it. */
struct slot_ref graph_reader_output(struct graph_reader *r, const struct json_value *object,
                                    const char *member, bool required, unsigned types,
                                    unsigned node);
/* As graph_reader_output, of a list that grows by what is put. */
struct slot_ref graph_reader_list(struct graph_reader *r, const struct json_value *object,
                                  const char *member, bool required, unsigned node);

#endif

/* SPDX-License-Identifier: MIT */
/* tests/unit/joins/rig.h - join graphs from short texts, and plans as text, for these tests.
 *
 *   "b.aId>a.id c.bId>b.id"   two foreign keys; "b.x:.8>a.id" an inferred N:1 of confidence .8;
 *   "b.x~a.y" an inferred N:M of .9; "b.aId=a.id" a 1:1; "b.x!a.id" an N:1 by hand */
#ifndef TESTS_UNIT_JOINS_RIG_H
#define TESTS_UNIT_JOINS_RIG_H

#include "tests/lib/test.h"

#include "agents/sql/joins/join_path.h"

enum { RIG_TEXT = 1 << 20 };

static inline struct join_graph *rig_graph(const char *json)
{
    struct err err = {0};
    struct join_graph *graph = NULL;
    if (join_graph_from_json(str_of(json), &graph, &err) != ERR_OK)
        fail_msg("%s", err.text);
    return graph;
}

static inline void rig_push_edge(struct buf *out, struct str edge)
{
    ptrdiff_t at = str_find_char(edge, '>');
    const char *type = "foreign_key", *cardinality = "N:1";
    struct str confidence = STR("1.0");
    if (at < 0 && (at = str_find_char(edge, '=')) >= 0) {
        cardinality = "1:1";
    } else if (at < 0 && (at = str_find_char(edge, '!')) >= 0) {
        type = "manual";
    } else if (at < 0) {
        at = str_find_char(edge, '~');
        cardinality = "N:M";
        type = "inferred";
        confidence = STR("0.9");
    }
    struct str from = str_slice(edge, 0, (size_t)at), to = str_from(edge, (size_t)at + 1);
    if (str_find_char(from, ':') > 0) {
        confidence = from;
        from = str_split(&confidence, ':');
        type = "inferred";
    }
    struct str from_table = str_split(&from, '.'), to_table = str_split(&to, '.');
    buf_printf(out,
               "{\"from_table\":\"%.*s\",\"from_column\":\"%.*s\",\"to_table\":\"%.*s\","
               "\"to_column\":\"%.*s\",\"type\":\"%s\",\"confidence\":%.*s,\"cardinality\":\"%s\"}",
               STR_ARG(from_table), STR_ARG(from), STR_ARG(to_table), STR_ARG(to), type,
               STR_ARG(confidence), cardinality);
}

static inline struct join_graph *rig_edges(const char *edges)
{
    struct buf json;
    buf_init(&json, RIG_TEXT);
    buf_push(&json, STR("{\"relationships\":["));
    bool first = true;
    for (struct str rest = str_of(edges); !str_is_absent(rest);) {
        struct str edge = str_split(&rest, ' ');
        if (edge.len == 0)
            continue;
        if (!first)
            buf_push_char(&json, ',');
        first = false;
        rig_push_edge(&json, edge);
    }
    buf_push(&json, STR("]}"));
    buf_push_char(&json, '\0');
    struct join_graph *graph = rig_graph(buf_str(&json).at);
    buf_fini(&json);
    return graph;
}

static inline int rig_table(const struct join_graph *graph, const char *name)
{
    int table = join_graph_table(graph, str_of(name));
    if (table == CATALOG_NONE)
        fail_msg("no table %s", name);
    return table;
}

/* "b.aId=a.id c.bId=b.id", in the plan's order. */
static inline void rig_write_plan(const struct join_graph *graph, const struct join_plan *plan,
                                  struct buf *out)
{
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct join_edge *edge = plan->steps[i].edge;
        buf_printf(
            out, "%s%.*s.%.*s=%.*s.%.*s", i > 0 ? " " : "",
            STR_ARG(join_graph_table_name(graph, edge->from_table)), STR_ARG(edge->from_columns[0]),
            STR_ARG(join_graph_table_name(graph, edge->to_table)), STR_ARG(edge->to_columns[0]));
    }
}

/* A seeded generator, so that a failing case can be named. */
static inline unsigned rig_random(uint64_t *state, unsigned below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % below;
}

#endif

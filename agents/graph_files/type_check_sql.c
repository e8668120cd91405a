/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_check_sql.c - "check_sql" and "run_sql": the guard and the database as
 * two nodes, for graphs that go back to a model between them.
 *
 * A run_sql names in "check" the check_sql node whose verdict it runs; there is no way to run a
 * statement that no guard has passed. */
#include "agents/graph_files/node_types.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/run_sql.h"

enum {
    TEXT = 1u << SLOT_TEXT,
    JSON = 1u << SLOT_JSON,
    BOOL = 1u << SLOT_BOOL,
    INT = 1u << SLOT_INT
};

static bool read_check(struct graph_reader *r, const struct json_value *object, unsigned index,
                       struct graph_node *node)
{
    struct check_sql_config *check = arena_alloc(r->json.arena, sizeof *check);
    if (check == NULL)
        return graph_reader_no_memory(r);
    node->type = &check_sql_node;
    node->config = check;
    check->sql_slot = graph_reader_slot(r, object, "statement", true, TEXT);
    check->valid_slot = graph_reader_output(r, object, "valid", true, TEXT, index);
    check->error_slot = graph_reader_output(r, object, "error", true, TEXT, index);
    check->list_slot = graph_reader_output(r, object, "errors", false, JSON, index);
    check->warnings_slot = graph_reader_output(r, object, "warnings", false, JSON, index);
    check->flag_slot = graph_reader_output(r, object, "passed", false, BOOL, index);
    check->tables_slot = graph_reader_output(r, object, "tables", false, JSON, index);
    check->question_slot = graph_reader_slot(r, object, "question", false, TEXT);
    check->warn_unknown_table = graph_reader_flag(r, object, "warn_unknown_table");
    return graph_reader_ok(r);
}

/* A run_sql node may write what its guard writes: a person's edit passes it there. */
static void share_writers(struct graph_reader *r, const struct check_sql_config *check,
                          unsigned index)
{
    const struct slot_ref shared[] = {check->sql_slot,   check->valid_slot,    check->error_slot,
                                      check->list_slot,  check->warnings_slot, check->flag_slot,
                                      check->tables_slot};
    for (size_t i = 0; i < countof(shared); i++)
        if (slot_is_named(shared[i]))
            r->slots[slot_index(shared[i])].writers |= SLOT_WRITER(index);
}

static bool find_check(struct graph_reader *r, struct str name, unsigned index,
                       struct run_sql_config *run)
{
    for (unsigned i = 0; i < index; i++)
        if (str_equal(str_of(r->nodes[i].name), name) && r->nodes[i].type == &check_sql_node) {
            run->guard = r->nodes[i].config;
            run->sql_slot = run->guard->valid_slot;
            share_writers(r, run->guard, index);
            return true;
        }
    return graph_reader_fail(r, "check", "'%.*s' is no check_sql node that stands before this one",
                             STR_ARG(name));
}

static bool read_run(struct graph_reader *r, const struct json_value *object, unsigned index,
                     struct graph_node *node)
{
    struct run_sql_config *run = arena_alloc(r->json.arena, sizeof *run);
    if (run == NULL)
        return graph_reader_no_memory(r);
    struct str check = graph_reader_text(r, object, "check", true);
    if (!graph_reader_ok(r) || !find_check(r, check, index, run))
        return false;
    run->result_slot = graph_reader_output(r, object, "result", true, JSON, index);
    run->error_slot = graph_reader_output(r, object, "error", true, TEXT, index);
    run->shown_slot = graph_reader_output(r, object, "shown", false, JSON, index);
    run->columns_slot = graph_reader_output(r, object, "columns", false, JSON, index);
    run->done_slot = graph_reader_output(r, object, "done", false, BOOL, index);
    run->count_slot = graph_reader_output(r, object, "row_count", false, INT, index);
    run->warnings_slot = graph_reader_output(r, object, "warnings", false, JSON, index);
    run->timeout_slot = graph_reader_output(r, object, "timed_out", false, BOOL, index);
    run->clear_error = true;
    node->type = &run_sql_node;
    node->config = run;
    node->tool = true;
    return graph_reader_ok(r);
}

const struct node_type type_check_sql_node = {
    "check_sql",
    {"statement", "valid", "error", "errors", "warnings", "passed", "tables", "question",
     "warn_unknown_table"},
    read_check,
};
const struct node_type type_check_sql_run_node = {
    "run_sql",
    {"check", "result", "error", "shown", "columns", "done", "row_count", "warnings", "timed_out"},
    read_run,
};

/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_check_sql.c - "check_sql" and "run_sql": the guard and the database as
 * two nodes, for graphs that go back to a model between them.
 *
 * A run_sql names in "check" the check_sql node whose verdict it runs; there is no way to run a
 * statement that no guard has passed. With "generate" it names the ask that wrote the statement,
 * which then writes more of them where several are held against each other. */
#include "agents/graph_files/node_types.h"
#include "agents/nodes/ask.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/run_sql.h"

enum {
    TEXT = 1u << SLOT_TEXT,
    JSON = 1u << SLOT_JSON,
    BOOL = 1u << SLOT_BOOL,
    INT = 1u << SLOT_INT,
    MAX_CLEARED = 8,
};

struct run_file {
    struct run_sql_config run; /* first: nodes see it as their config */
    struct slot_ref cleared[MAX_CLEARED];
    size_t cleared_count;
};

/* ---- at run time ---- */

/* Another statement than the one that was written ran: what was said of that one is void. */
static void clear_replaced(struct node *node, const struct run_sql_done *done)
{
    const struct run_file *file = node_config(node);
    for (size_t i = 0; done->is_replaced && i < file->cleared_count; i++)
        node_clear(node, slot_index(file->cleared[i]));
}

/* ---- at load ---- */

/* A budget of "budget", which counts how often the model was asked again. */
static bool read_tries(struct graph_reader *r, const struct json_value *object,
                       struct check_sql_config *check)
{
    struct str name = graph_reader_text(r, object, "budget", false);
    if (str_is_absent(name))
        return graph_reader_ok(r) &&
               (!slot_is_named(check->doubt_slot) ||
                graph_reader_fail(r, "doubt",
                                  "expected a \"budget\", of which a doubt takes a "
                                  "turn"));
    if (!graph_reader_budget_named(r, name, &check->tries_budget))
        return false;
    check->tries_slot = r->budgets[check->tries_budget].counter_slot;
    return true;
}

static bool read_rules(struct graph_reader *r, const struct json_value *object,
                       struct check_sql_config *check)
{
    struct str rules = graph_reader_text(r, object, "rules", false);
    check->banking = str_equal(rules, STR("banking"));
    return str_is_absent(rules) || check->banking ||
           graph_reader_fail(r, "rules", "expected banking, got '%.*s'", STR_ARG(rules));
}

static bool read_check(struct graph_reader *r, const struct json_value *object, unsigned index,
                       struct graph_node *node)
{
    struct check_sql_config *check = arena_alloc(r->json.arena, sizeof *check);
    if (check == NULL)
        return graph_reader_no_memory(r);
    node->type = &check_sql_node;
    node->config = check;
    check->sql_slot = graph_reader_output(r, object, "statement", true, TEXT, index);
    check->valid_slot = graph_reader_output(r, object, "valid", true, TEXT, index);
    check->error_slot = graph_reader_output(r, object, "error", true, TEXT, index);
    check->list_slot = graph_reader_output(r, object, "errors", false, JSON, index);
    check->warnings_slot = graph_reader_output(r, object, "warnings", false, JSON, index);
    check->flag_slot = graph_reader_output(r, object, "passed", false, BOOL, index);
    check->tables_slot = graph_reader_output(r, object, "tables", false, JSON, index);
    check->question_slot = graph_reader_slot(r, object, "question", false, TEXT);
    check->messages_slot = graph_reader_slot(r, object, "messages", false, 1u << SLOT_LIST);
    check->repairs_slot = graph_reader_list(r, object, "repairs", false, index);
    check->notes_slot = graph_reader_output(r, object, "notes", false, JSON, index);
    check->doubt_slot = graph_reader_output(r, object, "doubt", false, TEXT, index);
    check->warn_unknown_table = graph_reader_flag(r, object, "warn_unknown_table");
    if (slot_is_named(check->notes_slot) && !slot_is_named(check->repairs_slot))
        return graph_reader_fail(r, "notes", "expected \"repairs\", of which notes are made");
    return graph_reader_ok(r) && read_rules(r, object, check) && read_tries(r, object, check);
}

/* A run_sql node may write what its guard writes: a person's edit passes it there. */
static void share_writers(struct graph_reader *r, const struct check_sql_config *check,
                          unsigned index)
{
    const struct slot_ref shared[] = {check->sql_slot,    check->valid_slot,    check->error_slot,
                                      check->list_slot,   check->warnings_slot, check->flag_slot,
                                      check->tables_slot, check->notes_slot};
    for (size_t i = 0; i < countof(shared); i++)
        if (slot_is_named(shared[i]))
            r->slots[slot_index(shared[i])].writers |= SLOT_WRITER(index);
}

const struct check_sql_config *type_check_sql_find(struct graph_reader *r, const char *member,
                                                   struct str name)
{
    unsigned at;
    if (!graph_reader_node_named(r, member, name, &at))
        return NULL;
    if (r->nodes[at].type == &check_sql_node)
        return r->nodes[at].config;
    graph_reader_fail(r, member, "'%.*s' is no check_sql node", STR_ARG(name));
    return NULL;
}

static bool read_cleared(struct graph_reader *r, const struct json_value *object, unsigned index,
                         struct run_file *file)
{
    const struct json_value *list = graph_reader_array(r, object, "clear_replaced", false);
    size_t mark = graph_reader_enter(r, STR("clear_replaced"));
    for (const struct json_value *item = list == NULL ? NULL : list->first; item != NULL;
         item = item->next) {
        if (item->type != JSON_STRING || file->cleared_count == MAX_CLEARED)
            return graph_reader_fail(r, NULL, "expected at most %d names of fields", MAX_CLEARED);
        struct slot_ref slot = graph_reader_slot_named(r, NULL, item->text);
        if (!slot_is_named(slot))
            return false;
        r->slots[slot_index(slot)].writers |= SLOT_WRITER(index);
        file->cleared[file->cleared_count++] = slot;
    }
    graph_reader_leave(r, mark);
    if (file->cleared_count > 0)
        file->run.after = clear_replaced;
    return graph_reader_ok(r);
}

static bool read_run(struct graph_reader *r, const struct json_value *object, unsigned index,
                     struct graph_node *node)
{
    struct run_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL)
        return graph_reader_no_memory(r);
    struct run_sql_config *run = &file->run;
    run->result_slot = graph_reader_output(r, object, "result", true, JSON, index);
    run->error_slot = graph_reader_output(r, object, "error", true, TEXT, index);
    run->shown_slot = graph_reader_output(r, object, "shown", false, JSON, index);
    run->columns_slot = graph_reader_output(r, object, "columns", false, JSON, index);
    run->done_slot = graph_reader_output(r, object, "done", false, BOOL, index);
    run->count_slot = graph_reader_output(r, object, "row_count", false, INT, index);
    run->warnings_slot = graph_reader_output(r, object, "warnings", false, JSON, index);
    run->timeout_slot = graph_reader_output(r, object, "timed_out", false, BOOL, index);
    run->clear_sql = graph_reader_flag(r, object, "clear_statement");
    run->error_in_result = graph_reader_flag(r, object, "error_in_result");
    node->type = &run_sql_node;
    node->config = r->linked[index] = file;
    node->tool = true;
    return graph_reader_ok(r) && read_cleared(r, object, index, file);
}

static bool link_generate(struct graph_reader *r, const struct json_value *object,
                          struct run_sql_config *run)
{
    unsigned at;
    struct str name = graph_reader_text(r, object, "generate", false);
    if (str_is_absent(name))
        return graph_reader_ok(r);
    if (!graph_reader_node_named(r, "generate", name, &at))
        return false;
    run->generate = r->nodes[at].type == &ask_node ? r->nodes[at].config : NULL;
    return run->generate != NULL ||
           graph_reader_fail(r, "generate", "'%.*s' is no ask node", STR_ARG(name));
}

static bool link_run(struct graph_reader *r, const struct json_value *object, unsigned index)
{
    struct run_file *file = r->linked[index];
    struct str check = graph_reader_text(r, object, "check", true);
    if (!graph_reader_ok(r))
        return false;
    file->run.guard = type_check_sql_find(r, "check", check);
    if (file->run.guard == NULL)
        return false;
    file->run.sql_slot = file->run.guard->valid_slot;
    /* A statement that passed has cleared the error of its guard already. */
    file->run.clear_error =
        slot_index(file->run.error_slot) != slot_index(file->run.guard->error_slot);
    share_writers(r, file->run.guard, index);
    return link_generate(r, object, &file->run);
}

const struct node_type type_check_sql_node = {
    "check_sql",
    {"statement", "valid", "error", "errors", "warnings", "passed", "tables", "question",
     "messages", "repairs", "notes", "doubt", "budget", "rules", "warn_unknown_table"},
    read_check,
};
const struct node_type type_check_sql_run_node = {
    "run_sql",
    {"check", "generate", "result", "error", "shown", "columns", "done", "row_count", "warnings",
     "timed_out", "clear_statement", "error_in_result", "clear_replaced"},
    read_run,
    link_run,
};

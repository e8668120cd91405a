/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_agent.c - "agent": a model that takes turns with tools, as a graph of
 * its own inside the node.
 *
 * Happy path: the fields that its prompt names are copied in, the nodes of agents/agent take turns
 * there, and what they found is copied into the fields that the file names. The graph is made when
 * the file is read. Failure: a mistake of the file; a model that fails ends the node; a spent
 * budget ends in an answer with what there is, and "spent" says which it was. */
#include <string.h>

#include "agents/agent/calls.h"
#include "agents/agent/turn.h"
#include "agents/common/prompt.h"
#include "agents/graph_files/graph_fields.h"
#include "agents/graph_files/node_types.h"
#include "agents/nodes/check_sql.h"
#include "agents/tools/graph.h"
#include "agents/tools/list.h"

enum { TURN, CALLS, ASK, NODE_COUNT };
enum { TURNS, LAST_TURNS, BUDGET_COUNT };
enum { MAX_TOOLS = 32, MAX_TURNS = 100, USUAL_TURNS = 15 };
enum { MAX_TOKENS = 100000000, USUAL_TOKENS = 400000, MAX_SECONDS = 3600, USUAL_SECONDS = 180 };
enum { MAX_TOOL_NAME = 64, MAX_RUNS = 1000, MAX_COST = 1000000 };

/* The fields of the graph inside, behind the copies of those outside. */
enum field {
    QUESTION,
    ANSWER,
    DATA,
    SQL,
    TABLES,
    CHART,
    CLARIFY,
    STATEMENTS,
    TRANSCRIPT,
    PENDING,
    CALLED,
    TOKENS,
    MS,
    COST,
    REASON,
    TURN_COUNT,
    LAST_TURN_COUNT,
    FIELD_COUNT
};

static const struct slot fields[FIELD_COUNT] = {
    [QUESTION] = {"question", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [ANSWER] = {"answer", SLOT_TEXT, .writers = SLOT_WRITER(TURN) | SLOT_WRITER(CALLS)},
    [DATA] = {"data", SLOT_JSON, .writers = SLOT_WRITER(CALLS)},
    [SQL] = {"sql", SLOT_TEXT, .writers = SLOT_WRITER(CALLS)},
    [TABLES] = {"tables", SLOT_JSON, .writers = SLOT_WRITER(CALLS)},
    [CHART] = {"chart", SLOT_JSON, .writers = SLOT_WRITER(CALLS)},
    [CLARIFY] = {"clarify", SLOT_JSON, .writers = SLOT_WRITER(CALLS)},
    [STATEMENTS] = {"statements", SLOT_LIST, REDUCE_APPEND, SLOT_WRITER(CALLS)},
    [TRANSCRIPT] = {"transcript", SLOT_LIST, REDUCE_APPEND, SLOT_WRITER(TURN) | SLOT_WRITER(CALLS)},
    [PENDING] = {"pending_calls", SLOT_INT, .writers = SLOT_WRITER(TURN)},
    [CALLED] = {"calls", SLOT_INT, REDUCE_ADD, SLOT_WRITER(CALLS)},
    [TOKENS] = {"tokens", SLOT_INT, REDUCE_ADD, SLOT_WRITER(TURN)},
    [MS] = {"ms", SLOT_INT, REDUCE_ADD, SLOT_WRITER(TURN) | SLOT_WRITER(CALLS)},
    [COST] = {"cost", SLOT_REAL, REDUCE_ADD, SLOT_WRITER(TURN)},
    [REASON] = {"spent", SLOT_TEXT, .writers = SLOT_WRITER(CALLS)},
    [TURN_COUNT] = {"turns", SLOT_INT, .writers = SLOT_WRITER_INPUT},
    [LAST_TURN_COUNT] = {"last_turns", SLOT_INT, .writers = SLOT_WRITER_INPUT},
};

static const struct check_sql_config guard = {.banking = false};

/* The graph inside while it is made, and for as long as the definition lives. */
struct agent_file {
    struct agent_config agent;
    struct graph_def def;
    struct slot slots[GRAPH_READER_SLOTS];
    size_t slot_count, copied_count;
    struct graph_node nodes[NODE_COUNT];
    struct graph_budget budgets[BUDGET_COUNT];
    struct graph_pass in[GRAPH_READER_SLOTS], out[FIELD_COUNT];
    const char *tools[MAX_TOOLS + 1], *asking[MAX_TOOLS + 1];
    struct tools_graph graphs[GRAPH_MAX_INNER];
    const struct tool *graph_tools[GRAPH_MAX_INNER + 1];
    const struct graph_def *inner[GRAPH_MAX_INNER + 1];
    size_t tool_count, asking_count, graph_count;
};

/* ---- at run time ---- */

static const char *route_turn(const struct graph_node *node, const struct state *state,
                              const struct graph *graph UNUSED)
{
    return agent_turn_route(node->config, state);
}

static const char *route_calls(const struct graph_node *node, const struct state *state,
                               const struct graph *graph UNUSED)
{
    return agent_calls_route(node->config, state);
}

/* The question back to the user is what the agent has to say: nobody has said it yet. */
static enum step ask_enter_user(struct node *node)
{
    const struct agent_config *agent = node_config(node);
    if (agent->ask.final_channel)
        node_emit_token(node, EVENT_FINAL_CHANNEL, node_str(node, slot_index(agent->answer_slot)));
    return STEP_DONE;
}

static const struct graph_node_type ask_user_node = {.enter = ask_enter_user};

static const struct graph_edge edges[] = {
    {GRAPH_START, TURN},
    {TURN, CALLS, "tools"},
    {TURN, GRAPH_END, "done"},
    {CALLS, TURN, "again", 1 + TURNS},
    {CALLS, TURN, "spent", 1 + LAST_TURNS},
    {CALLS, ASK, "asked"},
    {ASK, GRAPH_END},
};

/* ---- at load: the fields ---- */

/* Copy the field of the state called name in, once. False: there is no such field. */
static bool copy_in(struct graph_reader *r, struct agent_file *file, struct str name)
{
    for (size_t i = 0; i < file->copied_count; i++)
        if (str_equal(str_of(file->slots[i].name), name))
            return true;
    for (unsigned i = 0; i < r->slot_count; i++) {
        if (!str_equal(str_of(r->slots[i].name), name))
            continue;
        struct slot *slot = &file->slots[file->copied_count];
        *slot = r->slots[i];
        slot->writers = SLOT_WRITER_INPUT;
        slot->reducer = slot->type == SLOT_LIST ? REDUCE_APPEND : REDUCE_REPLACE;
        file->in[file->copied_count] = (struct graph_pass){i, (unsigned)file->copied_count};
        file->copied_count++;
        return true;
    }
    return false;
}

/* Copy in what the prompt and the node's "fields" and "messages" name. What is no field is a fact,
 * or a mistake that is told where the name is bound. False: too many. */
static bool copy_named(struct graph_reader *r, const struct json_value *object,
                       const struct prompt *prompt, struct agent_file *file)
{
    const struct json_value *more = json_value_member(object, STR("fields"));
    struct str messages = graph_reader_text(r, object, "messages", false);
    const size_t most = GRAPH_READER_SLOTS - FIELD_COUNT;
    for (size_t i = 0; !str_is_absent(prompt_field(prompt, i)) && file->copied_count < most; i++)
        (void)copy_in(r, file, prompt_field(prompt, i));
    if (more != NULL && more->type == JSON_OBJECT)
        JSON_EACH(field, more) {
            const struct json_value *of = field->type == JSON_OBJECT ? field->first : NULL;
            if (of != NULL && of->type == JSON_STRING && file->copied_count < most)
                (void)copy_in(r, file, of->text);
        }
    if (!str_is_absent(messages) && file->copied_count < most)
        (void)copy_in(r, file, messages);
    return file->copied_count < most ||
           graph_reader_fail(r, NULL, "the prompt names more than %zu fields", most - 1);
}

/* The reader as it is inside: its fields are those of the graph inside. */
static struct graph_reader step_inside(const struct graph_reader *r, struct agent_file *file)
{
    struct graph_reader inside = *r;
    inside.slots = file->slots;
    inside.slot_count = file->copied_count;
    return inside;
}

static bool read_prompt(struct graph_reader *r, const struct json_value *object,
                        struct agent_file *file)
{
    struct ask_config *ask = &file->agent.ask;
    ask->own_prompt = type_ask_prompt(r, object);
    if (ask->own_prompt == NULL || !copy_named(r, object, ask->own_prompt, file))
        return false;
    struct graph_reader inside = step_inside(r, file);
    const struct json_value *more = graph_reader_object(&inside, object, "fields", false);
    bool ok = graph_fields_bind(&inside, ask->own_prompt, more, ask->fields);
    ask->messages_slot = graph_reader_slot(&inside, object, "messages", false, 1u << SLOT_LIST);
    r->json.failed = inside.json.failed;
    return ok && graph_reader_ok(r);
}

static void add_fields(struct agent_file *file)
{
    struct agent_config *agent = &file->agent;
    size_t first = file->copied_count;
    memcpy(&file->slots[first], fields, sizeof fields);
    file->slot_count = first + FIELD_COUNT;
    agent->question_slot = (struct slot_ref)SLOT(first + QUESTION);
    agent->transcript_slot = (struct slot_ref)SLOT(first + TRANSCRIPT);
    agent->pending_slot = (struct slot_ref)SLOT(first + PENDING);
    agent->called_slot = (struct slot_ref)SLOT(first + CALLED);
    agent->tokens_slot = (struct slot_ref)SLOT(first + TOKENS);
    agent->ms_slot = (struct slot_ref)SLOT(first + MS);
    agent->cost_slot = (struct slot_ref)SLOT(first + COST);
    agent->reason_slot = (struct slot_ref)SLOT(first + REASON);
    agent->answer_slot = (struct slot_ref)SLOT(first + ANSWER);
    agent->statements_slot = (struct slot_ref)SLOT(first + STATEMENTS);
    agent->sql_slot = (struct slot_ref)SLOT(first + SQL);
    agent->data_slot = (struct slot_ref)SLOT(first + DATA);
    agent->tables_slot = (struct slot_ref)SLOT(first + TABLES);
    agent->chart_slot = (struct slot_ref)SLOT(first + CHART);
    agent->clarify_slot = (struct slot_ref)SLOT(first + CLARIFY);
}

static bool pass_question(struct graph_reader *r, const struct json_value *object,
                          struct agent_file *file, struct graph_node *node)
{
    struct slot_ref question = graph_reader_slot(r, object, "question", true, 1u << SLOT_TEXT);
    if (!slot_is_named(question))
        return false;
    file->in[file->copied_count] =
        (struct graph_pass){slot_index(question), slot_index(file->agent.question_slot)};
    node->in = file->in;
    node->in_count = file->copied_count + 1;
    return true;
}

static bool pass_results(struct graph_reader *r, const struct json_value *object, unsigned index,
                         struct agent_file *file, struct graph_node *node)
{
    static const struct {
        const char *member;
        enum field field;
    } results[] = {
        {"output", ANSWER}, {"data", DATA},       {"sql", SQL},      {"tables", TABLES},
        {"chart", CHART},   {"clarify", CLARIFY}, {"spent", REASON}, {"statements", STATEMENTS},
    };
    size_t first = file->copied_count;
    for (size_t i = 0; i < countof(results); i++) {
        enum field inner = results[i].field;
        struct slot_ref slot = graph_reader_output(r, object, results[i].member, inner == ANSWER,
                                                   1u << fields[inner].type, index);
        if (slot_is_named(slot))
            file->out[node->out_count++] =
                (struct graph_pass){slot_index(slot), (unsigned)(first + inner)};
    }
    node->out = file->out;
    return graph_reader_ok(r);
}

/* ---- at load: tools and budgets ---- */

static bool is_named(const struct agent_file *file, struct str name)
{
    for (size_t i = 0; i < file->tool_count; i++)
        if (str_equal(str_of(file->tools[i]), name))
            return true;
    for (size_t i = 0; i < file->graph_count; i++)
        if (str_equal(str_of(file->graphs[i].tool.name), name))
            return true;
    return false;
}

/* A tool of askd or of ASKD_TOOLS, by its name. */
static bool read_tool(struct graph_reader *r, struct str name, struct agent_file *file)
{
    const struct tool *tool = tools_list_find(name);
    struct buf known;
    bool is_outside = tool == NULL && r->has_tool != NULL && r->has_tool(r->tools, name);
    if (tool == NULL && !is_outside) {
        buf_init(&known, ERR_TEXT_BYTES);
        tools_list_write(&known);
        graph_reader_fail(r, NULL, "there is no tool '%.*s'; there are: %.*s", STR_ARG(name),
                          STR_ARG(buf_str(&known)));
        buf_fini(&known);
        return false;
    }
    if (is_named(file, name))
        return graph_reader_fail(r, NULL, "'%.*s' is named twice", STR_ARG(name));
    file->tools[file->tool_count] = is_outside ? arena_cstr(r->json.arena, name) : tool->name;
    return file->tools[file->tool_count++] != NULL || graph_reader_no_memory(r);
}

static bool is_tool_name(struct str name)
{
    bool is_fine = name.len > 0 && name.len <= MAX_TOOL_NAME;
    for (size_t i = 0; i < name.len && is_fine; i++)
        is_fine = str_is_alpha(name.at[i]) || str_is_digit(name.at[i]) || name.at[i] == '_' ||
                  name.at[i] == '-';
    return is_fine;
}

/* A tool with more to say of it: {"tool","confirm"}. */
static bool read_marked_tool(struct graph_reader *r, const struct json_value *object,
                             struct agent_file *file)
{
    static const char *const members[] = {"tool", "confirm", NULL};
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    struct str name = graph_reader_text(r, object, "tool", true);
    bool asks = graph_reader_flag(r, object, "confirm");
    if (!graph_reader_ok(r) || !read_tool(r, name, file))
        return false;
    if (asks)
        file->asking[file->asking_count++] = file->tools[file->tool_count - 1];
    return true;
}

/* Another graph: {"graph","as","description","seconds","runs","confirm"}. */
static bool read_graph_tool(struct graph_reader *r, const struct json_value *object,
                            struct agent_file *file)
{
    static const char *const members[] = {"graph", "as",      "description", "seconds",
                                          "runs",  "confirm", NULL};
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    if (file->graph_count == GRAPH_MAX_INNER - 1)
        return graph_reader_fail(r, NULL, "more than %d graphs", GRAPH_MAX_INNER - 1);
    struct tools_graph *graph = &file->graphs[file->graph_count];
    graph->entry = type_graph_find(r, object, "graph");
    if (graph->entry == NULL)
        return false;
    const struct graph_def *def = graph->entry->def;
    const char *name = graph_reader_name(r, object, "as", false);
    const char *description = graph_reader_name(r, object, "description", false);
    graph->which = (unsigned)file->graph_count;
    graph->most_ms = 1000 * (uint64_t)graph_reader_int(r, object, "seconds", 1, MAX_SECONDS, 0);
    graph->most_runs = (unsigned)graph_reader_int(r, object, "runs", 1, MAX_RUNS, 0);
    bool asks = graph_reader_flag(r, object, "confirm");
    if (!graph_reader_ok(r))
        return false;
    name = name == NULL ? def->name : name;
    if (!is_tool_name(str_of(name)))
        return graph_reader_fail(r, "as", "'%s' is no name of a tool", name);
    if (is_named(file, str_of(name)))
        return graph_reader_fail(r, NULL, "'%s' is named twice", name);
    if (!tools_graph_make(graph, name, description == NULL ? def->purpose : description,
                          r->json.arena))
        return graph_reader_no_memory(r);
    graph->tool.asks = asks;
    file->inner[file->graph_count] = def;
    file->graph_tools[file->graph_count++] = &graph->tool;
    return true;
}

static bool read_tools(struct graph_reader *r, const struct json_value *object,
                       struct agent_file *file)
{
    const struct json_value *list = graph_reader_array(r, object, "tools", true);
    size_t count = 0, outer = graph_reader_enter(r, STR("tools"));
    if (list == NULL)
        return false;
    if (list->count == 0 || list->count > MAX_TOOLS)
        return graph_reader_fail(r, NULL, "expected one to %d names of tools", MAX_TOOLS);
    JSON_EACH(item, list) {
        size_t mark = graph_reader_enter_item(r, count++);
        struct str name = item->type == JSON_STRING ? item->text : STR("");
        bool is_object = item->type == JSON_OBJECT;
        bool is_marked = json_value_member(item, STR("tool")) != NULL;
        if (is_marked   ? !read_marked_tool(r, item, file)
            : is_object ? !read_graph_tool(r, item, file)
                        : !read_tool(r, name, file))
            return false;
        graph_reader_leave(r, mark);
    }
    graph_reader_leave(r, outer);
    file->agent.tools = file->tools;
    file->agent.asking = file->asking;
    file->agent.graphs = file->graph_tools;
    return true;
}

/* 0: it is not there, or a mistake was noted. */
static double read_cost(struct graph_reader *r, const struct json_value *object)
{
    const struct json_value *cost = json_value_member(object, STR("cost"));
    if (cost == NULL)
        return 0;
    bool is_number = cost->type == JSON_INT || cost->type == JSON_DOUBLE;
    if (is_number && cost->number > 0 && cost->number <= MAX_COST)
        return cost->number;
    graph_reader_fail(r, "cost", "expected a number above 0, at most %d", MAX_COST);
    return 0;
}

static void read_budgets(struct graph_reader *r, const struct json_value *object,
                         struct agent_file *file)
{
    struct agent_config *agent = &file->agent;
    size_t first = file->copied_count;
    unsigned turns = (unsigned)graph_reader_int(r, object, "turns", 1, MAX_TURNS, USUAL_TURNS);
    agent->most_tokens =
        (uint64_t)graph_reader_int(r, object, "tokens", 1, MAX_TOKENS, USUAL_TOKENS);
    agent->most_ms =
        1000 * (uint64_t)graph_reader_int(r, object, "seconds", 1, MAX_SECONDS, USUAL_SECONDS);
    agent->most_cost = read_cost(r, object);
    agent->turns_budget = TURNS;
    file->budgets[TURNS] = (struct graph_budget){"turns", SLOT(first + TURN_COUNT),
                                                 .limit = turns - 1, .is_turn = true};
    file->budgets[LAST_TURNS] =
        (struct graph_budget){"last_turn", SLOT(first + LAST_TURN_COUNT), SLOT(first + REASON), 1};
    file->def.recursion_limit = 2 * (turns + 1) + 2;
}

static void make_graph(struct agent_file *file)
{
    struct graph_def *def = &file->def;
    const struct agent_config *agent = &file->agent;
    file->nodes[TURN] = (struct graph_node){.name = "agent",
                                            .type = &agent_turn_node,
                                            .config = agent,
                                            .route_by = route_turn,
                                            .labels = {"tools", "done"}};
    file->nodes[CALLS] = (struct graph_node){.name = "tools",
                                             .type = &agent_calls_node,
                                             .config = agent,
                                             .inner = file->inner,
                                             .route_by = route_calls,
                                             .labels = {"again", "spent", "asked"}};
    file->nodes[ASK] =
        (struct graph_node){.name = "ask_user", .type = &ask_user_node, .config = agent};
    def->purpose = "A model that takes turns with tools.";
    def->schema = (struct schema){file->slots, file->slot_count};
    def->nodes = file->nodes;
    def->node_count = NODE_COUNT;
    def->edges = edges;
    def->edge_count = countof(edges);
    def->budgets = file->budgets;
    def->budget_count = BUDGET_COUNT;
}

static bool read(struct graph_reader *r, const struct json_value *object, unsigned index,
                 struct graph_node *node)
{
    struct agent_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL)
        return graph_reader_no_memory(r);
    struct ask_config *ask = &file->agent.ask;
    file->agent.guard = &guard;
    file->def.name = arena_printf(r->json.arena, "%s.%s", r->graph, node->name).at;
    ask->task = graph_reader_name(r, object, "task", false);
    if (ask->task == NULL)
        ask->task = node->name;
    ask->final_channel = graph_reader_flag(r, object, "answer");
    file->agent.with_client_tools = graph_reader_flag(r, object, "client_tools");
    r->takes_client_tools = r->takes_client_tools || file->agent.with_client_tools;
    if (!graph_reader_ok(r) || !read_tools(r, object, file) || !read_prompt(r, object, file))
        return false;
    if (file->def.name == NULL)
        return graph_reader_no_memory(r);
    add_fields(file);
    read_budgets(r, object, file);
    make_graph(file);
    node->sub = &file->def;
    return pass_question(r, object, file, node) && pass_results(r, object, index, file, node);
}

const struct node_type type_agent_node = {
    "agent",
    {"prompt", "prompt_file", "fields",  "task",   "messages",     "question", "tools", "turns",
     "tokens", "seconds",     "cost",    "answer", "client_tools", "output",   "data",  "sql",
     "tables", "chart",       "clarify", "spent",  "statements",   "citations"},
    read,
};

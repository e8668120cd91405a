/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_registry.c - one operation that ticks, one node that waits for it. */
#include "tests/lib/fake_registry.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "core/run/update.h"
#include "proto/json_write.h"

enum { MESSAGE, ANSWER, SLOT_COUNT };
enum { MAX_TOKEN = 4096 };

struct ticks {
    struct op op;
    struct timer timer;
    struct loop_task task; /* instead of the timer when every_ms is 0 */
    uint64_t left, every_ms, bytes, sent;
    bool stalls;
};

struct talk {
    struct ticks ticks;
    bool fails;
};

static uint64_t stall_at; /* fake_registry_stall_at */

static void on_timer(struct timer *timer);
static void on_task(struct loop_task *task);

static void stop_ticks(struct ticks *ticks)
{
    timer_stop(&ticks->timer);
    loop_unpost(&ticks->task);
}

static void start_ticks(struct ticks *ticks)
{
    if (ticks->every_ms == 0)
        loop_post(ticks->op.loop, &ticks->task, on_task);
    else if (!timer_is_running(&ticks->timer))
        timer_start(&ticks->timer, ticks->op.loop, ticks->every_ms, on_timer);
}

static void cancel_ticks(struct op *op)
{
    struct ticks *ticks = container_of(op, struct ticks, op);
    stop_ticks(ticks);
    if (!op_is_finishing(op))
        op_finish(op, ERR_CANCELLED, "cancelled");
}

static void hold_ticks(struct op *op)
{
    stop_ticks(container_of(op, struct ticks, op));
}

static void go_ticks(struct op *op)
{
    struct ticks *ticks = container_of(op, struct ticks, op);
    if (!op_is_finishing(op))
        start_ticks(ticks);
}

static const struct op_kind ticks_kind = {
    .name = "llm.fake", .cancel = cancel_ticks, .hold = hold_ticks, .go = go_ticks};

void fake_registry_stall_at(uint64_t tokens)
{
    stall_at = tokens;
}

static void tick(struct ticks *ticks)
{
    char text[MAX_TOKEN];
    if (stall_at > 0 && ticks->sent == stall_at)
        return;
    if (ticks->left == 0) {
        if (!ticks->stalls)
            op_finish(&ticks->op, ERR_OK, "%s", "");
        return;
    }
    int len = snprintf(text, sizeof text, "t%llu ", (unsigned long long)ticks->sent++);
    size_t size = size_max((size_t)len, size_min(ticks->bytes, sizeof text));
    memset(text + len, 'x', size - (size_t)len);
    ticks->left--;
    node_emit_token(node_of(&ticks->op), EVENT_FINAL_CHANNEL, str_make(text, size));
    if (!op_is_held(&ticks->op))
        start_ticks(ticks);
}

static void on_timer(struct timer *timer)
{
    tick(container_of(timer, struct ticks, timer));
}

static void on_task(struct loop_task *task)
{
    tick(container_of(task, struct ticks, task));
}

static uint64_t next_number(struct str *rest)
{
    uint64_t value = 0;
    struct str word = str_split(rest, ' ');
    return str_to_u64(word, &value) ? value : 0;
}

static node_fn finish_talk;

static enum step talk_on(struct node *node, struct str rest)
{
    struct talk *f = node_frame(node);
    f->ticks.left = next_number(&rest);
    f->ticks.every_ms = next_number(&rest);
    f->ticks.bytes = next_number(&rest);
    op_begin(&f->ticks.op, &ticks_kind, node_loop(node), node_waiter(node));
    start_ticks(&f->ticks);
    return node_await(node, finish_talk);
}

static enum step ask_person(struct node *node, struct str rest)
{
    struct str said = node_resume(node);
    if (str_is_absent(said))
        return node_interrupt(node, STR("\"type\":\"question\",\"text\":\"may I?\""));
    node_emit_token(node, EVENT_FINAL_CHANNEL, said);
    if (rest.len > 0)
        return talk_on(node, rest);
    node_put_str(node, ANSWER, said);
    return STEP_DONE;
}

static enum step enter_talk(struct node *node)
{
    struct talk *f = node_frame(node);
    struct str rest = node_str(node, MESSAGE), verb = str_split(&rest, ' ');
    if (str_equal(verb, STR("pause")))
        return ask_person(node, rest);
    bool streams = str_equal(verb, STR("stream"));
    f->fails = str_equal(verb, STR("fail"));
    f->ticks.stalls = str_equal(verb, STR("stall"));
    if (!streams && !f->fails && !f->ticks.stalls) {
        node_emit_token(node, EVENT_FINAL_CHANNEL, node_str(node, MESSAGE));
        node_put_str(node, ANSWER, node_str(node, MESSAGE));
        return STEP_DONE;
    }
    return talk_on(node, rest);
}

static enum step finish_talk(struct node *node)
{
    struct talk *f = node_frame(node);
    struct err err;
    if (f->fails) {
        err_set(&err, ERR_UNAVAILABLE, "the fake model is not there");
        return node_fail_as(node, "model_unavailable", &err);
    }
    node_put_str(node, ANSWER, STR("done"));
    return STEP_DONE;
}

static enum step finish_remembering(struct node *node)
{
    (void)node;
    return STEP_DONE;
}

static enum step enter_remembering(struct node *node)
{
    struct talk *f = node_frame(node);
    f->ticks.every_ms = FAKE_REMEMBER_MS;
    op_begin(&f->ticks.op, &ticks_kind, node_loop(node), node_waiter(node));
    start_ticks(&f->ticks);
    return node_await(node, finish_remembering);
}

static const struct slot slots[SLOT_COUNT] = {
    [MESSAGE] = {"message", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [ANSWER] = {"answer", SLOT_TEXT, .writers = SLOT_WRITER(0)},
};
static const struct graph_node_type talk_node = {enter_talk, sizeof(struct talk)};
static const struct graph_node_type remembering_node = {enter_remembering, sizeof(struct talk)};
static const struct graph_node nodes[] = {{"talk", &talk_node, .tool = true},
                                          {"remember", &remembering_node, .background = true}};
static const struct graph_edge edges[] = {{GRAPH_START, 0}, {0, GRAPH_END}};
static const struct graph_edge remembering_edges[] = {{GRAPH_START, 0}, {0, 1}, {1, GRAPH_END}};

#define FAKE_GRAPH(title, count, table)                                                            \
    {                                                                                              \
        .name = title, .purpose = "Does what it is told.", .schema = {slots, SLOT_COUNT},          \
        .nodes = nodes, .node_count = count, .edges = table, .edge_count = countof(table),         \
    }

static const struct graph_def defs[] = {
    FAKE_GRAPH("orchestrator", 1, edges),
    FAKE_GRAPH("banking", 1, edges),
    [FAKE_REMEMBERING] = FAKE_GRAPH("remembering", 2, remembering_edges),
};

enum err_code registry_begin(const struct registry_entry *entry, struct update *input,
                             const struct session *session, struct err *err)
{
    if (str_equal(session->message, STR("refuse")))
        return err_set(err, ERR_INVALID, "refused as asked");
    update_put_str(input, entry->question, session->message);
    return ERR_OK;
}

static void write_answer(const struct state *state, const struct str *error, struct buf *out)
{
    struct json_write json;
    struct str answer = state == NULL ? (struct str){NULL, 0} : state_str(state, ANSWER);
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_raw(&json, STR("validated_sql"), STR("null"));
    json_write_member_raw(&json, STR("execution_result"), STR("null"));
    json_write_member_str(&json, STR("summary"), answer);
    json_write_member_raw(&json, STR("chart_suggestion"), STR("null"));
    json_write_key(&json, STR("error"));
    if (error == NULL)
        json_write_null(&json);
    else
        json_write_str(&json, *error);
    json_write_object_end(&json);
}

static const struct registry_entry entries[] = {
    {&defs[0], MESSAGE, NULL, NULL},
    {&defs[1], MESSAGE, NULL, write_answer},
    [FAKE_REMEMBERING] = {&defs[FAKE_REMEMBERING], MESSAGE, NULL, NULL},
};

struct registry {
    struct graph *graphs[countof(entries)];
};

enum err_code registry_create(const struct limits *limits, struct registry **out, struct err *err)
{
    struct registry *registry = mem_zalloc(1, sizeof *registry);
    (void)limits;
    if (registry == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory");
    for (size_t i = 0; i < countof(entries); i++)
        if (graph_compile(entries[i].def, NULL, 0, &registry->graphs[i], err) != ERR_OK) {
            registry_destroy(registry);
            return err->code;
        }
    *out = registry;
    return ERR_OK;
}

void registry_destroy(struct registry *registry)
{
    if (registry == NULL)
        return;
    for (size_t i = 0; i < countof(entries); i++)
        graph_destroy(registry->graphs[i]);
    mem_free(registry);
}

size_t registry_count(const struct registry *registry)
{
    (void)registry;
    return countof(entries);
}

const struct graph *registry_graph(const struct registry *registry, size_t i)
{
    return registry->graphs[i];
}

const struct registry_entry *registry_entry(const struct registry *registry, size_t i)
{
    (void)registry;
    return &entries[i];
}

void registry_know_tools(struct registry *registry,
                         bool (*has_tool)(const void *tools, struct str name), const void *tools)
{
    (void)registry;
    (void)has_tool;
    (void)tools;
}

enum err_code registry_load_files(struct registry *registry, const char *path, size_t *changed,
                                  struct err *err)
{
    (void)registry;
    (void)changed;
    return err_set(err, ERR_NOT_FOUND, "%s: the fake graphs are in no file", path);
}

bool registry_is_listed(const struct registry *registry, size_t i)
{
    (void)registry;
    return !entries[i].is_tool;
}

int registry_find(const struct registry *registry, struct str name)
{
    (void)registry;
    for (size_t i = 0; i < countof(entries); i++)
        if (str_equal(str_of(entries[i].def->name), name))
            return (int)i;
    return -1;
}

/* Graphs of this registry are of no files. */
int registry_find_definition(const struct registry *registry, struct str name, uint64_t hash,
                             struct err *err)
{
    int place = hash == 0 ? registry_find(registry, name) : -1;
    if (place < 0)
        err_set(err, ERR_GONE, "there is no graph '%.*s' any more", STR_ARG(name));
    return place;
}

void registry_describe(const struct state *state, uint64_t mask, struct buf *members)
{
    (void)state;
    (void)mask;
    buf_push(members, STR("\"fake\":true"));
}

void registry_write_definition(const struct graph *graph, struct buf *out)
{
    buf_printf(out, "{\"name\":\"%s\"}", graph_def(graph)->name);
}

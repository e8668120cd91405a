/* SPDX-License-Identifier: MIT */
/* bench/micro.c - what the stations of the road cost alone: nanoseconds and allocations per step.
 *
 *   micro [--ms N]   (how long each is measured; default 200)
 * Each row is a function that does its thing count times; it is run with growing counts until it
 * takes long enough. Allocations are those through core/base/mem on this thread, after a first
 * round that lets buffers grow. No thresholds: figures to compare with the last ones. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/run/event_log.h"
#include "core/run/node.h"
#include "core/run/run.h"
#include "core/loop/timer.h"
#include "proto/json_write.h"
#include "proto/models/openai_answer.h"
#include "proto/sse_read.h"
#include "proto/sse_write.h"

enum { CHAIN_NODES = 8, LOG_BYTES = 64 << 10, ARENA_BYTES = 1 << 20 };

struct micro {
    struct loop *loop;
    struct buf buf, scratch;
    struct event_log *log;
    struct event_reader reader;
    struct sse_read sse;
    struct graph *graph;
    struct op op;
    struct timer timer;
    uint64_t left, seen;
};

typedef void micro_fn(struct micro *micro, uint64_t count);

/* ---- proto ---- */

static void write_json(struct micro *micro, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct json_write writer;
        buf_clear(&micro->buf);
        json_write_init(&writer, &micro->buf);
        json_write_object(&writer);
        json_write_member_str(&writer, STR("event"), STR("token"));
        json_write_member_str(&writer, STR("channel"), STR("final"));
        json_write_member_str(&writer, STR("content"), STR(" technicians"));
        json_write_object_end(&writer);
    }
}

static void write_sse(struct micro *micro, uint64_t count)
{
    static const struct str data =
        STR("{\"event\":\"token\",\"channel\":\"final\",\"content\":\" technicians\"}");
    for (uint64_t i = 0; i < count; i++) {
        buf_clear(&micro->buf);
        sse_write_event(&micro->buf, STR("run_00000000000000000000000000:123"), data);
    }
}

static const struct str chunk = STR(
    "data: {\"id\":\"chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz\",\"object\":\"chat.completion.chunk\","
    "\"created\":1700000000,\"model\":\"gpt-4o-mini-2024-07-18\",\"system_fingerprint\":"
    "\"fp_0123456789\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" technicians\"},"
    "\"logprobs\":null,\"finish_reason\":null}]}\n\n");

static void take_event(void *owner, const struct sse_event *event)
{
    struct micro *micro = owner;
    struct model_answer answer;
    struct err err;
    CHECK(openai_answer_chunk(event->data, &micro->scratch, &answer, &err) == ERR_OK);
    micro->seen += answer.content.len;
}

static void decode_chunk(struct micro *micro, uint64_t count)
{
    struct model_answer answer;
    struct err err;
    struct str data = str_trim(str_from(chunk, 6));
    for (uint64_t i = 0; i < count; i++) {
        CHECK(openai_answer_chunk(data, &micro->scratch, &answer, &err) == ERR_OK);
        micro->seen += answer.content.len;
    }
}

static void read_sse(struct micro *micro, uint64_t count)
{
    struct err err;
    for (uint64_t i = 0; i < count; i++)
        CHECK(sse_read_feed(&micro->sse, chunk, &err) == ERR_OK);
}

/* ---- core ---- */

static void append_and_read(struct micro *micro, uint64_t count)
{
    const struct event token = {
        .kind = EVENT_TOKEN, .number = 1, .name = STR("final"), .text = STR(" technicians")};
    for (uint64_t i = 0; i < count; i++) {
        struct event event;
        uint64_t id = event_log_append(micro->log, &token);
        CHECK(event_log_after(micro->log, id - 1, &event) == ERR_OK);
        micro->seen += event.text.len;
        event_log_advance(micro->log, &micro->reader, id);
    }
    loop_turn(micro->loop, 1);
}

static void on_reader(struct event_reader *reader)
{
    (void)reader;
}

static void cancel_op(struct op *op)
{
    op_finish(op, ERR_CANCELLED, "%s", "cancelled");
}

static const struct op_kind op_kind = {.name = "micro.op", .cancel = cancel_op};

static void on_op_done(struct op *op)
{
    struct micro *micro = op_owner(op);
    micro->seen++;
}

static void run_op(struct micro *micro, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        op_begin(&micro->op, &op_kind, micro->loop,
                 (struct op_waiter){.done = on_op_done, .owner = micro});
        op_finish(&micro->op, ERR_OK, "%s", "");
        loop_turn(micro->loop, 1);
    }
}

static void on_timer(struct timer *timer)
{
    (void)timer;
}

static void start_and_stop_timer(struct micro *micro, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        timer_start(&micro->timer, micro->loop, 1000, on_timer);
        timer_stop(&micro->timer);
    }
}

/* ---- a run: a chain of nodes that each put one number ---- */

static enum step put_number(struct node *node)
{
    node_put_int(node, 0, node_int(node, 0) + 1);
    return STEP_DONE;
}

static const struct graph_node_type put_type = {.enter = put_number};
static const struct slot chain_slots[] = {
    {"number", SLOT_INT, REDUCE_REPLACE, (1U << CHAIN_NODES) - 1}};
static const struct graph_node chain_nodes[CHAIN_NODES] = {
    {"n0", &put_type}, {"n1", &put_type}, {"n2", &put_type}, {"n3", &put_type},
    {"n4", &put_type}, {"n5", &put_type}, {"n6", &put_type}, {"n7", &put_type},
};
static const struct graph_edge chain_edges[] = {
    {GRAPH_START, 0}, {0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, GRAPH_END}};
static const struct graph_def chain = {
    .name = "chain",
    .purpose = "A chain of nodes.",
    .schema = {chain_slots, 1},
    .nodes = chain_nodes,
    .node_count = CHAIN_NODES,
    .edges = chain_edges,
    .edge_count = countof(chain_edges),
};

static void on_run_end(struct run *run)
{
    struct micro *micro = run_owner(run);
    micro->left--;
}

static void run_chain(struct micro *micro, uint64_t count)
{
    static const struct log quiet = {.level = LOG_OFF};
    for (uint64_t i = 0; i < count; i += CHAIN_NODES) {
        struct run *run = run_create(
            &(struct run_options){.loop = micro->loop,
                                  .graph = micro->graph,
                                  .id = id_run(0),
                                  .log = &quiet,
                                  .limits = {.arena_bytes = ARENA_BYTES, .log_bytes = LOG_BYTES},
                                  .on_end = on_run_end,
                                  .owner = micro,
                                  .conversation_id = STR("c")});
        CHECK(run != NULL);
        micro->left = 1;
        run_start(run);
        while (micro->left > 0)
            loop_turn(micro->loop, 1);
        run_destroy(run);
    }
}

/* ---- measuring ---- */

static const struct {
    const char *name;
    micro_fn *fn;
} rows[] = {
    {"json_write: a token event", write_json},
    {"sse_write: its frame", write_sse},
    {"openai_answer: a chunk", decode_chunk},
    {"sse_read + openai_answer: a chunk", read_sse},
    {"event_log: append, read, advance", append_and_read},
    {"op: begin, finish, done (one turn)", run_op},
    {"timer: start, stop", start_and_stop_timer},
    {"run: one node of a chain of 8", run_chain},
};

static void measure(struct micro *micro, const char *name, micro_fn *fn, uint64_t least_ns)
{
    uint64_t count = 8, took_ns = 0, allocations = 0;
    fn(micro, count); /* let buffers grow */
    while (took_ns < least_ns) {
        count *= took_ns * 8 < least_ns ? 8 : 2;
        uint64_t allocations_before = mem_alloc_count(), began_ns = loop_precise_ns();
        fn(micro, count);
        took_ns = loop_precise_ns() - began_ns;
        allocations = mem_alloc_count() - allocations_before;
    }
    printf("%-38s %10.1f ns %8.2f allocations\n", name, (double)took_ns / (double)count,
           (double)allocations / (double)count);
}

int main(int argc, char **argv)
{
    struct micro micro = {.loop = loop_create()};
    uint64_t ms = 200;
    struct err err;
    if (argc == 3 && strcmp(argv[1], "--ms") == 0 && !str_to_u64(str_of(argv[2]), &ms))
        return 2;
    buf_init(&micro.buf, 1 << 20);
    buf_init(&micro.scratch, 1 << 20);
    sse_read_init(&micro.sse, NULL, take_event, &micro);
    micro.log = event_log_create(micro.loop, LOG_BYTES, (struct event_log_hooks){0});
    micro.reader.on_grown = on_reader;
    CHECK(event_log_attach(micro.log, &micro.reader, 0) == ERR_OK);
    if (graph_compile(&chain, NULL, 0, &micro.graph, &err) != ERR_OK) {
        fprintf(stderr, "micro: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < countof(rows); i++)
        measure(&micro, rows[i].name, rows[i].fn, ms * 1000000);
    event_log_detach(micro.log, &micro.reader);
    event_log_destroy(micro.log);
    graph_destroy(micro.graph);
    sse_read_fini(&micro.sse);
    buf_fini(&micro.scratch);
    buf_fini(&micro.buf);
    op_release(&micro.op);
    CHECK(loop_run_dry(micro.loop, 100));
    loop_destroy(micro.loop);
    return micro.seen == 0;
}

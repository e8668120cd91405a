/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_finder.c - simple paths between two tables, cheapest first; and edges that
 * the question names become cheaper.
 *
 * Happy path: from the goal backwards, layer by layer, the least cost of reaching it from each
 * (table, arrived from many) within k hops: Dijkstra's relaxation in rounds, because a limit on
 * hops breaks Dijkstra's own order (a dear short path must stay when a cheap long one is known).
 * Then from the start forwards, partial paths in order of cost so far plus that bound. The bound is
 * exact but for walks that pass a table twice, which the forward search refuses; so whole paths
 * come out in order of cost, hardly anything else is looked at, and equals can be compared.
 * Failure paths: no path: none found. More than JOIN_MAX_LABELS partial paths: the rest is not
 * looked at; what was found is still the cheapest. No memory at creation; a word longer than a stem
 * may be names nothing. */
#include "agents/sql/joins/join_finder.h"

#include <string.h>

#include "agents/sql/joins/join_graph_internal.h"
#include "agents/sql/catalog/naming.h"

void join_heap_push(struct join_finder *finder, uint32_t key, uint32_t value)
{
    CHECK(finder->heap_count < finder->heap_cap);
    uint64_t item = (uint64_t)key << 32 | value, *heap = finder->heap;
    size_t i = finder->heap_count++;
    for (; i > 0 && item < heap[(i - 1) / 2]; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = item;
}

bool join_heap_pop(struct join_finder *finder, uint32_t *key, uint32_t *value)
{
    if (finder->heap_count == 0)
        return false;
    uint64_t *heap = finder->heap, top = heap[0], item = heap[--finder->heap_count];
    size_t i = 0, count = finder->heap_count;
    for (size_t child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (item <= heap[child])
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = item;
    *key = (uint32_t)(top >> 32);
    *value = (uint32_t)top;
    return true;
}

/* One round: what changed in the layer before reaches its neighbours. Returns how many changed. */
static size_t relax_layer(struct join_finder *finder, int to, const uint32_t *before,
                          uint32_t *layer, const int *changed, size_t changed_count, int *next)
{
    size_t next_count = 0;
    finder->stamp++;
    for (size_t i = 0; i < changed_count; i++) {
        int here = changed[i];
        for (size_t h = finder->starts[here]; h < finder->starts[here + 1]; h++) {
            const struct join_hop *hop = &finder->hops[h];
            int there = hop->to;
            /* The path walks there -> here: it arrives from many when there is many. */
            uint32_t on = before[here * 2 + hop->many_out];
            if (there == to || on == JOIN_NO_COST)
                continue;
            uint32_t cost = on + finder->cost[hop->edge];
            uint32_t turned = cost + (hop->many_in ? finder->peak[there] : 0);
            if (cost >= layer[there * 2] && turned >= layer[there * 2 + 1])
                continue;
            if (cost < layer[there * 2])
                layer[there * 2] = cost;
            if (turned < layer[there * 2 + 1])
                layer[there * 2 + 1] = turned;
            if (finder->table_stamp[there] != finder->stamp) {
                finder->table_stamp[there] = finder->stamp;
                next[next_count++] = there;
            }
        }
    }
    return next_count;
}

/* layers[k * states + table * 2 + arrived_many]: the least cost of going on to the goal in at most
 * k hops. */
static void fill_layers(struct join_finder *finder, int to, unsigned max_hops)
{
    size_t states = finder->table_count * 2;
    int *changed = finder->queue, *next = finder->table_mark;
    size_t count = 1;
    memset(finder->layers, JOIN_NO_COST_BYTE, states * sizeof *finder->layers);
    finder->layers[to * 2] = finder->layers[to * 2 + 1] = 0;
    changed[0] = to;
    for (unsigned k = 1; k <= max_hops; k++) {
        uint32_t *before = finder->layers + (k - 1) * states, *layer = before + states;
        memcpy(layer, before, states * sizeof *layer);
        count = relax_layer(finder, to, before, layer, changed, count, next);
        int *swap = changed;
        changed = next;
        next = swap;
    }
}

static bool passes(const struct join_finder *finder, int label, int table)
{
    for (; label >= 0; label = finder->labels[label].parent) {
        if (finder->labels[label].table == table)
            return true;
    }
    return false;
}

static void expand(struct join_finder *finder, int label, unsigned max_hops, size_t *label_count)
{
    const struct join_label from = finder->labels[label];
    const uint32_t *rest = finder->layers + (max_hops - from.hops - 1) * finder->table_count * 2;
    for (size_t h = finder->starts[from.table]; h < finder->starts[from.table + 1]; h++) {
        const struct join_hop *hop = &finder->hops[h];
        uint32_t bound = rest[hop->to * 2 + hop->many_in];
        if (bound == JOIN_NO_COST || *label_count == JOIN_MAX_LABELS ||
            passes(finder, label, hop->to))
            continue;
        uint32_t cost = from.cost + finder->cost[hop->edge];
        if (from.arrived_many && hop->many_out)
            cost += finder->peak[from.table];
        finder->labels[*label_count] = (struct join_label){
            .cost = cost,
            .parent = label,
            .table = hop->to,
            .edge = hop->edge,
            .arrived_many = hop->many_in,
            .hops = (unsigned char)(from.hops + 1),
        };
        /* The newest of equals first: straight on to the goal rather than abreast. */
        join_heap_push(finder, cost + bound, UINT32_MAX - (uint32_t)*label_count);
        (*label_count)++;
    }
}

static void keep_path(const struct join_finder *finder, int label, struct join_found *found)
{
    *found = (struct join_found){.cost = finder->labels[label].cost, .confidence = 1.0};
    for (; finder->labels[label].parent >= 0; label = finder->labels[label].parent) {
        int edge = finder->labels[label].edge;
        const struct join_edge *is = join_graph_edge(finder->graph, (size_t)edge);
        size_t i = found->hops++;
        for (; i > 0 && found->edges[i - 1] > edge; i--)
            found->edges[i] = found->edges[i - 1];
        found->edges[i] = edge;
        found->type_sum += is->type == JOIN_MANUAL ? 0 : (unsigned)is->type;
        found->many_to_many += is->cardinality == JOIN_N_TO_N;
        if (is->confidence < found->confidence)
            found->confidence = is->confidence;
    }
}

/* Cheaper, surer, better founded, fewer N:M, then by the names of tables and columns. Cost counts
 * tables. Does not depend on which end was the start. */
static bool comes_before(const struct join_found *a, const struct join_found *b)
{
    if (a->cost != b->cost)
        return a->cost < b->cost;
    if (a->confidence > b->confidence || a->confidence < b->confidence)
        return a->confidence > b->confidence;
    if (a->type_sum != b->type_sum)
        return a->type_sum < b->type_sum;
    if (a->many_to_many != b->many_to_many)
        return a->many_to_many < b->many_to_many;
    for (size_t i = 0; i < a->hops; i++) {
        if (a->edges[i] != b->edges[i])
            return a->edges[i] < b->edges[i];
    }
    return false;
}

static void put_found(struct join_finder *finder, int label, size_t count)
{
    struct join_found path;
    keep_path(finder, label, &path);
    for (; count > 0 && comes_before(&path, &finder->found[count - 1]); count--)
        finder->found[count] = finder->found[count - 1];
    finder->found[count] = path;
}

size_t join_search_paths(struct join_finder *finder, int from, int to, unsigned max_hops,
                         size_t want)
{
    size_t label_count = 1, found = 0;
    uint32_t bound, name;
    CHECK(max_hops >= 1 && max_hops <= JOIN_PATH_MAX_HOPS && from != to);
    fill_layers(finder, to, max_hops);
    finder->labels[0] = (struct join_label){.parent = -1, .table = from, .edge = -1};
    finder->heap_count = 0;
    bound = finder->layers[max_hops * finder->table_count * 2 + (size_t)from * 2];
    if (bound == JOIN_NO_COST)
        return 0;
    join_heap_push(finder, bound, UINT32_MAX);
    while (join_heap_pop(finder, &bound, &name)) {
        int label = (int)(UINT32_MAX - name);
        if (found == JOIN_MAX_FOUND || (found >= want && bound > finder->found[found - 1].cost))
            break;
        if (finder->labels[label].table == to)
            put_found(finder, label, found++);
        else if (finder->labels[label].hops < max_hops)
            expand(finder, label, max_hops, &label_count);
    }
    return size_min(found, want);
}

static size_t push_neighbours(struct join_finder *finder, int table, bool usable_only,
                              size_t queued)
{
    size_t count;
    const int *edges = join_graph_edges_of(finder->graph, table, &count);
    for (size_t i = 0; i < count; i++) {
        const struct join_edge *edge = join_graph_edge(finder->graph, (size_t)edges[i]);
        int next = edge->from_table == table ? edge->to_table : edge->from_table;
        if (finder->table_stamp[next] == finder->stamp ||
            (usable_only && edge->confidence < finder->threshold))
            continue;
        finder->table_stamp[next] = finder->stamp;
        finder->table_mark[next] = finder->table_mark[table] + 1;
        finder->queue[queued++] = next;
    }
    return queued;
}

int join_search_hops(struct join_finder *finder, int from, int to, bool usable_only)
{
    size_t queued = 1;
    finder->stamp++;
    finder->table_stamp[from] = finder->stamp;
    finder->table_mark[from] = 0;
    finder->queue[0] = from;
    for (size_t i = 0; i < queued; i++) {
        if (finder->queue[i] == to)
            return finder->table_mark[to];
        queued = push_neighbours(finder, finder->queue[i], usable_only, queued);
    }
    return -1;
}

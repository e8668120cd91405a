/* SPDX-License-Identifier: MIT */
/* backends/hnsw.c - layers of links, and one walk for building and searching.
 *
 * Happy path: a row gets a layer by its number and the seed; from the top down the walk comes near
 * it; in each layer of its own it is linked with the nearest that are not nearer to each other,
 * and they with it. A walk keeps a sorted list of candidates and goes on from the nearest not yet
 * walked from until there is none. Failure: only memory. */
#include "backends/hnsw.h"

#include <math.h>
#include <string.h>

#include "backends/hnsw_state.h"
#include "core/base/mem.h"

enum {
    NEIGHBOURS = HNSW_LOWEST_NEIGHBOURS / 2,
    BUILD_WIDTH = 100,
    MAX_LAYER = 16,
};
enum { SEEN_PER_CANDIDATE = 4 };

struct candidate {
    struct hnsw_hit hit;
    bool walked;
};

struct hnsw_room {
    size_t width, count;
    struct candidate *candidates; /* width, the nearest first */
    struct hnsw_hit *hits;
    uint32_t *seen; /* open addressing; row + 1 */
    size_t seen_mask, seen_count;
};

/* ---- room ---- */

struct hnsw_room *hnsw_room_create(size_t width, size_t neighbours)
{
    struct hnsw_room *room = mem_zalloc(1, sizeof *room);
    size_t places = 1024;
    while (places < width * neighbours * SEEN_PER_CANDIDATE)
        places *= 2;
    if (room == NULL)
        return NULL;
    room->width = width;
    room->seen_mask = places - 1;
    room->candidates = mem_zalloc(width, sizeof *room->candidates);
    room->hits = mem_zalloc(width, sizeof *room->hits);
    room->seen = mem_zalloc(places, sizeof *room->seen);
    if (room->candidates != NULL && room->hits != NULL && room->seen != NULL)
        return room;
    hnsw_room_destroy(room);
    return NULL;
}

void hnsw_room_destroy(struct hnsw_room *room)
{
    if (room == NULL)
        return;
    mem_free(room->candidates);
    mem_free(room->hits);
    mem_free(room->seen);
    mem_free(room);
}

static void clear(struct hnsw_room *room)
{
    memset(room->seen, 0, (room->seen_mask + 1) * sizeof *room->seen);
    room->seen_count = room->count = 0;
}

/* Whether row is seen for the first time; when the table is nearly full none is any more, which
 * ends the walk. */
static bool see(struct hnsw_room *room, uint32_t row)
{
    size_t at = (row * UINT64_C(0x9e3779b97f4a7c15) >> 20) & room->seen_mask;
    if (room->seen_count > room->seen_mask / 4 * 3)
        return false;
    for (; room->seen[at] != 0; at = (at + 1) & room->seen_mask)
        if (room->seen[at] == row + 1)
            return false;
    room->seen[at] = row + 1;
    room->seen_count++;
    return true;
}

static bool is_nearer(struct hnsw_hit a, struct hnsw_hit b)
{
    return a.score != b.score ? a.score > b.score : a.row < b.row;
}

/* Keep a candidate in its place, if it is among the best. Returns the place, or width. */
static size_t keep(struct hnsw_room *room, struct hnsw_hit hit)
{
    size_t low = 0, high = room->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (is_nearer(room->candidates[middle].hit, hit))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == room->width)
        return low;
    size_t last = size_min(room->count, room->width - 1);
    memmove(&room->candidates[low + 1], &room->candidates[low],
            (last - low) * sizeof *room->candidates);
    room->candidates[low] = (struct candidate){.hit = hit};
    room->count = last + 1;
    return low;
}

/* ---- the walk ---- */

static float score_of(const struct hnsw *hnsw, const float *vector, uint32_t row)
{
    return vec_kernel_dot(vector, vec_rows_vector(hnsw->rows, row), hnsw->rows->stride);
}

/* From the candidates in room, to the nearest of layer. */
static void walk(const struct hnsw *hnsw, const float *vector, unsigned layer,
                 struct hnsw_room *room)
{
    for (size_t at = 0; at < room->count;) {
        if (room->candidates[at].walked) {
            at++;
            continue;
        }
        room->candidates[at].walked = true;
        const uint32_t *links = hnsw_state_links(hnsw, room->candidates[at].hit.row, layer);
        size_t first = at;
        for (uint32_t i = 1; i <= links[0]; i++) {
            if (!see(room, links[i]))
                continue;
            size_t place =
                keep(room, (struct hnsw_hit){links[i], score_of(hnsw, vector, links[i])});
            first = size_min(first, place);
        }
        at = first;
    }
}

/* The nearest of the layers above stop, one by one, as the only candidate. */
static void descend(const struct hnsw *hnsw, const float *vector, unsigned stop,
                    struct hnsw_room *room)
{
    struct hnsw_hit best = {hnsw->entry, score_of(hnsw, vector, hnsw->entry)};
    for (unsigned layer = hnsw->top; layer > stop; layer--) {
        for (bool moved = true; moved;) {
            const uint32_t *links = hnsw_state_links(hnsw, best.row, layer);
            moved = false;
            for (uint32_t i = 1; i <= links[0]; i++) {
                struct hnsw_hit hit = {links[i], score_of(hnsw, vector, links[i])};
                if (is_nearer(hit, best)) {
                    best = hit;
                    moved = true;
                }
            }
        }
    }
    clear(room);
    (void)see(room, best.row);
    (void)keep(room, best);
}

size_t hnsw_search(const struct hnsw *hnsw, const float *vector, struct hnsw_room *room,
                   const struct hnsw_hit **hits)
{
    *hits = room->hits;
    if (hnsw->count == 0)
        return 0;
    descend(hnsw, vector, 0, room);
    walk(hnsw, vector, 0, room);
    for (size_t i = 0; i < room->count; i++)
        room->hits[i] = room->candidates[i].hit;
    return room->count;
}

/* ---- building ---- */

/* Of sorted candidates, up to most rows none of which is nearer to another than to the middle;
 * then, if there is room, the nearest of the others. Written as links. */
static void choose(const struct hnsw *hnsw, const struct hnsw_hit *sorted, size_t count,
                   size_t most, uint32_t *links)
{
    bool taken[BUILD_WIDTH * 8] = {false};
    links[0] = 0;
    for (size_t i = 0; i < count && links[0] < most; i++) {
        const float *vector = vec_rows_vector(hnsw->rows, sorted[i].row);
        bool apart = true;
        for (uint32_t j = 1; j <= links[0] && apart; j++)
            apart = score_of(hnsw, vector, links[j]) < sorted[i].score;
        taken[i] = apart;
        if (apart)
            links[++links[0]] = sorted[i].row;
    }
    for (size_t i = 0; i < count && links[0] < most; i++)
        if (!taken[i])
            links[++links[0]] = sorted[i].row;
}

/* Let other know row; when its links are full, the best of all are kept. */
static void link_back(struct hnsw *hnsw, uint32_t other, uint32_t row, unsigned layer)
{
    size_t most = hnsw_state_most(hnsw, layer);
    uint32_t *links = hnsw_state_links(hnsw, other, layer);
    struct hnsw_hit sorted[2 * HNSW_MAX_NEIGHBOURS + 1];
    const float *vector = vec_rows_vector(hnsw->rows, other);
    if (links[0] < most) {
        links[++links[0]] = row;
        return;
    }
    size_t count = 0;
    for (uint32_t i = 0; i <= most; i++) {
        uint32_t to = i == most ? row : links[i + 1];
        struct hnsw_hit hit = {to, score_of(hnsw, vector, to)};
        size_t at = count++;
        for (; at > 0 && is_nearer(hit, sorted[at - 1]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = hit;
    }
    choose(hnsw, sorted, count, most, links);
}

static void link_layer(struct hnsw *hnsw, uint32_t row, unsigned layer)
{
    struct hnsw_room *room = hnsw->room;
    uint32_t *links = hnsw_state_links(hnsw, row, layer);
    for (size_t i = 0; i < room->count; i++)
        room->hits[i] = room->candidates[i].hit;
    choose(hnsw, room->hits, room->count, hnsw->neighbours, links);
    for (uint32_t i = 1; i <= links[0]; i++)
        link_back(hnsw, links[i], row, layer);
}

/* Geometric, by the row's number and the seed. */
unsigned hnsw_layer_of(const struct hnsw *hnsw, uint32_t row)
{
    uint64_t z = hnsw->seed + (row + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    double unit = ((double)((z ^ (z >> 31)) >> 11) + 1) / 9007199254740993.0;
    double layer = -log(unit) / log((double)hnsw->neighbours);
    return layer > MAX_LAYER ? MAX_LAYER : (unsigned)layer;
}

bool hnsw_raise(struct hnsw *hnsw, uint32_t row, unsigned layer)
{
    if (layer == 0)
        return true;
    hnsw->upper[row] = arena_array(&hnsw->arena, layer * (hnsw->neighbours + 1), sizeof row);
    return hnsw->upper[row] != NULL;
}

enum err_code hnsw_add(struct hnsw *hnsw, struct err *err)
{
    CHECK(hnsw->count < hnsw->limit);
    uint32_t row = (uint32_t)hnsw->count;
    unsigned layer = hnsw_layer_of(hnsw, row);
    const float *vector = vec_rows_vector(hnsw->rows, row);
    if (!hnsw_raise(hnsw, row, layer))
        return err_set(err, ERR_NO_MEMORY, "no memory for the index of a collection");
    hnsw->count++;
    if (row == 0) {
        hnsw->top = layer;
        return ERR_OK;
    }
    unsigned from = layer < hnsw->top ? layer : hnsw->top;
    descend(hnsw, vector, from, hnsw->room);
    for (unsigned at = from + 1; at-- > 0;) {
        walk(hnsw, vector, at, hnsw->room);
        link_layer(hnsw, row, at);
        for (size_t i = 0; i < hnsw->room->count; i++)
            hnsw->room->candidates[i].walked = false;
    }
    if (layer > hnsw->top) {
        hnsw->top = layer;
        hnsw->entry = row;
    }
    return ERR_OK;
}

/* ---- the whole ---- */

struct hnsw *hnsw_create(struct vec_rows *rows, size_t limit, const struct hnsw_options *options)
{
    struct hnsw *hnsw = mem_zalloc(1, sizeof *hnsw);
    if (hnsw == NULL)
        return NULL;
    size_t width = options->build_width == 0 ? BUILD_WIDTH : options->build_width;
    atomic_init(&hnsw->holders, 1);
    hnsw->neighbours = options->neighbours == 0 ? NEIGHBOURS : options->neighbours;
    CHECK(hnsw->neighbours >= 2 && hnsw->neighbours <= HNSW_MAX_NEIGHBOURS);
    CHECK(width <= (size_t)BUILD_WIDTH * 8);
    hnsw->limit = limit;
    hnsw->seed = options->seed;
    arena_init(&hnsw->arena, limit * MAX_LAYER * (hnsw->neighbours + 1) * sizeof(uint32_t));
    hnsw->lowest = mem_zalloc(limit, (2 * hnsw->neighbours + 1) * sizeof(uint32_t));
    hnsw->upper = mem_zalloc(limit, sizeof *hnsw->upper);
    hnsw->room = hnsw_room_create(width, 2 * hnsw->neighbours);
    vec_rows_ref(rows);
    hnsw->rows = rows;
    if (hnsw->lowest != NULL && hnsw->upper != NULL && hnsw->room != NULL)
        return hnsw;
    hnsw_unref(hnsw);
    return NULL;
}

struct hnsw *hnsw_ref(struct hnsw *hnsw)
{
    if (hnsw != NULL)
        atomic_fetch_add_explicit(&hnsw->holders, 1, memory_order_relaxed);
    return hnsw;
}

void hnsw_unref(struct hnsw *hnsw)
{
    if (hnsw == NULL || atomic_fetch_sub_explicit(&hnsw->holders, 1, memory_order_acq_rel) > 1)
        return;
    vec_rows_unref(hnsw->rows);
    hnsw_room_destroy(hnsw->room);
    arena_fini(&hnsw->arena);
    mem_free(hnsw->lowest);
    mem_free(hnsw->upper);
    mem_free(hnsw);
}

size_t hnsw_count(const struct hnsw *hnsw)
{
    return hnsw->count;
}

const struct vec_rows *hnsw_rows(const struct hnsw *hnsw)
{
    return hnsw->rows;
}

bool hnsw_is_full(const struct hnsw *hnsw)
{
    return hnsw->count == hnsw->limit;
}

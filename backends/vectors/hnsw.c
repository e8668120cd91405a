/* SPDX-License-Identifier: MIT */
/* backends/vectors/hnsw.c - layers of links, one walk for building and searching, and all of it in
 * a file.
 *
 * Happy path: a row gets a layer by its number and the seed; from the top down the walk comes near
 * it; in each layer of its own it is linked with the nearest that are not nearer to each other,
 * and they with it. A walk keeps a sorted list of candidates and goes on from the nearest not yet
 * walked from until there is none. Failure: only memory.
 *
 * A file is a head, the ids of the rows, their links layer by layer, a checksum. What was written
 * is read in the same pieces, each checked for links that lead nowhere and renumbered on the way.
 * Failure: whatever is not as it should be, and an end that comes too early or too late, makes it
 * no index; no memory. */
#include "backends/vectors/hnsw.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"

enum {
    NEIGHBOURS = HNSW_LOWEST_NEIGHBOURS / 2,
    BUILD_WIDTH = 100,
    MAX_LAYER = 16,
    MAX_NEIGHBOURS = 64,
};
enum { SEEN_PER_CANDIDATE = 4 };

struct hnsw {
    atomic_size_t holders;
    struct vec_rows *rows;
    size_t count, limit, neighbours;
    uint64_t seed;
    uint32_t entry;
    unsigned top;     /* entry's layer */
    uint32_t *lowest; /* per row: how many, then 2 * neighbours places */
    uint32_t **upper; /* per row: layers 1.., each how many and neighbours places; NULL: none */
    struct arena arena;
    struct hnsw_room *room; /* of building */
};

/* The links of a row in a layer that it has: how many, then the rows. */
static uint32_t *links_of(const struct hnsw *hnsw, uint32_t row, unsigned layer)
{
    if (layer == 0)
        return hnsw->lowest + row * (2 * hnsw->neighbours + 1);
    return hnsw->upper[row] + (layer - 1) * (hnsw->neighbours + 1);
}

/* Most links of a row in a layer. */
static size_t most_of(const struct hnsw *hnsw, unsigned layer)
{
    return layer == 0 ? 2 * hnsw->neighbours : hnsw->neighbours;
}

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
        const uint32_t *links = links_of(hnsw, room->candidates[at].hit.row, layer);
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
            const uint32_t *links = links_of(hnsw, best.row, layer);
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
    size_t most = most_of(hnsw, layer);
    uint32_t *links = links_of(hnsw, other, layer);
    struct hnsw_hit sorted[2 * MAX_NEIGHBOURS + 1];
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
    uint32_t *links = links_of(hnsw, row, layer);
    for (size_t i = 0; i < room->count; i++)
        room->hits[i] = room->candidates[i].hit;
    choose(hnsw, room->hits, room->count, hnsw->neighbours, links);
    for (uint32_t i = 1; i <= links[0]; i++)
        link_back(hnsw, links[i], row, layer);
}

/* Geometric, by the row's number and the seed. */
/* The highest layer of a row when it is built: by its number and the seed. */
static unsigned layer_of(const struct hnsw *hnsw, uint32_t row)
{
    uint64_t z = hnsw->seed + (row + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    double unit = ((double)((z ^ (z >> 31)) >> 11) + 1) / 9007199254740993.0;
    double layer = -log(unit) / log((double)hnsw->neighbours);
    return layer > MAX_LAYER ? MAX_LAYER : (unsigned)layer;
}

/* Make room for a row's layers above the lowest. False: no memory. */
static bool raise_row(struct hnsw *hnsw, uint32_t row, unsigned layer)
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
    unsigned layer = layer_of(hnsw, row);
    const float *vector = vec_rows_vector(hnsw->rows, row);
    if (!raise_row(hnsw, row, layer))
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
    CHECK(hnsw->neighbours >= 2 && hnsw->neighbours <= MAX_NEIGHBOURS);
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

/* ---- an index in a file ---- */

enum { VERSION = 1, LOST_SHARE = 16 };

#define MAGIC     UINT64_C(0x316b736177736e68) /* "hnswask1" */
#define NO_ROW    UINT32_MAX
#define FILE_FORM "%s-index%lld"

struct head { /* without padding; in the machine's byte order, which the magic number tells */
    uint64_t magic, store;
    int64_t collection;
    uint64_t seed;
    uint32_t version, dimensions, count, neighbours, entry, top;
};

struct piece_file { /* read or written in pieces */
    FILE *file;
    uint64_t sum;
    bool ok;
};

static void add_to_sum(struct piece_file *file, const void *bytes, size_t len)
{
    file->sum = (file->sum ^ str_hash(str_make(bytes, len))) * UINT64_C(0x100000001B3);
}

static void write_piece(struct piece_file *file, const void *bytes, size_t len)
{
    add_to_sum(file, bytes, len);
    file->ok = file->ok && fwrite(bytes, 1, len, file->file) == len;
}

static bool read_piece(struct piece_file *file, void *bytes, size_t len)
{
    file->ok = file->ok && fread(bytes, 1, len, file->file) == len;
    if (file->ok)
        add_to_sum(file, bytes, len);
    return file->ok;
}

/* False: the path is too long. */
static bool write_path(const struct hnsw_place *place, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, FILE_FORM, place->store_path, (long long)place->collection) <
           PATH_MAX;
}

/* ---- writing ---- */

static void write_all(const struct hnsw *hnsw, const struct hnsw_place *place,
                      struct piece_file *file)
{
    const struct head head = {.magic = MAGIC,
                              .store = place->store,
                              .collection = place->collection,
                              .seed = hnsw->seed,
                              .version = VERSION,
                              .dimensions = (uint32_t)hnsw->rows->dimensions,
                              .count = (uint32_t)hnsw->count,
                              .neighbours = (uint32_t)hnsw->neighbours,
                              .entry = hnsw->entry,
                              .top = hnsw->top};
    write_piece(file, &head, sizeof head);
    for (uint32_t row = 0; row < hnsw->count; row++) {
        int64_t id = vec_rows_id(hnsw->rows, row);
        write_piece(file, &id, sizeof id);
    }
    for (uint32_t row = 0; row < hnsw->count; row++) {
        unsigned top = layer_of(hnsw, row);
        for (unsigned layer = 0; layer <= top; layer++)
            write_piece(file, links_of(hnsw, row, layer),
                        (most_of(hnsw, layer) + 1) * sizeof(uint32_t));
    }
    uint64_t sum = file->sum;
    write_piece(file, &sum, sizeof sum);
}

enum err_code hnsw_file_save(const struct hnsw *hnsw, const struct hnsw_place *place,
                             struct err *err)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    if (!write_path(place, path) ||
        snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid()) >= PATH_MAX)
        return err_set(err, ERR_UNAVAILABLE, "the path of an index is too long");
    struct piece_file file = {.file = fopen(fresh, "wbe"), .ok = true};
    if (file.file == NULL)
        return err_set(err, ERR_UNAVAILABLE, "%s: %s", fresh, strerror(errno));
    write_all(hnsw, place, &file);
    file.ok = fclose(file.file) == 0 && file.ok && rename(fresh, path) == 0;
    if (file.ok)
        return ERR_OK;
    err_set(err, ERR_UNAVAILABLE, "%s: %s", path, strerror(errno));
    unlink(fresh);
    return err->code;
}

/* ---- reading ---- */

struct loading {
    struct piece_file file;
    struct head head;
    struct vec_rows *rows;
    size_t row_count;
    uint32_t *now;     /* row of the file -> row of rows, or NO_ROW */
    struct hnsw *hnsw; /* of the file's seed and neighbours */
    uint32_t links[2 * MAX_NEIGHBOURS + 1];
};

static bool read_head(struct loading *loading, const struct hnsw_place *place)
{
    struct head *head = &loading->head;
    return read_piece(&loading->file, head, sizeof *head) && head->magic == MAGIC &&
           head->version == VERSION && head->store == place->store &&
           head->collection == place->collection && head->dimensions == loading->rows->dimensions &&
           head->count > 0 && head->count <= (uint32_t)VEC_ROWS_BLOCK * VEC_ROWS_MAX_BLOCKS &&
           head->neighbours >= 2 && head->neighbours <= MAX_NEIGHBOURS && head->entry < head->count;
}

/* Where the file's rows are now; *kept: how many of the first rows of now those are. False: they
 * are others. */
static bool read_rows(struct loading *loading, size_t *kept)
{
    size_t next = 0;
    int64_t id = 0;
    for (uint32_t row = 0; row < loading->head.count; row++) {
        if (!read_piece(&loading->file, &id, sizeof id))
            return false;
        bool is_there = next < loading->row_count && vec_rows_id(loading->rows, next) == id;
        loading->now[row] = is_there ? (uint32_t)next : NO_ROW;
        next += is_there;
    }
    *kept = next;
    return (loading->head.count - next) * LOST_SHARE <= loading->head.count &&
           (next == loading->row_count || vec_rows_id(loading->rows, next) > id);
}

/* The links of the file's row in a layer, into those of its row of now. */
static bool read_links(struct loading *loading, uint32_t row, unsigned layer)
{
    struct hnsw *hnsw = loading->hnsw;
    size_t most = most_of(hnsw, layer);
    uint32_t *links = loading->links, *to = NULL;
    if (!read_piece(&loading->file, links, (most + 1) * sizeof *links) || links[0] > most)
        return false;
    if (loading->now[row] != NO_ROW)
        to = links_of(hnsw, loading->now[row], layer);
    for (uint32_t i = 1; i <= links[0]; i++) {
        if (links[i] >= loading->head.count || layer_of(hnsw, links[i]) < layer)
            return false;
        if (to != NULL && loading->now[links[i]] != NO_ROW)
            to[++to[0]] = loading->now[links[i]];
    }
    return true;
}

/* Where the entry went, the first of those that reach highest is it. */
static void enter_by(struct loading *loading, uint32_t row, unsigned top)
{
    struct hnsw *hnsw = loading->hnsw;
    if (loading->now[row] == NO_ROW)
        return;
    if (row == loading->head.entry ||
        (top > hnsw->top && loading->now[loading->head.entry] == NO_ROW)) {
        hnsw->entry = loading->now[row];
        hnsw->top = top;
    }
}

static bool read_graph(struct loading *loading)
{
    for (uint32_t row = 0; row < loading->head.count; row++) {
        unsigned top = layer_of(loading->hnsw, row);
        if (loading->now[row] != NO_ROW && !raise_row(loading->hnsw, loading->now[row], top))
            return false;
        for (unsigned layer = 0; layer <= top; layer++)
            if (!read_links(loading, row, layer))
                return false;
        enter_by(loading, row, top);
    }
    uint64_t want = loading->file.sum, sum;
    return read_piece(&loading->file, &sum, sizeof sum) && sum == want &&
           fgetc(loading->file.file) == EOF;
}

/* Only whole blocks: what is behind is scanned by blocks. */
static bool make_index(struct loading *loading, size_t kept)
{
    size_t limit = kept / VEC_ROWS_BLOCK * VEC_ROWS_BLOCK;
    const struct hnsw_options options = {.neighbours = loading->head.neighbours,
                                         .seed = loading->head.seed};
    for (uint32_t row = 0; row < loading->head.count; row++)
        if (loading->now[row] >= limit)
            loading->now[row] = NO_ROW;
    if (limit == 0)
        return false;
    loading->hnsw = hnsw_create(loading->rows, limit, &options);
    if (loading->hnsw != NULL)
        loading->hnsw->count = limit;
    return loading->hnsw != NULL;
}

static bool load(struct loading *loading, const struct hnsw_place *place)
{
    size_t kept;
    if (!read_head(loading, place))
        return false;
    loading->now = mem_alloc(loading->head.count * sizeof *loading->now);
    return loading->now != NULL && read_rows(loading, &kept) && make_index(loading, kept) &&
           read_graph(loading);
}

enum err_code hnsw_file_load(const struct hnsw_place *place, struct vec_rows *rows,
                             size_t row_count, struct hnsw **out, struct err *err)
{
    char path[PATH_MAX];
    struct loading loading = {.file = {.ok = true}, .rows = rows, .row_count = row_count};
    *out = NULL;
    if (write_path(place, path))
        loading.file.file = fopen(path, "rbe");
    if (loading.file.file == NULL)
        return err_set(err, ERR_NOT_FOUND, "there is no index in a file");
    if (load(&loading, place))
        *out = loading.hnsw;
    else
        hnsw_unref(loading.hnsw);
    fclose(loading.file.file);
    mem_free(loading.now);
    return *out != NULL ? ERR_OK
                        : err_set(err, ERR_NOT_FOUND, "%s is not the index of these rows", path);
}

/* ---- what is left of others ---- */

static bool is_among(struct str rest, const int64_t *collections, size_t count)
{
    int64_t id;
    for (size_t i = 0; i < count; i++)
        if (str_to_i64(rest, &id) && id == collections[i])
            return true;
    return false;
}

void hnsw_file_keep_only(const char *store_path, const int64_t *collections, size_t count)
{
    char folder[PATH_MAX], path[PATH_MAX], prefix[PATH_MAX];
    const char *slash = strrchr(store_path, '/');
    const char *name = slash == NULL ? store_path : slash + 1;
    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - store_path + 1),
             slash == NULL ? "." : store_path);
    if (snprintf(prefix, sizeof prefix, "%s-index", name) >= PATH_MAX)
        return;
    DIR *dir = opendir(folder);
    if (dir == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        struct str found = str_of(entry->d_name);
        if (str_starts_with(found, str_of(prefix)) &&
            !is_among(str_from(found, strlen(prefix)), collections, count) &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_MAX)
            unlink(path);
    }
    closedir(dir);
}

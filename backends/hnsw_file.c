/* SPDX-License-Identifier: MIT */
/* backends/hnsw_file.c - a head, the ids of the rows, their links layer by layer, a checksum.
 *
 * Happy path: what was written is read in the same pieces, each checked for links that lead nowhere
 * and renumbered on the way. Failure: whatever is not as it should be, and an end that comes too
 * early or too late, makes it no index; no memory. */
#include "backends/hnsw_file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/hnsw_state.h"
#include "core/base/mem.h"

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
        unsigned top = hnsw_layer_of(hnsw, row);
        for (unsigned layer = 0; layer <= top; layer++)
            write_piece(file, hnsw_state_links(hnsw, row, layer),
                        (hnsw_state_most(hnsw, layer) + 1) * sizeof(uint32_t));
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
    uint32_t links[2 * HNSW_MAX_NEIGHBOURS + 1];
};

static bool read_head(struct loading *loading, const struct hnsw_place *place)
{
    struct head *head = &loading->head;
    return read_piece(&loading->file, head, sizeof *head) && head->magic == MAGIC &&
           head->version == VERSION && head->store == place->store &&
           head->collection == place->collection && head->dimensions == loading->rows->dimensions &&
           head->count > 0 && head->count <= (uint32_t)VEC_ROWS_BLOCK * VEC_ROWS_MAX_BLOCKS &&
           head->neighbours >= 2 && head->neighbours <= HNSW_MAX_NEIGHBOURS &&
           head->entry < head->count;
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
    size_t most = hnsw_state_most(hnsw, layer);
    uint32_t *links = loading->links, *to = NULL;
    if (!read_piece(&loading->file, links, (most + 1) * sizeof *links) || links[0] > most)
        return false;
    if (loading->now[row] != NO_ROW)
        to = hnsw_state_links(hnsw, loading->now[row], layer);
    for (uint32_t i = 1; i <= links[0]; i++) {
        if (links[i] >= loading->head.count || hnsw_layer_of(hnsw, links[i]) < layer)
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
        unsigned top = hnsw_layer_of(loading->hnsw, row);
        if (loading->now[row] != NO_ROW && !hnsw_raise(loading->hnsw, loading->now[row], top))
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

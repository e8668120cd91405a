/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_chroma.c - searches and changes as requests to Chroma.
 *
 * Happy path of a search: the collection by its name, then the query by its id. Of a change: the
 * collection, made when it is not there; removals by id, then by filter; the points in batches.
 * Failure paths:
 *   no such collection                no hits; a change that only removes is done
 *   a collection of another model     ERR_INVALID; but one that is empty is made anew by a change,
 *                                     and has no hits
 *   a query that meets a change       Chroma answers 500 when what it found is replaced meanwhile:
 *                                     asked again, QUERIES times in all
 *   a collection gone in between      no hits; a change ends with ERR_UNAVAILABLE
 *   a collection without a model      ERR_REJECTED: it is not ours
 *   refused                           vec_http_check */
#include "backends/vectors/vec_chroma.h"

#include "backends/vectors/chroma_wire.h"
#include "backends/passages/passage_check.h"
#include "backends/vectors/vec_http.h"

enum { BATCH_POINTS = 128, BATCH_IDS = 1000, QUERIES = 5 };
enum { INTERNAL_ERROR = 500 };

static const char *const defaults = "/default_tenant/default_database";

/* ---- paths ---- */

/* Collections are "/collections"; names are checked, so nothing needs an escape. */
static void push_collection(struct vec_http_run *run)
{
    buf_push(&run->path, run->root);
    buf_printf(&run->path, "/collections/askd-%.*s-c", STR_ARG(vec_http_collection(run)));
}

static void ask_collection(struct vec_http_run *run, const char *method, const char *verb,
                           vec_http_step_fn *next)
{
    buf_push(&run->path, run->root);
    buf_printf(&run->path, "/collections/%.*s/%s", STR_ARG(run->id), verb);
    vec_http_ask(run, method, next);
}

/* ---- the collection ---- */

static enum err_code read_collection(struct vec_http_run *run, struct err *err)
{
    struct chroma_wire_collection collection;
    if (vec_http_check(run, err) != ERR_OK ||
        chroma_wire_read_collection(&run->arena, run->answer, &collection, err) != ERR_OK)
        return err->code;
    if (collection.dimensions == 0)
        return err_set(
            err, ERR_REJECTED,
            "Chroma's collection 'askd-%.*s-c' was not made by askd: its metadata lack a "
            "model and dimensions",
            STR_ARG(vec_http_collection(run)));
    run->id = collection.id;
    run->held_model = collection.model;
    run->held_dimensions = collection.dimensions;
    return ERR_OK;
}

/* ---- a search, in running order ---- */

static vec_http_step_fn begin_query, query_found, keep_hits;

static enum err_code begin_query(struct vec_http_run *run, struct err *err)
{
    if (passage_check_vec_query(run->query, err) != ERR_OK)
        return err->code;
    if (passage_passes_none(run->query->filters, run->query->filter_count))
        return ERR_OK;
    push_collection(run);
    vec_http_ask(run, "GET", query_found);
    return ERR_OK;
}

static void ask_hits(struct vec_http_run *run)
{
    chroma_wire_write_query(&run->body, run->query, run->query->top_k + VEC_HTTP_TIES);
    run->asked++;
    ask_collection(run, "POST", "query", keep_hits);
}

static enum err_code query_found(struct vec_http_run *run, struct err *err)
{
    if (run->status == VEC_HTTP_NOT_FOUND)
        return ERR_OK;
    if (read_collection(run, err) != ERR_OK)
        return err->code;
    if (vec_http_check_kind(run, err) != ERR_OK) {
        ask_collection(run, "GET", "count", vec_http_query_counted);
        return ERR_OK;
    }
    ask_hits(run);
    return ERR_OK;
}

/* Keep the hits, or ask again when Chroma failed because what it found was replaced meanwhile. */
static enum err_code keep_hits(struct vec_http_run *run, struct err *err)
{
    if (run->status != INTERNAL_ERROR || run->asked >= QUERIES)
        return vec_http_keep_hits(run, err);
    ask_hits(run);
    return ERR_OK;
}

/* ---- a change, in running order ---- */

static vec_http_step_fn begin_change, change_found, removed, change_counted, emptied,
    collection_made, batch_cleared, batch_written;

static enum err_code begin_change(struct vec_http_run *run, struct err *err)
{
    const struct vec_change *change = run->change;
    if (passage_check_vec_change(change, err) != ERR_OK)
        return err->code;
    if (change->upsert_count == 0 && change->remove_count == 0 && change->remove_filter_count == 0)
        return ERR_OK;
    push_collection(run);
    vec_http_ask(run, "GET", change_found);
    return ERR_OK;
}

/* The collection is not there: nothing to remove, and points need one. */
static enum err_code create(struct vec_http_run *run)
{
    if (run->change->upsert_count == 0)
        return ERR_OK;
    struct str name = arena_printf(&run->arena, "askd-%.*s-c", STR_ARG(vec_http_collection(run)));
    buf_push(&run->path, run->root);
    buf_push(&run->path, STR("/collections"));
    chroma_wire_write_collection(&run->body, name, run->change->model, run->change->dimensions);
    run->is_new = true;
    vec_http_ask(run, "POST", collection_made);
    return ERR_OK;
}

/* The next points: what has their ids goes first, or its fields would stay. */
static enum err_code write_batch(struct vec_http_run *run, struct err *err)
{
    if (run->points == NULL && !vec_http_order_points(run))
        return err_set(err, ERR_NO_MEMORY, "no memory to write %zu points",
                       run->change->upsert_count);
    const struct vec_point *const *points = run->points + run->written;
    size_t count = size_min(run->point_count - run->written, BATCH_POINTS);
    if (count == 0)
        return ERR_OK;
    if (!run->is_new && !run->is_cleared) {
        struct str ids[BATCH_POINTS];
        for (size_t i = 0; i < count; i++)
            ids[i] = points[i]->passage.id;
        chroma_wire_write_removal(&run->body, ids, count);
        ask_collection(run, "POST", "delete", batch_cleared);
        return ERR_OK;
    }
    chroma_wire_write_upsert(&run->body, points, count, run->change->dimensions);
    run->written += count;
    run->is_cleared = false;
    ask_collection(run, "POST", "upsert", batch_written);
    return ERR_OK;
}

/* What is left to do, in order: ids, filters, points. */
static enum err_code go_on(struct vec_http_run *run, struct err *err)
{
    const struct vec_change *change = run->change;
    size_t ids = size_min(change->remove_count - run->removed, BATCH_IDS);
    if (ids > 0) {
        chroma_wire_write_removal(&run->body, change->remove_ids + run->removed, ids);
        run->removed += ids;
        ask_collection(run, "POST", "delete", removed);
        return ERR_OK;
    }
    if (!run->is_filtered && change->remove_filter_count > 0 &&
        !passage_passes_none(change->remove_filters, change->remove_filter_count)) {
        run->is_filtered = true;
        chroma_wire_write_filtered_removal(&run->body, change->remove_filters,
                                           change->remove_filter_count);
        ask_collection(run, "POST", "delete", removed);
        return ERR_OK;
    }
    if (change->upsert_count == 0)
        return ERR_OK;
    if (vec_http_check_kind(run, err) == ERR_OK)
        return write_batch(run, err);
    ask_collection(run, "GET", "count", change_counted);
    return ERR_OK;
}

static enum err_code change_found(struct vec_http_run *run, struct err *err)
{
    if (run->status == VEC_HTTP_NOT_FOUND)
        return create(run);
    return read_collection(run, err) == ERR_OK ? go_on(run, err) : err->code;
}

static enum err_code removed(struct vec_http_run *run, struct err *err)
{
    if (run->status == VEC_HTTP_NOT_FOUND)
        return create(run);
    return vec_http_check(run, err) == ERR_OK ? go_on(run, err) : err->code;
}

/* The collection is of another model: it is made anew when it holds nothing. */
static enum err_code change_counted(struct vec_http_run *run, struct err *err)
{
    uint64_t count;
    if (run->status == VEC_HTTP_NOT_FOUND)
        return create(run);
    if (vec_http_read_count(run, &count, err) != ERR_OK)
        return err->code;
    if (count > 0)
        return vec_http_check_kind(run, err);
    push_collection(run);
    vec_http_ask(run, "DELETE", emptied);
    return ERR_OK;
}

static enum err_code emptied(struct vec_http_run *run, struct err *err)
{
    if (run->status != VEC_HTTP_NOT_FOUND && vec_http_check(run, err) != ERR_OK)
        return err->code;
    return create(run);
}

/* Somebody else may have made it meanwhile. */
static enum err_code collection_made(struct vec_http_run *run, struct err *err)
{
    if (read_collection(run, err) != ERR_OK || vec_http_check_kind(run, err) != ERR_OK)
        return err->code;
    return write_batch(run, err);
}

static enum err_code batch_cleared(struct vec_http_run *run, struct err *err)
{
    run->is_cleared = true;
    return vec_http_check_still_there(run, err) == ERR_OK ? write_batch(run, err) : err->code;
}

static enum err_code batch_written(struct vec_http_run *run, struct err *err)
{
    return vec_http_check_still_there(run, err) == ERR_OK ? write_batch(run, err) : err->code;
}

/* ---- making ---- */

static struct str make_root(struct arena *arena, struct str path)
{
    struct str database = str_from(path.len > 0 ? path : str_of(defaults), 1);
    struct str tenant = str_split(&database, '/');
    return arena_printf(arena, "/api/v2/tenants/%.*s/databases/%.*s", STR_ARG(tenant),
                        STR_ARG(database));
}

static enum err_code read_count(struct arena *arena UNUSED, struct str answer, uint64_t *count,
                                struct err *err)
{
    return chroma_wire_read_count(answer, count, err);
}

static const struct vec_http_dialect dialect = {
    .name = "chroma",
    .product = "Chroma",
    .key_name = {"x-chroma-token", 14},
    .search = begin_query,
    .write = begin_change,
    .read_error = chroma_wire_read_error,
    .read_hits = chroma_wire_read_hits,
    .read_count = read_count,
    .make_root = make_root,
};

enum err_code vec_chroma_check_url(struct str url, struct err *err)
{
    return vec_http_check_url(&dialect, url, err);
}

struct vec *vec_chroma_create(struct loop *loop, struct str url)
{
    return vec_http_create(loop, &dialect, url);
}

/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_qdrant.c - searches and changes as requests to Qdrant.
 *
 * Happy path of a search: the collection by its name, for its model, then the query. Of a change:
 * the collection, made when it is not there, and its indexes; then removals and points as one list
 * of operations, which Qdrant goes through in order, or as several lists when it is long.
 * Failure paths:
 *   no such collection                no hits; a change that only removes is done
 *   a collection of another model     ERR_INVALID; but one that is empty is made anew by a change,
 *                                     and has no hits
 *   a collection made meanwhile       is used, if it is of the same model
 *   a collection gone in between      no hits; a change ends with ERR_UNAVAILABLE
 *   a collection without a model      ERR_REJECTED: it is not ours
 *   refused                           vec_http_check */
#include "backends/vectors/vec_qdrant.h"

#include "backends/passages/passage_check.h"
#include "backends/vectors/qdrant_wire.h"
#include "backends/vectors/vec_http.h"

enum { BATCH_POINTS = 128, BATCH_IDS = 1000, CONFLICT = 409 };

/* ---- the collection ---- */

/* Names are checked, so nothing needs an escape. */
static void ask(struct vec_http_run *run, const char *method, const char *what,
                vec_http_step_fn *next)
{
    buf_printf(&run->path, "/collections/askd-%.*s%s", STR_ARG(vec_http_collection(run)), what);
    vec_http_ask(run, method, next);
}

static enum err_code read_collection(struct vec_http_run *run, struct err *err)
{
    struct qdrant_wire_collection collection;
    if (vec_http_check(run, err) != ERR_OK ||
        qdrant_wire_read_collection(&run->arena, run->answer, &collection, err) != ERR_OK)
        return err->code;
    if (collection.model.len == 0 || collection.dimensions == 0)
        return err_set(err, ERR_REJECTED,
                       "Qdrant's collection 'askd-%.*s' has no model in its metadata: it was not "
                       "made by askd, or this Qdrant is older than 1.16",
                       STR_ARG(vec_http_collection(run)));
    run->held_model = collection.model;
    run->held_dimensions = collection.dimensions;
    run->missing = collection.missing;
    return ERR_OK;
}

static void ask_count(struct vec_http_run *run, vec_http_step_fn *next)
{
    buf_push(&run->body, STR("{\"exact\":true}"));
    ask(run, "POST", "/points/count", next);
}

/* ---- a search, in running order ---- */

static vec_http_step_fn begin_query, query_found;

static enum err_code begin_query(struct vec_http_run *run, struct err *err)
{
    if (passage_check_vec_query(run->query, err) != ERR_OK)
        return err->code;
    if (!passage_passes_none(run->query->filters, run->query->filter_count))
        ask(run, "GET", "", query_found);
    return ERR_OK;
}

static enum err_code query_found(struct vec_http_run *run, struct err *err)
{
    if (run->status == VEC_HTTP_NOT_FOUND)
        return ERR_OK;
    if (read_collection(run, err) != ERR_OK)
        return err->code;
    if (vec_http_check_kind(run, err) != ERR_OK) {
        ask_count(run, vec_http_query_counted);
        return ERR_OK;
    }
    qdrant_wire_write_query(&run->body, run->query, run->query->top_k + VEC_HTTP_TIES);
    ask(run, "POST", "/points/query", vec_http_keep_hits);
    return ERR_OK;
}

/* ---- a change, in running order ---- */

static vec_http_step_fn begin_change, change_found, collection_made, index_made, list_done,
    change_counted, emptied;

static enum err_code begin_change(struct vec_http_run *run, struct err *err)
{
    const struct vec_change *change = run->change;
    if (passage_check_vec_change(change, err) != ERR_OK)
        return err->code;
    run->is_filtered = change->remove_filter_count == 0 ||
                       passage_passes_none(change->remove_filters, change->remove_filter_count);
    if (change->upsert_count > 0 || change->remove_count > 0 || !run->is_filtered)
        ask(run, "GET", "", change_found);
    return ERR_OK;
}

/* The collection is not there: points need one. */
static enum err_code create(struct vec_http_run *run)
{
    if (run->change->upsert_count == 0)
        return ERR_OK;
    qdrant_wire_write_collection(&run->body, run->change->model, run->change->dimensions);
    ask(run, "PUT", "", collection_made);
    return ERR_OK;
}

static void make_index(struct vec_http_run *run)
{
    size_t index = 0;
    while ((run->missing & 1U << index) == 0)
        index++;
    run->missing &= ~(1U << index);
    qdrant_wire_write_index(&run->body, index);
    ask(run, "PUT", "/index?wait=true", index_made);
}

/* The next list: ids, then what filters find, then points, as many as belong into one. */
static enum err_code ask_list(struct vec_http_run *run, bool with_points, struct err *err)
{
    const struct vec_change *change = run->change;
    struct qdrant_wire_change list = {.dimensions = change->dimensions};
    if (with_points && run->points == NULL && !vec_http_order_points(run))
        return err_set(err, ERR_NO_MEMORY, "no memory to write %zu points", change->upsert_count);
    if (run->removed < change->remove_count) {
        list.ids = &change->remove_ids[run->removed];
        list.id_count = size_min(change->remove_count - run->removed, BATCH_IDS);
        run->removed += list.id_count;
    }
    bool all_removed = run->removed == change->remove_count;
    if (all_removed && !run->is_filtered) {
        list.filters = change->remove_filters;
        list.filter_count = change->remove_filter_count;
        run->is_filtered = true;
    }
    if (all_removed && with_points) {
        list.points = run->points + run->written;
        list.point_count = size_min(run->point_count - run->written, BATCH_POINTS);
    }
    if (list.id_count + list.filter_count + list.point_count == 0)
        return ERR_OK;
    run->written += qdrant_wire_write_change(&run->body, &list);
    ask(run, "POST", "/points/batch?wait=true", list_done);
    return ERR_OK;
}

/* What is left to do of a change to a collection that is there. */
static enum err_code go_on(struct vec_http_run *run, struct err *err)
{
    bool adds = run->change->upsert_count > 0,
         fits = adds && vec_http_check_kind(run, err) == ERR_OK;
    if (fits && run->missing != 0) {
        make_index(run);
        return ERR_OK;
    }
    if (!adds || fits || run->removed < run->change->remove_count || !run->is_filtered)
        return ask_list(run, fits, err);
    ask_count(run, change_counted);
    return ERR_OK;
}

static enum err_code change_found(struct vec_http_run *run, struct err *err)
{
    if (run->status == VEC_HTTP_NOT_FOUND)
        return create(run);
    return read_collection(run, err) == ERR_OK ? go_on(run, err) : err->code;
}

/* The collection was made, by this request or by somebody else meanwhile. */
static enum err_code collection_made(struct vec_http_run *run, struct err *err)
{
    if (run->status != CONFLICT && vec_http_check(run, err) != ERR_OK)
        return err->code;
    ask(run, "GET", "", change_found);
    return ERR_OK;
}

static enum err_code index_made(struct vec_http_run *run, struct err *err)
{
    return vec_http_check_still_there(run, err) == ERR_OK ? go_on(run, err) : err->code;
}

static enum err_code list_done(struct vec_http_run *run, struct err *err)
{
    return vec_http_check_still_there(run, err) == ERR_OK ? go_on(run, err) : err->code;
}

/* The collection is of another model: it is made anew when it holds nothing. */
static enum err_code change_counted(struct vec_http_run *run, struct err *err)
{
    uint64_t count;
    if (vec_http_read_count(run, &count, err) != ERR_OK)
        return err->code;
    if (count > 0)
        return vec_http_check_kind(run, err);
    ask(run, "DELETE", "", emptied);
    return ERR_OK;
}

static enum err_code emptied(struct vec_http_run *run, struct err *err)
{
    if (run->status != VEC_HTTP_NOT_FOUND && vec_http_check(run, err) != ERR_OK)
        return err->code;
    return create(run);
}

/* ---- making ---- */

static const struct vec_http_dialect dialect = {
    .name = "qdrant",
    .product = "Qdrant",
    .key_name = {"api-key", 7},
    .search = begin_query,
    .write = begin_change,
    .read_error = qdrant_wire_read_error,
    .read_hits = qdrant_wire_read_hits,
    .read_count = qdrant_wire_read_count,
};

enum err_code vec_qdrant_check_url(struct str url, struct err *err)
{
    return vec_http_check_url(&dialect, url, err);
}

struct vec *vec_qdrant_create(struct loop *loop, struct str url)
{
    return vec_http_create(loop, &dialect, url);
}

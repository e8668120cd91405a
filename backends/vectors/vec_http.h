/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_http.h - a store of vectors behind HTTP: an operation is a course of
 * requests.
 *
 * What is common to such stores: one run per operation, requests one after another, deadlines,
 * cancel, close, what failures mean. A dialect gives the steps: each reads an answer and writes the
 * next request. Steps are called on the thread pool, since bodies may be long; they touch their run
 * only. For vec_chroma.c and its like. One loop, one thread otherwise. */
#ifndef BACKENDS_VECTORS_VEC_HTTP_H
#define BACKENDS_VECTORS_VEC_HTTP_H

#include "backends/vec.h"
#include "core/base/arena.h"
#include "core/base/buf.h"

struct vec_http_run;
/* A step: read run's answer, then call vec_http_ask for the next request; without that call the
 * operation is over. A result other than ERR_OK ends the operation with it. */
typedef enum err_code vec_http_step_fn(struct vec_http_run *run, struct err *err);

struct vec_http_dialect {
    const char *name;         /* "chroma": of the vec */
    const char *product;      /* "Chroma": in errors */
    struct str key_name;      /* the header that holds a key */
    vec_http_step_fn *search; /* the first step of a search: no answer yet */
    vec_http_step_fn *write;  /* the first step of a write: no answer yet */
    struct str (*read_error)(struct arena *arena, struct str answer); /* in the store's words */
    /* Read hits, as views of answer where they can be; read how many vectors a collection has. */
    enum err_code (*read_hits)(struct arena *arena, struct str answer, struct passage_hit **hits,
                               size_t *hit_count, struct err *err);
    enum err_code (*read_count)(struct arena *arena, struct str answer, uint64_t *count,
                                struct err *err);
    /* What the paths of requests begin with; path: the url's, "/A/B" or empty. NULL: nothing, and
     * urls have no path. */
    struct str (*make_root)(struct arena *arena, struct str path);
};

struct vec_http_run {                /* as a dialect's steps see it */
    const struct vec_query *query;   /* NULL: a write */
    const struct vec_change *change; /* NULL: a search */
    struct arena arena;              /* until release */
    struct str root;                 /* what paths begin with: the store's own */
    int status;                      /* of the answer */
    struct str answer;               /* borrowed until the step returns */
    struct buf path, body;           /* of the next request; path: after the base, with root */
    struct passage_hit *hits;        /* the result, in arena, any order */
    size_t hit_count;
    struct str id;         /* dialect's: how the store calls the collection; in arena */
    struct str held_model; /* dialect's: of the vectors that are there; in arena */
    size_t held_dimensions;
    size_t removed, written;              /* dialect's: how many of the ids, of the points */
    bool is_new, is_filtered, is_cleared; /* dialect's */
    unsigned asked;                       /* dialect's: how often it asked for hits */
    unsigned missing;                     /* dialect's: a bit for each index to make */
    const struct vec_point **points;      /* of a change, after vec_http_order_points */
    size_t point_count;
    /* private */
    const struct vec_http_dialect *dialect;
    const char *method;
    vec_http_step_fn *next;
};

/* Ask the store: path and body are what the step has pushed; next reads the answer. */
void vec_http_ask(struct vec_http_run *run, const char *method, vec_http_step_fn *next);
/* ERR_OK when the answer is 2xx; else what the store says: ERR_REJECTED, or ERR_UNAVAILABLE for a
 * status that may pass. */
MUST_USE enum err_code vec_http_check(const struct vec_http_run *run, struct err *err);
/* run->points: those of the change to write, by id: the last one of those that share one. False: no
 * memory. */
MUST_USE bool vec_http_order_points(struct vec_http_run *run);

/* The collection that the operation is about. */
struct str vec_http_collection(const struct vec_http_run *run);
/* Whether what the collection holds, by run->held_..., fits the operation: passage_check_kind. */
MUST_USE enum err_code vec_http_check_kind(const struct vec_http_run *run, struct err *err);

/* ---- steps and their parts that all dialects have ---- */

/* Search: the hits of the answer; none when the collection is not there. */
vec_http_step_fn vec_http_keep_hits;
/* Search, after a count, in a collection of another model: fine when nothing is there. */
vec_http_step_fn vec_http_query_counted;
/* The count that was asked for; 0 when the collection is not there. */
MUST_USE enum err_code vec_http_read_count(struct vec_http_run *run, uint64_t *count,
                                           struct err *err);
/* vec_http_check; ERR_UNAVAILABLE when the collection is not there any more. */
MUST_USE enum err_code vec_http_check_still_there(const struct vec_http_run *run, struct err *err);

/* url: NAME:http[s]://[:KEY@]HOST[:PORT][/A/B], NAME the dialect's. ERR_INVALID: what is expected;
 * ERR_NO_MEMORY. */
MUST_USE enum err_code vec_http_check_url(const struct vec_http_dialect *dialect, struct str url,
                                          struct err *err);
/* NULL: no memory, or a url that vec_http_check_url refuses. Copies url; opens nothing yet. */
struct vec *vec_http_create(struct loop *loop, const struct vec_http_dialect *dialect,
                            struct str url);

enum { VEC_HTTP_NOT_FOUND = 404 }; /* status */
/* How many more hits than top_k are asked for: so many may tie for the last place and still come in
 * the order of their ids. */
enum { VEC_HTTP_TIES = 16 };

#endif

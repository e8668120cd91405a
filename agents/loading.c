/* SPDX-License-Identifier: MIT */
/* agents/loading.c - introspects, builds the join graph, indexes the values: a sequence of
 * operations.
 *
 * Happy path: read the two optional files, introspect the database, turn references into a join
 * graph and merge that of the file over it, each only as far as statements may read, bind the
 * semantic file, check whether the secure views show any rows, then load the lexicon. Failure: the
 * first operation that fails ends the loading with its error; everything made so far is destroyed.
 */
#include "agents/loading.h"

#include "agents/lexicon/lexicon.h"
#include "agents/semantic/bind.h"
#include "agents/sql/catalog/introspect.h"
#include "agents/sql/guard/tenancy_report.h"
#include "agents/sql/joins/join_graph_seen.h"
#include "agents/sql/catalog/view_probe.h"
#include "core/base/file.h"
#include "core/base/mem.h"

enum { MAX_FILE_BYTES = 16 << 20, WARNING_BYTES = 128 << 10 };

struct progress {
    struct loading *loading;
    struct sql *sql;
    const struct loading_options *options;
    struct buf secure_views, join_graph;
    struct introspect_options introspect_options;
    struct introspect introspect;
    struct lexicon_load lexicon;
    struct view_probe views;
    struct buf lookups; /* of the semantic file, as a join graph */
    bool *closed;       /* by table: rows are filtered, and nothing ties it to a company */
    struct op *current; /* what cancel reaches */
};

static void on_introspected(struct op *op);
static void on_probed(struct op *op);
static void on_lexicon(struct op *op);

static void cancel(struct op *op)
{
    struct loading *loading = container_of(op, struct loading, op);
    struct progress *progress = loading->impl;
    if (progress != NULL && progress->current != NULL)
        op_cancel(progress->current);
}

static const struct op_kind kind = {.name = "sql.load", .cancel = cancel};

/* The only end: results stay only when all went well. */
static void finish(struct progress *progress, const struct err *err)
{
    struct loading *loading = progress->loading;
    if (err->code != ERR_OK) {
        lexicon_destroy(loading->lexicon);
        join_graph_destroy(loading->joins);
        catalog_destroy(loading->catalog);
        loading->lexicon = NULL;
        loading->joins = NULL;
        loading->catalog = NULL;
    }
    struct err result = *err;
    loading->impl = NULL;
    buf_fini(&progress->secure_views);
    buf_fini(&progress->join_graph);
    buf_fini(&progress->lookups);
    mem_free(progress->closed);
    mem_free(progress);
    op_finish_err(&loading->op, &result);
}

/* An optional file of the deployment's own. */
/* setting: who names the file. */
static enum err_code read_optional(const char *setting, const char *path, struct buf *out,
                                   struct err *err)
{
    buf_init(out, MAX_FILE_BYTES);
    if (path == NULL || path[0] == '\0' || file_read(path, out, err) == ERR_OK)
        return ERR_OK;
    err_prefix(err, setting);
    return err->code = ERR_INVALID;
}

static struct sql_visible sees(const struct progress *progress)
{
    return (struct sql_visible){&sql_policy_default, progress->loading->catalog};
}

/* The file's relationships, as far as statements may use them; those left out are said. */
static enum err_code read_joins(struct progress *progress, struct join_graph **out, struct err *err)
{
    struct join_graph *file;
    size_t left_out;
    enum err_code code = join_graph_from_json(buf_str(&progress->join_graph), &file, err);
    if (code != ERR_OK) {
        err_prefix(err, "the join graph file");
        return code;
    }
    code = join_graph_seen_copy(file, sees(progress), out, &left_out, err);
    join_graph_destroy(file);
    if (code == ERR_OK && left_out > 0)
        buf_printf(&progress->loading->warnings,
                   "the join graph file: %zu relationships name tables or columns that the "
                   "database does not have or that may not be read\n",
                   left_out);
    return code;
}

/* Merge what text says over *joins, which is replaced. */
static enum err_code merge_lookups(struct progress *progress, struct err *err)
{
    struct join_graph *file = NULL, *merged = NULL;
    if (buf_len(&progress->lookups) == 0)
        return ERR_OK;
    enum err_code code = join_graph_from_json(buf_str(&progress->lookups), &file, err);
    if (code == ERR_OK)
        code = join_graph_merge(progress->loading->joins, file, &merged, err);
    join_graph_destroy(file);
    if (code == ERR_OK) {
        join_graph_destroy(progress->loading->joins);
        progress->loading->joins = merged;
    }
    return code;
}

static void bind_semantic(struct progress *progress)
{
    struct semantic_report report;
    const struct loading_options *options = progress->options;
    if (options->semantic == NULL)
        return;
    semantic_report_init(&report);
    semantic_bind_catalog(options->semantic, progress->loading->catalog, options->policy,
                          progress->sql->dialect, &report);
    struct str lines = buf_str(&report.text);
    while (lines.len > 0)
        buf_printf(&progress->loading->warnings, "the semantic file: %.*s\n",
                   STR_ARG(str_split(&lines, '\n')));
    semantic_report_fini(&report);
}

static enum err_code build_joins(struct progress *progress, struct err *err)
{
    struct loading *loading = progress->loading;
    struct join_graph *keys = NULL, *base = NULL, *more = NULL;
    size_t left_out;
    enum err_code code = join_graph_from_catalog(loading->catalog, &keys, err);
    if (code == ERR_OK)
        code = join_graph_seen_copy(keys, sees(progress), &base, &left_out, err);
    join_graph_destroy(keys);
    if (code == ERR_OK && buf_len(&progress->join_graph) > 0) {
        code = read_joins(progress, &more, err);
        if (code == ERR_OK)
            code = join_graph_merge(base, more, &loading->joins, err);
        join_graph_destroy(more);
        join_graph_destroy(base);
        return code;
    }
    loading->joins = base;
    return code;
}

/* What nobody may read must not come back as a word that people may have meant. */
static enum err_code find_closed(struct progress *progress, struct err *err)
{
    const struct catalog *catalog = progress->loading->catalog;
    const struct sql_visible sees = {progress->options->policy, catalog};
    if (progress->options->tenant_column == NULL || progress->options->policy == NULL)
        return ERR_OK;
    progress->closed = mem_zalloc(catalog->table_count + 1, sizeof *progress->closed);
    if (progress->closed == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to read the schema");
    for (size_t i = 0; i < catalog->table_count; i++)
        progress->closed[i] = sql_tenancy_report_kind(sees, (int)i) == SQL_TENANCY_REFUSED;
    return ERR_OK;
}

static void on_introspected(struct op *op)
{
    struct progress *progress = op_owner(op);
    struct loading *loading = progress->loading;
    struct err err = op->err;
    progress->current = NULL;
    if (err.code == ERR_OK) {
        loading->catalog = progress->introspect.catalog;
        err.code = build_joins(progress, &err);
        if (err.code == ERR_OK)
            err.code = merge_lookups(progress, &err);
        if (err.code == ERR_OK)
            err.code = find_closed(progress, &err);
        bind_semantic(progress);
    }
    if (err.code != ERR_OK) {
        finish(progress, &err);
        return;
    }
    progress->current = &progress->views.op;
    view_probe_start(&progress->views, progress->sql, loading->catalog,
                     progress->options->variables, progress->options->variable_count,
                     (struct op_waiter){on_probed, progress, NULL});
}

static void on_probed(struct op *op)
{
    struct progress *progress = op_owner(op);
    struct loading *loading = progress->loading;
    struct err err = op->err;
    progress->current = NULL;
    buf_push(&loading->warnings, buf_str(&progress->views.warnings));
    buf_fini(&progress->views.warnings);
    if (err.code != ERR_OK) {
        finish(progress, &err);
        return;
    }
    progress->current = &progress->lexicon.op;
    progress->lexicon.variables = progress->options->variables;
    progress->lexicon.variable_count = progress->options->variable_count;
    progress->lexicon.semantic = progress->options->semantic;
    progress->lexicon.closed = progress->closed;
    progress->lexicon.owned = progress->options->tenant_column != NULL;
    progress->lexicon.progress = progress->options->progress;
    progress->lexicon.log = progress->options->log;
    progress->lexicon.one_by_one = progress->options->one_by_one;
    lexicon_load_start(&progress->lexicon, progress->sql->loop,
                       progress->options->with_values ? progress->sql : NULL, loading->catalog,
                       (struct op_waiter){on_lexicon, progress, NULL});
}

static void on_lexicon(struct op *op)
{
    struct progress *progress = op_owner(op);
    struct err err = op->err;
    progress->current = NULL;
    if (err.code == ERR_OK)
        progress->loading->lexicon = progress->lexicon.lexicon;
    finish(progress, &err);
}

void loading_start(struct loading *loading, struct sql *sql, const struct loading_options *options,
                   struct op_waiter waiter)
{
    struct err err = {0};
    loading->catalog = NULL;
    loading->joins = NULL;
    loading->lexicon = NULL;
    buf_init(&loading->warnings, WARNING_BYTES);
    op_begin(&loading->op, &kind, sql->loop, waiter);
    struct progress *progress = mem_zalloc(1, sizeof *progress);
    loading->impl = progress;
    if (progress == NULL) {
        op_finish(&loading->op, ERR_NO_MEMORY, "no memory to read the schema");
        return;
    }
    progress->loading = loading;
    progress->sql = sql;
    progress->options = options;
    if (read_optional("ASKD_SECURE_VIEWS", options->secure_views_path, &progress->secure_views,
                      &err) != ERR_OK ||
        read_optional("ASKD_JOIN_GRAPH", options->join_graph_path, &progress->join_graph, &err) !=
            ERR_OK) {
        finish(progress, &err);
        return;
    }
    progress->introspect_options = (struct introspect_options){
        .secure_views = buf_len(&progress->secure_views) > 0 ? buf_str(&progress->secure_views)
                                                             : (struct str){NULL, 0},
        .tenant_column = str_of(options->tenant_column),
        .count_rows = true,
        .rules = options->rules,
        .rule_count = options->rule_count,
    };
    buf_init(&progress->lookups, MAX_FILE_BYTES);
    if (options->semantic != NULL) {
        progress->introspect_options.changes =
            semantic_bind_changes(options->semantic, &progress->introspect_options.change_count);
        semantic_bind_lookups(options->semantic, &progress->lookups);
    }
    progress->introspect_options.declared[0] = buf_str(&progress->join_graph);
    progress->introspect_options.declared[1] = buf_str(&progress->lookups);
    progress->current = &progress->introspect.op;
    introspect_start(&progress->introspect, sql, &progress->introspect_options,
                     (struct op_waiter){on_introspected, progress, NULL});
}

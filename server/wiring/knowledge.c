/* SPDX-License-Identifier: MIT */
/* server/wiring/knowledge.c - prompts and pairs, then catalog, joins and lexicon, into one set.
 *
 * Happy path: prompts are read at once; loading reads the database; the set is complete.
 * Failure paths:
 * - broken prompts: ERR_INVALID with every mistake, no set; broken pairs: ERR_INVALID with the
 *   first mistake, no set;
 * - no database configured, missing or corrupt: a set whose catalog_err says so. */
#include "server/wiring/knowledge.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agents/graphs.h"
#include "agents/semantic/file.h"
#include "agents/sql/joins/join_graph_verified.h"
#include "agents/text_to_sql/pairs.h"
#include "core/base/id.h"
#include "core/base/mem.h"

static void give_up(struct op *op)
{
    struct knowledge_load *load = container_of(op, struct knowledge_load, op);
    if (op_is_pending(&load->loading.op))
        op_cancel(&load->loading.op);
}

static const struct op_kind kind = {.name = "knowledge.load", .cancel = give_up};

void knowledge_destroy_set(struct knowledge_set *set)
{
    if (set == NULL)
        return;
    CHECK(set->holders == 0);
    buf_fini(&set->warnings);
    lexicon_destroy(set->lexicon);
    semantic_model_destroy(set->semantic);
    join_graph_destroy(set->joins);
    catalog_destroy(set->catalog);
    prompt_set_destroy(set->prompts);
    text_to_sql_pairs_destroy(set->pairs);
    schema_passages_destroy(set->schema);
    mem_free(set->shared_tables);
    mem_free(set);
}

bool knowledge_is_less(const struct knowledge_set *set, const struct knowledge_set *current)
{
    if (set->catalog == NULL || current->catalog == NULL)
        return set->catalog == NULL;
    return str_equal(set->knows.schema_id, current->knows.schema_id) &&
           lexicon_columns_read(set->lexicon) < lexicon_columns_read(current->lexicon);
}

static bool holds_prompts(const char *dir)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof path, "%s/orchestrator/prompts", dir);
    return len < (int)sizeof path && access(path, R_OK) == 0;
}

const char *knowledge_prompt_dir(const struct config *config, char *room, size_t room_bytes)
{
    static const char *const places[] = {"agents", "../agents", "../../agents", "../../../agents",
                                         "../share/askd/agents"};
    char program[PATH_MAX / 2];
    if (config->prompt_dir[0] != '\0')
        return config->prompt_dir;
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    program[len > 0 ? len : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < countof(places); i++) {
        snprintf(room, room_bytes, "%s/%s", program, places[i]);
        if (holds_prompts(room))
            return room;
    }
    return holds_prompts(ASKD_SOURCE_PROMPTS) ? ASKD_SOURCE_PROMPTS : "agents";
}

/* The built-in policies with the tables whose rows are filtered by company. */
static enum err_code fill_policies(struct knowledge_set *set, const struct config *config)
{
    struct str list = str_of(config->shared_tables);
    size_t most = list.len / 2 + 1, count = 0; /* names, each with its comma */
    char *text = mem_zalloc(1, most * sizeof *set->shared_tables + list.len);
    if (text == NULL)
        return ERR_NO_MEMORY;
    set->shared_tables = (void *)text;
    text += most * sizeof *set->shared_tables;
    memcpy(text, list.at, list.len);
    list = str_make(text, list.len);
    while (!str_is_empty(list)) {
        struct str name = str_trim(str_split(&list, ','));
        if (name.len > 0)
            set->shared_tables[count++] = name;
    }
    set->policies[0] = sql_policy_default;
    set->policies[1] = sql_policy_banking;
    for (size_t i = 0; i < countof(set->policies); i++) {
        set->policies[i].shared_tables = set->shared_tables;
        set->policies[i].shared_table_count = count;
    }
    return ERR_OK;
}

/* Check that each shared table exists: one that does not is misspelt, so that rows of the table
 * that was meant would be filtered. */
static void warn_of_shared(struct knowledge_set *set)
{
    for (size_t i = 0; i < set->policies[0].shared_table_count; i++)
        if (catalog_find_dotted(set->catalog, set->shared_tables[i]) == CATALOG_NONE)
            buf_printf(&set->warnings, "ASKD_SHARED_TABLES: there is no table %.*s\n",
                       STR_ARG(set->shared_tables[i]));
}

static void fill_set(struct knowledge_set *set, const struct config *config, const struct sql *sql)
{
    set->knows = (struct knowledge){
        .serial = id_random_u64() | 1,
        .dialect = sql == NULL ? SQL_SQLITE : sql->dialect,
        .prompts = set->prompts,
        .pairs = set->pairs,
        .semantic = set->semantic,
        .policy = &set->policies[0],
        .banking_policy = &set->policies[1],
        .tenant = {.on = config->tenant_column[0] != '\0'},
    };
    err_set(&set->knows.catalog_err, ERR_NOT_CONFIGURED,
            "no database is configured; set ASKD_DATABASE_URL");
}

/* Learn joins from the statements of the pairs: they are verified, so tables may be joined as they
 * join them. */
static void use_pairs(struct knowledge_set *set)
{
    size_t count = set->pairs == NULL ? 0 : text_to_sql_pairs_count(set->pairs);
    for (size_t i = 0; i < count; i++)
        join_graph_verified_mark(set->joins, set->catalog, set->knows.dialect,
                                 text_to_sql_pairs_get(set->pairs, i)->sql);
    for (size_t i = 0; set->semantic != NULL && i < set->semantic->verified_count; i++)
        if (set->semantic->verified[i].usable)
            join_graph_verified_mark(set->joins, set->catalog, set->knows.dialect,
                                     set->semantic->verified[i].sql);
}

/* Make the passages of the schema; without memory tables are found by words alone. */
static void describe_tables(struct knowledge_set *set)
{
    const struct schema_passages_of of = {set->catalog, set->lexicon, set->knows.policy};
    set->schema = schema_passages_create(&of);
    if (set->schema != NULL)
        set->knows.schema_id = schema_passages_id(set->schema);
}

static void on_loaded(struct op *op)
{
    struct knowledge_load *load = op_owner(op);
    struct knowledge_set *set = load->set;
    struct loading *loading = &load->loading;
    set->warnings = loading->warnings;
    if (op->err.code == ERR_OK) {
        set->knows.catalog = set->catalog = loading->catalog;
        set->knows.joins = set->joins = loading->joins;
        set->knows.lexicon = set->lexicon = loading->lexicon;
        set->knows.catalog_err = (struct err){0};
        describe_tables(set);
        use_pairs(set);
        warn_of_shared(set);
    } else {
        set->knows.catalog_err = op->err;
    }
    bool cancelled = op->err.code == ERR_CANCELLED;
    op_release(op);
    if (cancelled) {
        knowledge_destroy_set(set);
        load->set = NULL;
        op_finish(&load->op, ERR_CANCELLED, "cancelled");
        return;
    }
    op_finish(&load->op, ERR_OK, "%s", "");
}

static const char *text_or_null(const char *text)
{
    return text[0] == '\0' ? NULL : text;
}

static enum err_code read_semantic(struct knowledge_set *set, const struct config *config,
                                   struct err *err)
{
    struct semantic_report report;
    if (config->semantic[0] == '\0')
        return ERR_OK;
    semantic_report_init(&report);
    enum err_code code = semantic_file_load(config->semantic, &set->semantic, &report, err);
    semantic_report_fini(&report);
    if (code != ERR_OK)
        err_prefix(err, "ASKD_SEMANTIC");
    return code;
}

/* Read prompts and the optional files. Any error is one of the files, to be mended there:
 * ERR_INVALID. */
static enum err_code read_files(struct knowledge_set *set, const struct config *config,
                                struct err *err)
{
    char room[PATH_MAX];
    const char *dir = knowledge_prompt_dir(config, room, sizeof room);
    enum err_code code = graphs_load_prompts(dir, &set->prompts, err);
    if (code == ERR_OK)
        code = read_semantic(set, config, err);
    if (code != ERR_OK || config->sql_pairs[0] == '\0')
        return code;
    code = text_to_sql_pairs_load(config->sql_pairs, &set->pairs, err);
    if (code == ERR_OK || code == ERR_NO_MEMORY)
        return code;
    err_prefix(err, "ASKD_SQL_PAIRS");
    return err->code = ERR_INVALID;
}

void knowledge_load_start(struct knowledge_load *load, struct loop *loop,
                          const struct config *config, struct sql *sql, struct op_waiter waiter)
{
    struct err err = {0};
    op_begin(&load->op, &kind, loop, waiter);
    struct knowledge_set *set = load->set = mem_zalloc(1, sizeof *set);
    if (set == NULL) {
        op_finish(&load->op, ERR_NO_MEMORY, "no memory for what is known");
        return;
    }
    if (fill_policies(set, config) != ERR_OK)
        err_set(&err, ERR_NO_MEMORY, "no memory for what is known");
    if (err.code != ERR_OK || read_files(set, config, &err) != ERR_OK) {
        knowledge_destroy_set(set);
        load->set = NULL;
        op_finish_err(&load->op, &err);
        return;
    }
    fill_set(set, config, sql);
    if (sql == NULL) {
        op_finish(&load->op, ERR_OK, "%s", "");
        return;
    }
    load->options = (struct loading_options){
        .join_graph_path = text_or_null(config->join_graph),
        .secure_views_path = text_or_null(config->secure_views),
        .tenant_column = text_or_null(config->tenant_column),
        .variables = load->variables,
        .variable_count = services_key_variable(str_of(config->encrypt_key), &load->variables[0]),
        .semantic = set->semantic,
        .policy = &set->policies[0],
        .progress = load->progress,
        .log = load->log,
        .one_by_one = load->again,
        .with_values = true, /* for the offline engine, and to see if a text is a value (C24) */
    };
    loading_start(&load->loading, sql, &load->options, (struct op_waiter){on_loaded, load, NULL});
}

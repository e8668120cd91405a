/* SPDX-License-Identifier: MIT */
/* server/wiring/knowledge.c - prompts and pairs, then catalog, joins and lexicon, into one set.
 *
 * Happy path: prompts are read at once; loading reads the database; the set is complete.
 * Failure paths:
 * - broken prompts: ERR_INVALID with every mistake, no set; broken pairs: ERR_INVALID with the
 *   first mistake, no set;
 * - no database configured, missing or corrupt: a set whose catalog_err says so. */
#include "server/wiring/knowledge.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agents/graphs.h"
#include "agents/semantic/file.h"
#include "agents/sql/catalog/catalog_narrow.h"
#include "agents/sql/guard/tenancy_report.h"
#include "agents/sql/joins/join_graph_verified.h"
#include "agents/gather/pairs.h"
#include "core/base/id.h"
#include "core/base/mem.h"
#include "server/wiring/knowledge_names.h"

enum { TENANCY_BYTES = 16 * 1024 };

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
    buf_fini(&set->tenancy);
    for (size_t i = 0; i < set->variant_count; i++)
        catalog_narrow_destroy(set->variants[i].catalog);
    mem_free(set->variants);
    served_policies_destroy(set->served);
    lexicon_destroy(set->lexicon);
    semantic_model_destroy(set->semantic);
    join_graph_destroy(set->joins);
    catalog_destroy(set->catalog);
    prompt_set_destroy(set->prompts);
    gather_pairs_destroy(set->pairs);
    schema_passages_destroy(set->schema);
    mem_free(set->column_rules);
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

/* The entry of the banking graph, which says what it is about. */
static const struct registry_entry *find_banking(void)
{
    for (size_t i = 0; i < countof(graphs_entries); i++)
        if (strcmp(graphs_entries[i]->def->name, sql_policy_banking.name.at) == 0)
            return graphs_entries[i];
    return NULL;
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
    const struct registry_entry *banking = find_banking();
    CHECK(banking != NULL);
    set->policies[1].tables = banking->tables; /* the model is shown no others either */
    set->policies[1].table_count = banking->table_count;
    for (size_t i = 0; i < countof(set->policies); i++) {
        set->policies[i].max_limit = size_max(set->policies[i].max_limit, config->query_rows);
        set->policies[i].shared_tables = set->shared_tables;
        set->policies[i].shared_table_count = count;
    }
    return ERR_OK;
}

/* Pseudonyms are others after every load, unless the file of policies has a key. */
static struct str mask_key(struct knowledge_set *set)
{
    if (set->served != NULL && set->served->mask_key.len > 0)
        return set->served->mask_key;
    snprintf(set->mask_key, sizeof set->mask_key, "%016" PRIx64 "%016" PRIx64, id_random_u64(),
             id_random_u64());
    return str_of(set->mask_key);
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
        .mask_key = mask_key(set),
    };
    err_set(&set->knows.catalog_err, ERR_NOT_CONFIGURED,
            "no database is configured; set ASKD_DATABASE_URL");
}

/* Learn joins from the statements of the pairs: they are verified, so tables may be joined as they
 * join them. */
static void use_pairs(struct knowledge_set *set)
{
    size_t count = set->pairs == NULL ? 0 : gather_pairs_count(set->pairs);
    for (size_t i = 0; i < count; i++)
        join_graph_verified_mark(set->joins, set->catalog, set->knows.dialect,
                                 gather_pairs_get(set->pairs, i)->sql);
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

/* ---- one knowledge for each policy that is served ---- */

static const struct str no_tables[1] = {{"", 0}};

/* Under which nothing may be read. */
static const struct sql_policy nothing = {.name = {"nothing", 7},
                                          .tables = no_tables,
                                          .require_tenant = true,
                                          .default_limit = 1,
                                          .max_limit = 1,
                                          .max_sql_bytes = 16 * 1024,
                                          .max_nesting = 64,
                                          .max_select_items = 500,
                                          .unknown_table = SQL_REFUSE,
                                          .unknown_column = SQL_REFUSE};

static bool narrow(struct knowledge_set *set, struct knowledge_variant *variant,
                   const struct sql_policy *policy)
{
    variant->knows = set->knows;
    variant->knows.serial = id_random_u64() | 1;
    variant->knows.policy = variant->knows.banking_policy = policy;
    if (set->knows.catalog == NULL)
        return true;
    variant->catalog = catalog_narrow_create((struct sql_visible){policy, set->catalog});
    variant->knows.catalog = variant->catalog;
    return variant->catalog != NULL;
}

static bool make_variants(struct knowledge_set *set)
{
    size_t count = set->served == NULL ? 0 : set->served->count;
    if (set->served == NULL)
        return true;
    set->variants = mem_zalloc(count + 1, sizeof *set->variants);
    if (set->variants == NULL)
        return false;
    for (; set->variant_count < count; set->variant_count++) {
        const struct served_rule *rule = &set->served->rules[set->variant_count];
        if (!narrow(set, &set->variants[set->variant_count], &rule->policy))
            return false;
        if (set->knows.catalog != NULL)
            knowledge_names_warn_of_policy((struct sql_visible){&set->policies[0], set->catalog},
                                           &rule->policy, &set->warnings);
    }
    return narrow(set, &set->variants[set->variant_count++], &nothing);
}

const struct knowledge *knowledge_of(const struct knowledge_set *set, struct str graph,
                                     struct str role)
{
    int rule = served_policies_find(set->served, graph, role);
    if (rule == SERVED_BUILT_IN)
        return &set->knows;
    CHECK(set->variant_count > 0);
    size_t last = set->variant_count - 1;
    return &set->variants[rule == SERVED_NOTHING ? last : (size_t)rule].knows;
}

/* ---- whose rows are whose ---- */

static bool has_tenant_column(const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->table_count; i++) {
        if (catalog->tables[i].tenant_column != CATALOG_NONE)
            return true;
    }
    return false;
}

/* Rows of several companies, and nobody said how they are kept apart. What is found goes into the
 * line for people who run askd; callers are told no name. */
static enum err_code refuse_unset(struct knowledge_set *set, const struct config *config,
                                  struct err *err)
{
    const struct sql_visible sees = {&set->policies[0], set->catalog};
    int table, column;
    if (strcmp(config->tenancy, "off") == 0)
        return ERR_OK;
    if (config->encrypt_key[0] != '\0' && config->secure_views[0] == '\0')
        return err_set(err, ERR_NOT_CONFIGURED,
                       "DB_ENCRYPT_KEY is set, so views show what is encrypted, of all companies; "
                       "set ASKD_TENANT_COLUMN or ASKD_SECURE_VIEWS, or ASKD_TENANCY=off if "
                       "everybody may see every row");
    if (!sql_tenancy_report_suspects(sees, &table, &column))
        return ERR_OK;
    buf_push(&set->tenancy, STR("looks like a company's key: "));
    catalog_push_name(set->catalog, table, &set->tenancy);
    buf_printf(&set->tenancy, ".%.*s", STR_ARG(set->catalog->tables[table].columns[column].name));
    return err_set(err, ERR_NOT_CONFIGURED,
                   "the tables look as if they held rows of several companies; set "
                   "ASKD_TENANT_COLUMN, or ASKD_TENANCY=off if everybody may see every row");
}

static enum err_code refuse_tenant_column(const struct knowledge_set *set,
                                          const struct config *config, struct err *err)
{
    struct str near = knowledge_names_near_column(
        (struct sql_visible){&set->policies[0], set->catalog}, str_of(config->tenant_column));
    return err_set(err, ERR_NOT_CONFIGURED,
                   "no table that may be read has the column of ASKD_TENANT_COLUMN, '%s'%s%.*s%s",
                   config->tenant_column, near.len > 0 ? "; is '" : "", STR_ARG(near),
                   near.len > 0 ? "' meant?" : "");
}

/* Whether questions about the data may be answered at all. */
static enum err_code judge_tenancy(struct knowledge_set *set, const struct config *config,
                                   struct err *err)
{
    if (config->tenant_column[0] == '\0')
        return refuse_unset(set, config, err);
    sql_tenancy_report_write((struct sql_visible){&set->policies[0], set->catalog}, &set->tenancy);
    if (!has_tenant_column(set->catalog))
        return refuse_tenant_column(set, config, err);
    size_t refused =
        sql_tenancy_report_refused((struct sql_visible){&set->policies[0], set->catalog});
    if (refused > 0)
        buf_printf(
            &set->warnings,
            "%zu tables are refused: nothing ties them to a company; give them the column of "
            "ASKD_TENANT_COLUMN, declare a foreign key in ASKD_JOIN_GRAPH, or name them in "
            "ASKD_SHARED_TABLES (the log names them: database.tenancy)\n",
            refused);
    return ERR_OK;
}

/* Take what was read. Where it may not be served, knows has no catalog, and catalog_err says why.
 */
static void take_loaded(struct knowledge_set *set, struct loading *loading,
                        const struct config *config)
{
    set->catalog = loading->catalog;
    set->joins = loading->joins;
    set->lexicon = loading->lexicon;
    if (judge_tenancy(set, config, &set->knows.catalog_err) != ERR_OK)
        return;
    set->knows.catalog = set->catalog;
    set->knows.joins = set->joins;
    set->knows.lexicon = set->lexicon;
    set->knows.catalog_err = (struct err){0};
    describe_tables(set);
    use_pairs(set);
    knowledge_names_warn_of_shared((struct sql_visible){&set->policies[0], set->catalog},
                                   &set->warnings);
}

static void on_loaded(struct op *op)
{
    struct knowledge_load *load = op_owner(op);
    struct knowledge_set *set = load->set;
    struct loading *loading = &load->loading;
    set->warnings = loading->warnings;
    if (op->err.code == ERR_OK) {
        take_loaded(set, loading, load->config);
    } else {
        set->knows.catalog_err = op->err;
    }
    bool cancelled = op->err.code == ERR_CANCELLED;
    op_release(op);
    if (!cancelled && !make_variants(set)) {
        knowledge_destroy_set(set);
        load->set = NULL;
        op_finish(&load->op, ERR_NO_MEMORY, "no memory for the policies");
        return;
    }
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

static bool is_graph(struct str name)
{
    for (size_t i = 0; i < GRAPHS_COUNT; i++) {
        if (str_equal(name, str_of(graphs_entries[i]->def->name)))
            return true;
    }
    return false;
}

/* What any policy says of columns: what one restricts is in no sample and no index of values. */
static bool gather_columns(struct knowledge_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < set->served->count; i++)
        count += set->served->rules[i].policy.column_count;
    set->column_rules = mem_zalloc(count + 1, sizeof *set->column_rules);
    for (size_t i = 0; set->column_rules != NULL && i < set->served->count; i++) {
        const struct sql_policy *policy = &set->served->rules[i].policy;
        for (size_t c = 0; c < policy->column_count; c++)
            set->column_rules[set->column_rule_count++] = policy->columns[c];
    }
    return set->column_rules != NULL;
}

static enum err_code read_policies(struct knowledge_set *set, const struct config *config,
                                   struct err *err)
{
    const struct served_options options = {set->policies[0].shared_tables,
                                           set->policies[0].shared_table_count, is_graph};
    if (config->policies[0] == '\0')
        return ERR_OK;
    enum err_code code = served_policies_load(config->policies, &options, &set->served, err);
    if (code == ERR_OK && !gather_columns(set))
        code = err_set(err, ERR_NO_MEMORY, "no memory for the policies");
    if (code != ERR_OK)
        err_prefix(err, "ASKD_POLICIES");
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
        code = read_policies(set, config, err);
    if (code == ERR_OK)
        code = read_semantic(set, config, err);
    if (code != ERR_OK || config->sql_pairs[0] == '\0')
        return code;
    code = gather_pairs_load(config->sql_pairs, &set->pairs, err);
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
    load->config = config;
    buf_init(&set->tenancy, TENANCY_BYTES);
    if (sql == NULL && make_variants(set)) {
        op_finish(&load->op, ERR_OK, "%s", "");
        return;
    }
    if (sql == NULL) {
        knowledge_destroy_set(set);
        load->set = NULL;
        op_finish(&load->op, ERR_NO_MEMORY, "no memory for the policies");
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
        .rules = set->column_rules,
        .rule_count = set->column_rule_count,
        .progress = load->progress,
        .log = load->log,
        .one_by_one = load->again,
        .with_values = true, /* for the offline engine, and to see if a text is a value (C24) */
    };
    loading_start(&load->loading, sql, &load->options, (struct op_waiter){on_loaded, load, NULL});
}

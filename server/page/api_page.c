/* SPDX-License-Identifier: MIT */
/* server/page/api_page.c - embedded files with their validators, and one JSON object about this
 * server.
 *
 * Happy path: the file is found by name, sent gzipped to clients that take that, or not at all
 * (304) to those that have it.
 * Failure: no such file, or one of another build: 404. */
#include "server/page/api_page.h"

#include "agents/sql/catalog/visible.h"
#include "proto/json_write.h"
#include "proto/url.h"
#include "server/api/caller.h"
#include "server/http/exchange.h"
#include "server/page/page_examples.h"
#include "server/page/page_files.h"
#include "server/runs/shard.h"

enum { HEAD_BYTES = 2048, BODY_BYTES = 256 * 1024, ABOUT_MOST = 8 };

/* Scripts and styles are files of ours, text is never markup, and nothing is asked of others. */
#define POLICY                                                                                     \
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "           \
    "img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "              \
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n"

/* Whether a comma-separated list of entity tags has etag, or is "*". */
static bool has_tag(struct str list, struct str etag)
{
    while (!str_is_absent(list)) {
        struct str tag = str_trim(str_split(&list, ','));
        if (str_starts_with(tag, STR("W/")))
            tag = str_from(tag, 2);
        if (str_equal(tag, STR("*")) || str_equal(tag, etag))
            return true;
    }
    return false;
}

/* Whether Accept-Encoding names gzip, and not with a weight of nothing. */
static bool takes_gzip(struct str list)
{
    while (!str_is_absent(list)) {
        struct str weight = str_split(&list, ','), coding = str_trim(str_split(&weight, ';'));
        if (!str_equal_nocase(coding, STR("gzip")))
            continue;
        double q = 1;
        weight = str_trim(weight);
        return !str_starts_with(weight, STR("q=")) ||
               (str_to_double(str_from(weight, 2), &q) && q > 0);
    }
    return false;
}

/* cache: how long it may be kept without asking. */
static void send_file(struct exchange *exchange, const struct page_file *file, const char *cache)
{
    bool gzip = takes_gzip(http_request_header(exchange->request, STR("Accept-Encoding"))) &&
                file->gzipped.len < file->plain.len;
    struct buf head, etag;
    buf_init(&head, HEAD_BYTES);
    buf_init(&etag, HEAD_BYTES);
    buf_printf(&etag, "\"%s%s\"", file->etag, gzip ? "-gzip" : "");
    bool has =
        has_tag(http_request_header(exchange->request, STR("If-None-Match")), buf_str(&etag));
    buf_printf(&head,
               "Content-Type: %s\r\nCache-Control: %s\r\nETag: %.*s\r\nVary: Accept-Encoding\r\n"
               "Referrer-Policy: no-referrer\r\n"
               "Cross-Origin-Opener-Policy: same-origin\r\n"
               "Cross-Origin-Resource-Policy: same-origin\r\n%s%s",
               file->type, cache, STR_ARG(buf_str(&etag)), POLICY,
               gzip && !has ? "Content-Encoding: gzip\r\n" : "");
    if (buf_ok(&head) && buf_ok(&etag)) {
        exchange_reply_with(exchange, has ? 304 : 200, buf_str(&head),
                            gzip ? file->gzipped : file->plain);
    } else {
        struct err err;
        err_set(&err, ERR_NO_MEMORY, "no memory for the answer");
        exchange_fail(exchange, &err);
    }
    buf_fini(&etag);
    buf_fini(&head);
}

static const struct page_file *find_file(struct str name)
{
    for (size_t i = 0; i < page_files_count; i++)
        if (str_equal(name, str_of(page_files_table[i].name)))
            return &page_files_table[i];
    return NULL;
}

void api_page_show(struct exchange *exchange)
{
    const struct page_file *file = find_file(STR("index.html"));
    CHECK(file != NULL);
    send_file(exchange, file, "no-cache");
}

void api_page_embed(struct exchange *exchange)
{
    const struct page_file *file = find_file(STR("embed.js"));
    CHECK(file != NULL);
    send_file(exchange, file, "no-cache");
}

void api_page_openapi(struct exchange *exchange)
{
    const struct page_file *file = find_file(STR("openapi.json"));
    CHECK(file != NULL);
    send_file(exchange, file, "no-cache");
}

void api_page_file(struct exchange *exchange)
{
    const struct page_file *file = find_file(exchange->match.params[1]);
    struct problem problem;
    if (file != NULL && str_equal(exchange->match.params[0], str_of(page_files_version))) {
        send_file(exchange, file, "public, max-age=31536000, immutable");
        return;
    }
    problem_set(&problem, 404, "not_found", "this build has no such file; load / again");
    exchange_problem(exchange, &problem);
}

/* ---- about ---- */

/* What a client may use besides asking, as it is configured. */
static void write_features(const struct shard *shard, struct json_write *json)
{
    const struct config *config = shard->group->config;
    const bool is_kept = conversations_store(shard->conversations) != NULL;
    json_write_array(json);
    if (is_kept) /* else they are gone with the process */
        json_write_str(json, STR("conversations"));
    if (is_kept && config_shares_links(config))
        json_write_str(json, STR("shares"));
    if (is_kept && config->schedules_most > 0)
        json_write_str(json, STR("schedules"));
    if (shard->documents != NULL && !str_equal(str_of(config->uploads), STR("off")))
        json_write_str(json, STR("documents"));
    json_write_array_end(json);
}

static void write_database(const struct shard *shard, struct json_write *json)
{
    const struct knowledge *knows = &shard->pin->set->knows;
    size_t count = 0;
    json_write_object(json);
    json_write_member_str(json, STR("kind"), str_of(shard->services->sql->vtable->name));
    for (size_t i = 0; knows->catalog != NULL && i < knows->catalog->table_count; i++)
        count += !knows->catalog->tables[i].hidden;
    if (knows->catalog != NULL)
        json_write_member_u64(json, STR("tables"), count);
    json_write_object_end(json);
}

/* What the model is called where it has a name; else "". */
static const char *find_model_name(const struct config *config)
{
    struct str model = str_of(config->model);
    if (config_has_models(config))
        return config->models->models[config->models->tasks[0].models[0]].model;
    return str_equal(model, STR("openai"))  ? config->openai_model
           : str_equal(model, STR("azure")) ? config->azure_deployment
                                            : "";
}

/* Who asks where a page names nobody: whom its key or token names, else whom the settings do. Where
 * rows belong to companies and no company is known it is "", and the page asks. */
static struct identity page_caller(const struct exchange *exchange)
{
    const struct config *config = exchange->shard->group->config;
    struct identity caller = {0};
    struct err err;
    if (caller_settle(exchange, &caller, &err) != ERR_OK)
        caller = (struct identity){0};
    if (str_is_empty(caller.company_id))
        caller.company_id = str_of(config->page_company_id);
    if (str_is_empty(caller.company_id) && config->tenant_column[0] == '\0')
        caller.company_id = STR(CONFIG_PAGE_COMPANY);
    if (str_is_empty(caller.user_id))
        caller.user_id = STR(CONFIG_PAGE_USER);
    return caller;
}

static void write_about(const struct exchange *exchange, struct json_write *json)
{
    const struct shard *shard = exchange->shard;
    const struct shard_group *group = shard->group;
    const struct identity caller = page_caller(exchange);
    bool knows = shard->pin != NULL;
    json_write_object(json);
    json_write_member_str(json, STR("name"), STR("askd"));
    json_write_member_str(json, STR("version"), STR(ASKD_VERSION));
    json_write_member_str(json, STR("model"), str_of(group->config->model));
    json_write_member_str(json, STR("model_name"), str_of(find_model_name(group->config)));
    if (shard->services->sql != NULL && knows) {
        json_write_key(json, STR("database"));
        write_database(shard, json);
    }
    json_write_member_double(json, STR("heartbeat_seconds"),
                             (double)group->config->heartbeat_ms / 1000);
    json_write_member_double(json, STR("kept_hours"), group->config->conversation_age_hours);
    json_write_key(json, STR("caller"));
    json_write_object(json);
    json_write_member_str(json, STR("company_id"), caller.company_id);
    json_write_member_str(json, STR("user_id"), caller.user_id);
    json_write_object_end(json);
    json_write_key(json, STR("features"));
    write_features(shard, json);
    json_write_key(json, STR("examples"));
    json_write_array(json);
    if (knows && shard->pin->set->knows.catalog != NULL)
        page_examples_write(shard->pin->set->knows.lexicon, exchange->language, json);
    json_write_array_end(json);
    json_write_object_end(json);
}

void api_page_about(struct exchange *exchange)
{
    struct json_write json;
    struct buf body;
    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    write_about(exchange, &json);
    exchange_reply_json(exchange, 200, &body);
}

/* The tables of a list by comma that the caller's policy lets be read. */
static size_t read_tables(const struct knowledge *knows, struct str list, int tables[ABOUT_MOST])
{
    const struct sql_visible sees = {knows->policy, knows->catalog};
    size_t count = 0;
    while (knows->catalog != NULL && !str_is_absent(list) && count < ABOUT_MOST) {
        int table = catalog_find_dotted(knows->catalog, str_trim(str_split(&list, ',')));
        if (table != CATALOG_NONE && sql_visible_table(sees, table))
            tables[count++] = table;
    }
    return count;
}

/* Absent where the query has none; false: it cannot be read. */
static bool read_param(struct exchange *exchange, struct str name, struct str *value,
                       struct err *err)
{
    const struct str query = exchange->request->query;
    return str_is_absent(query) ||
           url_find_param(&exchange->arena, query, name, value, err) == ERR_OK;
}

void api_page_suggestions(struct exchange *exchange)
{
    const struct shard *shard = exchange->shard;
    struct identity caller;
    struct problem problem;
    struct str list = {NULL, 0}, column = {NULL, 0}, value = {NULL, 0};
    struct err err = {0};
    struct json_write json;
    struct buf body;
    int tables[ABOUT_MOST];
    if (!caller_take_query(exchange, &caller, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    if (!read_param(exchange, STR("tables"), &list, &err) ||
        !read_param(exchange, STR("column"), &column, &err) ||
        !read_param(exchange, STR("value"), &value, &err)) {
        exchange_fail(exchange, &err);
        return;
    }
    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    json_write_object(&json);
    json_write_key(&json, STR("suggestions"));
    json_write_array(&json);
    if (shard->pin != NULL && shard->pin->set->knows.lexicon != NULL) {
        const struct knowledge_set *set = shard->pin->set;
        const struct knowledge *knows = knowledge_of(set, STR("statement"), caller.role);
        const size_t count = read_tables(knows, list, tables);
        const struct page_examples_about about = {set->knows.semantic, tables, count, column, value,
                                                  exchange->language};
        if (count > 0)
            page_examples_write_about(set->knows.lexicon, &about, &json);
    }
    json_write_array_end(&json);
    json_write_object_end(&json);
    exchange_reply_json(exchange, 200, &body);
}

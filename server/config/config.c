/* SPDX-License-Identifier: MIT */
/* server/config/config.c - walk the table: find each value's text, check it, put it at its offset.
 *
 * Happy path: .env is read; every entry takes its text from a flag, the environment, .env or its
 * default, and is parsed by type; then what depends on several values is checked.
 * Failure: a value of the wrong type or out of range, a secret's file that cannot be read, a
 * combination that cannot work: each one line in problems, the default stays in place. */
#include "server/config/config.h"

#include "backends/remote/remote_url.h"

#include <arpa/inet.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/mem.h"
#include "server/config/config_internal.h"
#include "server/config/database_url.h"
#include "server/config/env_file.h"
#include "server/config/store_urls.h"
#include "server/config/secret_box.h"

enum {
    RESULT_BYTES = 4 * 1024 * 1024, /* of values that a statement returns: what a page can show */
    WHOLE_SCHEMA_BYTES = 8 * 1024,  /* as a prompt shows it: about 2,000 tokens */
    ARENA_BYTES = 4 * 1024 * 1024,
    ENV_FILE_BYTES = 256 * 1024,
    SECRET_FILE_BYTES = 64 * 1024,
    TOOLS_FILE_BYTES = 1024 * 1024,
    FILE_NAME_BYTES = 96,
    URL_BYTES = 64 * 1024
};

#define VECTORS_FOLDER "embeddings_cache"

struct reading {
    const struct config_source *source;
    struct config *config;
    struct env_file_item *file;
    struct buf *problems;
    bool failed;
};

static struct str find_flag(const struct config_source *source, const char *name)
{
    struct str found = {NULL, 0};
    for (size_t i = 0; i < source->flag_count; i++)
        if (strcmp(source->flags[i].name, name) == 0)
            found = source->flags[i].value;
    return found;
}

static struct str find_environment(const struct config_source *source, const char *name)
{
    size_t len = strlen(name);
    for (const char *const *at = source->environment; at != NULL && *at != NULL; at++)
        if (strncmp(*at, name, len) == 0 && (*at)[len] == '=')
            return str_of(*at + len + 1);
    return (struct str){NULL, 0};
}

/* The value of name in one place, or of its alias; an empty value is absent. */
static struct str find_in(struct reading *r, enum config_from from, const char *name)
{
    struct str text = {NULL, 0};
    if (name == NULL)
        return text;
    if (from == CONFIG_FROM_FLAG)
        text = find_flag(r->source, name);
    else if (from == CONFIG_FROM_ENVIRONMENT)
        text = find_environment(r->source, name);
    else if (from == CONFIG_FROM_FILE)
        text = env_file_find(r->file, str_of(name));
    return text.len == 0 ? (struct str){NULL, 0} : text;
}

/* A secret may be in a file that NAME_FILE names. */
static struct str find_secret_file(struct reading *r, enum config_from from, const char *name,
                                   struct err *err)
{
    char file_name[FILE_NAME_BYTES];
    struct str text = {NULL, 0};
    struct arena *arena = &r->config->arena;
    size_t len = strlen(name);
    CHECK(len + sizeof "_FILE" <= sizeof file_name);
    memcpy(file_name, name, len);
    memcpy(file_name + len, "_FILE", sizeof "_FILE");
    struct str path = find_in(r, from, file_name);
    if (path.len == 0)
        return text;
    const char *cpath = arena_cstr(arena, path);
    if (cpath == NULL)
        err_set(err, ERR_INVALID, "%s: not a path", file_name);
    else if (env_file_read(cpath, SECRET_FILE_BYTES, arena, &text, err) == ERR_OK)
        return str_trim(text);
    return (struct str){NULL, 0};
}

static struct str find_text(struct reading *r, const struct config_entry *entry,
                            enum config_from *from, struct err *err)
{
    for (int place = CONFIG_FROM_FLAG; place >= CONFIG_FROM_FILE; place--) {
        *from = (enum config_from)place;
        struct str text = find_in(r, *from, entry->name);
        if (text.len == 0)
            text = find_in(r, *from, entry->alias);
        if (entry->secret || entry->type == CONFIG_URL) {
            struct str other = find_secret_file(r, *from, entry->name, err);
            if (text.len > 0 && other.len > 0)
                err_set(err, ERR_INVALID, "both %s and %s_FILE are set; keep one", entry->name,
                        entry->name);
            text = text.len > 0 ? text : other;
        }
        if (text.len > 0)
            return text;
    }
    *from = CONFIG_FROM_DEFAULT;
    return str_of(entry->initial);
}

static bool read_bytes(struct str text, uint64_t *value)
{
    unsigned shift = 0;
    char unit = text.len > 0 ? str_lower(text.at[text.len - 1]) : '0';
    if (unit == 'k' || unit == 'm' || unit == 'g')
        shift = unit == 'k' ? 10 : unit == 'm' ? 20 : 30;
    if (!str_to_u64(shift > 0 ? str_slice(text, 0, text.len - 1) : text, value))
        return false;
    if (*value > (UINT64_MAX >> shift))
        return false;
    *value <<= shift;
    return true;
}

static bool read_bool(struct str text, bool *value)
{
    static const char *const words[] = {"true", "1", "yes", "on", "false", "0", "no", "off"};
    for (size_t i = 0; i < countof(words); i++)
        if (str_equal_nocase(text, str_of(words[i]))) {
            *value = i < countof(words) / 2;
            return true;
        }
    return false;
}

static bool is_choice(struct str text, const char *choices)
{
    struct str rest = str_of(choices);
    while (!str_is_absent(rest))
        if (str_equal(text, str_split(&rest, ' ')))
            return true;
    return false;
}

static enum err_code put_number(const struct config_entry *entry, struct str text, void *field,
                                struct err *err)
{
    bool whole = entry->type == CONFIG_COUNT || entry->type == CONFIG_BYTES;
    uint64_t count = 0;
    double real = 0;
    bool fine = entry->type == CONFIG_COUNT   ? str_to_u64(text, &count)
                : entry->type == CONFIG_BYTES ? read_bytes(text, &count)
                                              : str_to_double(text, &real);
    if (whole)
        real = (double)count;
    if (!fine || !(real >= entry->min && real <= entry->max))
        return err_set(err, ERR_INVALID, "expected %s from %.15g to %.15g, got '%.*s'",
                       entry->type == CONFIG_BYTES ? "bytes, such as 65536, 64k or 1m,"
                       : whole                     ? "a whole number"
                                                   : "a number",
                       entry->min, entry->max, entry->secret ? 3 : (int)size_min(text.len, 80),
                       entry->secret ? "..." : text.at);
    if (entry->type == CONFIG_REAL)
        *(double *)field = real;
    else
        *(uint64_t *)field = whole ? count : (uint64_t)(real * 1000 + 0.5);
    return ERR_OK;
}

/* Check text and put it at the entry's offset. */
static enum err_code put_value(struct config *config, const struct config_entry *entry,
                               struct str text, struct err *err)
{
    void *field = (char *)config + entry->offset;
    if (entry->type == CONFIG_BOOL)
        return read_bool(text, field) ? ERR_OK
                                      : err_set(err, ERR_INVALID,
                                                "expected true or false, got "
                                                "'%.*s'",
                                                STR_ARG(str_utf8_prefix(text, 80)));
    if (entry->type != CONFIG_TEXT && entry->type != CONFIG_URL && entry->type != CONFIG_CHOICE)
        return put_number(entry, text, field, err);
    if (entry->type == CONFIG_CHOICE && !is_choice(text, entry->choices))
        return err_set(err, ERR_INVALID, "expected one of: %s; got '%.*s'", entry->choices,
                       STR_ARG(str_utf8_prefix(text, 80)));
    const char *copy =
        text.at == entry->initial ? entry->initial : arena_cstr(&config->arena, text);
    if (copy == NULL)
        return err_set(err, ERR_INVALID, "holds a NUL, or is too long");
    *(const char **)field = copy;
    return ERR_OK;
}

static void report(struct reading *r, size_t i, const struct err *err)
{
    struct config_origin *origin = &r->config->origins[i];
    r->failed = true;
    origin->problem = arena_str(&r->config->arena, str_of(err->text));
    buf_printf(r->problems, "%s: %s\n", config_table[i].name, err->text);
}

/* Whether a wrong value is passed over: one of DB_* when a url is set, which makes it unneeded; it
 * perhaps belongs to another program (Kubernetes sets DB_PORT to a url where there is a service
 * "db"). */
static bool is_passed_over(const struct config *config, const struct config_entry *entry)
{
    return config->database_url != NULL && config->database_url[0] != '\0' &&
           str_starts_with(str_of(entry->name), STR("DB_"));
}

static void read_entry(struct reading *r, size_t i)
{
    const struct config_entry *entry = &config_table[i];
    struct config_origin *origin = &r->config->origins[i];
    struct err err = {0};
    struct str text = find_text(r, entry, &origin->from, &err);
    origin->text = arena_str(&r->config->arena, text);
    if (err.code == ERR_OK)
        (void)put_value(r->config, entry, text, &err); /* err says it */
    if (err.code == ERR_OK)
        return;
    if (!is_passed_over(r->config, entry))
        report(r, i, &err);
    CHECK(put_value(r->config, entry, str_of(entry->initial), NULL) == ERR_OK);
}

static size_t find_entry(const char *name)
{
    size_t i = 0;
    while (strcmp(config_table[i].name, name) != 0)
        CHECK(++i < config_table_count);
    return i;
}

static void refuse(struct reading *r, const char *name, const char *why)
{
    struct err err;
    err_set(&err, ERR_INVALID, "%s", why);
    report(r, find_entry(name), &err);
}

static bool read_date(struct str text, int *year, int *month, int *day)
{
    uint64_t y, m, d;
    if (text.len != 10 || text.at[4] != '-' || text.at[7] != '-' ||
        !str_to_u64(str_slice(text, 0, 4), &y) || !str_to_u64(str_slice(text, 5, 7), &m) ||
        !str_to_u64(str_slice(text, 8, 10), &d) || m < 1 || m > 12 || d < 1 || d > 31)
        return false;
    *year = (int)y;
    *month = (int)m;
    *day = (int)d;
    return true;
}

/* Make ASKD_DATABASE_URL from the variables of a MySQL, DB_* (R158-R162), where it is absent and
 * any of them is set. */
static void use_parts_of_url(struct reading *r)
{
    static const char *const names[] = {"DB_HOST", "DB_PORT", "DB_USER", "DB_PWD", "DB_NAME"};
    struct config *config = r->config;
    struct config_origin *origin = &config->origins[find_entry("ASKD_DATABASE_URL")];
    const struct database_url_parts parts = {
        .host = str_of(config->db_host),
        .port = config->db_port,
        .user = str_of(config->db_user),
        .password = str_of(config->db_password),
        .name = str_of(config->db_name),
    };
    struct buf url;
    bool given = false;
    for (size_t i = 0; i < countof(names); i++)
        given = given || config->origins[find_entry(names[i])].from != CONFIG_FROM_DEFAULT;
    if (!given || config->database_url[0] != '\0')
        return;
    buf_init(&url, URL_BYTES);
    database_url_write_mysql(&url, &parts);
    origin->from = CONFIG_FROM_OTHERS;
    origin->text = buf_ok(&url) ? arena_str(&config->arena, buf_str(&url)) : STR("");
    const char *copy = arena_cstr(&config->arena, origin->text);
    config->database_url = copy == NULL ? "" : copy;
    buf_fini(&url);
}

/* Read when a person is asked about statements: whether, and above which cost. False: text says
 * neither. */
static bool read_approval(struct str text, bool *asks, double *above)
{
    *asks = str_equal(text, STR("always"));
    *above = 0;
    if (*asks || str_equal(text, STR("off")) || str_equal(text, STR("writes-none")))
        return true; /* nothing that writes passes the guard */
    *asks = str_starts_with(text, STR("cost>"));
    return *asks && str_to_double(str_from(text, 5), above) && *above >= 0;
}

/* Copy a text into the arena of the configuration; "" when there is no memory, which the arena
 * remembers. */
static const char *keep(struct config *config, struct str text)
{
    const char *copy = arena_cstr(&config->arena, text);
    return copy == NULL ? "" : copy;
}

/* Split OPENAI_MODEL: it is one model, or two with a comma between them. */
static void read_models(struct reading *r)
{
    struct config *config = r->config;
    struct str rest = str_of(config->openai_model), first = str_trim(str_split(&rest, ','));
    struct str second = str_trim(rest);
    config->fallback_model = "";
    if (str_is_absent(rest))
        return;
    if (first.len == 0 || second.len == 0 || str_find_char(second, ',') != STR_NONE) {
        refuse(r, "OPENAI_MODEL", "expected one model, or two with a comma between them");
        return;
    }
    config->openai_model = keep(config, first);
    config->fallback_model = keep(config, second);
}

/* The value of a variable that models.json names, in the environment or in .env, or in the file
 * that NAME_FILE names. */
static struct str find_named(void *owner, const char *name)
{
    struct reading *r = owner;
    struct err err = {0};
    struct str text = {NULL, 0};
    for (int place = CONFIG_FROM_ENVIRONMENT; place >= CONFIG_FROM_FILE && text.len == 0; place--) {
        text = find_in(r, (enum config_from)place, name);
        if (text.len == 0 && strlen(name) + sizeof "_FILE" <= FILE_NAME_BYTES)
            text = find_secret_file(r, (enum config_from)place, name, &err);
    }
    return text;
}

static void read_models_file(struct reading *r)
{
    struct config *config = r->config;
    const struct models_file_source source = {.path = config->models_path,
                                              .arena = &config->arena,
                                              .find = find_named,
                                              .owner = r,
                                              .azure_api_version = CONFIG_AZURE_API_VERSION};
    struct config_origin *origin = &config->origins[find_entry("ASKD_MODELS")];
    if (config->models_path[0] == '\0')
        return;
    config->models = models_file_read(&source, r->problems);
    if (config->models != NULL)
        return;
    r->failed = true;
    origin->problem = STR("the file has mistakes, see above");
}

static void read_tools_file(struct reading *r)
{
    struct config *config = r->config;
    struct remote_file *file = NULL;
    struct err err = {0};
    struct buf text;
    if (config->tools_path[0] == '\0')
        return;
    buf_init(&text, TOOLS_FILE_BYTES);
    if (file_read(config->tools_path, &text, &err) == ERR_OK &&
        remote_file_read(config->tools_path, buf_str(&text), find_named, r, &file, &err) == ERR_OK)
        config->tools = file;
    else
        refuse(r, "ASKD_TOOLS", err.text);
    buf_fini(&text);
}

/* Split ASKD_EMBEDDINGS into the maker of vectors and its model. */
static void read_embeddings(struct reading *r)
{
    struct config *config = r->config;
    struct str rest = str_of(config->embeddings), who = str_split(&rest, ':');
    bool named = rest.len > 0, hash = str_equal(who, STR("hash")) && str_is_absent(rest);
    bool openai = str_equal(who, STR("openai")) && (named || str_is_absent(rest));
    bool azure = str_equal(who, STR("azure")) && named;
    config->embedding_model = named ? keep(config, rest) : "text-embedding-3-small";
    config->embeddings = openai ? "openai" : azure ? "azure" : "hash";
    if (!hash && !openai && !azure)
        refuse(r, "ASKD_EMBEDDINGS", "expected hash, openai, openai:MODEL or azure:DEPLOYMENT");
}

/* Choose the ledger of documents: the file of their words or vectors, where these are in a file;
 * else PostgreSQL, where one of them is there; else a file of its own. The vectors that a server
 * made are beside the file, or where it would be. */
static void place_ledger(struct config *config)
{
    const struct str scheme = STR("sqlite:"), words = str_of(config->keyword_url);
    const struct str vectors_url = str_of(config->vector_url);
    struct str url = str_starts_with(words, scheme)         ? words
                     : str_starts_with(vectors_url, scheme) ? vectors_url
                                                            : STR("sqlite:data/documents.db");
    struct str path = str_from(url, scheme.len), folder = path;
    if (!str_starts_with(words, scheme) && !str_starts_with(vectors_url, scheme))
        path = store_urls_is_postgres(words)         ? words
               : store_urls_is_postgres(vectors_url) ? vectors_url
                                                     : path;
    while (folder.len > 0 && folder.at[folder.len - 1] != '/')
        folder.len--;
    char *vectors = arena_alloc(&config->arena, folder.len + sizeof VECTORS_FOLDER);
    config->ledger = keep(config, path);
    config->vectors_folder = vectors == NULL ? "" : vectors;
    if (vectors == NULL)
        return;
    memcpy(vectors, folder.at, folder.len);
    memcpy(vectors + folder.len, VECTORS_FOLDER, sizeof VECTORS_FOLDER);
}

/* An address over HTTP that is set has a scheme and a host. */
static void check_address(struct reading *r, const char *name, const char *url)
{
    const struct str text = str_of(url);
    const size_t scheme = str_starts_with(text, STR("http://")) ? 7 : 8;
    const bool is_fine = (scheme == 7 || str_starts_with(text, STR("https://"))) &&
                         text.len > scheme && text.at[scheme] != '/' && text.at[scheme] != ':';
    if (text.len > 0 && !is_fine)
        refuse(r, name, "expected an address that begins with http:// or https:// and a host");
}

static void check_urls(struct reading *r)
{
    check_address(r, "OPENAI_BASE_URL", r->config->openai_base_url);
    check_address(r, "AZURE_OPENAI_ENDPOINT", r->config->azure_endpoint);
    check_address(r, "ASKD_RERANK_URL", r->config->rerank_url);
    check_address(r, "OTEL_EXPORTER_OTLP_ENDPOINT", r->config->otlp_endpoint);
    struct str url = str_of(r->config->database_url);
    struct err err = {0};
    if (url.len > 0 && database_url_check(url, &err) != ERR_OK)
        refuse(r, "ASKD_DATABASE_URL", err.text);
    if (store_urls_check_vectors(str_of(r->config->vector_url), &err) != ERR_OK)
        refuse(r, "ASKD_VECTOR_URL", err.text);
    if (store_urls_check_runs(str_of(r->config->checkpoint_url), &err) != ERR_OK)
        refuse(r, "ASKD_CHECKPOINT_URL", err.text);
    if (store_urls_check_runs(str_of(r->config->events_url), &err) != ERR_OK)
        refuse(r, "ASKD_EVENTS_URL", err.text);
    if (store_urls_check_words(str_of(r->config->keyword_url), &err) != ERR_OK)
        refuse(r, "ASKD_KEYWORD_URL", err.text);
}

/* Whether origin is what a browser sends of a page: a scheme and a host, nothing behind. */
static bool is_origin(struct str origin)
{
    size_t scheme = str_starts_with(origin, STR("http://")) ? 7 : 8;
    struct str host = str_from(origin, scheme);
    bool is_fine = (scheme == 7 || str_starts_with(origin, STR("https://"))) && host.len > 0;
    for (size_t i = 0; i < host.len; i++) {
        char c = host.at[i];
        is_fine = is_fine && (str_is_digit(c) || (str_is_alpha(c) && str_lower(c) == c) ||
                              str_find_char(STR(".-:[]_"), c) != STR_NONE);
    }
    return is_fine;
}

static void check_origins(struct reading *r)
{
    struct str rest = str_of(r->config->cors_origins);
    while (rest.len > 0 && !str_is_absent(rest))
        if (!is_origin(str_trim(str_split(&rest, ','))))
            refuse(r, "ASKD_CORS_ORIGINS",
                   "expected origins like https://app.example.com, without a path and without *");
}

static void check_webhooks(struct reading *r)
{
    struct str rest = str_of(r->config->webhooks), secret = str_of(r->config->webhook_secret);
    struct remote_url url;
    struct err err = {0};
    while (rest.len > 0 && !str_is_absent(rest)) {
        struct str one = str_trim(str_split(&rest, ','));
        if (one.len > 0 && remote_url_parse(one, &url, &err) != ERR_OK)
            refuse(r, "ASKD_WEBHOOKS", err.text);
    }
    if (secret.len > 0 && !str_starts_with(secret, STR("whsec_")))
        refuse(r, "ASKD_WEBHOOK_SECRET", "expected whsec_ and 24 to 64 bytes in base64");
    if (!secret_box_are_keys(str_of(r->config->secrets_key)))
        refuse(r, "ASKD_SECRETS_KEY", "expected base64 of 32 bytes, several with commas between");
}

/* ASKD_AUDIT is a path, and perhaps whether questions and statements are written. */
static void read_audit(struct reading *r)
{
    struct config *config = r->config;
    struct str path = str_of(config->audit);
    const ptrdiff_t mark = str_find_char(path, '?');
    const struct str rest = mark < 0 ? STR("") : str_from(path, (size_t)mark);
    config->audit_content = !str_equal(rest, STR("?content=off"));
    config->audit_path = config->audit;
    if (mark == 0 ||
        (rest.len > 0 && config->audit_content && !str_equal(rest, STR("?content=on"))))
        refuse(r, "ASKD_AUDIT", "expected PATH, PATH?content=on or PATH?content=off");
    if (rest.len > 0)
        config->audit_path = arena_cstr(&config->arena, str_slice(path, 0, (size_t)mark));
}

/* Refuse a list of OpenTelemetry's, "name=value,other=value", that has an item of another form. */
static void check_pairs(struct reading *r, const char *name, const char *value)
{
    struct str rest = str_of(value);
    while (rest.len > 0 && !str_is_absent(rest)) {
        struct str one = str_trim(str_split(&rest, ','));
        if (one.len > 0 && str_find_char(one, '=') <= 0) {
            refuse(r, name, "expected name=value, several with commas between");
            return;
        }
    }
}

/* A socket is bound to an address, not to a name. */
static void check_host(struct reading *r)
{
    const char *host = r->config->host;
    unsigned char address[sizeof(struct in6_addr)];
    if (strcmp(host, "localhost") != 0 && inet_pton(AF_INET, host, address) != 1 &&
        inet_pton(AF_INET6, host, address) != 1)
        refuse(r, "ASKD_HOST", "expected an IPv4 or IPv6 address, or localhost");
}

/* Check what depends on several values. */
static void check_together(struct reading *r)
{
    struct config *config = r->config;
    double above;
    bool asks;
    if (!read_approval(str_of(config->sql_approval), &asks, &above))
        refuse(r, "ASKD_SQL_APPROVAL", "expected always, writes-none, cost>N or off");
    int year, month, day;
    use_parts_of_url(r);
    check_urls(r);
    check_host(r);
    check_pairs(r, "OTEL_EXPORTER_OTLP_HEADERS", config->otlp_headers);
    check_pairs(r, "OTEL_RESOURCE_ATTRIBUTES", config->otel_resource_attributes);
    read_audit(r);
    check_origins(r);
    check_webhooks(r);
    if (config->admin_port != 0 && config->admin_port == config->port)
        refuse(r, "ASKD_ADMIN_PORT", "expected another port than ASKD_PORT");
    read_models(r);
    read_models_file(r);
    read_tools_file(r);
    read_embeddings(r);
    place_ledger(config);
    if (strcmp(config->model, "azure") == 0 && config->azure_endpoint[0] == '\0')
        refuse(r, "AZURE_OPENAI_ENDPOINT", "ASKD_MODEL=azure needs it");
    if (strcmp(config->model, "azure") == 0 && config->azure_deployment[0] == '\0')
        refuse(r, "AZURE_OPENAI_DEPLOYMENT", "ASKD_MODEL=azure needs it");
    if (config->today[0] != '\0' && !read_date(str_of(config->today), &year, &month, &day))
        refuse(r, "ASKD_TODAY", "expected YYYY-MM-DD");
    CHECK(log_level_of(str_of(config->log_level_name), &config->log_level));
    config->log_format = strcmp(config->log_format_name, "json") == 0 ? LOG_JSON : LOG_TEXT;
}

/* Report each flag whose name is no setting. A flag is always ours; a variable of the environment
 * may belong to another program. */
static void refuse_unknown_flags(struct reading *r)
{
    for (size_t i = 0; i < r->source->flag_count; i++) {
        struct str name = str_of(r->source->flags[i].name);
        if (config_names_is_known(name))
            continue;
        buf_printf(r->problems, "%.*s: there is no such setting; ", STR_ARG(name));
        config_names_explain(name, r->problems);
        buf_push_char(r->problems, '\n');
        r->failed = true;
    }
}

/* Warn when name looks like a setting of ours, or was one, and is none: by its prefix, or, where
 * other programs have names of that prefix too, by the one that is near it. */
static void warn_of(struct reading *r, struct str name)
{
    bool was_known = config_names_was_known(name);
    bool is_near =
        (str_starts_with(name, STR("OPENAI_")) || str_starts_with(name, STR("AZURE_OPENAI_"))) &&
        config_names_is_near(name);
    if (config_names_is_known(name) ||
        (!was_known && !is_near && !str_starts_with(name, STR("ASKD_"))))
        return;
    buf_printf(r->problems, "warning: %.*s is no setting%s; ", STR_ARG(name),
               was_known ? " any more" : "");
    config_names_explain(name, r->problems);
    buf_push_char(r->problems, '\n');
}

static void warn_unknown(struct reading *r)
{
    for (const char *const *at = r->source->environment; at != NULL && *at != NULL; at++) {
        struct str rest = str_of(*at);
        warn_of(r, str_split(&rest, '='));
    }
    for (const struct env_file_item *item = r->file; item != NULL; item = item->next)
        warn_of(r, item->name);
}

static enum err_code read_env_file(struct reading *r)
{
    struct str text;
    struct err err = {0};
    if (r->source->env_file == NULL)
        return ERR_OK;
    enum err_code code =
        env_file_read(r->source->env_file, ENV_FILE_BYTES, &r->config->arena, &text, &err);
    if (code == ERR_NOT_FOUND)
        return ERR_OK;
    if (code == ERR_OK)
        code = env_file_parse(text, r->source->env_file, &r->config->arena, &r->file, r->problems);
    else
        buf_printf(r->problems, "%s\n", err.text);
    r->failed |= code != ERR_OK;
    return code == ERR_NO_MEMORY ? code : ERR_OK;
}

enum err_code config_load(const struct config_source *source, struct config **out,
                          struct buf *problems)
{
    struct config *config = mem_zalloc(1, sizeof *config);
    struct reading r = {.source = source, .config = config, .problems = problems};
    *out = NULL;
    if (config == NULL)
        return ERR_NO_MEMORY;
    arena_init(&config->arena, ARENA_BYTES);
    config->origins = arena_array(&config->arena, config_table_count, sizeof *config->origins);
    if (config->origins == NULL || read_env_file(&r) != ERR_OK) {
        config_destroy(config);
        return ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < config_table_count && arena_ok(&config->arena); i++)
        read_entry(&r, i);
    if (arena_ok(&config->arena))
        check_together(&r);
    if (!arena_ok(&config->arena)) {
        config_destroy(config);
        return ERR_NO_MEMORY;
    }
    refuse_unknown_flags(&r);
    warn_unknown(&r);
    *out = config;
    return r.failed ? ERR_INVALID : ERR_OK;
}

void config_destroy(struct config *config)
{
    if (config == NULL)
        return;
    remote_file_unref(config->tools);
    arena_fini(&config->arena);
    mem_free(config);
}

void config_limits(const struct config *config, struct limits *limits)
{
    *limits = (struct limits){
        .sql_agent_max_iterations = (unsigned)config->agent_iterations,
        .sql_correction_max_attempts = (unsigned)config->correction_attempts,
        .sql_max_hops = (unsigned)config->max_hops,
        .sql_pre_validation_enabled = config->pre_validation,
        .sql_max_tables_in_context = config->tables_in_context,
        .sql_max_relationships_display = config->relationships_display,
        .sql_max_relationships_in_prompt = config->relationships_in_prompt,
        .sql_max_columns_in_schema = config->columns_in_schema,
        .sql_max_columns_in_validation = config->columns_in_validation,
        .sql_max_columns_in_correction = config->columns_in_correction,
        .sql_max_sql_history_length = config->sql_history,
        .sql_max_fallback_tables = config->fallback_tables,
        .sql_max_tables_in_selection_prompt = config->tables_in_selection,
        .sql_whole_schema_bytes = WHOLE_SCHEMA_BYTES,
        .sql_candidates = config->sql_candidates,
        .sql_confidence_threshold = config->confidence,
        .max_context_tokens = config->context_tokens,
        .max_query_rows = config->query_rows,
        .max_conversation_messages = config->conversation_messages,
        .max_result_bytes = RESULT_BYTES,
        .max_answer_bytes = CONFIG_ROWS_BYTES,
        .max_output_tokens = (unsigned)config->output_tokens,
        .temperature = config->temperature,
        .llm_timeout_ms = config->llm_ms,
        .sql_timeout_ms = config->sql_ms,
        .tiered_memory = strcmp(config->memory_strategy, "tiered") == 0,
        .sql_max_suggested_paths = config->suggested_paths,
        .sql_sample_rows = config->sample_rows,
        .sql_max_cost = config->sql_max_cost,
        .no_model = strcmp(config->model, "offline") == 0 && !config_has_models(config),
        .sql_tools = strcmp(config->sql_agent, "tools") == 0,
    };
    (void)read_approval(str_of(config->sql_approval), &limits->sql_approval,
                        &limits->sql_approval_above);
}

/* auto: where no request needs a key anyway. */
bool config_shares_links(const struct config *config)
{
    struct str setting = str_of(config->share_links);
    bool needs_key = config->api_keys[0] != '\0' || config->auth_file[0] != '\0';
    return str_equal(setting, STR("on")) || (str_equal(setting, STR("auto")) && !needs_key);
}

const char *config_provider(const struct config *config, struct str model)
{
    static const char *const wires[] = {[MODEL_WIRE_OPENAI] = "openai",
                                        [MODEL_WIRE_AZURE] = "azure",
                                        [MODEL_WIRE_ANTHROPIC] = "anthropic"};
    if (str_equal(model, STR("offline")))
        return "offline";
    for (size_t i = 0; config_has_models(config) && i < config->models->model_count; i++)
        if (str_equal(model, str_of(config->models->models[i].model)))
            return wires[config->models->models[i].wire];
    return config->model;
}

const char *config_flag_variable(struct str flag)
{
    for (size_t i = 0; i < config_table_count; i++)
        if (config_table[i].flag != NULL && str_equal(flag, str_of(config_table[i].flag)))
            return config_table[i].name;
    return NULL;
}

size_t config_flag_names(const char **names, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < config_table_count && count < room; i++)
        if (config_table[i].flag != NULL)
            names[count++] = config_table[i].flag;
    return count;
}

bool config_today(const struct config *config, int *year, int *month, int *day)
{
    return read_date(str_of(config->today), year, month, day);
}

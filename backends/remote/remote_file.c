/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_file.c - the members of the file, checked; templates cut into pieces.
 *
 * Happy path: the allowed addresses first, then each tool and each server, whose address must be
 * below one of them. Failure: the first mistake with its JSON pointer; no memory. */
#include "backends/remote/remote_file.h"

#include <stdio.h>

#include "backends/remote/remote_oauth_sign.h"
#include "core/base/mem.h"
#include "proto/json_members.h"
#include "proto/json_write.h"
#include "proto/url.h"

enum { ARENA_BYTES = 8 << 20, MAX_PIECES = 64, MAX_PAIRS = 32, MAX_NAMES = 64 };
enum { SCHEMA_BYTES = 65536 };
enum { USUAL_MS = 20000, MAX_MS = 600000, USUAL_BYTES = 256 * 1024, MAX_BYTES = 16 << 20 };
enum { USUAL_RETRIES = 2, MAX_RETRIES = 10 };

struct reader {
    struct json_members json;
    struct remote_file *file;
    remote_file_find_fn *find;
    void *owner;
    const struct json_value *properties; /* of the tool in the making; NULL: it has no arguments */
    const struct json_value *required;
};

/* What may stand in a template, beside text. */
enum places { ARGUMENTS = 1, CALLER = 2, SECRETS = 4 };

/* ---- templates ---- */

static bool is_required(const struct reader *r, struct str name)
{
    if (r->required != NULL)
        JSON_EACH(item, r->required) {
            if (item->type == JSON_STRING && str_equal(item->text, name))
                return true;
        }
    return false;
}

/* The name of a place, as a piece. False: a mistake was noted. */
static bool read_place(struct reader *r, const char *member, struct str name, unsigned places,
                       struct remote_file_piece *piece)
{
    piece->kind = str_equal(name, STR("caller.company_id")) ? REMOTE_FILE_COMPANY
                  : str_equal(name, STR("caller.user_id"))  ? REMOTE_FILE_USER
                                                            : REMOTE_FILE_ARGUMENT;
    piece->text = name;
    if (piece->kind != REMOTE_FILE_ARGUMENT)
        return (places & CALLER) != 0 ||
               json_members_fail(&r->json, member, "{%.*s} has no place here", STR_ARG(name));
    if ((places & ARGUMENTS) == 0)
        return json_members_fail(&r->json, member,
                                 "{%.*s}: an argument, which a model writes, has no place here",
                                 STR_ARG(name));
    return json_value_member(r->properties, name) != NULL ||
           json_members_fail(&r->json, member, "{%.*s} is no property of parameters",
                             STR_ARG(name));
}

/* The value of ${NAME}. */
static bool read_secret(struct reader *r, const char *member, struct str name,
                        struct remote_file_piece *piece)
{
    char *variable = arena_cstr(r->json.arena, name);
    struct str value = {NULL, 0};
    if (variable == NULL)
        return json_members_no_memory(&r->json);
    if (r->find != NULL)
        value = r->find(r->owner, variable);
    buf_printf(&r->file->secrets, "%zu:%.*s", value.len, STR_ARG(value));
    *piece = (struct remote_file_piece){REMOTE_FILE_TEXT, arena_str(r->json.arena, value)};
    return value.len > 0 ||
           json_members_fail(&r->json, member, "the variable %s is not set", variable);
}

/* Cut the next piece off *rest. False: a mistake was noted. */
static bool read_piece(struct reader *r, const char *member, struct str *rest, unsigned places,
                       struct remote_file_piece *piece)
{
    bool is_secret = (places & SECRETS) != 0 && str_starts_with(*rest, STR("${"));
    if (rest->at[0] == '{' || is_secret) {
        struct str inside = str_from(*rest, is_secret ? 2 : 1);
        ptrdiff_t end = str_find_char(inside, '}');
        if (end == STR_NONE)
            return json_members_fail(&r->json, member, "a brace is opened and not closed");
        *rest = str_from(inside, (size_t)end + 1);
        struct str name = str_slice(inside, 0, (size_t)end);
        return is_secret ? read_secret(r, member, name, piece)
                         : read_place(r, member, name, places, piece);
    }
    size_t len = 1;
    while (len < rest->len && rest->at[len] != '{' && rest->at[len] != '$')
        len++;
    *piece = (struct remote_file_piece){REMOTE_FILE_TEXT, str_slice(*rest, 0, len)};
    *rest = str_from(*rest, len);
    return true;
}

static bool read_template(struct reader *r, const char *member, struct str text, unsigned places,
                          struct remote_file_template *to)
{
    struct remote_file_piece pieces[MAX_PIECES];
    struct str rest = text;
    size_t count = 0;
    while (rest.len > 0) {
        if (count == MAX_PIECES)
            return json_members_fail(&r->json, member, "more than %d places", MAX_PIECES);
        if (!read_piece(r, member, &rest, places, &pieces[count++]))
            return false;
    }
    struct remote_file_piece *kept = arena_array(r->json.arena, count + 1, sizeof *kept);
    for (size_t i = 0; kept != NULL && i < count; i++)
        kept[i] = pieces[i];
    *to = (struct remote_file_template){kept, count};
    return kept != NULL || json_members_no_memory(&r->json);
}

/* Every text of a body is a template; they are read again when the body is written. */
static bool check_body(struct reader *r, const struct json_value *value)
{
    struct remote_file_template unused;
    if (value->type == JSON_STRING)
        return read_template(r, "body", value->text, ARGUMENTS | CALLER, &unused);
    if (value->type == JSON_OBJECT || value->type == JSON_ARRAY)
        JSON_EACH(item, value) {
            if (!check_body(r, item))
                return false;
        }
    return true;
}

/* ---- members that both have ---- */

static bool is_name(struct str name, size_t most)
{
    bool is_fine = name.len > 0 && name.len <= most;
    for (size_t i = 0; i < name.len; i++)
        is_fine = is_fine && (str_is_alpha(name.at[i]) || str_is_digit(name.at[i]) ||
                              name.at[i] == '_' || name.at[i] == '-');
    return is_fine;
}

static const struct remote_file_pair *read_pairs(struct reader *r, const struct json_value *object,
                                                 const char *member, unsigned places, size_t *count)
{
    const struct json_value *list = json_members_object(&r->json, object, member, false);
    struct remote_file_pair *pairs = NULL;
    if (list == NULL || r->json.failed)
        return NULL;
    pairs = arena_array(r->json.arena, list->count + 1, sizeof *pairs);
    size_t mark = json_members_enter(&r->json, str_of(member));
    if (pairs == NULL)
        json_members_no_memory(&r->json);
    if (list->count > MAX_PAIRS)
        json_members_fail(&r->json, NULL, "more than %d members", MAX_PAIRS);
    JSON_EACH(item, list) {
        const char *name = r->json.failed ? NULL : arena_cstr(r->json.arena, item->key);
        if (name == NULL)
            break;
        if ((places & SECRETS) != 0 && !is_name(item->key, REMOTE_FILE_NAME_BYTES)) {
            json_members_fail(&r->json, NULL, "'%s' is no name of a header", name);
            break;
        }
        pairs[*count].name = item->key;
        if (!read_template(r, name, json_members_text(&r->json, list, name, true), places,
                           &pairs[*count].value))
            break;
        (*count)++;
    }
    json_members_leave(&r->json, mark);
    return pairs;
}

/* A list of names. */
static const struct str *read_names(struct reader *r, const struct json_value *object,
                                    const char *member, size_t *count)
{
    const struct json_value *list = json_members_array(&r->json, object, member, false);
    if (list == NULL)
        return NULL;
    struct str *names = arena_array(r->json.arena, list->count + 1, sizeof *names);
    if (names == NULL || list->count > MAX_NAMES)
        json_members_fail(&r->json, member, "expected at most %d names", MAX_NAMES);
    if (r->json.failed)
        return NULL;
    JSON_EACH(item, list) {
        if (item->type != JSON_STRING || item->text.len == 0)
            json_members_fail(&r->json, member, "expected names, got %s",
                              json_value_type_name(item));
        names[(*count)++] = item->text;
    }
    return names;
}

static void read_reach(struct reader *r, const struct json_value *object, unsigned places,
                       struct remote_file_reach *reach)
{
    reach->headers = read_pairs(r, object, "headers", places, &reach->header_count);
    reach->timeout_ms =
        (uint64_t)json_members_int(&r->json, object, "timeout_ms", 1, MAX_MS, USUAL_MS);
    reach->max_bytes =
        (size_t)json_members_int(&r->json, object, "max_bytes", 1, MAX_BYTES, USUAL_BYTES);
    reach->is_private = json_members_flag(&r->json, object, "private");
}

bool remote_file_allows(const struct remote_file *file, struct str text)
{
    struct remote_url url;
    if (remote_url_parse(text, &url, NULL) != ERR_OK)
        return false;
    for (size_t i = 0; i < file->allowed_count; i++)
        if (remote_url_is_below(&url, &file->allowed[i]))
            return true;
    return false;
}

/* The address of a tool with its places filled in by "x": what can be checked now. */
static bool check_url(struct reader *r, const struct remote_file_template *url)
{
    char room[1024];
    struct buf text = {.at = room, .cap = sizeof room, .limit = sizeof room};
    struct remote_url parsed;
    struct err err = {0};
    for (size_t i = 0; i < url->count; i++) {
        const struct remote_file_piece *piece = &url->pieces[i];
        buf_push(&text, piece->kind == REMOTE_FILE_TEXT ? piece->text : STR("x"));
        if (piece->kind == REMOTE_FILE_ARGUMENT && !is_required(r, piece->text))
            return json_members_fail(&r->json, "url", "{%.*s} is not among the required arguments",
                                     STR_ARG(piece->text));
    }
    if (!buf_ok(&text))
        return json_members_fail(&r->json, "url", "longer than %zu bytes", sizeof room);
    if (remote_url_parse(buf_str(&text), &parsed, &err) != ERR_OK)
        return json_members_fail(&r->json, "url", "%s", err.text);
    size_t host_end = (size_t)(parsed.host.at - room) + parsed.host.len;
    if (url->count == 0 || url->pieces[0].text.len < host_end)
        return json_members_fail(&r->json, "url", "scheme, host and port are no places");
    if (str_find_char(buf_str(&text), '?') != STR_NONE && url->count > 1)
        return json_members_fail(&r->json, "url", "what follows the ? goes into query");
    return remote_file_allows(r->file, buf_str(&text)) ||
           json_members_fail(&r->json, "url", "it is below none of /allow");
}

/* ---- HTTP tools ---- */

static const char *read_method(struct reader *r, const struct json_value *object)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    struct str method = json_members_text(&r->json, object, "method", false);
    if (str_is_absent(method))
        return "GET";
    for (size_t i = 0; i < countof(methods); i++)
        if (str_equal(method, str_of(methods[i])))
            return methods[i];
    json_members_fail(&r->json, "method", "expected GET, POST, PUT, PATCH or DELETE");
    return "GET";
}

/* The schema as a text; its properties are what templates may name. */
static struct str read_parameters(struct reader *r, const struct json_value *object)
{
    const struct json_value *schema = json_members_object(&r->json, object, "parameters", false);
    r->properties = json_value_member(schema, STR("properties"));
    r->required = json_value_member(schema, STR("required"));
    if (schema == NULL)
        return STR("{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}");
    struct str text = json_value_text(schema, r->json.arena, SCHEMA_BYTES);
    if (str_is_absent(text) && arena_ok(r->json.arena))
        json_members_fail(&r->json, "parameters", "longer than %d bytes", SCHEMA_BYTES);
    return text;
}

static bool is_idempotent(const char *method)
{
    struct str text = str_of(method);
    return !str_equal(text, STR("POST")) && !str_equal(text, STR("PATCH"));
}

static bool read_http(struct reader *r, const struct json_value *object,
                      struct remote_file_http *http)
{
    static const char *const members[] = {"description", "parameters", "method",    "url",
                                          "query",       "headers",    "body",      "result",
                                          "retries",     "idempotent", "private",   "timeout_ms",
                                          "graphs",      "confirm",    "max_bytes", NULL};
    struct json_members *json = &r->json;
    if (!json_members_known(json, object, members, NULL))
        return false;
    http->tool.name = object->key;
    http->tool.description = json_members_text(json, object, "description", true);
    http->tool.parameters = read_parameters(r, object);
    http->tool.asks = json_members_flag(json, object, "confirm");
    http->tool.graphs = read_names(r, object, "graphs", &http->tool.graph_count);
    http->method = read_method(r, object);
    http->tool.reads = str_equal(str_of(http->method), STR("GET"));
    bool may_repeat = is_idempotent(http->method) || json_members_flag(json, object, "idempotent");
    http->retries = (unsigned)json_members_int(json, object, "retries", 0, MAX_RETRIES,
                                               may_repeat ? USUAL_RETRIES : 0);
    if (!may_repeat && http->retries > 0)
        return json_members_fail(json, "retries",
                                 "a %s is made once, unless it says \"idempotent\": true",
                                 http->method);
    http->query = read_pairs(r, object, "query", ARGUMENTS | CALLER, &http->query_count);
    http->result = json_members_name(json, object, "result", false);
    read_reach(r, object, CALLER | SECRETS, &http->reach);
    http->body = json_value_member(object, STR("body"));
    if (http->body != NULL && http->tool.reads)
        return json_members_fail(json, "body", "a %s has none", http->method);
    struct str url = json_members_text(json, object, "url", true);
    return !json->failed && (http->body == NULL || check_body(r, http->body)) &&
           read_template(r, "url", url, ARGUMENTS | CALLER, &http->url) && check_url(r, &http->url);
}

/* ---- MCP servers ---- */

/* A text whose places are variables alone; absent: it is not there, or a mistake was noted. */
static struct str read_secret_text(struct reader *r, const struct json_value *object,
                                   const char *member, bool required)
{
    static const struct identity nobody;
    struct str text = json_members_text(&r->json, object, member, required);
    struct str whole = {NULL, 0};
    struct remote_file_template parts;
    struct buf out;
    if (str_is_absent(text) || !read_template(r, member, text, SECRETS, &parts))
        return whole;
    buf_init(&out, SCHEMA_BYTES);
    if (remote_file_write(&parts, NULL, &nobody, false, &out) && buf_ok(&out))
        whole = arena_str(r->json.arena, buf_str(&out));
    buf_fini(&out);
    if (str_is_absent(whole))
        json_members_no_memory(&r->json);
    return whole;
}

static bool has_header(const struct remote_file_reach *reach, struct str name)
{
    for (size_t i = 0; i < reach->header_count; i++)
        if (str_equal_nocase(reach->headers[i].name, name))
            return true;
    return false;
}

/* How tokens are had; the server's headers have been read. */
static void read_oauth(struct reader *r, const struct json_value *object,
                       struct remote_file_server *server)
{
    static const char *const members[] = {"issuer",      "client_id", "client_secret",
                                          "private_key", "scope",     NULL};
    struct remote_file_oauth *oauth = &server->oauth;
    struct json_members *json = &r->json;
    const struct json_value *at = json_members_object(json, object, "oauth", false);
    if (at == NULL)
        return;
    if (has_header(&server->reach, STR("Authorization")))
        json_members_fail(json, "oauth", "/headers has an Authorization already");
    size_t mark = json_members_enter(json, STR("oauth"));
    if (!json_members_known(json, at, members, NULL))
        return;
    oauth->issuer_text = json_members_name(json, at, "issuer", true);
    oauth->issuer = oauth->issuer_text == NULL ? STR("") : str_of(oauth->issuer_text);
    oauth->client_id = read_secret_text(r, at, "client_id", true);
    oauth->client_secret = read_secret_text(r, at, "client_secret", false);
    oauth->private_key = read_secret_text(r, at, "private_key", false);
    oauth->scope = json_members_text(json, at, "scope", false);
    if (!json->failed && !remote_file_allows(r->file, oauth->issuer))
        json_members_fail(json, "issuer", "it is below none of /allow");
    if (!json->failed && str_is_absent(oauth->client_secret) == str_is_absent(oauth->private_key))
        json_members_fail(json, NULL, "expected client_secret or private_key, one of them");
    if (!json->failed && !str_is_absent(oauth->private_key) &&
        !remote_oauth_sign_is_key(oauth->private_key))
        json_members_fail(json, "private_key",
                          "expected a private key in PEM, of the curve P-256 or RSA of 2048 bits");
    json_members_leave(json, mark);
}

static bool read_server(struct reader *r, const struct json_value *object,
                        struct remote_file_server *server)
{
    static const char *const members[] = {"url",       "headers", "oauth",  "tools",
                                          "confirm",   "private", "graphs", "timeout_ms",
                                          "max_bytes", NULL};
    struct json_members *json = &r->json;
    const struct json_value *confirm = json_value_member(object, STR("confirm"));
    if (!json_members_known(json, object, members, NULL))
        return false;
    server->name = object->key;
    server->url = json_members_name(json, object, "url", true);
    server->only = read_names(r, object, "tools", &server->only_count);
    server->graphs = read_names(r, object, "graphs", &server->graph_count);
    if (confirm != NULL && confirm->type == JSON_BOOL) {
        static const struct str all[] = {STR("*")};
        server->asking = all;
        server->asking_count = confirm->boolean ? 1 : 0;
    } else {
        server->asking = read_names(r, object, "confirm", &server->asking_count);
    }
    read_reach(r, object, SECRETS, &server->reach); /* a session is that of all callers */
    read_oauth(r, object, server);
    return !json->failed && (remote_file_allows(r->file, str_of(server->url)) ||
                             json_members_fail(json, "url", "it is below none of /allow"));
}

/* ---- the file ---- */

static bool read_allowed(struct reader *r, const struct json_value *root)
{
    const struct json_value *list = json_members_array(&r->json, root, "allow", true);
    size_t mark = json_members_enter(&r->json, STR("allow"));
    if (list == NULL)
        return false;
    if (list->count > REMOTE_FILE_ALLOWED)
        return json_members_fail(&r->json, NULL, "more than %d addresses", REMOTE_FILE_ALLOWED);
    JSON_EACH(item, list) {
        struct err err = {0};
        size_t inner = json_members_enter_item(&r->json, r->file->allowed_count);
        if (item->type != JSON_STRING ||
            remote_url_parse(item->text, &r->file->allowed[r->file->allowed_count++], &err) !=
                ERR_OK)
            return json_members_fail(&r->json, NULL, "%s",
                                     item->type != JSON_STRING ? "expected an address" : err.text);
        json_members_leave(&r->json, inner);
    }
    json_members_leave(&r->json, mark);
    return true;
}

static bool read_tools(struct reader *r, const struct json_value *root)
{
    const struct json_value *list = json_members_object(&r->json, root, "http", false);
    size_t mark = json_members_enter(&r->json, STR("http"));
    if (list != NULL)
        JSON_EACH(item, list) {
            size_t inner = json_members_enter(&r->json, item->key);
            if (r->file->http_count == REMOTE_FILE_TOOLS)
                return json_members_fail(&r->json, NULL, "more than %d tools", REMOTE_FILE_TOOLS);
            if (!is_name(item->key, REMOTE_FILE_NAME_BYTES))
                return json_members_fail(&r->json, NULL,
                                         "a tool's name has 1 to %d letters, digits, _ and -",
                                         REMOTE_FILE_NAME_BYTES);
            if (!read_http(r, item, &r->file->http[r->file->http_count++]))
                return false;
            json_members_leave(&r->json, inner);
        }
    json_members_leave(&r->json, mark);
    return !r->json.failed;
}

static bool read_servers(struct reader *r, const struct json_value *root)
{
    const struct json_value *list = json_members_object(&r->json, root, "mcp", false);
    size_t mark = json_members_enter(&r->json, STR("mcp"));
    if (list != NULL)
        JSON_EACH(item, list) {
            size_t inner = json_members_enter(&r->json, item->key);
            if (r->file->server_count == REMOTE_FILE_SERVERS)
                return json_members_fail(&r->json, NULL, "more than %d servers",
                                         REMOTE_FILE_SERVERS);
            if (!is_name(item->key, REMOTE_FILE_NAME_BYTES / 2))
                return json_members_fail(&r->json, NULL,
                                         "a server's name has 1 to %d letters, digits, _ and -",
                                         REMOTE_FILE_NAME_BYTES / 2);
            if (!read_server(r, item, &r->file->servers[r->file->server_count++]))
                return false;
            json_members_leave(&r->json, inner);
        }
    json_members_leave(&r->json, mark);
    return !r->json.failed;
}

enum err_code remote_file_read(const char *path, struct str text, remote_file_find_fn *find,
                               void *owner, struct remote_file **out, struct err *err)
{
    static const char *const members[] = {"$schema", "allow", "http", "mcp", NULL};
    struct err why = {0};
    struct remote_file *file = mem_zalloc(1, sizeof *file);
    if (file == NULL)
        return err_set(err, ERR_NO_MEMORY, "%s: no memory for the tools", path);
    atomic_init(&file->refs, 1);
    arena_init(&file->arena, ARENA_BYTES);
    buf_init(&file->secrets, ARENA_BYTES);
    struct reader r = {.json = {.arena = &file->arena, .err = &why, .path = path},
                       .file = file,
                       .find = find,
                       .owner = owner};
    file->text = arena_str(&file->arena, text); /* views of it are in the result */
    const struct json_value *root = json_value_parse(&file->arena, file->text, NULL, &why);
    file->path = arena_cstr(&file->arena, str_of(path));
    if (root == NULL)
        err_prefix(&why, path);
    if (root != NULL && json_members_known(&r.json, root, members, NULL) &&
        read_allowed(&r, root) && read_tools(&r, root) && read_servers(&r, root) &&
        arena_ok(&file->arena)) {
        *out = file;
        return ERR_OK;
    }
    if (why.code == ERR_OK)
        err_set(&why, ERR_NO_MEMORY, "%s: no memory for the tools", path);
    remote_file_unref(file);
    if (err != NULL)
        *err = why;
    return why.code;
}

struct remote_file *remote_file_ref(struct remote_file *file)
{
    atomic_fetch_add(&file->refs, 1);
    return file;
}

void remote_file_unref(struct remote_file *file)
{
    if (file == NULL || atomic_fetch_sub(&file->refs, 1) > 1)
        return;
    buf_fini(&file->secrets);
    arena_fini(&file->arena);
    mem_free(file);
}

bool remote_file_is_same(const struct remote_file *a, const struct remote_file *b)
{
    return buf_ok(&a->secrets) && buf_ok(&b->secrets) && str_equal(a->text, b->text) &&
           str_equal(buf_str(&a->secrets), buf_str(&b->secrets));
}

/* ---- in use ---- */

bool remote_file_is_among(struct str name, const struct str *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct str pattern = patterns[i];
        bool is_open = str_ends_with(pattern, STR("*"));
        if (is_open ? str_starts_with(name, str_slice(pattern, 0, pattern.len - 1))
                    : str_equal(name, pattern))
            return true;
    }
    return false;
}

bool remote_file_is_of(const struct remote_file_server *server, struct str name)
{
    return name.len > server->name.len + 1 && str_starts_with(name, server->name) &&
           name.at[server->name.len] == '_';
}

bool remote_file_may_have(const struct remote_file *file, struct str name)
{
    for (size_t i = 0; file != NULL && i < file->http_count; i++)
        if (str_equal(file->http[i].tool.name, name))
            return true;
    for (size_t i = 0; file != NULL && i < file->server_count; i++)
        if (remote_file_is_of(&file->servers[i], name))
            return true;
    return false;
}

static void write_argument(const struct json_value *value, bool escape, struct buf *out)
{
    struct json_write writer;
    struct buf text;
    if (value->type == JSON_STRING) {
        if (escape)
            url_encode(out, value->text);
        else
            buf_push(out, value->text);
        return;
    }
    buf_init(&text, SCHEMA_BYTES);
    json_write_init(&writer, &text);
    json_value_write(value, &writer);
    if (escape)
        url_encode(out, buf_str(&text));
    else
        buf_push(out, buf_str(&text));
    buf_fini(&text);
}

bool remote_file_write(const struct remote_file_template *from, const struct json_value *arguments,
                       const struct identity *caller, bool escape, struct buf *out)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct remote_file_piece *piece = &from->pieces[i];
        const struct json_value *value = NULL;
        struct str fact = piece->kind == REMOTE_FILE_COMPANY ? caller->company_id : caller->user_id;
        if (piece->kind == REMOTE_FILE_TEXT) {
            buf_push(out, piece->text);
        } else if (piece->kind == REMOTE_FILE_ARGUMENT) {
            value = json_value_member(arguments, piece->text);
            if (value == NULL || value->type == JSON_NULL)
                return false;
            write_argument(value, escape, out);
        } else if (fact.len == 0) {
            return false;
        } else if (escape) {
            url_encode(out, fact);
        } else {
            buf_push(out, fact);
        }
    }
    return true;
}

bool remote_file_fill(struct str text, const struct json_value *arguments,
                      const struct identity *caller, struct buf *out)
{
    while (text.len > 0) {
        ptrdiff_t open = str_find_char(text, '{');
        ptrdiff_t end = open == STR_NONE ? STR_NONE : str_find_char(text, '}');
        size_t plain = open == STR_NONE ? text.len : (size_t)open;
        buf_push(out, str_slice(text, 0, plain));
        if (end == STR_NONE || end < open)
            return open == STR_NONE;
        struct str name = str_slice(text, plain + 1, (size_t)end);
        struct remote_file_piece piece = {
            str_equal(name, STR("caller.company_id")) ? REMOTE_FILE_COMPANY
            : str_equal(name, STR("caller.user_id"))  ? REMOTE_FILE_USER
                                                      : REMOTE_FILE_ARGUMENT,
            name};
        const struct remote_file_template one = {&piece, 1};
        if (!remote_file_write(&one, arguments, caller, false, out))
            return false;
        text = str_from(text, (size_t)end + 1);
    }
    return true;
}

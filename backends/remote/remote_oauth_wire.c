/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_oauth_wire.c - addresses by rule, JSON in, a form out.
 *
 * Failure: what is not as the documents have it counts as not said, or is refused with what is
 * wrong; texts of servers in messages are cut. */
#include "backends/remote/remote_oauth_wire.h"

#include "backends/remote/remote_url.h"
#include "core/base/base64.h"
#include "proto/json_value.h"
#include "proto/url.h"

enum { SHOWN_BYTES = 120, MAX_SECONDS = 365 * 24 * 3600, PAIR_BYTES = 16 * 1024 };

#define RESOURCE_PLACE "/.well-known/oauth-protected-resource"
#define ISSUER_PLACE   "/.well-known/oauth-authorization-server"
#define OPENID_PLACE   "/.well-known/openid-configuration"
#define ASSERTION_TYPE "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/* ---- WWW-Authenticate ---- */

static struct str skip_blanks(struct str text)
{
    size_t i = 0;
    while (i < text.len && (str_is_blank(text.at[i]) || text.at[i] == ','))
        i++;
    return str_from(text, i);
}

static bool is_token_char(char c)
{
    return c > ' ' && c < 0x7f && str_find_char(STR("\"(),/:;<=>?@[\\]{}"), c) == STR_NONE;
}

/* Cut a word of token characters off *text. */
static struct str cut_word(struct str *text)
{
    size_t len = 0;
    while (len < text->len && is_token_char(text->at[len]))
        len++;
    struct str word = str_slice(*text, 0, len);
    *text = str_from(*text, len);
    return word;
}

/* Cut the value behind "=" off *text, without its quotes and escapes. Absent: it is none. */
static struct str cut_value(struct str *text, struct arena *arena)
{
    struct str none = {NULL, 0};
    if (text->len == 0 || text->at[0] != '"')
        return arena_str(arena, cut_word(text));
    char *made = arena_alloc(arena, text->len);
    size_t len = 0, i = 1;
    while (made != NULL && i < text->len && text->at[i] != '"') {
        if (text->at[i] == '\\' && i + 1 < text->len)
            i++;
        made[len++] = text->at[i++];
    }
    bool is_closed = made != NULL && i < text->len;
    *text = str_from(*text, is_closed ? i + 1 : text->len);
    return is_closed ? str_make(made, len) : none;
}

struct remote_oauth_challenge remote_oauth_wire_challenge(struct str header, struct arena *arena)
{
    struct remote_oauth_challenge said = {0};
    struct {
        struct str name, *to;
    } parts[] = {{STR("resource_metadata"), &said.metadata},
                 {STR("scope"), &said.scope},
                 {STR("error"), &said.error}};
    bool is_bearer = false;
    struct str rest = skip_blanks(header);
    while (rest.len > 0) {
        struct str word = cut_word(&rest);
        bool has_value = word.len > 0 && rest.len > 0 && rest.at[0] == '=';
        if (!has_value) { /* the name of a scheme, or nothing that is known */
            is_bearer = str_equal_nocase(word, STR("Bearer"));
            rest = skip_blanks(word.len == 0 && rest.len > 0 ? str_from(rest, 1) : rest);
            continue;
        }
        rest = str_from(rest, 1);
        struct str value = cut_value(&rest, arena);
        for (size_t i = 0; is_bearer && i < countof(parts); i++)
            if (str_equal_nocase(word, parts[i].name) && str_is_absent(*parts[i].to) &&
                str_is_utf8(value))
                *parts[i].to = value;
        rest = skip_blanks(rest);
    }
    return said;
}

/* ---- addresses ---- */

/* Scheme, host and port of url, as written; absent: it is no address. */
static struct str origin_of(struct str url, struct remote_url *parsed)
{
    if (remote_url_parse(url, parsed, NULL) != ERR_OK)
        return (struct str){NULL, 0};
    size_t from = parsed->scheme.len + 3; /* "://" */
    ptrdiff_t end = str_find_char(str_from(url, from), '/');
    ptrdiff_t query = str_find_char(str_from(url, from), '?');
    size_t len = end == STR_NONE ? url.len : from + (size_t)end;
    if (query != STR_NONE && from + (size_t)query < len)
        len = from + (size_t)query;
    return str_slice(url, 0, len);
}

/* The path of an address without a slash at its end: "" for "/". */
static struct str path_of(const struct remote_url *url)
{
    return str_ends_with(url->path, STR("/")) ? str_slice(url->path, 0, url->path.len - 1)
                                              : url->path;
}

struct str remote_oauth_wire_resource_url(struct str url, unsigned i, struct arena *arena)
{
    struct remote_url parsed;
    struct str origin = origin_of(url, &parsed), none = {NULL, 0};
    if (str_is_absent(origin))
        return none;
    struct str path = path_of(&parsed);
    if (path.len > 0 && i-- == 0)
        return arena_printf(arena, "%.*s" RESOURCE_PLACE "%.*s", STR_ARG(origin), STR_ARG(path));
    return i == 0 ? arena_printf(arena, "%.*s" RESOURCE_PLACE, STR_ARG(origin)) : none;
}

struct str remote_oauth_wire_issuer_url(struct str issuer, unsigned i, struct arena *arena)
{
    struct remote_url parsed;
    struct str origin = origin_of(issuer, &parsed), none = {NULL, 0};
    if (str_is_absent(origin))
        return none;
    struct str path = path_of(&parsed);
    if (i == 0)
        return arena_printf(arena, "%.*s" ISSUER_PLACE "%.*s", STR_ARG(origin), STR_ARG(path));
    if (i == 1)
        return arena_printf(arena, "%.*s" OPENID_PLACE "%.*s", STR_ARG(origin), STR_ARG(path));
    return i == 2 && path.len > 0
               ? arena_printf(arena, "%.*s%.*s" OPENID_PLACE, STR_ARG(origin), STR_ARG(path))
               : none;
}

bool remote_oauth_wire_is_beside(struct str url, struct str other)
{
    struct remote_url a, b;
    return remote_url_parse(url, &a, NULL) == ERR_OK &&
           remote_url_parse(other, &b, NULL) == ERR_OK && str_equal_nocase(a.scheme, b.scheme) &&
           str_equal_nocase(a.host, b.host) && a.port == b.port;
}

/* ---- metadata ---- */

static struct str text_at(const struct json_value *object, const char *member)
{
    const struct json_value *value = json_value_member(object, str_of(member));
    return value == NULL || value->type != JSON_STRING ? (struct str){NULL, 0} : value->text;
}

static bool has_text(const struct json_value *list, struct str text)
{
    if (list != NULL && list->type == JSON_ARRAY)
        JSON_EACH(item, list) {
            if (item->type == JSON_STRING && str_equal(item->text, text))
                return true;
        }
    return false;
}

static struct str shown(struct str text)
{
    return str_is_absent(text) ? STR("(nothing)") : str_utf8_prefix(text, SHOWN_BYTES);
}

/* The texts of a list, with blanks between them; absent: there are none. */
static struct str join(const struct json_value *list, struct arena *arena)
{
    struct str joined = {NULL, 0};
    if (list != NULL && list->type == JSON_ARRAY)
        JSON_EACH(item, list) {
            if (item->type == JSON_STRING)
                joined = str_is_absent(joined) ? arena_str(arena, item->text)
                                               : arena_printf(arena, "%.*s %.*s", STR_ARG(joined),
                                                              STR_ARG(item->text));
        }
    return joined;
}

static enum err_code read_object(struct str text, struct arena *arena,
                                 const struct json_value **root, struct err *err)
{
    const struct json_limits limits = {.refuse_nul = true};
    *root = json_value_parse(arena, arena_str(arena, text), &limits, err);
    if (*root == NULL)
        return arena_ok(arena) ? err_set(err, ERR_INVALID, "what it says is no JSON")
                               : err_set(err, ERR_NO_MEMORY, "no memory for what it says");
    return (*root)->type == JSON_OBJECT ? ERR_OK
                                        : err_set(err, ERR_INVALID, "what it says is no object");
}

enum err_code remote_oauth_wire_resource(struct str text, struct str url, struct str issuer,
                                         struct arena *arena, struct remote_oauth_resource *out,
                                         struct err *err)
{
    const struct json_value *root;
    struct remote_url ours, named;
    if (read_object(text, arena, &root, err) != ERR_OK)
        return err->code;
    out->resource = text_at(root, "resource");
    out->scope = join(json_value_member(root, STR("scopes_supported")), arena);
    bool is_ours = remote_url_parse(out->resource, &named, NULL) == ERR_OK &&
                   remote_url_parse(url, &ours, NULL) == ERR_OK &&
                   remote_url_is_below(&ours, &named);
    if (!is_ours)
        return err_set(err, ERR_DENIED, "its metadata are those of another resource (%.*s)",
                       STR_ARG(shown(out->resource)));
    const struct json_value *issuers = json_value_member(root, STR("authorization_servers"));
    if (!has_text(issuers, issuer))
        return err_set(err, ERR_DENIED, "it takes tokens of %.*s, not of the issuer of the file",
                       STR_ARG(shown(join(issuers, arena))));
    return ERR_OK;
}

enum err_code remote_oauth_wire_issuer(struct str text, struct str issuer, struct arena *arena,
                                       struct remote_oauth_issuer *out, struct err *err)
{
    const struct json_value *root;
    if (read_object(text, arena, &root, err) != ERR_OK)
        return err->code;
    struct str named = text_at(root, "issuer");
    if (!str_equal(named, issuer))
        return err_set(err, ERR_DENIED, "its metadata are those of another issuer (%.*s)",
                       STR_ARG(shown(named)));
    out->token_url = text_at(root, "token_endpoint");
    const struct json_value *grants = json_value_member(root, STR("grant_types_supported"));
    /* Without the member it is authorization_code and implicit, says RFC 8414; many that give
     * tokens to programs leave it out all the same. */
    if (grants != NULL && !has_text(grants, STR("client_credentials")))
        return err_set(err, ERR_DENIED,
                       "it gives tokens only to somebody who signs in (%.*s), for which there is "
                       "no browser here",
                       STR_ARG(shown(join(grants, arena))));
    if (str_is_absent(out->token_url))
        return err_set(err, ERR_INVALID, "its metadata name no token_endpoint");
    const struct json_value *ways =
        json_value_member(root, STR("token_endpoint_auth_methods_supported"));
    out->takes_basic = ways == NULL || has_text(ways, STR("client_secret_basic"));
    out->takes_post = has_text(ways, STR("client_secret_post"));
    out->takes_signed = ways == NULL || has_text(ways, STR("private_key_jwt"));
    return ERR_OK;
}

/* ---- the token ---- */

static void add_pair(struct buf *out, const char *name, struct str value)
{
    if (str_is_absent(value))
        return;
    if (buf_len(out) > 0)
        buf_push_char(out, '&');
    buf_printf(out, "%s=", name);
    url_encode(out, value);
}

void remote_oauth_wire_ask(const struct remote_oauth_ask *ask, struct buf *out)
{
    bool is_signed = !str_is_absent(ask->assertion);
    add_pair(out, "grant_type", STR("client_credentials"));
    add_pair(out, "scope", ask->scope);
    add_pair(out, "resource", ask->resource);
    if (is_signed) {
        add_pair(out, "client_id", ask->id);
        add_pair(out, "client_assertion_type", STR(ASSERTION_TYPE));
        add_pair(out, "client_assertion", ask->assertion);
    } else if (ask->is_in_body) {
        add_pair(out, "client_id", ask->id);
        add_pair(out, "client_secret", ask->secret);
    }
}

void remote_oauth_wire_basic(struct str id, struct str secret, struct buf *out)
{
    struct buf pair;
    buf_init(&pair, PAIR_BYTES);
    url_encode(&pair, id); /* each is encoded as in a form, says RFC 6749 */
    buf_push_char(&pair, ':');
    url_encode(&pair, secret);
    buf_push(out, STR("Basic "));
    char *room = buf_ok(&pair) ? buf_reserve(out, base64_encoded_bytes(buf_len(&pair))) : NULL;
    if (room != NULL)
        buf_commit(out, base64_encode(buf_str(&pair), room));
    buf_fini(&pair);
}

/* As a header takes it. */
static bool is_token(struct str text)
{
    bool is_fine = text.len > 0;
    for (size_t i = 0; i < text.len; i++)
        is_fine = is_fine && text.at[i] > ' ' && text.at[i] < 0x7f;
    return is_fine;
}

enum err_code remote_oauth_wire_token(struct str text, struct arena *arena,
                                      struct remote_oauth_token *out, struct err *err)
{
    const struct json_value *root;
    if (read_object(text, arena, &root, err) != ERR_OK)
        return err->code;
    struct str error = text_at(root, "error"), why = text_at(root, "error_description");
    struct str type = text_at(root, "token_type");
    const struct json_value *seconds = json_value_member(root, STR("expires_in"));
    out->text = text_at(root, "access_token");
    bool is_said = seconds != NULL && seconds->type == JSON_INT && seconds->integer > 0;
    out->seconds = is_said && seconds->integer < MAX_SECONDS ? (uint64_t)seconds->integer
                   : is_said                                 ? MAX_SECONDS
                                                             : 0;
    if (!str_is_absent(error))
        return err_set(err, ERR_DENIED, "it gives no token: %.*s%s%.*s", STR_ARG(shown(error)),
                       str_is_absent(why) ? "" : ", ", STR_ARG(str_utf8_prefix(why, SHOWN_BYTES)));
    if (!is_token(out->text))
        return err_set(err, ERR_INVALID, "its answer holds no token");
    if (!str_equal_nocase(type, STR("Bearer")))
        return err_set(err, ERR_INVALID, "its token is of the kind %.*s, not Bearer",
                       STR_ARG(shown(type)));
    return ERR_OK;
}

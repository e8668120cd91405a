/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_oauth.c - one request at a time for all that wait.
 *
 * Happy path: the server's metadata are at the address of the refusal, or at one by rule; those of
 * the issuer, too; the token is asked for there. Once known, only the token is asked for again.
 * Failure paths: an address that is not the server's, or not the issuer's, is not asked; a server
 * without metadata gets the token of its issuer all the same; documents of somebody else, an issuer
 * that wants somebody to sign in, no token: all that wait end with why. When the last that waits is
 * cancelled, so is the request. */
#include "backends/remote/remote_oauth.h"

#include "backends/remote/remote_oauth_sign.h"
#include "backends/remote/remote_oauth_wire.h"
#include "core/base/mem.h"

enum { ARENA_BYTES = 1 << 20, DOCUMENT_BYTES = 256 * 1024, TOKEN_BYTES = 32 * 1024 };
enum { CONNECT_MS = 10000, EARLY_MS = 30000, MOST_HEADERS = 3 };

enum step { RESOURCE, ISSUER, TOKEN };

struct remote_oauth {
    struct remote_oauth_options options;
    struct buf header; /* "Bearer ..." */
    unsigned number;
    uint64_t over_ms; /* 0: never */
    bool had_token;
    /* what is known; texts in known */
    struct arena known;
    struct remote_oauth_resource resource;
    struct remote_oauth_issuer issuer;
    bool is_known;
    struct str scope; /* that the server asked for last; absent: it did not */
    /* the request under way */
    enum step step;
    unsigned place; /* which of the addresses by rule */
    struct str at;  /* the address that is asked; in arena */
    struct remote_oauth_challenge challenge;
    struct arena arena;
    struct buf text, body;
    struct http_header headers[MOST_HEADERS];
    struct http_call http;
    struct list waiting;
};

static void begin(struct remote_oauth *oauth, struct str challenge);
static void ask_resource(struct remote_oauth *oauth);
static void ask_issuer(struct remote_oauth *oauth);
static void ask_token(struct remote_oauth *oauth);

/* ---- the end ---- */

static void settle(struct remote_oauth *oauth, const struct err *err)
{
    struct list waiting;
    list_init(&waiting);
    list_append(&waiting, &oauth->waiting);
    op_release(&oauth->http.op);
    buf_fini(&oauth->text);
    buf_fini(&oauth->body);
    arena_fini(&oauth->arena);
    oauth->challenge = (struct remote_oauth_challenge){0};
    if (err->code != ERR_OK && err->code != ERR_CANCELLED) {
        oauth->is_known = false; /* it is found out anew */
        LOG(oauth->options.log, WARN, "mcp.no_token", "server=%.*s issuer=%.*s error=\"%s\"",
            STR_ARG(oauth->options.server->name), STR_ARG(oauth->options.server->oauth.issuer),
            err->text);
    }
    for (struct list *link; (link = list_take_first(&waiting)) != NULL;) {
        struct remote_oauth_get *get = list_item(link, struct remote_oauth_get, link);
        if (err->code == ERR_CANCELLED && !get->is_cancelled)
            list_push(&oauth->waiting, link); /* it came while the request was given up */
        else
            op_finish_err(&get->op, err);
    }
    if (!list_is_empty(&oauth->waiting))
        begin(oauth, list_item(oauth->waiting.next, struct remote_oauth_get, link)->challenge);
}

/* Who said what is wrong with it, before what that is. */
static void fail(struct remote_oauth *oauth, const char *who, const struct err *why)
{
    struct err err;
    if (why->code == ERR_CANCELLED || why->code == ERR_NO_MEMORY)
        err = *why;
    else
        err_set(&err, why->code == ERR_DENIED ? ERR_DENIED : ERR_UNAVAILABLE, "%s: %s", who,
                why->text);
    settle(oauth, &err);
}

static const char *issuer_name(const struct remote_oauth *oauth)
{
    return oauth->options.server->oauth.issuer_text;
}

/* ---- requests ---- */

static void on_body(struct http_call *http, struct str bytes)
{
    struct remote_oauth *oauth = op_owner(&http->op);
    buf_push(&oauth->text, bytes);
}

/* Whether somebody waits who has not given up: a request that had ended when the last one did is
 * not cancelled by that. */
static bool is_wanted(const struct remote_oauth *oauth)
{
    LIST_EACH(link, &oauth->waiting)
        if (!list_item(link, struct remote_oauth_get, link)->is_cancelled)
            return true;
    return false;
}

static void send(struct remote_oauth *oauth, struct str url, size_t header_count, op_fn *done)
{
    const struct remote_file_reach *reach = &oauth->options.server->reach;
    const char *text = arena_cstr(&oauth->arena, url);
    struct err err;
    if (!is_wanted(oauth)) {
        err_set(&err, ERR_CANCELLED, "nobody waits for the token any more");
        settle(oauth, &err);
        return;
    }
    if (text == NULL || !buf_ok(&oauth->body)) {
        err_set(&err, ERR_NO_MEMORY, "no memory to ask for a token");
        settle(oauth, &err);
        return;
    }
    const struct http_call_options options = {
        .url = text,
        .method = oauth->step == TOKEN ? "POST" : "GET",
        .headers = oauth->headers,
        .header_count = header_count,
        .body = oauth->step == TOKEN ? buf_str(&oauth->body) : (struct str){NULL, 0},
        .connect_ms = CONNECT_MS,
        .total_ms = reach->timeout_ms,
        .max_body_bytes = DOCUMENT_BYTES,
        .only_public = !reach->is_private,
    };
    oauth->at = url;
    op_release(&oauth->http.op);
    buf_clear(&oauth->text);
    http_call_start(&oauth->http, oauth->options.client, &options, NULL, on_body,
                    (struct op_waiter){.done = done, .owner = oauth});
}

static void ask_document(struct remote_oauth *oauth, struct str url, op_fn *done)
{
    oauth->headers[0] = (struct http_header){STR("Accept"), STR("application/json")};
    send(oauth, url, 1, done);
}

/* Whether the document is not at this address. */
static bool is_elsewhere(const struct remote_oauth *oauth)
{
    return oauth->http.op.err.code == ERR_OK && oauth->http.status >= 400 &&
           oauth->http.status < 500;
}

/* What went wrong with the request itself. ERR_OK: there is a document. */
static enum err_code judge_answer(const struct remote_oauth *oauth, struct err *err)
{
    *err = oauth->http.op.err;
    if (err->code != ERR_OK)
        return err->code;
    if (oauth->http.status < 200 || oauth->http.status >= 300)
        return err_set(err, ERR_UNAVAILABLE, "%.*s answered HTTP %d", STR_ARG(oauth->at),
                       oauth->http.status);
    return buf_ok(&oauth->text) ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory for a document");
}

/* ---- the server's metadata ---- */

static void on_resource(struct op *op)
{
    struct remote_oauth *oauth = op_owner(op);
    const struct remote_file_server *server = oauth->options.server;
    struct err err = {0};
    if (is_elsewhere(oauth)) {
        oauth->challenge.metadata = (struct str){NULL, 0};
        ask_resource(oauth);
        return;
    }
    if (judge_answer(oauth, &err) != ERR_OK ||
        remote_oauth_wire_resource(buf_str(&oauth->text), str_of(server->url), server->oauth.issuer,
                                   &oauth->known, &oauth->resource, &err) != ERR_OK) {
        fail(oauth, "the server", &err);
        return;
    }
    oauth->place = 0;
    ask_issuer(oauth);
}

static void ask_resource(struct remote_oauth *oauth)
{
    struct str url = str_of(oauth->options.server->url), at = oauth->challenge.metadata;
    struct err err;
    oauth->step = RESOURCE;
    if (str_is_absent(at)) {
        at = remote_oauth_wire_resource_url(url, oauth->place++, &oauth->arena);
    } else if (!remote_oauth_wire_is_beside(at, url)) {
        err_set(&err, ERR_DENIED, "its metadata would be at another place than the server");
        fail(oauth, "the server", &err);
        return;
    }
    if (!str_is_absent(at)) {
        ask_document(oauth, at, on_resource);
        return;
    }
    oauth->resource = (struct remote_oauth_resource){.resource = url};
    oauth->place = 0;
    ask_issuer(oauth);
}

/* ---- the issuer's metadata ---- */

static bool may_send_secret_to(const struct remote_oauth *oauth, struct str url)
{
    return remote_oauth_wire_is_beside(url, oauth->options.server->oauth.issuer) ||
           remote_file_allows(oauth->options.file, url);
}

static void on_issuer(struct op *op)
{
    struct remote_oauth *oauth = op_owner(op);
    struct err err = {0};
    if (is_elsewhere(oauth)) {
        ask_issuer(oauth);
        return;
    }
    if (judge_answer(oauth, &err) == ERR_OK &&
        remote_oauth_wire_issuer(buf_str(&oauth->text), oauth->options.server->oauth.issuer,
                                 &oauth->known, &oauth->issuer, &err) == ERR_OK &&
        !may_send_secret_to(oauth, oauth->issuer.token_url))
        err_set(&err, ERR_DENIED, "its token_endpoint (%.*s) is below none of /allow",
                STR_ARG(str_utf8_prefix(oauth->issuer.token_url, 200)));
    if (err.code != ERR_OK) {
        fail(oauth, issuer_name(oauth), &err);
        return;
    }
    oauth->is_known = true;
    ask_token(oauth);
}

static void ask_issuer(struct remote_oauth *oauth)
{
    struct err err;
    oauth->step = ISSUER;
    struct str at = remote_oauth_wire_issuer_url(oauth->options.server->oauth.issuer,
                                                 oauth->place++, &oauth->arena);
    if (!str_is_absent(at)) {
        ask_document(oauth, at, on_issuer);
        return;
    }
    err_set(&err, ERR_UNAVAILABLE, "its metadata are at none of their places");
    fail(oauth, issuer_name(oauth), &err);
}

/* ---- the token ---- */

static void keep_token(struct remote_oauth *oauth, const struct remote_oauth_token *token)
{
    uint64_t ms = token->seconds * 1000, early = ms / 2 < EARLY_MS ? ms / 2 : EARLY_MS;
    struct err err = {0};
    buf_clear(&oauth->header);
    buf_printf(&oauth->header, "Bearer %.*s", STR_ARG(token->text));
    oauth->over_ms = ms == 0 ? 0 : loop_now_ms(oauth->options.loop) + ms - early;
    oauth->number++;
    oauth->had_token = true;
    if (!buf_ok(&oauth->header)) {
        buf_clear(&oauth->header);
        err_set(&err, ERR_NO_MEMORY, "the token does not fit into memory");
    }
    LOG(oauth->options.log, INFO, "mcp.token", "server=%.*s issuer=%.*s seconds=%llu",
        STR_ARG(oauth->options.server->name), STR_ARG(oauth->options.server->oauth.issuer),
        (unsigned long long)token->seconds);
    settle(oauth, &err);
}

static void on_token(struct op *op)
{
    struct remote_oauth *oauth = op_owner(op);
    struct remote_oauth_token token;
    struct err err = op->err, why = {0};
    if (err.code != ERR_OK) {
        fail(oauth, issuer_name(oauth), &err);
        return;
    }
    enum err_code code =
        remote_oauth_wire_token(buf_str(&oauth->text), &oauth->arena, &token, &err);
    if (judge_answer(oauth, &why) != ERR_OK && code != ERR_DENIED)
        err = why;
    if (err.code == ERR_OK)
        keep_token(oauth, &token);
    else
        fail(oauth, issuer_name(oauth), &err);
}

/* How the client says who it is. False: the issuer takes none of what the file has. */
static bool write_client(struct remote_oauth *oauth, struct remote_oauth_ask *ask,
                         struct buf *basic, struct buf *assertion)
{
    const struct remote_file_oauth *file = &oauth->options.server->oauth;
    const struct remote_oauth_issuer *issuer = &oauth->issuer;
    ask->id = file->client_id;
    if (!str_is_absent(file->private_key)) {
        bool is_made = issuer->takes_signed &&
                       remote_oauth_sign(file->private_key, file->client_id, file->issuer,
                                         loop_wall_ms(oauth->options.loop) / 1000, assertion);
        ask->assertion = buf_str(assertion);
        return is_made;
    }
    ask->secret = file->client_secret;
    ask->is_in_body = !issuer->takes_basic;
    if (issuer->takes_basic)
        remote_oauth_wire_basic(file->client_id, file->client_secret, basic);
    return (issuer->takes_basic || issuer->takes_post) && buf_ok(basic);
}

static void ask_token(struct remote_oauth *oauth)
{
    const struct remote_file_oauth *file = &oauth->options.server->oauth;
    struct remote_oauth_ask ask = {
        .scope = !str_is_absent(file->scope)    ? file->scope
                 : !str_is_absent(oauth->scope) ? oauth->scope
                                                : oauth->resource.scope,
        .resource = oauth->resource.resource,
    };
    struct buf basic, assertion;
    struct err err;
    size_t count = 0;
    oauth->step = TOKEN;
    buf_init(&basic, TOKEN_BYTES);
    buf_init(&assertion, TOKEN_BYTES);
    bool is_fine = write_client(oauth, &ask, &basic, &assertion);
    buf_clear(&oauth->body);
    remote_oauth_wire_ask(&ask, &oauth->body);
    oauth->headers[count++] = (struct http_header){STR("Accept"), STR("application/json")};
    oauth->headers[count++] =
        (struct http_header){STR("Content-Type"), STR("application/x-www-form-urlencoded")};
    if (buf_len(&basic) > 0)
        oauth->headers[count++] =
            (struct http_header){STR("Authorization"), arena_str(&oauth->arena, buf_str(&basic))};
    buf_fini(&basic);
    buf_fini(&assertion);
    if (is_fine) {
        send(oauth, oauth->issuer.token_url, count, on_token);
        return;
    }
    err_set(&err, ERR_DENIED, "it takes no client that says who it is by a %s",
            str_is_absent(file->private_key) ? "secret" : "signature");
    fail(oauth, issuer_name(oauth), &err);
}

/* ---- those who wait ---- */

static void cancel_get(struct op *op)
{
    struct remote_oauth_get *get = container_of(op, struct remote_oauth_get, op);
    struct remote_oauth *oauth = get->oauth;
    if (op_is_finishing(op))
        return;
    get->is_cancelled = true;
    if (oauth->waiting.next == &get->link && oauth->waiting.prev == &get->link) {
        op_cancel(&oauth->http.op); /* and all ends with it */
        return;
    }
    list_remove(&get->link);
    op_finish(op, ERR_CANCELLED, "nobody waits for the token any more");
}

static const struct op_kind get_kind = {.name = "mcp.token", .cancel = cancel_get};

static void begin(struct remote_oauth *oauth, struct str challenge)
{
    arena_init(&oauth->arena, ARENA_BYTES);
    buf_init(&oauth->text, DOCUMENT_BYTES);
    buf_init(&oauth->body, DOCUMENT_BYTES);
    oauth->challenge = remote_oauth_wire_challenge(challenge, &oauth->arena);
    oauth->place = 0;
    if (!oauth->is_known) {
        arena_fini(&oauth->known);
        arena_init(&oauth->known, ARENA_BYTES);
        oauth->scope = (struct str){NULL, 0};
    }
    if (!str_is_absent(oauth->challenge.scope) && !str_equal(oauth->challenge.scope, oauth->scope))
        oauth->scope = arena_str(&oauth->known, oauth->challenge.scope);
    if (oauth->is_known)
        ask_token(oauth);
    else
        ask_resource(oauth);
}

void remote_oauth_get_start(struct remote_oauth_get *get, struct remote_oauth *oauth,
                            struct op_waiter waiter)
{
    bool is_idle = list_is_empty(&oauth->waiting);
    op_begin(&get->op, &get_kind, oauth->options.loop, waiter);
    get->oauth = oauth;
    get->is_cancelled = false;
    list_init(&get->link);
    if (is_idle && get->refused != oauth->number) {
        op_finish(&get->op, ERR_OK, "%s", "");
        return;
    }
    list_push(&oauth->waiting, &get->link);
    if (is_idle)
        begin(oauth, get->challenge);
}

/* ---- in use ---- */

bool remote_oauth_is_over(const struct remote_oauth *oauth)
{
    return oauth->had_token &&
           (buf_len(&oauth->header) == 0 ||
            (oauth->over_ms != 0 && loop_now_ms(oauth->options.loop) >= oauth->over_ms));
}

struct str remote_oauth_header(const struct remote_oauth *oauth)
{
    return buf_str(&oauth->header);
}

unsigned remote_oauth_number(const struct remote_oauth *oauth)
{
    return oauth->number;
}

struct remote_oauth *remote_oauth_create(const struct remote_oauth_options *options)
{
    struct remote_oauth *oauth = mem_zalloc(1, sizeof *oauth);
    if (oauth == NULL)
        return NULL;
    oauth->options = *options;
    buf_init(&oauth->header, TOKEN_BYTES);
    arena_init(&oauth->known, ARENA_BYTES);
    list_init(&oauth->waiting);
    return oauth;
}

void remote_oauth_destroy(struct remote_oauth *oauth)
{
    if (oauth == NULL)
        return;
    CHECK(list_is_empty(&oauth->waiting));
    buf_fini(&oauth->header);
    arena_fini(&oauth->known);
    mem_free(oauth);
}

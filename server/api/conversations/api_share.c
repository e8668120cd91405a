/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_share.c - tokens, and a note of the conversation for each link.
 *
 * Happy path: sharing puts a note named by the link's secret; who comes with a token is shown the
 * conversation up to the link's version. A note is put once and removed, never changed: what two
 * requests do at the same time, here or at two servers, cannot undo each other.
 * Failure paths: a token that is none, whose conversation is gone, whose link expired or was taken
 * back: 404, the same for all of them; too many links: the oldest goes. */
#include "server/api/conversations/api_share.h"

#include "core/base/base64.h"
#include "proto/json_value.h"
#include "proto/json_write.h"
#include "proto/url.h"
#include "server/api/conversations/conversation_request.h"
#include "server/api/run_body.h"
#include "server/records/share_note.h"
#include "server/runs/shard.h"

#include <inttypes.h>

enum {
    LINKS_MOST = 20,
    TOKEN_BYTES = 1024,
    DAYS = 7,
    DAYS_MOST = 365,
    DAY_MS = 86400000,
    TURNS_MOST = 500,
    ANSWER_BYTES = 64 * 1024 * 1024,
};

struct link {
    struct str secret;
    uint64_t until_ms, version, began_ms; /* in the note, in this order */
};

static void fail(struct conversation_request *request, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s", text);
    conversation_request_fail(request, &err);
}

/* Whether links may be; else exchange is answered. */
static bool is_allowed(struct exchange *exchange)
{
    struct problem problem;
    if (config_shares_links(exchange->shard->group->config))
        return true;
    problem_set(&problem, 403, "forbidden",
                "conversations are not shared by links here: ASKD_SHARE_LINKS=on would allow it");
    exchange_problem(exchange, &problem);
    return false;
}

/* ---- the notes ---- */

static bool is_note(const struct store_note *note)
{
    return str_starts_with(note->name, STR(SHARE_NOTE));
}

/* False: it is no link that is good now. */
static bool read_link(const struct conversation_request *request, const struct store_note *note,
                      struct link *link)
{
    struct str rest = note->bytes;
    if (!is_note(note))
        return false;
    link->secret = str_from(note->name, STR(SHARE_NOTE).len);
    return str_to_u64(str_split(&rest, ' '), &link->until_ms) &&
           str_to_u64(str_split(&rest, ' '), &link->version) && link->version > 0 &&
           str_to_u64(rest, &link->began_ms) && link->until_ms > loop_wall_ms(request->shard->loop);
}

/* Whether the link of a note is over, or older than those that may stay. */
static bool is_too_many(const struct conversation_request *request, const struct store_note *note)
{
    const struct store_call *loaded = &request->call;
    struct link link, other;
    size_t newer = 0;
    if (!read_link(request, note, &link))
        return true;
    for (size_t i = 0; i < loaded->note_count; i++)
        if (read_link(request, &loaded->notes[i], &other) &&
            (other.began_ms > link.began_ms ||
             (other.began_ms == link.began_ms && str_compare(other.secret, link.secret) > 0)))
            newer++;
    return newer >= request->limit;
}

/* Put a note of these bytes; none: remove it. */
static void keep_note(struct conversation_request *request, struct str name, struct str bytes,
                      conversation_request_fn *next)
{
    request->keep = (struct store_keep){
        .key = request->key,
        .note = {arena_str(&request->arena, name), arena_str(&request->arena, bytes)}};
    if (!arena_ok(&request->arena)) {
        fail(request, ERR_NO_MEMORY, "no memory for the link");
        return;
    }
    op_release(&request->second.op);
    store_keep_start(&request->second, request->store, &request->keep,
                     conversation_request_waiter(request, next));
}

/* ---- tokens: base64url of secret, company, user and conversation, a line each ---- */

static struct str make_token(struct conversation_request *request)
{
    const struct identity *key = &request->key;
    struct str plain = arena_printf(&request->arena, "%.*s\n%.*s\n%.*s\n%.*s", STR_ARG(request->to),
                                    STR_ARG(key->company_id), STR_ARG(key->user_id),
                                    STR_ARG(key->conversation_id));
    char *token = arena_alloc(&request->arena, base64_encoded_bytes(plain.len) + 1);
    if (str_is_absent(plain) || token == NULL)
        return (struct str){NULL, 0};
    size_t len = base64_encode(plain, token);
    while (len > 0 && token[len - 1] == '=')
        len--;
    for (size_t i = 0; i < len; i++)
        token[i] = (char)(token[i] == '+' ? '-' : token[i] == '/' ? '_' : token[i]);
    return str_make(token, len);
}

/* Views in the exchange's arena. */
static bool read_token(struct exchange *exchange, struct str token, struct str *secret,
                       struct identity *key)
{
    size_t len;
    if (token.len == 0 || token.len > TOKEN_BYTES)
        return false;
    char *plain = arena_alloc(&exchange->arena, base64_decoded_bytes(token) + 1);
    if (plain == NULL || !base64_decode(token, plain, &len))
        return false;
    struct str rest = str_make(plain, len);
    *secret = str_split(&rest, '\n');
    key->company_id = str_split(&rest, '\n');
    key->user_id = str_split(&rest, '\n');
    key->conversation_id = rest;
    return str_is_utf8(str_make(plain, len)) && secret->len == ID_HEX_BYTES &&
           key->company_id.len > 0 && key->user_id.len > 0 && key->conversation_id.len > 0;
}

/* However much of it is right, it takes the same time. */
static bool is_same(struct str a, struct str b)
{
    unsigned char differs = a.len != b.len;
    for (size_t i = 0; i < a.len && i < b.len; i++)
        differs |= (unsigned char)(a.at[i] ^ b.at[i]);
    return differs == 0;
}

/* ---- sharing ---- */

static void reply_token(struct conversation_request *request)
{
    struct str token = make_token(request);
    struct json_write json;
    struct buf out;
    buf_init(&out, 2 * TOKEN_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_member_str(&json, STR("token"), token);
    json_write_member_u64(&json, STR("expires_ms"), request->before);
    json_write_object_end(&json);
    conversation_request_reply_buf(request, 201, &out);
}

static void reply_none(struct conversation_request *request)
{
    conversation_request_reply(request, 204, STR(""));
}

static void add_link(struct conversation_request *request)
{
    const struct id secret = id_random();
    request->to = arena_str(&request->arena, str_of(secret.text)); /* the token's secret */
    struct str name = arena_printf(&request->arena, SHARE_NOTE "%s", secret.text);
    struct str bytes =
        arena_printf(&request->arena, "%" PRIu64 " %" PRIu64 " %" PRIu64, request->before,
                     request->call.version, loop_wall_ms(request->shard->loop));
    keep_note(request, name, bytes, reply_token);
}

/* Remove, one after the other, what is too many of the notes that were loaded. Those that another
 * request puts meanwhile are not touched. */
static void remove_links(struct conversation_request *request)
{
    while (request->step < request->call.note_count) {
        const struct store_note *note = &request->call.notes[request->step++];
        if (is_note(note) && is_too_many(request, note)) {
            keep_note(request, note->name, STR(""), remove_links);
            return;
        }
    }
    if (request->limit > 0)
        add_link(request);
    else
        reply_none(request);
}

static void change_links(struct conversation_request *request)
{
    if (request->call.version == 0)
        fail(request, ERR_NOT_FOUND, "there is no such conversation");
    else
        remove_links(request);
}

static void load(struct conversation_request *request, conversation_request_fn *next)
{
    request->ask.load = (struct store_load){.key = request->key, .turn_limit = 1};
    store_load_start(&request->call, request->store, &request->ask.load,
                     conversation_request_waiter(request, next));
}

static void load_links(struct conversation_request *request)
{
    load(request, change_links);
}

void api_share_begin(struct exchange *exchange)
{
    struct problem problem;
    struct err err = {0};
    int64_t days = DAYS;
    if (!is_allowed(exchange))
        return;
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root != NULL) {
        enum err_code code = json_value_i64(root, "/days", &days, &err);
        if (code != ERR_OK && code != ERR_NOT_FOUND) {
            problem_field(&problem, "/days", "%s", err.text);
            root = NULL;
        } else if (days < 1 || days > DAYS_MOST) {
            problem_field(&problem, "/days", "/days: expected 1 to %d, got %lld", DAYS_MOST,
                          (long long)days);
            root = NULL;
        }
    }
    if (root == NULL) {
        exchange_problem(exchange, &problem);
        return;
    }
    struct conversation_request *request = conversation_request_open(exchange, true);
    if (request == NULL)
        return;
    request->before = loop_wall_ms(request->shard->loop) + (uint64_t)days * DAY_MS; /* until when */
    request->limit = LINKS_MOST - 1; /* of those that there are may stay */
    conversation_request_settle(request, load_links);
}

void api_share_end(struct exchange *exchange)
{
    struct conversation_request *request = conversation_request_open(exchange, true);
    if (request == NULL)
        return;
    request->limit = 0;
    conversation_request_settle(request, load_links);
}

/* ---- reading by a link ---- */

static void reply_shared(struct conversation_request *request)
{
    struct buf out;
    buf_init(&out, ANSWER_BYTES);
    conversation_json_history(&request->loaded, request->key.conversation_id, NULL, false,
                              conversation_request_language(request), &out);
    conversation_request_reply_buf(request, 200, &out);
}

static void check_link(struct conversation_request *request)
{
    struct link link;
    uint64_t version = 0;
    for (size_t i = 0; i < request->call.note_count; i++)
        if (read_link(request, &request->call.notes[i], &link) && is_same(link.secret, request->to))
            version = link.version;
    if (request->call.version == 0 || version == 0) {
        fail(request, ERR_NOT_FOUND, "there is no such link, or it has expired");
        return;
    }
    request->ask.load =
        (struct store_load){.key = request->key, .turn_limit = TURNS_MOST, .at_version = version};
    store_load_start(&request->loaded, request->store, &request->ask.load,
                     conversation_request_waiter(request, reply_shared));
}

void api_share_show(struct exchange *exchange)
{
    struct identity key = {.role = {NULL, 0}};
    struct str token, secret;
    struct problem problem;
    if (!is_allowed(exchange))
        return;
    if (url_decode(&exchange->arena, exchange->match.params[0], &token, &problem.err) != ERR_OK ||
        !read_token(exchange, token, &secret, &key)) {
        problem_set(&problem, 404, "not_found", "there is no such link, or it has expired");
        exchange_problem(exchange, &problem);
        return;
    }
    struct conversation_request *request = conversation_request_open_for(exchange, &key);
    if (request == NULL)
        return;
    request->to = arena_str(&request->arena, secret);
    load(request, check_link);
}

/* SPDX-License-Identifier: MIT */
/* backends/models/model_peer.c - URL and authentication once, errors in words.
 *
 * Happy path: everything a call needs is made at the start. Failure paths: no memory then. */
#include "backends/models/model_peer.h"

#include <string.h>

#include "proto/models/anthropic.h"
#include "proto/models/model_error.h"

enum { URL_BYTES = 8 << 10, AUTH_BYTES = 4 << 10, SHORTEST_KEY = 4, TOLD_KEY = 8 };

bool model_peer_init(struct model_peer *peer, const struct model_peer_options *options)
{
    const struct model_endpoint endpoint = {
        .dialect = options->wire,
        .base_url = str_of(options->base_url),
        .key = str_of(options->api_key),
        .deployment = str_of(options->model),
        .api_version = str_of(options->api_version),
    };
    *peer = (struct model_peer){.options = *options};
    buf_init(&peer->url, URL_BYTES);
    buf_init(&peer->auth, AUTH_BYTES);
    options->write_url(&peer->url, &endpoint);
    buf_push_char(&peer->url, '\0');
    peer->auth_name = model_wire_auth_name(&endpoint);
    model_wire_write_auth(&peer->auth, &endpoint);
    return buf_ok(&peer->url) && buf_ok(&peer->auth);
}

void model_peer_fini(struct model_peer *peer)
{
    buf_fini(&peer->url);
    buf_fini(&peer->auth);
}

enum err_code model_peer_ready(const struct model_peer *peer, struct err *err)
{
    const struct model_peer_options *options = &peer->options;
    if (str_is_empty(str_of(options->base_url)))
        return err_set(err, ERR_NOT_CONFIGURED, "no %s server: set %s", options->what,
                       options->url_variable);
    if (str_is_empty(str_of(options->model)) && options->model_variable != NULL)
        return err_set(err, ERR_NOT_CONFIGURED, "no name for the %s: set %s", options->what,
                       options->model_variable);
    if (str_is_empty(str_of(options->api_key)) && !options->key_optional)
        return err_set(err, ERR_NOT_CONFIGURED, "no key for the %s: set %s, or %s to do without",
                       options->what, options->key_variable, options->without);
    return ERR_OK;
}

void model_peer_write_headers(const struct model_peer *peer, struct str accept,
                              const struct trace_place *trace, struct model_peer_headers *headers)
{
    headers->count = 0;
    headers->at[headers->count++] =
        (struct http_header){STR("Content-Type"), STR("application/json")};
    headers->at[headers->count++] = (struct http_header){STR("Accept"), accept};
    if (!str_is_absent(peer->auth_name))
        headers->at[headers->count++] = (struct http_header){peer->auth_name, buf_str(&peer->auth)};
    if (peer->options.wire == MODEL_WIRE_ANTHROPIC)
        headers->at[headers->count++] =
            (struct http_header){ANTHROPIC_VERSION_NAME, ANTHROPIC_VERSION};
    if (trace == NULL)
        return;
    trace_parent_write(trace, true, headers->traceparent);
    headers->at[headers->count++] =
        (struct http_header){STR("traceparent"), str_of(headers->traceparent)};
}

/* "http://"; empty: there is none. */
static struct str scheme_of(const char *url)
{
    ptrdiff_t end = str_find(str_of(url), STR("://"));
    return str_slice(str_of(url), 0, end == STR_NONE ? 0 : (size_t)end + 3);
}

/* The URL without scheme and login: "host:port/v1". */
static struct str place_of(const char *url)
{
    struct str place = str_from(str_of(url), scheme_of(url).len);
    ptrdiff_t path = str_find_char(place, '/');
    size_t host = path == STR_NONE ? place.len : (size_t)path;
    for (size_t i = host; i > 0; i--)
        if (place.at[i - 1] == '@')
            return str_from(place, i);
    return place;
}

void model_peer_explain_transport(const struct model_peer *peer, const struct err *cause,
                                  bool was_cut, struct err *err)
{
    const struct model_peer_options *options = &peer->options;
    if (cause->code == ERR_CANCELLED || cause->code == ERR_NO_MEMORY || cause->code == ERR_BUSY)
        *err = *cause; /* of this process, not of the server */
    else if (was_cut && cause->code != ERR_TIMEOUT)
        err_set(err, ERR_UNAVAILABLE, "the %s server cut its answer short: %s", options->what,
                cause->text);
    else
        err_set(err, cause->code,
                "the %s server at %.*s%.*s: %s; check %s and that the server runs", options->what,
                STR_ARG(scheme_of(options->base_url)), STR_ARG(place_of(options->base_url)),
                cause->text, options->url_variable);
}

void model_peer_explain_status(const struct model_peer *peer, int status, struct str body,
                               bool *is_filtered, struct err *err)
{
    const struct model_peer_options *options = &peer->options;
    struct err said;
    bool is_moderated;
    enum err_code code = model_error(status, body, &is_moderated, &said);
    if (is_filtered != NULL)
        *is_filtered = is_moderated;
    if (is_moderated) {
        err_set(err, code, "the %s server's filter refuses the text: %s", options->what, said.text);
        return;
    }
    switch (status) {
    case 401:
    case 403:
        err_set(err, code, "the %s server refuses the key: %s; check %s", options->what, said.text,
                options->key_variable);
        break;
    case 404:
        err_set(err, code, "the %s server does not know '%s': %s; check the model's name and %s",
                options->what, options->model, said.text, options->url_variable);
        break;
    default:
        if (status >= 500) /* whose words may be the prompt again, and this text is logged */
            err_set(err, code, "the %s server answered %d; its own log says why", options->what,
                    status);
        else
            err_set(err, code, "the %s server answered %s", options->what, said.text);
    }
}

/* How far text goes on like key. */
static size_t shared_length(const char *text, struct str key)
{
    size_t len = 0;
    while (len < key.len && text[len] == key.at[len])
        len++;
    return len;
}

void model_peer_blank_key(const struct model_peer *peer, struct err *err)
{
    struct str key = str_of(peer->options.api_key);
    size_t least = size_min(key.len, TOLD_KEY);
    for (char *at = err->text; key.len >= SHORTEST_KEY && *at != '\0'; at++) {
        size_t len = shared_length(at, key);
        if (len >= least)
            memset(at, '*', len);
    }
}

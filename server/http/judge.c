/* SPDX-License-Identifier: MIT */
/* server/http/judge.c - headers that came twice, the route, the caller, the scope, the body's type,
 * in this order.
 *
 * Failure: the first that does not fit is the answer. */
#include "server/http/judge.h"

#include "server/http/cors.h"

/* Headers that say who asks, for whom, or what of: two of them would be read differently by us and
 * by a proxy that adds its own behind its client's. Names that end with a dash are beginnings. */
static const char *const single[] = {
    "Authorization", "X-Api-Key",
    "Host",          "Origin",
    "Content-Type",  "X-Askd-",
    "X-OpenWebUI-",  "Mcp-",
    "X-Request-Id",  "Idempotency-Key",
    "Last-Event-ID", "Content-Length",
    "traceparent",   "MCP-Protocol-Version",
};

/* Headers that nobody but a proxy sends. */
static const char *const of_proxies[] = {
    "Forwarded",        "Via",
    "X-Forwarded-",     "X-Real-Ip",
    "X-Client-Ip",      "True-Client-Ip",
    "CF-Connecting-Ip", "X-Original-Host",
};

static bool is_called(struct str name, const char *wanted)
{
    struct str text = str_of(wanted);
    bool is_beginning = text.at[text.len - 1] == '-';
    return str_equal_nocase(is_beginning ? str_slice(name, 0, size_min(name.len, text.len)) : name,
                            text);
}

static bool is_listed(struct str name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_called(name, names[i]))
            return true;
    return false;
}

/* The first header whose name is one of single and came before as well; absent: none. */
static struct str find_double(const struct http_request *request)
{
    struct str name, value, other;
    size_t cursor = 0;
    while (http_request_next_header(request, &cursor, &name, &value)) {
        size_t ahead = cursor;
        if (!is_listed(name, single, countof(single)))
            continue;
        while (http_request_next_header(request, &ahead, &other, &value))
            if (str_equal_nocase(name, other))
                return other;
    }
    return (struct str){NULL, 0};
}

static struct str find_proxy(const struct http_request *request)
{
    struct str name, value;
    size_t cursor = 0;
    while (http_request_next_header(request, &cursor, &name, &value))
        if (is_listed(name, of_proxies, countof(of_proxies)))
            return name;
    return (struct str){NULL, 0};
}

/* ---- the route ---- */

static bool find_route(const struct judge_options *options, struct route_match *match,
                       struct problem *problem)
{
    const struct http_request *request = options->request;
    enum err_code code = route_find(options->routes, request->method, request->path, match);
    bool is_hidden = code == ERR_OK && options->is_for_operators && !match->route->is_for_operators;
    if (is_hidden)
        *match = (struct route_match){0};
    else if (code == ERR_OK)
        return true;
    if (match->feature != NULL)
        return problem_set(problem, 501, "unsupported", "%s not supported here", match->feature);
    if (code == ERR_NOT_FOUND || is_hidden)
        return problem_set(problem, 404, "not_found", "there is nothing at %.*s",
                           STR_ARG(str_utf8_prefix(request->path, 200)));
    problem_set(problem, 405, "method_not_allowed", "%.*s is not a method of this path",
                STR_ARG(request->method_text));
    problem->allow = match->allow;
    return false;
}

/* ---- the caller ---- */

static bool refuse_caller(const struct err *err, struct problem *problem)
{
    int status = err->code == ERR_DENIED ? 403 : err->code == ERR_REJECTED ? 401 : 503;
    problem_set(problem, status, problem_code(status), "%s", err->text);
    problem->retry_after = status == 503 ? PROBLEM_RETRY_AFTER : 0;
    return false;
}

static bool check_scope(const struct judge_verdict *verdict, struct problem *problem)
{
    unsigned needed = verdict->match.route->scope;
    needed = needed == 0 ? AUTH_ASK : needed;
    if ((verdict->grant.scopes & needed) == needed)
        return true;
    return problem_set(problem, 403, "forbidden", "the key '%.*s' has not the scope %s",
                       STR_ARG(str_utf8_prefix(verdict->grant.name, 64)),
                       auth_grant_scope_name((enum auth_scope)needed));
}

/* Whether a route without a key is that here: one with a scope is so only where no file says who
 * has it. */
static bool is_open(const struct judge_options *options, const struct route *route)
{
    return route->access != ROUTE_KEY &&
           (route->scope == 0 || !auth_book(options->auth)->is_of_file);
}

static struct auth_caller caller_of(const struct judge_options *options)
{
    const struct http_request *request = options->request;
    return (struct auth_caller){
        .authorization = http_request_header(request, STR("Authorization")),
        .api_key = http_request_header(request, STR("X-Api-Key")),
        .host = request->host,
        .origin = http_request_header(request, STR("Origin")),
        .proxy = find_proxy(request),
        .is_loopback = options->is_loopback,
        .is_known_origin = cors_allows(options->cors_origins, request),
    };
}

bool judge_is_by_operator(const struct judge_options *options)
{
    struct auth_caller caller = caller_of(options);
    struct auth_grant grant = {0};
    struct err err = {0};
    bool is_one = auth_check(options->auth, &caller, options->arena, &grant, &err) == ERR_OK &&
                  (grant.scopes & AUTH_ADMIN) != 0;
    auth_release(&grant);
    return is_one;
}

static bool check_caller(const struct judge_options *options, struct judge_verdict *verdict,
                         struct problem *problem)
{
    struct err err = {0};
    const struct http_request *request = options->request;
    if (verdict->match.route->access == ROUTE_ALWAYS)
        return true;
    if (is_open(options, verdict->match.route))
        return auth_check_host(options->auth, request->host, &err) == ERR_OK ||
               refuse_caller(&err, problem);
    const struct auth_caller caller = caller_of(options);
    if (auth_check(options->auth, &caller, options->arena, &verdict->grant, &err) != ERR_OK)
        return refuse_caller(&err, problem);
    return check_scope(verdict, problem);
}

/* ---- the body ---- */

/* "application/json", or a kind of it ("application/ld+json"), whatever its parameters. */
static bool is_json_type(struct str type)
{
    type = str_trim(str_split(&type, ';'));
    return str_equal_nocase(type, STR("application/json")) ||
           (type.len > 17 && str_equal_nocase(str_slice(type, 0, 12), STR("application/")) &&
            str_ends_with_nocase(type, STR("+json")));
}

/* A browser joins a header that a script sets twice by a comma: then each of them must be JSON. */
static bool is_json(struct str types)
{
    if (types.len == 0)
        return false;
    while (types.len > 0)
        if (!is_json_type(str_split(&types, ',')))
            return false;
    return true;
}

/* A page of another site may send any other type without asking first, by POST. */
static bool check_type(const struct http_request *request, struct problem *problem)
{
    struct str type = http_request_header(request, STR("Content-Type"));
    if (!request->has_body || is_json(type))
        return true;
    return problem_set(problem, 415, "invalid_request",
                       "Content-Type: expected application/json, got '%.*s'",
                       STR_ARG(str_utf8_prefix(type, 80)));
}

bool judge_request(const struct judge_options *options, struct judge_verdict *verdict,
                   struct problem *problem)
{
    struct str twice = find_double(options->request);
    if (!str_is_absent(twice))
        return problem_set(problem, 400, "invalid_request", "%.*s: expected one header, got two",
                           STR_ARG(str_utf8_prefix(twice, 64)));
    return find_route(options, &verdict->match, problem) &&
           check_caller(options, verdict, problem) &&
           (verdict->match.route->takes_file || check_type(options->request, problem));
}

/* SPDX-License-Identifier: MIT */
#include "server/process/routes.h"
#include "tests/lib/test.h"

static const struct {
    enum http_method method;
    const char *path, *pattern, *param, *allow;
    enum err_code want;
} cases[] = {
    {HTTP_METHOD_GET, "/healthz", "/healthz", "", NULL, ERR_OK},
    {HTTP_METHOD_GET, "/", "/", "", NULL, ERR_OK},
    {HTTP_METHOD_POST, "/", NULL, "", "GET, HEAD", ERR_REJECTED},
    {HTTP_METHOD_GET, "/page/v1/main.js", "/page/{version}/{file}", "v1", NULL, ERR_OK},
    {HTTP_METHOD_GET, "/page//main.js", NULL, "", NULL, ERR_NOT_FOUND},
    {HTTP_METHOD_GET, "/page/", NULL, "", NULL, ERR_NOT_FOUND},
    {HTTP_METHOD_HEAD, "/healthz", "/healthz", "", NULL, ERR_OK},
    {HTTP_METHOD_POST, "/healthz", NULL, "", "GET, HEAD", ERR_REJECTED},
    {HTTP_METHOD_DELETE, "/ask", NULL, "", "POST", ERR_REJECTED},
    {HTTP_METHOD_OPTIONS, "/internal/chat/stream", NULL, "", "POST", ERR_REJECTED},
    {HTTP_METHOD_GET, "/internal/graphs", "/internal/graphs", "", NULL, ERR_OK},
    {HTTP_METHOD_GET, "/internal/graphs/banking", "/internal/graphs/{graph}", "banking", NULL,
     ERR_OK},
    {HTTP_METHOD_GET, "/internal/graphs/a%2Fb", "/internal/graphs/{graph}", "a%2Fb", NULL, ERR_OK},
    {HTTP_METHOD_POST, "/internal/runs/r1/cancel", "/internal/runs/{run}/cancel", "r1", NULL,
     ERR_OK},
    {HTTP_METHOD_GET, "/internal/graphs/", NULL, "", NULL, ERR_NOT_FOUND},
    {HTTP_METHOD_GET, "/healthz/", NULL, "", NULL, ERR_NOT_FOUND},
    {HTTP_METHOD_GET, "//healthz", NULL, "", NULL, ERR_NOT_FOUND},
    {HTTP_METHOD_GET, "/HEALTHZ", NULL, "", NULL, ERR_NOT_FOUND},
    {HTTP_METHOD_GET, "/nowhere", NULL, "", NULL, ERR_NOT_FOUND},
    {HTTP_METHOD_GET, "", NULL, "", NULL, ERR_NOT_FOUND},
    {HTTP_METHOD_GET, "*", NULL, "", NULL, ERR_NOT_FOUND},
    {HTTP_METHOD_GET, "/a/b/c/d/e/f/g/h/i/j/k", NULL, "", NULL, ERR_NOT_FOUND},
};

TEST(paths)
{
    TEST_EACH(c, cases) {
        struct route_match match;
        EXPECT_INT(c->path, route_find(&routes_table, c->method, str_of(c->path), &match), c->want);
        EXPECT_TRUE(c->path, (match.route != NULL) == (c->pattern != NULL));
        if (c->pattern != NULL)
            EXPECT_STR(c->path, str_of(match.route->pattern), str_of(c->pattern));
        EXPECT_STR(c->path, match.params[0], str_of(c->param));
        EXPECT_STR(c->path, str_of(match.allow), str_of(c->allow));
    }
}

TEST(every_route_answers_and_knows_its_place)
{
    for (size_t i = 0; i < routes_table.count; i++) {
        const struct route *route = &routes_table.routes[i];
        EXPECT_TRUE(route->pattern, route->answer != NULL);
        EXPECT_INT(route->pattern, route_index(&routes_table, route), i);
    }
    EXPECT_INT("none", route_index(&routes_table, NULL), routes_table.count);
}

RUN_TESTS(T(paths), T(every_route_answers_and_knows_its_place))

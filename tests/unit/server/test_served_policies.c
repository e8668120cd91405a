/* SPDX-License-Identifier: MIT */
/* The file of policies that are served: which holds for whom, and what is refused, where. */
#include "tests/lib/test.h"

#include "server/wiring/served_policies.h"

static bool is_graph(struct str name)
{
    return str_equal(name, STR("banking")) || str_equal(name, STR("sql_agent"));
}

static const struct str shared[] = {{"rates", 5}};
static const struct served_options options = {shared, countof(shared), is_graph};

static const char file[] =
    "{\"policies\":{\"bank\":{\"tables\":[\"accounts\"]},\"clerk\":{\"columns\":{\"employee\":"
    "{\"salary\":\"hidden\"}}},\"all\":{\"shared_tables\":[\"own\"]}},"
    "\"serve\":{\"graphs\":{\"banking\":\"bank\"},\"roles\":{\"clerk\":\"clerk\","
    "\"boss\":{\"banking\":\"bank\",\"*\":\"all\"},\"teller\":{\"banking\":\"bank\"}}}}";

static const struct {
    const char *graph, *role, *policy; /* NULL: built in; "": nothing may be read */
} finds[] = {
    {"banking", "", "bank"},         {"sql_agent", "", NULL},     {"banking", "clerk", "clerk"},
    {"sql_agent", "clerk", "clerk"}, {"banking", "boss", "bank"}, {"sql_agent", "boss", "all"},
    {"banking", "teller", "bank"},   {"sql_agent", "teller", ""}, {"banking", "ghost", ""},
    {"sql_agent", "CLERK", ""},
};

TEST(a_policy_for_each_caller)
{
    struct served_policies *served;
    struct err err = {0};
    EXPECT_INT(err.text, served_policies_read(str_of(file), &options, &served, &err), ERR_OK);
    TEST_EACH(c, finds) {
        int rule = served_policies_find(served, str_of(c->graph), str_of(c->role));
        if (c->policy == NULL)
            EXPECT_INT(c->role, rule, SERVED_BUILT_IN);
        else if (c->policy[0] == '\0')
            EXPECT_INT(c->role, rule, SERVED_NOTHING);
        else
            EXPECT_STR(c->role, served->rules[rule].policy.name, str_of(c->policy));
    }
    const struct sql_policy *all =
        &served->rules[served_policies_find(served, STR("x"), STR("boss"))].policy;
    EXPECT_TRUE("both lists are shared",
                all->shared_table_count == 2 && str_equal(all->shared_tables[1], shared[0]));
    served_policies_destroy(served);
    EXPECT_INT("no file", served_policies_find(NULL, STR("banking"), STR("x")), SERVED_BUILT_IN);
}

#define P "{\"policies\":{\"a\":{}},\"serve\":"

static const struct {
    const char *json, *error;
} refused[] = {
    {"", ""},
    {"[]", "/policies"},
    {"{\"policies\":{\"a\":{}}}", "/serve"},
    {P "[]}", "/serve"},
    {P "{\"graph\":{}}}", "/serve/graph"},
    {P "{\"graphs\":[]}}", "/serve/graphs"},
    {P "{\"graphs\":{\"bankng\":\"a\"}}}", "/serve/graphs/bankng"},
    {P "{\"graphs\":{\"banking\":\"b\"}}}", "/serve/graphs"},
    {P "{\"graphs\":{\"banking\":1}}}", "/serve/graphs"},
    {P "{\"roles\":[]}}", "/serve/roles"},
    {P "{\"roles\":{\"\":\"a\"}}}", "/serve/roles"},
    {P "{\"roles\":{\"r\":\"b\"}}}", "/serve/roles/r"},
    {P "{\"roles\":{\"r\":{\"x\":\"a\"}}}}", "/serve/roles/r/x"},
    {"{\"policies\":{\"a\":{\"require_tenant\":false}},\"serve\":{}}",
     "/policies/a/require_tenant"},
    {"{\"policies\":{\"a\":{\"columns\":{\"t\":{\"c\":\"shown\"}}}},\"serve\":{}}",
     "/policies/a/columns/t/c"},
    {"{\"policies\":{\"a\":{}},\"serve\":{},\"mask_key\":\"short\"}", "/mask_key"},
    {"{\"policies\":{\"a\":{}},\"serve\":{},\"mask_key\":[]}", "/mask_key"},
    {"{\"policies\":{\"a\":{\"columns\":{\"t\":[]}}},\"serve\":{}}", "/policies/a/columns/t"},
    {"{\"policies\":{\"a\":{\"colums\":{}}},\"serve\":{}}", "/policies/a/colums"},
};

TEST(mistakes_are_named_by_pointer)
{
    TEST_EACH(c, refused) {
        struct served_policies *served;
        struct err err = {0};
        EXPECT_INT(c->json, served_policies_read(str_of(c->json), &options, &served, &err),
                   ERR_INVALID);
        EXPECT_TRUE(c->json, served == NULL && str_starts_with(str_of(err.text), str_of(c->error)));
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {T(a_policy_for_each_caller), T(mistakes_are_named_by_pointer)};
    return cmocka_run_group_tests(all, NULL, NULL);
}

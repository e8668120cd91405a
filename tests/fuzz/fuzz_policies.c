/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_policies.c - any bytes as a file of policies: refused with a reason, or read, and
 * then each caller gets a rule that is there. */
#include "server/wiring/served_policies.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_graph(struct str name)
{
    return str_equal(name, STR("banking"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct served_options options = {.is_graph = is_graph};
    struct served_policies *served;
    struct err err = {0};
    if (served_policies_read(str_make((const char *)data, size), &options, &served, &err) !=
        ERR_OK) {
        CHECK(err.text[0] != '\0' && served == NULL);
        return 0;
    }
    for (size_t i = 0; i < served->count; i++) {
        int rule = served_policies_find(served, STR("banking"), served->rules[i].role);
        CHECK(rule < (int)served->count);
        for (size_t c = 0; c < served->rules[i].policy.column_count; c++)
            CHECK(column_access_name(served->rules[i].policy.columns[c].access)[0] != '\0');
        CHECK(rule >= 0 || rule == SERVED_NOTHING || served->rules[i].role.len == 0);
    }
    CHECK(!served->has_roles ||
          served_policies_find(served, STR("banking"), STR("\x01nobody")) != SERVED_BUILT_IN);
    served_policies_destroy(served);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_charts.c - a configuration somebody wrote is judged, and the judgement stays when
 * it is written anew; a table of any content gives a chart that passes the same judgement. */
#include <stdint.h>

#include "agents/charts/accept.h"
#include "agents/charts/chartjs.h"
#include "agents/charts/check.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { ARENA_BYTES = 64 << 20, MAX_BYTES = 16384 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(struct str text, struct arena *arena)
{
    struct err err = {0}, again = {0};
    enum err_code code = charts_check_text(text, arena, &err);
    CHECK(code == ERR_OK || code == ERR_INVALID || code == ERR_TOO_LARGE || code == ERR_NO_MEMORY);
    CHECK(code == ERR_OK || str_is_utf8(str_of(err.text)));
    const struct json_value *tree = json_value_parse(arena, text, NULL, &again);
    if (tree == NULL)
        return;
    struct json_write writer;
    struct buf out;
    buf_init(&out, 1 << 20);
    json_write_init(&writer, &out);
    json_value_write(tree, &writer);
    CHECK(buf_ok(&out) && charts_check_text(buf_str(&out), arena, &again) == code);
    buf_fini(&out);
}

static void check_chart(const struct charts_spec *spec, struct arena *arena)
{
    struct json_write writer;
    struct buf out;
    struct err err = {0};
    if (spec == NULL || !charts_chartjs_draws(spec))
        return;
    CHECK(spec->label_count * spec->series_count <= CHARTS_MAX_POINTS);
    buf_init(&out, 4 << 20);
    json_write_init(&writer, &out);
    charts_chartjs_write(spec, &writer);
    CHECK(buf_ok(&out) && json_write_is_complete(&writer));
    enum err_code code = charts_check_text(buf_str(&out), arena, &err);
    CHECK(code == ERR_OK || code == ERR_TOO_LARGE || code == ERR_NO_MEMORY);
    buf_fini(&out);
}

/* {"columns":[names],"rows":[[cells]],"suggested":type} */
static void chart(struct str text, struct arena *arena)
{
    struct charts_table table;
    const struct json_value *root = json_value_parse(arena, text, NULL, NULL);
    const struct json_value *suggested = json_value_member(root, STR("suggested"));
    if (!charts_table_read(json_value_member(root, STR("columns")),
                           json_value_member(root, STR("rows")), arena, &table))
        return;
    const struct charts_request request = {.table = &table, .question = text};
    check_chart(charts_choose_spec(&request, arena), arena);
    if (suggested != NULL && suggested->type == JSON_STRING)
        check_chart(charts_accept_spec(&request, suggested->text, arena), arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct arena arena;
    if (size > MAX_BYTES)
        return 0;
    arena_init(&arena, ARENA_BYTES);
    judge(text, &arena);
    chart(text, &arena);
    arena_fini(&arena);
    return 0;
}

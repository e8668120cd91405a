/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_learn.c - what a model says of a table, and the file of parts: a line is kept or
 * not, it is read again as it was written, and what is made of the lines is a semantic.json that
 * the server reads.
 *
 * Input: the model's answer, a NUL, lines of a file of parts. */
#include "agents/common/extract.h"
#include "agents/lexicon/lexicon.h"
#include "agents/semantic/file.h"
#include "proto/json_value.h"
#include "server/cli/semantic/learn_file.h"

enum { ARENA_BYTES = 64 << 20, OUT_BYTES = 8 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema[] =
    "{\"version\":1,\"tables\":{\"po\":{\"columns\":[{\"name\":\"id\",\"type\":\"INTEGER\"},"
    "{\"name\":\"st\",\"type\":\"TEXT\"},{\"name\":\"amt\",\"type\":\"DECIMAL\"}]}}}";

static const struct lexicon *world(void)
{
    static struct lexicon *lexicon;
    struct catalog *catalog;
    struct err err;
    if (lexicon != NULL)
        return lexicon;
    CHECK(catalog_from_join_graph(str_make(schema, sizeof schema - 1), &catalog, &err) == ERR_OK);
    lexicon = lexicon_create(catalog, NULL);
    CHECK(lexicon != NULL && lexicon_index_add(lexicon, 0, 1, STR("OPN")));
    return lexicon;
}

/* What was written of lines is a file that the server reads. */
static void check_written(struct str json)
{
    struct semantic *semantic = NULL;
    struct semantic_report report;
    struct err err = {0};
    semantic_report_init(&report);
    enum err_code code = semantic_file_read(json, &semantic, &report, &err);
    CHECK(code == ERR_OK || code == ERR_NO_MEMORY);
    semantic_model_destroy(semantic);
    semantic_report_fini(&report);
}

static void write_lines(struct str lines, bool is_own, struct arena *arena)
{
    static struct learn_file file;
    struct learn_counts counts = {0};
    struct err err = {0};
    struct buf out;
    file = (struct learn_file){0};
    learn_file_read(&file, lines, arena);
    buf_init(&out, OUT_BYTES);
    if (learn_file_write(&file, STR(""), arena, &out, &counts, &err) == ERR_OK && buf_ok(&out) &&
        is_own)
        check_written(buf_str(&out));
    if (is_own)
        CHECK(file.count == 1 && learn_file_has(&file, STR("po")));
    buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str lines = str_make((const char *)data, size);
    struct str answer = str_split(&lines, '\0');
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    struct str line = learn_file_line(world(), 0, extract_json(answer, '{'), &arena);
    if (!str_is_absent(line)) {
        CHECK(str_find_char(line, '\n') == STR_NONE);
        CHECK(json_value_parse(&arena, line, NULL, NULL) != NULL);
        write_lines(line, true, &arena);
    }
    write_lines(lines, false, &arena);
    arena_fini(&arena);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_semantic_file.c - any bytes as semantic.json: read, or refused with a reason. */
#include "agents/semantic/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct semantic *semantic = NULL;
    struct semantic_report report;
    struct err err = {0};
    semantic_report_init(&report);
    enum err_code code =
        semantic_file_read(str_make((const char *)data, size), &semantic, &report, &err);
    CHECK((code == ERR_OK) == (semantic != NULL));
    CHECK(code == ERR_OK || err.text[0] != '\0');
    semantic_model_destroy(semantic);
    semantic_report_fini(&report);
    return 0;
}

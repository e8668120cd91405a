/* SPDX-License-Identifier: MIT */
/* Comments of columns as codes and labels: any text ends, and pairs are views of it. */
#include <stddef.h>
#include <stdint.h>

#include "agents/lexicon/codes.h"
#include "core/base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = str_make((const char *)data, size), code, label;
    size_t before = size + 1;
    while (lexicon_codes_next(&rest, &code, &label)) {
        CHECK(rest.len < before && code.len > 0 && code.len <= LEXICON_CODE_BYTES);
        CHECK(label.len > 1 && label.len <= LEXICON_CODE_LABEL && str_is_utf8(label));
        before = rest.len;
    }
    CHECK(rest.len == 0);
    return 0;
}

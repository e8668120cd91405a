/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_event_words.c - any text said in a language is text, and any object stays JSON.
 */
#include <stdlib.h>

#include "proto/json_read.h"
#include "server/language/event_words.h"
#include "server/language/sentences.h"

static bool is_json(struct str text)
{
    struct json_read reader;
    enum json_token token;
    json_read_init(&reader, text);
    while ((token = json_read_next(&reader)) != JSON_TOKEN_END)
        if (token == JSON_TOKEN_ERROR)
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_make((const char *)data, size);
    struct buf out;
    buf_init(&out, 1 << 22);
    bool was_text = str_is_utf8(text);
    (void)language_wanted(text, LANGUAGE_EN);
    for (enum language language = LANGUAGE_EN; language < LANGUAGE_COUNT; language++) {
        buf_clear(&out);
        if (sentences_say_error(language, STR("internal"), text, &out) && was_text &&
            !str_is_utf8(buf_str(&out)))
            abort();
        buf_clear(&out);
        if (event_words_say_object(language, text, &out) && !is_json(buf_str(&out)))
            abort();
    }
    buf_fini(&out);
    return 0;
}

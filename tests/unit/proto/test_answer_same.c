/* SPDX-License-Identifier: MIT */
/* answer_same: what may be remembered, and events that read the same but for their text. */
#include "proto/models/answer_same.h"

#include "core/base/mem.h"
#include "proto/models/anthropic_answer.h"
#include "proto/models/openai_answer.h"
#include "tests/lib/test.h"

#define EVENT(text, rest) "{\"id\":\"x\",\"choices\":[{\"delta\":{\"content\":" text "}" rest "}]}"

static const struct {
    const char *name, *first, *second, *content; /* content NULL: second is read whole */
    bool is_anthropic;
} pairs[] = {
    {"the text alone", EVENT("\"a\"", ""), EVENT("\"bcd\"", ""), "bcd", false},
    {"no text", EVENT("\"a\"", ""), EVENT("\"\"", ""), "", false},
    {"escapes", EVENT("\"a\"", ""), EVENT("\"\\\"\\n\\u00e9\"", ""), "\"\n\xC3\xA9", false},
    {"UTF-8", EVENT("\"a\"", ""), EVENT("\"\xC3\xA9\"", ""), "\xC3\xA9", false},
    {"members behind", EVENT("\"a\"", ",\"finish_reason\":null"),
     EVENT("\"b\"", ",\"finish_reason\":null"), "b", false},
    {"another wire",
     "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}",
     "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"}}", "b",
     true},
    {"another id", EVENT("\"a\"", ""),
     "{\"id\":\"y\",\"choices\":[{\"delta\":{\"content\":\"b\"}}]}", NULL, false},
    {"an end", EVENT("\"a\"", ""), EVENT("\"b\"", ",\"finish_reason\":\"stop\""), NULL, false},
    {"no string", EVENT("\"a\"", ""), EVENT("null", ""), NULL, false},
    {"broken string", EVENT("\"a\"", ""), EVENT("\"\x01\"", ""), NULL, false},
    {"not UTF-8", EVENT("\"a\"", ""), EVENT("\"\xFF\"", ""), NULL, false},
    {"cut", EVENT("\"a\"", ""), "{\"id\":\"x\",\"choices\":[{\"delta\":{\"content\":\"b", NULL,
     false},
    {"text behind", EVENT("\"a\"", ""), EVENT("\"b\"", "") "x", NULL, false},
    {"an escape before", EVENT("\"\\n\"", ""), EVENT("\"b\"", ""), NULL, false},
    {"usage before", EVENT("\"a\"", "}],\"usage\":{\"prompt_tokens\":1},\"y\":[{\"z\":0"),
     EVENT("\"b\"", "}],\"usage\":{\"prompt_tokens\":1},\"y\":[{\"z\":0"), NULL, false},
    {"an end before", EVENT("\"a\"", ",\"finish_reason\":\"stop\""),
     EVENT("\"b\"", ",\"finish_reason\":\"stop\""), NULL, false},
};

TEST(pairs_of_events)
{
    TEST_EACH(c, pairs) {
        struct answer_same same = {0};
        struct model_answer answer;
        struct buf scratch;
        struct str content;
        struct err err;
        buf_init(&scratch, 4096);
        enum err_code code = (c->is_anthropic ? anthropic_answer_event : openai_answer_chunk)(
            str_of(c->first), &scratch, &answer, &err);
        EXPECT_INT(c->name, code, ERR_OK);
        EXPECT_TRUE(c->name, !answer_same_read(&same, str_of(c->first), &scratch, &content));
        answer_same_learn(&same, str_of(c->first), &answer);
        bool is_read = answer_same_read(&same, str_of(c->second), &scratch, &content);
        EXPECT_INT(c->name, is_read, c->content != NULL);
        if (is_read)
            EXPECT_STR(c->name, content, str_of(c->content));
        answer_same_fini(&same);
        buf_fini(&scratch);
    }
}

TEST(without_memory_nothing_is_remembered)
{
    struct answer_same same = {0};
    struct model_answer answer;
    struct buf scratch;
    struct str content, event = STR(EVENT("\"a\"", ""));
    struct err err;
    buf_init(&scratch, 4096);
    EXPECT_INT("read", openai_answer_chunk(event, &scratch, &answer, &err), ERR_OK);
    mem_fail_nth(1);
    answer_same_learn(&same, event, &answer);
    mem_fail_nth(0);
    EXPECT_TRUE("not remembered", !answer_same_read(&same, event, &scratch, &content));
    answer_same_learn(&same, event, &answer);
    EXPECT_TRUE("then it is", answer_same_read(&same, event, &scratch, &content));
    answer_same_fini(&same);
    buf_fini(&scratch);
}

RUN_TESTS(T(pairs_of_events), T(without_memory_nothing_is_remembered))

/* SPDX-License-Identifier: MIT */
/* proto/models/model_answer.c - the words with which providers say why an answer ended.
 *
 * Failure: none; a word that is not known is MODEL_FINISH_OTHER. */
#include "proto/models/model_answer.h"

enum model_finish model_finish_of(struct str word)
{
    static const struct {
        struct str word;
        enum model_finish finish;
    } words[] = {
        {STR(""), MODEL_FINISH_NONE},
        {STR("stop"), MODEL_FINISH_STOP},
        {STR("end_turn"), MODEL_FINISH_STOP},
        {STR("stop_sequence"), MODEL_FINISH_STOP},
        {STR("eos"), MODEL_FINISH_STOP},
        {STR("length"), MODEL_FINISH_LENGTH},
        {STR("max_tokens"), MODEL_FINISH_LENGTH},
        {STR("model_length"), MODEL_FINISH_LENGTH},
        {STR("model_context_window_exceeded"), MODEL_FINISH_LENGTH},
        {STR("content_filter"), MODEL_FINISH_CONTENT_FILTER},
        {STR("safety"), MODEL_FINISH_CONTENT_FILTER},
        {STR("recitation"), MODEL_FINISH_CONTENT_FILTER},
        {STR("prohibited_content"), MODEL_FINISH_CONTENT_FILTER},
        {STR("refusal"), MODEL_FINISH_REFUSAL},
        {STR("tool_calls"), MODEL_FINISH_TOOL_CALL},
        {STR("function_call"), MODEL_FINISH_TOOL_CALL},
        {STR("tool_use"), MODEL_FINISH_TOOL_CALL},
    };
    for (size_t i = 0; i < countof(words); i++)
        if (str_equal_nocase(word, words[i].word))
            return words[i].finish;
    return MODEL_FINISH_OTHER;
}

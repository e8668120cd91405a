/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_embed.c - words counted into a vector, written as numbers or base64.
 *
 * Happy path: the input is checked as OpenAI checks it, each text becomes an item.
 * Failure: what OpenAI refuses is ERR_INVALID with its words: no input, an empty one, more than
 * 2048; the plan's faults ask for more. */
#include "tests/mockllm/mock_embed.h"

#include <math.h>
#include <string.h>

#include "core/base/base64.h"
#include "core/words/fold.h"
#include "core/words/stem.h"
#include "proto/json_write.h"

enum { MOST_INPUTS = 2048, MOST_DIMENSIONS = 4096, DEFAULT_DIMENSIONS = 64, WORD_BYTES = 64 };

static enum err_code check_text(const struct json_value *text, const struct mock_faults *faults,
                                struct err *err)
{
    if (text->type != JSON_STRING || text->text.len == 0)
        return err_set(err, ERR_INVALID, "'$.input' is invalid");
    if (faults->too_long >= 0 && text->text.len > (size_t)faults->too_long)
        return err_set(err, ERR_INVALID, "This model's maximum context length is %d tokens",
                       (int)faults->too_long);
    return ERR_OK;
}

static enum err_code read_input(struct mock_embed *embed, const struct mock_faults *faults,
                                const struct json_value *root, struct err *err)
{
    embed->input = json_value_find(root, "/input");
    if (embed->input == NULL)
        return err_set(err, ERR_INVALID, "you must provide an input");
    embed->count = embed->input->type == JSON_ARRAY ? embed->input->count : 1;
    if (embed->count == 0 || embed->count > MOST_INPUTS)
        return err_set(err, ERR_INVALID, "'$.input' must hold 1 to 2048 texts");
    if (embed->input->type != JSON_ARRAY)
        return check_text(embed->input, faults, err);
    JSON_EACH(text, embed->input) {
        if (check_text(text, faults, err) != ERR_OK)
            return err->code;
    }
    return ERR_OK;
}

enum err_code mock_embed_make(struct mock_embed *embed, struct mock_faults *faults,
                              struct arena *arena, struct str path_model, struct str body,
                              struct err *err)
{
    int64_t dimensions = 0;
    struct str format = STR("float");
    struct err ignored;
    *embed = (struct mock_embed){.model = path_model};
    mock_plan_faults(faults, path_model);
    const struct json_value *root = json_value_parse(arena, body, NULL, err);
    if (root == NULL)
        return err->code = ERR_INVALID;
    if (str_is_absent(path_model) && json_value_str(root, "/model", &embed->model, err) != ERR_OK)
        return err_set(err, ERR_INVALID, "you must provide a model parameter");
    mock_plan_faults(faults, embed->model);
    if (json_value_i64(root, "/dimensions", &dimensions, &ignored) == ERR_INVALID ||
        dimensions < 0 || dimensions > MOST_DIMENSIONS)
        return err_set(err, ERR_INVALID, "'dimensions' is invalid");
    (void)!json_value_str(root, "/encoding_format", &format, &ignored);
    embed->base64 = str_equal(format, STR("base64"));
    if (embed->base64 && faults->floats >= 0)
        return err_set(err, ERR_INVALID, "encoding_format must be float");
    embed->dimensions = dimensions > 0     ? (size_t)dimensions
                        : faults->dims > 0 ? (size_t)faults->dims
                                           : DEFAULT_DIMENSIONS;
    return read_input(embed, faults, root, err);
}

void mock_embed_count(struct str text, float *vector, size_t dimensions)
{
    char word[WORD_BYTES], stem[STEM_BYTES];
    size_t len = 0;
    memset(vector, 0, dimensions * sizeof *vector);
    for (;;) {
        struct fold_char folded = fold_next(&text);
        bool is_letter = folded.kind == FOLD_LETTER || folded.kind == FOLD_IDEOGRAPH;
        if (!is_letter && len > 0) {
            vector[str_hash(stem_of(str_make(word, len), stem)) % dimensions] += 1;
            len = 0;
        }
        if (folded.kind == FOLD_END)
            break;
        if (is_letter && len + folded.len <= sizeof word) {
            memcpy(word + len, folded.text, folded.len);
            len += folded.len;
        }
    }
}

static void write_vector(struct json_write *writer, const float *vector, size_t dimensions,
                         bool base64)
{
    static const size_t most = MOST_DIMENSIONS * sizeof *vector;
    char text[(MOST_DIMENSIONS * sizeof *vector + 2) / 3 * 4];
    CHECK(dimensions * sizeof *vector <= most);
    json_write_key(writer, STR("embedding"));
    if (base64) { /* little-endian machines only, as are those that test */
        size_t len =
            base64_encode(str_make((const char *)vector, dimensions * sizeof *vector), text);
        json_write_str(writer, str_make(text, len));
        return;
    }
    json_write_array(writer);
    for (size_t i = 0; i < dimensions; i++)
        json_write_double(writer, (double)vector[i]);
    json_write_array_end(writer);
}

static void write_item(const struct mock_embed *embed, const struct mock_faults *faults,
                       struct json_write *writer, struct str text, size_t index)
{
    float vector[MOST_DIMENSIONS];
    size_t dimensions = embed->dimensions + (faults->wrong_dims >= 0 && index == 1);
    mock_embed_count(text, vector, dimensions);
    json_write_object(writer);
    json_write_member_str(writer, STR("object"), STR("embedding"));
    json_write_member_u64(writer, STR("index"), index);
    write_vector(writer, vector, dimensions, embed->base64);
    json_write_object_end(writer);
}

void mock_embed_write(const struct mock_embed *embed, const struct mock_faults *faults,
                      struct buf *out)
{
    struct json_write writer;
    size_t index = 0, given = embed->count - (faults->wrong_count >= 0), bytes = 0;
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("object"), STR("list"));
    json_write_key(&writer, STR("data"));
    json_write_array(&writer);
    if (embed->input->type == JSON_STRING) {
        bytes = embed->input->text.len;
        if (given > 0)
            write_item(embed, faults, &writer, embed->input->text, 0);
    } else {
        JSON_EACH(text, embed->input) {
            bytes += text->text.len;
            if (index < given)
                write_item(embed, faults, &writer, text->text, index);
            index++;
        }
    }
    json_write_array_end(&writer);
    json_write_member_str(&writer, STR("model"), embed->model);
    json_write_key(&writer, STR("usage"));
    json_write_object(&writer);
    json_write_member_u64(&writer, STR("prompt_tokens"), bytes / 4 + 1);
    json_write_member_u64(&writer, STR("total_tokens"), bytes / 4 + 1);
    json_write_object_end(&writer);
    json_write_object_end(&writer);
}

/* SPDX-License-Identifier: MIT */
/* server/observe/tracing_content.c - messages as role and parts.
 *
 * Failure: what does not fit or finds no memory is absent. */
#include "server/observe/tracing_content.h"

#include "core/base/err.h"
#include "proto/json_write.h"

enum { TEXT_BYTES = 16 * 1024, CONTENT_BYTES = 256 * 1024 };

void tracing_content_init(struct tracing_content *content)
{
    buf_init(&content->input, CONTENT_BYTES);
    buf_init(&content->output, CONTENT_BYTES);
}

void tracing_content_fini(struct tracing_content *content)
{
    buf_fini(&content->input);
    buf_fini(&content->output);
}

struct str tracing_content_cut(struct str text)
{
    return str_utf8_prefix(text, TEXT_BYTES);
}

static void open_message(struct json_write *writer, struct str role, struct str text)
{
    json_write_object(writer);
    json_write_member_str(writer, STR("role"), role);
    json_write_key(writer, STR("parts"));
    json_write_array(writer);
    json_write_object(writer);
    json_write_member_str(writer, STR("type"), STR("text"));
    json_write_member_str(writer, STR("content"), tracing_content_cut(text));
    json_write_object_end(writer);
    json_write_array_end(writer);
}

static struct str text_of(const struct buf *out)
{
    return buf_ok(out) ? buf_str(out) : (struct str){NULL, 0};
}

struct str tracing_content_input(struct tracing_content *content, const struct llm_prompt *prompt)
{
    struct json_write writer;
    json_write_init(&writer, &content->input);
    json_write_array(&writer);
    for (size_t i = 0; i < prompt->message_count; i++) {
        open_message(&writer, llm_role_name(prompt->messages[i].role), prompt->messages[i].text);
        json_write_object_end(&writer);
    }
    json_write_array_end(&writer);
    return text_of(&content->input);
}

struct str tracing_content_output(struct tracing_content *content, const struct llm_chat *chat)
{
    struct json_write writer;
    json_write_init(&writer, &content->output);
    json_write_array(&writer);
    open_message(&writer, STR("assistant"), str_is_absent(chat->text) ? STR("") : chat->text);
    json_write_member_str(&writer, STR("finish_reason"), str_of(llm_finish_name(chat->finish)));
    json_write_object_end(&writer);
    json_write_array_end(&writer);
    return text_of(&content->output);
}

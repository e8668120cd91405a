/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_plan.c - a request's JSON and its model's name into a plan.
 *
 * Happy path: model, stream and messages are read; the script is asked; the words of the model's
 * name and of the script's line fill the faults.
 * Failure: not an object, no messages, a message without text: ERR_INVALID, answered with 400. */
#include "tests/mockllm/mock_plan.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

static const struct {
    struct str word;
    int64_t number;
    size_t offset;
} words[] = {
#define MOCK_WORD(member, word, number) {STR(word), number, offsetof(struct mock_faults, member)},
    MOCK_FAULTS(MOCK_WORD)
#undef MOCK_WORD
};

/* The number after a word, "-300", or none. */
static int64_t number_at(struct str rest, int64_t none)
{
    struct str digits = str_from(rest, 1);
    uint64_t value;
    size_t len = 0;
    while (len < digits.len && str_is_digit(digits.at[len]))
        len++;
    bool ends = len == digits.len || digits.at[len] == '-';
    return ends && str_to_u64(str_slice(digits, 0, len), &value) && value <= INT32_MAX
               ? (int64_t)value
               : none;
}

/* Find every known word in "-word-number-word". */
static void read_words(struct mock_faults *faults, struct str text)
{
    for (size_t at = 0; at < text.len; at++) {
        if (text.at[at] != '-')
            continue;
        for (size_t i = 0; i < countof(words); i++) {
            struct str rest = str_from(text, at + 1);
            struct str after = str_from(rest, words[i].word.len);
            if (str_starts_with(rest, words[i].word) && (after.len == 0 || after.at[0] == '-'))
                *(int64_t *)(void *)((char *)faults + words[i].offset) =
                    number_at(after, words[i].number);
        }
    }
}

void mock_plan_faults(struct mock_faults *faults, struct str model)
{
    for (size_t i = 0; i < countof(words); i++)
        *(int64_t *)(void *)((char *)faults + words[i].offset) = -1;
    read_words(faults, model);
}

/* A message's text: a string, or the text of an array of parts. */
static struct str message_text(const struct json_value *message)
{
    struct str text = {NULL, 0};
    struct err ignored;
    if (json_value_str(message, "/content", &text, &ignored) != ERR_OK &&
        json_value_str(message, "/content/0/text", &text, &ignored) != ERR_OK)
        return STR("");
    return text;
}

/* The results of tools in a message: OpenAI's of the role tool, Anthropic's among a user's parts.
 */
static struct str results_of(const struct json_value *message, struct str role, struct arena *arena)
{
    struct str results = {NULL, 0}, text = {NULL, 0};
    const struct json_value *parts = NULL;
    struct err ignored;
    if (str_equal(role, STR("tool")))
        return message_text(message);
    if (json_value_array(message, "/content", &parts, &ignored) != ERR_OK)
        return results;
    JSON_EACH(part, parts) {
        if (json_value_find(part, "/tool_use_id") != NULL &&
            json_value_str(part, "/content", &text, &ignored) == ERR_OK)
            results = arena_printf(arena, "%.*s\n%.*s", STR_ARG(results), STR_ARG(text));
    }
    return results;
}

static enum err_code read_messages(const struct json_value *root, struct arena *arena,
                                   struct mock_question *question, struct err *err)
{
    const struct json_value *messages;
    enum err_code code = json_value_array(root, "/messages", &messages, err);
    if (code != ERR_OK)
        return err->code = ERR_INVALID;
    question->system = STR("");
    question->user = STR("");
    JSON_EACH(message, messages) {
        struct str role;
        if (json_value_str(message, "/role", &role, err) != ERR_OK)
            return err_set(err, ERR_INVALID, "a message has no role");
        struct str text = message_text(message), results = results_of(message, role, arena);
        if (str_is_absent(results))
            question->results = results;
        else
            question->results =
                arena_printf(arena, "%.*s\n%.*s", STR_ARG(question->results), STR_ARG(results));
        if (!str_is_absent(results))
            continue;
        if (str_equal(role, STR("user")))
            question->user = text;
        else if (str_equal(role, STR("system")))
            question->system =
                arena_printf(arena, "%.*s\n%.*s", STR_ARG(question->system), STR_ARG(text));
    }
    return ERR_OK;
}

static void read_settings(struct mock_plan *plan, const struct json_value *root)
{
    struct err ignored;
    plan->max_tokens = plan->max_completion_tokens = -1;
    (void)!json_value_i64(root, "/max_tokens", &plan->max_tokens, &ignored);
    (void)!json_value_i64(root, "/max_completion_tokens", &plan->max_completion_tokens, &ignored);
    plan->has_temperature = json_value_find(root, "/temperature") != NULL;
    plan->has_response_format = json_value_find(root, "/response_format") != NULL ||
                                json_value_find(root, "/output_config/format") != NULL;
    plan->is_cached = json_value_find(root, "/system/0/cache_control") != NULL;
}

/* The calls of a line of the script, each with an id of its own in the conversation. */
static void make_calls(struct mock_plan *plan, struct arena *arena, const struct json_value *root,
                       const struct json_value *calls)
{
    const struct json_value *messages = json_value_find(root, "/messages");
    struct model_call *made = arena_array(arena, calls->count + 1, sizeof *made);
    if (made == NULL)
        return;
    plan->calls = made;
    JSON_EACH(call, calls) {
        const struct json_value *arguments = json_value_find(call, "/arguments");
        struct model_call *one = &made[plan->call_count++];
        struct json_write writer;
        struct buf text;
        struct err ignored;
        one->id = arena_printf(arena, "call_%zu_%zu", messages->count, plan->call_count);
        one->arguments = STR("{}");
        (void)!json_value_str(call, "/name", &one->name, &ignored);
        if (arguments == NULL)
            continue;
        buf_init(&text, 1 << 20);
        json_write_init(&writer, &text);
        json_value_write(arguments, &writer);
        one->arguments =
            arguments->type == JSON_STRING ? arguments->text : arena_str(arena, buf_str(&text));
        buf_fini(&text);
    }
}

enum err_code mock_plan_make(struct mock_plan *plan, struct arena *arena,
                             struct mock_script *script, struct str path_model, struct str body,
                             struct err *err)
{
    struct mock_question question = {.has_tools = false};
    struct err ignored;
    *plan = (struct mock_plan){.model = path_model, .is_anthropic = plan->is_anthropic};
    mock_plan_faults(&plan->faults, path_model);
    const struct json_value *root = json_value_parse(arena, body, NULL, err);
    if (root == NULL)
        return err->code = ERR_INVALID;
    if (str_is_absent(path_model) && json_value_str(root, "/model", &plan->model, err) != ERR_OK)
        return err_set(err, ERR_INVALID, "you must provide a model parameter");
    if (json_value_bool(root, "/stream", &plan->is_stream, &ignored) == ERR_INVALID ||
        json_value_bool(root, "/stream_options/include_usage", &plan->wants_usage, &ignored) ==
            ERR_INVALID)
        return err_set(err, ERR_INVALID, "stream is not a boolean");
    read_settings(plan, root);
    enum err_code code = read_messages(root, arena, &question, err);
    if (code != ERR_OK)
        return code;
    struct str system = {NULL, 0};
    if (plan->is_anthropic && json_value_str(root, "/system/0/text", &system, &ignored) == ERR_OK)
        question.system = system;
    struct str choice = {NULL, 0};
    if (json_value_str(root, "/tool_choice", &choice, &ignored) != ERR_OK)
        (void)!json_value_str(root, "/tool_choice/type", &choice, &ignored);
    question.has_tools =
        json_value_find(root, "/tools/0") != NULL && !str_equal(choice, STR("none"));
    const struct mock_line *line = mock_script_find(script, &question);
    mock_plan_faults(&plan->faults, plan->model);
    if (line != NULL) {
        plan->reply = str_is_absent(line->reply) ? STR("") : line->reply;
        if (line->calls != NULL)
            make_calls(plan, arena, root, line->calls);
        if (!str_is_empty(line->fault))
            read_words(&plan->faults, arena_printf(arena, "-%.*s", STR_ARG(line->fault)));
    }
    return arena_ok(arena) ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory for a request");
}

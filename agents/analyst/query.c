/* SPDX-License-Identifier: MIT */
/* agents/analyst/query.c - reads a model's reading of a question, as far as its shape is right. */
#include "agents/analyst/query.h"

#include "agents/analyst/state.h"
#include "agents/common/extract.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { MAX_TEXT = 512, MAX_AUGMENTED = 4096 };

/* Texts and numbers (a year may come as either). */
static void read_texts(const struct json_value *array, struct analyst_texts *texts)
{
    texts->count = 0;
    if (array == NULL || array->type != JSON_ARRAY)
        return;
    JSON_EACH(item, array) {
        bool is_text = item->type == JSON_STRING || item->type == JSON_INT;
        struct str text = is_text ? str_trim(item->text) : STR("");
        if (text.len > 0 && text.len <= MAX_TEXT && texts->count < ANALYST_QUERY_TEXTS)
            texts->at[texts->count++] = text;
    }
}

void analyst_query_texts(struct arena *arena, struct str json, struct analyst_texts *texts)
{
    read_texts(str_is_empty(json) ? NULL : json_value_parse(arena, json, NULL, NULL), texts);
}

void analyst_query_read(struct arena *arena, struct str answer, struct str question,
                        struct analyst_query *query)
{
    struct str json = extract_json(answer, '{');
    const struct json_value *root =
        str_is_absent(json) ? NULL : json_value_parse(arena, json, NULL, NULL);
    *query = (struct analyst_query){
        .question = question, .augmented = question, .is_read = root != NULL};
    read_texts(json_value_member(root, STR("entities")), &query->entities);
    read_texts(json_value_member(root, STR("companies")), &query->companies);
    read_texts(json_value_member(root, STR("years")), &query->years);
    read_texts(json_value_member(root, STR("document_types")), &query->document_types);
    read_texts(json_value_member(root, STR("keywords")), &query->keywords);
    const struct json_value *alone = json_value_member(root, STR("question"));
    if (alone != NULL && alone->type == JSON_STRING && str_trim(alone->text).len > 0)
        query->question = str_utf8_prefix(str_trim(alone->text), MAX_AUGMENTED);
    const struct json_value *augmented = json_value_member(root, STR("augmented_query"));
    if (augmented != NULL && augmented->type == JSON_STRING && str_trim(augmented->text).len > 0)
        query->augmented = str_utf8_prefix(str_trim(augmented->text), MAX_AUGMENTED);
}

static void write_texts(const char *key, const struct analyst_texts *texts, struct json_write *json)
{
    json_write_key(json, str_of(key));
    json_write_array(json);
    for (size_t i = 0; i < texts->count; i++)
        json_write_str(json, texts->at[i]);
    json_write_array_end(json);
}

void analyst_query_write(const struct analyst_query *query, struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("question"), query->question);
    write_texts("entities", &query->entities, json);
    write_texts("companies", &query->companies, json);
    write_texts("years", &query->years, json);
    write_texts("document_types", &query->document_types, json);
    write_texts("keywords", &query->keywords, json);
    json_write_member_str(json, STR("augmented_query"), query->augmented);
    json_write_object_end(json);
}

struct str analyst_query_asked(struct node *node)
{
    struct analyst_query query;
    struct str asked = node_str(node, ANALYST_CURRENT_QUERY);
    if (!node_has(node, ANALYST_PROCESSED_QUERY))
        return asked;
    analyst_query_read(node_arena(node), node_str(node, ANALYST_PROCESSED_QUERY), asked, &query);
    return query.question;
}

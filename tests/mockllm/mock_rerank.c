/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_rerank.c - the members each wire wants, the scores in its form.
 *
 * Failure: a member that is missing, or that the wire does not have, is ERR_INVALID. */
#include "tests/mockllm/mock_rerank.h"

#include <stdlib.h>

#include "proto/json_write.h"
#include "tests/mockllm/mock_embed.h"

enum { PLACES = 1024 };

static const struct wire {
    const char *path, *texts, *others[4]; /* members beside query and texts */
} wires[] = {
    [MOCK_COHERE] = {"/v2/rerank", "documents", {"model", "top_n", "max_tokens_per_doc"}},
    [MOCK_JINA] = {"/v1/rerank", "documents", {"model", "top_n", "return_documents"}},
    [MOCK_TEI] = {"/rerank", "texts", {"truncate", "raw_scores", "return_text"}},
};

static bool has_member(const struct wire *wire, struct str key)
{
    bool found = str_equal(key, STR("query")) || str_equal(key, str_of(wire->texts));
    for (size_t i = 0; i < countof(wire->others) && wire->others[i] != NULL; i++)
        found |= str_equal(key, str_of(wire->others[i]));
    return found;
}

enum err_code mock_rerank_make(struct mock_rerank *rerank, struct mock_faults *faults,
                               struct arena *arena, struct str path, struct str body,
                               struct err *err)
{
    struct str model = {NULL, 0}, rest = str_from(path, 1);
    *rerank = (struct mock_rerank){.wire = MOCK_COHERE};
    while (!str_ends_with(path, str_of(wires[rerank->wire].path)))
        rerank->wire++;
    const struct wire *wire = &wires[rerank->wire];
    mock_plan_faults(faults, str_split(&rest, '/'));
    const struct json_value *root = json_value_parse(arena, body, NULL, err);
    if (root == NULL || root->type != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "expected an object");
    JSON_EACH(member, root) {
        if (!has_member(wire, member->key))
            return err_set(err, ERR_INVALID, "%.*s: unknown field", STR_ARG(member->key));
    }
    if (rerank->wire != MOCK_TEI) {
        if (json_value_str(root, "/model", &model, err) != ERR_OK)
            return err_set(err, ERR_INVALID, "model is required");
        mock_plan_faults(faults, model);
    }
    rerank->texts = json_value_member(root, str_of(wire->texts));
    if (json_value_str(root, "/query", &rerank->query, err) != ERR_OK || rerank->texts == NULL ||
        rerank->texts->type != JSON_ARRAY || rerank->texts->count == 0)
        return err_set(err, ERR_INVALID, "query and %s are required", wire->texts);
    rerank->count = rerank->texts->count;
    if (rerank->count > MOCK_RERANK_MOST)
        return err_set(err, ERR_INVALID, "batch size %zu > maximum allowed batch size %d",
                       rerank->count, MOCK_RERANK_MOST);
    return ERR_OK;
}

struct scored {
    size_t index;
    double score;
};

static int by_score(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static double share(const float *query, struct str text)
{
    float words[PLACES];
    double asked = 0, found = 0;
    mock_embed_count(text, words, PLACES);
    for (size_t i = 0; i < PLACES; i++) {
        asked += query[i] > 0;
        found += query[i] > 0 && words[i] > 0;
    }
    return asked > 0 ? found / asked : 0;
}

static void write_item(const struct mock_rerank *rerank, const struct scored *scored,
                       struct json_write *writer)
{
    json_write_object(writer);
    json_write_member_u64(writer, STR("index"), scored->index);
    json_write_member_double(
        writer, rerank->wire == MOCK_TEI ? STR("score") : STR("relevance_score"), scored->score);
    if (rerank->wire == MOCK_JINA) {
        const struct json_value *text = rerank->texts->first;
        for (size_t i = 0; i < scored->index; i++)
            text = text->next;
        json_write_key(writer, STR("document"));
        json_write_object(writer);
        json_write_member_str(writer, STR("text"), text->text);
        json_write_object_end(writer);
    }
    json_write_object_end(writer);
}

void mock_rerank_write(const struct mock_rerank *rerank, const struct mock_faults *faults,
                       struct buf *out)
{
    float query[PLACES];
    struct scored scored[MOCK_RERANK_MOST];
    struct json_write writer;
    size_t count = 0;
    mock_embed_count(rerank->query, query, PLACES);
    JSON_EACH(text, rerank->texts) {
        scored[count] = (struct scored){count, share(query, text->text)};
        count++;
    }
    qsort(scored, count, sizeof *scored, by_score);
    count -= faults->wrong_count >= 0;
    json_write_init(&writer, out);
    if (rerank->wire != MOCK_TEI) {
        json_write_object(&writer);
        json_write_member_str(&writer, STR("id"), STR("mock-rerank"));
        json_write_key(&writer, STR("results"));
    }
    json_write_array(&writer);
    for (size_t i = 0; i < count; i++)
        write_item(rerank, &scored[i], &writer);
    json_write_array_end(&writer);
    if (rerank->wire != MOCK_TEI)
        json_write_object_end(&writer);
}

/* SPDX-License-Identifier: MIT */
/* agents/tools/search_docs.c - the tool that looks passages of documents up, by meaning and by
 * words, among those that the caller may read. */
#include "agents/nodes/search.h"
#include "agents/tools/call.h"
#include "proto/json_write.h"

/* Passages have numbers of their own in the whole run, so that an answer can cite them. */
enum { TEXT_BYTES = 256 * 1024, MOST_PASSAGES = 20 };

struct search_call {
    struct hybrid_query query;
    struct hybrid_search search;
};

static tool_fn keep;

static void start(struct tool_call *call)
{
    struct search_call *f = call->frame;
    f->query = (struct hybrid_query){
        .collection = HYBRID_DOCUMENTS,
        .text = tools_call_str(call, STR("query")),
        .may_rerank = true,
        .arena = node_arena(call->node),
    };
    hybrid_search_start(&f->search, node_session(call->node), &f->query, tools_call_waiter(call));
    tools_call_settle(call, keep);
}

static void keep(struct tool_call *call)
{
    struct search_call *f = call->frame;
    struct json_write writer;
    struct buf out;
    if (f->search.op.err.code != ERR_OK) {
        tools_call_fail(call, "The documents cannot be searched now: %s", f->search.op.err.text);
        return;
    }
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    for (size_t i = 0; i < f->search.hit_count && i < MOST_PASSAGES; i++)
        search_write_hit(&f->search.hits[i], (size_t)call->earlier * MOST_PASSAGES + i + 1,
                         &writer);
    json_write_array_end(&writer);
    if (f->search.hit_count > 0 && buf_ok(&out))
        call->result.passages = arena_str(node_arena(call->node), buf_str(&out));
    if (f->search.hit_count == 0)
        tools_call_done(call, STR("No document says anything about it."));
    else if (buf_ok(&out))
        tools_call_done(call, buf_str(&out));
    else
        tools_call_fail(call, "The passages do not fit into memory.");
    buf_fini(&out);
}

static bool is_there(const struct services *has, const struct knowledge *knows UNUSED)
{
    return has->vec != NULL || has->text != NULL;
}

const struct tool tools_search_docs = {
    .name = "search_docs",
    .description =
        "Searches the documents (manuals, contracts, notes) and returns passages with "
        "the document each is from, each with the number by which it is cited. For what is "
        "written down, not for figures of rows.",
    .parameters = "{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\","
                  "\"minLength\":1,\"maxLength\":1000}},\"required\":[\"query\"],"
                  "\"additionalProperties\":false}",
    .start = start,
    .frame_bytes = sizeof(struct search_call),
    .is_counted = true,
    .is_there = is_there,
};

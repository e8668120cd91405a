/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export.c - a graph's nodes as components, its fields as edges of data.
 *
 * Happy path: each graph becomes a Flow, whose components stand in $referenced_components of the
 * document; a field is an edge from each node that writes it to each that reads it. Failure: the
 * first member, type or text that has no place there. */
#include "agents/agent_spec/spec_export.h"

#include "agents/agent_spec/exporting.h"
#include "agents/agent_spec/spec_export_edges.h"
#include "agents/agent_spec/spec_export_ends.h"
#include "agents/agent_spec/spec_export_nodes.h"
#include "agents/agent_spec/spec_export_sides.h"
#include "core/base/mem.h"

enum { ARENA_BYTES = 64 << 20, TEXT_BYTES = 4 << 20 };

/* ---- a graph ---- */

static bool write_start(struct exporting *x, struct exporting_graph *graph)
{
    struct str question = exporting_text(graph, graph->doc.root, "question");
    if (graph->doc.failed)
        return false;
    graph->node = "START";
    if (!exporting_add_port(graph, false, question, question))
        return false;
    JSON_EACH(slot, graph->state) {
        const struct json_value *start = json_value_member(slot, STR("start"));
        const struct json_value *input = json_value_member(slot, STR("input"));
        if (start != NULL && start->type == JSON_OBJECT)
            return spec_doc_fail(&graph->doc, start, "what the caller is cannot be mapped");
        if ((start != NULL || (graph->is_inner && input != NULL && input->boolean)) &&
            !exporting_add_port(graph, false, slot->key, slot->key))
            return false;
    }
    exporting_begin_node(x, graph, "StartNode");
    exporting_properties(graph, "START", false, "inputs", &x->json);
    exporting_properties(graph, "START", false, "outputs", &x->json);
    json_write_object_end(&x->json);
    return true;
}

/* The members of the Flow, behind its type, id and name. */
static bool write_flow(struct exporting *x, struct exporting_graph *graph)
{
    exporting_put(x, "description", exporting_text(graph, graph->doc.root, "purpose"));
    exporting_properties(graph, "START", false, "inputs", &x->json);
    exporting_properties(graph, graph->end, true, "outputs", &x->json);
    exporting_ref(x, "start_node", graph, "START");
    json_write_key(&x->json, STR("nodes"));
    json_write_array(&x->json);
    JSON_EACH(node, graph->nodes)
        if (!spec_export_sides_covers(graph, node->key))
            exporting_ref_value(
                x, arena_printf(&x->arena, "%.*s.%.*s", STR_ARG(graph->name), STR_ARG(node->key)));
    for (size_t i = 0; i < graph->side_count; i++)
        exporting_ref_value(x, exporting_id(x, graph, graph->sides[i].name));
    exporting_ref_value(x, exporting_id(x, graph, "START"));
    if (graph->has_end)
        exporting_ref_value(x, exporting_id(x, graph, "END"));
    json_write_array_end(&x->json);
    return spec_export_edges_write(x, graph);
}

/* Read the graph and write its nodes, and before them those of the graphs that it runs. */
static struct exporting_graph *take_graph(struct exporting *x, const char *path, struct str text,
                                          bool is_inner)
{
    static const char *const members[] = {"$schema", "name",  "purpose", "state", "question",
                                          "nodes",   "edges", "report",  NULL};
    struct exporting_graph *graph = arena_alloc(&x->arena, sizeof *graph);
    if (graph == NULL || path == NULL) {
        err_set(x->err, ERR_NO_MEMORY, "no memory for the graphs");
        return NULL;
    }
    graph->is_inner = is_inner;
    graph->doc = (struct spec_doc){.arena = &x->arena, .path = path, .err = x->err};
    graph->doc.root = json_value_parse(&x->arena, text, NULL, x->err);
    if (graph->doc.root == NULL || !spec_doc_known(&graph->doc, graph->doc.root, members))
        return NULL;
    x->graphs[x->graph_count++] = graph;
    graph->name = exporting_text(graph, graph->doc.root, "name");
    graph->state = spec_doc_member(&graph->doc, graph->doc.root, "state", JSON_OBJECT, true);
    graph->nodes = spec_doc_member(&graph->doc, graph->doc.root, "nodes", JSON_OBJECT, true);
    graph->edges = spec_doc_member(&graph->doc, graph->doc.root, "edges", JSON_ARRAY, true);
    if (graph->doc.failed || !write_start(x, graph) || !spec_export_sides_find(x, graph))
        return NULL;
    spec_export_ends_find(graph);
    JSON_EACH(node, graph->nodes)
        if (!spec_export_sides_covers(graph, node->key) &&
            str_is_absent(spec_export_ends_branch(graph, node)) &&
            !spec_export_nodes_write(x, graph, node))
            return NULL;
    bool ok = spec_export_ends_write(x, graph) && spec_export_sides_write(x, graph);
    return ok ? graph : NULL;
}

static void write_models(struct exporting *x)
{
    for (int exact = 0; exact < 2; exact++) {
        exporting_begin(x, exact ? STR("llm_exact") : STR("llm"), "OpenAiCompatibleConfig",
                        STR("the model of the deployment"));
        exporting_put(x, "model_id", STR("default"));
        exporting_put(x, "url", STR("http://localhost:8080/v1"));
        if (exact) {
            json_write_key(&x->json, STR("default_generation_parameters"));
            json_write_object(&x->json);
            json_write_member_i64(&x->json, STR("temperature"), 0);
            json_write_object_end(&x->json);
        }
        json_write_object_end(&x->json);
    }
}

static bool write_document(struct exporting *x, const char *path, struct str text)
{
    json_write_init(&x->json, &x->text);
    json_write_object(&x->json);
    exporting_put(x, "agentspec_version", STR(SPEC_EXPORT_VERSION));
    json_write_key(&x->json, STR("$referenced_components"));
    json_write_object(&x->json);
    write_models(x);
    struct exporting_graph *root = take_graph(x, path, text, false);
    if (root == NULL)
        return false;
    for (size_t i = 1; i < x->graph_count; i++) {
        exporting_begin(x, x->graphs[i]->name, "Flow", x->graphs[i]->name);
        if (!write_flow(x, x->graphs[i]))
            return false;
        json_write_object_end(&x->json);
    }
    json_write_object_end(&x->json);
    exporting_put(x, "component_type", STR("Flow"));
    exporting_put(x, "id", root->name);
    exporting_put(x, "name", root->name);
    if (!write_flow(x, root))
        return false;
    json_write_object_end(&x->json);
    return true;
}

enum err_code spec_export_write(const char *path, struct str text, spec_export_find_fn *find,
                                void *owner, struct buf *out, struct err *err)
{
    struct err why = {0};
    struct exporting *x = mem_zalloc(1, sizeof *x);
    if (x == NULL)
        return err_set(err, ERR_NO_MEMORY, "%s: no memory", path);
    *x = (struct exporting){.err = &why, .find = find, .owner = owner, .take = take_graph};
    arena_init(&x->arena, ARENA_BYTES);
    buf_init(&x->text, TEXT_BYTES);
    if (write_document(x, path, arena_str(&x->arena, text)) && buf_ok(&x->text) &&
        arena_ok(&x->arena))
        buf_push(out, buf_str(&x->text));
    else if (why.code == ERR_OK)
        err_set(&why, ERR_NO_MEMORY, "%s: no memory for the document", path);
    buf_fini(&x->text);
    arena_fini(&x->arena);
    mem_free(x);
    if (why.code != ERR_OK && err != NULL)
        *err = why;
    return why.code;
}

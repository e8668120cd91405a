/* SPDX-License-Identifier: MIT */
/* agents/registry.c - the graphs of agents/graphs.inc and of files, compiled with the budgets of
 * the configuration; their states and definitions as JSON.
 *
 * Happy path: places are added at the end and never taken away, so that other threads may read all
 * below the count.
 * Failure: the first mistake of the first wrong graph, which is what a developer mends first. */
#include "agents/registry.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "agents/graphs.h"
#include "agents/common/members.h"
#include "agents/graph_files/graph_files.h"
#include "agents/services/ask_graph.h"
#include "agents/services/slot_text.h"
#include "core/base/mem.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { MAX_PLACES = 512, MAX_KEPT = 32, PATH_BYTES = 1024, ITEM_BYTES = 64 << 20 };

struct place {
    struct graph *graph;
    const struct registry_entry *entry;
    uint64_t hash;   /* of the file; 0: built in */
    atomic_bool old; /* replaced, or its file is gone */
};

struct registry {
    struct place places[MAX_PLACES];
    atomic_size_t count; /* places below it are complete and do not change, but for old */
    struct graph_files *files[MAX_PLACES]; /* all that were read and have a place */
    size_t file_count, built_in_count;
    struct graph_tuning tunings[1 + GRAPHS_COUNT];
    size_t tuning_count;
    struct graph_file_world world;
};

/* The graph's definition as the configuration chooses it. */
static const struct graph_def *choose(const struct registry_entry *entry,
                                      const struct limits *limits)
{
    bool has_tools = limits->sql_tools && !limits->no_model && entry->with_tools != NULL;
    return has_tools ? entry->with_tools : entry->def;
}

static enum err_code add(struct registry *registry, const struct registry_entry *entry,
                         const struct graph_def *def, bool is_old, struct err *err)
{
    size_t count = atomic_load_explicit(&registry->count, memory_order_relaxed);
    struct place *place = &registry->places[count];
    enum err_code code =
        graph_compile(def, registry->tunings, registry->tuning_count, &place->graph, err);
    if (code != ERR_OK)
        return code;
    place->entry = entry;
    place->hash = entry->hash;
    atomic_store_explicit(&place->old, is_old, memory_order_relaxed);
    atomic_store_explicit(&registry->count, count + 1, memory_order_release);
    return ERR_OK;
}

static graph_file_find_fn find_built_in;

static void tune(struct registry *registry, const struct limits *limits)
{
    registry->tunings[registry->tuning_count++] =
        (struct graph_tuning){"correction", limits->sql_correction_max_attempts};
    for (size_t i = 0; i < GRAPHS_COUNT; i++)
        if (graphs_entries[i]->first_pass != 0)
            registry->tunings[registry->tuning_count++] = (struct graph_tuning){
                .graph = graphs_entries[i]->def->name,
                .limit = graphs_entries[i]->first_pass + limits->sql_agent_max_iterations};
}

enum err_code registry_create(const struct limits *limits, struct registry **out, struct err *err)
{
    struct registry *registry = mem_zalloc(1, sizeof *registry);
    enum err_code code = ERR_OK;
    if (registry == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the graphs");
    registry->world.find = find_built_in;
    tune(registry, limits);
    for (size_t i = 0; i < GRAPHS_COUNT && code == ERR_OK; i++)
        if (!graphs_entries[i]->needs_model || !limits->no_model)
            code = add(registry, graphs_entries[i], choose(graphs_entries[i], limits), false, err);
    registry->built_in_count = registry_count(registry);
    if (code == ERR_OK)
        *out = registry;
    else
        registry_destroy(registry);
    return code;
}

void registry_destroy(struct registry *registry)
{
    if (registry == NULL)
        return;
    for (size_t i = 0; i < registry_count(registry); i++)
        graph_destroy(registry->places[i].graph);
    for (size_t i = 0; i < registry->file_count; i++)
        graph_files_destroy(registry->files[i]);
    mem_free(registry);
}

size_t registry_count(const struct registry *registry)
{
    return atomic_load_explicit(&registry->count, memory_order_acquire);
}

const struct graph *registry_graph(const struct registry *registry, size_t i)
{
    CHECK(i < registry_count(registry));
    return registry->places[i].graph;
}

const struct registry_entry *registry_entry(const struct registry *registry, size_t i)
{
    CHECK(i < registry_count(registry));
    return registry->places[i].entry;
}

static bool is_old(const struct registry *registry, size_t i)
{
    return atomic_load_explicit(&registry->places[i].old, memory_order_relaxed);
}

bool registry_is_listed(const struct registry *registry, size_t i)
{
    return !registry->places[i].entry->is_tool && !is_old(registry, i);
}

int registry_find(const struct registry *registry, struct str name)
{
    for (size_t i = registry_count(registry); i-- > 0;)
        if (!is_old(registry, i) && str_equal(str_of(registry->places[i].entry->def->name), name))
            return (int)i;
    return -1;
}

int registry_find_definition(const struct registry *registry, struct str name, uint64_t hash,
                             struct err *err)
{
    bool is_known = false;
    for (size_t i = registry_count(registry); i-- > 0;) {
        const struct place *place = &registry->places[i];
        bool is_its = str_equal(str_of(place->entry->def->name), name);
        if (is_its && place->hash == hash)
            return (int)i;
        is_known = is_known || is_its;
    }
    err_set(err, ERR_GONE,
            is_known ? "the definition of graph '%.*s' that the run began with is gone"
                     : "there is no graph '%.*s' any more",
            STR_ARG(name));
    return -1;
}

/* ---- files ---- */

static const struct registry_entry *find_built_in(void *owner UNUSED, struct str name,
                                                  uint64_t *hash UNUSED, struct err *err)
{
    for (size_t i = 0; i < GRAPHS_COUNT; i++)
        if (str_equal(str_of(graphs_entries[i]->def->name), name))
            return graphs_entries[i];
    err_set(err, ERR_NOT_FOUND, "there is no graph '%.*s'", STR_ARG(name));
    return NULL;
}

void registry_know_tools(struct registry *registry,
                         bool (*has_tool)(const void *tools, struct str name), const void *tools)
{
    registry->world.has_tool = has_tool;
    registry->world.tools = tools;
}

/* What graph_compile says of a node, budget or slot of def, with its place in the file in front. */
static void point(const struct graph_def *def, struct err *err)
{
    static const struct {
        const char *kind, *place;
    } kinds[] = {{"node '", "/nodes/"}, {"budget '", "/budgets/"}, {"slot '", "/state/"}};
    const struct err said = *err;
    char head[ERR_TEXT_BYTES];
    snprintf(head, sizeof head, "graph '%s': ", def->name);
    struct str rest = str_of(said.text);
    if (!str_starts_with(rest, str_of(head)))
        return; /* of a graph inside, which no file wrote */
    rest = str_from(rest, strlen(head));
    for (size_t i = 0; i < countof(kinds); i++) {
        ptrdiff_t end = str_find(rest, STR("': "));
        if (end == STR_NONE || !str_starts_with(rest, str_of(kinds[i].kind)))
            continue;
        size_t from = strlen(kinds[i].kind);
        struct str name = str_slice(rest, from, (size_t)end),
                   what = str_from(rest, (size_t)end + 3);
        bool is_edge = str_equal(name, STR("START"));
        err_set(err, said.code, "%s%.*s: %.*s", is_edge ? "/edges" : kinds[i].place,
                is_edge ? 0 : (int)name.len, name.at, STR_ARG(what));
        return;
    }
}

/* Whether every graph of files can be a place; those that cannot are told. */
static enum err_code check_files(const struct registry *registry, const struct graph_files *files,
                                 struct err *err)
{
    for (size_t i = 0; i < graph_files_count(files); i++) {
        const struct graph_def *def = graph_files_entry(files, i)->def;
        struct graph *graph = NULL;
        if (find_built_in(NULL, str_of(def->name), NULL, NULL) != NULL)
            return err_set(err, ERR_INVALID, "%s: /name: '%s' is a graph of askd's own",
                           graph_files_path(files, i), def->name);
        if (graph_compile(def, registry->tunings, registry->tuning_count, &graph, err) != ERR_OK) {
            point(def, err);
            err_prefix(err, graph_files_path(files, i));
            return err->code;
        }
        graph_destroy(graph);
    }
    if (registry_count(registry) + graph_files_count(files) > MAX_PLACES)
        return err_set(err, ERR_INVALID,
                       "graphs were changed too often since the start: restart askd");
    return ERR_OK;
}

/* Take a place for each graph that has none like it; mark those that are replaced or gone. */
static size_t place_files(struct registry *registry, const struct graph_files *files)
{
    bool kept[MAX_PLACES] = {false};
    size_t before = registry_count(registry), changed = 0;
    for (size_t i = 0; i < graph_files_count(files); i++) {
        const struct registry_entry *entry = graph_files_entry(files, i);
        int place = registry_find(registry, str_of(entry->def->name));
        if (place >= 0 && registry->places[place].hash == graph_files_hash(files, i)) {
            kept[place] = true;
            continue;
        }
        changed += add(registry, entry, entry->def, false, NULL) == ERR_OK;
    }
    for (size_t i = registry->built_in_count; i < before; i++)
        if (!kept[i] && !is_old(registry, i)) {
            atomic_store_explicit(&registry->places[i].old, true, memory_order_relaxed);
            changed++;
        }
    return changed;
}

/* ---- definitions that runs may still have ---- */

struct kept {
    struct graph_files *at[MAX_KEPT];
    size_t count;
};

static void drop_kept(struct kept *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        graph_files_destroy(kept->at[i]);
}

static enum err_code load_set(const struct registry *registry, const char *folder, const char *name,
                              struct kept *kept, struct err *err)
{
    char path[PATH_BYTES];
    int len = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (kept->count == MAX_KEPT || len < 0 || (size_t)len >= sizeof path)
        return err_set(err, ERR_INVALID, "%s: more than %d sets of graphs, or a long name", folder,
                       MAX_KEPT);
    enum err_code code = graph_files_load(path, &registry->world, &kept->at[kept->count], err);
    return code == ERR_OK ? check_files(registry, kept->at[kept->count++], err) : code;
}

/* Read each file and folder in "kept" below path; there need be none. */
static enum err_code load_kept(const struct registry *registry, const char *path, struct kept *kept,
                               struct err *err)
{
    char folder[PATH_BYTES];
    enum err_code code = ERR_OK;
    int len = snprintf(folder, sizeof folder, "%s/kept", path);
    DIR *list = len < 0 || (size_t)len >= sizeof folder ? NULL : opendir(folder);
    if (list == NULL)
        return ERR_OK;
    for (struct dirent *item = readdir(list); item != NULL && code == ERR_OK; item = readdir(list))
        if (item->d_name[0] != '.')
            code = load_set(registry, folder, item->d_name, kept, err);
    closedir(list);
    return code;
}

/* Take a place, listed nowhere, for each definition that has none. */
static void place_kept(struct registry *registry, struct graph_files *files)
{
    size_t before = registry_count(registry);
    for (size_t i = 0; i < graph_files_count(files); i++) {
        const struct registry_entry *entry = graph_files_entry(files, i);
        struct err err = {0};
        if (registry_find_definition(registry, str_of(entry->def->name), entry->hash, &err) < 0 &&
            registry_count(registry) < MAX_PLACES)
            (void)!add(registry, entry, entry->def, true, NULL);
    }
    if (registry_count(registry) > before)
        registry->files[registry->file_count++] = files;
    else
        graph_files_destroy(files);
}

enum err_code registry_load_files(struct registry *registry, const char *path, size_t *changed,
                                  struct err *err)
{
    struct graph_files *files = NULL;
    struct kept kept = {.count = 0};
    size_t before = registry_count(registry), count = 0;
    enum err_code code = graph_files_load(path, &registry->world, &files, err);
    if (code == ERR_OK)
        code = check_files(registry, files, err);
    if (code == ERR_OK)
        code = load_kept(registry, path, &kept, err);
    if (code == ERR_OK)
        count = place_files(registry, files);
    if (code == ERR_OK && registry_count(registry) > before)
        registry->files[registry->file_count++] = files;
    else
        graph_files_destroy(files);
    for (size_t i = 0; code == ERR_OK && i < kept.count; i++)
        place_kept(registry, kept.at[i]);
    if (code != ERR_OK)
        drop_kept(&kept);
    if (changed != NULL)
        *changed = count;
    return code;
}

enum err_code registry_begin(const struct registry_entry *entry, struct update *input,
                             const struct session *session, struct err *err)
{
    if (str_is_empty(str_trim(session->message)))
        return err_set(err, ERR_INVALID, "%s: expected text, got only blanks",
                       entry->def->schema.slots[entry->question].name);
    update_put_str(input, entry->question, session->message);
    ask_graph_begin(entry, input, session);
    return ERR_OK;
}

/* Whether an item is an object, as messages are, and no text that begins like one. */
static bool is_object(struct str item)
{
    struct arena arena;
    if (!str_starts_with(item, STR("{")))
        return false;
    arena_init(&arena, ITEM_BYTES);
    bool is_json = json_value_parse(&arena, item, NULL, NULL) != NULL;
    arena_fini(&arena);
    return is_json;
}

/* Objects as they are, other items as texts. */
static void write_list(const struct state *state, unsigned slot, struct json_write *writer)
{
    json_write_array(writer);
    for (size_t i = 0; i < state_list_count(state, slot); i++) {
        struct str item = state_list_item(state, slot, i);
        if (is_object(item))
            json_write_raw(writer, item);
        else
            json_write_str(writer, item);
    }
    json_write_array_end(writer);
}

static void write_value(const struct state *state, unsigned slot, struct json_write *writer)
{
    if (!state_has(state, slot))
        json_write_null(writer);
    else if (state_schema(state)->slots[slot].type == SLOT_LIST)
        write_list(state, slot, writer);
    else
        slot_text_write(state, slot, writer);
}

void registry_describe(const struct state *state, uint64_t mask, struct buf *members)
{
    const struct schema *schema = state_schema(state);
    for (unsigned i = 0; i < schema->slot_count; i++) {
        struct json_write writer;
        if ((mask >> i & 1) == 0 || schema->slots[i].secret)
            continue;
        if (buf_len(members) > 0)
            buf_push_char(members, ',');
        json_write_init(&writer, members);
        json_write_str(&writer, str_of(schema->slots[i].name));
        buf_push_char(members, ':');
        json_write_init(&writer, members);
        write_value(state, i, &writer);
    }
}

/* ---- definition ---- */

static const char *end_name(const struct graph_def *def, unsigned node)
{
    if (node == GRAPH_START)
        return "START";
    return node == GRAPH_END ? "END" : def->nodes[node].name;
}

static void write_nodes(const struct graph *graph, struct json_write *writer)
{
    const struct graph_def *def = graph_def(graph);
    json_write_array(writer);
    for (size_t i = 0; i < def->node_count; i++) {
        const struct graph_node *node = &def->nodes[i];
        json_write_object(writer);
        json_write_member_str(writer, STR("name"), str_of(node->name));
        if (node->sub != NULL)
            json_write_member_str(writer, STR("graph"), str_of(node->sub->name));
        if (node->timeout_ms != 0)
            json_write_member_u64(writer, STR("timeout_ms"), node->timeout_ms);
        if (node->retries != 0)
            json_write_member_u64(writer, STR("retries"), node->retries);
        if (node->background)
            json_write_member_bool(writer, STR("background"), true);
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

static void write_edges(const struct graph_def *def, struct json_write *writer)
{
    json_write_array(writer);
    for (size_t i = 0; i < def->edge_count; i++) {
        const struct graph_edge *edge = &def->edges[i];
        json_write_object(writer);
        json_write_member_str(writer, STR("from"), str_of(end_name(def, edge->from)));
        json_write_member_str(writer, STR("to"), str_of(end_name(def, edge->to)));
        json_write_member_str(writer, STR("label"), str_of(edge->label));
        if (edge->budget != 0)
            json_write_member_str(writer, STR("budget"),
                                  str_of(def->budgets[edge->budget - 1].name));
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

static void write_writers(const struct graph_def *def, uint64_t writers, struct json_write *writer)
{
    json_write_array(writer);
    if ((writers & SLOT_WRITER_INPUT) != 0)
        json_write_str(writer, STR("input"));
    for (unsigned i = 0; i < def->node_count; i++)
        if ((writers & SLOT_WRITER(i)) != 0)
            json_write_str(writer, str_of(def->nodes[i].name));
    json_write_array_end(writer);
}

static void write_slots(const struct graph_def *def, struct json_write *writer)
{
    static const char *const types[] = {"text", "json", "int", "real", "bool", "list"};
    static const char *const reducers[] = {"replace", "append", "add"};
    json_write_array(writer);
    for (size_t i = 0; i < def->schema.slot_count; i++) {
        const struct slot *slot = &def->schema.slots[i];
        json_write_object(writer);
        json_write_member_str(writer, STR("name"), str_of(slot->name));
        json_write_member_str(writer, STR("type"), str_of(types[slot->type]));
        json_write_member_str(writer, STR("reducer"), str_of(reducers[slot->reducer]));
        json_write_key(writer, STR("writers"));
        write_writers(def, slot->writers, writer);
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

static void write_budgets(const struct graph *graph, struct json_write *writer)
{
    const struct graph_def *def = graph_def(graph);
    json_write_array(writer);
    for (unsigned i = 0; i < def->budget_count; i++) {
        json_write_object(writer);
        json_write_member_str(writer, STR("name"), str_of(def->budgets[i].name));
        json_write_member_str(
            writer, STR("counter"),
            str_of(def->schema.slots[slot_index(def->budgets[i].counter_slot)].name));
        json_write_member_u64(writer, STR("limit"), graph_budget_limit(graph, i));
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

void registry_write_definition(const struct graph *graph, struct buf *out)
{
    struct json_write writer;
    const struct graph_def *def = graph_def(graph);
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("name"), str_of(def->name));
    json_write_member_str(&writer, STR("purpose"), str_of(def->purpose));
    json_write_member_u64(&writer, STR("recursion_limit"), graph_recursion_limit(graph));
    json_write_key(&writer, STR("nodes"));
    write_nodes(graph, &writer);
    json_write_key(&writer, STR("edges"));
    write_edges(def, &writer);
    json_write_key(&writer, STR("state"));
    write_slots(def, &writer);
    json_write_key(&writer, STR("budgets"));
    write_budgets(graph, &writer);
    json_write_object_end(&writer);
}

/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_tools.c - RemoteTool and ApiNode as HTTP tools, transports as MCP servers.
 *
 * Failure: headers with places or secrets, other transports, tools that only a client or the
 * runtime of somebody else has: told at their place. */
#include "agents/agent_spec/spec_tools.h"

#include <string.h>

#include "agents/agent_spec/spec_flow.h"
#include "agents/agent_spec/spec_text.h"
#include "proto/json_write.h"

enum {
    TEXT_BYTES = 64 * 1024,
    SERVER_BYTES = 31,
    NAME_BYTES = 64,
    MAX_ATTEMPTS = 11,
    MAX_PARAMETERS = 32
};

static struct spec_tools_one *find_made(struct spec_tools *tools, const char *name, bool is_server)
{
    for (size_t i = 0; i < tools->count; i++)
        if (strcmp(tools->made[i].name, name) == 0 && tools->made[i].is_server == is_server)
            return &tools->made[i];
    return NULL;
}

/* The entry of this component, which may be there already; NULL: a mistake was noted. */
static struct spec_tools_one *add_entry(struct spec_doc *doc, struct spec_tools *tools,
                                        const struct json_value *value, const char *name,
                                        bool is_server)
{
    struct spec_tools_one *made = find_made(tools, name, is_server);
    if (made != NULL && spec_doc_is_same(made->value, value))
        return made;
    if (made != NULL)
        spec_doc_fail(doc, value, "another %s is called '%s'", is_server ? "server" : "tool", name);
    else if (tools->count == SPEC_TOOLS_MAX)
        spec_doc_fail(doc, value, "more than %d tools", SPEC_TOOLS_MAX);
    if (doc->failed)
        return NULL;
    made = &tools->made[tools->count++];
    *made = (struct spec_tools_one){.value = value, .name = name, .is_server = is_server};
    return made;
}

static bool allow(struct spec_doc *doc, struct spec_tools *tools, const struct json_value *at,
                  struct str url)
{
    for (size_t i = 0; i < tools->allowed_count; i++)
        if (str_equal(tools->allowed[i], url))
            return true;
    if (tools->allowed_count == SPEC_TOOLS_MAX)
        return spec_doc_fail(doc, at, "more than %d addresses", SPEC_TOOLS_MAX);
    tools->allowed[tools->allowed_count++] = url;
    return true;
}

/* ---- HTTP ---- */

static struct str same_name(void *owner, struct str name)
{
    (void)owner;
    return name;
}

static bool write_text(struct spec_doc *doc, const struct json_value *value,
                       struct json_write *json)
{
    struct buf text;
    buf_init(&text, TEXT_BYTES);
    bool ok = spec_text_from_spec(value->text, same_name, NULL, &text);
    if (ok)
        json_write_str(json, buf_str(&text));
    buf_fini(&text);
    return ok || spec_doc_fail(doc, value, "the text is too long");
}

/* A value of "data", whose texts are templates. */
static bool write_template(struct spec_doc *doc, const struct json_value *value,
                           struct json_write *json)
{
    bool is_array = value->type == JSON_ARRAY;
    if (value->type == JSON_STRING)
        return write_text(doc, value, json);
    if (value->type != JSON_OBJECT && !is_array) {
        json_value_write(value, json);
        return true;
    }
    if (is_array)
        json_write_array(json);
    else
        json_write_object(json);
    JSON_EACH(item, value) {
        if (!is_array)
            json_write_key(json, item->key);
        if (!write_template(doc, item, json))
            return false;
    }
    if (is_array)
        json_write_array_end(json);
    else
        json_write_object_end(json);
    return true;
}

static bool write_pairs(struct spec_doc *doc, const struct json_value *tool, const char *member,
                        const char *as, bool is_plain, struct json_write *json)
{
    const struct json_value *pairs = spec_doc_member(doc, tool, member, JSON_OBJECT, false);
    if (pairs == NULL || pairs->count == 0)
        return !doc->failed;
    json_write_key(json, str_of(as));
    json_write_object(json);
    JSON_EACH(item, pairs) {
        if (item->type != JSON_STRING)
            return spec_doc_fail(doc, item, "expected a text");
        size_t at = 0;
        if (is_plain && !str_is_absent(spec_text_place(item->text, &at)))
            return spec_doc_fail(doc, item, "a header with a placeholder cannot be mapped");
        json_write_key(json, item->key);
        if (!write_text(doc, item, json))
            return false;
    }
    json_write_object_end(json);
    return true;
}

struct parameters {
    struct spec_doc *doc;
    const struct json_value *tool;
    struct str names[MAX_PARAMETERS];
    const struct json_value *schemas[MAX_PARAMETERS]; /* NULL: anything */
    size_t count;
};

static bool add_parameter(struct parameters *to, struct str name, const struct json_value *schema)
{
    for (size_t i = 0; i < to->count; i++)
        if (str_equal(to->names[i], name))
            return true;
    if (to->count == MAX_PARAMETERS)
        return spec_doc_fail(to->doc, to->tool, "more than %d inputs", MAX_PARAMETERS);
    to->names[to->count] = name;
    to->schemas[to->count++] = schema;
    return true;
}

static bool add_place(void *owner, struct str name)
{
    return add_parameter(owner, name, NULL);
}

/* The inputs that the tool lists, else the places of its texts. */
static bool find_parameters(struct parameters *to)
{
    static const char *const templates[] = {"url", "query_params", "data"};
    struct spec_doc *doc = to->doc;
    const struct json_value *inputs = spec_doc_member(doc, to->tool, "inputs", JSON_ARRAY, false);
    for (const struct json_value *one = inputs == NULL ? NULL : inputs->first; one != NULL;
         one = one->next) {
        struct str name =
            one->type == JSON_OBJECT ? spec_doc_text(doc, one, "title", true) : str_make(NULL, 0);
        if (str_is_absent(name))
            return spec_doc_fail(doc, one, "expected a property with a title");
        if (!add_parameter(to, name, one))
            return false;
    }
    for (size_t i = 0; inputs == NULL && i < countof(templates); i++)
        if (!spec_doc_places(json_value_member(to->tool, str_of(templates[i])), add_place, to))
            return false;
    return !doc->failed;
}

static bool write_parameters(struct spec_doc *doc, const struct json_value *tool,
                             struct json_write *json)
{
    struct parameters parameters = {.doc = doc, .tool = tool};
    if (!find_parameters(&parameters))
        return false;
    json_write_key(json, STR("parameters"));
    json_write_object(json);
    json_write_member_str(json, STR("type"), STR("object"));
    json_write_key(json, STR("properties"));
    json_write_object(json);
    for (size_t i = 0; i < parameters.count; i++) {
        json_write_key(json, parameters.names[i]);
        if (parameters.schemas[i] != NULL)
            json_value_write(parameters.schemas[i], json);
        else
            json_write_raw(json, STR("{}"));
    }
    json_write_object_end(json);
    json_write_key(json, STR("required"));
    json_write_array(json);
    for (size_t i = 0; i < parameters.count; i++)
        if (json_value_member(parameters.schemas[i], STR("default")) == NULL)
            json_write_str(json, parameters.names[i]);
    json_write_array_end(json);
    json_write_object_end(json);
    return true;
}

static bool allow_address(struct spec_doc *doc, struct spec_tools *tools,
                          const struct json_value *tool, struct str url)
{
    const struct json_value *list = spec_doc_member(doc, tool, "url_allow_list", JSON_ARRAY, false);
    size_t end = 0;
    if (doc->failed)
        return false;
    for (const struct json_value *one = list == NULL ? NULL : list->first; one != NULL;
         one = one->next) {
        if (one->type != JSON_STRING)
            return spec_doc_fail(doc, one, "expected a text");
        if (!allow(doc, tools, one, one->text))
            return false;
    }
    if (list != NULL)
        return true;
    for (size_t i = 0; i < url.len && url.at[i] != '{' && url.at[i] != '?'; i++)
        end = url.at[i] == '/' ? i + 1 : end;
    if (end < sizeof "https://" + 1)
        return spec_doc_fail(doc, json_value_member(tool, STR("url")),
                             "expected an address whose host is no placeholder");
    return allow(doc, tools, json_value_member(tool, STR("url")), str_make(url.at, end));
}

static bool is_confirmed(struct spec_doc *doc, const struct json_value *tool)
{
    const struct json_value *confirm =
        spec_doc_member(doc, tool, "requires_confirmation", JSON_BOOL, false);
    return confirm != NULL && confirm->boolean;
}

/* "retry_policy" says how often a call is made; the times between are askd's. */
static bool write_retries(struct spec_doc *doc, const struct json_value *tool,
                          struct json_write *json)
{
    const struct json_value *policy =
        spec_doc_member(doc, tool, "retry_policy", JSON_OBJECT, false);
    const struct json_value *most = json_value_member(policy, STR("max_attempts"));
    if (most == NULL || doc->failed)
        return !doc->failed;
    if (most->type != JSON_INT || most->integer < 0 || most->integer > MAX_ATTEMPTS - 1)
        return spec_doc_fail(doc, most, "expected a number from 0 to %d", MAX_ATTEMPTS - 1);
    json_write_member_i64(json, STR("retries"), most->integer);
    return true;
}

static bool refuse(struct spec_doc *doc, const struct json_value *tool, const char *member,
                   const char *why)
{
    const struct json_value *value = json_value_member(tool, str_of(member));
    bool is_empty = value == NULL || value->type == JSON_NULL ||
                    (value->type == JSON_OBJECT && value->count == 0);
    return is_empty || spec_doc_fail(doc, value, "%s", why);
}

static bool write_http(struct spec_doc *doc, struct spec_tools *tools,
                       const struct json_value *tool, struct json_write *json)
{
    const struct json_value *data = json_value_member(tool, STR("data"));
    bool is_asked = is_confirmed(doc, tool);
    struct str says = spec_doc_text(doc, tool, "description", false);
    struct str url = spec_doc_text(doc, tool, "url", true);
    struct str method = spec_doc_text(doc, tool, "http_method", true);
    if (doc->failed || !allow_address(doc, tools, tool, url))
        return false;
    json_write_object(json);
    json_write_member_str(json, STR("description"),
                          str_is_empty(says) ? spec_doc_text(doc, tool, "name", true) : says);
    if (!write_parameters(doc, tool, json))
        return false;
    json_write_member_str(json, STR("method"), method);
    json_write_key(json, STR("url"));
    if (!write_text(doc, json_value_member(tool, STR("url")), json) ||
        !write_pairs(doc, tool, "query_params", "query", false, json) ||
        !write_pairs(doc, tool, "headers", "headers", true, json) ||
        !write_retries(doc, tool, json))
        return false;
    if (data != NULL && data->type != JSON_NULL && (data->type != JSON_OBJECT || data->count > 0)) {
        json_write_key(json, STR("body"));
        if (!write_template(doc, data, json))
            return false;
    }
    if (is_asked)
        json_write_member_bool(json, STR("confirm"), true);
    json_write_object_end(json);
    bool is_listed = json_value_member(tool, STR("inputs")) != NULL ||
                     json_value_member(tool, STR("outputs")) != NULL;
    return !doc->failed &&
           refuse(doc, tool, "sensitive_headers",
                  "a secret is not written: name it as ${NAME} in \"headers\"") &&
           (is_listed || refuse(doc, tool, "api_spec_uri",
                                "an API's own description cannot be mapped: list the inputs"));
}

/* ---- MCP ---- */

static const struct json_value *transport_of(struct spec_doc *doc, const struct json_value *tool,
                                             const char **name)
{
    const struct json_value *transport =
        spec_doc_component(doc, json_value_member(tool, STR("client_transport")));
    if (transport == NULL)
        return NULL;
    if (!str_equal(spec_doc_type(transport), STR("StreamableHTTPTransport"))) {
        struct str type = spec_doc_type(transport);
        spec_doc_fail(doc, transport, "a %.*s cannot be mapped: askd speaks streamable HTTP",
                      STR_ARG(type));
        return NULL;
    }
    struct str given = spec_doc_text(doc, transport, "name", true);
    given.len = size_min(given.len, SERVER_BYTES);
    *name = doc->failed ? NULL : spec_flow_name(doc, given);
    return *name == NULL ? NULL : transport;
}

/* A person is asked before each call of the server's tool; name: absent: of any. */
static bool add_confirm(struct spec_doc *doc, struct spec_tools_one *server, struct str name)
{
    struct spec_tools_confirm *one = arena_alloc(doc->arena, sizeof *one);
    if (one == NULL)
        return spec_doc_no_memory(doc);
    *one = (struct spec_tools_confirm){name, server->confirms};
    server->confirms = one;
    return true;
}

static void write_confirms(const struct spec_tools_one *server, struct json_write *json)
{
    bool all = false;
    if (server->confirms == NULL)
        return;
    json_write_key(json, STR("confirm"));
    for (const struct spec_tools_confirm *one = server->confirms; one != NULL; one = one->next)
        all = all || str_is_absent(one->name);
    if (all) {
        json_write_bool(json, true);
        return;
    }
    json_write_array(json);
    for (const struct spec_tools_confirm *one = server->confirms; one != NULL; one = one->next)
        json_write_str(json, one->name);
    json_write_array_end(json);
}

static bool write_server(struct spec_doc *doc, struct spec_tools *tools,
                         const struct spec_tools_one *server, struct json_write *json)
{
    static const char *const members[] = {SPEC_DOC_MEMBERS, "url", "headers", "session_parameters",
                                          NULL};
    const struct json_value *transport = server->value;
    struct str url = spec_doc_text(doc, transport, "url", true);
    if (doc->failed || !spec_doc_known(doc, transport, members) ||
        !allow(doc, tools, transport, url))
        return false;
    json_write_object(json);
    json_write_member_str(json, STR("url"), url);
    if (!write_pairs(doc, transport, "headers", "headers", true, json))
        return false;
    write_confirms(server, json);
    json_write_object_end(json);
    return true;
}

/* ---- entries ---- */

/* The entry of the tool's or toolbox's transport; NULL: a mistake was noted. */
static struct spec_tools_one *add_server(struct spec_doc *doc, struct spec_tools *tools,
                                         const struct json_value *tool)
{
    const char *name = NULL;
    const struct json_value *transport = transport_of(doc, tool, &name);
    return transport == NULL ? NULL : add_entry(doc, tools, transport, name, true);
}

/* What the server's tool is called here: letters, digits, _ and -. NULL: a mistake was noted. */
static const char *server_tool(struct spec_doc *doc, const struct spec_tools_one *server,
                               const struct json_value *at, struct str tool)
{
    char *name =
        arena_cstr(doc->arena, arena_printf(doc->arena, "%s_%.*s", server->name, STR_ARG(tool)));
    if (name == NULL)
        spec_doc_no_memory(doc);
    else if (strlen(name) > NAME_BYTES)
        spec_doc_fail(doc, at,
                      "a tool's name has at most %d letters, those of its server among "
                      "them",
                      NAME_BYTES);
    for (size_t i = 0; name != NULL && name[i] != '\0'; i++)
        if (!str_is_alpha(name[i]) && !str_is_digit(name[i]) && name[i] != '-')
            name[i] = '_';
    return doc->failed ? NULL : name;
}

static const char *name_mcp(struct spec_doc *doc, struct spec_tools *tools,
                            const struct json_value *tool, struct str given)
{
    struct spec_tools_one *server = add_server(doc, tools, tool);
    if (server == NULL || (is_confirmed(doc, tool) && !add_confirm(doc, server, given)))
        return NULL;
    return doc->failed ? NULL : server_tool(doc, server, tool, given);
}

bool spec_tools_confirms(struct spec_doc *doc, const struct json_value *tool)
{
    return str_equal(spec_doc_type(tool), STR("ServerTool")) && is_confirmed(doc, tool);
}

#define TOOL SPEC_DOC_MEMBERS, "inputs", "outputs", "requires_confirmation"
#define HTTP                                                                                       \
    "url", "http_method", "api_spec_uri", "data", "query_params", "headers", "sensitive_headers",  \
        "url_allow_list", "retry_policy"

const char *spec_tools_name(struct spec_doc *doc, struct spec_tools *tools,
                            const struct json_value *tool)
{
    static const struct {
        const char *type, *members[20];
    } types[] = {{"ServerTool", {TOOL}},
                 {"RemoteTool", {TOOL, HTTP}},
                 {"ApiNode", {TOOL, HTTP, "branches"}},
                 {"MCPTool", {TOOL, "client_transport"}}};
    struct str type = spec_doc_type(tool), given = spec_doc_text(doc, tool, "name", true);
    const char *name = doc->failed ? NULL : spec_flow_name(doc, given);
    size_t i = 0;
    while (i < countof(types) && !str_equal(type, str_of(types[i].type)))
        i++;
    if (i == countof(types))
        spec_doc_fail(
            doc, tool, "a %.*s cannot be mapped%s", STR_ARG(type),
            str_equal(type, STR("ClientTool")) ? ": only an agent calls tools of its client" : "");
    if (name == NULL || i == countof(types) || !spec_doc_known(doc, tool, types[i].members))
        return NULL;
    return i == 0                                             ? name
           : i == 3                                           ? name_mcp(doc, tools, tool, given)
           : add_entry(doc, tools, tool, name, false) != NULL ? name
                                                              : NULL;
}

/* One tool that the box lets through: its name, or an MCPToolSpec, which may have a person asked.
 * What it says of inputs and outputs is the server's to say. */
static bool tell_filtered(struct spec_doc *doc, struct spec_tools_one *server, bool all_asked,
                          const struct json_value *item,
                          void (*told)(void *owner, const char *tool), void *owner)
{
    static const char *const members[] = {TOOL, NULL};
    const struct json_value *one = item->type == JSON_STRING ? NULL : spec_doc_component(doc, item);
    if (doc->failed || (one != NULL && !spec_doc_known(doc, one, members)))
        return false;
    if (one != NULL && !str_equal(spec_doc_type(one), STR("MCPToolSpec")))
        return spec_doc_fail(doc, one, "expected the name of a tool, or an MCPToolSpec");
    struct str name = one == NULL ? item->text : spec_doc_text(doc, one, "name", true);
    if (doc->failed ||
        (one != NULL && !all_asked && is_confirmed(doc, one) && !add_confirm(doc, server, name)))
        return false;
    const char *tool = server_tool(doc, server, item, name);
    if (tool != NULL)
        told(owner, tool);
    return !doc->failed;
}

bool spec_tools_box(struct spec_doc *doc, struct spec_tools *tools, const struct json_value *box,
                    void (*told)(void *owner, const char *tool), void *owner)
{
    static const char *const members[] = {SPEC_DOC_MEMBERS, "requires_confirmation",
                                          "client_transport", "tool_filter", NULL};
    struct str type = spec_doc_type(box);
    if (!str_equal(type, STR("MCPToolBox")))
        return spec_doc_fail(doc, box, "a %.*s cannot be mapped", STR_ARG(type));
    const struct json_value *filter = spec_doc_member(doc, box, "tool_filter", JSON_ARRAY, false);
    bool all_asked = is_confirmed(doc, box);
    if (doc->failed || !spec_doc_known(doc, box, members))
        return false;
    struct spec_tools_one *server = add_server(doc, tools, box);
    if (server == NULL || (all_asked && !add_confirm(doc, server, str_make(NULL, 0))))
        return false;
    if (filter == NULL) {
        const char *pattern =
            arena_cstr(doc->arena, arena_printf(doc->arena, "%s_*", server->name));
        if (pattern == NULL)
            return spec_doc_no_memory(doc);
        told(owner, pattern);
        return true;
    }
    JSON_EACH(item, filter)
        if (!tell_filtered(doc, server, all_asked, item, told, owner))
            return false;
    return true;
}

static bool write_entries(struct spec_doc *doc, struct spec_tools *tools, bool servers,
                          struct json_write *json)
{
    json_write_key(json, servers ? STR("mcp") : STR("http"));
    json_write_object(json);
    for (size_t i = 0; i < tools->count; i++) {
        const struct spec_tools_one *one = &tools->made[i];
        if (one->is_server != servers)
            continue;
        json_write_key(json, str_of(one->name));
        if (!(servers ? write_server(doc, tools, one, json)
                      : write_http(doc, tools, one->value, json)))
            return false;
    }
    json_write_object_end(json);
    return true;
}

bool spec_tools_write(struct spec_doc *doc, struct spec_tools *tools, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    if (!write_entries(doc, tools, false, &json) || !write_entries(doc, tools, true, &json))
        return false;
    json_write_key(&json, STR("allow")); /* what the entries reach */
    json_write_array(&json);
    for (size_t i = 0; i < tools->allowed_count; i++)
        json_write_str(&json, tools->allowed[i]);
    json_write_array_end(&json);
    json_write_object_end(&json);
    return true;
}

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

enum { ENTRY_BYTES = 64 * 1024, MAX_ATTEMPTS = 11, MAX_PARAMETERS = 32 };

static struct spec_tools_one *find_made(struct spec_tools *tools, const char *name, bool is_server)
{
    for (size_t i = 0; i < tools->count; i++)
        if (strcmp(tools->made[i].name, name) == 0 && tools->made[i].is_server == is_server)
            return &tools->made[i];
    return NULL;
}

/* A new entry; NULL: there is one of this component already, or a mistake. */
static struct spec_tools_one *begin_entry(struct spec_doc *doc, struct spec_tools *tools,
                                          const struct json_value *value, const char *name,
                                          bool is_server)
{
    struct spec_tools_one *made = find_made(tools, name, is_server);
    if (made != NULL) {
        if (made->value != value && !is_server)
            spec_doc_fail(doc, value, "another tool is called '%s'", name);
        return NULL;
    }
    if (tools->count == SPEC_TOOLS_MAX) {
        spec_doc_fail(doc, value, "more than %d tools", SPEC_TOOLS_MAX);
        return NULL;
    }
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
    buf_init(&text, ENTRY_BYTES);
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
    const struct json_value *confirm = json_value_member(tool, STR("requires_confirmation"));
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
    if (confirm != NULL && confirm->boolean)
        json_write_member_bool(json, STR("confirm"), true);
    json_write_object_end(json);
    return !doc->failed &&
           refuse(doc, tool, "sensitive_headers",
                  "a secret is not written: name it as ${NAME} in \"headers\"") &&
           refuse(doc, tool, "api_spec_uri", "an API's own description cannot be mapped");
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
    *name = doc->failed ? NULL : spec_flow_name(doc, given);
    return *name == NULL ? NULL : transport;
}

static bool write_server(struct spec_doc *doc, struct spec_tools *tools,
                         const struct json_value *transport, bool confirm, struct json_write *json)
{
    static const char *const members[] = {SPEC_DOC_MEMBERS, "url", "headers", "session_parameters",
                                          NULL};
    struct str url = spec_doc_text(doc, transport, "url", true);
    if (doc->failed || !spec_doc_known(doc, transport, members) ||
        !allow(doc, tools, transport, url))
        return false;
    json_write_object(json);
    json_write_member_str(json, STR("url"), url);
    if (confirm)
        json_write_member_bool(json, STR("confirm"), true);
    if (!write_pairs(doc, transport, "headers", "headers", true, json))
        return false;
    json_write_object_end(json);
    return true;
}

/* ---- entries ---- */

static bool keep_entry(struct spec_doc *doc, struct spec_tools_one *made, struct buf *text, bool ok)
{
    if (ok && buf_ok(text))
        made->text = arena_str(doc->arena, buf_str(text));
    buf_fini(text);
    return (ok && !str_is_absent(made->text)) || spec_doc_no_memory(doc);
}

static bool add_http(struct spec_doc *doc, struct spec_tools *tools, const struct json_value *tool,
                     const char *name)
{
    struct spec_tools_one *made = begin_entry(doc, tools, tool, name, false);
    struct json_write json;
    struct buf text;
    if (made == NULL)
        return !doc->failed;
    buf_init(&text, ENTRY_BYTES);
    json_write_init(&json, &text);
    bool ok = write_http(doc, tools, tool, &json);
    return keep_entry(doc, made, &text, ok);
}

static const char *add_server(struct spec_doc *doc, struct spec_tools *tools,
                              const struct json_value *tool)
{
    const struct json_value *confirm = json_value_member(tool, STR("requires_confirmation"));
    const char *name = NULL;
    const struct json_value *transport = transport_of(doc, tool, &name);
    struct json_write json;
    struct buf text;
    if (transport == NULL)
        return NULL;
    struct spec_tools_one *made = begin_entry(doc, tools, transport, name, true);
    if (made == NULL)
        return doc->failed ? NULL : name;
    buf_init(&text, ENTRY_BYTES);
    json_write_init(&json, &text);
    bool ok = write_server(doc, tools, transport, confirm != NULL && confirm->boolean, &json);
    return keep_entry(doc, made, &text, ok) ? name : NULL;
}

const char *spec_tools_name(struct spec_doc *doc, struct spec_tools *tools,
                            const struct json_value *tool)
{
    struct str type = spec_doc_type(tool), given = spec_doc_text(doc, tool, "name", true);
    const char *name = doc->failed ? NULL : spec_flow_name(doc, given);
    if (name == NULL)
        return NULL;
    if (str_equal(type, STR("ServerTool")))
        return name;
    if (str_equal(type, STR("RemoteTool")) || str_equal(type, STR("ApiNode")))
        return add_http(doc, tools, tool, name) ? name : NULL;
    if (str_equal(type, STR("MCPTool"))) {
        const char *server = add_server(doc, tools, tool);
        struct str whole =
            server == NULL ? str_make(NULL, 0) : arena_printf(doc->arena, "%s_%s", server, name);
        return str_is_absent(whole) ? NULL : spec_flow_name(doc, whole);
    }
    spec_doc_fail(doc, tool, "a %.*s cannot be mapped%s", STR_ARG(type),
                  str_equal(type, STR("ClientTool")) ? ": only an agent calls tools of its client"
                                                     : "");
    return NULL;
}

const char *spec_tools_box(struct spec_doc *doc, struct spec_tools *tools,
                           const struct json_value *box)
{
    struct str type = spec_doc_type(box);
    if (!str_equal(type, STR("MCPToolBox"))) {
        spec_doc_fail(doc, box, "a %.*s cannot be mapped", STR_ARG(type));
        return NULL;
    }
    if (!refuse(doc, box, "tool_filter", "a filter cannot be mapped: name the tools as MCPTool"))
        return NULL;
    const char *server = add_server(doc, tools, box);
    struct str pattern =
        server == NULL ? str_make(NULL, 0) : arena_printf(doc->arena, "%s_*", server);
    return str_is_absent(pattern) ? NULL : arena_cstr(doc->arena, pattern);
}

static void write_entries(const struct spec_tools *tools, bool servers, struct json_write *json)
{
    json_write_key(json, servers ? STR("mcp") : STR("http"));
    json_write_object(json);
    for (size_t i = 0; i < tools->count; i++)
        if (tools->made[i].is_server == servers)
            json_write_member_raw(json, str_of(tools->made[i].name), tools->made[i].text);
    json_write_object_end(json);
}

void spec_tools_write(const struct spec_tools *tools, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("allow"));
    json_write_array(&json);
    for (size_t i = 0; i < tools->allowed_count; i++)
        json_write_str(&json, tools->allowed[i]);
    json_write_array_end(&json);
    write_entries(tools, false, &json);
    write_entries(tools, true, &json);
    json_write_object_end(&json);
}

/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_tools.h - tools of Agent Spec as names of tools that graphs in files call,
 * and what ASKD_TOOLS must hold for them. */
#ifndef AGENTS_AGENT_SPEC_SPEC_TOOLS_H
#define AGENTS_AGENT_SPEC_SPEC_TOOLS_H

#include "agents/agent_spec/spec_doc.h"
#include "core/base/buf.h"

enum { SPEC_TOOLS_MAX = 64 };

struct spec_tools_confirm {
    struct str name; /* of a server's tool; absent: all */
    struct spec_tools_confirm *next;
};

struct spec_tools {
    struct spec_tools_one {
        const struct json_value *value; /* the component; of a server its transport */
        const char *name;
        bool is_server;
        struct spec_tools_confirm *confirms; /* tools of a server that a person allows */
    } made[SPEC_TOOLS_MAX];
    size_t count;
    struct str allowed[SPEC_TOOLS_MAX];
    size_t allowed_count;
};

/* What a tool is called. A RemoteTool, an ApiNode and an MCPTool get an entry; a ServerTool is one
 * that is there. NULL: a mistake was noted, as for tools that nobody here can call. */
const char *spec_tools_name(struct spec_doc *doc, struct spec_tools *tools,
                            const struct json_value *tool);
/* Whether whoever calls the tool has to ask a person: of a ServerTool, whose entry is not made
 * here. */
bool spec_tools_confirms(struct spec_doc *doc, const struct json_value *tool);
/* Tell the tools of a toolbox: those of its filter, or the pattern of all ("crm_*"). False: a
 * mistake was noted. */
MUST_USE bool spec_tools_box(struct spec_doc *doc, struct spec_tools *tools,
                             const struct json_value *box,
                             void (*told)(void *owner, const char *tool), void *owner);
/* Append the file of tools. False: a mistake was noted. */
MUST_USE bool spec_tools_write(struct spec_doc *doc, struct spec_tools *tools, struct buf *out);

#endif

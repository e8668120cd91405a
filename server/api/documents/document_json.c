/* SPDX-License-Identifier: MIT */
/* server/api/documents/document_json.c - one object each. Failure: none but a full buf. */
#include "server/api/documents/document_json.h"

static const char *whose(struct str company_id, struct str user_id)
{
    if (!str_is_empty(user_id))
        return "user";
    return str_is_empty(company_id) ? "everybody" : "company";
}

static const char *kind_of(struct str collection)
{
    for (enum docs_kind kind = 0; kind < DOCS_KIND_COUNT; kind++)
        if (str_equal(docs_items_collection(kind), collection))
            return docs_items_kind_name(kind);
    return "documents";
}

void document_json_entry(struct json_write *json, const struct ledger_entry *entry, bool may_change)
{
    json_write_object(json);
    json_write_member_str(json, STR("id"), entry->name);
    json_write_member_str(json, STR("title"), entry->title);
    json_write_member_str(json, STR("kind"), str_of(kind_of(entry->collection)));
    json_write_member_str(json, STR("for"), str_of(whose(entry->company_id, entry->user_id)));
    json_write_member_str(json, STR("state"),
                          str_is_empty(entry->hash) ? STR("incomplete") : STR("ready"));
    json_write_member_u64(json, STR("passages"), entry->passages);
    json_write_member_u64(json, STR("added_ms"), entry->added_ms);
    json_write_member_bool(json, STR("may_change"), may_change);
    json_write_object_end(json);
}

void document_json_job(struct json_write *json, const struct documents_job *job)
{
    bool is_cut = job->add.count > 0;
    json_write_object(json);
    json_write_member_str(json, STR("id"), job->source.name);
    json_write_member_str(json, STR("kind"), str_of(docs_items_kind_name(job->source.kind)));
    json_write_member_str(json, STR("for"),
                          str_of(whose(job->source.company_id, job->source.user_id)));
    json_write_member_str(json, STR("state"),
                          is_cut           ? STR("writing")
                          : job->has_begun ? STR("reading")
                                           : STR("waiting"));
    if (is_cut) {
        json_write_member_u64(json, STR("written"), document_add_stored(&job->add));
        json_write_member_u64(json, STR("passages"), job->add.count);
    }
    json_write_object_end(json);
}

bool document_json_is_seen(const struct identity *caller, struct str company_id, struct str user_id)
{
    return (str_is_empty(company_id) || str_equal(company_id, caller->company_id)) &&
           (str_is_empty(user_id) || str_equal(user_id, caller->user_id));
}

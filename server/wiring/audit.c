/* SPDX-License-Identifier: MIT */
/* server/wiring/audit.c - a line of JSON: who asked, in which run, what was sent or refused, and
 * what came of it.
 *
 * Rows and bound values are never in it; questions and statements are unless the setting says no.
 * Failure: a record that finds no room in the stream is lost, and counted. */
#include "server/wiring/audit.h"

#include <stdio.h>
#include <time.h>

#include "proto/json_write.h"

enum { RECORD_BYTES = 4 * 1024 * 1024, STAMP_BYTES = 64, MILLION = 1000000 };

struct record {
    struct buf line;
    struct json_write json;
};

static void write_time(struct json_write *json)
{
    char stamp[STAMP_BYTES];
    struct timespec now;
    struct tm utc;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    const size_t length = strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(stamp + length, sizeof stamp - length, ".%03ldZ", now.tv_nsec / MILLION);
    json_write_member_str(json, STR("time"), str_of(stamp));
}

static void write_known(struct json_write *json, struct str key, struct str value)
{
    if (value.len > 0)
        json_write_member_str(json, key, value);
}

/* Each table once, by its name in the database; one that is not there as it was written. */
static void write_tables(struct json_write *json, const struct catalog *catalog,
                         const struct sql_parse *parse)
{
    json_write_key(json, STR("tables"));
    json_write_array(json);
    for (size_t i = 0; parse != NULL && i < parse->table_count; i++) {
        const struct sql_table_ref *ref = &parse->tables[i];
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again = again || (parse->tables[j].table == ref->table &&
                              str_equal(parse->tables[j].name, ref->name));
        if (!again)
            json_write_str(json, ref->table == CATALOG_NONE || catalog == NULL
                                     ? ref->name
                                     : catalog->tables[ref->table].name);
    }
    json_write_array_end(json);
}

static void begin(struct record *record, const struct audit *audit, const struct session *session,
                  struct str event, struct str sql)
{
    struct json_write *json = &record->json;
    const bool has_content = audit->config->audit_content;
    buf_init(&record->line, RECORD_BYTES);
    json_write_init(json, &record->line);
    json_write_object(json);
    write_time(json);
    json_write_member_str(json, STR("event"), event);
    write_known(json, STR("company_id"), session->caller.company_id);
    write_known(json, STR("user_id"), session->caller.user_id);
    write_known(json, STR("role"), session->caller.role);
    write_known(json, STR("conversation_id"), session->caller.conversation_id);
    write_known(json, STR("run_id"), session->run_id);
    write_known(json, STR("graph"), session->graph);
    write_known(json, STR("model"), str_of(audit->config->model));
    if (has_content)
        json_write_member_str(json, STR("question"), session->message);
    if (has_content)
        json_write_member_str(json, STR("sql"), sql);
}

static void end(struct record *record, const struct audit *audit)
{
    json_write_object_end(&record->json);
    buf_push_char(&record->line, '\n');
    const bool is_kept =
        buf_ok(&record->line) && audit_file_put(audit->file, buf_str(&record->line));
    meters_add(audit->meters, audit->metrics, is_kept ? METER_AUDIT_RECORDS : METER_AUDIT_LOST, 1);
    buf_fini(&record->line);
}

void audit_statement(const struct audit *audit, const struct sql_query *query, uint64_t took_ns)
{
    struct record record;
    const struct session *session = query->statement->asker;
    const enum err_code code = query->op.err.code;
    if (audit->file == NULL || session == NULL)
        return;
    const struct sql_verdict *verdict =
        sql_reading_sent(&session->readings, query->statement->text);
    begin(&record, audit, session, STR("statement"), query->statement->text);
    json_write_member_str(&record.json, STR("outcome"),
                          code == ERR_OK ? STR("ok") : str_of(err_name(code)));
    if (verdict != NULL)
        write_tables(&record.json, session->knows->catalog, verdict->sent);
    if (code == ERR_OK)
        json_write_member_u64(&record.json, STR("rows"), query->result.row_count);
    json_write_member_double(&record.json, STR("duration_ms"), (double)took_ns / MILLION);
    end(&record, audit);
}

void audit_refusal(const struct audit *audit, const struct session *session,
                   const struct sql_verdict *verdict, struct str sql)
{
    struct record record;
    if (audit->file == NULL)
        return;
    begin(&record, audit, session, STR("refusal"), sql);
    json_write_member_str(&record.json, STR("rule"),
                          str_of(verdict->rule == NULL ? "" : verdict->rule));
    if (audit->config->audit_content)
        json_write_member_str(&record.json, STR("reason"), str_of(verdict->err.text));
    write_tables(&record.json, session->knows->catalog, verdict->parse);
    end(&record, audit);
}

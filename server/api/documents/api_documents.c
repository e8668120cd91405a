/* SPDX-License-Identifier: MIT */
/* server/api/documents/api_documents.c - queries read, jobs submitted, their ends told.
 *
 * Happy path: the query and the name say whose document it is and of which format; the job is
 * queued at the worker of the company; its end is the answer, or, for a client that accepts
 * text/event-stream, the last of the events that tell how far it is.
 * Failure paths: a parameter that is wrong: 400; a file of no format: 415; documents that the
 * caller may not change: 403; no store of documents: 503; the queue is full: 429; what the file,
 * the stores or the ledger say: their status, or an event "error". The client left: the job goes
 * on. */
#include "server/api/documents/api_documents.h"

#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "proto/sse_write.h"
#include "proto/url.h"
#include "server/api/caller.h"
#include "server/api/documents/document_json.h"
#include "server/http/exchange_wait.h"
#include "server/runs/shard.h"

enum { ANSWER_BYTES = 16 << 20, DOCUMENT_BYTES = 16 * 1024, TELL_MS = 250, LIST_BYTES = 64 << 20 };

struct asked { /* what a request is about */
    struct identity caller;
    struct docs_source source;
    bool is_by_operator;
};

/* ---- the query ---- */

static bool refuse(struct problem *problem, int status, const char *text)
{
    return problem_set(problem, status, problem_code(status), "%s", text);
}

static bool find_param(struct exchange *exchange, const char *name, struct str *value,
                       struct problem *problem)
{
    struct err err = {0};
    *value = (struct str){NULL, 0};
    if (str_is_absent(exchange->request->query) ||
        url_find_param(&exchange->arena, exchange->request->query, str_of(name), value, &err) ==
            ERR_OK)
        return true;
    return problem_set(problem, 400, "invalid_request", "the query: %s", err.text);
}

static bool read_kind(struct exchange *exchange, struct docs_source *source,
                      struct problem *problem)
{
    struct str kind;
    if (!find_param(exchange, "kind", &kind, problem))
        return false;
    source->kind = DOCS_DOCUMENTS;
    if (str_is_absent(kind) ||
        (docs_items_kind(kind, &source->kind) && !document_add_is_records(source->kind)))
        return true;
    return refuse(problem, 400, "kind: expected documents or financial");
}

static const struct config *config_of(const struct exchange *exchange)
{
    return exchange->shard->group->config;
}

/* For whom a caller adds documents who does not say: the company where it may, else itself. */
static bool adds_for_company(const struct exchange *exchange, const struct asked *asked)
{
    return asked->is_by_operator || str_equal(str_of(config_of(exchange)->uploads), STR("company"));
}

/* Whose the document is: the company's, which it is already; empty texts: everybody's. */
static bool read_for(struct exchange *exchange, struct asked *asked, struct problem *problem)
{
    struct str whose;
    if (!find_param(exchange, "for", &whose, problem))
        return false;
    bool is_user =
        str_is_absent(whose) ? !adds_for_company(exchange, asked) : str_equal(whose, STR("user"));
    bool is_company = !is_user && (str_is_absent(whose) || str_equal(whose, STR("company")));
    if (!is_user && !is_company && !str_equal(whose, STR("everybody")))
        return refuse(problem, 400, "for: expected company, user or everybody");
    if (!is_user && !is_company)
        asked->source.company_id = STR("");
    if (is_user)
        asked->source.user_id = asked->caller.user_id;
    return true;
}

static bool read_name(struct exchange *exchange, struct docs_source *source,
                      struct problem *problem)
{
    struct err err = {0};
    if (url_decode(&exchange->arena, exchange->match.params[0], &source->name, &err) != ERR_OK)
        return problem_set(problem, 400, "invalid_request", "the document: %s", err.text);
    bool is_plain = str_is_utf8(source->name);
    for (size_t i = 0; i < source->name.len; i++)
        is_plain = is_plain && (unsigned char)source->name.at[i] >= ' ';
    if (is_plain && source->name.len > 0 && source->name.len <= DOCS_MAX_NAME)
        return true;
    return problem_set(problem, 400, "invalid_request",
                       "the document: expected a name of 1 to %d bytes", DOCS_MAX_NAME);
}

static bool read_asked(struct exchange *exchange, struct asked *asked, bool is_one,
                       struct problem *problem)
{
    *asked = (struct asked){.source = {.user_id = STR("")}};
    if (exchange->shard->documents == NULL)
        return refuse(problem, 503,
                      "there is no store of documents: set ASKD_KEYWORD_URL or ASKD_VECTOR_URL");
    asked->is_by_operator = exchange_is_by_operator(exchange);
    if (!caller_take_query(exchange, &asked->caller, problem))
        return false;
    asked->source.company_id = asked->caller.company_id;
    return !is_one ||
           (read_kind(exchange, &asked->source, problem) && read_for(exchange, asked, problem) &&
            read_name(exchange, &asked->source, problem));
}

/* Why a caller who is no administrator may not change documents of that owner. NULL: it may. */
static const char *find_reason(const struct config *config, struct str company_id,
                               struct str user_id)
{
    struct str uploads = str_of(config->uploads);
    if (str_equal(uploads, STR("off")))
        return "documents are added by administrators here (ASKD_UPLOADS)";
    if (str_is_empty(company_id))
        return "everybody's documents are changed by administrators alone";
    if (str_is_empty(user_id) && str_equal(uploads, STR("user")))
        return "a company's documents are changed by administrators alone here (ASKD_UPLOADS): "
               "for=user is your own";
    return NULL;
}

static bool check_right(const struct exchange *exchange, const struct asked *asked,
                        struct problem *problem)
{
    const char *reason =
        find_reason(config_of(exchange), asked->source.company_id, asked->source.user_id);
    return asked->is_by_operator || reason == NULL || refuse(problem, 403, reason);
}

static bool may_change(const struct exchange *exchange, bool is_by_operator,
                       const struct ledger_entry *entry)
{
    return is_by_operator ||
           (documents_is_uploaded(entry) &&
            find_reason(config_of(exchange), entry->company_id, entry->user_id) == NULL);
}

/* A company's documents are one worker's, and so are everybody's. */
static bool goes_elsewhere(struct exchange *exchange, const struct asked *asked)
{
    struct str company_id = asked->source.company_id;
    size_t home = str_is_empty(company_id) ? 0 : shard_of_conversation(exchange->shard, company_id);
    if (home == exchange->shard->index)
        return false;
    exchange_hand_over(exchange, home);
    return true;
}

/* ---- the format ---- */

/* A name whose ending stands for the type of the body. */
static struct str name_of_type(struct str type)
{
    static const char *const types[][2] = {
        {"text/markdown", "x.md"},
        {"text/html", "x.html"},
        {"text/plain", "x.txt"},
        {"application/pdf", "x.pdf"},
        {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "x.docx"},
        {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "x.xlsx"},
        {"text/csv", "x.csv"},
        {"application/json", "x.json"},
    };
    type = str_trim(str_split(&type, ';'));
    for (size_t i = 0; i < countof(types); i++)
        if (str_equal_nocase(type, str_of(types[i][0])))
            return str_of(types[i][1]);
    return (struct str){NULL, 0};
}

/* By the document's name, or else by the type of the body. */
static bool find_format(const struct exchange *exchange, const struct docs_source *source,
                        struct str *file_name, struct problem *problem)
{
    *file_name = source->name;
    if (document_add_has_format(source->kind, *file_name))
        return true;
    *file_name = name_of_type(http_request_header(exchange->request, STR("Content-Type")));
    return !str_is_absent(*file_name) ||
           refuse(problem, 415,
                  "expected a document's name that ends with .md, .html, .txt, .pdf, .docx, .xlsx, "
                  ".csv, .json or .jsonl, or the Content-Type of one");
}

/* ---- a change ---- */

struct change { /* who waits for a job */
    struct exchange_wait wait;
    struct documents_job *job; /* NULL: it is over */
    struct timer timer;        /* when an event is next */
    bool streams;
};

static void free_change(struct change *change)
{
    timer_stop(&change->timer);
    mem_free(change);
}

static void on_gone(struct exchange_wait *wait)
{
    struct change *change = container_of(wait, struct change, wait);
    change->job->on_end = NULL;
    free_change(change);
}

struct frame { /* of a stream, being written */
    struct json_write json;
    size_t chunk, data;
};

static void begin_event(struct exchange *exchange, struct frame *event, const char *name)
{
    struct buf *out = exchange->channel->out;
    event->chunk = exchange_frames_begin(exchange);
    event->data = sse_write_begin(out, STR(""));
    json_write_init(&event->json, out);
    json_write_object(&event->json);
    json_write_member_str(&event->json, STR("event"), str_of(name));
}

static void end_event(struct exchange *exchange, struct frame *event)
{
    json_write_object_end(&event->json);
    sse_write_end(exchange->channel->out, event->data);
    exchange_frames_end(exchange, event->chunk);
    channel_flush(exchange->channel);
}

/* A client that reads slowly misses events between the first and the last: each says all. */
static void tell(struct timer *timer)
{
    struct change *change = container_of(timer, struct change, timer);
    struct exchange *exchange = change->wait.exchange;
    struct frame event;
    timer_start(timer, exchange->shard->loop, TELL_MS, tell);
    if (channel_is_high(exchange->channel))
        return;
    begin_event(exchange, &event, "progress");
    json_write_key(&event.json, STR("document"));
    document_json_job(&event.json, change->job);
    end_event(exchange, &event);
}

static const char *outcome_of(const struct documents_job *job)
{
    if (job->add.is_unchanged)
        return "unchanged";
    return job->was_there ? "updated" : "added";
}

/* Write the members that tell how a document was added. */
static void write_end(const struct exchange *exchange, const struct documents_job *job,
                      struct json_write *json)
{
    const struct ledger_entry entry = {
        .collection = docs_items_collection(job->source.kind),
        .company_id = job->source.company_id,
        .user_id = job->source.user_id,
        .name = job->source.name,
        .source = job->options.from,
        .title = job->add.title,
        .hash = str_of(job->add.hash),
        .passages = job->add.count,
        .added_ms = job->add.is_unchanged && job->options.before != NULL
                        ? job->options.before->added_ms
                        : job->add.entry.added_ms,
    };
    json_write_member_str(json, STR("outcome"), str_of(outcome_of(job)));
    json_write_key(json, STR("document"));
    document_json_entry(json, &entry, may_change(exchange, job->is_by_operator, &entry));
}

static void end_stream(struct exchange *exchange, const struct documents_job *job,
                       const struct err *err)
{
    struct frame event;
    begin_event(exchange, &event, err->code == ERR_OK ? "complete" : "error");
    if (err->code == ERR_OK) {
        write_end(exchange, job, &event.json);
    } else {
        json_write_member_str(&event.json, STR("code"), str_of(err_name(err->code)));
        json_write_member_str(&event.json, STR("message"),
                              str_of(exchange_tell_error(
                                  exchange, problem_code(err_http_status(err->code)), err->text)));
    }
    end_event(exchange, &event);
    exchange_pieces_end(exchange);
}

static void answer(struct exchange *exchange, const struct documents_job *job,
                   const struct err *err)
{
    struct problem problem;
    struct json_write json;
    struct buf out;
    if (err->code == ERR_INVALID || err->code == ERR_REJECTED) {
        problem_set(&problem, 422, "invalid_request", "%s", err->text);
        exchange_problem(exchange, &problem);
    } else if (err->code != ERR_OK) {
        exchange_fail(exchange, err);
    } else if (job->removes) {
        exchange_reply(exchange, 204, NULL, STR(""));
    } else {
        buf_init(&out, DOCUMENT_BYTES);
        json_write_init(&json, &out);
        json_write_object(&json);
        write_end(exchange, job, &json);
        json_write_object_end(&json);
        exchange_reply_json(exchange, job->was_there ? 200 : 201, &out);
    }
}

static void on_end(struct documents_job *job, const struct err *err)
{
    struct change *change = job->owner;
    struct exchange *exchange = exchange_wait_take(&change->wait);
    bool streams = change->streams;
    free_change(change);
    if (streams)
        end_stream(exchange, job, err);
    else
        answer(exchange, job, err);
}

static bool accepts_events(const struct exchange *exchange)
{
    return str_find(http_request_header(exchange->request, STR("Accept")),
                    STR("text/event-stream")) != STR_NONE;
}

static void begin(struct exchange *exchange, struct documents_job *job, bool streams)
{
    struct change *change = mem_zalloc(1, sizeof *change);
    struct err err;
    if (change == NULL) {
        documents_drop(job);
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        exchange_fail(exchange, &err);
        return;
    }
    job->owner = change;
    job->on_end = on_end;
    change->job = job;
    change->streams = streams;
    if (documents_submit(exchange->shard->documents, job, &err) != ERR_OK) {
        documents_drop(job);
        mem_free(change);
        exchange_fail(exchange, &err);
        return;
    }
    exchange_wait_begin(&change->wait, exchange, on_gone);
    if (!streams)
        return;
    exchange_pieces(exchange, STR("Content-Type: text/event-stream\r\nCache-Control: no-store\r\n"
                                  "X-Accel-Buffering: no\r\n"));
    tell(&change->timer);
}

/* A job of what is asked, its names copied. NULL: answered. */
static struct documents_job *make_job(struct exchange *exchange, const struct asked *asked)
{
    struct documents_job *job = documents_make();
    struct err err;
    if (job != NULL) {
        struct arena *arena = &job->arena;
        job->source = (struct docs_source){asked->source.kind, arena_str(arena, asked->source.name),
                                           arena_str(arena, asked->source.company_id),
                                           arena_str(arena, asked->source.user_id)};
        job->by = arena_str(arena, asked->caller.user_id);
        job->is_by_operator = asked->is_by_operator;
    }
    if (job != NULL && arena_ok(&job->arena))
        return job;
    if (job != NULL)
        documents_drop(job);
    err_set(&err, ERR_NO_MEMORY, "no memory for another request");
    exchange_fail(exchange, &err);
    return NULL;
}

void api_documents_put(struct exchange *exchange)
{
    struct str body = exchange->request->body, file_name;
    const uint64_t most = config_of(exchange)->document_bytes;
    struct problem problem;
    struct asked asked;
    if (!read_asked(exchange, &asked, true, &problem) || !check_right(exchange, &asked, &problem) ||
        !find_format(exchange, &asked.source, &file_name, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    if (body.len == 0 || body.len > most) {
        if (body.len == 0)
            refuse(&problem, 422, "the body: expected the bytes of a file");
        else
            refuse(&problem, 413, "the file is longer than ASKD_UPLOAD_BYTES");
        exchange_problem(exchange, &problem);
        return;
    }
    if (goes_elsewhere(exchange, &asked))
        return;
    struct documents_job *job = make_job(exchange, &asked);
    if (job == NULL)
        return;
    job->file_name = arena_str(&job->arena, file_name);
    channel_take_body(exchange->channel, &job->bytes);
    if (arena_ok(&job->arena)) {
        begin(exchange, job, accepts_events(exchange));
        return;
    }
    struct err err;
    documents_drop(job);
    err_set(&err, ERR_NO_MEMORY, "no memory for the file");
    exchange_fail(exchange, &err);
}

void api_documents_remove(struct exchange *exchange)
{
    struct problem problem;
    struct asked asked;
    if (!read_asked(exchange, &asked, true, &problem) || !check_right(exchange, &asked, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    if (goes_elsewhere(exchange, &asked))
        return;
    struct documents_job *job = make_job(exchange, &asked);
    if (job == NULL)
        return;
    job->removes = true;
    begin(exchange, job, false);
}

/* ---- looking ---- */

struct look {
    struct exchange_wait wait;
    struct documents *documents;
    struct asked asked; /* its texts are in arena */
    bool is_one;
    struct arena arena;
    struct ledger_call listing;
};

static void free_look(struct look *look)
{
    op_release(&look->listing.op);
    arena_fini(&look->arena);
    mem_free(look);
}

static void on_left(struct exchange_wait *wait)
{
    op_cancel(&container_of(wait, struct look, wait)->listing.op);
}

struct listing { /* being written */
    const struct exchange *exchange;
    const struct look *look;
    struct json_write json;
};

static void write_entry(struct listing *listing, const struct ledger_entry *entry)
{
    bool is_by_operator = listing->look->asked.is_by_operator;
    document_json_entry(&listing->json, entry,
                        may_change(listing->exchange, is_by_operator, entry));
}

static void list_job(const struct documents_job *job, void *owner)
{
    struct listing *listing = owner;
    if (document_json_is_seen(&listing->look->asked.caller, job->source.company_id,
                              job->source.user_id))
        document_json_job(&listing->json, job);
}

/* For whom this caller adds documents when it does not say; null: it adds none. */
static void write_adds_for(struct listing *listing)
{
    struct json_write *json = &listing->json;
    const struct asked *asked = &listing->look->asked;
    bool adds = asked->is_by_operator ||
                !str_equal(str_of(config_of(listing->exchange)->uploads), STR("off"));
    json_write_key(json, STR("adds_for"));
    if (adds)
        json_write_str(json,
                       adds_for_company(listing->exchange, asked) ? STR("company") : STR("user"));
    else
        json_write_null(json);
}

static void write_list(struct listing *listing)
{
    const struct look *look = listing->look;
    struct json_write *json = &listing->json;
    json_write_object(json);
    json_write_key(json, STR("documents"));
    json_write_array(json);
    documents_visit(look->documents, list_job, listing);
    for (size_t i = 0; i < look->listing.count; i++) {
        const struct ledger_entry *entry = &look->listing.entries[i];
        if (document_json_is_seen(&look->asked.caller, entry->company_id, entry->user_id) &&
            !documents_is_adding(look->documents, entry))
            write_entry(listing, entry);
    }
    json_write_array_end(json);
    write_adds_for(listing);
    json_write_object_end(json);
}

/* Write the one document that is asked for. False: there is none. */
static bool write_one(struct listing *listing)
{
    const struct look *look = listing->look;
    const struct documents_job *job = documents_find(look->documents, &look->asked.source);
    if (job != NULL) {
        document_json_job(&listing->json, job);
        return true;
    }
    for (size_t i = 0; i < look->listing.count; i++) {
        if (!documents_is_of(&look->listing.entries[i], &look->asked.source))
            continue;
        write_entry(listing, &look->listing.entries[i]);
        return true;
    }
    return false;
}

static void on_listed(struct op *op)
{
    struct look *look = op_owner(op);
    struct exchange *exchange = exchange_wait_take(&look->wait);
    struct problem problem;
    struct buf out;
    if (exchange == NULL) {
        free_look(look);
        return;
    }
    struct listing listing = {.exchange = exchange, .look = look};
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&listing.json, &out);
    if (op->err.code != ERR_OK) {
        exchange_fail_stored(exchange, &op->err);
    } else if (!look->is_one) {
        write_list(&listing);
        exchange_reply_json(exchange, 200, &out);
    } else if (write_one(&listing)) {
        exchange_reply_json(exchange, 200, &out);
    } else {
        refuse(&problem, 404, "there is no such document");
        exchange_problem(exchange, &problem);
    }
    buf_fini(&out);
    free_look(look);
}

static void look_up(struct exchange *exchange, bool is_one)
{
    struct problem problem;
    struct asked asked;
    if (!read_asked(exchange, &asked, is_one, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    if (goes_elsewhere(exchange, &asked))
        return;
    struct look *look = mem_zalloc(1, sizeof *look);
    if (look == NULL) {
        struct err err;
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        exchange_fail(exchange, &err);
        return;
    }
    arena_init(&look->arena, LIST_BYTES);
    look->is_one = is_one;
    look->documents = exchange->shard->documents;
    look->asked = asked;
    look->asked.caller = identity_copy(&look->arena, &asked.caller);
    look->asked.source.name = arena_str(&look->arena, asked.source.name);
    look->asked.source.company_id = arena_str(&look->arena, asked.source.company_id);
    look->asked.source.user_id = arena_str(&look->arena, asked.source.user_id);
    exchange_wait_begin(&look->wait, exchange, on_left);
    ledger_list_start(&look->listing, documents_ledger(look->documents),
                      &look->asked.source.company_id, &look->arena,
                      (struct op_waiter){.done = on_listed, .owner = look});
}

void api_documents_list(struct exchange *exchange)
{
    look_up(exchange, false);
}

void api_documents_show(struct exchange *exchange)
{
    look_up(exchange, true);
}

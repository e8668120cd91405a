/* SPDX-License-Identifier: MIT */
/* server/cli/check/trials.c - loop_run, stopped by the end of the one thing that is tried.
 *
 * Happy path: a table of parts is gone through; each writes one line or several. Failure: a part
 * that does not answer is a line with the verdict TRIAL_WRONG, and the next part is tried. */
#include "server/cli/check/trials.h"

#include <inttypes.h>
#include <string.h>

#include "agents/registry.h"
#include "agents/sql/guard/tenancy_report.h"
#include "backends/ledger.h"
#include "core/base/mem.h"
#include "server/auth/auth_book.h"
#include "server/config/config_tools.h"
#include "server/config/database_url.h"
#include "server/wiring/checkpoint_stores.h"
#include "server/wiring/document_stores.h"
#include "server/wiring/knowledge.h"
#include "server/wiring/wiring.h"

enum {
    ROOM_BYTES = 256 * 1024,
    ANSWER_BYTES = 1024 * 1024,
    LEDGER_BYTES = 1 << 30,
    MODEL_MS = 30 * 1000, /* until a model that was asked for a word is called silent */
    ANSWER_TOKENS = 256,  /* room for a model that reasons before it says the word */
    NS_PER_MS = 1000000,
};

struct trials {
    const struct config *config;
    struct loop *loop;
    struct log log;
    struct wiring wiring;
    bool wired;
    size_t next; /* the part that is tried next */
    struct knowledge_set *set;
    struct buf room; /* of the lines of one part */
};

static void on_done(struct op *op)
{
    loop_stop(op_owner(op));
}

static void on_closed(void *owner)
{
    loop_stop(owner);
}

static struct op_waiter waiter_of(struct trials *trials)
{
    return (struct op_waiter){on_done, trials->loop, NULL};
}

static void wait_for(struct trials *trials, const struct op *op)
{
    while (op_is_pending(op))
        loop_run(trials->loop);
}

/* ---- lines ---- */

/* End the line that was written to room since began; trials_next says where it lies in the end. */
static void end_line(struct trials *trials, struct trial *trial, enum trial_verdict verdict,
                     size_t began)
{
    if (trial->line_count == TRIAL_MOST_LINES)
        return;
    trial->lines[trial->line_count].verdict = verdict;
    trial->lines[trial->line_count++].text.len = buf_len(&trials->room) - began;
}

#define SAY(trials, trial, verdict, ...)                                                           \
    do {                                                                                           \
        size_t began_ = buf_len(&(trials)->room);                                                  \
        buf_printf(&(trials)->room, __VA_ARGS__);                                                  \
        end_line((trials), (trial), (verdict), began_);                                            \
    } while (0)

static uint64_t ms_since(uint64_t began_ns)
{
    return (loop_precise_ns() - began_ns) / NS_PER_MS;
}

/* ---- the database ---- */

/* How many tables a role may write to, by dialect; SQLite is opened for reading only. */
static const char *const writable[] = {
    [SQL_SQLITE] = NULL,
    [SQL_POSTGRES] =
        "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind IN ('r','p') AND n.nspname NOT IN ('pg_catalog','information_schema') "
        "AND n.nspname NOT LIKE 'pg\\_toast%' AND has_schema_privilege(n.oid,'USAGE') "
        "AND (has_table_privilege(c.oid,'INSERT') OR has_table_privilege(c.oid,'UPDATE') "
        "OR has_table_privilege(c.oid,'DELETE') OR has_table_privilege(c.oid,'TRUNCATE'))",
    [SQL_MYSQL] = "SELECT (SELECT count(*) FROM information_schema.user_privileges "
                  "WHERE privilege_type IN ('INSERT','UPDATE','DELETE','DROP','ALTER','SUPER')) + "
                  "(SELECT count(*) FROM information_schema.schema_privileges "
                  "WHERE table_schema = DATABASE() "
                  "AND privilege_type IN ('INSERT','UPDATE','DELETE','DROP','ALTER')) + "
                  "(SELECT count(DISTINCT table_name) FROM information_schema.table_privileges "
                  "WHERE table_schema = DATABASE() "
                  "AND privilege_type IN ('INSERT','UPDATE','DELETE','DROP','ALTER'))",
};

static void try_role(struct trials *trials, struct trial *trial)
{
    struct sql *sql = trials->wiring.sql;
    const char *text = writable[sql->dialect];
    if (text == NULL) {
        SAY(trials, trial, TRIAL_FINE, "it is opened for reading only");
        return;
    }
    const struct sql_statement statement = {.text = str_of(text)};
    struct sql_query query = {0};
    sql_query_start(&query, sql, &statement, waiter_of(trials));
    wait_for(trials, &query.op);
    if (query.op.err.code != ERR_OK || query.result.row_count != 1)
        SAY(trials, trial, TRIAL_DOUBTFUL, "whether its role may write could not be read");
    else if (query.result.values[0].integer == 0)
        SAY(trials, trial, TRIAL_FINE, "its role may only read");
    else
        SAY(trials, trial, TRIAL_DOUBTFUL,
            "its role may write; askd never does, but give it a role that may only read "
            "(README, \"Your own data\")");
    op_release(&query.op);
}

static void say_warnings(struct trials *trials, struct trial *trial)
{
    struct str warnings = buf_str(&trials->set->warnings);
    while (warnings.len > 0) {
        struct str line = str_split(&warnings, '\n');
        SAY(trials, trial, TRIAL_DOUBTFUL, "%.*s", STR_ARG(line));
    }
}

static void say_companies(struct trials *trials, struct trial *trial)
{
    const struct config *config = trials->config;
    const struct catalog *catalog = trials->set->catalog;
    size_t with = 0, of = 0;
    if (config->tenant_column[0] == '\0') {
        if (strcmp(config->tenancy, "off") == 0)
            SAY(trials, trial, TRIAL_FINE, "ASKD_TENANCY=off: everybody may see every row");
        return;
    }
    for (size_t i = 0; i < catalog->table_count; i++) {
        if (catalog->tables[i].hidden)
            continue;
        of++;
        with += catalog->tables[i].tenant_column != CATALOG_NONE;
    }
    SAY(trials, trial, with > 0 ? TRIAL_FINE : TRIAL_WRONG,
        "the tenant column %s is in %zu of %zu tables", config->tenant_column, with, of);
    if (buf_len(&trials->set->tenancy) > 0)
        SAY(trials, trial, TRIAL_FINE, "%.*s", STR_ARG(buf_str(&trials->set->tenancy)));
}

static size_t visible_tables(const struct catalog *catalog)
{
    size_t count = 0;
    for (size_t i = 0; i < catalog->table_count; i++)
        count += !catalog->tables[i].hidden;
    return count;
}

static void say_read(struct trials *trials, struct trial *trial, uint64_t ms)
{
    const struct knowledge_set *set = trials->set;
    const char *engine = trials->wiring.sql->vtable->name;
    if (set->catalog != NULL) {
        SAY(trials, trial, set->knows.catalog != NULL ? TRIAL_FINE : TRIAL_WRONG,
            "%s: %zu tables read in %" PRIu64 " ms", engine, visible_tables(set->catalog), ms);
        if (set->catalog->table_count == 0)
            SAY(trials, trial, TRIAL_WRONG, "no table may be read; grant SELECT to its role");
        say_companies(trials, trial);
    }
    if (set->knows.catalog == NULL)
        SAY(trials, trial, TRIAL_WRONG, "%s", set->knows.catalog_err.text);
}

static void try_database(struct trials *trials, struct trial *trial)
{
    struct knowledge_load load = {0};
    uint64_t began_ns = loop_precise_ns();
    knowledge_load_start(&load, trials->loop, trials->config, trials->wiring.sql,
                         waiter_of(trials));
    wait_for(trials, &load.op);
    trials->set = load.set;
    if (load.set == NULL) {
        SAY(trials, trial, TRIAL_WRONG, "%s", load.op.err.text);
    } else if (trials->wiring.sql == NULL) {
        SAY(trials, trial, TRIAL_DOUBTFUL,
            "ASKD_DATABASE_URL is not set: no question about data can be answered");
    } else {
        wiring_know(&trials->wiring, &load.set->knows);
        say_read(trials, trial, ms_since(began_ns));
        say_warnings(trials, trial);
        if (load.set->catalog != NULL)
            try_role(trials, trial);
    }
    op_release(&load.op);
}

/* ---- the model, and what makes vectors ---- */

static void try_model(struct trials *trials, struct trial *trial)
{
    struct llm *llm = trials->wiring.llm;
    if (llm == trials->wiring.offline) {
        SAY(trials, trial, TRIAL_FINE, "the offline engine: no language model is asked");
        return;
    }
    struct arena arena;
    struct llm_chat chat = {0};
    const struct llm_message message = {.role = LLM_USER,
                                        .text = STR("Answer with the one word: ready")};
    const struct llm_prompt prompt = {.task = "check",
                                      .messages = &message,
                                      .message_count = 1,
                                      .temperature = -1,
                                      .max_output_tokens = ANSWER_TOKENS,
                                      .timeout_ms = MODEL_MS,
                                      .arena = &arena};
    uint64_t began_ns = loop_precise_ns();
    arena_init(&arena, ANSWER_BYTES);
    llm_chat_start(&chat, llm, &prompt, NULL, waiter_of(trials));
    wait_for(trials, &chat.op);
    if (chat.op.err.code != ERR_OK)
        SAY(trials, trial, TRIAL_WRONG, "%s", chat.op.err.text);
    else if (str_equal(chat.model, STR("offline")))
        SAY(trials, trial, TRIAL_WRONG,
            "it does not answer; the offline engine stands in (ASKD_MODEL_FALLBACK)");
    else
        SAY(trials, trial, chat.text.len > 0 ? TRIAL_FINE : TRIAL_DOUBTFUL,
            "%.*s answered in %" PRIu64 " ms%s", STR_ARG(chat.model), ms_since(began_ns),
            chat.text.len > 0 ? "" : ", but without a word");
    op_release(&chat.op);
    arena_fini(&arena);
}

static void try_embeddings(struct trials *trials, struct trial *trial)
{
    const struct str text = STR("ready");
    const struct embed_request request = {.texts = &text, .count = 1, .timeout_ms = MODEL_MS};
    struct embed_texts texts = {0};
    uint64_t began_ns = loop_precise_ns();
    embed_texts_start(&texts, trials->wiring.embed, &request, waiter_of(trials));
    wait_for(trials, &texts.op);
    if (texts.op.err.code != ERR_OK)
        SAY(trials, trial, TRIAL_WRONG, "%s", texts.op.err.text);
    else
        SAY(trials, trial, TRIAL_FINE, "%.*s: %zu dimensions in %" PRIu64 " ms",
            STR_ARG(embed_model(trials->wiring.embed)), texts.dimensions, ms_since(began_ns));
    op_release(&texts.op);
}

/* Two texts of which one answers: whether the reranker sees it is told, too. */
static void try_reranker(struct trials *trials, struct trial *trial)
{
    static const struct str of[] = {STR("Bread is baked in the morning."),
                                    STR("Overtime is paid at twice the hourly rate.")};
    const struct rerank_request request = {.query = STR("How is overtime paid?"),
                                           .texts = of,
                                           .count = countof(of),
                                           .timeout_ms = MODEL_MS};
    struct rerank_texts texts = {0};
    uint64_t began_ns = loop_precise_ns();
    if (trials->wiring.rerank == NULL)
        return;
    rerank_texts_start(&texts, trials->wiring.rerank, &request, waiter_of(trials));
    wait_for(trials, &texts.op);
    if (texts.op.err.code != ERR_OK)
        SAY(trials, trial, TRIAL_WRONG, "%s", texts.op.err.text);
    else if (texts.scores[1] <= texts.scores[0])
        SAY(trials, trial, TRIAL_DOUBTFUL,
            "it answered in %" PRIu64 " ms, but puts a text about bread before one about overtime "
            "for a question about overtime",
            ms_since(began_ns));
    else
        SAY(trials, trial, TRIAL_FINE, "two texts put in order in %" PRIu64 " ms",
            ms_since(began_ns));
    op_release(&texts.op);
}

/* ---- who may call, and which graphs there are ---- */

static void try_callers(struct trials *trials, struct trial *trial)
{
    const struct config *config = trials->config;
    struct err err = {0};
    struct auth_book *book = auth_book_load(config->api_keys, config->auth_file, &err);
    if (book == NULL)
        SAY(trials, trial, TRIAL_WRONG, "ASKD_AUTH_FILE: %s", err.text);
    else if (config->api_keys[0] == '\0' && config->auth_file[0] == '\0')
        SAY(trials, trial, TRIAL_FINE, "no keys: whoever is on this machine, nobody else");
    else
        SAY(trials, trial, TRIAL_FINE, "whoever shows a key%s",
            config->auth_file[0] == '\0' ? "" : " or token of ASKD_AUTH_FILE");
    auth_book_unref(book);
}

/* The graphs in files; without ASKD_GRAPHS nothing is said. */
static void try_graphs(struct trials *trials, struct trial *trial)
{
    const struct config *config = trials->config;
    struct registry *registry = NULL;
    struct limits limits;
    struct err err = {0};
    size_t count = 0;
    if (config->graphs[0] == '\0')
        return;
    config_limits(config, &limits);
    enum err_code code = registry_create(&limits, &registry, &err);
    if (code == ERR_OK) {
        registry_know_tools(registry, config_has_tool, config);
        code = registry_load_files(registry, config->graphs, &count, &err);
    }
    if (code != ERR_OK)
        SAY(trials, trial, TRIAL_WRONG, "ASKD_GRAPHS: %s", err.text);
    else
        SAY(trials, trial, TRIAL_FINE, "%zu in files", count);
    registry_destroy(registry);
}

/* ---- stores and documents ---- */

static void try_stores(struct trials *trials, struct trial *trial)
{
    struct err err = {0};
    struct buf url;
    const struct config *config = trials->config;
    buf_init(&url, ROOM_BYTES);
    database_url_mask(&url, str_of(config->checkpoint_url[0] != '\0' ? config->checkpoint_url
                                                                     : config->conversation_path));
    if (checkpoint_stores_try(config, &err) != ERR_OK)
        SAY(trials, trial, TRIAL_WRONG, "%s", err.text);
    else
        SAY(trials, trial, TRIAL_FINE, "%.*s", STR_ARG(buf_str(&url)));
    buf_fini(&url);
}

static void say_documents(struct trials *trials, struct trial *trial,
                          const struct ledger_call *call)
{
    uint64_t passages = 0;
    for (size_t i = 0; i < call->count; i++)
        passages += call->entries[i].passages;
    SAY(trials, trial, TRIAL_FINE, "%zu document%s, %" PRIu64 " passage%s", call->count,
        call->count == 1 ? "" : "s", passages, passages == 1 ? "" : "s");
}

/* The ledger is not made by looking whether it is there. */
static void try_ledger(struct trials *trials, struct trial *trial)
{
    struct err err;
    if (!document_stores_has_ledger(trials->config)) {
        SAY(trials, trial, TRIAL_FINE, "none added yet (askd docs add)");
        return;
    }
    struct arena arena;
    struct ledger_call call = {.count = 0};
    struct ledger *ledger = document_stores_open_ledger(trials->loop, trials->config, &err);
    if (ledger == NULL) {
        SAY(trials, trial, TRIAL_WRONG, "the ledger of documents: %s", err.text);
        return;
    }
    arena_init(&arena, LEDGER_BYTES);
    ledger_list_start(&call, ledger, NULL, &arena, waiter_of(trials));
    wait_for(trials, &call.op);
    if (call.op.err.code != ERR_OK)
        SAY(trials, trial, TRIAL_WRONG, "the ledger of documents: %s", call.op.err.text);
    else
        say_documents(trials, trial, &call);
    op_release(&call.op);
    arena_fini(&arena);
    ledger_close(ledger, on_closed, trials->loop);
    loop_run(trials->loop);
}

/* A search for nothing in particular: whether the store answers at all. */
static void try_words(struct trials *trials, struct trial *trial)
{
    struct err err = {0};
    if (trials->wiring.vec != NULL && vec_ready(trials->wiring.vec, &err) != ERR_OK)
        SAY(trials, trial, TRIAL_WRONG, "vectors: %s", err.text);
    if (trials->wiring.text != NULL && text_ready(trials->wiring.text, &err) != ERR_OK)
        SAY(trials, trial, TRIAL_WRONG, "words: %s", err.text);
    try_ledger(trials, trial);
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    void (*try)(struct trials *trials, struct trial *trial);
} parts[] = {
    {"database", try_database}, {"model", try_model},   {"embeddings", try_embeddings},
    {"reranker", try_reranker}, {"stores", try_stores}, {"documents", try_words},
    {"callers", try_callers},   {"graphs", try_graphs},
};

bool trials_next(struct trials *trials, struct trial *trial)
{
    if (trials->next == countof(parts))
        return false;
    buf_clear(&trials->room);
    *trial = (struct trial){.part = parts[trials->next].name};
    parts[trials->next++].try(trials, trial);
    struct str rest = buf_str(&trials->room); /* which moves no more */
    for (size_t i = 0; i < trial->line_count; i++) {
        const size_t len = size_min(trial->lines[i].text.len, rest.len); /* no memory: less */
        trial->lines[i].text = str_slice(rest, 0, len);
        rest = str_from(rest, len);
    }
    return true;
}

struct trials *trials_open(const struct config *config, struct err *err)
{
    struct trials *trials = mem_zalloc(1, sizeof *trials);
    if (trials == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory");
        return NULL;
    }
    trials->config = config;
    trials->log = (struct log){.format = config->log_format, .level = LOG_ERROR};
    buf_init(&trials->room, ROOM_BYTES);
    trials->loop = loop_create();
    if (trials->loop == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory or no descriptors for a loop");
    } else {
        trials->wired = true;
        if (wiring_open(&trials->wiring, trials->loop, config, &trials->log,
                        &(struct wiring_share){.workers = 1}, err) == ERR_OK)
            return trials;
    }
    trials_close(trials);
    return NULL;
}

void trials_close(struct trials *trials)
{
    if (trials == NULL)
        return;
    if (trials->wired) {
        wiring_close(&trials->wiring, on_closed, trials->loop);
        loop_run(trials->loop);
        loop_run(trials->loop); /* until all that closes later is closed */
    }
    knowledge_destroy_set(trials->set);
    loop_destroy(trials->loop);
    buf_fini(&trials->room);
    mem_free(trials);
}

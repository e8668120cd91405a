/* SPDX-License-Identifier: MIT */
/* server/runs.c - entries in lists and maps; one state each, one set_state.
 *
 * Happy path: submit makes a run, finds it a place, starts it; its end tells the watchers, is
 * counted, and the entry lingers until its time or the memory for ended runs is over.
 * Failure paths:
 * - no place, draining, a busy or foreign conversation: refused before a run exists;
 * - the graph refuses the input: the run is destroyed, nothing stays;
 * - readers leave: the grace period, then cancel;
 * - a run that ends badly after it streamed text: the text is kept in the conversation, marked. */
#include "server/runs.h"

#include <stdio.h>

#include "agents/memory/history.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/timer.h"
#include "proto/json_write.h"
#include "server/event_json.h"
#include "server/run_text.h"
#include "server/turns.h"

enum { MAX_PARTIAL_BYTES = 256 * 1024, KEY_BYTES = 800 };

enum entry_state { ENTRY_WAITING, ENTRY_ACTIVE, ENTRY_ENDED, ENTRY_STATE_COUNT };

static const char *const state_names[ENTRY_STATE_COUNT] = {"waiting", "active", "ended"};

struct runs {
    struct runs_options options;
    struct map by_id, by_key;
    struct turns turns;
    struct list lists[ENTRY_STATE_COUNT]; /* one per state, oldest first */
    size_t counts[ENTRY_STATE_COUNT];
    size_t kept_bytes; /* of ended runs */
};

struct runs_entry {
    struct runs *runs;
    struct run *run;
    const struct registry_entry *registry;
    struct knowledge_pin *pin;
    struct session session;
    struct str key;   /* of by_key; absent: none */
    struct turns_member turn;
    struct list link; /* in the list of its state */
    struct list watches;
    enum entry_state state;
    struct timer timer; /* grace while open, linger when ended */
    struct loop_task end_task;
    size_t bytes; /* counted into kept_bytes */
    bool cancel_on_disconnect;
};

static void start_waiting(struct runs *runs);

static void show_counts(struct runs *runs)
{
    const struct runs_options *o = &runs->options;
    meters_set(o->meters, o->metrics, METER_RUNS, (int64_t)runs->counts[ENTRY_ACTIVE]);
    meters_set(o->meters, o->metrics, METER_RUNS_QUEUED, (int64_t)runs->counts[ENTRY_WAITING]);
    meters_set(o->meters, o->metrics, METER_RUNS_KEPT, (int64_t)runs->counts[ENTRY_ENDED]);
}

static void set_state(struct runs_entry *entry, enum entry_state next)
{
    struct runs *runs = entry->runs;
    CHECK(next > entry->state || !list_is_linked(&entry->link));
    if (list_is_linked(&entry->link)) {
        list_remove(&entry->link);
        runs->counts[entry->state]--;
        LOG(runs->options.log, DEBUG, "run.state", "run=%s from=%s to=%s", run_id(entry->run),
            state_names[entry->state], state_names[next]);
    }
    entry->state = next;
    list_push(&runs->lists[next], &entry->link);
    runs->counts[next]++;
    show_counts(runs);
}

/* ---- the end of an entry ---- */

static void unpin(struct runs *runs, struct knowledge_pin *pin)
{
    if (pin != NULL && --pin->runs == 0 && pin->is_old)
        runs->options.on_unpinned(runs->options.owner, pin);
}

static void destroy_entry(struct runs_entry *entry)
{
    struct runs *runs = entry->runs;
    timer_stop(&entry->timer);
    loop_unpost(&entry->end_task);
    turns_leave(&runs->turns, &entry->turn);
    if (map_find(&runs->by_id, str_of(run_id(entry->run))) == entry)
        (void)map_take(&runs->by_id, str_of(run_id(entry->run)));
    if (!str_is_absent(entry->key) && map_find(&runs->by_key, entry->key) == entry)
        (void)map_take(&runs->by_key, entry->key);
    if (list_is_linked(&entry->link)) {
        list_remove(&entry->link);
        runs->counts[entry->state]--;
    }
    runs->kept_bytes -= entry->bytes;
    show_counts(runs);
    unpin(runs, entry->pin);
    run_destroy(entry->run);
    mem_free(entry);
}

static void on_linger_over(struct timer *timer)
{
    struct runs_entry *entry = container_of(timer, struct runs_entry, timer);
    if (list_is_empty(&entry->watches))
        destroy_entry(entry);
}

/* Ended and unwatched: keep it for a while, within the memory there is. */
static void linger(struct runs_entry *entry)
{
    const struct config *config = entry->runs->options.config;
    uint64_t ms = str_is_absent(entry->key) ? config->linger_ms : config->idempotency_ms;
    timer_start(&entry->timer, entry->runs->options.loop, ms, on_linger_over);
}

static void make_room(struct runs *runs)
{
    size_t limit = runs->options.config->linger_bytes / runs->options.worker_count;
    LIST_EACH_SAFE (link, &runs->lists[ENTRY_ENDED]) {
        struct runs_entry *entry = list_item(link, struct runs_entry, link);
        if (runs->kept_bytes <= limit)
            return;
        if (list_is_empty(&entry->watches) && !list_is_linked(&entry->end_task.link))
            destroy_entry(entry);
    }
}

/* ---- the end of a run ---- */

static enum err_code result_of(const struct runs_entry *entry)
{
    struct str code, message;
    return run_result(entry->run, &code, &message);
}

static void keep_partial(struct runs_entry *entry)
{
    struct history *history = entry->runs->options.services->history;
    const struct session *s = &entry->session;
    const struct history_key key = {s->conversation_id, s->company_id, s->user_id};
    struct buf text;
    if (history == NULL || str_is_empty(s->conversation_id) ||
        result_of(entry) == ERR_OK)
        return;
    buf_init(&text, MAX_PARTIAL_BYTES);
    run_text_collect(entry->run, &text);
    if (buf_ok(&text) && buf_len(&text) > 0 &&
        (history_append(history, &key, LLM_USER, s->message, false) != ERR_OK ||
         history_append(history, &key, LLM_ASSISTANT, buf_str(&text), true) != ERR_OK))
        LOG(entry->runs->options.log, WARN, "conversation.not_saved", "run=%s",
            run_id(entry->run));
    buf_fini(&text);
}

static void count_run(struct runs_entry *entry)
{
    const struct runs_options *o = &entry->runs->options;
    const struct run_stats *stats = run_stats(entry->run);
    enum err_code code = result_of(entry);
    meters_add(o->meters, o->metrics,
               code == ERR_OK          ? METER_RUNS_COMPLETE
               : code == ERR_CANCELLED ? METER_RUNS_CANCELLED
                                       : METER_RUNS_ERROR,
               1);
    meters_observe_ms(o->meters, o->metrics, METER_RUN_SECONDS, stats->duration_ms);
    if (stats->ttft_ms > 0)
        meters_observe_ms(o->meters, o->metrics, METER_FIRST_TOKEN_SECONDS, stats->ttft_ms);
    meters_add(o->meters, o->metrics, METER_LLM_CALLS, (int64_t)stats->llm_calls);
    meters_add(o->meters, o->metrics, METER_TOKENS_IN, (int64_t)stats->prompt_tokens);
    meters_add(o->meters, o->metrics, METER_TOKENS_OUT, (int64_t)stats->completion_tokens);
    meters_add(o->meters, o->metrics, METER_SQL_QUERIES, (int64_t)stats->sql_attempts);
}

/* On the turn after the run's end: core is out of the way, anything may be freed. */
static void settle_end(struct loop_task *task)
{
    struct runs_entry *entry = container_of(task, struct runs_entry, end_task);
    struct runs *runs = entry->runs;
    keep_partial(entry);
    count_run(entry);
    admission_leave(runs->options.admission);
    entry->bytes = event_log_bytes(run_log(entry->run)) + run_arena(entry->run)->used;
    runs->kept_bytes += entry->bytes;
    set_state(entry, ENTRY_ENDED);
    turns_leave(&runs->turns, &entry->turn);
    timer_stop(&entry->timer);
    bool was_watched = !list_is_empty(&entry->watches);
    LIST_EACH_SAFE (link, &entry->watches) {
        struct runs_watch *watch = list_item(link, struct runs_watch, link);
        if (watch->on_end != NULL)
            watch->on_end(watch); /* may detach */
    }
    if (!was_watched)
        linger(entry);
    make_room(runs);
    start_waiting(runs);
    runs->options.on_idle(runs->options.owner);
}

static void on_run_end(struct run *run)
{
    struct runs_entry *entry = run_owner(run);
    loop_post(entry->runs->options.loop, &entry->end_task, settle_end);
}

/* ---- waiting and starting ---- */

static void start_entry(struct runs_entry *entry)
{
    set_state(entry, ENTRY_ACTIVE);
    run_start(entry->run);
}

static void start_waiting(struct runs *runs)
{
    LIST_EACH_SAFE (link, &runs->lists[ENTRY_WAITING]) {
        struct runs_entry *entry = list_item(link, struct runs_entry, link);
        if (!turns_is_first(&runs->turns, &entry->turn))
            continue;
        if (!admission_advance(runs->options.admission, false))
            return;
        start_entry(entry);
    }
}

void runs_cancel(struct runs_entry *entry, const char *code, const char *message)
{
    if (entry->state == ENTRY_ENDED)
        return;
    run_cancel(entry->run, code, message);
    if (entry->state == ENTRY_WAITING) { /* only a started run can end */
        (void)admission_advance(entry->runs->options.admission, true);
        start_entry(entry);
    }
}

/* ---- submitting ---- */

/* Key, caller and conversation as one text; lengths in front keep them apart. */
static struct str key_of(const struct runs_request *request, struct str key, char *room)
{
    int len = snprintf(room, KEY_BYTES, "%zu:%zu:%zu:%.*s%.*s%.*s%.*s", request->company_id.len,
                       request->user_id.len, request->conversation_id.len,
                       STR_ARG(request->company_id), STR_ARG(request->user_id),
                       STR_ARG(request->conversation_id), STR_ARG(key));
    return len < KEY_BYTES ? str_make(room, (size_t)len) : (struct str){NULL, 0};
}

static struct runs_entry *first_of(struct runs *runs, struct str conversation_id)
{
    struct turns_member *first = turns_first(&runs->turns, conversation_id);
    return first == NULL ? NULL : container_of(first, struct runs_entry, turn);
}

static enum err_code check_conversation(struct runs *runs, const struct runs_request *request,
                                        struct err *err)
{
    const struct history_key key = {request->conversation_id, request->company_id,
                                    request->user_id};
    struct history *history = runs->options.services->history;
    struct runs_entry *first = first_of(runs, request->conversation_id);
    if (request->conversation_id.len == 0)
        return ERR_OK;
    if ((history != NULL && history_check(history, &key) != ERR_OK) ||
        (first != NULL && !runs_is_callers(first, request)))
        return err_set(err, ERR_NOT_FOUND, "there is no such conversation");
    return ERR_OK;
}

static struct runs_entry *make_entry(struct runs *runs, const struct runs_request *request)
{
    const struct config *config = runs->options.config;
    struct runs_entry *entry = mem_zalloc(1, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->runs = runs;
    list_init(&entry->watches);
    entry->registry = request->entry;
    entry->cancel_on_disconnect = request->cancel_on_disconnect;
    const struct run_options options = {
        .loop = runs->options.loop,
        .graph = request->graph,
        .services = &entry->session,
        .limits = {.arena_bytes = config->run_memory_bytes,
                   .log_bytes = config->run_log_bytes,
                   .members_bytes = config->run_log_bytes / 8,
                   .deadline_ms = config->run_ms},
        .id = id_run(runs->options.worker),
        .log = runs->options.log,
        .on_end = on_run_end,
        .owner = entry,
        .detail = request->detail,
        .describe = registry_describe,
        .finish = event_json_finish,
        .conversation_id = request->conversation_id,
    };
    entry->run = run_create(&options);
    if (entry->run != NULL)
        return entry;
    mem_free(entry);
    return NULL;
}

static enum err_code fill_entry(struct runs_entry *entry, const struct runs_request *request,
                                struct err *err)
{
    char room[KEY_BYTES];
    struct runs *runs = entry->runs;
    struct arena *arena = run_arena(entry->run);
    entry->session = (struct session){
        .has = runs->options.services,
        .knows = &request->pin->set->knows,
        .conversation_id = arena_str(arena, request->conversation_id),
        .user_id = arena_str(arena, request->user_id),
        .company_id = arena_str(arena, request->company_id),
        .message = arena_str(arena, request->message),
    };
    if (request->idempotency_key.len > 0)
        entry->key = arena_str(arena, key_of(request, request->idempotency_key, room));
    enum err_code code = request->entry->begin(run_input(entry->run), &entry->session, err);
    if (code != ERR_OK)
        return code;
    if (!arena_ok(arena) || !map_put(&runs->by_id, str_of(run_id(entry->run)), entry) ||
        !turns_join(&runs->turns, &entry->turn, entry->session.conversation_id) ||
        (!str_is_absent(entry->key) && !map_put(&runs->by_key, entry->key, entry)))
        return err_set(err, ERR_NO_MEMORY, "no memory for another run");
    entry->pin = request->pin;
    entry->pin->runs++;
    return ERR_OK;
}

static enum err_code find_place(struct runs *runs, bool must_wait, bool *waits, struct err *err)
{
    switch (admission_ask(runs->options.admission, must_wait)) {
    case ADMISSION_FULL:
        return err_set(err, ERR_BUSY, "too many runs go on and wait here; try again later");
    case ADMISSION_CLOSED:
        return err_set(err, ERR_UNAVAILABLE, "this server is stopping; try another");
    case ADMISSION_WAIT:
        *waits = true;
        return ERR_OK;
    case ADMISSION_NOW:
        break;
    }
    *waits = false;
    return ERR_OK;
}

enum err_code runs_submit(struct runs *runs, const struct runs_request *request,
                          struct runs_entry **entry, struct err *err)
{
    bool waits = false;
    enum err_code code = check_conversation(runs, request, err);
    if (code != ERR_OK)
        return code;
    struct runs_entry *first = first_of(runs, request->conversation_id);
    bool is_busy = first != NULL;
    if (is_busy && request->multitask == RUNS_REJECT)
        return err_set(err, ERR_CONFLICT, "a run of this conversation is going on; wait for it, or "
                       "send options.multitask enqueue or interrupt");
    code = find_place(runs, is_busy, &waits, err);
    if (code != ERR_OK)
        return code;
    struct runs_entry *made = make_entry(runs, request);
    code = made == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for another run")
                        : fill_entry(made, request, err);
    if (code != ERR_OK) {
        if (waits)
            admission_unqueue(runs->options.admission);
        else
            admission_leave(runs->options.admission);
        if (made != NULL)
            destroy_entry(made);
        return code;
    }
    *entry = made;
    if (is_busy && request->multitask == RUNS_INTERRUPT)
        runs_cancel(first, "cancelled", "a newer message of the conversation took its place");
    if (!waits) {
        start_entry(made);
        return ERR_OK;
    }
    set_state(made, ENTRY_WAITING);
    start_waiting(runs);
    return ERR_OK;
}

/* ---- watching ---- */

static void apply_hold(struct runs_entry *entry)
{
    bool hold = !list_is_empty(&entry->watches);
    LIST_EACH (link, &entry->watches)
        hold = hold && list_item(link, struct runs_watch, link)->full;
    if (entry->state == ENTRY_ENDED)
        return;
    if (hold)
        run_hold(entry->run);
    else
        run_go(entry->run);
}

static void on_grace_over(struct timer *timer)
{
    struct runs_entry *entry = container_of(timer, struct runs_entry, timer);
    runs_cancel(entry, "cancelled", "nobody was reading any more");
}

void runs_attach(struct runs_entry *entry, struct runs_watch *watch)
{
    watch->entry = entry;
    watch->full = false;
    list_push(&entry->watches, &watch->link);
    timer_stop(&entry->timer);
    apply_hold(entry);
}

void runs_detach(struct runs_watch *watch)
{
    struct runs_entry *entry = watch->entry;
    if (entry == NULL)
        return;
    watch->entry = NULL;
    list_remove(&watch->link);
    apply_hold(entry);
    if (!list_is_empty(&entry->watches))
        return;
    if (entry->state == ENTRY_ENDED)
        linger(entry);
    else
        timer_start(&entry->timer, entry->runs->options.loop,
                    entry->cancel_on_disconnect ? 0 : entry->runs->options.config->grace_ms,
                    on_grace_over);
}

void runs_set_full(struct runs_watch *watch, bool full)
{
    if (watch->entry == NULL || watch->full == full)
        return;
    watch->full = full;
    apply_hold(watch->entry);
}

/* ---- finding ---- */

struct runs_entry *runs_find(struct runs *runs, struct str run_id)
{
    return map_find(&runs->by_id, run_id);
}

struct runs_entry *runs_find_key(struct runs *runs, const struct runs_request *request)
{
    char room[KEY_BYTES];
    if (request->idempotency_key.len == 0)
        return NULL;
    struct str key = key_of(request, request->idempotency_key, room);
    return str_is_absent(key) ? NULL : map_find(&runs->by_key, key);
}

bool runs_is_callers(const struct runs_entry *entry, const struct runs_request *request)
{
    const struct session *s = &entry->session;
    return str_equal(s->conversation_id, request->conversation_id) &&
           str_equal(s->company_id, request->company_id) &&
           str_equal(s->user_id, request->user_id);
}

struct run *runs_run(struct runs_entry *entry)
{
    return entry->run;
}

struct str runs_message(const struct runs_entry *entry)
{
    return entry->session.message;
}

const struct registry_entry *runs_registry(const struct runs_entry *entry)
{
    return entry->registry;
}

bool runs_has_ended(const struct runs_entry *entry)
{
    return entry->state == ENTRY_ENDED;
}

/* ---- all of them ---- */

struct runs *runs_create(const struct runs_options *options)
{
    struct runs *runs = mem_zalloc(1, sizeof *runs);
    if (runs == NULL)
        return NULL;
    runs->options = *options;
    map_init(&runs->by_id);
    map_init(&runs->by_key);
    turns_init(&runs->turns);
    for (unsigned state = 0; state < ENTRY_STATE_COUNT; state++)
        list_init(&runs->lists[state]);
    return runs;
}

void runs_forget_ended(struct runs *runs)
{
    LIST_EACH_SAFE (link, &runs->lists[ENTRY_ENDED]) {
        struct runs_entry *entry = list_item(link, struct runs_entry, link);
        if (list_is_empty(&entry->watches))
            destroy_entry(entry);
    }
}

void runs_destroy(struct runs *runs)
{
    if (runs == NULL)
        return;
    runs_forget_ended(runs);
    for (unsigned state = 0; state < ENTRY_STATE_COUNT; state++)
        CHECK(runs->counts[state] == 0);
    map_fini(&runs->by_id);
    map_fini(&runs->by_key);
    turns_fini(&runs->turns);
    mem_free(runs);
}

size_t runs_open_count(const struct runs *runs)
{
    return runs->counts[ENTRY_WAITING] + runs->counts[ENTRY_ACTIVE];
}

void runs_cancel_all(struct runs *runs, const char *code, const char *message)
{
    for (unsigned state = ENTRY_WAITING; state <= ENTRY_ACTIVE; state++)
        LIST_EACH_SAFE (link, &runs->lists[state])
            runs_cancel(list_item(link, struct runs_entry, link), code, message);
}

void runs_write(const struct runs *runs, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("runs"));
    json_write_array(&json);
    for (unsigned state = 0; state < ENTRY_STATE_COUNT; state++)
        LIST_EACH (link, &runs->lists[state]) {
            const struct runs_entry *entry = list_item(link, struct runs_entry, link);
            json_write_object(&json);
            json_write_member_str(&json, STR("run_id"), str_of(run_id(entry->run)));
            json_write_member_str(&json, STR("graph"),
                                  str_of(graph_def(run_graph(entry->run))->name));
            json_write_member_str(&json, STR("state"), str_of(state_names[state]));
            if (entry->session.conversation_id.len > 0)
                json_write_member_str(&json, STR("conversation_id"),
                                      entry->session.conversation_id);
            json_write_member_u64(&json, STR("events"), event_log_last_id(run_log(entry->run)));
            json_write_object_end(&json);
        }
    json_write_array_end(&json);
    json_write_object_end(&json);
}

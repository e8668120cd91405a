/* SPDX-License-Identifier: MIT */
/* server/runs/runs.c - entries in lists and maps; one state each, one set_state.
 *
 * Happy path: an entry that runs_submit made is started when it has its place and its turn; while
 * it waits, its readers are told once a second where it stands. At the end of the run the watchers
 * are told, the run is counted, its turn is kept, and the entry lingers until its time or the
 * memory for ended runs is over.
 * Failure paths:
 * - the readers leave: the grace period, then cancel; at once when the server is draining, since no
 *   reader can come back;
 * - a conversation that cannot be stored is logged; nothing else depends on it. */
#include "server/runs/runs.h"

#include "core/base/mem.h"
#include "core/run/snapshot.h"
#include "server/conversations/conversations.h"
#include "server/records/event_writers.h"
#include "server/config/run_limits.h"
#include "server/records/checkpoint_writers.h"
#include "server/records/run_input.h"
#include "server/records/run_text.h"
#include "server/runs/runs_internal.h"
#include "server/records/turn_details.h"

enum {
    MAX_PARTIAL_BYTES = 256 * 1024,
    MAX_STATE_BYTES = 16 * 1024 * 1024,
    MAX_DETAILS_BYTES = 128 * 1024,
    TELL_MS = 1000,
    MOST_WEIGHED = 256, /* runs whose memory is looked at together */
    MOST_TOLD = 1024,   /* runs in line that are told their places; those behind hear nothing */
};

static const char *const state_names[RUNS_STATE_COUNT] = {"waiting", "active", "ended"};

static void show_counts(struct runs *runs)
{
    const struct runs_options *o = &runs->options;
    meters_set(o->meters, o->metrics, METER_RUNS, (int64_t)runs->counts[RUNS_ACTIVE]);
    meters_set(o->meters, o->metrics, METER_RUNS_QUEUED, (int64_t)runs->counts[RUNS_WAITING]);
    meters_set(o->meters, o->metrics, METER_RUNS_KEPT, (int64_t)runs->counts[RUNS_ENDED]);
}

const char *runs_state_name(enum runs_state state)
{
    return state_names[state];
}

/* ---- memory ---- */

static void stop_weighing(struct runs_entry *entry)
{
    list_remove(&entry->weighed_link);
    entry->runs->open_bytes -= entry->open_bytes;
    entry->open_bytes = 0;
}

uint64_t runs_weigh(struct runs *runs)
{
    size_t count = size_min(runs_open_count(runs), MOST_WEIGHED);
    for (size_t i = 0; i < count; i++) {
        struct list *link = list_take_first(&runs->weighed);
        struct runs_entry *entry = list_item(link, struct runs_entry, weighed_link);
        size_t bytes = run_arena(entry->run)->used + event_log_bytes(run_log(entry->run));
        runs->open_bytes += bytes - entry->open_bytes;
        entry->open_bytes = bytes;
        list_push(&runs->weighed, link);
    }
    return runs->kept_bytes + runs->open_bytes;
}

/* ---- states ---- */

void runs_set_state(struct runs_entry *entry, enum runs_state next)
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
    list_remove(&entry->ready_link);
    list_push(&runs->lists[next], &entry->link);
    if (next == RUNS_WAITING)
        list_push(&runs->weighed, &entry->weighed_link);
    else if (next == RUNS_ENDED)
        stop_weighing(entry);
    runs->counts[next]++;
    show_counts(runs);
}

/* ---- the end of an entry ---- */

void runs_unpin(struct runs *runs, struct knowledge_pin *pin)
{
    if (pin != NULL && knowledge_unpin(pin))
        runs->options.on_unpinned(runs->options.owner, pin);
}

/* Take the entry out of the maps: the run is not found any more. */
static void unname(struct runs_entry *entry)
{
    struct runs *runs = entry->runs;
    if (map_find(&runs->by_id, str_of(run_id(entry->run))) == entry)
        (void)map_take(&runs->by_id, str_of(run_id(entry->run)));
    if (!str_is_absent(entry->key) && map_find(&runs->by_key, entry->key) == entry)
        (void)map_take(&runs->by_key, entry->key);
    if (!str_is_absent(entry->call) && map_find(&runs->by_call, entry->call) == entry)
        (void)map_take(&runs->by_call, entry->call);
}

/* The entry's turn in its conversation is over: the next one's has come. */
static void leave_turn(struct runs_entry *entry)
{
    struct conversation_queue_member *next =
        conversation_queue_leave(&entry->runs->turns, &entry->turn);
    if (next != NULL)
        runs_make_ready(container_of(next, struct runs_entry, turn));
}

void runs_destroy_entry(struct runs_entry *entry)
{
    struct runs *runs = entry->runs;
    timer_stop(&entry->timer);
    loop_unpost(&entry->end_task);
    runs_claim_drop(entry);
    leave_turn(entry);
    admission_leave(&entry->ticket);
    unname(entry);
    if (list_is_linked(&entry->link)) {
        list_remove(&entry->link);
        runs->counts[entry->state]--;
    }
    list_remove(&entry->ready_link);
    stop_weighing(entry);
    runs->kept_bytes -= entry->bytes;
    show_counts(runs);
    runs_unpin(runs, entry->pin);
    event_writer_leave(entry->event_writer);
    checkpoint_writer_leave(entry->checkpoint_writer);
    run_destroy(entry->run);
    mem_free(entry);
}

static void on_linger_over(struct timer *timer)
{
    struct runs_entry *entry = container_of(timer, struct runs_entry, timer);
    if (list_is_empty(&entry->watches))
        runs_destroy_entry(entry);
}

/* The run has ended and has no watch: keep its entry for a while, within the memory there is. */
static void linger(struct runs_entry *entry)
{
    const struct config *config = entry->runs->options.config;
    uint64_t ms = str_is_absent(entry->key) ? config->linger_ms : RUN_LIMITS_KEY_MS;
    timer_start(&entry->timer, entry->runs->options.loop, ms, on_linger_over);
}

static void make_room(struct runs *runs)
{
    size_t limit = runs->options.linger_bytes;
    LIST_EACH_SAFE(link, &runs->lists[RUNS_ENDED]) {
        struct runs_entry *entry = list_item(link, struct runs_entry, link);
        if (runs->kept_bytes <= limit)
            return;
        if (list_is_empty(&entry->watches) && !list_is_linked(&entry->end_task.link))
            runs_destroy_entry(entry);
    }
}

/* ---- at the end of a run: counts, and its turn ---- */

static enum err_code result_of(const struct runs_entry *entry)
{
    struct str code, message;
    return run_result(entry->run, &code, &message);
}

static void count_end(struct runs_entry *entry)
{
    const struct runs_options *o = &entry->runs->options;
    const struct run_stats *stats = run_stats(entry->run);
    enum err_code code = result_of(entry);
    if (o->tracing != NULL)
        tracing_end_run(o->tracing, &entry->trace, entry->run, entry->session.message);
    meters_run(o->meters, o->metrics, graph_def(run_graph(entry->run))->name, run_route(entry->run),
               code == ERR_OK          ? METERS_COMPLETE
               : code == ERR_CANCELLED ? METERS_CANCELLED
                                       : METERS_ERROR,
               stats->duration_ms);
    if (stats->ttft_ms > 0)
        meters_observe_ms(o->meters, o->metrics, METER_FIRST_TOKEN_SECONDS, stats->ttft_ms);
    meters_add(o->meters, o->metrics, METER_SQL_QUERIES, (int64_t)stats->sql_attempts);
}

static size_t count_said(const struct runs_entry *entry)
{
    const struct history *history = entry->runs->options.services->history;
    const struct identity *key = runs_caller(entry);
    return history == NULL ? 0 : history_count(history, key);
}

static uint64_t version_said(const struct runs_entry *entry)
{
    const struct history *history = entry->runs->options.services->history;
    const struct identity *key = runs_caller(entry);
    return history == NULL ? 0 : history_version(history, key);
}

/* Note, as the run starts, what its conversation holds. */
static void note_said(struct runs_entry *entry)
{
    entry->said_count = count_said(entry);
    entry->said_version = version_said(entry);
}

/* Save the turn: question, answer, and the state at the end. */
static void save_turn(const struct runs_entry *entry, struct str answer, bool is_whole)
{
    const struct runs_options *o = &entry->runs->options;
    const struct identity *key = runs_caller(entry);
    struct buf state, details;
    if (o->conversations == NULL || conversations_store(o->conversations) == NULL)
        return;
    buf_init(&state, MAX_STATE_BYTES);
    buf_init(&details, MAX_DETAILS_BYTES);
    const struct snapshot snapshot = {.last_event_id = event_log_last_id(run_log(entry->run)),
                                      .route = run_route(entry->run)};
    snapshot_write_ended(&snapshot, run_graph(entry->run), run_state(entry->run), &state);
    turn_details_write(entry->run, &details);
    const struct store_checkpoint checkpoint = {
        .is_full = true, .bytes = buf_ok(&state) ? buf_str(&state) : STR("")};
    const struct store_turn turn = {.run_id = str_of(run_id(entry->run)),
                                    .question = entry->session.message,
                                    .answer = answer,
                                    .details = buf_ok(&details) ? buf_str(&details) : STR("{}"),
                                    .partial = !is_whole};
    /* another server may have taken the run over, and memory have its turn by now */
    bool may_be_there = entry->epoch > 0 || version_said(entry) != entry->said_version;
    conversations_save(o->conversations, key, &checkpoint, &turn, may_be_there);
    buf_fini(&state);
    buf_fini(&details);
}

/* Put question and answer into memory, unless the graph did. */
static void keep_in_history(struct runs_entry *entry, bool is_whole)
{
    struct history *history = entry->runs->options.services->history;
    const struct session *s = &entry->session;
    const struct identity *key = runs_caller(entry);
    struct buf text;
    if (is_whole && count_said(entry) != entry->said_count)
        return;
    buf_init(&text, MAX_PARTIAL_BYTES);
    run_text_collect(entry->run, &text);
    if (buf_ok(&text) && buf_len(&text) > 0 &&
        (history_append(history, key, LLM_USER, s->message, false) != ERR_OK ||
         history_append(history, key, LLM_ASSISTANT, buf_str(&text), !is_whole) != ERR_OK))
        LOG(entry->runs->options.log, WARN, "conversation.not_saved", "run=%s", run_id(entry->run));
    buf_fini(&text);
}

/* Keep question and answer in the conversation, unless the graph did; after a bad end, the part of
 * the answer there is, marked. So a conversation belongs to the user who began it, whatever the
 * graph. */
static void keep_text(struct runs_entry *entry)
{
    struct history *history = entry->runs->options.services->history;
    const struct identity *key = runs_caller(entry);
    struct history_message last;
    bool is_whole = result_of(entry) == ERR_OK;
    if (history == NULL || str_is_empty(key->conversation_id) || entry->is_forgotten)
        return;
    keep_in_history(entry, is_whole);
    if (count_said(entry) == entry->said_count || history_last(history, key, &last, 1) != 1)
        return;
    history_set_note(history, key, HISTORY_LAST_RUN, str_of(run_id(entry->run)));
    save_turn(entry, last.text, is_whole);
}

/* ---- the end of a run ---- */

static void tell_watchers(struct runs_entry *entry)
{
    LIST_EACH_SAFE(link, &entry->watches) {
        struct runs_watch *watch = list_item(link, struct runs_watch, link);
        if (watch->on_end != NULL)
            watch->on_end(watch); /* detaches */
    }
}

/* Runs on the turn after the answer, when nodes go on in the background. */
static void settle_answer(struct loop_task *task)
{
    struct runs_entry *entry = container_of(task, struct runs_entry, end_task);
    timer_stop(&entry->timer);
    tell_watchers(entry);
    runs_start_waiting(entry->runs);
}

/* Runs on the turn after the run's end: core is out of the way, anything may be freed. */
static void settle_end(struct loop_task *task)
{
    struct runs_entry *entry = container_of(task, struct runs_entry, end_task);
    struct runs *runs = entry->runs;
    count_end(entry);
    admission_leave(&entry->ticket);
    entry->bytes = event_log_bytes(run_log(entry->run)) + run_arena(entry->run)->used;
    runs->kept_bytes += entry->bytes;
    runs_set_state(entry, RUNS_ENDED);
    timer_stop(&entry->timer);
    bool was_watched = !list_is_empty(&entry->watches);
    tell_watchers(entry);
    if (!was_watched)
        linger(entry);
    make_room(runs);
    runs_start_waiting(runs);
    runs->options.on_idle(runs->options.owner);
}

/* Runs with the terminal event, which leaves in this turn: a client that sends its next request at
 * once, before settle_end, must find the conversation free and the turn kept. */
static void leave_conversation(struct runs_entry *entry)
{
    if (entry->has_left)
        return;
    entry->has_left = true;
    keep_text(entry);
    leave_turn(entry);
}

void runs_on_step(struct run *run)
{
    const struct runs_entry *entry = run_owner(run);
    checkpoint_writer_stepped(entry->checkpoint_writer);
}

bool runs_on_save(struct run *run)
{
    const struct runs_entry *entry = run_owner(run);
    if (entry->runs->options.checkpoint_writers == NULL)
        return false;
    if (entry->event_writer != NULL && checkpoint_writer_save(entry->checkpoint_writer))
        return true;
    run_saved(run, false); /* there was no memory for a writer */
    return true;
}

void runs_on_end(struct run *run)
{
    struct runs_entry *entry = run_owner(run);
    if (run_is_paused(run))
        checkpoint_writer_pause(entry->checkpoint_writer);
    leave_conversation(entry);
    loop_unpost(&entry->end_task);
    loop_post(entry->runs->options.loop, &entry->end_task, settle_end);
}

void runs_on_answered(struct run *run)
{
    struct runs_entry *entry = run_owner(run);
    leave_conversation(entry);
    loop_post(entry->runs->options.loop, &entry->end_task, settle_answer);
}

/* ---- waiting and starting ---- */

/* Hold the run while all its watches are full, or while it may be another server's. */
static void apply_hold(struct runs_entry *entry)
{
    bool hold = !list_is_empty(&entry->watches);
    LIST_EACH(link, &entry->watches)
        hold = hold && list_item(link, struct runs_watch, link)->full;
    if (entry->state == RUNS_ENDED)
        return;
    if (hold || entry->ownership == RUNS_DOUBTED)
        run_hold(entry->run);
    else
        run_go(entry->run);
}

/* Give the run an event writer, which writes its events to the store. */
static void keep(struct runs_entry *entry)
{
    struct event_writers *event_writers = entry->runs->options.event_writers;
    const struct session *s = &entry->session;
    if (event_writers != NULL && entry->event_writer == NULL && entry->claim != RUNS_REFUSED)
        entry->event_writer = event_writer_begin(
            event_writers, entry->run,
            &(struct event_writer_options){.key = s->caller,
                                           .input = run_input_write(s, run_arena(entry->run)),
                                           .epoch = entry->epoch,
                                           .stored_id = entry->stored_id});
    event_log_note_stored(run_log(entry->run), entry->stored_id);
    if (entry->event_writer != NULL && config_is_sync(entry->runs->options.config))
        event_log_hide(run_log(entry->run));
    if (entry->runs->options.checkpoint_writers != NULL)
        entry->checkpoint_writer =
            checkpoint_writer_begin(entry->runs->options.checkpoint_writers, entry->run,
                                    entry->epoch == 0 ? 1 : entry->epoch, entry->stored_version);
}

void runs_stop_run(void *run_owner, bool forget)
{
    struct runs_entry *entry = run_owner;
    entry->is_forgotten |= forget;
    runs_cancel(entry, "cancelled", "somebody asked for it");
}

void runs_lose_run(void *run_owner)
{
    struct runs_entry *entry = run_owner;
    if (!runs_has_answered(entry)) {
        entry->ownership = RUNS_LOST;
        entry->is_forgotten = true; /* the server that goes on with the run keeps its turn */
        unname(entry);
    }
    runs_cancel(entry, "lagged", RUNS_LOST_TEXT);
}

void runs_doubt_run(void *run_owner, bool doubts)
{
    struct runs_entry *entry = run_owner;
    if (entry->ownership != RUNS_LOST)
        entry->ownership = doubts ? RUNS_DOUBTED : RUNS_OURS;
    apply_hold(entry);
}

void runs_start(struct runs_entry *entry)
{
    admission_enter(&entry->ticket);
    runs_set_state(entry, RUNS_ACTIVE);
    note_said(entry);
    keep(entry);
    run_start(entry->run);
    runs_claim_settle(entry);
}

static void on_line_time(struct timer *timer)
{
    runs_start_waiting(container_of(timer, struct runs, line_timer));
}

static void tell_place(struct runs_entry *entry, size_t position)
{
    const struct event event = {
        .kind = EVENT_QUEUED, .name = STR("runs"), .number = (int64_t)position};
    if (entry->position == position || run_detail(entry->run) < EVENT_NODES)
        return;
    entry->position = position;
    (void)event_log_append(run_log(entry->run), &event); /* a full log has told enough */
}

static void tell_line(struct runs *runs)
{
    struct admission_ticket *tickets[MOST_TOLD];
    uint64_t now_ms = loop_now_ms(runs->options.loop);
    if (runs->counts[RUNS_WAITING] == 0) {
        timer_stop(&runs->line_timer);
        return;
    }
    if (now_ms < runs->told_ms + TELL_MS && timer_is_running(&runs->line_timer))
        return;
    runs->told_ms = now_ms;
    timer_start(&runs->line_timer, runs->options.loop, TELL_MS, on_line_time);
    size_t count = admission_order(runs->options.admission, tickets, MOST_TOLD);
    for (size_t i = 0; i < count; i++)
        tell_place(container_of(tickets[i], struct runs_entry, ticket), i + 1);
}

void runs_make_ready(struct runs_entry *entry)
{
    if (entry->state == RUNS_WAITING && !list_is_linked(&entry->ready_link))
        list_push(&entry->runs->ready, &entry->ready_link);
}

void runs_start_waiting(struct runs *runs)
{
    struct admission_ticket *next;
    struct list ready, *link;
    list_init(&ready);
    list_append(&ready, &runs->ready);
    while ((link = list_take_first(&ready)) != NULL) {
        struct runs_entry *entry = list_item(link, struct runs_entry, ready_link);
        if (runs_claim_is_held(entry) && !admission_line_up(&entry->ticket))
            runs_make_ready(entry); /* no memory: at the next try */
    }
    while ((next = admission_next(runs->options.admission)) != NULL)
        runs_start(container_of(next, struct runs_entry, ticket));
    tell_line(runs);
}

void runs_cancel(struct runs_entry *entry, const char *code, const char *message)
{
    if (entry->state == RUNS_ENDED)
        return;
    run_cancel(entry->run, code, message);
    if (entry->state == RUNS_WAITING) /* only a started run can end */
        runs_start(entry);
}

void runs_roll_back(struct runs_entry *entry)
{
    runs_stop_run(entry, true);
}

void runs_cancel_call(struct runs *runs, struct str call, const char *message)
{
    struct runs_entry *found = map_find(&runs->by_call, call);
    if (found != NULL)
        runs_cancel(found, "cancelled", message);
}

/* ---- watching ---- */

static void on_grace_over(struct timer *timer)
{
    struct runs_entry *entry = container_of(timer, struct runs_entry, timer);
    runs_cancel(entry, "cancelled", "nobody was reading any more");
}

/* The run is open, and nobody reads it. Nodes that go on after the answer are not waited for: the
 * deadline of the run and the end of a drain are their limits. */
static void leave_alone(struct runs_entry *entry)
{
    struct runs *runs = entry->runs;
    if (runs_has_answered(entry))
        return;
    if (runs->draining)
        runs_cancel(entry, "server_shutdown", "the server is stopping; ask again");
    else if (!entry->outlives_readers)
        timer_start(&entry->timer, runs->options.loop,
                    entry->cancel_on_disconnect ? 0 : runs->options.config->grace_ms,
                    on_grace_over);
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
    if (entry->state == RUNS_ENDED)
        linger(entry);
    else
        leave_alone(entry);
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
    char room[RUNS_KEY_BYTES];
    if (request->idempotency_key.len == 0)
        return NULL;
    struct str key = runs_key_of(request, room);
    return str_is_absent(key) ? NULL : map_find(&runs->by_key, key);
}

const struct identity *runs_caller(const struct runs_entry *entry)
{
    return &entry->session.caller;
}

struct run *runs_run(struct runs_entry *entry)
{
    return entry->run;
}

const struct tracing_run *runs_trace(const struct runs_entry *entry)
{
    return &entry->trace;
}

struct str runs_message(const struct runs_entry *entry)
{
    return entry->session.message;
}

struct str runs_metadata(const struct runs_entry *entry)
{
    return entry->session.metadata;
}

const struct registry_entry *runs_registry(const struct runs_entry *entry)
{
    return entry->registry;
}

bool runs_is_claiming(const struct runs_entry *entry)
{
    return entry->claim == RUNS_CLAIMING;
}

bool runs_has_ended(const struct runs_entry *entry)
{
    return entry->state == RUNS_ENDED;
}

bool runs_is_lost(const struct runs_entry *entry)
{
    return entry->ownership == RUNS_LOST;
}

bool runs_has_answered(const struct runs_entry *entry)
{
    return event_log_is_closed(run_log(entry->run));
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
    map_init(&runs->by_call);
    list_init(&runs->ready);
    list_init(&runs->weighed);
    conversation_queue_init(&runs->turns);
    for (unsigned state = 0; state < RUNS_STATE_COUNT; state++)
        list_init(&runs->lists[state]);
    return runs;
}

void runs_forget_ended(struct runs *runs, const struct identity *caller)
{
    LIST_EACH_SAFE(link, &runs->lists[RUNS_ENDED]) {
        struct runs_entry *entry = list_item(link, struct runs_entry, link);
        bool is_free = list_is_empty(&entry->watches) && !list_is_linked(&entry->end_task.link);
        if (is_free && (caller == NULL || identity_is_of(runs_caller(entry), caller)))
            runs_destroy_entry(entry);
    }
}

void runs_destroy(struct runs *runs)
{
    if (runs == NULL)
        return;
    runs_forget_ended(runs, NULL);
    timer_stop(&runs->line_timer);
    for (unsigned state = 0; state < RUNS_STATE_COUNT; state++)
        CHECK(runs->counts[state] == 0);
    map_fini(&runs->by_id);
    map_fini(&runs->by_key);
    map_fini(&runs->by_call);
    conversation_queue_fini(&runs->turns);
    mem_free(runs);
}

size_t runs_open_count(const struct runs *runs)
{
    return runs->counts[RUNS_WAITING] + runs->counts[RUNS_ACTIVE];
}

void runs_drain(struct runs *runs)
{
    runs->draining = true;
    for (unsigned state = RUNS_WAITING; state <= RUNS_ACTIVE; state++)
        LIST_EACH_SAFE(link, &runs->lists[state]) {
            struct runs_entry *entry = list_item(link, struct runs_entry, link);
            if (list_is_empty(&entry->watches))
                leave_alone(entry);
        }
}

void runs_cancel_all(struct runs *runs, const char *code, const char *message)
{
    for (unsigned state = RUNS_WAITING; state <= RUNS_ACTIVE; state++)
        LIST_EACH_SAFE(link, &runs->lists[state])
            runs_cancel(list_item(link, struct runs_entry, link), code, message);
}

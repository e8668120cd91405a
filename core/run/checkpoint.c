/* SPDX-License-Identifier: MIT */
/* core/run/checkpoint.c - a head, the walks from the top down, a checksum.
 *
 * Happy path: each walk that is due writes a snapshot under its path, then each memo that is new;
 * reading puts the top's over the run's state and keeps those of sub-graphs as parts, which their
 * nodes take when they are entered. A walk's snapshot says which visits inside of it are over: what
 * they had noted goes, and that of a visit that goes on in the background stays.
 * Failure paths: bytes that are damaged, of another graph or a newer format: what came before them
 * is used, else the full one before; the arena is spent: the run cannot be used. */
#include "core/run/checkpoint.h"

#include "core/base/crc.h"
#include "core/base/fixed.h"
#include "core/run/run_internal.h"

static const struct str magic = {"ASKC", 4};

enum { HEAD_BYTES = 5, CHECKSUM_BYTES = 4, LENGTH_BYTES = 4, NUMBER_BYTES = 8 };
enum { PART_DELTA, PART_FULL, PART_MEMO };
enum { AT_ANSWER, AT_PROMPT, AT_COMPLETION, AT_LLM, AT_SQL, AT_DURATION, AT_TTFT, AT_ESTIMATED };

/* ---- writing ---- */

bool checkpoint_is_due(const struct run *run)
{
    return run->context.is_due && run->walk != NULL && run->walk->entered != 0 &&
           (!run_phase_is_over(run->context.phase) || run->outcome == RUN_INTERRUPTED);
}

void checkpoint_forget(struct run *run)
{
    run->wants_full = run->context.is_due = true;
}

static void push_text(struct buf *out, struct str text)
{
    fixed_push(out, text.len, LENGTH_BYTES);
    buf_push(out, text);
}

static void tell_run(const struct run *run, struct snapshot *snapshot)
{
    const struct run_stats *stats = &run->context.stats;
    uint64_t *tallies = snapshot->tallies;
    tallies[AT_ANSWER] = stats->answer_tokens;
    tallies[AT_PROMPT] = stats->prompt_tokens;
    tallies[AT_COMPLETION] = stats->completion_tokens;
    tallies[AT_LLM] = stats->llm_calls;
    tallies[AT_SQL] = stats->sql_attempts;
    tallies[AT_DURATION] = loop_now_ms(run->context.loop) - run->context.began_ms;
    tallies[AT_TTFT] = stats->ttft_ms;
    tallies[AT_ESTIMATED] = stats->estimated;
    snapshot->route = run->context.route;
    snapshot->model = stats->model;
}

/* False: no memory. */
static bool write_part(struct str path, bool is_full, const struct snapshot *snapshot,
                       const struct graph *graph, struct state *state, struct snapshot_mark *marks,
                       struct buf *out)
{
    struct buf bytes;
    uint64_t unsaved = state_take_unsaved(state);
    buf_init(&bytes, out->limit);
    if (is_full)
        snapshot_write_full(snapshot, graph, state, marks, &bytes);
    else
        snapshot_write_delta(snapshot, graph, state, unsaved, marks, &bytes);
    push_text(out, path);
    fixed_push(out, is_full ? PART_FULL : PART_DELTA, 1);
    push_text(out, buf_str(&bytes));
    bool fine = buf_ok(&bytes);
    buf_fini(&bytes);
    return fine;
}

static bool write_inside(struct run *run, struct walk *walk, struct node *node, bool is_full,
                         struct buf *out);

/* Write walk, if it is due, and the walks of sub-graphs inside it. False: no memory. */
static bool write_walk(struct run *run, struct walk *walk, bool is_full, struct buf *out)
{
    const struct graph *graph = walk->options.graph;
    struct snapshot snapshot;
    if (walk->marks == NULL)
        walk->marks = arena_array(walk->arena, snapshot_mark_count(&graph_def(graph)->schema),
                                  sizeof *walk->marks);
    if (walk->marks == NULL)
        return false;
    if (is_full || walk->is_due) {
        struct str path = walk->options.path == NULL ? STR("") : str_of(walk->options.path);
        walk_tell(walk, &snapshot);
        if (walk == run->walk)
            tell_run(run, &snapshot);
        if (!write_part(path, is_full || !walk->is_marked, &snapshot, graph, walk->options.state,
                        walk->marks, out))
            return false;
        walk->is_marked = true;
        walk->is_due = false;
    }
    for (size_t i = 0; i < graph_def(graph)->node_count; i++)
        if (walk->nodes[i] != NULL && !write_inside(run, walk, walk->nodes[i], is_full, out))
            return false;
    return true;
}

static bool write_inside(struct run *run, struct walk *walk, struct node *node, bool is_full,
                         struct buf *out)
{
    if (walk_is_inside(walk, node) && !write_walk(run, node->sub, is_full, out))
        return false;
    LIST_EACH(link, &node->inner) {
        struct walk *inner = list_item(link, struct walk, link);
        if (walk_is_inside_as(walk, node, inner) && !write_walk(run, inner, is_full, out))
            return false;
    }
    return true;
}

/* Write the parts: walks of sub-graphs whose nodes are not entered yet. False: no memory. */
static bool write_parts(struct run *run, struct buf *out)
{
    struct snapshot_mark marks[SNAPSHOT_MOST_SLOTS];
    LIST_EACH(link, &run->context.parts) {
        struct run_part *part = list_item(link, struct run_part, link);
        if (!write_part(part->path, true, &part->snapshot, part->graph, part->state, marks, out))
            return false;
    }
    return true;
}

/* Write the memos; only those that no checkpoint has, unless is_full. */
static void write_memos(struct run *run, bool is_full, struct buf *out)
{
    LIST_EACH(link, &run->context.memos) {
        struct run_memo *memo = list_item(link, struct run_memo, link);
        if (memo->is_saved && !is_full)
            continue;
        memo->is_saved = true;
        push_text(out, memo->path);
        fixed_push(out, PART_MEMO, 1);
        fixed_push(out, LENGTH_BYTES + memo->key.len + memo->text.len, LENGTH_BYTES);
        push_text(out, memo->key);
        buf_push(out, memo->text);
    }
}

enum { WANTS_DATA = 16 }; /* beside the detail, in its byte */

static void push_head(const struct run *run, bool is_full, struct buf *out)
{
    buf_push(out, magic);
    fixed_push(out, CHECKPOINT_FORMAT, 1);
    fixed_push(out, run->context.detail | (run->context.wants_data ? WANTS_DATA : 0), 1);
    fixed_push(out, is_full, 1);
    fixed_push(out, run->context.steps, NUMBER_BYTES);
    push_text(out, run->context.resume_node);
    push_text(out, run->context.resume_value);
}

bool checkpoint_write_restored(struct run *run, struct buf *out, uint64_t *step)
{
    struct snapshot_mark marks[SNAPSHOT_MOST_SLOTS];
    size_t start = buf_len(out);
    CHECK(run->is_restored && run->context.phase == RUN_CREATED);
    *step = run->context.steps;
    push_head(run, true, out);
    bool fine = write_part(STR(""), true, run->top, run->options.graph, run->state, marks, out) &&
                write_parts(run, out);
    write_memos(run, true, out);
    fixed_push(out, crc_32c(str_from(buf_str(out), start)), CHECKSUM_BYTES);
    return fine && buf_ok(out);
}

bool checkpoint_write(struct run *run, struct buf *out, uint64_t *step, bool *is_full)
{
    size_t start = buf_len(out);
    CHECK(checkpoint_is_due(run));
    *is_full = run->wants_full || run->deltas + 1 >= CHECKPOINT_FULL_EVERY;
    *step = run->context.steps;
    push_head(run, *is_full, out);
    bool fine = write_walk(run, run->walk, *is_full, out) && (!*is_full || write_parts(run, out));
    write_memos(run, *is_full, out);
    fixed_push(out, crc_32c(str_from(buf_str(out), start)), CHECKSUM_BYTES);
    run->deltas = *is_full ? 0 : run->deltas + 1;
    run->wants_full = !fine || !buf_ok(out);
    run->context.is_due = false;
    run->written =
        (struct run_written){run->context.memo_count, event_log_last_id(run->context.events)};
    return !run->wants_full;
}

/* ---- reading ---- */

struct cursor {
    struct str rest;
    bool ended; /* before it should have */
};

static uint64_t take_fixed(struct cursor *cursor, size_t bytes)
{
    if (cursor->rest.len >= bytes)
        return fixed_take(&cursor->rest, bytes);
    cursor->ended = true;
    cursor->rest = STR("");
    return 0;
}

static struct str take_text(struct cursor *cursor)
{
    uint64_t len = take_fixed(cursor, LENGTH_BYTES);
    cursor->ended |= len > cursor->rest.len;
    struct str text = str_slice(cursor->rest, 0, cursor->ended ? 0 : (size_t)len);
    cursor->rest = str_from(cursor->rest, text.len);
    return text;
}

/* The node of this name; the count of nodes: there is none. */
static unsigned find_node(const struct graph_def *def, struct str name)
{
    unsigned i = 0;
    while (i < def->node_count && !str_equal(str_of(def->nodes[i].name), name))
        i++;
    return i;
}

/* What a step of a path leads to: the sub-graph of a node, or, behind a node that runs graphs as
 * operations, the one that the step names ("GRAPH:KEY"). *node: of the step before, or -1.
 * *is_aside: set when the step is into the background. */
static const struct graph *step_into(const struct graph *graph, struct str step, int *node,
                                     bool *is_aside)
{
    const struct graph_def *def = graph_def(graph);
    if (*node >= 0) {
        unsigned from = (unsigned)*node;
        *node = -1;
        return graph_find_inner(graph, from, str_split(&step, ':'));
    }
    unsigned i = find_node(def, step);
    if (i == def->node_count)
        return NULL;
    *is_aside |= def->nodes[i].background;
    if (def->nodes[i].sub != NULL)
        return graph_sub(graph, i);
    *node = (int)i;
    return graph;
}

/* The graph of the walk at path; NULL: there is none. *is_aside: whether it is in the background.
 */
static const struct graph *graph_at(const struct graph *graph, struct str path, bool *is_aside)
{
    int node = -1;
    *is_aside = false;
    while (graph != NULL && path.len > 0) {
        struct str step = str_split(&path, '/');
        graph = step_into(graph, step, &node, is_aside);
    }
    return node < 0 ? graph : NULL;
}

/* A walk that took a superstep: where it was, nowhere when it begins, and where it is. */
struct superstep {
    struct str path;
    const struct graph *graph;
    const struct snapshot *before, *after;
};

/* Whether at is of a visit inside of the walk that the superstep has ended. */
static bool is_over(const struct superstep *step, struct str at)
{
    size_t begin = step->path.len + (step->path.len > 0);
    bool is_inside = step->path.len == 0 || (at.len > begin && str_starts_with(at, step->path) &&
                                             at.at[step->path.len] == '/');
    if (!is_inside || step->before == NULL)
        return is_inside;
    struct str rest = str_from(at, begin);
    unsigned i = find_node(graph_def(step->graph), str_split(&rest, '/'));
    if (i == graph_def(step->graph)->node_count)
        return true;
    bool goes_on = (step->before->next & step->after->next & UINT64_C(1) << i) != 0;
    return !goes_on || step->before->visits[i] != step->after->visits[i];
}

static void drop_what_is_over(struct run *run, const struct superstep *step)
{
    LIST_EACH_SAFE(link, &run->context.memos)
        if (is_over(step, list_item(link, struct run_memo, link)->path))
            list_remove(link);
    LIST_EACH_SAFE(link, &run->context.parts)
        if (is_over(step, list_item(link, struct run_part, link)->path))
            list_remove(link);
}

static struct run_part *add_part(struct run *run, struct str path, const struct graph *graph)
{
    struct run_part *part = arena_alloc(&run->context.arena, sizeof *part);
    if (part == NULL)
        return NULL;
    *part = (struct run_part){
        .path = arena_str(&run->context.arena, path),
        .graph = graph,
        .state = state_create(&graph_def(graph)->schema, &run->context.arena),
    };
    if (part->state == NULL || str_is_absent(part->path))
        return NULL;
    list_push(&run->context.parts, &part->link);
    return part;
}

/* Put what bytes say over state, and into *snapshot, which says where the walk was. */
static enum err_code read_snapshot(struct run *run, struct superstep *step, struct str bytes,
                                   struct state *state, uint64_t said_id, struct snapshot *snapshot,
                                   struct err *err)
{
    struct snapshot seen;
    enum err_code code = snapshot_read(bytes, step->graph, &run->context.arena, state, &seen, err);
    if (code == ERR_OK && (seen.next == 0 || seen.step == 0 || seen.step > UINT32_MAX))
        return err_set(err, ERR_INVALID, "the checkpoint is of a run that had ended");
    if (code == ERR_OK && seen.last_event_id > said_id)
        return err_set(err, ERR_INVALID, "events that came before the checkpoint are missing");
    if (code != ERR_OK)
        return code;
    step->after = &seen; /* before may be *snapshot, which is not overwritten until it was read */
    drop_what_is_over(run, step);
    step->after = NULL;
    *snapshot = seen;
    return ERR_OK;
}

static enum err_code read_memo(struct run *run, struct str path, struct str bytes, struct err *err)
{
    struct cursor cursor = {.rest = bytes};
    struct run_memo memo = {.path = path, .key = take_text(&cursor), .is_saved = true};
    memo.text = cursor.rest;
    if (cursor.ended)
        return err_set(err, ERR_INVALID, "the checkpoint has a memo that is none");
    return run_context_add_memo(&run->context, &memo)
               ? ERR_OK
               : err_set(err, ERR_NO_MEMORY, "the run's memory budget is spent");
}

static enum err_code read_part(struct run *run, struct cursor *cursor, uint64_t said_id,
                               struct err *err)
{
    struct str path = take_text(cursor);
    uint64_t kind = take_fixed(cursor, 1);
    bool is_full = kind == PART_FULL;
    struct str bytes = take_text(cursor);
    if (kind == PART_MEMO && !cursor->ended)
        return read_memo(run, path, bytes, err);
    bool is_aside;
    const struct graph *graph = graph_at(run->options.graph, path, &is_aside);
    if (cursor->ended)
        return err_set(err, ERR_INVALID, "the checkpoint ends too early");
    if (graph == NULL)
        return err_set(err, ERR_INVALID, "the checkpoint is of a sub-graph that is not there");
    struct superstep step = {.path = path, .graph = graph};
    if (path.len == 0) {
        if (is_full)
            run->state = state_create(&graph_def(graph)->schema, &run->context.arena);
        if (run->top == NULL)
            run->top = arena_alloc(&run->context.arena, sizeof *run->top);
        if (run->state == NULL || run->top == NULL)
            return err_set(err, ERR_NO_MEMORY, "the run's memory budget is spent");
        step.before = is_full ? NULL : run->top;
        return read_snapshot(run, &step, bytes, run->state, said_id, run->top, err);
    }
    struct run_part *part = run_context_find_part(&run->context, path);
    if (part == NULL && !is_full)
        return err_set(err, ERR_INVALID, "the checkpoint changes what is not there");
    if (part != NULL && is_full)
        list_remove(&part->link); /* of a visit before */
    if (is_full)
        part = add_part(run, path, graph);
    if (part == NULL)
        return err_set(err, ERR_NO_MEMORY, "the run's memory budget is spent");
    part->is_aside = is_aside;
    step.before = is_full ? NULL : &part->snapshot;
    return read_snapshot(run, &step, bytes, part->state, said_id, &part->snapshot, err);
}

/* The body between head and checksum, or why there is none. */
static enum err_code find_body(struct str bytes, struct str *body, struct err *err)
{
    if (bytes.len < HEAD_BYTES + CHECKSUM_BYTES || !str_starts_with(bytes, magic))
        return err_set(err, ERR_INVALID, "the checkpoint is not one");
    struct str tail = str_from(bytes, bytes.len - CHECKSUM_BYTES);
    if (fixed_take(&tail, CHECKSUM_BYTES) !=
        crc_32c(str_slice(bytes, 0, bytes.len - CHECKSUM_BYTES)))
        return err_set(err, ERR_INVALID, "the checkpoint is damaged: its checksum is wrong");
    if (bytes.at[magic.len] != CHECKPOINT_FORMAT)
        return err_set(err, ERR_INVALID, "the checkpoint's format is %d, this version reads %d",
                       (unsigned char)bytes.at[magic.len], CHECKPOINT_FORMAT);
    *body = str_slice(bytes, HEAD_BYTES, bytes.len - CHECKSUM_BYTES);
    return ERR_OK;
}

static enum err_code read_one(struct run *run, struct str bytes, uint64_t said_id,
                              bool must_be_full, struct err *err)
{
    struct cursor cursor = {0};
    enum err_code code = find_body(bytes, &cursor.rest, err);
    if (code != ERR_OK)
        return code;
    uint64_t asked = take_fixed(&cursor, 1), detail = asked & ~(uint64_t)WANTS_DATA;
    bool is_full = take_fixed(&cursor, 1) != 0;
    uint64_t steps = take_fixed(&cursor, NUMBER_BYTES);
    struct str node = take_text(&cursor), value = take_text(&cursor);
    if (cursor.ended || detail > EVENT_DEBUG || is_full != must_be_full)
        return err_set(err, ERR_INVALID, "the checkpoint's head is not one");
    run->context.steps = steps;
    run->context.detail = (enum event_level)detail;
    run->context.wants_data = (asked & WANTS_DATA) != 0;
    run->context.resume_node = arena_str(&run->context.arena, node);
    run->context.resume_value = arena_str(&run->context.arena, value);
    while (code == ERR_OK && cursor.rest.len > 0)
        code = read_part(run, &cursor, said_id, err);
    return code;
}

/* Read from the full one at first on, at most count. How many could be read. */
static size_t read_chain(struct run *run, const struct checkpoint_kept *kept, size_t count,
                         uint64_t said_id, struct err *err)
{
    size_t i = 0;
    while (i < count && (i == 0 || !kept[i].is_full) &&
           read_one(run, kept[i].bytes, said_id, i == 0, err) == ERR_OK)
        i++;
    return i;
}

static void take_run(struct run *run)
{
    struct run_stats *stats = &run->context.stats;
    const uint64_t *tallies = run->top->tallies;
    stats->answer_tokens = tallies[AT_ANSWER];
    stats->prompt_tokens = tallies[AT_PROMPT];
    stats->completion_tokens = tallies[AT_COMPLETION];
    stats->llm_calls = tallies[AT_LLM];
    stats->sql_attempts = tallies[AT_SQL];
    stats->duration_ms = tallies[AT_DURATION];
    stats->ttft_ms = tallies[AT_TTFT];
    stats->estimated = tallies[AT_ESTIMATED] != 0;
    stats->model_count = 0;
    if (run->top->model.len > 0)
        stats->models[stats->model_count++] = stats->model = run->top->model;
    if (run->top->route.len > 0)
        run->context.route = run->top->route;
    run->is_restored = true;
}

/* Make run what it was before anything was read into it. */
static void unread(struct run *run, const struct run *before)
{
    list_init(&run->context.parts);
    list_init(&run->context.memos);
    run->state = before->state;
    run->context.steps = before->context.steps;
    run->context.detail = before->context.detail;
    run->context.wants_data = before->context.wants_data;
    run->context.resume_node = run->context.resume_value = (struct str){NULL, 0};
}

enum err_code checkpoint_restore(struct run *run, const struct checkpoint_kept *kept, size_t count,
                                 uint64_t said_id, size_t *used, struct err *err)
{
    const struct run before = *run;
    struct err ignored, *why = err;
    CHECK(run->context.phase == RUN_CREATED);
    *used = 0;
    err_set(err, ERR_NOT_FOUND, "there is no full checkpoint");
    for (size_t first = count; first-- > 0;) {
        if (!kept[first].is_full)
            continue;
        size_t read = read_chain(run, kept + first, count - first, said_id, why);
        if (read > 0 && first + read < count && arena_ok(&run->context.arena)) {
            unread(run, &before); /* the one that failed may have been put in part */
            read = read_chain(run, kept + first, read, said_id, &ignored);
        }
        if (!arena_ok(&run->context.arena)) {
            unread(run, &before);
            return err_set(err, ERR_NO_MEMORY, "the run's memory budget is spent");
        }
        if (read > 0) {
            *used = first + read;
            take_run(run);
            return ERR_OK;
        }
        unread(run, &before);
        why = &ignored;
    }
    err->code = ERR_NOT_FOUND;
    return ERR_NOT_FOUND;
}

/* ---- what was said, and what a person says ---- */

bool checkpoint_replay(struct run *run, const struct event *event)
{
    size_t bytes = event->name.len + event->text.len + event->more.len;
    CHECK(run->context.phase == RUN_CREATED);
    if (bytes > run->options.limits.log_bytes / 4)
        return false;
    if (run_context_is_answer(event)) {
        run->context.said_attempt = event->number;
        run->context.said_id = event->id;
    }
    run_context_note_event(&run->context, event);
    event_log_skip(run->context.events, event->id);
    return event_log_append(run->context.events, event) == event->id;
}

/* The last event before the superstep that is entered again, in whichever walk comes first to it;
 * those in the background do not count: what they have begun says nothing of the others' text. */
static uint64_t find_standing(const struct run *run)
{
    uint64_t id = run->is_restored ? run->top->last_event_id : 0;
    LIST_EACH(link, &run->context.parts) {
        const struct run_part *part = list_item(link, const struct run_part, link);
        if (!part->is_aside)
            id = size_max(id, part->snapshot.last_event_id);
    }
    return id;
}

bool checkpoint_take_over(struct run *run, uint64_t epoch)
{
    struct buf text;
    CHECK(run->context.phase == RUN_CREATED);
    buf_init(&text, run->options.limits.arena_bytes);
    uint64_t standing_id = find_standing(run);
    run_context_collect_answer(&run->context, standing_id, &text);
    run->context.has_void = run->context.said_id > standing_id;
    run->context.standing = arena_str(&run->context.arena, buf_str(&text));
    bool fine = buf_ok(&text) && arena_ok(&run->context.arena);
    buf_fini(&text);
    run->context.least_attempt = size_max((size_t)run->context.said_attempt + 1, epoch);
    event_log_skip(run->context.events, event_first_id(epoch));
    return fine;
}

bool checkpoint_resume(struct run *run, struct str node, struct str value)
{
    if (!str_is_absent(node)) {
        run->context.resume_node = arena_str(&run->context.arena, node);
        run->context.resume_value = arena_str(&run->context.arena, value);
    }
    if (run->top != NULL)
        run->top->last_event_id = 0; /* those before were another run's */
    LIST_EACH(link, &run->context.parts)
        list_item(link, struct run_part, link)->snapshot.last_event_id = 0;
    return arena_ok(&run->context.arena);
}

bool checkpoint_place_at(const struct run *run, size_t i, struct checkpoint_place *place)
{
    if (i == 0) {
        *place = (struct checkpoint_place){STR(""), run->options.graph, run->state, run->top};
        return run->is_restored;
    }
    LIST_EACH(link, &run->context.parts) {
        const struct run_part *part = list_item(link, const struct run_part, link);
        *place = (struct checkpoint_place){part->path, part->graph, part->state, &part->snapshot};
        if (--i == 0)
            return true;
    }
    return false;
}

/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite_turns.c - conversations: turns, checkpoints, notes.
 *
 * A checkpoint of a conversation mostly holds the answer of the turn that it comes with. A long
 * answer is cut out of it, and put back when the checkpoint is read: turns go when all of their
 * conversation does.
 * Failure: as core/store/store_asks.h says of each call; SQLite's, told by sqlite_row_end. */
#include <sqlite3.h>
#include <string.h>

#include "backends/stores/store_sqlite_internal.h"

enum {
    LEAST_CUT_BYTES = 512, /* of an answer that is cut out of a checkpoint */
    BEGINNING_BYTES = 64,  /* that it is looked for by */
    MOST_BEGINNINGS = 8,   /* looked at: an answer that repeats itself may be missed */
};

#define STORE_BEHIND_SHARED "A" /* the first text that no longer begins with STORE_SHARED */

static enum err_code no_conversation(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "there is no such conversation");
}

enum err_code store_sqlite_find_conversation(const struct store_sqlite_job *job,
                                             const struct identity *key, uint64_t *row_id,
                                             uint64_t *version, uint64_t *turns, struct err *err)
{
    *row_id = *version = *turns = 0;
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT row, version, turns FROM conversations"
                              " WHERE company_id = ?1 AND user_id = ?2 AND id = ?3");
    sqlite_row_text(&row, key->company_id);
    sqlite_row_text(&row, key->user_id);
    sqlite_row_text(&row, key->conversation_id);
    if (sqlite_row_next(&row)) {
        *row_id = sqlite_row_number_at(&row, 0);
        *version = sqlite_row_number_at(&row, 1);
        *turns = sqlite_row_number_at(&row, 2);
    }
    return sqlite_row_end(&row, err);
}

/* The row of a conversation that must be there. */
static enum err_code find_there(const struct store_sqlite_job *job, const struct identity *key,
                                uint64_t *row_id, uint64_t *version, struct err *err)
{
    uint64_t turns;
    enum err_code code = store_sqlite_find_conversation(job, key, row_id, version, &turns, err);
    return code == ERR_OK && *row_id == 0 ? no_conversation(err) : code;
}

/* ---- loading ---- */

#define TURN_COLUMNS                                                                               \
    "t.number, t.version, t.time_ms, t.run_id, t.question, t.answer, t.details, "                  \
    "t.partial, c.id"

/* All rows of a SELECT of TURN_COLUMNS. */
static enum err_code add_turns(struct store_call *call, struct sqlite_row *row, struct err *err)
{
    enum err_code added = ERR_OK;
    while (added == ERR_OK && sqlite_row_next(row))
        added = store_add_turn(call,
                               &(struct store_turn){.number = sqlite_row_number_at(row, 0),
                                                    .version = sqlite_row_number_at(row, 1),
                                                    .time_ms = sqlite_row_number_at(row, 2),
                                                    .run_id = sqlite_row_text_at(row, 3),
                                                    .question = sqlite_row_text_at(row, 4),
                                                    .answer = sqlite_row_text_at(row, 5),
                                                    .details = sqlite_row_bytes_at(row, 6),
                                                    .partial = sqlite_row_number_at(row, 7) != 0,
                                                    .conversation_id = sqlite_row_text_at(row, 8)});
    enum err_code code = sqlite_row_end(row, err);
    return added == ERR_OK ? code : added;
}

static enum err_code add_notes(struct store_call *call, struct sqlite_row *row, struct err *err)
{
    enum err_code added = ERR_OK;
    while (added == ERR_OK && sqlite_row_next(row))
        added = store_add_note(
            call, &(struct store_note){sqlite_row_text_at(row, 0), sqlite_row_bytes_at(row, 1)});
    enum err_code code = sqlite_row_end(row, err);
    return added == ERR_OK ? code : added;
}

static enum err_code load_turns(const struct store_sqlite_job *job, uint64_t row_id,
                                struct err *err)
{
    const struct store_load *ask = job->call->ask.load;
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT " TURN_COLUMNS " FROM turns t"
                              " JOIN conversations c ON c.row = t.conversation"
                              " WHERE t.conversation = ?1 AND t.number < ?2 AND t.version <= ?3"
                              " ORDER BY t.number DESC LIMIT ?4");
    sqlite_row_number(&row, row_id);
    sqlite_row_number(&row, ask->before_turn == 0 ? INT64_MAX : ask->before_turn);
    sqlite_row_number(&row, ask->at_version == 0 ? INT64_MAX : ask->at_version);
    sqlite_row_number(&row, store_rows(ask->turn_limit));
    enum err_code code = add_turns(job->call, &row, err);
    store_reverse_turns(job->call);
    return code;
}

/* The conversation's, the user's, and the shared ones of the user's other conversations. */
static enum err_code load_notes(const struct store_sqlite_job *job, uint64_t row_id,
                                struct err *err)
{
    static const char *const statements[] = {
        "SELECT name, bytes FROM notes WHERE conversation = ?1",
        "SELECT name, bytes FROM user_notes WHERE company_id = ?2 AND user_id = ?3 AND ?1 >= 0",
        /* nested loops, outermost first: no table is made to put them in order */
        "SELECT '" STORE_SHARED "' || n.name, n.bytes FROM (SELECT row FROM conversations"
        " WHERE company_id = ?2 AND user_id = ?3 AND row <> ?1 ORDER BY changed_ms DESC LIMIT ?4)"
        " c CROSS JOIN notes n ON n.conversation = c.row"
        " WHERE n.name >= '" STORE_SHARED "' AND n.name < '" STORE_BEHIND_SHARED "'",
    };
    const struct identity *key = &job->call->ask.load->key;
    enum err_code code = ERR_OK;
    for (size_t i = row_id == 0; i < countof(statements) && code == ERR_OK; i++) {
        struct sqlite_row row = store_sqlite_row(job, statements[i]);
        sqlite_row_number(&row, row_id);
        if (i > 0) {
            sqlite_row_text(&row, key->company_id);
            sqlite_row_text(&row, key->user_id);
        }
        if (i > 1)
            sqlite_row_number(&row, STORE_SHARED_MOST);
        code = add_notes(job->call, &row, err);
    }
    return code;
}

enum err_code store_sqlite_load(const struct store_sqlite_job *job, struct err *err)
{
    struct store_call *call = job->call;
    const struct store_load *ask = call->ask.load;
    uint64_t row_id;
    enum err_code code =
        store_sqlite_find_conversation(job, &ask->key, &row_id, &call->version, &call->total, err);
    if (code != ERR_OK) {
        call->version = call->total = 0;
        return code;
    }
    bool is_known = ask->since_version != 0 && call->version == ask->since_version;
    if (row_id != 0 && !is_known)
        code = load_turns(job, row_id, err);
    return code == ERR_OK ? load_notes(job, row_id, err) : code;
}

enum err_code store_sqlite_search(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_search *ask = job->call->ask.search;
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT " TURN_COLUMNS " FROM conversations c"
                              " JOIN turns t ON t.conversation = c.row"
                              " WHERE c.company_id = ?1 AND c.user_id = ?2"
                              " AND (holds(t.question, ?3) OR holds(t.answer, ?3))"
                              " ORDER BY t.time_ms DESC, t.number DESC LIMIT ?4");
    sqlite_row_text(&row, ask->key.company_id);
    sqlite_row_text(&row, ask->key.user_id);
    sqlite_row_text(&row, ask->text);
    sqlite_row_number(&row, store_rows(ask->limit));
    return add_turns(job->call, &row, err);
}

enum err_code store_sqlite_list(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_list *ask = job->call->ask.list;
    enum err_code added = ERR_OK;
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT id, title, version, turns, began_ms, changed_ms"
                              " FROM conversations WHERE company_id = ?1 AND user_id = ?2"
                              " AND changed_ms < ?3 ORDER BY changed_ms DESC LIMIT ?4");
    sqlite_row_text(&row, ask->key.company_id);
    sqlite_row_text(&row, ask->key.user_id);
    sqlite_row_number(&row, ask->before_ms == 0 ? INT64_MAX : ask->before_ms);
    sqlite_row_number(&row, store_rows(ask->limit));
    while (added == ERR_OK && sqlite_row_next(&row))
        added = store_add_summary(
            job->call,
            &(struct store_summary){sqlite_row_text_at(&row, 0), sqlite_row_text_at(&row, 1),
                                    sqlite_row_number_at(&row, 2), sqlite_row_number_at(&row, 3),
                                    sqlite_row_number_at(&row, 4), sqlite_row_number_at(&row, 5)});
    enum err_code code = sqlite_row_end(&row, err);
    return added == ERR_OK ? code : added;
}

/* ---- checkpoints ---- */

static enum err_code add_checkpoints(struct store_call *call, struct sqlite_row *row,
                                     struct err *err)
{
    enum err_code added = ERR_OK;
    while (added == ERR_OK && sqlite_row_next(row))
        added = store_add_checkpoint(
            call, &(struct store_checkpoint){.version = sqlite_row_number_at(row, 0),
                                             .time_ms = sqlite_row_number_at(row, 1),
                                             .run_id = sqlite_row_text_at(row, 2),
                                             .step = sqlite_row_number_at(row, 3),
                                             .is_full = sqlite_row_number_at(row, 4) != 0,
                                             .bytes = sqlite_row_bytes_at(row, 5)});
    enum err_code code = sqlite_row_end(row, err);
    return added == ERR_OK ? code : added;
}

enum err_code store_sqlite_restore(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_restore *ask = job->call->ask.restore;
    uint64_t row_id, version;
    enum err_code code = find_there(job, &ask->key, &row_id, &version, err);
    if (code != ERR_OK)
        return code;
    uint64_t at = ask->at_version == 0 ? version : ask->at_version;
    struct sqlite_row row = store_sqlite_row(
        job, "SELECT version, time_ms, run_id, step, is_full, CASE cut_turn WHEN 0 THEN bytes"
             " ELSE ifnull(substr(bytes, 1, cut_at), '') || (SELECT answer FROM turns t"
             " WHERE t.conversation = ?1 AND t.number = cut_turn)"
             " || ifnull(substr(bytes, cut_at + 1), '') END FROM checkpoints"
             " WHERE conversation = ?1 AND version <= ?2 AND version >="
             " (SELECT max(version) FROM checkpoints"
             "  WHERE conversation = ?1 AND version <= ?2 AND is_full) ORDER BY version");
    sqlite_row_number(&row, row_id);
    sqlite_row_number(&row, at);
    code = add_checkpoints(job->call, &row, err);
    if (code == ERR_OK && (job->call->checkpoint_count == 0 || at > version))
        return err_set(err, ERR_NOT_FOUND, "there is no such version");
    job->call->version = at;
    return code;
}

enum err_code store_sqlite_checkpoints(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_checkpoints *ask = job->call->ask.checkpoints;
    uint64_t row_id, version;
    enum err_code code = find_there(job, &ask->key, &row_id, &version, err);
    if (code != ERR_OK)
        return code;
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT version, time_ms, run_id, step, is_full, NULL"
                              " FROM checkpoints WHERE conversation = ?1 AND version < ?2"
                              " ORDER BY version DESC LIMIT ?3");
    sqlite_row_number(&row, row_id);
    sqlite_row_number(&row, ask->before_version == 0 ? INT64_MAX : ask->before_version);
    sqlite_row_number(&row, store_rows(ask->limit));
    return add_checkpoints(job->call, &row, err);
}

/* ---- saving ---- */

/* The conversation's row: made, or changed. */
static enum err_code put_conversation(const struct store_sqlite_job *job, uint64_t turns,
                                      uint64_t *row_id, struct err *err)
{
    const struct store_save *ask = job->call->ask.save;
    bool is_new = *row_id == 0;
    struct str title =
        ask->turn_count == 0 ? STR("") : str_utf8_prefix(ask->turns[0].question, STORE_TITLE_BYTES);
    struct sqlite_row row = store_sqlite_row(
        job, is_new ? "INSERT INTO conversations (version, turns, changed_ms, began_ms, title,"
                      " id, company_id, user_id) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7)"
                    : "UPDATE conversations SET version = ?1, turns = ?2,"
                      " changed_ms = max(changed_ms, ?3),"
                      " title = CASE turns WHEN 0 THEN ?4 ELSE title END WHERE row = ?5");
    sqlite_row_number(&row, job->call->version);
    sqlite_row_number(&row, turns);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_text(&row, title);
    if (is_new) {
        sqlite_row_text(&row, ask->key.conversation_id);
        sqlite_row_text(&row, ask->key.company_id);
        sqlite_row_text(&row, ask->key.user_id);
    } else {
        sqlite_row_number(&row, *row_id);
    }
    enum err_code code = sqlite_row_run(&row, err);
    if (is_new)
        *row_id = (uint64_t)sqlite3_last_insert_rowid(job->db);
    return code;
}

/* What is put of a checkpoint: all of it (turn 0), or what is around the answer of a turn. */
struct cut {
    struct str bytes;
    uint64_t turn, at;
};

/* Where text, which is long, is in bytes, or NULL. A search for all of it would first prepare for
 * all of it, which takes longer than the rest of saving. */
static const char *find_long(struct str bytes, struct str text)
{
    for (unsigned i = 0; i < MOST_BEGINNINGS && bytes.len >= text.len; i++) {
        const char *found = memmem(bytes.at, bytes.len, text.at, BEGINNING_BYTES);
        size_t at = found == NULL ? bytes.len : (size_t)(found - bytes.at);
        if (bytes.len - at < text.len)
            return NULL;
        if (memcmp(found, text.at, text.len) == 0)
            return found;
        bytes = str_from(bytes, at + 1);
    }
    return NULL;
}

/* Cut the answer of turn out of checkpoint. False: it is not there, or there is no memory. */
static bool cut_answer(struct arena *arena, struct str checkpoint, const struct store_turn *turn,
                       uint64_t number, struct cut *cut)
{
    struct str answer = turn->answer;
    if (answer.len < LEAST_CUT_BYTES || answer.len > checkpoint.len)
        return false;
    const char *found = find_long(checkpoint, answer);
    char *rest = found == NULL ? NULL : arena_raw(arena, checkpoint.len - answer.len + 1);
    if (rest == NULL)
        return false;
    size_t at = (size_t)(found - checkpoint.at), behind = checkpoint.len - at - answer.len;
    memcpy(rest, checkpoint.at, at);
    memcpy(rest + at, found + answer.len, behind);
    *cut = (struct cut){str_make(rest, at + behind), number, at};
    return true;
}

static struct cut cut_checkpoint(const struct store_sqlite_job *job, uint64_t first_turn)
{
    const struct store_save *ask = job->call->ask.save;
    struct cut cut = {ask->checkpoint.bytes, 0, 0};
    for (size_t i = 0; i < ask->turn_count; i++)
        if (cut_answer(&job->call->arena, ask->checkpoint.bytes, &ask->turns[i], first_turn + i,
                       &cut))
            break;
    return cut;
}

static enum err_code put_checkpoint(const struct store_sqlite_job *job, uint64_t row_id,
                                    uint64_t first_turn, struct err *err)
{
    const struct store_checkpoint *checkpoint = &job->call->ask.save->checkpoint;
    const struct cut cut = cut_checkpoint(job, first_turn);
    struct sqlite_row row = store_sqlite_row(
        job, "INSERT INTO checkpoints (conversation, version, time_ms, run_id, step, is_full,"
             " bytes, cut_turn, cut_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    sqlite_row_number(&row, row_id);
    sqlite_row_number(&row, job->call->version);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_text(&row, checkpoint->run_id);
    sqlite_row_number(&row, checkpoint->step);
    sqlite_row_number(&row, checkpoint->is_full);
    sqlite_row_bytes(&row, cut.bytes);
    sqlite_row_number(&row, cut.turn);
    sqlite_row_number(&row, cut.at);
    return sqlite_row_run(&row, err);
}

static enum err_code put_turn(const struct store_sqlite_job *job, uint64_t row_id, uint64_t number,
                              const struct store_turn *turn, struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "INSERT INTO turns VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    sqlite_row_number(&row, row_id);
    sqlite_row_number(&row, number);
    sqlite_row_number(&row, job->call->version);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_text(&row, turn->run_id);
    sqlite_row_text(&row, turn->question);
    sqlite_row_text(&row, turn->answer);
    sqlite_row_bytes(&row, turn->details);
    sqlite_row_number(&row, turn->partial);
    return sqlite_row_run(&row, err);
}

static enum err_code put_note(const struct store_sqlite_job *job, uint64_t row_id,
                              const struct store_note *note, struct err *err)
{
    struct sqlite_row row = store_sqlite_row(
        job, str_is_empty(note->bytes) ? "DELETE FROM notes WHERE conversation = ?1 AND name = ?2"
                                       : "INSERT OR REPLACE INTO notes VALUES (?1, ?2, ?3)");
    sqlite_row_number(&row, row_id);
    sqlite_row_text(&row, note->name);
    if (!str_is_empty(note->bytes))
        sqlite_row_bytes(&row, note->bytes);
    return sqlite_row_run(&row, err);
}

static enum err_code put_user_note(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_keep *ask = job->call->ask.keep;
    struct sqlite_row row = store_sqlite_row(
        job, str_is_empty(ask->note.bytes)
                 ? "DELETE FROM user_notes WHERE company_id = ?1 AND user_id = ?2 AND name = ?3"
                 : "INSERT OR REPLACE INTO user_notes VALUES (?1, ?2, ?3, ?4)");
    sqlite_row_text(&row, ask->key.company_id);
    sqlite_row_text(&row, ask->key.user_id);
    sqlite_row_text(&row, ask->note.name);
    if (!str_is_empty(ask->note.bytes))
        sqlite_row_bytes(&row, ask->note.bytes);
    return sqlite_row_run(&row, err);
}

enum err_code store_sqlite_save(const struct store_sqlite_job *job, struct err *err)
{
    struct store_call *call = job->call;
    const struct store_save *ask = call->ask.save;
    uint64_t row_id, turns;
    enum err_code code =
        store_sqlite_find_conversation(job, &ask->key, &row_id, &call->version, &turns, err);
    if (code != ERR_OK)
        return code;
    if (call->version != ask->expected_version)
        return err_set(err, ERR_CONFLICT, "the conversation was changed meanwhile");
    call->version++;
    code = put_conversation(job, turns + ask->turn_count, &row_id, err);
    if (code == ERR_OK)
        code = put_checkpoint(job, row_id, turns + 1, err);
    for (size_t i = 0; code == ERR_OK && i < ask->turn_count; i++)
        code = put_turn(job, row_id, turns + 1 + i, &ask->turns[i], err);
    for (size_t i = 0; code == ERR_OK && i < ask->note_count; i++)
        code = put_note(job, row_id, &ask->notes[i], err);
    return code;
}

enum err_code store_sqlite_keep(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_keep *ask = job->call->ask.keep;
    uint64_t row_id, version;
    if (str_is_empty(ask->key.conversation_id))
        return put_user_note(job, err);
    enum err_code code = find_there(job, &ask->key, &row_id, &version, err);
    return code == ERR_OK ? put_note(job, row_id, &ask->note, err) : code;
}

enum err_code store_sqlite_notes(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_notes *ask = job->call->ask.notes;
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT n.name, n.bytes FROM notes n JOIN conversations c"
                              " ON c.row = n.conversation WHERE substr(n.name, 1, ?1) = ?2"
                              " ORDER BY c.changed_ms DESC, n.name LIMIT ?3");
    sqlite_row_number(&row, ask->prefix.len);
    sqlite_row_text(&row, ask->prefix);
    sqlite_row_number(&row, store_rows(ask->limit));
    return add_notes(job->call, &row, err);
}

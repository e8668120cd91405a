/* SPDX-License-Identifier: MIT */
/* backends/store_pg_ask.c - words as typed parameters of one function call.
 *
 * Happy path: each verb's parameters are a letter each: b bytes, n number, t truth, f bytes to look
 * for (small letters); those of a save that lie behind its head become two arrays of bytes.
 * Failure: no memory. */
#include "backends/store_pg_wire.h"

#include <string.h>

#include "backends/store_words.h"

enum { TYPE_BOOL = 16, TYPE_BYTEA = 17, TYPE_INT8 = 20, TYPE_BYTEA_ARRAY = 1001 };
enum { ARRAY_HEAD = 20, LENGTH_BYTES = 4, TURN_ITEMS = 6 };
enum { SEPARATOR = 0xFF }; /* between question and answer: no text that is looked for holds it */

static const struct {
    const char *call;   /* one statement */
    const char *params; /* a letter each */
} verbs[STORE_VERB_COUNT] = {
    [STORE_LOAD] = {"SELECT * FROM askd_store.v1_load($1,$2,$3,$4,$5,$6,$7)", "bbbnnnn"},
    [STORE_RESTORE] = {"SELECT * FROM askd_store.v1_restore($1,$2,$3,$4)", "bbbn"},
    [STORE_SAVE] = {"SELECT * FROM askd_store.v1_save($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)",
                    "bbbnbbntbb"},
    [STORE_KEEP] = {"SELECT * FROM askd_store.v1_keep($1,$2,$3,$4,$5)", "bbbbb"},
    [STORE_CHECKPOINTS] = {"SELECT * FROM askd_store.v1_checkpoints($1,$2,$3,$4,$5)", "bbbnn"},
    [STORE_LIST] = {"SELECT * FROM askd_store.v1_list($1,$2,$3,$4)", "bbnn"},
    [STORE_SEARCH] = {"SELECT * FROM askd_store.v1_search($1,$2,$3,$4)", "bbfn"},
    [STORE_ERASE] = {"SELECT * FROM askd_store.v1_erase($1,$2,$3)", "bbb"},
    [STORE_PRUNE] = {"SELECT * FROM askd_store.v1_prune($1,$2,$3,$4)", "nnnb"},
    [STORE_BEGIN] = {"SELECT * FROM askd_store.v1_begin($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)",
                     "bbbbbbbbnt"},
    [STORE_RESUME] =
        {"SELECT * FROM askd_store.v1_resume($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13)",
         "bbbbbbbbntbnb"},
    [STORE_CLAIM] = {"SELECT * FROM askd_store.v1_claim($1,$2,$3)", "bbn"},
    [STORE_RENEW] = {"SELECT * FROM askd_store.v1_renew($1,$2,$3,$4)", "bbnn"},
    [STORE_FINISH] = {"SELECT * FROM askd_store.v3_finish($1,$2,$3,$4)", "bbnn"},
    [STORE_FIND] = {"SELECT * FROM askd_store.v1_find($1,$2,$3,$4,$5)", "bbbbb"},
    [STORE_RUNS] = {"SELECT * FROM askd_store.v1_runs($1,$2,$3,$4,$5)", "bbbnt"},
    [STORE_STOP] = {"SELECT * FROM askd_store.v1_stop($1,$2,$3,$4,$5)", "bbbbn"},
    [STORE_APPEND] = {"SELECT * FROM askd_store.v3_append($1,$2,$3,$4,$5,$6)", "bbnnnb"},
    [STORE_WRITE] = {"SELECT * FROM askd_store.v3_write($1)", ""},
    [STORE_READ] = {"SELECT * FROM askd_store.v1_read($1,$2,$3,$4,$5,$6)", "bbbbnn"},
    [STORE_MARK] = {"SELECT * FROM askd_store.v1_mark($1,$2,$3,$4,$5,$6,$7)", "bbnnntb"},
    [STORE_MARKS] = {"SELECT * FROM askd_store.v1_marks($1,$2,$3,$4,$5,$6,$7)", "bbbbnnt"},
};

static const bool is_reading[STORE_VERB_COUNT] = {
    [STORE_LOAD] = true, [STORE_RESTORE] = true, [STORE_CHECKPOINTS] = true,
    [STORE_LIST] = true, [STORE_SEARCH] = true,  [STORE_FIND] = true,
    [STORE_RUNS] = true, [STORE_READ] = true,    [STORE_MARKS] = true,
};

/* first, a separator and second with small letters; second absent: first alone. */
static struct str fold(struct arena *arena, struct str first, struct str second)
{
    bool is_pair = !str_is_absent(second);
    size_t len = first.len + (is_pair ? 1 + second.len : 0);
    char *folded = arena_alloc(arena, size_max(len, 1));
    if (folded == NULL)
        return (struct str){0};
    for (size_t i = 0; i < first.len; i++)
        folded[i] = str_lower(first.at[i]);
    if (is_pair)
        folded[first.len] = (char)SEPARATOR;
    for (size_t i = 0; i < second.len; i++)
        folded[first.len + 1 + i] = str_lower(second.at[i]);
    return str_make(folded, len);
}

static struct pg_conn_param param_of(struct arena *arena, char letter, struct str word)
{
    struct pg_conn_param param = {.value = word.at, .len = word.len};
    switch (letter) {
    case 'f':
        word = fold(arena, word, (struct str){0});
        param = (struct pg_conn_param){word.at, word.len, TYPE_BYTEA, true};
        break;
    case 'b':
        param.type = TYPE_BYTEA;
        param.is_binary = true;
        break;
    default: /* digits, which end where their text does in the arena */
        param.type = letter == 'n' ? TYPE_INT8 : TYPE_BOOL;
        param.value = arena_cstr(arena, word);
        break;
    }
    return param;
}

static void put_u32(char *at, size_t value)
{
    for (unsigned i = 0; i < LENGTH_BYTES; i++)
        at[i] = (char)(value >> (8 * (LENGTH_BYTES - 1 - i)) & 0xFF);
}

/* As array_recv reads it: dimensions, no NULLs, the type, how many from 1 on, then each. */
static struct pg_conn_param array_of(struct arena *arena, const struct str *items, size_t count)
{
    size_t bytes = ARRAY_HEAD;
    for (size_t i = 0; i < count; i++)
        bytes += LENGTH_BYTES + items[i].len;
    char *array = arena_alloc(arena, bytes), *at = array;
    if (array == NULL)
        return (struct pg_conn_param){0};
    const size_t head[] = {count > 0, 0, TYPE_BYTEA, count, 1};
    for (size_t i = 0; i < countof(head); i++, at += LENGTH_BYTES)
        put_u32(at, head[i]);
    for (size_t i = 0; i < count; i++) {
        put_u32(at, items[i].len);
        at += LENGTH_BYTES;
        if (items[i].len > 0)
            memcpy(at, items[i].at, items[i].len);
        at += items[i].len;
    }
    size_t len = count > 0 ? bytes : ARRAY_HEAD - 2 * LENGTH_BYTES; /* of no dimension */
    return (struct pg_conn_param){array, len, TYPE_BYTEA_ARRAY, true};
}

/* The parts of turns and notes behind a save's head; each turn gets its folded text, too. */
static bool put_arrays(struct pg_conn_param *params, struct arena *arena,
                       const struct store_words *words, const struct store_save *ask)
{
    const struct str *part = words->at + STORE_WORDS_SAVE_HEAD;
    struct str *items = arena_array(arena, ask->turn_count * TURN_ITEMS + 1, sizeof *items);
    if (items == NULL)
        return false;
    for (size_t i = 0; i < ask->turn_count; i++, part += STORE_WORDS_PER_TURN) {
        memcpy(&items[i * TURN_ITEMS], part, STORE_WORDS_PER_TURN * sizeof *part);
        items[i * TURN_ITEMS + STORE_WORDS_PER_TURN] = fold(arena, part[1], part[2]);
    }
    params[0] = array_of(arena, items, ask->turn_count * TURN_ITEMS);
    params[1] = array_of(arena, part, ask->note_count * STORE_WORDS_PER_NOTE);
    return arena_ok(arena);
}

static size_t arrays_of(enum store_verb verb)
{
    return verb == STORE_SAVE ? 2 : verb == STORE_WRITE;
}

bool store_pg_ask(struct pg_task *task, struct arena *arena, const struct store_call *call,
                  struct str token)
{
    struct store_words words = {.arena = arena};
    const char *letters = verbs[call->verb].params;
    size_t count = strlen(letters), extra = arrays_of(call->verb);
    if (!store_words_ask(&words, call, token))
        return false;
    struct pg_conn_param *params = arena_array(arena, count + extra, sizeof *params);
    if (params == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        params[i] = param_of(arena, letters[i], words.at[i]);
    if (call->verb == STORE_SAVE && !put_arrays(params + count, arena, &words, call->ask.save))
        return false;
    if (call->verb == STORE_WRITE) /* behind their number */
        params[0] = array_of(arena, words.at + 1, words.count - 1);
    task->statements[0] = (struct pg_task_statement){verbs[call->verb].call, params, count + extra};
    task->count = 1;
    task->writes = !is_reading[call->verb];
    return arena_ok(arena);
}

/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_error.c - SQLSTATE classes in a table; texts trimmed to what may be told.
 *
 * Happy path: the most exact entry of the table (five characters before two) gives the code.
 * Failure: no SQLSTATE, as when libpq itself fails: ERR_UNAVAILABLE with its text. */
#include "backends/sql/pg_error.h"

#include <libpq-fe.h>
#include <string.h>

#include "core/base/buf.h"

/* Longer prefixes first; what is not here is the statement's fault. */
static const struct {
    const char *prefix;
    enum err_code code;
} meanings[] = {
    {"08P01", ERR_REJECTED},                             /* as many values as parameters, please */
    {"57014", ERR_TIMEOUT},                              /* cancelled */
    {"55P03", ERR_UNAVAILABLE},                          /* a lock */
    {"25P03", ERR_UNAVAILABLE},                          /* idle too long in a transaction */
    {"XX001", ERR_UNAVAILABLE},                          /* corrupt data, index */
    {"XX002", ERR_UNAVAILABLE}, {"08", ERR_UNAVAILABLE}, /* the connection */
    {"28", ERR_DENIED},                                  /* the login */
    {"3D", ERR_UNAVAILABLE},                             /* no such database */
    {"40", ERR_UNAVAILABLE}, /* rolled back: serialisation, deadlock, recovery conflict */
    {"53", ERR_UNAVAILABLE}, /* too many connections, memory, disk */
    {"57", ERR_UNAVAILABLE}, /* shutdown, crash, not yet started */
    {"58", ERR_UNAVAILABLE}, /* I/O */
};

enum err_code pg_error_code(struct str sqlstate)
{
    if (str_is_empty(sqlstate))
        return ERR_UNAVAILABLE;
    for (size_t i = 0; i < countof(meanings); i++)
        if (str_starts_with(sqlstate, str_of(meanings[i].prefix)))
            return meanings[i].code;
    return ERR_REJECTED;
}

/* Class 22 (data exceptions) quotes the datum: its messages lose what stands in double quotes. */
static void push_message(struct buf *buf, struct str text, bool quotes)
{
    bool inside = false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '"' && !quotes)
            inside = !inside;
        else if (inside)
            continue;
        buf_push_char(buf, (unsigned char)text.at[i] < ' ' ? ' ' : text.at[i]);
    }
}

enum { TEXT_LIMIT = 4096 };

enum err_code pg_error_take(const struct pg_result *result, char sqlstate[PG_ERROR_STATE_BYTES],
                            struct err *err)
{
    struct str state = str_of(PQresultErrorField(result, PG_DIAG_SQLSTATE));
    struct str message = str_of(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    struct str hint = str_of(PQresultErrorField(result, PG_DIAG_MESSAGE_HINT));
    struct buf buf;
    state = str_slice(state, 0, PG_ERROR_STATE_BYTES - 1);
    memset(sqlstate, 0, PG_ERROR_STATE_BYTES);
    if (!str_is_empty(state))
        memcpy(sqlstate, state.at, state.len);
    if (str_is_empty(state)) /* libpq's own, about the socket */
        message = STR("the connection to the database was lost");
    buf_init(&buf, TEXT_LIMIT);
    push_message(&buf, str_utf8_prefix(message, TEXT_LIMIT / 4),
                 !str_starts_with(state, STR("22")));
    if (!str_is_empty(hint)) {
        buf_push(&buf, STR(" (hint: "));
        push_message(&buf, str_utf8_prefix(hint, TEXT_LIMIT / 4), true);
        buf_push(&buf, STR(")"));
    }
    bool is_plain = buf_ok(&buf) && str_is_utf8(buf_str(&buf));
    enum err_code code = err_set(err, pg_error_code(state), "%.*s",
                                 STR_ARG(is_plain ? buf_str(&buf) : STR("the statement failed")));
    buf_fini(&buf);
    return code;
}

/* The last ":  28P01: " of a verbose message; absent when there is none. */
static struct str find_state(struct str text)
{
    struct str found = {NULL, 0};
    for (size_t i = 0; i + 10 < text.len; i++) {
        struct str state = str_slice(text, i + 3, i + 8);
        bool is_state = str_equal(str_slice(text, i, i + 3), STR(":  ")) &&
                        str_equal(str_slice(text, i + 8, i + 10), STR(": "));
        for (size_t j = 0; j < state.len; j++)
            is_state = is_state &&
                       (str_is_digit(state.at[j]) || (state.at[j] >= 'A' && state.at[j] <= 'Z'));
        if (is_state)
            found = state;
    }
    return found;
}

enum err_code pg_error_connect(const char *text, const char *where, struct err *err)
{
    struct str whole = str_of(text), state = find_state(whole);
    struct str words = whole;
    enum err_code code = ERR_UNAVAILABLE;
    if (!str_is_absent(state)) {
        words = str_from(whole, (size_t)(state.at - whole.at) + state.len + 2);
        if (pg_error_code(state) == ERR_DENIED || str_equal(state, STR("42501")))
            code = ERR_DENIED;
    } else {
        ptrdiff_t failed = str_find(whole, STR(" failed: "));
        if (failed != STR_NONE) /* "connection to server at ... failed: " is said better by where */
            words = str_from(whole, (size_t)failed + STR(" failed: ").len);
    }
    ptrdiff_t end = str_find_char(words, '\n');
    if (end != STR_NONE)
        words = str_slice(words, 0, (size_t)end);
    if (!str_is_utf8(words))
        words = STR("it says so in a foreign encoding");
    return err_set(err, code, "postgresql at %s: %.*s", where, STR_ARG(str_trim(words)));
}

/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_error.c - the refusal's first word, looked up; what is unknown is our
 * request's fault (ERR_INVALID). Failure: none. */
#include "backends/redis/redis_error.h"

static const struct {
    struct str word;
    enum err_code code;
} words[] = {
    {{"NOAUTH", 6}, ERR_DENIED},
    {{"WRONGPASS", 9}, ERR_DENIED},
    {{"NOPERM", 6}, ERR_DENIED},
    {{"LOADING", 7}, ERR_UNAVAILABLE},
    {{"MASTERDOWN", 10}, ERR_UNAVAILABLE},
    {{"READONLY", 8}, ERR_UNAVAILABLE},
    {{"MISCONF", 7}, ERR_UNAVAILABLE},
    {{"NOREPLICAS", 10}, ERR_UNAVAILABLE},
    {{"UNKILLABLE", 10}, ERR_BUSY},
    {{"BUSY", 4}, ERR_BUSY},
    {{"OOM", 3}, ERR_BUSY},
};

void redis_error_of(struct str text, struct err *err)
{
    struct str rest = text, word = str_split(&rest, ' ');
    enum err_code code = ERR_INVALID;
    for (size_t i = 0; i < countof(words); i++)
        if (str_equal(word, words[i].word))
            code = words[i].code;
    struct str shown = str_utf8_prefix(text, 200);
    if (!str_is_utf8(shown))
        shown = str_utf8_prefix(word, 20);
    err_set(err, code, "redis: %.*s", STR_ARG(str_is_utf8(shown) ? shown : STR("refused")));
}

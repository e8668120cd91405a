/* SPDX-License-Identifier: MIT */
/* core/base/err.c - formatting into a fixed buffer; a text that does not fit is cut at a
 * character boundary, never refused. */
#include "core/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/str.h"

static const struct {
    const char *name;
    int http_status;
    bool retryable;
} codes[] = {
#define ERR_ROW(name, text, status, retry) [ERR_##name] = {text, status, retry},
    ERR_CODES(ERR_ROW)
#undef ERR_ROW
};

/* What is kept of a success, and of a failure whose text is gone. */
static const struct err wordless[] = {
#define ERR_WORDLESS(name, text, status, retry) [ERR_##name] = {ERR_##name, text},
    ERR_CODES(ERR_WORDLESS)
#undef ERR_WORDLESS
        [ERR_CODE_COUNT] = {ERR_OK, ""},
};

static const char *wordless_text(enum err_code code)
{
    return wordless[code == ERR_OK ? ERR_CODE_COUNT : code].text;
}

/* Bytes of the character that text begins with; 0: it is none. */
static size_t measure_char(struct str text)
{
    for (size_t len = 1; len <= 4 && len <= text.len; len++)
        if (str_is_utf8(str_slice(text, 0, len)))
            return len;
    return 0;
}

/* Make text one line of whole characters: what is none was somebody else's. */
static void tidy_text(char *text)
{
    struct str rest = str_of(text);
    if (rest.len == ERR_TEXT_BYTES - 1) { /* it may have been cut inside a character */
        rest = str_utf8_prefix(rest, rest.len - 1);
        text[rest.len] = '\0';
    }
    while (rest.len > 0) {
        char *at = text + (rest.at - text);
        size_t len = measure_char(rest);
        if (len == 0)
            *at = '?';
        else if (*at == '\n' || *at == '\r')
            *at = ' ';
        rest = str_from(rest, size_max(len, 1));
    }
}

enum err_code err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
    if (err == NULL)
        return code;
    va_list args;
    va_start(args, fmt);
    err->code = code;
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    tidy_text(err->text);
    return code;
}

void err_prefix(struct err *err, const char *prefix)
{
    if (err == NULL)
        return;
    struct err whole = *err;
    int len = snprintf(err->text, sizeof err->text, "%s: ", prefix);
    size_t at = size_min(len < 0 ? 0 : (size_t)len, sizeof err->text - 1);
    size_t rest = size_min(strlen(whole.text), sizeof err->text - 1 - at);
    memcpy(err->text + at, whole.text, rest);
    err->text[at + rest] = '\0';
    tidy_text(err->text);
}

const char *err_name(enum err_code code)
{
    CHECK((unsigned)code < ERR_CODE_COUNT);
    return codes[code].name;
}

int err_http_status(enum err_code code)
{
    CHECK((unsigned)code < ERR_CODE_COUNT);
    return codes[code].http_status;
}

bool err_is_retryable(enum err_code code)
{
    CHECK((unsigned)code < ERR_CODE_COUNT);
    return codes[code].retryable;
}

const struct err *err_kept(const struct err_kept *kept)
{
    const char *text = kept->text == NULL ? wordless_text(kept->code) : kept->text;
    return container_of(text, struct err, text[0]);
}

void err_keep(struct err_kept *kept, const struct err *err)
{
    enum err_code code = err->code;
    struct err *copy = code == ERR_OK ? NULL : mem_alloc(sizeof *copy);
    if (copy != NULL)
        *copy = *err;
    err_forget(kept);
    kept->code = code;
    kept->text = copy == NULL ? wordless_text(code) : copy->text;
}

void err_forget(struct err_kept *kept)
{
    if (kept->text != NULL && kept->text != wordless_text(kept->code))
        mem_free((void *)(uintptr_t)err_kept(kept));
    kept->text = wordless_text(kept->code);
}

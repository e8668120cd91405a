/* SPDX-License-Identifier: MIT */
/* agents/english/tokens.h - question -> tokens: words, numbers with units, codes, quoted text.
 *
 * Tokens keep their span in the question, or in a copy with plain quotes and dashes. Any thread. */
#ifndef AGENTS_ENGLISH_TOKENS_H
#define AGENTS_ENGLISH_TOKENS_H

#include "core/base/arena.h"
#include "core/base/err.h"

enum { ENGLISH_TOKENS_MAX = 96, OFFLINE_QUESTION_MAX = 2048 };

enum offline_token_kind {
    TOKEN_WORD,
    TOKEN_NUMBER,
    TOKEN_QUOTED, /* text: between the quotes */
    TOKEN_CODE,   /* WO-1005, 2024-05-01, a@b.c */
    TOKEN_SIGN,   /* , > < >= <= = & */
};

struct offline_token {
    enum offline_token_kind kind;
    struct str text;  /* as written, in arena */
    struct str lower; /* words and signs: for phrase tables; possessive 's dropped */
    double number;    /* TOKEN_NUMBER: 10k is 10000 */
    struct str unit;  /* TOKEN_NUMBER: "h", "%", "$" or empty; lower case */
    bool capital;     /* starts with a capital and is not the first token */
};

/* Up to ENGLISH_TOKENS_MAX tokens made in arena. ERR_TOO_LARGE: the question is longer than that;
 * ERR_NO_MEMORY. */
MUST_USE enum err_code english_tokens_of(struct arena *arena, struct str question,
                                         struct offline_token **tokens, size_t *count);

#endif

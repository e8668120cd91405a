/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_text.h - a keyword store at the vtable: counts shared words, or down as told. */
#ifndef TESTS_LIB_FAKE_TEXT_H
#define TESTS_LIB_FAKE_TEXT_H

#include "backends/text.h"
#include "core/base/arena.h"

enum { FAKE_TEXT_PASSAGES = 2048 };

struct fake_text {
    struct text text;      /* give &fake.text */
    enum err_code failure; /* of every search and write; ERR_OK: none */
    bool stall;            /* calls end only when cancelled */
    unsigned searches, writes, pending;
    struct str last_words; /* of the last search */
    size_t last_top_k;     /* of the last search */
    /* private */
    struct arena arena;
    struct {
        struct str collection;
        struct passage passage;
        bool is_removed;
    } kept[FAKE_TEXT_PASSAGES];
    size_t count;
};

void fake_text_init(struct fake_text *fake, struct loop *loop);
void fake_text_fini(struct fake_text *fake);
/* Passages of collection that are there now. */
size_t fake_text_count(const struct fake_text *fake, struct str collection);

#endif

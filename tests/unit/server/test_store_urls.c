/* SPDX-License-Identifier: MIT */
#include "server/config/store_urls.h"
#include "tests/lib/test.h"

#define VECTORS "expected sqlite:PATH, chroma:http://HOST:PORT, qdrant:http://HOST:PORT, or none"
#define WORDS   "expected sqlite:PATH, postgresql://..., or none for no store"
#define RUNS    "expected sqlite:PATH, postgresql://..., redis://..., or none for no store"

/* What is said of a url for each kind of store: a part of the text; "": it is fine. */
static const struct {
    const char *url, *vectors, *words, *runs;
} cases[] = {
    {"", "", "", ""},
    {"none", "", "", ""},
    {"None", VECTORS, WORDS, RUNS},
    {"sqlite:documents.db", "", "", ""},
    {"sqlite:", VECTORS, WORDS, RUNS},
    {"postgresql://u:p@h:5432/n", "", "", ""},
    {"postgres://h/n", "", "", ""},
    {"postgresql://", "", "", RUNS},
    {"mysql://h/n", VECTORS, WORDS, RUNS},
    {"chroma:http://h:8000", "", WORDS, RUNS},
    {"chroma:", "chroma:http", WORDS, RUNS},
    {"qdrant:https://h", "", WORDS, RUNS},
    {"redis://h:6379/0", VECTORS, WORDS, ""},
    {"redis://h/x", VECTORS, WORDS, "database"},
    {"rediss://h", VECTORS, WORDS, "TLS"},
    {"http://h", VECTORS, WORDS, RUNS},
};

static void expect(const char *name, enum err_code code, const struct err *err, const char *part)
{
    EXPECT_INT(name, code, part[0] == '\0' ? ERR_OK : ERR_INVALID);
    if (part[0] != '\0' && strstr(err->text, part) == NULL)
        EXPECT_STR(name, str_of(err->text), str_of(part));
}

TEST(urls)
{
    TEST_EACH(c, cases) {
        const struct str url = str_of(c->url);
        struct err err = {0};
        expect(c->url, store_urls_check_vectors(url, &err), &err, c->vectors);
        expect(c->url, store_urls_check_words(url, &err), &err, c->words);
        expect(c->url, store_urls_check_runs(url, &err), &err, c->runs);
    }
}

RUN_TESTS(T(urls))

/* SPDX-License-Identifier: MIT */
/* tests/fuzz/judge.h - any bytes before the guard: what is accepted is accepted when it is
 * judged again; what is refused says why and leaves no statement. */
#ifndef TESTS_FUZZ_JUDGE_H
#define TESTS_FUZZ_JUDGE_H

#include <stdint.h>

#include "agents/sql/guard/policy.h"
#include "tests/guard/read_again.h"

enum { JUDGE_ARENA_BYTES = 32 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What else must hold of what was accepted; again: its own parse. */
typedef void judge_look_fn(struct catalog *catalog, const struct sql_verdict *again,
                           struct arena *arena);

static inline int judge_try(enum sql_dialect dialect, const char *join_graph, struct str text,
                            judge_look_fn *look)
{
    static struct catalog *catalog; /* made once: libFuzzer has no place to end */
    struct err err;
    struct arena arena;
    struct sql_verdict verdict, again;
    struct sql_finding finding;
    const struct sql_tenant nobody = {.on = false};
    if (catalog == NULL)
        CHECK(catalog_from_join_graph(str_of(join_graph), &catalog, &err) == ERR_OK);
    arena_init(&arena, JUDGE_ARENA_BYTES);
    sql_policy_judge(&sql_policy_default, dialect, text, catalog, nobody, &arena, &verdict);
    if (verdict.code == ERR_OK) {
        CHECK(read_again((struct sql_visible){&sql_policy_default, catalog}, nobody, &verdict,
                         &arena, &finding));
        sql_policy_judge(&sql_policy_default, dialect, verdict.sql, catalog, nobody, &arena,
                         &again);
        CHECK(again.code == ERR_OK); /* the same text, but for views that are fenced anew */
        look(catalog, &again, &arena);
    } else {
        CHECK(str_is_absent(verdict.sql) && verdict.err.text[0] != '\0');
    }
    arena_fini(&arena);
    return 0;
}

#endif

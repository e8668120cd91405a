/* SPDX-License-Identifier: MIT */
/* tests/unit/joins/crew.h - a made-up join graph of the seed's size: 122 tables, 1,801
 * relationships.
 *
 * Modules of ten tables around a head; heads refer to the head before; every table has a tenant
 * and two audit columns; every foreign key but the audit ones has its inverse; the rest are guessed
 * sibling joins of mixed confidence. The same for the same seed. For tests and benches. */
#ifndef TESTS_UNIT_JOINS_CREW_H
#define TESTS_UNIT_JOINS_CREW_H

#include "core/base/buf.h"

enum { CREW_TABLES = 122, CREW_RELATIONSHIPS = 1801, CREW_MODULE = 10 };

struct crew {
    struct buf *out;
    uint64_t random;
    int written;
};

static inline unsigned crew_random(struct crew *crew, unsigned below)
{
    crew->random = crew->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(crew->random >> 33) % below;
}

static inline void crew_edge(struct crew *crew, int from, const char *column, int number, int to,
                             const char *to_column, const char *traits)
{
    if (crew->written == CREW_RELATIONSHIPS)
        return;
    buf_printf(crew->out, "%s{\"from_table\":\"t%d\",\"from_column\":\"%s",
               crew->written > 0 ? "," : "", from, column);
    if (number >= 0)
        buf_printf(crew->out, "%dId", number);
    buf_printf(crew->out, "\",\"to_table\":\"t%d\",\"to_column\":\"%s\",%s}", to, to_column,
               traits);
    crew->written++;
}

#define CREW_KEY   "\"type\":\"foreign_key\",\"confidence\":1.0,\"cardinality\":\"N:1\""
#define CREW_MANY  "\"type\":\"association\",\"confidence\":0.95,\"cardinality\":\"1:N\""
#define CREW_GUESS "\"type\":\"inferred\",\"cardinality\":\"N:M\",\"confidence\":0."

/* t0 is the tenant, t1 the user. */
static inline void crew_write(struct buf *out, uint64_t seed)
{
    struct crew crew = {out, seed, 0};
    static const char *const guesses[] = {CREW_GUESS "35", CREW_GUESS "5", CREW_GUESS "65",
                                          CREW_GUESS "7", CREW_GUESS "8"};
    int parents[CREW_TABLES][2];
    buf_push(out, STR("{\"version\":1,\"relationships\":["));
    for (int t = 1; t < CREW_TABLES; t++) {
        int head = t / CREW_MODULE * CREW_MODULE;
        parents[t][0] = t > head + 1 ? head + (int)crew_random(&crew, (unsigned)(t - head)) : t - 1;
        parents[t][1] = (int)crew_random(&crew, (unsigned)t);
        if (parents[t][0] == 0)
            parents[t][0] = t > 2 ? 2 : 1;
        for (int k = 0; k < 2; k++) {
            int to = parents[t][k];
            if (to == t || (k == 1 && (to == parents[t][0] || to == 0)))
                continue;
            crew_edge(&crew, t, "ref", to, to, "id", CREW_KEY);
        }
        crew_edge(&crew, t, "companyId", -1, 0, "id", CREW_KEY);
        crew_edge(&crew, t, "createdBy", -1, 1, "id", CREW_KEY);
        crew_edge(&crew, t, "updatedBy", -1, 1, "id", CREW_KEY);
    }
    for (int t = 1; t < CREW_TABLES; t++) {
        int to = parents[t][0];
        buf_printf(out,
                   ",{\"from_table\":\"t%d\",\"from_column\":\"id\",\"to_table\":\"t%d\","
                   "\"to_column\":\"ref%dId\"," CREW_MANY "}",
                   to, t, to);
        crew.written++;
    }
    while (crew.written < CREW_RELATIONSHIPS) {
        int a = 1 + (int)crew_random(&crew, CREW_TABLES - 1);
        int b = 1 + (int)crew_random(&crew, CREW_TABLES - 1);
        if (a != b)
            crew_edge(&crew, a, "companyId", -1, b, "companyId",
                      guesses[crew_random(&crew, countof(guesses))]);
    }
    buf_push(out, STR("]}"));
}

#endif

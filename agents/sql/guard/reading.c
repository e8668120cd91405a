/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/reading.c - a few verdicts, found again by all that they were made of.
 *
 * Happy path: a reading of the text under the rules is kept, as far as it is wanted.
 * Failure: there is none, and the reading is made; a text that is too long to be read is refused
 * each time anew, and so is every text once the memory is spent: that is never kept. */
#include "agents/sql/guard/reading.h"

#include <string.h>

#include "agents/sql/grammar/lexer.h"

struct sql_reading {
    struct str text;
    struct sql_policy policy;
    const struct catalog *catalog;
    struct sql_tenant tenant;
    enum sql_dialect dialect;
    struct sql_verdict verdict;
};

struct sql_failure {
    struct str sent;
    struct err err;
    struct sql_failure *next;
};

static const struct sql_verdict no_memory = {
    .code = ERR_NO_MEMORY,
    .rule = "no_memory",
    .err = {.code = ERR_NO_MEMORY, .text = "no memory to check the statement"},
};

static bool is_of(const struct sql_reading *reading, const struct sql_reading_rules *rules,
                  struct str text)
{
    return reading != NULL && reading->dialect == rules->dialect &&
           reading->catalog == rules->catalog && str_equal(reading->text, text);
}

/* Policies are compared by their bytes: equal bytes are equal rules, since what they point at stays
 * for the run. Bytes that differ in padding alone cost one more reading. */
static bool is_under(const struct sql_reading *reading, const struct sql_reading_rules *rules)
{
    return reading->tenant.on == rules->tenant.on &&
           memcmp(&reading->policy, rules->policy, sizeof reading->policy) == 0;
}

static struct sql_reading *find(const struct sql_readings *readings,
                                const struct sql_reading_rules *rules, struct str text)
{
    for (size_t i = 0; i < countof(readings->kept); i++)
        if (is_of(readings->kept[i], rules, text) && is_under(readings->kept[i], rules))
            return readings->kept[i];
    return NULL;
}

const struct sql_verdict *sql_reading_sent(const struct sql_readings *readings, struct str sent)
{
    const size_t count = countof(readings->kept);
    for (size_t i = 1; i <= count; i++) {
        const struct sql_reading *reading = readings->kept[(readings->next + count - i) % count];
        if (reading != NULL && reading->verdict.code == ERR_OK &&
            str_equal(reading->verdict.sql, sent))
            return &reading->verdict;
    }
    return NULL;
}

const struct sql_verdict *sql_reading_kept(const struct sql_readings *readings, size_t i)
{
    const struct sql_reading *reading = readings->kept[i];
    return reading == NULL || reading->verdict.code != ERR_OK ? NULL : &reading->verdict;
}

static void keep(struct sql_readings *readings, struct sql_reading *reading)
{
    if (reading->verdict.code == ERR_NO_MEMORY || reading->text.len > SQL_LEXER_MAX_BYTES)
        return;
    readings->kept[readings->next] = reading;
    readings->next = (readings->next + 1) % countof(readings->kept);
}

/* NULL: no memory. */
static struct sql_reading *read_written(struct sql_readings *readings,
                                        const struct sql_reading_rules *rules, struct str text,
                                        struct arena *arena)
{
    struct sql_reading *reading = find(readings, rules, text);
    if (reading != NULL)
        return reading;
    reading = arena_alloc(arena, sizeof *reading);
    if (reading == NULL)
        return NULL;
    reading->text = text.len > SQL_LEXER_MAX_BYTES ? text : arena_str(arena, text);
    if (str_is_absent(reading->text) && !str_is_absent(text))
        return NULL;
    memcpy(&reading->policy, rules->policy, sizeof reading->policy);
    reading->catalog = rules->catalog;
    reading->tenant = rules->tenant;
    reading->dialect = rules->dialect;
    sql_policy_read_written(&reading->policy, rules->dialect, reading->text, rules->catalog,
                            rules->tenant, arena, &reading->verdict);
    keep(readings, reading);
    return reading;
}

const struct sql_verdict *sql_reading_rewrite(struct sql_readings *readings,
                                              const struct sql_reading_rules *rules,
                                              struct str text, struct arena *arena)
{
    const struct sql_reading *reading = read_written(readings, rules, text, arena);
    return reading == NULL ? &no_memory : &reading->verdict;
}

const struct sql_verdict *sql_reading_judge(struct sql_readings *readings,
                                            const struct sql_reading_rules *rules, struct str text,
                                            struct arena *arena)
{
    struct sql_reading *reading = read_written(readings, rules, text, arena);
    if (reading == NULL)
        return &no_memory;
    if (reading->verdict.sent == NULL)
        sql_policy_read_sent(&reading->policy, reading->catalog, reading->tenant, arena,
                             &reading->verdict);
    return &reading->verdict;
}

bool sql_reading_is_judged(const struct sql_readings *readings,
                           const struct sql_reading_rules *rules, struct str text)
{
    const struct sql_reading *reading = find(readings, rules, text);
    return reading != NULL && reading->verdict.sent != NULL;
}

void sql_readings_add(struct sql_readings *readings, const struct sql_readings *from)
{
    for (size_t i = 0; i < countof(from->kept); i++)
        if (from->kept[i] != NULL)
            keep(readings, from->kept[i]);
}

const struct sql_parse *sql_reading_written(const struct sql_readings *readings,
                                            const struct sql_reading_rules *rules, struct str text,
                                            struct arena *arena)
{
    struct err err;
    const char *rule;
    const struct sql_parse *parse;
    struct str schema = rules->policy->default_schema[rules->dialect];
    for (size_t i = 0; i < countof(readings->kept); i++) {
        const struct sql_reading *kept = readings->kept[i];
        if (is_of(kept, rules, text) &&
            str_equal(kept->policy.default_schema[rules->dialect], schema))
            return kept->verdict.parse;
    }
    if (rules->catalog == NULL ||
        sql_parse_statement_in(rules->dialect, schema, text, rules->catalog, arena, &parse, &rule,
                               &err) != ERR_OK)
        return NULL;
    return parse;
}

void sql_reading_note_failure(struct sql_readings *readings, struct str sent, const struct err *err,
                              struct arena *arena)
{
    struct sql_failure *failure = arena_alloc(arena, sizeof *failure);
    struct str copy = failure == NULL ? (struct str){0} : arena_str(arena, sent);
    if (str_is_absent(copy))
        return;
    *failure = (struct sql_failure){copy, *err, readings->failures};
    readings->failures = failure;
}

const struct err *sql_reading_failure(const struct sql_readings *readings, struct str sent)
{
    for (const struct sql_failure *at = readings->failures; at != NULL; at = at->next)
        if (str_equal(at->sent, sent))
            return &at->err;
    return NULL;
}

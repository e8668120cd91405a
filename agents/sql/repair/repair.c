/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair.c - the kinds of repair, in the order they build on each other: first
 * what keeps a statement from being read, then its tables, its joins, its columns.
 *
 * Failure: a kind that makes more edits than fit, or runs out of memory, changes nothing. */
#include "agents/sql/repair/repair.h"

#include "agents/sql/repair/repair_case.h"

enum { ROUNDS = 8, NOTE_BYTES = 8 * 1024, SHOWN_NOTE = 600 };

static const struct {
    const char *name;
    sql_repair_fn *run;
} kinds[] = {
    {"quotes", sql_repair_text_quotes},       {"limit", sql_repair_text_limit},
    {"operators", sql_repair_text_operators}, {"functions", sql_repair_calls_rename},
    {"dates", sql_repair_dates_turn},         {"tables", sql_repair_names_tables},
    {"joins", sql_repair_joins_turn},         {"columns", sql_repair_names_columns},
    {"group_by", sql_repair_group_add},       {"outer", sql_repair_outer_join},
};

const char *sql_repair_kind(unsigned i)
{
    return i < countof(kinds) ? kinds[i].name : NULL;
}

unsigned sql_repair_bit(const char *name)
{
    unsigned i = 0;
    while (i < countof(kinds) && !str_equal(str_of(kinds[i].name), str_of(name)))
        i++;
    CHECK(i < countof(kinds));
    return 1u << i;
}

/* One kind, again while it finds something: a call may stand within a call. */
static bool run_kind(struct sql_repair_case *at, sql_repair_fn *run)
{
    bool changed = false;
    for (unsigned round = 0; round < ROUNDS; round++) {
        at->too_many = false;
        run(at);
        if (at->edit_count == 0)
            break;
        struct str text = sql_repair_case_apply(at);
        if (str_is_absent(text) || str_equal(text, at->sql))
            break;
        at->sql = text;
        changed = true;
    }
    return changed;
}

bool sql_repair_words(const struct knowledge *knows, struct str sql, struct arena *arena,
                      struct sql_repair *repair)
{
    const unsigned words = sql_repair_bit("operators") | sql_repair_bit("functions") |
                           sql_repair_bit("dates") | sql_repair_bit("outer");
    return sql_repair_try(knows, 1, sql, STR(""), ~words, arena, repair);
}

bool sql_repair_try(const struct knowledge *knows, double confidence, struct str sql,
                    struct str error, unsigned tried, struct arena *arena,
                    struct sql_repair *repair)
{
    struct sql_repair_case at = {
        .knows = knows, .confidence = confidence, .sql = sql, .error = error, .arena = arena};
    repair->kinds = 0;
    buf_init(&at.note, NOTE_BYTES);
    for (unsigned i = 0; i < countof(kinds); i++)
        if ((tried >> i & 1) == 0 && run_kind(&at, kinds[i].run))
            repair->kinds |= 1u << i;
    struct str note = str_utf8_prefix(buf_str(&at.note), SHOWN_NOTE);
    repair->note = arena_printf(arena, "repaired without the model: %.*s", STR_ARG(note));
    repair->sql = at.sql;
    buf_fini(&at.note);
    return repair->kinds != 0 && !str_is_absent(repair->note);
}

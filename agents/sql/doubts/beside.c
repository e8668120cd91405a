/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/beside.c - a column that the question names, beside the one that the statement
 * takes: of amounts, of dates, of references to other tables.
 *
 * Happy path: the question has a word of the column that is taken, or of none. Failure: none. */
#include "agents/sql/doubts/look.h"

enum { LEAST_SHARED = 3, LEAST_SAID = 4 };

static bool share(const struct sql_doubts_name *one, const struct sql_doubts_name *two)
{
    for (size_t i = 0; i < one->count; i++)
        for (size_t k = 0; k < two->count; k++)
            if (one->words[i].len >= LEAST_SHARED && str_equal_nocase(one->words[i], two->words[k]))
                return true;
    return false;
}

static bool is_amount(const struct catalog_column *column)
{
    return (column->type == CATALOG_INTEGER || column->type == CATALOG_NUMBER) &&
           !column->primary_key && column->shows == CATALOG_UNKNOWN && !column->hidden;
}

/* What the statement takes and what is beside it: the word of the question that only the second
 * has; absent: none, or the question speaks of the first, too. */
static struct str word_beside(const struct sql_doubts_look *look, const struct sql_doubts_name *own,
                              const struct sql_doubts_name *beside)
{
    struct str word = sql_doubts_said_of(look, beside, own);
    return str_is_absent(sql_doubts_said_of(look, own, beside)) ? word : (struct str){NULL, 0};
}

static void say(struct sql_doubts_look *look, const char *kind, struct str word, struct str table,
                struct str beside, struct str own)
{
    sql_doubts_say(look, kind,
                   arena_printf(look->source->arena,
                                "the question says '%.*s', and %.*s has %.*s beside %.*s, which "
                                "the statement takes",
                                STR_ARG(word), STR_ARG(table), STR_ARG(beside), STR_ARG(own)),
                   arena_printf(look->source->arena,
                                "the answer is by %.*s, and there is %.*s, too", STR_ARG(own),
                                STR_ARG(beside)));
}

/* The events that the words of the column's name are: "check in" and "arrival" are the same. */
static uint64_t events_of(const struct sql_doubts_look *look, struct str column)
{
    struct str words[LOOK_NAME_WORDS];
    struct sql_said name = {.word_count = sql_doubts_split(look, column, words)};
    uint64_t events = 0;
    for (size_t i = 0; i < name.word_count; i++)
        name.words[i] = (struct sql_said_word){.text = words[i]};
    for (size_t at = 0; at < name.word_count; at++)
        events |= sql_said_values(&name, at, SQL_DOUBTS_EVENT);
    return events;
}

/* The words of the question that name an event of the column; absent: none. */
static struct str event_said(const struct sql_doubts_look *look, struct str column)
{
    const uint64_t events = events_of(look, column);
    for (size_t at = 0; events != 0 && at < look->said.word_count; at++)
        if ((sql_said_values(&look->said, at, SQL_DOUBTS_EVENT) & events) != 0)
            return sql_said_text(&look->said, at,
                                 sql_said_phrase(&look->said, at, SQL_DOUBTS_EVENT, NULL),
                                 look->source->arena);
    return (struct str){NULL, 0};
}

/* betrag_brutto, where the question says "net" and the table has betrag_netto; hired, where it says
 * "left" and the table has left_on. */
static bool look_beside(struct sql_doubts_look *look, const struct sql_column_ref *ref,
                        const char *kind, bool (*is_kind)(const struct catalog_column *column),
                        bool is_shared)
{
    const int at = look->parse->tables[ref->table_ref].table;
    const struct catalog_table *table = &look->source->catalog->tables[at];
    const struct sql_doubts_name own = sql_doubts_name_of(look, at, ref->column);
    for (size_t c = 0; c < table->column_count; c++) {
        const struct catalog_column *column = &table->columns[c];
        if ((int)c == ref->column || !is_kind(column) || sql_doubts_uses(look, at, (int)c))
            continue;
        const struct sql_doubts_name beside = sql_doubts_name_of(look, at, (int)c);
        struct str word = word_beside(look, &own, &beside);
        const bool is_done = is_shared && !str_is_absent(event_said(look, column->name));
        if ((is_shared && !share(&own, &beside)) || str_is_absent(word) ||
            (!is_done && sql_doubts_writes(look, word))) /* what was refunded is no state */
            continue;
        say(look, kind, word, table->name, column->name, ref->name);
        return true;
    }
    return false;
}

/* ---- dates ---- */

enum { NEAR_DENIAL = 4 };

/* Whether the word is said only where something is left out: "deleted ones not counted". */
static bool is_denied(const struct sql_doubts_look *look, struct str word)
{
    const struct sql_said *said = &look->said;
    for (size_t at = 0; at < said->word_count; at++)
        for (size_t k = at > NEAR_DENIAL ? at - NEAR_DENIAL : 0;
             str_equal_nocase(said->words[at].text, word) && k <= at + NEAR_DENIAL; k++)
            if (sql_said_phrase(said, k, SQL_DOUBTS_DENIAL, NULL) > 0)
                return true;
    return false;
}

/* Whether the question speaks of the date: by a word that is not the table's, too. */
static bool is_date_said(const struct sql_doubts_look *look, int table, int column)
{
    const struct sql_doubts_name own = sql_doubts_name_of(look, table, column),
                                 rows = sql_doubts_name_of(look, table, CATALOG_NONE);
    struct str name = look->source->catalog->tables[table].columns[column].name;
    struct str word = sql_doubts_said_of(look, &own, &rows);
    return !str_is_absent(event_said(look, name)) ||
           (!str_is_absent(word) && !is_denied(look, word));
}

/* BookingDate, where the question says "arrival" and there is CheckInDate. */
static bool look_at_event(struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    const int own = look->parse->tables[ref->table_ref].table;
    if (is_date_said(look, own, ref->column))
        return false;
    for (size_t i = 0; i < look->parse->table_count; i++) {
        const int at = look->parse->tables[i].table;
        const struct catalog_table *table =
            at == CATALOG_NONE ? NULL : &look->source->catalog->tables[at];
        for (size_t c = 0; table != NULL && c < table->column_count; c++) {
            const struct catalog_column *column = &table->columns[c];
            struct str word = !sql_doubts_is_date(column) || sql_doubts_uses(look, at, (int)c)
                                  ? (struct str){NULL, 0}
                                  : event_said(look, column->name);
            if (str_is_absent(word) || sql_doubts_writes(look, word))
                continue;
            say(look, "date_beside", word, table->name, column->name, ref->name);
            return true;
        }
    }
    return false;
}

/* ---- prices ---- */

/* ListPrice of what is sold, where each row of what was sold has its UnitPrice. */
static bool look_at_price(struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    const struct catalog *catalog = look->source->catalog;
    const int own_table = look->parse->tables[ref->table_ref].table;
    const struct sql_doubts_name own = sql_doubts_name_of(look, own_table, ref->column);
    if (!look->parse->has_aggregate || !sql_doubts_ends_as(look, ref->name, SQL_DOUBTS_RATE))
        return false;
    for (size_t i = 0; i < look->parse->table_count; i++) {
        const int at = look->parse->tables[i].table;
        const struct catalog_table *table = at == CATALOG_NONE ? NULL : &catalog->tables[at];
        if (table == NULL || at == own_table || !sql_doubts_refers(look, at, own_table))
            continue;
        for (size_t c = 0; c < table->column_count; c++) {
            const struct catalog_column *column = &table->columns[c];
            const struct sql_doubts_name beside = sql_doubts_name_of(look, at, (int)c);
            if (!is_amount(column) || sql_doubts_uses(look, at, (int)c) || !share(&own, &beside) ||
                !str_is_absent(sql_doubts_said_of(look, &own, &beside)))
                continue;
            sql_doubts_say(
                look, "price_beside",
                arena_printf(look->source->arena,
                             "%.*s.%.*s is what it costs now or by list, and each row of %.*s has "
                             "%.*s, by which it was counted then",
                             STR_ARG(catalog->tables[own_table].name), STR_ARG(ref->name),
                             STR_ARG(table->name), STR_ARG(column->name)),
                arena_printf(look->source->arena,
                             "the answer is by %.*s of %.*s, and there is %.*s of %.*s, too",
                             STR_ARG(ref->name), STR_ARG(catalog->tables[own_table].name),
                             STR_ARG(column->name), STR_ARG(table->name)));
            return true;
        }
    }
    return false;
}

/* ---- references ---- */

/* Whether the question has each of the words, "id" aside. */
static bool are_said(const struct sql_doubts_look *look, const struct str *words, size_t count)
{
    size_t said = 0, ids = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_said = false;
        for (size_t k = 0; k < look->word_count && !is_said; k++)
            is_said = sql_doubts_same_word(look->words[k], words[i]);
        ids += str_equal(words[i], STR("id"));
        said += is_said && !str_equal(words[i], STR("id"));
    }
    return count > ids && said + ids >= count;
}

/* Whether the question has all words of the column's name, or all that it is called by beside. */
static bool is_named(const struct sql_doubts_look *look, int table, int column)
{
    struct str words[LOOK_NAME_WORDS];
    const struct sql_doubts_source *source = look->source;
    size_t count =
        sql_doubts_split(look, source->catalog->tables[table].columns[column].name, words);
    if (are_said(look, words, count))
        return true;
    count = source->words == NULL
                ? 0
                : source->words(source->owner, table, column, words, LOOK_NAME_WORDS);
    return are_said(look, words, count);
}

/* Whether the question speaks of the table. */
static bool is_spoken_of(const struct sql_doubts_look *look, int table)
{
    const struct sql_doubts_name name = sql_doubts_name_of(look, table, CATALOG_NONE);
    return !str_is_absent(sql_doubts_said_of(look, &name, NULL));
}

/* Whether the reference beside may be the one that is meant: it leads to what the one that is taken
 * leads to, and the question speaks of its table; or it stands in the same table, is named, and
 * leads to what the statement does not read. */
static bool may_stand_for(const struct sql_doubts_look *look, int table,
                          const struct catalog_reference *reference, int own_table, int own_to)
{
    if (table != own_table)
        return reference->to_table == own_to &&
               (sql_doubts_reads(look, table) || is_spoken_of(look, table));
    return reference->to_table == own_to || (!sql_doubts_reads(look, reference->to_table) &&
                                             is_named(look, table, reference->columns[0]));
}

/* A reference by which the statement joins, and another one that the question names: "tenants", a
 * join by client_id, and tenant_id. */
static bool look_at_reference(struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    const struct catalog *catalog = look->source->catalog;
    const int own_table = look->parse->tables[ref->table_ref].table;
    const int own_to = sql_doubts_referred(look, own_table, ref->column);
    if (own_to == CATALOG_NONE || !sql_doubts_reads(look, own_to))
        return false;
    const struct sql_doubts_name own = sql_doubts_name_of(look, own_table, ref->column);
    const struct sql_doubts_name own_target = sql_doubts_name_of(look, own_to, CATALOG_NONE),
                                 own_name = sql_doubts_name_of(look, own_table, CATALOG_NONE);
    for (size_t t = 0; t < catalog->table_count; t++) {
        const struct catalog_table *table = &catalog->tables[t];
        for (size_t r = 0; r < table->reference_count; r++) {
            const struct catalog_reference *reference = &table->references[r];
            if (reference->column_count != 1 ||
                sql_doubts_uses(look, (int)t, reference->columns[0]) ||
                !may_stand_for(look, (int)t, reference, own_table, own_to))
                continue;
            const struct sql_doubts_name beside =
                sql_doubts_name_of(look, (int)t, reference->columns[0]);
            struct str word = word_beside(look, &own, &beside);
            if (word.len < LEAST_SAID || sql_doubts_name_has(&own_target, word) ||
                sql_doubts_name_has(&own_name, word))
                continue;
            say(look, "reference_beside", word, table->name,
                table->columns[reference->columns[0]].name, ref->name);
            return true;
        }
    }
    return false;
}

/* ---- all of them ---- */

static bool is_compared_with_day(const struct sql_doubts_look *look,
                                 const struct sql_column_ref *ref)
{
    for (size_t i = 0; i < look->compared_count; i++)
        if (look->compared[i].has_day &&
            sql_parse_column_at(look->parse, look->compared[i].left) == ref)
            return true;
    return false;
}

static bool look_at(struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    const struct catalog_column *column =
        ref->use == SQL_COLUMN_NAMED ? sql_doubts_column(look, ref) : NULL;
    if (column == NULL)
        return false;
    if (sql_doubts_referred(look, look->parse->tables[ref->table_ref].table, ref->column) !=
        CATALOG_NONE)
        return look_at_reference(look, ref);
    if (sql_doubts_is_date(column))
        return is_compared_with_day(look, ref) &&
               (look_beside(look, ref, "date_beside", sql_doubts_is_date, false) ||
                look_at_event(look, ref));
    return is_amount(column) &&
           (look_beside(look, ref, "column_beside", is_amount, true) || look_at_price(look, ref));
}

void sql_doubts_of_columns(struct sql_doubts_look *look)
{
    for (size_t i = 0; i < look->parse->column_count; i++)
        if (look_at(look, &look->parse->columns[i]))
            return;
}

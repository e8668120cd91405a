/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/denials.c - a question that denies something, and a statement that leaves
 * nothing out.
 *
 * Happy path: whatever leaves something out, in whatever way, is given the benefit of the doubt.
 * Failure: none. */
#include "agents/sql/doubts/look.h"

enum { BEHIND = 4 }; /* words behind a denial that it may be about */

/* Whether the word at 'at' denies, and is no part of a bound: "no more than 5". */
static bool denies(const struct sql_said *said, size_t at)
{
    for (size_t i = 0; i < said->bound_count; i++)
        if (at >= said->bounds[i].at && at < said->bounds[i].at + said->bounds[i].count)
            return false;
    return sql_said_phrase(said, at, SQL_DOUBTS_DENIAL, NULL) > 0;
}

/* Whether the statement leaves something out of whatever it reads. */
static bool leaves_rows_out(const struct sql_doubts_look *look)
{
    static const char *const words[] = {"not",   "null", "except", "false",
                                        "minus", "left", "case",   "having"};
    for (size_t i = 0; i < countof(words); i++)
        if (sql_doubts_has_word(look->parse->text, words[i]))
            return true;
    return false;
}

/* "never led a crew", of persons joined with their crews: a crew that somebody did not lead says
 * nothing of the others. */
static bool asks_of_one_row(const struct sql_doubts_look *look)
{
    return look->parse->table_count > 1 && !look->parse->has_subquery &&
           sql_said_times(&look->said, SQL_DOUBTS_NEVER) > 0;
}

/* Whether the statement leaves something out by a sign, a word or a zero. */
static bool leaves_out(const struct sql_doubts_look *look)
{
    struct str sql = look->parse->text;
    if (leaves_rows_out(look))
        return true;
    for (size_t i = 0; i < look->compared_count; i++) {
        const struct sql_compared *c = &look->compared[i];
        if (c->op == SQL_COMPARED_UNEQUAL || c->op >= SQL_COMPARED_LESS ||
            (c->has_number && c->number == 0) || (!str_is_absent(c->text) && c->text.len < 2))
            return true;
    }
    return str_find(sql, STR("<>")) != STR_NONE || str_find(sql, STR("!=")) != STR_NONE;
}

static bool says(const struct sql_doubts_look *look, struct str text, struct str word)
{
    const struct sql_doubts_source *source = look->source;
    return sql_doubts_alike(text, word) ||
           (source->says != NULL && source->says(source->owner, text, word));
}

static void say_denied(struct sql_doubts_look *look)
{
    sql_doubts_say(look, "denial",
                   STR("the question leaves something out, and the statement leaves nothing out"),
                   STR("the answer may be of just what was to be left out"));
}

/* "not done yet", and = 'done'; "no section", and no condition with a value at all. */
static bool look_at_texts(struct sql_doubts_look *look, size_t at)
{
    const struct sql_said *said = &look->said;
    if (look->compared_count == 0 && look->parse->has_subquery) {
        say_denied(look);
        return true;
    }
    for (size_t i = 0; i < look->compared_count; i++)
        for (size_t k = at + 1; k < said->word_count && k <= at + BEHIND; k++) {
            const struct sql_compared *c = &look->compared[i];
            if (c->op != SQL_COMPARED_EQUAL || str_is_absent(c->text) ||
                said->words[k].text.len <= 2 || !says(look, c->text, said->words[k].text))
                continue;
            say_denied(look);
            return true;
        }
    return false;
}

void sql_doubts_of_denials(struct sql_doubts_look *look)
{
    if (asks_of_one_row(look) && !leaves_rows_out(look)) {
        say_denied(look);
        return;
    }
    if (leaves_out(look))
        return;
    for (size_t at = 0; at < look->said.word_count; at++)
        if (denies(&look->said, at) && look_at_texts(look, at))
            return;
}

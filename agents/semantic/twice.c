/* SPDX-License-Identifier: MIT */
/* agents/semantic/twice.c - compares every pair of entries once.
 *
 * Happy path: no two are alike. Failure: a pointer that is too long is cut short. */
#include "agents/semantic/twice.h"

#include <stdio.h>

enum { POINTER_BYTES = 300 };

struct said {               /* words of a table, or of what has a name */
    struct str name, label; /* label: or "" */
    const struct semantic_texts *synonyms;
    struct str rows; /* of a condition: whose it is; or "" */
};

/* Tables first, then metrics and filters, then the glossary. */
static struct said said_of(const struct semantic *semantic, size_t i)
{
    if (i < semantic->table_count) {
        const struct semantic_table *table = &semantic->tables[i];
        return (struct said){table->name, table->label, &table->synonyms, STR("")};
    }
    i -= semantic->table_count;
    if (i < semantic->named_count)
        return (struct said){semantic->named[i].name, STR(""), &semantic->named[i].synonyms,
                             i < semantic->metric_count ? STR("") : semantic->named[i].table_name};
    i -= semantic->named_count;
    return (struct said){semantic->terms[i].term, STR(""), &semantic->terms[i].synonyms, STR("")};
}

static void put_pointer(const struct semantic *semantic, size_t i, char pointer[POINTER_BYTES])
{
    size_t named = i - semantic->table_count, term = named - semantic->named_count;
    if (i < semantic->table_count)
        snprintf(pointer, POINTER_BYTES, "/tables/%.*s", STR_ARG(semantic->tables[i].name));
    else if (named < semantic->metric_count)
        snprintf(pointer, POINTER_BYTES, "/metrics/%zu", named);
    else if (named < semantic->named_count)
        snprintf(pointer, POINTER_BYTES, "/filters/%zu", named - semantic->metric_count);
    else
        snprintf(pointer, POINTER_BYTES, "/glossary/%zu", term);
}

static bool has_word(const struct said *said, struct str word)
{
    bool has = str_equal_nocase(said->name, word) ||
               (said->label.len > 0 && str_equal_nocase(said->label, word));
    for (size_t i = 0; i < said->synonyms->count && !has; i++)
        has = str_equal_nocase(said->synonyms->at[i], word);
    return has;
}

/* The synonyms of the i-th that are words of the k-th, too. */
static void report_words(const struct semantic *semantic, size_t i, size_t k,
                         struct semantic_report *report)
{
    const struct said one = said_of(semantic, i), other = said_of(semantic, k);
    if (one.rows.len > 0 && other.rows.len > 0 && !str_equal_nocase(one.rows, other.rows))
        return; /* a word may say something of each */
    for (size_t s = 0; s < one.synonyms->count; s++) {
        char at[POINTER_BYTES], with[POINTER_BYTES], pointer[POINTER_BYTES + 32];
        if (!has_word(&other, one.synonyms->at[s]))
            continue;
        put_pointer(semantic, i, at);
        put_pointer(semantic, k, with);
        snprintf(pointer, sizeof pointer, "%s/synonyms/%zu", at, s);
        semantic_report_add(report, str_of(pointer),
                            "'%.*s' is a word of %s, too; leave it to one of them",
                            STR_ARG(one.synonyms->at[s]), with);
    }
}

static void report_tables(const struct semantic *semantic, struct semantic_report *report)
{
    for (size_t i = 0; i < semantic->table_count; i++)
        for (size_t k = 0; k < i; k++)
            if (semantic->tables[i].table != CATALOG_NONE &&
                semantic->tables[i].table == semantic->tables[k].table) {
                char pointer[POINTER_BYTES];
                put_pointer(semantic, i, pointer);
                semantic_report_add(report, str_of(pointer),
                                    "it is the table of /tables/%.*s; say all of it there",
                                    STR_ARG(semantic->tables[k].name));
            }
}

/* Without its last signs. */
static struct str bare(struct str question)
{
    question = str_trim(question);
    while (question.len > 0 &&
           (question.at[question.len - 1] == '?' || question.at[question.len - 1] == '.'))
        question = str_trim(str_slice(question, 0, question.len - 1));
    return question;
}

static void report_questions(const struct semantic *semantic, struct semantic_report *report)
{
    for (size_t i = 0; i < semantic->verified_count; i++)
        for (size_t k = 0; k < i; k++) {
            char pointer[POINTER_BYTES];
            snprintf(pointer, sizeof pointer, "/verified_queries/%zu/question", i);
            if (str_equal_nocase(bare(semantic->verified[i].question),
                                 bare(semantic->verified[k].question)))
                semantic_report_add(report, str_of(pointer),
                                    "it is the question of /verified_queries/%zu; keep one", k);
        }
}

void semantic_twice_report(const struct semantic *semantic, struct semantic_report *report)
{
    size_t count = semantic->table_count + semantic->named_count + semantic->term_count;
    report_tables(semantic, report);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count && said_of(semantic, i).synonyms->count > 0; k++)
            if (i != k)
                report_words(semantic, i, k, report);
    report_questions(semantic, report);
}

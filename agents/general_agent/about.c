/* SPDX-License-Identifier: MIT */
/* agents/general_agent/about.c - a line for the data, one for the documents, one for examples.
 *
 * Happy path: tables with names of their own come as words, in the catalog's order, then what else
 * there is. Failure: without a catalog or a store the line says that there is none; without memory
 * the text is empty. */
#include "agents/general_agent/about.h"

#include "agents/lexicon/describe_names.h"
#include "agents/lexicon/lexicon.h"
#include "agents/search/rank.h"
#include "agents/semantic/model.h"

enum { TEXT_BYTES = 8 * 1024, TABLES = 24, EXAMPLES = 3, EXAMPLE_BYTES = 200 };

static void push_tables(const struct knowledge *knows, struct buf *out)
{
    size_t named = 0, visible = 0;
    buf_push(out, STR("Data: "));
    for (size_t t = 0; knows->catalog != NULL && t < knows->catalog->table_count; t++) {
        if (!search_rank_is_visible(&knows->catalog->tables[t]))
            continue;
        visible++;
        if (named == TABLES || (knows->lexicon != NULL && !knows->lexicon->facts[t].visible))
            continue;
        buf_push(out, named++ > 0 ? STR(", ") : STR(""));
        if (knows->lexicon != NULL)
            lexicon_describe_table(knows->lexicon, (int)t, true, out);
        else
            lexicon_describe_words(knows->catalog->tables[t].name, out);
    }
    if (visible > named && named > 0)
        buf_printf(out, " and %zu more", visible - named);
    buf_push(out, named > 0 ? STR("\n") : STR("none is connected\n"));
}

static void push_examples(const struct semantic *semantic, struct buf *out)
{
    size_t given = 0;
    for (size_t i = 0; semantic != NULL && i < semantic->verified_count && given < EXAMPLES; i++) {
        const struct semantic_verified *verified = &semantic->verified[i];
        if (!verified->usable || verified->question.len > EXAMPLE_BYTES)
            continue;
        buf_printf(out, "%s\"%.*s\"",
                   given++ > 0 ? ", " : "Questions for example: ", STR_ARG(verified->question));
    }
    if (given > 0)
        buf_push_char(out, '\n');
}

struct str about_subjects(struct node *node)
{
    const struct services *has = services(node);
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    push_tables(knowledge(node), &out);
    buf_push(&out, has->vec != NULL || has->text != NULL
                       ? STR("Documents: how the application is used, its rules and terms\n")
                       : STR("Documents: none are connected\n"));
    push_examples(knowledge(node)->semantic, &out);
    struct str text = buf_ok(&out) ? arena_str(node_arena(node), str_trim(buf_str(&out))) : STR("");
    buf_fini(&out);
    return str_is_absent(text) ? STR("") : text;
}

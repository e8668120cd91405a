/* SPDX-License-Identifier: MIT */
/* agents/lexicon/describe_names.c - a name split into its words; the semantic file's label instead,
 * where there is one.
 *
 * Happy path: everything is appended to the buffer. Failure: the buffer's own, asked at the end. */
#include "agents/lexicon/describe_names.h"

#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

#include <string.h>

enum { WORDS_BYTES = 2048 };

void lexicon_describe_words(struct str name, struct buf *out)
{
    struct arena arena;
    struct str words[ENGLISH_WORDS];
    arena_init(&arena, WORDS_BYTES);
    size_t count = stem_split(&arena, name, words, ENGLISH_WORDS);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_push_char(out, ' ');
        buf_push(out, words[i]);
    }
    if (count == 0)
        buf_push(out, name);
    arena_fini(&arena);
}

/* What people say for the name, or where that is the same the name as it is cut. */
static void push_words(const struct lexicon_words *spelled, struct str name, struct buf *out)
{
    for (size_t i = 0; spelled->differs && i < spelled->count; i++) {
        if (i > 0)
            buf_push_char(out, ' ');
        buf_push(out, spelled->words[i]);
    }
    if (!spelled->differs)
        lexicon_describe_words(name, out);
}

/* Whether a word ends in a hiss, behind which its plural has an e more: batch, box, class. */
static bool hisses(struct str word)
{
    return str_ends_with(word, STR("x")) || str_ends_with(word, STR("ch")) ||
           str_ends_with(word, STR("sh")) || str_ends_with(word, STR("ss"));
}

static void push_plural(struct buf *out)
{
    static const struct str same[] = {{"equipment", 9}, {"staff", 5}, {"data", 4},
                                      {"people", 6},    {"time", 4},  {"media", 5}};
    struct str text = buf_str(out);
    for (size_t i = 0; i < countof(same); i++)
        if (str_ends_with(text, same[i]))
            return;
    if (str_ends_with(text, STR("s")))
        return;
    bool vowel = text.len > 1 && (text.at[text.len - 2] == 'a' || text.at[text.len - 2] == 'e' ||
                                  text.at[text.len - 2] == 'o');
    if (str_ends_with(text, STR("y")) && !vowel) {
        buf_truncate(out, buf_len(out) - 1);
        buf_push(out, STR("ies"));
        return;
    }
    buf_push(out, hisses(text) ? STR("es") : STR("s"));
}

void lexicon_describe_table(const struct lexicon *lexicon, int table, bool plural, struct buf *out)
{
    const struct semantic_table *said = semantic_model_table(lexicon->semantic, table);
    bool labelled = said != NULL && said->label.len > 0;
    if (labelled)
        buf_push(out, said->label);
    else
        push_words(lexicon_spelling_table(lexicon, table), lexicon->catalog->tables[table].name,
                   out);
    if (plural) {
        push_plural(out);
        return;
    }
    if (labelled)
        return;
    struct str text = buf_str(out);
    if (str_ends_with(text, STR("ies"))) {
        buf_truncate(out, buf_len(out) - 3);
        buf_push_char(out, 'y');
    } else if (str_ends_with(text, STR("es")) && hisses(str_slice(text, 0, text.len - 2))) {
        buf_truncate(out, buf_len(out) - 2);
    } else if (str_ends_with(text, STR("s")) && !str_ends_with(text, STR("ss")) &&
               !str_ends_with(text, STR("us"))) {
        buf_truncate(out, buf_len(out) - 1);
    }
}

void lexicon_describe_column(const struct lexicon *lexicon, int table, int column, struct buf *out)
{
    const struct semantic_column *said = semantic_model_column(lexicon->semantic, table, column);
    if (said != NULL && said->label.len > 0) {
        buf_push(out, said->label);
        return;
    }
    struct lexicon_words spelled = *lexicon_spelling_column(lexicon, table, column);
    size_t shared = lexicon->facts[table].shared; /* "jb" of jbStatus, jbMileage */
    if (shared > 0 && shared < spelled.count) {
        spelled.count -= shared;
        memmove(&spelled.words[0], &spelled.words[shared], spelled.count * sizeof spelled.words[0]);
        spelled.differs = true;
    }
    push_words(&spelled, lexicon->catalog->tables[table].columns[column].name, out);
}

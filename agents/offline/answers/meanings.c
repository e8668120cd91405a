/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/meanings.c - takes a question apart: an opening, a word, perhaps a
 * closing.
 *
 * Happy path: the word is a name or a synonym of the semantic file, whose explanation is the
 * answer. Failure: any other question, or a word that is not explained. */
#include "agents/offline/answers/meanings.h"

#include "agents/offline/answers/describe.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

enum { PHRASE_BYTES = 200 };

static const struct {
    const char *opening, *closing;
    bool explained; /* "what is x" asks for a number where x is one */
} forms[] = {
    {"what does ", " mean", false},
    {"what do ", " mean", false},
    {"what does ", " stand for", false},
    {"what is meant by ", "", false},
    {"what do you mean by ", "", false},
    {"what is the meaning of ", "", false},
    {"define ", "", false},
    {"what is a ", "", true},
    {"what is an ", "", true},
    {"what is ", "", true},
    {"what are ", "", true},
};

/* What stands between opening and closing; absent: the question is not of this form. */
static struct str between(struct str question, const char *opening, const char *closing)
{
    struct str first = str_of(opening), last = str_of(closing);
    if (question.len <= first.len + last.len ||
        !str_equal_nocase(str_slice(question, 0, first.len), first) ||
        !str_ends_with_nocase(question, last))
        return (struct str){NULL, 0};
    struct str word = str_trim(str_slice(question, first.len, question.len - last.len));
    static const char *const frames[] = {"\"", "'", "the word ", "the term ", "a ", "an ", "the "};
    for (size_t i = 0; i < countof(frames); i++) {
        struct str frame = str_of(frames[i]);
        if (word.len > frame.len && str_equal_nocase(str_slice(word, 0, frame.len), frame))
            word = str_from(word, frame.len);
    }
    while (word.len > 0 && (word.at[word.len - 1] == '"' || word.at[word.len - 1] == '\''))
        word.len--;
    return word;
}

/* Whether two phrases are the same by their stems: "pass rates", "Pass rate". */
static bool is_same(struct str one, struct str other)
{
    struct arena arena;
    struct str a[ENGLISH_WORDS], b[ENGLISH_WORDS];
    arena_init(&arena, 1 << 16);
    size_t count = stem_split(&arena, one, a, ENGLISH_WORDS);
    bool same = count > 0 && stem_split(&arena, other, b, ENGLISH_WORDS) == count;
    for (size_t i = 0; i < count && same; i++)
        same = str_equal(a[i], b[i]);
    arena_fini(&arena);
    return same;
}

static bool is_named(struct str name, const struct semantic_texts *synonyms, struct str word)
{
    bool named = name.len > 0 && is_same(name, word);
    for (size_t i = 0; i < synonyms->count && !named; i++)
        named = is_same(synonyms->at[i], word);
    return named;
}

/* "Name: what": the name with a capital, what without its last full stop. */
static void begin(struct str name, struct buf *out)
{
    if (name.len > 0)
        buf_push_char(out, name.at[0] >= 'a' && name.at[0] <= 'z' ? (char)(name.at[0] - 32)
                                                                  : name.at[0]);
    buf_push(out, str_from(name, 1));
    buf_push(out, STR(": "));
}

static void push_also(const struct semantic_texts *synonyms, struct buf *out)
{
    for (size_t i = 0; i < synonyms->count; i++)
        buf_printf(out, "%s%.*s", i == 0 ? "; also called " : ", ", STR_ARG(synonyms->at[i]));
}

static bool write_term(const struct lexicon *lexicon, struct str word, bool explained,
                       struct buf *out)
{
    for (size_t i = 0; i < lexicon->semantic->term_count; i++) {
        const struct semantic_term *term = &lexicon->semantic->terms[i];
        if (!is_named(term->term, &term->synonyms, word) || (explained && term->meaning.len == 0))
            continue;
        begin(term->term, out);
        buf_push(out, term->meaning);
        if (term->table != CATALOG_NONE) {
            buf_push(out, term->meaning.len > 0 ? STR("; ") : STR(""));
            lexicon_describe_table(lexicon, term->table, true, out);
            buf_push(out, STR(" with "));
            lexicon_describe_column(lexicon, term->table, term->column, out);
            buf_printf(out, " %.*s", STR_ARG(term->value));
        }
        push_also(&term->synonyms, out);
        buf_push_char(out, '.');
        return true;
    }
    return false;
}

static bool write_named(const struct lexicon *lexicon, struct str word, struct buf *out)
{
    for (size_t i = 0; i < lexicon->semantic->named_count; i++) {
        const struct semantic_named *named = &lexicon->semantic->named[i];
        if (!named->usable || !is_named(named->name, &named->synonyms, word))
            continue;
        begin(named->name, out);
        if (named->description.len > 0)
            buf_printf(out, "%.*s; ", STR_ARG(named->description));
        buf_printf(out, "%.*s of ", STR_ARG(named->expression.text));
        lexicon_describe_table(lexicon, named->table, true, out);
        if (named->filter.text.len > 0)
            buf_printf(out, " where %.*s", STR_ARG(named->filter.text));
        if (named->unit.len > 0)
            buf_printf(out, ", in %.*s", STR_ARG(named->unit));
        push_also(&named->synonyms, out);
        buf_push_char(out, '.');
        return true;
    }
    return false;
}

static bool write_table(const struct lexicon *lexicon, struct str word, struct buf *out)
{
    for (size_t i = 0; i < lexicon->semantic->table_count; i++) {
        const struct semantic_table *table = &lexicon->semantic->tables[i];
        struct str name = table->label.len > 0 ? table->label : table->name;
        if (table->table == CATALOG_NONE || table->grain.len + table->description.len == 0 ||
            !(is_named(name, &table->synonyms, word) || is_same(table->name, word)))
            continue;
        begin(name, out);
        buf_push(out, table->grain);
        if (table->description.len > 0)
            buf_printf(out, "%s%.*s", table->grain.len > 0 ? "; " : "",
                       STR_ARG(table->description));
        push_also(&table->synonyms, out);
        buf_push_char(out, '.');
        return true;
    }
    return false;
}

bool offline_meanings_write(const struct lexicon *lexicon, struct str question, struct buf *out)
{
    question = str_trim(question);
    while (question.len > 0 &&
           (question.at[question.len - 1] == '?' || question.at[question.len - 1] == '.'))
        question = str_trim(str_slice(question, 0, question.len - 1));
    for (size_t i = 0; i < countof(forms) && lexicon->semantic != NULL; i++) {
        struct str word = between(question, forms[i].opening, forms[i].closing);
        if (word.len == 0 || word.len > PHRASE_BYTES)
            continue;
        bool row = str_ends_with(str_of(forms[i].opening), STR(" a ")) ||
                   str_ends_with(str_of(forms[i].opening), STR(" an "));
        if (write_term(lexicon, word, forms[i].explained, out) ||
            (!forms[i].explained && write_named(lexicon, word, out)) ||
            ((!forms[i].explained || row) && write_table(lexicon, word, out)))
            return true;
    }
    return false;
}

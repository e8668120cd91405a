/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/look.c - texts of a statement, and words of names and questions.
 *
 * Failure: words beyond the limits are not looked at. */
#include "agents/sql/doubts/look.h"

#include "core/words/stem.h"

enum { QUOTED_BYTES = 160, LEAST_ALIKE = 3, ENOUGH_ALIKE = 6, LEAST_VERB = 5, MOST_VERB = 16 };

void sql_doubts_say(const struct sql_doubts_look *look, const char *kind, struct str told,
                    struct str shown)
{
    look->say(look->owner, &(struct sql_doubt){kind, told, shown});
}

struct str sql_doubts_text(const struct sql_doubts_look *look, struct sql_span span)
{
    return str_utf8_prefix(str_slice(look->parse->text, span.start, span.end), QUOTED_BYTES);
}

const struct catalog_column *sql_doubts_column(const struct sql_doubts_look *look,
                                               const struct sql_column_ref *ref)
{
    if (ref == NULL || ref->table_ref < 0 || ref->column == CATALOG_NONE)
        return NULL;
    const int table = look->parse->tables[ref->table_ref].table;
    return table == CATALOG_NONE ? NULL
                                 : &look->source->catalog->tables[table].columns[ref->column];
}

bool sql_doubts_is_date(const struct catalog_column *column)
{
    return (column->type == CATALOG_DATE || column->type == CATALOG_TIMESTAMP ||
            column->shows == CATALOG_DATE || column->shows == CATALOG_TIMESTAMP) &&
           !column->hidden;
}

struct str sql_doubts_table(const struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    return look->parse->tables[ref->table_ref].name;
}

/* The consonants of a word, one of two that are the same; how many. */
static size_t consonants(struct str word, char to[MOST_VERB])
{
    size_t count = 0;
    for (size_t i = 0; i < word.len && count < MOST_VERB; i++) {
        const char c = str_lower(word.at[i]);
        if (!stem_is_vowel(c) && (count == 0 || to[count - 1] != c))
            to[count++] = c;
    }
    return count;
}

/* "began" and "Beginn": verbs of English and German that change their vowel. */
static bool are_forms(struct str one, struct str other)
{
    char of_one[MOST_VERB], of_other[MOST_VERB];
    const size_t count = consonants(one, of_one);
    return one.len >= LEAST_VERB && other.len >= LEAST_VERB && one.len <= other.len + 1 &&
           other.len <= one.len + 1 && count >= LEAST_ALIKE &&
           str_equal(str_make(of_one, count), str_make(of_other, consonants(other, of_other)));
}

bool sql_doubts_alike(struct str one, struct str other)
{
    const size_t least = size_min(one.len, other.len);
    size_t same = 0;
    while (same < least && str_lower(one.at[same]) == str_lower(other.at[same]))
        same++;
    return same >= ENOUGH_ALIKE || (same == least && least >= LEAST_ALIKE) ||
           (same > 0 && are_forms(one, other));
}

/* The longer one begins with the word, and an ending follows. */
static bool is_form(struct str longer, struct str word)
{
    static const char *const endings[] = {"", "e", "en", "es", "n", "s"};
    return longer.len >= word.len && str_equal_nocase(str_slice(longer, 0, word.len), word) &&
           str_is_listed_nocase(str_from(longer, word.len), endings, countof(endings));
}

bool sql_doubts_same_word(struct str one, struct str other)
{
    return is_form(one, other) || is_form(other, one);
}

size_t sql_doubts_split(const struct sql_doubts_look *look, struct str name, struct str *words)
{
    return stem_split(look->source->arena, name, words, LOOK_NAME_WORDS);
}

bool sql_doubts_speaks_of(const struct sql_doubts_look *look, struct str name)
{
    struct str words[LOOK_NAME_WORDS];
    const size_t count = sql_doubts_split(look, name, words);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < look->word_count; k++)
            if (sql_doubts_alike(words[i], look->words[k]))
                return true;
    return false;
}

bool sql_doubts_has_word(struct str text, const char *word)
{
    const struct str looked = str_of(word);
    for (size_t at = 0; at + looked.len <= text.len; at++) {
        const bool begins = at == 0 || !str_is_alpha(text.at[at - 1]);
        const bool ends = at + looked.len == text.len || !str_is_alpha(text.at[at + looked.len]);
        if (begins && ends && str_equal_nocase(str_slice(text, at, at + looked.len), looked))
            return true;
    }
    return false;
}

bool sql_doubts_writes(const struct sql_doubts_look *look, struct str text)
{
    struct str sql = look->parse->text;
    bool is_inside = false;
    for (size_t at = 0; at < sql.len; at++) {
        is_inside = is_inside != (sql.at[at] == '\'');
        if (is_inside && at + 1 + text.len <= sql.len &&
            str_equal_nocase(str_slice(sql, at + 1, at + 1 + text.len), text))
            return true;
    }
    return false;
}

bool sql_doubts_ends_as(const struct sql_doubts_look *look, struct str name,
                        enum sql_doubts_topic topic)
{
    struct str words[LOOK_NAME_WORDS];
    enum sql_doubts_topic dimension;
    size_t count = sql_doubts_split(look, name, words);
    if (count > 1 && sql_said_unit(words[count - 1], &dimension) != 0) /* price_cents */
        count--;
    return count > 0 && sql_said_is(words[count - 1], topic);
}

bool sql_doubts_holds(const struct sql_doubts_look *look, struct str name,
                      enum sql_doubts_topic topic)
{
    struct str words[LOOK_NAME_WORDS];
    const size_t count = sql_doubts_split(look, name, words);
    for (size_t i = 0; i < count; i++)
        if (sql_said_is(words[i], topic))
            return true;
    return false;
}

int sql_doubts_number_of(const struct sql_doubts_look *look, int table, enum sql_doubts_topic topic)
{
    const struct catalog_table *at = &look->source->catalog->tables[table];
    for (size_t c = 0; c < at->column_count; c++)
        if ((at->columns[c].type == CATALOG_INTEGER || at->columns[c].type == CATALOG_NUMBER) &&
            !at->columns[c].hidden && sql_doubts_holds(look, at->columns[c].name, topic))
            return (int)c;
    return CATALOG_NONE;
}

struct sql_doubts_name sql_doubts_name_of(const struct sql_doubts_look *look, int table, int column)
{
    const struct sql_doubts_source *source = look->source;
    const struct catalog_table *at = &source->catalog->tables[table];
    struct sql_doubts_name name;
    name.count =
        sql_doubts_split(look, column < 0 ? at->name : at->columns[column].name, name.words);
    if (source->words != NULL)
        name.count +=
            source->words(source->owner, table, column, name.words + name.count, LOOK_NAME_WORDS);
    return name;
}

bool sql_doubts_name_has(const struct sql_doubts_name *name, struct str word)
{
    for (size_t i = 0; i < name->count; i++)
        if (sql_doubts_alike(name->words[i], word))
            return true;
    return false;
}

struct str sql_doubts_said_of(const struct sql_doubts_look *look,
                              const struct sql_doubts_name *name,
                              const struct sql_doubts_name *other)
{
    for (size_t i = 0; i < name->count; i++)
        for (size_t k = 0; k < look->word_count; k++)
            if ((other == NULL || !sql_doubts_name_has(other, name->words[i])) &&
                sql_doubts_alike(name->words[i], look->words[k]))
                return look->words[k];
    return (struct str){NULL, 0};
}

bool sql_doubts_uses(const struct sql_doubts_look *look, int table, int column)
{
    for (size_t i = 0; i < look->parse->column_count; i++) {
        const struct sql_column_ref *ref = &look->parse->columns[i];
        if (ref->table_ref >= 0 && look->parse->tables[ref->table_ref].table == table &&
            ref->column == column)
            return true;
    }
    return false;
}

bool sql_doubts_reads(const struct sql_doubts_look *look, int table)
{
    for (size_t i = 0; i < look->parse->table_count; i++)
        if (look->parse->tables[i].table == table)
            return true;
    return false;
}

int sql_doubts_referred(const struct sql_doubts_look *look, int table, int column)
{
    const struct catalog_table *at = &look->source->catalog->tables[table];
    for (size_t i = 0; i < at->reference_count; i++)
        if (at->references[i].column_count == 1 && at->references[i].columns[0] == column)
            return at->references[i].to_table;
    return CATALOG_NONE;
}

bool sql_doubts_refers(const struct sql_doubts_look *look, int table, int to_table)
{
    const struct catalog_table *at = &look->source->catalog->tables[table];
    for (size_t i = 0; i < at->reference_count; i++)
        if (at->references[i].to_table == to_table)
            return true;
    return false;
}

bool sql_doubts_is_aggregate(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    for (size_t i = 0; expr->kind == SQL_EXPR_CALL && i < look->parse->function_count; i++) {
        const struct sql_function_ref *ref = &look->parse->functions[i];
        if (ref->span.start == expr->call->name_span.start && ref->aggregate && !ref->windowed)
            return true;
    }
    return false;
}

const struct sql_expr *sql_doubts_condition(const struct sql_expr *where)
{
    return where != NULL && where->kind == SQL_EXPR_AND ? where->children : where;
}

const struct sql_expr *sql_doubts_next(const struct sql_expr *where, const struct sql_expr *one)
{
    return where->kind == SQL_EXPR_AND ? one->next : NULL;
}

struct str sql_doubts_sign(const struct sql_parse *parse, const struct sql_expr *left)
{
    return str_trim(str_slice(parse->text, left->span.end, left->next->span.start));
}

bool sql_doubts_aggregates(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    if (sql_doubts_is_aggregate(look, expr))
        return true;
    for (const struct sql_expr *child = expr->children; child != NULL; child = child->next)
        if (sql_doubts_aggregates(look, child))
            return true;
    return false;
}

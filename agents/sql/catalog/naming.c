/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/naming.c - words begin at capitals and after what is neither letter nor digit.
 *
 * Who touched a row is said by the last words of a column's name. No failure paths. */
#include "agents/sql/catalog/naming.h"

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_word(char c)
{
    return str_is_alpha(c) || str_is_digit(c);
}

struct str sql_naming_next_word(struct str *rest)
{
    size_t start = 0;
    while (start < rest->len && !is_word(rest->at[start]))
        start++;
    size_t end = start;
    while (end < rest->len && is_word(rest->at[end])) {
        bool begins = end > start && is_upper(rest->at[end]);
        bool after_lower = begins && !is_upper(rest->at[end - 1]);
        bool before_lower = begins && end + 1 < rest->len && is_word(rest->at[end + 1]) &&
                            !is_upper(rest->at[end + 1]) && !str_is_digit(rest->at[end + 1]);
        if (after_lower || (before_lower && is_upper(rest->at[end - 1])))
            break;
        end++;
    }
    struct str word = str_slice(*rest, start, end);
    *rest = str_from(*rest, end);
    return word.len == 0 ? (struct str){NULL, 0} : word;
}

bool sql_naming_is_one_of(struct str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_nocase(word, str_of(list[i])))
            return true;
    }
    return false;
}

bool sql_naming_is_audit(struct str column)
{
    static const char *const verbs[] = {"created",  "create",    "updated",  "update",  "changed",
                                        "modified", "modify",    "deleted",  "voided",  "retired",
                                        "approved", "removed",   "archived", "entered", "inserted",
                                        "edited",   "cancelled", "canceled", "uploaded"};
    static const char *const persons[] = {"creator", "modifier", "updater"};
    struct str words[3] = {{0}}; /* the last three, newest first */
    for (struct str rest = column, word;
         word = sql_naming_next_word(&rest), !str_is_absent(word);) {
        words[2] = words[1];
        words[1] = words[0];
        words[0] = word;
    }
    struct str *last = words;
    if (str_equal_nocase(last[0], STR("id")))
        last++;
    if (sql_naming_is_one_of(last[0], persons, countof(persons)))
        return true;
    return last < words + 2 && str_equal_nocase(last[0], STR("by")) &&
           sql_naming_is_one_of(last[1], verbs, countof(verbs));
}

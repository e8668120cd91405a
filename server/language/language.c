/* SPDX-License-Identifier: MIT */
/* server/language/language.c - tags, and a header of them with weights.
 *
 * Failure: what is no tag of ours, or has no weight that can be read, is passed over. */
#include "server/language/language.h"

#include "core/base/defs.h"

static const char *const names[LANGUAGE_COUNT] = {
    [LANGUAGE_EN] = "en", [LANGUAGE_DE] = "de", [LANGUAGE_ES] = "es"};

const char *language_name(enum language language)
{
    return names[language];
}

bool language_of(struct str tag, enum language *language)
{
    struct str first = str_split(&tag, '-');
    for (size_t i = 0; i < countof(names); i++)
        if (str_equal_nocase(first, str_of(names[i]))) {
            *language = (enum language)i;
            return true;
        }
    return false;
}

/* The weight among parameters such as "q=0.8"; 1 where there is none, 0 where it cannot be read. */
static double weight_of(struct str parameters)
{
    while (!str_is_absent(parameters)) {
        struct str one = str_trim(str_split(&parameters, ';'));
        double weight;
        if (one.len > 2 && str_lower(one.at[0]) == 'q' && one.at[1] == '=')
            return str_to_double(str_from(one, 2), &weight) && weight <= 1 ? weight : 0;
    }
    return 1;
}

enum language language_wanted(struct str header, enum language otherwise)
{
    double most = 0;
    enum language wanted = otherwise, language;
    while (!str_is_absent(header)) {
        struct str one = str_split(&header, ',');
        struct str tag = str_trim(str_split(&one, ';'));
        double weight = weight_of(one);
        if (weight > most && language_of(tag, &language)) {
            most = weight;
            wanted = language;
        }
    }
    return wanted;
}

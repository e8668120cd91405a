/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_options.c - one pass over the words.
 *
 * Failure: no such option, no value, a value for a switch, more than there may be: one line on
 * stderr, and the reading ends. */
#include "server/cli/cmd_options.h"

#include <stdio.h>
#include <string.h>

#include "core/base/str.h"
#include "server/config/near_name.h"

enum { MAX_NAMES = 32 };

static bool refuse(const char *command, struct str word, const char *why)
{
    fprintf(stderr, "%s: %.*s: %s; --help says more\n", command, STR_ARG(word), why);
    return false;
}

static bool refuse_unknown(const char *command, struct str name, const struct cmd_option *options,
                           size_t option_count)
{
    const char *names[MAX_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < option_count && count < MAX_NAMES; i++)
        if (options[i].name != NULL)
            names[count++] = options[i].name;
    const char *near = near_name_of(name, names, count);
    if (near == NULL)
        return refuse(command, name, "no such option");
    fprintf(stderr, "%s: %.*s: no such option; did you mean %s?\n", command, STR_ARG(name), near);
    return false;
}

/* The option of this name; name absent: the one for words that are no option. */
static const struct cmd_option *find(const struct cmd_option *options, size_t count,
                                     struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (options[i].name == NULL ? str_is_absent(name)
                                    : str_equal(name, str_of(options[i].name)))
            return &options[i];
    return NULL;
}

static bool take(const struct cmd_option *option, const char *value)
{
    if (option->count == NULL) {
        *option->values = value;
        return true;
    }
    if (*option->count == option->most)
        return false;
    option->values[(*option->count)++] = value;
    return true;
}

bool cmd_options_read(int argc, char **argv, const struct cmd_option *options, size_t option_count,
                      const char *command)
{
    for (int i = 0; i < argc; i++) {
        struct str word = str_of(argv[i]), name = word;
        const char *equals = strchr(argv[i], '='), *value = argv[i];
        bool is_option = word.len > 1 && word.at[0] == '-';
        if (is_option && equals != NULL)
            name = str_slice(word, 0, (size_t)(equals - argv[i]));
        const struct cmd_option *option =
            find(options, option_count, is_option ? name : (struct str){NULL, 0});
        if (option == NULL)
            return is_option ? refuse_unknown(command, name, options, option_count)
                             : refuse(command, name, "one word too many");
        if (option->given != NULL) {
            if (equals != NULL)
                return refuse(command, name, "it takes no value");
            *option->given = true;
            continue;
        }
        if (is_option)
            value = equals != NULL ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
        if (value == NULL)
            return refuse(command, name, "it needs a value");
        if (!take(option, value))
            return refuse(command, word, "one too many");
    }
    return true;
}

void cmd_options_no_verb(const char *command, const char *word, const char *const *verbs,
                         size_t count)
{
    const char *near = near_name_of(str_of(word), verbs, count);
    fprintf(stderr, "%s: there is no '%s'; ", command, word);
    if (near != NULL)
        fprintf(stderr, "did you mean %s?\n", near);
    else
        fprintf(stderr, "%s --help says more\n", command);
}

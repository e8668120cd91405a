/* SPDX-License-Identifier: MIT */
/* server/cli/manual/manual_completion.c - the table as completions of bash, zsh and fish.
 *
 * Each offers commands, the verbs of a command, its flags, and for a flag the words that it takes,
 * or files. */
#include <string.h>

#include "server/cli/manual/manual.h"
#include "server/config/setting.h"

/* What a value of a flag or setting may be. */
static bool is_choice(const char *value)
{
    return value != NULL && strchr(value, '|') != NULL;
}

static bool is_file(const char *value)
{
    return value != NULL && (strcmp(value, "FILE") == 0 || strcmp(value, "PATH") == 0);
}

typedef void flag_fn(enum manual_command command, const struct manual_flag *flag, struct buf *out);

/* Call each with the flags of command, those of settings behind its own. */
static void each_flag(enum manual_command command, flag_fn *each, struct buf *out)
{
    struct setting setting;
    for (size_t i = 0; i < manual_flag_count(command); i++)
        each(command, &manual_table[command].flags[i], out);
    if (!manual_table[command].takes_settings)
        return;
    for (size_t i = 0; setting_at(i, &setting); i++) {
        const struct manual_flag flag = {setting.flag, setting.is_count ? "N" : "VALUE",
                                         setting.name};
        if (setting.flag != NULL)
            each(command, &flag, out);
    }
    for (size_t i = 0; i < MANUAL_SETTING_FLAGS; i++)
        each(command, &manual_setting_flags[i], out);
}

static void push_name(enum manual_command command, const struct manual_flag *flag, struct buf *out)
{
    (void)command;
    buf_printf(out, " %s", flag->name);
}

static void push_commands(struct buf *out)
{
    for (size_t i = 0; i < MANUAL_COUNT; i++)
        buf_printf(out, "%s%s", i == 0 ? "" : " ", manual_table[i].name);
}

/* Append the words that may follow a command: its verbs, or, of help, all commands. */
static void push_second_words(enum manual_command command, struct buf *out)
{
    if (command == MANUAL_HELP)
        push_commands(out);
    else
        manual_push_verbs(command, " ", out);
}

static bool has_second_words(enum manual_command command)
{
    return command == MANUAL_HELP || manual_has_verbs(command);
}

/* The first clause of what a flag is: as much as fits beside it. */
static struct str gist_of(const struct manual_flag *flag)
{
    struct str text = str_of(flag->text);
    ptrdiff_t end = str_find(text, STR("; "));
    return end < 0 ? text : str_slice(text, 0, (size_t)end);
}

/* Append value with its bars as blanks. */
static void push_choices(const char *value, struct buf *out)
{
    for (const char *at = value; *at != '\0'; at++)
        buf_push_char(out, *at == '|' ? ' ' : *at);
}

/* ---- bash ---- */

/* A case for the values of a flag; those without one have files, as bash does by itself. */
static void push_bash_value(enum manual_command command, const struct manual_flag *flag,
                            struct buf *out)
{
    if (!is_choice(flag->value))
        return;
    buf_printf(out, "    %s:%s)\n        COMPREPLY=($(compgen -W \"", manual_table[command].name,
               flag->name);
    push_choices(flag->value, out);
    buf_push(out, STR("\" -- \"$current\"))\n        return ;;\n"));
}

static void push_bash_command(enum manual_command command, struct buf *out)
{
    buf_printf(out, "    %s) words=\"--help", manual_table[command].name);
    each_flag(command, push_name, out);
    buf_push(out, STR("\" verbs=\""));
    push_second_words(command, out);
    buf_push(out, STR("\" ;;\n"));
}

static void write_bash(struct buf *out)
{
    buf_push(out,
             STR("# bash completion of askd; made by `askd completion bash`\n"
                 "_askd() {\n"
                 "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
                 "command=${COMP_WORDS[1]} words verbs\n"
                 "    COMPREPLY=()\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                 "        COMPREPLY=($(compgen -W \"--help --version "));
    push_commands(out);
    buf_push(out, STR("\" -- \"$current\"))\n"
                      "        return\n"
                      "    fi\n"
                      "    case $command:$before in\n"));
    for (size_t i = 0; i < MANUAL_COUNT; i++)
        each_flag((enum manual_command)i, push_bash_value, out);
    buf_push(out, STR("    esac\n    case $command in\n"));
    for (size_t i = 0; i < MANUAL_COUNT; i++)
        push_bash_command((enum manual_command)i, out);
    buf_push(out, STR("    esac\n"
                      "    if [ -n \"$verbs\" ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
                      "        COMPREPLY=($(compgen -W \"$verbs --help\" -- \"$current\"))\n"
                      "    elif [ \"${current#-}\" != \"$current\" ]; then\n"
                      "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                      "    fi\n"
                      "}\n"
                      "complete -o default -F _askd askd\n"));
}

/* ---- zsh ---- */

/* Append text between single quotes, without what _arguments would take for its own. */
static void push_plain(struct str text, struct buf *out)
{
    for (const char *at = text.at; at < text.at + text.len; at++) {
        if (*at == '\'')
            buf_push(out, STR("'\\''"));
        else if (*at == '[' || *at == ']' || *at == ':' || *at == '\\')
            buf_printf(out, "\\%c", *at);
        else
            buf_push_char(out, *at);
    }
}

static void push_zsh_flag(enum manual_command command, const struct manual_flag *flag,
                          struct buf *out)
{
    (void)command;
    buf_printf(out, "      '*%s[", flag->name);
    push_plain(gist_of(flag), out);
    buf_push_char(out, ']');
    if (is_choice(flag->value)) {
        buf_push(out, STR(":value:("));
        push_choices(flag->value, out);
        buf_push_char(out, ')');
    } else if (flag->value != NULL) {
        buf_push(out, is_file(flag->value) ? STR(":file:_files") : STR(":value:"));
    }
    buf_push(out, STR("' \\\n"));
}

static void write_zsh(struct buf *out)
{
    buf_push(out, STR("#compdef askd\n# zsh completion of askd; made by `askd completion zsh`\n"
                      "_askd() {\n"
                      "  if (( CURRENT == 2 )); then\n"
                      "    local -a commands=(\n"));
    for (size_t i = 0; i < MANUAL_COUNT; i++) {
        buf_printf(out, "      '%s:", manual_table[i].name);
        push_plain(str_of(manual_table[i].summary), out);
        buf_push(out, STR("'\n"));
    }
    buf_push(out, STR("    )\n    _describe command commands\n    return\n  fi\n"
                      "  case $words[2] in\n"));
    for (size_t i = 0; i < MANUAL_COUNT; i++) {
        buf_printf(out, "  %s)\n    _arguments \\\n      '1:command:' \\\n", manual_table[i].name);
        each_flag((enum manual_command)i, push_zsh_flag, out);
        if (has_second_words((enum manual_command)i)) {
            buf_push(out, STR("      '2:verb:("));
            push_second_words((enum manual_command)i, out);
            buf_push(out, STR(")' \\\n"));
        }
        buf_push(out, STR("      '--help[say more]' '*:file:_files' ;;\n"));
    }
    buf_push(out, STR("  esac\n}\n_askd \"$@\"\n"));
}

/* ---- fish ---- */

/* Append text between single quotes of fish. */
static void push_quoted(struct str text, struct buf *out)
{
    buf_push_char(out, '\'');
    for (const char *at = text.at; at < text.at + text.len; at++) {
        if (*at == '\'' || *at == '\\')
            buf_push_char(out, '\\');
        buf_push_char(out, *at);
    }
    buf_push_char(out, '\'');
}

static void push_fish_flag(enum manual_command command, const struct manual_flag *flag,
                           struct buf *out)
{
    buf_printf(out, "complete -c askd -n '__fish_seen_subcommand_from %s' -l %s",
               manual_table[command].name, flag->name + 2);
    if (is_choice(flag->value)) {
        buf_push(out, STR(" -x -a '"));
        push_choices(flag->value, out);
        buf_push_char(out, '\'');
    } else if (flag->value != NULL) {
        buf_push(out, is_file(flag->value) ? STR(" -r -F") : STR(" -x"));
    }
    buf_push(out, STR(" -d "));
    push_quoted(gist_of(flag), out);
    buf_push_char(out, '\n');
}

static void write_fish(struct buf *out)
{
    buf_push(out, STR("# fish completion of askd; made by `askd completion fish`\n"
                      "function __askd_comes_second\n"
                      "    set -l words (commandline -opc)\n"
                      "    test (count $words) -eq 2; and test $words[2] = $argv[1]\n"
                      "end\n"));
    for (size_t i = 0; i < MANUAL_COUNT; i++) {
        const struct manual_entry *entry = &manual_table[i];
        buf_printf(out, "complete -c askd -n __fish_use_subcommand -f -a %s -d ", entry->name);
        push_quoted(str_of(entry->summary), out);
        buf_push_char(out, '\n');
        if (has_second_words((enum manual_command)i)) {
            buf_printf(out, "complete -c askd -n '__askd_comes_second %s' -f -a '", entry->name);
            push_second_words((enum manual_command)i, out);
            buf_push(out, STR("'\n"));
        }
        each_flag((enum manual_command)i, push_fish_flag, out);
    }
}

bool manual_write_completion(const char *shell, struct buf *out)
{
    static const struct {
        const char *shell;
        void (*write)(struct buf *out);
    } writers[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    for (size_t i = 0; i < countof(writers); i++) {
        if (strcmp(shell, writers[i].shell) != 0)
            continue;
        writers[i].write(out);
        return true;
    }
    return false;
}

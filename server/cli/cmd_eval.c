/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_eval.c - each question is asked like any other, then its rows are compared with
 * those of its gold statement, the expected one.
 *
 * Happy path: the questions are read, the backends opened; one question after the other is asked,
 * judged, counted and told (misses for people, every one for programs); the table is printed last.
 * Failure paths: configuration or file wrong: said, exit 78 or 1; a signal: the table of the
 * questions asked so far, and where to go on, exit 1; a line that is no question, or a gold
 * statement that does not run: said with its line, and left out of the table, exit 1, since figures
 * over fewer questions than asked for mislead; a run that fails is a verdict. */
#include "server/cli/cmd_eval.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/mem.h"
#include "proto/json_write.h"
#include "server/cli/cli.h"
#include "server/cli/cmd_answer.h"
#include "server/cli/cmd_eval_bar.h"
#include "server/cli/cmd_eval_rows.h"
#include "server/cli/cmd_eval_tally.h"
#include "server/process/signals.h"

enum {
    FILE_BYTES = 64 << 20,
    OUT_BYTES = 64 << 20,
    ARENA_BYTES = 256 << 20,
    GOLD_ROWS = 5000,
    CONVERSATION_BYTES = 32,
    EXIT_FINE = 0,
    EXIT_WRONG = 1,
    EXIT_BELOW = 3
};

enum { JSON, GRAPH, COMPANY, USER, SCHEMA, FROM, MIN_PRECISION, BASELINE, SWITCH_COUNT };

static const struct cli_switch all_switches[SWITCH_COUNT] = {
    [JSON] = {.name = "--json"},
    [GRAPH] = {.name = "--graph", .takes_value = true},
    [COMPANY] = {.name = "--company", .takes_value = true},
    [USER] = {.name = "--user", .takes_value = true},
    [SCHEMA] = {.name = "--schema", .takes_value = true},
    [FROM] = {.name = "--from", .takes_value = true},
    [MIN_PRECISION] = {.name = "--min-precision", .takes_value = true},
    [BASELINE] = {.name = "--baseline", .takes_value = true},
};

struct eval {
    struct cli_switch switches[SWITCH_COUNT];
    struct local_engine *engine;
    struct cmd_eval_tally tally;
    struct cmd_eval_bar bar;
    struct buf out;
    const char *path;
    size_t line, line_count, asked, unjudged;
    uint64_t from; /* the first line that is asked */
};

/* What one line asks, and the outcome; in its arena. */
struct one {
    struct arena arena;
    const struct json_value *root;
    struct str id, question, sql, group; /* sql absent: it must not be answered */
    struct str got, why;                 /* the statement it was answered by, or why not */
    enum cmd_eval_verdict verdict;
    uint64_t took_us;
};

/* ---- asking ---- */

static enum err_code ask(struct eval *eval, const char *conversation, struct str message,
                         struct local_engine_answer *answer, struct err *err)
{
    const struct local_engine_question question = {
        .message = message,
        .caller = {str_of(conversation), str_of(eval->switches[COMPANY].value),
                   str_of(eval->switches[USER].value)},
    };
    return local_engine_run(eval->engine, &question, NULL, answer, err);
}

/* Read the rows of a gold statement. */
static enum err_code run_gold(struct eval *eval, struct arena *arena, struct str sql,
                              struct cmd_eval_rows *rows, struct err *err)
{
    const struct sql_statement statement = {.text = sql, .max_rows = GOLD_ROWS};
    struct sql_query query;
    enum err_code code = local_engine_query(eval->engine, &statement, &query, err);
    if (code == ERR_OK && !cmd_eval_rows_of(arena, &query.result, rows))
        code = err_set(err, ERR_NO_MEMORY, "no memory for its rows");
    if (query.sql != NULL)
        op_release(&query.op);
    return code;
}

static enum err_code is_right(struct eval *eval, struct one *one, struct str sql,
                              const struct cmd_eval_rows *answer, bool *right, struct err *err)
{
    struct cmd_eval_rows gold;
    enum err_code code = run_gold(eval, &one->arena, sql, &gold, err);
    if (code != ERR_OK) {
        err_prefix(err, "the right statement does not run");
        return code;
    }
    bool ordered = cmd_eval_rows_ordered(&one->arena, local_engine_dialect(eval->engine), sql);
    *right = cmd_eval_rows_same(&one->arena, &gold, answer, ordered);
    return ERR_OK;
}

/* Compare the rows of an answer with gold and its alternatives. */
static enum err_code judge_rows(struct eval *eval, struct one *one, const struct json_value *data,
                                struct err *err)
{
    const struct json_value *alternatives = json_value_find(one->root, "/alt");
    struct cmd_eval_rows answer;
    bool right = false;
    one->verdict = EVAL_WRONG;
    if (str_is_absent(one->sql) || !cmd_eval_rows_read(&one->arena, data, &answer))
        return ERR_OK;
    enum err_code code = is_right(eval, one, one->sql, &answer, &right, err);
    for (const struct json_value *other = alternatives == NULL ? NULL : alternatives->first;
         code == ERR_OK && !right && other != NULL; other = other->next)
        if (other->type == JSON_STRING)
            code = is_right(eval, one, other->text, &answer, &right, err);
    if (right)
        one->verdict = EVAL_RIGHT;
    return code;
}

static enum err_code judge(struct eval *eval, struct one *one,
                           const struct local_engine_answer *answer, struct err *err)
{
    struct cmd_answer_said said;
    cmd_answer_read(answer, &one->arena, &said);
    if (said.sql != NULL)
        one->got = said.sql->text;
    if (!str_is_absent(answer->code)) {
        one->verdict = EVAL_FAILED;
        one->why = arena_printf(&one->arena, "%.*s: %.*s", STR_ARG(answer->code),
                                STR_ARG(answer->message));
        return ERR_OK;
    }
    if (str_is_absent(one->got)) {
        one->verdict = EVAL_ABSTAINED;
        one->why = arena_str(&one->arena, said.why);
        return ERR_OK;
    }
    return judge_rows(eval, one, json_value_find(said.members, "/data"), err);
}

static enum err_code ask_question(struct eval *eval, struct one *one, struct err *err)
{
    const struct json_value *after = json_value_find(one->root, "/after");
    char conversation[CONVERSATION_BYTES] = "";
    struct local_engine_answer answer;
    enum err_code code = ERR_OK;
    if (after != NULL && after->count > 0)
        snprintf(conversation, sizeof conversation, "eval-%zu", eval->line);
    for (const struct json_value *turn = after == NULL ? NULL : after->first;
         code == ERR_OK && turn != NULL; turn = turn->next)
        code = turn->type == JSON_STRING
                   ? ask(eval, conversation, turn->text, &answer, err)
                   : err_set(err, ERR_INVALID, "/after: expected a list of questions");
    uint64_t began_ns = loop_precise_ns();
    if (code == ERR_OK)
        code = ask(eval, conversation, one->question, &answer, err);
    one->took_us = (loop_precise_ns() - began_ns) / 1000;
    return code == ERR_OK ? judge(eval, one, &answer, err) : code;
}

/* ---- telling ---- */

static bool is_miss(const struct one *one)
{
    return one->verdict != (str_is_absent(one->sql) ? EVAL_ABSTAINED : EVAL_RIGHT);
}

static void tell_line(struct buf *out, const char *label, struct str text)
{
    if (text.len > 0)
        buf_printf(out, "   %-5s %.*s\n", label, STR_ARG(text));
}

static void tell_people(const struct one *one, struct buf *out)
{
    if (!is_miss(one))
        return;
    buf_printf(out, "%.*s [%.*s] %s: %.*s\n", STR_ARG(one->id), STR_ARG(one->group),
               cmd_eval_tally_name(one->verdict), STR_ARG(one->question));
    tell_line(out, "why", one->why);
    tell_line(out, "got", one->got);
    tell_line(out, "right", one->sql);
}

static void tell_programs(const struct one *one, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("id"), one->id);
    json_write_member_str(&json, STR("question"), one->question);
    json_write_member_str(&json, STR("group"), one->group);
    json_write_member_str(&json, STR("verdict"), str_of(cmd_eval_tally_name(one->verdict)));
    json_write_member_bool(&json, STR("miss"), is_miss(one));
    if (!str_is_absent(one->got))
        json_write_member_str(&json, STR("sql"), one->got);
    if (!str_is_absent(one->sql))
        json_write_member_str(&json, STR("right_sql"), one->sql);
    if (!str_is_absent(one->why))
        json_write_member_str(&json, STR("reason"), one->why);
    json_write_member_double(&json, STR("ms"), (double)one->took_us / 1e3);
    json_write_object_end(&json);
    buf_push_char(out, '\n');
}

static void tell(struct eval *eval, const struct one *one)
{
    buf_clear(&eval->out);
    if (eval->switches[JSON].given)
        tell_programs(one, &eval->out);
    else
        tell_people(one, &eval->out);
    bool shows = isatty(STDERR_FILENO) != 0;
    if (shows)
        fputs("\r\033[K", stderr);
    cli_write(STDOUT_FILENO, buf_str(&eval->out));
    if (shows)
        fprintf(stderr, "line %zu of %zu ", eval->line, eval->line_count);
}

static void tell_all(struct eval *eval)
{
    struct json_write json;
    buf_clear(&eval->out);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (eval->switches[JSON].given) {
        json_write_init(&json, &eval->out);
        json_write_object(&json);
        json_write_key(&json, STR("summary"));
        cmd_eval_tally_write(&eval->tally, &json);
        json_write_member_u64(&json, STR("unjudged"), eval->unjudged);
        json_write_object_end(&json);
        buf_push_char(&eval->out, '\n');
    } else {
        cmd_eval_tally_print(&eval->tally, &eval->out);
    }
    cli_write(STDOUT_FILENO, buf_str(&eval->out));
}

/* ---- the questions ---- */

/* The text at a JSON pointer, or the default. */
static struct str text_at(const struct json_value *root, const char *pointer, struct str otherwise)
{
    const struct json_value *value = json_value_find(root, pointer);
    return value != NULL && value->type == JSON_STRING ? value->text : otherwise;
}

/* Read one question. False with ERR_OK: it is for another schema. */
static bool read_one(const struct eval *eval, struct one *one, struct str line, struct err *err)
{
    const struct json_limits limits = {.refuse_nul = true};
    const char *wanted = eval->switches[SCHEMA].value;
    one->sql = one->got = one->why = (struct str){NULL, 0};
    one->root = json_value_parse(&one->arena, line, &limits, err);
    if (one->root == NULL)
        return false;
    if (wanted != NULL && !str_equal(text_at(one->root, "/schema", STR("")), str_of(wanted)))
        return false;
    one->id = text_at(one->root, "/id", arena_printf(&one->arena, "%zu", eval->line));
    if (json_value_str(one->root, "/question", &one->question, err) != ERR_OK)
        return false;
    one->group = text_at(one->root, "/expect", STR(""));
    if (one->group.len > 0)
        return true;
    one->group = text_at(one->root, "/difficulty", STR("any"));
    return json_value_str(one->root, "/sql", &one->sql, err) == ERR_OK;
}

static enum err_code take_line(struct eval *eval, struct one *one, struct str line, struct err *err)
{
    if (!read_one(eval, one, line, err))
        return err->code;
    enum err_code code = ask_question(eval, one, err);
    if (code != ERR_OK || local_engine_is_stopped(eval->engine)) /* half a question is none */
        return code;
    if (!cmd_eval_tally_add(&eval->tally, one->group, str_is_absent(one->sql), one->verdict,
                            one->took_us))
        return err_set(err, ERR_TOO_LARGE, "there are more than %d kinds of difficulty",
                       EVAL_GROUPS);
    eval->asked++;
    tell(eval, one);
    return ERR_OK;
}

static size_t count_lines(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.at[i] == '\n';
    return count + (text.len > 0 && text.at[text.len - 1] != '\n');
}

static void tell_unjudged(struct eval *eval, const struct err *err)
{
    eval->unjudged++;
    fprintf(stderr, "askd: %s: line %zu: %s\n", eval->path, eval->line, err->text);
}

static enum err_code take_lines(struct eval *eval, struct str text, struct err *err)
{
    eval->line_count = count_lines(text);
    while (text.len > 0) {
        struct str line = str_trim(str_split(&text, '\n'));
        eval->line++;
        if (line.len == 0 || eval->line < eval->from)
            continue;
        struct one one = {.took_us = 0};
        arena_init(&one.arena, ARENA_BYTES);
        enum err_code code = take_line(eval, &one, line, err);
        arena_fini(&one.arena);
        if (local_engine_is_stopped(eval->engine))
            return code;
        if (code != ERR_OK)
            tell_unjudged(eval, err);
    }
    if (eval->asked == 0 && eval->unjudged == 0)
        return err_set(err, ERR_INVALID, "%s: there is no question in it", eval->path);
    return ERR_OK;
}

/* Whether the figures are good enough; stderr says which are not. */
static bool is_reached(struct eval *eval)
{
    buf_clear(&eval->out);
    bool is = cmd_eval_bar_reached(&eval->bar, &eval->tally, &eval->out);
    cli_write(STDERR_FILENO, buf_str(&eval->out));
    return is;
}

static int run_command(struct eval *eval, const struct config *config)
{
    struct err err = {0};
    struct buf text;
    bool stopped = false, reached = true;
    buf_init(&text, FILE_BYTES);
    buf_init(&eval->out, OUT_BYTES);
    enum err_code code = cmd_eval_bar_read(eval->switches[MIN_PRECISION].value,
                                           eval->switches[BASELINE].value, &eval->bar, &err);
    if (code == ERR_OK)
        code = file_read(eval->path, &text, &err);
    if (code == ERR_OK) {
        eval->engine = cmd_answer_open(config, eval->switches[GRAPH].value, &err);
        if (eval->engine != NULL && !local_engine_heed_signals(eval->engine))
            fputs("askd: no memory to heed signals\n", stderr);
        code = eval->engine == NULL ? err.code : take_lines(eval, buf_str(&text), &err);
        if (code != ERR_OK)
            fprintf(stderr, "askd: %s\n", err.text);
        else
            tell_all(eval);
        reached = code != ERR_OK || is_reached(eval);
        stopped = eval->engine != NULL && local_engine_is_stopped(eval->engine);
        if (eval->unjudged > 0)
            fprintf(stderr, "askd: lines that are not in the table: %zu\n", eval->unjudged);
        if (stopped)
            fprintf(stderr, "askd: stopped; --from %zu goes on\n", eval->line);
    } else {
        fprintf(stderr, "askd: %s\n", err.text);
    }
    local_engine_close(eval->engine);
    cmd_eval_tally_fini(&eval->tally);
    buf_fini(&eval->out);
    buf_fini(&text);
    if (code != ERR_OK || stopped || eval->unjudged > 0)
        return EXIT_WRONG;
    return reached ? EXIT_FINE : EXIT_BELOW;
}

int cmd_eval(int argc, char **argv)
{
    struct eval eval = {.engine = NULL};
    struct cli cli;
    int status = CLI_EXIT_USAGE;
    const char **words = mem_zalloc((size_t)argc + 1, sizeof(char *));
    if (words == NULL)
        return EXIT_WRONG;
    signals_ignore_failed_writes();
    memcpy(eval.switches, all_switches, sizeof all_switches);
    if (cli_read(argc, argv, eval.switches, SWITCH_COUNT, words, &cli)) {
        const char *from = eval.switches[FROM].value;
        bool numbered = from == NULL || str_to_u64(str_of(from), &eval.from);
        if (cli.word_count != 1 || !numbered) {
            fputs("usage: askd eval QUESTIONS.jsonl [--json] [--schema NAME] [--graph NAME] "
                  "[--from LINE] [--min-precision PERCENT] [--baseline FILE] [flags]\n",
                  stderr);
        } else {
            struct config *config = cli_load_config(&cli);
            eval.path = cli.words[0];
            if (config == NULL)
                status = CLI_EXIT_CONFIG;
            else
                status = cmd_answer_company(&eval.switches[COMPANY].value, config)
                             ? run_command(&eval, config)
                             : CMD_ANSWER_EXIT_MISUSE;
            config_destroy(config);
        }
    }
    mem_free(words);
    return status;
}

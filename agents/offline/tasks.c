/* SPDX-License-Identifier: MIT */
/* agents/offline/tasks.c - one function per task name.
 *
 * Happy path: the question is read once, in an arena of the call, and said in the task's form.
 * Failure: a question that is not understood is "CANNOT: reason" where a statement is asked for,
 * and the plain sentence of `general` elsewhere; an unknown task is treated as `general`. */
#include "agents/offline/tasks.h"

#include "agents/memory/extracts.h"
#include "agents/memory/tiers.h"
#include "agents/offline/documents/analyst.h"
#include "agents/offline/answers/about.h"
#include "agents/offline/answers/answer.h"
#include "agents/offline/answers/describe.h"
#include "agents/offline/documents/extractive.h"
#include "agents/offline/answers/meanings.h"
#include "agents/semantic/model.h"
#include "proto/json_write.h"

enum { TASK_ARENA = 12 << 20, MEANING_BYTES = 64 << 10 };

struct task {
    const struct offline_source *source;
    const struct llm_prompt *prompt;
    const struct offline_answer *answer;
    struct buf *out;
    size_t *together;
    struct arena *arena;
};

typedef void task_fn(const struct task *task);

static struct str field(const struct task *task, const char *name)
{
    const struct str text = llm_prompt_field(task->prompt, str_of(name)), key = str_of(name);
    const bool is_question = str_equal(key, STR("question")) || str_equal(key, STR("user_query"));
    const struct str english =
        is_question ? offline_question_in_english(task->source, text, task->arena) : text;
    return str_is_absent(english) ? text : english;
}

/* Append text, which belongs to all that is before it. */
static void keep_together(const struct task *task, struct str text)
{
    buf_push(task->out, text);
    *task->together = buf_len(task->out);
}

/* The reading of the question; of one that has several the one whose statement ran. NULL: it was
 * not understood, or its statement is a verified one. */
static const struct offline_reading *reading_of(const struct task *task)
{
    const struct offline_answer *answer = task->answer;
    struct str ran = field(task, "sql");
    for (size_t i = 0; i < answer->option_count && !answer->understood; i++)
        if (str_equal(answer->options[i].sql, ran))
            return &answer->options[i].reading;
    return answer->understood && answer->verified == NULL ? &answer->reading : NULL;
}

/* Append the meaning of the word that is asked about, where the semantic file explains it. */
static bool says_meaning(const struct task *task, struct buf *out)
{
    return offline_meanings_write(task->source->lexicon, field(task, "question"), out);
}

/* One of what people say who greet, or ask what may be asked. */
static bool is_courtesy(struct str text)
{
    static const char *const said[] = {
        "hi",
        "hello",
        "hey",
        "hi there",
        "hello there",
        "good morning",
        "good evening",
        "thanks",
        "thank you",
        "thanks a lot",
        "thank you very much",
        "bye",
        "goodbye",
        "how are you",
        "how are you doing",
        "help",
        "help me",
        "who are you",
        "what are you",
        "what can you do",
        "what do you do",
        "what can you do for me",
        "what can you help me with",
        "what do you know",
        "what can i ask",
        "what can i ask you",
        "what can you tell me",
        "how can you help",
        "how can you help me",
        "what questions can i ask",
        "are you there",
        "ok",
        "okay",
        "great",
        "good",
        "nice",
        "cool",
        "never mind",
        "what is your name",
        "are you a robot",
    };
    for (size_t i = 0; i < countof(said); i++)
        if (str_equal_nocase(text, str_of(said[i])))
            return true;
    return false;
}

/* Somebody greets, or asks what may be asked: nothing else, part by part ("Hi, what can you do?").
 */
static bool is_small_talk(struct str question)
{
    size_t parts = 0, begin = 0;
    for (size_t i = 0; i <= question.len; i++) {
        const bool ends = i == question.len || question.at[i] == ',' || question.at[i] == '.' ||
                          question.at[i] == '!' || question.at[i] == '?';
        if (!ends)
            continue;
        const struct str part = str_trim(str_slice(question, begin, i));
        begin = i + 1;
        if (part.len > 0 && !is_courtesy(part))
            return false;
        parts += part.len > 0;
    }
    return parts > 0;
}

static bool explains(const struct task *task)
{
    struct buf out;
    buf_init(&out, MEANING_BYTES);
    bool means = says_meaning(task, &out) ||
                 offline_about_write(task->source, field(task, "question"), &out);
    buf_fini(&out);
    return means;
}

/* What a question about words or the data itself is answered by; else what can be asked. */
static void say_general(const struct task *task)
{
    struct str question = field(task, "question");
    if (says_meaning(task, task->out) || offline_about_write(task->source, question, task->out) ||
        offline_about_language(question, task->out))
        return;
    if (!is_small_talk(question))
        buf_push(task->out, STR("I can't answer that without a language model. "));
    *task->together = offline_about_help(task->source, task->out);
    while (str_ends_with(buf_str(task->out), STR(" ")))
        buf_truncate(task->out, buf_len(task->out) - 1);
}

static struct str asked_question(const struct task *task)
{
    struct str question = field(task, "question");
    return str_is_empty(question) ? field(task, "user_query") : question;
}

static void say_cannot(const struct task *task)
{
    buf_push(task->out, STR("CANNOT: "));
    if (!offline_about_write(task->source, asked_question(task), task->out))
        offline_about_refusal(task->source, asked_question(task), task->answer, task->out);
    struct json_write writer;
    for (size_t i = 0; i < task->answer->option_count; i++) {
        buf_printf(task->out, "\nOPTION: %.*s\nREADS: ", STR_ARG(task->answer->option_texts[i]));
        json_write_init(&writer, task->out);
        json_write_str(&writer, task->answer->options[i].sql);
    }
}

/* "How do I ...", "Where can I ...": a question about using the application, whatever it names. */
static bool asks_how(struct str question)
{
    static const char *const openings[] = {
        "how do i ",     "how do we ",   "how can i ",       "how can we ",
        "how should ",   "how to ",      "how does ",        "how is ",
        "how are ",      "how was ",     "where do i ",      "where can i ",
        "what happens ", "what should ", "what do i do",     "can i ",
        "may i ",        "must i ",      "do i have to",     "am i allowed",
        "who may ",      "who can ",     "who approves ",    "why ",
        "explain ",      "what does ",   "what is the rule", "what is the policy",
    };
    static const char *const wishes[] = {"can i get ", "can i see ", "can i have ", "may i see ",
                                         "may i have "};
    question = str_trim(question);
    for (size_t i = 0; i < countof(wishes); i++)
        if (str_equal_nocase(str_slice(question, 0, str_of(wishes[i]).len), str_of(wishes[i])))
            return false;
    for (size_t i = 0; i < countof(openings); i++) {
        struct str opening = str_of(openings[i]);
        if (str_equal_nocase(str_slice(question, 0, opening.len), opening))
            return true;
    }
    return false;
}

/* Whether the question asks what one may or must do: a rule, which no row says. */
static bool asks_rule(struct str question)
{
    static const char *const words[] = {"allowed", "allows", "may",     "must",   "permitted",
                                        "policy",  "rule",   "rules",   "should", "steps",
                                        "i",       "manual", "supposed"};
    while (!str_is_absent(question)) {
        struct str word = str_split(&question, ' ');
        while (word.len > 0 && !str_is_alpha(word.at[word.len - 1]))
            word.len--;
        for (size_t i = 0; i < countof(words); i++)
            if (str_equal_nocase(word, str_of(words[i])))
                return true;
    }
    return false;
}

/* With documents to look into, a question how something is done, or one that names nothing of the
 * database, is theirs to answer; without any it is nobody's. */
static void say_classify(const struct task *task)
{
    const struct offline_answer *answer = task->answer;
    bool has_documents = !str_is_empty(field(task, "documents"));
    bool sql =
        answer->understood || answer->writes || answer->names_table || answer->option_count > 0;
    struct str question = str_trim(field(task, "question"));
    struct str meaning =
        STR("what does "); /* "what does a ticket cost" is of the data, if anything */
    bool means = str_equal_nocase(str_slice(question, 0, meaning.len), meaning);
    bool number = answer->asks_number && !asks_rule(question);
    if (explains(task)) { /* the file says more than rows would */
        buf_push(task->out, STR("GENERAL"));
        return;
    }
    if (has_documents && asks_how(question) && !(means && answer->understood))
        sql = number = false;
    if (is_small_talk(question))
        sql = number = has_documents = false;
    buf_push(task->out, sql || number ? STR("SQL") : has_documents ? STR("RAG") : STR("GENERAL"));
    if (!sql && !number && has_documents && !asks_how(question) && answer->cannot[0] != '\0') {
        buf_push(task->out, STR("\nNO_DATA: "));
        offline_about_refusal(task->source, question, answer, task->out);
    }
}

/* ---- without a database ---- */

/* Words that a question about data begins with; the others are the documents' to answer. */
static bool asks_data(struct str question)
{
    static const char *const openings[] = {"how many ", "how much ", "count ", "number of ",
                                           "total ",    "average ",  "list ",  "show ",
                                           "top ",      "sum ",      "which ", "compare "};
    question = str_trim(question);
    for (size_t i = 0; i < countof(openings); i++)
        if (str_equal_nocase(str_slice(question, 0, str_of(openings[i]).len), str_of(openings[i])))
            return true;
    return false;
}

static void classify_blind(const struct task *task)
{
    struct str question = field(task, "question");
    bool has_documents = !str_is_empty(field(task, "documents"));
    buf_push(task->out, is_small_talk(question)                 ? STR("GENERAL")
                        : asks_data(question) || !has_documents ? STR("SQL")
                                                                : STR("RAG"));
}

static void say_general_blind(const struct task *task)
{
    if (!offline_about_language(field(task, "question"), task->out))
        keep_together(task, STR("I answer questions about data and documents. The database is "
                                "unavailable now, so I can only look into documents."));
}

/* What can be said while nothing is known of the database; NULL: the task needs one. */
static task_fn *blind_task(const struct llm_prompt *prompt)
{
    static const struct {
        const char *name;
        task_fn *say;
    } blind[] = {{"classify", classify_blind},
                 {"classify_whole", classify_blind},
                 {"general", say_general_blind}};
    for (size_t i = 0; i < countof(blind); i++)
        if (str_equal(str_of(prompt->task), str_of(blind[i].name)))
            return blind[i].say;
    return NULL;
}

/* ---- */

static void add_table(int *tables, size_t *count, size_t max, int table)
{
    for (size_t i = 0; i < *count; i++)
        if (tables[i] == table)
            return;
    if (table >= 0 && *count < max)
        tables[(*count)++] = table;
}

static void say_tables(const struct task *task)
{
    const struct offline_reading *r = &task->answer->reading;
    int tables[JOIN_PATH_MAX_TABLES];
    size_t count = 0, max = countof(tables);
    struct json_write writer;
    const struct semantic_verified *verified = task->answer->verified;
    for (size_t i = 0; verified != NULL && i < verified->table_count; i++)
        add_table(tables, &count, max, verified->tables[i]);
    if (verified == NULL && task->answer->understood) {
        add_table(tables, &count, max, r->counted);
        add_table(tables, &count, max, r->target);
        for (size_t i = 0; i < r->out_count; i++)
            add_table(tables, &count, max, r->outs[i].on.table);
        for (size_t i = 0; i < r->group_count; i++)
            add_table(tables, &count, max, r->groups[i].on.table);
        for (size_t s = 0; s < r->scope_count; s++) {
            for (size_t i = 0; i < r->scopes[s].table_count; i++)
                add_table(tables, &count, max, r->scopes[s].tables[i]);
            for (size_t i = 0; i < r->scopes[s].filter_count; i++)
                add_table(tables, &count, max, r->scopes[s].filters[i].on.table);
        }
    }
    json_write_init(&writer, task->out);
    json_write_array(&writer);
    for (size_t i = 0; i < count; i++)
        json_write_str(&writer, task->source->lexicon->catalog->tables[tables[i]].name);
    json_write_array_end(&writer);
}

static void push_statement(const struct task *task, struct str sql)
{
    buf_push(task->out, STR("```sql\n"));
    buf_push(task->out, sql);
    buf_push(task->out, STR("\n```"));
}

/* Whether there is a statement that reads fewer tables than the one refused, *sql. */
static bool has_smaller(const struct task *task, struct str refused, struct str *sql)
{
    *sql = task->answer->own_sql;
    return !str_equal(task->answer->sql, *sql) &&
           (str_is_empty(refused) || str_equal(refused, task->answer->sql));
}

static void say_statement(const struct task *task)
{
    struct str refused = field(task, "error_message"), smaller;
    if (!task->answer->understood) {
        say_cannot(task);
    } else if (str_is_empty(refused)) {
        push_statement(task, task->answer->sql);
    } else if (has_smaller(task, STR(""), &smaller)) {
        push_statement(task, smaller);
    } else { /* it would only write the same again */
        buf_push(task->out, STR("CANNOT: "));
        buf_push(task->out, refused);
    }
}

static void say_correction(const struct task *task)
{
    struct str refused = str_trim(field(task, "sql")), smaller;
    if (!task->answer->understood) {
        say_cannot(task);
    } else if (has_smaller(task, refused, &smaller)) {
        push_statement(task, smaller);
    } else if (str_equal(refused, task->answer->own_sql)) {
        buf_push(task->out, STR("CANNOT: the statement was refused and there is no other: "));
        buf_push(task->out, field(task, "error"));
    } else {
        push_statement(task, task->answer->sql);
    }
}

static void say_intent(const struct task *task)
{
    if (reading_of(task) != NULL)
        offline_describe_intent(task->source->lexicon, reading_of(task), task->out);
    else
        buf_push(task->out, field(task, "user_query"));
}

static struct answer_rows rows_of(const struct task *task)
{
    return (struct answer_rows){field(task, "columns"), field(task, "result"),
                                field(task, "row_count"), field(task, "truncated")};
}

/* The rows in a sentence; the rows alone when the statement is not what was read here. */
static void say_rows(const struct task *task)
{
    const struct answer_rows rows = rows_of(task);
    const struct offline_reading *reading = reading_of(task);
    if (!offline_answer_write(task->source->lexicon, reading, &rows, task->out) &&
        buf_ok(task->out))
        keep_together(task, STR("The rows are in the result."));
    if (reading != NULL && task->answer->mended.len > 0)
        buf_printf(task->out, " (I read %.*s.)", STR_ARG(task->answer->mended));
}

/* The answer of say_rows or, after an error, why there are no rows. */
static void say_response(const struct task *task)
{
    struct str error = field(task, "error");
    if (str_is_empty(error)) {
        say_rows(task);
        return;
    }
    buf_push(task->out, STR("The question could not be answered: "));
    keep_together(task, error);
}

static void say_insight(const struct task *task)
{
    const struct answer_rows rows = rows_of(task);
    buf_push(task->out, STR("SUMMARY: "));
    say_rows(task);
    buf_printf(task->out, "\nCHART: %s", offline_answer_chart(reading_of(task), &rows));
}

/* Of several statements it stands by its own. */
static void say_decision(const struct task *task)
{
    struct str own = field(task, "own");
    buf_printf(task->out, "{\"choice\":%.*s}", STR_ARG(str_is_empty(own) ? STR("1") : own));
}

static const struct {
    const char *name;
    task_fn *say;
} tasks[] = {
    {"classify", say_classify},         {"classify_whole", say_classify},
    {"table_selection", say_tables},    {"sql_generation", say_statement},
    {"sql_correction", say_correction}, {"sql_decision", say_decision},
    {"sql_answer", say_rows},           {"intent", say_intent},
    {"sql_response", say_response},     {"insight", say_insight},
    {"general", say_general},
};

static task_fn *find_task(const char *name)
{
    for (size_t i = 0; i < countof(tasks); i++)
        if (str_equal(str_of(name), str_of(tasks[i].name)))
            return tasks[i].say;
    return say_general;
}

static bool is_extractive(const struct llm_prompt *prompt)
{
    return str_equal(str_of(prompt->task), STR("rag_answer"));
}

static bool is_summary(const struct llm_prompt *prompt)
{
    return str_equal(str_of(prompt->task), STR("conversation_summary"));
}

bool offline_tasks_needs_database(const struct llm_prompt *prompt)
{
    return !is_extractive(prompt) && !is_summary(prompt) && !offline_analyst_knows(prompt) &&
           blind_task(prompt) == NULL;
}

static bool extract(struct arena *arena, struct str question, const struct llm_prompt *prompt,
                    struct buf *out)
{
    struct offline_passage passages[OFFLINE_MAX_PASSAGES];
    size_t count = offline_passages_split(llm_prompt_field(prompt, STR("context")), passages);
    return offline_extractive_answer(arena, question, passages, count, out);
}

bool offline_tasks_answer(const struct offline_source *source, const struct llm_prompt *prompt,
                          struct buf *out, size_t *together)
{
    struct arena arena;
    struct offline_answer *answer;
    struct str question = llm_prompt_field(prompt, STR("meant")); /* with names for "he" */
    if (str_is_empty(question))
        question = llm_prompt_field(prompt, STR("question"));
    if (str_is_empty(question))
        question = llm_prompt_field(prompt, STR("user_query"));
    *together = 0;
    arena_init(&arena, TASK_ARENA);
    if (source->lexicon == NULL && blind_task(prompt) != NULL) {
        const struct task task = {source, prompt, NULL, out, together, &arena};
        blind_task(prompt)(&task);
        arena_fini(&arena);
        return buf_ok(out);
    }
    if (!offline_tasks_needs_database(prompt) && blind_task(prompt) == NULL) {
        bool says = true;
        if (is_summary(prompt))
            extracts_sum_up(llm_prompt_field(prompt, STR("conversation")), TIERS_TEXT_BYTES, out);
        else if (is_extractive(prompt))
            says = extract(&arena, question, prompt, out);
        else
            says = offline_analyst_answer(&arena, prompt, out);
        if (!says)
            *together = buf_len(out);
        arena_fini(&arena);
        return buf_ok(out);
    }
    struct str asked = llm_prompt_field(prompt, STR("asked"));
    bool ok = offline_question_read_after(source, asked, question, &arena, &answer) == ERR_OK;
    if (ok) {
        const struct task task = {source, prompt, answer, out, together, &arena};
        find_task(prompt->task)(&task);
    }
    arena_fini(&arena);
    return ok && buf_ok(out);
}

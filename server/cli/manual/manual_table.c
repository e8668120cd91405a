/* SPDX-License-Identifier: MIT */
/* server/cli/manual/manual_table.c - the commands, their verbs, their flags, their exit codes. */
#include <string.h>

#include "server/cli/manual/manual.h"

/* Who asks. */
#define FLAG_COMPANY                                                                               \
    {                                                                                              \
        "--company", "ID", "whose rows are read, by ASKD_TENANT_COLUMN"                            \
    }
#define FLAG_USER                                                                                  \
    {                                                                                              \
        "--user", "ID", "who asks"                                                                 \
    }
#define FLAG_ROLE                                                                                  \
    {                                                                                              \
        "--role", "NAME", "the role of the user"                                                   \
    }
#define FLAG_GRAPH                                                                                 \
    {                                                                                              \
        "--graph", "NAME", "the graph that answers (orchestrator); askd graph check lists them"    \
    }

/* Which database, of commands that load no configuration. */
#define FLAG_DB                                                                                    \
    {                                                                                              \
        "--db", "URL",                                                                             \
            "sqlite:PATH, postgresql://... or mysql://...; none: ASKD_DATABASE_URL, also of "      \
            ".env, with "                                                                          \
            "its secure views and company column"                                                  \
    }
#define FLAG_VIEWS                                                                                 \
    {                                                                                              \
        "--secure-views", "FILE", "{\"employee\":\"secure_employee\"}, with --db"                  \
    }
#define FLAG_TENANT                                                                                \
    {                                                                                              \
        "--tenant", "COLUMN", "the column that says whose a row is"                                \
    }

const struct manual_entry manual_table[MANUAL_COUNT] = {
    [MANUAL_SHELL] = {.name = "shell",
                      .summary = "ask one question after another; also: askd alone in a terminal",
                      .forms = {{"", "[flags]", "questions that follow each other"}},
                      .flags = {FLAG_COMPANY, FLAG_USER, FLAG_ROLE, FLAG_GRAPH},
                      .takes_settings = true,
                      .notes = "\\? lists what else may be typed: the tables, the last statement, "
                               "rows to a file.\n"
                               "Lines are kept in $XDG_STATE_HOME/askd/history.\n",
                      .exits = "0 it was left; 1 it could not begin; 2 usage; 64 --company without "
                               "ASKD_TENANT_COLUMN, or the other way round; 78 configuration."},
    [MANUAL_SERVE] = {.name = "serve",
                      .summary = "answer on HTTP until stopped",
                      .forms = {{"", "[flags]",
                                 "SIGTERM drains it, SIGHUP reads the "
                                 "configuration again (docs/operations.md)"}},
                      .takes_settings = true,
                      .notes = "",
                      .exits = "0 it was stopped; 1 it could not go on; 2 usage; 78 "
                               "configuration."},
    [MANUAL_ASK] =
        {.name = "ask",
         .summary = "answer one question on the terminal",
         .forms = {{"", "[flags] QUESTION", "one question; its SQL goes to standard error"},
                   {"", "--jsonl [flags]",
                    "{\"id\",\"question\"} a line on standard input, one answer a line"}},
         .flags = {{"--format", "table|csv|json",
                    "table: the answer, its rows as a table (default); csv: the rows alone, "
                    "warnings on standard error; json: all of it as one object"},
                   {"--jsonl", NULL, "one answer a line for one question a line"},
                   FLAG_COMPANY,
                   FLAG_USER,
                   FLAG_GRAPH,
                   FLAG_ROLE,
                   {"--conversation", "ID", "the questions of --jsonl follow each other"}},
         .takes_settings = true,
         .notes = "",
         .exits = "0 answered; 1 it failed; 2 usage; 3 it abstained; 64 --company without "
                  "ASKD_TENANT_COLUMN, or the other way round; 78 configuration."},
    [MANUAL_EVAL] =
        {.name = "eval",
         .summary = "ask questions with known answers, count the right ones",
         .forms = {{"", "QUESTIONS.jsonl [flags]",
                    "a line of it: {\"id\",\"question\",\"sql\"}; docs/offline.md has the others"}},
         .flags = {{"--json", NULL, "a line for each question, for programs"},
                   {"--schema", "NAME", "what \"schema\" of a line must be for it to be asked"},
                   {"--from", "LINE", "go on at this line"},
                   {"--min-precision", "PERCENT", "what must be reached, for CI"},
                   {"--baseline", "FILE",
                    "what an earlier eval --json printed: to be reached again"},
                   FLAG_COMPANY,
                   FLAG_USER,
                   FLAG_GRAPH},
         .takes_settings = true,
         .notes = "",
         .exits = "0 all were asked; 1 it failed or was stopped; 2 usage; 3 the precision, or a "
                  "figure of the baseline, was not reached; 64 as askd ask; 78 configuration."},
    [MANUAL_CHECK] = {.name = "check",
                      .summary = "whether database, model and stores answer",
                      .forms = {{"", "[flags]",
                                 "reads the database as a start does, asks the model for one word, "
                                 "opens the stores"}},
                      .takes_settings = true,
                      .notes = "",
                      .exits = "0 all that is configured answers; 1 something does not; 2 usage; "
                               "78 configuration."},
    [MANUAL_HEALTH] = {.name = "health",
                       .summary = "whether a running askd is ready; for HEALTHCHECK",
                       .forms = {{"", "[flags]",
                                  "asks /readyz where the configuration says that askd listens"}},
                       .takes_settings = true,
                       .notes = "",
                       .exits = "0 ready; 1 not, or no answer in 5 s; 2 usage; 78 "
                                "configuration."},
    [MANUAL_CONFIG] = {.name = "config",
                       .summary = "the settings: every value and where it is from",
                       .forms = {{"check", "[flags]", "every value and where it is from"},
                                 {"env-example", "", "all settings, with range and default"}},
                       .flags = {{"--connect", NULL,
                                  "only what is set, and whether it answers, as askd check"}},
                       .takes_settings = true,
                       .notes = "",
                       .exits = "0 the configuration is fine; 2 usage; 78 it is wrong."},
    [MANUAL_GRAPH] =
        {.name = "graph",
         .summary = "look at graphs, also at those in files; run one",
         .forms = {{"check", "[FILE]", "compile all graphs, those of FILE with them"},
                   {"show", "NAME|FILE", "draw one as Mermaid"},
                   {"run", "FILE QUESTION [flags]", "ask the graph of FILE; flags as of askd ask"},
                   {"import", "--format agentspec FILE FOLDER",
                    "a document of Agent Spec as graphs and tools in FOLDER"},
                   {"export", "--format agentspec FILE",
                    "the graph of FILE as a document of Agent Spec"}},
         .notes = "FILE is a graph as JSON; docs/graphs-in-files.md has its members. ASKD_GRAPHS "
                  "names the\nfolder of those that the server offers.\n",
         .exits = "0 fine; 1 a mistake, or the run failed; 2 usage; 3 run: it abstained; 78 "
                  "configuration."},
    [MANUAL_SQL] =
        {.name = "sql",
         .summary = "judge statements by the rules",
         .forms = {{"check", "[OPTIONS] \"SELECT ...\"",
                    "what may it read, and what would be sent; answered in words"},
                   {"check", "[OPTIONS] --jsonl",
                    "one JSON object a line on standard input, one answer a line"}},
         .flags = {{"--catalog", "FILE", "tables and columns, in the join-graph format"},
                   FLAG_DB,
                   FLAG_VIEWS,
                   {"--policies", "FILE",
                    "policies by name (docs/policies.md); built in: banking, default"},
                   {"--policy", "NAME", "the policy where a line names none"},
                   {"--jsonl", NULL, "lines, as below"},
                   {"--strict", NULL, "with --jsonl: exit with 1 when one is refused"},
                   {"--tenant", "COLUMN",
                    "filter tables that have the column by the caller's company"}},
         .notes =
             "A line:    {\"id\":\"1\",\"dialect\":\"sqlite\",\"policy\":\"bank\",\"sql\":\"SELECT "
             "...\"}\n"
             "           (dialect: sqlite, postgres, mysql; the database's when there is none;\n"
             "           \"sql_b64\" in base64 for bytes that are not UTF-8)\n"
             "Answered:  {\"id\":\"1\",\"verdict\":\"accept\",\"rule\":\"\",\"reason\":\"\","
             "\"sql\":\"...\"}\n",
         .exits = "0 accepted, with --jsonl: every line was answered; 1 refused; 2 it could not "
                  "judge. With --jsonl --strict: 1 when a statement was refused, or a line was "
                  "wrong."},
    [MANUAL_DOCS] =
        {.name = "docs",
         .summary = "documents that answers are looked up in",
         .forms = {{"add", "[OPTIONS] PATH...",
                    "files, or folders of them; what did not change is passed over, so adding "
                    "again is cheap and completes what was cut short"},
                   {"list", "[OPTIONS]", "what was added"},
                   {"remove", "[OPTIONS] NAME...", "documents by name"},
                   {"search", "[OPTIONS] TEXT", "the passages that fit, best first"},
                   {"search", "--jsonl [OPTIONS]",
                    "{\"id\",\"question\"} a line on standard input, {\"id\",\"hits\":[...]} a "
                    "line on standard output; "
                    "\"filters\":{\"year\":2024,\"company\":[\"A\",\"B\"]} keeps to passages whose "
                    "fields (front matter) are those"}},
         .flags = {{"--kind", "documents|financial|sql-pairs|metadata",
                    "documents (default): .md .html .txt and what people have (docs/documents.md), "
                    "for rag_agent; financial: the same, for analyst, whose front matter sets "
                    "company, year, document_type; sql-pairs: .csv .json .jsonl with question and "
                    "sql, for text_to_sql; metadata: the same with text, and term, table, column"},
                   {"--company", "ID",
                    "whose they become, and whose are searched besides "
                    "everybody's"},
                   {"--user", "ID", "so too, within the company"},
                   {"--prune", NULL,
                    "add: remove documents of a folder given whose files are gone"},
                   {"--top", "N", "search: how many (8)"},
                   {"--jsonl", NULL, "JSON lines: of add and list, and as above"}},
         .takes_settings = true,
         .notes = "Stores: ASKD_VECTOR_URL, ASKD_KEYWORD_URL; embeddings: ASKD_EMBEDDINGS.\n",
         .exits = "0 fine; 1 something failed; 2 misuse; 3 files of no format were skipped, all "
                  "others added; 78 configuration."},
    [MANUAL_JOINS] =
        {.name = "joins",
         .summary = "how tables join",
         .forms = {{"path", "[OPTIONS] A B", "the best path between two tables"},
                   {"plan", "[OPTIONS] A B C ...", "the best tree over up to eight"},
                   {"stats", "[OPTIONS]", "what the graph holds"},
                   {"introspect", "--db URL [--out FILE]",
                    "a database's tables and foreign keys, as JSON"},
                   {"merge", "[OPTIONS] [--out FILE]",
                    "graphs merged and normalised, as JSON: of the same columns manual before "
                    "foreign keys before associations before inferred"},
                   {"validate", "[OPTIONS] --out FILE",
                    "the configured model judges associations and guesses under the threshold; "
                    "FILE is written after every batch, and read first when it is there: to go "
                    "on"}},
         .flags =
             {{"--graph", "FILE",
               "relationships, in the join-graph format; again: merged in order"},
              {"--db", "URL",
               "or the foreign keys of a database; neither: ASKD_DATABASE_URL and "
               "ASKD_JOIN_GRAPH, also of .env"},
              {"--out", "FILE", "write there, whole or not at all, instead of to standard output"},
              {"--threshold", "X", "least confidence of a relationship (0.7)"},
              {"--max-hops", "N", "most relationships of a path (4, then 6, and says so)"},
              {"--words", "TEXT", "the question: its words choose among roles"},
              {"--jsonl", NULL,
               "path and plan: one JSON object a line on standard input, one answer a line"}},
         .notes = "A line:    {\"id\":\"1\",\"from\":\"a\",\"to\":\"b\"} or "
                  "{\"id\":\"1\",\"tables\":[\"a\",\"b\"]},\n"
                  "           and \"max_hops\", \"question\" (or \"words\") if wanted\n"
                  "Answered:  {\"id\":\"1\",\"joins\":[\"child.fk=parent.key\"],\"cost\":1000,"
                  "\"runner_up\":1050,\n"
                  "           \"path\":[{relationship}],\"hops\":1,\"tables\":[..]}; runner_up: "
                  "within 10 %\n"
                  "           or {\"id\":\"1\",\"error\":\"...\"}\n",
         .exits = "0 it ran; 1 no path; 2 it could not."},
    [MANUAL_SEMANTIC] =
        {.name = "semantic",
         .summary = "labels, metrics and words beyond the schema",
         .forms = {{"init", "[OPTIONS]",
                    "a first file, to edit, on standard output: labels, dates, units, states, what "
                    "looks private"},
                   {"check", "FILE [OPTIONS]", "what is wrong with one: place, what, remedy"},
                   {"learn", "--model [OPTIONS]",
                    "a model writes one, to be reviewed: labels, synonyms, units, meanings of "
                    "codes; called again it goes on with the tables that FILE.part does not have"},
                   {"review", "[OPTIONS]",
                    "what people said of answers and nobody has looked at yet"},
                   {"review", "take RUN [OPTIONS]", "make it a verified question of semantic.json"},
                   {"review", "refuse RUN", "it is not to be shown again"}},
         .flags =
             {FLAG_DB,
              FLAG_VIEWS,
              FLAG_TENANT,
              {"--model", NULL, "learn: yes, ask the model"},
              {"--file", "FILE",
               "learn: the file that is made; what it says already stays "
               "(semantic.learned.json). review: the file that is changed; none: "
               "ASKD_SEMANTIC"},
              {"--languages", "LIST", "learn: synonyms in these languages, too: de,es"},
              {"--yes", NULL, "learn: do not ask whether it may cost that much"},
              {"--all", NULL, "review: also what was taken or refused"},
              {"--json", NULL, "review: a line of JSON for each"},
              {"--sql", "SQL",
               "review: the statement that is right; none: the one that was sent with the "
               "feedback, else the one that answered"},
              {"--by", "NAME", "review: who vouches for it"}},
         .notes =
             "ASKD_SEMANTIC names the file to the server, which reads it again on SIGHUP; "
             "docs/semantic.md\nhas its members. learn and review take database, model and store "
             "of the configuration.\nThe model sees names, types, comments and the values of "
             "columns that have few; of private\nand hidden columns no value. What it was unsure "
             "of has \"[unsure: ...]\" in its description.\nNobody's feedback is used before it "
             "was taken.\n",
         .exits = "0 it is fine, or done; 1 mistakes were found; 2 it could not."},
    [MANUAL_COMPLETION] = {.name = "completion",
                           .summary = "the completion of a shell, on standard output",
                           .forms = {{"bash", "",
                                      "for ~/.local/share/bash-completion/completions/askd"},
                                     {"zsh", "", "for a file _askd in a folder of $fpath"},
                                     {"fish", "", "for ~/.config/fish/completions/askd.fish"}},
                           .notes = "",
                           .exits = "0 written; 2 usage."},
    [MANUAL_MAN] = {.name = "man",
                    .summary = "the man page, on standard output",
                    .forms = {{"", "", "roff: askd man | man -l -"}},
                    .notes = "",
                    .exits = "0 written; 2 usage."},
    [MANUAL_VERSION] = {.name = "version",
                        .summary = "name and version",
                        .forms = {{"", "", "name and version"}},
                        .notes = "",
                        .exits = "0."},
    [MANUAL_HELP] = {.name = "help",
                     .summary = "what there is, or all of one command",
                     .forms = {{"", "[COMMAND]", "all commands, or one of them"}},
                     .notes = "",
                     .exits = "0; 2 there is no such command."},
};

const struct manual_flag manual_setting_flags[MANUAL_SETTING_FLAGS] = {
    {"--set", "NAME=VALUE", "Any setting of .env.example"},
    {"--env-file", "PATH", "Read this instead of .env"},
};

enum manual_command manual_find(const char *name)
{
    size_t i = 0;
    while (i < MANUAL_COUNT && strcmp(manual_table[i].name, name) != 0)
        i++;
    return (enum manual_command)i;
}

size_t manual_form_count(enum manual_command command)
{
    size_t count = 0;
    while (count < MANUAL_FORMS && manual_table[command].forms[count].verb != NULL)
        count++;
    return count;
}

size_t manual_flag_count(enum manual_command command)
{
    size_t count = 0;
    while (count < MANUAL_FLAGS && manual_table[command].flags[count].name != NULL)
        count++;
    return count;
}

bool manual_has_verbs(enum manual_command command)
{
    return manual_table[command].forms[0].verb[0] != '\0';
}

void manual_push_verbs(enum manual_command command, const char *between, struct buf *out)
{
    const struct manual_form *forms = manual_table[command].forms;
    for (size_t i = 0; manual_has_verbs(command) && i < manual_form_count(command); i++)
        if (i == 0 || strcmp(forms[i].verb, forms[i - 1].verb) != 0)
            buf_printf(out, "%s%s", i == 0 ? "" : between, forms[i].verb);
}

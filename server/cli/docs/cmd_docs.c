/* SPDX-License-Identifier: MIT */
/* server/cli/docs/cmd_docs.c - four verbs over the stores of documents.
 *
 * Happy path: options, configuration, session, verb.
 * Failure: one sentence on stderr. A search line that is broken is answered with its error, and the
 * next one follows. */
#include "server/cli/docs/cmd_docs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agents/search/hybrid.h"
#include "core/base/mem.h"
#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/cli/cli.h"
#include "server/cli/docs/cmd_docs_add.h"
#include "server/cli/cmd_input.h"

enum { EXIT_FINE = 0, EXIT_WRONG = 1 };
enum { OUT_BYTES = 64 << 20, ARENA_BYTES = 256 << 20, SHOWN_TEXT = 300, MAX_TOP = 100 };
enum { KIND, COMPANY, USER, TOP, PRUNE, JSONL, SWITCH_COUNT };

static const struct cli_switch all_switches[SWITCH_COUNT] = {
    [KIND] = {.name = "--kind", .takes_value = true},
    [COMPANY] = {.name = "--company", .takes_value = true},
    [USER] = {.name = "--user", .takes_value = true},
    [TOP] = {.name = "--top", .takes_value = true},
    [PRUNE] = {.name = "--prune"},
    [JSONL] = {.name = "--jsonl"},
};

struct command {
    struct cli_switch switches[SWITCH_COUNT];
    struct docs_session session;
    struct docs_source source; /* kind and owner asked for */
    size_t top;
    const char **words;
    size_t word_count;
};

static int misuse(const char *why)
{
    fprintf(stderr, "askd docs: %s; askd docs --help\n", why);
    return CLI_EXIT_USAGE;
}

static int wrong(const struct err *err)
{
    fprintf(stderr, "askd docs: %s\n", err->text);
    return EXIT_WRONG;
}

/* ---- add, remove ---- */

static int add(struct command *command)
{
    struct err err = {0};
    int exit_code = EXIT_FINE;
    const struct cmd_docs_add asked = {
        .kind = command->source.kind,
        .company_id = command->source.company_id,
        .user_id = command->source.user_id,
        .paths = command->words,
        .path_count = command->word_count,
        .prune = command->switches[PRUNE].given,
        .json = command->switches[JSONL].given,
        .program = command->session.wiring.config->program,
    };
    if (cmd_docs_add(&command->session, &asked, &exit_code, &err) != ERR_OK)
        return wrong(&err);
    return exit_code;
}

static enum err_code remove_one(struct command *command, const char *name, struct err *err)
{
    struct docs_source source = command->source;
    source.name = str_of(name);
    const struct ledger_entry *entry = docs_session_find(&command->session, &source);
    if (entry == NULL)
        return err_set(err, ERR_NOT_FOUND,
                       "there is no document '%s' of kind %s and that owner; askd docs list", name,
                       docs_items_kind_name(source.kind));
    enum err_code code = cmd_docs_add_remove(&command->session, entry, err);
    if (code == ERR_OK)
        printf("%s: %" PRIu64 " passages removed\n", name, entry->passages);
    return code;
}

static int remove_documents(struct command *command)
{
    int exit_code = EXIT_FINE;
    for (size_t i = 0; i < command->word_count; i++) {
        struct err err = {0};
        if (remove_one(command, command->words[i], &err) != ERR_OK)
            exit_code = wrong(&err);
    }
    return exit_code;
}

/* ---- list ---- */

static bool is_listed(const struct command *command, const struct ledger_entry *entry)
{
    const struct cli_switch *s = command->switches;
    return (!s[KIND].given ||
            str_equal(entry->collection, docs_items_collection(command->source.kind))) &&
           (!s[COMPANY].given || str_equal(entry->company_id, command->source.company_id)) &&
           (!s[USER].given || str_equal(entry->user_id, command->source.user_id));
}

static void list_line(const struct ledger_entry *entry, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("collection"), entry->collection);
    json_write_member_str(&json, STR("document"), entry->name);
    json_write_member_str(&json, STR("title"), entry->title);
    json_write_member_u64(&json, STR("passages"), entry->passages);
    json_write_member_str(&json, STR("company_id"), entry->company_id);
    json_write_member_str(&json, STR("user_id"), entry->user_id);
    json_write_member_str(&json, STR("source"), entry->source);
    json_write_member_u64(&json, STR("added_ms"), entry->added_ms);
    json_write_object_end(&json);
    buf_push_char(out, '\n');
}

static void list_row(const struct ledger_entry *entry, struct buf *out)
{
    char day[32] = "";
    struct tm local;
    time_t when = (time_t)(entry->added_ms / 1000);
    if (localtime_r(&when, &local) != NULL)
        strftime(day, sizeof day, "%Y-%m-%d %H:%M", &local);
    buf_printf(out, "%-20.*s %-32.*s %5" PRIu64 "  %s", STR_ARG(entry->collection),
               STR_ARG(entry->name), entry->passages, day);
    if (!str_is_empty(entry->company_id))
        buf_printf(out, "  company %.*s", STR_ARG(entry->company_id));
    if (!str_is_empty(entry->user_id))
        buf_printf(out, "  user %.*s", STR_ARG(entry->user_id));
    if (str_is_empty(entry->hash))
        buf_push(out, STR("  incomplete: add it again"));
    buf_printf(out, "  %.*s\n", STR_ARG(entry->title));
}

static int list(struct command *command)
{
    struct buf out;
    size_t listed = 0;
    bool json = command->switches[JSONL].given;
    buf_init(&out, OUT_BYTES);
    for (size_t i = 0; i < command->session.entry_count; i++) {
        const struct ledger_entry *entry = &command->session.entries[i];
        if (!is_listed(command, entry))
            continue;
        if (json)
            list_line(entry, &out);
        else
            list_row(entry, &out);
        listed++;
    }
    if (listed == 0 && !json)
        fputs("nothing was added yet: askd docs add PATH\n", stderr);
    cli_write(STDOUT_FILENO, buf_str(&out));
    bool is_whole = buf_ok(&out);
    buf_fini(&out);
    return is_whole ? EXIT_FINE : EXIT_WRONG;
}

/* ---- search ---- */

enum { MAX_FILTERS = PASSAGE_MAX_FILTERS - 2 }; /* two more filter by the owner */

struct wanted {
    struct str question;
    struct passage_filter filters[MAX_FILTERS];
    size_t filter_count;
};

static bool is_filter_value(const struct json_value *value)
{
    return value->type == JSON_STRING || value->type == JSON_INT || value->type == JSON_DOUBLE;
}

/* Read filters: {"year":2024,"company":["A","B"]}, each one value or any of several. */
static enum err_code read_filters(struct arena *arena, const struct json_value *filters,
                                  struct wanted *wanted, struct err *err)
{
    if (filters->type != JSON_OBJECT || filters->count > MAX_FILTERS)
        return err_set(err, ERR_INVALID, "/filters: expected an object of at most %d members",
                       MAX_FILTERS);
    JSON_EACH(member, filters) {
        const struct json_value *value = member->type == JSON_ARRAY ? member->first : member;
        size_t most = member->type == JSON_ARRAY ? member->count : 1, count = 0;
        struct str *values = arena_array(arena, most + 1, sizeof *values);
        if (values == NULL)
            return err_set(err, ERR_NO_MEMORY, "no memory to search");
        for (; count < most && is_filter_value(value); value = value->next)
            values[count++] = value->text;
        if (count < most)
            return err_set(err, ERR_INVALID,
                           "/filters/%.*s: expected a text, a number, or an array of them",
                           STR_ARG(member->key));
        wanted->filters[wanted->filter_count++] =
            (struct passage_filter){member->key, values, count};
    }
    return ERR_OK;
}

static enum err_code read_wanted(struct arena *arena, const struct json_value *root,
                                 struct wanted *wanted, struct err *err)
{
    const struct json_value *filters = json_value_find(root, "/filters");
    enum err_code code = json_value_str(root, "/question", &wanted->question, err);
    return code == ERR_OK && filters != NULL ? read_filters(arena, filters, wanted, err) : code;
}

static enum err_code look(struct command *command, const struct wanted *wanted, struct arena *arena,
                          struct hybrid_search *search, struct err *err)
{
    const struct session session = {
        .has = &command->session.has,
        .caller = {.company_id = command->source.company_id, .user_id = command->source.user_id}};
    const struct hybrid_query query = {
        .collection = docs_items_collection(command->source.kind),
        .text = wanted->question,
        .top_final = command->top,
        .may_rerank = true,
        .filters = wanted->filters,
        .filter_count = wanted->filter_count,
        .arena = arena,
    };
    hybrid_search_start(search, &session, &query, docs_session_waiter(&command->session));
    return docs_session_wait(&command->session, &search->op, NULL, NULL, err);
}

static void write_hit(const struct hybrid_hit *hit, struct json_write *json)
{
    const struct passage *passage = &hit->passage;
    json_write_object(json);
    json_write_member_str(json, STR("id"), passage->id);
    json_write_member_str(json, STR("document"), passage_get(passage, STR("document")));
    json_write_member_str(json, STR("heading"), passage_get(passage, STR("heading")));
    json_write_member_double(json, STR("score"), hit->score);
    if (!isnan(hit->similarity))
        json_write_member_double(json, STR("similarity"), hit->similarity);
    json_write_member_str(json, STR("text"), passage->text);
    json_write_object_end(json);
}

static void search_line(void *owner, struct str line, struct buf *out)
{
    struct command *command = owner;
    struct hybrid_search search = {.hit_count = 0};
    struct json_write json;
    struct arena arena;
    struct err err = {0};
    struct wanted wanted = {.filter_count = 0};
    arena_init(&arena, ARENA_BYTES);
    json_write_init(&json, out);
    json_write_object(&json);
    const struct json_value *root = json_value_parse(&arena, str_trim(line), NULL, &err);
    const struct json_value *id = json_value_find(root, "/id");
    if (id != NULL) {
        json_write_key(&json, STR("id"));
        json_value_write(id, &json);
    }
    if (root == NULL || read_wanted(&arena, root, &wanted, &err) != ERR_OK ||
        look(command, &wanted, &arena, &search, &err) != ERR_OK) {
        json_write_member_str(&json, STR("error"), str_of(err.text));
    } else {
        json_write_key(&json, STR("hits"));
        json_write_array(&json);
        for (size_t i = 0; i < search.hit_count; i++)
            write_hit(&search.hits[i], &json);
        json_write_array_end(&json);
        if (search.degraded.code != ERR_OK)
            json_write_member_str(&json, STR("degraded"), str_of(search.degraded.text));
        if (search.unranked.code != ERR_OK)
            json_write_member_str(&json, STR("unranked"), str_of(search.unranked.text));
    }
    json_write_object_end(&json);
    arena_fini(&arena);
}

static void print_hit(const struct hybrid_hit *hit, size_t number)
{
    const struct passage *passage = &hit->passage;
    struct str text = str_utf8_prefix(passage->text, SHOWN_TEXT);
    struct str document = passage_get(passage, STR("document"));
    struct str heading = passage_get(passage, STR("heading"));
    printf("%zu. %.*s%s%.*s  (%.3f)\n", number, STR_ARG(document), heading.len > 0 ? ", " : "",
           STR_ARG(heading), hit->score);
    while (!str_is_absent(text)) {
        struct str line = str_split(&text, '\n');
        printf("   %.*s\n", STR_ARG(line));
    }
    printf("%s", passage->text.len > SHOWN_TEXT ? "   ...\n\n" : "\n");
}

static int search(struct command *command)
{
    struct hybrid_search search = {.hit_count = 0};
    struct arena arena;
    struct err err = {0};
    int exit_code = EXIT_FINE;
    if (command->switches[JSONL].given)
        return cmd_input_lines(OUT_BYTES, search_line, command, NULL) ? EXIT_FINE : EXIT_WRONG;
    arena_init(&arena, ARENA_BYTES);
    const struct wanted wanted = {.question = str_of(command->words[0])};
    if (look(command, &wanted, &arena, &search, &err) != ERR_OK)
        exit_code = wrong(&err);
    for (size_t i = 0; i < search.hit_count; i++)
        print_hit(&search.hits[i], i + 1);
    if (search.degraded.code != ERR_OK)
        fprintf(stderr, "askd docs: one of two searches failed: %s\n", search.degraded.text);
    if (search.unranked.code != ERR_OK)
        fprintf(stderr, "askd docs: the passages were not reranked: %s\n", search.unranked.text);
    if (exit_code == EXIT_FINE && search.hit_count == 0)
        fputs("nothing was found\n", stderr);
    arena_fini(&arena);
    return exit_code;
}

/* ---- the command ---- */

static const struct verb {
    const char *name;
    int (*run)(struct command *command);
    size_t least, most; /* words after the verb; with --jsonl a search takes none */
    const char *usage;
} verbs[] = {
    {"add", add, 1, SIZE_MAX, "askd docs add needs a PATH"},
    {"list", list, 0, 0, "askd docs list takes no name"},
    {"remove", remove_documents, 1, SIZE_MAX, "askd docs remove needs a NAME"},
    {"search", search, 1, 1, "askd docs search needs one TEXT in quotes, or --jsonl"},
};

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < countof(verbs); i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

static const char *take_options(struct command *command)
{
    const struct cli_switch *s = command->switches;
    uint64_t top = HYBRID_TOP_K_FINAL;
    if (s[KIND].given && !docs_items_kind(str_of(s[KIND].value), &command->source.kind))
        return "--kind is documents, financial, sql-pairs or metadata";
    if (s[TOP].given && (!str_to_u64(str_of(s[TOP].value), &top) || top == 0 || top > MAX_TOP))
        return "--top is 1 to 100";
    command->top = (size_t)top;
    command->source.company_id = s[COMPANY].given ? str_of(s[COMPANY].value) : STR("");
    command->source.user_id = s[USER].given ? str_of(s[USER].value) : STR("");
    return NULL;
}

static int run_verb(const struct verb *verb, struct command *command, const struct cli *cli)
{
    struct err err = {0};
    struct config *config = cli_load_config(cli);
    if (config == NULL)
        return CLI_EXIT_CONFIG;
    enum err_code code = docs_session_open(&command->session, config, &err);
    int exit_code = code == ERR_OK ? verb->run(command) : wrong(&err);
    docs_session_close(&command->session);
    config_destroy(config);
    return exit_code;
}

static int run_command(struct command *command, struct cli *cli)
{
    const struct verb *verb = cli->word_count == 0 ? NULL : find_verb(cli->words[0]);
    if (verb == NULL)
        return misuse("expected add, list, remove or search");
    command->words = cli->words + 1;
    command->word_count = cli->word_count - 1;
    bool lines = verb->run == search && command->switches[JSONL].given;
    if (command->word_count < (lines ? 0 : verb->least) ||
        command->word_count > (lines ? 0 : verb->most))
        return misuse(verb->usage);
    const char *problem = take_options(command);
    return problem != NULL ? misuse(problem) : run_verb(verb, command, cli);
}

int cmd_docs(int argc, char **argv)
{
    struct command *command = mem_zalloc(1, sizeof *command);
    const char **words = mem_zalloc((size_t)argc + 1, sizeof(char *));
    struct cli cli;
    int status = EXIT_WRONG;
    if (command != NULL && words != NULL) {
        memcpy(command->switches, all_switches, sizeof all_switches);
        status = cli_read(argc - 1, argv + 1, command->switches, SWITCH_COUNT, words, &cli)
                     ? run_command(command, &cli)
                     : CLI_EXIT_USAGE;
    }
    mem_free(words);
    mem_free(command);
    return status;
}

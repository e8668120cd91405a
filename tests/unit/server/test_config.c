/* SPDX-License-Identifier: MIT */
#include "server/config/config.h"
#include "server/config/config_internal.h"
#include "server/wiring/database.h"
#include "tests/lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct buf problems;

static struct config *load(const char *const *environment, const char *file,
                           const struct config_flag *flags, size_t count, enum err_code want)
{
    const struct config_source source = {environment, file, flags, count};
    struct config *config = NULL;
    buf_fini(&problems);
    buf_init(&problems, 65536);
    EXPECT_INT("load", config_load(&source, &config, &problems), want);
    assert_non_null(config);
    return config;
}

static void write_file(char *path, const char *text)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

TEST(defaults_are_the_seeds)
{
    struct config *config = load(NULL, NULL, NULL, 0, ERR_OK);
    struct limits limits;
    config_limits(config, &limits);
    EXPECT_STR("R165", str_of(config->openai_model), STR("gpt-4o-mini"));
    EXPECT_INT("R167", limits.sql_agent_max_iterations, 15);
    EXPECT_INT("R169", limits.sql_max_tables_in_context, 20);
    EXPECT_INT("R170", limits.sql_correction_max_attempts, 3);
    EXPECT_TRUE("R171", limits.sql_pre_validation_enabled);
    EXPECT_INT("R177", limits.sql_max_sql_history_length, 100);
    EXPECT_INT("R182", limits.max_context_tokens, 120000);
    EXPECT_INT("R183", limits.max_output_tokens, 4000);
    EXPECT_INT("R184", limits.max_query_rows, 100);
    EXPECT_INT("R188", limits.max_conversation_messages, 20);
    EXPECT_TRUE("R166", limits.temperature > 0.099 && limits.temperature < 0.101);
    EXPECT_TRUE("R180", limits.sql_confidence_threshold == 0.7);
    EXPECT_INT("heartbeat", config->heartbeat_ms, 15000);
    EXPECT_INT("grace", config->grace_ms, 30000);
    EXPECT_STR("no database", str_of(config->database_url), STR(""));
    EXPECT_INT("R193 size", config->pool_size, 5);
    EXPECT_INT("R193 recycle", database_options_of(config).pool.recycle_ms, 3600000);
    config_destroy(config);
}

TEST(flags_win_over_environment_over_file)
{
    static const char *const environment[] = {"ASKD_HOST=127.0.0.2", "ASKD_WORKERS=3", "PORT=81",
                                              "ASKD_LOG_LEVEL=", NULL};
    const struct config_flag flags[] = {{"ASKD_HOST", STR("127.0.0.3")}};
    char path[] = "/tmp/askd-test-XXXXXX";
    write_file(path,
               "ASKD_HOST=127.0.0.1\nASKD_WORKERS=2\nASKD_MODEL=offline\nASKD_LOG_LEVEL=warn\n");
    struct config *config = load(environment, path, flags, 1, ERR_OK);
    EXPECT_STR("flag", str_of(config->host), STR("127.0.0.3"));
    EXPECT_INT("environment", config->workers, 3);
    EXPECT_INT("alias", config->port, 81);
    EXPECT_STR("file", str_of(config->model), STR("offline"));
    EXPECT_INT("empty is absent", config->log_level, LOG_WARN);
    config_destroy(config);
    unlink(path);
}

TEST(a_flag_of_no_setting_is_refused)
{
    const struct config_flag flags[] = {{"ASKD_PROT", STR("1")}, {"ASKD_BACKLOG", STR("7")}};
    config_destroy(load(NULL, NULL, flags, 1, ERR_INVALID));
    EXPECT_STR("misspelt", buf_str(&problems),
               STR("ASKD_PROT: there is no such setting; did you mean ASKD_PORT?\n"));
    const struct config_flag other = {"PORT", STR("82")};
    struct config *config = load(NULL, NULL, &other, 1, ERR_OK);
    EXPECT_INT("its other name", config->port, 82);
    config_destroy(config);
    config_destroy(load(NULL, NULL, flags + 1, 1, ERR_INVALID));
    EXPECT_STR("removed", buf_str(&problems),
               STR("ASKD_BACKLOG: there is no such setting; it is always 1024 connections\n"));
}

static const struct {
    const char *name, *setting, *says;
} strange[] = {
    {"removed", "ASKD_BACKLOG=77",
     "ASKD_BACKLOG is no setting any more; it is always 1024 "
     "connections"},
    {"swapped letters", "ASKD_WROKERS=2", "ASKD_WROKERS is no setting; did you mean ASKD_WORKERS?"},
    {"a letter too few", "ASKD_HOT=x", "ASKD_HOT is no setting; did you mean ASKD_HOST?"},
    {"words left out", "ASKD_HEARTBEAT=5",
     "ASKD_HEARTBEAT is no setting; did you mean ASKD_HEARTBEAT_SECONDS?"},
    {"words too many", "ASKD_MODEL_NAME=x",
     "ASKD_MODEL_NAME is no setting; did you mean ASKD_MODEL?"},
    {"nothing is near", "ASKD_COLOUR=red",
     "ASKD_COLOUR is no setting; askd config check lists the settings"},
    {"another program's", "SOME_MODEL=x", NULL},
    {"the file of a secret", "ASKD_API_KEYS_FILE=/dev/null", NULL},
};

/* In the environment and in .env a name that is no setting is a warning: it may be another's. */
TEST(strange_names_are_said)
{
    TEST_EACH(c, strange) {
        const char *const environment[] = {c->setting, NULL};
        char path[] = "/tmp/askd-test-XXXXXX", want[256] = "";
        if (c->says != NULL)
            snprintf(want, sizeof want, "warning: %s\n", c->says);
        write_file(path, c->setting);
        config_destroy(load(environment, NULL, NULL, 0, ERR_OK));
        EXPECT_STR(c->name, buf_str(&problems), str_of(want));
        config_destroy(load(NULL, path, NULL, 0, ERR_OK));
        EXPECT_STR(c->name, buf_str(&problems), str_of(want));
        unlink(path);
    }
}

/* One .env may serve several programs, the one that askd replaces among them. */
TEST(variables_of_others_are_no_error)
{
    static const char *const environment[] = {"ASKD_DATABASE_URL=sqlite:x",
                                              "DB_PORT=tcp://10.0.0.1:3306",
                                              "CONVERSATION_MEMORY_STRATEGY=tiered", NULL};
    char path[] = "/tmp/askd-test-XXXXXX";
    write_file(path, "SQL_SAMPLE_ROWS=1\nCONVERSATION_DB_PATH=data/conversations.db\nDB_PWD=x\n");
    struct config *config = load(environment, path, NULL, 0, ERR_OK);
    EXPECT_STR("nothing to say", buf_str(&problems), STR(""));
    config_destroy(config);
    unlink(path);
}

static const struct {
    const char *name, *setting, *says;
} wrong[] = {
    {"no number", "ASKD_PORT=x", "ASKD_PORT: expected a whole number from 0 to 65535, got 'x'"},
    {"too large", "ASKD_PORT=65536", "ASKD_PORT:"},
    {"negative", "ASKD_WORKERS=-1", "ASKD_WORKERS:"},
    {"not finite", "OPENAI_TEMPERATURE=nan", "OPENAI_TEMPERATURE:"},
    {"no unit like that", "ASKD_MAX_MESSAGE_BYTES=1x", "ASKD_MAX_MESSAGE_BYTES:"},
    {"overflow", "ASKD_MAX_MESSAGE_BYTES=99999999999999999g", "ASKD_MAX_MESSAGE_BYTES:"},
    {"no choice", "ASKD_MODEL=rules", "ASKD_MODEL: expected one of: openai azure offline"},
    {"no boolean", "SQL_PRE_VALIDATION_ENABLED=maybe", "expected true or false"},
    {"another engine", "ASKD_DATABASE_URL=oracle://h/d", "ASKD_DATABASE_URL: expected sqlite:"},
    {"a port that is needed", "DB_PORT=tcp://10.0.0.1:3306", "DB_PORT: expected a whole number"},
    {"no engine", "ASKD_DATABASE_URL=data.db", "expected sqlite:PATH"},
    {"Azure without endpoint", "ASKD_MODEL=azure", "AZURE_OPENAI_ENDPOINT: ASKD_MODEL=azure"},
    {"one model too many", "OPENAI_MODEL=a,b,c", "OPENAI_MODEL: expected one model, or two"},
    {"no second model", "OPENAI_MODEL=a,", "OPENAI_MODEL: expected one model, or two"},
    {"nobody of that name", "ASKD_EMBEDDINGS=parrot", "ASKD_EMBEDDINGS: expected hash, openai"},
    {"no deployment", "ASKD_EMBEDDINGS=azure", "ASKD_EMBEDDINGS: expected hash, openai"},
    {"hash has no model", "ASKD_EMBEDDINGS=hash:x", "ASKD_EMBEDDINGS: expected hash, openai"},
    {"no date", "ASKD_TODAY=2024-13-01", "ASKD_TODAY: expected YYYY-MM-DD"},
};

TEST(wrong_values_are_all_said)
{
    const char *all[countof(wrong) + 1] = {NULL};
    size_t count = 0;
    TEST_EACH(c, wrong) {
        const char *const one[] = {c->setting, NULL};
        config_destroy(load(one, NULL, NULL, 0, ERR_INVALID));
        if (str_find(buf_str(&problems), str_of(c->says)) == STR_NONE)
            fail_msg("%s: %.*s", c->name, STR_ARG(buf_str(&problems)));
    }
    all[count++] = wrong[0].setting;
    all[count++] = wrong[2].setting;
    all[count++] = wrong[6].setting;
    config_destroy(load(all, NULL, NULL, 0, ERR_INVALID));
    size_t lines = 0;
    for (size_t i = 0; i < buf_len(&problems); i++)
        lines += buf_str(&problems).at[i] == '\n';
    EXPECT_INT("one line each", lines, count);
}

TEST(secrets_come_from_files_and_are_masked)
{
    char path[] = "/tmp/askd-test-XXXXXX", setting[64];
    struct buf text;
    write_file(path, "s3cret\n");
    snprintf(setting, sizeof setting, "OPENAI_API_KEY_FILE=%s", path);
    const char *const environment[] = {setting, NULL};
    struct config *config = load(environment, NULL, NULL, 0, ERR_OK);
    EXPECT_STR("from the file", str_of(config->openai_key), STR("s3cret"));
    buf_init(&text, 65536);
    config_write_check(config, &text);
    EXPECT_TRUE("masked", str_find(buf_str(&text), STR("s3cret")) == STR_NONE);
    EXPECT_TRUE("shown as there", str_find(buf_str(&text), STR("********")) != STR_NONE);
    buf_fini(&text);
    config_destroy(config);
    const char *const both[] = {setting, "OPENAI_API_KEY=x", NULL};
    config_destroy(load(both, NULL, NULL, 0, ERR_INVALID));
    unlink(path);
}

static const struct {
    const char *name, *setting, *model, *fallback;
} models[] = {
    {"the default", NULL, "gpt-4o-mini", ""},
    {"one", "OPENAI_MODEL=llama3.1:8b", "llama3.1:8b", ""},
    {"two", "OPENAI_MODEL=gpt-4o, gpt-4o-mini", "gpt-4o", "gpt-4o-mini"},
};

TEST(a_second_model_stands_behind_the_first)
{
    TEST_EACH(c, models) {
        const char *const environment[] = {c->setting, NULL};
        struct config *config = load(environment, NULL, NULL, 0, ERR_OK);
        EXPECT_STR(c->name, str_of(config->openai_model), str_of(c->model));
        EXPECT_STR(c->name, str_of(config->fallback_model), str_of(c->fallback));
        config_destroy(config);
    }
}

static const struct {
    const char *name, *setting, *who, *model;
} embeddings[] = {
    {"the default", NULL, "hash", NULL},
    {"OpenAI's usual model", "ASKD_EMBEDDINGS=openai", "openai", "text-embedding-3-small"},
    {"a model with a tag", "ASKD_EMBEDDINGS=openai:bge-m3:567m", "openai", "bge-m3:567m"},
    {"a deployment", "ASKD_EMBEDDINGS=azure:ours", "azure", "ours"},
};

TEST(who_makes_vectors_and_of_what_model)
{
    TEST_EACH(c, embeddings) {
        const char *const environment[] = {c->setting, NULL};
        struct config *config = load(environment, NULL, NULL, 0, ERR_OK);
        EXPECT_STR(c->name, str_of(config->embeddings), str_of(c->who));
        if (c->model != NULL)
            EXPECT_STR(c->name, str_of(config->embedding_model), str_of(c->model));
        config_destroy(config);
    }
}

static const struct {
    const char *name, *settings[3], *ledger, *vectors;
} ledgers[] = {
    {"the default", {NULL}, "data/documents.db", "data/embeddings_cache"},
    {"with the words", {"ASKD_KEYWORD_URL=sqlite:/w/a.db"}, "/w/a.db", "/w/embeddings_cache"},
    {"with the vectors",
     {"ASKD_KEYWORD_URL=none", "ASKD_VECTOR_URL=sqlite:v.db"},
     "v.db",
     "embeddings_cache"},
    {"neither is a file",
     {"ASKD_KEYWORD_URL=none", "ASKD_VECTOR_URL=qdrant:http://h:1"},
     "data/documents.db",
     "data/embeddings_cache"},
};

TEST(the_ledger_is_where_the_documents_are)
{
    TEST_EACH(c, ledgers) {
        struct config *config = load(c->settings, NULL, NULL, 0, ERR_OK);
        EXPECT_STR(c->name, str_of(config->ledger), str_of(c->ledger));
        EXPECT_STR(c->name, str_of(config->vectors_folder), str_of(c->vectors));
        config_destroy(config);
    }
}

static const struct {
    const char *name, *settings[4], *want;
} parts[] = {
    {"the host alone", {"DB_HOST=db.example"}, "mysql://root@db.example:3306/crewos"},
    {"all encoded",
     {"DB_PWD=p@ss/w:rd", "DB_USER=a b", "DB_NAME=x?y"},
     "mysql://a%20b:p%40ss%2Fw%3Ard@127.0.0.1:3306/x%3Fy"},
    {"port and IPv6", {"DB_PORT=3307", "DB_HOST=::1"}, "mysql://root@[::1]:3307/crewos"},
    {"the key alone is no database", {"DB_ENCRYPT_KEY=k"}, ""},
    {"the url wins", {"DB_HOST=other", "ASKD_DATABASE_URL=sqlite:x.db"}, "sqlite:x.db"},
    {"an empty one is absent", {"DB_HOST="}, ""},
};

TEST(parts_of_a_url_are_the_seeds)
{
    TEST_EACH(c, parts) {
        struct config *config = load(c->settings, NULL, NULL, 0, ERR_OK);
        EXPECT_STR(c->name, str_of(config->database_url), str_of(c->want));
        config_destroy(config);
    }
}

TEST(no_password_is_shown)
{
    static const char *const environment[] = {"DB_PWD=s3cret", "DB_ENCRYPT_KEY=s3cret too", NULL};
    static const char *const bad[] = {"ASKD_DATABASE_URL=mysql://u:s3cret/x@h:port/", NULL};
    struct config *config = load(environment, NULL, NULL, 0, ERR_OK);
    struct buf text;
    buf_init(&text, 65536);
    config_write_check(config, &text);
    EXPECT_TRUE("made of parts",
                str_find(buf_str(&text), STR("mysql://root:****@127.0.0.1:3306/crewos")) >= 0);
    config_destroy(config);
    config = load(bad, NULL, NULL, 0, ERR_INVALID);
    config_write_check(config, &text);
    buf_push(&text, buf_str(&problems));
    EXPECT_TRUE("nowhere", str_find(buf_str(&text), STR("s3cret")) == STR_NONE);
    buf_fini(&text);
    config_destroy(config);
}

TEST(the_example_holds_every_variable_and_loads)
{
    char path[] = "/tmp/askd-test-XXXXXX";
    struct buf text;
    buf_init(&text, 65536);
    config_write_example(&text);
    assert_true(buf_ok(&text));
    for (size_t i = 0; i < config_table_count; i++) {
        char line[128];
        snprintf(line, sizeof line, "\n#%s=", config_table[i].name);
        EXPECT_TRUE(config_table[i].name, str_find(buf_str(&text), str_of(line)) != STR_NONE);
    }
    buf_push_char(&text, '\0');
    write_file(path, buf_str(&text).at);
    config_destroy(load(NULL, path, NULL, 0, ERR_OK));
    unlink(path);
    buf_fini(&text);
}

TEST(no_memory_at_any_point)
{
    for (uint64_t n = 1;; n++) {
        struct config *config = NULL;
        const struct config_source source = {0};
        struct buf said;
        buf_init(&said, 4096);
        mem_fail_nth(n);
        enum err_code code = config_load(&source, &config, &said);
        mem_fail_nth(0);
        buf_fini(&said);
        config_destroy(config);
        if (code == ERR_OK)
            break;
        EXPECT_INT("code", code, ERR_NO_MEMORY);
        assert_true(n < 1000);
    }
    buf_fini(&problems);
}

RUN_TESTS(T(defaults_are_the_seeds), T(flags_win_over_environment_over_file),
          T(a_flag_of_no_setting_is_refused), T(strange_names_are_said),
          T(variables_of_others_are_no_error), T(wrong_values_are_all_said),
          T(secrets_come_from_files_and_are_masked), T(a_second_model_stands_behind_the_first),
          T(who_makes_vectors_and_of_what_model), T(the_ledger_is_where_the_documents_are),
          T(parts_of_a_url_are_the_seeds), T(no_password_is_shown),
          T(the_example_holds_every_variable_and_loads), T(no_memory_at_any_point))

/* SPDX-License-Identifier: MIT */
/* server/config/config_table.c - every setting: first the fifteen that matter, then the others,
 * grouped by what one wants to do.
 *
 * A help text begins with the unit or the thing it sets, and can be read without its neighbours. A
 * value that nobody would change is a constant of the module that uses it; config_names.c has the
 * names of constants that were settings once. Failure: none; the unit test reads every default
 * back. */
#include "server/config/config_internal.h"

#define AT(field) offsetof(struct config, field)

const struct config_entry config_table[] = {
    {"ASKD_HOST", CONFIG_TEXT, "127.0.0.1", .group = "The fifteen that matter", .flag = "--host",
     .offset = AT(host), .help = "Address to listen on: an IPv4 or IPv6 address, or localhost."},
    {"ASKD_PORT", CONFIG_COUNT, "8080", 0, 65535, .alias = "PORT", .flag = "--port",
     .offset = AT(port), .help = "Port to listen on; 0 takes a free one."},
    {"ASKD_WORKERS", CONFIG_COUNT, "1", 1, 64, .flag = "--workers", .offset = AT(workers),
     .help = "Threads that serve, each with a loop and connections of its own."},
    {"ASKD_API_KEYS", CONFIG_TEXT, "", .secret = true, .offset = AT(api_keys),
     .help = "Keys that callers show as bearer tokens, separated by commas. Without keys "
             "only callers on the same machine are answered."},
    {"ASKD_MODEL", CONFIG_CHOICE, "openai", .choices = "openai azure offline", .flag = "--model",
     .offset = AT(model),
     .help = "Model provider: OpenAI or a server that speaks as it does, Azure OpenAI, or "
             "askd's own engine without a model."},
    {"OPENAI_API_KEY", CONFIG_TEXT, "", .secret = true, .offset = AT(openai_key),
     .help = "Key of the server at OPENAI_BASE_URL."},
    {"OPENAI_MODEL", CONFIG_TEXT, "gpt-4o-mini", .offset = AT(openai_model),
     .help = "Name of the model that is asked. Of two with a comma between them the second "
             "is asked when the first cannot answer."},
    {"OPENAI_BASE_URL", CONFIG_TEXT, "https://api.openai.com/v1", .offset = AT(openai_base_url),
     .help = "Address of the model's server: OpenAI's, or any OpenAI-compatible one."},
    {"ASKD_DATABASE_URL", CONFIG_URL, "", .flag = "--db", .offset = AT(database_url),
     .help = "Database that questions are about: sqlite:PATH, "
             "postgresql://user:password@host:port/name or "
             "mysql://user:password@host:port/name."},
    {"ASKD_TENANT_COLUMN", CONFIG_TEXT, "", .offset = AT(tenant_column),
     .help = "Column that holds the company: tables that have it are filtered by the "
             "caller's company_id. Empty: no table is filtered."},
    {"ASKD_SEMANTIC", CONFIG_TEXT, "", .offset = AT(semantic),
     .help = "Path of semantic.json, which says what the data means: labels, synonyms, "
             "metrics, named filters, verified questions."},
    {"ASKD_CHECKPOINT_URL", CONFIG_URL, "", .offset = AT(checkpoint_url),
     .help = "Store of conversations: sqlite:PATH, postgresql://..., "
             "redis://[:password@]host:port/db, or none for memory only. Empty: the SQLite "
             "file CONVERSATION_DB_PATH."},
    {"ASKD_MAX_RUNS", CONFIG_COUNT, "8192", 1, 1000000, .offset = AT(max_runs),
     .help = "Runs (questions being answered) at once, over all workers."},
    {"ASKD_LOG_LEVEL", CONFIG_CHOICE, "info", .choices = "debug info warn error off",
     .flag = "--log-level", .offset = AT(log_level_name),
     .help = "Level from which on lines are logged."},
    {"OTEL_EXPORTER_OTLP_ENDPOINT", CONFIG_URL, "", .offset = AT(otlp_endpoint),
     .help = "Collector that takes traces by OTLP/HTTP in JSON, such as "
             "http://127.0.0.1:4318; /v1/traces is added. Empty: nothing is traced."},
    {"ASKD_ADMIN_PORT", CONFIG_COUNT, "0", 0, 65535, .group = "Serve", .offset = AT(admin_port),
     .help = "Port for operators on the same address: health, metrics and everybody's runs, also "
             "when ASKD_MAX_CONNECTIONS is reached. 0: none, they are on ASKD_PORT only."},
    {"ASKD_AUTH_FILE", CONFIG_TEXT, "", .offset = AT(auth_file),
     .help = "Path of a JSON file of keys with scopes and companies, and of issuers of tokens. "
             "Keys of ASKD_API_KEYS are valid beside it."},
    {"ASKD_CORS_ORIGINS", CONFIG_TEXT, "", .offset = AT(cors_origins),
     .help = "Origins whose pages may read answers, separated by commas, such as "
             "https://app.example.com. Empty: only the page at /."},
    {"ASKD_LANGUAGE", CONFIG_CHOICE, "en", .choices = "en de es", .offset = AT(language),
     .help = "Language of refusals, errors and warnings for readers who name none: neither by "
             "Accept-Language nor by options.language."},
    {"ASKD_HEARTBEAT_SECONDS", CONFIG_SECONDS, "15", 0.05, 3600, .offset = AT(heartbeat_ms),
     .help = "Seconds of silence after which a stream gets a heartbeat."},
    {"ASKD_DISCONNECT_GRACE_SECONDS", CONFIG_SECONDS, "30", 0, 86400, .offset = AT(grace_ms),
     .help = "Seconds that a run goes on after its last reader left, for one to come back."},
    {"ASKD_LINGER_SECONDS", CONFIG_SECONDS, "60", 0, 86400, .offset = AT(linger_ms),
     .help = "Seconds that an ended run stays in memory for late readers."},
    {"ASKD_DRAIN_DELAY_SECONDS", CONFIG_SECONDS, "0", 0, 600, .offset = AT(drain_delay_ms),
     .help = "Seconds between being asked to stop and closing the listener, in which new "
             "connections are still taken."},
    {"ASKD_DRAIN_TIMEOUT_SECONDS", CONFIG_SECONDS, "25", 0, 3600, .offset = AT(drain_ms),
     .help = "Seconds that open streams may go on once the listener is closed."},
    {"ASKD_PROMPT_DIR", CONFIG_TEXT, "", .offset = AT(prompt_dir),
     .help = "Folder of prompts, in which GRAPH/prompts/NAME.txt is one. Empty: the folder "
             "beside the program."},
    {"ASKD_TODAY", CONFIG_TEXT, "", .flag = "--today", .offset = AT(today),
     .help = "Date as YYYY-MM-DD that questions take for today. Empty: the clock's."},
    {"AZURE_OPENAI_API_KEY", CONFIG_TEXT, "", .group = "Model", .secret = true,
     .offset = AT(azure_key), .help = "Key of the Azure OpenAI resource."},
    {"AZURE_OPENAI_ENDPOINT", CONFIG_TEXT, "", .offset = AT(azure_endpoint),
     .help = "Address of the Azure OpenAI resource: https://NAME.openai.azure.com."},
    {"AZURE_OPENAI_DEPLOYMENT", CONFIG_TEXT, "", .offset = AT(azure_deployment),
     .help = "Deployment of the Azure OpenAI resource that is asked."},
    {"ASKD_MODELS", CONFIG_TEXT, "", .offset = AT(models_path),
     .help = "Path of models.json: models of any provider by name, which of them answer which "
             "task, and who follows when one fails. Empty: ASKD_MODEL and what is named after it."},
    {"OPENAI_TEMPERATURE", CONFIG_REAL, "0.1", 0, 2, .offset = AT(temperature),
     .help = "Temperature of every model call but those of the banking graph, which has 0."},
    {"MAX_CONTEXT_TOKENS", CONFIG_COUNT, "120000", 100, 10000000, .offset = AT(context_tokens),
     .help = "Tokens that a prompt may have."},
    {"MAX_OUTPUT_TOKENS", CONFIG_COUNT, "4000", 1, 1000000, .offset = AT(output_tokens),
     .help = "Tokens that a model's answer may have."},
    {"ASKD_MODEL_FALLBACK", CONFIG_CHOICE, "none", .choices = "none offline",
     .offset = AT(model_fallback),
     .help = "Engine that answers while the model's server cannot be reached: askd's own, or "
             "none, so that runs fail."},
    {"ASKD_LLM_FIRST_TOKEN_SECONDS", CONFIG_SECONDS, "60", 0.05, 3600,
     .offset = AT(llm_first_token_ms),
     .help = "Seconds that a model may take to its first word; half as many may pass in the middle "
             "of an answer."},
    {"ASKD_LLM_TIMEOUT_SECONDS", CONFIG_SECONDS, "120", 0.05, 3600, .offset = AT(llm_ms),
     .help = "Seconds that a model call may take, all its attempts together."},
    {"ASKD_LLM_ATTEMPTS", CONFIG_COUNT, "3", 1, 10, .offset = AT(llm_attempts),
     .help = "Attempts of one model call; a call that failed is tried again after a pause."},
    {"ASKD_LLM_IN_FLIGHT", CONFIG_COUNT, "0", 0, 100000, .offset = AT(llm_in_flight),
     .help = "Model calls at once, each worker; 0: any number."},
    {"DB_HOST", CONFIG_TEXT, "127.0.0.1", .group = "Database", .offset = AT(db_host),
     .help = "Host of a MySQL database. The five settings DB_HOST to DB_NAME are used when "
             "one of them is set and ASKD_DATABASE_URL is not."},
    {"DB_PORT", CONFIG_COUNT, "3306", 1, 65535, .offset = AT(db_port),
     .help = "Port of the MySQL database."},
    {"DB_USER", CONFIG_TEXT, "root", .offset = AT(db_user), .help = "User of the MySQL database."},
    {"DB_PWD", CONFIG_TEXT, "", .secret = true, .offset = AT(db_password),
     .help = "Password of the MySQL user."},
    {"DB_NAME", CONFIG_TEXT, "crewos", .offset = AT(db_name),
     .help = "Name of the MySQL database."},
    {"ASKD_DATABASE_POOL_SIZE", CONFIG_COUNT, "5", 1, 1000, .offset = AT(pool_size),
     .help = "Connections to PostgreSQL or MySQL that stay open, each worker. While all are busy "
             "twice as many more are opened; where it is 1, none."},
    {"ASKD_SQL_TIMEOUT_SECONDS", CONFIG_SECONDS, "30", 0.05, 3600, .offset = AT(sql_ms),
     .help = "Seconds that a statement may take."},
    {"ASKD_SQL_MAX_COST", CONFIG_REAL, "100000000", 0, 1e15, .offset = AT(sql_max_cost),
     .help = "Cost that a statement may have in the planner's units, by the database's own "
             "estimate; 0: any."},
    {"MAX_QUERY_ROWS", CONFIG_COUNT, "100", 1, 100000, .offset = AT(query_rows),
     .help = "Rows that a statement returns at most, in every graph and on the terminal."},
    {"ASKD_DOWNLOAD_MAX_ROWS", CONFIG_COUNT, "100000", 0, 1000000, .offset = AT(download_rows),
     .help = "Rows of a whole result that is downloaded (POST /internal/results); 0: none is."},
    {"ASKD_DOWNLOAD_MAX_BYTES", CONFIG_BYTES, "32m", 65536, 1073741824,
     .offset = AT(download_bytes),
     .help = "Bytes of its values. They are in memory until the client has them; a worker has room "
             "for two such results, or for many small ones."},
    {"ASKD_JOIN_GRAPH", CONFIG_TEXT, "", .offset = AT(join_graph),
     .help = "Path of join_graph.json, whose relationships are added to the database's "
             "foreign keys."},
    {"ASKD_SQL_PAIRS", CONFIG_TEXT, "", .offset = AT(sql_pairs),
     .help = "Path of example questions for the text_to_sql graph, one "
             "{\"question\",\"sql\"} a line."},
    {"ASKD_TENANCY", CONFIG_CHOICE, "on", .group = "Tenancy and guard", .choices = "on off",
     .offset = AT(tenancy),
     .help = "off: without ASKD_TENANT_COLUMN everybody sees every row, although tables look as "
             "if they held several companies; on: then no question about data is answered."},
    {"ASKD_SHARED_TABLES", CONFIG_TEXT, "", .offset = AT(shared_tables),
     .help = "Tables whose rows are everybody's, separated by commas. With ASKD_TENANT_COLUMN "
             "every other table has that column, or foreign keys that lead to it, or is refused."},
    {"ASKD_GRAPHS", CONFIG_TEXT, "", .flag = "--graphs", .offset = AT(graphs),
     .help = "Path of a folder of graphs, one JSON file each, or of one file: graphs beside "
             "askd's own. Read again on SIGHUP."},
    {"ASKD_TOOLS", CONFIG_TEXT, "", .flag = "--tools", .offset = AT(tools_path),
     .help = "Path of a JSON file of tools outside that agents may call: HTTP services and MCP "
             "servers, and the addresses that they may have. Read again on SIGHUP."},
    {"ASKD_POLICIES", CONFIG_TEXT, "", .offset = AT(policies),
     .help = "Path of a JSON file of policies: what each graph and role may read."},
    {"ASKD_SECURE_VIEWS", CONFIG_TEXT, "", .offset = AT(secure_views),
     .help = "Path of a JSON file that names the view to read instead of each table."},
    {"DB_ENCRYPT_KEY", CONFIG_TEXT, "", .secret = true, .offset = AT(encrypt_key),
     .help = "Key with which secure views decrypt: the session variable aesKey of every "
             "statement, on every engine."},
    {"ASKD_SQL_APPROVAL", CONFIG_TEXT, "off", .offset = AT(sql_approval),
     .help = "Statements that a person approves before they run: off (none), always, cost>N "
             "(those that the database expects to cost more, or gives no cost of), "
             "writes-none (only what writes, which the guard refuses anyway)."},
    {"SQL_PRE_VALIDATION_ENABLED", CONFIG_BOOL, "true", .offset = AT(pre_validation),
     .help = "Whether columns and joins of a statement are checked against the schema "
             "before it runs."},
    {"ASKD_SQL_AGENT", CONFIG_CHOICE, "steps", .choices = "steps tools", .group = "SQL agent",
     .offset = AT(sql_agent),
     .help = "Agent that answers the orchestrator's questions about data: steps is the graph "
             "sql_agent, tools is data_agent, whose model looks and tries with tools."},
    {"SQL_AGENT_MAX_ITERATIONS", CONFIG_COUNT, "15", 1, 1000, .offset = AT(agent_iterations),
     .help = "Steps of the graph that retries may add to a run of the SQL agent."},
    {"SQL_CORRECTION_MAX_ATTEMPTS", CONFIG_COUNT, "3", 0, 20, .offset = AT(correction_attempts),
     .help = "Corrections of one statement by the model before the run fails."},
    {"ASKD_REFRESH_SECONDS", CONFIG_SECONDS, "600", 0, 86400, .offset = AT(refresh_ms),
     .help = "Seconds after which the schema and the values of the database are read again, in the "
             "background; 0: only on SIGHUP."},
    {"SQL_SAMPLE_ROWS", CONFIG_COUNT, "1", 0, 100, .offset = AT(sample_rows),
     .help = "Sample rows of a chosen table in a prompt, out of what the caller may see; 0: "
             "none."},
    {"SQL_CANDIDATES", CONFIG_COUNT, "0", 0, 5, .offset = AT(sql_candidates),
     .help = "Statements for one question that are run and compared by their rows; 1: one alone; "
             "0: two where the offline engine reads the question, else one."},
    {"SQL_MAX_TABLES_IN_SELECTION_PROMPT", CONFIG_COUNT, "250", 1, 10000,
     .offset = AT(tables_in_selection), .help = "Tables that the model chooses from."},
    {"SQL_MAX_TABLES_IN_CONTEXT", CONFIG_COUNT, "20", 1, 1000, .offset = AT(tables_in_context),
     .help = "Tables that are described to the model."},
    {"SQL_MAX_FALLBACK_TABLES", CONFIG_COUNT, "5", 0, 1000, .offset = AT(fallback_tables),
     .help = "Tables that are taken when the model chooses none."},
    {"SQL_MAX_COLUMNS_IN_SCHEMA", CONFIG_COUNT, "50", 1, 10000, .offset = AT(columns_in_schema),
     .help = "Columns of a table in a prompt that plans joins or writes SQL."},
    {"SQL_MAX_COLUMNS_IN_VALIDATION", CONFIG_COUNT, "100", 1, 10000,
     .offset = AT(columns_in_validation),
     .help = "Columns of a table that are named when a statement has a wrong one."},
    {"SQL_MAX_COLUMNS_IN_CORRECTION", CONFIG_COUNT, "100", 1, 10000,
     .offset = AT(columns_in_correction),
     .help = "Columns of a table in a prompt that corrects SQL."},
    {"SQL_MAX_RELATIONSHIPS_DISPLAY", CONFIG_COUNT, "50", 0, 10000,
     .offset = AT(relationships_display),
     .help = "Relationships of the chosen tables in a prompt that plans joins."},
    {"SQL_MAX_RELATIONSHIPS_IN_PROMPT", CONFIG_COUNT, "20", 0, 10000,
     .offset = AT(relationships_in_prompt),
     .help = "Relationships in a prompt that writes or corrects SQL."},
    {"SQL_CONFIDENCE_THRESHOLD", CONFIG_REAL, "0.7", 0, 1, .offset = AT(confidence),
     .help = "Least confidence of a relationship that is used."},
    {"SQL_MAX_HOPS", CONFIG_COUNT, "4", 1, 12, .offset = AT(max_hops),
     .help = "Relationships that a join path may have. Where no path is so short, one "
             "longer by at most two is taken, and the prompt says so."},
    {"SQL_MAX_SUGGESTED_PATHS", CONFIG_COUNT, "5", 1, 8, .offset = AT(suggested_paths),
     .help = "Join paths between two tables in a prompt."},
    {"SQL_MAX_SQL_HISTORY_LENGTH", CONFIG_COUNT, "100", 0, 100000, .offset = AT(sql_history),
     .help = "Characters of each earlier attempt in a prompt that corrects SQL."},
    {"ASKD_VECTOR_URL", CONFIG_URL, "sqlite:data/documents.db", .group = "Documents and embeddings",
     .offset = AT(vector_url),
     .help = "Store of documents by meaning: sqlite:PATH, "
             "chroma:http[s]://[:KEY@]HOST:PORT[/TENANT/DATABASE], "
             "qdrant:http[s]://[:KEY@]HOST:PORT, postgresql://... with pgvector, or none."},
    {"ASKD_KEYWORD_URL", CONFIG_URL, "sqlite:data/documents.db", .offset = AT(keyword_url),
     .help = "Store of documents by their words: sqlite:PATH, which may be the file of "
             "ASKD_VECTOR_URL, postgresql://user:password@host:port/name, or none."},
    {"ASKD_EMBEDDINGS", CONFIG_TEXT, "hash", .offset = AT(embeddings),
     .help = "Maker of the vectors of texts: hash (no model, no key), openai:MODEL (openai "
             "alone is text-embedding-3-small) or azure:DEPLOYMENT."},
    {"ASKD_RERANK_URL", CONFIG_TEXT, "", .offset = AT(rerank_url),
     .help = "Address of a reranker, which puts the passages that were found in a better order: "
             "https://api.cohere.com/v2, https://api.jina.ai/v1, or one like them; /rerank is "
             "added. Empty: none."},
    {"ASKD_RERANK_MODEL", CONFIG_TEXT, "", .offset = AT(rerank_model),
     .help = "Name of the reranker's model. Empty: the server has one only, and is asked as text "
             "embeddings inference is."},
    {"ASKD_RERANK_KEY", CONFIG_TEXT, "", .secret = true, .offset = AT(rerank_key),
     .help = "Key of the server at ASKD_RERANK_URL. Empty: none is shown."},
    {"ASKD_UPLOADS", CONFIG_CHOICE, "user", .choices = "off user company", .offset = AT(uploads),
     .help = "Whether callers may add documents: off, for their own answers alone (user), or also "
             "for their company's. Keys with the scope admin may in any case, for everybody, too."},
    {"ASKD_UPLOAD_BYTES", CONFIG_BYTES, "16m", 1024, 67108864, .offset = AT(document_bytes),
     .help = "Most bytes of a file that is added over HTTP."},
    {"ASKD_COMPANY_DOCUMENTS", CONFIG_COUNT, "500", 0, 1000000, .offset = AT(company_documents),
     .help = "Documents that one company may have by what its users add."},
    {"ASKD_COMPANY_PASSAGES", CONFIG_COUNT, "50000", 0, 100000000, .offset = AT(company_passages),
     .help = "Passages that the documents of one company may have, as they are cut."},
    {"MAX_CONVERSATION_MESSAGES", CONFIG_COUNT, "20", 0, 10000,
     .group = "Conversations and durability", .offset = AT(conversation_messages),
     .help = "Messages of a conversation in a prompt."},
    {"CONVERSATION_MEMORY_STRATEGY", CONFIG_CHOICE, "simple", .choices = "simple tiered",
     .offset = AT(memory_strategy),
     .help = "Part of a conversation that a prompt has: simple is its last messages, tiered "
             "its last ten and summaries of all before."},
    {"CONVERSATION_DB_PATH", CONFIG_TEXT, "data/conversations.db", .offset = AT(conversation_path),
     .help = "Path of the SQLite file of conversations, made when it is first used."},
    {"ASKD_EVENTS_URL", CONFIG_URL, "", .offset = AT(events_url),
     .help = "Store of runs, their events and checkpoints, written as ASKD_CHECKPOINT_URL. "
             "Empty: the store of conversations."},
    {"ASKD_DURABILITY", CONFIG_CHOICE, "async", .choices = "async sync exit",
     .offset = AT(durability),
     .help = "Time at which events and checkpoints are stored: async is behind the stream, "
             "sync before it, exit at the run's end only."},
    {"ASKD_LEASE_SECONDS", CONFIG_SECONDS, "10", 0.1, 600, .offset = AT(lease_ms),
     .help = "Seconds without a renewed lease after which another server may take over a "
             "run."},
    {"CONVERSATION_DB_RETRY_ATTEMPTS", CONFIG_COUNT, "3", 1, 20,
     .offset = AT(conversation_attempts),
     .help = "Attempts at a locked SQLite file of conversations, within two seconds; then "
             "the run goes on without it."},
    {"CONVERSATION_DB_RETRY_DELAY", CONFIG_SECONDS, "0.1", 0.001, 10,
     .offset = AT(conversation_retry_ms),
     .help = "Seconds before the second attempt, doubled for each one after."},
    {"ASKD_SHARE_LINKS", CONFIG_CHOICE, "auto", .choices = "auto on off", .offset = AT(share_links),
     .help = "Whether a user may share a conversation by a link, which whoever has it may read "
             "without a key until it expires. auto: where no request needs a key or token anyway."},
    {"ASKD_SCHEDULES", CONFIG_COUNT, "20", 0, 1000, .offset = AT(schedules_most),
     .help = "Schedules that a user may have: graphs that run at a time or after another run. 0: "
             "none may be made."},
    {"ASKD_WEBHOOKS", CONFIG_TEXT, "", .offset = AT(webhooks),
     .help = "Beginnings of addresses that results of runs may be sent to, separated by commas, "
             "such as https://hooks.example.com/askd/. Empty: to none."},
    {"ASKD_WEBHOOK_SECRET", CONFIG_TEXT, "", .secret = true, .offset = AT(webhook_secret),
     .help = "Secret (whsec_ and base64) that signs results for webhooks without one of their own. "
             "Empty: these are not signed."},
    {"ASKD_SECRETS_KEY", CONFIG_TEXT, "", .secret = true, .offset = AT(secrets_key),
     .help = "Keys (base64 of 32 bytes, separated by commas) that seal secrets in the store: the "
             "first one seals, all of them open. Empty: schedules have no secrets of their own."},
    {"ASKD_WEBHOOK_PRIVATE", CONFIG_CHOICE, "off", .choices = "on off",
     .offset = AT(webhook_private),
     .help = "Whether results may go to addresses of this machine and of private networks."},
    {"ASKD_WEBHOOK_RETRY_SECONDS", CONFIG_SECONDS, "5", 0.01, 3600, .offset = AT(webhook_retry_ms),
     .help = "Seconds before the second attempt to send a result; four times as long for each one "
             "after, eight attempts in all."},
    {"CONVERSATION_MAX_AGE_HOURS", CONFIG_REAL, "720", 0, 1000000,
     .offset = AT(conversation_age_hours),
     .help = "Hours after its last change at which a conversation is removed; 0: never."},
    {"CONVERSATION_CLEANUP_INTERVAL_HOURS", CONFIG_REAL, "1", 0.001, 10000,
     .offset = AT(conversation_cleanup_hours),
     .help = "Hours between two removals of conversations older than "
             "CONVERSATION_MAX_AGE_HOURS; the first is at the start."},
    {"ASKD_MAX_QUEUED_RUNS", CONFIG_COUNT, "1024", 0, 1000000, .group = "Limits and overload",
     .offset = AT(max_queued_runs),
     .help = "Runs that may wait for a place, over all workers; more get 429."},
    {"ASKD_COMPANY_SHARE", CONFIG_COUNT, "75", 1, 100, .offset = AT(company_share),
     .help = "Percent of ASKD_MAX_RUNS and of ASKD_LLM_IN_FLIGHT that one company may have; "
             "100 where there is only one."},
    {"ASKD_MEMORY_LIMIT", CONFIG_BYTES, "0", 0, 1099511627776, .offset = AT(memory_bytes),
     .help = "Bytes of the process's memory at which new runs get 503; 0: any."},
    {"ASKD_MAX_CONNECTIONS", CONFIG_COUNT, "16384", 1, 1000000, .offset = AT(max_connections),
     .help = "Connections, and streams of HTTP/2 ones, at once, over all workers; more get 503."},
    {"ASKD_RUN_TIMEOUT_SECONDS", CONFIG_SECONDS, "300", 0.05, 86400, .offset = AT(run_ms),
     .help = "Seconds that a run may take."},
    {"ASKD_MAX_MESSAGE_BYTES", CONFIG_BYTES, "32k", 1, 1048576, .offset = AT(max_message_bytes),
     .help = "Bytes that a message may have. A request's body may have 32 times as many, and "
             "1m at least."},
    {"ASKD_LOG_FORMAT", CONFIG_CHOICE, "text", .group = "Logs, metrics, tracing",
     .choices = "text json", .flag = "--log-format", .offset = AT(log_format_name),
     .help = "Form of a logged line."},
    {"ASKD_AUDIT", CONFIG_TEXT, "", .offset = AT(audit),
     .help = "Path of the audit stream: a line of JSON for each statement that was sent or "
             "refused, and for whom. With ?content=off behind the path, questions and statements "
             "are left out. Empty: none."},
    {"OTEL_EXPORTER_OTLP_HEADERS", CONFIG_TEXT, "", .secret = true, .offset = AT(otlp_headers),
     .help = "Headers for the collector: name=value, separated by commas, values "
             "percent-encoded."},
    {"OTEL_SERVICE_NAME", CONFIG_TEXT, "askd", .offset = AT(otel_service_name),
     .help = "Name of this service in traces."},
    {"OTEL_RESOURCE_ATTRIBUTES", CONFIG_TEXT, "", .offset = AT(otel_resource_attributes),
     .help = "Attributes of this service in traces: key=value, separated by commas."},
    {"OTEL_TRACES_SAMPLER", CONFIG_CHOICE, "parentbased_always_on",
     .choices = "always_on always_off traceidratio parentbased_always_on parentbased_always_off "
                "parentbased_traceidratio",
     .offset = AT(otel_sampler),
     .help = "Rule by which runs are traced: all, none, or a share; parentbased_ does as "
             "the caller did where it sent a trace."},
    {"OTEL_TRACES_SAMPLER_ARG", CONFIG_REAL, "1", 0, 1, .offset = AT(otel_sampler_arg),
     .help = "Share of runs that the two samplers by ratio take."},
    {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", CONFIG_BOOL, "false",
     .offset = AT(otel_content),
     .help = "Whether spans hold questions, prompts, answers, statements and the words of "
             "errors."},
    {"ASKD_PAGE_COMPANY_ID", CONFIG_TEXT, "", .group = "Page", .offset = AT(page_company_id),
     .help = "Company for which the page at / asks until its user says otherwise, the terminal "
             "without --company, and any client that names none. Empty: " CONFIG_PAGE_COMPANY
             ", and where rows belong to companies (ASKD_TENANT_COLUMN) page and terminal ask "
             "whose are meant."},
};

const size_t config_table_count = countof(config_table);

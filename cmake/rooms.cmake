# rooms.cmake - the map of the house: each room, what it is about, and the rooms that it may use.
#
# Lowest first. docs/internals/README.md draws the same map.
include(cmake/room.cmake)
include(cmake/made_sources.cmake)

# what C lacks: text, buffers, maps, memory, files, the log
askd_room(core/base)
# words as people mean them: stems, accents, words that say nothing
askd_room(core/words USES core/base SOURCES ${made}/scale_table.c)
# counters, latencies and spans
askd_room(core/observe USES core/base)
# a libuv loop, timers, operations, work off the loop, messages between loops
askd_room(core/loop USES core/base core/observe LIBS PkgConfig::UV)
# the interface of the store of conversations and runs, and what it holds
askd_room(core/store USES core/base core/loop)
# graphs as data, and runs that walk them
askd_room(core/run USES core/base core/observe core/loop core/store)

# bytes <-> values: HTTP, SSE, JSON
askd_room(proto USES core/base LIBS llhttp m)
# what model servers speak
askd_room(proto/models USES core/base proto)

# interfaces: what agents may ask of the outside world
askd_room(backends USES core/base core/loop)
# one HTTP client a loop, names to addresses, where traces go
askd_room(backends/http USES core/base core/loop proto LIBS PkgConfig::UV PkgConfig::CURL)
# a file's text, by a child process without rights
askd_room(backends/extract USES core/base core/loop LIBS PkgConfig::UV)
# one thread a SQLite database, and what its users share
askd_room(backends/sqlite
    USES core/base core/loop backends
    LIBS PkgConfig::UV PkgConfig::SQLITE)
# leases of connections, or of what else there are few of, in turns
askd_room(backends/pool USES core/base core/loop)
# databases that are asked questions: SQLite, PostgreSQL, MySQL and MariaDB
askd_room(backends/sql
    USES core/base core/loop proto backends backends/http backends/sqlite backends/pool
    LIBS PkgConfig::UV PkgConfig::PQ PkgConfig::MARIADB PkgConfig::SQLITE PkgConfig::CRYPTO m)
# SQLite in processes of its own, which can be killed
askd_room(backends/sql/child
    USES core/base core/loop backends backends/pool backends/sql LIBS PkgConfig::UV
    PkgConfig::SQLITE)
# what documents are to a store: passages and their columns
askd_room(backends/passages
    USES core/base core/loop proto backends backends/sqlite backends/sql
    LIBS PkgConfig::SQLITE)
# passages by meaning: local index, pgvector, Chroma, Qdrant
askd_room(backends/vectors
    USES core/base core/loop proto backends backends/http backends/sqlite backends/passages
    LIBS PkgConfig::SQLITE PkgConfig::CRYPTO Threads::Threads m)
# passages by their words: FTS5, PostgreSQL full text
askd_room(backends/words
    USES core/base core/words core/loop backends backends/sqlite backends/sql backends/passages
    LIBS PkgConfig::SQLITE m)
# one connection to Redis
askd_room(backends/redis
    USES core/base core/loop proto backends/http
    LIBS PkgConfig::UV PkgConfig::HIREDIS PkgConfig::CRYPTO)
# where conversations and runs live: memory, SQLite, PostgreSQL, Redis
askd_room(backends/stores
    USES core/base core/loop core/store backends/sqlite backends/sql backends/redis
    LIBS PkgConfig::SQLITE m
    SOURCES ${made}/store_redis_lua.c ${made}/store_pg_sql.c)
# chat models and embeddings over HTTP, embeddings without a model
askd_room(backends/models
    USES core/base core/words core/loop proto proto/models backends backends/http backends/sqlite
    LIBS PkgConfig::SQLITE PkgConfig::CRYPTO m)

# tools outside: HTTP services and MCP servers
askd_room(backends/remote
    USES core/base core/loop proto backends backends/http
    LIBS PkgConfig::CRYPTO)

# prompts, and what is read out of a model's text
askd_room(agents/common USES core/base core/words proto backends)
# English words, numbers, dates
askd_room(agents/english USES core/base core/words SOURCES ${made}/vocabulary_en.c ${made}/spellings.c
    ${made}/aliases_table.c)
# what a database holds
askd_room(agents/sql/catalog USES core/base core/words proto backends LIBS PkgConfig::SQLITE)
# SQL text -> tree: SQLite and MySQL
askd_room(agents/sql/grammar USES core/base backends agents/sql/catalog)
# SQL text -> tree: PostgreSQL, by libpg_query
askd_room(agents/sql/postgres USES core/base agents/sql/grammar LIBS ${PG_QUERY_LIBRARY})
# tree -> resolved names, in every dialect
askd_room(agents/sql/parse
    USES core/base backends agents/sql/catalog agents/sql/grammar agents/sql/postgres
    LIBS PkgConfig::SQLITE m)
# how tables join: relationships, paths, trees
askd_room(agents/sql/joins
    USES core/base proto backends agents/common agents/sql/catalog agents/sql/grammar
    agents/sql/parse
    LIBS m)
# what is doubtful about a statement by its form, and beside what the question says; what proves it
askd_room(agents/sql/doubts
    USES core/base core/words agents/sql/catalog agents/sql/grammar agents/sql/parse agents/sql/joins
    SOURCES ${made}/sql_doubts_phrases.c)
# what a statement may cost, told before it runs
askd_room(agents/sql/bounds USES core/base agents/sql/catalog agents/sql/grammar agents/sql/parse)
# what a statement may do, and how it is rewritten
askd_room(agents/sql/guard
    USES core/base proto agents/sql/catalog agents/sql/grammar agents/sql/parse agents/sql/bounds
    LIBS m)
# what a deployment says about its data: semantic.json
askd_room(agents/semantic
    USES core/base proto backends agents/sql/catalog agents/sql/grammar agents/sql/guard)
# what a node of a graph may reach
askd_room(agents/services
    USES core/base core/run proto backends agents/common agents/sql/catalog agents/sql/joins agents/sql/guard)
# which words mean which tables, columns and values
askd_room(agents/lexicon
    USES core/base core/words proto backends agents/english agents/sql/catalog agents/semantic)
# a first semantic.json, guessed from a database
askd_room(agents/semantic_init
    USES core/base core/words proto backends agents/english agents/sql/catalog agents/semantic agents/lexicon)
# mechanical mistakes of a statement, mended without a model
askd_room(agents/sql/repair
    USES core/base core/words backends agents/sql/catalog agents/sql/grammar agents/sql/parse agents/sql/joins
    agents/services)
# which chart shows a table
askd_room(agents/charts USES core/base core/words proto backends agents/english)
# documents -> passages
askd_room(agents/docs
    USES core/base proto backends agents/services
    LIBS PkgConfig::CRYPTO PkgConfig::MD4C PkgConfig::XML2)
# files as people have them (PDF, DOCX, XLSX, CSV, JSON) -> HTML
askd_room(agents/docs/formats USES core/base proto LIBS PkgConfig::XML2 PkgConfig::ZIP)
# what a conversation has said, as a prompt holds it
askd_room(agents/memory
    USES core/base core/store proto backends agents/sql/grammar agents/services agents/lexicon)
# passages for a question, tables for a question
askd_room(agents/search
    USES core/base core/words proto agents/common agents/english agents/sql/guard agents/semantic
    agents/services agents/lexicon
    LIBS m)
# what is asked of the data, as a type; what surrounds a question
askd_room(agents/offline/reading USES core/base core/words agents/english agents/semantic agents/lexicon)
# question -> what is asked of the data, by a grammar kept as data
askd_room(agents/offline/grammar
    USES core/base core/words agents/english agents/semantic agents/lexicon agents/offline/reading
    SOURCES ${made}/grammar_en.c)
# what is asked -> SQL
askd_room(agents/offline/compose
    USES core/base core/words backends agents/sql/joins agents/semantic agents/lexicon agents/offline/reading)
# queries over metrics, as a model fills them in -> SQL
askd_room(agents/semantic_query
    USES core/base core/words core/run proto backends agents/english agents/sql/catalog agents/sql/grammar agents/sql/joins
    agents/semantic agents/services agents/lexicon agents/offline/reading agents/offline/compose)
# rows -> sentences; what is asked back
askd_room(agents/offline/answers
    USES core/base core/words proto agents/english agents/sql/catalog agents/semantic agents/lexicon agents/charts
    agents/offline/reading agents/offline/grammar agents/offline/compose)
# whether a statement asks what the question asks
askd_room(agents/offline/second_look
    USES core/base core/words agents/english agents/sql/catalog agents/sql/grammar agents/sql/parse
    agents/sql/joins agents/sql/doubts agents/lexicon agents/offline/reading agents/offline/answers)
# whether the numbers of an answer follow from the rows it is about
askd_room(agents/held USES core/base core/words proto LIBS m)
# results: as JSON, held against each other, and what of them is private
askd_room(agents/rows
    USES core/base core/loop core/run proto backends agents/sql/catalog agents/sql/grammar agents/sql/parse
    agents/services
    LIBS m)
# what is doubtful about a statement, proven by rows
askd_room(agents/proving
    USES core/base core/loop core/run backends agents/sql/catalog agents/sql/parse agents/sql/doubts agents/sql/guard
    agents/services)
# nodes that several graphs use
askd_room(agents/nodes
    USES core/base core/words core/loop core/store core/run proto agents/common agents/english agents/sql/catalog
    agents/sql/grammar agents/sql/parse agents/sql/joins agents/sql/doubts agents/sql/guard agents/sql/repair
    agents/proving agents/semantic agents/services agents/lexicon agents/charts agents/memory agents/search agents/held agents/rows
    agents/semantic_query agents/offline/answers agents/offline/second_look)
askd_room(agents/general_agent
    USES core/base core/run agents/common agents/sql/catalog agents/semantic agents/services
    agents/lexicon agents/search agents/nodes)
askd_room(agents/rag_agent
    USES core/run proto agents/common agents/english agents/services agents/docs agents/search agents/nodes)
askd_room(agents/sql_agent
    USES core/base core/words proto backends agents/common agents/sql/catalog agents/sql/grammar
    agents/sql/parse agents/sql/joins agents/sql/repair agents/semantic agents/services
    agents/lexicon agents/search agents/rows agents/nodes agents/semantic_query)
# what a model may call, and one call of it
askd_room(agents/tools
    USES core/base core/loop core/run proto backends agents/common agents/semantic agents/sql/catalog
    agents/sql/guard agents/sql/joins
    agents/sql/parse agents/services agents/lexicon agents/search agents/rows agents/proving agents/nodes agents/sql_agent agents/semantic_query)
# a model that takes turns with tools
askd_room(agents/agent
    USES core/base core/run proto backends agents/common agents/nodes agents/sql_agent
    agents/tools)
askd_room(agents/data_agent
    USES core/base agents/common agents/services agents/nodes agents/agent)
askd_room(agents/orchestrator
    USES proto agents/common agents/services agents/nodes agents/general_agent agents/rag_agent
    agents/sql_agent agents/agent agents/data_agent agents/semantic_query)
# what a model needs to write a statement for a question
askd_room(agents/gather
    USES core/base core/run proto agents/common agents/services agents/search agents/nodes agents/sql_agent)
askd_room(agents/text_to_sql
    USES core/base proto agents/common agents/semantic agents/services agents/rows agents/nodes
    agents/gather agents/semantic_query)
# numbers in text, and calculations with them
askd_room(agents/figures USES core/base core/words proto agents/common agents/nodes agents/held)
askd_room(agents/analyst
    USES core/base core/store core/run proto agents/common agents/english agents/services agents/charts agents/docs
    agents/memory agents/search agents/nodes agents/figures)
# answers in the documents' own sentences, and figures in them
askd_room(agents/offline/documents
    USES core/base core/words proto backends agents/common agents/english agents/docs agents/figures)
# the model interface answered by rules
askd_room(agents/offline
    USES core/base proto backends agents/sql/joins agents/semantic agents/lexicon agents/memory
    agents/offline/answers agents/offline/documents)
# graphs in files
askd_room(agents/graph_files
    USES core/base core/store core/run proto agents/common agents/sql/catalog agents/services
    agents/rows agents/nodes agents/tools agents/agent agents/gather agents/semantic
    agents/semantic_query agents/sql/repair)
# graphs in files <-> Agent Spec
askd_room(agents/agent_spec USES core/base proto)
# the other folders with a graph.c: a graph each
askd_graph_rooms(
    USES core/base proto agents/common agents/sql/repair agents/semantic agents/services agents/rows agents/nodes
    agents/semantic_query)
# all graphs by name, and loading what they know
askd_room(agents
    USES core/base proto agents/common agents/sql/catalog agents/sql/guard agents/sql/joins
    agents/semantic agents/services agents/lexicon agents/graph_files)
askd_use_graphs(agents)

# environment and .env -> settings
askd_room(server/config
    USES core/base core/run proto proto/models backends backends/vectors backends/redis backends/remote
    agents/services
    LIBS PkgConfig::CRYPTO)
# what is counted and traced
askd_room(server/observe
    USES core/base core/observe core/run proto backends backends/http agents server/config
    SOURCES ${made}/build_info.c)
add_dependencies(room_server_observe build_info)
# who a caller is: keys, tokens, and the keys that sign them
askd_room(server/auth
    USES core/base core/loop proto backends/http
    LIBS PkgConfig::CRYPTO)
# what the program says, in the language of whoever reads it
askd_room(server/language USES core/base core/store proto SOURCES ${made}/sentences.c)
# connections, requests, routes and answers; knows no run
askd_room(server/http
    USES core/base core/loop core/store proto server/language server/observe server/auth
    LIBS PkgConfig::UV PkgConfig::NGHTTP2)
# settings -> backends and knowledge
askd_room(server/wiring
    USES core/base core/loop core/store proto backends backends/http backends/pool backends/sql
    backends/sql/child backends/extract
    backends/sqlite backends/passages backends/vectors backends/words backends/stores backends/models
    backends/remote agents/common
    agents/docs/formats
    agents/sql/catalog agents/sql/guard agents/sql/joins agents/semantic
    agents/services agents/lexicon agents/memory agents/search agents/gather agents/offline
    agents server/config server/language server/observe)
set_source_files_properties(${CMAKE_SOURCE_DIR}/server/wiring/knowledge.c PROPERTIES
    COMPILE_DEFINITIONS ASKD_SOURCE_PROMPTS="${CMAKE_SOURCE_DIR}/agents")
# one file -> passages in the stores, a line of the ledger
askd_room(server/documents
    USES core/base core/loop backends backends/extract agents/docs
    agents/docs/formats agents/services)
# what the store keeps of runs: writing it, reading it back
askd_room(server/records
    USES core/base core/loop core/store core/run proto agents/services agents/memory agents/search
    server/http)
# conversations between memory and store; taking over runs of dead servers
askd_room(server/conversations
    USES core/base core/loop core/store core/run proto agents/memory agents server/records)
# the runs of one worker
askd_room(server/runs
    USES core/base core/loop core/store core/run proto agents/memory agents server/config
    server/observe server/http server/wiring server/records server/conversations)
# one answer of one run: a stream of events, or a whole
askd_room(server/streams
    USES core/base core/loop core/store proto server/language server/http server/records server/conversations
    server/runs)
# the native endpoints of runs and graphs, and of the server itself
askd_room(server/api
    USES core/base core/loop core/store core/run proto agents/tools server/config server/observe server/auth
    server/language server/http server/records server/runs server/streams)
# the native endpoints of conversations: history, names, links, copies, erasing
askd_room(server/api/conversations
    USES core/base core/loop core/run core/store proto server/config server/language server/http
    server/records server/conversations server/runs server/api)
# the native endpoints of documents: adding, listing, removing
askd_room(server/api/documents
    USES core/base core/loop proto backends backends/sqlite agents/docs agents/services
    server/config server/http server/wiring server/runs server/documents server/api)
# graphs that run at a time or after another run; results that are sent to webhooks
askd_room(server/schedules
    USES core/base core/loop core/store core/run proto backends/http backends/remote agents/memory agents
    server/config server/observe server/auth server/http server/wiring server/records
    server/conversations server/runs server/api
    LIBS PkgConfig::CRYPTO)
# what the doors for other clients share
askd_room(server/facades USES proto agents/memory server/http server/runs server/api)
# OpenAI Chat Completions and Responses
askd_room(server/facades/openai
    USES core/base core/run proto agents/memory server/http server/records server/runs
    server/streams server/api server/api/conversations server/facades)
# the LangGraph server's API
askd_room(server/facades/langgraph
    USES core/base core/store proto agents/memory server/http server/records server/runs
    server/streams server/api server/api/conversations server/schedules server/facades)
# whole results as files
askd_room(server/results
    USES core/base core/loop core/store proto backends agents/sql/catalog agents/sql/parse agents/sql/guard
    agents/lexicon agents/services agents/rows agents/nodes server/config server/http server/wiring server/runs
    server/api
    LIBS PkgConfig::ZLIB m)
# the Model Context Protocol
askd_room(server/facades/mcp
    USES core/base core/store proto agents/sql/guard agents/services agents
    server/http server/records server/runs server/wiring server/api server/results server/facades)
# AG-UI
askd_room(server/facades/agui
    USES core/base proto server/http server/records server/runs server/api server/facades)
# the AI SDK's UI message stream
askd_room(server/facades/ai_sdk
    USES proto server/http server/records server/runs server/streams server/api
    server/api/conversations server/facades)
# what people say of answers
askd_room(server/feedback
    USES core/base core/store proto server/http server/wiring server/records server/conversations
    server/runs server/api server/api/conversations)
# the page at "/"
askd_room(server/page
    USES core/base core/words proto agents/sql/catalog agents/semantic agents/lexicon agents/charts
    server/language server/http server/runs server/api
    SOURCES ${made}/page_files.c)
# workers, their threads, start and stop
askd_room(server/process
    USES core/base core/loop backends/vectors backends/remote server/config server/observe server/auth
    server/language server/http server/wiring server/records server/conversations server/runs server/api server/api/conversations
    server/api/documents
    server/facades/openai
    server/facades/langgraph server/facades/mcp server/facades/agui server/facades/ai_sdk
    server/results server/schedules server/feedback server/page
    LIBS PkgConfig::UV Threads::Threads)
# what the commands are: --help, man page, completions
askd_room(server/cli/manual USES core/base server/config)
# the commands
askd_room(server/cli
    USES core/base core/run proto backends backends/http agents/sql/catalog agents/sql/postgres
    agents/sql/parse agents/sql/joins agents/sql/guard agents/semantic agents/lexicon agents/nodes
    agents/agent_spec agents server/config server/wiring server/records server/process)
# askd check
askd_room(server/cli/check
    USES core/base core/loop backends backends/sqlite agents agents/sql/catalog agents/sql/guard
    server/auth server/config server/wiring server/cli)
# askd docs
askd_room(server/cli/docs
    USES core/base core/loop proto backends agents/docs agents/docs/formats
    agents/search server/config server/wiring server/documents server/cli)
# askd semantic
askd_room(server/cli/semantic
    USES core/base core/loop core/store proto backends agents/common agents/sql/catalog
    agents/sql/parse agents/sql/guard agents/semantic agents/lexicon agents/semantic_init agents/nodes server/config
    server/wiring server/records server/cli)
# askd shell: one question after another
askd_room(server/cli/shell
    USES core/base proto agents/sql/catalog agents/services server/config server/process server/cli
    LIBS PkgConfig::EDIT)

# Whole floors, for programs and tests.
askd_floor(base core/base)
askd_floor(core core)
askd_floor(proto proto)
askd_floor(backends core proto backends)
askd_floor(agents core proto agents)
askd_floor(server backends agents server BUT server/cli)

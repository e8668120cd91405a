# made_sources.cmake - the C files that the build makes: scripts of the stores, the page, the commit.
set(made ${CMAKE_BINARY_DIR}/made)
file(MAKE_DIRECTORY ${made})

# askd_embed(<name> <header> <file>...): the files, one behind the other, as the constant <name> that
# <header> declares, in ${made}/<name>.c.
function(askd_embed name header)
    list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/)
    add_custom_command(OUTPUT ${made}/${name}.c
        COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DHEADER=${header} -DOUT=${made}/${name}.c
            "-DFILES=${ARGN}" -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
endfunction()

set(lua backends/stores/store_redis)
askd_embed(store_redis_lua backends/stores/store_redis_lua.h
    ${lua}/common.lua ${lua}/conversations.lua ${lua}/jobs.lua ${lua}/runs.lua)
set(pg backends/stores/store_pg)
askd_embed(store_pg_sql backends/stores/store_pg_sql.h
    ${pg}/tables.sql ${pg}/conversations.sql ${pg}/jobs.sql ${pg}/runs.sql)

# Words that multiply a number, as a table.
set(scales ${CMAKE_SOURCE_DIR}/core/words)
add_custom_command(OUTPUT ${made}/scale_table.c
    COMMAND awk -f ${scales}/scales.awk ${scales}/scales.txt > ${made}/scale_table.c
    DEPENDS ${scales}/scales.awk ${scales}/scales.txt VERBATIM)

# The words of English that mean tables, columns and conditions, as tables.
set(words ${CMAKE_SOURCE_DIR}/agents/english/words)
add_custom_command(OUTPUT ${made}/vocabulary_en.c
    COMMAND awk -f ${words}/tables.awk ${words}/en.txt > ${made}/vocabulary_en.c
    DEPENDS ${words}/tables.awk ${words}/en.txt VERBATIM)
add_custom_command(OUTPUT ${made}/spellings.c
    COMMAND awk -f ${words}/names.awk ${words}/names.txt > ${made}/spellings.c
    DEPENDS ${words}/names.awk ${words}/names.txt VERBATIM)
add_custom_command(OUTPUT ${made}/aliases_table.c
    COMMAND awk -f ${words}/aliases.awk ${words}/aliases.txt > ${made}/aliases_table.c
    DEPENDS ${words}/aliases.awk ${words}/aliases.txt VERBATIM)

# What questions say of numbers and days, as a table.
set(doubts ${CMAKE_SOURCE_DIR}/agents/sql/doubts/words)
add_custom_command(OUTPUT ${made}/sql_doubts_phrases.c
    COMMAND awk -f ${doubts}/words.awk ${doubts}/words.txt > ${made}/sql_doubts_phrases.c
    DEPENDS ${doubts}/words.awk ${doubts}/words.txt VERBATIM)

# The grammar of questions, as tables.
set(grammar ${CMAKE_SOURCE_DIR}/agents/offline/grammar)
add_custom_command(OUTPUT ${made}/grammar_en.c
    COMMAND awk -f ${grammar}/grammar.awk ${grammar}/english.grammar > ${made}/grammar_en.c
    DEPENDS ${grammar}/grammar.awk ${grammar}/english.grammar VERBATIM)

# What is said to readers, as a table.
set(language ${CMAKE_SOURCE_DIR}/server/language)
add_custom_command(OUTPUT ${made}/sentences.c
    COMMAND awk -f ${language}/sentences.awk ${language}/sentences.txt > ${made}/sentences.c
    DEPENDS ${language}/sentences.awk ${language}/sentences.txt VERBATIM)

# The page at "/" is part of the program.
set(page ${CMAKE_SOURCE_DIR}/server/page)
file(GLOB page_sources CONFIGURE_DEPENDS
    ${page}/*.html ${page}/*.css ${page}/*.js ${page}/*.json ${page}/*.svg)
add_custom_command(OUTPUT ${made}/page_files.c
    COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DOUT=${made}/page_files.c
        -DASKD_VERSION=${PROJECT_VERSION} -P ${CMAKE_SOURCE_DIR}/cmake/embed_page.cmake
    DEPENDS ${page_sources} ${CMAKE_SOURCE_DIR}/cmake/embed_page.cmake
    COMMENT "Embedding server/page")

# The commit, looked up at each build. ASKD_COMMIT says it where there is no repository.
set(ASKD_COMMIT "" CACHE STRING "commit that is built; empty: git is asked")
add_custom_target(build_info BYPRODUCTS ${made}/build_info.c
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DCOMMIT=${ASKD_COMMIT}
        -DOUT=${made}/build_info.c -P ${CMAKE_SOURCE_DIR}/cmake/build_info.cmake)

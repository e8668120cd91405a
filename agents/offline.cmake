# The lexicon: what words may mean in a database. Its words are made tables of.
set(words ${CMAKE_CURRENT_SOURCE_DIR}/offline/words)
set(vocabulary ${CMAKE_CURRENT_BINARY_DIR}/offline/vocabulary_en.c)
add_custom_command(OUTPUT ${vocabulary}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/offline
    COMMAND awk -f ${words}/tables.awk ${words}/en.txt > ${vocabulary}
    DEPENDS ${words}/tables.awk ${words}/en.txt VERBATIM)
target_sources(agents PRIVATE
    offline/aliases.c offline/dates.c offline/derived.c offline/describe_names.c offline/exact.c
    offline/facts.c offline/glossary.c offline/guess.c offline/index.c offline/lexicon.c
    offline/link.c offline/names.c offline/owned.c offline/render_names.c offline/synonyms.c
    offline/tokens.c offline/trade.c offline/verbs.c offline/verified.c offline/vocabulary.c
    offline/wording.c offline/words.c ${vocabulary})
# The offline engine: questions about data answered by rules. Reading, composing, answers,
# documents, second look.
target_sources(agents PRIVATE
    offline/arrange.c offline/averages.c offline/bind.c offline/clauses.c offline/columns.c
    offline/contrasts.c offline/courtesy.c offline/cues.c offline/deeds.c offline/finish.c
    offline/follow.c offline/mentions.c offline/moments.c offline/orders.c offline/parse.c
    offline/phrasing.c offline/ratios.c offline/resolve.c offline/roles.c offline/superlatives.c

    offline/compose.c offline/extremes.c offline/jointree.c
    offline/keyed.c offline/render.c offline/statement.c

    offline/answer.c offline/clarify.c offline/describe.c offline/meanings.c offline/model.c
    offline/question.c offline/tasks.c

    offline/analyst.c offline/extractive.c offline/figures.c offline/finance.c
    offline/findings.c offline/passages.c

    offline/claims.c offline/compare.c)

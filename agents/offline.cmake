# The offline engine: questions about data answered by rules.
target_sources(agents PRIVATE
    offline/words.c offline/synonyms.c offline/aliases.c offline/phrasing.c offline/courtesy.c
    offline/derived.c offline/roles.c offline/trade.c offline/arrange.c offline/deeds.c offline/verbs.c offline/moments.c offline/ratios.c offline/tokens.c offline/dates.c
    offline/analyst.c offline/extractive.c offline/figures.c offline/finance.c offline/findings.c
    offline/passages.c offline/facts.c offline/glossary.c offline/guess.c offline/exact.c offline/owned.c offline/index.c offline/lexicon.c
    offline/link.c offline/wording.c offline/names.c offline/resolve.c
    offline/parse.c offline/cues.c offline/mentions.c offline/columns.c offline/bind.c
    offline/averages.c offline/clauses.c offline/contrasts.c offline/orders.c offline/superlatives.c offline/finish.c offline/follow.c
    offline/render.c offline/jointree.c offline/keyed.c offline/statement.c offline/compose.c offline/compose_columns.c offline/extremes.c
    offline/verified.c offline/clarify.c offline/question.c offline/claims.c offline/compare.c offline/compare_filters.c
    offline/describe.c offline/meanings.c offline/answer.c offline/tasks.c offline/model.c)

# The analyst graph and what it checks answers with.
target_sources(agents PRIVATE
    analyst/calculate.c analyst/numbers.c analyst/quality.c analyst/results.c)

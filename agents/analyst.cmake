# The analyst graph and what it checks answers with.
target_sources(agents PRIVATE
    analyst/analysis.c analyst/calculate.c analyst/draw.c analyst/generation.c analyst/graph.c
    analyst/look_up.c analyst/numbers.c analyst/put.c analyst/quality.c analyst/query.c
    analyst/remember.c analyst/results.c analyst/retrieval.c)

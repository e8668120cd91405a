# The catalog and the guard: what a database holds, what a statement may do, how it is rewritten.
target_sources(agents PRIVATE
    sql/catalog.c sql/catalog_file.c sql/catalog_prompt.c sql/introspect.c sql/sensitive.c)

# The catalog and the guard: what a database holds, what a statement may do, how it is rewritten.
target_sources(agents PRIVATE
    sql/bounds.c sql/bounds_data.c sql/bounds_growth.c sql/bounds_joins.c sql/bounds_rows.c sql/bounds_sizes.c sql/catalog.c sql/catalog_file.c
    sql/catalog_prompt.c sql/catalog_write.c sql/columns.c sql/cost.c
    sql/introspect.c sql/introspect_build.c sql/introspect_mysql.c sql/introspect_pg.c
    sql/introspect_sqlite.c sql/multiplied.c sql/naming.c sql/policy.c sql/policy_data.c sql/policy_file.c sql/policy_functions.c
    sql/policy_functions_pg.c sql/policy_rules.c
    sql/reading.c sql/rewrite.c sql/rewrite_text.c sql/sensitive.c sql/tenancy.c sql/tree_walk.c sql/view_probe.c sql/visible.c)

# The SQL front end: text -> tokens -> tree -> resolved names.
target_sources(agents PRIVATE
    sql/words.c sql/quote.c sql/lexer.c
    sql/grammar.c sql/grammar_cursor.c sql/grammar_expr.c sql/grammar_primary.c sql/grammar_call.c
    sql/grammar_from.c sql/grammar_mysql.c sql/grammar_mysql_table.c sql/grammar_mysql_value.c
    sql/grammar_select.c
    sql/scope.c sql/scope_state.c sql/scope_name.c sql/scope_from.c sql/parse.c sql/parse_sqlite.c sql/reads.c
    sql/parse_pg.c sql/parse_pg_branch.c sql/parse_pg_call.c sql/parse_pg_expr.c sql/parse_pg_form.c
    sql/parse_pg_from.c sql/parse_pg_lexer.c sql/parse_pg_name.c sql/parse_pg_node.c
    sql/parse_pg_select.c sql/parse_pg_state.c sql/parse_pg_type.c sql/parse_pg_with.c)
target_link_libraries(agents PRIVATE ${PG_QUERY_LIBRARY})

# The graphs, their nodes, and what they share.
target_sources(agents PRIVATE
    content.c extract.c loading.c members.c prompt.c registry.c services.c
    memory/elsewhere.c memory/extracts.c memory/history.c memory/mentions.c memory/notice.c memory/recall.c memory/tiers.c
    nodes/approve_sql.c nodes/ask.c nodes/asked.c nodes/chart.c nodes/check_sql.c nodes/notes.c nodes/remember.c nodes/run_sql.c nodes/search.c nodes/second_look.c nodes/summarise.c
    banking/answer.c banking/graph.c
    general_agent/graph.c
    orchestrator/graph.c
    passages/graph.c
    rag_agent/cite.c rag_agent/graph.c
    sql_agent/clarify.c sql_agent/correct.c sql_agent/empty.c sql_agent/graph.c sql_agent/joins.c sql_agent/plan.c sql_agent/rank.c sql_agent/root.c sql_agent/repair.c sql_agent/repair_calls.c
    sql_agent/repair_case.c sql_agent/repair_group.c sql_agent/repair_joins.c sql_agent/repair_names.c
    sql_agent/repair_pieces.c sql_agent/repair_text.c sql_agent/result.c sql_agent/sample.c sql_agent/select.c
    statement/graph.c
    text_to_sql/graph.c text_to_sql/pairs.c text_to_sql/respond.c text_to_sql/retrieval.c)

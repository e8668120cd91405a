# How tables join: the graph of relationships, and paths and trees over it.
target_sources(agents PRIVATE
    sql/join_graph.c sql/join_graph_file.c sql/join_graph_review.c sql/join_graph_seen.c
    sql/join_graph_verified.c sql/join_finder.c sql/join_path.c sql/join_path_cache.c
    sql/join_steiner.c sql/join_tree.c)

# Fuzz target of the join-graph file reader.
askd_fuzz(join_graph agents)

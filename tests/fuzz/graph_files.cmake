# Fuzz target of graphs in files.
askd_fuzz(graph_file agents)

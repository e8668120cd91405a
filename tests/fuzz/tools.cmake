# What a model writes as arguments of tools.
askd_fuzz(tool_arguments agents)
# What arguments become in a verified statement.
askd_fuzz(semantic_places agents)

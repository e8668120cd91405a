# What a model writes as arguments of tools.
askd_fuzz(tool_arguments agents)
# What a deployment says of its data; what arguments become in a verified statement of it.
askd_fuzz(semantic_file agents)
askd_fuzz(semantic_places agents)

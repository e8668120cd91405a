# What a model writes as arguments of tools.
askd_fuzz(tool_arguments agents)

# Documents of Agent Spec, and graphs in files as such documents.
askd_fuzz(agent_spec agents)

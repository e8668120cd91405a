# Answers' heads, as libcurl cuts them into lines.
askd_fuzz(http_head backends)
# What Redis answers.
askd_fuzz(redis backends)
# What Chroma and Qdrant answer.
askd_fuzz(chroma_wire backends)
askd_fuzz(qdrant_wire backends)
# Frames between askd and its SQLite processes.
askd_fuzz(sql_wire backends)
# What a server of Anthropic's messages answers, and thoughts in its text.
askd_fuzz(anthropic backends)
# The file of tools outside, and what MCP servers say.
askd_fuzz(remote backends)

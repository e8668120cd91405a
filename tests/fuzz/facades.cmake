# Frames of HTTP/2, bodies of the doors for other protocols, and what is said in languages.
askd_fuzz(http2 server)
askd_fuzz(mcp server)
askd_fuzz(agui server)
askd_fuzz(langgraph server)
askd_fuzz(completions server)
askd_fuzz(responses server)
askd_fuzz(ui_chat server)
askd_fuzz(event_words server)

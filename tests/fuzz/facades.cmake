# Frames of HTTP/2, and bodies of the doors for other protocols.
askd_fuzz(http2 server)
askd_fuzz(mcp server)
askd_fuzz(agui server)
askd_fuzz(langgraph server)
askd_fuzz(completions server)
askd_fuzz(responses server)
askd_fuzz(ui_chat server)

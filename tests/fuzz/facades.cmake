# Frames of HTTP/2, bodies of the doors for other protocols, what is said in languages, what a
# model says of tables.
askd_fuzz(http2 server)
askd_fuzz(mcp server)
askd_fuzz(agui server)
askd_fuzz(langgraph server)
askd_fuzz(completions server)
askd_fuzz(answer_form server)
askd_fuzz(responses server)
askd_fuzz(ui_chat server)
askd_fuzz(event_words server)
askd_fuzz(learn room_server_cli_semantic server)

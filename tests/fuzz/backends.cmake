# Answers' heads, as libcurl cuts them into lines.
askd_fuzz(http_head backends)

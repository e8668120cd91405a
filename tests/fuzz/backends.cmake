# Answers' heads, as libcurl cuts them into lines.
askd_fuzz(http_head backends)
# What Redis answers.
askd_fuzz(redis backends)

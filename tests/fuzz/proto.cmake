# What comes from outside as bytes: requests, event streams, JSON.
askd_fuzz(http proto)
askd_fuzz(sse proto)
askd_fuzz(json proto)

# What comes from outside as bytes: requests, event streams, embeddings, rankings, JSON.
askd_fuzz(http proto)
askd_fuzz(http_answer proto)
askd_fuzz(http2_head proto)
askd_fuzz(sse proto)
askd_fuzz(embeddings proto m)
askd_fuzz(rerank proto m)
askd_fuzz(json proto)

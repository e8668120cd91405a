# Fuzz target of the offline engine: any bytes as a question over a small schema.
askd_fuzz(question agents)
# Fuzz target of queries over metrics, over the same schema.
askd_fuzz(semantic_query agents)

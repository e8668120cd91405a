# Fuzz target of the offline engine: any bytes as a question over a small schema.
askd_fuzz(question agents)

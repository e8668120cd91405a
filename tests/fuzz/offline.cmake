# Fuzz targets of the offline engine: any bytes as a question over a small schema; comments as codes.
askd_fuzz(question agents)
askd_fuzz(codes agents)
# Fuzz target of queries over metrics, over the same schema.
askd_fuzz(semantic_query agents)

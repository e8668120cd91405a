# Fuzz targets of the offline engine: any bytes as a question over a small schema; comments as codes; declarations.
askd_fuzz(question agents)
askd_fuzz(codes agents)
askd_fuzz(declared agents)
# Fuzz target of queries over metrics, over the same schema.
askd_fuzz(semantic_query agents)

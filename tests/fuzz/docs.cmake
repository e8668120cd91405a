# Fuzz target of the document and record readers, and of the cutting into chunks.
askd_fuzz(docs agents)

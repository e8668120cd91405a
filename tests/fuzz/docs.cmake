# Fuzz target of the document and record readers, and of the cutting into chunks.
askd_fuzz(docs agents)
# And of the formats that a child process reads.
askd_fuzz(formats agents PkgConfig::ZIP)

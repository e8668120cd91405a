# Documents into passages: readers, chunks, what is ingested. md4c: docs/markdown.c; libxml2:
# docs/html.c.
target_sources(agents PRIVATE
    docs/blocks.c docs/chunk.c docs/document.c docs/html.c docs/markdown.c docs/records.c
    docs/sentences.c)
target_link_libraries(agents PRIVATE PkgConfig::MD4C PkgConfig::XML2)

# Documents into passages: readers, chunks, what is ingested; and looking passages up. md4c:
# docs/markdown.c; libxml2: docs/html.c; libcrypto: docs/owner.c.
target_sources(agents PRIVATE
    docs/blocks.c docs/chunk.c docs/document.c docs/html.c docs/ingest.c docs/items.c
    docs/markdown.c docs/owner.c docs/records.c docs/sentences.c
    search/hybrid.c search/near.c search/schema_index.c
    search/schema_passages.c search/support.c)
target_link_libraries(agents PRIVATE PkgConfig::CRYPTO PkgConfig::MD4C PkgConfig::XML2)

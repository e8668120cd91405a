# llhttp from Debian's node-llhttp, which ships the generated C sources. Built strict: as shipped
# it accepts a header block that ends in CR LF CR and any byte (CVE-2025-23167).
find_path(LLHTTP_SRC_DIR llhttp.c PATH_SUFFIXES share/llhttp)
find_path(LLHTTP_INCLUDE_DIR llhttp.h PATH_SUFFIXES share/include/llhttp include/llhttp)
if(NOT LLHTTP_SRC_DIR OR NOT LLHTTP_INCLUDE_DIR)
    message(FATAL_ERROR "llhttp's sources are missing: apt-get install node-llhttp")
endif()
add_library(llhttp STATIC
    ${LLHTTP_SRC_DIR}/api.c ${LLHTTP_SRC_DIR}/http.c ${LLHTTP_SRC_DIR}/llhttp.c)
target_include_directories(llhttp SYSTEM PUBLIC ${LLHTTP_INCLUDE_DIR})
target_compile_definitions(llhttp PRIVATE LLHTTP_STRICT_MODE=1)
target_compile_options(llhttp PRIVATE -w -O2)

# embed_page.cmake - the files of a folder as one C table, each plain and gzipped; run by the build:
#
#   cmake -DPAGE=folder -DOUT=page_files.c -DASKD_VERSION=1.2.3 -P embed_page.cmake
#
# Files are served under /page/<version>/, where the version is a digest of all of them, so that a
# browser may keep them for good; index.html is what "/" answers, embed.js "/embed.js". In them @VERSION@ is the version and
# @MODULES@ tells the browser of every module at once, or it would find them one after the other; of
# languages it asks for the one it needs. In
# openapi.json, @ASKD_VERSION@ is the program's. The opening comments of modules are left out.
cmake_minimum_required(VERSION 3.25)
find_program(GZIP gzip REQUIRED)

set(types_html "text/html; charset=utf-8")
set(types_css "text/css; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_svg "image/svg+xml")
set(types_json "application/json")

file(GLOB paths LIST_DIRECTORIES false ${PAGE}/*.html ${PAGE}/*.css ${PAGE}/*.js ${PAGE}/*.json ${PAGE}/*.svg)
list(SORT paths)
set(digests "")
set(modules "")
foreach(path IN LISTS paths)
    file(SHA256 ${path} digest)
    get_filename_component(name ${path} NAME)
    string(APPEND digests "${name} ${digest}\n")
    if(name MATCHES "\\.js$" AND NOT name MATCHES "^(theme|words_..|embed|askd_chat)\\.js$")
        string(APPEND modules "  <link rel=\"modulepreload\" href=\"/page/@VERSION@/${name}\">\n")
    endif()
endforeach()
string(SHA256 VERSION "${digests}")
string(SUBSTRING ${VERSION} 0 12 VERSION)
string(STRIP "${modules}" modules)

# Two byte arrays, plain_<i> and small_<i>, appended to ${out}.
function(write_bytes array path)
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    file(APPEND ${OUT}.new "static const unsigned char ${array}[] = {${bytes}};\n")
endfunction()

file(WRITE ${OUT}.new "/* Made by cmake/embed_page.cmake of ${PAGE}. */\n#include \"server/page/page_files.h\"\n\n")
set(table "")
set(i 0)
foreach(path IN LISTS paths)
    get_filename_component(name ${path} NAME)
    get_filename_component(kind ${path} LAST_EXT)
    string(SUBSTRING ${kind} 1 -1 kind)
    set(plain ${OUT}.plain)
    if(kind MATCHES "html|json")
        file(READ ${path} text)
        string(REPLACE "@MODULES@" "${modules}" text "${text}")
        string(REPLACE "@ASKD_VERSION@" "${ASKD_VERSION}" text "${text}")
        string(REPLACE "@VERSION@" "${VERSION}" text "${text}")
        file(WRITE ${plain} "${text}")
    elseif(kind STREQUAL "js")
        # The comment that a file opens with is for who reads the source.
        file(READ ${path} text)
        string(REGEX REPLACE "^(//[^\n]*\n)+" "" text "${text}")
        string(REPLACE "@VERSION@" "${VERSION}" text "${text}")
        file(WRITE ${plain} "${text}")
    else()
        file(COPY_FILE ${path} ${plain})
    endif()
    execute_process(COMMAND ${GZIP} -9 -n -c ${plain} OUTPUT_FILE ${OUT}.small COMMAND_ERROR_IS_FATAL ANY)
    file(SHA256 ${plain} etag)
    string(SUBSTRING ${etag} 0 16 etag)
    write_bytes(plain_${i} ${plain})
    write_bytes(small_${i} ${OUT}.small)
    string(APPEND table "    {\"${name}\", \"${types_${kind}}\", \"${etag}\",\n"
        "     {(const char *)plain_${i}, sizeof plain_${i}}, {(const char *)small_${i}, sizeof small_${i}}},\n")
    math(EXPR i "${i} + 1")
endforeach()
file(APPEND ${OUT}.new "\nconst struct page_file page_files_table[] = {\n${table}};\n"
    "const size_t page_files_count = ${i};\nconst char page_files_version[] = \"${VERSION}\";\n")
file(REMOVE ${OUT}.plain ${OUT}.small)
file(RENAME ${OUT}.new ${OUT})

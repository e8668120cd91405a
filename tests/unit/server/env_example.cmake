# tests/unit/server/env_example.cmake - .env.example is what `askd config env-example` writes.
execute_process(COMMAND ${ASKD} config env-example OUTPUT_VARIABLE made COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXAMPLE} kept)
if(NOT made STREQUAL kept)
    message(FATAL_ERROR "stale: run `askd config env-example > .env.example`")
endif()

# docs/operations.md names every setting.
get_filename_component(root ${EXAMPLE} DIRECTORY)
file(READ ${root}/docs/operations.md page)
string(REGEX MATCHALL "\n#[A-Z_0-9]+=" lines "${made}")
foreach(line ${lines})
    string(REGEX REPLACE "[\n#=]" "" name "${line}")
    string(FIND "${page}" "`${name}`" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "docs/operations.md does not name ${name}")
    endif()
endforeach()

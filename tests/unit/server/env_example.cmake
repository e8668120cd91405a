# tests/unit/server/env_example.cmake - .env.example is what `askd config env-example` writes.
execute_process(COMMAND ${ASKD} config env-example OUTPUT_VARIABLE made COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXAMPLE} kept)
if(NOT made STREQUAL kept)
    message(FATAL_ERROR "stale: run `askd config env-example > .env.example`")
endif()

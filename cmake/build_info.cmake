# cmake/build_info.cmake - writes build_info.c, which knows the commit that is built. Run at each build:
#
#   cmake -DSOURCE=folder -DCOMMIT=abc123 -DOUT=build_info.c -P build_info.cmake
#
# Without COMMIT git is asked; without git, or outside a repository, it is "unknown". The file is
# touched only when what it says changes.
if(NOT COMMIT)
    execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
        OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(failed)
        set(COMMIT unknown)
    endif()
endif()
string(CONCAT text
    "/* Written by cmake/build_info.cmake. */\n"
    "#include \"server/observe/build_info.h\"\n\n"
    "const char *build_info_commit(void)\n{\n    return \"${COMMIT}\";\n}\n")
if(EXISTS ${OUT})
    file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
    file(WRITE ${OUT} "${text}")
endif()

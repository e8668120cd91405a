# build_flags: how every target of ours is compiled. include_root: includes start at the root.
add_library(include_root INTERFACE)
target_include_directories(include_root INTERFACE ${CMAKE_SOURCE_DIR})

add_library(build_flags INTERFACE)
target_compile_features(build_flags INTERFACE c_std_17)
target_compile_definitions(build_flags INTERFACE _GNU_SOURCE ASKD_VERSION="${PROJECT_VERSION}")
target_compile_options(build_flags INTERFACE
    -Wall -Wextra -Werror -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wformat=2
    -Wundef -Wvla -Wcast-qual -Wno-missing-field-initializers -fno-common
    $<$<CONFIG:Release>:-fstack-protector-strong>)
if(ASKD_SANITIZE STREQUAL "address")
    set(askd_sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
elseif(ASKD_SANITIZE STREQUAL "thread")
    set(askd_sanitizers -fsanitize=thread -fno-omit-frame-pointer)
endif()
if(ASKD_FUZZ)
    list(APPEND askd_sanitizers -fsanitize=fuzzer-no-link)
endif()
target_compile_options(build_flags INTERFACE ${askd_sanitizers})
target_link_options(build_flags INTERFACE ${askd_sanitizers})

# The catalog and the guard.
askd_unit(agents catalog agents)
askd_unit(agents naming agents)
askd_unit(agents introspect agents backends PkgConfig::SQLITE)
askd_unit(agents view_probe agents backends PkgConfig::SQLITE)
foreach(module columns guard_random plain policy policy_file rewrite rewrite_dialects
        second_reading tenancy)
    askd_unit(agents ${module} agents PkgConfig::SQLITE)
endforeach()

# The command's lines have no loop and no socket, so they are tested without the server.
askd_unit(server cmd_sql_lines agents)
target_sources(test_server_cmd_sql_lines PRIVATE ${CMAKE_SOURCE_DIR}/server/cli/cmd_sql_lines.c)
# Introspection of real servers.
askd_unit(agents introspect_engines agents backends)
target_compile_definitions(test_agents_introspect_engines PRIVATE
    INTROSPECT_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}")
askd_needs_servers(agents.introspect_engines)
# What fewer rights show, on real servers.
askd_unit(agents tenancy_rights agents backends)
target_compile_definitions(test_agents_tenancy_rights PRIVATE
    INTROSPECT_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}")
askd_needs_servers(agents.tenancy_rights)
# It counts the parses of a statement.
askd_unit(agents reading agents test_fakes backends PkgConfig::SQLITE PkgConfig::UV)
target_compile_definitions(test_agents_reading PRIVATE ASKD_PROMPTS="${CMAKE_SOURCE_DIR}/agents")
target_link_options(test_agents_reading PRIVATE -Wl,--wrap=sql_parse_statement
    -Wl,--wrap=sql_parse_statement_in)
# What is left of masked columns, on real engines.
askd_unit(agents masks agents backends PkgConfig::SQLITE)
target_compile_definitions(test_agents_masks PRIVATE
    MASKS_SQL="${CMAKE_CURRENT_SOURCE_DIR}/masks.sql")
askd_needs_servers(agents.masks)

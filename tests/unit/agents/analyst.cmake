askd_unit(agents analyst_numbers agents)
askd_unit(agents analyst_quality agents)
askd_unit(agents analyst agents test_fakes)
target_compile_definitions(test_agents_analyst PRIVATE ASKD_PROMPTS="${CMAKE_SOURCE_DIR}/agents")

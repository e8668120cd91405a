askd_unit(agents extract agents)
askd_unit(agents history agents)
askd_unit(agents prompt agents)
askd_unit(agents graphs agents test_fakes)
foreach(test prompt graphs)
    target_compile_definitions(test_agents_${test} PRIVATE
        ASKD_PROMPTS="${CMAKE_SOURCE_DIR}/agents")
endforeach()

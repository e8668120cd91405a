askd_unit(agents analyst_numbers agents)
askd_unit(agents analyst_quality agents)
askd_unit(agents analyst_query agents)
foreach(module analyst analyst_memory)
    askd_unit(agents ${module} agents test_fakes)
    target_compile_definitions(test_agents_${module} PRIVATE
        ASKD_PROMPTS="${CMAKE_SOURCE_DIR}/agents")
endforeach()

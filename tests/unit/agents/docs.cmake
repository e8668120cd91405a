askd_unit(agents document agents)
askd_unit(agents chunk agents)
askd_unit(agents records agents)

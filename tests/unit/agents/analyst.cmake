askd_unit(agents analyst_numbers agents)
askd_unit(agents analyst_quality agents)

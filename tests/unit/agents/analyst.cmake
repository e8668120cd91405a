askd_unit(agents analyst_numbers agents)

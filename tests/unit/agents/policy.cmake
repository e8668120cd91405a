askd_unit(agents catalog agents)

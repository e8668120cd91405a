# The SQL front end.
askd_unit(agents quote agents)
askd_unit(agents lexer agents)
askd_unit(agents grammar agents)
askd_unit(agents scope agents)
askd_unit(agents parse_sqlite agents PkgConfig::SQLITE)
askd_unit(agents reads agents)
askd_unit(agents parse_pg agents)

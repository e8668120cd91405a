# The catalog and the guard.
askd_unit(agents catalog agents)
askd_unit(agents introspect agents backends PkgConfig::SQLITE)
askd_unit(agents policy agents PkgConfig::SQLITE)

askd_unit(agents catalog agents)
askd_unit(agents introspect agents backends PkgConfig::SQLITE)

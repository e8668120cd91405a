# The catalog and the guard.
askd_unit(agents catalog agents)
askd_unit(agents introspect agents backends PkgConfig::SQLITE)
foreach(module columns policy policy_file rewrite)
    askd_unit(agents ${module} agents PkgConfig::SQLITE)
endforeach()

# What Office files become: the tests make archives themselves.
askd_unit(agents formats agents PkgConfig::ZIP)

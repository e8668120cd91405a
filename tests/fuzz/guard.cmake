# What the SQL guard accepts, against tables with more columns than it knows.
askd_fuzz(guard agents PkgConfig::SQLITE)

# What the SQL guard accepts as MySQL: still itself when judged again, without comments or variables.
askd_fuzz(guard_mysql agents)

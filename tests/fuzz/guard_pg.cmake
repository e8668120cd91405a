# What the SQL guard accepts as PostgreSQL, read once more by libpg_query itself.
askd_fuzz(guard_pg agents ${PG_QUERY_LIBRARY})

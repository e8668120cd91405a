# What the SQL guard accepts as PostgreSQL, read once more by libpg_query itself; and what it reads
# libpg_query's trees with.
askd_fuzz(guard_pg agents ${PG_QUERY_LIBRARY})
askd_fuzz(pg_nodes agents)

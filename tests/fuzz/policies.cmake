# Fuzz target of the file of policies.
askd_fuzz(policies server)

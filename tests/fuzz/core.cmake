# What comes back from a store of checkpoints.
askd_fuzz(snapshot core)

"""A folder for the path of other processes; see `rofunc_isaac.compat.children`."""

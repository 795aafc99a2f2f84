"""Robot files (MJCF and URDF) as Isaac Gym's `load_asset` sees them, on `mujoco.MjSpec`."""

"""Running programs that were written for Isaac Gym, and saying what they need of it."""

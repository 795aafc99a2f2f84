"""Measurements: this project beside others, on the same task in the same run."""

"""The methods of `Gym`, a file for each kind."""

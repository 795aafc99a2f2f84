"""One dict of metrics an iteration, to Weights & Biases, JSON lines and the terminal."""

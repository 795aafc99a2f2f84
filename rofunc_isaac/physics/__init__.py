"""Batched MuJoCo worlds as torch tensors, whatever the engine."""

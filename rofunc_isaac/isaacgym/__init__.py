"""The Isaac Gym interface (`gymapi`, `gymtorch`, `gymutil`, `torch_utils`) on MuJoCo."""

"""The YAML files that Hydra composes."""

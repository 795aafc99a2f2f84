"""A small package with IsaacGymEnvs' folders and interfaces, for tests that need no checkout."""

from omegaconf import OmegaConf

# As the real one does, and like it only once: a second time raises.
OmegaConf.register_new_resolver("eq", lambda x, y: x.lower() == y.lower())
OmegaConf.register_new_resolver("contains", lambda x, y: x.lower() in y.lower())
OmegaConf.register_new_resolver("if", lambda yes, a, b: a if yes else b)
OmegaConf.register_new_resolver("resolve_default", lambda default, x: default if x == "" else x)

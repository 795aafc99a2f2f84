"""The base of all tasks, and how a task is found.

This file imports nothing, so that `rofunc_isaac.envs.config` can be read without torch.
"""

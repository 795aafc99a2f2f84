"""The PPO learner. Knows torch, the schedulers and the `VecEnv` protocol; no simulator.

This file imports nothing, so that `rofunc_isaac.ppo.config` can be read without torch.
"""

"""Other people's IsaacGymEnvs as tasks of ours: `task=isaacgymenvs/Anymal`.

This file imports nothing, so that the command line can read the settings without torch.
"""

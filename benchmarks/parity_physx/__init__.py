"""The same scenes on PhysX and on MuJoCo: how far rofunc_isaac's Isaac Gym API is from Isaac Gym.

SAPIEN brings PhysX 5, the engine family of Isaac Gym, to the CPU. `python -m
benchmarks.parity_physx` prints a Markdown table; `make parity-physx` installs what it needs first.

A scene is a file in `scenes`: a function that builds a world, drives it and returns what it
measured. It does so once on each engine, through the interface in `world.py`.
"""

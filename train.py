"""Train a policy: `python train.py task=Ant`. `--help` lists what can be set."""

from rofunc_isaac.cli.main import main

if __name__ == "__main__":
    main()

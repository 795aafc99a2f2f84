"""Run a trained policy: `python play.py task=Ant checkpoint=PATH`. The same as `test=True`."""

import sys

from rofunc_isaac.cli.main import main

if __name__ == "__main__":
    main([*sys.argv[1:], "test=True"])

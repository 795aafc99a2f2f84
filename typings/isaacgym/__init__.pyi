"""For type checkers: the name `isaacgym` stands for ours."""

from rofunc_isaac.isaacgym import gymapi as gymapi
from rofunc_isaac.isaacgym import gymtorch as gymtorch
from rofunc_isaac.isaacgym import gymutil as gymutil

"""For type checkers: the name `isaacgym` stands for ours."""

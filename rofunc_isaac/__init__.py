"""Train robot policies in thousands of parallel simulations."""

__version__ = "0.1.0"

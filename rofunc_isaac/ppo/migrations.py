"""From older checkpoints to the present format, a step at a time.

Whoever changes what a checkpoint's entries mean, or renames a layer of the network, raises
`FORMAT` by one and adds the step that brings the format before it up to date. A step changes
`content` in place:

    def from_3(content):
        rename_layers(content, {"mean_head": "action_head"})
"""

from __future__ import annotations

from typing import Any, Callable, Dict

Content = Dict[str, Any]

FORMAT = 3
"""The format that this version writes."""


def from_1(content: Content) -> None:
    """Format 1 had neither the environments' state nor that of the process's generators."""
    content["env"] = content["random"] = None


def from_2(content: Content) -> None:
    """Nothing was compiled up to format 2."""
    content["learner"]["numerics"]["compile"] = False


STEPS: Dict[int, Callable[[Content], None]] = {1: from_1, 2: from_2}
"""By the format that a step starts from; each leads to the next one."""


def migrate(content: Content) -> None:
    """Bring `content`, of any format up to `FORMAT`, to `FORMAT`."""
    while content["format"] < FORMAT:
        STEPS[content["format"]](content)
        content["format"] += 1


def rename_layers(content: Content, names: Dict[str, str]) -> None:
    """Rename layers of the network, `names` from old to new; the optimizer knows no names.

    A name stands for itself and for all below it: `trunk` for `trunk.0.weight` too.
    """
    network = content["learner"]["network"]
    for key in list(network):
        for old, new in names.items():
            if key == old or key.startswith(f"{old}."):
                network[new + key[len(old) :]] = network.pop(key)

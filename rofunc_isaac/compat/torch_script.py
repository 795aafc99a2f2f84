"""What TorchScript let pass in the programs of Isaac Gym's time.

On a GPU its old fuser compiled `torch.where` into kernels that took any number for a condition.
Programs rely on it: the rewards of IsaacGymEnvs' Dextreme hand it whole numbers.
"""

from __future__ import annotations

from typing import Any

import torch

_WHERE_INPUTS = 3  # the form with a condition alone is another one


def restore() -> None:
    """Let functions that are scripted from now on hand `torch.where` numbers as a condition.

    Whatever is not zero counts as true. Outside TorchScript nothing changes.
    """
    script = torch.jit.script
    if getattr(script, "takes_numbers", False):
        return

    def tolerant_script(obj: Any, *args: Any, **words: Any) -> Any:
        scripted = script(obj, *args, **words)
        if isinstance(scripted, torch.jit.ScriptFunction):
            compare_conditions(scripted.graph)
        return scripted

    tolerant_script.takes_numbers = True  # type: ignore[attr-defined]
    torch.jit.script = tolerant_script


def compare_conditions(graph: Any) -> None:
    """In a function's graph, compare each condition of `torch.where` with zero first."""
    for node in graph.findAllNodes("aten::where"):
        if node.inputsSize() != _WHERE_INPUTS:
            continue
        zero = graph.create("prim::Constant")
        zero.i_("value", 0)
        zero.output().setType(torch._C.IntType.get())
        zero.insertBefore(node)
        compared = graph.create("aten::ne", [node.inputsAt(0), zero.output()], 1)
        compared.insertBefore(node)
        node.replaceInput(0, compared.output())

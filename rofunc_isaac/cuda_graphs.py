"""Functions of tensors that run on CUDA as one graph: many kernels, launched at once."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Sequence, Tuple

import torch

WARM_UPS = 3
"""Calls before the capture, in which libraries set themselves up."""

NOT_YET = "eager: not captured yet"

Tensors = Tuple[torch.Tensor, ...]
Function = Callable[..., Any]


class Recording(NamedTuple):
    """What a capture gives."""

    outputs: Any
    """What the function returned; each replay writes it anew."""
    replay: Callable[[], None]
    has_run: bool
    """Whether recording has also computed; a CUDA graph only does at its replay."""


Capture = Callable[[Function, Tensors, Sequence[torch.Generator]], Recording]


class Graphed:
    """A function on CUDA that is captured after some calls, and replayed from then on.

    On other devices, and where it can't be captured, it is called as it is; `status` says why. What
    it returns is written anew by the next call. The function works on tensors alone: it reads and
    writes those that it is given and those that it holds, which stay where they are; what it does
    in Python happens at the capture only.

    Args:
        name: what a warning calls it.
        function: called with tensors, of the same shapes each time.
        device: where it computes.
        generators: those it draws from, beside torch's own.
        holder: an object whose numbers and texts the function must not change: where it does, it
            is not captured.
        capture: how it is recorded; None takes a CUDA graph where the device is CUDA.

    Attributes:
        status: "graph", or "eager: " and why.
        was_replayed: whether the last call was a replay, without what the function does in Python.
    """

    def __init__(
        self,
        name: str,
        function: Function,
        device: torch.device,
        generators: Sequence[torch.Generator] = (),
        holder: object = None,
        capture: Optional[Capture] = None,
    ) -> None:
        self._name, self._function = name, function
        self._generators, self._holder = generators, holder
        self._capture = capture or (cuda_graph if device.type == "cuda" else None)
        self._warm_ups_left = WARM_UPS
        self._inputs: Tensors = ()
        self._recording: Optional[Recording] = None
        self.status = NOT_YET if self._capture else f"eager: on {device.type}"
        self.was_replayed = False

    def __call__(self, *inputs: torch.Tensor) -> Any:
        if self._recording is not None:
            for kept, given in zip(self._inputs, inputs):
                kept.copy_(given)
            self._recording.replay()
            self.was_replayed = True
            return self._recording.outputs
        if self._capture is None:
            return self._function(*inputs)
        if self._warm_ups_left > 0:
            return self._warm_up(inputs)
        return self._record(self._capture, inputs)

    def forget(self) -> None:
        """Capture anew: tensors that the function holds are others now."""
        if self._recording is not None:
            self._recording, self._warm_ups_left = None, WARM_UPS
            self.was_replayed, self.status = False, NOT_YET

    def _warm_up(self, inputs: Tensors) -> Any:
        self._warm_ups_left -= 1
        before = plain_attributes(self._holder)
        outputs = on_side_stream(self._function, inputs)
        now = plain_attributes(self._holder)
        changed = sorted(name for name in now if now[name] != before.get(name))
        if changed:
            self._give_up(f"{type(self._holder).__name__}.{changed[0]} changes in Python")
        return outputs

    def _record(self, capture: Capture, inputs: Tensors) -> Any:
        self._inputs = tuple(given.clone() for given in inputs)
        try:
            recording = capture(self._function, self._inputs, self._generators)
        except RuntimeError as error:
            self._give_up(str(error).strip().splitlines()[0])
            return self._function(*inputs)
        if not recording.has_run:
            recording.replay()
        self._recording, self.status = recording, "graph"
        return recording.outputs

    def _give_up(self, reason: str) -> None:
        self._capture, self.status = None, f"eager: {reason}"
        warnings.warn(
            f"{self._name} can't be captured as a CUDA graph ({reason}); it runs kernel by kernel, "
            "which is slower and computes the same",
            RuntimeWarning,
            stacklevel=4,
        )


def plain_attributes(holder: object) -> Dict[str, Any]:
    """The numbers and texts among an object's attributes."""
    if holder is None:
        return {}
    kinds = (bool, int, float, str)
    return {name: value for name, value in vars(holder).items() if type(value) in kinds}


def cuda_graph(
    function: Function, inputs: Tensors, generators: Sequence[torch.Generator]
) -> Recording:
    """Capture a call of `function` as a CUDA graph; nothing is computed yet."""
    graph = torch.cuda.CUDAGraph()
    for generator in generators:
        graph.register_generator_state(generator)
    with torch.cuda.graph(graph):
        outputs = function(*inputs)
    return Recording(outputs, graph.replay, has_run=False)


def on_side_stream(function: Function, inputs: Tensors) -> Any:
    """Call `function` as captures are: on a stream of its own, where the device is CUDA.

    Autograd remembers streams; torch asks for this before a capture.
    """
    if not torch.cuda.is_available():
        return function(*inputs)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        outputs = function(*inputs)
    torch.cuda.current_stream().wait_stream(side)
    for tensor in tensors_of(outputs):
        if tensor.is_cuda:
            tensor.record_stream(torch.cuda.current_stream())
    return outputs


def tensors_of(outputs: Any) -> Iterator[torch.Tensor]:
    """The tensors in nested tuples."""
    if isinstance(outputs, torch.Tensor):
        yield outputs
    elif isinstance(outputs, tuple):
        for output in outputs:
            yield from tensors_of(output)

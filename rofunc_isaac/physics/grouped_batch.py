"""Worlds of several models as one batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Sequence

import torch

from rofunc_isaac.physics.batch import INPUT_FIELDS, Batch, Snapshot, check_grouped
from rofunc_isaac.physics.errors import PhysicsError


@dataclass
class _Joined:
    """A field of all worlds, and what the groups have of it.

    Args:
        whole: (worlds, ...).
        parts: (worlds of the group, ...), the groups' own memory.
        rows: of each group in `whole`.
    """

    whole: torch.Tensor
    parts: Sequence[torch.Tensor]
    rows: Sequence[torch.Tensor]

    def collect(self) -> None:
        for rows, part in zip(self.rows, self.parts):
            self.whole.index_copy_(0, rows, part)

    def hand_out(self) -> None:
        for rows, part in zip(self.rows, self.parts):
            torch.index_select(self.whole, 0, rows, out=part)


class GroupedBatch(Batch):
    """Groups of worlds, each with a model and a batch of its own, seen as one batch.

    The models may have other geoms and meshes, masses and sizes; a field that is asked for must
    have the same shape in all. What `view` and `parameter` return is contiguous memory of this
    batch: input fields are handed to the groups before the engines run, and what they computed is
    collected afterwards.

    A parameter that the groups have in other numbers (`geom_size`, ...) is that of a group's own
    batch. One that was asked for here is not to be written there.

    Args:
        batches: of each group, on one device.
        rows: int64 (worlds of the group,): the numbers that each group's worlds have here, where
            every number from 0 on occurs once.

    Attributes:
        model: of the first group.
    """

    def __init__(self, batches: Sequence[Batch], rows: Sequence[torch.Tensor]) -> None:
        self.groups = list(batches)
        self.model, self.device = batches[0].model, batches[0].device
        self.num_envs = sum(batch.num_envs for batch in batches)
        numbers = torch.cat([row.cpu() for row in rows])
        if not torch.equal(numbers.sort().values, torch.arange(self.num_envs)):
            raise PhysicsError("the groups' rows are not the numbers of the worlds, each once")
        self._rows = [row.to(self.device) for row in rows]
        self._views: Dict[str, _Joined] = {}
        self._parameters: Dict[str, _Joined] = {}
        self._unstable = self._join("unstable", [batch.unstable for batch in batches])
        self._masks = [torch.zeros_like(batch.unstable) for batch in batches]

    def view(self, name: str) -> torch.Tensor:
        if name not in self._views:
            self._views[name] = self._join(name, [batch.view(name) for batch in self.groups])
        return self._views[name].whole

    def parameter(self, name: str) -> torch.Tensor:
        if name not in self._parameters:
            parts = [batch.parameter(name) for batch in self.groups]
            self._parameters[name] = self._join(name, parts)
        return self._parameters[name].whole

    @property
    def parameters(self) -> Dict[str, torch.Tensor]:
        return {name: values.whole for name, values in self._parameters.items()}

    def _join(self, name: str, parts: List[torch.Tensor]) -> _Joined:
        shapes = [tuple(part.shape[1:]) for part in parts]
        if len(set(shapes)) > 1:
            raise PhysicsError(
                f"the field '{name}' has other shapes in the groups' models ({shapes}): ask the "
                "batches of the groups for it"
            )
        joined = _Joined(parts[0].new_empty(self.num_envs, *shapes[0]), parts, self._rows)
        joined.collect()
        return joined

    def _hand_out_inputs(self) -> None:
        for name, view in self._views.items():
            if name in INPUT_FIELDS:
                view.hand_out()
        self._hand_out_parameters()

    def _hand_out_parameters(self) -> None:
        for values in self._parameters.values():
            values.hand_out()

    def _collect_views(self) -> None:
        for view in self._views.values():
            view.collect()

    def set_const(self) -> None:
        self._hand_out_parameters()
        for batch in self.groups:
            batch.set_const()
        for values in self._parameters.values():
            values.collect()

    def step(self, nstep: int = 1) -> None:
        self._hand_out_inputs()
        for batch in self.groups:
            batch.step(nstep)
        self._collect_views()
        self._unstable.collect()

    def forward(self) -> None:
        self._hand_out_inputs()
        for batch in self.groups:
            batch.forward()
        self._collect_views()

    def reset(self, mask: torch.Tensor) -> None:
        self._hand_out_inputs()
        for batch, rows, own in zip(self.groups, self._rows, self._masks):
            batch.reset(torch.index_select(mask, 0, rows, out=own))
        self._collect_views()

    def maintain(self) -> None:
        for batch in self.groups:
            batch.maintain()

    def snapshot(self) -> Snapshot:
        self._hand_out_inputs()
        return {
            "groups": [batch.snapshot() for batch in self.groups],
            "rows": [rows.clone() for rows in self._rows],
            "views": {name: view.whole.clone() for name, view in self._views.items()},
            "parameters": {name: each.whole.clone() for name, each in self._parameters.items()},
        }

    def restore(self, snapshot: Snapshot) -> None:
        check_grouped(snapshot, grouped=True)
        saved = [rows.cpu() for rows in snapshot["rows"]]
        own = [rows.cpu() for rows in self._rows]
        if len(saved) != len(own) or not all(map(torch.equal, saved, own)):
            raise PhysicsError(
                f"the snapshot holds {sum(map(len, saved))} worlds in {len(saved)} groups, this "
                f"batch has {self.num_envs} in {len(own)}, or others in each: it is of another "
                "simulation or num_envs"
            )
        for batch, group in zip(self.groups, snapshot["groups"]):
            batch.restore(group)
        for name, values in snapshot["parameters"].items():
            self.parameter(name).copy_(values)
        self._collect_views()
        for name, values in snapshot["views"].items():
            self.view(name).copy_(values)
        self._unstable.collect()

    @property
    def unstable(self) -> torch.Tensor:
        return self._unstable.whole

    @property
    def unstable_resets(self) -> torch.Tensor:
        parts = [batch.unstable_resets for batch in self.groups]
        return self._join("unstable_resets", parts).whole

    @property
    def warning_counts(self) -> torch.Tensor:
        return self._join("warning_counts", [batch.warning_counts for batch in self.groups]).whole

"""The CUDA engine: MuJoCo Warp, its fields seen as torch tensors without a copy."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import logging
from typing import Any, Dict, Iterator, Optional, Tuple

import mujoco
import mujoco_warp
import torch
import warp

from rofunc_isaac.cuda_graphs import Graphed
from rofunc_isaac.physics.batch import (
    MAX_VELOCITY,
    Batch,
    Snapshot,
    check_grouped,
    check_snapshot,
)
from rofunc_isaac.physics.capacity import Capacity, probe
from rofunc_isaac.physics.errors import PhysicsError

logger = logging.getLogger(__name__)

# Kernels are compiled at the first step; what Warp says of each is not for users.
warp.config.log_level = warp.LOG_WARNING

_STATE = (
    *("time", "qpos", "qvel", "act", "qacc_warmstart", "ctrl", "qfrc_applied", "xfrc_applied"),
    *("eq_active", "mocap_pos", "mocap_quat"),
)
_Overflow = mujoco_warp.OverflowType
_CONTACTS_LOST = int(_Overflow.BROADPHASE | _Overflow.NARROWPHASE | _Overflow.CCD)
_CONSTRAINTS_LOST = int(_Overflow.NEFC | _Overflow.NJMAX_NNZ)
_Warning = mujoco.mjtWarning


class WarpBatch(Batch):
    """Worlds on a CUDA device, or (slowly, to test without one) on Warp's CPU device.

    Steps run as a graph, captured at the second call and again after something that it reads has
    moved. Warp works on torch's current stream.

    Args:
        model: the compiled model; copied, so later edits to it are not seen.
        num_envs: number of worlds.
        device: where they live.
        forward: end each step with a forward pass, so that derived fields are current.
        capacity: room for contacts and constraints; None measures the model's need, and grows
            at `maintain` what turned out too small.

    Raises:
        PhysicsError: the model has what MuJoCo Warp does not know, or the driver is too old.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        num_envs: int,
        device: torch.device,
        forward: bool = False,
        capacity: Optional[Capacity] = None,
    ) -> None:
        check_driver(device)
        self.model, self.num_envs, self.device = model, num_envs, device
        self._forward_after_step = forward
        self._grows = capacity is None
        self.capacity = capacity or probe(model)
        with self._on_device():
            self._model = put_model(model)
            if device.type == "cuda":
                free, _ = torch.cuda.mem_get_info(device)
                check_memory(bytes_per_world(model, self.capacity), num_envs, free)
            self._data = make_data(model, num_envs, self.capacity)
        # What is lost is counted and told once; MuJoCo Warp would print from the device.
        self._model.opt.warn_overflow = 0
        self._views: Dict[str, torch.Tensor] = {}
        self._parameters: Dict[str, torch.Tensor] = {}
        self._graphs: Dict[int, Any] = {}
        self._constants_set = False
        self._qpos, self._qvel = self.view("qpos"), self.view("qvel")
        self._overflow = warp.to_torch(self._data.overflow)
        self._state = {name: self._field(name) for name in _STATE}
        # The start is every world's.
        self._start = {name: field[:1].clone() for name, field in self._state.items()}
        self._unstable = torch.zeros(num_envs, dtype=torch.bool, device=device)
        self._unstable_resets = torch.zeros(num_envs, dtype=torch.int64, device=device)
        self._warnings = torch.zeros(
            num_envs, int(_Warning.mjNWARNING), dtype=torch.int64, device=device
        )
        self._told = torch.zeros(int(_Warning.mjNWARNING), dtype=torch.int64)
        self._hfield_losses = torch.zeros((), dtype=torch.int64, device=device)
        self._hfield_told = False
        self.graphed_watch = Graphed("the watch over broken worlds", self._watch, device)
        self.forward()

    @contextlib.contextmanager
    def _on_device(self) -> Iterator[None]:
        """Let Warp work on torch's device and stream within the block."""
        if self.device.type == "cpu":
            with warp.ScopedDevice("cpu"):
                yield
            return
        stream = warp.stream_from_torch(torch.cuda.current_stream(self.device))
        with warp.ScopedStream(stream):
            yield

    def _field(self, name: str) -> torch.Tensor:
        """A field of the data as mjData lays it out, (num_envs, ...)."""
        array = getattr(self._data, name)
        tensor = warp.to_torch(array)
        # A matrix is nine numbers in mjData.
        return tensor.flatten(-2) if array.dtype == warp.mat33 else tensor

    def view(self, name: str) -> torch.Tensor:
        if name not in self._views:
            array = getattr(self._data, name, None)
            if not isinstance(array, warp.array) or array.shape[:1] != (self.num_envs,):
                raise PhysicsError(f"MuJoCo Warp's data has no field '{name}' for each world")
            field = self._field(name)
            if field.dtype != torch.float32:
                raise PhysicsError(f"MuJoCo Warp's field '{name}' holds {field.dtype}, not floats")
            self._views[name] = field
        return self._views[name]

    def parameter(self, name: str) -> torch.Tensor:
        if name not in self._parameters:
            owner = self._model if hasattr(self._model, name) else self._model.opt
            shared = getattr(owner, name, None)
            if not _differs_by_world(type(owner), name) or not isinstance(shared, warp.array):
                raise PhysicsError(f"MuJoCo Warp's model has no field '{name}' for each world")
            values = warp.to_torch(shared)
            own = values.expand(self.num_envs, *values.shape[1:]).contiguous()
            with self._on_device():
                setattr(owner, name, warp.from_torch(own, dtype=shared.dtype))
            self._parameters[name] = own
            self._graphs.clear()
        return self._parameters[name]

    @property
    def parameters(self) -> Dict[str, torch.Tensor]:
        return dict(self._parameters)

    def set_const(self) -> None:
        # Each world has constants of its own from now on.
        for name in _DERIVED:
            self.parameter(name)
        self._constants_set = True
        with self._on_device():
            mujoco_warp.set_const(self._model, self._data)

    def step(self, nstep: int = 1) -> None:
        with self._on_device():
            self._run(nstep)
        self.graphed_watch()

    def _run(self, nstep: int) -> None:
        if nstep not in self._graphs:
            self._launch(nstep)  # the first time eagerly: kernels are compiled and loaded
            self._graphs[nstep] = None
            return
        if self._graphs[nstep] is None:
            self._graphs[nstep] = self._capture(nstep)
        warp.capture_launch(self._graphs[nstep])

    def _capture(self, nstep: int) -> Any:
        """A graph of `nstep` steps, of a forward pass for 0; nothing moves."""
        if self.device.type == "cpu":
            with warp.ScopedCapture() as capture:
                self._launch(nstep)
            return capture.graph
        # CUDA does not capture its default stream, which is torch's usual one.
        aside = warp.Stream(warp.device_from_torch(self.device))
        with warp.ScopedStream(aside), warp.ScopedCapture(stream=aside) as capture:
            self._launch(nstep)
        return capture.graph

    def _launch(self, nstep: int) -> None:
        for _ in range(nstep):
            mujoco_warp.step(self._model, self._data)
        if self._forward_after_step or nstep == 0:
            mujoco_warp.forward(self._model, self._data)

    def _watch(self) -> None:
        """Reset worlds that broke down and count what was lost, all of it on the device."""
        sound = self._qpos.isfinite().all(dim=1)
        sound &= (self._qvel.abs() <= MAX_VELOCITY).all(dim=1)
        torch.logical_not(sound, out=self._unstable)
        self._unstable_resets += self._unstable
        self._warnings[:, _Warning.mjWARN_BADQVEL] += self._unstable
        overflow = self._overflow
        self._warnings[:, _Warning.mjWARN_CONTACTFULL] += (overflow & _CONTACTS_LOST) != 0
        self._warnings[:, _Warning.mjWARN_CNSTRFULL] += (overflow & _CONSTRAINTS_LOST) != 0
        self._hfield_losses += ((overflow & int(_Overflow.HFIELD)) != 0).sum()
        overflow.zero_()
        self.reset(self._unstable)

    def forward(self) -> None:
        with self._on_device():
            self._run(0)

    def reset(self, mask: torch.Tensor) -> None:
        for name, field in self._state.items():
            start = self._start[name]
            chosen = mask.view(-1, *[1] * (field.dim() - 1))
            torch.where(chosen, start, field, out=field)

    def maintain(self) -> None:
        if not self._hfield_told and int(self._hfield_losses):
            self._hfield_told = True
            logger.warning(
                "MuJoCo Warp takes so many contacts of a geom with a height field and no more: "
                "some were lost. Larger geoms need coarser height fields, or simulator=mujoco"
            )
        counts = self._warnings.sum(dim=0).cpu()
        new = counts > self._told
        self._told = counts
        lost_contacts = bool(new[_Warning.mjWARN_CONTACTFULL])
        lost_constraints = bool(new[_Warning.mjWARN_CNSTRFULL])
        if not lost_contacts and not lost_constraints:
            return
        what = " and ".join(
            f"{name} ({getattr(self.capacity, key)} a world)"
            for name, key, lost in (
                ("contacts", "contacts", lost_contacts),
                ("constraints", "constraints", lost_constraints),
            )
            if lost
        )
        if not self._grows:
            logger.warning(
                "MuJoCo Warp had too little room for %s: some were lost. Raise "
                "simulator.max_contacts or simulator.max_constraints, or set them to null",
                what,
            )
            return
        self.capacity = self.capacity.grown(lost_contacts, lost_constraints)
        logger.warning(
            "MuJoCo Warp had too little room for %s: some were lost; there is twice as much now",
            what,
        )
        if self.device.type == "cuda":
            free, _ = torch.cuda.mem_get_info(self.device)
            check_memory(bytes_per_world(self.model, self.capacity), self.num_envs, free)
        self._make_room()

    def _make_room(self) -> None:
        """Data of the present capacity, on the same memory but for what holds contacts."""
        old = self._data
        with self._on_device():
            self._data = make_data(self.model, self.num_envs, self.capacity)
        for field in dataclasses.fields(old):
            before, now = getattr(old, field.name), getattr(self._data, field.name)
            if isinstance(before, warp.array) and before.shape == now.shape:
                setattr(self._data, field.name, before)
        self._graphs.clear()

    def snapshot(self) -> Snapshot:
        return {
            "state": {name: field.clone() for name, field in self._state.items()},
            "views": {name: view.clone() for name, view in self._views.items()},
            "parameters": {name: values.clone() for name, values in self._parameters.items()},
            "constants_set": self._constants_set,
            "warnings": self._warnings.clone(),
            "unstable": self._unstable.clone(),
            "unstable_resets": self._unstable_resets.clone(),
            "capacity": dataclasses.asdict(self.capacity),
        }

    def restore(self, snapshot: Snapshot) -> None:
        check_grouped(snapshot, grouped=False)
        check_snapshot(_sizes(snapshot["state"]), _sizes(self._state))
        if self._grows:
            self.capacity = Capacity(**snapshot["capacity"])
            self._make_room()
        for name, values in snapshot["parameters"].items():
            self.parameter(name).copy_(values)
        if snapshot["constants_set"]:
            self.set_const()
        for name, field in self._state.items():
            field.copy_(snapshot["state"][name])
        for name, values in snapshot["views"].items():
            self.view(name).copy_(values)
        self._warnings.copy_(snapshot["warnings"])
        self._told = self._warnings.sum(dim=0).cpu()
        self._unstable.copy_(snapshot["unstable"])
        self._unstable_resets.copy_(snapshot["unstable_resets"])

    @property
    def unstable(self) -> torch.Tensor:
        return self._unstable

    @property
    def unstable_resets(self) -> torch.Tensor:
        return self._unstable_resets

    @property
    def warning_counts(self) -> torch.Tensor:
        return self._warnings


_DERIVED = (
    *("body_subtreemass", "body_invweight0", "dof_invweight0", "tendon_length0"),
    *("tendon_invweight0", "actuator_acc0"),
)
"""Fields that set_const computes."""


def put_model(model: mujoco.MjModel) -> Any:
    """`model` on Warp's current device. Raises PhysicsError: it has what Warp does not know."""
    midphase = int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
    if model.opt.disableflags & midphase:
        # It has none, and refuses a model that does without.
        model = copy.copy(model)
        model.opt.disableflags &= ~midphase
    try:
        return mujoco_warp.put_model(model)
    except (NotImplementedError, ValueError) as error:
        raise PhysicsError(
            f"MuJoCo Warp can't simulate this model: {error} Use simulator=mujoco "
            "sim_device=cpu, or change the model"
        ) from error


def make_data(model: mujoco.MjModel, num_envs: int, capacity: Capacity) -> Any:
    """Worlds of `model` with room for `capacity`, on Warp's current device."""
    return mujoco_warp.make_data(
        model, nworld=num_envs, nconmax=capacity.contacts, njmax=capacity.constraints
    )


def check_driver(device: torch.device) -> None:
    """Raises PhysicsError: torch can use the GPU, but its driver is too old for Warp."""
    if device.type != "cuda":
        return
    if not warp.is_cuda_available():
        raise PhysicsError(
            f"sim_device={device}: torch can use this GPU, MuJoCo Warp can't: its driver is too "
            f"old for Warp {warp.__version__}. Update the driver, or use sim_device=cpu"
        )
    if not warp.is_conditional_graph_supported():
        raise PhysicsError(
            f"sim_device={device}: MuJoCo Warp needs a driver for CUDA 12.4 or newer. Update the "
            "driver, or use sim_device=cpu"
        )


def bytes_per_world(model: mujoco.MjModel, capacity: Capacity) -> int:
    """Memory that one more world takes, measured on two small batches on the CPU."""
    with warp.ScopedDevice("cpu"):
        one, three = (_num_bytes(make_data(model, count, capacity)) for count in (1, 3))
    return (three - one) // 2


def check_memory(per_world: int, num_envs: int, free: int) -> None:
    """Raises PhysicsError: `num_envs` worlds don't fit into `free` bytes.

    A fifth of what is free is left to the learner, and to what Warp needs beside its data.
    """
    fitting = int(0.8 * free) // per_world
    if num_envs > fitting:
        raise PhysicsError(
            f"num_envs={num_envs} needs {num_envs * per_world / 2**30:.1f} GiB of GPU memory, and "
            f"{free / 2**30:.1f} GiB are free: num_envs={fitting} would fit"
        )


def _num_bytes(data: Any) -> int:
    arrays = [getattr(data, field.name) for field in dataclasses.fields(data)]
    nested = [a for a in arrays if dataclasses.is_dataclass(a)]
    own = sum(array.capacity for array in arrays if isinstance(array, warp.array))
    return own + sum(_num_bytes(part) for part in nested)


def _sizes(state: Dict[str, torch.Tensor]) -> Tuple[int, int]:
    """How many worlds, and how many numbers each."""
    num_envs = len(state["time"])
    return num_envs, sum(field.numel() for field in state.values()) // num_envs


def _differs_by_world(owner: type, name: str) -> bool:
    """Whether MuJoCo Warp lets the field `name` of its Model or Option differ between worlds."""
    for field in dataclasses.fields(owner):
        if field.name == name:
            return getattr(field.type, "shape", ())[:1] == ("*",)
    return False

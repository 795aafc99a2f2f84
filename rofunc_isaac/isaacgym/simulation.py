"""One simulation: its scene, the worlds that it was compiled to, and the tensors on both."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional

import numpy as np
import torch

from rofunc_isaac.isaacgym import property_state
from rofunc_isaac.isaacgym._params import SimParams
from rofunc_isaac.isaacgym.attractors import Attractors, inverse_masses
from rofunc_isaac.isaacgym.body_forces import BodyForces
from rofunc_isaac.isaacgym.derived_tensors import DerivedTensors
from rofunc_isaac.isaacgym.dof_control import DofControl
from rofunc_isaac.isaacgym.dof_states import DofForces, DofStates
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.force_sensors import ForceSensors
from rofunc_isaac.isaacgym.host_states import HostStates
from rofunc_isaac.isaacgym.host_world import HostWorld
from rofunc_isaac.isaacgym.root_states import RootStates
from rofunc_isaac.isaacgym.scene import Env, Scene
from rofunc_isaac.isaacgym.start_state import at_rest
from rofunc_isaac.isaacgym.stopwatch import PHYSICS, Stopwatch
from rofunc_isaac.isaacgym.velocity_limits import VelocityLimits
from rofunc_isaac.isaacgym.worlds import WorldProperties, Worlds, make_worlds
from rofunc_isaac.physics.batch import Batch
from rofunc_isaac.physics.engine import check_device


def check_times(params: SimParams) -> None:
    """Raises GymError: a frame that takes no time, or no substep."""
    if not params.dt > 0 or params.substeps < 1:
        raise GymError(
            f"dt={params.dt} and substeps={params.substeps}: dt must be positive, in seconds, "
            "and substeps at least 1"
        )


class Simulation:
    """What `create_sim` returns.

    What is acquired after prepare_sim, before the first frame, may need worlds that compute more:
    they are made anew then, at their next use.

    Raises:
        GymError: parameters without meaning. PhysicsError: a device that no engine serves.
    """

    def __init__(self, params: SimParams, sim_device: str) -> None:
        check_times(params)
        self.device = check_device(sim_device)
        self.sim_device = sim_device
        self.params = params
        self.scene = Scene(params, self)
        self.frame_count = 0
        self.stopwatch = Stopwatch()
        self.derived = DerivedTensors(self.scene, self.device)
        self.forces = BodyForces()
        self._prepared = self._destroyed = False
        self._batch: Optional[Batch] = None
        self._host_worlds: List[HostWorld] = []
        self._kept: Dict[str, torch.Tensor] = {}
        self._properties_changed = False
        self._poses_current = False

    def freeze(self) -> None:
        """Lay out the tensors for the scene as it is; happens once."""
        if self.scene.frozen:
            return
        env = self.scene.prototype()
        self.scene.frozen = True
        self.num_envs, self.num_actors = len(self.scene.envs), len(env.actors)
        assets = [actor.asset for actor in env.actors]
        dofs = [len(asset.description.dof_names) for asset in assets]
        self.num_dofs = sum(dofs)
        bodies = [len(asset.description.body_names) for asset in assets]
        self.num_bodies = env.num_bodies
        self._root_bodies = np.cumsum([0, *bodies[:-1]])
        self.num_sensors = sum(len(actor.force_sensors) for actor in env.actors)
        self.dof_actor = torch.as_tensor(np.repeat(np.arange(len(dofs)), dofs), device=self.device)
        self.roots = RootStates(self.num_envs, self.num_actors, self.device)
        self.dofs = DofStates(self.num_envs, self.num_dofs, self.device)
        self.dof_forces = DofForces(self.num_envs, self.num_dofs, self.device)
        self.control = DofControl(self.num_envs, self.num_dofs, self.device)
        self.sensors = ForceSensors(self.num_envs, self.num_sensors, self.device)
        self.host = HostStates(self.roots, self.dofs)

    def acquire(
        self, call: str, name: str, add: Callable[..., None], *arguments: str
    ) -> torch.Tensor:
        """The derived tensor `name`, which the worlds compute from now on.

        Args:
            call: what the program called.
            add: the method of `derived` that adds it, with its `arguments`.

        Raises:
            GymError: it is new, and frames were simulated without it.
        """
        self.freeze()
        if name not in self.derived.tensors():
            if self.frame_count:
                raise GymError(f"{call} comes too late: call it before the first simulate")
            add(*arguments)
            if self._batch is not None:
                self.worlds(call)
                fields = ("qpos", "qvel", "mocap_pos", "mocap_quat")
                self._kept = {name: self._batch.view(name).clone() for name in fields}
                self._batch = None
        return self.derived.tensors()[name]

    def prepare(self) -> None:
        """Compile the scene and make its worlds, so that tensors show the start at once."""
        if self._prepared:
            raise GymError("prepare_sim was called twice on one simulation")
        self.freeze()
        self._make_worlds()
        self._prepared = True
        self._write_start()

    @property
    def is_prepared(self) -> bool:
        return self._prepared

    def ensure_prepared(self) -> None:
        """Prepare a simulation that is about to run; older programs do not call prepare_sim."""
        if not self._prepared and not self._destroyed:
            self.prepare()

    @property
    def batch(self) -> Optional[Batch]:
        """The worlds; None before prepare_sim."""
        if self._batch is None and self._prepared:
            shown = self.roots.tensor.clone(), self.dofs.tensor.clone()
            batch = self._make_worlds()
            for name, values in self._kept.items():
                batch.view(name).copy_(values)
            self.roots.tensor.copy_(shown[0])
            self.dofs.tensor.copy_(shown[1])
        return self._batch

    def destroy(self) -> None:
        """Let go of the worlds."""
        self._batch, self._prepared, self._destroyed = None, False, True
        self._host_worlds = []

    def _make_worlds(self) -> Batch:
        threads = min(self.params.physx.num_threads, os.cpu_count() or 1)
        worlds = make_worlds(self.scene, self.sim_device, threads, self.derived.need_forward)
        self._batch = worlds.batch
        self._host_worlds = [HostWorld(group, worlds.batch) for group in worlds.groups]
        self.connect(worlds)
        self._poses_current = False
        if self.derived.tensors():
            worlds.batch.forward()  # programs read what follows from the start before a frame
        return worlds.batch

    def connect(self, worlds: Worlds) -> None:
        batch, model_map, env = worlds.batch, worlds.model_map, self.scene.envs[0]
        self._warmstart = batch.view("qacc_warmstart")
        self.properties = WorldProperties(worlds)
        self.scene.changed = False
        inertials = self.properties.inertials
        coms = inertials.com[:, self._root_bodies]
        self.roots.connect(batch, model_map.actors, coms, self.start_poses())
        self.dofs.connect(batch, model_map.dof_qpos, model_map.dof_qvel)
        enabled = [actor.dof_forces_enabled for actor in env.actors]
        dof_actor = self.dof_actor.cpu().numpy()
        enabled_dofs = np.array(enabled, bool)[dof_actor]
        of_links = self.properties.of_links
        self.dof_forces.connect(batch, model_map.dof_qvel, enabled_dofs, of_links)
        self.sensors.connect(batch, model_map.sensors, model_map.bodies, inertials)
        self.forces.connect(batch, model_map.bodies, self.env_origins())
        self.attractors = Attractors(batch, self.scene, worlds.of_models(inverse_masses))
        self.derived.connect(batch, model_map, self.properties)
        self.control.connect(batch, model_map, self.params.dt)
        self.velocity_limits = VelocityLimits(batch, model_map, self.scene)
        self._spread_dofs()

    def start_poses(self) -> torch.Tensor:
        """Poses of all roots at creation, (envs, actors, 13), at rest."""
        rows = [actor.start_root() for env in self.scene.envs for actor in env.actors]
        shape = (self.num_envs, self.num_actors, 13)
        return torch.tensor(rows, dtype=torch.float32, device=self.device).view(shape)

    def _write_start(self) -> None:
        """Let DOFs, targets and efforts begin as programs set them on actors."""
        actors = [actor for env in self.scene.envs for actor in env.actors]
        if all(actor.start is None for actor in actors):
            return
        starts = [actor.start or at_rest(len(actor.dof_properties)) for actor in actors]

        def all_dofs(name: str) -> torch.Tensor:
            values = np.concatenate([getattr(start, name) for start in starts])
            return torch.as_tensor(values, dtype=torch.float32, device=self.device)

        everywhere = torch.ones(self.num_envs, 1, dtype=torch.bool, device=self.device)
        self.dofs.write(all_dofs("dofs"), everywhere)
        self.dofs.refresh()
        for name in ("position_target", "velocity_target", "effort"):
            control = getattr(self.control, name)
            control.copy_(all_dofs(name).view(control.shape))
        self._moved()

    def env_origins(self) -> torch.Tensor:
        """Of the environments' frames in the global one, (envs, 3)."""
        rows = [[env.origin.x, env.origin.y, env.origin.z] for env in self.scene.envs]
        return torch.tensor(rows, dtype=torch.float32, device=self.device)

    def worlds(self, call: str) -> Batch:
        """The compiled worlds. Raises GymError: `call` comes before prepare_sim."""
        batch = self.batch
        if batch is None:
            raise GymError(f"{call} needs the compiled simulation: call prepare_sim before it")
        if self.host.pending:
            self.take_over_properties()  # velocities are those of the centres of mass
            moved = self.host.flush(self.num_envs)
            self._moved()
            self.forget_solution(moved)
        return batch

    def host_states(self) -> HostStates:
        """States for the calls without tensors. Raises GymError: before prepare_sim."""
        if self.batch is None:
            raise GymError("this call needs the compiled simulation: call prepare_sim before it")
        return self.host

    def host_world(self, call: str, env: Env) -> HostWorld:
        """Room for the world of `env` on the host. Raises GymError: before prepare_sim."""
        self.worlds(call)
        self.take_over_properties()
        return next(world for world in self._host_worlds if env.index in world.rows)

    def simulate(self) -> None:
        """Advance by one frame of `params.dt` seconds."""
        self.ensure_prepared()
        batch = self.worlds("simulate")
        self.take_over_properties()
        self.velocity_limits.apply()
        self.control.apply()
        with self.stopwatch.timing(PHYSICS):
            batch.step(self.params.substeps)
        self.host.forget()
        self.forces.clear()
        self._poses_current = self.derived.need_forward
        self.frame_count += 1

    def derive_start(self) -> None:
        """Before the first frame, what is derived from the state follows what was set."""
        if self.frame_count == 0 and self.derived.need_forward:
            self.bring_poses_up_to_date()

    def bring_poses_up_to_date(self) -> None:
        """Let derived poses follow the state, which may have moved on or been set."""
        batch = self.worlds("reading poses")
        if not self._poses_current:
            batch.forward()
            self._poses_current = True

    def take_over_properties(self) -> None:
        """Let the worlds have what was set on actors since the last frame."""
        if self.scene.changed:
            self.properties.update()
            self.scene.changed = False
            self._spread_properties()
            self._properties_changed = True
        if self.scene.attractors_changed:
            self.attractors.update()

    def _spread_properties(self) -> None:
        """To those who compute with actors' properties."""
        self._spread_dofs()
        inertials = self.properties.inertials
        self.roots.set_coms(inertials.com[:, self._root_bodies])
        self.sensors.set_inertials(inertials)
        self.derived.set_properties(self.properties)

    def _spread_dofs(self) -> None:
        self.control.set_properties(self.properties.dofs)
        self.velocity_limits.set_properties(self.properties.dofs)
        self.dof_forces.set_of_links(self.properties.of_links)

    def maintain(self) -> None:
        """Between iterations; see `Batch.maintain`."""
        self.worlds("maintenance").maintain()

    def snapshot(self) -> Dict[str, Any]:
        """All that later frames depend on and programs can read, as plain data: see `restore`."""
        batch = self.worlds("a snapshot")
        self.take_over_properties()
        gravity = self.params.gravity
        return {
            "batch": batch.snapshot(),
            "tensors": {name: tensor.clone() for name, tensor in self._tensors().items()},
            "properties": property_state.read(self.scene) if self._properties_changed else None,
            "attractors": self.attractors.read() if self.scene.envs[0].attractors else None,
            "gravity": [gravity.x, gravity.y, gravity.z],
            "frame_count": self.frame_count,
        }

    def restore(self, snapshot: Dict[str, Any]) -> None:
        """Go on from `snapshot`, of a simulation with the same scene, as if it were this one's.

        Raises:
            PhysicsError: it is of another model or another number of environments.
        """
        batch = self.worlds("restoring a snapshot")
        batch.restore(snapshot["batch"])
        self.properties.restored()
        self._properties_changed = snapshot["properties"] is not None
        if self._properties_changed:
            property_state.write(self.scene, snapshot["properties"])
            self.properties.adopt(snapshot["batch"])
            self.scene.changed = False
            self._spread_properties()
        if snapshot.get("attractors") is not None:
            self.attractors.write(snapshot["attractors"])
        for name, tensor in self._tensors().items():
            tensor.copy_(snapshot["tensors"][name])
        gravity = self.params.gravity
        gravity.x, gravity.y, gravity.z = snapshot["gravity"]
        self.frame_count = snapshot["frame_count"]
        if "xfrc_applied" in snapshot["batch"]["views"]:
            self.forces.adopt()
        self._moved()

    def _tensors(self) -> Dict[str, torch.Tensor]:
        """What is kept beside the worlds' own state."""
        return {
            "roots": self.roots.tensor,
            "dofs": self.dofs.tensor,
            "dof_forces": self.dof_forces.tensor,
            "force_sensors": self.sensors.tensor,
            "effort": self.control.effort,
            "position_target": self.control.position_target,
            "velocity_target": self.control.velocity_target,
            **self.derived.tensors(),
        }

    def write_roots(self, source: torch.Tensor, mask: torch.Tensor) -> None:
        """Set root states by mask, bool (envs, actors); see `RootStates.write`."""
        self.worlds("setting root states")
        self.take_over_properties()  # velocities are those of the centres of mass
        self.roots.write(source, mask)
        self._moved()
        self.forget_solution(mask)

    def write_dofs(self, source: torch.Tensor, mask: torch.Tensor) -> None:
        """Set DOF states by mask, bool (envs, actors); see `DofStates.write`."""
        self.worlds("setting DOF states")
        self.dofs.write(source, self.dof_mask(mask))
        self._moved()
        self.forget_solution(mask)

    def _moved(self) -> None:
        """The state was set: what was derived from it or read of it is old."""
        self._poses_current = False
        self.host.forget()

    def dof_mask(self, mask: torch.Tensor) -> torch.Tensor:
        """bool (envs, dofs) or (envs, 1): the DOFs of the actors in `mask`, (envs, actors)."""
        return mask if self.num_actors == 1 else mask[:, self.dof_actor]

    def forget_solution(self, mask: torch.Tensor) -> None:
        """Worlds that were moved must not start their solver from the old solution."""
        moved = mask if self.num_actors == 1 else mask.any(dim=1, keepdim=True)
        self._warmstart.masked_fill_(moved, 0.0)

    def actor_mask(self, indices: torch.Tensor, count: int) -> torch.Tensor:
        """bool (envs, actors): the first `count` of the global actor `indices`."""
        mask = torch.zeros(self.num_envs * self.num_actors, dtype=torch.bool, device=self.device)
        mask.index_fill_(0, indices.view(-1)[:count].long(), True)
        return mask.view(self.num_envs, self.num_actors)

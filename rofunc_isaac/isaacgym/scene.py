"""What has been put into a simulation before it runs: environments and their actors.

Plain records. `compile.py` turns them into a MuJoCo model.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Dict, List, Optional

from rofunc_isaac.isaacgym._math import Transform, Vec3
from rofunc_isaac.isaacgym._params import AttractorProperties, PlaneParams, SimParams
from rofunc_isaac.isaacgym.actor import Actor, SceneAsset
from rofunc_isaac.isaacgym.cameras import Camera
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.looks import Light, Texture
from rofunc_isaac.isaacgym.solver import Solver
from rofunc_isaac.isaacgym.terrain import Terrain

if TYPE_CHECKING:
    from rofunc_isaac.isaacgym.simulation import Simulation


@dataclass
class Env:
    """One environment: its actors in the order of creation. `origin` is seen by viewers only."""

    scene: Scene = field(repr=False)
    index: int
    origin: Vec3
    actors: List[Actor] = field(default_factory=list)
    attractors: List[AttractorProperties] = field(default_factory=list)
    cameras: List[Optional[Camera]] = field(default_factory=list)

    @property
    def num_bodies(self) -> int:
        return sum(len(actor.body_properties) for actor in self.actors)

    @property
    def num_dofs(self) -> int:
        return sum(len(actor.dof_properties) for actor in self.actors)

    def counts(self) -> Dict[str, int]:
        """What tensors have rows of."""
        return {
            "actors": len(self.actors),
            "bodies": self.num_bodies,
            "DOFs": self.num_dofs,
            "force sensors": sum(len(actor.force_sensors) for actor in self.actors),
        }

    def actor(self, handle: int) -> Actor:
        """The actor behind the handle that `create_actor` returned."""
        if not 0 <= handle < len(self.actors):
            raise GymError(
                f"env {self.index} has no actor {handle}: it has {len(self.actors)} actors"
            )
        return self.actors[handle]


@dataclass
class Scene:
    """Everything that was created through the API before `prepare_sim`."""

    params: SimParams
    simulation: Simulation = field(repr=False)
    """Which simulates it, for calls that are given an environment alone."""
    solver: Solver = field(default_factory=Solver)
    ground: Optional[PlaneParams] = None
    terrains: List[Terrain] = field(default_factory=list)
    textures: List[Texture] = field(default_factory=list)
    lights: Dict[int, Light] = field(default_factory=dict)
    envs: List[Env] = field(default_factory=list)
    num_actors: int = 0
    frozen: bool = False
    """Set by the first acquire_* call or prepare_sim: counts don't change from then on."""
    reports_contacts: bool = False
    """Whether bodies carry sensors of their contacts."""
    changed: bool = False
    """Whether an actor's properties were set since the worlds last took them over."""
    attractors_changed: bool = False
    """The same of attractors."""

    def ground_friction(self) -> Optional[float]:
        """Of the plane and the terrains; None without any.

        Raises:
            GymError: they differ, which shapes could not tell apart.
        """
        plane = [] if self.ground is None else [self.ground.dynamic_friction]
        frictions = {*plane, *(terrain.friction for terrain in self.terrains)}
        if len(frictions) > 1:
            raise GymError(
                f"the ground plane and the terrains have different dynamic_friction {frictions}; "
                "give them the same"
            )
        return frictions.pop() if frictions else None

    def add_env(self, lower: Vec3, upper: Vec3, num_per_row: int) -> Env:
        """A new environment, placed on a grid of `num_per_row` columns."""
        self.check_open("create_env")
        index = len(self.envs)
        row, column = divmod(index, max(int(num_per_row), 1))
        size = (upper.x - lower.x, upper.y - lower.y)
        origin = Vec3(column * size[0], row * size[1], 0.0)
        self.envs.append(Env(self, index, origin))
        return self.envs[-1]

    def add_actor(
        self,
        env: Env,
        asset: SceneAsset,
        pose: Transform,
        name: str,
        group: int,
        filter: int,
        segmentation_id: int,
    ) -> int:
        """Put a copy of `asset` into `env` and return its handle there.

        The pose is copied: programs use one `Transform` for many actors.
        """
        self.check_open("create_actor")
        env.actors.append(
            Actor(
                asset=asset,
                pose=deepcopy(pose),
                name=name,
                group=group,
                filter=filter,
                dof_properties=asset.description.dof_properties,
                body_properties=asset.description.body_properties,
                shape_properties=asset.shape_properties,
                tendon_properties=asset.tendon_properties,
                tendon_lengths=list(asset.tendon_lengths),
                force_sensors=list(asset.force_sensors),
                segmentation_id=segmentation_id,
            )
        )
        self.num_actors += 1
        return len(env.actors) - 1

    def check_open(self, call: str) -> None:
        """Raises GymError: `call` adds to a scene whose tensors have been laid out."""
        if self.frozen:
            raise GymError(
                f"{call} comes too late: a tensor was acquired or prepare_sim was called before, "
                "which fixes the numbers of environments, actors and DOFs"
            )

    def prototype(self) -> Env:
        """The environment that stands for all, once they are known to be of its size.

        Raises:
            GymError: there is none, or another has more or fewer actors, bodies, DOFs or force
                sensors, so that tensors would not be (envs, ...).
        """
        if not self.envs:
            raise GymError("the simulation has no environment: call create_env before prepare_sim")
        first = self.envs[0]
        wanted = first.counts()
        for env in self.envs:
            if env.counts() != wanted:
                raise GymError(
                    f"env {env.index} has {_listed(env.counts())}, env 0 has {_listed(wanted)}; "
                    "environments of one simulation may hold other assets, but as many of each"
                )
        return first

    def part(self, envs: List[Env]) -> Scene:
        """The same simulation with these of its environments alone."""
        return replace(self, envs=envs)


def _listed(counts: Dict[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items())

"""Small robots, and a simulation under test that is driven through the public interface alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.physics import engine
from rofunc_isaac.physics.capacity import Capacity

ROBOTS = {
    # 2 kg, 0.2 m wide: inertia m s^2 / 6.
    "box": """
<mujoco><worldbody><body name="box">
  <geom type="box" size="0.1 0.1 0.1" mass="2"/>
</body></worldbody></mujoco>""",
    # Its centre of mass lies off its origin, and its moments of inertia differ.
    "brick": """
<mujoco><worldbody><body name="brick">
  <geom type="box" size="0.1 0.2 0.3" pos="0.3 -0.1 0.2" mass="3"/>
</body></worldbody></mujoco>""",
    # One hinge about z at the origin; a ball of 2 kg and radius 0.1, half a metre out.
    "arm": """
<mujoco><worldbody><body name="base"><body name="link">
  <joint name="hinge" axis="0 0 1"/>
  <geom type="sphere" size="0.1" pos="0.5 0 0" mass="2"/>
</body></body></worldbody></mujoco>""",
    # A mass of 2 kg on a horizontal rail.
    "cart": """
<mujoco><worldbody><body name="rail"><body name="cart">
  <joint name="slide" type="slide" axis="1 0 0"/>
  <geom type="box" size="0.1 0.1 0.1" mass="2"/>
</body></body></worldbody></mujoco>""",
    # Four DOFs of 1, 2, 3 and 4 kg, whose actuators stand in another order.
    "rails": """
<mujoco><worldbody><body name="base">
  <body name="a"><joint name="a" type="slide" axis="1 0 0"/>
    <geom type="sphere" size="0.05" mass="1" contype="0" conaffinity="0"/></body>
  <body name="b"><joint name="b" type="slide" axis="1 0 0"/>
    <geom type="sphere" size="0.05" mass="2" contype="0" conaffinity="0"/></body>
  <body name="c"><joint name="c" type="slide" axis="1 0 0"/>
    <geom type="sphere" size="0.05" mass="3" contype="0" conaffinity="0"/></body>
  <body name="d"><joint name="d" type="slide" axis="1 0 0"/>
    <geom type="sphere" size="0.05" mass="4" contype="0" conaffinity="0"/></body>
</body></worldbody>
<actuator>
  <motor joint="c" gear="30"/><motor joint="a" gear="10"/>
  <motor joint="d" gear="40"/><motor joint="b" gear="20"/>
</actuator></mujoco>""",
    # A floating torso with two legs, as a legged robot has.
    "walker": """
<mujoco><worldbody><body name="torso">
  <geom type="sphere" size="0.2" mass="5"/>
  <body name="left" pos="0 0.3 0"><joint name="left" axis="0 1 0" range="-60 60" limited="true"/>
    <geom name="left" type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04" mass="1"/></body>
  <body name="right" pos="0 -0.3 0"><joint name="right" axis="0 1 0" range="-60 60" limited="true"/>
    <geom name="right" type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04" mass="1"/></body>
</body></worldbody></mujoco>""",
}
"""MJCF by name."""

ARM_INERTIA = 2.0 * 0.5**2 + 0.4 * 2.0 * 0.1**2
"""Of the arm about its hinge: the ball's own and the parallel axis theorem's."""


class World:
    """A simulation with z up and gravity 10 m/s^2, and the tensors of it.

    `root`, `dof`, `dof_force` and `sensor` are the tensors by environment; there after `prepare`,
    as are `body` and `contact` where they were asked for.
    """

    def __init__(
        self,
        folder: Path,
        dt: float = 0.01,
        substeps: int = 1,
        gravity: tuple[float, float, float] = (0.0, 0.0, -10.0),
        ground: float | None = None,
    ) -> None:
        self.gym = gymapi.acquire_gym()
        self.folder = folder
        self.dt, self.substeps = dt, substeps
        params = gymapi.SimParams()
        params.dt, params.substeps = dt, substeps
        params.gravity = gymapi.Vec3(*gravity)
        params.physx.num_threads = 1
        self.sim = self.gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
        if ground is not None:
            self.add_ground(ground)
        self.envs: list[Any] = []

    def add_ground(self, friction: float) -> None:
        plane = gymapi.PlaneParams()
        plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
        plane.static_friction = plane.dynamic_friction = friction
        self.gym.add_ground(self.sim, plane)

    def asset(self, robot: str, fixed: bool = False, **options: Any) -> Any:
        """Load a robot of ROBOTS, or the MJCF or URDF text `robot`; no damping unless given."""
        text = ROBOTS.get(robot, robot).strip()
        suffix = "urdf" if text.startswith("<robot") else "xml"
        file = self.folder / f"{abs(hash(text))}.{suffix}"
        file.write_text(text)
        asset_options = gymapi.AssetOptions()
        asset_options.angular_damping = 0.0
        asset_options.fix_base_link = fixed
        for name, value in options.items():
            setattr(asset_options, name, value)
        return self.gym.load_asset(self.sim, str(self.folder), file.name, asset_options)

    def add_env(self) -> Any:
        lower, upper = gymapi.Vec3(-1.0, -1.0, 0.0), gymapi.Vec3(1.0, 1.0, 2.0)
        self.envs.append(self.gym.create_env(self.sim, lower, upper, 4))
        return self.envs[-1]

    def add_actor(
        self,
        asset: Any,
        pos: tuple[float, float, float] = (0.0, 0.0, 0.0),
        rot: Any = None,
        name: str = "actor",
        filter: int = 0,
        group: int | None = None,
    ) -> int:
        """Put an actor into the newest environment, by default in that environment's group."""
        pose = gymapi.Transform(gymapi.Vec3(*pos), rot)
        env = self.envs[-1]
        group = len(self.envs) - 1 if group is None else group
        return self.gym.create_actor(env, asset, pose, name, group, filter, 0)

    def set_dof_properties(self, env: int, handle: int = 0, **values: Any) -> None:
        properties = self.gym.get_actor_dof_properties(self.envs[env], handle)
        for name, value in values.items():
            properties[name] = value
        self.gym.set_actor_dof_properties(self.envs[env], handle, properties)

    def prepare(self, bodies: bool = False, contacts: bool = False) -> World:
        gym, sim, count = self.gym, self.sim, len(self.envs)
        self.root = gymtorch.wrap_tensor(gym.acquire_actor_root_state_tensor(sim))
        self.dof = gymtorch.wrap_tensor(gym.acquire_dof_state_tensor(sim))
        self.dof_force = gymtorch.wrap_tensor(gym.acquire_dof_force_tensor(sim))
        self.sensor = gymtorch.wrap_tensor(gym.acquire_force_sensor_tensor(sim))
        self.root, self.dof = self.root.view(count, -1, 13), self.dof.view(count, -1, 2)
        self.dof_force = self.dof_force.view(count, -1)
        self.sensor = self.sensor.view(count, -1, 6)
        if bodies:
            body = gymtorch.wrap_tensor(gym.acquire_rigid_body_state_tensor(sim))
            self.body = body.view(count, -1, 13)
        if contacts:
            contact = gymtorch.wrap_tensor(gym.acquire_net_contact_force_tensor(sim))
            self.contact = contact.view(count, -1, 3)
        gym.prepare_sim(sim)
        return self

    def refresh(self) -> None:
        self.gym.refresh_actor_root_state_tensor(self.sim)
        self.gym.refresh_dof_state_tensor(self.sim)
        self.gym.refresh_dof_force_tensor(self.sim)
        self.gym.refresh_force_sensor_tensor(self.sim)
        self.gym.refresh_rigid_body_state_tensor(self.sim)
        self.gym.refresh_net_contact_force_tensor(self.sim)

    def step(self, frames: int = 1, effort: Any = None) -> None:
        """Simulate `frames` frames, applying `effort` (broadcast over envs, dofs) in each."""
        for _ in range(frames):
            if effort is not None:
                forces = torch.as_tensor(effort, dtype=torch.float32).expand(self.dof.shape[:2])
                handle = gymtorch.unwrap_tensor(forces.contiguous())
                self.gym.set_dof_actuation_force_tensor(self.sim, handle)
            self.gym.simulate(self.sim)
            self.gym.fetch_results(self.sim, True)
        self.refresh()

    def set_targets(self, kind: str, targets: Any) -> None:
        """`kind` is position or velocity; `targets` is broadcast over (envs, dofs)."""
        values = torch.as_tensor(targets, dtype=torch.float32).expand(self.dof.shape[:2])
        call = getattr(self.gym, f"set_dof_{kind}_target_tensor")
        call(self.sim, gymtorch.unwrap_tensor(values.contiguous()))

    def set_root(self, states: torch.Tensor) -> None:
        handle = gymtorch.unwrap_tensor(states.reshape(-1, 13).contiguous())
        self.gym.set_actor_root_state_tensor(self.sim, handle)

    def set_dof(self, states: torch.Tensor) -> None:
        handle = gymtorch.unwrap_tensor(states.reshape(-1, 2).contiguous())
        self.gym.set_dof_state_tensor(self.sim, handle)


@pytest.fixture(params=["mujoco", "mujoco_warp"])
def each_engine(request, monkeypatch):
    """Runs the test on both engines, MuJoCo Warp on Warp's CPU."""
    capacity = Capacity(contacts=24, constraints=120)
    choice = engine.EngineChoice(request.param, capacity)
    monkeypatch.setattr(engine, "_chosen", choice)
    return request.param


@pytest.fixture
def new_world(tmp_path):
    """`World` for this test's folder: `new_world(dt=..., gravity=...)`."""
    return lambda **arguments: World(tmp_path, **arguments)


@pytest.fixture
def one_robot(new_world):
    """One robot an environment, prepared: `one_robot("arm", fixed=True, envs=2, dt=...)`.

    `dof` holds DofProperties to set on every actor, `pos` the start position, `options` more
    AssetOptions, `bodies` and `contacts` ask for those tensors; everything else goes to `World`.
    """

    def build(
        robot,
        fixed=False,
        envs=1,
        dof=None,
        pos=(0.0, 0.0, 0.0),
        options=None,
        bodies=False,
        contacts=False,
        **world,
    ):
        made = new_world(**world)
        asset = made.asset(robot, fixed, **(options or {}))
        for index in range(envs):
            made.add_env()
            handle = made.add_actor(asset, pos)
            made.gym.enable_actor_dof_force_sensors(made.envs[index], handle)
            if dof:
                made.set_dof_properties(index, handle, **dof)
        return made.prepare(bodies, contacts)

    return build

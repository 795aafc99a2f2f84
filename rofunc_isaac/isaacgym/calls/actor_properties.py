"""Calls about the properties of actors' DOFs, bodies and shapes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, List

import numpy as np

from rofunc_isaac.isaacgym._properties import (
    DOF_PROPERTIES,
    RigidBodyProperties,
    RigidShapeProperties,
    TendonProperties,
)
from rofunc_isaac.isaacgym._record import to_float
from rofunc_isaac.isaacgym.actor import Actor
from rofunc_isaac.isaacgym.assets.scaled import scaled_body
from rofunc_isaac.isaacgym.assets.tables import mat33, matrix_of
from rofunc_isaac.isaacgym.calls.assets import check_length
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Env


class ActorPropertyCalls:
    """Mixed into `Gym`. Getters give copies; what is set counts for one environment alone, from
    prepare_sim or the next simulate on."""

    def get_actor_dof_properties(self, env: Env, handle: int) -> np.ndarray:
        """DofProperties, (dofs,); a copy."""
        return env.actor(handle).dof_properties.copy()

    def set_actor_dof_properties(self, env: Env, handle: int, props: np.ndarray) -> bool:
        """Set DofProperties, (dofs,); they take effect at prepare_sim or the next simulate."""
        actor = env.actor(handle)
        check_length("set_actor_dof_properties", props, len(actor.dof_properties))
        actor.dof_properties = np.array(props, dtype=DOF_PROPERTIES)
        env.scene.changed = True
        return True

    def get_actor_rigid_body_properties(self, env: Env, handle: int) -> List[RigidBodyProperties]:
        return [deepcopy(body) for body in env.actor(handle).body_properties]

    def set_actor_rigid_body_properties(
        self,
        env: Env,
        actorHandle: int,
        props: List[RigidBodyProperties],
        recomputeInertia: bool = False,
    ) -> bool:
        """Set masses, centres of mass and inertias, for one environment.

        With `recomputeInertia` a body's inertia follows its mass, as that of the same shape; what
        `props` says about inertia is not read then. They take effect at prepare_sim or the next
        simulate. `invMass`, `invInertia` and `flags` are kept, not read; flags can't change.
        """
        actor = env.actor(actorHandle)
        check_length("set_actor_rigid_body_properties", props, len(actor.body_properties))
        bodies = [deepcopy(body) for body in props]
        for old, new in zip(actor.body_properties, bodies):
            if new.flags != old.flags:
                raise GymError("set_actor_rigid_body_properties: a body's flags cannot change")
            if recomputeInertia:
                scale = new.mass / old.mass if old.mass > 0.0 else 1.0
                new.inertia = mat33(scale * matrix_of(old.inertia))
        actor.body_properties = bodies
        env.scene.changed = True
        return True

    def get_actor_scale(self, env: Env, handle: int) -> float:
        return env.actor(handle).scale

    def set_actor_scale(self, env: Env, handle: int, scale: float) -> bool:
        """Make an actor larger or smaller than its asset, in one environment, before prepare_sim.

        The density stays: masses go with the cube of `scale`, inertias with the fifth power. What
        joints may do stays, too. An actor that is more than one body with one shape, no mesh, gets
        shapes and joints of the nearest size in per cent, since each size is a model of its own.
        """
        actor = env.actor(handle)
        env.scene.check_open("set_actor_scale")
        scale = to_float(scale)
        factor = scale / actor.scale
        if not factor > 0.0:
            raise GymError(f"set_actor_scale was given {scale}; a scale is positive")
        actor.body_properties = [scaled_body(body, factor) for body in actor.body_properties]
        actor.scale = scale
        if is_one_shape(actor):
            actor.shape_scale = scale
        else:
            actor.asset = actor.asset.of_size(round(scale, 2))
        env.scene.changed = True
        return True

    def get_actor_rigid_shape_count(self, env: Env, handle: int) -> int:
        return len(env.actor(handle).shape_properties)

    def get_actor_rigid_shape_properties(self, env: Env, handle: int) -> List[RigidShapeProperties]:
        return [deepcopy(shape) for shape in env.actor(handle).shape_properties]

    def set_actor_rigid_shape_properties(
        self, env: Env, handle: int, props: List[RigidShapeProperties]
    ) -> bool:
        """Set the shapes' friction, for one environment; and before prepare_sim their filters."""
        actor = env.actor(handle)
        check_length("set_actor_rigid_shape_properties", props, len(actor.shape_properties))
        check_filters_stand(env, actor, props)
        actor.shape_properties = [deepcopy(shape) for shape in props]
        env.scene.changed = True
        return True

    def get_actor_tendon_properties(self, env: Env, handle: int) -> List[TendonProperties]:
        return [deepcopy(tendon) for tendon in env.actor(handle).tendon_properties]

    def set_actor_tendon_properties(
        self, env: Env, handle: int, props: List[TendonProperties]
    ) -> bool:
        """Set springs and limits of tendons; after prepare_sim not which of them are limited."""
        actor = env.actor(handle)
        check_length("set_actor_tendon_properties", props, len(actor.tendon_properties))
        for old, new in zip(actor.tendon_properties, props):
            if env.scene.frozen and old.is_fixed_limited != new.is_fixed_limited:
                raise GymError(
                    "set_actor_tendon_properties: whether a tendon is limited cannot change once a "
                    "tensor was acquired or prepare_sim was called"
                )
        actor.tendon_properties = [deepcopy(tendon) for tendon in props]
        env.scene.changed = True
        return True

    def enable_actor_dof_force_sensors(self, env: Env, handle: int) -> bool:
        env.scene.check_open("enable_actor_dof_force_sensors")
        env.actor(handle).dof_forces_enabled = True
        return True


def is_one_shape(actor: Actor) -> bool:
    """Whether a world can have a size of its own for it."""
    asset = actor.asset.description
    shapes = [asset.spec.geom(name) for name in asset.shape_names]
    return len(asset.body_names) == len(shapes) == 1 and not shapes[0].meshname


def check_filters_stand(env: Env, actor: Actor, props: List[Any]) -> None:
    if not env.scene.frozen:
        return
    for old, new in zip(actor.shape_properties, props):
        if old.filter != new.filter:
            raise GymError(
                "set_actor_rigid_shape_properties: a shape's filter cannot change once a tensor "
                "was acquired or prepare_sim was called"
            )

"""States of single actors: in the worlds or, before there are any, on the actors' records."""

from __future__ import annotations

from typing import Dict, Iterator, List, Sequence, Tuple

import numpy as np

from rofunc_isaac.isaacgym._math import Quat, Transform, Vec3, Velocity
from rofunc_isaac.isaacgym.actor import Actor, SceneAsset
from rofunc_isaac.isaacgym.joint_fit import fit_dofs
from rofunc_isaac.isaacgym.scene import Env

ActorRef = Tuple[Env, int]
"""An environment and the actor's handle there."""


def actor_row(env: Env, handle: int) -> int:
    """The actor's row in the root state tensor."""
    return env.index * len(env.scene.envs[0].actors) + handle


def first_dof(env: Env, handle: int) -> int:
    """The number of the actor's first DOF within its environment."""
    return sum(len(actor.dof_properties) for actor in env.actors[:handle])


def dof_rows(env: Env, handle: int) -> np.ndarray:
    """The rows of the actor's DOFs in the DOF state tensor, (dofs,)."""
    first = env.index * env.scene.envs[0].num_dofs + first_dof(env, handle)
    return first + np.arange(len(env.actor(handle).dof_properties))


def root_state(env: Env, handle: int) -> np.ndarray:
    """(13,), as in the root state tensor."""
    actor = env.actor(handle)
    if env.scene.simulation.is_prepared:
        return env.scene.simulation.host_states().roots()[actor_row(env, handle)]
    return np.array(actor.start_root(), np.float32)


def set_root_state(env: Env, handle: int, row: np.ndarray) -> None:
    """Move the actor's root to `row`, (13,); at the next simulate, as a tensor would."""
    actor = env.actor(handle)
    if env.scene.simulation.is_prepared:
        rows = np.array([actor_row(env, handle)])
        env.scene.simulation.host_states().set_roots(rows, row)
        return
    values = [float(value) for value in row]
    actor.pose = Transform(Vec3(*values[0:3]), Quat(*values[3:7]))
    actor.start_state().velocity = Velocity(Vec3(*values[7:10]), Vec3(*values[10:13]))


def dof_states(env: Env, handle: int) -> np.ndarray:
    """(dofs, 2), as in the DOF state tensor."""
    actor = env.actor(handle)
    if env.scene.simulation.is_prepared:
        return env.scene.simulation.host_states().dofs()[dof_rows(env, handle)]
    if actor.start is None:
        return np.zeros((len(actor.dof_properties), 2), np.float32)
    return actor.start.dofs.astype(np.float32)


def set_dof_states(env: Env, handle: int, values: np.ndarray) -> None:
    """Set the actor's DOFs to `values`, (dofs, 2); at the next simulate, as a tensor would."""
    if env.scene.simulation.is_prepared:
        env.scene.simulation.host_states().set_dofs(dof_rows(env, handle), values)
    else:
        env.actor(handle).start_state().dofs[:] = values


def link_states(refs: Sequence[ActorRef]) -> np.ndarray:
    """States of all links of the actors, one actor after the other: float32 (links, 13).

    As in the rigid body state tensor, but at the present state, which may have been set.
    """
    if len(refs) == 1:
        return _states_of_one(*refs[0]).copy()
    return _states_of_many(refs)


def _states_of_one(env: Env, handle: int) -> np.ndarray:
    """Kept until the state changes: programs ask for an actor's links one by one."""
    simulation, actor = env.scene.simulation, env.actor(handle)
    if not simulation.is_prepared:
        return _states_of_many([(env, handle)])
    known, key = simulation.host_states().links, (env.index, handle)
    # Centres of mass stand on the list of properties, which is replaced when they are set.
    if key not in known or known[key][0] is not actor.body_properties:
        known[key] = actor.body_properties, _states_of_many([(env, handle)])
    return known[key][1]


def _states_of_many(refs: Sequence[ActorRef]) -> np.ndarray:
    counts = [len(env.actor(handle).body_properties) for env, handle in refs]
    firsts = np.cumsum([0, *counts])
    result = np.empty((int(firsts[-1]), 13), np.float32)
    for asset, places in _by_asset(refs):
        group = [refs[place] for place in places]
        rows = firsts[places][:, None] + np.arange(counts[places[0]])
        roots = np.stack([root_state(*ref) for ref in group])
        dofs = np.stack([dof_states(*ref) for ref in group])
        result[rows] = asset.kinematics.link_states(roots, dofs, _coms(group))
    return result


def set_link_states(refs: Sequence[ActorRef], links: np.ndarray, poses: bool, rates: bool) -> None:
    """Move actors so that their links come to `links`, (links, 13), as near as joints allow.

    The root takes its own state. A DOF follows where its link's pose is one that its joint can
    have, and else stays as it is.

    Args:
        poses, rates: which half of `links` counts.
    """
    counts = [len(env.actor(handle).body_properties) for env, handle in refs]
    firsts = np.cumsum([0, *counts])
    for asset, places in _by_asset(refs):
        group = [refs[place] for place in places]
        rows = firsts[places][:, None] + np.arange(counts[places[0]])
        given, coms = links[rows], _coms(group)
        old_roots = np.stack([root_state(*ref) for ref in group])
        old_dofs = np.stack([dof_states(*ref) for ref in group])
        wanted = asset.kinematics.link_states(old_roots, old_dofs, coms)
        if poses:
            wanted[..., 0:7] = given[..., 0:7]
        if rates:
            wanted[..., 7:13] = given[..., 7:13]
        dofs = old_dofs
        if asset.description.dof_names:
            dofs = fit_dofs(asset.kinematics.model, wanted, coms, old_dofs)
        for ref, root, values in zip(group, wanted[:, 0], dofs):
            set_root_state(*ref, root)
            set_dof_states(*ref, values)


def _by_asset(refs: Sequence[ActorRef]) -> Iterator[Tuple[SceneAsset, List[int]]]:
    """The assets of the actors, each with its actors' places in `refs`."""
    groups: Dict[int, Tuple[SceneAsset, List[int]]] = {}
    for place, (env, handle) in enumerate(refs):
        asset = env.actor(handle).asset
        groups.setdefault(id(asset), (asset, []))[1].append(place)
    yield from groups.values()


def _coms(refs: Sequence[ActorRef]) -> np.ndarray:
    """Centres of mass of the links of actors of one asset, (actors, links, 3)."""
    # Actors share one list of properties until it is set, and often after.
    known: Dict[int, np.ndarray] = {}
    for actor in (env.actor(handle) for env, handle in refs):
        if id(actor.body_properties) not in known:
            known[id(actor.body_properties)] = _coms_of(actor)
    return np.stack([known[id(env.actor(handle).body_properties)] for env, handle in refs])


def _coms_of(actor: Actor) -> np.ndarray:
    return np.array([[body.com.x, body.com.y, body.com.z] for body in actor.body_properties])

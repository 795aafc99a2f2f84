"""Random changes of physical properties, as tasks with domain randomisation configure them.

A property's configuration has `range` (two numbers), `distribution` ("uniform", "loguniform" or
"gaussian": mean and standard deviation), `operation` ("additive" or "scaling"), and optionally
`schedule` ("linear" or "constant") with `schedule_steps`, and `num_buckets`.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple, Union

import numpy as np

from rofunc_isaac.isaacgym._params import SimParams

__all__ = [
    "apply_random_samples",
    "check_buckets",
    "generate_random_samples",
    "get_default_setter_args",
    "get_property_getter_map",
    "get_property_setter_map",
]

# The most distinct materials that PhysX holds.
MAX_MATERIALS = 64000

_ACTOR_PROPERTIES = (
    "dof_properties",
    "tendon_properties",
    "rigid_body_properties",
    "rigid_shape_properties",
)


def get_property_getter_map(gym: Any) -> Dict[str, Callable[..., Any]]:
    """The ``gym`` call that reads each kind of property."""
    getters = {name: getattr(gym, f"get_actor_{name}") for name in _ACTOR_PROPERTIES}
    return {**getters, "sim_params": gym.get_sim_params}


def get_property_setter_map(gym: Any) -> Dict[str, Callable[..., Any]]:
    """The ``gym`` call that writes each kind of property."""
    setters = {name: getattr(gym, f"set_actor_{name}") for name in _ACTOR_PROPERTIES}
    return {**setters, "sim_params": gym.set_sim_params}


def get_default_setter_args(gym: Any) -> Dict[str, List[Any]]:
    """What each setter takes after the property: for bodies, to recompute the inertia."""
    none: Dict[str, List[Any]] = {name: [] for name in (*_ACTOR_PROPERTIES, "sim_params")}
    return {**none, "rigid_body_properties": [True]}


def generate_random_samples(
    attr_randomization_params: Mapping[str, Any],
    shape: Union[int, Sequence[int]],
    curr_gym_step_count: int,
    extern_sample: Any = None,
) -> Any:
    """Samples of ``shape`` for one property, or ``extern_sample``, faded in by the schedule.

    At a share s of the schedule an additive change is s times the full one, a scaling factor f is
    1 + s (f - 1). Raises ValueError for an unknown distribution, operation or schedule.
    """
    params = attr_randomization_params
    share = _scheduled_share(params, curr_gym_step_count)
    neutral = {"additive": 0.0, "scaling": 1.0}.get(params["operation"])
    if neutral is None:
        raise ValueError(f"operation {params['operation']!r} is not additive or scaling")
    if extern_sample is not None:
        return neutral + share * (extern_sample - neutral)

    first, second = params["range"]
    distribution = params["distribution"]
    # NumPy's global generator: the one that tasks seed.
    random = np.random
    if distribution == "gaussian":
        # The deviation starts at zero, whatever the operation.
        return random.normal(neutral + share * (first - neutral), share * second, shape)
    low, high = (neutral + share * (bound - neutral) for bound in (first, second))
    if distribution == "uniform":
        return random.uniform(low, high, shape)
    if distribution == "loguniform":
        if not 0.0 < low <= high:
            raise ValueError(f"a loguniform range needs 0 < low <= high, not {low}, {high}")
        return np.exp(random.uniform(np.log(low), np.log(high), shape))
    raise ValueError(f"distribution {distribution!r} is not uniform, loguniform or gaussian")


def _scheduled_share(params: Mapping[str, Any], step: int) -> float:
    """How much of the full randomisation is due at ``step``, in [0, 1]."""
    schedule = params.get("schedule")
    if schedule is None:
        return 1.0
    steps = params["schedule_steps"]
    if schedule == "linear":
        return min(step, steps) / steps
    if schedule == "constant":
        return float(step >= steps)
    raise ValueError(f"schedule {schedule!r} is not linear or constant")


def apply_random_samples(
    prop: Any,
    og_prop: Any,
    attr: str,
    attr_randomization_params: Mapping[str, Any],
    curr_gym_step_count: int,
    extern_sample: Any = None,
) -> None:
    """Change ``attr`` of ``prop`` in place: its original value in ``og_prop``, changed at random.

    ``prop`` is a structured array (DOF properties), ``SimParams`` (``gravity`` and ``rest_offset``)
    or a record; for the last two ``og_prop`` maps attribute names to original values.
    """
    params = attr_randomization_params
    if isinstance(prop, SimParams):
        _apply_to_sim_params(prop, og_prop, attr, params, curr_gym_step_count)
        return
    shape = prop[attr].shape if isinstance(prop, np.ndarray) else (1,)
    sample = generate_random_samples(params, shape, curr_gym_step_count, extern_sample)
    value = og_prop[attr] * sample if params["operation"] == "scaling" else og_prop[attr] + sample
    if params.get("num_buckets", 0) > 0:
        value = _bucketed(value, params)
    if isinstance(prop, np.ndarray):
        prop[attr] = value
    else:
        setattr(prop, attr, value)


def _apply_to_sim_params(
    prop: SimParams, og_prop: Mapping[str, Any], attr: str, params: Mapping[str, Any], step: int
) -> None:
    if attr == "gravity":
        sample = generate_random_samples(params, 3, step)
        for axis, change in zip("xyz", sample):
            original = getattr(og_prop["gravity"], axis)
            scaled = params["operation"] == "scaling"
            setattr(prop.gravity, axis, original * change if scaled else original + change)
    elif attr == "rest_offset":
        # The sample is the offset itself.
        prop.physx.rest_offset = generate_random_samples(params, 1, step)
    else:
        raise ValueError(f"sim_params.{attr} cannot be randomised; gravity and rest_offset can")


def _bucketed(value: Any, params: Mapping[str, Any]) -> np.ndarray:
    """``value`` lowered to one of ``num_buckets`` evenly spaced values of the range.

    A gaussian's range is two standard deviations to either side.
    """
    low, high = _bucket_range(params)
    buckets = low + (high - low) * np.arange(params["num_buckets"]) / params["num_buckets"]
    index = np.searchsorted(buckets, value, side="right") - 1
    return buckets[np.clip(index, 0, None)]


def _bucket_range(params: Mapping[str, Any]) -> Tuple[float, float]:
    first, second = params["range"]
    if params["distribution"] == "gaussian":
        return first - 2.0 * second, first + 2.0 * second
    return first, second


def check_buckets(gym: Any, envs: Sequence[Any], dr_params: Mapping[str, Any]) -> None:
    """Raise ValueError if the randomised friction and restitution make more than 64,000 materials.

    With ``num_buckets`` an actor has as many materials as there are combinations of buckets;
    without any buckets, every shape has its own.
    """
    shape_params = {
        actor: params["rigid_shape_properties"]
        for actor, params in dr_params["actor_params"].items()
        if "rigid_shape_properties" in params
    }
    total = 0
    for params in shape_params.values():
        counts = [
            params.get(name, {}).get("num_buckets", 0) for name in ("restitution", "friction")
        ]
        total += int(np.prod([count for count in counts if count > 0])) if any(counts) else 0
    if total > MAX_MATERIALS:
        raise ValueError(f"num_buckets make {total} materials; at most {MAX_MATERIALS} fit")
    if total > 0:
        return
    shapes = 0
    for env in envs:
        for i in range(gym.get_actor_count(env)):
            handle = gym.get_actor_handle(env, i)
            if gym.get_actor_name(env, handle) in shape_params:
                shapes += gym.get_actor_rigid_shape_count(env, handle)
    if shapes > MAX_MATERIALS:
        raise ValueError(
            f"{shapes} randomised shapes make as many materials; at most {MAX_MATERIALS} fit: "
            "set num_buckets"
        )

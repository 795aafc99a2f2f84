"""Records about the package and its clocks, and handles that are only ever named."""

from __future__ import annotations

from typing import Any

from rofunc_isaac.isaacgym._record import Record, float_field, int_field, str_field

__all__ = ["ActionEvent", "PerformanceTimers", "Version", "Viewer", "carb_init"]


class Version(Record):
    """Of Isaac Gym's interface."""

    major = int_field()
    minor = int_field()


class PerformanceTimers(Record):
    """Seconds spent since the last query, see `gym.get_performance_timers`."""

    frame_idling = float_field()
    graphics_image_retrieval = float_field()
    graphics_sensor_rendering = float_field()
    graphics_viewer_rendering = float_field()
    physics_data_movement = float_field()
    physics_sim = float_field()
    total_time = float_field()


class ActionEvent(Record):
    """A key or button that was pressed in a viewer."""

    action = str_field()
    value = float_field()


class Viewer:
    """The type of what `create_viewer` would return."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError("viewers come from gym.create_viewer")


def carb_init(config_str: str = "") -> bool:
    """Nothing is to be initialised: Carbonite belongs to the original's plugins."""
    return True

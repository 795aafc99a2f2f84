"""Calls about what is seen. There is no viewer in this version: without one, they do nothing."""

from __future__ import annotations

from typing import Any, List, Optional

from rofunc_isaac.isaacgym._inputs import KeyboardInput, MouseInput
from rofunc_isaac.isaacgym._math import Int2, Transform, Vec2, Vec3
from rofunc_isaac.isaacgym._params import CameraProperties
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.simulation import Simulation

Viewer = Any
"""None, since none can be created."""


class ViewerCalls:
    """Mixed into `Gym`. Programs that run headless make these calls with None as their viewer."""

    def create_viewer(self, sim: Simulation, properties: Optional[CameraProperties] = None) -> Any:
        raise GymError("create_viewer: this version has no viewer; run without one (headless=True)")

    def destroy_viewer(self, viewer: Viewer) -> None:
        """There is none."""

    def subscribe_viewer_keyboard_event(
        self, viewer: Viewer, key: KeyboardInput, action: str
    ) -> None:
        """No key is ever pressed."""

    def subscribe_viewer_mouse_event(self, viewer: Viewer, button: MouseInput, action: str) -> None:
        """No button is ever pressed."""

    def query_viewer_action_events(self, viewer: Viewer) -> List[Any]:
        return []

    def query_viewer_has_closed(self, viewer: Viewer) -> bool:
        return False

    def poll_viewer_events(self, viewer: Viewer) -> None:
        """There are none."""

    def viewer_camera_look_at(
        self, viewer: Viewer, env: Optional[Env], position: Vec3, target: Vec3
    ) -> None:
        """Nobody looks."""

    def draw_viewer(self, viewer: Viewer, sim: Simulation, render_collision: bool = False) -> None:
        """Nothing is drawn."""

    def step_graphics(self, sim: Simulation) -> None:
        """Nothing is to be prepared: camera sensors take the state as it is when they draw."""

    def sync_frame_time(self, sim: Simulation) -> None:
        """Nobody watches, so nothing need be slowed down to real time."""

    def draw_env_rigid_contacts(
        self, viewer: Viewer, env: Env, color: Vec3, scale: float, sqrt_scale: bool
    ) -> None:
        """Nothing is drawn."""

    def draw_env_soft_contacts(
        self,
        viewer: Viewer,
        env: Env,
        color: Vec3,
        scale: float,
        sqrt_scale: bool,
        show_force: bool,
    ) -> None:
        """Nothing is drawn, and there are no soft bodies."""

    def get_viewer_camera_handle(self, viewer: Viewer) -> int:
        raise no_viewer("get_viewer_camera_handle")

    def get_viewer_camera_transform(self, viewer: Viewer, env: Optional[Env]) -> Transform:
        raise no_viewer("get_viewer_camera_transform")

    def get_viewer_mouse_position(self, viewer: Viewer) -> Vec2:
        raise no_viewer("get_viewer_mouse_position")

    def get_viewer_size(self, viewer: Viewer) -> Int2:
        raise no_viewer("get_viewer_size")

    def write_viewer_image_to_file(self, viewer: Viewer, filename: str) -> None:
        raise no_viewer("write_viewer_image_to_file")

    def clear_lines(self, viewer: Viewer) -> None:
        """There are none."""

    def add_lines(
        self, viewer: Viewer, env: Optional[Env], count: int, vertices: Any, colors: Any
    ) -> None:
        """Nothing is drawn."""


def no_viewer(call: str) -> GymError:
    """For what nobody could know without a viewer."""
    return GymError(
        f"{call}: this version has no viewer; run without one (headless=True), take images with "
        "camera sensors (create_camera_sensor)"
    )

"""Calls about versions and clocks."""

from __future__ import annotations

from rofunc_isaac.isaacgym._versions import PerformanceTimers, Version
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.simulation import Simulation


class TimingCalls:
    """Mixed into `Gym`. Times are those of the wall's clock, in s."""

    def get_version(self) -> Version:
        """1.0: that of Preview 4, whose interface this is."""
        version = Version()
        version.major = 1
        return version

    def get_elapsed_time(self, sim: Simulation) -> float:
        """Since the simulation was created."""
        return sim.stopwatch.elapsed()

    def create_performance_timers(self, sim: Simulation) -> int:
        """A handle for `get_performance_timers`."""
        sim.stopwatch.readers.append(dict(sim.stopwatch.seconds))
        return len(sim.stopwatch.readers) - 1

    def get_performance_timers(self, sim: Simulation, timers: int) -> PerformanceTimers:
        """What the host spent on simulate and on images since these `timers` were last asked.

        On a GPU, simulate is over for the host as soon as it is launched.
        """
        readers = sim.stopwatch.readers
        if not 0 <= timers < len(readers):
            raise GymError(
                f"get_performance_timers: there are no timers {timers}; create_performance_timers "
                f"made {len(readers)}"
            )
        result = PerformanceTimers()
        for kind, seconds in sim.stopwatch.seconds.items():
            setattr(result, kind, seconds - readers[timers][kind])
        readers[timers] = dict(sim.stopwatch.seconds)
        result.total_time = sum(
            getattr(result, name) for name in PerformanceTimers.fields() if name != "total_time"
        )
        return result

    def destroy_performance_timers(self, sim: Simulation, timers: int) -> None:
        """They hold nothing that had to be freed."""

"""Where a value of the composed configuration was written: an override or a file."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence


class Origins:
    """Knows the overrides of a command line and the option chosen in each group."""

    def __init__(self, overrides: Sequence[str], choices: Mapping[str, Optional[str]]) -> None:
        self._override_of = {override_key(text): text for text in overrides}
        self._choices = choices

    def overridden(self, key: str) -> bool:
        """Whether an override sets `key` itself."""
        return key in self._override_of

    def of(self, key: str) -> str:
        """Words for an error message, as `override num_envs=0` or `train/AntPPO.yaml`."""
        inside = [given for given in self._override_of if f"{given}.".startswith(f"{key}.")]
        if inside:
            return f"override {self._override_of[inside[-1]]}"
        group, dot, _ = key.partition(".")
        option = self._choices.get(group) if dot else None
        return f"{group}/{option}.yaml" if option else "config.yaml"


def override_key(override: str) -> str:
    """The dotted key of `key=value`, `+key=value`, `++key=value` or `~key`."""
    return override.split("=", 1)[0].lstrip("+~").strip()

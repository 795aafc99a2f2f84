"""`SchedulerChoice` is checked where it is made, and loads without torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.schedulers.config import SchedulerChoice


@pytest.mark.parametrize("name", ["kl_adaptive", "constant", "linear", "cosine"])
@pytest.mark.parametrize("update_every", ["minibatch", "epoch", "iteration"])
def test_every_documented_choice_is_accepted(name: str, update_every: str) -> None:
    choice = SchedulerChoice(name=name, update_every=update_every)
    assert (choice.name, choice.update_every) == (name, update_every)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "kl_adaptiv"}, "did you mean 'kl_adaptive'"),
        ({"name": "zzz"}, "kl_adaptive, constant, linear, cosine, got 'zzz'$"),
        ({"update_every": "minibatches"}, "did you mean 'minibatch'"),
        ({"kl_threshold": 0.0}, "kl_threshold"),
        ({"min_lr": 1.0, "max_lr": 0.1}, "max_lr"),
        ({"lr_factor": 0.5}, "lr_factor"),
        ({"final_lr_factor": -0.1}, "final_lr_factor"),
        ({"final_lr_factor": float("nan")}, "final_lr_factor"),
    ],
)
def test_a_choice_that_cannot_work_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SchedulerChoice(**arguments)


def test_a_word_for_a_number_is_refused() -> None:
    with pytest.raises(TypeError, match="final_lr_factor"):
        SchedulerChoice(final_lr_factor="half")  # type: ignore[arg-type]


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_the_configuration_loads_without_torch() -> None:
    done = run(
        "import sys\n"
        "import rofunc_isaac.schedulers\n"
        "from rofunc_isaac.schedulers.config import SchedulerChoice\n"
        "SchedulerChoice(name='cosine')\n"
        "assert 'torch' not in sys.modules\n"
    )
    assert done.returncode == 0, done.stdout


def test_the_package_exports_its_names_on_first_use() -> None:
    done = run(
        "import rofunc_isaac.schedulers as package\n"
        "from rofunc_isaac.schedulers import KLAdaptiveRL, SchedulerChoice, build_scheduler\n"
        "from rofunc_isaac.schedulers.kl_adaptive import KLAdaptiveRL as direct\n"
        "assert KLAdaptiveRL is direct\n"
        "assert set(package.__all__) <= set(dir(package))\n"
        "from rofunc_isaac.schedulers import *\n"
        "try:\n"
        "    package.KLAdaptive\n"
        "except AttributeError as error:\n"
        "    assert 'KLAdaptive' in str(error)\n"
        "else:\n"
        "    raise SystemExit('an unknown name was found')\n"
    )
    assert done.returncode == 0, done.stdout

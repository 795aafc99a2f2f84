from __future__ import annotations

import pytest

from benchmarks import options
from rofunc_isaac.errors import UserError

READERS = {"repeats": options.count, "env_steps": options.steps, "trainers": options.names}
READERS["peers"] = options.one_of("helped", "plain")


def test_own_options_are_read_and_settings_of_the_training_are_handed_on() -> None:
    words = ["repeats=3", "task=Ant", "env_steps=16.4e6", "train.learning_rate=1e-3"]
    given, overrides = options.parse([*words, "trainers=ours, rl_games"], READERS)
    assert given == {"repeats": 3, "env_steps": 16_400_000, "trainers": ["ours", "rl_games"]}
    assert overrides == ["task=Ant", "train.learning_rate=1e-3"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["repeat=3"], "unknown option repeat; did you mean repeats"),
        (["numenvs=3"], "did you mean num_envs"),
        (["repeats=0"], "repeats=0: must be a whole number of 1 or more"),
        (["repeats=1.5"], "must be a whole number"),
        (["env_steps=inf"], "env_steps=inf: must be a number of 1 or more"),
        (["env_steps=nan"], "must be a number of 1 or more"),
        (["trainers=,"], "must name at least one"),
        (["peers=alone"], "peers=alone: must be one of helped, plain"),
        (["--repeats"], "not of the form key=value"),
        (["task=Ant", "task=Cartpole"], "task is given twice"),
        (["repeats=1", "repeats=2"], "repeats is given twice"),
    ],
)
def test_mistakes_are_named(words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        options.parse(words, READERS)

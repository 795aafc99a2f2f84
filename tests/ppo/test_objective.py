"""What the compiler makes of the loss, against the same loss uncompiled."""

from __future__ import annotations

import warnings

import pytest
import torch

from rofunc_isaac import compiler
from rofunc_isaac.ppo.learner import Learner
from tests.ppo.toy_env import reach_learner

needs_compiler = pytest.mark.skipif(not compiler.can_compile(), reason="needs a C++ compiler")


def trained(**settings: object) -> Learner:
    learner = reach_learner(**settings)
    for _ in range(3):
        learner.iterate()
    return learner


@needs_compiler
@pytest.mark.parametrize("precision", ["float32", pytest.param("bfloat16", marks=pytest.mark.slow)])
def test_a_compiled_training_follows_the_uncompiled_one(precision: str) -> None:
    eager = trained(precision=precision, compile=False)
    compiled = trained(precision=precision, compile=True)
    tolerance = 1e-5 if precision == "float32" else 3e-3
    for one, other in zip(compiled.network.parameters(), eager.network.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(
        compiled.updater.log,
        eager.updater.log,
        rtol=100 * tolerance,
        atol=tolerance,
        equal_nan=True,
    )


@needs_compiler
def test_a_compiler_that_fails_is_told_of_and_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    eager = trained(compile=False)
    torch._dynamo.reset()

    def broken(*arguments: object, **options: object) -> None:
        raise OSError("no space left")

    learner = reach_learner(compile=True)
    monkeypatch.setattr("torch._inductor.compile_fx.compile_fx", broken)
    with pytest.warns(RuntimeWarning, match="torch.compile failed.*goes on uncompiled"):
        learner.iterate()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner.iterate()
        learner.iterate()
    assert learner.numerics.as_dict()["compile"] is False
    for one, other in zip(learner.network.parameters(), eager.network.parameters(), strict=True):
        assert torch.equal(one, other)

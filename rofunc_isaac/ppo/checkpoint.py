"""Checkpoints: plain data in one file, whole or not there, and checked before anything changes."""

from __future__ import annotations

import os
import pickle
import zipfile
from typing import Any, Dict, Optional, Union

import torch

from rofunc_isaac import random_state
from rofunc_isaac.errors import UserError
from rofunc_isaac.files import atomic_write
from rofunc_isaac.ppo.learner import Learner
from rofunc_isaac.ppo.migrations import FORMAT, migrate

PathLike = Union[str, "os.PathLike[str]"]


class CheckpointError(UserError):
    """A checkpoint that can't be read, or doesn't fit what it shall be used for."""


def save_checkpoint(
    path: PathLike, learner: Learner, task: str, env: Optional[Dict[str, Any]] = None, **extra: Any
) -> None:
    """Write everything that the run goes on from to `path`, atomically.

    Args:
        task: the task's name.
        env: the environments' state; without it a resumed run begins new episodes.
        extra: further plain data (numbers, strings, lists, dicts, tensors) to keep with it.
    """
    content = {
        "format": FORMAT,
        "task": task,
        "learner": learner.state_dict(),
        "env": env,
        "random": random_state.process_state(),
        **extra,
    }
    atomic_write(path, lambda file: torch.save(content, file))


def load_checkpoint(path: PathLike, task: str) -> Dict[str, Any]:
    """The content of the checkpoint at `path`, on the CPU, in today's format; it is only read.

    Raises:
        CheckpointError: no such file, a truncated one, one that this project did not write, or one
            of another task or format.
    """
    try:
        with open(path, "rb") as file:
            # The end of a zip file is its table of contents: cut off, it is none. Asked first,
            # because torch takes anything else for a pickle, and fails on it in every way there is.
            if not zipfile.is_zipfile(file):
                raise CheckpointError(f"checkpoint {path} is truncated or no checkpoint")
            file.seek(0)
            content = torch.load(file, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise CheckpointError(f"checkpoint {path}: there is no such file") from error
    except IsADirectoryError as error:
        raise CheckpointError(
            f"checkpoint {path} is a folder; name the file, such as checkpoints/best.pt in it"
        ) from error
    except OSError as error:
        raise CheckpointError(f"checkpoint {path} can't be read: {error.strerror}") from error
    except (RuntimeError, pickle.UnpicklingError) as error:
        raise CheckpointError(
            f"checkpoint {path} is damaged or no checkpoint: {str(error).splitlines()[0]}"
        ) from error
    if not isinstance(content, dict) or not {"format", "task", "learner"} <= content.keys():
        raise CheckpointError(f"checkpoint {path} was not written by rofunc_isaac")
    if content["format"] > FORMAT:
        raise CheckpointError(
            f"checkpoint {path} has format {content['format']}, and this version reads formats up "
            f"to {FORMAT}: it was written by a newer rofunc_isaac; use that one"
        )
    migrate(content)
    if content["task"] != task:
        raise CheckpointError(
            f"checkpoint {path} is of task {content['task']}, not of {task}; "
            f"use task={content['task']}"
        )
    return content


def check_fit(path: PathLike, content: Dict[str, Any], learner: Learner) -> None:
    """Whether the checkpoint's network is the learner's.

    Raises:
        CheckpointError: another number of observations, actions, layers or units, or other
            settings that change what the same weights compute.
    """
    settings = content.get("config", {}).get("train", {})
    for key in ("activation", "normalize_observations", "normalize_values"):
        before, now = settings.get(key), getattr(learner.config, key)
        if before is not None and before != now:
            raise CheckpointError(
                f"checkpoint {path} was trained with train.{key}={before}, not {now}; give it here "
                "as well"
            )
    saved, own = content["learner"]["network"], learner.network.state_dict()
    for name in sorted(own.keys() | saved.keys()):
        shapes = [tuple(state[name].shape) if name in state else None for state in (saved, own)]
        if shapes[0] != shapes[1]:
            raise CheckpointError(
                f"checkpoint {path} is of another network: {name} has shape {shapes[0]} there and "
                f"{shapes[1]} here; {_mend(saved, learner)}"
            )


def _mend(saved: Dict[str, torch.Tensor], learner: Learner) -> str:
    """What to do about a network `saved` with other shapes than the learner's."""
    num_obs, num_actions = saved["trunk.0.weight"].shape[1], len(saved["log_std"])
    own_obs, own_actions = learner.network.num_policy_obs, learner.env.num_actions
    if (num_obs, num_actions) != (own_obs, own_actions):
        return (
            f"it is for {num_obs} observations and {num_actions} actions, and the task has "
            f"{own_obs} and {own_actions}: it was trained on another version of the task"
        )
    return "give the train.hidden_sizes and train.critic_hidden_sizes that it was trained with"


def load_policy(learner: Learner, content: Dict[str, Any]) -> None:
    """Take over network and normalisers, and leave counters and optimizer as they are."""
    state = content["learner"]
    learner.network.load_state_dict(state["network"])
    learner.obs_normalizer.load_state_dict(state["obs_normalizer"])
    learner.value_normalizer.load_state_dict(state["value_normalizer"])

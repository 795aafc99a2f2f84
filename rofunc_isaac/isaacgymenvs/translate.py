"""From rl_games' settings of a training to those of our PPO. The table stands in docs/isaacgym.md.

Every setting is either used, or without effect on what is learnt, or told to the user: as a line of
`not_translated` where the training is much the same without it, and as an error where it is not.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from rofunc_isaac.errors import ConfigError

KL_RATIO = 4.0
"""Our KL of a minibatch by rl_games', whose measure is the minibatch's previous visit and not the
policy of the rollout: docs/performance.md."""

ACTIVATIONS = {"elu": "elu", "relu": "relu", "tanh": "tanh", "swish": "silu", "silu": "silu"}

UPDATE_EVERY = {"legacy": "minibatch", "standard": "epoch", "standard_epoch": "iteration"}
"""By `schedule_type`."""

WITHOUT_EFFECT = {
    *("seed", "load_checkpoint", "load_path", "asymmetric_obs"),
    *("network.mlp.regularizer.name", "network.inputs", "config.central_value_config"),
    *("config.name", "config.full_experiment_name", "config.env_name", "config.multi_gpu"),
    *("config.ppo", "config.num_actors", "config.save_best_after", "config.save_frequency"),
    *("config.print_stats", "config.player", "config.seq_len", "config.seq_length"),
    *("config.force_interval_writer", "config.defer_summaries_sec", "config.use_experimental_cv"),
    *("config.summaries_interval_sec_min", "config.summaries_interval_sec_max"),
    *("config.torch_compile", "config.device", "config.zero_rnn_on_done"),
}
"""What says where to write and how to play, what belongs to recurrent networks, and what
`_central_value` looks at. A name stands for all below it too."""


VEC_ENV = {"clip_actions": True, "bootstrap_time_limits": True, "states_for_value": False}
"""Settings of `IsaacGymEnv` where no training says otherwise."""


class Translation(NamedTuple):
    """Settings of ours, by name; those that are missing keep their defaults."""

    train: Dict[str, Any]
    """Of `PPOConfig`."""
    scheduler: Dict[str, Any]
    """Of `SchedulerChoice`."""
    vec_env: Dict[str, bool]
    """Of `IsaacGymEnv`."""
    not_translated: List[str]
    """What is left out, a line each."""


class Params:
    """rl_games' settings, which remember what was asked for.

    Args:
        values: the tree below `params`.
        file: its name, for messages.
    """

    def __init__(self, values: Dict[str, Any], file: str) -> None:
        self.leaves = dict(_leaves(values))
        self.file = file
        self.used = set(WITHOUT_EFFECT)

    def get(self, key: str, default: Any = None) -> Any:
        self.used.add(key)
        return self.leaves.get(key, default)

    def number(self, key: str, default: Any) -> float:
        return float(self.get(key, default))  # YAML 1.1 reads 3e-4 as text

    def has(self, key: str) -> bool:
        """Whether there is anything at or below `key`."""
        return any(_is_below(leaf, key) for leaf in self.leaves)

    def must_be(self, key: str, *allowed: Any) -> None:
        """Raises ConfigError: another value, with which our PPO would train something else."""
        value = self.get(key, allowed[0])
        if value not in allowed:
            self.refuse(f"{key}={value}")

    def refuse(self, what: str) -> None:
        raise ConfigError(
            f"{self.file} has {what}, which our PPO can't do, and without it the training is not "
            "the one that is meant. Run IsaacGymEnvs' own train.py with rl_games: `python -m "
            "rofunc_isaac run PATH/isaacgymenvs/train.py ...` (docs/isaacgym.md); or choose other "
            "settings: train=isaacgymenvs/NAME, train=default"
        )

    def rest(self) -> List[str]:
        """`key=value` of all that nobody has asked for."""
        return [
            f"{key}={value}"
            for key, value in self.leaves.items()
            if not any(_is_below(key, name) for name in self.used)
        ]


def translate(values: Dict[str, Any], num_envs: int, file: str) -> Translation:
    """The settings of ours that `values`, the tree below `params`, stand for.

    Args:
        num_envs: the published number, to which the minibatch's size belongs.
        file: name of the file, for messages.

    Raises:
        ConfigError: a network or an algorithm that our PPO does not have.
    """
    params = Params(values, file)
    check_algorithm(params)
    train = {**rollout_and_update(params, num_envs), **network(params)}
    choice = scheduler(params)
    vec_env = {
        **VEC_ENV,
        "clip_actions": bool(params.get("config.clip_actions", True)),
        "bootstrap_time_limits": bool(params.get("config.value_bootstrap", True)),
    }
    lines = central_value(params, train, vec_env)
    return Translation(train, choice, vec_env, [*params.rest(), *lines])


def check_algorithm(params: Params) -> None:
    """Refuse all that is not PPO with a feed-forward Gaussian policy."""
    params.must_be("algo.name", "a2c_continuous")
    params.must_be("model.name", "continuous_a2c_logstd")
    params.must_be("network.name", "actor_critic")
    for part in ("network.rnn", "network.cnn"):
        if params.has(part):
            params.refuse(f"a network with {part.split('.')[1]}")
    params.must_be("network.mlp.d2rl", False)
    params.must_be("network.normalization", None)
    params.must_be("network.space.continuous.fixed_sigma", True)
    for name in ("mu_activation", "sigma_activation"):
        params.must_be(f"network.space.continuous.{name}", "None", None)


def rollout_and_update(params: Params, num_envs: int) -> Dict[str, Any]:
    """The numbers of PPO itself."""
    horizon = int(params.get("config.horizon_length", 16))
    batch = num_envs * horizon
    per_env = int(params.get("config.minibatch_size_per_env", 0))
    minibatch = int(params.get("config.minibatch_size", num_envs * per_env))
    if minibatch < 1 or batch % minibatch:
        params.refuse(f"minibatches of {minibatch} samples in a batch of {batch}")
    clips_gradients = params.get("config.truncate_grads", False)
    grad_norm = params.number("config.grad_norm", 1.0)
    mixed = params.get("config.mixed_precision", False)
    train: Dict[str, Any] = {
        "horizon_length": horizon,
        "num_minibatches": batch // minibatch,
        "mini_epochs": int(params.get("config.mini_epochs", 4)),
        "learning_rate": params.number("config.learning_rate", 3e-4),
        "gamma": params.number("config.gamma", 0.99),
        "gae_lambda": params.number("config.tau", 0.95),
        "clip_range": params.number("config.e_clip", 0.2),
        "clip_value_loss": bool(params.get("config.clip_value", True)),
        "critic_coef": params.number("config.critic_coef", 2.0),
        "entropy_coef": params.number("config.entropy_coef", 0.0),
        "bounds_loss_coef": params.number("config.bounds_loss_coef", 0.0),
        "max_grad_norm": grad_norm if clips_gradients else None,
        "reward_scale": params.number("config.reward_shaper.scale_value", 1.0),
        "normalize_observations": bool(params.get("config.normalize_input", False)),
        "normalize_values": bool(params.get("config.normalize_value", False)),
        "normalize_advantages": bool(params.get("config.normalize_advantage", True)),
        "precision": "auto" if mixed else "float32",
    }
    epochs = int(params.get("config.max_epochs", -1))
    return train if epochs < 1 else {**train, "max_iterations": epochs}


def network(params: Params) -> Dict[str, Any]:
    """Layers and the start of the standard deviation."""
    activation = params.get("network.mlp.activation", "elu")
    if activation not in ACTIVATIONS:
        params.refuse(f"network.mlp.activation={activation}")
    units = [int(size) for size in params.get("network.mlp.units", [])]
    sigma = "network.space.continuous.sigma_init"
    params.must_be(f"{sigma}.name", "const_initializer", "default")
    separate = params.get("network.separate", False)
    for part in ("mlp.initializer", "space.continuous.mu_init"):
        if params.leaves.get(f"network.{part}.name", "default") == "default":
            params.get(f"network.{part}.name")
    return {
        "hidden_sizes": units,
        "critic_hidden_sizes": units if separate else None,
        "activation": ACTIVATIONS[activation],
        "initial_log_std": params.number(f"{sigma}.val", 0.0),
    }


def scheduler(params: Params) -> Dict[str, Any]:
    """How the learning rate moves."""
    threshold = params.number("config.kl_threshold", 0.008)
    kind = params.get("config.schedule_type", "legacy")
    name = params.get("config.lr_schedule", "constant")
    if name == "linear":
        return {"name": "linear", "final_lr_factor": 0.0}
    if name != "adaptive":  # every other word keeps the rate there
        return {"name": "constant"}
    if kind not in UPDATE_EVERY:
        params.refuse(f"config.schedule_type={kind}")
    return {
        "name": "kl_adaptive",
        "update_every": UPDATE_EVERY[kind],
        "kl_threshold": KL_RATIO * threshold,
    }


def central_value(params: Params, train: Dict[str, Any], vec_env: Dict[str, bool]) -> List[str]:
    """A critic with observations of its own: changes `train` and `vec_env`; lines on the rest."""
    prefix = "config.central_value_config"
    if not params.has(prefix):
        return []
    if params.has(f"{prefix}.network.rnn"):
        params.refuse("a central value with rnn")
    params.must_be(f"{prefix}.network.name", "actor_critic")
    units: Optional[List[int]] = params.get(f"{prefix}.network.mlp.units")
    vec_env["states_for_value"] = True
    train["critic_hidden_sizes"] = [int(size) for size in units or train["hidden_sizes"]]
    own = ("learning_rate", "lr_schedule", "mini_epochs", "minibatch_size", "kl_threshold")
    return [
        f"{prefix}.{name}={params.leaves[f'{prefix}.{name}']}: the value learns with the policy's"
        for name in own
        if f"{prefix}.{name}" in params.leaves
    ]


def _leaves(node: Dict[str, Any], prefix: str = "") -> Iterator[Tuple[str, Any]]:
    for key, value in node.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _is_below(key: str, name: str) -> bool:
    return key == name or key.startswith(f"{name}.")

"""A learning rate that follows the KL divergence between the old policy and the new one."""

from __future__ import annotations

import numbers
from typing import Any, Dict, List, Optional, Union

import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.optim.lr_scheduler import _LRScheduler

from rofunc_isaac.schedulers.config import check_kl_adaptive_arguments

_SETTINGS = ("kl_threshold", "min_lr", "max_lr", "kl_factor", "lr_factor", "verbose")
_COUNTERS = ("last_epoch", "_step_count")


class KLAdaptiveRL(_LRScheduler):
    """Lowers the learning rate after an update that moved the policy far, raises it after a timid
    one.

    For every parameter group, from the group's own rate::

        kl > kl_threshold * kl_factor  ->  lr = max(lr / lr_factor, min_lr)
        kl < kl_threshold / kl_factor  ->  lr = min(lr * lr_factor, max_lr)

    and otherwise the rate stays. Only the bound that a move heads for is applied. The rule is that
    of rl_games, and of the class of this name in Rofunc and its kin in skrl.

    A learning rate that is a tensor is written in place and keeps identity, dtype and device, so
    a captured CUDA graph or a compiled optimizer sees the change. Where every rate is a tensor
    and the KL is one too, on the same device, a step never waits for the device. A KL on a device
    for a rate that is a Python float has to be read back: one synchronisation a step.

    Args:
        optimizer: its `param_groups[i]["lr"]`, floats or one-element tensors, are adjusted.
        kl_threshold: the KL aimed at, in nats; above 0.
        min_lr: lower bound of the rate; 0 is no bound.
        max_lr: upper bound of the rate; inf is no bound.
        kl_factor: width of the band in which the rate stays; 1 or more.
        lr_factor: size of one move; 1 or more.
        last_epoch: as for every torch scheduler; the rule does not use it.
        verbose: print a line at every step that was given a KL. Printing a tensor waits for its
            device, and cannot be done in a captured graph.

    Raises:
        TypeError: `optimizer` is no optimizer, or an argument is not a number.
        ConfigError: (a ValueError) an argument is outside its range.

    Example::

        >>> optimizer = torch.optim.Adam(torch.nn.Linear(2, 1).parameters(), lr=3e-4)
        >>> scheduler = KLAdaptiveRL(optimizer, kl_threshold=0.01)
        >>> for epoch in range(3):
        ...     optimizer.step()  # train(...)
        ...     kl_divergence = 0.03
        ...     scheduler.step(kl_divergence)
        >>> [round(lr, 10) for lr in scheduler.get_last_lr()]
        [8.88889e-05]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        kl_threshold: float = 0.008,
        min_lr: float = 1e-6,
        max_lr: float = 1e-2,
        kl_factor: float = 2,
        lr_factor: float = 1.5,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        check_kl_adaptive_arguments(
            kl_threshold=kl_threshold,
            min_lr=min_lr,
            max_lr=max_lr,
            kl_factor=kl_factor,
            lr_factor=lr_factor,
        )
        self.kl_threshold = kl_threshold
        self.min_lr = min_lr
        self.max_lr = max_lr
        self.kl_factor = kl_factor
        self.lr_factor = lr_factor
        # `verbose` is not handed on: torch 2.7 and later do not know it. The base class calls
        # step() once, which adjusts nothing.
        super().__init__(optimizer, last_epoch)
        self.verbose = verbose
        # Made here, not at the first NaN: a graph must not capture its allocation.
        self._nan_count = torch.zeros((), dtype=torch.int64, device=self._tensor_lr_device())

    def step(  # type: ignore[override]  # the promised signature puts the KL first
        self, kl: Optional[Union[Tensor, float]] = None, epoch: Optional[int] = None
    ) -> None:
        """Adjust the learning rates to the KL divergence of the last update.

        Call it after `optimizer.step()`. NaN keeps the rates and is counted in `nan_count`;
        infinity lowers them.

        Example::

            >>> optimizer = torch.optim.Adam(torch.nn.Linear(2, 1).parameters(), lr=3e-4)
            >>> scheduler = KLAdaptiveRL(optimizer)
            >>> p = torch.distributions.Normal(torch.zeros(64, 8), torch.ones(64, 8))
            >>> q = torch.distributions.Normal(torch.ones(64, 8), torch.ones(64, 8))
            >>> kl = torch.distributions.kl_divergence(p, q)
            >>> scheduler.step(kl.mean())
            >>> round(scheduler.get_last_lr()[0], 10)
            0.0002

            >>> kl = 0.0046
            >>> scheduler.step(kl)
            >>> round(scheduler.get_last_lr()[0], 10)
            0.0002

        Args:
            kl: the KL divergence in nats: a float or a tensor of one element, of any shape.
                None adjusts nothing. Nor does an int or a bool: an int is an epoch, which the
                chaining schedulers of some torch versions (2.4) pass in this place.
            epoch: becomes `last_epoch`; the rule does not use it.

        Raises:
            ValueError: `kl` is a tensor that does not have exactly one element.
            TypeError: `kl` is something else.
        """
        if isinstance(kl, Tensor):
            if kl.numel() != 1:
                raise ValueError(
                    "KLAdaptiveRL.step needs a KL of one element, got a tensor of shape "
                    f"{tuple(kl.shape)}; hand it the mean: scheduler.step(kl.mean())"
                )
            kl = kl.reshape(())
        elif isinstance(kl, numbers.Integral):
            kl = None
        elif isinstance(kl, numbers.Real):
            kl = float(kl)
        elif kl is not None:
            raise TypeError(
                "KLAdaptiveRL.step needs a KL that is a float, a tensor of one element or None, "
                f"got {type(kl).__name__}"
            )

        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if kl is None:
            return
        with torch.no_grad():
            self._adjust(kl)
        if self.verbose:
            rates = ", ".join(f"{float(lr):.4e}" for lr in self._lrs())
            print(f"KLAdaptiveRL: KL {float(kl):.4e}, learning rate {rates}")

    def get_lr(self) -> List[Any]:
        """The learning rate of each group as it stands: copies, floats or tensors.

        torch's base class asks for it where a scheduler is stepped without a KL.
        """
        return [lr.clone() if isinstance(lr, Tensor) else lr for lr in self._lrs()]

    def get_last_lr(self) -> List[Any]:
        """The learning rate of each group as it stands: floats, or tensors that are copies and
        do not change afterwards. Read from the optimizer, so true after a resume as well."""
        return self.get_lr()

    def at_bound(self) -> Union[bool, Tensor]:
        """Whether any group's learning rate is at or beyond `min_lr` or `max_lr`, to 1e-5 of it:
        a rate that left the bound and came back may miss it by rounding.

        Returns:
            A bool where all rates are floats, else a bool tensor of shape () on their device
            (nothing waits for the device).
        """
        low, high = self.min_lr * (1 + 1e-5), self.max_lr * (1 - 1e-5)
        result: Any = False
        for lr in self._lrs():
            if isinstance(lr, Tensor):
                lr = lr.reshape(())
            result = result | (lr <= low) | (lr >= high)
        return result

    @property
    def nan_count(self) -> Union[int, Tensor]:
        """How many KLs were NaN so far: an int where all rates are floats, else a copy as an
        int64 tensor of shape () on their device."""
        if any(isinstance(lr, Tensor) for lr in self._lrs()):
            return self._nan_count.clone()
        return int(self._nan_count)

    def state_dict(self) -> Dict[str, Any]:
        """Settings and counters as plain Python numbers: nothing of the optimizer, no tensor.

        The learning rates are the optimizer's state. Reading `nan_count` waits for the device.
        """
        state: Dict[str, Any] = {key: getattr(self, key) for key in _SETTINGS + _COUNTERS}
        state["nan_count"] = int(self._nan_count)
        return state

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        """Restore what `state_dict` returned, settings included, as torch's schedulers do.

        The learning rates stay those of the optimizer; load its state before or after.

        Raises:
            KeyError: the state lacks an entry; nothing has been changed then.
        """
        missing = [key for key in _SETTINGS + _COUNTERS + ("nan_count",) if key not in state_dict]
        if missing:
            raise KeyError(f"this is no KLAdaptiveRL state: it lacks {', '.join(missing)}")
        for key in _SETTINGS + _COUNTERS:
            setattr(self, key, state_dict[key])
        self._nan_count.fill_(state_dict["nan_count"])

    def _lrs(self) -> List[Any]:
        # Read anew at every call: optimizer.load_state_dict replaces the groups.
        return [group["lr"] for group in self.optimizer.param_groups]

    def _tensor_lr_device(self) -> torch.device:
        for lr in self._lrs():
            if isinstance(lr, Tensor):
                return lr.device
        return torch.device("cpu")

    def _adjust(self, kl: Union[Tensor, float]) -> None:
        if isinstance(kl, Tensor):
            if all(isinstance(lr, Tensor) for lr in self._lrs()):
                self._adjust_on_device(kl)
                return
            # A float rate needs the decision on the host. The comparison stays in the KL's dtype.
            kl = kl.cpu()
        self._adjust_on_host(kl)

    def _adjust_on_device(self, kl: Tensor) -> None:
        """No branch on a value: fit for CUDA graphs and torch.compile."""
        if torch.compiler.is_compiling():
            self._check_compilable()
        self._nan_count.add_(kl.isnan().to(self._nan_count.device))
        for lr in self._lrs():
            lr_kl = kl.to(lr.device)
            lowered = (lr / self.lr_factor).clamp(min=self.min_lr)
            raised = (lr * self.lr_factor).clamp(max=self.max_lr)
            moved = torch.where(lr_kl < self.kl_threshold / self.kl_factor, raised, lr)
            moved = torch.where(lr_kl > self.kl_threshold * self.kl_factor, lowered, moved)
            lr.copy_(moved)

    def _check_compilable(self) -> None:
        """Raises RuntimeError: a rate that compiled code would not write to, as of torch 2.13."""
        for lr in self._lrs():
            if lr.dim() == 0 and lr.dtype == torch.float64 and lr.device.type == "cpu":
                raise RuntimeError(
                    "compiled for the CPU, KLAdaptiveRL would lose what it writes to a float64 "
                    "learning rate without dimensions: torch.compile takes that for a constant; "
                    "make the rate float32, or one of shape (1,)"
                )

    def _adjust_on_host(self, kl: Union[Tensor, float]) -> None:
        if kl > self.kl_threshold * self.kl_factor:
            for group in self.optimizer.param_groups:
                lr = group["lr"]
                if isinstance(lr, Tensor):
                    lr.div_(self.lr_factor).clamp_(min=self.min_lr)
                else:
                    group["lr"] = max(lr / self.lr_factor, self.min_lr)
        elif kl < self.kl_threshold / self.kl_factor:
            for group in self.optimizer.param_groups:
                lr = group["lr"]
                if isinstance(lr, Tensor):
                    lr.mul_(self.lr_factor).clamp_(max=self.max_lr)
                else:
                    group["lr"] = min(lr * self.lr_factor, self.max_lr)
        elif kl != kl:
            self._nan_count.add_(1)

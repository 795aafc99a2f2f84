"""The processes of one training, each with environments of its own and the same policy."""

from __future__ import annotations

import contextlib
import datetime
import os
from typing import Any, Iterator, List, Optional

import torch
from torch import distributed

from rofunc_isaac.errors import UserError

TIMEOUT_S = 25.0
"""How long a process waits for the others, before it gives up: one of them has died or hangs."""


class LostError(UserError):
    """The other processes of a training don't answer."""


class Ranks:
    """One process alone; what is shared stays as it is. See `Group` for several.

    Attributes:
        rank: this process's number, from 0.
        size: how many there are.
    """

    rank = 0
    size = 1

    def average(self, tensor: torch.Tensor) -> torch.Tensor:
        """Overwrite `tensor` by its mean over all processes, the same bits in each; returns it."""
        return tensor

    def gather_rows(self, rows: torch.Tensor) -> torch.Tensor:
        """All processes' `rows`, (n, ...) each, one after another: (size * n, ...)."""
        return rows

    def gather(self, thing: Any) -> List[Any]:
        """Every process's `thing`, plain data, in the order of ranks; empty but in rank 0."""
        return [thing]

    def tell(self, thing: Any) -> Any:
        """Rank 0's `thing`, plain data, in every process."""
        return thing

    def any(self, flag: bool) -> bool:
        """Whether any process says so; all get the same answer."""
        return flag

    def share_parameters(self, module: torch.nn.Module) -> None:
        """Give all processes rank 0's parameters and buffers."""

    def close(self) -> None:
        """Leave the others, once all are about to."""


class Group(Ranks):
    """The processes that torchrun has started, over NCCL on CUDA and gloo on the CPU.

    Every method is to be called by all of them, in the same order.

    Args:
        device: of the tensors that are shared.

    Raises:
        UserError: this process was not started by torchrun.
    """

    def __init__(self, device: torch.device) -> None:
        missing = [name for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR") if name not in os.environ]
        if missing:
            raise UserError(
                f"multi_gpu=True needs torchrun, which sets {missing[0]}: "
                "torchrun --nproc-per-node=2 train.py ... multi_gpu=True"
            )
        self._device = device
        distributed.init_process_group(
            "nccl" if device.type == "cuda" else "gloo",
            timeout=datetime.timedelta(seconds=TIMEOUT_S),
        )
        self.rank, self.size = distributed.get_rank(), distributed.get_world_size()

    def average(self, tensor: torch.Tensor) -> torch.Tensor:
        with self._together():
            distributed.all_reduce(tensor)
        return tensor.div_(self.size)

    def gather_rows(self, rows: torch.Tensor) -> torch.Tensor:
        everyones = [torch.empty_like(rows) for _ in range(self.size)]
        with self._together():
            distributed.all_gather(everyones, rows.contiguous())
        return torch.cat(everyones)

    def gather(self, thing: Any) -> List[Any]:
        everyones: Optional[List[Any]] = [None] * self.size if self.rank == 0 else None
        with self._together():
            distributed.gather_object(thing, everyones)
        return everyones or []

    def tell(self, thing: Any) -> Any:
        told = [thing]
        with self._together():
            distributed.broadcast_object_list(told, src=0)
        return told[0]

    def any(self, flag: bool) -> bool:
        raised = torch.tensor([float(flag)], device=self._device)
        with self._together():
            distributed.all_reduce(raised, op=distributed.ReduceOp.MAX)
        return bool(raised.item())

    def share_parameters(self, module: torch.nn.Module) -> None:
        with self._together():
            for tensor in (*module.parameters(), *module.buffers()):
                distributed.broadcast(tensor.detach(), src=0)

    def close(self) -> None:
        distributed.barrier()
        distributed.destroy_process_group()

    @contextlib.contextmanager
    def _together(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[0]
            raise LostError(
                f"rank {self.rank} of {self.size} has lost the others; one of them died or hangs "
                f"({reason}). Go on from the last checkpoint with resume=True run_dir=PATH"
            ) from error

"""Plain records with typed fields: the base of the parameter, property and math types.

Task code assigns whatever it has at hand: Python numbers, NumPy scalars, 1-element arrays or
tensors on any device. A field turns each into the plain Python value of its type when it is set,
so that readers never meet anything else. Reading a record-valued field (``pose.p``) gives the live
object, so ``pose.p.x = 1`` works; assigning one copies it, so two records never share a part.
"""

from __future__ import annotations

import copy
import operator
from enum import IntEnum
from typing import Any, Callable, Dict, Generic, Optional, Type, TypeVar, overload

T = TypeVar("T")
E = TypeVar("E", bound=IntEnum)
R = TypeVar("R", bound="Record")


def _scalar(value: Any) -> Any:
    """The Python or NumPy scalar inside a 1-element array or tensor; other values as they are."""
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def to_float(value: Any) -> float:
    """The number in `value`, which may be a 1-element array or tensor."""
    return float(_scalar(value))


def _to_int(value: Any) -> int:
    value = _scalar(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(operator.index(value))  # a plain int, of an IntEnum too


def _to_bool(value: Any) -> bool:
    value = _scalar(value)
    if value not in (0, 1):
        raise ValueError("expected True, False, 0 or 1")
    return bool(value)


def _to_str(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("expected a str")
    return value


class Field(Generic[T]):
    """A typed attribute of a `Record`: ``to_type`` coerces on assignment, ``default`` makes the
    initial value. Raises TypeError or ValueError, naming the attribute, for what does not fit."""

    def __init__(self, to_type: Callable[[Any], T], default: Callable[[], T]) -> None:
        self.to_type = to_type
        self.default = default
        self.name = ""

    def __set_name__(self, owner: Type[Any], name: str) -> None:
        self.name = name

    @overload
    def __get__(self, record: None, owner: Type[Any]) -> Field[T]: ...

    @overload
    def __get__(self, record: Record, owner: Type[Any]) -> T: ...

    def __get__(self, record: Optional[Record], owner: Type[Any]) -> Any:
        return self if record is None else record.__dict__[self.name]

    def __set__(self, record: Record, value: Any) -> None:
        try:
            record.__dict__[self.name] = self.to_type(value)
        except (TypeError, ValueError, RuntimeError) as error:
            # torch raises RuntimeError for .item() of a tensor with several elements.
            kind = ValueError if isinstance(error, RuntimeError) else type(error)
            raise kind(f"{type(record).__name__}.{self.name} = {value!r}: {error}") from error


def float_field(default: float = 0.0) -> Field[float]:
    return Field(to_float, lambda: default)


def int_field(default: int = 0) -> Field[int]:
    return Field(_to_int, lambda: int(default))


def bool_field(default: bool = False) -> Field[bool]:
    return Field(_to_bool, lambda: default)


def str_field(default: str = "") -> Field[str]:
    return Field(_to_str, lambda: default)


def enum_field(default: E) -> Field[E]:
    """A member of the default's enum; its integer value is accepted too."""
    enum_type = type(default)
    return Field(lambda value: enum_type(_to_int(value)), lambda: default)


def record_field(record_type: Type[R], *args: float) -> Field[R]:
    """A record inside a record, ``record_type(*args)`` at first. Assignment copies."""

    def copied(value: Any) -> R:
        if not isinstance(value, record_type):
            raise TypeError(f"expected a {record_type.__name__}")
        return copy.deepcopy(value)

    return Field(copied, lambda: record_type(*args))


class Record:
    """Base of the types below: defaults, refusal of unknown attributes, ``==``, repr, copies.

    ``copy.copy``, ``copy.deepcopy`` and pickle all give independent records. Records are mutable,
    so they are not hashable.
    """

    def __init__(self) -> None:
        for name, field in self.fields().items():
            self.__dict__[name] = field.default()

    @classmethod
    def fields(cls) -> Dict[str, Field[Any]]:
        """The typed fields by name, in the order of declaration, bases first."""
        return {
            name: value
            for base in reversed(cls.__mro__)
            for name, value in vars(base).items()
            if isinstance(value, Field)
        }

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            raise AttributeError(
                f"{type(self).__name__} has no attribute {name!r}; it has "
                + ", ".join(self.fields())
            )
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"

    def __copy__(self: R) -> R:
        return copy.deepcopy(self)

"""Data classes whose methods are compiled lazily behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Any

import pytest

from gpuasync_lsp import quick_dataclasses

pytestmark = pytest.mark.skipif(
    not hasattr(dataclasses, "_create_fn"), reason="this Python compiles the methods of a class together"
)


def kinds() -> dict[str, type[Any]]:
    """Define data classes with every option that affects the generated methods."""

    @dataclass
    class Plain:
        first: int
        second: list[int] = field(default_factory=list[int])
        hidden: int = field(default=7, repr=False, compare=False)

    @dataclass(frozen=True, slots=True, order=True)
    class Frozen:
        first: int
        second: str = "b"
        _: KW_ONLY
        third: int = 3

    @dataclass(frozen=True)
    class Base:
        first: int

    @dataclass(frozen=True)
    class Derived(Base):
        seed: InitVar[int] = 2
        second: int = field(init=False, default=0)

        def __post_init__(self, seed: int) -> None:
            object.__setattr__(self, "second", seed * self.first)

    @dataclass(unsafe_hash=True, init=False, repr=False)
    class Bare:
        first: int = 1

    @dataclass
    class Own:
        self: int
        first: int = 0

        def __repr__(self) -> str:  # pyright: ignore[reportSelfClsParameterName]
            return "own"

    return {kind.__name__: kind for kind in (Plain, Frozen, Base, Derived, Bare, Own)}


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[dict[str, type[Any]], dict[str, type[Any]]]]:
    usual = kinds()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dataclasses, "_create_fn", getattr(dataclasses, "_create_fn"))  # noqa: B009
        quick_dataclasses.compile_later()
        yield usual, kinds()


def outcome(work: Callable[[], object]) -> str:
    """Return the result of `work` as text, or its error."""
    try:
        return repr(work())
    except (TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


CALLS = [(), (1,), (1, "x"), (1, "x", 3), (1, "x", 3, 4), (2,)]
NAMED: list[dict[str, int]] = [{}, {"third": 5}, {"seed": 4}, {"first": 9}, {"self": 1}, {"unknown": 0}]


def behavior(kind: type[Any]) -> list[str]:
    """Return the results of creating, printing, comparing, changing and copying objects of a class."""
    told: list[str] = []
    made: list[Any] = []
    for arguments in CALLS:
        for named in NAMED:
            told.append(outcome(lambda a=arguments, n=named: kind(*a, **n) is None))
            if told[-1] == "False":
                made.append(kind(*arguments, **named))
    for each in made:
        told += [outcome(lambda e=each: hash(e)), outcome(lambda e=each: dataclasses.asdict(e))]
        told.append("" if kind.__name__ == "Bare" else repr(each).rpartition(".")[2])
        told += [outcome(lambda e=each, o=other: (e == o, e != o)) for other in made]
        told += [outcome(lambda e=each, o=other: (e < o, e >= o)) for other in made]
        told += [outcome(lambda e=each: dataclasses.replace(e, first=8).first), str(copy.copy(each) == each)]
        for change in ("first", "unknown"):
            told.append(outcome(lambda e=each, c=change: setattr(e, c, 1)))
            told.append(outcome(lambda e=each, c=change: delattr(e, c)))
    return told


@pytest.mark.parametrize("name", ["Plain", "Frozen", "Base", "Derived", "Bare", "Own"])
def test_objects_behave_the_same(name: str, both: tuple[dict[str, type[Any]], dict[str, type[Any]]]) -> None:
    usual, quick = both
    expected = behavior(usual[name])
    assert len(set(expected)) > 5
    assert behavior(quick[name]) == expected
    # After the first call, a method is the one that the standard library generates.
    for method in ("__init__", "__eq__", "__setattr__"):
        if method in vars(usual[name]):
            assert vars(quick[name])[method].__annotations__ == vars(usual[name])[method].__annotations__


def test_nothing_is_compiled_before_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataclasses, "_create_fn", getattr(dataclasses, "_create_fn"))  # noqa: B009
    quick_dataclasses.compile_later()
    kind = kinds()["Plain"]
    assert kind.__init__.__code__ is kind.__eq__.__code__
    kind(1)
    assert kind.__init__.__code__ is not kind.__eq__.__code__


def test_a_python_whose_methods_are_made_otherwise_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(name: str, args: object, body: object, *, globals: object, annotations: object) -> None:
        pass

    monkeypatch.setattr(dataclasses, "_create_fn", other)
    quick_dataclasses.compile_later()
    assert vars(dataclasses)["_create_fn"] is other

"""Makes a dialect of what its modules define: op classes, types and attributes, also those in tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import ModuleType
from typing import cast

from xdsl.ir import Attribute, Dialect, Operation


def collected(name: str, modules: Collection[ModuleType], base: Dialect | None = None) -> Dialect:
    """Return the dialect `name` with what `modules` define, which goes before what is in `base`.

    Bases of classes, and what has no name of the dialect, are left out.
    """
    known: dict[str, type[Operation]] = {each.name: each for each in base.operations} if base else {}
    attributes: dict[str, type[Attribute]] = {each.name: each for each in base.attributes} if base else {}
    for each in (each for module in modules for each in _classes(module)):
        if not each.name.startswith(f"{name}."):
            continue
        if issubclass(each, Operation):
            known[each.name] = each
        else:
            attributes[each.name] = each
    return Dialect(name, list(known.values()), list(attributes.values()))


def _classes(module: ModuleType) -> Iterator[type[Operation] | type[Attribute]]:
    """Yield the finished classes at the top of `module`, and in its tables."""
    for value in vars(module).values():
        several: list[object] = [value]
        if isinstance(value, list | tuple):
            several = list(cast("Collection[object]", value))
        elif isinstance(value, Mapping):
            several = list(cast("Mapping[object, object]", value).values())
        for each in several:
            # What has no name of its own is a base of classes.
            if isinstance(each, type) and issubclass(each, Operation | Attribute) and "name" in vars(each):
                yield each

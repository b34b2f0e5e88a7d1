"""Creates a dialect from modules that define its op classes, types and attributes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import ModuleType
from typing import cast

from xdsl.ir import Attribute, Dialect, Operation


def collected(name: str, modules: Collection[ModuleType], base: Dialect | None = None) -> Dialect:
    """Return the dialect `name` with the definitions of `modules`, which take precedence over `base`.

    Base classes, and definitions of other dialects, are ignored.
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
    """Yield the concrete op and attribute classes of `module`, including those in lists and mappings."""
    for value in vars(module).values():
        several: list[object] = [value]
        if isinstance(value, list | tuple):
            several = list(cast("Collection[object]", value))
        elif isinstance(value, Mapping):
            several = list(cast("Mapping[object, object]", value).values())
        for each in several:
            # A class without a name is a base class.
            if isinstance(each, type) and issubclass(each, Operation | Attribute) and "name" in vars(each):
                yield each

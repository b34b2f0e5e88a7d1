"""acc: loops and routines whose clauses exclude each other, data that no clause gives, recipes.

Source: the verifiers in OpenACC.cpp, and what mlir-opt 19 and 22 answer. LLVM 16 has other ops of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View
from gpuasync_lsp.syntax.opaque import OpaqueOp, UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

Said = str | Refusal | None

_SINCE = 19
_NEWEST = 22
_MOST_GANGS = 3
_ALL = "#acc.device_type<none>"
_COMPUTE = frozenset({"acc.kernels", "acc.loop", "acc.parallel", "acc.serial"})
_OR_ORIGINAL = " or specify original clause this operation was decomposed from"
_CLAUSES: dict[str, tuple[str, str]] = {
    "attach": ("attach", "acc_attach"),
    "cache": ("cache", "acc_cache acc_cache_readonly"),
    "copyin": ("copyin", "acc_copyin acc_copyin_readonly acc_copy acc_reduction"),
    "copyout": ("copyout", "acc_copyout acc_copyout_zero acc_copy acc_reduction"),
    "create": ("create", "acc_create acc_create_zero acc_copyout acc_copyout_zero"),
    "declare_device_resident": ("device_resident", "acc_declare_device_resident"),
    "declare_link": ("link", "acc_declare_link"),
    "delete": (
        "delete",
        "acc_delete acc_create acc_create_zero acc_copyin acc_copyin_readonly acc_present acc_no_create "
        "acc_declare_device_resident acc_declare_link",
    ),
    "detach": ("detach", "acc_detach acc_attach"),
    "deviceptr": ("deviceptr", "acc_deviceptr"),
    "firstprivate": ("firstprivate", "acc_firstprivate"),
    "firstprivate_map": ("firstprivate", "acc_firstprivate"),
    "nocreate": ("no_create", "acc_no_create"),
    "present": ("present", "acc_present"),
    "private": ("private", "acc_private"),
    "reduction": ("reduction", "acc_reduction"),
    "update_device": ("device", "acc_update_device"),
    "update_host": ("host", "acc_update_host acc_update_self"),
    "use_device": ("use_device", "acc_use_device"),
}
"""What an op of data calls its clause, and the clauses that it may come from (mlir-opt 22)."""
_OF_OTHERS = frozenset({"cache", "copyin", "copyout", "create", "delete", "detach", "update_device"}) | {
    "update_host",
    "use_device",
}
"""Those that other clauses may be made of."""
_NO_CREATE_IS_DELETED = 20
"""The release from which on what was not created may be deleted; 19 refuses it, 22 does not."""


def _bare(words: str) -> Refusal:
    return Refusal(words, _SINCE, bare=True)


def _elements(view: View, name: str) -> Sequence[Attribute]:
    found = view.attribute(name)
    return cast("ArrayAttr[Attribute]", found).data if isinstance(found, ArrayAttr) else ()


def _devices(view: View, name: str) -> list[str]:
    return [attribute_text(each) for each in _elements(view, name)]


def _word(device: str) -> str:
    return device.rpartition("<")[2].removesuffix(">")


# Loops and routines


def _loop(view: View) -> Said:
    said = view.attribute("inclusiveUpperbound")
    count = view.count("upperbound")
    if count and said is not None and len(view.integers("inclusiveUpperbound")) != count:
        return _bare("inclusiveUpperbound size is expected to be the same as upperbound size")
    counts, of_counts = _elements(view, "collapse"), _devices(view, "collapseDeviceType")
    if counts and view.attribute("collapseDeviceType") is None:
        words = "collapse device_type attr must be define when collapse attr is present"
        return Refusal(words, _SINCE)
    if counts and len(counts) != len(of_counts):
        return Refusal("collapse attribute count must match collapse device_type count", _SINCE)
    if view.values("gangOperands") and view.attribute("gangOperandsArgType") is None:
        words = "gangOperandsArgType attribute must be defined when gang operands are present"
        return Refusal(words, _SINCE)
    for name in (
        "collapseDeviceType", "gang", "worker", "workerNumOperandsDeviceType", "vector",
        "vectorOperandsDeviceType", "tileOperandsDeviceType",
    ):  # fmt: skip
        if (said := _repeated(view, name)) is not None:
            return said
    return _order(view)


def _repeated(view: View, name: str) -> Refusal | None:
    devices = _devices(view, name)
    twice = next((each for at, each in enumerate(devices) if each in devices[:at]), None)
    if twice is None:
        return None
    words = f"duplicate device_type `{_word(twice)}` found in {name} attribute"
    return Refusal(words, _NEWEST, earlier=f"duplicate device_type found in {name} attribute")


def _order(view: View) -> Refusal | None:
    """How iterations may run: one way for each device type, and in parallel only if not one by one."""
    ways = [each for name in ("auto_", "independent", "seq") for each in _devices(view, name)]
    if len(set(ways)) != len(ways):
        words = "only one of auto, independent, seq can be present at the same time"
        quoted = words.replace("auto, independent, seq", '"auto", "independent", "seq"')
        return Refusal(words, _NEWEST, bare=True, earlier=quoted)
    if _ALL not in ways:
        words = "at least one of auto, independent, seq must be present"
        return Refusal(words, _NEWEST, bare=True)
    one_by_one = set(_devices(view, "seq"))
    parallel = {
        each
        for name in (
            "gang", "worker", "vector", "gangOperandsDeviceType", "workerNumOperandsDeviceType",
            "vectorOperandsDeviceType",
        )
        for each in _devices(view, name)
    }  # fmt: skip
    if one_by_one & parallel:
        words = "gang, worker or vector cannot appear with seq"
        return Refusal(
            words, _NEWEST, bare=True, earlier="gang, worker or vector cannot appear with the seq attr"
        )
    return None


def _routine(view: View) -> Refusal | None:
    levels = [
        {*_devices(view, "gang"), *_devices(view, "gangDimDeviceType")},
        *(set(_devices(view, name)) for name in ("worker", "vector", "seq")),
    ]
    words = "only one of `gang`, `worker`, `vector`, `seq` can be present at the same time"
    if sum(_ALL in level for level in levels) > 1:
        return _bare(words)
    has_default = any(_ALL in level for level in levels)
    for device in sorted({each for level in levels for each in level} - {_ALL}):
        count = sum(device in level for level in levels)
        if count > 1 or (has_default and count):
            words_now = f"{words} for device_type `{_word(device)}`"
            return Refusal(words_now, _NEWEST, bare=True, earlier=words)
    return None


# Data


_ANY_DATA = "expect data entry/exit operation or acc.getdeviceptr as defining op"
_ENTRY_DATA = "expect data entry operation as defining op"
_DECLARED_DATA = "expect valid declare data entry operation or acc.getdeviceptr as defining op"


def _data(lacking: str, made_by: str) -> Callable[[View], Refusal | None]:
    """Return a check of an op of data: what is said where it has none, or some that no op of acc gives."""

    def check(view: View) -> Refusal | None:
        given = view.values("dataClauseOperands")
        if lacking and not given and view.attribute("defaultAttr") is None:
            # LLVM 16 says the same of acc.data, and other words of the others.
            return Refusal(lacking, 0 if view.op.name == "acc.data" else _SINCE, bare=True)
        if (said := _waits(view)) is not None:
            return said
        return _bare(made_by) if made_by and any(map(_is_foreign, given)) else None

    return check


def _is_foreign(value: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, Block) or not (isinstance(owner, OpaqueOp) or owner.name.startswith("acc."))


def _waits(view: View) -> Refusal | None:
    if view.has("asyncOperand") and view.values("asyncOperand") and view.attribute("async") is not None:
        return Refusal("async attribute cannot appear with asyncOperand", bare=True)
    if view.has("waitDevnum") and view.values("waitDevnum") and not view.values("waitOperands"):
        return Refusal("wait_devnum cannot appear without waitOperands", bare=True)
    return None


def _clause(view: View) -> Said:
    name = view.op.name.removeprefix("acc.")
    called, allowed = _CLAUSES[name]
    clause = view.word("dataClause")
    if clause is not None and clause not in allowed.split():
        words = f"data clause associated with {called} operation must match its intent"
        before = _NO_CREATE_IS_DELETED if name == "delete" and clause == "acc_no_create" else 0
        return Refusal(words + _OR_ORIGINAL * (name in _OF_OTHERS), _SINCE, bare=True, before=before)
    if name in ("private", "firstprivate", "reduction") and view.attribute("recipe") is None:
        return Refusal(f"recipe expected for {name}", _NEWEST)
    return None


# Recipes


def _recipe(view: View) -> str | None:
    type = view.attribute("type")
    if type is None or isinstance(type, UnknownType):
        raise NotKnown
    kind = view.op.name.split(".")[1]
    made = "reduction" if kind == "reduction" else "privatization"
    first, *others = view.op.regions
    if not first.blocks:
        return "expects non-empty init region"
    if not _takes(first, type, 1):
        return f"expects init region first argument of the {made} type"
    if kind == "reduction":
        if others and others[0].blocks and not _takes(others[0], type, 2):
            return "expects combiner region with the first two arguments of the reduction type"
        if others and others[0].blocks and not _yields(others[0], type):
            return "expects combiner region to yield a value of the reduction type"
    if kind == "firstprivate" and others and others[0].blocks and not _takes(others[0], type, 2):
        return "expects copy region with two arguments of the privatization type"
    return None


def _takes(region: Region, type: Attribute, count: int) -> bool:
    given = [each.type for each in region.blocks[0].args[:count]]
    return given == [type] * count


def _yields(region: Region, type: Attribute) -> bool:
    """Tell whether all ends of a region hand on one value of a type."""
    ends = [last for block in region.blocks if (last := block.last_op) and last.name == "acc.yield"]
    return all([value.type for value in end.operands] == [type] for end in ends)


# Others


def _outside(view: View) -> Said:
    parent = view.op.parent_op()
    while parent is not None:
        if parent.name in _COMPUTE:
            return Refusal("cannot be nested in a compute operation", _SINCE)
        parent = parent.parent_op()
    if view.op.name == "acc.set":
        given = view.attribute("device_type") is not None
        if not given and not view.values("defaultAsync") and not view.values("deviceNum"):
            return "at least one default_async, device_num, or device_type operand must appear"
    return None


def _compute(view: View) -> Said:
    segments = view.attribute("numGangsSegments")
    if segments is not None and max(view.integers("numGangsSegments"), default=0) > _MOST_GANGS:
        return f"num_gangs expects a maximum of {_MOST_GANGS} values per segment"
    return _data("", _ANY_DATA)(view)


CHECKS: dict[str, Callable[[View], Said]] = {
    "acc.data": _data(
        "at least one operand or the default attribute must appear on the data operation", _ANY_DATA
    ),
    "acc.declare_enter": _data("at least one operand must appear on the declare operation", _DECLARED_DATA),
    "acc.enter_data": _data(
        "at least one operand must be present in dataOperands on the enter data operation", _ENTRY_DATA
    ),
    "acc.exit_data": _data(
        "at least one operand must be present in dataOperands on the exit data operation", ""
    ),
    "acc.firstprivate.recipe": _recipe,
    "acc.host_data": _data("at least one operand must appear on the host_data operation", _ENTRY_DATA),
    "acc.init": _outside,
    "acc.kernels": _compute,
    "acc.loop": _loop,
    "acc.parallel": _compute,
    "acc.private.recipe": _recipe,
    "acc.reduction.recipe": _recipe,
    "acc.routine": _routine,
    "acc.serial": _compute,
    "acc.set": _outside,
    "acc.shutdown": _outside,
    "acc.update": _data("at least one value must be present in dataOperands", _ANY_DATA),
    "acc.wait": _waits,
    **{f"acc.{name}": _clause for name in _CLAUSES},
}

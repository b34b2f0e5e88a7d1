"""What ops with classes written by hand say in words that only some releases read.

Ops of the tables know their spellings; a class reads those of all releases. This looks at the text of an op
of such a class.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_MOST = 4_000
"""How much of an op is looked at, in characters: what is asked about stands in front of its regions."""


class _Word(NamedTuple):
    pattern: re.Pattern[str]
    """Matches the text of an op from its name on."""
    reason: str
    since: int = 0
    before: int = 0
    """The first release that no longer reads it; 0: all do."""


_WITH_COMMA = re.compile(r'gpu\.printf\s*"(?:[^"\\]|\\.)*"\s*,')
_WITHOUT_COMMA = re.compile(r'gpu\.printf\s*"(?:[^"\\]|\\.)*"[ \t]*%[^:=\n]*:')
_CLUSTER = re.compile(r"gpu\.subgroup_reduce[^:]*?\bcluster\(")
_NAMED = re.compile(r"gpu\.launch\b[^{]*?\) (?:module|function)\(@")
_WEIGHTS = re.compile(r"cf\.cond_br\s+%[^\s,]+\s+weights\b")
_BOUND = re.compile(r"gpu\.\w+ [xyz] upper_bound\b")
_RANGE = re.compile(r"[\w.]+ range <")

_KERNELS = re.compile(r"gpu\.binary\b[^{]*?\bkernels = ")

_OF_REGISTERS = (_Word(_RANGE, "it has no `range`; an attribute `range` says it", since=20),)
_OF_IDS = (_Word(_BOUND, "an id has no `upper_bound`", since=18),)
_WORDS: dict[str, tuple[_Word, ...]] = {
    "gpu.printf": (
        _Word(_WITH_COMMA, "no comma stands behind the format of a printf", since=20),
        _Word(_WITHOUT_COMMA, "a comma stands behind the format of a printf", before=20),
    ),
    "gpu.binary": (_Word(_KERNELS, "an object has no `kernels`", since=20),),
    "gpu.subgroup_reduce": (_Word(_CLUSTER, "a reduction has no `cluster(...)`", since=20),),
    "gpu.launch": (_Word(_NAMED, "a launch names no `module(...)` and no `function(...)`", since=22),),
    "cf.cond_br": (_Word(_WEIGHTS, "a branch has no `weights(...)`", since=21),),
    "gpu.thread_id": _OF_IDS,
    "gpu.block_id": _OF_IDS,
    "gpu.block_dim": _OF_IDS,
    "gpu.grid_dim": _OF_IDS,
    "gpu.global_id": _OF_IDS,
}


@lru_cache(maxsize=4_096)
def is_asked(name: str) -> bool:
    """Tell whether some release may not read an op called `name` as some other does."""
    return bool(_words(name))


def _words(name: str) -> tuple[_Word, ...]:
    words = _WORDS.get(name, ())
    return _OF_REGISTERS if not words and name.startswith(("nvvm.read.ptx.sreg.", "rocdl.")) else words


def unread(name: str, text: str, start: int, version: int) -> str:
    """Return why LLVM `version` does not read the op called `name` whose name begins at `start` of `text`.

    Empty if it does, as far as is known.
    """
    for word in _words(name):
        is_read = word.since <= version and not 0 < word.before <= version
        if not is_read and word.pattern.match(text, start, start + _MOST):
            return word.reason
    return ""

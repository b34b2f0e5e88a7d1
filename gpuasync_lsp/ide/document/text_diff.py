"""The edits between two versions of a document."""

from __future__ import annotations

from difflib import SequenceMatcher

from gpuasync_lsp.text import Edit, Span

_BLOCK = 1 << 15


def changed_range(old: str, new: str) -> tuple[int, int, int]:
    """Return (start, old_end, new_end), where `new[start:new_end]` replaces `old[start:old_end]`."""
    start = _common_prefix(old, new)
    most = min(len(old), len(new)) - start
    back = _common_suffix(old, new, most)
    return start, len(old) - back, len(new) - back


def edits_between(old: str, new: str) -> tuple[Edit, ...]:
    """Return edits of whole lines that turn `old` into `new`."""
    start, old_end, _ = changed_range(old, new)
    start = old.rfind("\n", 0, start) + 1
    tail = old.find("\n", old_end)
    back = len(old) - (len(old) if tail < 0 else tail + 1)
    before = old[start : len(old) - back].splitlines(keepends=True)
    after = new[start : len(new) - back].splitlines(keepends=True)
    offsets = [start]
    for line in before:
        offsets.append(offsets[-1] + len(line))
    return tuple(
        Edit(Span(offsets[i1], offsets[i2]), "".join(after[j1:j2]))
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if tag != "equal"
    )


def _common_prefix(a: str, b: str) -> int:
    # Compare whole blocks, which runs in C; only the differing block is searched.
    at, end = 0, min(len(a), len(b))
    while at < end:
        size = min(_BLOCK, end - at)
        if a[at : at + size] != b[at : at + size]:
            low, high = 0, size
            while low < high:
                middle = (low + high + 1) // 2
                if a[at : at + middle] == b[at : at + middle]:
                    low = middle
                else:
                    high = middle - 1
            return at + low
        at += size
    return end


def _common_suffix(a: str, b: str, most: int) -> int:
    done = 0
    while done < most:
        size = min(_BLOCK, most - done)
        x, y = a[len(a) - done - size : len(a) - done], b[len(b) - done - size : len(b) - done]
        if x != y:
            low, high = 0, size
            while low < high:
                middle = (low + high + 1) // 2
                if x[size - middle :] == y[size - middle :]:
                    low = middle
                else:
                    high = middle - 1
            return done + low
        done += size
    return most

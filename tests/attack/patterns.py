"""Finds every regular expression of the package, and how each is used.

A pattern is a constant of a module (`_NAME = re.compile(...)` or `lazy_pattern(...)`, or inside a
constant table), or the literal argument of a call of `re`. The values of constants come from the
imported module, their uses from the source.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from gpuasync_lsp.text.lazy_pattern import LazyPattern

PACKAGE = Path(__file__).parents[2] / "gpuasync_lsp"
_GIVEN_BY_THE_USER = "gpuasync_lsp.lowering.passes.attach_target"
"""The option `module` of this pass is a regular expression, of which it accepts only fast ones."""
_MADE_OF_A_LINE = "gpuasync_lsp.ide.dumps.logs"
"""This module combines literal characters, numbers and blanks without adjacent equal parts: see `_form`
there."""
_FROM_GLOBS = "gpuasync_lsp.ide.document.path_patterns"
"""In this module, `fnmatch` creates patterns from a glob for one part of a path.

They never backtrack before a `*` that has matched (an atomic group, or an equivalent), so the time is
at most the product of both lengths, which are short."""
_GIVEN_BY_OTHERS = "gpuasync_lsp.text.lazy_pattern"
"""This module compiles patterns that are constants of other modules."""
_AT_ONE_PLACE = {"match", "fullmatch", "pattern", "groupindex"}
_FUNCTIONS = {"match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split", "compile"}


class Use(NamedTuple):
    """A pattern: its source location, and whether any use searches for it at every offset of a text."""

    where: str
    pattern: str
    flags: int
    is_searched: bool


def uses() -> Iterator[Use]:
    """Yield every pattern of the package; fail if one cannot be determined without running the program."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
    methods = _methods(trees)
    for path, tree in trees.items():
        calls = [*_calls(tree)]
        if not calls:
            continue
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        module = importlib.import_module(name.removesuffix(".__init__"))
        constants = _constants(module)
        known = {(pattern.pattern, pattern.flags) for _, pattern in constants}
        for constant, pattern in constants:
            at_one_place = _used_methods(methods, path, constant) <= _AT_ONE_PLACE
            yield Use(f"{name}.{constant}", str(pattern.pattern), pattern.flags, not at_one_place)
        for call, method in calls:
            where = f"{name}:{call.lineno}"
            pattern, flags = _argument(call, method, module, where)
            if (pattern, re.compile(pattern, flags).flags) not in known:
                yield Use(where, pattern, flags, method not in _AT_ONE_PLACE)


def _calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls of functions of `re`, with the method by which the pattern is used."""
    behind = {id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="re") | ast.ImportFrom(module="regex"):
                raise AssertionError(f"line {node.lineno}: `import re`, so that its calls are found")
            case ast.Import(names=[*aliases]) if any(a.name == "re" and a.asname for a in aliases):
                raise AssertionError(f"line {node.lineno}: `import re`, so that its calls are found")
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=attr)) if attr in _FUNCTIONS:
                yield node, behind.get(id(node), attr) if attr == "compile" else attr
            case ast.Call(func=ast.Name(id="lazy_pattern")):
                yield node, behind.get(id(node), "compile")
            case _:
                pass


def _methods(trees: dict[Path, ast.Module]) -> dict[tuple[Path, str], set[str]]:
    """Return for each name, by file, the attributes that are accessed; `?` for any other use."""
    found: dict[tuple[Path, str], set[str]] = {}
    for path, tree in trees.items():
        owners = {id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.setdefault((path, node.id), set()).add(owners.get(id(node), "?"))
            elif isinstance(node, ast.Attribute) and node.attr.isupper():
                found.setdefault((path, node.attr), set()).add(owners.get(id(node), "?"))
    return found


def _used_methods(methods: dict[tuple[Path, str], set[str]], path: Path, name: str) -> set[str]:
    if name.startswith("_"):
        return methods.get((path, name), {"?"})
    return set[str]().union(*(used for (_, other), used in methods.items() if other == name)) or {"?"}


def _constants(module: ModuleType) -> list[tuple[str, re.Pattern[str]]]:
    return [(name, p) for name, value in vars(module).items() for p in _patterns_in(value, 0)]


def _patterns_in(value: object, depth: int) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, LazyPattern):
        yield value.compiled
    elif isinstance(value, (list, tuple, set, frozenset)) and depth < 4:
        for one in value:
            yield from _patterns_in(one, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        for one in value.values():
            yield from _patterns_in(one, depth + 1)


class _Escaped(ast.NodeTransformer):
    """Replaces calls of `re.escape` with a plain word."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node.func:
            case ast.Attribute(value=ast.Name(id="re"), attr="escape"):
                return ast.Constant("word")
            case _:
                return node


def _argument(call: ast.Call, method: str, module: ModuleType, where: str) -> tuple[str, int]:
    """Return the pattern and the flags that are passed to a call."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    is_compile = not isinstance(call.func, ast.Attribute) or call.func.attr == "compile"
    flags = given.get("flags") or next(
        iter(call.args[1 if is_compile else {"split": 3}.get(method, 2) :]), None
    )
    if method in ("sub", "subn") and not is_compile:
        flags = given.get("flags")
    try:
        pattern = _value(call.args[0], module)
        return (pattern.pattern if isinstance(pattern, re.Pattern) else str(pattern)), (
            int(_value(flags, module)) if flags is not None else 0
        )
    except NameError as error:
        if _is_in_comprehension(module, call):  # The values are in a constant, which was already read.
            return "", 0
        if where.startswith((_GIVEN_BY_THE_USER, _MADE_OF_A_LINE, _FROM_GLOBS, _GIVEN_BY_OTHERS)):
            return "", 0
        raise AssertionError(f"{where}: a pattern that only the running program knows ({error})") from error


def _value(node: ast.expr, module: ModuleType) -> object:
    expression = ast.fix_missing_locations(ast.Expression(_Escaped().visit(node)))
    return eval(compile(expression, "pattern", "eval"), vars(module))


def _is_in_comprehension(module: ModuleType, call: ast.Call) -> bool:
    """Return whether a call is in a comprehension at module level."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    return any(
        isinstance(node, ast.GeneratorExp | ast.ListComp)
        and node.lineno <= call.lineno <= (node.end_lineno or 0)
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for node in ast.walk(statement)
    )

"""Cases of MLIR's enumerations, and MLIR's parser errors for invalid ones."""

from __future__ import annotations

from gpuasync_lsp.syntax.ods.table import AttrConstraint, enumeration

_IN_BRACKETS, _BARE = "`<` $value `>`", "$value"


def kind_of(constraint: AttrConstraint) -> str:
    """Return the name of an attribute's C++ enumeration in MLIR's messages."""
    return constraint.enumeration or constraint.written


def wrong_case(name: str, body: str, *, in_dialect: bool = False) -> str | None:
    """Return MLIR's error for `#name<body>` if no release has a case `body`, else None.

    The cases of some enumerations have no brackets, so only `#dialect<name case>`, for which `in_dialect` is
    true, can contain them."""
    errors = [
        "expected valid keyword or string" if each.format == _BARE and not in_dialect else no_case(each, body)
        for each in enumeration(name)
    ]
    return errors[-1] if errors and None not in errors else None


def no_case(constraint: AttrConstraint, body: str) -> str | None:
    """Return MLIR's error for `<body>` if it is not a case of the enumeration, else None."""
    if not constraint.cases or constraint.format != _IN_BRACKETS:
        return None
    words = body.split(constraint.separator) if constraint.separator else [body]
    for word in (each.strip() for each in words):
        if word.isidentifier() and word not in constraint.cases:
            return f"expected {kind_of(constraint)} to be one of: {', '.join(constraint.cases)}"
    return None

"""Editor settings that do not affect rules: inlay hints, code lenses, and workspace checks."""

from __future__ import annotations

from dataclasses import dataclass

from gpuasync_lsp.text.plain_json import Json, is_object


@dataclass(frozen=True, slots=True)
class EditorOptions:
    """The `gpuasync.*` settings that do not affect rules. Invalid values count as unset."""

    hint_streams: bool = True
    """`inlayHints.streams`: show the stream or event of each token."""
    hint_types: bool = False
    """`inlayHints.types`: show result types that the syntax hides."""
    code_lens: bool = True
    """`codeLens`: show a line above each function with its streams, and links to run and preview it."""
    check_workspace: bool = False
    """`checkWorkspace`: report problems in every file of the folder, not only in open files."""


EDITOR_KEYS = frozenset(
    {
        "besideLlvmExtension",
        "checkWorkspace",
        "codeLens",
        "device",
        "inlayHints",
        "preview",
        "python",
        "run",
        "serverPath",
        "trace",
        "trusted",
    }
)
"""Client settings other than rule settings."""


def editor_options(settings: Json) -> EditorOptions:
    """Read the editor's settings."""
    hints = settings.get("inlayHints")
    if isinstance(hints, bool):
        hints = {"streams": hints, "types": hints}
    values = hints if is_object(hints) else Json()
    default = EditorOptions()
    return EditorOptions(
        hint_streams=_flag(values.get("streams"), default.hint_streams),
        hint_types=_flag(values.get("types"), default.hint_types),
        code_lens=_flag(settings.get("codeLens"), default.code_lens),
        check_workspace=_flag(settings.get("checkWorkspace"), default.check_workspace),
    )


def _flag(value: object, default: bool) -> bool:
    return value if isinstance(value, bool) else default

"""`gpuasync.test` and `gpuasync.updateChecks`: run the RUN lines of a document and update its CHECK lines.

Both run only at the user's request and in a trusted workspace.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.ide.document.cancel import Cancel
from gpuasync_lsp.ide.document.text_diff import edits_between
from gpuasync_lsp.ide.run.builtin import BuiltIn
from gpuasync_lsp.ide.runlines.findings import findings_of_test
from gpuasync_lsp.ide.runlines.matching import NoFileCheck
from gpuasync_lsp.ide.runlines.report import json_row, text_lines
from gpuasync_lsp.ide.runlines.results import FileResult, Verdict
from gpuasync_lsp.ide.runlines.running import OwnMlirOpt, run_test
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.ide.runlines.update import updated_and_held
from gpuasync_lsp.lsp.convert import Places, workspace_edit
from gpuasync_lsp.lsp.documents import Document
from gpuasync_lsp.lsp.session import Session
from gpuasync_lsp.lsp.view import Built, command_argument
from gpuasync_lsp.processes import NotAllowed, check_allowed
from gpuasync_lsp.text import LineIndex
from gpuasync_lsp.text.plain_json import Json, is_object

T = TypeVar("T")
Test = Callable[[LineIndex, int | None], FileResult]
"""Runs the RUN lines of a document, or only the one that begins at a line."""


async def test_command(session: Session, params: Json) -> Json:
    """Run `gpuasync.test` with `{uri, line?}`: the document's RUN lines, or the one that begins at `line`.

    `line` is 1-based. The result is that of `gpuasync-lsp test --output-format json` for the file, plus
    its `uri` and a readable `text`; failures become diagnostics of the document until the next edit.
    Raises JsonRpcInvalidParams for invalid arguments, in an untrusted workspace, and if a program is
    missing.
    """
    argument = _argument(params, "gpuasync.test takes {uri, line?}")
    line: int | None = argument.get("line")
    document = session.document_of({"textDocument": {"uri": argument.get("uri")}})
    session.shown.forget_run(document)
    name = _name(document)
    async with session.progress.shown(await _token(session, params), f"Running the test {name}"):
        built = await session.scheduler.result(document.uri)
        result = await _run(session, built, lambda test: test(built.state.lines, line))
    session.shown.test(built.document, list(findings_of_test(result, built.document.lines)))
    text = "\n".join(text_lines(result, built.document.lines)) + "\n"
    return {**json_row(result), "uri": document.uri, "text": text}


async def update_checks_command(session: Session, params: Json) -> Json:
    """Run `gpuasync.updateChecks` with `{uri}`: rewrite the failing CHECK lines from the output.

    Runs the test; if checks fail and the rewritten ones pass, asks the client to apply the edit.
    The result is `{uri, verdict, updated, message}`: whether the edit was applied, and if not, why. Raises
    JsonRpcInvalidParams as `gpuasync.test` does.
    """
    argument = _argument(params, "gpuasync.updateChecks takes {uri}")
    document = session.document_of({"textDocument": {"uri": argument.get("uri")}})
    async with session.progress.shown(
        await _token(session, params), f"Updating the checks of {_name(document)}"
    ):
        built = await session.scheduler.result(document.uri)
        result, after, why = await _run(session, built, lambda test: _updated(built.state.lines, test))
    if not why:
        why = await _apply(session, built, after)
    message = f"The CHECK lines were not updated: {why}." if why else "The CHECK lines were updated."
    return {
        "uri": document.uri,
        "verdict": result.verdict.value,
        "updated": not why,
        "message": message,
    }


def _updated(lines: LineIndex, test: Test) -> tuple[FileResult, str, str]:
    """Return the test result, and the text with updated CHECK lines or the reason why there is none."""
    result = test(lines, None)
    if result.verdict is not Verdict.FAIL:
        return result, "", "no CHECK line fails" if not result.reason else result.reason
    try:
        after, result = updated_and_held(lines, result, lambda new: test(new, None))
    except Unsupported as error:
        return result, "", str(error)
    return result, after, ""


async def _apply(session: Session, built: Built, after: str) -> str:
    """Ask the client to replace the lines that differ; return an error message, or an empty string."""
    document = built.document
    if session.documents.get(document.uri) is not document:
        return "the file has changed in the meantime"
    if not session.client.applies_edits:
        return "this editor does not apply edits from a server"
    edits = Places(document.lines, session.client.encoding).edits(edits_between(document.lines.text, after))
    edit = workspace_edit(document.uri, document.version, edits, versioned=session.client.versioned_edits)
    answer = await session.outgoing.ask("workspace/applyEdit", {"label": "Update CHECK lines", "edit": edit})
    return "" if is_object(answer) and answer.get("applied") else "the editor did not apply them"


def _argument(params: Json, usage: str) -> Json:
    """Return the argument of a command that starts programs. Raises JsonRpcInvalidParams."""
    argument = command_argument(params, usage)
    try:
        check_allowed()
    except NotAllowed as error:
        raise JsonRpcInvalidParams(str(error)) from error
    return argument


async def _token(session: Session, params: Json) -> str | int | None:
    token = params.get("workDoneToken")
    if token is None and session.client.progress:
        token = await session.progress.new_token()
    return token


def _name(document: Document) -> str:
    return document.uri.rsplit("/", 1)[-1]


async def _run(session: Session, built: Built, what: Callable[[Test], T]) -> T:
    """Call `what` on a worker thread, with the test of a document. Raises JsonRpcInvalidParams."""
    state = built.state
    name = _name(built.document)
    command = state.resolved.settings.mlir_opt
    resolver = session.configuration.resolver_for(built.document.uri)
    engine = BuiltIn(resolver, state.path) if command is None else OwnMlirOpt(command)

    def work(cancel: Cancel) -> T:
        stopped = lambda: cancel.is_set  # noqa: E731
        return what(lambda lines, line: run_test(lines, name, state.path, engine, stopped, line))

    try:
        return await session.run(work, session.workers.programs)
    except (NoFileCheck, NotAllowed) as error:
        raise JsonRpcInvalidParams(str(error)) from error
    except InterruptedError:
        raise
    except OSError as error:
        message = f"cannot run {error.filename or engine.name}: {error.strerror or error}"
        raise JsonRpcInvalidParams(message) from error

"""`gpuasync.test`: run the RUN lines of a document, when the user asks, where the workspace is trusted."""

from __future__ import annotations

from typing import Any, cast

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.ide.runlines.builtin import BuiltIn
from gpuasync_lsp.ide.runlines.findings import findings_of_test
from gpuasync_lsp.ide.runlines.matching import NoFileCheck
from gpuasync_lsp.ide.runlines.report import json_row, text_lines
from gpuasync_lsp.ide.runlines.results import FileResult
from gpuasync_lsp.ide.runlines.running import OwnMlirOpt, run_test
from gpuasync_lsp.lsp.session import Built, Session
from gpuasync_lsp.processes import NotAllowed, check_allowed

Json = dict[str, Any]


async def test_command(session: Session, params: Json) -> Json:
    """Run `gpuasync.test` with `{uri, line?}`: the document's RUN lines, or the one that begins in `line`.

    `line` counts from 1. The result is that of `gpuasync-lsp test --output-format json` for the file, with
    its `uri` and its `text` for people; failures become diagnostics of the document until the next edit.
    Raises JsonRpcInvalidParams for arguments that cannot be used, where the workspace is not trusted, and
    where a program is not there.
    """
    arguments: list[Any] = params.get("arguments") or []
    if not arguments or not isinstance(arguments[0], dict):
        raise JsonRpcInvalidParams("gpuasync.test takes {uri, line?}")
    asked = cast("Json", arguments[0])
    line: int | None = asked.get("line")
    try:
        check_allowed()
    except NotAllowed as error:
        raise JsonRpcInvalidParams(str(error)) from error
    document = session.document_of({"textDocument": {"uri": asked.get("uri")}})
    session.forget_run(document)
    token: Any = params.get("workDoneToken")
    if token is None and session.client.progress:
        token = await session.new_progress_token()
    name = document.uri.rsplit("/", 1)[-1]
    async with session.progress(token, f"Running the test {name}"):
        built = await session.scheduler.result(document.uri)
        result = await _run(session, built, name, line)
    session.show_test(built.document, list(findings_of_test(result, built.document.lines)))
    text = "\n".join(text_lines(result, built.document.lines)) + "\n"
    return {**json_row(result), "uri": document.uri, "text": text}


async def _run(session: Session, built: Built, name: str, line: int | None) -> FileResult:
    state = built.state
    command = state.resolved.settings.mlir_opt
    resolver = session.configuration.resolver_for(built.document.uri)
    engine = BuiltIn(resolver, state.path) if command is None else OwnMlirOpt(command)
    try:
        return await session.run(
            lambda cancel: run_test(state.lines, name, state.path, engine, lambda: cancel.is_set, line),
            session.programs,
        )
    except (NoFileCheck, NotAllowed) as error:
        raise JsonRpcInvalidParams(str(error)) from error
    except InterruptedError:
        raise
    except OSError as error:
        said = f"cannot run {error.filename or engine.name}: {error.strerror or error}"
        raise JsonRpcInvalidParams(said) from error

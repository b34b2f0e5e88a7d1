"""`gpuasync-lsp run`: run a function of a file on a GPU, or on the CPU with streams as late as legal."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.commands.arguments import (
    Subparsers,
    add_file,
    add_llvm,
    add_pipeline,
    command_of_line,
    print_error,
    print_errors,
)
from gpuasync_lsp.output import print_rendered, print_text

if TYPE_CHECKING:
    from gpuasync_lsp.exec import StartedWorker


def add_parser(subparsers: Subparsers) -> None:
    """Add the `run` command."""
    parser = subparsers.add_parser(
        "run",
        help="run a function on a GPU or on the CPU",
        description=(
            "Lower a file as an LLVM release does and run one of its functions in a separate process: on a "
            "GPU through cuda-python, or on the CPU. On the CPU, streams execute work as late as legal, so "
            "that a missing wait always gives the wrong result, and handles, memory and races are checked."
        ),
        epilog=(
            "Exit status: 0 ran without findings, 1 ran with findings or an error, or mlir-opt rejects the "
            "file, 2 could not run."
        ),
    )
    add_file(parser)
    add_llvm(parser)
    parser.add_argument(
        "--entry", metavar="NAME", default="", help="the function to run (default: main, or the only one)"
    )
    add_pipeline(parser)
    parser.add_argument(
        "--device", choices=("auto", "cuda", "cpu"), default="auto", help="where to run (default: auto)"
    )
    parser.add_argument(
        "--arg",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=_argument,
        help=(
            "an argument by name or number: zeros, ones, iota, random[:SEED], a number, FILE.npy; a suffix "
            "such as @8x16 sets dynamic extents (default: iota@16)"
        ),
    )
    parser.add_argument(
        "--shared-args", action="store_true", help="make buffer arguments accessible to the device too"
    )
    parser.add_argument("--seed", metavar="N", type=int, help="execute streams in a random legal order (CPU)")
    parser.add_argument(
        "--order",
        metavar="ORDER",
        type=_order,
        default="late",
        help=(
            "the order of streams (CPU): late (as late as legal), early, latest (the last created stream "
            "first), or held:N (delays stream N) (default: late)"
        ),
    )
    parser.add_argument(
        "--schedules",
        metavar="N",
        type=_count,
        default=1,
        help="run with N orders and report differing results (CPU)",
    )
    parser.add_argument(
        "--timeout", metavar="S", type=_seconds, default=30.0, help="time limit in seconds (default: 30)"
    )
    parser.add_argument("--sync", action="store_true", help="wait after every operation, to locate an error")
    parser.add_argument(
        "--no-check",
        action="store_true",
        help="do not check for races, uninitialized memory and the like inside kernels (CPU); faster",
    )
    parser.add_argument("--profile", action="store_true", help="time every operation")
    parser.add_argument(
        "--timeline",
        metavar="FILE",
        type=_timeline,
        help="write the timeline to FILE.json (a Chrome trace) or FILE.svg (a diagram)",
    )
    parser.add_argument(
        "--save", metavar="FOLDER", default="", help="save results and changed arguments as .npy"
    )
    parser.add_argument(
        "--worker",
        metavar="COMMAND",
        default="",
        help="command that starts the worker, such as 'ssh gpu-host' or 'srun --gres=gpu:1'",
    )
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the program and print its report; return the exit status."""
    from gpuasync_lsp.exec import StartedWorker, WorkerCommand

    started = None if args.worker else StartedWorker(WorkerCommand())
    try:
        return _run(args, started)
    finally:
        if started is not None:
            started.drop()


def _run(args: argparse.Namespace, started: StartedWorker | None) -> int:
    from gpuasync_lsp.commands.sources import UnreadableSource, read_source
    from gpuasync_lsp.exec import Run, RunOptions, WorkerCommand, report_to_json
    from gpuasync_lsp.exec.prepare import NotRunnable, prepare
    from gpuasync_lsp.exec.render import render
    from gpuasync_lsp.ide.document.config_files import user_config
    from gpuasync_lsp.ide.document.settings import Settings, SettingsError
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.ide.run.passes import run_passes
    from gpuasync_lsp.text import LineIndex

    try:
        worker = WorkerCommand(command_of_line("--worker", args.worker)) if args.worker else WorkerCommand()
        source = read_source(Path(args.file))
    except (SettingsError, UnreadableSource) as error:
        print_error(error)
        return 2
    resolved = SettingsResolver(Settings(llvm=args.llvm, pipeline=args.pipeline), user_config()).resolve(
        Path(source.name), source.text
    )
    if print_errors(resolved.problems):
        return 2
    try:
        passes, lowering = run_passes(resolved.settings.pipeline, LineIndex(source.text))
        prepared = prepare(source.text, resolved.target.version, args.entry, lowering, passes)
    except NotRunnable as error:
        line = "" if error.span is None else f":{LineIndex(source.text).position(error.span.start)[0] + 1}"
        print_text(f"{source.name}{line}: error: {error.message}", error=True)
        return 1 if error.refused else 2
    options = RunOptions(
        device=args.device,
        arguments=tuple(args.arg),
        shared_arguments=args.shared_args,
        seed=args.seed,
        order=args.order,
        schedules=args.schedules,
        timeout=args.timeout,
        synchronous=args.sync,
        check=not args.no_check,
        profile=args.profile or bool(args.timeline),
        save=args.save,
    )
    process = Run(prepared.program, options, prepared.place_of, worker=worker, started=started)
    try:
        report = process.wait()
    except KeyboardInterrupt:
        process.cancel()
        report = process.wait()
    if args.output_format == "json":
        print_rendered(json.dumps(report_to_json(report), indent=2) + "\n")
    else:
        output = render(report, source.name, profile=args.profile)
        print_text(output, error=report.outcome == "refused", end="")
    if args.timeline:
        try:
            _write_timeline(Path(args.timeline), report, source.name)
        except OSError as error:
            print_error(f"cannot write {args.timeline}: {error.strerror}")
            return max(report.exit_code, 1)
    return report.exit_code


def _write_timeline(path: Path, report: object, name: str) -> None:
    from gpuasync_lsp.exec.report import RunReport
    from gpuasync_lsp.exec.timeline import chrome_trace, svg

    assert isinstance(report, RunReport)
    text = svg(report) if path.suffix == ".svg" else json.dumps(chrome_trace(report, name))
    path.write_text(text, encoding="utf-8")


def _count(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,6}", text) is None or not int(text):
        raise argparse.ArgumentTypeError(f"expected a number of orders of at least 1, not {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a positive time in seconds, not {text!r}")
    return seconds


def _timeline(text: str) -> str:
    if Path(text).suffix not in (".json", ".svg"):
        raise argparse.ArgumentTypeError(f"expected a name that ends with .json or .svg, not {text!r}")
    return text


def _order(text: str) -> str:
    if re.fullmatch(r"late|early|latest|held:[0-9]{1,6}", text) is None:
        raise argparse.ArgumentTypeError(f"expected late, early, latest or held:N, not {text!r}")
    return text


def _argument(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text!r}")
    return name, value

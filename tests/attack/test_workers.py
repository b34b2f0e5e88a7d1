"""Many or slow programs: requests are still answered, and the number of worker processes is limited."""

from __future__ import annotations

import json
import sys
import threading
from importlib.util import find_spec

import pytest

from gpuasync_lsp.exec.slots import RUNNING, WAITING, Busy, Slots, Turn, Unwanted
from tests.attack.wire import URI, Json, Wire
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

ENDLESS = TEXTS["ENDLESS"]
GOOD = "func.func @main() { return }\n"
OTHER = "file:///other.mlir"

FOREVER = [sys.executable, "-S", "-c", "import sys; sys.stdin.buffer.read()"]
"""A worker that sends nothing and exits at the end of its input."""


def begun(wire: Wire, number: int) -> None:
    """Wait until `number` runs have reported the line that they execute."""
    for _ in range(number):
        wire.until(lambda m: m.get("method") == "$/progress" and ", line " in json.dumps(m))


PROGRESS = {"window": {"workDoneProgress": True}}


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("llvmlite"), reason="llvmlite is not installed")
def test_two_endless_runs_withhold_nobodys_result() -> None:
    with Wire(capabilities=PROGRESS) as wire:
        wire.diagnosed(ENDLESS)
        wire.diagnosed(GOOD, OTHER)
        endless = [wire.run(), wire.run()]
        begun(wire, 2)
        assert wire.answer(wire.run(OTHER))["result"]["outcome"] == "ok"
        for number in endless:
            wire.tell("$/cancelRequest", {"id": number})
            assert "error" in wire.answer(number)


def test_workers_are_few_and_the_others_wait_or_are_refused() -> None:
    options = {"run": {"command": FOREVER}}
    with Wire(capabilities=PROGRESS, initializationOptions=options) as wire:
        wire.diagnosed(GOOD)
        numbers = [wire.run() for _ in range(RUNNING + WAITING + 3)]

        def is_refusal(message: Json) -> bool:
            return message.get("id") in numbers and "result" in message

        for _ in range(3):
            refused = wire.until(is_refusal)
            assert refused["result"]["outcome"] == "refused"
            assert f"{WAITING} runs are already waiting" in refused["result"]["message"]
            numbers.remove(refused["id"])
        for _ in range(WAITING):
            wire.until(lambda m: "waiting for other runs" in json.dumps(m.get("params")))
        assert wire.ask("textDocument/documentSymbol", {"textDocument": {"uri": URI}})["result"]
        assert len(wire.children()) <= RUNNING
        for number in numbers:
            wire.tell("$/cancelRequest", {"id": number})
        for number in numbers:
            assert "error" in wire.answer(number)
        # Every slot is free again.
        after = [wire.run() for _ in range(RUNNING)]
        for number in after:
            wire.tell("$/cancelRequest", {"id": number})
            wire.answer(number)


def test_programs_that_previews_wait_for_hold_up_no_answers() -> None:
    code = "import sys, time\nif '--version' not in sys.argv: time.sleep(30)"
    sleeping = [sys.executable, "-S", "-c", code]
    with Wire(initializationOptions={"mlirOpt": sleeping}) as wire:
        wire.diagnosed(GOOD)
        asked = {"textDocument": {"uri": URI}, "engine": "mlir-opt"}
        for _ in range(3):
            wire.send("gpuasync/lowering", asked)
        position = {"line": 0, "character": 2}
        hover = wire.send("textDocument/hover", {"textDocument": {"uri": URI}, "position": position})
        assert "result" in wire.answer(hover, 20)
        assert len(wire.children()) <= 2


def test_slots_are_given_in_the_order_of_asking() -> None:
    slots, order = Slots(1, 2), list[int]()
    turns = [Turn() for _ in range(3)]

    def work(number: int) -> None:
        try:
            with slots.slot(turns[number], waits[number].set):
                order.append(number)
        except Unwanted:
            order.append(-number)

    waits = [threading.Event() for _ in turns]
    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2)]
    with slots.slot(turns[0], waits[0].set):
        for thread, wait in zip(threads, waits[1:], strict=True):
            thread.start()
            assert wait.wait(10)
        with pytest.raises(Busy, match="2 runs are already waiting"), slots.slot(Turn(), lambda: None):
            pass
        turns[1].give_up()
        threads[0].join(10)
        assert order == [-1]
    threads[1].join(10)
    assert order == [-1, 2]
    with slots.slot(Turn(), lambda: pytest.fail("nobody holds it")):
        pass

"""A dialect becomes visible only when it is fully loaded, in every thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

from xdsl.ir import Dialect, Operation, ParametrizedAttribute
from xdsl.irdl import IRDLOperation, irdl_op_definition

from gpuasync_lsp.syntax.dialects import OURS
from gpuasync_lsp.syntax.shared_context import SharedContext


@irdl_op_definition
class FirstOp(IRDLOperation):
    name = "slow.first"


@irdl_op_definition
class SecondOp(IRDLOperation):
    name = "slow.second"


class SlowDialect(Dialect):
    """A dialect whose loading pauses halfway until the test continues it."""

    def __init__(self) -> None:
        super().__init__("slow")
        self.halfway = threading.Event()
        self.go_on = threading.Event()

    @property
    def operations(self) -> Iterator[type[Operation]]:
        yield FirstOp
        self.halfway.set()
        assert self.go_on.wait(10)
        yield SecondOp


def test_an_op_of_a_dialect_that_another_thread_is_loading_is_waited_for() -> None:
    context, dialect = SharedContext(), SlowDialect()
    context.register_dialect("slow", lambda: dialect)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(context.get_optional_op, "slow.first")
        assert dialect.halfway.wait(10)
        asked = threading.Event()

        def ask() -> type[Operation] | None:
            asked.set()
            return context.get_optional_op("slow.second")

        second = pool.submit(ask)
        assert asked.wait(10)
        dialect.go_on.set()
        assert first.result(10) is FirstOp
        assert second.result(10) is SecondOp


def test_types_with_other_parameters_are_others() -> None:
    """Two attributes are equal only if all their parameters are, including inherited ones."""
    for factory in OURS.values():
        for attribute in factory().attributes:
            if issubclass(attribute, ParametrizedAttribute):
                parameters = [name for name, _ in attribute.get_irdl_definition().parameters]
                assert [each.name for each in fields(attribute)] == parameters, attribute.name

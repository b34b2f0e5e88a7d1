"""Arguments of narrow types, and arguments of llvm.func: pointers, descriptors, streams."""

from __future__ import annotations

import numpy as np
import pytest

from gpuasync_lsp.exec import RunReport, report_to_json
from gpuasync_lsp.exec.prepare import NotRunnable
from gpuasync_lsp.exec.worker.narrow_floats import NARROW_FLOATS, decoded_floats, encoded_floats
from tests.exec.harness import run
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)


def shown(report: RunReport, name: str) -> str:
    return next(value.preview for value in report.values if value.name == name)


@pytest.mark.parametrize(
    ("element", "given", "printed"),
    [
        ("i4", "-8", "[ 0 -8  2  3  4  5  6  7]"),
        ("i2", "1", "[0 1 0 1 0 1 0 1]"),
        ("i24", "-70000", "[     0 -70000      2      3      4      5      6      7]"),
        ("f8E4M3FN", "448", "[  0. 448.   2.   3.   4.   5.   6.   7.]"),
        ("f8E5M2", "-0.5", "[ 0.  -0.5  2.   3.   4.   5.   6.   7. ]"),
    ],
)
def test_elements_of_a_few_bits(element: str, given: str, printed: str) -> None:
    text = TEXTS["NARROW"].replace("ELEMENT", element)
    report = run(text, 24, arguments=(("s", given),), shared_arguments=True)
    assert report.outcome == "ok", report
    assert shown(report, "%o") == printed


@pytest.mark.parametrize(("element", "given"), [("i4", "16"), ("f8E4M3FN", "500"), ("f8E4M3FNUZ", "300")])
def test_what_a_narrow_type_does_not_have_is_refused(element: str, given: str) -> None:
    report = run(TEXTS["NARROW"].replace("ELEMENT", element), 24, arguments=(("s", given),))
    assert report.outcome == "refused"
    assert report.message.startswith("argument %s: ")
    assert given in report.message


def test_a_finding_about_an_argument_has_its_line() -> None:
    """Also in JSON, which shows each related place."""
    report = run(TEXTS["UNREGISTERED"], 24)
    (finding,) = report_to_json(report)["findings"]
    assert finding["name"] == "illegal-address"
    related = {each["message"]: each["place"]["line"] for each in finding["related"]}
    assert related == {"launched here": 8, "passed by the caller here": 3}


def test_memrefs_of_vectors_are_passed_and_returned() -> None:
    report = run(TEXTS["VECTORS"], 24, arguments=(("x", "iota@4"),))
    assert shown(report, "result 0").split() == ["[[", "2.", "3.]", "[10.", "11.]]"]
    with pytest.raises(NotRunnable, match=r"argument %\w+ has type memref<2x\?xvector<4xi4>"):
        run(TEXTS["VECTORS"].replace("vector<2xf32>", "vector<4xi4>"), 24)


def test_a_host_function_may_take_memory_of_any_space() -> None:
    report = run(TEXTS["WORKGROUP_HOST"], 24)
    assert report.outcome == "ok", report
    assert shown(report, "result 0") == "[7.]"


@pytest.mark.parametrize("name", sorted(NARROW_FLOATS))
def test_each_code_of_a_narrow_float_is_the_nearest_of_its_value(name: str) -> None:
    bits = int(name[1])
    values = decoded_floats(np.arange(1 << bits, dtype=np.uint8), name)
    finite = values[np.isfinite(values)]
    assert np.array_equal(decoded_floats(encoded_floats(finite, name), name), finite)
    between = np.unique(finite)
    middles = (between[1:].astype(np.float64) + between[:-1]) / 2
    nearest = decoded_floats(encoded_floats(middles * (1 + 1e-12), name), name)
    assert np.array_equal(nearest[middles > 0], between[1:][middles > 0])


def test_values_of_narrow_floats() -> None:
    """Facts from the OCP specifications of microscaling and FP8 formats, table by table."""
    assert decoded_floats(np.array([0x7E, 0x01], np.uint8), "f8E4M3FN").tolist() == [448.0, 2.0**-9]
    assert decoded_floats(np.array([0x7B, 0x7C], np.uint8), "f8E5M2").tolist() == [57344.0, np.inf]
    assert decoded_floats(np.array([0x7F], np.uint8), "f8E8M0FNU").tolist() == [1.0]
    assert decoded_floats(np.arange(8, dtype=np.uint8), "f4E2M1FN").tolist() == [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def test_a_pointer_is_a_buffer_of_what_the_kernel_accesses() -> None:
    arguments = (("p", "ones@64"), ("n", "64"))
    report = run(TEXTS["POINTERS"], 22, arguments=arguments, elements=64)
    assert report.outcome == "ok", report
    assert [value.elements for value in report.values] == [(2.0,) * 64]
    too_few = run(TEXTS["POINTERS"], 22, arguments=(("n", "64"),))
    assert "of a buffer of 64 bytes" in too_few.findings[0].message
    as_integers = run(TEXTS["POINTERS"], 22, arguments=(("p", "iota@4xi32"), ("n", "0")))
    assert shown(as_integers, "%p") == "[0 1 2 3]"


def test_pointers_and_numbers_that_make_a_descriptor_are_a_memref() -> None:
    report = run(TEXTS["DESCRIPTOR"], 22, arguments=(("base", "iota@2x3"),), shared_arguments=True)
    assert report.outcome == "ok", report
    assert [(v.name, v.type, v.preview) for v in report.values] == [
        ("%base", "memref<?x?xf32>", "[[ 0.  2.  4.]\n [ 6.  8. 10.]]")
    ]

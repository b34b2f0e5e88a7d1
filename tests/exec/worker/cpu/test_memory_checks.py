"""Valid accesses, and the messages for invalid ones."""

from __future__ import annotations

from gpuasync_lsp.exec.worker.cpu.arena import Arena, Region
from gpuasync_lsp.exec.worker.cpu.checks import READ, WRITE
from gpuasync_lsp.exec.worker.cpu.handles import Handles
from gpuasync_lsp.exec.worker.cpu.memory_checks import MemoryChecks
from gpuasync_lsp.exec.worker.cpu.races import HOST, Access, Actor, RaceDetector
from gpuasync_lsp.exec.worker.findings import Findings

SITE = 3


class Sample:
    """An arena with its checks; `actor` is the host while device work is pending."""

    def __init__(self) -> None:
        self.findings = Findings()
        self.arena = Arena(1 << 20)
        self.races = RaceDetector(self.findings)
        self.actor: Actor | None = None
        self.checks = MemoryChecks(
            self.arena,
            self.findings,
            Handles(self.arena, self.findings, lambda: SITE),
            self.races,
            here=lambda: SITE,
            mapped=lambda address, size, writes: False,
            host=lambda site, who: self.actor,
        )

    def region(self, origin: str) -> Region:
        return self.arena.allocate(64, origin, SITE)

    def names(self) -> list[str]:
        return [each["name"] for each in self.findings.items]


def test_the_host_may_touch_what_is_not_the_devices() -> None:
    sample = Sample()
    assert sample.checks.host_access(sample.region("managed").start, 4, READ, SITE)
    assert sample.names() == []
    assert not sample.checks.host_access(sample.region("device").start, 4, READ, SITE)
    assert sample.names() == ["host-access-to-device-memory"]


def test_accesses_of_the_host_are_noted_while_work_is_pending() -> None:
    sample = Sample()
    region = sample.region("managed")
    sample.checks.host_access(region.start, 4, WRITE, SITE)
    assert list(sample.races.accesses) == []
    sample.actor = Actor(HOST, 1, {HOST: 1}, SITE, "the host")
    sample.checks.host_access(region.start, 4, WRITE, SITE)
    (access,) = sample.races.accesses
    assert access.overlaps(Access(sample.actor, READ, region.start + 3, region.end)) == region.start + 3
    assert access.overlaps(Access(sample.actor, READ, region.start + 4, region.end)) is None


def test_a_loop_of_the_host_is_one_access_however_long_it_is() -> None:
    sample = Sample()
    region, other = sample.region("managed"), sample.region("managed")
    copy = Actor(1, 1, {1: 1}, SITE + 1, "the copy")
    sample.races.add(Access(copy, READ, region.start + 60, region.end))
    sample.actor = Actor(HOST, 1, {HOST: 1}, SITE, "the host")
    for offset in range(0, 60, 4):
        sample.checks.host_access(region.start + offset, 4, WRITE, SITE)
        sample.checks.host_access(other.start + offset, 4, READ, SITE)
    assert len(sample.races.accesses) == 3
    assert sample.names() == []
    sample.checks.host_access(region.start + 60, 4, WRITE, SITE)
    assert sample.names() == ["host-race"]


def test_a_loop_of_the_host_is_compared_with_what_comes_meanwhile() -> None:
    sample = Sample()
    region = sample.region("managed")
    sample.actor = Actor(HOST, 1, {HOST: 1}, SITE, "the host")
    sample.checks.host_access(region.start, 4, WRITE, SITE)
    copy = Actor(1, 1, {1: 1}, SITE + 1, "the copy")
    sample.races.add(Access(copy, WRITE, region.start + 8, region.start + 12))
    sample.checks.host_access(region.start + 4, 4, WRITE, SITE)
    assert sample.names() == []
    sample.checks.host_access(region.start + 8, 4, WRITE, SITE)
    assert sample.names() == ["host-race"]


def test_a_kernel_touches_host_memory_only_when_it_is_registered() -> None:
    sample = Sample()
    region = sample.region("host")
    assert not sample.checks.device_access(region.start, 4, READ, SITE)
    assert sample.names() == ["illegal-address"]
    sample.checks.register(region.start, True)
    assert sample.checks.device_access(region.start, 4, READ, SITE)
    sample.checks.register(region.start, True)
    assert sample.names() == ["illegal-address", "invalid-pointer"]


def test_a_copy_stays_within_its_buffer() -> None:
    sample = Sample()
    region = sample.region("device")
    assert sample.checks.copy_access(region.start, 64, WRITE)
    assert not sample.checks.copy_access(region.start, 65, WRITE)
    assert sample.names() == ["out-of-bounds"]
    assert "of which 1 is past the end of a buffer of 64 bytes" in sample.findings.items[0]["message"]


def test_a_copy_of_what_nothing_has_written_is_told() -> None:
    sample = Sample()
    region = sample.region("device")
    actor = Actor(2, 1, {2: 1}, SITE, "the copy")
    sample.checks.note(actor, WRITE, region.start, 32)
    sample.checks.note(actor, READ, region.start, 32)
    assert sample.names() == []
    sample.checks.note(actor, READ, region.start + 30, 4)
    assert sample.names() == ["read-of-uninitialized"]

"""What a process that dies at any instant of writing leaves: every state between two writes, and in the middle of one, is read back."""

import os
import signal

import h5py
import numpy as np
import pytest
import synthetic
from synthetic import DISK

from mbsim.results import FileRecorder, ResultError, open_result
from mbsim.results.journal import JournalledFile, journal


class Tape:
    """Every change that is made to the part file, in order, and the rows that were acknowledged before it."""

    def __init__(self, monkeypatch):
        self.changes = []
        self.acknowledged = 0
        write_at, truncate = JournalledFile._write_at, JournalledFile._cut

        def noted(held, data, address):
            self.changes.append((self.acknowledged, address, bytes(data)))
            return write_at(held, data, address)

        def cut(held):
            self.changes.append((self.acknowledged, held._committed, None))
            truncate(held)

        monkeypatch.setattr(JournalledFile, "_write_at", noted)
        monkeypatch.setattr(JournalledFile, "_cut", cut)

    def states(self):
        """(rows acknowledged, bytes of the file): after each change, and with half of the next made."""
        content = bytearray()
        for acknowledged, address, data in self.changes:
            if data is None:
                del content[address:]
            else:
                content.extend(bytes(max(0, address + len(data) - len(content))))
                for count in (len(data) // 2, len(data)):
                    content[address : address + count] = data[:count]
                    if count < len(data):  # the file has not grown to its end yet
                        end = max(address + count, self._length(content, address, data))
                        yield acknowledged, bytes(content[:end])
            yield acknowledged, bytes(content)

    @staticmethod
    def _length(content, address, data):
        return len(content) if len(content) > address + len(data) else 0


@pytest.fixture
def tape(monkeypatch):
    return Tape(monkeypatch)


def record(path, tape, appends=(1, 40, 7)):
    recorder = FileRecorder(path, DISK, synthetic.MODEL, synthetic.PARAMETERS, synthetic.ATTRIBUTES, synthetic.static(DISK))
    first = 0
    for count in appends:
        recorder.append(synthetic.rows(first, first + count, DISK))
        first += count
        tape.acknowledged = first if first > 1 else 0  # the start waits for the rows that follow
    recorder.close("complete", synthetic.FINAL)
    return recorder.part


def test_every_state_holds_every_acknowledged_row(tmp_path, tape):
    part = record(tmp_path / "x.h5", tape)
    expected = synthetic.rows(0, 48, DISK)
    opened = 0
    for acknowledged, content in [*tape.states()][::2]:
        part.write_bytes(content)
        try:
            with open_result(part) as result:
                rows, opened = len(result.time), opened + 1
                assert rows >= acknowledged and rows in (0, 41, 48)
                assert result.attributes["status"] in ("running", "complete")
                for name in ("time", "multiplier", "energy_balance") if rows else ("time",):
                    np.testing.assert_array_equal(result[name], expected[name][:rows])
        except ResultError:
            assert acknowledged == 0 and len(content) < 20_000  # the file is being made
    assert opened > 60


def test_a_whole_journal_is_read_with_the_file(tmp_path, tape):
    """At least one state is such that HDF5 alone would read a mixture of two."""
    record(tmp_path / "x.h5", tape)
    path = tmp_path / "state"
    found = 0
    for _, content in tape.states():
        path.write_bytes(content)
        with path.open("rb", buffering=0) as raw:
            found += bool(journal(raw, len(content))[0])
    assert found > 20


def test_the_part_file_is_a_whole_hdf5_file_between_two_appends(tmp_path):
    """Also for readers that know nothing of journals, unless they insist on a lock."""
    recorder = FileRecorder(
        tmp_path / "x.h5", synthetic.LAYOUT, synthetic.MODEL, synthetic.PARAMETERS, synthetic.ATTRIBUTES, synthetic.STATIC
    )
    for first in (0, 50):
        recorder.append(synthetic.rows(first, first + 50))
        with h5py.File(recorder.part, "r", locking=False) as file:
            np.testing.assert_array_equal(file["q"], synthetic.rows(0, first + 50)["q"])
    recorder.close("complete", {})


def test_an_interrupt_waits_for_the_end_of_an_append(tmp_path, monkeypatch):
    """Ctrl-C inside of a write: the rows are there, whole, and the interrupt is heard."""
    recorder = FileRecorder(
        tmp_path / "x.h5", synthetic.LAYOUT, synthetic.MODEL, synthetic.PARAMETERS, synthetic.ATTRIBUTES, synthetic.STATIC
    )
    write = JournalledFile.write

    def interrupted(held, buffer):
        os.kill(os.getpid(), signal.SIGINT)
        return write(held, buffer)

    monkeypatch.setattr(JournalledFile, "write", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests that run side by side do not listen
    try:
        with pytest.raises(KeyboardInterrupt):
            recorder.append(synthetic.rows(0, 30))
    finally:
        signal.signal(signal.SIGINT, before)
    monkeypatch.undo()
    recorder.append(synthetic.rows(30, 40))
    recorder.close("interrupted", {})
    with recorder.result() as result:
        np.testing.assert_array_equal(result["q"], synthetic.rows(0, 40)["q"])


@pytest.mark.parametrize("size", [0, 10, 24, 200])
def test_what_is_no_journal(tmp_path, size):
    path = tmp_path / "x"
    path.write_bytes(bytes(range(200))[:size] + (b"\xff" * 8 + b"\0" * 4 + b"mbsimjnl" if size == 200 else b""))
    with path.open("rb", buffering=0) as raw:
        assert journal(raw, path.stat().st_size) == ({}, path.stat().st_size)

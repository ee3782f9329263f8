"""A store that fails loses nothing while the run goes on."""

from assay.engine.writing import AGAIN_S, Writer
from assay.errors import StoreError


class Sink:
    def __init__(self):
        self.is_full, self.rows, self.asked = False, [], 0

    def write(self, rows):
        self.asked += 1
        if self.is_full:
            raise StoreError("the disk is full")
        self.rows += rows


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_what_a_full_store_refused_is_written_once_it_has_room_in_order():
    sink, clock = Sink(), Clock()
    writer = Writer(sink, clock)
    writer.write(["a"])
    sink.is_full = True
    writer.write(["b"])
    writer.write(["c"])
    assert (writer.problem, sink.rows, sink.asked) == ("the disk is full", ["a"], 2)
    sink.is_full = False
    clock.now = AGAIN_S
    writer.write(["d"])
    assert (writer.problem, sink.rows) == (None, ["a", "b", "c", "d"])


def test_the_last_attempt_is_made_at_the_end():
    sink = Sink()
    sink.is_full = True
    writer = Writer(sink, Clock())
    writer.write(["a"])
    writer.close()
    assert writer.problem == "the disk is full"
    sink.is_full = False
    writer.close()
    assert (writer.problem, sink.rows) == (None, ["a"])

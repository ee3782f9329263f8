"""The scheduler: everything is done once, memory stays bounded, threads come and go."""

import threading

import pytest

from assay.engine import schedule
from assay.engine.schedule import Workers
from assay.engine.stop import StopFlag


def run(tasks, work, count):
    return [result for batch in Workers(iter(tasks), work, count, StopFlag()).results() for result in batch]


@pytest.mark.parametrize("count", [1, 2, 16])
def test_every_task_is_done_once_whatever_the_number_of_threads(count):
    assert sorted(run(range(20_000), lambda n: n, count)) == list(range(20_000))


def test_tasks_that_wait_run_side_by_side():
    barrier = threading.Barrier(8, timeout=20)
    assert sorted(run(range(24), lambda n: barrier.wait() >= 0 and n, 8)) == list(range(24))


def test_workers_that_were_spare_come_back_when_tasks_wait_again():
    barrier = threading.Barrier(4, timeout=20)

    def work(n):
        if n >= 5000:
            barrier.wait()
        return n

    assert len(run(range(5040), work, 4)) == 5040


def test_no_more_results_wait_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(schedule, "PENDING", 8)
    taken = []
    workers = Workers(iter(range(1000)), lambda n: taken.append(n) or n, 2, StopFlag())
    seen = 0
    for batch in workers.results(most=4):
        assert len(taken) - seen <= 8 + 2 + 2
        seen += len(batch)
    assert seen == 1000


def test_a_bug_in_the_work_stops_the_run_and_is_raised():
    def work(n):
        if n == 3:
            raise ZeroDivisionError("bug")
        return n

    with pytest.raises(ZeroDivisionError, match="bug"):
        run(range(100_000), work, 2)


def test_halt_takes_no_more_tasks():
    workers = Workers(iter(range(10**9)), lambda n: n, 2, StopFlag())
    batches = workers.results()
    next(batches)
    workers.halt()
    assert sum(map(len, batches)) < 10**6

"""Every end of a run: infrastructure's faults one by one, and the ends that are scored."""

import pytest

from assay.harnesses.claude_faults import end_of
from assay.harnesses.claude_stream import parse_stream
from assay.harnesses.process import Completed
from assay.model import Fault
from support.claude import INDEX, STREAMS


def ended(exit_code=0, how="done", stdout=b"", stderr=b"", capped=False):
    return end_of(parse_stream(stdout), Completed(exit_code, stdout, stderr, how, capped, 3.0))


def recorded(name):
    run = INDEX[name]
    return ended(run["exit_code"], run["ended"], (STREAMS / f"{name}.jsonl").read_bytes())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("fail_401", "auth"),
        ("fail_429", "rate_limit"),
        ("fail_500", "server"),
        ("fail_529", "overloaded"),
        ("fail_404", "setup"),
        ("fail_limit", "usage_limit"),
        ("fail_credit", "usage_limit"),
        ("fail_empty", "empty"),
        ("fail_network", "network"),
        ("never_answers", "api_timeout"),
        ("retrying", "rate_limit"),
    ],
)
def test_infrastructure_is_a_fault_of_its_kind(name, kind):
    fault = recorded(name)
    assert isinstance(fault, Fault)
    assert fault.kind == kind
    assert fault.message


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("fires", "done"),
        ("once", "done"),
        ("max_turns", "max_turns"),
        ("too_slow", "timeout"),
        ("fail_too_long", "exit"),
    ],
)
def test_the_agents_own_ends_are_scored(name, end):
    assert recorded(name) == end


def test_a_wait_for_another_try_is_told():
    assert 0 < recorded("retrying").retry_after_s < 60


def test_a_client_without_an_event_is_empty_or_crashed():
    assert ended().kind == "empty"
    crashed = ended(exit_code=-11, stderr=b"Segmentation fault")
    assert (crashed.kind, "Segmentation fault" in crashed.message) == ("harness", True)


def test_a_client_that_is_not_logged_in_says_so():
    assert ended(exit_code=1, stderr=b"Not logged in. Please run /login").kind == "auth"


def test_a_stream_that_breaks_off_is_a_crash():
    whole = (STREAMS / "fires.jsonl").read_bytes()
    fault = ended(exit_code=1, stdout=b"\n".join(whole.splitlines()[:2]))
    assert fault.kind == "harness"


def test_a_stopped_run_and_a_flood_are_faults():
    assert ended(None, "stopped").kind == "interrupted"
    assert ended(capped=True).kind == "harness"

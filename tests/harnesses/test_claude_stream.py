"""Streams recorded from the real client, and the corners that they do not show."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.harnesses.claude_stream import parse_stream
from assay.model import Usage
from support.claude import STREAMS


def recorded(name):
    return parse_stream((STREAMS / f"{name}.jsonl").read_bytes())


def said(*blocks, **more):
    return {"type": "assistant", "message": {"model": "m", "content": list(blocks)}, **more}


def text(words):
    return {"type": "text", "text": words}


def stream_of(*events):
    return parse_stream("\n".join(json.dumps(event) for event in events).encode())


def test_a_run_that_fired_the_skill():
    stream = recorded("fires")
    assert stream.output == "fix: close the file, because it leaked"
    (call,) = stream.tool_calls
    assert (call.name, call.input) == ("Skill", {"skill": "my-plug:commit"})
    assert call.result == "Launching skill: my-plug:commit"
    assert call.is_error is False
    assert stream.usage == Usage(200, 40, 0, 0, 0.0008)
    assert stream.model_reported == "claude-sonnet-5-5"
    assert stream.turns == 3
    assert stream.sight.client == "2.1.328"
    assert "my-plug:commit" in stream.sight.skills
    assert "my-plug" in stream.sight.plugins


def test_a_run_without_the_item_does_not_list_it():
    sight = recorded("without").sight
    assert not [name for name in (*sight.skills, *sight.plugins, *sight.commands) if "my-plug" in name]


def test_calls_of_a_sub_agent_count_and_name_their_parent():
    calls = recorded("sub_agent_fires").tool_calls
    assert [call.name for call in calls] == ["Agent", "Skill"]
    assert calls[1].parent == calls[0].id


def test_the_usage_of_a_sub_agent_counts():
    assert recorded("sub_agent").usage.input_tokens > recorded("without").usage.input_tokens


def test_denied_calls_are_calls():
    stream = recorded("max_turns")
    assert [call.name for call in stream.tool_calls] == ["Glob", "Glob"]


def test_the_last_message_is_the_last_text_whoever_said_it():
    stream = stream_of(
        said(text("one"), text("two"), {"type": "tool_use", "id": "1", "name": "Agent", "input": {}}),
        said(text("from the sub-agent"), parent_tool_use_id="1"),
        said({"type": "tool_use", "id": "2", "name": "Read", "input": {}}),
    )
    assert stream.output == "from the sub-agent"
    assert stream_of(said(text("one"), text("two"))).output == "one\ntwo"


def test_the_trace_is_every_event_as_it_came():
    name = STREAMS / "fires.jsonl"
    assert "\n".join(recorded("fires").trace) == name.read_text("utf-8").strip()


def test_lines_that_are_no_events_are_left_out():
    stream = parse_stream(b'\n  \nnot json\n[1]\n{"type":"result","num_turns":1}')
    assert stream.trace == ('{"type":"result","num_turns":1}',)
    assert stream.turns == 1


@pytest.mark.parametrize("name", ["fail_401", "fail_529", "fail_empty"])
def test_the_clients_own_report_of_a_failure_is_no_answer(name):
    stream = recorded(name)
    assert stream.answered is False
    assert stream.api_error is not None


def test_an_error_that_was_overcome_is_no_error():
    stream = recorded("once")
    assert stream.api_error is None
    assert stream.answered is True


def test_nothing_reported_is_unknown_not_zero():
    stream = parse_stream(b"")
    assert (stream.usage, stream.sight, stream.turns, stream.model_reported) == (Usage(), None, None, None)
    assert (stream.output, stream.answered) == ("", False)


@given(st.integers(0, 6000))
def test_a_stream_cut_anywhere_is_still_read(cut):
    whole = (STREAMS / "fires.jsonl").read_bytes()
    stream = parse_stream(whole[:cut])
    assert len(stream.trace) <= len(parse_stream(whole).trace)


@given(st.binary(max_size=300))
def test_any_bytes_are_read(noise):
    parse_stream(noise)


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "usage", "text", "name", "id"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@given(st.sampled_from(["assistant", "user", "system", "result"]), JSONS)
def test_events_of_any_shape_are_read(kind, message):
    stream_of({"type": kind, "message": message, "modelUsage": message, "subtype": "init"}).usage  # noqa: B018

import json

import pytest

from assay.errors import SuiteError, TrialFailed, UsageError
from assay.models import Message, Request, open_model


def ask(model, text, system=None):
    messages = ([Message("system", system)] if system else []) + [Message("user", text)]
    return model.complete(Request(tuple(messages)))


def scripted(tmp_path, text, name="rules.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return open_model(f"scripted:{path}", folder=tmp_path)


def test_constant_says_its_text_at_no_cost(tmp_path):
    model = open_model("constant:PASS: yes", folder=tmp_path)
    assert ask(model, "anything").text == "PASS: yes"
    assert ask(model, "anything").usage.cost_usd == 0
    assert model.is_free


def test_two_constants_have_two_keys(tmp_path):
    one, other = (open_model(f"constant:{text}", folder=tmp_path) for text in ("a", "b"))
    assert one.settings() != other.settings()


def test_first_rule_that_fits_answers_and_the_rest_is_said_back(tmp_path):
    model = scripted(
        tmp_path, "- {system: polite, input: '^hi', say: Good day}\n- {input: '^hi', say: hey}\n"
    )
    assert ask(model, "hi", system="be polite").text == "Good day"
    assert ask(model, "hi").text == "hey"
    assert ask(model, "else").text == "else"


def test_list_gives_one_answer_a_call_over_and_over(tmp_path):
    model = scripted(tmp_path, json.dumps([{"say": ["a", "{input}"]}]), "rules.json")
    assert [ask(model, "x").text for _ in range(3)] == ["a", "x", "a"]


def test_rule_fails_as_often_as_it_says_then_answers(tmp_path):
    model = scripted(tmp_path, "- {fail: rate_limit, fail_times: 1, retry_after_s: 2, say: [a, b]}\n")
    with pytest.raises(TrialFailed) as failed:
        ask(model, "x")
    assert failed.value.fault.kind == "rate_limit"
    assert failed.value.fault.retry_after_s == 2
    assert [ask(model, "x").text for _ in range(2)] == ["a", "b"]


def test_usage_and_reported_model_come_from_the_rule(tmp_path):
    model = scripted(tmp_path, "- {say: x, cost_usd: 0.5, input_tokens: 3, model: other}\n")
    answer = ask(model, "x")
    assert (answer.usage.cost_usd, answer.usage.input_tokens, answer.model) == (0.5, 3, "other")
    assert answer.usage.output_tokens is None
    assert not model.is_free


def test_every_bad_rule_is_named(tmp_path):
    text = "- {say: 3}\n- {sayy: x}\n- {input: '('}\n- {say: []}\n- {fail: bored}\n- x\n"
    with pytest.raises(SuiteError) as failure:
        scripted(tmp_path, text)
    told = [problem.message for problem in failure.value.problems]
    assert [line.split(":")[0] for line in told] == [f"rule {number}" for number in range(1, 7)]
    assert "unknown key 'sayy'; the keys are input, system, say" in told[1]


@pytest.mark.parametrize("text", ["a: 1", "[", "say"])
def test_file_that_is_no_list_of_rules_is_refused(tmp_path, text):
    with pytest.raises(SuiteError):
        scripted(tmp_path, text)


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(SuiteError, match="cannot be read as rules"):
        open_model(f"scripted:{tmp_path / 'no.yaml'}", folder=tmp_path)


@pytest.mark.parametrize("name", ["constant:", "scripted:", "gguf:"])
def test_name_without_its_second_half_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="expected something after the colon"):
        open_model(name, folder=tmp_path)

import pytest

from assay.errors import UsageError
from assay.models.tiers import tier_of, weaker


@pytest.mark.parametrize(
    ("model", "tier"),
    [
        ("haiku", "cheap"),
        ("anthropic:claude-haiku-4-5", "cheap"),
        ("claude-3-5-haiku-20241022", "cheap"),
        ("claude-sonnet-5-5", "default"),
        ("claude-3-7-sonnet-latest", "default"),
        ("opus", "capable"),
        ("claude-opus-4-5@20251101", "capable"),
        ("openai:gpt-5-mini", "cheap"),
        ("gpt-4.1-nano", "cheap"),
        ("gpt-5", "default"),
        ("gpt-5-pro", "capable"),
        ("o3", "capable"),
        ("o4-mini", "cheap"),
        ("google-gla:gemini-2.5-flash-lite", "cheap"),
        ("gemini-2.5-pro", "default"),
        ("local", "cheap"),
        ("qwen2.5-coder-1.5b", "cheap"),
        ("gguf:mine.gguf", None),
        ("acme:large", None),
        ("default", None),
    ],
)
def test_family_tells_the_tier(model, tier):
    assert tier_of(model) == tier


def test_project_comes_first_and_its_longest_family_counts():
    own = {"acme": "default", "acme-large": "capable", "anthropic:claude-haiku-4-5": "capable"}
    assert tier_of("acme-large-2", own) == "capable"
    assert tier_of("acme-small", own) == "default"
    assert tier_of("acmeister", own) is None
    assert tier_of("anthropic:claude-haiku-4-5", own) == "capable"
    assert tier_of("claude-sonnet-5", own) == "default"


def test_judge_is_weaker_only_by_tier_and_unknown_stays_unknown():
    assert weaker("haiku", "sonnet") is True
    assert weaker("opus", "sonnet") is False
    assert weaker("gpt-5", "sonnet") is False
    assert weaker("acme:large", "haiku") is None
    assert weaker("haiku", "acme:large") is None


def test_a_model_may_always_judge_itself():
    assert weaker("acme:large", "acme:large") is False
    assert weaker("anthropic:claude-haiku-4-5", "claude-haiku-4-5") is False


def test_every_tier_that_is_none_is_named():
    with pytest.raises(UsageError) as refused:
        tier_of("x", {"a": "best", "b": "cheap", "c": ""})
    assert [line.split(":")[0] for line in str(refused.value).splitlines()] == ["tiers.a", "tiers.c"]

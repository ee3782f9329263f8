import pytest

from assay.errors import UsageError
from assay.model import Usage
from assay.models.prices import Price, cost_usd, is_priced, own_prices

MILLION = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
OWN = {
    "acme:large": Price(2, 8),
    "small": Price(1, 1, cache_read=0.1, cache_write=1.25),
}


def test_listed_price_is_found_with_and_without_the_provider():
    assert cost_usd("anthropic:claude-haiku-4-5", MILLION) == pytest.approx(6.0)
    assert cost_usd("claude-haiku-4-5", MILLION) == pytest.approx(6.0)
    assert cost_usd("google-gla:gemini-2.5-flash", MILLION) == pytest.approx(2.8)


def test_unknown_price_is_none_and_never_zero():
    assert cost_usd("acme:huge", MILLION) is None
    assert cost_usd("anthropic:nobody-knows-this", MILLION) is None
    assert not is_priced("acme:huge")
    assert is_priced("acme:large", OWN)


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=1), Usage(output_tokens=1)])
def test_unknown_usage_has_no_cost(usage):
    assert cost_usd("acme:large", usage, OWN) is None


def test_own_price_is_for_a_million_tokens_with_or_without_the_provider():
    assert cost_usd("acme:large", MILLION, OWN) == 10
    assert cost_usd("acme:small", MILLION, OWN) == 2


def test_cached_tokens_are_part_of_the_input_and_have_their_own_price():
    usage = Usage(1_000_000, 0, cache_read_tokens=400_000, cache_write_tokens=200_000)
    assert cost_usd("small", usage, OWN) == pytest.approx(0.4 * 1 + 0.4 * 0.1 + 0.2 * 1.25)
    assert cost_usd("acme:large", usage, OWN) == pytest.approx(2)


def test_project_prices_are_read_and_every_bad_one_is_named():
    assert own_prices({"acme:large": {"input": 2, "output": 8}}) == {"acme:large": OWN["acme:large"]}
    with pytest.raises(UsageError) as refused:
        own_prices(
            {"a": {"input": 1}, "b": {"input": 1, "output": 1, "x": 1}, "c": {"input": -1, "output": 1}}
        )
    assert [line.split(":")[0] for line in str(refused.value).splitlines()] == [
        "prices.a",
        "prices.b",
        "prices.c",
    ]

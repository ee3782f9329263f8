"""Documents are checked against the shipped schemas; what breaks them is named by its JSON path."""

import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from assay.errors import Unusable
from assay.schemas import parse, schema, validate
from assay.schemas.skill_eval import from_document

SEED = {
    "schema": "skill-eval/1",
    "item": "commit",
    "with": 0.83,
    "without": 0.67,
    "delta": 0.16,
    "verdict": "improved",
    "trigger_rate": 1,
    "cost_usd": 0.4,
    "max_cost_usd": 2,
    "partial": False,
    "model": "claude-sonnet-5-5",
    "run": "eval-commit-20261009T084444Z",
    "date": "2026-10-09",
    "cases": [
        {"name": "a", "with": 0.83, "without": 0.67, "delta": 0.16, "verdict": "improved", "trigger_rate": 1}
    ],
}
"""A result as the first harness of this format wrote it: no trials, no digests."""


def names() -> list[str]:
    found = [entry.name for entry in files("assay.schemas").iterdir()]
    return sorted(name.removesuffix(".schema.json") for name in found if name.endswith(".schema.json"))


@pytest.mark.parametrize("name", names())
def test_every_shipped_schema_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))


def test_a_document_without_the_later_fields_is_read() -> None:
    result = from_document(SEED)
    assert (result.with_score, result.delta, result.verdict) == (0.83, 0.16, "improved")
    assert result.suite_digest is result.harness is result.cases[0].trials is None


def test_fields_that_it_does_not_know_are_ignored() -> None:
    assert from_document({**SEED, "note": "x"}) == from_document(SEED)


def test_everything_that_breaks_a_schema_is_named_with_its_path() -> None:
    broken = {
        **SEED,
        "with": 1.5,
        "partial": "no",
        "cases": [{**SEED["cases"][0], "with": None, "delta": "x"}],
    }
    with pytest.raises(Unusable) as told:
        from_document(broken, "r.json")
    assert str(told.value).splitlines()[0] == "r.json is not a skill-eval/1 document:"
    for place in ("$.with: 1.5", "$.partial: 'no'", "$.cases[0].delta: 'x'"):
        assert place in str(told.value)
    assert told.value.exit_code == 2


def test_a_mean_that_is_not_that_of_its_trials_is_unusable() -> None:
    case = {**SEED["cases"][0], "trials": {"with": [[1, 1]], "without": [[0, 1]]}}
    with pytest.raises(Unusable, match=r"`with` says 0\.83, but its own trials make 1\.0"):
        from_document({**SEED, "cases": [case]}, "r.json")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{\n  nope", "r.json:2 is not JSON"),
        ('{"with": NaN}', "NaN is not a JSON number"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_text_that_is_no_such_document_says_where(text: str, told: str) -> None:
    with pytest.raises(Unusable, match=told):
        parse(text, "r.json")


def test_a_bom_is_accepted() -> None:
    assert parse("\ufeff" + json.dumps(SEED), "r.json") == SEED


def test_the_baseline_of_the_seed_is_valid() -> None:
    entry = {"score": 0.83, "without": 0.67, "trigger_rate": 1, "run": "eval-commit-1", "date": "2026-10-09"}
    document = {"schema": "skill-eval-baseline/1", "item": "commit", "best": {"claude-sonnet-5-5": entry}}
    validate(document, "skill-eval-baseline-1")
    del entry["trigger_rate"]
    validate(document, "skill-eval-baseline-1")
    validate({**document, "best": {}}, "skill-eval-baseline-1")

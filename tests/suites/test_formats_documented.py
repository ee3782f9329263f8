"""docs/formats.md describes every key, check type and rule, and no other rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.suites.fields import CASE_KEYS, CONTEXT_KEYS, EXECUTION_KEYS, GRADER_KEYS
from assay.suites.findings import RULES
from assay.suites.recognise import CHECK_KEYS, CONTAINERS, OTHER_CHECK_KEYS, QUERY_KEYS
from assay.suites.typed_checks import TYPES
from assay.suites.walk import NEVER_ENTERED

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
ROWS = {match[1]: match[0] for match in re.finditer(r"^\| ([A-Z]\w+) \| .*\|$", PAGE, re.M)}


@pytest.mark.parametrize("code", RULES)
def test_every_rule_has_its_row(code):
    rule = RULES[code]
    mend = rule.mend or "what the message says"
    assert ROWS[code] == f"| {code} | {rule.severity} | {rule.title} | {mend} |"


def test_no_rule_is_made_up():
    assert ROWS.keys() == RULES.keys()


@pytest.mark.parametrize(
    "word",
    sorted(
        {
            *CASE_KEYS,
            *(f"execution.{key}" for key in EXECUTION_KEYS),
            *(f"context.{key}" for key in CONTEXT_KEYS),
            *GRADER_KEYS,
            *(key for keys in GRADER_KEYS.values() for key in keys),
            *TYPES,
            *CHECK_KEYS,
            *OTHER_CHECK_KEYS,
            *CONTAINERS,
            *QUERY_KEYS,
            *NEVER_ENTERED,
        }
    ),
)
def test_every_key_type_and_container_is_named(word):
    assert re.search(rf"`{re.escape(word)}[`:]", PAGE), word

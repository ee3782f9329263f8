"""Formats for other tools, held to those tools' own schemas."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from assay.model import Fault, Record
from assay.report.junit import junit
from assay.report.sarif import sarif
from assay.report.summary import summarise
from assay.suites.findings import RULES, finding
from support.stored_runs import run_of, trial_of

SCHEMAS = Path(__file__).parents[1] / "fixtures" / "schemas"
SARIF = Draft4Validator(json.loads((SCHEMAS / "sarif-2.1.0-rtm.5.json").read_text("utf-8")))
HOSTILE = "a b/ü%20/\x00\x1b[31m <&> ]]> \ud800.md"


def test_junit_is_what_jenkins_takes():
    xmlschema = pytest.importorskip("xmlschema", reason="xmlschema is not installed")
    schema = xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")
    trials = [
        replace(trial_of("r1", case, arm, 0.5, repeat)[0], duration_s=duration)
        for case, duration in (("a", 0.1), ("b", 1e-05), ("c", 12345.6789))
        for arm in ("with", "without")
        for repeat in (1, 2, 3)
    ]
    lost = Record("r1", "k", "d", "with", 1, "error", fault=Fault("server", HOSTILE))
    run = run_of({"a": (0.5, 1.0), "b": (0.5, 0.5), "c": (1.0, 0.5)})
    text = junit(summarise(run, [*trials, lost]))
    assert list(schema.iter_errors(text)) == []
    assert list(schema.iter_errors(text.replace("<failure", "<fault").replace("</failure", "</fault"))) != []


def test_sarif_is_what_its_schema_says():
    found = [finding(code, f"evals/{code}/prompt.md", 3, "a message") for code in RULES]
    found += [finding("L01", HOSTILE, None, HOSTILE)]
    log = json.loads(sarif(found).encode("utf-8", "replace"))
    assert [error.message for error in SARIF.iter_errors(log)] == []
    assert [error.message for error in SARIF.iter_errors(json.loads(sarif([])))] == []
    run = log["runs"][0]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert run["results"][-1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith(
        "a%20b/%C3%BC%2520/"
    )


def test_a_finding_that_moved_is_the_same_finding():
    prints = [
        json.loads(sarif([finding("L01", "a.md", line, "x")]))["runs"][0]["results"][0]["partialFingerprints"]
        for line in (1, 9)
    ]
    assert prints[0] == prints[1]

"""JUnit XML, as Jenkins, GitLab and GitHub read it: an error is an error there too, never a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from assay.report.printable import lines, one_line

if TYPE_CHECKING:
    from junitparser import TestCase

    from assay.report.summary import CaseSummary, Summary

SHOWN_REASONS = 20


def junit(summary: Summary) -> str:
    """One suite for the run, one test case for each case or golden task."""
    from junitparser import JUnitXml, TestSuite

    suite = TestSuite(one_line(summary.name))
    suite.timestamp = summary.stamp.started.rstrip("Z")
    suite.hostname = "localhost"
    suite.add_property("harness", one_line(summary.stamp.harness))
    suite.add_property("model", one_line(summary.stamp.model))
    suite.add_property("run", summary.run)
    suite.add_property("verdict", summary.verdict)
    for case in summary.cases:
        suite.add_testcase(_case(summary, case))
    document = JUnitXml("assay")
    document.add_testsuite(suite)
    document.update_statistics()
    suite.time = document.time = round(suite.time, 3)
    root = ElementTree.fromstring(document.tostring())
    root.attrib.pop("skipped", None)  # the schema of Jenkins has it on a suite only
    return ElementTree.tostring(root, encoding="unicode")


def _case(summary: Summary, case: CaseSummary) -> TestCase:
    from junitparser import Error, Failure, TestCase

    suite, _, name = case.id.rpartition("/")
    result = TestCase(
        one_line(name), classname=one_line(suite or summary.name), time=round(case.duration_s or 0.0, 3)
    )
    if case.status != "passed":
        kind = Error if case.status == "error" else Failure
        outcome = kind(one_line(headline(summary, case)), case.status)
        outcome.text = lines("\n".join(case.reasons[:SHOWN_REASONS]))
        result.result = [outcome]
    return result


def headline(summary: Summary, case: CaseSummary) -> str:
    """`score 0.25, baseline 1.00 (-0.75)`, or why there is no score."""
    if case.score is None:
        return case.reasons[0] if case.reasons else "no score"
    text = f"score {case.score:.2f}"
    if case.reference is not None and case.delta is not None:
        text += f", {summary.reference_name} {case.reference:.2f} ({case.delta:+.2f})"
    return text
